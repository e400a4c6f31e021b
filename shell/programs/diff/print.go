package diff

import (
	"fmt"
	"strconv"
	"strings"

	"mirage/shell/program/quote"
	"mirage/shell/programs/datetime"
)

// writer shows the changes of one pair.
type writer struct {
	*command
	*pair
	begun bool
	// functionAt and functionText are where the last function was looked
	// for, and what was found.
	functionAt   int
	functionText []byte
}

// Colors of --color.
const (
	headColor  = "\x1b[1m"
	lineColor  = "\x1b[36m"
	oldColor   = "\x1b[31m"
	newColor   = "\x1b[32m"
	colorReset = "\x1b[0m"
)

// hunks joins changes that are shown together.
func (c *command) hunks(changes []change) [][]change {
	var list [][]change
	for len(changes) > 0 {
		n := 1
		if c.style == contextual || c.style == unified {
			for n < len(changes) {
				prev, next := changes[n-1], changes[n]
				near := 2*c.context + 1
				if next.ignored {
					near = c.context
				}
				if next.x-prev.endX() >= near {
					break
				}
				n++
			}
		}
		list = append(list, changes[:n])
		changes = changes[n:]
	}
	return list
}

func (w *writer) write(changes []change) {
	switch w.style {
	case sideBySide:
		w.sideBySide(changes)
		return
	case ifdef:
		w.merged(changes)
		return
	}
	hunks := w.hunks(changes)
	if w.style == ed {
		for i, j := 0, len(hunks)-1; i < j; i, j = i+1, j-1 {
			hunks[i], hunks[j] = hunks[j], hunks[i]
		}
	}
	for _, hunk := range hunks {
		if w.ctx.Err() != nil || w.out.Err() != nil {
			return
		}
		kind := w.kind(&w.files, hunk)
		if kind == unchanged {
			continue
		}
		w.begin()
		switch w.style {
		case normal:
			w.normal(hunk[0], kind)
		case contextual:
			w.contextual(hunk, kind)
		case unified:
			w.unified(hunk)
		case ed, forwardEd:
			w.ed(hunk[0], kind)
		case rcs:
			w.rcs(hunk[0])
		}
	}
}

// begin prints what stands above the first change.
func (w *writer) begin() {
	if w.begun {
		return
	}
	w.begun = true
	if w.inDir {
		w.print("diff", w.switches, " ", cName(w.files[0].title()), " ", cName(w.files[1].title()), "\n")
	}
	switch w.style {
	case contextual:
		w.head("***", 0)
		w.head("---", 1)
	case unified:
		w.head("---", 0)
		w.head("+++", 1)
	}
}

// head prints the line of one file.
func (w *writer) head(mark string, i int) {
	f := &w.files[i]
	w.paint(headColor)
	if f.label != "" {
		w.print(mark, " ", f.label)
	} else {
		layout := "%Y-%m-%d %H:%M:%S.%N %z"
		if w.style == contextual {
			layout = w.contextTime
		}
		w.print(mark, " ", cName(f.name), "\t", datetime.Format(layout, f.modTime.In(w.inv.Location)))
	}
	w.paint(colorReset)
	w.print("\n")
}

// cName shows a file name; as a C string where it would confuse patch.
func cName(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '"' || r == '\\' || r == 0x7f }) {
		return s
	}
	return quote.Quoter{Style: quote.C, UTF8: true}.String(s)
}

// paint switches to a color, if there are colors.
func (w *writer) paint(color string) {
	if w.color {
		w.print(color)
	}
}

// lineRange shows lines from (counted from 0) to end as "3,5", "3", or the
// number of the line before for none.
func lineRange(sep string, from, end int) string {
	if end-from > 1 {
		return strconv.Itoa(from+1) + sep + strconv.Itoa(end)
	}
	return strconv.Itoa(end)
}

// letter names what a change does.
func letter(kind int) string { return "_dac"[kind : kind+1] }

