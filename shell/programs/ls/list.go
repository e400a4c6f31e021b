package ls

import (
	"context"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/paths"
	"mirage/shell/program/quote"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// file is one name of a listing.
type file struct {
	name string // as it is listed
	path string // operand to reach it by
	info vfs.Info
	ok   bool // info is known beyond the type
	// Of a symbolic link: its text, and what it leads to when that was
	// looked up.
	target   string
	linkOK   bool
	linkInfo vfs.Info

	shown  string // the name, quoted
	width  int    // columns that shown takes
	quoted bool
}

// isDir tells whether the listing goes into it with -R.
func (f *file) isDir() bool { return f.info.IsDir() }

type lister struct {
	options
	ctx    context.Context
	inv    *program.Invocation
	out    *stream.Writer
	quoter quote.Quoter
	colors *colors
	qmark  bool
	align  bool // unquoted names get a space where others have quotes
	status int
	first  bool // nothing was printed yet
	some   bool // some name of the current listing is quoted
	used   bool // a color was used
	column int  // where the line stands, for erasing behind colors
}

func run(ctx context.Context, inv *program.Invocation, s *getopt.Spec, def format) int {
	cols, _, terminal := inv.Terminal(1)
	l := &lister{ctx: ctx, inv: inv, out: stream.Stdout(inv), first: true, options: options{width: -1, tab: -1, end: '\n'}}
	p := s.Parse(inv)
	l.parse(p, inv, terminal)
	if p.Stopped {
		return p.Status
	}
	l.settle(p, inv, def, cols, terminal)
	if p.Stopped {
		return p.Status
	}
	l.quoter = quote.Quoter{Style: l.quoting, UTF8: inv.UTF8()}
	l.quoter.Also = l.alsoQuoted()
	l.qmark = terminal && def == unset
	if l.mask != nil {
		l.qmark = *l.mask
	}
	shell := l.quoting == quote.Shell || l.quoting == quote.ShellEscape || l.quoting == quote.CMaybe
	l.align = shell && (l.format == long || (l.format == columns || l.format == across) && l.width > 0)
	if l.color {
		l.colors = parseColors(inv)
		// Tabs would be colored too.
		l.tab = 0
		if l.colors == nil {
			l.color = false
		}
	}
	operands := p.Operands
	if len(operands) == 0 {
		operands = []string{"."}
	}
	l.operands(operands)
	return l.out.Close(inv, l.status)
}

// alsoQuoted names the bytes to quote beyond the style's own: in the escape
// style a space, and the indicators, so that they can be told from names.
func (l *lister) alsoQuoted() string {
	also := ""
	if l.quoting == quote.Escape {
		also = " "
	}
	switch l.indicator {
	case fileType:
		return also + "*=>@|"
	case classify:
		return also + "=>@|"
	}
	return also
}

// fail reports a problem; one with an operand is serious.
func (l *lister) fail(operand bool, err error, text, name string) {
	l.inv.Fail(err, text, l.inv.Quote(name))
	switch {
	case operand:
		l.status = 2
	case l.status == 0:
		l.status = 1
	}
}

// operands lists files first, then each directory.
func (l *lister) operands(names []string) {
	var files []*file
	for _, name := range names {
		if l.ctx.Err() != nil {
			return
		}
		if f := l.operand(name); f != nil {
			files = append(files, f)
		}
	}
	l.sortFiles(files)
	all := files
	var dirs []*file
	if !l.dirsOnly {
		var rest []*file
		for _, f := range files {
			if f.isDir() {
				dirs = append(dirs, f)
			} else {
				rest = append(rest, f)
			}
		}
		files = rest
	}
	if len(files) > 0 {
		l.print(files, all)
		l.first = false
	}
	headings := l.recursive || len(names) > 1
	for _, d := range dirs {
		l.tree(d, headings)
		if l.ctx.Err() != nil || l.out.Err() != nil {
			return
		}
	}
}

// operand looks at one name of the command line.
func (l *lister) operand(name string) *file {
	f := &file{name: name, path: name}
	full := l.inv.Path(name)
	var err error
	switch l.deref {
	case derefAlways, derefOperands:
		f.info, err = l.inv.FS.Stat(l.ctx, full)
		if err != nil && l.deref == derefOperands {
			f.info, err = l.inv.FS.Lstat(l.ctx, full)
		}
	case derefOperandDirs:
		f.info, err = l.inv.FS.Stat(l.ctx, full)
		if err != nil || !f.info.IsDir() {
			f.info, err = l.inv.FS.Lstat(l.ctx, full)
		}
	default:
		f.info, err = l.inv.FS.Lstat(l.ctx, full)
	}
	if err != nil {
		l.fail(true, err, "cannot access %s", name)
		return nil
	}
	f.ok = true
	l.complete(f)
	return f
}

// complete adds what is needed of the target of a link.
func (l *lister) complete(f *file) {
	if !f.info.IsLink() {
		return
	}
	checks := l.colors != nil && l.colors.checksLinks(l.format == long)
	if l.format == long || checks {
		f.target = f.info.Target
		if f.target == "" {
			f.target, _ = l.inv.FS.Readlink(l.ctx, l.inv.Path(f.path))
		}
		if l.indicator >= fileType || checks {
			if info, err := l.inv.FS.Stat(l.ctx, l.inv.Path(f.path)); err == nil {
				f.linkOK, f.linkInfo = true, info
			}
		}
	}
}

// pending is a directory to list, with those above it.
type pending struct {
	file    *file
	operand bool
	parents []vfs.Info
}

// tree lists a directory, and with -R those below it, without recursion: a
// hostile tree may be deep.
func (l *lister) tree(top *file, headings bool) {
	stack := []pending{{file: top, operand: true}}
	for len(stack) > 0 {
		if l.ctx.Err() != nil || l.out.Err() != nil {
			return
		}
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if l.recursive && l.loops(d) {
			l.inv.Errorf("%s: not listing already-listed directory", l.inv.QuoteName(d.file.path))
			l.status = 2
			continue
		}
		files, ok := l.directory(d, headings)
		if !ok || !l.recursive {
			continue
		}
		parents := append(d.parents[:len(d.parents):len(d.parents)], d.file.info)
		for i := len(files) - 1; i >= 0; i-- {
			if f := files[i]; f.isDir() && f.name != "." && f.name != ".." {
				stack = append(stack, pending{file: f, parents: parents})
			}
		}
	}
}

func (l *lister) loops(d pending) bool {
	for _, up := range d.parents {
		if d.file.info.Ino != 0 && up.Ino == d.file.info.Ino && up.Dev == d.file.info.Dev {
			return true
		}
	}
	return false
}

// directory prints one directory.
func (l *lister) directory(d pending, heading bool) ([]*file, bool) {
	list, release, err := l.inv.ReadDir(l.ctx, d.file.path)
	defer release()
	if err != nil {
		l.fail(d.operand, err, "cannot open directory %s", d.file.path)
		return nil, false
	}
	if heading {
		if !l.first {
			l.out.WriteByte('\n')
		}
		q := quote.Quoter{Style: l.quoting, UTF8: l.inv.UTF8()}
		if q.Style != quote.Literal {
			q.Also = ":"
		}
		name := q.String(d.file.path)
		if l.hyperlink {
			name = l.link(d.file.path, name)
		}
		l.out.WriteString(name + ":\n")
	}
	l.first = false
	files := l.entries(d.file, list)
	l.sortFiles(files)
	if l.format == long || l.blocks {
		var total uint64
		for _, f := range files {
			total += blocksOf(f.info)
		}
		l.out.WriteString("total " + l.blockSize.String(total*512))
		l.newline()
	}
	if len(files) > 0 {
		l.print(files, files)
	}
	return files, true
}

// entries makes the files of a directory's listing.
func (l *lister) entries(dir *file, list []vfs.Info) []*file {
	files := make([]*file, 0, len(list)+2)
	if l.all {
		for _, name := range []string{".", ".."} {
			if !l.ignored(name) {
				files = append(files, l.dot(dir, name))
			}
		}
	}
	for i, info := range list {
		if i%256 == 0 && l.ctx.Err() != nil {
			return files
		}
		if l.ignored(info.Name) {
			continue
		}
		f := &file{name: info.Name, path: paths.Join(dir.path, info.Name), info: info, ok: true}
		if info.IsLink() && l.deref == derefAlways && l.needsStat() {
			target, err := l.inv.FS.Stat(l.ctx, l.inv.Path(f.path))
			if err != nil {
				l.fail(false, err, "cannot access %s", strings.TrimPrefix(f.path, "./"))
				f.ok = false
			} else {
				f.info = target
			}
		}
		if f.ok {
			l.complete(f)
		}
		files = append(files, f)
	}
	return files
}

// needsStat tells whether -L must look at what links lead to.
func (l *lister) needsStat() bool {
	return l.format == long || l.blocks || l.inode || l.sort == byTime || l.sort == bySize || l.indicator != noIndicator ||
		l.recursive || l.color || l.groupDirs || l.hyperlink
}

func (l *lister) dot(dir *file, name string) *file {
	f := &file{name: name, path: paths.Join(dir.path, name)}
	info, err := l.inv.FS.Stat(l.ctx, l.inv.Path(f.path))
	if err != nil {
		l.fail(false, err, "cannot access %s", f.path)
		info = dir.info
	}
	f.info, f.ok = info, err == nil
	return f
}

// ignored tells whether an entry is left out of the listing.
func (l *lister) ignored(name string) bool {
	if !l.all {
		if name[0] == '.' && !l.almostAll {
			return true
		}
		if !l.almostAll {
			for _, p := range l.hide {
				if ok, _ := p.Match(l.ctx, name); ok {
					return true
				}
			}
		}
	}
	if l.noBackups && strings.HasSuffix(name, "~") {
		return true
	}
	for _, p := range l.ignore {
		if ok, _ := p.Match(l.ctx, name); ok {
			return true
		}
	}
	return false
}

func (l *lister) newline() { l.out.WriteByte(l.end) }

// blocksOf is the 512-byte blocks that a file takes, guessed from its size
// where the backend does not say.
func blocksOf(info vfs.Info) uint64 {
	if info.Blocks >= 0 {
		return uint64(info.Blocks)
	}
	return uint64(max(info.Size, 0)+511) / 512
}
