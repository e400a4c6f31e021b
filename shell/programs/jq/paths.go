package jq

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// maxIndex bounds what an assignment may grow an array to.
const maxIndex = 536870911

// index is .[k]: of an object, an array or null.
func index(v, k any) (any, error) {
	switch v := v.(type) {
	case *Object:
		if key, ok := k.(string); ok {
			x, _ := v.get(key)
			return x, nil
		}
	case []any:
		switch k := k.(type) {
		case float64, *literal:
			n, _ := number(k)
			if n != n {
				return nil, nil
			}
			n = math.Floor(n)
			if n < 0 {
				n += float64(len(v))
			}
			if n < 0 || n >= float64(len(v)) {
				return nil, nil
			}
			return v[int(n)], nil
		case *Object:
			return slice(v, k)
		case []any:
			return indicesOf(v, k)
		}
	case string:
		if k, ok := k.(*Object); ok {
			return slice(v, k)
		}
	case nil:
		switch k := k.(type) {
		case string, float64, *literal, nil:
			return nil, nil
		case *Object:
			return slice(nil, k)
		}
	}
	return nil, indexError(v, k)
}

func indexError(v, k any) error {
	if s, ok := k.(string); ok {
		return errorText(fmt.Sprintf("Cannot index %s with %q", typeName(v), rawQuote(s)))
	}
	return errorText(fmt.Sprintf("Cannot index %s with %s", typeName(v), typeName(k)))
}

// rawQuote makes %q print a string between quotes without escapes.
type rawQuote string

func (s rawQuote) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "\"%s\"", string(s)) }

// indicesOf answers where pattern occurs in v.
func indicesOf(v, pattern []any) (any, error) {
	found := []any{}
	if len(pattern) == 0 {
		return nil, nil
	}
	for i := 0; i+len(pattern) <= len(v); i++ {
		match := true
		for j := range pattern {
			eq, err := equal(v[i+j], pattern[j])
			if err != nil {
				return nil, err
			}
			if !eq {
				match = false
				break
			}
		}
		if match {
			found = append(found, float64(i))
		}
	}
	return found, nil
}

// bounds clamps the ends of a slice to a length: from is rounded down, to up.
func bounds(k *Object, length int, of string) (from, to int, err error) {
	end := func(name string, none float64) float64 {
		v, ok := k.get(name)
		if ok && v == nil {
			return none
		}
		n, ok := number(v)
		if !ok {
			err = errorText("Start and end indices of an " + of + " slice must be numbers")
		}
		if n != n {
			return none
		}
		if n < 0 {
			n += float64(length)
		}
		return n
	}
	f := end("start", 0)
	t := end("end", float64(length))
	f = min(max(math.Floor(f), 0), float64(length))
	t = min(max(math.Ceil(t), f), float64(length))
	return int(f), int(t), err
}

func slice(v any, k *Object) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		from, to, err := bounds(k, len(v), "array")
		if err != nil {
			return nil, err
		}
		return v[from:to:to], nil
	case string:
		from, to, err := bounds(k, utf8.RuneCountInString(v), "string")
		if err != nil {
			return nil, err
		}
		return v[runeOffset(v, from):runeOffset(v, to)], nil
	}
	return nil, indexError(v, k)
}

