package jq

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// nativeTable lists the builtins that are functions of values. Those whose
// names begin with "_" serve the prelude.
func nativeTable() map[string]native {
	table := map[string]native{
		"not/0":            func(_ *machine, v any, _ []any) (any, error) { return !truthy(v), nil },
		"type/0":           func(_ *machine, v any, _ []any) (any, error) { return typeName(v), nil },
		"length/0":         length,
		"utf8bytelength/0": byteLength,
		"keys/0":           keys,
		"keys_unsorted/0":  keysUnsorted,
		"has/1":            has,
		"contains/1":       containsNative,
		"add/0":            addAll,
		"tojson/0":         func(m *machine, v any, _ []any) (any, error) { return formatJSON(m, v) },
		"tostring/0":       func(m *machine, v any, _ []any) (any, error) { return formatText(m, v) },
		"fromjson/0":       fromJSON,
		"tonumber/0":       toNumber,
		"toboolean/0":      toBoolean,
		"toarray/0":        toArray,
		"abs/0":            absolute,
		"to_entries/0":     toEntries,
		"_entry_key/0":     entryKey,
		"_entry_value/0":   entryValue,
		"reverse/0":        reverse,
		"flatten/0":        func(m *machine, v any, _ []any) (any, error) { return flatten(m, v, []any{1e9}) },
		"flatten/1":        flatten,
		"transpose/0":      transpose,
		"join/1":           join,
		"sort/0":           sortNative,
		"_sort_by/1":       keyedBy("cannot be sorted, as they are not both arrays", sortBy),
		"_group_by/1":      keyedBy("cannot be sorted, as they are not both arrays", groupBy),
		"_unique_by/1":     keyedBy("cannot be sorted, as they are not both arrays", uniqueBy),
		"_min_by/1":        keyedBy("cannot be iterated over", func(v, k []any) (any, error) { return extremeBy(v, k, true) }),
		"_max_by/1":        keyedBy("cannot be iterated over", func(v, k []any) (any, error) { return extremeBy(v, k, false) }),
		"unique/0":         unique,
		"min/0":            func(m *machine, v any, _ []any) (any, error) { return extreme(v, true) },
		"max/0":            func(m *machine, v any, _ []any) (any, error) { return extreme(v, false) },
		"bsearch/1":        bsearch,
		"setpath/2":        setPathNative,
		"delpaths/1":       deletePathsNative,
		"_tostream/0":      toStream,
		"error/0":          func(_ *machine, v any, _ []any) (any, error) { return nil, &jqError{v} },
		"error/1":          func(_ *machine, _ any, a []any) (any, error) { return nil, &jqError{a[0]} },
		"infinite/0":       func(*machine, any, []any) (any, error) { return math.Inf(1), nil },
		"nan/0":            func(*machine, any, []any) (any, error) { return math.NaN(), nil },
		"isinfinite/0":     isFloat(func(f float64) bool { return math.IsInf(f, 0) }),
		"isnan/0":          isFloat(func(f float64) bool { return f != f }),
		"isnormal/0": isFloat(func(f float64) bool {
			return f-f == 0 && math.Abs(f) >= 0x1p-1022
		}),
		"have_literal_numbers/0": func(*machine, any, []any) (any, error) { return true, nil },
		"have_decnum/0":          func(*machine, any, []any) (any, error) { return true, nil },
		"get_search_list/0":      func(*machine, any, []any) (any, error) { return []any{}, nil },
		"builtins/0":             builtins,
	}
	for _, more := range []map[string]native{stringNatives(), mathNatives(), timeNatives(), hostNatives(), regexNatives()} {
		for name, fn := range more {
			table[name] = fn
		}
	}
	return table
}

func length(_ *machine, v any, _ []any) (any, error) {
	switch v := v.(type) {
	case nil:
		return 0.0, nil
	case string:
		return float64(utf8.RuneCountInString(v)), nil
	case []any:
		return float64(len(v)), nil
	case *Object:
		return float64(v.len()), nil
	case float64:
		return math.Abs(v), nil
	case *literal:
		return math.Abs(v.value), nil
	}
	return nil, typeError(v, "has no length")
}

func byteLength(_ *machine, v any, _ []any) (any, error) {
	if s, ok := v.(string); ok {
		return float64(len(s)), nil
	}
	return nil, typeError(v, "only strings have UTF-8 byte length")
}

