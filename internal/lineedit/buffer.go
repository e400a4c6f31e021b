package lineedit

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// buffer is the text under edit and the cursor, a byte offset that always
// stands between two characters as people see them (grapheme clusters).
type buffer struct {
	text []byte
	pos  int
}

func (b *buffer) set(s string) {
	b.text = append(b.text[:0], s...)
	b.pos = len(b.text)
}

// insert puts s at the cursor; false when it does not fit.
func (b *buffer) insert(s []byte) bool {
	if len(b.text)+len(s) > MaxLine {
		return false
	}
	b.text = append(b.text, s...)
	copy(b.text[b.pos+len(s):], b.text[b.pos:])
	copy(b.text[b.pos:], s)
	b.pos += len(s)
	return true
}

// cut removes the bytes of [from, to) and answers a copy of them.
func (b *buffer) cut(from, to int) []byte {
	removed := append([]byte(nil), b.text[from:to]...)
	b.text = append(b.text[:from], b.text[to:]...)
	b.pos = from
	return removed
}

// next is the offset after the character at the cursor.
func (b *buffer) next() int {
	c, _ := cluster(b.text[b.pos:])
	return b.pos + len(c)
}

// prev is the offset of the character before the cursor.
func (b *buffer) prev() int {
	if b.pos == 0 {
		return 0
	}
	// An ASCII character always starts a cluster, so that counting may begin
	// at the nearest one. A longer run than any writing system has is cut at
	// a rune.
	const longest = 256
	at := b.pos - 1
	for at > 0 && b.text[at] >= utf8.RuneSelf && b.pos-at < longest {
		at--
	}
	for at > 0 && !utf8.RuneStart(b.text[at]) {
		at--
	}
	for {
		c, _ := cluster(b.text[at:])
		if at+len(c) >= b.pos || len(c) == 0 {
			return at
		}
		at += len(c)
	}
}

// wordEnd and wordStart move as Meta-f and Meta-b of readline do: a word is
// letters and digits.
func (b *buffer) wordEnd() int {
	return b.scanRight(b.scanRight(b.pos, false), true)
}

func (b *buffer) wordStart() int {
	return b.scanLeft(b.scanLeft(b.pos, isNotWord), isWord)
}

// fieldStart moves as Ctrl-W does: a word is anything but blanks.
func (b *buffer) fieldStart() int {
	return b.scanLeft(b.scanLeft(b.pos, unicode.IsSpace), func(r rune) bool { return !unicode.IsSpace(r) })
}

func isWord(r rune) bool    { return unicode.IsLetter(r) || unicode.IsDigit(r) }
func isNotWord(r rune) bool { return !isWord(r) }

func (b *buffer) scanRight(i int, word bool) int {
	for i < len(b.text) {
		r, n := utf8.DecodeRune(b.text[i:])
		if isWord(r) != word {
			break
		}
		i += n
	}
	return i
}

func (b *buffer) scanLeft(i int, while func(rune) bool) int {
	for i > 0 {
		r, n := utf8.DecodeLastRune(b.text[:i])
		if !while(r) {
			break
		}
		i -= n
	}
	return i
}

// cluster answers the first character of text as people see it, and how many
// cells it takes.
func cluster(text []byte) (c []byte, width int) {
	if len(text) == 0 {
		return nil, 0
	}
	if text[0] < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return text[:1], 1 // control characters are the layout's matter
	}
	r, n := utf8.DecodeRune(text)
	if n <= 1 && r == utf8.RuneError || unicode.IsControl(r) {
		return text[:n], 1 // shown as U+FFFD
	}
	// Clusters are short; looking at a piece keeps long lines cheap.
	piece := text[:min(len(text), 128)]
	c, width = ansi.FirstGraphemeCluster(piece, ansi.GraphemeWidth)
	if len(c) == 0 {
		return text[:1], 1
	}
	return c, width
}
