package awk

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// builtins are the functions of awk and of gawk, with how many arguments they
// take.
var builtins = map[string]struct{ min, max int }{
	"length": {0, 1}, "substr": {2, 3}, "index": {2, 2}, "split": {2, 4}, "patsplit": {2, 4}, "match": {2, 3},
	"sub": {2, 3}, "gsub": {2, 3}, "gensub": {3, 4}, "sprintf": {1, math.MaxInt}, "tolower": {1, 1}, "toupper": {1, 1},
	"sin": {1, 1}, "cos": {1, 1}, "atan2": {2, 2}, "exp": {1, 1}, "log": {1, 1}, "sqrt": {1, 1}, "int": {1, 1},
	"rand": {0, 0}, "srand": {0, 1}, "and": {2, math.MaxInt}, "or": {2, math.MaxInt}, "xor": {2, math.MaxInt},
	"compl": {1, 1}, "lshift": {2, 2}, "rshift": {2, 2}, "strtonum": {1, 1},
	"systime": {0, 0}, "strftime": {0, 3}, "mktime": {1, 2}, "system": {1, 1}, "close": {1, 2}, "fflush": {0, 1},
	"asort": {1, 3}, "asorti": {1, 3}, "isarray": {1, 1}, "typeof": {1, 1},
}

// builtin compiles the call of a builtin function.
func (c *compiler) builtin(e *builtinExpr) valueFunc {
	switch e.name {
	case "length":
		return c.length(e)
	case "substr":
		return c.substr(e)
	case "index":
		s, t := c.str(e.args[0]), c.str(e.args[1])
		return func(in *interp) value {
			a := s(in)
			b := t(in)
			if in.ignoreCase {
				a, b = lower(a), lower(b)
			}
			return number(float64(strings.Index(a, b) + 1))
		}
	case "split", "patsplit":
		return c.split(e)
	case "match":
		return c.matchFunc(e)
	case "sub", "gsub":
		return c.substitute(e)
	case "gensub":
		return c.gensub(e)
	case "sprintf":
		f := c.format(e.args)
		return func(in *interp) value { return text(string(f(in, nil))) }
	case "tolower", "toupper":
		s, change := c.str(e.args[0]), lower
		if e.name == "toupper" {
			change = upper
		}
		return func(in *interp) value { return text(change(s(in))) }
	case "and", "or", "xor", "compl", "lshift", "rshift":
		return c.bits(e)
	case "strtonum":
		v := c.value(e.args[0])
		return func(in *interp) value { return number(strtonum(v(in))) }
	case "systime", "strftime", "mktime":
		return c.time(e)
	case "system", "close", "fflush":
		return c.streamFunc(e)
	case "asort", "asorti":
		return c.asort(e)
	case "isarray", "typeof":
		return c.typeOf(e)
	}
	return c.math(e)
}

// newRandom makes the generator of rand for a seed. Its numbers are the same in
// each run, but not gawk's.
func newRandom(seed float64) *rand.Rand { return rand.New(rand.NewPCG(math.Float64bits(seed), 0)) }

func (c *compiler) math(e *builtinExpr) valueFunc {
	switch e.name {
	case "rand":
		return func(in *interp) value { return number(in.random.Float64()) }
	case "srand":
		seed := func(in *interp) float64 { return float64(in.inv.Now().Unix()) }
		if len(e.args) > 0 {
			seed = c.num(e.args[0])
		}
		return func(in *interp) value {
			old := in.seed
			in.seed = seed(in)
			in.random = newRandom(in.seed)
			return number(old)
		}
	case "atan2":
		y, x := c.num(e.args[0]), c.num(e.args[1])
		return func(in *interp) value { a := y(in); return number(math.Atan2(a, x(in))) }
	}
	n := c.num(e.args[0])
	f := map[string]func(*interp, float64) float64{
		"sin": func(_ *interp, x float64) float64 { return math.Sin(x) },
		"cos": func(_ *interp, x float64) float64 { return math.Cos(x) },
		"int": func(_ *interp, x float64) float64 { return math.Trunc(x) },
		"exp": func(in *interp, x float64) float64 {
			y := math.Exp(x)
			if math.IsInf(y, 1) && !math.IsInf(x, 1) {
				in.warnf("exp: argument %s is out of range", formatNumber(x, "%.6g"))
			}
			return y
		},
		"log":  func(in *interp, x float64) float64 { return in.positive("log", x, math.Log) },
		"sqrt": func(in *interp, x float64) float64 { return in.positive("sqrt", x, math.Sqrt) },
	}[e.name]
	return func(in *interp) value { return number(f(in, n(in))) }
}

// positive computes a function that is not defined for negative numbers; its
// answer for them has the sign that C's has.
func (in *interp) positive(name string, x float64, f func(float64) float64) float64 {
	if x >= 0 || math.IsNaN(x) {
		return f(x)
	}
	in.warnf("%s: received negative argument %s", name, formatNumber(x, "%.6g"))
	return math.Copysign(math.NaN(), -1)
}