func keys(m *machine, v any, _ []any) (any, error) {
	o, ok := v.(*Object)
	if !ok {
		return keysUnsorted(m, v, nil)
	}
	out := make([]any, o.len())
	for n, i := range o.sorted() {
		out[n] = o.keys[i]
	}
	m.grow(sizeElement * len(out))
	return out, nil
}

func keysUnsorted(m *machine, v any, _ []any) (any, error) {
	var out []any
	switch v := v.(type) {
	case *Object:
		out = make([]any, v.len())
		for i, k := range v.keys {
			out[i] = k
		}
	case []any:
		out = make([]any, len(v))
		for i := range v {
			out[i] = float64(i)
		}
	default:
		return nil, typeError(v, "has no keys")
	}
	m.grow((sizeElement + sizeNumber) * len(out))
	return out, nil
}

func has(_ *machine, v any, a []any) (any, error) {
	switch v := v.(type) {
	case *Object:
		if k, ok := a[0].(string); ok {
			_, found := v.get(k)
			return found, nil
		}
	case []any:
		if n, ok := number(a[0]); ok {
			return n >= 0 && n < float64(len(v)), nil
		}
	}
	return nil, errorText("Cannot check whether " + typeName(v) + " has a " + keyName(a[0]) + " key")
}

func keyName(k any) string { return typeName(k) }

func containsNative(m *machine, v any, a []any) (any, error) {
	if typeName(v) != typeName(a[0]) {
		return nil, typeError2(v, a[0], "cannot have their containment checked")
	}
	return wrapBool(m.contains(v, a[0], 0))
}

// elements are what .[] of an array or object gives.
func elements(v any) ([]any, error) {
	switch v := v.(type) {
	case []any:
		return v, nil
	case *Object:
		return v.values, nil
	}
	return nil, errorText("Cannot iterate over " + describe(v))
}

// addAll is add: the sum of all elements, null of none. Strings and arrays
// are joined at once.
func addAll(m *machine, v any, _ []any) (any, error) {
	list, err := elements(v)
	if err != nil {
		return nil, err
	}
	if sum, ok, err := addStrings(m, list); ok || err != nil {
		return sum, err
	}
	var sum any
	owned := false // sum is an array of this function's own
	for _, x := range list {
		if err := m.tick(); err != nil {
			return nil, err
		}
		if y, ok := x.([]any); ok {
			if s, ok := sum.([]any); ok {
				if !owned {
					s = append(make([]any, 0, 2*(len(s)+len(y))), s...)
				}
				sum, owned = append(s, y...), true
				m.grow(sizeElement * len(y))
				continue
			}
		}
		var err error
		if sum, err = add(m, sum, x); err != nil {
			return nil, err
		}
		owned = false
	}
	return sum, nil
}

// addStrings joins a list of nothing but strings.
func addStrings(m *machine, list []any) (any, bool, error) {
	n := 0
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			return nil, false, nil
		}
		n += len(s)
	}
	if len(list) == 0 {
		return nil, false, nil
	}
	if err := m.room(n); err != nil {
		return nil, false, err
	}
	var b strings.Builder
	b.Grow(n)
	for _, x := range list {
		b.WriteString(x.(string))
	}
	return b.String(), true, nil
}

func fromJSON(m *machine, v any, _ []any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, typeError(v, "only strings can be parsed")
	}
	out, err := parseText(s)
	if err != nil {
		return nil, errorText(err.Error() + " (while parsing '" + s + "')")
	}
	m.grow(4 * len(s))
	return out, nil
}

func toNumber(_ *machine, v any, _ []any) (any, error) {
	switch s := v.(type) {
	case float64, *literal:
		return v, nil
	case string:
		if n, ok := parseNumber(s); ok {
			return n, nil
		}
	}
	return nil, typeError(v, "cannot be parsed as a number")
}

