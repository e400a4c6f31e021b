package vfs

import (
	"context"
	"io/fs"
	"syscall"
)

// View is a file tree as one session sees it, and the only form in which a
// front end, a program or a script ever holds files. Names are absolute; they
// are resolved as path_resolution(7) says, links and ".." physically, at most
// 40 links a name. A trailing slash demands a directory.
//
// A View is cheap to derive and safe for concurrent use.
type View struct {
	ns     *Namespace
	guard  Guard
	caller any
}

// RenameFlag changes what Rename does with an existing destination.
type RenameFlag int

// The flags of renameat2(2) that are supported.
const (
	RenameNoReplace RenameFlag = 1 << iota // EEXIST when the destination exists
	RenameExchange                         // swap the two
)

// NewView joins a namespace and the rules of one session.
func NewView(ns *Namespace, g Guard) *View { return &View{ns: ns, guard: g} }

// For derives the view of one caller, which the Guard gets to see in
// Access.Caller. It is how a rule about `rm` reaches the files that rm opens.
func (v *View) For(caller any) *View { return &View{ns: v.ns, guard: v.guard, caller: caller} }

// Open opens a file or directory; see FS.Open for flag and perm. Links are
// followed, unless O_EXCL|O_CREATE or syscall.O_NOFOLLOW is given.
func (v *View) Open(ctx context.Context, name string, flag int, perm fs.FileMode) (File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOSYS}
}

// Stat describes what name leads to, links followed.
func (v *View) Stat(ctx context.Context, name string) (Info, error) { return Info{}, syscall.ENOSYS }

// Lstat describes name itself.
func (v *View) Lstat(ctx context.Context, name string) (Info, error) { return Info{}, syscall.ENOSYS }

// ReadDir lists a directory, sorted by name in byte order, without "." and
// "..", with every Info complete (never Partial). Hidden entries are absent.
func (v *View) ReadDir(ctx context.Context, name string) ([]Info, error) { return nil, syscall.ENOSYS }

// ReadNames is ReadDir for callers that need only names and types; entries
// may be Partial.
func (v *View) ReadNames(ctx context.Context, name string) ([]Info, error) {
	return nil, syscall.ENOSYS
}

// Mkdir makes one directory.
func (v *View) Mkdir(ctx context.Context, name string, perm fs.FileMode) error { return syscall.ENOSYS }

// MkdirAll makes a directory and the parents that are missing.
func (v *View) MkdirAll(ctx context.Context, name string, perm fs.FileMode) error {
	return syscall.ENOSYS
}

// Unlink removes a file or a link; EISDIR for a directory.
func (v *View) Unlink(ctx context.Context, name string) error { return syscall.ENOSYS }

// Rmdir removes an empty directory; ENOTDIR for anything else, EBUSY for the
// root of a mount.
func (v *View) Rmdir(ctx context.Context, name string) error { return syscall.ENOSYS }

// RemoveAll removes a tree, hidden entries inside it included. It stops at
// the first entry that the rules or the backend refuse and never crosses into
// another mount.
func (v *View) RemoveAll(ctx context.Context, name string) error { return syscall.ENOSYS }

// Rename moves oldname to newname; EXDEV between mounts.
func (v *View) Rename(ctx context.Context, oldname, newname string, flag RenameFlag) error {
	return syscall.ENOSYS
}

// Symlink makes a link whose text is target, verbatim.
func (v *View) Symlink(ctx context.Context, target, name string) error { return syscall.ENOSYS }

// Readlink answers the text of a link; EINVAL for anything else.
func (v *View) Readlink(ctx context.Context, name string) (string, error) { return "", syscall.ENOSYS }

// Link makes newname another name of the file oldname (not followed when it
// is a link); ENOTSUP where the backend has no hard links, EXDEV between
// mounts.
func (v *View) Link(ctx context.Context, oldname, newname string) error { return syscall.ENOSYS }

// SetAttr changes metadata, of a link's target when follow is set.
func (v *View) SetAttr(ctx context.Context, name string, attr Attr, follow bool) error {
	return syscall.ENOSYS
}

// Truncate sets the size of a file.
func (v *View) Truncate(ctx context.Context, name string, size int64) error { return syscall.ENOSYS }

// GetXattr answers one extended attribute; ENODATA when it is not set.
func (v *View) GetXattr(ctx context.Context, name, attr string, follow bool) ([]byte, error) {
	return nil, syscall.ENOSYS
}

// ListXattr lists the names of the extended attributes, sorted.
func (v *View) ListXattr(ctx context.Context, name string, follow bool) ([]string, error) {
	return nil, syscall.ENOSYS
}

// SetXattr sets an extended attribute; see Xattrer for create and replace.
func (v *View) SetXattr(ctx context.Context, name, attr string, value []byte, create, replace, follow bool) error {
	return syscall.ENOSYS
}

// RemoveXattr removes an extended attribute; ENODATA when it is not set.
func (v *View) RemoveXattr(ctx context.Context, name, attr string, follow bool) error {
	return syscall.ENOSYS
}

// StatFS reports the capacity of the mount that holds name.
func (v *View) StatFS(ctx context.Context, name string) (Usage, error) {
	return Usage{}, syscall.ENOSYS
}

// RealPath answers name without links, "." and ".."; every component must
// exist.
func (v *View) RealPath(ctx context.Context, name string) (string, error) { return "", syscall.ENOSYS }

// Mounts lists the mounts that the session can see, sorted by prefix, the
// reserved ones (unlisted) left out.
func (v *View) Mounts() []MountInfo { return nil }

// MountOf tells which mount serves name, without following links.
func (v *View) MountOf(name string) MountInfo { return MountInfo{} }

// ReadFile reads a whole file of at most limit bytes (EFBIG beyond it; no
// limit when negative).
func (v *View) ReadFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	return nil, syscall.ENOSYS
}

// WriteFile creates or replaces a file's contents.
func (v *View) WriteFile(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	return syscall.ENOSYS
}
