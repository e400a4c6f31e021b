package jq

import (
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

// compiled is a program ready to run.
type compiled struct {
	main node

	args   *Object // named arguments, which are constants
	env    any     // $ENV
	source string  // of the program

	host host
}

// host is what a program can reach besides its input.
type host struct {
	// input answers the next input; ok is false after the last.
	input func() (v any, ok bool, err error)
	// message is for debug and stderr.
	message  func(text string)
	filename func() any
	line     func() int
	clock    clock
}

// compileError is a fault of a program.
type compileError struct {
	text  string
	name  string // of what is at fault, to find it in the source
	count int
}

func (e *compileError) Error() string { return e.text }

// maxNesting bounds expressions within each other.
const maxNesting = 5000

// compiler turns syntax trees into nodes.
type compiler struct {
	prog     *compiled
	scope    *scope
	depth    int // variables around
	nesting  int
	locs     []int // lines of $__loc__, in order
	prelude  map[string]*scope
	defs     map[string]*gojq.FuncDef
	natives  map[string]native
	specials map[string]special
}

// scope is a name and those around it.
type scope struct {
	parent *scope
	name   string // "$x", "*label-$x", or "f/1"
	slot   int    // of a variable or a parameter
	param  bool
	fn     *function // of a function
	simple simple    // of a function without parameters, when it is
}

// compile compiles the source of a program.
func compile(p *compiled, source string) error {
	tree, err := gojq.Parse(source)
	if err != nil {
		return syntaxError(source, err)
	}
	if tree.Meta != nil && tree.Term == nil && tree.Right == nil {
		return &compileError{text: "library should only have function definitions, not a main expression"}
	}
	if len(tree.Imports) > 0 {
		im := tree.Imports[0]
		name := im.ImportPath
		if name == "" {
			name = im.IncludePath
		}
		return &compileError{text: "module not found: " + name, count: -1}
	}
	p.source = source
	c := &compiler{prog: p, locs: locLines(source), prelude: map[string]*scope{}, natives: nativeTable(), specials: specialTable()}
	if tree.Term == nil && tree.Right == nil && tree.Left == nil {
		// Definitions alone, or nothing: the program is ".".
		if _, err := c.definitions(tree.FuncDefs); err != nil {
			return err
		}
		p.main = identityNode{}
		return nil
	}
	e, err := c.query(tree)
	if err != nil {
		return err
	}
	p.main = e.node
	return nil
}

// locLines answers the line of each $__loc__ of a source, in order.
func locLines(source string) []int {
	var lines []int
	line := 1
	for i := 0; i < len(source); i++ {
		if source[i] == '\n' {
			line++
		}
		if strings.HasPrefix(source[i:], "$__loc__") {
			lines = append(lines, line)
		}
	}
	return lines
}

// find looks a name up.
func (c *compiler) find(name string) *scope {
	for s := c.scope; s != nil; s = s.parent {
		if s.name == name {
			return s
		}
	}
	return nil
}

// variable adds a variable: one more on the chain.
func (c *compiler) variable(name string) {
	c.scope = &scope{parent: c.scope, name: name, slot: c.depth}
	c.depth++
}

// up answers how far a slot is from here.
func (c *compiler) up(slot int) int { return c.depth - 1 - slot }

// mark and release bracket a part that adds names.
type mark struct {
	scope *scope
	depth int
}

func (c *compiler) mark() mark     { return mark{c.scope, c.depth} }
func (c *compiler) release(m mark) { c.scope, c.depth = m.scope, m.depth }
func undefined(name string) error  { return &compileError{text: name + " is not defined", name: name} }
func unsupported(format string, a ...any) error {
	return &compileError{text: fmt.Sprintf(format, a...)}
}

// definitions adds functions to the scope.
func (c *compiler) definitions(defs []*gojq.FuncDef) (expr, error) {
	for _, d := range defs {
		fn := &function{depth: c.depth}
		for _, a := range d.Args {
			fn.params = append(fn.params, strings.HasPrefix(a, "$"))
		}
		s := &scope{parent: c.scope, name: fmt.Sprintf("%s/%d", d.Name, len(d.Args)), fn: fn}
		c.scope = s
		if err := c.body(d, fn, s); err != nil {
			return expr{}, err
		}
	}
	return expr{}, nil
}

// body compiles a function's body, in which the function itself is known.
func (c *compiler) body(d *gojq.FuncDef, fn *function, s *scope) error {
	m := c.mark()
	defer c.release(m)
	for _, a := range d.Args {
		name := strings.TrimPrefix(a, "$")
		if name != a {
			c.scope = &scope{parent: c.scope, name: a, slot: c.depth}
		}
		c.scope = &scope{parent: c.scope, name: name + "/0", slot: c.depth, param: true}
		c.depth++
	}
	e, err := c.query(d.Body)
	if err != nil {
		return err
	}
	fn.body = e.node
	if len(d.Args) == 0 {
		s.simple = e.fn
	}
	return nil
}

// query compiles a query.
func (c *compiler) query(q *gojq.Query) (expr, error) {
	if c.nesting++; c.nesting > maxNesting {
		return expr{}, unsupported("expressions are nested too deeply")
	}
	defer func() { c.nesting-- }()
	if len(q.FuncDefs) > 0 {
		m := c.mark()
		defer c.release(m)
		if _, err := c.definitions(q.FuncDefs); err != nil {
			return expr{}, err
		}
	}
	if q.Term != nil {
		return c.term(q.Term)
	}
	switch q.Op {
	case gojq.OpPipe:
		if len(q.Patterns) > 0 {
			return c.bind(q.Left, q.Patterns, func() (expr, error) { return c.query(q.Right) })
		}
		return c.both(q, pipe)
	case gojq.OpComma:
		return c.both(q, func(l, r expr) expr { return expr{node: &commaNode{l.node, r.node}} })
	case gojq.OpAlt:
		return c.both(q, func(l, r expr) expr { return expr{node: &alternativeNode{l.node, r.node}} })
	case gojq.OpAnd, gojq.OpOr:
		return c.both(q, func(l, r expr) expr { return logic(l, r, q.Op == gojq.OpOr) })
	case gojq.OpModify:
		return c.both(q, func(l, r expr) expr { return expr{node: &updateNode{l.node, r.node}} })
	case gojq.OpAssign, gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateMul, gojq.OpUpdateDiv, gojq.OpUpdateMod, gojq.OpUpdateAlt:
		return c.assign(q)
	}
	fn, ok := operators[q.Op]
	if !ok {
		return expr{}, unsupported("unknown operator %s", q.Op)
	}
	l, err := c.query(q.Left)
	if err != nil {
		return expr{}, err
	}
	r, err := c.query(q.Right)
	if err != nil {
		return expr{}, err
	}
	return binary(fn, l, r), nil
}

// both compiles the two sides of an operator.
func (c *compiler) both(q *gojq.Query, join func(l, r expr) expr) (expr, error) {
	l, err := c.query(q.Left)
	if err != nil {
		return expr{}, err
	}
	r, err := c.query(q.Right)
	if err != nil {
		return expr{}, err
	}
	return join(l, r), nil
}

func logic(l, r expr, or bool) expr {
	n := &logicNode{l.node, r.node, or}
	if l.fn == nil || r.fn == nil {
		return expr{node: n}
	}
	return simpleExpr(func(m *machine, e *env, v any) (any, error) {
		x, err := l.fn(m, e, v)
		if err != nil {
			return nil, err
		}
		if truthy(x) == or {
			return or, nil
		}
		y, err := r.fn(m, e, v)
		if err != nil {
			return nil, err
		}
		return truthy(y), nil
	})
}

// binary applies an operator of two values.
func binary(fn func(m *machine, a, b any) (any, error), l, r expr) expr {
	if l.fn == nil || r.fn == nil {
		return applyNative(func(m *machine, _ any, args []any) (any, error) { return fn(m, args[0], args[1]) }, []expr{l, r})
	}
	return simpleExpr(func(m *machine, e *env, v any) (any, error) {
		b, err := r.fn(m, e, v)
		if err != nil {
			return nil, err
		}
		a, err := l.fn(m, e, v)
		if err != nil {
			return nil, err
		}
		return fn(m, a, b)
	})
}

// assign compiles "=", "+=" and their kind: the right side runs first, on the
// input, and each of its values makes an output.
func (c *compiler) assign(q *gojq.Query) (expr, error) {
	source, err := c.query(q.Right)
	if err != nil {
		return expr{}, err
	}
	m := c.mark()
	defer c.release(m)
	c.variable("")
	target, err := c.query(q.Left)
	if err != nil {
		return expr{}, err
	}
	var body node
	with := variable(0)
	switch q.Op {
	case gojq.OpAssign:
		body = &assignNode{target.node, 0}
	case gojq.OpUpdateAlt:
		body = &updateNode{target.node, (&alternativeNode{identityNode{}, with.node})}
	default:
		body = &updateNode{target.node, binary(operators[q.Op], identity(), with).node}
	}
	return expr{node: bindValue(source, body)}, nil
}

func bindValue(source expr, body node) node {
	if source.fn != nil {
		return &simpleBindNode{source.fn, body}
	}
	return &bindNode{source.node, body}
}
