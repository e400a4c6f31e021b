package jq

import (
	"math"
	"strings"

	"github.com/itchyny/gojq"
)

// operators are those of two values.
var operators = map[gojq.Operator]func(m *machine, a, b any) (any, error){
	gojq.OpAdd:       add,
	gojq.OpSub:       subtract,
	gojq.OpMul:       multiply,
	gojq.OpDiv:       divide,
	gojq.OpMod:       modulo,
	gojq.OpUpdateAdd: add,
	gojq.OpUpdateSub: subtract,
	gojq.OpUpdateMul: multiply,
	gojq.OpUpdateDiv: divide,
	gojq.OpUpdateMod: modulo,
	gojq.OpEq:        func(_ *machine, a, b any) (any, error) { return wrapBool(equal(a, b)) },
	gojq.OpNe: func(_ *machine, a, b any) (any, error) {
		eq, err := equal(a, b)
		return !eq, err
	},
	gojq.OpLt: func(_ *machine, a, b any) (any, error) { return order(a, b, func(c int) bool { return c < 0 }) },
	gojq.OpLe: func(_ *machine, a, b any) (any, error) { return order(a, b, func(c int) bool { return c <= 0 }) },
	gojq.OpGt: func(_ *machine, a, b any) (any, error) { return order(a, b, func(c int) bool { return c > 0 }) },
	gojq.OpGe: func(_ *machine, a, b any) (any, error) { return order(a, b, func(c int) bool { return c >= 0 }) },
}

func wrapBool(b bool, err error) (any, error) { return b, err }

func order(a, b any, holds func(int) bool) (any, error) {
	c, err := compare(a, b)
	return holds(c), err
}

// typeError words a complaint about one value, typeError2 about two.
func typeError(v any, what string) error {
	return errorText(typeName(v) + " (" + brief(v) + ") " + what)
}

func typeError2(a, b any, what string) error {
	return errorText(typeName(a) + " (" + brief(a) + ") and " + typeName(b) + " (" + brief(b) + ") " + what)
}

// room notes that a string of n bytes will be made; too long a one is an
// error.
func (m *machine) room(n int) error {
	if int64(n) > m.limit/2 {
		return errMemory
	}
	m.grow(n + sizeString)
	return nil
}

func add(m *machine, a, b any) (any, error) {
	switch x := a.(type) {
	case nil:
		return b, nil
	case float64, *literal:
		if y, ok := number(b); ok {
			n, _ := number(x)
			m.grow(sizeNumber)
			return n + y, nil
		}
	case string:
		if y, ok := b.(string); ok {
			if err := m.room(len(x) + len(y)); err != nil {
				return nil, err
			}
			return x + y, nil
		}
	case []any:
		if y, ok := b.([]any); ok {
			m.grow(sizeElement * (len(x) + len(y)))
			out := make([]any, 0, len(x)+len(y))
			return append(append(out, x...), y...), nil
		}
	case *Object:
		if y, ok := b.(*Object); ok {
			m.grow(sizeMember * (x.len() + y.len()))
			out := x.clone()
			for i, k := range y.keys {
				out.set(k, y.values[i])
			}
			return out, nil
		}
	}
	if b == nil {
		return a, nil
	}
	return nil, typeError2(a, b, "cannot be added")
}

func subtract(m *machine, a, b any) (any, error) {
	if x, ok := number(a); ok {
		if y, ok := number(b); ok {
			m.grow(sizeNumber)
			return x - y, nil
		}
	}
	x, ok := a.([]any)
	y, ok2 := b.([]any)
	if !ok || !ok2 {
		return nil, typeError2(a, b, "cannot be subtracted")
	}
	out := []any{}
	for _, v := range x {
		in := false
		for _, w := range y {
			if err := m.tick(); err != nil {
				return nil, err
			}
			eq, err := equal(v, w)
			if err != nil {
				return nil, err
			}
			if eq {
				in = true
				break
			}
		}
		if !in {
			out = append(out, v)
		}
	}
	m.grow(sizeElement * len(out))
	return out, nil
}

func multiply(m *machine, a, b any) (any, error) {
	x, xNumber := number(a)
	y, yNumber := number(b)
	if xNumber && yNumber {
		m.grow(sizeNumber)
		return x * y, nil
	}
	if s, ok := a.(string); ok && yNumber {
		return repeat(m, s, y)
	}
	if s, ok := b.(string); ok && xNumber {
		return repeat(m, s, x)
	}
	if x, ok := a.(*Object); ok {
		if y, ok := b.(*Object); ok {
			return merge(m, x, y, 0)
		}
	}
	return nil, typeError2(a, b, "cannot be multiplied")
}

// repeat is string * number: null below 0 and for NaN.
func repeat(m *machine, s string, n float64) (any, error) {
	if n != n || n < 0 {
		return nil, nil
	}
	n = math.Floor(n)
	if n*float64(len(s)) >= math.MaxInt32 {
		return nil, errorText("Repeat string result too long")
	}
	if s == "" {
		return "", nil
	}
	if err := m.room(len(s) * int(n)); err != nil {
		return nil, err
	}
	return strings.Repeat(s, int(n)), nil
}

// merge is object * object.
func merge(m *machine, x, y *Object, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errorText("Object merge too deep")
	}
	m.grow(sizeMember * (x.len() + y.len()))
	out := x.clone()
	for i, k := range y.keys {
		v := y.values[i]
		if inner, ok := v.(*Object); ok {
			if have, ok := out.get(k); ok {
				if have, ok := have.(*Object); ok {
					var err error
					if v, err = merge(m, have, inner, depth+1); err != nil {
						return nil, err
					}
				}
			}
		}
		out.set(k, v)
	}
	return out, nil
}

func divide(m *machine, a, b any) (any, error) {
	if x, ok := number(a); ok {
		if y, ok := number(b); ok {
			if y == 0 {
				return nil, typeError2(a, b, "cannot be divided because the divisor is zero")
			}
			m.grow(sizeNumber)
			return x / y, nil
		}
	}
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			return splitString(m, x, y)
		}
	}
	return nil, typeError2(a, b, "cannot be divided")
}

// splitString cuts a string at a separator, or into characters.
func splitString(m *machine, s, separator string) (any, error) {
	if s == "" {
		return []any{}, nil
	}
	parts := strings.Split(s, separator)
	m.grow(len(parts) * (sizeElement + sizeString))
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return out, nil
}

func modulo(m *machine, a, b any) (any, error) {
	x, ok := number(a)
	y, ok2 := number(b)
	if !ok || !ok2 {
		return nil, typeError2(a, b, "cannot be divided (remainder)")
	}
	if x != x || y != y {
		return math.NaN(), nil
	}
	i, j := toInt(x), toInt(y)
	if j == 0 {
		return nil, typeError2(a, b, "cannot be divided (remainder) because the divisor is zero")
	}
	if j == -1 {
		return 0.0, nil
	}
	m.grow(sizeNumber)
	return float64(i % j), nil
}

// toInt truncates, with saturation.
func toInt(f float64) int64 {
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	case f != f:
		return 0
	}
	return int64(f)
}

// negate is the unary minus.
func negate(_ *machine, v any, _ []any) (any, error) {
	switch v := v.(type) {
	case float64:
		return -v, nil
	case *literal:
		d := v.decimal()
		d.negative = !d.negative
		return &literal{-v.value, d.String()}, nil
	}
	return nil, typeError(v, "cannot be negated")
}
