package pattern

import (
	"context"
	"strings"
)

// Match reports whether the pattern matches the whole of s. The error is the
// context's.
func (p *Pattern) Match(ctx context.Context, s string) (bool, error) {
	if p.flags&FoldCase != 0 {
		s = p.foldSubject(s)
	}
	if p.groups {
		m := matcher{p: p, s: s, ctx: ctx}
		out := m.run()
		return m.err == nil && out.has(len(s)), m.err
	}
	return p.simple(ctx, s)
}

// foldSubject maps s to lower case without changing where its characters
// start.
func (p *Pattern) foldSubject(s string) string {
	c := compiler{flags: p.flags}
	if t := c.fold(s); len(t) == len(s) {
		return t
	}
	return asciiLower(s)
}

// simple matches a pattern without extended forms: only the last star needs
// to be tried again.
func (p *Pattern) simple(ctx context.Context, s string) (bool, error) {
	nodes := p.nodes
	i, at := 0, 0
	star, from := -1, 0
	period := p.flags&Period != 0 && strings.HasPrefix(s, ".")
	for steps := 0; ; steps++ {
		if steps&1023 == 1023 {
			if err := ctx.Err(); err != nil {
				return false, err
			}
		}
		if i == len(nodes) {
			if at == len(s) {
				return true, nil
			}
		} else if n := &nodes[i]; n.op == opStar {
			if period && at == 0 {
				return false, nil
			}
			if i+1 == len(nodes) {
				return true, nil
			}
			star, from = i, at
			i++
			continue
		} else if w := p.one(n, s, at, period); w >= 0 {
			i++
			at += w
			continue
		}
		if star < 0 {
			return false, nil
		}
		// Let the star take one character more, or all up to where the
		// text after it comes next.
		if from >= len(s) {
			return false, nil
		}
		_, w := p.char(s, from)
		from += w
		if next := &nodes[star+1]; next.op == opLiteral {
			skip := strings.Index(s[from:], next.text)
			if skip < 0 {
				return false, nil
			}
			from += skip
		}
		i, at = star+1, from
	}
}

// one answers how many bytes at s[at:] a node that is neither a star nor a
// group matches, -1 for no match.
func (p *Pattern) one(n *node, s string, at int, period bool) int {
	if n.op == opLiteral {
		if strings.HasPrefix(s[at:], n.text) {
			return len(n.text)
		}
		return -1
	}
	if at >= len(s) || period && at == 0 {
		return -1
	}
	r, w := p.char(s, at)
	if n.op == opAny || n.set.has(r, p.flags&FoldCase != 0) {
		return w
	}
	return -1
}

// Prefix answers the length of the shortest or longest prefix of s that the
// pattern matches.
func (p *Pattern) Prefix(ctx context.Context, s string, longest bool) (n int, ok bool, err error) {
	if p.flags&FoldCase != 0 {
		s = p.foldSubject(s)
	}
	switch nodes := p.nodes; {
	case len(nodes) == 0:
		return 0, true, nil
	case len(nodes) == 1 && nodes[0].op == opLiteral:
		return len(nodes[0].text), strings.HasPrefix(s, nodes[0].text), nil
	case len(nodes) == 2 && nodes[0].op == opStar && nodes[1].op == opLiteral:
		t := nodes[1].text
		i := strings.Index(s, t)
		if longest {
			i = strings.LastIndex(s, t)
		}
		return i + len(t), i >= 0, nil
	case len(nodes) == 2 && nodes[1].op == opStar && nodes[0].op == opLiteral:
		if !strings.HasPrefix(s, nodes[0].text) {
			return 0, false, nil
		}
		if longest {
			return len(s), true, nil
		}
		return len(nodes[0].text), true, nil
	}
	return p.end(&matcher{p: p, s: s, ctx: ctx}, longest)
}

// Suffix answers where the shortest or longest suffix of s starts that the
// pattern matches.
func (p *Pattern) Suffix(ctx context.Context, s string, longest bool) (start int, ok bool, err error) {
	if p.flags&FoldCase != 0 {
		s = p.foldSubject(s)
	}
	switch nodes := p.nodes; {
	case len(nodes) == 0:
		return len(s), true, nil
	case len(nodes) == 1 && nodes[0].op == opLiteral:
		return len(s) - len(nodes[0].text), strings.HasSuffix(s, nodes[0].text), nil
	case len(nodes) == 2 && nodes[1].op == opStar && nodes[0].op == opLiteral:
		i := strings.LastIndex(s, nodes[0].text)
		if longest {
			i = strings.Index(s, nodes[0].text)
		}
		return i, i >= 0, nil
	case len(nodes) == 2 && nodes[0].op == opStar && nodes[1].op == opLiteral:
		if !strings.HasSuffix(s, nodes[1].text) {
			return 0, false, nil
		}
		if longest {
			return 0, true, nil
		}
		return len(s) - len(nodes[1].text), true, nil
	}
	n, ok, err := p.end(&matcher{p: p, s: s, ctx: ctx, back: true}, longest)
	return len(s) - n, ok, err
}

// end answers the nearest or farthest place where a match ends.
func (p *Pattern) end(m *matcher, farthest bool) (n int, ok bool, err error) {
	out := m.run()
	if m.err != nil {
		return 0, false, m.err
	}
	if farthest {
		n = out.last()
	} else {
		n = out.next(0)
	}
	return n, n >= 0, nil
}

// Find answers the leftmost longest match at or after s[from:]. It may be
// empty.
func (p *Pattern) Find(ctx context.Context, s string, from int) (start, end int, ok bool, err error) {
	if p.flags&FoldCase != 0 {
		s = p.foldSubject(s)
	}
	if len(p.nodes) == 1 {
		switch n := &p.nodes[0]; n.op {
		case opLiteral:
			i := strings.Index(s[from:], n.text)
			return from + i, from + i + len(n.text), i >= 0, nil
		case opAny, opClass:
			for i := from; i < len(s); {
				if w := p.one(n, s, i, false); w > 0 {
					return i, i + w, true, nil
				}
				_, w := p.char(s, i)
				i += w
			}
			return 0, 0, false, nil
		}
	}
	m := matcher{p: p, ctx: ctx}
	for i := from; i <= len(s); {
		if len(p.nodes) > 0 && p.nodes[0].op == opLiteral {
			skip := strings.Index(s[i:], p.nodes[0].text)
			if skip < 0 {
				return 0, 0, false, nil
			}
			i += skip
		}
		m.s = s[i:]
		out := m.run()
		if m.err != nil {
			return 0, 0, false, m.err
		}
		if n := out.last(); n >= 0 {
			return i, i + n, true, nil
		}
		m.put(out)
		if i == len(s) {
			break
		}
		_, w := p.char(s, i)
		i += w
	}
	return 0, 0, false, nil
}
