package jq

import (
	"strings"

	"github.com/itchyny/gojq"
)

// bind compiles "source as patterns | body".
func (c *compiler) bind(q *gojq.Query, patterns []*gojq.Pattern, body func() (expr, error)) (expr, error) {
	source, err := c.query(q)
	if err != nil {
		return expr{}, err
	}
	m := c.mark()
	defer c.release(m)
	if len(patterns) == 1 && patterns[0].Name != "" {
		c.variable(patterns[0].Name)
		b, err := body()
		if err != nil {
			return expr{}, err
		}
		if source.fn != nil && b.fn != nil {
			return simpleExpr(func(m *machine, e *env, v any) (any, error) {
				x, err := source.fn(m, e, v)
				if err != nil {
					return nil, err
				}
				return b.fn(m, &env{parent: e, value: x}, v)
			}), nil
		}
		return expr{node: bindValue(source, b.node)}, nil
	}
	// The input waits in a variable until the patterns are done with.
	c.variable("")
	slot := c.depth - 1
	rest, err := c.patterns(patterns, func() (node, error) {
		b, err := body()
		if err != nil {
			return nil, err
		}
		return &restoreNode{c.up(slot), b.node}, nil
	})
	if err != nil {
		return expr{}, err
	}
	return expr{node: &keepNode{source.node, rest}}, nil
}

// keepNode puts its input into a variable and runs source, then rest.
type keepNode struct{ source, rest node }

type keptInput struct {
	value any
	path  *path
}

func (k *keptInput) held(c *counter) {
	c.add(k.value)
	c.path(k.path)
}

type keepFrame struct {
	saved
	rest node
}

func (n *keepNode) exec(m *machine) node {
	m.frame = &keepFrame{m.save(), n.rest}
	m.path = nil
	return n.source
}

func (f *keepFrame) resume(m *machine) node {
	m.env = &env{parent: f.env, value: &keptInput{f.value, f.path}}
	m.frame, m.path = f.to, nil
	m.allocated += 80
	return f.rest
}

// restoreNode takes the input back.
type restoreNode struct {
	up   int
	body node
}

func (n *restoreNode) exec(m *machine) node {
	k := m.env.up(n.up).value.(*keptInput)
	m.value, m.path = k.value, k.path
	return n.body
}

