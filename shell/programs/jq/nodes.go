package jq

// The nodes and frames of the language's core.

// link is the part of every frame that leads on.
type link struct{ to frame }

func (l *link) next() frame { return l.to }

// saved is a frame's copy of the machine's state.
type saved struct {
	link
	env   *env
	value any
	path  *path
}

func (m *machine) save() saved {
	m.allocated += sizeFrame
	return saved{link{m.frame}, m.env, m.value, m.path}
}

func (s *saved) held(c *counter) {
	c.add(s.value)
	c.path(s.path)
	c.env(s.env)
}

// simpleNode runs a simple expression.
type simpleNode struct{ fn simple }

func (n simpleNode) exec(m *machine) node {
	v, err := n.fn(m, m.env, m.value)
	if err != nil {
		return m.raise(err)
	}
	m.value = v
	return nil
}

func simpleExpr(fn simple) expr { return expr{simpleNode{fn}, fn} }

// constant is an expression of one value.
func constant(v any) expr {
	return simpleExpr(func(*machine, *env, any) (any, error) { return v, nil })
}

// identity is ".".
type identityNode struct{}

func (identityNode) exec(*machine) node { return nil }

func identity() expr {
	return expr{identityNode{}, func(_ *machine, _ *env, v any) (any, error) { return v, nil }}
}

// emptyNode has no output.
type emptyNode struct{}

func (emptyNode) exec(m *machine) node { return m.backtrack() }

// pipe is "left | right".
type pipeNode struct{ left, right node }

type pipeFrame struct {
	link
	env   *env
	right node
}

func (n *pipeNode) exec(m *machine) node {
	m.allocated += 48
	m.frame = &pipeFrame{link{m.frame}, m.env, n.right}
	return n.left
}

func (f *pipeFrame) resume(m *machine) node {
	m.frame, m.env = f.to, f.env
	return f.right
}

func (f *pipeFrame) held(c *counter) { c.env(f.env) }

// dualNode runs a simple expression that can be followed as a path.
type dualNode struct {
	fn   simple
	path node
}

func (n *dualNode) exec(m *machine) node {
	if m.path != nil {
		return n.path
	}
	v, err := n.fn(m, m.env, m.value)
	if err != nil {
		return m.raise(err)
	}
	m.value = v
	return nil
}

// simplePipeNode is a pipe whose left side is simple.
type simplePipeNode struct {
	left  expr
	right node
}

func (n *simplePipeNode) exec(m *machine) node {
	if m.path != nil {
		m.allocated += 48
		m.frame = &pipeFrame{link{m.frame}, m.env, n.right}
		return n.left.node
	}
	v, err := n.left.fn(m, m.env, m.value)
	if err != nil {
		return m.raise(err)
	}
	m.value = v
	return n.right
}

// pipe makes "left | right".
func pipe(left, right expr) expr {
	l, r := left.fn, right.fn
	switch {
	case l != nil && r != nil:
		fn := func(m *machine, e *env, v any) (any, error) {
			x, err := l(m, e, v)
			if err != nil {
				return nil, err
			}
			return r(m, e, x)
		}
		return expr{&dualNode{fn, &pipeNode{left.node, right.node}}, fn}
	case l != nil:
		return expr{node: &simplePipeNode{left, right.node}}
	}
	return expr{node: &pipeNode{left.node, right.node}}
}

// commaNode is "left, right".
type commaNode struct{ left, right node }

func (n *commaNode) exec(m *machine) node {
	m.push(n.right)
	return n.left
}

// eachNode is ".[]".
type eachNode struct{ optional bool }

func (n eachNode) exec(m *machine) node {
	if m.path != nil && !same(m.path.at, m.value) {
		return m.raise(errorText("Invalid path expression near attempt to iterate through " + brief(m.value)))
	}
	each := &eachRest{}
	switch v := m.value.(type) {
	case []any:
		each.array, each.n = v, len(v)
	case *Object:
		each.object, each.n = v, v.len()
	default:
		if n.optional {
			return m.backtrack()
		}
		return m.raise(errorText("Cannot iterate over " + describe(v)))
	}
	return each.step(m)
}

// describe shows a value with its type, as messages do.
func describe(v any) string {
	if v == nil {
		return "null"
	}
	return typeName(v) + " (" + brief(v) + ")"
}

// eachRest is what is left of an iteration.
type eachRest struct {
	array  []any
	object *Object
	i, n   int
}

func (r *eachRest) retry(m *machine) node { return r.step(m) }

func (r *eachRest) held(c *counter) {
	c.add(r.array)
	if r.object != nil {
		c.add(r.object)
	}
}

func (r *eachRest) step(m *machine) node {
	if r.i >= r.n {
		return m.backtrack()
	}
	i := r.i
	r.i++
	if r.i < r.n {
		m.pushAlternative(r)
	}
	if r.object != nil {
		m.descend(r.object.keys[i], r.object.values[i])
	} else {
		m.value = r.array[i]
		if m.path != nil {
			m.descend(float64(i), r.array[i])
		}
	}
	return nil
}

// descend makes v the machine's value, one step down its path.
func (m *machine) descend(key, v any) {
	m.value = v
	if m.path != nil {
		m.path = &path{m.path, key, v}
		m.allocated += 48
	}
}

// indexBy makes the value at key the machine's value.
func (m *machine) indexBy(key any) node {
	if m.path != nil && !same(m.path.at, m.value) {
		return m.raise(errorText("Invalid path expression near attempt to access element " + brief(key) + " of " + brief(m.value)))
	}
	v, err := index(m.value, key)
	if err != nil {
		return m.raise(err)
	}
	m.descend(key, v)
	return nil
}