// runeOffset answers the byte offset of the nth character.
func runeOffset(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// setIndex answers v with x at k. When owned is set v may be changed in place.
func setIndex(v, k, x any, owned bool) (any, error) {
	switch key := k.(type) {
	case string:
		switch v := v.(type) {
		case nil:
			o := newObject(1)
			o.set(key, x)
			return o, nil
		case *Object:
			if !owned {
				v = v.clone()
			}
			v.set(key, x)
			return v, nil
		}
	case float64, *literal:
		switch v := v.(type) {
		case nil:
			return setElement(nil, k, x, owned)
		case []any:
			return setElement(v, k, x, owned)
		}
	case *Object:
		switch v := v.(type) {
		case nil:
			return setSlice(nil, key, x)
		case []any:
			return setSlice(v, key, x)
		case string:
			return nil, errorText("Cannot update string slices")
		}
	case []any:
		if _, ok := v.([]any); ok {
			return nil, errorText("Cannot update field at array index of array")
		}
	}
	return nil, indexError(v, k)
}

func setElement(v []any, k, x any, owned bool) (any, error) {
	n, _ := number(k)
	if n != n {
		return nil, errorText("Cannot set array element at NaN index")
	}
	n = math.Floor(n)
	if n < 0 {
		if n += float64(len(v)); n < 0 {
			return nil, errorText("Out of bounds negative array index")
		}
	}
	if n >= maxIndex {
		return nil, errorText("Array index too large")
	}
	i := int(n)
	if i < len(v) {
		if !owned {
			v = append(make([]any, 0, len(v)+1), v...)
		}
		v[i] = x
		return v, nil
	}
	if !owned || cap(v) < i+1 {
		grown := make([]any, len(v), max(i+1, len(v)+len(v)/4+1))
		copy(grown, v)
		v = grown
	}
	for len(v) <= i {
		v = append(v, nil)
	}
	v[i] = x
	return v, nil
}

func setSlice(v []any, k *Object, x any) (any, error) {
	with, ok := x.([]any)
	if !ok {
		return nil, errorText("A slice of an array can only be assigned another array")
	}
	from, to, err := bounds(k, len(v), "array")
	if err != nil {
		return nil, err
	}
	out := make([]any, 0, len(v)-(to-from)+len(with))
	out = append(out, v[:from]...)
	out = append(out, with...)
	return append(out, v[to:]...), nil
}

func pathTooDeep(path []any) error {
	if len(path) > maxDepth {
		return errorText("Path too deep")
	}
	return nil
}

func getPath(v any, path []any) (any, error) {
	if err := pathTooDeep(path); err != nil {
		return nil, err
	}
	for _, k := range path {
		if v == nil {
			return nil, nil
		}
		var err error
		if v, err = index(v, k); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func setPath(v any, path []any, x any) (any, error) {
	if err := pathTooDeep(path); err != nil {
		return nil, err
	}
	return setPathAt(v, path, x, false)
}

// setPathAt is setPath; owned tells that the top of v may be changed in place.
func setPathAt(v any, path []any, x any, owned bool) (any, error) {
	if len(path) == 0 {
		return x, nil
	}
	child, err := childFor(v, path[0])
	if err != nil {
		return nil, err
	}
	if child, err = setPathAt(child, path[1:], x, false); err != nil {
		return nil, err
	}
	return setIndex(v, path[0], child, owned)
}

// childFor is index on the way to an assignment.
func childFor(v, k any) (any, error) {
	if _, isString := v.(string); isString {
		if _, isObject := k.(*Object); isObject {
			return nil, errorText("Cannot update string slices")
		}
	}
	return index(v, k)
}

// deletePaths deletes all paths, the last ones first, so that each still means
// what it meant.
func deletePaths(v any, paths []any) (any, error) {
	sorted := make([]any, len(paths))
	copy(sorted, paths)
	if err := sortValues(sorted); err != nil {
		return nil, err
	}
	for i := len(sorted) - 1; i >= 0; i-- {
		path, ok := sorted[i].([]any)
		if !ok {
			return nil, errorText("Path must be specified as array, not " + typeName(sorted[i]))
		}
		if err := pathTooDeep(path); err != nil {
			return nil, err
		}
		var err error
		if v, err = deletePath(v, path); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func deletePath(v any, path []any) (any, error) {
	switch {
	case len(path) == 0:
		return nil, nil
	case v == nil:
		return nil, nil
	case len(path) == 1:
		return deleteIndex(v, path[0])
	}
	child, err := index(v, path[0])
	if err != nil || child == nil {
		return v, err
	}
	if child, err = deletePath(child, path[1:]); err != nil {
		return nil, err
	}
	return setIndex(v, path[0], child, false)
}

func deleteIndex(v, k any) (any, error) {
	switch v := v.(type) {
	case *Object:
		key, ok := k.(string)
		if !ok {
			return nil, errorText(fmt.Sprintf("Cannot delete field at %s index of object", deletedBy(k)))
		}
		if _, ok := v.get(key); !ok {
			return v, nil
		}
		v = v.clone()
		v.remove(key)
		return v, nil
	case []any:
		from, to := 0, 0
		switch k := k.(type) {
		case float64, *literal:
			n, _ := number(k)
			n = math.Floor(n)
			if n < 0 {
				n += float64(len(v))
			}
			if !(n >= 0 && n < float64(len(v))) {
				return v, nil
			}
			from, to = int(n), int(n)+1
		case *Object:
			var err error
			if from, to, err = bounds(k, len(v), "array"); err != nil {
				return nil, err
			}
		default:
			return nil, errorText(fmt.Sprintf("Cannot delete field at %s index of array", deletedBy(k)))
		}
		out := make([]any, 0, len(v)-(to-from))
		return append(append(out, v[:from]...), v[to:]...), nil
	}
	return nil, errorText(fmt.Sprintf("Cannot delete field at %s index of %s", deletedBy(k), typeName(v)))
}

// deletedBy names a kind of index in the messages of deletion.
func deletedBy(k any) string {
	if kindOf(k) == kindString {
		return "object"
	}
	if kindOf(k) == kindNumber {
		return "array"
	}
	return typeName(k)
}
