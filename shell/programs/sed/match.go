package sed

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"mirage/shell/regex"
)

// use answers the matcher of a pattern; the empty one is the last one used.
func (e *editor) use(p *pattern) (*regex.Matcher, error) {
	if p.m == nil {
		if e.last == nil {
			return nil, &scriptError{statusUsage, "-e expression #1, char 0: no previous regular expression"}
		}
		return e.last.m, nil
	}
	e.last = p
	return p.m, nil
}

// matches tells whether one address selects the current line.
func (e *editor) matches(a *address) (bool, error) {
	line := e.input.line
	switch a.kind {
	case addressLine:
		return line == a.n, nil
	case addressStep:
		return line >= a.n && (line-a.n)%a.step == 0, nil
	case addressLast:
		return e.input.last()
	case addressRegex:
		m, err := e.use(a.pattern)
		if err != nil {
			return false, err
		}
		ok := m.Match(e.pattern.text)
		return ok, m.Err()
	}
	return false, nil
}

// begins tells whether the range of a command begins here. One that begins at a
// line that the command did not see begins late.
func (e *editor) begins(c *command) (bool, error) {
	if c.a1.kind != addressLine {
		return e.matches(c.a1)
	}
	line := e.input.line
	if c.a2.kind == addressLine && line > c.a2.n && line != c.a1.n {
		return false, nil
	}
	return line >= c.a1.n, nil
}

// selects tells whether a command's addresses select the current line.
func (e *editor) selects(c *command) (bool, error) {
	switch {
	case c.a1 == nil:
		return true, nil
	case c.a2 == nil:
		return e.matches(c.a1)
	}
	line := e.input.line
	if c.state == rangeActive {
		switch c.a2.kind {
		case addressLine, addressPlus, addressMultiple:
			if c.a2.kind == addressLine {
				c.end = c.a2.n
			}
			if line >= c.end {
				c.state = rangeClosed
			}
			if line <= c.end {
				return true, nil
			}
			// Its last line has gone by unseen: another range may begin.
			c.state = rangeOff
		default:
			yes, err := e.matches(c.a2)
			if yes {
				c.state = rangeClosed
			}
			return true, err
		}
	}
	if c.a1.kind == addressLine && c.state == rangeClosed {
		return false, nil
	}
	yes, err := e.begins(c)
	if !yes || err != nil {
		return false, err
	}
	switch c.a2.kind {
	case addressLine:
		if c.a2.n <= line {
			c.state = rangeClosed
			return true, nil
		}
		c.end = c.a2.n
	case addressLast:
		last, err := e.input.last()
		if last || err != nil {
			c.state = rangeClosed
			return true, err
		}
	case addressPlus:
		if c.a2.n == 0 {
			c.state = rangeClosed
			return true, nil
		}
		c.end = line + c.a2.n
	case addressMultiple:
		if c.a2.n == 0 {
			c.state = rangeClosed
			return true, nil
		}
		c.end = (line/c.a2.n + 1) * c.a2.n
	}
	c.state = rangeActive
	return true, nil
}

// substitute is s.
func (e *editor) substitute(s *substitution) error {
	m, err := e.use(s.pattern)
	if err != nil {
		return err
	}
	if s.pattern.m == nil && s.refs > m.Regexp().NumSubexp() {
		return &scriptError{statusUsage, "-e expression #1, char 0: " + badReference(s.refs)}
	}
	text := e.pattern.text
	if !m.Match(text) {
		return m.Err()
	}
	out := e.spare[:0]
	replaced := false
	count, copied, pos, lastEnd := 0, 0, 0, -1
	for pos <= len(text) {
		start, end, ok := e.find(m, text, pos, s.refs > 0)
		if !ok {
			break
		}
		empty := start == end
		if !empty || start != lastEnd {
			if count++; count >= s.number {
				out = append(out, text[copied:start]...)
				out = e.replace(out, s, text)
				copied = end
				replaced = true
				if err := e.checkSize(len(out)); err != nil {
					return err
				}
				if !s.global {
					break
				}
			}
		}
		lastEnd, pos = end, end
		if empty {
			pos += e.charSize(text[end:])
		}
	}
	if err := m.Err(); err != nil {
		return err
	}
	if !replaced {
		return nil
	}
	out = append(out, text[copied:]...)
	e.spare, e.pattern.text = text, out
	e.replaced = true
	if err := e.checkSize(len(out)); err != nil {
		return err
	}
	if s.eval {
		if err := e.evalPattern(); err != nil {
			return err
		}
	}
	if s.print {
		e.print(e.out)
	}
	if s.out != nil {
		e.print(s.out)
	}
	return nil
}

// find leaves the bounds of a match, and of its groups where they are wanted,
// in e.slots.
func (e *editor) find(m *regex.Matcher, text []byte, pos int, groups bool) (start, end int, ok bool) {
	if groups {
		loc := m.FindSubmatch(e.slots, text, pos, 0)
		if loc == nil {
			return 0, 0, false
		}
		e.slots = loc
		return loc[0], loc[1], true
	}
	start, end, ok = m.Find(text, pos, 0)
	e.slots = append(e.slots[:0], start, end)
	return start, end, ok
}

// charSize is the size of the first character of p, at least 1.
func (e *editor) charSize(p []byte) int {
	if e.o.utf8 && len(p) > 0 {
		_, size := utf8.DecodeRune(p)
		return size
	}
	return 1
}

// replace appends the replacement of the match in e.slots.
func (e *editor) replace(out []byte, s *substitution, text []byte) []byte {
	mode, once := caseEnd, caseNone
	add := func(p []byte) {
		if len(p) == 0 {
			return
		}
		if mode == caseEnd && once == caseNone {
			out = append(out, p...)
			return
		}
		if once != caseNone {
			n := e.charSize(p)
			out = append(out, e.changeCase(p[:n], once == caseUpperFirst)...)
			p = p[n:]
			once = caseNone
		}
		if mode == caseEnd {
			out = append(out, p...)
		} else {
			out = append(out, e.changeCase(p, mode == caseUpper)...)
		}
	}
	for i := range s.parts {
		p := &s.parts[i]
		switch p.change {
		case caseNone:
		case caseUpperFirst, caseLowerFirst:
			once = p.change
		default:
			mode, once = p.change, caseNone
		}
		add(p.text)
		if g := 2 * p.group; g >= 0 && g+1 < len(e.slots) && e.slots[g] >= 0 && e.slots[g+1] >= e.slots[g] {
			add(text[e.slots[g]:e.slots[g+1]])
		}
	}
	return out
}

// changeCase answers p in upper or lower case.
func (e *editor) changeCase(p []byte, upper bool) []byte {
	if !e.o.utf8 {
		out := make([]byte, len(p))
		for i, c := range p {
			if upper && 'a' <= c && c <= 'z' || !upper && 'A' <= c && c <= 'Z' {
				c ^= 0x20
			}
			out[i] = c
		}
		return out
	}
	if !utf8.Valid(p) {
		return p
	}
	if upper {
		return bytes.Map(unicode.ToUpper, p)
	}
	return bytes.Map(unicode.ToLower, p)
}
