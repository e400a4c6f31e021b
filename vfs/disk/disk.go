// Package disk serves a directory of the host (Linux).
//
// Every name is resolved by the kernel from an open descriptor of the root,
// with all symbolic links refused, those of the last component included. So
// no name leads out of the root, however the tree changes meanwhile; os.Root
// would follow links that stay inside. A link that the host has put there is
// listed as one without a text: it can be removed and renamed, not followed
// or read. Errors carry the names that the caller used, never those of the
// host.
//
// The bits 0600 of files and 0700 of directories are always set on the host,
// since what a workspace calls a file's mode must not lock the server out.
// Owners, the bits beyond 0777, links and extended attributes are left to the
// namespace.
package disk

import (
	"context"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"mirage/vfs"
)

// Options describes a disk backend. The zero value is fit for use.
type Options struct {
	// MaxBytes bounds the sum of the sizes of all files; EDQUOT beyond it.
	// 0 is no limit. What others write to the directory while it is served
	// is not counted.
	MaxBytes int64
	// Existing refuses a root that is missing (fs.ErrNotExist) instead of
	// making it: a disk that is not mounted must not look like an empty one.
	Existing bool
	// UID and GID are shown as the owner of every file.
	UID, GID int
}

// FS is a directory of the host as a backend.
type FS struct {
	o     Options
	quota *quota // nil without a limit

	// life is held for reading by every call, so that the descriptor of the
	// root does not become another file's meanwhile.
	life sync.RWMutex
	root *os.File // nil once closed
	fd   int

	steps bool // openat2(2) is not to be had
}

// New serves the directory root, which is made when it is missing, unless the
// options say otherwise. Its errors
// name the host's path and are for the operator.
func New(root string, o Options) (*FS, error) {
	if !o.Existing {
		if err := os.MkdirAll(root, 0o755); err != nil {
			return nil, err
		}
	}
	dir, err := os.OpenFile(root, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	if err := removeDrafts(dir); err != nil {
		_ = dir.Close()
		return nil, err
	}
	f := &FS{o: o, root: dir, fd: int(dir.Fd())}
	if probe, err := unix.Openat2(f.fd, ".", &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: resolve}); err == nil {
		_ = unix.Close(probe)
	} else {
		f.steps = true // an old kernel, or a container that forbids the call
	}
	if o.MaxBytes > 0 {
		used, err := usage(root)
		if err != nil {
			_ = dir.Close()
			return nil, err
		}
		f.quota = &quota{limit: o.MaxBytes, used: used}
	}
	return f, nil
}

// Close lets go of the root once all calls have returned. Later ones fail with
// EIO; open files stay usable.
func (f *FS) Close() error {
	f.life.Lock()
	defer f.life.Unlock()
	if f.root == nil {
		return os.ErrClosed
	}
	root := f.root
	f.root = nil
	return root.Close()
}

// begin is the start of every call. When it succeeds, end is its end.
func (f *FS) begin(ctx context.Context, name string) error {
	if ctx.Err() != nil {
		return syscall.EINTR
	}
	if !vfs.ValidName(name) {
		return syscall.EINVAL
	}
	if isDraft(name) {
		return syscall.ENOENT
	}
	f.life.RLock()
	if f.root == nil {
		f.life.RUnlock()
		return syscall.EIO
	}
	return nil
}

func (f *FS) end() { f.life.RUnlock() }

// resolve is how the kernel looks names up for us.
const resolve = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS

// openAt opens a name below the root without following any link.
func (f *FS) openAt(name string, flag int, perm uint32) (int, error) {
	if f.steps {
		return f.openSteps(name, flag, perm)
	}
	// Not O_NOFOLLOW: with O_PATH it would open a link instead of refusing it.
	how := unix.OpenHow{Flags: uint64(flag | unix.O_CLOEXEC), Resolve: resolve}
	if flag&unix.O_CREAT != 0 {
		how.Mode = uint64(perm)
	}
	for {
		fd, err := unix.Openat2(f.fd, name, &how)
		if err == unix.EINTR || err == unix.EAGAIN { // a rename got in the way
			continue
		}
		return fd, err
	}
}

// openSteps is openAt one component at a time.
func (f *FS) openSteps(name string, flag int, perm uint32) (int, error) {
	dir := f.fd
	for {
		part, rest, more := strings.Cut(name, "/")
		step := flag
		if more {
			step = unix.O_PATH | unix.O_DIRECTORY
		}
		fd, err := openStep(dir, part, step, perm)
		if dir != f.fd {
			_ = unix.Close(dir)
		}
		if err != nil || !more {
			return fd, err
		}
		dir, name = fd, rest
	}
}

