package lineedit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tabStop is the distance of a terminal's tab stops.
const tabStop = 8

// cell is a place on the screen, counted from where the prompt starts.
type cell struct{ row, col int }

// screen writes text as a terminal of a given width shows it, and knows where
// the cursor is after each character.
type screen struct {
	width int // > 0
	at    cell
	out   *strings.Builder
}

// put writes one character of text and moves on.
func (s *screen) put(c []byte, w int) {
	switch {
	case len(c) == 1 && c[0] == '\n':
		s.out.WriteString("\r\n")
		s.at = cell{s.at.row + 1, 0}
		return
	case len(c) == 1 && c[0] == '\t':
		for range tabStop - s.at.col%tabStop {
			s.printed(" ", 1)
		}
		return
	case len(c) == 1 && (c[0] < ' ' || c[0] == 0x7f):
		s.printed("^", 1)
		s.printed(string(rune(c[0]^0x40)), 1)
		return
	}
	s.printed(visible(c), w)
}

// visible answers a character as it may be sent to a terminal: what is not
// text (broken UTF-8, C1 controls) becomes U+FFFD.
func visible(c []byte) string {
	if len(c) == 1 && c[0] < utf8.RuneSelf {
		return string(c)
	}
	if !utf8.Valid(c) {
		return string(utf8.RuneError)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, string(c))
}

// printed accounts for a character of w cells, which moves to the next row
// when it does not fit into this one.
func (s *screen) printed(text string, w int) {
	if s.at.col+w > s.width && s.at.col > 0 {
		s.at = cell{s.at.row + 1, 0}
	}
	s.out.WriteString(text)
	s.at.col += w
}

// write writes text and answers where its byte at pos starts.
func (s *screen) write(text []byte, pos int) (at cell) {
	at = s.at
	for i := 0; i < len(text); {
		c, w := cluster(text[i:])
		if i <= pos {
			at = s.next(c, w)
		}
		s.put(c, w)
		i += len(c)
	}
	if pos >= len(text) {
		at = s.at
	}
	return at
}

// next is the cell in which a character would appear.
func (s *screen) next(c []byte, w int) cell {
	isNewline := len(c) == 1 && c[0] == '\n'
	if !isNewline && s.at.col+max(w, 1) > s.width && s.at.col > 0 {
		return cell{s.at.row + 1, 0}
	}
	return s.at
}

// move writes the sequences that bring the cursor from one cell to another.
func move(out *strings.Builder, from, to cell) {
	if up := from.row - to.row; up > 0 {
		fmt.Fprintf(out, "\x1b[%dA", up)
	} else if up < 0 {
		fmt.Fprintf(out, "\x1b[%dB", -up)
	}
	out.WriteByte('\r')
	if to.col > 0 {
		fmt.Fprintf(out, "\x1b[%dC", to.col)
	}
}

// columns lays words out in columns, down first, as readline lists
// completions.
func columns(words []string, width int) string {
	longest := 0
	widths := make([]int, len(words))
	shown := make([]string, len(words))
	for i, w := range words {
		var b strings.Builder
		s := screen{width: 1 << 30, out: &b}
		s.write([]byte(w), len(w))
		shown[i], widths[i] = b.String(), s.at.col
		longest = max(longest, widths[i])
	}
	perRow := max(1, width/(longest+2))
	rows := (len(words) + perRow - 1) / perRow
	var b strings.Builder
	for row := range rows {
		for i := row; i < len(words); i += rows {
			b.WriteString(shown[i])
			if i+rows < len(words) {
				b.WriteString(strings.Repeat(" ", longest+2-widths[i]))
			}
		}
		b.WriteString("\r\n")
	}
	return b.String()
}