// patterns compiles the destructuring of the machine's value by one or more
// patterns, the next being tried when one fails, body included.
func (c *compiler) patterns(patterns []*gojq.Pattern, body func() (node, error)) (node, error) {
	if len(patterns) == 1 {
		return c.pattern(patterns[0], body)
	}
	// Every pattern ends with the same variables, those of all.
	var names []string
	seen := map[string]bool{}
	for _, p := range patterns {
		for _, name := range patternNames(p) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	base := c.mark()
	for _, name := range names {
		c.variable(name)
	}
	b, err := body()
	if err != nil {
		return nil, err
	}
	c.release(base)
	alternatives := make([]node, len(patterns))
	for i, p := range patterns {
		alternatives[i], err = c.pattern(p, func() (node, error) {
			g := &gatherNode{base: c.depth - base.depth, body: b}
			for _, name := range names {
				up := -1
				if s := c.find(name); s != nil && s.slot >= base.depth {
					up = c.up(s.slot)
				}
				g.ups = append(g.ups, up)
			}
			return g, nil
		})
		if err != nil {
			return nil, err
		}
		c.release(base)
	}
	return &patternsNode{alternatives}, nil
}

func patternNames(p *gojq.Pattern) []string {
	if p.Name != "" {
		return []string{p.Name}
	}
	var names []string
	for _, x := range p.Array {
		names = append(names, patternNames(x)...)
	}
	for _, x := range p.Object {
		if strings.HasPrefix(x.Key, "$") {
			names = append(names, x.Key)
		}
		if x.Val != nil {
			names = append(names, patternNames(x.Val)...)
		}
	}
	return names
}

// gatherNode puts the variables of a pattern into the common order; those it
// has not are null.
type gatherNode struct {
	base int // variables that the pattern has added
	ups  []int
	body node
}

func (n *gatherNode) exec(m *machine) node {
	e := m.env.up(n.base)
	for _, up := range n.ups {
		e = &env{parent: e}
		if up >= 0 {
			e.value = m.env.up(up).value
		}
	}
	m.allocated += int64(48 * len(n.ups))
	m.env = e
	return n.body
}

// patternsNode tries one pattern after another.
type patternsNode struct{ alternatives []node }

type patternsFrame struct {
	saved
	n      *patternsNode
	i      int
	height int
}

func (n *patternsNode) exec(m *machine) node { return n.try(m, 0) }

func (n *patternsNode) try(m *machine, i int) node {
	if i < len(n.alternatives)-1 {
		m.frame = &patternsFrame{m.save(), n, i, len(m.choices)}
	}
	return n.alternatives[i]
}

func (f *patternsFrame) resume(m *machine) node {
	m.frame, m.env = f.to, f.env
	return nil
}

func (f *patternsFrame) catch(m *machine, _ *jqError) node {
	m.cut(f.height)
	m.frame, m.env, m.value, m.path = f.to, f.env, f.value, f.path
	return f.n.try(m, f.i+1)
}

// pattern compiles the destructuring of the machine's value, then what
// follows.
func (c *compiler) pattern(p *gojq.Pattern, then func() (node, error)) (node, error) {
	if c.nesting++; c.nesting > maxNesting {
		return nil, unsupported("patterns are nested too deeply")
	}
	defer func() { c.nesting-- }()
	name := p.Name
	c.variable(name) // or a nameless one, which holds the container
	slot := c.depth - 1
	var rest node
	var err error
	switch {
	case name != "":
		rest, err = then()
	case len(p.Array) > 0:
		rest, err = c.elements(p.Array, 0, slot, then)
	default:
		rest, err = c.members(p.Object, 0, slot, then)
	}
	return &pushNode{rest}, err
}

// pushNode puts the machine's value into a variable.
type pushNode struct{ next node }

func (n *pushNode) exec(m *machine) node {
	m.env = &env{parent: m.env, value: m.value}
	m.allocated += 48
	return n.next
}

func (c *compiler) elements(list []*gojq.Pattern, i, slot int, then func() (node, error)) (node, error) {
	if i == len(list) {
		return then()
	}
	up := c.up(slot)
	rest, err := c.pattern(list[i], func() (node, error) { return c.elements(list, i+1, slot, then) })
	return &loadNode{up, constant(float64(i)), rest}, err
}

// loadNode makes an element of a variable the machine's value.
type loadNode struct {
	up   int
	key  expr // runs on the variable
	next node
}

type loadFrame struct {
	link
	env  *env
	from any
	rest node
}

func (n *loadNode) exec(m *machine) node {
	from := m.env.up(n.up).value
	m.value = from
	if n.key.fn == nil {
		m.frame = &loadFrame{link{m.frame}, m.env, from, n.next}
		m.allocated += 64
		return n.key.node
	}
	k, err := n.key.fn(m, m.env, from)
	if err != nil {
		return m.raise(err)
	}
	return load(m, from, k, n.next)
}

func load(m *machine, from, k any, next node) node {
	v, err := index(from, k)
	if err != nil {
		return m.raise(err)
	}
	m.value = v
	return next
}

func (f *loadFrame) resume(m *machine) node {
	m.frame, m.env = f.to, f.env
	return load(m, f.from, m.value, f.rest)
}

func (f *loadFrame) held(c *counter) {
	c.add(f.from)
	c.env(f.env)
}

func (c *compiler) members(list []*gojq.PatternObject, i, slot int, then func() (node, error)) (node, error) {
	if i == len(list) {
		return then()
	}
	p := list[i]
	var key expr
	var err error
	switch {
	case strings.HasPrefix(p.Key, "$"):
		key = constant(p.Key[1:])
	case p.Key != "":
		key = constant(p.Key)
	case p.KeyString != nil:
		key, err = c.string(p.KeyString, formatText)
	default:
		key, err = c.query(p.KeyQuery)
	}
	if err != nil {
		return nil, err
	}
	up := c.up(slot)
	more := func() (node, error) { return c.members(list, i+1, slot, then) }
	val := p.Val
	inner := more
	if strings.HasPrefix(p.Key, "$") {
		inner = func() (node, error) {
			if val == nil {
				return more()
			}
			return c.pattern(val, more)
		}
		rest, err := c.pattern(&gojq.Pattern{Name: p.Key}, inner)
		return &loadNode{up, key, rest}, err
	}
	if val == nil {
		return nil, unsupported("object pattern without a variable")
	}
	rest, err := c.pattern(val, more)
	return &loadNode{up, key, rest}, err
}
