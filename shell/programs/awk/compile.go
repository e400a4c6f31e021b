package awk

import (
	"math"
	"strings"
)

// compiler turns the syntax tree into functions. An expression compiles into
// one that answers a value, a number, a string or a condition, whichever its
// place needs, so that arithmetic makes no values and conditions no numbers.
type compiler struct {
	in *interp
	fn *function // being compiled
}

type (
	valueFunc  func(*interp) value
	numberFunc func(*interp) float64
	stringFunc func(*interp) string
	condFunc   func(*interp) bool
	stmtFunc   func(*interp) signal
	storeFunc  func(*interp, value)
)

// compile prepares a program to be run.
func (in *interp) compile(p *script) error {
	c := &compiler{in: in}
	for _, f := range p.byName {
		if !f.defined {
			return &fatal{where(f.pos) + "fatal: function `" + f.name + "' not defined"}
		}
	}
	for _, f := range p.functions {
		c.fn = f
		f.run = c.block(f.body)
	}
	c.fn = nil
	for _, list := range [][]*rule{p.begin, p.end, p.beginFile, p.endFile, p.rules} {
		for _, r := range list {
			c.rule(r)
		}
	}
	return nil
}

func (e *fatal) Error() string { return e.text }

func (c *compiler) rule(r *rule) {
	if r.print {
		r.action = func(in *interp) signal {
			in.out.WriteString(in.wholeRecord())
			in.out.WriteString(in.ors)
			return sigNone
		}
	} else {
		r.action = c.block(r.body)
	}
	pos := &r.pos
	switch len(r.pattern) {
	case 0:
		r.test = func(*interp) bool { return true }
	case 1:
		test := c.cond(r.pattern[0])
		r.test = func(in *interp) bool {
			in.pos = pos
			return test(in)
		}
	default:
		first, last, i := c.cond(r.pattern[0]), c.cond(r.pattern[1]), r.index
		r.test = func(in *interp) bool {
			in.pos = pos
			if !in.ranges[i] && !first(in) {
				return false
			}
			in.ranges[i] = !last(in)
			return true
		}
	}
}

// value compiles an expression whose value is wanted as it is.
func (c *compiler) value(e expr) valueFunc {
	switch e := e.(type) {
	case *numLit:
		v := number(e.n)
		return func(*interp) value { return v }
	case *strLit:
		v := text(e.s)
		return func(*interp) value { return v }
	case *groupExpr:
		if len(e.list) == 1 {
			return c.value(e.list[0])
		}
		s := c.subscriptText(e.list)
		return func(in *interp) value { return text(s(in)) }
	case *varRef:
		return c.variable(e)
	case *fieldRef:
		return c.field(e)
	case *indexRef:
		elem := c.element(e)
		return func(in *interp) value { return in.elementValue(elem(in)) }
	case *assignExpr:
		return c.assign(e)
	case *condExpr:
		cond, yes, no := c.cond(e.cond), c.value(e.yes), c.value(e.no)
		return func(in *interp) value {
			if cond(in) {
				return yes(in)
			}
			return no(in)
		}
	case *incrExpr:
		n := c.incr(e)
		return func(in *interp) value { return number(n(in)) }
	case *callExpr:
		return c.call(e)
	case *builtinExpr:
		return c.builtin(e)
	case *getlineExpr:
		n := c.getline(e)
		return func(in *interp) value { return number(n(in)) }
	case *binaryExpr:
		if e.op == tokConcat {
			s := c.str(e)
			return func(in *interp) value { return text(s(in)) }
		}
		if isArithmetic(e.op) {
			n := c.num(e)
			return func(in *interp) value { return number(n(in)) }
		}
	case *unaryExpr:
		if e.op != '!' {
			n := c.num(e)
			return func(in *interp) value { return number(n(in)) }
		}
	}
	// What is left is true or false.
	b := c.cond(e)
	return func(in *interp) value { return boolean(b(in)) }
}

func isArithmetic(op tokenKind) bool {
	switch op {
	case '+', '-', '*', '/', '%', '^':
		return true
	}
	return false
}

