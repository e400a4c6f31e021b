package jq

import "github.com/itchyny/gojq"

// special is a builtin whose arguments are expressions rather than values.
type special func(c *compiler, args []*gojq.Query) (expr, error)

// specialTable lists them.
func specialTable() map[string]special {
	one := func(make func(body expr) expr) special {
		return func(c *compiler, args []*gojq.Query) (expr, error) {
			body, err := c.query(args[0])
			if err != nil {
				return expr{}, err
			}
			return make(body), nil
		}
	}
	two := func(make func(a, b expr) expr) special {
		return func(c *compiler, args []*gojq.Query) (expr, error) {
			list, err := c.arguments(args)
			if err != nil {
				return expr{}, err
			}
			return make(list[0], list[1]), nil
		}
	}
	return map[string]special{
		"empty/0": func(*compiler, []*gojq.Query) (expr, error) { return expr{node: emptyNode{}}, nil },
		"path/1":  one(func(f expr) expr { return expr{node: &pathNode{f.node}} }),
		"select/1": one(func(f expr) expr {
			return conditional(f, identity(), expr{node: emptyNode{}})
		}),
		"map/1":     one(mapExpr),
		"recurse/0": func(*compiler, []*gojq.Query) (expr, error) { return expr{node: descendNode{}}, nil },
		"recurse/1": one(func(f expr) expr { return expr{node: &recurseNode{f.node}} }),
		"range/1":   func(c *compiler, args []*gojq.Query) (expr, error) { return c.rangeCall(nil, args[0], nil) },
		"range/2":   func(c *compiler, args []*gojq.Query) (expr, error) { return c.rangeCall(args[0], args[1], nil) },
		"range/3":   func(c *compiler, args []*gojq.Query) (expr, error) { return c.rangeCall(args[0], args[1], args[2]) },
		"limit/2":   two(func(n, f expr) expr { return expr{node: &limitNode{n.node, f.node, false, "limit"}} }),
		"skip/2":    two(func(n, f expr) expr { return expr{node: &limitNode{n.node, f.node, true, "skip"}} }),
		"first/1":   one(func(f expr) expr { return expr{node: &firstNode{f.node}} }),
		"last/1":    one(func(f expr) expr { return expr{node: &lastNode{f.node}} }),
		"isempty/1": one(func(f expr) expr { return expr{node: &isEmptyNode{f.node}} }),
		"while/2":   two(func(cond, f expr) expr { return expr{node: &whileNode{cond.node, f.node}} }),
		"until/2":   two(func(cond, f expr) expr { return expr{node: &untilNode{cond.node, f.node}} }),
		"repeat/1":  one(func(f expr) expr { return expr{node: &repeatNode{f.node}} }),
		"getpath/1": one(func(p expr) expr { return expr{node: &applyNode{args: []expr{p}, apply: getPathApply}} }),
		"_inputs/0": func(*compiler, []*gojq.Query) (expr, error) { return expr{node: inputsNode{}}, nil },
	}
}

// mapExpr is "[.[] | f]", at once where f is simple.
func mapExpr(f expr) expr {
	general := &collectNode{&pipeNode{eachNode{}, f.node}}
	if f.fn == nil {
		return expr{node: general}
	}
	return simpleExpr(func(m *machine, e *env, v any) (any, error) {
		list, err := elements(v)
		if err != nil {
			return nil, err
		}
		out := make([]any, len(list))
		m.grow(sizeElement * len(list))
		for i, x := range list {
			if err := m.tick(); err != nil {
				return nil, err
			}
			var err error
			if out[i], err = f.fn(m, e, x); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

// rangeCall compiles range: from in the outermost loop, then to, then by.
func (c *compiler) rangeCall(from, to, by *gojq.Query) (expr, error) {
	args := []expr{constant(0.0), {}, constant(1.0)}
	for i, q := range []*gojq.Query{from, to, by} {
		if q == nil {
			continue
		}
		var err error
		if args[i], err = c.query(q); err != nil {
			return expr{}, err
		}
	}
	return expr{node: &applyNode{args: args, forward: true, apply: func(m *machine, a []any) node {
		r := &rangeRest{}
		for i, at := range []*float64{&r.at, &r.to, &r.by} {
			n, ok := number(a[i])
			if !ok {
				return m.raise(errorText("Range bounds must be numeric"))
			}
			*at = n
		}
		return r.step(m)
	}}}, nil
}

// lastNode passes the last output of body only.
type lastNode struct{ body node }

type lastState struct {
	cell
	some bool
}

type lastFrame struct {
	link
	state *lastState
}

func (n *lastNode) exec(m *machine) node {
	state := &lastState{}
	m.pushAlternative(state)
	m.frame = &lastFrame{link{m.frame}, state}
	m.allocated += 96
	return n.body
}

func (f *lastFrame) resume(m *machine) node {
	f.state.value, f.state.path, f.state.some = m.value, m.path, true
	return m.backtrack()
}

func (s *lastState) retry(m *machine) node {
	if !s.some {
		return m.backtrack()
	}
	m.value, m.path = s.value, s.path
	return nil
}

// isEmptyNode tells whether body has no output. An error before the first
// output is passed on.
type isEmptyNode struct{ body node }

type emptyRest struct{}

func (emptyRest) retry(m *machine) node {
	m.value = true
	return nil
}

type isEmptyFrame struct {
	link
	env    *env
	height int
}

func (n *isEmptyNode) exec(m *machine) node {
	height := len(m.choices)
	m.pushAlternative(emptyRest{})
	m.frame = &isEmptyFrame{link{m.frame}, m.env, height}
	m.path = nil
	m.allocated += 64
	return n.body
}

func (f *isEmptyFrame) resume(m *machine) node {
	m.cut(f.height)
	m.frame, m.env, m.value = f.to, f.env, false
	return nil
}

// inputsNode gives all inputs that are left.
type inputsNode struct{}

func (n inputsNode) exec(m *machine) node { return n.retry(m) }

func (n inputsNode) retry(m *machine) node {
	v, ok, err := m.prog.host.input()
	if err != nil {
		return m.raise(err)
	}
	if !ok {
		return m.backtrack()
	}
	m.pushAlternative(n)
	m.value = v
	m.grow(sizeMember)
	return nil
}