func (c *compiler) length(e *builtinExpr) valueFunc {
	if len(e.args) == 0 {
		return func(in *interp) value { return number(float64(len(in.wholeRecord()))) }
	}
	arg := e.args[0]
	if g, ok := arg.(*groupExpr); ok && len(g.list) == 1 {
		arg = g.list[0]
	}
	switch a := arg.(type) {
	case *varRef:
		if a.scope == scopeSpecial {
			break
		}
		cell := c.cell(a)
		return func(in *interp) value {
			cell := cell(in)
			if a := in.arrayOf(cell); a != nil {
				return number(float64(a.count))
			}
			return number(float64(len(in.str(cell.v))))
		}
	case *indexRef:
		elem := c.element(a)
		return func(in *interp) value {
			el := elem(in)
			if el.arr != nil {
				return number(float64(el.arr.count))
			}
			return number(float64(len(in.str(el.v))))
		}
	}
	s := c.str(arg)
	return func(in *interp) value { return number(float64(len(s(in)))) }
}

// arrayOf answers a cell's array, if it is one already.
func (in *interp) arrayOf(c *cell) *assoc {
	for ; c != nil; c = c.origin {
		if c.arr != nil {
			return c.arr
		}
	}
	return nil
}

func (c *compiler) substr(e *builtinExpr) valueFunc {
	s, from := c.str(e.args[0]), c.num(e.args[1])
	length := func(*interp) float64 { return math.Inf(1) }
	if len(e.args) > 2 {
		length = c.num(e.args[2])
	}
	return func(in *interp) value {
		s := s(in)
		// Like gawk, a start in front of the string is its beginning, and
		// takes nothing off the length.
		start := max(math.Trunc(from(in)), 1)
		end := min(start+math.Trunc(length(in)), float64(len(s))+1)
		if !(start < end) {
			return text("")
		}
		return text(s[int(start)-1 : int(end)-1])
	}
}

// split compiles split and patsplit.
func (c *compiler) split(e *builtinExpr) valueFunc {
	s, array := c.str(e.args[0]), c.array(e.args[1])
	var seps func(*interp) *assoc
	if len(e.args) > 3 {
		seps = c.array(e.args[3])
	}
	patterns := e.name == "patsplit"
	var sep stringFunc
	literal := false
	if len(e.args) > 2 {
		if r, ok := e.args[2].(*regexLit); ok {
			literal = true
			sep = func(*interp) string { return r.src }
		} else {
			sep = c.str(e.args[2])
		}
	}
	return func(in *interp) value {
		s := s(in)
		var p pieces
		switch {
		case patterns && sep == nil:
			p = in.splitPattern(s, in.fieldSpec.fpat)
		case patterns:
			p = in.splitPattern(s, sep(in))
		case sep != nil:
			p = in.splitBy(s, sep(in), literal)
		default:
			p = in.splitBy(s, in.fs, false)
		}
		a := array(in)
		in.clear(a)
		in.fill(a, p.fields)
		if seps != nil {
			in.fillSeps(seps(in), p)
		}
		return number(float64(len(p.fields)))
	}
}

// splitBy splits as FS would, or at a regular expression.
func (in *interp) splitBy(s, sep string, isRegex bool) pieces {
	if sep == " " && !isRegex {
		return splitBlanksAround(s)
	}
	p := pieces{first: 1}
	if isRegex || len(sep) > 1 {
		p.fields = in.splitRegex(s, sep, nil, &p.seps)
		return p
	}
	if sep == "" {
		p.fields = splitChars(in, s, nil)
	} else {
		p.fields = splitByte(s, sep[0], nil)
	}
	for i := 1; i < len(p.fields); i++ {
		p.seps = append(p.seps, sep)
	}
	return p
}

// splitBlanksAround splits at blanks and keeps them.
func splitBlanksAround(s string) pieces {
	p := pieces{fields: splitBlanks(nil, s, nil)}
	at := 0
	for _, f := range p.fields {
		start := at + strings.Index(s[at:], f.s)
		p.seps = append(p.seps, s[at:start])
		at = start + len(f.s)
	}
	p.seps = append(p.seps, s[at:])
	return p
}

// fill makes fields the elements 1, 2, ... of an empty array.
func (in *interp) fill(a *assoc, fields []value) {
	elements := make([]element, len(fields))
	a.used, a.numbered, a.count = true, true, len(fields)
	if len(fields) == 0 {
		*a = assoc{}
		return
	}
	a.dense = make([]*element, len(fields))
	bytes := int64(0)
	for i, f := range fields {
		elements[i].v = f
		a.dense[i] = &elements[i]
		bytes += elementBytes + int64(len(f.s))
	}
	a.grow(in, bytes)
}

// fillSeps fills the array of what is between fields, and around them if there
// is something.
func (in *interp) fillSeps(a *assoc, p pieces) {
	in.clear(a)
	for i, s := range p.seps {
		k := i + p.first
		if s == "" && p.first == 0 && (k == 0 || k == len(p.fields)) {
			continue
		}
		in.set(a, in.at(a, subscript{isInt: true, n: int64(k)}), text(s))
	}
}

