package jq

// reduceNode is "reduce source as patterns (init; update)". bind is the
// source's continuation: it destructures, and ends in loopBody.
type reduceNode struct {
	source, init, bind node
}

// cell is the state of a reduction or of a foreach.
type cell struct {
	value any
	path  *path
}

func (c *cell) held(n *counter) {
	n.add(c.value)
	n.path(c.path)
}

// cellDone is the choice left when the source has ended: the state is the
// output.
type cellDone struct{ *cell }

func (d cellDone) retry(m *machine) node {
	m.value, m.path = d.value, d.path
	return nil
}

type initFrame struct {
	saved
	n *reduceNode
}

func (n *reduceNode) exec(m *machine) node {
	m.frame = &initFrame{m.save(), n}
	return n.init
}

func (f *initFrame) resume(m *machine) node {
	state := &cell{m.value, m.path}
	m.frame, m.env, m.value, m.path = f.to, f.env, f.value, nil
	m.pushAlternative(cellDone{state})
	m.env = &env{parent: m.env, value: state}
	m.frame = &pipeFrame{link{m.frame}, m.env, f.n.bind}
	m.allocated += 120
	return f.n.source
}

// reduceBody runs update on the state, which is up variables away. An update
// without an output leaves null.
type reduceBody struct {
	up     int
	update node
}

type reduceFrame struct {
	link
	state *cell
}

func (n *reduceBody) exec(m *machine) node {
	state := m.env.up(n.up).value.(*cell)
	m.value, m.path = state.value, state.path
	state.value = nil
	m.frame = &reduceFrame{link{m.frame}, state}
	m.allocated += 48
	return n.update
}

func (f *reduceFrame) resume(m *machine) node {
	f.state.value, f.state.path = m.value, m.path
	return m.backtrack()
}

// foreachNode is "foreach source as patterns (init; update; extract)".
type foreachNode struct {
	source, init, bind node
}

type foreachInitFrame struct {
	saved
	n *foreachNode
}

func (n *foreachNode) exec(m *machine) node {
	m.frame = &foreachInitFrame{m.save(), n}
	return n.init
}

func (f *foreachInitFrame) resume(m *machine) node {
	state := &cell{m.value, m.path}
	m.frame, m.value, m.path = f.to, f.value, nil
	m.env = &env{parent: f.env, value: state}
	m.frame = &pipeFrame{link{m.frame}, m.env, f.n.bind}
	m.allocated += 120
	return f.n.source
}

// foreachBody runs update on the state and gives each output to extract.
type foreachBody struct {
	up              int
	update, extract node
}

type foreachFrame struct {
	link
	env     *env
	state   *cell
	extract node
}

func (n *foreachBody) exec(m *machine) node {
	state := m.env.up(n.up).value.(*cell)
	m.value, m.path = state.value, state.path
	state.value = nil
	m.frame = &foreachFrame{link{m.frame}, m.env, state, n.extract}
	m.allocated += 64
	return n.update
}

func (f *foreachFrame) resume(m *machine) node {
	f.state.value, f.state.path = m.value, m.path
	m.frame, m.env = f.to, f.env
	return f.extract
}

func (f *foreachFrame) held(c *counter) { c.env(f.env) }

// limitNode passes the first outputs of body: count many, which is the
// machine's value when it starts; body's input is that of saved.
type limitNode struct {
	count, body node
	skip        bool
	what        string
}

type limitFrame struct {
	saved
	n *limitNode
}

func (n *limitNode) exec(m *machine) node {
	m.frame = &limitFrame{m.save(), n}
	m.path = nil
	return n.count
}

func (f *limitFrame) resume(m *machine) node {
	v := m.value
	m.frame, m.env, m.value, m.path = f.to, f.env, f.value, f.path
	count, ok := number(v)
	if !ok {
		// Anything else compares as it does with 0.
		if kindOf(v) < kindNumber {
			count = -1
		} else {
			count = 1
		}
		if count > 0 {
			return m.raise(errorText(describe(v) + " and number (1) cannot be subtracted"))
		}
	}
	switch {
	case count < 0:
		return m.raise(errorText(f.n.what + " doesn't support negative count"))
	case count == 0 && f.n.skip:
		return f.n.body
	case count == 0 || count != count:
		return m.backtrack()
	}
	m.frame = &limitCount{link{m.frame}, m.env, count, len(m.choices), f.n.skip}
	m.allocated += 64
	return f.n.body
}