// flagged prints a line behind a flag ("<") and a space.
func (w *writer) flagged(flag string, line []byte, color string) {
	if color != "" {
		w.paint(color)
	}
	switch {
	case w.suppressBlankEmpty && len(line) == 1 && line[0] == '\n':
		if flag != " " {
			w.print(flag)
		}
	case w.initialTab:
		w.print(flag, "\t")
	default:
		w.print(flag, " ")
	}
	w.finish(line, color, flag)
}

// finish prints the text of a line, ends its color and tells of a missing
// newline.
func (w *writer) finish(line []byte, color, flag string) {
	text, closed := line, false
	if n := len(line); n > 0 && line[n-1] == '\n' {
		text, closed = line[:n-1], true
	}
	w.text(text, flag)
	if color != "" {
		w.paint(colorReset)
	}
	w.print("\n")
	if !closed && w.robust() {
		w.print("\\ No newline at end of file\n")
	}
}

// text prints a line, tabs expanded with -t.
func (w *writer) text(text []byte, flag string) {
	if !w.expandTabs {
		_, _ = w.out.Write(text)
		return
	}
	column := 0
	for i, b := range text {
		switch {
		case b == '\t':
			n := w.tabSize - column%w.tabSize
			column += n
			for range n {
				_ = w.out.WriteByte(' ')
			}
			continue
		case b == '\r':
			_ = w.out.WriteByte('\r')
			if flag != "" && i+1 < len(text) {
				sep := " "
				if w.initialTab {
					sep = "\t"
				}
				w.print(flag, sep)
			}
			column = 0
			continue
		case b == '\b':
			if column == 0 {
				continue
			}
			column--
		case b >= ' ' && b < 0x7f:
			column++
		}
		_ = w.out.WriteByte(b)
	}
}

// each goes through lines of one file until the run is over.
func (w *writer) each(file, from, end int, f func(line []byte)) {
	for i := from; i < end; i++ {
		if i%256 == 0 && (w.ctx.Err() != nil || w.out.Err() != nil) {
			return
		}
		f(w.files[file].line(i))
	}
}

// normal prints a change in the default style.
func (w *writer) normal(ch change, kind int) {
	w.paint(lineColor)
	w.print(lineRange(",", ch.x, ch.endX()), letter(kind), lineRange(",", ch.y, ch.endY()))
	w.paint(colorReset)
	w.print("\n")
	w.each(0, ch.x, ch.endX(), func(line []byte) { w.flagged("<", line, oldColor) })
	if kind == both {
		w.print("---\n")
	}
	w.each(1, ch.y, ch.endY(), func(line []byte) { w.flagged(">", line, newColor) })
}

// ed prints a change as commands for ed; in the forward style they cannot run.
func (w *writer) ed(ch change, kind int) {
	if w.style == forwardEd {
		w.print(letter(kind), lineRange(" ", ch.x, ch.endX()), "\n")
		if kind == onlyOld {
			return
		}
		w.each(1, ch.y, ch.endY(), func(line []byte) { w.finish(line, "", "") })
		w.print(".\n")
		return
	}
	w.print(lineRange(",", ch.x, ch.endX()), letter(kind), "\n")
	if kind == onlyOld {
		return
	}
	inserting := true
	w.each(1, ch.y, ch.endY(), func(line []byte) {
		if !inserting {
			w.print("a\n")
			inserting = true
		}
		if strings.TrimSuffix(string(line), "\n") == "." {
			// A line of one dot ends the input mode.
			w.print("..\n.\ns/.//\n")
			inserting = false
			return
		}
		w.finish(line, "", "")
	})
	if inserting {
		w.print(".\n")
	}
}

// rcs prints a change as RCS keeps it.
func (w *writer) rcs(ch change) {
	if ch.deleted > 0 {
		w.print(fmt.Sprintf("d%d %d\n", ch.x+1, ch.deleted))
	}
	if ch.inserted > 0 {
		w.print(fmt.Sprintf("a%d %d\n", ch.endX(), ch.inserted))
		w.each(1, ch.y, ch.endY(), func(line []byte) { _, _ = w.out.Write(line) })
	}
}