// matchFunc compiles match.
func (c *compiler) matchFunc(e *builtinExpr) valueFunc {
	s, m := c.str(e.args[0]), c.regexOperand(e.args[1])
	var array func(*interp) *assoc
	if len(e.args) > 2 {
		array = c.array(e.args[2])
	}
	return func(in *interp) value {
		s := s(in)
		m := m(in)
		if array == nil {
			start, end, ok := m.Find(bytesOf(s), 0, 0)
			in.checkMatcher(m)
			return in.matched(start, end, ok)
		}
		a := array(in)
		in.clear(a)
		loc := m.FindSubmatch(nil, bytesOf(s), 0, 0)
		in.checkMatcher(m)
		if loc == nil {
			return in.matched(0, 0, false)
		}
		for g := 0; 2*g < len(loc); g++ {
			lo, hi := loc[2*g], loc[2*g+1]
			if lo < 0 || hi < lo {
				continue
			}
			k := strconv.Itoa(g)
			in.set(a, in.at(a, subscript{isInt: true, n: int64(g)}), input(s[lo:hi]))
			in.set(a, in.at(a, subscript{s: k + in.subsep + "start"}), number(float64(lo+1)))
			in.set(a, in.at(a, subscript{s: k + in.subsep + "length"}), number(float64(hi-lo)))
		}
		return in.matched(loc[0], loc[1], true)
	}
}

// matched sets RSTART and RLENGTH.
func (in *interp) matched(start, end int, ok bool) value {
	in.rstart, in.rlength = 0, -1
	if ok {
		in.rstart, in.rlength = float64(start+1), float64(end-start)
	}
	return number(in.rstart)
}

// strtonum reads a number with C's prefixes for octal and hexadecimal.
func strtonum(v value) float64 {
	v.settle()
	if v.k == kindNumber || v.k == kindStrnum && !strings.HasPrefix(strings.TrimLeft(v.s, " \t\n+-"), "0") {
		return v.n
	}
	s := strings.TrimLeft(v.s, " \t\n\r\f\v")
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	n := 0.0
	switch {
	case len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x':
		for i := 2; i < len(s) && hexDigit(s[i]) >= 0; i++ {
			n = n*16 + float64(hexDigit(s[i]))
		}
	case len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '7' && !strings.ContainsAny(leadingDigits(s), "89"):
		for i := 1; i < len(s) && s[i] >= '0' && s[i] <= '7'; i++ {
			n = n*8 + float64(s[i]-'0')
		}
	default:
		n, _ = parseNumber(s)
	}
	if neg {
		n = -n
	}
	return n
}

func leadingDigits(s string) string {
	i := 0
	for i < len(s) && (isDigit(s[i]) || s[i] == '.') {
		i++
	}
	return s[:i]
}

// bits compiles the functions on bits.
func (c *compiler) bits(e *builtinExpr) valueFunc {
	args := make([]numberFunc, len(e.args))
	for i, a := range e.args {
		args[i] = c.num(a)
	}
	name := e.name
	return func(in *interp) value {
		var result uint64
		for i, a := range args {
			n := a(in)
			if n < 0 {
				in.fatalf("%s: argument %d negative value %s is not allowed", name, i+1, formatNumber(n, "%.6g"))
			}
			u := uint64(n)
			switch {
			case i == 0:
				result = u
			case name == "and":
				result &= u
			case name == "or":
				result |= u
			case name == "xor":
				result ^= u
			case name == "lshift":
				result <<= u
			default:
				result >>= u
			}
		}
		if name == "compl" {
			result = ^result & (1<<53 - 1)
		}
		return number(float64(result & (1<<53 - 1)))
	}
}

// typeOf compiles isarray and typeof.
func (c *compiler) typeOf(e *builtinExpr) valueFunc {
	kindName := func(in *interp, v value) string {
		switch v.k {
		case kindUnset:
			return "unassigned"
		case kindNumber:
			return "number"
		case kindText:
			return "string"
		}
		v.settle()
		if v.k == kindStrnum {
			return "strnum"
		}
		return "string"
	}
	answer := func(array bool, name string) value {
		if e.name == "isarray" {
			return boolean(array)
		}
		return text(name)
	}
	switch a := e.args[0].(type) {
	case *varRef:
		if a.scope != scopeSpecial {
			cell := c.cell(a)
			return func(in *interp) value {
				cell := cell(in)
				if in.arrayOf(cell) != nil {
					return answer(true, "array")
				}
				if cell.v.k == kindUnset {
					return answer(false, "untyped")
				}
				return answer(false, kindName(in, cell.v))
			}
		}
	case *indexRef:
		elem := c.element(a)
		return func(in *interp) value {
			switch el := elem(in); {
			case el.arr != nil:
				return answer(true, "array")
			case el.v.k == kindUnset:
				return answer(false, "untyped")
			default:
				return answer(false, kindName(in, el.v))
			}
		}
	case *fieldRef:
		n := c.num(a.index)
		return func(in *interp) value {
			i := n(in)
			if in.splitRecord(); i > float64(in.nf) {
				return answer(false, "unassigned")
			}
			return answer(false, kindName(in, in.field(i)))
		}
	}
	v := c.value(e.args[0])
	return func(in *interp) value { return answer(false, kindName(in, v(in))) }
}
