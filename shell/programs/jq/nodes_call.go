package jq

// applyNode evaluates arguments on its input, the last one in the outermost
// loop unless forward is set, and applies a function to them.
type applyNode struct {
	args    []expr
	forward bool
	// apply sets the machine's value, which is the input again.
	apply func(m *machine, args []any) node
}

type applyFrame struct {
	saved
	n      *applyNode
	i      int
	values []any // known so far; shared, so copied before it is changed
}

func (n *applyNode) exec(m *machine) node { return n.run(m, nil, n.first()) }

func (n *applyNode) first() int {
	if n.forward {
		return 0
	}
	return len(n.args) - 1
}

// run evaluates the arguments from i on.
func (n *applyNode) run(m *machine, values []any, i int) node {
	next := -1
	if n.forward {
		next = 1
	}
	for ; i >= 0 && i < len(n.args); i += next {
		if values == nil {
			values = make([]any, len(n.args))
			m.allocated += sizeElement * int64(len(n.args))
		}
		if fn := n.args[i].fn; fn != nil {
			v, err := fn(m, m.env, m.value)
			if err != nil {
				return m.raise(err)
			}
			values[i] = v
			continue
		}
		m.frame = &applyFrame{m.save(), n, i, values}
		m.path = nil
		return n.args[i].node
	}
	return n.apply(m, values)
}

func (f *applyFrame) resume(m *machine) node {
	values := append([]any(nil), f.values...)
	m.allocated += sizeElement * int64(len(values))
	values[f.i] = m.value
	m.frame, m.env, m.value, m.path = f.to, f.env, f.value, f.path
	if f.n.forward {
		return f.n.run(m, values, f.i+1)
	}
	return f.n.run(m, values, f.i-1)
}

func (f *applyFrame) held(c *counter) {
	f.saved.held(c)
	c.add(f.values)
}

// native is a function of values.
type native func(m *machine, v any, args []any) (any, error)

// applyNative makes the expression of a native function and its arguments.
func applyNative(fn native, args []expr) expr {
	return applyExpr(fn, args, false)
}

func applyExpr(fn native, args []expr, forward bool) expr {
	n := &applyNode{args: args, forward: forward, apply: func(m *machine, args []any) node {
		v, err := fn(m, m.value, args)
		return m.output(v, err)
	}}
	for _, a := range args {
		if a.fn == nil {
			return expr{node: n}
		}
	}
	switch len(args) {
	case 0:
		return simpleExpr(func(m *machine, _ *env, v any) (any, error) { return fn(m, v, nil) })
	case 1:
		a := args[0].fn
		return simpleExpr(func(m *machine, e *env, v any) (any, error) {
			x, err := a(m, e, v)
			if err != nil {
				return nil, err
			}
			return fn(m, v, []any{x})
		})
	}
	fns := make([]simple, len(args))
	for i, a := range args {
		fns[i] = a.fn
	}
	return simpleExpr(func(m *machine, e *env, v any) (any, error) {
		values := make([]any, len(fns))
		for n := range fns {
			i := n
			if !forward {
				i = len(fns) - 1 - n
			}
			x, err := fns[i](m, e, v)
			if err != nil {
				return nil, err
			}
			values[i] = x
		}
		return fn(m, v, values)
	})
}

// function is a function of the program.
type function struct {
	body   node
	depth  int    // variables around the definition
	params []bool // which parameters are values
}

// callNode calls a function whose definition is up variables away. Arguments
// are closures; those in values are evaluated first, one loop each.
type callNode struct {
	fn   *function
	up   int
	args []argument
}

type argument struct {
	expr  expr
	value bool
}

func (n *callNode) exec(m *machine) node {
	caller := m.env
	return n.bind(m, caller, caller.up(n.up), 0)
}

// bind adds the parameters from i on to the function's variables.
func (n *callNode) bind(m *machine, caller, callee *env, i int) node {
	for ; i < len(n.args); i++ {
		a := &n.args[i]
		m.allocated += 48
		if !a.value {
			callee = &env{parent: callee, closure: &closure{a.expr.node, caller}}
			m.allocated += 32
			continue
		}
		if a.expr.fn != nil {
			v, err := a.expr.fn(m, caller, m.value)
			if err != nil {
				m.env = caller
				return m.raise(err)
			}
			callee = &env{parent: callee, value: v}
			continue
		}
		m.env = caller
		m.frame = &argumentFrame{m.save(), n, callee, i}
		m.path = nil
		return a.expr.node
	}
	m.env = callee
	return n.fn.body
}

type argumentFrame struct {
	saved
	n      *callNode
	callee *env
	i      int
}

func (f *argumentFrame) resume(m *machine) node {
	callee := &env{parent: f.callee, value: m.value}
	m.frame, m.env, m.value, m.path = f.to, f.env, f.value, f.path
	return f.n.bind(m, f.env, callee, f.i+1)
}

func (f *argumentFrame) held(c *counter) {
	f.saved.held(c)
	c.env(f.callee)
}

// parameterNode runs a parameter of the function around.
type parameterNode struct{ up int }

func (n *parameterNode) exec(m *machine) node {
	e := m.env.up(n.up)
	if e.closure == nil {
		m.value = e.value
		return nil
	}
	m.env = e.closure.env
	return e.closure.node
}

// variable is the value of a variable.
func variable(up int) expr {
	switch up {
	case 0:
		return simpleExpr(func(_ *machine, e *env, _ any) (any, error) { return e.value, nil })
	case 1:
		return simpleExpr(func(_ *machine, e *env, _ any) (any, error) { return e.parent.value, nil })
	}
	return simpleExpr(func(_ *machine, e *env, _ any) (any, error) { return e.up(up).value, nil })
}

// bindNode is "source as $name | body" for one plain variable: source runs on
// the input without paths, body on the input.
type bindNode struct{ source, body node }

type bindFrame struct {
	saved
	body node
}

func (n *bindNode) exec(m *machine) node {
	m.frame = &bindFrame{m.save(), n.body}
	m.path = nil
	return n.source
}

func (f *bindFrame) resume(m *machine) node {
	m.env = &env{parent: f.env, value: m.value}
	m.frame, m.value, m.path = f.to, f.value, f.path
	m.allocated += 48
	return f.body
}

// simpleBindNode is a bindNode with a simple source.
type simpleBindNode struct {
	source simple
	body   node
}

func (n *simpleBindNode) exec(m *machine) node {
	v, err := n.source(m, m.env, m.value)
	if err != nil {
		return m.raise(err)
	}
	m.env = &env{parent: m.env, value: v}
	m.allocated += 48
	return n.body
}
