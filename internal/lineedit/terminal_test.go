package lineedit

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// terminal is a small model of a real one: rows of cells, a cursor that waits
// in the last column before it wraps, and the sequences that Editor sends.
type terminal struct {
	width    int
	rows     [][]string // "" is the right half of a wide character
	row, col int
	bells    int
	unknown  []string
}

func (t *terminal) cell(row, col int) *string {
	for len(t.rows) <= row {
		line := make([]string, t.width)
		for i := range line {
			line[i] = " "
		}
		t.rows = append(t.rows, line)
	}
	return &t.rows[row][col]
}

func (t *terminal) Write(p []byte) (int, error) {
	s := string(p)
	for s != "" {
		switch s[0] {
		case '\r':
			t.col = 0
		case '\n':
			t.row++
		case '\a':
			t.bells++
		case '\b':
			t.col = max(0, min(t.col, t.width-1)-1)
		case 0x1b:
			s = t.escape(s)
			continue
		default:
			c, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
			t.print(c, w)
			s = s[len(c):]
			continue
		}
		s = s[1:]
	}
	return len(p), nil
}

func (t *terminal) print(c string, w int) {
	if w == 0 {
		return
	}
	if t.col+w > t.width {
		t.row, t.col = t.row+1, 0
	}
	*t.cell(t.row, t.col) = c
	for i := 1; i < w && t.col+i < t.width; i++ {
		*t.cell(t.row, t.col+i) = ""
	}
	t.col += w
}

func (t *terminal) escape(s string) string {
	end := strings.IndexFunc(s[2:], func(r rune) bool { return r >= 0x40 && r <= 0x7e }) + 2
	arg, final := s[2:end], s[end]
	n, err := strconv.Atoi(arg)
	if err != nil {
		n = 1
	}
	switch {
	case arg == "?2004":
	case final == 'A':
		t.row = max(0, t.row-n)
	case final == 'B':
		t.row += n
	case final == 'C':
		t.col = min(t.col+n, t.width-1)
	case final == 'H':
		t.row, t.col = 0, 0
	case final == 'J':
		if arg == "2" {
			t.rows = nil
			break
		}
		t.cell(t.row, 0)
		for i := min(t.col, t.width); i < t.width; i++ {
			*t.cell(t.row, i) = " "
		}
		t.rows = t.rows[:t.row+1]
	default:
		t.unknown = append(t.unknown, s[:end+1])
	}
	return s[end+1:]
}

// text answers the rows without trailing blanks.
func (t *terminal) text() string {
	var lines []string
	for _, row := range t.rows {
		lines = append(lines, strings.TrimRight(strings.Join(row, ""), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
