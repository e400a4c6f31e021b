package arith

import (
	"context"
	"math"
	"strings"
)

// run is one evaluation of a program.
type run struct {
	m     *Machine
	ctx   context.Context
	p     *Program
	slots []string
}

func (r *run) fail(at int, text string) error { return r.failIn(r.p.text, at, text) }

func (r *run) failIn(source string, at int, text string) error {
	expr := fill(source, r.slots, nil)
	token := ""
	if at < len(source) {
		token = fill(source[at:], r.slots, nil)
	}
	return &Error{Expr: strings.TrimLeft(expr, " \t\n\r"), Text: text, Token: token}
}

// slot answers the string of a placeholder.
func (r *run) slot(n int) string {
	if n < len(r.slots) {
		return r.slots[n]
	}
	return ""
}

// value evaluates the text of a variable that the token at names.
func (r *run) value(s string, at int) (int64, error) {
	if n, ok := decimal(s); ok {
		return n, nil
	}
	if s == "" {
		return 0, nil
	}
	m := r.m
	if m.steps++; m.steps&255 == 0 {
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
	}
	if m.depth >= maxDepth {
		return 0, r.fail(at, "expression recursion level exceeded")
	}
	m.depth++
	n, err := m.Text(r.ctx, s)
	m.depth--
	return n, err
}