func openStep(dir int, name string, flag int, perm uint32) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flag|unix.O_CLOEXEC|unix.O_NOFOLLOW, perm)
		if err == unix.EINTR {
			continue
		}
		if err == unix.ENOTDIR {
			var st unix.Stat_t
			if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
				err = unix.ELOOP
			}
		}
		return fd, err
	}
}

// at is the directory of a name, open, and the last component.
type at struct {
	fd   int
	base string
	own  bool // fd is to be closed
}

func (a at) close() {
	if a.own {
		_ = unix.Close(a.fd)
	}
}

// parent opens the directory that holds name.
func (f *FS) parent(name string) (at, error) {
	switch {
	case name == ".":
		return at{}, syscall.EBUSY
	case isDraft(name):
		return at{}, syscall.EACCES // a name that a rename or link would make
	}
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return at{fd: f.fd, base: name}, nil
	}
	fd, err := f.openAt(name[:i], unix.O_PATH|unix.O_DIRECTORY, 0)
	return at{fd: fd, base: name[i+1:], own: true}, err
}

// with runs fn in the directory that holds name.
func (f *FS) with(ctx context.Context, op, name string, fn func(at) error) error {
	if err := f.begin(ctx, name); err != nil {
		return fail(op, name, err)
	}
	defer f.end()
	a, err := f.parent(name)
	if err != nil {
		return fail(op, name, err)
	}
	defer a.close()
	return fail(op, name, fn(a))
}

// Stat describes a file; one of the host's links has no Target.
func (f *FS) Stat(ctx context.Context, name string) (vfs.Info, error) {
	if name == "." {
		if err := f.begin(ctx, name); err != nil {
			return vfs.Info{}, fail("stat", name, err)
		}
		defer f.end()
		info, err := f.statAt(f.fd, "", unix.AT_EMPTY_PATH)
		info.Name = "."
		return info, fail("stat", name, err)
	}
	var info vfs.Info
	err := f.with(ctx, "stat", name, func(a at) (err error) {
		info, err = f.statAt(a.fd, a.base, unix.AT_SYMLINK_NOFOLLOW)
		return err
	})
	return info, err
}

// listBatch is how many names are read between two looks at the context.
const listBatch = 256

// ReadDir lists a directory, every entry complete.
func (f *FS) ReadDir(ctx context.Context, name string) ([]vfs.Info, error) {
	list, err := f.readDir(ctx, name)
	return list, fail("readdir", name, err)
}

func (f *FS) readDir(ctx context.Context, name string) ([]vfs.Info, error) {
	if err := f.begin(ctx, name); err != nil {
		return nil, err
	}
	defer f.end()
	fd, err := f.openAt(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(fd), name)
	defer dir.Close()
	list := []vfs.Info{}
	for {
		if ctx.Err() != nil {
			return nil, syscall.EINTR
		}
		names, err := dir.Readdirnames(listBatch)
		for _, n := range names {
			if name == "." && isDraft(n) {
				continue
			}
			info, err := f.statAt(fd, n, unix.AT_SYMLINK_NOFOLLOW)
			if err == unix.ENOENT {
				continue // removed meanwhile
			}
			if err != nil {
				return nil, err
			}
			list = append(list, info)
		}
		if len(names) == 0 {
			if err != io.EOF {
				return nil, err
			}
			break
		}
	}
	sortByName(list)
	return list, nil
}

// StatFS reports the host filesystem, or the quota where it leaves less.
func (f *FS) StatFS(ctx context.Context) (vfs.Usage, error) {
	if err := f.begin(ctx, "."); err != nil {
		return vfs.Usage{}, fail("statfs", ".", err)
	}
	defer f.end()
	var st unix.Statfs_t
	if err := unix.Fstatfs(f.fd, &st); err != nil {
		return vfs.Usage{}, fail("statfs", ".", err)
	}
	size := st.Bsize
	u := vfs.Usage{
		Total: int64(st.Blocks) * size, Free: int64(st.Bfree) * size, Avail: int64(st.Bavail) * size,
		Files: int64(st.Files), FilesFree: int64(st.Ffree),
	}
	if f.quota != nil {
		u.Total = min(u.Total, f.quota.limit)
		left := f.quota.left()
		u.Free, u.Avail = min(u.Free, left), min(u.Avail, left)
	}
	return u, nil
}

// fail puts the errno of a host call under a virtual name.
func fail(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: vfs.Errno(err)}
}
