package ram

import (
	"context"
	"io/fs"
	"maps"
	"syscall"
	"time"

	"mirage/vfs"
)

// change is update for a call on a name.
func (f *FS) change(ctx context.Context, op, name string, fn func(t *tree, now time.Time) error) error {
	if err := check(ctx, name); err != nil {
		return fail(op, name, err)
	}
	return fail(op, name, f.update(fn))
}

// create adds a new file under a name that is free.
func (f *FS) create(t *tree, name string, in *inode, now time.Time) error {
	if name == "." {
		return syscall.EEXIST
	}
	dir, base, err := t.lookupParent(name)
	if err != nil {
		return err
	}
	if dir.dir.get(base) != 0 {
		return syscall.EEXIST
	}
	t.add(dir.ino, base, in, now)
	return nil
}

// Mkdir makes a directory.
func (f *FS) Mkdir(ctx context.Context, name string, perm fs.FileMode) error {
	return f.change(ctx, "mkdir", name, func(t *tree, now time.Time) error {
		return f.create(t, name, f.o.inode(fs.ModeDir|perm&^fs.ModeType, now), now)
	})
}

// Symlink makes a symbolic link.
func (f *FS) Symlink(ctx context.Context, target, name string) error {
	return f.change(ctx, "symlink", name, func(t *tree, now time.Time) error {
		in := f.o.inode(fs.ModeSymlink|0o777, now)
		in.target = target
		return f.create(t, name, in, now)
	})
}

// Link makes newname another name of the file oldname; EPERM for a directory.
func (f *FS) Link(ctx context.Context, oldname, newname string) error {
	if err := check(ctx, oldname); err != nil {
		return fail("link", oldname, err)
	}
	return f.change(ctx, "link", newname, func(t *tree, now time.Time) error {
		in, err := t.lookup(oldname)
		if err != nil {
			return err
		}
		if in.isDir() {
			return syscall.EPERM
		}
		dir, base, err := t.lookupParent(newname)
		if err != nil {
			return err
		}
		if dir.dir.get(base) != 0 {
			return syscall.EEXIST
		}
		t.attach(dir.ino, base, in, now)
		t.edit(in.ino, func(in *inode) { in.nlink++; in.changed = now })
		return nil
	})
}

// Remove removes a file, a link or an empty directory.
func (f *FS) Remove(ctx context.Context, name string) error {
	return f.change(ctx, "remove", name, func(t *tree, now time.Time) error {
		dir, base, err := t.lookupParent(name)
		if err != nil {
			return err
		}
		in := t.child(dir, base)
		switch {
		case in == nil:
			return syscall.ENOENT
		case in.dir.len() > 0:
			return syscall.ENOTEMPTY
		}
		f.unlink(t, dir.ino, base, in, now)
		return nil
	})
}

// unlink takes one name of a file away, and the file with its last name.
func (f *FS) unlink(t *tree, dir uint64, base string, in *inode, now time.Time) {
	t.detach(dir, base, in, now)
	left := in.nlink - 1
	if in.isDir() {
		left = 0
	}
	t.edit(in.ino, func(in *inode) { in.nlink, in.changed = left, now })
	if left == 0 {
		f.release(t, in.ino)
	}
}

// Rename moves a file with the semantics of rename(2).
func (f *FS) Rename(ctx context.Context, oldname, newname string) error {
	return f.RenameFlags(ctx, oldname, newname, 0)
}

// RenameFlags moves a file with the semantics of renameat2(2).
func (f *FS) RenameFlags(ctx context.Context, oldname, newname string, flag vfs.RenameFlag) error {
	if err := check(ctx, newname); err != nil {
		return fail("rename", newname, err)
	}
	return f.change(ctx, "rename", oldname, func(t *tree, now time.Time) error {
		return f.rename(t, oldname, newname, flag, now)
	})
}