func (r *run) eval(n *node) (int64, error) {
	switch n.op {
	case opNumber:
		return n.n, nil
	case opSlot:
		return r.value(r.slot(int(n.n)), n.at)
	case opVar:
		s, err := r.m.Env.Value(n.name)
		if err != nil {
			return 0, err
		}
		return r.value(s, n.at)
	case opElem:
		at, err := r.element(n)
		if err != nil {
			return 0, err
		}
		return r.load(at)
	case opComma:
		if _, err := r.eval(n.a); err != nil {
			return 0, err
		}
		return r.eval(n.b)
	case opAssign:
		return r.assign(n)
	case opCond:
		c, err := r.eval(n.a)
		if err != nil {
			return 0, err
		}
		if c != 0 {
			return r.eval(n.b)
		}
		return r.eval(n.c)
	case opOrOr, opAndAnd:
		a, err := r.eval(n.a)
		if err != nil || (a != 0) == (n.op == opOrOr) {
			return truth(a != 0), err
		}
		b, err := r.eval(n.b)
		return truth(b != 0), err
	case opBinary:
		a, err := r.eval(n.a)
		if err != nil {
			return 0, err
		}
		b, err := r.eval(n.b)
		if err != nil {
			return 0, err
		}
		return r.binary(n.binary, a, b, n.at)
	case opPreInc, opPreDec, opPostInc, opPostDec:
		return r.step(n)
	}
	a, err := r.eval(n.a)
	switch n.op {
	case opNeg:
		a = -a
	case opNot:
		a = truth(a == 0)
	case opInvert:
		a = ^a
	}
	return a, err
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (r *run) binary(t token, a, b int64, at int) (int64, error) {
	switch t {
	case tokPlus:
		return a + b, nil
	case tokMinus:
		return a - b, nil
	case tokTimes:
		return a * b, nil
	case tokDivide, tokModulo:
		switch {
		case b == 0:
			return 0, r.fail(at, "division by 0")
		case a == math.MinInt64 && b == -1:
			if t == tokDivide {
				return a, nil
			}
			return 0, nil
		case t == tokDivide:
			return a / b, nil
		}
		return a % b, nil
	case tokPower:
		if b < 0 {
			return 0, r.fail(at, "exponent less than 0")
		}
		v := int64(1)
		for ; b != 0; b >>= 1 {
			if b&1 != 0 {
				v *= a
			}
			a *= a
		}
		return v, nil
	case tokShiftLeft:
		return a << (uint64(b) & 63), nil
	case tokShiftRight:
		return a >> (uint64(b) & 63), nil
	case tokOr:
		return a | b, nil
	case tokXor:
		return a ^ b, nil
	case tokAnd:
		return a & b, nil
	case tokEqual:
		return truth(a == b), nil
	case tokNotEqual:
		return truth(a != b), nil
	case tokLess:
		return truth(a < b), nil
	case tokGreater:
		return truth(a > b), nil
	case tokLessEqual:
		return truth(a <= b), nil
	}
	return truth(a >= b), nil
}

// assign evaluates name = b and name op= b. A plain assignment works out its
// subscript last, the others first, as bash does.
func (r *run) assign(n *node) (int64, error) {
	var at Element
	var old int64
	var err error
	if n.binary != 0 {
		if n.a.op == opElem {
			if at, err = r.element(n.a); err == nil {
				old, err = r.load(at)
			}
		} else {
			old, err = r.eval(n.a)
		}
		if err != nil {
			return 0, err
		}
	}
	v, err := r.eval(n.b)
	if err != nil {
		return 0, err
	}
	if n.binary != 0 {
		if v, err = r.binary(n.binary, old, v, n.at); err != nil {
			return 0, err
		}
	}
	if n.a.op == opVar {
		return v, r.m.Env.Set(n.a.name, v)
	}
	if n.binary == 0 {
		if at, err = r.element(n.a); err != nil {
			return 0, err
		}
	}
	return v, r.m.Env.SetElement(at, v)
}

func (r *run) step(n *node) (int64, error) {
	d := int64(1)
	if n.op == opPreDec || n.op == opPostDec {
		d = -1
	}
	var old int64
	var err error
	if n.a.op == opVar {
		if old, err = r.eval(n.a); err == nil {
			err = r.m.Env.Set(n.a.name, old+d)
		}
	} else {
		var at Element
		if at, err = r.element(n.a); err == nil {
			if old, err = r.load(at); err == nil {
				err = r.m.Env.SetElement(at, old+d)
			}
		}
	}
	if n.op == opPreInc || n.op == opPreDec {
		return old + d, err
	}
	return old, err
}

func (r *run) load(at Element) (int64, error) {
	s, err := r.m.Env.Element(at)
	if err != nil {
		return 0, err
	}
	return r.value(s, len(r.p.text))
}

// element works out a subscript.
func (r *run) element(n *node) (Element, error) {
	at := Element{Name: n.name, Text: n.raw}
	if r.slots != nil {
		at.Text = fill(n.raw, r.slots, nil)
	}
	if r.m.Env.Assoc(n.name) {
		at.IsAssoc = true
		var err error
		at.Key, err = r.key(n.raw)
		return at, err
	}
	if strings.Trim(at.Text, " \t\n\r") == "" {
		return at, r.fail(n.at, "bad array subscript")
	}
	if n.sub.err == nil && n.sub.Literal(r.slots) {
		sub := run{m: r.m, ctx: r.ctx, p: n.sub, slots: r.slots}
		var err error
		at.Index, err = sub.eval(n.sub.root)
		return at, err
	}
	text := at.Text
	if strings.ContainsAny(text, "$`\"\\") {
		var err error
		if text, err = r.m.Env.Expand(text); err != nil {
			return at, err
		}
	}
	var err error
	at.Index, err = r.value(text, n.at)
	return at, err
}

// key works out the key of an associative array: quotes are removed and
// expansions made in the text of the program, what came by slots stays.
func (r *run) key(raw string) (string, error) {
	if strings.ContainsAny(raw, "$`\"'\\") {
		var b strings.Builder
		for raw != "" {
			i := strings.IndexByte(raw, 0)
			if i < 0 {
				i = len(raw)
			}
			if i > 0 {
				s, err := r.m.Env.Expand(raw[:i])
				if err != nil {
					return "", err
				}
				b.WriteString(s)
				raw = raw[i:]
			}
			switch n, ok := slotAt(raw, 0); {
			case ok:
				b.WriteString(r.slot(n))
				raw = raw[slotLen:]
			case raw != "":
				raw = raw[1:] // a NUL is no text
			}
		}
		return b.String(), nil
	}
	return fill(raw, r.slots, nil), nil
}
