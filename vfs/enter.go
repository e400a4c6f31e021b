package vfs

import (
	"context"
	"io/fs"
	"syscall"
)

// entry is a spot that the session may act on in the way it asked for: the
// backend, and the name by which the backend knows the file. Only enter makes
// one, so that a call which forgets to ask has nothing to call.
type entry struct {
	fs   FS
	name string
	m    *mount
	path string
	// version is that of the rules before they answered; 0 where they do not
	// change.
	version uint64
}

// enter asks the mode of the mount and the rules of the session. other is the
// second path of a rename or link.
func (v *View) enter(ctx context.Context, s *spot, op Op, other string) (entry, error) {
	write := op.writes()
	if write && s.m.Mode < Write {
		// What is hidden does not even have a read-only mount around it.
		if op != OpCreate && op != OpRenameTo && !v.free && v.guard.Hidden(s.path) {
			return entry{}, syscall.ENOENT
		}
		return entry{}, syscall.EROFS
	}
	var version uint64
	if !v.free {
		if rules, ok := v.guard.(Shifting); ok {
			version = rules.Version()
		}
		a := Access{Op: op, Path: s.path, Mount: s.m.Prefix, Write: write, Dir: s.info.IsDir(), Caller: v.caller, Other: other}
		if err := v.guard.Check(ctx, a); err != nil {
			return entry{}, err
		}
	}
	if s.state == hidden {
		return entry{}, syscall.ENOENT // the guard should have said so
	}
	return entry{fs: v.backend(s.m), name: s.m.inner(s.path), m: s.m, path: s.path, version: version}, nil
}

// enterFound is enter for calls that need the file to be there.
func (v *View) enterFound(ctx context.Context, s *spot, op Op, other string) (entry, error) {
	if s.state == missing {
		return entry{}, syscall.ENOENT
	}
	return v.enter(ctx, s, op, other)
}

// writes reports whether an operation changes something.
func (op Op) writes() bool {
	switch op {
	case OpWrite, OpCreate, OpRemove, OpRename, OpRenameTo, OpSetAttr, OpSetXattr, OpRemoveAll:
		return true
	}
	return false
}

// make runs fn, which makes a name in the backend, while the node table cannot
// get a link by that name. It fails with EEXIST when the table holds one
// already, and forgets what the table may hold of an earlier file that was
// removed behind our back.
func (v *View) make(ctx context.Context, e entry, fn func() error) error {
	if !e.m.overlay {
		return fn()
	}
	e.m.names.RLock()
	defer e.m.names.RUnlock()
	if v.ns.nodes.isLink(e.path) {
		return syscall.EEXIST
	}
	if err := fn(); err != nil {
		return err
	}
	return v.ns.nodes.remove(ctx, e.path)
}

// keepMode notes the mode of a file just made where the backend, which stat
// asks, could not take it in full.
func (v *View) keepMode(ctx context.Context, e entry, perm fs.FileMode, stat func() (Info, error)) error {
	if !e.m.overlay || !e.m.hasAttr {
		return nil
	}
	info, err := stat()
	if err != nil || info.Mode&^fs.ModeType == perm {
		return err
	}
	return v.ns.nodes.edit(ctx, e.path, func(n Node) (Node, error) {
		n.Mode = &perm
		return n, nil
	})
}

// ensureParents makes the directories in the backend that only places stood
// for so far, so that something can be created under them.
func (e entry) ensureParents(ctx context.Context) error {
	for i := range len(e.name) {
		if e.name[i] != '/' {
			continue
		}
		err := Mkdir(ctx, e.fs, e.name[:i], 0o755)
		if err != nil && !errIs(err, syscall.EEXIST) {
			return err
		}
	}
	return nil
}