func toBoolean(_ *machine, v any, _ []any) (any, error) {
	switch v {
	case true, false:
		return v, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, typeError(v, "cannot be parsed as a boolean")
}

func toArray(_ *machine, v any, _ []any) (any, error) {
	if _, ok := v.([]any); ok {
		return v, nil
	}
	return []any{v}, nil
}

func absolute(_ *machine, v any, _ []any) (any, error) {
	n, ok := number(v)
	if !ok {
		return nil, typeError(v, "has no absolute value")
	}
	if n < 0 {
		return negate(nil, v, nil)
	}
	if n == 0 {
		return 0.0, nil
	}
	return v, nil
}

func toEntries(m *machine, v any, _ []any) (any, error) {
	list, err := keysUnsorted(m, v, nil)
	if err != nil {
		return nil, err
	}
	out := list.([]any)
	for i, k := range out {
		o := newObject(2)
		o.set("key", k)
		x, err := index(v, k)
		if err != nil {
			return nil, err
		}
		o.set("value", x)
		out[i] = o
		if err := m.tick(); err != nil {
			return nil, err
		}
	}
	m.grow(len(out) * (64 + 2*sizeMember))
	return out, nil
}

// entryKey finds the key of an entry under one of its names; a key that is no
// string becomes one.
func entryKey(m *machine, v any, _ []any) (any, error) {
	k := any(nil)
	for _, name := range []string{"key", "k", "name", "Name", "Key", "K"} {
		x, err := index(v, name)
		if err != nil {
			return nil, err
		}
		if truthy(x) {
			return stringKey(m, x)
		}
		if k == nil {
			k = x
		}
	}
	return stringKey(m, k)
}

func stringKey(m *machine, k any) (any, error) {
	switch k.(type) {
	case nil:
		return "null", nil
	case bool, float64, *literal:
		return formatText(m, k)
	}
	return k, nil
}

func entryValue(_ *machine, v any, _ []any) (any, error) {
	o, ok := v.(*Object)
	if !ok {
		return nil, nil
	}
	for _, name := range []string{"value", "v", "Value", "V"} {
		if x, ok := o.get(name); ok {
			return x, nil
		}
	}
	return nil, nil
}

func reverse(m *machine, v any, _ []any) (any, error) {
	switch v := v.(type) {
	case nil:
		return []any{}, nil
	case string:
		r := []rune(v)
		slices.Reverse(r)
		return string(r), m.room(len(v))
	case []any:
		out := slices.Clone(v)
		slices.Reverse(out)
		m.grow(sizeElement * len(v))
		if out == nil {
			out = []any{}
		}
		return out, nil
	case *Object:
		if v.len() == 0 {
			return []any{}, nil
		}
		return nil, indexError(v, 0.0)
	}
	if n, ok := number(v); ok && n == 0 {
		return []any{}, nil
	}
	if _, ok := v.(bool); ok {
		return nil, typeError(v, "has no length")
	}
	return nil, indexError(v, 0.0)
}

func flatten(m *machine, v any, a []any) (any, error) {
	depth, ok := number(a[0])
	if ok && depth < 0 {
		return nil, errorText("flatten depth must not be negative")
	}
	list, err := elements(v)
	if err != nil {
		return nil, err
	}
	out, err := flattenInto(m, []any{}, list, depth, 0)
	m.grow(sizeElement * len(out))
	return out, err
}

func flattenInto(m *machine, out, list []any, depth float64, level int) ([]any, error) {
	if level > maxDepth {
		return nil, errorText("Value is nested too deeply to flatten")
	}
	for _, x := range list {
		if err := m.tick(); err != nil {
			return nil, err
		}
		inner, ok := x.([]any)
		if !ok || depth < 1 {
			out = append(out, x)
			continue
		}
		var err error
		if out, err = flattenInto(m, out, inner, depth-1, level+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func transpose(m *machine, v any, _ []any) (any, error) {
	rows, ok := v.([]any)
	if !ok {
		return nil, errorText("Cannot iterate over " + describe(v))
	}
	width := 0
	for _, r := range rows {
		n, err := length(m, r, nil)
		if err != nil {
			return nil, err
		}
		width = max(width, int(min(n.(float64), maxIndex)))
	}
	m.grow(sizeElement * width * len(rows))
	if int64(width)*int64(len(rows))*sizeElement > m.limit {
		return nil, errMemory
	}
	out := make([]any, width)
	for i := range out {
		column := make([]any, len(rows))
		for j, r := range rows {
			x, err := index(r, float64(i))
			if err != nil {
				return nil, err
			}
			column[j] = x
			if err := m.tick(); err != nil {
				return nil, err
			}
		}
		out[i] = column
	}
	return out, nil
}

// join puts a separator between the elements; null is the empty string.
func join(m *machine, v any, a []any) (any, error) {
	list, err := elements(v)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return "", nil
	}
	separator, ok := a[0].(string)
	if !ok && (a[0] != nil && len(list) > 0) {
		return nil, typeError2("", a[0], "cannot be added")
	}
	var b strings.Builder
	for i, x := range list {
		if i > 0 {
			b.WriteString(separator)
		}
		switch x := x.(type) {
		case nil:
		case string:
			b.WriteString(x)
		case bool, float64, *literal:
			b.WriteString(dumpString(x))
		default:
			return nil, typeError2(b.String(), x, "cannot be added")
		}
		if err := m.tick(); err != nil {
			return nil, err
		}
		if int64(b.Len()) > m.limit {
			return nil, errMemory
		}
	}
	return b.String(), m.room(b.Len())
}

func sortNative(m *machine, v any, _ []any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, typeError(v, "cannot be sorted, as it is not an array")
	}
	out := append(make([]any, 0, len(list)), list...)
	m.grow(sizeElement * len(out))
	return out, sortValues(out)
}

// keyedBy wraps a function of elements and their keys.
func keyedBy(complaint string, fn func(values, keys []any) (any, error)) native {
	return func(m *machine, v any, a []any) (any, error) {
		values, ok := v.([]any)
		keys, ok2 := a[0].([]any)
		if !ok || !ok2 || len(values) != len(keys) {
			return nil, typeError2(v, a[0], complaint)
		}
		m.grow(3 * sizeElement * len(values))
		return fn(values, keys)
	}
}

func unique(m *machine, v any, _ []any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, typeError(v, "cannot be sorted, as it is not an array")
	}
	m.grow(3 * sizeElement * len(list))
	return uniqueBy(list, list)
}

func extreme(v any, least bool) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, typeError2(v, v, "cannot be iterated over")
	}
	return extremeBy(list, list, least)
}

