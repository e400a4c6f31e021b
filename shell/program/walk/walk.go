// Package walk goes through file trees for programs: find, du, chmod -R,
// grep -r. It holds one directory's names a level and no open handles, so a
// tree of any depth costs no stack.
package walk

import (
	"context"
	"iter"
	"strings"

	"mirage/shell/program"
	"mirage/vfs"
)

// Follow says which symbolic links are followed.
type Follow int

// The three ways of -P, -H and -L.
const (
	FollowNever Follow = iota
	FollowOperands
	FollowAlways
)

// Options changes how Tree walks.
type Options struct {
	Follow Follow
	// Post visits each directory once more after what is in it.
	Post bool
	// OneMount does not descend into other mounts than the operand's.
	OneMount bool
	// MaxDepth does not descend beyond so many levels; no bound when
	// negative.
	MaxDepth int
	// Sort orders the names of a directory; nil leaves the tree's byte
	// order.
	Sort func([]vfs.Info)
}

// Entry is one visit.
type Entry struct {
	Path  string // the operand and what was joined to it
	Name  string // last component; the operand itself at depth 0
	Depth int    // 0 for the operand
	// Info describes the file, or what it links to where links are
	// followed; of a dangling link it describes the link.
	Info vfs.Info
	// Err tells what went wrong: the operand does not exist, the directory
	// cannot be listed (Listing is set), a link leads back to Loop.
	Err     error
	Listing bool   // Err comes from listing the directory, after its first visit
	Loop    string // path of the directory above that this one is the same as
	// Post marks the visit after the contents.
	Post bool
	// Parent is the visit of the directory above, nil for the operand.
	Parent *Entry
	// Data is for the caller; it stays with the directory until its Post
	// visit.
	Data any

	skip bool
}

// Skip keeps the walk out of a directory, when called in its first visit. The
// Post visit follows all the same.
func (e *Entry) Skip() { e.skip = true }

// frame is one directory on the way down.
type frame struct {
	entry   *Entry
	rest    []vfs.Info
	release func() // of the list
}

// Tree visits an operand and all that is below it, in the byte order of names.
// A directory comes before its contents. It ends early when ctx does.
func Tree(ctx context.Context, inv *program.Invocation, operand string, o Options) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		w := &walker{ctx: ctx, inv: inv, o: o, yield: yield}
		w.run(operand)
	}
}

type walker struct {
	ctx   context.Context
	inv   *program.Invocation
	o     Options
	yield func(*Entry) bool
	dev   uint64
	stack []frame
}

func (w *walker) run(operand string) {
	root := &Entry{Path: operand, Name: operand}
	root.Info, root.Err = w.stat(operand, w.o.Follow != FollowNever)
	if root.Err != nil {
		w.yield(root)
		return
	}
	w.dev = root.Info.Dev
	defer func() {
		for _, f := range w.stack {
			f.release()
		}
	}()
	if !w.visit(root) {
		return
	}
	for len(w.stack) > 0 {
		if w.ctx.Err() != nil {
			return
		}
		top := &w.stack[len(w.stack)-1]
		if len(top.rest) == 0 {
			e := top.entry
			top.release()
			w.stack = w.stack[:len(w.stack)-1]
			if !w.leave(e) {
				return
			}
			continue
		}
		info := top.rest[0]
		top.rest = top.rest[1:]
		e := &Entry{Path: Join(top.entry.Path, info.Name), Name: info.Name, Depth: top.entry.Depth + 1, Info: info, Parent: top.entry}
		if info.IsLink() && w.o.Follow == FollowAlways {
			if target, err := w.inv.FS.Stat(w.ctx, w.inv.Path(e.Path)); err == nil {
				target.Name = info.Name
				e.Info = target
			}
		}
		if w.o.Follow == FollowAlways {
			e.Loop = w.loop(e)
		}
		if !w.visit(e) {
			return
		}
	}
}

// stat describes an operand; a link that cannot be followed describes itself.
func (w *walker) stat(operand string, follow bool) (vfs.Info, error) {
	name := w.inv.Path(operand)
	if follow {
		if info, err := w.inv.FS.Stat(w.ctx, name); err == nil {
			return info, nil
		}
	}
	return w.inv.FS.Lstat(w.ctx, name)
}

// loop answers the path of the directory above e that e is again.
func (w *walker) loop(e *Entry) string {
	if !e.Info.IsDir() {
		return ""
	}
	real := ""
	for up := e.Parent; up != nil; up = up.Parent {
		if e.Info.Ino != 0 && up.Info.Ino != 0 {
			if e.Info.Ino == up.Info.Ino && e.Info.Dev == up.Info.Dev {
				return up.Path
			}
			continue
		}
		// Without inode numbers the resolved names tell.
		if real == "" {
			real, _ = w.inv.FS.RealPath(w.ctx, w.inv.Path(e.Path))
		}
		if r, err := w.inv.FS.RealPath(w.ctx, w.inv.Path(up.Path)); err == nil && r == real {
			return up.Path
		}
	}
	return ""
}

// visit shows an entry and opens it when it is a directory to go into.
func (w *walker) visit(e *Entry) bool {
	if !w.yield(e) {
		return false
	}
	if !e.Info.IsDir() || e.Loop != "" {
		return true
	}
	if e.skip || w.o.MaxDepth >= 0 && e.Depth >= w.o.MaxDepth || w.o.OneMount && e.Info.Dev != w.dev {
		return w.leave(e)
	}
	list, release, err := w.inv.ReadDir(w.ctx, e.Path)
	if err != nil {
		if w.ctx.Err() != nil {
			return false
		}
		failed := *e
		failed.Err, failed.Listing = err, true
		if !w.yield(&failed) {
			return false
		}
	} else if w.o.Sort != nil {
		w.o.Sort(list)
	}
	w.stack = append(w.stack, frame{entry: e, rest: list, release: release})
	return true
}

func (w *walker) leave(e *Entry) bool {
	if !w.o.Post {
		return true
	}
	e.Post = true
	return w.yield(e)
}

// Join appends a name to a path as fts(3) does: one slash between them, the
// path otherwise as it was given.
func Join(path, name string) string {
	if strings.HasSuffix(path, "/") {
		return path + name
	}
	return path + "/" + name
}
