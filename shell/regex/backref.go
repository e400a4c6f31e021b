package regex

import (
	"bytes"
	"unicode/utf8"
)

// Limits of a search with back-references, which no automaton can do.
const (
	maxBackRefSteps = 20_000_000
	maxRemembered   = 1 << 18 // dead ends
	rememberAfter   = 2_000   // steps
)

// backtracker searches patterns with back-references: depth first, keeping
// the longest match, remembering where it has been with what captured.
type backtracker struct {
	p          *prog
	text       []byte
	notBOL     bool
	slots      []int
	best       []int
	bestEnd    int
	stack      []job
	remembered map[uint64]struct{}
	steps      int
}

// backtrack finds the leftmost-longest match that begins at or after pos and
// fills slots.
func (m *Matcher) backtrack(slots []int, text []byte, pos int, notBOL bool) (start, end int) {
	p := m.re.prog
	if m.backtracker == nil {
		m.backtracker = &backtracker{p: p, slots: make([]int, p.slots), best: make([]int, p.slots), remembered: map[uint64]struct{}{}}
	}
	b := m.backtracker
	b.text, b.notBOL, b.steps = text, notBOL, 0
	clear(b.remembered)
	for start = pos; start <= len(text); start++ {
		if !b.from(m, start) {
			return 0, noMatch
		}
		if b.bestEnd >= 0 {
			n := copy(slots, b.best)
			for ; n < len(slots); n++ {
				slots[n] = -1
			}
			return start, b.bestEnd
		}
	}
	return 0, noMatch
}

// from searches the matches that begin at start; false means to give up.
func (b *backtracker) from(m *Matcher, start int) bool {
	for i := range b.slots {
		b.slots[i] = -1
	}
	b.bestEnd = -1
	b.stack = append(b.stack[:0], job{pc: b.p.start, slot: -1, pos: start})
	for len(b.stack) > 0 {
		if b.steps++; b.steps&1023 == 0 {
			if !m.tick(1024) {
				return false
			}
			if b.steps > maxBackRefSteps {
				m.err = ErrTooComplex
				return false
			}
		}
		j := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		if j.slot >= 0 {
			b.slots[j.slot] = j.old
			continue
		}
		b.run(j.pc, j.pos)
		if b.bestEnd == len(b.text) {
			return true
		}
	}
	return true
}

// run follows one way until it ends, leaving the alternatives on the stack.
func (b *backtracker) run(pc uint32, pos int) {
	for {
		b.steps++
		in := &b.p.insts[pc]
		switch in.op {
		case instMatch:
			if pos > b.bestEnd {
				b.bestEnd = pos
				copy(b.best, b.slots)
			}
			return
		case instAlt:
			if !b.remember(pc, pos) {
				return
			}
			b.stack = append(b.stack, job{pc: in.arg, slot: -1, pos: pos})
		case instCapture:
			b.stack = append(b.stack, job{slot: int32(in.arg), old: b.slots[in.arg]})
			b.slots[in.arg] = pos
		case instAssert:
			if !b.p.holdsAt(assertion(in.arg), b.text, pos, b.notBOL) {
				return
			}
		case instBackRef:
			n, ok := b.backRef(int(in.arg), pos)
			if !ok {
				return
			}
			pos += n
		case instFail:
			return
		default:
			if pos == len(b.text) {
				return
			}
			out, ok := b.p.follow(in, b.text[pos])
			if !ok {
				return
			}
			pc = out
			pos++
			continue
		}
		pc = in.out
	}
}

// remember reports whether a state is new: the instruction, the position,
// and what the groups that are referred to have captured. A short search is
// faster without.
func (b *backtracker) remember(pc uint32, pos int) bool {
	if b.steps < rememberAfter {
		return true
	}
	h := mix(uint64(pc)<<40 ^ uint64(pos))
	for g, used := range b.p.refs {
		if used {
			h = mix(h ^ uint64(b.slots[2*g-2]+1)<<32 ^ uint64(b.slots[2*g-1]+1))
		}
	}
	if _, ok := b.remembered[h]; ok {
		return false
	}
	if len(b.remembered) < maxRemembered {
		b.remembered[h] = struct{}{}
	}
	return true
}

// mix is the finalizer of splitmix64, a bijection.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// backRef matches what a group captured at a position and answers its length.
// A group that has captured nothing matches nothing.
func (b *backtracker) backRef(group, pos int) (int, bool) {
	lo, hi := b.slots[2*group-2], b.slots[2*group-1]
	if lo < 0 || hi < lo {
		return 0, false
	}
	want := b.text[lo:hi]
	rest := b.text[pos:]
	if len(rest) < len(want) {
		return 0, false
	}
	got := rest[:len(want)]
	b.steps += len(want) / 8
	if bytes.Equal(got, want) {
		return len(want), true
	}
	if !b.p.foldCase {
		return 0, false
	}
	if b.p.utf8 {
		return len(want), utf8.Valid(want) && bytes.EqualFold(got, want)
	}
	for i := range want {
		if lower(got[i]) != lower(want[i]) {
			return 0, false
		}
	}
	return len(want), true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
