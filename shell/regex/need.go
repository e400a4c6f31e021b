package regex

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// literal is a string that every match contains. Searching for it is much
// faster than running an automaton.
type literal struct {
	text  string
	whole bool // the pattern is this string and nothing else
	fold  bool // ASCII letters may have either case; text has them in lower case
	rare  int  // with fold: offset of the byte in text to look for first
}

// requiredLiteral finds the longest string that every match of n contains.
func requiredLiteral(n *node, flags Flags) literal {
	f := literalFinder{utf8: flags&UTF8 != 0, whole: true}
	f.walk(n)
	f.cut()
	l := f.best
	l.whole = f.whole && l.text != ""
	if l.fold {
		for i := range len(l.text) {
			if rarity(l.text[i]) > rarity(l.text[l.rare]) {
				l.rare = i
			}
		}
	}
	return l
}

// rarity ranks bytes by how seldom they are in text.
func rarity(c byte) int {
	if i := strings.IndexByte(" etaoinsrhldcumfpgwybvkxjqz", c); i >= 0 {
		return i
	}
	return 20
}

// literalFinder collects runs of single characters.
type literalFinder struct {
	utf8  bool
	run   []byte
	fold  bool // run has letters of either case
	best  literal
	whole bool // so far, run is all there is
}

func (f *literalFinder) cut() {
	if len(f.run) > len(f.best.text) {
		f.best = literal{text: string(f.run), fold: f.fold}
	}
	f.run, f.fold = f.run[:0], false
}

func (f *literalFinder) walk(n *node) {
	switch n.op {
	case opChars:
		f.chars(n.chars)
	case opConcat:
		for _, s := range n.subs {
			f.walk(s)
		}
	case opGroup:
		f.whole = false // its position is wanted
		f.walk(n.subs[0])
	case opRepeat:
		f.whole = false
		if n.min > 0 {
			f.walk(n.subs[0])
		}
		f.cut()
	case opAssert:
		f.whole = false // the text between stays contiguous
	case opEmpty:
	default:
		f.whole = false
		f.cut()
	}
}

func (f *literalFinder) chars(set charSet) {
	c, ok := set.single()
	if !ok {
		if c, ok = set.bothCases(); ok {
			f.fold = true
		}
	}
	switch {
	case !ok:
		f.whole = false
		f.cut()
	case !f.utf8:
		f.run = append(f.run, byte(c))
	case c >= rawByte:
		f.run = append(f.run, byte(c-rawByte))
	default:
		f.run = utf8.AppendRune(f.run, c)
	}
}

// bothCases answers the small letter of a set that holds it and its capital.
func (s charSet) bothCases() (rune, bool) {
	if len(s) != 2 || s[0].lo != s[0].hi || s[1].lo != s[1].hi {
		return 0, false
	}
	if c := s[1].lo; 'a' <= c && c <= 'z' && s[0].lo == c-'a'+'A' {
		return c, true
	}
	return 0, false
}

// index finds the literal in a text.
func (l *literal) index(text []byte) int {
	if !l.fold {
		return bytes.Index(text, []byte(l.text))
	}
	small := l.text[l.rare]
	capital := small
	if 'a' <= small && small <= 'z' {
		capital -= 'a' - 'A'
	}
	// Each letter is looked for within a window, so that a text that has but
	// one of them is not searched to its end for the other.
	for from := l.rare; from < len(text); {
		window := text[from:min(from+foldWindow, len(text))]
		s, c := indexOrLen(window, small), indexOrLen(window, capital)
		for min(s, c) < len(window) {
			at := min(s, c)
			start := from + at - l.rare
			if start+len(l.text) > len(text) {
				return -1
			}
			if equalFold(text[start:start+len(l.text)], l.text) {
				return start
			}
			if s == at {
				s += 1 + indexOrLen(window[s+1:], small)
			} else {
				c += 1 + indexOrLen(window[c+1:], capital)
			}
			if small == capital {
				c = len(window)
			}
		}
		from += len(window)
	}
	return -1
}

// foldWindow is how far a search looks for one of two letters at once.
const foldWindow = 2048

// indexOrLen is the first place of a byte, or the length when there is none.
func indexOrLen(p []byte, c byte) int {
	if i := bytes.IndexByte(p, c); i >= 0 {
		return i
	}
	return len(p)
}

// equalFold compares p with s, which is in lower case.
func equalFold(p []byte, s string) bool {
	for i, c := range p {
		if lower(c) != s[i] {
			return false
		}
	}
	return true
}
