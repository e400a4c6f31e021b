package regex

import (
	"bytes"
	"context"
)

// blockSize is how many bytes a search goes before it looks whether it has
// been cancelled.
const blockSize = 1 << 16

// callWork is what every search counts for, however soon it finds something:
// the caller's loop over the matches of a long text may look at nothing else.
const callWork = 64

// Matcher matches texts against one Regexp and holds the working memory for
// it. It is not safe for concurrent use. After an error, which only Err
// tells, it finds nothing more.
type Matcher struct {
	re   *Regexp
	ctx  context.Context
	err  error
	work int // since ctx was last asked

	scanner *scanner
	spanner *spanner
	begins  []int
	spare   []int
	visited []uint64

	common               bool // the required literal is too common to look for
	candidates, distance int  // seen since that was last decided
	jobs                 []job

	backtracker *backtracker
}

// MatchFlags change one search.
type MatchFlags uint

// NotBOL says that the text does not begin at the beginning of a line: ^ does
// not match there.
const NotBOL MatchFlags = 1

// Matcher makes a Matcher whose searches end when ctx does.
func (re *Regexp) Matcher(ctx context.Context) *Matcher { return &Matcher{re: re, ctx: ctx} }

// Err is why searches have failed: the context's error or ErrTooComplex.
func (m *Matcher) Err() error { return m.err }

// Regexp is the pattern that m matches.
func (m *Matcher) Regexp() *Regexp { return m.re }

// program is what the automata run: without back-references.
func (m *Matcher) program() *prog {
	if m.re.relaxed != nil {
		return m.re.relaxed
	}
	return m.re.prog
}

// ready prepares the program where that was put off.
func (m *Matcher) ready() bool {
	if m.re.set != nil && m.err == nil {
		m.err = m.re.ready()
	}
	return m.err == nil
}

// tick accounts for work and reports whether to go on.
func (m *Matcher) tick(work int) bool {
	if m.err != nil {
		return false
	}
	if m.work += work; m.work >= blockSize {
		m.work = 0
		m.err = m.ctx.Err()
	}
	return m.err == nil
}

// Match reports whether text contains a match.
func (m *Matcher) Match(text []byte) bool {
	if !m.tick(callWork) {
		return false
	}
	if set := m.re.set; set != nil {
		switch {
		case set.lines != nil:
			return set.holds(text)
		case set.index(text) < 0:
			return false
		case !m.re.verify:
			return true
		case !m.ready():
			return false
		}
	}
	if need := &m.re.need; need.text != "" {
		if need.index(text) < 0 {
			return false
		}
		if need.whole {
			return true
		}
	}
	end, _ := m.scan(text, 0, false)
	if end == noMatch {
		return false
	}
	if end != undecided && m.re.relaxed == nil {
		return true
	}
	_, end = m.find(nil, text, 0, false)
	return end != noMatch
}

// Find answers the bounds of the first match that begins at or after pos. The
// text before pos is seen by assertions. ok is false when there is none.
func (m *Matcher) Find(text []byte, pos int, flags MatchFlags) (start, end int, ok bool) {
	start, end = m.search(nil, text, pos, flags)
	return start, end, end >= 0
}

// FindSubmatch is Find with groups: pairs of offsets, the whole match first, -1
// for a group that took no part, appended to dst[:0]; nil when there is no
// match.
func (m *Matcher) FindSubmatch(dst []int, text []byte, pos int, flags MatchFlags) []int {
	n := 2 + 2*m.re.groups
	if cap(dst) < n {
		dst = make([]int, n)
	}
	dst = dst[:n]
	for i := range dst {
		dst[i] = -1
	}
	start, end := m.search(dst[2:], text, pos, flags)
	if end < 0 {
		return nil
	}
	dst[0], dst[1] = start, end
	return dst
}

func (m *Matcher) search(slots []int, text []byte, pos int, flags MatchFlags) (start, end int) {
	if !m.tick(callWork) || pos > len(text) || !m.ready() {
		return 0, noMatch
	}
	if need := &m.re.need; need.text != "" {
		i := need.index(text[pos:])
		if i < 0 {
			return 0, noMatch
		}
		if need.whole {
			return pos + i, pos + i + len(need.text)
		}
	}
	return m.find(slots, text, pos, flags&NotBOL != 0)
}

// find searches without the help of a required literal.
func (m *Matcher) find(slots []int, text []byte, pos int, notBOL bool) (start, end int) {
	start, end = m.span(text, pos, notBOL)
	if end == undecided {
		start, end = m.simulate(text, pos, notBOL)
	}
	if end == noMatch || m.err != nil {
		return 0, noMatch
	}
	if m.re.relaxed != nil {
		// The relaxed match begins no later than the real one.
		if start, end = m.backtrack(slots, text, start, notBOL); m.err != nil {
			return 0, noMatch
		}
		return start, end
	}
	if len(slots) > 0 {
		m.captures(slots[:m.re.prog.slots], text, start, end, notBOL)
	}
	return start, end
}

// NextLine finds the first line with a match in a block of whole lines,
// looking from pos, the beginning of a line. The pattern must be compiled
// with Lines. The line is text[start:end] without its newline; the block may
// lack the last one.
func (m *Matcher) NextLine(text []byte, pos int) (start, end int, ok bool) {
	if m.re.set != nil {
		return m.re.set.nextLine(m, text, pos)
	}
	need := &m.re.need
	for m.err == nil && pos < len(text) {
		if need.text != "" && !m.common {
			i := need.index(text[pos:])
			if !m.tick(len(text)-pos) || i < 0 {
				return 0, 0, false
			}
			m.noteCandidate(i)
			start, end = lineAround(text, pos, pos+i)
			if need.whole || m.Match(text[start:end]) {
				return start, end, m.err == nil
			}
			pos = end + 1
			continue
		}
		found, at := m.scan(text, pos, false)
		if found == noMatch || at == len(text) && at > 0 && text[at-1] == '\n' {
			return 0, 0, false // no line begins after the last newline
		}
		start, end = lineAround(text, pos, at)
		if found >= 0 && m.re.relaxed == nil || m.Match(text[start:end]) {
			return start, end, m.err == nil
		}
		pos = end + 1
	}
	return 0, 0, false
}

// noteCandidate counts how far apart the lines are that hold the required
// literal. Where it is in nearly every line, the automaton alone is faster.
func (m *Matcher) noteCandidate(distance int) {
	if m.re.need.whole {
		return
	}
	m.candidates++
	m.distance += distance
	if m.candidates == 64 {
		m.common = m.distance < 64*200
		m.candidates, m.distance = 0, 0
	}
}

// lineAround answers the bounds of the line that holds offset at; no line
// begins before from.
func lineAround(text []byte, from, at int) (start, end int) {
	start = from + bytes.LastIndexByte(text[from:at], '\n') + 1
	end = len(text)
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	return start, end
}