// num compiles an expression whose value is wanted as a number.
func (c *compiler) num(e expr) numberFunc {
	switch e := e.(type) {
	case *numLit:
		n := e.n
		return func(*interp) float64 { return n }
	case *groupExpr:
		if len(e.list) == 1 {
			return c.num(e.list[0])
		}
	case *incrExpr:
		return c.incr(e)
	case *unaryExpr:
		if e.op == '-' {
			n := c.num(e.e)
			return func(in *interp) float64 { return -n(in) }
		}
		if e.op == '+' {
			return c.num(e.e)
		}
	case *binaryExpr:
		if isArithmetic(e.op) {
			return c.arithmetic(e.op, c.num(e.l), c.num(e.r))
		}
	case *varRef:
		if e.scope == scopeGlobal {
			g := &c.in.globals[e.index]
			return func(in *interp) float64 {
				if g.v.k == kindNumber {
					return g.v.n
				}
				v := in.scalar(g)
				return v.num()
			}
		}
	}
	v := c.value(e)
	return func(in *interp) float64 {
		v := v(in)
		return v.num()
	}
}

func (c *compiler) arithmetic(op tokenKind, l, r numberFunc) numberFunc {
	switch op {
	case '+':
		return func(in *interp) float64 { return l(in) + r(in) }
	case '-':
		return func(in *interp) float64 { return l(in) - r(in) }
	case '*':
		return func(in *interp) float64 { return l(in) * r(in) }
	case '/':
		return func(in *interp) float64 { x := l(in); return in.divide(x, r(in)) }
	case '%':
		return func(in *interp) float64 { x := l(in); return in.modulo(x, r(in)) }
	}
	return func(in *interp) float64 { x := l(in); return power(x, r(in)) }
}

func (in *interp) divide(x, y float64) float64 {
	if y == 0 {
		in.fatalf("division by zero attempted")
	}
	return x / y
}

func (in *interp) modulo(x, y float64) float64 {
	if y == 0 {
		in.fatalf("division by zero attempted in `%%'")
	}
	return math.Mod(x, y)
}

// power multiplies for small whole exponents, which is exact.
func power(x, y float64) float64 {
	if n := int(y); float64(n) == y && n >= -1024 && n <= 1024 {
		result, base := 1.0, x
		for m := max(n, -n); m > 0; m >>= 1 {
			if m&1 != 0 {
				result *= base
			}
			base *= base
		}
		if n < 0 {
			return 1 / result
		}
		return result
	}
	return math.Pow(x, y)
}

// str compiles an expression whose value is wanted as a string.
func (c *compiler) str(e expr) stringFunc {
	switch e := e.(type) {
	case *strLit:
		s := e.s
		return func(*interp) string { return s }
	case *groupExpr:
		if len(e.list) == 1 {
			return c.str(e.list[0])
		}
	case *binaryExpr:
		if e.op == tokConcat {
			return c.concat(e)
		}
	}
	v := c.value(e)
	return func(in *interp) string {
		v := v(in)
		if v.k == kindNumber {
			return formatNumber(v.n, in.convfmt)
		}
		return v.s
	}
}

// concat compiles a chain of concatenations into one.
func (c *compiler) concat(e *binaryExpr) stringFunc {
	var parts []expr
	var flatten func(expr)
	flatten = func(e expr) {
		if b, ok := e.(*binaryExpr); ok && b.op == tokConcat {
			flatten(b.l)
			flatten(b.r)
			return
		}
		parts = append(parts, e)
	}
	flatten(e)
	strs := make([]stringFunc, len(parts))
	for i, p := range parts {
		strs[i] = c.str(p)
	}
	if len(strs) == 2 {
		l, r := strs[0], strs[1]
		return func(in *interp) string {
			a := l(in)
			b := r(in)
			in.checkString(len(a) + len(b))
			return a + b
		}
	}
	return func(in *interp) string {
		var few [8]string
		list := few[:0]
		n := 0
		for _, s := range strs {
			list = append(list, s(in))
			n += len(list[len(list)-1])
		}
		in.checkString(n)
		return strings.Join(list, "")
	}
}

