package pattern

import (
	"context"
	"math/bits"
	"strings"
)

// matcher runs a pattern over s as a mapping of sets of places: from those
// where a node may start to those where it may then end. A place is the number
// of bytes read; backwards they are read from the end of s.
type matcher struct {
	p     *Pattern
	s     string
	back  bool
	ctx   context.Context
	err   error
	steps int
	free  []*places
}

// places is a set of places. It is as long as its highest member needs, so
// that matches near the start of a long text cost little.
type places struct{ bits []uint64 }

func (b *places) add(i int) {
	for i>>6 >= len(b.bits) {
		b.bits = append(b.bits, 0)
	}
	b.bits[i>>6] |= 1 << (i & 63)
}

func (b *places) has(i int) bool {
	return i>>6 < len(b.bits) && b.bits[i>>6]&(1<<(i&63)) != 0
}

// next answers the lowest member that is at least i, -1 when there is none.
func (b *places) next(i int) int {
	w := i >> 6
	if w >= len(b.bits) {
		return -1
	}
	if rest := b.bits[w] >> (i & 63); rest != 0 {
		return i + bits.TrailingZeros64(rest)
	}
	for w++; w < len(b.bits); w++ {
		if b.bits[w] != 0 {
			return w<<6 + bits.TrailingZeros64(b.bits[w])
		}
	}
	return -1
}

// last answers the highest member, -1 for the empty set.
func (b *places) last() int {
	for i := len(b.bits) - 1; i >= 0; i-- {
		if b.bits[i] != 0 {
			return i<<6 + 63 - bits.LeadingZeros64(b.bits[i])
		}
	}
	return -1
}

// merge adds the members of c and reports whether there were new ones.
func (b *places) merge(c *places) bool {
	for len(b.bits) < len(c.bits) {
		b.bits = append(b.bits, 0)
	}
	grew := false
	for i, w := range c.bits {
		if w&^b.bits[i] != 0 {
			b.bits[i] |= w
			grew = true
		}
	}
	return grew
}

func (m *matcher) new() *places {
	if n := len(m.free); n > 0 {
		b := m.free[n-1]
		m.free = m.free[:n-1]
		b.bits = b.bits[:0]
		return b
	}
	return &places{}
}

func (m *matcher) put(b *places) { m.free = append(m.free, b) }

// checkAfter is how much work is done before the context is asked again: a
// character or 64 members of a set each count as one.
const checkAfter = 4096

// tick counts work and reports whether to give up.
func (m *matcher) tick() bool { return m.work(1) }

func (m *matcher) work(n int) bool {
	if m.steps += n; m.steps >= checkAfter && m.err == nil {
		m.steps = 0
		m.err = m.ctx.Err()
	}
	return m.err != nil
}

// run answers where a match of the whole pattern may end.
func (m *matcher) run() *places {
	in := m.new()
	in.add(0)
	return m.sequence(m.p.nodes, in)
}

// sequence answers where nodes may end that start at a place of in. It takes
// in over.
func (m *matcher) sequence(nodes []node, in *places) *places {
	for i := range nodes {
		n := &nodes[i]
		if m.back {
			n = &nodes[len(nodes)-1-i]
		}
		if in.next(0) < 0 || m.err != nil {
			return in
		}
		out := m.step(n, in)
		m.work(len(in.bits) + len(out.bits))
		m.put(in)
		in = out
	}
	return in
}

// guarded reports whether place 0 holds a period that only a literal one
// matches.
func (m *matcher) guarded() bool {
	return !m.back && m.p.flags&Period != 0 && strings.HasPrefix(m.s, ".")
}

// one answers how many bytes from a place on a node matches that is neither a
// star nor a group, -1 for no match.
func (m *matcher) one(n *node, i int) int {
	if !m.back {
		return m.p.one(n, m.s, i, m.guarded())
	}
	end := len(m.s) - i
	if n.op == opLiteral {
		if strings.HasSuffix(m.s[:end], n.text) {
			return len(n.text)
		}
		return -1
	}
	if end == 0 {
		return -1
	}
	w := m.p.back(m.s, end)
	if m.p.one(n, m.s, end-w, false) != w {
		return -1
	}
	return w
}

// width answers the length of the character at a place before the end.
func (m *matcher) width(i int) int {
	if m.back {
		return m.p.back(m.s, len(m.s)-i)
	}
	_, w := m.p.char(m.s, i)
	return w
}

func (m *matcher) step(n *node, in *places) *places {
	out := m.new()
	switch n.op {
	case opLiteral, opAny, opClass:
		for i := in.next(0); i >= 0 && !m.tick(); i = in.next(i + 1) {
			if w := m.one(n, i); w >= 0 {
				out.add(i + w)
			}
		}
	case opStar:
		m.star(n, in, out)
	case opOne, opMaybe:
		if n.op == opMaybe {
			out.merge(in)
		}
		m.alternatives(n, in, out)
	case opMany, opSome:
		m.repeat(n, in, out)
	case opNot:
		for i := in.next(0); i >= 0 && !m.tick(); i = in.next(i + 1) {
			m.not(n, i, out)
		}
	}
	return out
}

// star adds every place from the first of in on, at the bounds of characters.
func (m *matcher) star(n *node, in, out *places) {
	i := in.next(0)
	if i == 0 && (m.guarded() || n.solo && m.back) {
		// The star can only stay empty there.
		out.add(0)
		if i = in.next(1); i < 0 {
			return
		}
	}
	for i < len(m.s) && !m.tick() {
		out.add(i)
		i += m.width(i)
	}
	if !n.solo || m.back || in.has(len(m.s)) {
		out.add(len(m.s))
	}
}

func (m *matcher) alternatives(n *node, in, out *places) {
	for _, alt := range n.alts {
		start := m.new()
		start.merge(in)
		end := m.sequence(alt, start)
		out.merge(end)
		m.put(end)
	}
}

// repeat adds what any number of rounds lead to from in; none counts too for
// *( ).
func (m *matcher) repeat(n *node, in, out *places) {
	if n.op == opMany {
		out.merge(in)
	}
	at := m.new()
	at.merge(in)
	for {
		end := m.new()
		m.alternatives(n, at, end)
		m.put(at)
		at = end
		if m.tick() || !out.merge(end) {
			m.put(at)
			return
		}
	}
}

// not adds every place from i on where no alternative ends.
func (m *matcher) not(n *node, i int, out *places) {
	in, ends := m.new(), m.new()
	in.add(i)
	m.alternatives(n, in, ends)
	last := len(m.s)
	if i == 0 && m.guarded() {
		last = 0
	}
	for k := i; k <= last && !m.tick(); {
		if !ends.has(k) {
			out.add(k)
		}
		if k == len(m.s) {
			break
		}
		k += m.width(k)
	}
	m.put(in)
	m.put(ends)
}
