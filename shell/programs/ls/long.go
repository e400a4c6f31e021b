package ls

import (
	"strconv"
	"strings"
	"time"

	"mirage/internal/unixmode"
	"mirage/shell/programs/datetime"
)

// row is one line of a long listing, column by column.
type row struct {
	nlink, owner, group, author, size, major, minor string
	device                                          bool
}

// printLong prints files with -l, in columns as wide as those of all.
func (l *lister) printLong(files, all []*file) {
	frills := l.frillWidths(all)
	var w row // as texts of the widths' lengths
	widest := func(a *string, b string) {
		if len(b) > len(*a) {
			*a = b
		}
	}
	for i, f := range all {
		if i%256 == 0 && l.ctx.Err() != nil {
			return
		}
		r := l.row(f)
		widest(&w.nlink, r.nlink)
		widest(&w.owner, r.owner)
		widest(&w.group, r.group)
		widest(&w.author, r.author)
		widest(&w.size, r.size)
		widest(&w.major, r.major)
		widest(&w.minor, r.minor)
	}
	size := len(w.size)
	if w.major != "" {
		size = max(size, len(w.major)+2+len(w.minor))
	}
	now := l.inv.Now()
	timeWidth := l.timeWidth(now)
	for _, f := range files {
		if l.ctx.Err() != nil || l.out.Err() != nil {
			return
		}
		l.column = 0
		r := l.row(f)
		l.frills(f, frills)
		l.out.WriteString(modeText(f) + " ")
		l.right(r.nlink, len(w.nlink))
		if !l.noOwner {
			l.person(r.owner, len(w.owner))
		}
		if !l.noGroup {
			l.person(r.group, len(w.group))
		}
		if l.author {
			l.person(r.author, len(w.author))
		}
		if l.context {
			l.out.WriteString("? ")
		}
		if r.device {
			l.pad(size - len(w.major) - 2 - len(w.minor))
			l.pad(len(w.major) - len(r.major))
			l.out.WriteString(r.major + ", ")
			l.right(r.minor, len(w.minor))
		} else {
			l.right(r.size, size)
		}
		if f.ok {
			l.out.WriteString(l.timeText(l.timeOf(f.info), now) + " ")
		} else {
			l.right("?", timeWidth)
		}
		l.printName(f, false)
		l.printTarget(f)
		l.newline()
	}
}

// printTarget prints what a link leads to, or the indicator of the file.
func (l *lister) printTarget(f *file) {
	if !f.ok {
		return
	}
	if !f.info.IsLink() {
		if c := l.indicate(f.info.Mode, true); c != 0 {
			l.out.WriteByte(c)
		}
		return
	}
	if f.target == "" {
		return
	}
	l.out.WriteString(" -> ")
	l.printName(f, true)
	if l.indicator != noIndicator && f.linkOK {
		if c := l.indicate(f.linkInfo.Mode, true); c != 0 {
			l.out.WriteByte(c)
		}
	}
}

func modeText(f *file) string {
	text := unixmode.String(f.info.Mode)
	if !f.ok {
		return text[:1] + "?????????"
	}
	return text
}

func (l *lister) row(f *file) row {
	if !f.ok {
		return row{nlink: "?", owner: "?", group: "?", author: "?", size: "?"}
	}
	r := row{nlink: strconv.Itoa(max(f.info.Nlink, 1))}
	if l.numeric {
		r.owner, r.group = strconv.Itoa(f.info.UID), strconv.Itoa(f.info.GID)
	} else {
		r.owner, r.group = l.inv.Owner(f.info.UID), l.inv.Group(f.info.GID)
	}
	r.author = r.owner
	switch unixmode.TypeLetter(f.info.Mode) {
	case 'c', 'b':
		r.device = true
		r.major, r.minor = strconv.FormatUint(f.info.Rdev>>8, 10), strconv.FormatUint(f.info.Rdev&0xff, 10)
	default:
		r.size = "-"
		if f.info.Size >= 0 {
			r.size = l.fileSize.String(uint64(f.info.Size))
		}
	}
	return r
}

// person prints an owner: a name at the left, a number at the right.
func (l *lister) person(s string, width int) {
	if strings.Trim(s, "0123456789") == "" {
		l.right(s, width)
		return
	}
	l.out.WriteString(s)
	l.pad(width - len(s))
	l.out.WriteByte(' ')
}

// halfYear is how old a file may be to be shown with its time of day.
const halfYear = 31556952 / 2 * time.Second

func (l *lister) timeText(t, now time.Time) string {
	old, recent, both := strings.Cut(l.timeStyle, "\n")
	if both && t.After(now.Add(-halfYear)) && !t.After(now) {
		old = recent
	}
	return datetime.Format(old, t.In(l.inv.Location))
}

// timeWidth is the width of the column of times.
func (l *lister) timeWidth(now time.Time) int {
	return len(l.timeText(time.Unix(0, 0), now))
}
