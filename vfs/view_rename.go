package vfs

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Rename moves oldname to newname with the semantics of rename(2), or of
// renameat2(2) with a flag: EXDEV between mounts, EBUSY for a mount or what
// holds one.
func (v *View) Rename(ctx context.Context, oldname, newname string, flag RenameFlag) error {
	return linkError("rename", oldname, newname, v.rename(ctx, oldname, newname, flag))
}

func linkError(op, oldname, newname string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: oldname, New: newname, Err: Errno(err)}
}

func (v *View) rename(ctx context.Context, oldname, newname string, flag RenameFlag) error {
	if flag&^(RenameNoReplace|RenameExchange) != 0 || flag == RenameNoReplace|RenameExchange {
		return syscall.EINVAL
	}
	from, err := v.find(ctx, oldname, inParent)
	if err != nil {
		return err
	}
	to, err := v.find(ctx, newname, inParent)
	if err != nil {
		return err
	}
	if err := v.renamable(ctx, &from, &to, flag); err != nil {
		return err
	}
	if from.path == to.path {
		return v.renameAt(ctx, &from, &to, flag)
	}
	return v.told(ctx, Change{Op: OpRename, Path: from.path, Other: to.path}, v.renameAt(ctx, &from, &to, flag))
}

func (v *View) renameAt(ctx context.Context, from, to *spot, flag RenameFlag) error {
	src, err := v.enter(ctx, from, OpRename, to.path)
	if err != nil {
		return err
	}
	toOp := OpRenameTo
	if flag == RenameExchange {
		toOp = OpRename
	}
	dst, err := v.enter(ctx, to, toOp, from.path)
	if err != nil {
		return err
	}
	if from.path == to.path {
		return nil
	}
	if to.under {
		if err := dst.ensureParents(ctx); err != nil {
			return err
		}
	}
	if !src.m.overlay {
		return renameOn(ctx, src, dst, flag)
	}
	return v.renameOverlaid(ctx, src, dst, flag)
}

// renamable answers the errors that come before any rule of the two names is
// asked, except to a session that may not know of them. The order is that of
// Linux (do_renameat2 in fs/namei.c).
func (v *View) renamable(ctx context.Context, from, to *spot, flag RenameFlag) error {
	taken := syscall.EBUSY
	if flag == RenameNoReplace {
		taken = syscall.EEXIST
	}
	fromDir, toDir := from.info.IsDir(), to.info.IsDir()
	switch {
	case from.m != to.m && from.place == nil && to.place == nil && from.state == found:
		return v.seen(ctx, from, syscall.EXDEV)
	case from.state == found && from.last != lastName:
		return v.seen(ctx, from, syscall.EBUSY)
	case to.last != lastName:
		return v.seen(ctx, to, taken)
	case from.state == missing:
		return syscall.ENOENT
	case from.state == hidden:
		_, err := v.enter(ctx, from, OpRename, to.path)
		return err
	case from.place != nil:
		return v.seen(ctx, from, syscall.EBUSY)
	case to.state == found && flag == RenameNoReplace:
		return v.seen(ctx, to, syscall.EEXIST)
	case to.state == missing && flag == RenameExchange:
		return syscall.ENOENT
	case to.place != nil:
		return v.seen(ctx, to, syscall.EBUSY)
	case to.slash && flag == RenameExchange && to.state == found && !toDir:
		return v.seen(ctx, to, syscall.ENOTDIR)
	case !fromDir && (from.slash || to.slash && flag != RenameExchange):
		return v.seen(ctx, from, syscall.ENOTDIR)
	case strings.HasPrefix(to.path, from.path+"/"):
		return v.seen(ctx, from, syscall.EINVAL)
	case strings.HasPrefix(from.path, to.path+"/"):
		if flag == RenameExchange {
			return v.seen(ctx, to, syscall.EINVAL)
		}
		return v.seen(ctx, to, syscall.ENOTEMPTY)
	case flag == 0 && to.state == found && fromDir && !toDir:
		return v.seen(ctx, to, syscall.ENOTDIR)
	case flag == 0 && to.state == found && !fromDir && toDir:
		return v.seen(ctx, to, syscall.EISDIR)
	}
	return nil
}

// renameOn renames on a backend. Without its help, RenameNoReplace rests on
// the look that was taken at the destination before.
func renameOn(ctx context.Context, src, dst entry, flag RenameFlag) error {
	if _, ok := src.fs.(FlagRenamer); !ok && flag == RenameNoReplace {
		flag = 0
	}
	return Rename(ctx, src.fs, src.name, dst.name, flag)
}

// renameOverlaid renames on a backend and in the node table.
func (v *View) renameOverlaid(ctx context.Context, src, dst entry, flag RenameFlag) error {
	nodes := v.ns.nodes
	if !nodes.has(src.path) && !nodes.has(dst.path) {
		src.m.names.RLock()
		if !nodes.has(src.path) && !nodes.has(dst.path) {
			defer src.m.names.RUnlock()
			return renameOn(ctx, src, dst, flag)
		}
		src.m.names.RUnlock()
	}
	src.m.names.Lock()
	defer src.m.names.Unlock()
	if err := nodes.fits(src.path, dst.path); err != nil {
		return err
	}
	if flag == RenameExchange {
		return v.exchange(ctx, src, dst)
	}
	if flag == RenameNoReplace && nodes.isLink(dst.path) {
		return syscall.EEXIST
	}
	if !nodes.isLink(src.path) {
		for _, n := range v.listNodes(dst) {
			if n.node.Target != "" {
				return syscall.ENOTEMPTY
			}
		}
		if err := renameOn(ctx, src, dst, flag); err != nil {
			return err
		}
		return nodes.move(ctx, src.path, dst.path)
	}
	if !nodes.isLink(dst.path) {
		// A link replaces a file of the backend.
		err := vacant(ctx, dst)
		if errIs(err, syscall.EEXIST) && flag == 0 {
			err = v.displace(ctx, dst)
		}
		if err != nil {
			return err
		}
	}
	return nodes.move(ctx, src.path, dst.path)
}

