package jq

import (
	"strings"
	"unicode/utf8"
)

// stringNatives are the builtins about strings.
func stringNatives() map[string]native {
	return map[string]native{
		"startswith/1":     startsWith,
		"endswith/1":       endsWith,
		"ltrimstr/1":       func(m *machine, v any, a []any) (any, error) { return trimAffix(m, v, a, true, false) },
		"rtrimstr/1":       func(m *machine, v any, a []any) (any, error) { return trimAffix(m, v, a, false, true) },
		"trimstr/1":        func(m *machine, v any, a []any) (any, error) { return trimAffix(m, v, a, true, true) },
		"trim/0":           trimmer(func(s string) string { return strings.Trim(s, whitespace) }),
		"ltrim/0":          trimmer(func(s string) string { return strings.TrimLeft(s, whitespace) }),
		"rtrim/0":          trimmer(func(s string) string { return strings.TrimRight(s, whitespace) }),
		"ascii_downcase/0": mapASCII("ascii_downcase", 'A', 'Z'),
		"ascii_upcase/0":   mapASCII("ascii_upcase", 'a', 'z'),
		"explode/0":        explode,
		"implode/0":        implode,
		"split/1":          split,
		"indices/1":        indices,
		"_strindices/1":    stringIndices,
	}
}

const whitespace = " \t\n\v\f\r"

func startsWith(_ *machine, v any, a []any) (any, error) {
	s, ok := v.(string)
	prefix, ok2 := a[0].(string)
	if !ok || !ok2 {
		return nil, errorText("startswith() requires string inputs")
	}
	return strings.HasPrefix(s, prefix), nil
}

func endsWith(_ *machine, v any, a []any) (any, error) {
	s, ok := v.(string)
	suffix, ok2 := a[0].(string)
	if !ok || !ok2 {
		return nil, errorText("endswith() requires string inputs")
	}
	return strings.HasSuffix(s, suffix), nil
}

func trimAffix(m *machine, v any, a []any, left, right bool) (any, error) {
	check := startsWith
	if !left {
		check = endsWith
	}
	if _, err := check(m, v, a); err != nil {
		return nil, err
	}
	s, affix := v.(string), a[0].(string)
	if left {
		s = strings.TrimPrefix(s, affix)
	}
	if right {
		s = strings.TrimSuffix(s, affix)
	}
	return s, nil
}

func trimmer(trim func(string) string) native {
	return func(_ *machine, v any, _ []any) (any, error) {
		s, ok := v.(string)
		if !ok {
			return nil, errorText("trim input must be a string")
		}
		return trim(s), nil
	}
}

// mapASCII changes the case of the letters from lo to hi.
func mapASCII(name string, lo, hi byte) native {
	return func(m *machine, v any, _ []any) (any, error) {
		s, ok := v.(string)
		if !ok {
			return nil, errorText(name + " input must be a string")
		}
		b := []byte(s)
		for i, c := range b {
			if lo <= c && c <= hi {
				b[i] = c ^ 0x20
			}
		}
		return string(b), m.room(len(b))
	}
}

func explode(m *machine, v any, _ []any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, errorText("explode input must be a string")
	}
	out := make([]any, 0, len(s))
	for _, r := range s {
		out = append(out, float64(r))
	}
	m.grow((sizeElement + sizeNumber) * len(out))
	return out, nil
}

func implode(m *machine, v any, _ []any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errorText("implode input must be an array")
	}
	b := make([]byte, 0, len(list))
	for _, x := range list {
		n, ok := number(x)
		if !ok || n != n {
			return nil, typeError(x, "can't be imploded, unicode codepoint needs to be numeric")
		}
		r := utf8.RuneError
		if n >= 0 && n <= utf8.MaxRune {
			r = rune(n)
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b), m.room(len(b))
}

func split(m *machine, v any, a []any) (any, error) {
	s, ok := v.(string)
	separator, ok2 := a[0].(string)
	if !ok || !ok2 {
		return nil, errorText("split input and separator must be strings")
	}
	return splitString(m, s, separator)
}

// indices answers where something occurs: a string in a string, an array
// within an array, or an element.
func indices(m *machine, v any, a []any) (any, error) {
	switch list := v.(type) {
	case []any:
		pattern, ok := a[0].([]any)
		if !ok {
			pattern = a[:1]
		}
		m.grow(sizeElement * len(list))
		return indicesOf(list, pattern)
	case string:
		if _, ok := a[0].(string); ok {
			return stringIndices(m, v, a)
		}
	}
	return index(v, a[0])
}

// stringIndices answers the positions, in characters, of a string in another,
// overlapping ones included.
func stringIndices(m *machine, v any, a []any) (any, error) {
	s, ok := v.(string)
	part, ok2 := a[0].(string)
	switch {
	case !ok:
		return nil, typeError(v, "cannot be searched, as it is not a string")
	case !ok2:
		return nil, typeError(a[0], "is not a string")
	}
	out := []any{}
	if part == "" {
		return nil, nil
	}
	characters, at := 0, 0
	for {
		i := strings.Index(s[at:], part)
		if i < 0 {
			return out, nil
		}
		characters += utf8.RuneCountInString(s[at : at+i])
		out = append(out, float64(characters))
		m.grow(sizeElement + sizeNumber)
		if err := m.tick(); err != nil {
			return nil, err
		}
		_, n := utf8.DecodeRuneInString(s[at+i:])
		at += i + n
		characters++
	}
}