// cond compiles an expression whose value is wanted as a condition.
func (c *compiler) cond(e expr) condFunc {
	switch e := e.(type) {
	case *groupExpr:
		if len(e.list) == 1 {
			return c.cond(e.list[0])
		}
	case *regexLit:
		m := c.regexLiteral(e)
		return func(in *interp) bool { return in.matches(m(in), in.wholeRecord()) }
	case *matchExpr:
		return c.match(e)
	case *inExpr:
		return c.inArray(e)
	case *unaryExpr:
		if e.op == '!' {
			b := c.cond(e.e)
			return func(in *interp) bool { return !b(in) }
		}
	case *binaryExpr:
		switch e.op {
		case tokAnd:
			l, r := c.cond(e.l), c.cond(e.r)
			return func(in *interp) bool { return l(in) && r(in) }
		case tokOr:
			l, r := c.cond(e.l), c.cond(e.r)
			return func(in *interp) bool { return l(in) || r(in) }
		case '<', '>', tokLe, tokGe, tokEq, tokNe:
			return c.compare(e)
		}
		if isArithmetic(e.op) {
			n := c.num(e)
			return func(in *interp) bool { return n(in) != 0 }
		}
	case *incrExpr:
		n := c.incr(e)
		return func(in *interp) bool { return n(in) != 0 }
	}
	v := c.value(e)
	return func(in *interp) bool {
		v := v(in)
		return v.isTrue()
	}
}

// isNumeric tells whether an expression is a number whatever its operands.
func isNumeric(e expr) bool {
	switch e := e.(type) {
	case *numLit, *incrExpr:
		return true
	case *groupExpr:
		return len(e.list) == 1 && isNumeric(e.list[0])
	case *binaryExpr:
		return isArithmetic(e.op)
	case *unaryExpr:
		return e.op != '!'
	}
	return false
}

func (c *compiler) compare(e *binaryExpr) condFunc {
	if isNumeric(e.l) && isNumeric(e.r) {
		l, r := c.num(e.l), c.num(e.r)
		switch e.op {
		case '<':
			return func(in *interp) bool { x := l(in); return x < r(in) }
		case tokLe:
			return func(in *interp) bool { x := l(in); return x <= r(in) }
		case '>':
			return func(in *interp) bool { x := l(in); return x > r(in) }
		case tokGe:
			return func(in *interp) bool { x := l(in); return x >= r(in) }
		case tokEq:
			return func(in *interp) bool { x := l(in); return x == r(in) }
		}
		return func(in *interp) bool { x := l(in); return x != r(in) }
	}
	l, r := c.value(e.l), c.value(e.r)
	var holds [3]bool // by the result of compare plus one
	switch e.op {
	case '<':
		holds = [3]bool{true, false, false}
	case tokLe:
		holds = [3]bool{true, true, false}
	case '>':
		holds = [3]bool{false, false, true}
	case tokGe:
		holds = [3]bool{false, true, true}
	case tokEq:
		holds = [3]bool{false, true, false}
	default:
		holds = [3]bool{true, false, true}
	}
	return func(in *interp) bool {
		a := l(in)
		b := r(in)
		if a.k == kindNumber && b.k == kindNumber {
			switch {
			case a.n < b.n:
				return holds[0]
			case a.n == b.n:
				return holds[1]
			case a.n > b.n:
				return holds[2]
			}
		}
		return holds[in.compare(a, b)+1]
	}
}

func (c *compiler) match(e *matchExpr) condFunc {
	l, not := c.str(e.l), e.not
	m := c.regexOperand(e.r)
	return func(in *interp) bool {
		s := l(in)
		return in.matches(m(in), s) != not
	}
}

func (c *compiler) inArray(e *inExpr) condFunc {
	sub, array := c.subscript(e.subs), c.array(e.array)
	return func(in *interp) bool {
		k := sub(in)
		return array(in).find(k) != nil
	}
}
