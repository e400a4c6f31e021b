package programs

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mirage/internal/unixmode"
	"mirage/shell/program/filemode"
	"mirage/shell/program/quote"
	"mirage/shell/programs/datetime"
	"mirage/vfs"
)

// statBlock is st_blksize, and the block of StatFS figures.
const statBlock = 4096

// statMaxWidth bounds the columns of one directive.
const statMaxWidth = 4096

// statDirective is one "%..." of a format and what it became.
type statDirective struct {
	raw                     string
	flags, width, precision string // precision with its dot
	modifier                byte   // H or L
	letter                  byte   // 0 when the format ends too early
	text                    string
}

// statParse reads the directive in front of s and its length.
func statParse(s string) (statDirective, int) {
	i := 1
	span := func(chars string) string {
		start := i
		for i < len(s) && strings.IndexByte(chars, s[i]) >= 0 {
			i++
		}
		return s[start:i]
	}
	d := statDirective{flags: span("'-+ #0I"), width: span("0123456789")}
	if i < len(s) && s[i] == '.' {
		i++
		d.precision = "." + span("0123456789")
	}
	if i+1 < len(s) && (s[i] == 'H' || s[i] == 'L') {
		d.modifier = s[i]
		i++
	}
	if w, err := strconv.Atoi(d.width); d.width != "" && (err != nil || w > statMaxWidth) || len(d.precision) > 5 || strings.Contains(d.flags, "I") {
		d.raw = strings.TrimSuffix(s[:min(i+1, len(s))], "\n")
		return d, len(s)
	}
	if i < len(s) && s[i] != '\n' {
		d.letter = s[i]
		i++
	}
	d.raw = s[:i]
	return d, i
}

// goFlags are the flags that fmt knows as C does, less those of which C makes
// nothing for the kind of value.
func (d *statDirective) goFlags(keep string) string {
	var b strings.Builder
	for _, c := range d.flags {
		if strings.ContainsRune(keep, c) {
			b.WriteRune(c)
		}
	}
	return "%" + b.String() + d.width
}

func (d *statDirective) string(s string) bool {
	if p := d.precision; p != "" {
		n, _ := strconv.Atoi(p[1:])
		s = s[:min(n, len(s))]
	}
	d.text = fmt.Sprintf(d.goFlags("-")+"s", s)
	return true
}

func (d *statDirective) number(verb byte, n uint64) bool {
	keep := "-0#"
	if d.precision != "" {
		keep = "-#"
	}
	if verb == 'd' {
		keep += "+ "
	}
	d.text = fmt.Sprintf(d.goFlags(keep)+d.precision+string(verb), n)
	return true
}

// count is number for a figure that may be unknown, "?" then.
func (d *statDirective) count(n int64) bool {
	if n < 0 {
		return d.string("?")
	}
	return d.number('d', uint64(n))
}

// seconds is a time as seconds since the epoch, with as many digits of the
// fraction as the precision asks for.
func (d *statDirective) seconds(t time.Time) bool {
	text := strconv.FormatInt(t.Unix(), 10)
	if t.IsZero() {
		text = "0"
	}
	if p := d.precision; p != "" {
		digits := 9
		if len(p) > 1 {
			digits, _ = strconv.Atoi(p[1:])
		}
		if digits > 0 {
			nanos := "000000000"
			if !t.IsZero() {
				nanos = fmt.Sprintf("%09d", t.Nanosecond())
			}
			text += "." + (nanos + strings.Repeat("0", max(0, digits-9)))[:digits]
		}
	}
	d.text = fmt.Sprintf(d.goFlags("-")+"s", text)
	return true
}

// statFile answers the directives of a file.
type statFile struct {
	*stat
	ctx  context.Context
	name string
	info vfs.Info
}

