package vfs

import (
	"context"
	"syscall"
)

// Unlink removes a file or a link; EISDIR for a directory.
func (v *View) Unlink(ctx context.Context, name string) error {
	return pathError("unlink", name, v.unlink(ctx, name))
}

func (v *View) unlink(ctx context.Context, name string) error {
	s, err := v.find(ctx, name, inParent)
	if err != nil {
		return err
	}
	if s.state == found && (s.info.IsDir() || s.last != lastName) {
		return v.seen(ctx, &s, syscall.EISDIR)
	}
	if s.state == found && s.slash {
		return v.seen(ctx, &s, syscall.ENOTDIR)
	}
	if s.place != nil {
		return v.seen(ctx, &s, syscall.EBUSY)
	}
	if s.state == missing {
		return syscall.ENOENT
	}
	e, err := v.enter(ctx, &s, OpRemove, "")
	if err == nil {
		err = v.remove(ctx, e)
	}
	return v.told(ctx, Change{Op: OpRemove, Path: s.path}, err)
}

// Rmdir removes an empty directory; ENOTDIR for anything else, EBUSY for the
// root of a mount and for what holds one. A directory in which the session
// sees nothing is empty: what the rules hide in it goes with it.
func (v *View) Rmdir(ctx context.Context, name string) error {
	return pathError("rmdir", name, v.rmdir(ctx, name))
}

func (v *View) rmdir(ctx context.Context, name string) error {
	s, err := v.find(ctx, name, inParent)
	if err != nil {
		return err
	}
	switch {
	case s.state != found:
	case s.last == lastDot:
		return v.seen(ctx, &s, syscall.EINVAL)
	case s.last == lastDotDot:
		return v.seen(ctx, &s, syscall.ENOTEMPTY)
	case !s.info.IsDir():
		return v.seen(ctx, &s, syscall.ENOTDIR)
	case s.place != nil:
		return v.seen(ctx, &s, syscall.EBUSY)
	case s.state == missing:
		return syscall.ENOENT
	}
	return v.told(ctx, Change{Op: OpRemove, Path: s.path}, v.rmdirAt(ctx, &s))
}

func (v *View) rmdirAt(ctx context.Context, s *spot) error {
	e, err := v.enter(ctx, s, OpRemove, "")
	if err != nil {
		return err
	}
	err = v.remove(ctx, e)
	if !v.free && errIs(err, syscall.ENOTEMPTY) {
		if list, lerr := v.readDir(ctx, s.path, false); lerr == nil && len(list) == 0 {
			return v.removeTree(ctx, e, s.info)
		}
	}
	return err
}

func (v *View) listNodes(e entry) map[string]branch {
	if !e.m.overlay {
		return nil
	}
	return v.ns.nodes.list(e.path)
}

// seen answers err to a session that may know of the file, and what the rules
// say to any other.
func (v *View) seen(ctx context.Context, s *spot, err error) error {
	if _, no := v.enterFound(ctx, s, OpStat, ""); no != nil {
		return no
	}
	return err
}

// remove removes one name from the node table and the backend.
func (v *View) remove(ctx context.Context, e entry) error {
	if !e.m.overlay {
		return Remove(ctx, e.fs, e.name)
	}
	if !v.ns.nodes.has(e.path) {
		e.m.names.RLock()
		defer e.m.names.RUnlock()
		if !v.ns.nodes.has(e.path) {
			return Remove(ctx, e.fs, e.name)
		}
		// It got a node just now, which is no link: those take the lock.
	} else {
		e.m.names.Lock()
		defer e.m.names.Unlock()
	}
	if v.ns.nodes.isLink(e.path) {
		return v.ns.nodes.put(ctx, e.path, &Node{})
	}
	// Links of the table count as entries, though the backend knows none.
	for _, n := range v.listNodes(e) {
		if n.node.Target != "" {
			return syscall.ENOTEMPTY
		}
	}
	if err := Remove(ctx, e.fs, e.name); err != nil {
		return err
	}
	return v.ns.nodes.remove(ctx, e.path)
}

// RemoveAll removes a tree, hidden entries inside it included; a name that is
// not there is fine. It stops at the first entry that the rules or the backend
// refuse. It never crosses into another mount: EBUSY, before anything is
// removed, when the tree holds one.
func (v *View) RemoveAll(ctx context.Context, name string) error {
	return pathError("removeall", name, v.removeAll(ctx, name))
}

func (v *View) removeAll(ctx context.Context, name string) error {
	s, err := v.find(ctx, name, inParent)
	if errIs(err, syscall.ENOENT) {
		return nil
	}
	if err != nil {
		return err
	}
	switch {
	case s.state == missing:
		return nil
	case s.last == lastDot || s.last == lastDotDot:
		return v.seen(ctx, &s, syscall.EINVAL)
	case s.state == found && s.slash && !s.info.IsDir():
		return v.seen(ctx, &s, syscall.ENOTDIR)
	case s.place != nil:
		return v.seen(ctx, &s, syscall.EBUSY)
	}
	e, err := v.enter(ctx, &s, OpRemoveAll, "")
	if err == nil {
		err = v.removeTree(ctx, e, s.info)
	}
	return v.told(ctx, Change{Op: OpRemoveAll, Path: s.path}, err)
}

// removeTree empties and removes what top names. The way down is kept as one
// path and a list of entries for each directory on it: a tree that renames have
// made deeper than any name could be costs memory for its depth, no more.
func (v *View) removeTree(ctx context.Context, top entry, info Info) error {
	type dir struct {
		path int    // length of the directory's path
		rest []Info // entries still to remove
	}
	path := []byte(top.path)
	at := func() entry {
		p := string(path)
		return entry{fs: top.fs, name: top.m.inner(p), m: top.m, path: p}
	}
	if !info.IsDir() {
		return v.remove(ctx, top)
	}
	list, err := v.inside(ctx, top)
	if err != nil {
		return err
	}
	stack := []dir{{len(path), list}}
	for len(stack) > 0 {
		if ctx.Err() != nil {
			return syscall.EINTR
		}
		d := &stack[len(stack)-1]
		path = path[:d.path]
		if len(d.rest) == 0 {
			if err := v.remove(ctx, at()); err != nil && !errIs(err, syscall.ENOENT) {
				return err
			}
			stack = stack[:len(stack)-1]
			continue
		}
		info := d.rest[0]
		d.rest = d.rest[1:]
		path = append(append(path, '/'), info.Name...)
		e := at()
		if err := v.askChild(ctx, e, info); err != nil {
			return err
		}
		if info.IsDir() {
			list, err = v.inside(ctx, e)
			if err == nil {
				stack = append(stack, dir{len(path), list})
			}
		} else {
			err = v.remove(ctx, e)
		}
		if err != nil && !errIs(err, syscall.ENOENT) {
			return err
		}
	}
	return nil
}

// inside lists what is to be removed from a directory.
func (v *View) inside(ctx context.Context, e entry) ([]Info, error) {
	list, err := e.fs.ReadDir(ctx, e.name)
	if err != nil {
		return nil, err
	}
	for name, n := range v.listNodes(e) {
		if n.node.Target != "" {
			list = append(list, Info{Name: name})
		}
	}
	return list, nil
}

// askChild asks the rules about an entry inside a tree that is being removed.
// What is hidden goes with its directory: the session could not name it, so
// it cannot be asked about.
func (v *View) askChild(ctx context.Context, e entry, info Info) error {
	if v.free || v.guard.Hidden(e.path) {
		return nil
	}
	s := spot{path: e.path, m: e.m, info: info, state: found}
	_, err := v.enter(ctx, &s, OpRemove, "")
	return err
}
