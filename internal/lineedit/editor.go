package lineedit

import (
	"strings"
)

// CompleteFunc answers the completions of the word that ends source: the byte
// offset where the word starts, and the candidates for it.
type CompleteFunc func(source string) (start int, words []string)

// Editor edits lines on a terminal that understands the cursor movements of
// ECMA-48, as every terminal of the last decades does. Keys are those of
// readline's emacs mode.
//
// A line begins with Start. Then bytes go in through Feed, and what is to be
// sent to the terminal comes out of Output. An Editor belongs to one
// goroutine.
type Editor struct {
	History  *History     // nil = none
	Complete CompleteFunc // nil = none

	decoder decoder
	buffer  buffer
	prompt  string
	width   int

	out    strings.Builder // not yet taken by Output
	cursor cell            // where the terminal's cursor is
	dirty  bool            // the screen does not show the buffer

	killed  []byte // what Ctrl-Y puts back
	killing bool   // the previous key killed: the next kill joins it
	literal bool   // Ctrl-V: the next byte is text
	tabs    int    // Tab keys in a row

	recall int    // index into History of the line shown; len = the draft
	draft  string // the line under edit while an older one is shown
	search *search
}

// Start begins a line behind a prompt on a terminal of width columns.
// Whatever was under edit is forgotten.
func (e *Editor) Start(prompt string, width int) {
	e.prompt = Prompt(prompt)
	e.width = max(width, 2)
	e.buffer = buffer{text: e.buffer.text[:0]}
	e.cursor = cell{}
	e.search, e.draft, e.killing, e.tabs = nil, "", false, 0
	if e.History != nil {
		e.recall = len(e.History.entries)
	}
	e.out.WriteString("\x1b[?2004h") // bracketed paste on
	e.redraw()
}

// Line is the text under edit; after Accept, the line that was entered.
func (e *Editor) Line() string { return string(e.buffer.text) }

// Output answers what is to be sent to the terminal since the last call.
func (e *Editor) Output() []byte {
	out := []byte(e.out.String())
	e.out.Reset()
	return out
}

// Resize tells that the terminal has another width.
func (e *Editor) Resize(width int) {
	if width = max(width, 2); width != e.width {
		// Terminals reflow in ways that differ; staying on the row of the
		// cursor never wipes what stands above the prompt.
		e.width = width
		e.cursor.row = min(e.cursor.row, e.rowAt(width))
		e.redraw()
	}
}

// rowAt is the row of the cursor if the terminal had laid the line out anew.
func (e *Editor) rowAt(width int) int {
	var scratch strings.Builder
	s := screen{width: width, out: &scratch}
	s.prompt(e.prompt)
	return s.write(e.buffer.text, e.buffer.pos).row
}

// Feed takes bytes from the terminal up to the first event, and answers how
// many it took.
func (e *Editor) Feed(p []byte) (n int, ev Event) {
	for n < len(p) && ev == None {
		if e.literal {
			e.literal = false
			e.insert(p[n : n+1])
			n++
			continue
		}
		k, text, took := e.decoder.next(p[n:])
		n += took
		ev = e.press(k, text)
	}
	switch {
	case ev != None:
		e.finish(ev)
	case e.dirty:
		e.redraw()
	}
	return n, ev
}

// press acts on one key.
func (e *Editor) press(k key, text []byte) Event {
	if k == keyNone {
		return None
	}
	if e.search != nil {
		if done, ev := e.searchKey(k, text); done {
			return ev
		}
	}
	wasKilling, tabs := e.killing, e.tabs
	e.killing, e.tabs = false, 0
	switch k {
	case keyText:
		e.insert(text)
	case keyControl:
		if text[0] == '\t' {
			e.tabs = tabs + 1
		}
		return e.control(text[0], wasKilling)
	case keyMeta:
		e.meta(text[0], wasKilling)
	case keyUp:
		e.older()
	case keyDown:
		e.newer()
	case keyLeft:
		e.moveTo(e.buffer.prev())
	case keyRight:
		e.moveTo(e.buffer.next())
	case keyHome:
		e.moveTo(0)
	case keyEnd:
		e.moveTo(len(e.buffer.text))
	case keyDelete:
		e.remove(e.buffer.pos, e.buffer.next())
	case keyWordLeft:
		e.moveTo(e.buffer.wordStart())
	case keyWordRight:
		e.moveTo(e.buffer.wordEnd())
	}
	return None
}

func ctrl(c byte) byte { return c & 0x1f }

