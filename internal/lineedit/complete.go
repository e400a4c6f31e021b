package lineedit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// askAbove is how many completions are listed without more ado; of more, only
// the number is told.
const askAbove = 200

// complete acts on Tab: it inserts what all candidates share; a second Tab in
// a row lists them.
func (e *Editor) complete() {
	if e.Complete == nil {
		return
	}
	b := &e.buffer
	source := string(b.text[:b.pos])
	start, words := e.Complete(source)
	if len(words) == 0 || start < 0 || start > b.pos {
		e.out.WriteByte(bel)
		return
	}
	typed := source[start:]
	insert := commonPrefix(words)
	if len(words) == 1 && !strings.HasSuffix(insert, "/") && !strings.HasSuffix(insert, " ") {
		insert += " "
	}
	if insert != typed && len(insert) >= len(typed) {
		b.cut(start, b.pos)
		if !b.insert([]byte(insert)) {
			e.out.WriteByte(bel)
		}
		e.dirty = true
		e.tabs = 0
		return
	}
	if len(words) == 1 {
		return
	}
	if e.tabs < 2 {
		e.out.WriteByte(bel)
		return
	}
	e.list(words)
}

// list shows the candidates below the line, which is then drawn anew.
func (e *Editor) list(words []string) {
	pos := e.buffer.pos
	e.buffer.pos = len(e.buffer.text)
	e.redraw()
	e.buffer.pos = pos
	e.out.WriteString("\r\n")
	if len(words) > askAbove {
		fmt.Fprintf(&e.out, "(%d possibilities)\r\n", len(words))
	} else {
		names := make([]string, len(words))
		for i, w := range words {
			names[i] = lastElement(w)
		}
		e.out.WriteString(columns(names, e.width))
	}
	e.cursor, e.dirty = cell{}, true
}

// lastElement is what a list shows of a path: readline leaves out the
// directories.
func lastElement(word string) string {
	trimmed := strings.TrimRight(word, "/ ")
	return word[strings.LastIndexByte(trimmed, '/')+1:]
}

// commonPrefix answers the longest prefix of all words, in whole characters.
func commonPrefix(words []string) string {
	prefix := words[0]
	for _, w := range words[1:] {
		n := 0
		for n < len(prefix) && n < len(w) && prefix[n] == w[n] {
			n++
		}
		prefix = prefix[:n]
	}
	for len(prefix) > 0 && !utf8.ValidString(prefix) && utf8.ValidString(words[0]) {
		prefix = prefix[:len(prefix)-1]
	}
	return prefix
}