// limitCount counts outputs. It changes as it counts, since all ways back
// into the body lie before those that come later.
type limitCount struct {
	link
	env    *env
	left   float64
	height int
	skip   bool
}

func (f *limitCount) resume(m *machine) node {
	f.left--
	m.frame, m.env = f.to, f.env
	if f.skip {
		if f.left >= 0 {
			return m.backtrack()
		}
		return nil
	}
	if f.left <= 0 {
		m.cut(f.height)
	}
	return nil
}

func (f *limitCount) held(c *counter) { c.env(f.env) }

// firstNode passes the first output of body.
type firstNode struct{ body node }

func (n *firstNode) exec(m *machine) node {
	m.frame = &limitCount{link{m.frame}, m.env, 1, len(m.choices), false}
	m.allocated += 64
	return n.body
}

// rangeRest is what is left of a range.
type rangeRest struct{ at, to, by float64 }

func (r *rangeRest) retry(m *machine) node { return r.step(m) }

func (r *rangeRest) step(m *machine) node {
	if r.by > 0 && !(r.at < r.to) || r.by < 0 && !(r.at > r.to) || r.by == 0 || r.by != r.by {
		return m.backtrack()
	}
	v := r.at
	r.at += r.by
	if r.by > 0 && r.at < r.to || r.by < 0 && r.at > r.to {
		m.pushAlternative(r)
	}
	m.value = v
	m.allocated += sizeNumber
	return nil
}

// recurseNode is "recurse(f)": the value, and the same of each output of f.
type recurseNode struct{ body node }

type recurseFrame struct {
	link
	env *env
	n   *recurseNode
}

func (n *recurseNode) exec(m *machine) node {
	// The value first; then its children, each a value of its own.
	m.pushAlternative(&recurseRest{n})
	return nil
}

type recurseRest struct{ n *recurseNode }

func (r *recurseRest) retry(m *machine) node {
	m.frame = &recurseFrame{link{m.frame}, m.env, r.n}
	m.allocated += 64
	return r.n.body
}

func (f *recurseFrame) resume(m *machine) node {
	m.frame, m.env = f.to, f.env
	return f.n
}

func (f *recurseFrame) held(c *counter) { c.env(f.env) }

// descendNode is "..": recurse over everything below.
type descendNode struct{}

func (n descendNode) exec(m *machine) node {
	m.pushAlternative(descendRest{})
	return nil
}

type descendRest struct{}

func (descendRest) retry(m *machine) node {
	each := &eachRest{}
	switch v := m.value.(type) {
	case []any:
		each.array, each.n = v, len(v)
	case *Object:
		each.object, each.n = v, v.len()
	default:
		return m.backtrack()
	}
	m.frame = &pipeFrame{link{m.frame}, m.env, descendNode{}}
	m.allocated += 96
	return each.step(m)
}

// whileNode is "while(cond; update)"; untilNode "until(cond; update)".
type whileNode struct{ cond, update node }

type whileFrame struct {
	saved
	n *whileNode
}

func (n *whileNode) exec(m *machine) node {
	m.frame = &whileFrame{m.save(), n}
	m.path = nil
	return n.cond
}

func (f *whileFrame) resume(m *machine) node {
	yes := truthy(m.value)
	m.frame, m.env, m.value, m.path = f.to, f.env, f.value, f.path
	if !yes {
		return m.backtrack()
	}
	m.push(&pipeNode{f.n.update, f.n})
	return nil
}

type untilNode struct{ cond, update node }

type untilFrame struct {
	saved
	n *untilNode
}

func (n *untilNode) exec(m *machine) node {
	m.frame = &untilFrame{m.save(), n}
	m.path = nil
	return n.cond
}

func (f *untilFrame) resume(m *machine) node {
	yes := truthy(m.value)
	m.frame, m.env, m.value, m.path = f.to, f.env, f.value, f.path
	if yes {
		return nil
	}
	m.frame = &pipeFrame{link{m.frame}, m.env, f.n}
	m.allocated += 48
	return f.n.update
}

// repeatNode is "repeat(f)": the outputs of f, again and again.
type repeatNode struct{ body node }

func (n *repeatNode) exec(m *machine) node {
	m.push(n)
	return n.body
}
