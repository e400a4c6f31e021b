package lineedit

import (
	"bytes"
	"unicode/utf8"
)

// key is a key press, or text.
type key int

const (
	keyNone    key = iota // nothing complete yet, or something unknown
	keyText               // text to insert
	keyControl            // a control character
	keyMeta               // ESC and a character
	keyUp
	keyDown
	keyLeft
	keyRight
	keyHome
	keyEnd
	keyDelete
	keyWordLeft
	keyWordRight
)

var (
	pasteStart = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// maxSequence is the most bytes of an escape sequence that are kept; longer
// ones are swallowed all the same.
const maxSequence = 32

// decoder splits what a terminal sends into keys. Sequences may be cut
// anywhere between calls.
type decoder struct {
	seq      []byte // an unfinished escape sequence or UTF-8 character
	overlong bool   // seq had more bytes than are kept
	pasting  bool
}

// next decodes one key from p and answers how many bytes it took. text is the
// text of keyText (pasted with newlines), the character of keyControl and
// keyMeta.
func (d *decoder) next(p []byte) (k key, text []byte, n int) {
	if d.pasting {
		return d.paste(p)
	}
	if len(d.seq) == 0 {
		if n = plain(p); n > 0 {
			return keyText, p[:n], n
		}
	}
	c := p[0]
	if len(d.seq) > 0 && d.seq[0] != 0x1b {
		return d.character(c)
	}
	if len(d.seq) > 0 {
		return d.escape(c)
	}
	switch {
	case c == 0x1b || c >= utf8.RuneSelf:
		d.seq = append(d.seq, c)
		if c >= utf8.RuneSelf && utf8.FullRune(d.seq) {
			return d.character(0)
		}
		return keyNone, nil, 1
	default:
		return keyControl, p[:1], 1
	}
}

// plain counts the bytes at the start of p that are printable ASCII.
func plain(p []byte) int {
	for i, c := range p {
		if c < ' ' || c >= 0x7f {
			return i
		}
	}
	return len(p)
}

// character goes on with a UTF-8 character. A byte that cannot be part of it
// ends it and is not taken (n is 0). Zero means that seq is full already.
func (d *decoder) character(c byte) (k key, text []byte, n int) {
	n = 1
	if c != 0 {
		if utf8.RuneStart(c) {
			n = 0
		} else {
			d.seq = append(d.seq, c)
			if !utf8.FullRune(d.seq) {
				return keyNone, nil, 1
			}
		}
	}
	text = append([]byte(nil), d.seq...)
	d.seq = d.seq[:0]
	return keyText, text, n
}

// escape goes on with an escape sequence: ESC c, ESC O c, ESC [ ... final.
func (d *decoder) escape(c byte) (key, []byte, int) {
	if len(d.seq) < maxSequence {
		d.seq = append(d.seq, c)
	} else {
		d.overlong = true
	}
	second := c
	if len(d.seq) > 1 {
		second = d.seq[1]
	}
	switch {
	case second != '[' && second != 'O':
		d.reset()
		if c == 0x1b {
			d.seq = append(d.seq, c) // ESC ESC: the second may start anew
			return keyNone, nil, 1
		}
		return keyMeta, []byte{c}, 1
	case len(d.seq) == 2:
		return keyNone, nil, 1
	case c < ' ' || c == 0x7f:
		// A control character breaks a sequence off and counts by itself.
		d.reset()
		return keyNone, nil, 0
	case second == '[' && (c < 0x40 || c > 0x7e):
		return keyNone, nil, 1 // a parameter
	}
	seq := append([]byte(nil), d.seq...)
	overlong := d.overlong
	d.reset()
	if overlong {
		return keyNone, nil, 1
	}
	if bytes.Equal(seq, pasteStart) {
		d.pasting = true
		return keyNone, nil, 1
	}
	return named(string(seq[1:])), nil, 1
}

func (d *decoder) reset() {
	d.seq = d.seq[:0]
	d.overlong = false
}

// named answers the key of a sequence without its ESC, as xterm, VT100, rxvt
// and the Linux console send them.
func named(seq string) key {
	switch seq {
	case "[A", "OA":
		return keyUp
	case "[B", "OB":
		return keyDown
	case "[C", "OC":
		return keyRight
	case "[D", "OD":
		return keyLeft
	case "[H", "OH", "[1~", "[7~":
		return keyHome
	case "[F", "OF", "[4~", "[8~":
		return keyEnd
	case "[3~":
		return keyDelete
	case "[1;5C", "[1;3C", "Oc":
		return keyWordRight
	case "[1;5D", "[1;3D", "Od":
		return keyWordLeft
	}
	return keyNone
}

// paste answers pasted text up to the end mark, of which a part may have to
// wait for the rest.
func (d *decoder) paste(p []byte) (key, []byte, int) {
	joined := append(append([]byte(nil), d.seq...), p...)
	held := len(d.seq)
	d.seq = d.seq[:0]
	if i := bytes.Index(joined, pasteEnd); i >= 0 {
		d.pasting = false
		return keyText, pasted(joined[:i]), i + len(pasteEnd) - held
	}
	keep := 0
	for k := min(len(pasteEnd)-1, len(joined)); k > 0; k-- {
		if bytes.HasPrefix(pasteEnd, joined[len(joined)-k:]) {
			keep = k
			break
		}
	}
	d.seq = append(d.seq, joined[len(joined)-keep:]...)
	return keyText, pasted(joined[:len(joined)-keep]), len(p)
}

// pasted turns the line ends of pasted text into newlines.
func pasted(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
}
