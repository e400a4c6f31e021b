package regex

import (
	"encoding/binary"
	"slices"
)

// spanner is the deterministic automaton that finds the bounds of the
// leftmost-longest match. A state is a list of groups of instructions, one
// group for each position where a match may have begun, the earliest first;
// the positions themselves are kept beside the state while it runs.
type spanner struct {
	*closer
	states map[string]*spanState
	starts [8]*spanState
	words  int
	key    []byte
	flat   []uint32
}

type spanState struct {
	groups  [][]uint32
	left    leftSide
	matched bool // a match has been seen: no new beginnings
	next    []*spanStep
}

// spanStep is a transition. Group i of the new state comes from group from[i]
// of the old one, or begins at the position after the byte when that is -1.
// match is the group that matches before the byte, or -1.
type spanStep struct {
	to    *spanState // nil when nothing is left
	from  []int32
	match int
	quit  bool
}

func newSpanner(p *prog) *spanner {
	s := &spanner{closer: newCloser(p)}
	s.reset()
	return s
}

func (s *spanner) reset() {
	s.states, s.words = map[string]*spanState{}, 0
	s.starts = [8]*spanState{}
}

func (s *spanner) start(left leftSide) *spanState {
	if st := s.starts[left]; st != nil {
		return st
	}
	s.pending.clear()
	st := s.state([][]uint32{s.spread(nil, s.p.start)}, left, false)
	s.starts[left] = st
	return st
}

func (s *spanner) state(groups [][]uint32, left leftSide, matched bool) *spanState {
	s.key = append(s.key[:0], byte(left))
	if matched {
		s.key[0] |= 1 << 7
	}
	size := 0
	for _, g := range groups {
		slices.Sort(g)
		size += len(g) + 6
		for _, pc := range g {
			s.key = binary.LittleEndian.AppendUint32(s.key, pc)
		}
		s.key = binary.LittleEndian.AppendUint32(s.key, ^uint32(0))
	}
	if st, ok := s.states[string(s.key)]; ok {
		return st
	}
	st := &spanState{groups: groups, left: left, matched: matched, next: make([]*spanStep, s.p.numClasses+1)}
	s.states[string(s.key)] = st
	s.words += 2*size + 2*len(st.next) + 24
	return st
}

// step computes the transition of a state on a byte or on endOfText.
func (s *spanner) step(st *spanState, b int) *spanStep {
	t := &spanStep{match: -1}
	if b >= 0 && s.p.quits(byte(b)) {
		t.quit = true
		return t
	}
	matched := st.matched
	s.settled.clear()
	s.pending.clear()
	var groups [][]uint32
	for gi, g := range st.groups {
		s.flat = s.flat[:0]
		match := false
		for _, pc := range g {
			var m bool
			s.flat, m = s.settle(s.flat, pc, st.left, b)
			match = match || m
		}
		if b != endOfText {
			var next []uint32
			for _, pc := range s.flat {
				if out, ok := s.p.follow(&s.p.insts[pc], byte(b)); ok {
					next = s.spread(next, out)
				}
			}
			if len(next) > 0 {
				groups = append(groups, next)
				t.from = append(t.from, int32(gi))
			}
		}
		if match {
			// Later beginnings lose to this one.
			t.match, matched = gi, true
			break
		}
	}
	if b == endOfText {
		return t
	}
	if !matched {
		if next := s.spread(nil, s.p.start); len(next) > 0 {
			groups = append(groups, next)
			t.from = append(t.from, -1)
		}
	}
	if len(groups) == 0 {
		return t
	}
	var left leftSide
	if s.p.hasAssert {
		left = s.p.leftAfter(byte(b))
	}
	t.to = s.state(groups, left, matched)
	s.words += 12 + len(t.from)
	return t
}

// span finds the leftmost-longest match that begins at or after pos. end is
// noMatch when there is none, undecided when the automaton cannot tell.
func (m *Matcher) span(text []byte, pos int, notBOL bool) (start, end int) {
	s := m.spanner
	if s == nil {
		s = newSpanner(m.program())
		m.spanner = s
	}
	p := s.p
	if pos > 0 && p.quits(text[pos-1]) {
		return 0, undecided
	}
	var left leftSide
	if p.hasAssert {
		left = p.leftAt(text, pos, notBOL)
	}
	st := s.start(left)
	starts, spare := append(m.begins[:0], pos), m.spare[:0]
	defer func() { m.begins, m.spare = starts, spare }()
	start, end = 0, noMatch
	resets := 0
	for i := pos; ; i++ {
		b, class := endOfText, p.numClasses
		if i < len(text) {
			b, class = int(text[i]), int(p.classes[text[i]])
		}
		t := st.next[class]
		if t == nil {
			if s.words > maxTableWords {
				if resets++; resets > 8 && i-pos < resets*1000 {
					return 0, undecided
				}
				s.reset()
				st = s.state(st.groups, st.left, st.matched)
			}
			t = s.step(st, b)
			st.next[class] = t
			if !m.tick(s.takeWork()) {
				return 0, noMatch
			}
		}
		if t.quit {
			return 0, undecided
		}
		if t.match >= 0 {
			start, end = starts[t.match], i
		}
		if t.to == nil {
			return start, end
		}
		if i&(blockSize-1) == 0 && !m.tick(blockSize) {
			return 0, noMatch
		}
		if len(t.from) == 1 {
			if t.from[0] < 0 {
				starts = append(starts[:0], i+1)
			} else {
				starts[0] = starts[t.from[0]]
				starts = starts[:1]
			}
		} else {
			spare = spare[:0]
			for _, from := range t.from {
				if from < 0 {
					spare = append(spare, i+1)
				} else {
					spare = append(spare, starts[from])
				}
			}
			starts, spare = spare, starts
		}
		st = t.to
	}
}