func (f *statFile) value(d *statDirective) bool {
	i := f.info
	devMajor, devMinor := i.Dev>>8, i.Dev&0xff
	if d.modifier != 0 {
		switch {
		case d.letter == 'd' && d.modifier == 'H':
			return d.number('d', devMajor)
		case d.letter == 'd':
			return d.number('d', devMinor)
		case d.letter == 'r' && d.modifier == 'H':
			return d.number('d', i.Rdev>>8)
		case d.letter == 'r':
			return d.number('d', i.Rdev&0xff)
		}
		return false
	}
	switch d.letter {
	case 'a':
		return d.number('o', uint64(unixmode.Permissions(i.Mode)))
	case 'A':
		return d.string(unixmode.String(i.Mode))
	case 'b':
		return d.number('d', statBlocks(i))
	case 'B':
		return d.number('d', 512)
	case 'C':
		f.inv.Errorf("failed to get security context of %s: No data available", f.inv.Quote(f.name))
		return d.string("?")
	case 'd':
		return d.number('d', i.Dev)
	case 'D':
		return d.number('x', i.Dev)
	case 'f':
		return d.number('x', uint64(unixmode.Of(i.Mode)))
	case 'F':
		return d.string(filemode.TypeName(i.Mode, i.Size))
	case 'g':
		return d.number('d', uint64(i.GID))
	case 'G':
		return d.string(f.inv.Group(i.GID))
	case 'h':
		return d.number('d', uint64(max(i.Nlink, 1)))
	case 'i':
		return d.number('d', i.Ino)
	case 'm':
		return d.string(f.mountPoint())
	case 'n':
		return d.string(f.name)
	case 'N':
		return d.string(f.quoted())
	case 'o':
		return d.number('d', statBlock)
	case 'r':
		return d.number('d', i.Rdev)
	case 'R':
		return d.number('x', i.Rdev)
	case 's':
		return d.count(i.Size)
	case 't':
		return d.number('x', i.Rdev>>8)
	case 'T':
		return d.number('x', i.Rdev&0xff)
	case 'u':
		return d.number('d', uint64(i.UID))
	case 'U':
		return d.string(f.inv.Owner(i.UID))
	}
	return f.times(d)
}

func (f *statFile) times(d *statDirective) bool {
	t := f.info.ModTime
	switch d.letter | 0x20 {
	case 'w':
		t = f.info.BirthTime
	case 'x':
		t = statKnown(f.info.AccessTime, t)
	case 'z':
		t = statKnown(f.info.ChangeTime, t)
	case 'y':
	default:
		return false
	}
	switch {
	case d.letter < 'a':
		return d.seconds(t)
	case t.IsZero():
		return d.string("-")
	}
	d.precision = ""
	return d.string(datetime.Format("%Y-%m-%d %H:%M:%S.%N %z", t.In(f.inv.Location)))
}

func statKnown(t, other time.Time) time.Time {
	if t.IsZero() {
		return other
	}
	return t
}

// statBlocks is the 512-byte blocks that a file takes.
func statBlocks(i vfs.Info) uint64 {
	if i.Blocks >= 0 {
		return uint64(i.Blocks)
	}
	return uint64(max(i.Size, 0)+511) / 512
}

func (f *statFile) mountPoint() string {
	real, err := f.inv.FS.RealPath(f.ctx, f.inv.Path(f.name))
	if err != nil {
		real = f.inv.Path(f.name)
	}
	return f.inv.FS.MountOf(real).Prefix
}

// quoted is the name, and where a link leads, in the style of QUOTING_STYLE.
func (f *statFile) quoted() string {
	q := quote.Quoter{Style: quote.ShellEscapeAlways, UTF8: f.inv.UTF8()}
	if style, ok := quote.ByName(f.inv.Getenv("QUOTING_STYLE")); ok {
		q.Style = style
	} else if f.plain {
		q.Style = quote.Literal
	}
	text := q.String(f.name)
	if f.info.IsLink() {
		target := f.info.Target
		if target == "" {
			target, _ = f.inv.FS.Readlink(f.ctx, f.inv.Path(f.name))
		}
		text += " -> " + q.String(target)
	}
	return text
}

// statMount answers the directives of a file system.
type statMount struct {
	*stat
	ctx   context.Context
	name  string
	usage vfs.Usage
	dev   uint64
}

func (f *statMount) value(d *statDirective) bool {
	blocks := func(bytes int64) int64 {
		if bytes < 0 {
			return -1
		}
		return bytes / statBlock
	}
	if d.modifier != 0 {
		return false
	}
	switch d.letter {
	case 'a':
		return d.count(blocks(f.usage.Avail))
	case 'b':
		return d.count(blocks(f.usage.Total))
	case 'c':
		return d.count(f.usage.Files)
	case 'd':
		return d.count(f.usage.FilesFree)
	case 'f':
		return d.count(blocks(f.usage.Free))
	case 'i':
		return d.number('x', f.dev)
	case 'l':
		return d.number('d', 255)
	case 'n':
		return d.string(f.name)
	case 's', 'S':
		return d.number('d', statBlock)
	case 't':
		return d.number('x', 0)
	case 'T':
		real, err := f.inv.FS.RealPath(f.ctx, f.inv.Path(f.name))
		if err != nil {
			real = f.inv.Path(f.name)
		}
		return d.string(f.inv.FS.MountOf(real).Kind)
	}
	return false
}