func bsearch(_ *machine, v any, a []any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, typeError(v, "cannot be searched from")
	}
	lo, hi := 0, len(list)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		c, err := compare(list[mid], a[0])
		switch {
		case err != nil:
			return nil, err
		case c == 0:
			return float64(mid), nil
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return float64(-1 - lo), nil
}

func setPathNative(m *machine, v any, a []any) (any, error) {
	path, ok := a[0].([]any)
	if !ok {
		return nil, errorText("Path must be specified as an array")
	}
	m.grow(sizeMember * (len(path) + 1))
	switch v := v.(type) {
	case []any:
		m.grow(sizeElement * len(v))
	case *Object:
		m.grow(sizeMember * v.len())
	}
	return setPath(v, path, a[1])
}

func deletePathsNative(_ *machine, v any, a []any) (any, error) {
	paths, ok := a[0].([]any)
	if !ok {
		return nil, errorText("Paths must be specified as an array")
	}
	return deletePaths(v, paths)
}

// toStream answers the events that build a value: [path, leaf] and [path].
func toStream(m *machine, v any, _ []any) (any, error) {
	out := []any{}
	err := streamEvents(m, &out, []any{}, v, true)
	return out, err
}

func streamEvents(m *machine, out *[]any, path []any, v any, top bool) error {
	if err := m.tick(); err != nil {
		return err
	}
	if len(path) > maxDepth {
		return errorText("Path too deep")
	}
	leaf := func(event ...any) {
		*out = append(*out, event)
		m.grow(3*sizeElement + sizeElement*len(path))
	}
	n, key := 0, func(i int) any { return float64(i) }
	var child func(i int) any
	switch v := v.(type) {
	case []any:
		n, child = len(v), func(i int) any { return v[i] }
	case *Object:
		n, child, key = v.len(), func(i int) any { return v.values[i] }, func(i int) any { return v.keys[i] }
	}
	if n == 0 {
		leaf(path, v)
		return nil
	}
	for i := range n {
		if err := streamEvents(m, out, append(path[:len(path):len(path)], key(i)), child(i), false); err != nil {
			return err
		}
	}
	leaf(append(path[:len(path):len(path)], key(n-1)))
	return nil
}

func isFloat(is func(float64) bool) native {
	return func(_ *machine, v any, _ []any) (any, error) {
		n, ok := number(v)
		if !ok {
			return nil, typeError(v, "number required")
		}
		return is(n), nil
	}
}

// builtins lists the names of the builtins.
func builtins(*machine, any, []any) (any, error) {
	out := []any{}
	seen := map[string]bool{}
	list := func(name string) {
		if !seen[name] && !strings.HasPrefix(name, "_") {
			seen[name] = true
			out = append(out, name)
		}
	}
	for name := range nativeTable() {
		list(name)
	}
	for name := range specialTable() {
		list(name)
	}
	for name := range preludeDefs() {
		list(name)
	}
	return out, sortValues(out)
}
