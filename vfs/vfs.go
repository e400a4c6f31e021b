// Package vfs is the file tree of a workspace: the interfaces that a backend
// implements, the namespace that joins mounts into one tree, and View, the
// only form in which the rest of the program ever holds files.
//
// Backends name files as io/fs does: slash-separated, unrooted, "." for the
// root, always valid by ValidName. Views name files as POSIX does: absolute,
// resolved component by component, "." and ".." and symbolic links included.
//
// Every error is a *fs.PathError (or *os.LinkError for two-path calls) whose
// Err is a bare syscall.Errno and whose paths are virtual.
package vfs

import (
	"context"
	"io/fs"
	"strings"
	"time"
)

// FS is what every backend implements. Names are valid by ValidName.
// Stat does not follow symbolic links; nor does Open, which answers ELOOP for
// one. All methods are safe for concurrent use.
//
// What a backend can do beyond this it offers by the optional interfaces of
// this package (TreeWriter, Attributer, Symlinker, ...). Nobody but this
// package asks a backend for them.
type FS interface {
	// Open opens a file or directory. flag is a combination of os.O_RDONLY,
	// O_WRONLY, O_RDWR, O_CREATE, O_EXCL, O_TRUNC and O_APPEND. perm gives
	// the mode bits of a created file; the umask has been applied already.
	// The context governs the handle's whole life: when it ends, further
	// I/O on the handle fails.
	Open(ctx context.Context, name string, flag int, perm fs.FileMode) (File, error)
	// Stat describes name itself, never what a link points at.
	Stat(ctx context.Context, name string) (Info, error)
	// ReadDir lists a directory, sorted by name. Entries may leave out
	// everything but Name and Mode's type bits where the rest costs a call
	// each; Complete tells which.
	ReadDir(ctx context.Context, name string) ([]Info, error)
}

// ValidName reports whether name is one that a backend takes: valid by
// fs.ValidPath, except that, as in POSIX, it need not be UTF-8.
func ValidName(name string) bool {
	if name == "." {
		return true
	}
	return len(name) > 0 && isClean("/"+name) && strings.IndexByte(name, 0) < 0
}

// File is an open file: a handle without a cursor. Calls may be concurrent.
//
// On a handle opened with O_APPEND, WriteAt ignores its offset and adds the
// bytes at the end of the file in one step. Sync and Close report write
// errors that were deferred. Close may be called once.
type File interface {
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	Truncate(size int64) error
	Sync() error
	Stat() (Info, error)
	Close() error
}

// Info describes one file. The zero value of a field that a backend does not
// know is the field's zero value, except Size, which is -1 when unknown.
type Info struct {
	Name   string      // base name
	Size   int64       // bytes; -1 when unknown
	Mode   fs.FileMode // type and permission bits
	UID    int
	GID    int
	Nlink  int    // hard links, at least 1
	Ino    uint64 // stable while the file exists; 0 when unknown
	Dev    uint64 // one number per mount, set by the namespace
	Rdev   uint64 // device numbers (major<<8 | minor) of a device file
	Blocks int64  // 512-byte blocks in use; -1 when unknown

	ModTime    time.Time
	AccessTime time.Time
	ChangeTime time.Time
	BirthTime  time.Time

	// Target is the text of a symbolic link.
	Target string
	// Revision changes whenever the content does; it is what conditional
	// replacement compares. Empty when the backend has no such token.
	Revision string
	// Partial marks a directory entry of which only Name and the type are
	// known.
	Partial bool
}

// IsDir reports whether the file is a directory.
func (i Info) IsDir() bool { return i.Mode.IsDir() }

// IsLink reports whether the file is a symbolic link.
func (i Info) IsLink() bool { return i.Mode&fs.ModeSymlink != 0 }

// IsRegular reports whether the file is an ordinary file.
func (i Info) IsRegular() bool { return i.Mode.IsRegular() }

// Attr is a change of a file's metadata. A nil field stays as it is.
type Attr struct {
	Mode       *fs.FileMode // permission, setuid, setgid and sticky bits
	UID, GID   *int
	AccessTime *time.Time
	ModTime    *time.Time
}

