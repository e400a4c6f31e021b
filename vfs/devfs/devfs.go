// Package devfs is the backend of /dev: the devices of Linux that have a
// meaning in a workspace, with their device numbers
// (Documentation/admin-guide/devices.txt of the kernel). Nobody can add to it
// or take from it.
package devfs

import (
	"context"
	"crypto/rand"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"mirage/vfs"
)

// Options describes a device directory. The zero value is fit for use.
type Options struct {
	// Random is what /dev/random and /dev/urandom read; nil is the secure
	// generator of the host. It must be safe for concurrent use.
	Random io.Reader
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// device is one name in the directory.
type device struct {
	name         string
	major, minor uint64
	// read fills p; write swallows it. Both are nil for devices that cannot
	// be opened here: ENXIO, as for /dev/tty without a terminal.
	read  func(p []byte) (int, error)
	write func(p []byte) (int, error)

	modified atomic.Pointer[time.Time] // when touched; nil = at the start
}

// FS is a device directory.
type FS struct {
	now     func() time.Time
	started time.Time
	devices []*device // sorted by name
}

// fdDir is the directory of a process's descriptors. Its names are the
// shell's to resolve; the tree has none.
const fdDir = "fd"

// New makes a device directory.
func New(o Options) *FS {
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	random := func(p []byte) (int, error) { return io.ReadFull(o.Random, p) }
	f := &FS{now: o.Now, started: o.Now()}
	f.devices = []*device{
		{name: "full", major: 1, minor: 7, read: zeros, write: noSpace},
		{name: "null", major: 1, minor: 3, read: nothing, write: swallow},
		{name: "random", major: 1, minor: 8, read: random, write: swallow},
		// The standard streams are the shell's: it opens these names
		// before the tree is asked.
		{name: "stderr", major: 136},
		{name: "stdin", major: 136},
		{name: "stdout", major: 136},
		{name: "tty", major: 5},
		{name: "urandom", major: 1, minor: 9, read: random, write: swallow},
		{name: "zero", major: 1, minor: 5, read: zeros, write: swallow},
	}
	return f
}

func zeros(p []byte) (int, error)   { clear(p); return len(p), nil }
func nothing([]byte) (int, error)   { return 0, io.EOF }
func swallow(p []byte) (int, error) { return len(p), nil }
func noSpace([]byte) (int, error)   { return 0, syscall.ENOSPC }

// lookup answers a device, or nil for a directory.
func (f *FS) lookup(name string) (*device, error) {
	if name == "." || name == fdDir {
		return nil, nil
	}
	dir, rest, below := strings.Cut(name, "/")
	i, ok := slices.BinarySearchFunc(f.devices, dir, func(d *device, name string) int {
		return strings.Compare(d.name, name)
	})
	switch {
	case ok && !below:
		return f.devices[i], nil
	case ok && rest != "":
		return nil, syscall.ENOTDIR
	}
	return nil, syscall.ENOENT
}

func (f *FS) info(name string, d *device) vfs.Info {
	i := vfs.Info{
		Name: path.Base(name), Mode: fs.ModeDir | 0o755, Nlink: 2, Ino: 1,
		ModTime: f.started, AccessTime: f.started, ChangeTime: f.started, BirthTime: f.started,
	}
	if d == nil {
		if name == fdDir {
			i.Ino = 2
		}
		return i
	}
	i.Mode, i.Nlink = fs.ModeDevice|fs.ModeCharDevice|0o666, 1
	i.Rdev = d.major<<8 | d.minor
	i.Ino = 3 + uint64(slices.Index(f.devices, d))
	if t := d.modified.Load(); t != nil {
		i.ModTime, i.ChangeTime = *t, *t
	}
	return i
}

// Stat describes a device.
func (f *FS) Stat(ctx context.Context, name string) (vfs.Info, error) {
	d, err := f.begin(ctx, name)
	if err != nil {
		return vfs.Info{}, fail("stat", name, err)
	}
	return f.info(name, d), nil
}

func (f *FS) begin(ctx context.Context, name string) (*device, error) {
	switch {
	case ctx.Err() != nil:
		return nil, syscall.EINTR
	case !vfs.ValidName(name):
		return nil, syscall.EINVAL
	}
	return f.lookup(name)
}

// ReadDir lists the devices.
func (f *FS) ReadDir(ctx context.Context, name string) ([]vfs.Info, error) {
	d, err := f.begin(ctx, name)
	switch {
	case err != nil:
		return nil, fail("readdir", name, err)
	case d != nil:
		return nil, fail("readdir", name, syscall.ENOTDIR)
	case name == fdDir:
		return nil, nil
	}
	list := []vfs.Info{f.info(fdDir, nil)}
	for _, d := range f.devices {
		list = append(list, f.info(d.name, d))
	}
	slices.SortFunc(list, func(a, b vfs.Info) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Open opens a device. EACCES for making a file, ENXIO for a device that is
// not there.
func (f *FS) Open(ctx context.Context, name string, flag int, _ fs.FileMode) (vfs.File, error) {
	d, err := f.begin(ctx, name)
	write := flag&(os.O_WRONLY|os.O_RDWR) != 0
	switch {
	case err == syscall.ENOENT && flag&os.O_CREATE != 0:
		err = syscall.EACCES
	case err != nil:
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		err = syscall.EEXIST
	case d == nil && (write || flag&(os.O_CREATE|os.O_TRUNC) != 0):
		err = syscall.EISDIR
	case d != nil && flag&syscall.O_DIRECTORY != 0:
		err = syscall.ENOTDIR
	case d != nil && d.read == nil:
		err = syscall.ENXIO
	}
	if err != nil {
		return nil, fail("open", name, err)
	}
	return &file{ctx: ctx, fs: f, d: d, name: name, flag: flag}, nil
}

// file is an open device or directory (d is nil).
type file struct {
	ctx    context.Context
	fs     *FS
	d      *device
	name   string
	flag   int
	closed atomic.Bool
}

func (h *file) use() error {
	switch {
	case h.closed.Load():
		return syscall.EBADF
	case h.ctx.Err() != nil:
		return syscall.EINTR
	}
	return nil
}

func (h *file) ReadAt(p []byte, _ int64) (int, error) {
	err := h.use()
	switch {
	case err != nil:
	case h.flag&os.O_WRONLY != 0:
		err = syscall.EBADF
	case h.d == nil:
		err = syscall.EISDIR
	case len(p) == 0:
		return 0, nil
	default:
		n, err := h.d.read(p)
		if err != nil && err != io.EOF {
			err = fail("read", h.name, syscall.EIO)
		}
		return n, err
	}
	return 0, fail("read", h.name, err)
}

func (h *file) WriteAt(p []byte, _ int64) (int, error) {
	err := h.use()
	if err == nil && h.flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		err = syscall.EBADF
	}
	if err != nil {
		return 0, fail("write", h.name, err)
	}
	n, err := h.d.write(p)
	return n, fail("write", h.name, err)
}

// Truncate answers EINVAL, as ftruncate(2) does for a device.
func (h *file) Truncate(int64) error { return fail("truncate", h.name, syscall.EINVAL) }

// Sync answers EINVAL for a device, as fsync(2) does.
func (h *file) Sync() error {
	err := h.use()
	if err == nil && h.d != nil {
		err = syscall.EINVAL
	}
	return fail("sync", h.name, err)
}

func (h *file) Stat() (vfs.Info, error) {
	if err := h.use(); err != nil {
		return vfs.Info{}, fail("stat", h.name, err)
	}
	return h.fs.info(h.name, h.d), nil
}

func (h *file) Close() error {
	if h.closed.Swap(true) {
		return fail("close", h.name, syscall.EBADF)
	}
	return nil
}

func fail(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: vfs.Errno(err)}
}
