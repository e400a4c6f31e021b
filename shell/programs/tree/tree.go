// Package tree is the tree command, as Steve Baker's tree 2.1 has it: the files
// below directories, drawn as a tree, or as JSON or XML.
package tree

import (
	"context"
	"fmt"
	"path"
	"slices"

	"mirage/internal/budget"
	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/paths"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// New answers the program.
func New() *program.Program { return spec.Program(run) }

// entry is one file of the listing.
type entry struct {
	name string // as printed: without directories below an operand, except with -f
	path string // to reach it by
	info vfs.Info
	// Of a symbolic link: what it leads to, if anything.
	target *vfs.Info
	// Of a directory: what it contains, once read.
	read    bool
	entries []*entry
	fault   string // why it was not opened
	size    int64  // of the file, or with --du of all that is in it
}

// isDir tells whether an entry counts as a directory: a link to one does.
func (e *entry) isDir() bool { return e.info.IsDir() || e.target != nil && e.target.IsDir() }

// lister is one run.
type lister struct {
	options
	ctx    context.Context
	inv    *program.Invocation
	out    *stream.Writer
	utf8   bool
	seen   map[string]bool // directories that -l has been in, by real path
	meter  budget.Meter
	held   int64 // bytes of the entries in memory
	dirs   int
	files  int
	total  int64
	status int
}

// entrySize is about what an entry takes in memory.
const entrySize = 600

func run(ctx context.Context, inv *program.Invocation) int {
	o, operands, status, ok := parse(inv)
	if !ok {
		return status
	}
	l := &lister{options: o, ctx: ctx, inv: inv, out: stream.Stdout(inv), utf8: inv.UTF8(), seen: map[string]bool{}, meter: inv.Meter()}
	if o.charset == "" && l.utf8 {
		l.charset = "UTF-8"
	}
	if o.output != "" {
		w, err := inv.Create(ctx, o.output, 0)
		if err != nil {
			inv.Errorf("invalid filename '%s'", o.output)
			return 1
		}
		defer w.Close()
		l.out = stream.NewWriter(w)
	}
	if len(operands) == 0 {
		operands = []string{"."}
	}
	p := l.printer()
	p.begin()
	for i, operand := range operands {
		l.root(p, operand, i == len(operands)-1)
		if ctx.Err() != nil {
			return 130
		}
	}
	p.end()
	return l.out.Close(inv, l.status)
}

// root lists one operand.
func (l *lister) root(p printer, operand string, last bool) {
	e := &entry{name: operand, path: operand}
	if l.fullPath {
		for len(e.name) > 1 && e.name[len(e.name)-1] == '/' {
			e.name = e.name[:len(e.name)-1]
		}
	}
	var err error
	if e.info, err = l.inv.FS.Lstat(l.ctx, l.inv.Path(operand)); err != nil {
		e.fault, l.status = faultOpen, 2
		p.enter(e, nil, last)
		p.leave(e, nil, last)
		return
	}
	e.info.Name = operand
	l.look(e)
	if e.info.IsLink() && e.isDir() {
		e.info, e.target = *e.target, nil // operands are followed
	}
	own := e.size
	l.visit(p, e, nil, last)
	if l.total += e.size; len(e.entries) > 0 {
		l.total -= own // a directory with something in it does not count itself
	}
	switch {
	case e.fault == faultOpen:
		l.files++
	case len(e.entries) > 0:
		l.dirs++
	}
}

// Why a directory is not opened.
const (
	faultOpen      = "error opening dir"
	faultRecursive = "recursive, not followed"
)

// visit prints an entry and what is below it. trail tells of each level above
// whether more follows there.
func (l *lister) visit(p printer, e *entry, trail []bool, last bool) {
	enters := l.enters(e, len(trail))
	if enters && !e.read {
		l.load(e, len(trail))
	}
	p.enter(e, trail, last)
	trail = append(trail, !last)
	for i, child := range e.entries {
		if l.ctx.Err() != nil {
			return
		}
		if child.isDir() {
			l.dirs++
		} else {
			l.files++
		}
		l.visit(p, child, trail, i == len(e.entries)-1)
		e.entries[i] = nil // printed
	}
	p.leave(e, trail[:len(trail)-1], last)
	l.forget(e)
}

// enters decides whether a directory is read; of links only with -l.
func (l *lister) enters(e *entry, depth int) bool {
	switch {
	case e.read:
		return true
	case depth == 0 && !e.info.IsDir():
		e.fault = faultOpen
		return false
	case !e.isDir(), !e.info.IsDir() && !l.follow:
		return false
	case l.level >= 0 && depth >= l.level:
		return false
	case l.follow && depth > 0 && !l.first(e) && e.info.IsLink():
		e.fault = faultRecursive
		return false
	}
	return true
}

// first reports whether a directory is met for the first time.
func (l *lister) first(e *entry) bool {
	real, err := l.inv.FS.RealPath(l.ctx, l.inv.Path(e.path))
	if err != nil || l.seen[real] {
		return false
	}
	l.seen[real] = true
	return true
}

// load reads a directory: its entries, filtered and in order. With --prune and
// --du everything below as well, since what is printed depends on it.
func (l *lister) load(e *entry, depth int) {
	e.read = true
	list, err := l.inv.FS.ReadDir(l.ctx, l.inv.Path(e.path))
	if err != nil {
		e.fault = faultOpen
		return
	}
	whole := l.matchDirs && depth > 0 && l.matches(l.include, e)
	for _, info := range list {
		if l.ctx.Err() != nil {
			return
		}
		child := &entry{name: info.Name, path: paths.Join(e.path, info.Name), info: info, size: info.Size}
		if l.fullPath {
			child.name = paths.Join(e.name, info.Name)
		}
		if l.hides(child) {
			continue
		}
		l.look(child)
		if !l.keeps(child, whole) {
			continue
		}
		if l.held += entrySize; !l.meter.Hold(l.held) {
			l.inv.Errorf("virtual memory exhausted")
			l.status = 1
			return
		}
		e.entries = append(e.entries, child)
	}
	if l.limit > 0 && len(e.entries) > l.limit {
		e.fault, l.status = fmt.Sprintf("%d entries exceeds filelimit, not opening dir", len(e.entries)), 2
		l.forget(e)
		e.entries = nil
		return
	}
	if l.prune || l.usage {
		l.loadBelow(e, depth)
	}
	l.sort(e.entries)
}

// loadBelow reads what is below the entries of a directory, leaves out those
// that are empty, and sums up.
func (l *lister) loadBelow(e *entry, depth int) {
	kept := e.entries[:0] // no entry is looked at after it has moved
	for _, child := range e.entries {
		if l.ctx.Err() != nil {
			break
		}
		if l.enters(child, depth+1) {
			l.load(child, depth+1)
		}
		if l.prune && child.read && child.fault == "" && len(child.entries) == 0 && child.isDir() {
			continue
		}
		if l.usage {
			e.size += child.size
		}
		kept = append(kept, child)
	}
	e.entries = kept
}

// forget gives back the memory of a directory's entries.
func (l *lister) forget(e *entry) { l.held -= int64(len(e.entries)) * entrySize }

// look completes what is known of an entry.
func (l *lister) look(e *entry) {
	if e.info.Partial {
		if info, err := l.inv.FS.Lstat(l.ctx, l.inv.Path(e.path)); err == nil {
			info.Name = e.info.Name
			e.info = info
		}
	}
	e.size = max(e.info.Size, 0)
	if !e.info.IsLink() {
		return
	}
	if e.info.Target == "" {
		e.info.Target, _ = l.inv.FS.Readlink(l.ctx, l.inv.Path(e.path))
	}
	if target, err := l.inv.FS.Stat(l.ctx, l.inv.Path(e.path)); err == nil {
		e.target = &target
	}
}

// hides reports what is left out by its name.
func (l *lister) hides(e *entry) bool {
	return !l.all && path.Base(e.name)[0] == '.'
}

// keeps applies -d, -x, -I and -P. whole is set below a directory that -P
// matched as one.
func (l *lister) keeps(e *entry, whole bool) bool {
	switch {
	case l.dirsOnly && !e.isDir():
		return false
	case l.oneMount && e.info.IsDir() && l.otherMount(e):
		return false
	case len(l.exclude) > 0 && l.matches(l.exclude, e):
		return false
	case len(l.include) == 0, whole, e.info.IsDir():
		return true
	case e.isDir() && l.follow:
		return true
	}
	return l.matches(l.include, e)
}

func (l *lister) otherMount(e *entry) bool {
	parent, err := l.inv.FS.Stat(l.ctx, l.inv.Path(paths.Dir(e.path)))
	return err == nil && parent.Dev != e.info.Dev
}

func (l *lister) sort(entries []*entry) {
	if l.order == nil && !l.dirsFirst && !l.filesFirst {
		return
	}
	slices.SortStableFunc(entries, func(a, b *entry) int {
		if (l.dirsFirst || l.filesFirst) && a.isDir() != b.isDir() {
			if a.isDir() == l.dirsFirst {
				return -1
			}
			return 1
		}
		if l.order == nil {
			return 0
		}
		n := l.order(a, b)
		if l.reverse {
			return -n
		}
		return n
	})
}

var spec = getopt.Spec{
	Name:     "tree",
	Synopsis: []string{"[OPTION]... [DIRECTORY]..."},
	Summary:  "List the contents of DIRECTORIES (the current directory by default) as a tree.",
	Options:  rows,
}