// IsZero reports whether the change changes nothing.
func (a Attr) IsZero() bool { return a == Attr{} }

// Usage is what statvfs reports of a filesystem, in bytes and files; -1
// marks a figure that the backend does not know.
type Usage struct {
	Total, Free, Avail int64
	Files, FilesFree   int64
}

// TreeWriter is offered by backends whose tree can be changed.
type TreeWriter interface {
	Mkdir(ctx context.Context, name string, perm fs.FileMode) error
	// Remove removes one name: a file, a link, or an empty directory.
	Remove(ctx context.Context, name string) error
	// Rename moves a file or a directory over newname with the semantics of
	// rename(2): an existing file is replaced in one step, an existing
	// directory only if it is empty and oldname is a directory too.
	Rename(ctx context.Context, oldname, newname string) error
}

// Attributer is offered by backends that hold mode bits, owners or times.
type Attributer interface {
	// SetAttr changes what the backend can hold and answers the rest: the
	// fields of attr that it cannot, which the namespace then keeps in its
	// node table.
	SetAttr(ctx context.Context, name string, attr Attr) (rest Attr, err error)
}

// FileAttributer is offered by open files whose metadata can be changed
// through the handle, whatever became of the name.
type FileAttributer interface {
	SetAttr(attr Attr) (rest Attr, err error)
}

// FlagRenamer is offered by backends that know the flags of renameat2(2).
type FlagRenamer interface {
	RenameFlags(ctx context.Context, oldname, newname string, flag RenameFlag) error
}

// Walker is offered by backends that walk a whole name in one step. A backend
// that holds symbolic links must be a Walker.
type Walker interface {
	// Walk goes down name and describes the file it ends at: name itself,
	// or the first symbolic link on the way, which may be the last
	// component. n is the length of the part of name that info describes.
	// On an error, n is the length up to and including the component that
	// is missing (ENOENT) or that is in the way (ENOTDIR).
	//
	// Before pass(i) has answered nil, nothing below the directory name[:i]
	// is looked at; its error ends the walk. It is not asked about the last
	// component. A nil pass allows everything.
	Walk(ctx context.Context, name string, pass func(i int) error) (info Info, n int, err error)
}

// Symlinker is offered by backends that hold symbolic links. Elsewhere the
// namespace keeps them in its node table.
type Symlinker interface {
	Symlink(ctx context.Context, target, name string) error
}

// Linker is offered by backends that hold hard links.
type Linker interface {
	Link(ctx context.Context, oldname, newname string) error
}

// Xattrer is offered by backends that hold extended attributes.
type Xattrer interface {
	GetXattr(ctx context.Context, name, attr string) ([]byte, error)
	ListXattr(ctx context.Context, name string) ([]string, error)
	// SetXattr answers EEXIST when create is set and attr exists, ENODATA
	// when replace is set and it does not.
	SetXattr(ctx context.Context, name, attr string, value []byte, create, replace bool) error
	RemoveXattr(ctx context.Context, name, attr string) error
}

// StatFSer is offered by backends that know their capacity.
type StatFSer interface {
	StatFS(ctx context.Context) (Usage, error)
}

// Personal is offered by backends that are not the same for every session. The
// root of such a mount may be a file.
type Personal interface {
	// For answers the backend as one session sees it: owner is what View.Of
	// was given, nil when there is none.
	For(owner any) FS
}

// Snapshotter is offered by backends that can freeze their whole tree.
type Snapshotter interface {
	// Snapshot answers a read-only FS of the tree as it is now.
	Snapshot(ctx context.Context) (FS, error)
}

// Replacer is offered by backends that can give a file new contents in one
// step: whoever looks, and whatever ends the process, finds the old contents
// or the new ones whole. A file that is there keeps its mode; perm is for one
// that is not. ENOTSUP says that this file cannot be replaced so.
type Replacer interface {
	Replace(ctx context.Context, name string, data []byte, perm fs.FileMode) error
}
