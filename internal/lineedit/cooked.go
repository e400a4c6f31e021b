package lineedit

import (
	"unicode/utf8"
)

// Cooked is the canonical mode of a terminal: bytes are echoed and gathered
// into lines, which Backspace and Ctrl-U edit. The zero Cooked has no limit
// and drops what has no meaning in a line. It belongs to one goroutine.
type Cooked struct {
	// Limit is the most bytes of a line before its end; further ones are
	// rung with BEL and dropped. Zero means MaxLine.
	Limit int
	// Controls keeps control characters and escape sequences as text, for
	// commands that read the terminal. Otherwise they are swallowed.
	Controls bool

	line   []byte
	escape escapeState
	afterC bool // the last byte was CR: an LF belongs to it
}

type escapeState int

const (
	notEscape  escapeState = iota
	escapeSeen             // ESC
	escapeCSI              // ESC [ parameters
	escapeSS3              // ESC O
)

// Feed takes one byte. echo is what to send to the terminal. On Accept, Take
// answers the line.
func (c *Cooked) Feed(b byte) (echo string, ev Event) {
	wasCR := c.afterC
	c.afterC = b == '\r'
	if !c.Controls && c.swallow(b) {
		return "", None
	}
	switch b {
	case '\n', '\r':
		if b == '\n' && wasCR {
			return "", None
		}
		return "\r\n", Accept
	case ctrl('C'):
		c.line = c.line[:0]
		return "^C", Interrupt
	case ctrl('\\'):
		c.line = c.line[:0]
		return "^\\", Quit
	case ctrl('Z'):
		c.line = c.line[:0]
		return "^Z", Suspend
	case ctrl('D'):
		if len(c.line) == 0 {
			return "", EOF
		}
		if c.Controls {
			return "", Accept // hands over what is there, without a newline
		}
		return "", None
	case 0x7f, '\b':
		return c.erase(), None
	case ctrl('U'):
		for len(c.line) > 0 {
			echo += c.erase()
		}
		return echo, None
	}
	return c.add(b), None
}

// Take answers the line gathered so far, without a line end, and starts a new
// one.
func (c *Cooked) Take() []byte {
	line := c.line
	c.line = nil
	return line
}

// swallow reports whether a byte is part of an escape sequence.
func (c *Cooked) swallow(b byte) bool {
	switch c.escape {
	case notEscape:
		if b != 0x1b {
			return false
		}
		c.escape = escapeSeen
	case escapeSeen:
		switch b {
		case '[':
			c.escape = escapeCSI
		case 'O':
			c.escape = escapeSS3
		case 0x1b:
		default:
			c.escape = notEscape
			return b >= ' ' && b < 0x7f // Meta and a character
		}
	case escapeSS3:
		c.escape = notEscape
		return b >= ' '
	case escapeCSI:
		if b >= 0x40 && b <= 0x7e {
			c.escape = notEscape
		}
		if b < ' ' {
			c.escape = notEscape
			return false
		}
	}
	return true
}

func (c *Cooked) add(b byte) (echo string) {
	limit := c.Limit
	if limit == 0 {
		limit = MaxLine
	}
	control := b < ' ' && b != '\t'
	if control && !c.Controls {
		return ""
	}
	if len(c.line) >= limit {
		return string(rune(bel))
	}
	c.line = append(c.line, b)
	if control {
		return string([]byte{'^', b ^ 0x40})
	}
	return string([]byte{b})
}

// erase removes the last character and answers what removes it from the
// screen.
func (c *Cooked) erase() (echo string) {
	if len(c.line) == 0 {
		return ""
	}
	_, n := utf8.DecodeLastRune(c.line)
	last := c.line[len(c.line)-n:]
	_, cells := cluster(last)
	if last[0] < ' ' && last[0] != '\t' {
		cells = 2 // ^X
	}
	c.line = c.line[:len(c.line)-n]
	for range cells {
		echo += "\b \b"
	}
	return echo
}
