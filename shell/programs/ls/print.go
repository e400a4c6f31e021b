package ls

import (
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"mirage/internal/unixmode"
	"mirage/shell/program/quote"
)

// show quotes a name and measures it.
func (l *lister) show(f *file) {
	if f.shown != "" || f.name == "" {
		return
	}
	f.shown, f.quoted = l.quoted(f.name)
	f.width = l.widthOf(f.shown)
}

// quoted answers a name as it is listed, and whether it has quotes around.
func (l *lister) quoted(name string) (string, bool) {
	s := l.quoter.String(name)
	quoted := s != name && s != "" && (s[0] == '\'' || s[0] == '"')
	if l.qmark && (l.quoting == quote.Literal || l.quoting == quote.Shell || l.quoting == quote.ShellAlways) {
		s = l.masked(s)
	}
	return s, quoted
}

// masked replaces what does not print by question marks.
func (l *lister) masked(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		c := s[0]
		if c < utf8.RuneSelf || !l.quoter.UTF8 {
			if c < ' ' || c >= 0x7f {
				c = '?'
			}
			b.WriteByte(c)
			s = s[1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError || !unicode.IsGraphic(r) {
			b.WriteByte('?')
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// widthOf is how many columns a text takes on a terminal.
func (l *lister) widthOf(s string) int {
	n := 0
	for len(s) > 0 {
		c := s[0]
		if c < utf8.RuneSelf || !l.quoter.UTF8 {
			if c >= ' ' && c < 0x7f {
				n++
			}
			s = s[1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		if r != utf8.RuneError {
			n += runewidth.RuneWidth(r)
		}
		s = s[size:]
	}
	return n
}

// print lists files in the format of the run. The widths of columns are those
// of all, of which files are a part.
func (l *lister) print(files, all []*file) {
	l.some = false
	for i, f := range all {
		if i%256 == 0 && l.ctx.Err() != nil {
			return
		}
		l.show(f)
		l.some = l.some || f.quoted
	}
	switch l.format {
	case long:
		l.printLong(files, all)
	case columns, across:
		if l.width > 0 {
			l.printColumns(files, all)
			return
		}
		l.printSeparated(files, all, " ")
	case commas:
		l.printSeparated(files, all, ",")
	default:
		w := l.frillWidths(all)
		for _, f := range files {
			l.column = 0
			l.printFile(f, w)
			l.newline()
		}
	}
}

// widths are those of the columns in front of a name.
type widths struct{ inode, blocks, context int }

// frillWidths measures the columns of -i and -s.
func (l *lister) frillWidths(files []*file) widths {
	w := widths{context: 1}
	if l.format == commas {
		return widths{}
	}
	for _, f := range files {
		if l.inode {
			w.inode = max(w.inode, len(l.inodeText(f)))
		}
		if l.blocks {
			w.blocks = max(w.blocks, len(l.blocksText(f)))
		}
	}
	return w
}

func (l *lister) inodeText(f *file) string {
	if !f.ok || f.info.Ino == 0 {
		return "?"
	}
	return strconv.FormatUint(f.info.Ino, 10)
}

func (l *lister) blocksText(f *file) string {
	if !f.ok {
		return "?"
	}
	return l.blockSize.String(blocksOf(f.info) * 512)
}

// printFile prints a name with what stands around it.
func (l *lister) printFile(f *file, w widths) {
	l.frills(f, w)
	l.printName(f, false)
	if c := l.indicate(f.info.Mode, f.ok); c != 0 {
		l.out.WriteByte(c)
	}
}

// frills prints the columns of -i, -s and -Z.
func (l *lister) frills(f *file, w widths) {
	if l.inode {
		l.right(l.inodeText(f), w.inode)
	}
	if l.blocks {
		l.right(l.blocksText(f), w.blocks)
	}
	if l.context && l.format != long {
		l.right("?", w.context)
	}
}

// right prints a text at the right end of a column, and a space.
func (l *lister) right(s string, width int) {
	l.pad(width - len(s))
	l.out.WriteString(s)
	l.out.WriteByte(' ')
}

const blanks = "                                                                "

func (l *lister) pad(n int) {
	for n > 0 {
		k := min(n, len(blanks))
		l.out.WriteString(blanks[:k])
		n -= k
	}
}

// length is how many columns printFile takes.
func (l *lister) length(f *file, w widths) int {
	n := f.width
	if l.inode {
		n += 1 + max(w.inode, len(l.inodeText(f)))
	}
	if l.blocks {
		n += 1 + max(w.blocks, len(l.blocksText(f)))
	}
	if l.context {
		n += 2
	}
	if l.align && l.some && !f.quoted {
		n++
	}
	if l.indicate(f.info.Mode, f.ok) != 0 {
		n++
	}
	return n
}

// indicate is the letter behind a name that tells its type; 0 for none.
func (l *lister) indicate(mode fs.FileMode, ok bool) byte {
	switch {
	case l.indicator == noIndicator:
		return 0
	case mode.IsRegular():
		if ok && l.indicator == classify && unixmode.Permissions(mode)&0o111 != 0 {
			return '*'
		}
		return 0
	case mode.IsDir():
		return '/'
	case l.indicator == slash:
		return 0
	}
	switch unixmode.TypeLetter(mode) {
	case 'l':
		return '@'
	case 'p':
		return '|'
	case 's':
		return '='
	}
	return 0
}

// printName prints a name, colored and linked as asked for.
func (l *lister) printName(f *file, target bool) {
	text, quoted := f.shown, f.quoted
	if target {
		text, quoted = l.quoted(f.target)
	}
	if l.align && l.some && !quoted && !target {
		l.out.WriteByte(' ')
	}
	sequence, colored := "", false
	if l.colors != nil {
		sequence, colored = l.colors.of(f, target)
	}
	if colored {
		if !l.used {
			l.used = true
			l.out.WriteString(l.colors.reset())
		}
		l.out.WriteString(l.colors.left + sequence + l.colors.right)
	}
	if l.hyperlink && !target {
		text = l.link(f.path, text)
	}
	l.out.WriteString(text)
	if colored {
		l.out.WriteString(l.colors.reset())
	}
}

// link wraps a text in the escape sequences of a hyperlink (OSC 8).
func (l *lister) link(path, text string) string {
	full, err := l.inv.FS.RealPath(l.ctx, l.inv.Path(path))
	if err != nil {
		return text
	}
	var b strings.Builder
	for i := range len(full) {
		switch c := full[i]; {
		case c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z', strings.IndexByte("/-._~", c) >= 0:
			b.WriteByte(c)
		default:
			const hex = "0123456789abcdef"
			b.WriteString("%" + string(hex[c>>4]) + string(hex[c&15]))
		}
	}
	return "\x1b]8;;file://" + l.inv.Hostname + b.String() + "\a" + text + "\x1b]8;;\a"
}