// fieldNode is ".name" and every other index by a constant.
type fieldNode struct {
	key      any
	optional bool
}

func (n *fieldNode) exec(m *machine) node {
	if n.optional {
		if _, err := index(m.value, n.key); err != nil {
			return m.backtrack()
		}
	}
	return m.indexBy(n.key)
}

// field makes an index by a constant.
func field(key any, optional bool) expr {
	n := &fieldNode{key, optional}
	if optional {
		return expr{node: n}
	}
	fn := func(_ *machine, _ *env, v any) (any, error) { return index(v, key) }
	if name, ok := key.(string); ok {
		fn = func(_ *machine, _ *env, v any) (any, error) {
			if o, ok := v.(*Object); ok {
				x, _ := o.get(name)
				return x, nil
			}
			return index(v, key)
		}
	}
	return expr{&dualNode{fn, n}, fn}
}

// tryNode is "try body catch handler"; without a handler errors vanish.
type tryNode struct {
	body, handler node
}

type tryFrame struct {
	saved
	handler node
	height  int
}

func (n *tryNode) exec(m *machine) node {
	m.frame = &tryFrame{m.save(), n.handler, len(m.choices)}
	return n.body
}

func (f *tryFrame) resume(m *machine) node {
	m.frame, m.env = f.to, f.env
	return nil
}

func (f *tryFrame) catch(m *machine, err *jqError) node {
	m.cut(f.height)
	if f.handler == nil {
		return m.backtrack()
	}
	m.frame, m.env, m.value, m.path = f.to, f.env, err.value, f.path
	return f.handler
}

// ifNode is "if cond then yes else no end".
type ifNode struct{ cond, yes, no node }

type ifFrame struct {
	saved
	n *ifNode
}

func (n *ifNode) exec(m *machine) node {
	m.frame = &ifFrame{m.save(), n}
	m.path = nil
	return n.cond
}

func (f *ifFrame) resume(m *machine) node {
	yes := truthy(m.value)
	m.frame, m.env, m.value, m.path = f.to, f.env, f.value, f.path
	if yes {
		return f.n.yes
	}
	return f.n.no
}

// simpleIfNode is an if whose condition is simple.
type simpleIfNode struct {
	cond    simple
	yes, no node
}

func (n *simpleIfNode) exec(m *machine) node {
	v, err := n.cond(m, m.env, m.value)
	if err != nil {
		return m.raise(err)
	}
	if truthy(v) {
		return n.yes
	}
	return n.no
}

// alternativeNode is "left // right": the outputs of left that are neither
// false nor null, or else those of right.
type alternativeNode struct{ left, right node }

type alternativeFrame struct {
	saved
	right  node
	found  *bool
	height int
}

// alternativeRest is reached when left has no more outputs.
type alternativeRest struct {
	right node
	found *bool
}

func (n *alternativeNode) exec(m *machine) node {
	found := new(bool)
	height := len(m.choices)
	m.pushAlternative(&alternativeRest{n.right, found})
	m.frame = &alternativeFrame{m.save(), n.right, found, height}
	return n.left
}

func (r *alternativeRest) retry(m *machine) node {
	if *r.found {
		return m.backtrack()
	}
	return r.right
}

func (f *alternativeFrame) resume(m *machine) node {
	if !truthy(m.value) {
		return m.backtrack()
	}
	*f.found = true
	m.frame, m.env = f.to, f.env
	return nil
}

func (f *alternativeFrame) catch(m *machine, _ *jqError) node {
	m.cut(f.height)
	if *f.found {
		return m.backtrack()
	}
	m.frame, m.env, m.value, m.path = f.to, f.env, f.value, f.path
	return f.right
}

// logicNode is "left and right" and "left or right".
type logicNode struct {
	left, right node
	or          bool
}

type logicFrame struct {
	saved
	n     *logicNode
	right bool
}

func (n *logicNode) exec(m *machine) node {
	m.frame = &logicFrame{m.save(), n, false}
	m.path = nil
	return n.left
}

func (f *logicFrame) resume(m *machine) node {
	v := truthy(m.value)
	m.frame, m.env, m.path = f.to, f.env, f.path
	if f.right || v == f.n.or {
		m.value = v
		return nil
	}
	m.value, m.path = f.value, nil
	m.frame = &logicFrame{f.saved, f.n, true}
	return f.n.right
}

// collectNode is "[body]".
type collectNode struct{ body node }

type collection struct {
	list []any
}

type collectFrame struct {
	link
	into *collection
}

func (n *collectNode) exec(m *machine) node {
	into := &collection{list: []any{}}
	m.pushAlternative(into)
	m.frame = &collectFrame{link{nil}, into}
	m.path = nil
	m.allocated += 96
	// Errors go on to the handlers around.
	m.frame.(*collectFrame).to = m.choices[len(m.choices)-1].frame
	return n.body
}

func (f *collectFrame) resume(m *machine) node {
	f.into.list = append(f.into.list, m.value)
	m.allocated += sizeElement
	return m.backtrack()
}

func (c *collection) retry(m *machine) node {
	m.value = c.list
	return nil
}

func (c *collection) held(n *counter) { n.add(c.list) }

// labelNode is "label $name | body", breakNode leaves it.
type labelNode struct{ body node }

type labelMark struct{ height int }

func (n *labelNode) exec(m *machine) node {
	m.env = &env{parent: m.env, value: &labelMark{len(m.choices)}}
	m.allocated += 48
	return n.body
}

type breakNode struct{ up int }

func (n *breakNode) exec(m *machine) node {
	mark := m.env.up(n.up).value.(*labelMark)
	m.cut(mark.height)
	return m.backtrack()
}