// control acts on a control character.
func (e *Editor) control(c byte, wasKilling bool) Event {
	b := &e.buffer
	switch c {
	case '\r', '\n':
		return Accept
	case ctrl('C'):
		return Interrupt
	case ctrl('D'):
		if len(b.text) == 0 {
			return EOF
		}
		e.remove(b.pos, b.next())
	case ctrl('H'), 0x7f:
		e.remove(b.prev(), b.pos)
	case ctrl('A'):
		e.moveTo(0)
	case ctrl('E'):
		e.moveTo(len(b.text))
	case ctrl('B'):
		e.moveTo(b.prev())
	case ctrl('F'):
		e.moveTo(b.next())
	case ctrl('K'):
		e.kill(b.pos, len(b.text), wasKilling)
	case ctrl('U'):
		e.kill(0, b.pos, wasKilling)
	case ctrl('W'):
		e.kill(b.fieldStart(), b.pos, wasKilling)
	case ctrl('Y'):
		e.insert(e.killed)
	case ctrl('L'):
		e.out.WriteString("\x1b[H\x1b[2J")
		e.cursor, e.dirty = cell{}, true
	case ctrl('P'):
		e.older()
	case ctrl('N'):
		e.newer()
	case ctrl('R'):
		e.startSearch()
	case ctrl('V'):
		e.literal = true
	case ctrl('T'):
		e.transpose()
	case '\t':
		e.complete()
	}
	return None
}

// meta acts on ESC and a character.
func (e *Editor) meta(c byte, wasKilling bool) {
	b := &e.buffer
	switch c {
	case 'b', 'B':
		e.moveTo(b.wordStart())
	case 'f', 'F':
		e.moveTo(b.wordEnd())
	case 'd', 'D':
		e.kill(b.pos, b.wordEnd(), wasKilling)
	case ctrl('H'), 0x7f:
		e.kill(b.wordStart(), b.pos, wasKilling)
	case '<':
		for e.older() {
		}
	case '>':
		for e.newer() {
		}
	}
}

// insert puts text at the cursor. ASCII at the end of a row that has room is
// simply echoed; anything else draws the line anew, once per Feed.
func (e *Editor) insert(text []byte) {
	b := &e.buffer
	atEnd := b.pos == len(b.text)
	if !b.insert(text) {
		e.out.WriteByte(bel)
		return
	}
	if atEnd && !e.dirty && plain(text) == len(text) && e.cursor.col+len(text) < e.width {
		e.out.Write(text)
		e.cursor.col += len(text)
		return
	}
	e.dirty = true
}

func (e *Editor) moveTo(pos int) {
	if pos != e.buffer.pos {
		e.buffer.pos = pos
		e.dirty = true
	}
}

// remove deletes without keeping.
func (e *Editor) remove(from, to int) []byte {
	if from == to {
		return nil
	}
	e.dirty = true
	return e.buffer.cut(from, to)
}

// kill deletes for Ctrl-Y. Kills in a row are one.
func (e *Editor) kill(from, to int, join bool) {
	e.killing = true
	backward := to == e.buffer.pos
	text := e.remove(from, to)
	switch {
	case !join:
		e.killed = text
	case backward:
		e.killed = append(text, e.killed...)
	default:
		e.killed = append(e.killed, text...)
	}
	if len(e.killed) > MaxLine {
		e.killed = text
	}
}

// transpose swaps the characters around the cursor, as Ctrl-T does.
func (e *Editor) transpose() {
	b := &e.buffer
	if b.pos == 0 || b.prev() == 0 && b.pos == len(b.text) {
		return
	}
	if b.pos == len(b.text) {
		b.pos = b.prev()
	}
	end, start := b.next(), b.prev()
	before := b.cut(start, b.pos)
	b.pos = end - len(before)
	b.insert(before)
	e.dirty = true
}

func (e *Editor) older() bool { return e.show(e.recall - 1) }
func (e *Editor) newer() bool { return e.show(e.recall + 1) }

// show puts an entry of the history under edit; past the newest is the draft.
func (e *Editor) show(i int) bool {
	if e.History == nil || i < 0 || i > len(e.History.entries) {
		return false
	}
	if e.recall == len(e.History.entries) {
		e.draft = e.Line()
	}
	e.recall = i
	if i == len(e.History.entries) {
		e.buffer.set(e.draft)
	} else {
		e.buffer.set(e.History.entries[i])
	}
	e.dirty = true
	return true
}

// redraw writes the prompt and the line over what the screen shows.
func (e *Editor) redraw() {
	prompt, pos := e.prompt, e.buffer.pos
	if e.search != nil {
		prompt = e.search.prompt()
	}
	if e.cursor.row > 0 || e.cursor.col > 0 {
		move(&e.out, e.cursor, cell{})
		e.out.WriteString("\x1b[J")
	}
	s := screen{width: e.width, out: &e.out}
	s.prompt(prompt)
	at := s.write(e.buffer.text, pos)
	if s.at.col >= s.width {
		// The terminal waits in the last column: go where the next
		// character would appear.
		e.out.WriteString("\r\n")
		s.at = cell{s.at.row + 1, 0}
		if pos == len(e.buffer.text) {
			at = s.at
		}
	}
	if at != s.at {
		move(&e.out, s.at, at)
	}
	e.cursor = at
	e.dirty = false
}

// finish leaves the line on the screen as it is and goes below it.
func (e *Editor) finish(ev Event) {
	e.search = nil
	if end := len(e.buffer.text); e.dirty || e.buffer.pos != end {
		e.buffer.pos = end
		e.redraw()
	}
	if ev == Interrupt {
		e.out.WriteString("^C")
	}
	e.out.WriteString("\r\n\x1b[?2004l") // bracketed paste off
}

// sanitize keeps text from steering the terminal.
func sanitize(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, text)
}
