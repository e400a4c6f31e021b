package awk

import (
	"strings"
	"unsafe"
)

// cell compiles a reference to a variable that is not special.
func (c *compiler) cell(e *varRef) func(*interp) *cell {
	i := e.index
	if e.scope == scopeLocal {
		return func(in *interp) *cell { return &in.frame[i] }
	}
	g := &c.in.globals[i]
	return func(*interp) *cell { return g }
}

func (c *compiler) variable(e *varRef) valueFunc {
	i := e.index
	switch e.scope {
	case scopeSpecial:
		id := special(i)
		return func(in *interp) value { return in.special(id) }
	case scopeLocal:
		return func(in *interp) value { return in.scalar(&in.frame[i]) }
	}
	g := &c.in.globals[i]
	return func(in *interp) value { return in.scalar(g) }
}

func (c *compiler) field(e *fieldRef) valueFunc {
	if n, ok := e.index.(*numLit); ok && n.n >= 1 && n.n <= 1000 {
		i := int(n.n)
		return func(in *interp) value {
			if !in.split {
				in.splitRecord()
			}
			if i > in.nf {
				return text("")
			}
			return in.fields[i-1]
		}
	}
	n := c.num(e.index)
	return func(in *interp) value { return in.field(n(in)) }
}

// array compiles a reference to an array: a variable, or an element that is
// one.
func (c *compiler) array(e expr) func(*interp) *assoc {
	switch e := e.(type) {
	case *varRef:
		if e.scope == scopeSpecial {
			name := e.name
			return func(in *interp) *assoc {
				in.fatalf("attempt to use scalar `%s' as an array", name)
				return nil
			}
		}
		cell := c.cell(e)
		return func(in *interp) *assoc {
			cell := cell(in)
			if cell.arr != nil {
				return cell.arr
			}
			return in.array(cell)
		}
	case *groupExpr:
		return c.array(e.list[0])
	case *indexRef:
		array, sub := c.array(e.array), c.subscript(e.subs)
		name := arrayName(e)
		return func(in *interp) *assoc {
			a := array(in)
			elem := in.at(a, sub(in))
			if elem.arr == nil {
				if elem.v.k != kindUnset {
					in.fatalf("attempt to use scalar `%s' as an array", name)
				}
				elem.arr = &assoc{}
				a.nested = true
			}
			return elem.arr
		}
	}
	return func(in *interp) *assoc {
		in.fatalf("attempt to use a scalar value as array")
		return nil
	}
}

func arrayName(e expr) string {
	switch e := e.(type) {
	case *varRef:
		return e.name
	case *indexRef:
		return arrayName(e.array) + "[...]"
	}
	return ""
}

// element compiles a reference to an element, which it makes if need be.
func (c *compiler) element(e *indexRef) func(*interp) *element {
	array, sub := c.array(e.array), c.subscript(e.subs)
	return func(in *interp) *element {
		k := sub(in)
		a := array(in)
		if e := a.find(k); e != nil {
			return e
		}
		return in.at(a, k)
	}
}

func (in *interp) elementValue(e *element) value {
	if e.arr != nil {
		in.fatalf("attempt to use array `%s' in a scalar context", e.key)
	}
	return e.v
}

// subscript compiles subscripts, several being joined by SUBSEP.
func (c *compiler) subscript(subs []expr) func(*interp) subscript {
	if len(subs) == 1 {
		if g, ok := subs[0].(*groupExpr); ok && len(g.list) > 1 {
			return c.subscript(g.list)
		}
		if s, ok := subs[0].(*strLit); ok {
			k := stringSubscript(s.s)
			return func(*interp) subscript { return k }
		}
		v := c.value(subs[0])
		return func(in *interp) subscript { return in.subscript(v(in)) }
	}
	s := c.subscriptText(subs)
	return func(in *interp) subscript { return stringSubscript(s(in)) }
}

// subscriptText compiles several subscripts into their string.
func (c *compiler) subscriptText(subs []expr) stringFunc {
	strs := make([]stringFunc, len(subs))
	for i, e := range subs {
		strs[i] = c.str(e)
	}
	return func(in *interp) string {
		parts := make([]string, len(strs))
		n := 0
		for i, s := range strs {
			parts[i] = s(in)
			n += len(parts[i]) + len(in.subsep)
		}
		in.checkString(n)
		return strings.Join(parts, in.subsep)
	}
}

