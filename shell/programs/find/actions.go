package find

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mirage/internal/unixmode"
	"mirage/shell/program/paths"
	"mirage/shell/program/quote"
	"mirage/shell/programs/datetime"
	"mirage/vfs"
)

func printPath(it *item) bool {
	it.f.out.WriteString(it.f.printable(it.Path))
	it.f.out.WriteByte('\n')
	return true
}

func printZero(it *item) bool {
	it.f.out.WriteString(it.Path)
	it.f.out.WriteByte(0)
	return true
}

// printable replaces what a terminal would not print by question marks.
func (f *finder) printable(s string) string {
	if _, _, terminal := f.inv.Terminal(1); !terminal {
		return s
	}
	utf := f.inv.UTF8()
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= utf8.RuneSelf && (!utf || !unicode.IsGraphic(r)) {
			return '?'
		}
		return r
	}, s)
}

// remove is -delete. The current directory stays, silently.
func remove(it *item) bool {
	if it.Path == "." {
		return true
	}
	gone := it.f.inv.FS.Unlink
	if it.Info.IsDir() {
		gone = it.f.inv.FS.Rmdir
	}
	if err := gone(it.f.ctx, it.full()); err != nil {
		it.f.failf("cannot delete %s: %s", it.f.inv.Quote(it.Path), vfs.Phrase(err))
		return false
	}
	return true
}

// outFile is a file that -fprint and its kind write to.
type outFile struct {
	name string
	w    io.Writer
	c    io.Closer
}

// open makes a file for an action, once for all actions on that name.
func (p *parser) open(name string) (*outFile, error) {
	for _, o := range p.f.files {
		if o.name == name {
			return o, nil
		}
	}
	o := &outFile{name: name}
	switch p.f.inv.Path(name) {
	case "/dev/stdout":
		o.w = p.f.out
	case "/dev/stderr":
		o.w = p.f.inv.Stderr
	default:
		w, err := p.f.inv.Create(p.f.ctx, name, os.O_TRUNC)
		if err != nil {
			return nil, problemf("%s: %s", p.f.inv.Quote(name), vfs.Phrase(err))
		}
		o.w, o.c = w, w
	}
	p.f.files = append(p.f.files, o)
	return o, nil
}

// closeFiles ends what -fprint and its kind wrote.
func (f *finder) closeFiles() {
	for _, o := range f.files {
		if o.c == nil {
			continue
		}
		if err := o.c.Close(); err != nil {
			f.fileErr(o.name, err)
		}
		o.c = nil
	}
}

func (f *finder) write(o *outFile, s string) {
	if _, err := io.WriteString(o.w, s); err != nil {
		f.fileErr(o.name, err)
		f.done = true
	}
}

func (p *parser) toFile(arg, end string) (expr, error) {
	o, err := p.open(arg)
	p.acts = true
	return testFunc(func(it *item) bool { it.f.write(o, it.Path+end); return true }), err
}

func fileList(p *parser, arg string) (expr, error) {
	o, err := p.open(arg)
	if err != nil {
		return nil, err
	}
	p.acts = true
	return testFunc(func(it *item) bool { it.f.list(it, o.w); return true }), nil
}

func filePrintf(p *parser, arg string) (expr, error) {
	o, err := p.open(arg)
	if err != nil {
		return nil, err
	}
	if len(p.args) == 0 {
		return nil, problemf("invalid argument `%s' to `%s'", arg, p.last)
	}
	return p.printf(o, p.take())
}

// lsWidths are the widths of -ls's columns, which grow as needed.
type lsWidths struct{ inode, blocks, nlink, owner, group, size int }

// halfYear is how far back a file's time is shown with the time of day.
const halfYear = 31556952 / 2

// list is -ls: one line as of ls -dils.
func (f *finder) list(it *item, w io.Writer) {
	k := &f.widths
	if *k == (lsWidths{}) {
		*k = lsWidths{9, 6, 3, 8, 8, 8}
	}
	column := func(width *int, s string) string {
		*width = max(*width, len(s))
		return strings.Repeat(" ", *width-len(s)) + s
	}
	left := func(width *int, s string) string {
		*width = max(*width, len(s))
		return s + strings.Repeat(" ", *width-len(s))
	}
	info := it.Info
	kib := (blocks(info) + 1) / 2
	size := strconv.FormatInt(max(info.Size, 0), 10)
	if c := unixmode.TypeLetter(info.Mode); c == 'b' || c == 'c' {
		size = fmt.Sprintf("%3d, %3d", info.Rdev>>8, info.Rdev&0xff)
	}
	layout := "%b %e %H:%M"
	if t := info.ModTime; t.Unix() < f.now.Unix()-halfYear || t.After(f.now) {
		layout = "%b %e  %Y"
	}
	q := quote.Quoter{Style: quote.Escape, UTF8: f.inv.UTF8()}
	line := column(&k.inode, strconv.FormatUint(info.Ino, 10)) + " " + column(&k.blocks, strconv.FormatInt(kib, 10)) + " " +
		unixmode.String(info.Mode) + " " + column(&k.nlink, strconv.Itoa(max(info.Nlink, 1))) + " " +
		left(&k.owner, f.inv.Owner(info.UID)) + " " + left(&k.group, f.inv.Group(info.GID)) + " " +
		column(&k.size, size) + " " + datetime.Format(layout, info.ModTime.In(f.inv.Location)) + " " + q.String(it.Path)
	if info.IsLink() {
		line += " -> " + q.String(it.target())
	}
	io.WriteString(w, line+"\n")
}

// blocks is the 512-byte blocks that a file takes.
func blocks(info vfs.Info) int64 {
	if info.Blocks >= 0 {
		return info.Blocks
	}
	return (max(info.Size, 0) + 511) / 512
}

// directory is the part of a path in front of the last name, as %h shows it.
func directory(path string) string {
	trimmed := strings.TrimRight(path, "/")
	i := strings.LastIndexByte(trimmed, '/')
	switch {
	case trimmed == "" && path != "":
		return ""
	case i < 0:
		return "."
	}
	return trimmed[:i]
}

// lastName is the last name of a path with what slashes follow it, as %f shows
// it.
func lastName(path string) string {
	base := paths.Base(path)
	if base == "/" {
		return base
	}
	return path[strings.LastIndex(strings.TrimRight(path, "/"), "/")+1:]
}
