package jq

import "strings"

// haltError ends the whole program.
type haltError struct {
	status int
	value  any
	silent bool // halt: print nothing
}

func (*haltError) Error() string { return "halt" }

// hostNatives are the builtins that reach beyond the value.
func hostNatives() map[string]native {
	return map[string]native{
		"input/0": func(m *machine, _ any, _ []any) (any, error) {
			v, ok, err := m.prog.host.input()
			if err == nil && !ok {
				err = errorText("No more inputs")
			}
			m.grow(sizeMember)
			return v, err
		},
		"debug/0": func(m *machine, v any, _ []any) (any, error) {
			m.prog.host.message(`["DEBUG:",` + dumpString(v) + "]\n")
			return v, nil
		},
		"stderr/0": func(m *machine, v any, _ []any) (any, error) {
			if s, ok := v.(string); ok {
				m.prog.host.message(s)
			} else {
				m.prog.host.message(dumpString(v))
			}
			return v, nil
		},
		"input_filename/0": func(m *machine, _ any, _ []any) (any, error) { return m.prog.host.filename(), nil },
		"input_line_number/0": func(m *machine, _ any, _ []any) (any, error) {
			return float64(m.prog.host.line()), nil
		},
		"halt/0": func(*machine, any, []any) (any, error) { return nil, &haltError{silent: true} },
		"halt_error/1": func(_ *machine, v any, a []any) (any, error) {
			n, ok := number(a[0])
			if !ok {
				return nil, typeError(v, "halt_error/1: number required")
			}
			return nil, &haltError{status: int(toInt(n)) & 0xff, value: v}
		},
		"modulemeta/0": func(_ *machine, v any, _ []any) (any, error) {
			s, ok := v.(string)
			if !ok {
				return nil, errorText("modulemeta input module name must be a string")
			}
			return nil, errorText("module not found: " + s)
		},
		"_captures/0": func(m *machine, v any, _ []any) (any, error) {
			out := newObject(2)
			list, _ := index(v, "captures")
			captures, _ := list.([]any)
			for _, c := range captures {
				name, _ := index(c, "name")
				if s, ok := name.(string); ok {
					x, _ := index(c, "string")
					out.set(s, x)
				}
			}
			m.grow(sizeMember * (out.len() + 1))
			return out, nil
		},
		"_sub/3": substitute,
	}
}

// substitute puts replacements into a text: found are the matches, with[i] the
// outputs for the ith of them. The nth outputs of all make the nth result.
func substitute(m *machine, _ any, a []any) (any, error) {
	s := a[0].(string)
	found, with := a[1].([]any), a[2].([]any)
	results := []*strings.Builder{}
	previous, byteAt, runeAt := 0, 0, 0
	at := func(n int) int { // byte offset of a character, going forward
		for runeAt < n && byteAt < len(s) {
			byteAt++
			for byteAt < len(s) && s[byteAt]&0xc0 == 0x80 {
				byteAt++
			}
			runeAt++
		}
		return byteAt
	}
	size := 0
	for i, f := range found {
		if err := m.tick(); err != nil {
			return nil, err
		}
		offset, _ := index(f, "offset")
		matched, _ := index(f, "string")
		n, _ := number(offset)
		start := at(int(n))
		gap := s[previous:start]
		previous = start + len(matched.(string))
		for j, r := range with[i].([]any) {
			if len(results) == j {
				results = append(results, &strings.Builder{})
			}
			text, ok := r.(string)
			if !ok {
				return nil, typeError2(gap, r, "cannot be added")
			}
			results[j].WriteString(gap)
			results[j].WriteString(text)
			if size += len(gap) + len(text); int64(size) > m.limit/2 {
				return nil, errMemory
			}
		}
	}
	if len(results) == 0 {
		return []any{s}, nil
	}
	out := make([]any, len(results))
	for j, b := range results {
		b.WriteString(s[previous:])
		out[j] = b.String()
		m.grow(b.Len())
	}
	return out, nil
}