// store compiles what assigns to an lvalue.
func (c *compiler) store(lhs expr) storeFunc {
	switch e := lhs.(type) {
	case *varRef:
		if e.scope == scopeSpecial {
			id := special(e.index)
			return func(in *interp, v value) { in.setSpecial(id, v) }
		}
		cell := c.cell(e)
		return func(in *interp, v value) { in.assign(cell(in), v) }
	case *fieldRef:
		n := c.num(e.index)
		return func(in *interp, v value) { in.setField(n(in), v) }
	case *indexRef:
		array, sub := c.array(e.array), c.subscript(e.subs)
		return func(in *interp, v value) {
			k := sub(in)
			a := array(in)
			in.set(a, in.at(a, k), v)
		}
	case *groupExpr:
		if len(e.list) == 1 {
			return c.store(e.list[0])
		}
	}
	return nil
}

// assign compiles an assignment. The value comes before the place, and an
// element exists once its subscripts are known.
func (c *compiler) assign(e *assignExpr) valueFunc {
	if e.op != '=' {
		return c.update(e)
	}
	if f := c.appending(e); f != nil {
		return f
	}
	rhs := c.value(e.rhs)
	switch lhs := e.lhs.(type) {
	case *varRef:
		if lhs.scope != scopeSpecial {
			cell := c.cell(lhs)
			return func(in *interp) value {
				v := rhs(in)
				in.assign(cell(in), v)
				return v
			}
		}
	case *indexRef:
		elem, array := c.element(lhs), c.array(lhs.array)
		if _, nested := lhs.array.(*indexRef); nested {
			break
		}
		return func(in *interp) value {
			v := rhs(in)
			el := elem(in)
			if el.arr != nil {
				in.elementValue(el)
			}
			if len(v.s) == 0 && len(el.v.s) == 0 {
				el.v = v
			} else {
				in.set(array(in), el, v)
			}
			return v
		}
	}
	store := c.store(e.lhs)
	return func(in *interp) value {
		v := rhs(in)
		store(in, v)
		return v
	}
}

// appending compiles x = x y, which would copy x each time: it grows a buffer
// that x's string is a part of. It answers nil for anything else.
func (c *compiler) appending(e *assignExpr) valueFunc {
	lhs, ok := e.lhs.(*varRef)
	if !ok || lhs.scope == scopeSpecial {
		return nil
	}
	cat, ok := e.rhs.(*binaryExpr)
	if !ok || cat.op != tokConcat {
		return nil
	}
	first := cat
	for {
		l, ok := first.l.(*binaryExpr)
		if !ok || l.op != tokConcat {
			break
		}
		first = l
	}
	if ref, ok := first.l.(*varRef); !ok || *ref != *lhs {
		return nil
	}
	var rest expr = first.r
	if first != cat {
		rest = replaceFirst(cat, first)
	}
	cell, more := c.cell(lhs), c.str(rest)
	// buf backs the last string made here. Bytes of it that a string shows
	// are never written again.
	var buf []byte
	return func(in *interp) value {
		s := more(in)
		cell := cell(in)
		old := in.str(in.scalar(cell))
		in.checkString(len(old) + len(s))
		if len(old) < 256 {
			v := text(old + s)
			in.assign(cell, v)
			return v
		}
		if len(buf) != len(old) || unsafe.SliceData(buf) != unsafe.StringData(old) {
			buf = append(make([]byte, 0, 2*(len(old)+len(s))), old...)
		}
		buf = append(buf, s...)
		v := text(unsafe.String(unsafe.SliceData(buf), len(buf)))
		in.assign(cell, v)
		return v
	}
}

// replaceFirst copies a chain of concatenations without its first operand,
// which is that of the node first.
func replaceFirst(e, first *binaryExpr) expr {
	if e == first {
		return first.r
	}
	return &binaryExpr{tokConcat, replaceFirst(e.l.(*binaryExpr), first), e.r, e.pos}
}

var assignOps = map[tokenKind]tokenKind{
	tokAddAssign: '+', tokSubAssign: '-', tokMulAssign: '*', tokDivAssign: '/', tokModAssign: '%', tokPowAssign: '^',
}

// update compiles += and the like.
func (c *compiler) update(e *assignExpr) valueFunc {
	op := assignOps[e.op]
	rhs := c.num(e.rhs)
	apply := func(in *interp, x, y float64) float64 {
		switch op {
		case '+':
			return x + y
		case '-':
			return x - y
		case '*':
			return x * y
		case '/':
			if y == 0 {
				in.fatalf("division by zero attempted in `/='")
			}
			return x / y
		case '%':
			if y == 0 {
				in.fatalf("division by zero attempted in `%%='")
			}
			return in.modulo(x, y)
		}
		return power(x, y)
	}
	switch lhs := e.lhs.(type) {
	case *varRef:
		if lhs.scope != scopeSpecial {
			cell := c.cell(lhs)
			return func(in *interp) value {
				y := rhs(in)
				cell := cell(in)
				x := in.scalar(cell)
				v := number(apply(in, x.num(), y))
				cell.v = v
				return v
			}
		}
	case *indexRef:
		elem := c.element(lhs)
		return func(in *interp) value {
			y := rhs(in)
			el := elem(in)
			x := in.elementValue(el)
			in.held -= int64(len(x.s))
			el.v = number(apply(in, x.num(), y))
			return el.v
		}
	}
	load, store := c.value(e.lhs), c.store(e.lhs)
	return func(in *interp) value {
		y := rhs(in)
		x := load(in)
		v := number(apply(in, x.num(), y))
		store(in, v)
		return v
	}
}

