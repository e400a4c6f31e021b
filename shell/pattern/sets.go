package pattern

import (
	"context"
	"math/bits"
	"strings"
)

// matcher runs a pattern over s as a mapping of sets of positions: from those
// where a node may start to those where it may then end, or back.
type matcher struct {
	p     *Pattern
	s     string
	ctx   context.Context
	err   error
	steps int
	free  []positions
}

// positions is a set of offsets into the subject, 0 to len(s).
type positions []uint64

func (b positions) add(i int)      { b[i>>6] |= 1 << (i & 63) }
func (b positions) has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }

// first answers the lowest member, -1 for the empty set.
func (b positions) first() int {
	for i, w := range b {
		if w != 0 {
			return i<<6 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// last answers the highest member, -1 for the empty set.
func (b positions) last() int {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != 0 {
			return i<<6 + 63 - bits.LeadingZeros64(b[i])
		}
	}
	return -1
}

// next answers the lowest member that is at least i, -1 when there is none.
func (b positions) next(i int) int {
	w := i >> 6
	if w >= len(b) {
		return -1
	}
	if rest := b[w] >> (i & 63); rest != 0 {
		return i + bits.TrailingZeros64(rest)
	}
	for w++; w < len(b); w++ {
		if b[w] != 0 {
			return w<<6 + bits.TrailingZeros64(b[w])
		}
	}
	return -1
}

// merge adds the members of c and reports whether there were new ones.
func (b positions) merge(c positions) bool {
	grew := false
	for i, w := range c {
		if w&^b[i] != 0 {
			b[i] |= w
			grew = true
		}
	}
	return grew
}

func (m *matcher) new() positions {
	n := len(m.s)>>6 + 1
	if k := len(m.free); k > 0 && cap(m.free[k-1]) >= n {
		b := m.free[k-1][:n]
		m.free = m.free[:k-1]
		clear(b)
		return b
	}
	return make(positions, n)
}

func (m *matcher) put(b positions) { m.free = append(m.free, b) }

// tick counts work and reports whether to give up.
func (m *matcher) tick() bool {
	if m.steps++; m.steps&255 == 0 && m.err == nil {
		m.err = m.ctx.Err()
	}
	return m.err != nil
}

// forward answers where nodes may end that start at a position of in. It
// takes in over.
func (m *matcher) forward(nodes []node, in positions) positions {
	for i := range nodes {
		if in.first() < 0 || m.err != nil {
			return in
		}
		out := m.step(&nodes[i], in)
		m.put(in)
		in = out
	}
	return in
}

// backward answers where nodes may start that end at a position of in. It
// takes in over.
func (m *matcher) backward(nodes []node, in positions) positions {
	for i := len(nodes) - 1; i >= 0; i-- {
		if in.first() < 0 || m.err != nil {
			return in
		}
		out := m.stepBack(&nodes[i], in)
		m.put(in)
		in = out
	}
	return in
}

// guarded reports whether position 0 holds a period that only a literal one
// matches.
func (m *matcher) guarded() bool {
	return m.p.flags&Period != 0 && strings.HasPrefix(m.s, ".")
}

func (m *matcher) step(n *node, in positions) positions {
	out := m.new()
	switch n.op {
	case opLiteral, opAny, opClass:
		for i := in.first(); i >= 0; i = in.next(i + 1) {
			if m.tick() {
				break
			}
			if w := m.p.one(n, m.s, i, m.guarded()); w >= 0 {
				out.add(i + w)
			}
		}
	case opStar:
		m.star(in, out)
	case opOne, opMaybe:
		if n.op == opMaybe {
			out.merge(in)
		}
		m.alternatives(n, in, out)
	case opMany, opSome:
		m.repeat(n, in, out, m.alternatives)
	case opNot:
		for i := in.first(); i >= 0; i = in.next(i + 1) {
			if m.tick() {
				break
			}
			m.not(n, i, out)
		}
	}
	return out
}

// star adds every position from the first of in on, at the starts of
// characters.
func (m *matcher) star(in, out positions) {
	i := in.first()
	if i == 0 && m.guarded() {
		// The star can only stay empty there.
		out.add(0)
		if i = in.next(1); i < 0 {
			return
		}
	}
	for i < len(m.s) {
		if m.tick() {
			return
		}
		out.add(i)
		_, w := m.p.char(m.s, i)
		i += w
	}
	out.add(len(m.s))
}

func (m *matcher) alternatives(n *node, in, out positions) {
	for _, alt := range n.alts {
		start := m.new()
		start.merge(in)
		end := m.forward(alt, start)
		out.merge(end)
		m.put(end)
	}
}

// repeat adds what any number of rounds of one mapping lead to from in; none
// counts too for *( ).
func (m *matcher) repeat(n *node, in, out positions, round func(n *node, in, out positions)) {
	if n.op == opMany {
		out.merge(in)
	}
	at := m.new()
	at.merge(in)
	for {
		end := m.new()
		round(n, at, end)
		m.put(at)
		if m.tick() || !out.merge(end) {
			m.put(end)
			return
		}
		at = end
	}
}

// not adds every position from i on where no alternative ends.
func (m *matcher) not(n *node, i int, out positions) {
	in, ends := m.new(), m.new()
	in.add(i)
	m.alternatives(n, in, ends)
	last := len(m.s)
	if i == 0 && m.guarded() {
		last = 0
	}
	for k := i; k <= last; {
		if m.tick() {
			return
		}
		if !ends.has(k) {
			out.add(k)
		}
		if k == len(m.s) {
			break
		}
		_, w := m.p.char(m.s, k)
		k += w
	}
	m.put(in)
	m.put(ends)
}

func (m *matcher) stepBack(n *node, in positions) positions {
	out := m.new()
	switch n.op {
	case opLiteral:
		for i := in.first(); i >= 0; i = in.next(i + 1) {
			if m.tick() {
				break
			}
			if strings.HasSuffix(m.s[:i], n.text) {
				out.add(i - len(n.text))
			}
		}
	case opAny, opClass:
		for i := in.first(); i >= 0; i = in.next(i + 1) {
			if m.tick() {
				break
			}
			if i > 0 {
				w := m.p.back(m.s, i)
				if m.p.one(n, m.s, i-w, false) == w {
					out.add(i - w)
				}
			}
		}
	case opStar:
		for i := in.last(); i > 0; i -= m.p.back(m.s, i) {
			if m.tick() {
				break
			}
			out.add(i)
		}
		out.add(0)
	case opOne, opMaybe:
		if n.op == opMaybe {
			out.merge(in)
		}
		m.alternativesBack(n, in, out)
	case opMany, opSome:
		m.repeat(n, in, out, m.alternativesBack)
	case opNot:
		for i := in.first(); i >= 0; i = in.next(i + 1) {
			if m.tick() {
				break
			}
			m.notBack(n, i, out)
		}
	}
	return out
}

func (m *matcher) alternativesBack(n *node, in, out positions) {
	for _, alt := range n.alts {
		end := m.new()
		end.merge(in)
		start := m.backward(alt, end)
		out.merge(start)
		m.put(start)
	}
}

func (m *matcher) notBack(n *node, i int, out positions) {
	in, starts := m.new(), m.new()
	in.add(i)
	m.alternativesBack(n, in, starts)
	for k := i; ; k -= m.p.back(m.s, k) {
		if m.tick() {
			return
		}
		if !starts.has(k) {
			out.add(k)
		}
		if k == 0 {
			break
		}
	}
	m.put(in)
	m.put(starts)
}
