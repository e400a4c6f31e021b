package tree

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mirage/internal/unixmode"
	"mirage/shell/programs/datetime"
)

// printer writes a listing. Every entry is entered, then its own entries are,
// then it is left; last tells that no other one of its directory follows.
type printer interface {
	begin()
	enter(e *entry, trail []bool, last bool)
	leave(e *entry, trail []bool, last bool)
	end()
}

func (l *lister) printer() printer {
	switch l.format {
	case "J":
		return &jsonPrinter{l}
	case "X":
		return &xmlPrinter{l}
	}
	return &textPrinter{l}
}

// textPrinter draws the tree.
type textPrinter struct{ *lister }

// strokes are what the lines are drawn with: past a level where more follows,
// past one where nothing does, before an entry, before the last one.
type strokes struct{ past, blank, entry, last string }

func (l *lister) strokes() strokes {
	switch {
	case l.lines == "A":
		return strokes{"x   ", "    ", "tqq ", "mqq "}
	case l.lines == "S":
		return strokes{"\xb3   ", "    ", "\xc3\xc4\xc4 ", "\xc0\xc4\xc4 "}
	case strings.EqualFold(l.charset, "UTF-8"), strings.EqualFold(l.charset, "UTF8"):
		return strokes{"│\u00a0\u00a0 ", "    ", "├── ", "└── "}
	}
	return strokes{"|   ", "    ", "|-- ", "`-- "}
}

func (t *textPrinter) begin() {}

func (t *textPrinter) enter(e *entry, trail []bool, last bool) {
	meta := t.meta(e)
	if meta != "" {
		meta = "[" + meta + "]  "
	}
	if t.metaFirst {
		t.out.WriteString(meta)
	}
	if !t.noIndent && len(trail) > 0 {
		t.indent(trail, last)
	}
	if !t.metaFirst {
		t.out.WriteString(meta)
	}
	t.out.WriteString(t.name(e.name))
	if e.info.IsLink() {
		t.out.WriteString(" -> " + t.name(e.info.Target))
	}
	if t.classify {
		t.out.WriteString(e.class())
	}
	if e.fault != "" {
		t.out.WriteString("  [" + e.fault + "]")
	}
	t.out.WriteByte('\n')
}

// indent draws the lines before an entry. The level of the operand has none.
func (t *textPrinter) indent(trail []bool, last bool) {
	s := t.strokes()
	if t.lines == "A" {
		t.out.WriteString("\x1b(0")
		defer t.out.WriteString("\x1b(B")
	}
	for _, more := range trail[1:] {
		if more {
			t.out.WriteString(s.past)
		} else {
			t.out.WriteString(s.blank)
		}
	}
	if last {
		t.out.WriteString(s.last)
	} else {
		t.out.WriteString(s.entry)
	}
}

func (t *textPrinter) leave(*entry, []bool, bool) {}

func (t *textPrinter) end() {
	if t.noReport {
		return
	}
	t.out.WriteByte('\n')
	if t.usage {
		t.out.WriteString(t.sizeField(t.total))
		if !t.human {
			t.out.WriteString(" bytes")
		}
		t.out.WriteString(" used in ")
	}
	t.out.WriteString(plural(t.dirs, "directory", "directories"))
	if !t.dirsOnly {
		t.out.WriteString(", " + plural(t.files, "file", "files"))
	}
	t.out.WriteByte('\n')
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// meta answers what the options want to know of a file, without brackets.
func (l *lister) meta(e *entry) string {
	var b strings.Builder
	if l.inode {
		fmt.Fprintf(&b, " %7d", e.info.Ino)
	}
	if l.device {
		fmt.Fprintf(&b, " %3d", e.info.Dev)
	}
	if l.protection {
		b.WriteString(" " + unixmode.String(e.info.Mode))
	}
	if l.owner {
		fmt.Fprintf(&b, " %-8.32s", l.inv.Owner(e.info.UID))
	}
	if l.group {
		fmt.Fprintf(&b, " %-8.32s", l.inv.Group(e.info.GID))
	}
	if l.size {
		b.WriteString(l.sizeField(e.size))
	}
	if l.date {
		b.WriteString(" " + l.time(e))
	}
	return strings.TrimPrefix(b.String(), " ")
}

// sizeField is a size with the blanks before it.
func (l *lister) sizeField(n int64) string {
	if !l.human {
		return fmt.Sprintf(" %11d", n)
	}
	unit, letters := int64(1024), "BKMGTPE"
	if l.si {
		unit, letters = 1000, "dkMGTPE"
	}
	if n < unit {
		return fmt.Sprintf(" %4d", n)
	}
	i := 1
	for ; n >= unit*unit; i++ {
		n /= unit
	}
	value := float64(n) / float64(unit)
	if n/unit >= 10 {
		return fmt.Sprintf(" %3.0f%c", value, letters[i])
	}
	return fmt.Sprintf(" %3.1f%c", value, letters[i])
}

// recent is how long ago a date is shown with its time of day.
const recent = 6 * 31 * 24 * time.Hour

func (l *lister) time(e *entry) string {
	t := e.info.ModTime
	if l.changed {
		t = e.info.ChangeTime
	}
	t = t.In(l.inv.Location)
	switch now := l.inv.Now(); {
	case l.layout != "":
		return datetime.Format(l.layout, t)
	case t.After(now), now.Sub(t) > recent:
		return datetime.Format("%b %e  %Y", t)
	}
	return datetime.Format("%b %e %R", t)
}

// class is the character that -F appends.
func (e *entry) class() string {
	mode := e.info.Mode
	if e.info.IsLink() {
		if e.target == nil {
			return ""
		}
		mode = e.target.Mode
	}
	switch unixmode.TypeLetter(mode) {
	case 'd':
		return "/"
	case 's':
		return "="
	case 'p':
		return "|"
	case '-':
		if unixmode.Permissions(mode)&0o111 != 0 {
			return "*"
		}
	}
	return ""
}

// name makes a file's name fit to be seen.
func (l *lister) name(s string) string {
	switch {
	case l.raw && l.quoted:
		return `"` + s + `"`
	case l.raw:
		return s
	}
	var b strings.Builder
	if l.quoted {
		b.WriteByte('"')
	}
	for i := 0; i < len(s); {
		size := 1
		if l.utf8 {
			size = l.character(&b, s[i:])
		} else {
			l.byte(&b, s[i])
		}
		i += size
	}
	if l.quoted {
		b.WriteByte('"')
	}
	return b.String()
}

// byte writes one byte of a name as a locale without wide characters does.
func (l *lister) byte(b *strings.Builder, c byte) {
	switch {
	case 7 <= c && c <= 13:
		b.WriteByte('\\')
		b.WriteByte("abtnvfr"[c-7])
	case c == '\\', c == '"' && l.quoted, c == ' ' && !l.quoted:
		b.WriteByte('\\')
		b.WriteByte(c)
	case ' ' <= c && c < 0x7f:
		b.WriteByte(c)
	case l.question:
		b.WriteByte('?')
	default:
		fmt.Fprintf(b, "\\%03o", c)
	}
}

// character writes one character of a name in a UTF-8 locale.
func (l *lister) character(b *strings.Builder, s string) int {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1 && l.question:
		b.WriteByte(s[0])
	case (r != utf8.RuneError || size > 1) && unicode.IsPrint(r):
		b.WriteString(s[:size])
	case l.question:
		b.WriteByte('?')
	default:
		for i := range size {
			fmt.Fprintf(b, "\\%03o", s[i])
		}
	}
	return size
}