func (f *FS) rename(t *tree, oldname, newname string, flag vfs.RenameFlag, now time.Time) error {
	from, oldbase, err := t.lookupParent(oldname)
	if err != nil {
		return err
	}
	to, newbase, err := t.lookupParent(newname)
	if err != nil {
		return err
	}
	in, over := t.child(from, oldbase), t.child(to, newbase)
	switch {
	case in == nil, over == nil && flag == vfs.RenameExchange:
		return syscall.ENOENT
	case over != nil && flag == vfs.RenameNoReplace:
		return syscall.EEXIST
	case in == over:
		return nil // one file by two names: nothing happens, as POSIX has it
	case in.isDir() && t.inside(to.ino, in.ino):
		return syscall.EINVAL
	}
	if flag == vfs.RenameExchange {
		return f.exchange(t, [2]uint64{from.ino, to.ino}, [2]string{oldbase, newbase}, [2]*inode{in, over}, now)
	}
	if over != nil {
		switch {
		case in.isDir() && !over.isDir():
			return syscall.ENOTDIR
		case !in.isDir() && over.isDir():
			return syscall.EISDIR
		case over.dir.len() > 0:
			return syscall.ENOTEMPTY
		}
		f.unlink(t, to.ino, newbase, over, now)
	}
	t.detach(from.ino, oldbase, in, now)
	t.attach(to.ino, newbase, in, now)
	t.edit(in.ino, func(in *inode) {
		in.changed = now
		if in.isDir() {
			in.parent = to.ino
		}
	})
	return nil
}

// exchange swaps the files of two names.
func (f *FS) exchange(t *tree, dirs [2]uint64, names [2]string, in [2]*inode, now time.Time) error {
	if in[1].isDir() && t.inside(dirs[0], in[1].ino) {
		return syscall.EINVAL
	}
	for i := range in {
		t.detach(dirs[i], names[i], in[i], now)
	}
	for i := range in {
		other := 1 - i
		t.attach(dirs[other], names[other], in[i], now)
		t.edit(in[i].ino, func(in *inode) {
			in.changed = now
			if in.isDir() {
				in.parent = dirs[other]
			}
		})
	}
	return nil
}

// SetAttr changes metadata, all of which ram holds.
func (f *FS) SetAttr(ctx context.Context, name string, attr vfs.Attr) (rest vfs.Attr, err error) {
	return vfs.Attr{}, f.change(ctx, "setattr", name, func(t *tree, now time.Time) error {
		in, err := t.lookup(name)
		if err != nil {
			return err
		}
		t.edit(in.ino, func(in *inode) { in.setAttr(attr, now) })
		return nil
	})
}

func (in *inode) setAttr(attr vfs.Attr, now time.Time) {
	if attr.Mode != nil {
		in.mode = in.mode.Type() | *attr.Mode&^fs.ModeType
	}
	if attr.UID != nil {
		in.uid = *attr.UID
	}
	if attr.GID != nil {
		in.gid = *attr.GID
	}
	if attr.AccessTime != nil {
		in.accessed = attr.AccessTime.Round(0)
	}
	if attr.ModTime != nil {
		in.modified = attr.ModTime.Round(0)
	}
	in.changed = now
}

// SetXattr sets an extended attribute.
func (f *FS) SetXattr(ctx context.Context, name, attr string, value []byte, create, replace bool) error {
	value = append([]byte{}, value...)
	return f.changeXattr(ctx, "setxattr", name, func(xattrs map[string][]byte) error {
		_, set := xattrs[attr]
		switch {
		case create && set:
			return syscall.EEXIST
		case replace && !set:
			return syscall.ENODATA
		}
		xattrs[attr] = value
		return nil
	})
}

// RemoveXattr removes an extended attribute.
func (f *FS) RemoveXattr(ctx context.Context, name, attr string) error {
	return f.changeXattr(ctx, "removexattr", name, func(xattrs map[string][]byte) error {
		if _, set := xattrs[attr]; !set {
			return syscall.ENODATA
		}
		delete(xattrs, attr)
		return nil
	})
}

// maxXattrs bounds the attributes of one file, since each change copies their
// list.
const maxXattrs = 256

func (f *FS) changeXattr(ctx context.Context, op, name string, fn func(map[string][]byte) error) error {
	return f.change(ctx, op, name, func(t *tree, now time.Time) error {
		in, err := t.lookup(name)
		if err != nil {
			return err
		}
		xattrs := maps.Clone(in.xattrs)
		if xattrs == nil {
			xattrs = map[string][]byte{}
		}
		if err := fn(xattrs); err != nil {
			return err
		}
		if len(xattrs) > maxXattrs {
			return syscall.ENOSPC
		}
		before := in.weight()
		t.edit(in.ino, func(in *inode) { in.xattrs, in.changed = xattrs, now })
		t.bytes += t.inodes.get(in.ino).weight() - before
		return nil
	})
}
