package regex

import (
	"encoding/binary"
	"slices"
)

// What an automaton may hold before it starts afresh, in 4-byte words.
const maxTableWords = 1 << 20

// Values of a transition that are no state. A state is the offset of its row.
const (
	special    = 1 << 31
	stateNew   = special     // not computed yet
	stateMatch = special + 1 // a match ends before this byte
	stateDead  = special + 2 // no match can follow
	stateQuit  = special + 3 // the automaton cannot tell
)

// scanner is the deterministic automaton that tells whether and where the
// earliest-ending match ends. Its states are built when they are first met.
type scanner struct {
	*closer
	rows   []uint32 // transitions, stride a state
	stride uint32
	states []scanState // by row / stride
	ids    map[string]uint32
	starts [8]uint32 // start state by left side; stateNew when not built
	words  int       // held by states
	key    []byte
	flat   []uint32
	next   []uint32
}

type scanState struct {
	pcs  []uint32
	left leftSide
}

func newScanner(p *prog) *scanner {
	s := &scanner{closer: newCloser(p), stride: uint32(p.numClasses + 1)}
	s.reset()
	return s
}

func (s *scanner) reset() {
	s.rows, s.states, s.words = s.rows[:0], s.states[:0], 0
	s.ids = map[string]uint32{}
	for i := range s.starts {
		s.starts[i] = stateNew
	}
}

// full tells whether the automaton should start afresh.
func (s *scanner) full() bool { return len(s.rows)+s.words > maxTableWords }

// start answers the state at the beginning of a search.
func (s *scanner) start(left leftSide) uint32 {
	if st := s.starts[left]; st != stateNew {
		return st
	}
	s.pending.clear()
	s.next = s.spread(s.next[:0], s.p.start)
	st := s.state(s.next, left)
	s.starts[left] = st
	return st
}

// state finds or makes the state of a set of instructions.
func (s *scanner) state(pcs []uint32, left leftSide) uint32 {
	slices.Sort(pcs)
	s.key = append(s.key[:0], byte(left))
	for _, pc := range pcs {
		s.key = binary.LittleEndian.AppendUint32(s.key, pc)
	}
	if id, ok := s.ids[string(s.key)]; ok {
		return id
	}
	id := uint32(len(s.rows))
	for range s.stride {
		s.rows = append(s.rows, stateNew)
	}
	s.states = append(s.states, scanState{pcs: slices.Clone(pcs), left: left})
	s.ids[string(s.key)] = id
	s.words += 2*len(pcs) + 24
	return id
}

// step computes and records the transition of a state on a byte, or on
// endOfText.
func (s *scanner) step(from uint32, b int) uint32 {
	class := uint32(s.p.numClasses)
	if b >= 0 {
		class = uint32(s.p.classes[b])
	}
	to := s.compute(s.states[from/s.stride], b)
	s.rows[from+class] = to
	return to
}

func (s *scanner) compute(from scanState, b int) uint32 {
	if b >= 0 && s.p.quits(byte(b)) {
		return stateQuit
	}
	s.settled.clear()
	s.flat = s.flat[:0]
	for _, pc := range from.pcs {
		var match bool
		if s.flat, match = s.settle(s.flat, pc, from.left, b); match {
			return stateMatch
		}
	}
	if b == endOfText {
		return stateDead
	}
	s.pending.clear()
	s.next = s.next[:0]
	for _, pc := range s.flat {
		if out, ok := s.p.follow(&s.p.insts[pc], byte(b)); ok {
			s.next = s.spread(s.next, out)
		}
	}
	s.next = s.spread(s.next, s.p.start)
	var left leftSide
	if s.p.hasAssert {
		left = s.p.leftAfter(byte(b))
	}
	return s.state(s.next, left)
}

// Values of an end that is none.
const (
	noMatch   = -1
	undecided = -2 // the automaton cannot tell
)

// scan answers the earliest position where a match that begins at or after
// pos ends, or noMatch, or undecided: then at is how far it came without one.
func (m *Matcher) scan(text []byte, pos int, notBOL bool) (end, at int) {
	s := m.scanner
	if s == nil {
		s = newScanner(m.program())
		m.scanner = s
	}
	p := s.p
	if pos > 0 && p.quits(text[pos-1]) {
		return undecided, pos
	}
	var left leftSide
	if p.hasAssert {
		left = p.leftAt(text, pos, notBOL)
	}
	state := s.start(left)
	resets, since := 0, pos
	for i := pos; ; {
		stop := min(len(text), i+blockSize)
		rows, classes := s.rows, &p.classes
		for i < stop {
			to := rows[state+uint32(classes[text[i]])]
			if to >= special {
				break
			}
			state = to
			i++
		}
		if !m.tick(s.takeWork() + i - since) {
			return noMatch, i
		}
		since = i
		b, class := endOfText, uint32(p.numClasses)
		if i < len(text) {
			b, class = int(text[i]), uint32(classes[text[i]])
		}
		to := s.rows[state+class]
		if to == stateNew {
			if s.full() {
				if resets++; resets > 8 && i-pos < resets*1000 {
					return undecided, i
				}
				keep := s.states[state/s.stride]
				s.reset()
				s.next = append(s.next[:0], keep.pcs...)
				state = s.state(s.next, keep.left)
			}
			to = s.step(state, b)
		}
		switch to {
		case stateMatch:
			return i, i
		case stateDead:
			return noMatch, i
		case stateQuit:
			return undecided, i
		}
		if b != endOfText {
			state = to
			i++
		}
	}
}

func (c *closer) takeWork() int {
	w := c.work
	c.work = 0
	return w
}