// displace removes the file of a backend that a link takes the name of.
func (v *View) displace(ctx context.Context, e entry) error {
	info, err := e.fs.Stat(ctx, e.name)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return syscall.EISDIR
	}
	return Remove(ctx, e.fs, e.name)
}

// exchange swaps two names, each of which is in the backend or a link of the
// table.
func (v *View) exchange(ctx context.Context, a, b entry) error {
	var err error
	switch aLink, bLink := v.ns.nodes.isLink(a.path), v.ns.nodes.isLink(b.path); {
	case aLink && bLink:
	case aLink:
		err = Rename(ctx, b.fs, b.name, a.name, 0)
	case bLink:
		err = Rename(ctx, a.fs, a.name, b.name, 0)
	default:
		err = Rename(ctx, a.fs, a.name, b.name, RenameExchange)
	}
	if err != nil {
		return err
	}
	return v.ns.nodes.swap(ctx, a.path, b.path)
}

// Link makes newname another name of the file oldname (not followed when it
// is a link); EPERM for a directory, ENOTSUP where the backend has no hard
// links, EXDEV between mounts.
func (v *View) Link(ctx context.Context, oldname, newname string) error {
	return linkError("link", oldname, newname, v.link(ctx, oldname, newname))
}

func (v *View) link(ctx context.Context, oldname, newname string) error {
	from, err := v.find(ctx, oldname, 0)
	if err != nil {
		return err
	}
	// Whoever holds a second name can read and change the file by it.
	src, err := v.enterFound(ctx, &from, OpRead, "")
	if err != nil {
		return err
	}
	to, err := v.find(ctx, newname, inParent)
	if err != nil {
		return err
	}
	switch {
	case to.state == found || to.last != lastName:
		return v.exists(ctx, &to)
	case to.slash:
		return syscall.ENOENT
	case from.m != to.m:
		return syscall.EXDEV
	case from.info.IsDir() || from.place != nil:
		return syscall.EPERM
	}
	return v.told(ctx, Change{Op: OpCreate, Path: to.path, Other: from.path}, v.linkAt(ctx, src, &from, &to))
}

// linkAt is link for a file that may be read by way of src.
func (v *View) linkAt(ctx context.Context, src entry, from, to *spot) error {
	if _, err := v.enter(ctx, from, OpWrite, to.path); err != nil {
		return err
	}
	dst, err := v.enter(ctx, to, OpCreate, from.path)
	if err != nil {
		return err
	}
	if to.under {
		if err := dst.ensureParents(ctx); err != nil {
			return err
		}
	}
	if !src.m.overlay {
		return Link(ctx, src.fs, src.name, dst.name)
	}
	src.m.names.Lock()
	defer src.m.names.Unlock()
	node, _ := v.ns.nodes.get(src.path)
	if v.ns.nodes.isLink(dst.path) {
		return syscall.EEXIST
	}
	if node == nil || node.Target == "" {
		err = Link(ctx, src.fs, src.name, dst.name)
	} else {
		err = vacant(ctx, dst)
	}
	if err != nil || node == nil {
		return err
	}
	return v.ns.nodes.put(ctx, dst.path, node)
}

// vacant answers nil when the backend has nothing by this name, in a
// directory that exists. The lock of the names is held.
func vacant(ctx context.Context, e entry) error {
	_, err := e.fs.Stat(ctx, e.name)
	if err == nil {
		return syscall.EEXIST
	}
	if !errIs(err, syscall.ENOENT) {
		return err
	}
	dir, _, ok := cutLast(e.name)
	if !ok {
		return nil
	}
	info, err := e.fs.Stat(ctx, dir)
	if err == nil && !info.IsDir() {
		return syscall.ENOTDIR
	}
	return err
}

// Symlink makes a link whose text is target, verbatim. It may lead anywhere
// or nowhere; ENOENT for an empty text.
func (v *View) Symlink(ctx context.Context, target, name string) error {
	return linkError("symlink", target, name, v.symlink(ctx, target, name))
}

func (v *View) symlink(ctx context.Context, target, name string) error {
	switch {
	case target == "":
		return syscall.ENOENT
	case len(target) >= maxPath:
		return syscall.ENAMETOOLONG
	case strings.IndexByte(target, 0) >= 0:
		return syscall.EINVAL
	}
	s, err := v.find(ctx, name, inParent)
	if err != nil {
		return err
	}
	if s.state == found || s.last != lastName {
		return v.exists(ctx, &s)
	}
	if s.slash {
		return syscall.ENOENT
	}
	return v.told(ctx, Change{Op: OpCreate, Path: s.path, Other: target, Type: fs.ModeSymlink}, v.symlinkAt(ctx, target, &s))
}

func (v *View) symlinkAt(ctx context.Context, target string, s *spot) error {
	e, err := v.enter(ctx, s, OpCreate, "")
	if err != nil {
		return err
	}
	if s.under {
		if err := e.ensureParents(ctx); err != nil {
			return err
		}
	}
	if _, ok := e.fs.(Symlinker); ok {
		return Symlink(ctx, e.fs, target, e.name)
	}
	e.m.names.Lock()
	defer e.m.names.Unlock()
	if v.ns.nodes.isLink(e.path) {
		return syscall.EEXIST
	}
	if err := vacant(ctx, e); err != nil {
		return err
	}
	now := v.ns.now()
	return v.ns.nodes.put(ctx, e.path, &Node{Target: target, ModTime: &now, AccessTime: &now})
}