// incr compiles ++ and --.
func (c *compiler) incr(e *incrExpr) numberFunc {
	delta, post := e.delta, e.post
	answer := func(old float64) float64 {
		if post {
			return old
		}
		return old + delta
	}
	switch lhs := e.lhs.(type) {
	case *varRef:
		if lhs.scope != scopeSpecial {
			cell := c.cell(lhs)
			return func(in *interp) float64 {
				cell := cell(in)
				x := in.scalar(cell)
				old := x.num()
				cell.v = number(old + delta)
				return answer(old)
			}
		}
	case *indexRef:
		elem := c.element(lhs)
		return func(in *interp) float64 {
			el := elem(in)
			x := in.elementValue(el)
			in.held -= int64(len(x.s))
			old := x.num()
			el.v = number(old + delta)
			return answer(old)
		}
	case *fieldRef:
		n := c.num(lhs.index)
		return func(in *interp) float64 {
			i := n(in)
			x := in.field(i)
			old := x.num()
			in.setField(i, number(old+delta))
			return answer(old)
		}
	}
	load, store := c.value(e.lhs), c.store(e.lhs)
	return func(in *interp) float64 {
		x := load(in)
		old := x.num()
		store(in, number(old+delta))
		return answer(old)
	}
}

// call compiles the call of a user's function.
func (c *compiler) call(e *callExpr) valueFunc {
	args := make([]func(*interp, *cell), len(e.args))
	for i, a := range e.args {
		args[i] = c.argument(a)
	}
	pos := e.pos
	if e.indirect != nil {
		return c.indirect(e, args)
	}
	f := e.fn
	if len(args) > len(f.params) {
		c.in.warnings = append(c.in.warnings, where(pos)+"warning: function `"+f.name+"' called with more arguments than declared")
	}
	return func(in *interp) value { return in.callWith(f, args) }
}

// callWith evaluates the arguments into a new frame and calls.
func (in *interp) callWith(f *function, args []func(*interp, *cell)) value {
	mark := in.stack
	frame := in.stack.take(max(len(f.params), len(args)))
	for i := range frame {
		frame[i].param = true
		if i < len(f.params) {
			frame[i].name = f.params[i]
		}
		if i < len(args) {
			args[i](in, &frame[i])
		}
	}
	v := in.call(f, frame)
	clear(frame)
	in.stack = mark
	return v
}

// cellStack hands out frames. Cells stay where they are while they are in
// use, since a parameter may point at its caller's.
type cellStack struct{ free []cell }

func (s *cellStack) take(n int) []cell {
	if n > len(s.free) {
		s.free = make([]cell, max(1024, n))
	}
	frame := s.free[:n:n]
	s.free = s.free[n:]
	return frame
}

// argument compiles an argument. A bare variable is passed so that an array
// stays the caller's.
func (c *compiler) argument(e expr) func(*interp, *cell) {
	switch e := e.(type) {
	case *varRef:
		if e.scope == scopeSpecial {
			break
		}
		from := c.cell(e)
		return func(in *interp, to *cell) {
			from := from(in)
			if from.arr == nil && from.origin != nil && from.v.k == kindUnset && from.origin.arr != nil {
				from.arr = from.origin.arr
			}
			switch {
			case from.arr != nil:
				to.arr, to.origin = from.arr, from
			case from.v.k == kindUnset:
				to.origin = from
			default:
				to.v = from.v
			}
		}
	case *indexRef:
		elem := c.element(e)
		return func(in *interp, to *cell) {
			if el := elem(in); el.arr != nil {
				to.arr, to.origin = el.arr, to
			} else {
				to.v = el.v
			}
		}
	}
	v := c.value(e)
	return func(in *interp, to *cell) { to.v = v(in) }
}

func (c *compiler) indirect(e *callExpr, args []func(*interp, *cell)) valueFunc {
	name := c.str(e.indirect)
	return func(in *interp) value {
		s := name(in)
		f, ok := in.prog.byName[s]
		if !ok {
			in.fatalf("`%s' is not a function, so it cannot be called indirectly", s)
		}
		return in.callWith(f, args)
	}
}
