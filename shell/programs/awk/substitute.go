package awk

import (
	"strings"

	"mirage/shell/regex"
)

// replacement is a prepared replacement text: literal pieces, and behind each
// the group that follows it.
type replacement struct {
	pieces []string
	groups []int // -1 for none
}

// prepare reads the replacement of sub and gsub, where & is the match, or
// with groups that of gensub, where \1 to \9 are groups too.
func prepare(s string, groups bool) replacement {
	var r replacement
	var b []byte
	add := func(group int) {
		r.pieces = append(r.pieces, string(b))
		r.groups = append(r.groups, group)
		b = b[:0]
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '&':
			add(0)
		case c == '\\' && i+1 < len(s) && s[i+1] == '&':
			b = append(b, '&')
			i++
		case c == '\\' && groups && i+1 < len(s) && isDigit(s[i+1]):
			i++
			add(int(s[i] - '0'))
		case c == '\\' && groups && i+1 < len(s):
			i++
			b = append(b, s[i])
		case c == '\\' && !groups && i+1 < len(s) && s[i+1] == '\\':
			// \\& is a backslash and the match; other pairs stay.
			if i+2 < len(s) && s[i+2] == '&' {
				b = append(b, '\\')
				add(0)
				i += 2
				continue
			}
			if i+3 < len(s) && s[i+2] == '\\' && s[i+3] == '&' {
				b = append(b, '\\', '&')
				i += 3
				continue
			}
			b = append(b, '\\')
		default:
			b = append(b, c)
		}
	}
	add(-1)
	return r
}

// append appends the replacement of a match at loc.
func (r *replacement) append(b []byte, s string, loc []int) []byte {
	for i, p := range r.pieces {
		b = append(b, p...)
		if g := 2 * r.groups[i]; g >= 0 && g+1 < len(loc) && loc[g] >= 0 && loc[g+1] >= loc[g] {
			b = append(b, s[loc[g]:loc[g+1]]...)
		}
	}
	return b
}

// replaceMatches replaces the which-th match of m in s, or all of them when
// which is 0, and answers how many it replaced.
func (in *interp) replaceMatches(m *regex.Matcher, s string, r *replacement, which int, groups bool) (string, int) {
	data := bytesOf(s)
	var out []byte
	var loc []int
	count, seen, copied, pos, lastEnd := 0, 0, 0, 0, -1
	for pos <= len(s) {
		if groups {
			if loc = m.FindSubmatch(loc, data, pos, 0); loc == nil {
				break
			}
		} else {
			start, end, ok := m.Find(data, pos, 0)
			if !ok {
				break
			}
			loc = append(loc[:0], start, end)
		}
		start, end := loc[0], loc[1]
		pos = end
		if start == end {
			pos++
			if start == lastEnd {
				continue // an empty match right behind another is none
			}
		}
		lastEnd = end
		seen++
		if which > 0 && seen != which {
			continue
		}
		out = append(out, s[copied:start]...)
		out = r.append(out, s, loc)
		copied = end
		count++
		in.checkString(len(out))
		if which > 0 {
			break
		}
	}
	in.checkMatcher(m)
	if count == 0 {
		return s, 0
	}
	return string(append(out, s[copied:]...)), count
}

// substitute compiles sub and gsub.
func (c *compiler) substitute(e *builtinExpr) valueFunc {
	m, repl := c.regexOperand(e.args[0]), c.str(e.args[1])
	which := 0
	if e.name == "sub" {
		which = 1
	}
	var target expr = &fieldRef{&numLit{0}}
	if len(e.args) > 2 {
		target = e.args[2]
	}
	if g, ok := target.(*groupExpr); ok && len(g.list) == 1 {
		target = g.list[0]
	}
	load := c.str(target)
	var store storeFunc
	if isLvalue(target) {
		store = c.store(target)
	}
	last, prepared := "", prepare("", false)
	return func(in *interp) value {
		m := m(in)
		s := load(in)
		if t := repl(in); t != last {
			last, prepared = t, prepare(t, false)
		}
		out, n := in.replaceMatches(m, s, &prepared, which, false)
		if n > 0 && store != nil {
			store(in, text(out))
		}
		return number(float64(n))
	}
}

// gensub compiles gensub, which answers the result and changes nothing.
func (c *compiler) gensub(e *builtinExpr) valueFunc {
	m, repl, how := c.regexOperand(e.args[0]), c.str(e.args[1]), c.value(e.args[2])
	var target expr = &fieldRef{&numLit{0}}
	if len(e.args) > 3 {
		target = e.args[3]
	}
	load := c.str(target)
	return func(in *interp) value {
		m := m(in)
		r := prepare(repl(in), true)
		h := how(in)
		s := load(in)
		which := 1
		switch h.settle(); {
		case h.k != kindNumber && h.k != kindStrnum && strings.HasPrefix(strings.ToLower(h.s), "g"):
			which = 0
		case h.num() >= 1:
			which = int(h.num())
		default:
			in.warnf("gensub: third argument `%s' treated as 1", in.str(h))
		}
		out, _ := in.replaceMatches(m, s, &r, which, true)
		return text(out)
	}
}
