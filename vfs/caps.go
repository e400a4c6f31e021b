package vfs

import (
	"context"
	"io/fs"
	"syscall"
)

// The functions below are the way to what a backend may or may not offer.
// Each answers ENOTSUP where the backend lacks the interface.

// Mkdir makes a directory on a backend.
func Mkdir(ctx context.Context, fsys FS, name string, perm fs.FileMode) error {
	if b, ok := fsys.(TreeWriter); ok {
		return b.Mkdir(ctx, name, perm)
	}
	return notSupported("mkdir", name)
}

// Remove removes a file, a link or an empty directory on a backend.
func Remove(ctx context.Context, fsys FS, name string) error {
	if b, ok := fsys.(TreeWriter); ok {
		return b.Remove(ctx, name)
	}
	return notSupported("remove", name)
}

// Rename moves a file on a backend. A flag other than 0 needs a FlagRenamer.
func Rename(ctx context.Context, fsys FS, oldname, newname string, flag RenameFlag) error {
	if flag == 0 {
		if b, ok := fsys.(TreeWriter); ok {
			return b.Rename(ctx, oldname, newname)
		}
	} else if b, ok := fsys.(FlagRenamer); ok {
		return b.RenameFlags(ctx, oldname, newname, flag)
	}
	return notSupported("rename", oldname)
}

// Replace gives a file new contents in one step.
func Replace(ctx context.Context, fsys FS, name string, data []byte, perm fs.FileMode) error {
	if b, ok := fsys.(Replacer); ok {
		return b.Replace(ctx, name, data, perm)
	}
	return notSupported("replace", name)
}

// SetAttr changes metadata on a backend and answers what it cannot hold: all
// of attr when it is no Attributer.
func SetAttr(ctx context.Context, fsys FS, name string, attr Attr) (rest Attr, err error) {
	if b, ok := fsys.(Attributer); ok {
		return b.SetAttr(ctx, name, attr)
	}
	return attr, nil
}

// Symlink makes a symbolic link on a backend.
func Symlink(ctx context.Context, fsys FS, target, name string) error {
	if b, ok := fsys.(Symlinker); ok {
		return b.Symlink(ctx, target, name)
	}
	return notSupported("symlink", name)
}

// Link makes a hard link on a backend.
func Link(ctx context.Context, fsys FS, oldname, newname string) error {
	if b, ok := fsys.(Linker); ok {
		return b.Link(ctx, oldname, newname)
	}
	return notSupported("link", newname)
}

// GetXattr reads an extended attribute from a backend.
func GetXattr(ctx context.Context, fsys FS, name, attr string) ([]byte, error) {
	if b, ok := fsys.(Xattrer); ok {
		return b.GetXattr(ctx, name, attr)
	}
	return nil, notSupported("getxattr", name)
}

// ListXattr lists the extended attributes that a backend holds.
func ListXattr(ctx context.Context, fsys FS, name string) ([]string, error) {
	if b, ok := fsys.(Xattrer); ok {
		return b.ListXattr(ctx, name)
	}
	return nil, notSupported("listxattr", name)
}

// SetXattr sets an extended attribute on a backend.
func SetXattr(ctx context.Context, fsys FS, name, attr string, value []byte, create, replace bool) error {
	if b, ok := fsys.(Xattrer); ok {
		return b.SetXattr(ctx, name, attr, value, create, replace)
	}
	return notSupported("setxattr", name)
}

// RemoveXattr removes an extended attribute from a backend.
func RemoveXattr(ctx context.Context, fsys FS, name, attr string) error {
	if b, ok := fsys.(Xattrer); ok {
		return b.RemoveXattr(ctx, name, attr)
	}
	return notSupported("removexattr", name)
}

// StatFS reports the capacity of a backend; all -1 when it does not know.
func StatFS(ctx context.Context, fsys FS) (Usage, error) {
	if b, ok := fsys.(StatFSer); ok {
		return b.StatFS(ctx)
	}
	return Usage{Total: -1, Free: -1, Avail: -1, Files: -1, FilesFree: -1}, nil
}

// Snapshot freezes the tree of a backend.
func Snapshot(ctx context.Context, fsys FS) (FS, error) {
	if b, ok := fsys.(Snapshotter); ok {
		return b.Snapshot(ctx)
	}
	return nil, notSupported("snapshot", ".")
}

// SetFileAttr changes the metadata of an open file; see FileAttributer.
func SetFileAttr(f File, attr Attr) (rest Attr, err error) {
	if b, ok := f.(FileAttributer); ok {
		return b.SetAttr(attr)
	}
	return attr, notSupported("setattr", "")
}

func notSupported(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: syscall.ENOTSUP}
}
