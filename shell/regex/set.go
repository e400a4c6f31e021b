package regex

import "bytes"

// stringSet finds any of many strings in a text, by the automaton of Aho and
// Corasick: a trie whose nodes know where to go on when no edge fits. It is
// built at once and its size is that of the strings, where the automaton of a
// pattern grows with what it meets.
type stringSet struct {
	root  [256]uint32 // children of the root; 0 for none
	nodes []setNode
	edges []setEdge
	fold  bool // ASCII case is ignored; the strings are in lower case
	empty bool // the empty string is among them
	// lines holds the strings where whole lines are wanted.
	lines map[string]struct{}
}

type setNode struct {
	first, count uint32 // of edges
	fail         uint32
	ends         bool // a string ends here, or at a node of the chain of fail
}

type setEdge struct {
	c  byte
	to uint32
}

// minSetSize is how many strings make a set worth building.
const minSetSize = 16

// newStringSet builds a set.
func newStringSet(words []string, fold, wholeLines bool) *stringSet {
	s := &stringSet{fold: fold}
	if wholeLines {
		s.lines = make(map[string]struct{}, len(words))
		for _, w := range words {
			s.lines[s.lower(w)] = struct{}{}
		}
		return s
	}
	// The trie, with the children of a node as a list through siblings.
	type trieNode struct {
		child, sibling uint32
		c              byte
		ends           bool
	}
	trie := make([]trieNode, 1, 1024)
	for _, w := range words {
		if w == "" {
			s.empty = true
		}
		at := uint32(0)
		for i := range len(w) {
			c := w[i]
			if fold {
				c = lower(c)
			}
			next := trie[at].child
			if at == 0 {
				next = s.root[c]
			}
			for next != 0 && trie[next].c != c {
				next = trie[next].sibling
			}
			if next == 0 {
				next = uint32(len(trie))
				trie = append(trie, trieNode{c: c})
				if at == 0 {
					s.root[c] = next
				} else {
					trie[next].sibling = trie[at].child
					trie[at].child = next
				}
			}
			at = next
		}
		trie[at].ends = true
	}
	s.nodes = make([]setNode, len(trie))
	s.edges = make([]setEdge, 0, len(trie))
	queue := make([]uint32, 0, len(trie))
	for _, n := range s.root {
		if n != 0 {
			queue = append(queue, n)
			s.nodes[n].ends = trie[n].ends
		}
	}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		n := &s.nodes[at]
		n.first = uint32(len(s.edges))
		for child := trie[at].child; child != 0; child = trie[child].sibling {
			c := trie[child].c
			s.edges = append(s.edges, setEdge{c, child})
			n.count++
			fail := s.step(n.fail, c)
			s.nodes[child].fail = fail
			s.nodes[child].ends = trie[child].ends || s.nodes[fail].ends
			queue = append(queue, child)
		}
	}
	return s
}

// step follows a byte from a node.
func (s *stringSet) step(at uint32, c byte) uint32 {
	for at != 0 {
		n := &s.nodes[at]
		for _, e := range s.edges[n.first : n.first+n.count] {
			if e.c == c {
				return e.to
			}
		}
		at = n.fail
	}
	return s.root[c]
}

// index answers where the earliest-ending occurrence of a string ends, -1 when
// there is none.
func (s *stringSet) index(text []byte) int {
	if s.empty {
		return 0
	}
	at := uint32(0)
	for i, c := range text {
		if s.fold {
			c = lower(c)
		}
		if at == 0 {
			at = s.root[c]
		} else {
			at = s.step(at, c)
		}
		if at != 0 && s.nodes[at].ends {
			return i + 1
		}
	}
	return -1
}

func (s *stringSet) lower(w string) string {
	if !s.fold {
		return w
	}
	b := []byte(w)
	for i, c := range b {
		b[i] = lower(c)
	}
	return string(b)
}

// holds tells whether a line is one of the strings.
func (s *stringSet) holds(line []byte) bool {
	if s.fold {
		line = []byte(s.lower(string(line)))
	}
	_, ok := s.lines[string(line)]
	return ok
}

// nextLine is Matcher.NextLine for a set.
func (s *stringSet) nextLine(m *Matcher, text []byte, pos int) (start, end int, ok bool) {
	for pos < len(text) && m.tick(1) {
		if s.lines != nil {
			start, end = pos, len(text)
			if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
				end = pos + i
			}
			if s.holds(text[start:end]) {
				return start, end, true
			}
		} else {
			stop := min(len(text), pos+blockSize)
			if i := bytes.IndexByte(text[stop:], '\n'); i >= 0 {
				stop += i + 1
			} else {
				stop = len(text)
			}
			i := s.index(text[pos:stop])
			if !m.tick(stop - pos) {
				return 0, 0, false
			}
			if i < 0 {
				pos = stop
				continue
			}
			at := pos + i
			if at > pos {
				at-- // within the string, so within its line
			}
			start, end = lineAround(text, pos, at)
			if !m.re.verify || m.Match(text[start:end]) {
				return start, end, m.err == nil
			}
		}
		pos = end + 1
	}
	return 0, 0, false
}
