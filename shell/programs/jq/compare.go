package jq

import (
	"cmp"
	"strings"
)

// jqError is an error value of the language, which `try` catches.
type jqError struct{ value any }

func (e *jqError) Error() string {
	if s, ok := e.value.(string); ok {
		return s
	}
	return dumpString(e.value)
}

func errorText(s string) error { return &jqError{s} }

// compare orders two values: by type, then by value. It fails for values that
// are nested too deeply.
func compare(a, b any) (int, error) { return compareAt(a, b, 0) }

func compareAt(a, b any, depth int) (int, error) {
	if depth > maxDepth {
		return 0, errorText("Comparison too deep")
	}
	ka, kb := kindOf(a), kindOf(b)
	if ka != kb {
		return cmp.Compare(ka, kb), nil
	}
	switch x := a.(type) {
	case float64, *literal:
		return compareNumbers(a, b), nil
	case string:
		return strings.Compare(x, b.(string)), nil
	case []any:
		y := b.([]any)
		for i := range min(len(x), len(y)) {
			if c, err := compareAt(x[i], y[i], depth+1); c != 0 || err != nil {
				return c, err
			}
		}
		return cmp.Compare(len(x), len(y)), nil
	case *Object:
		return compareObjects(x, b.(*Object), depth)
	}
	return 0, nil
}

// compareNumbers puts NaN before everything, itself included. Only two numbers
// that were written out compare by all their digits.
func compareNumbers(a, b any) int {
	x, _ := number(a)
	y, _ := number(b)
	switch {
	case x < y || x != x:
		return -1
	case x > y || y != y:
		return 1
	}
	if l, ok := a.(*literal); ok {
		if r, ok := b.(*literal); ok {
			return compareDecimals(l.decimal(), r.decimal())
		}
	}
	return 0
}

// compareObjects compares the sorted keys, then the values in that order.
func compareObjects(x, y *Object, depth int) (int, error) {
	ox, oy := x.sorted(), y.sorted()
	for i := range min(len(ox), len(oy)) {
		if c := strings.Compare(x.keys[ox[i]], y.keys[oy[i]]); c != 0 {
			return c, nil
		}
	}
	if c := cmp.Compare(len(ox), len(oy)); c != 0 {
		return c, nil
	}
	for i := range ox {
		if c, err := compareAt(x.values[ox[i]], y.values[oy[i]], depth+1); c != 0 || err != nil {
			return c, err
		}
	}
	return 0, nil
}

// equal is the operator ==.
func equal(a, b any) (bool, error) { return equalAt(a, b, 0) }

func equalAt(a, b any, depth int) (bool, error) {
	if depth > maxDepth {
		return false, errorText("Equality check too deep")
	}
	switch x := a.(type) {
	case float64, *literal:
		if kindOf(b) != kindNumber {
			return false, nil
		}
		return compareNumbers(a, b) == 0, nil
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false, nil
		}
		for i := range x {
			if eq, err := equalAt(x[i], y[i], depth+1); !eq || err != nil {
				return false, err
			}
		}
		return true, nil
	case *Object:
		y, ok := b.(*Object)
		if !ok || x.len() != y.len() {
			return false, nil
		}
		for i, k := range x.keys {
			v, ok := y.get(k)
			if !ok {
				return false, nil
			}
			if eq, err := equalAt(x.values[i], v, depth+1); !eq || err != nil {
				return false, err
			}
		}
		return true, nil
	}
	return a == b, nil
}

// contains is the builtin of that name, for values of one type.
func (m *machine) contains(a, b any, depth int) (bool, error) {
	if err := m.tick(); err != nil {
		return false, err
	}
	if depth > maxDepth {
		return false, errorText("Containment check too deep")
	}
	switch x := a.(type) {
	case *Object:
		y, ok := b.(*Object)
		if !ok {
			return false, nil
		}
		for i, k := range y.keys {
			v, ok := x.get(k)
			if !ok {
				return false, nil
			}
			if in, err := m.contains(v, y.values[i], depth+1); !in || err != nil {
				return false, err
			}
		}
		return true, nil
	case []any:
		y, ok := b.([]any)
		if !ok {
			return false, nil
		}
		for _, want := range y {
			found := false
			for _, have := range x {
				in, err := m.contains(have, want, depth+1)
				if err != nil {
					return false, err
				}
				if in {
					found = true
					break
				}
			}
			if !found {
				return false, nil
			}
		}
		return true, nil
	case string:
		y, ok := b.(string)
		return ok && strings.Contains(x, y), nil
	}
	return equalAt(a, b, depth)
}
