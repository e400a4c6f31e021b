package devfs

import (
	"context"
	"io/fs"
	"syscall"

	"mirage/vfs"
)

// The directory answers the calls that would change it as it answers a user
// who does not own it. It offers them all the same, so that a namespace does
// not make up for them in its node table.

// Mkdir answers EACCES.
func (f *FS) Mkdir(_ context.Context, name string, _ fs.FileMode) error {
	return fail("mkdir", name, syscall.EACCES)
}

// Remove answers EACCES.
func (f *FS) Remove(_ context.Context, name string) error {
	return fail("remove", name, syscall.EACCES)
}

// Rename answers EACCES.
func (f *FS) Rename(_ context.Context, oldname, _ string) error {
	return fail("rename", oldname, syscall.EACCES)
}

// Symlink answers EACCES.
func (f *FS) Symlink(_ context.Context, _, name string) error {
	return fail("symlink", name, syscall.EACCES)
}

// SetAttr sets the time of modification of a device, as touch(1) does, and
// answers EPERM for modes and owners.
func (f *FS) SetAttr(ctx context.Context, name string, attr vfs.Attr) (rest vfs.Attr, err error) {
	d, err := f.begin(ctx, name)
	switch {
	case err != nil:
	case d == nil || attr.Mode != nil || attr.UID != nil || attr.GID != nil:
		err = syscall.EPERM
	case attr.ModTime != nil:
		t := *attr.ModTime
		d.modified.Store(&t)
	}
	return vfs.Attr{}, fail("setattr", name, err)
}

// GetXattr answers ENODATA: devices have no extended attributes.
func (f *FS) GetXattr(_ context.Context, name, _ string) ([]byte, error) {
	return nil, fail("getxattr", name, syscall.ENODATA)
}

// ListXattr lists nothing.
func (f *FS) ListXattr(context.Context, string) ([]string, error) { return nil, nil }

// SetXattr answers EPERM, as xattr(7) has it for devices.
func (f *FS) SetXattr(_ context.Context, name, _ string, _ []byte, _, _ bool) error {
	return fail("setxattr", name, syscall.EPERM)
}

// RemoveXattr answers EPERM.
func (f *FS) RemoveXattr(_ context.Context, name, _ string) error {
	return fail("removexattr", name, syscall.EPERM)
}
