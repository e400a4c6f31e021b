// Package binfs is the backend of /usr/bin: a read-only directory of
// executable files, one for each program that the shell can run.
package binfs

import (
	"context"
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

// FS is a directory of programs. It never changes.
type FS struct {
	names   []string // sorted
	content func(name string) string
	made    time.Time
}

// New makes a directory of the given names. content answers what is in a file,
// the same at every call; it must be safe for concurrent use. made is the
// time that every file shows.
func New(names []string, content func(name string) string, made time.Time) *FS {
	names = slices.Clone(names)
	slices.Sort(names)
	return &FS{names: slices.Compact(names), content: content, made: made}
}

// find answers the index of a program; -1 is the directory itself.
func (f *FS) find(ctx context.Context, name string) (int, error) {
	switch {
	case ctx.Err() != nil:
		return 0, syscall.EINTR
	case !vfs.ValidName(name):
		return 0, syscall.EINVAL
	case name == ".":
		return -1, nil
	}
	name, _, below := strings.Cut(name, "/")
	i, ok := slices.BinarySearch(f.names, name)
	switch {
	case !ok:
		return 0, syscall.ENOENT
	case below:
		return 0, syscall.ENOTDIR
	}
	return i, nil
}

func (f *FS) info(name string, i int) vfs.Info {
	info := vfs.Info{
		Name: path.Base(name), Mode: fs.ModeDir | 0o755, Nlink: 2, Ino: uint64(i + 2),
		ModTime: f.made, AccessTime: f.made, ChangeTime: f.made, BirthTime: f.made,
	}
	if i >= 0 {
		info.Mode, info.Nlink = 0o755, 1
		info.Size = int64(len(f.content(f.names[i])))
		info.Blocks = (info.Size + 4095) / 4096 * 8
	}
	return info
}

// Stat describes a program.
func (f *FS) Stat(ctx context.Context, name string) (vfs.Info, error) {
	i, err := f.find(ctx, name)
	if err != nil {
		return vfs.Info{}, fail("stat", name, err)
	}
	return f.info(name, i), nil
}

// ReadDir lists the programs.
func (f *FS) ReadDir(ctx context.Context, name string) ([]vfs.Info, error) {
	i, err := f.find(ctx, name)
	if err == nil && i >= 0 {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, fail("readdir", name, err)
	}
	list := make([]vfs.Info, len(f.names))
	for i, name := range f.names {
		list[i] = f.info(name, i)
	}
	return list, nil
}

// Open opens a program for reading; EACCES for anything else.
func (f *FS) Open(ctx context.Context, name string, flag int, _ fs.FileMode) (vfs.File, error) {
	i, err := f.find(ctx, name)
	write := flag&(os.O_WRONLY|os.O_RDWR|os.O_TRUNC) != 0
	switch {
	case err == syscall.ENOENT && flag&os.O_CREATE != 0:
		err = syscall.EACCES
	case err != nil:
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		err = syscall.EEXIST
	case i < 0 && (write || flag&os.O_CREATE != 0):
		err = syscall.EISDIR
	case i >= 0 && flag&syscall.O_DIRECTORY != 0:
		err = syscall.ENOTDIR
	case write:
		err = syscall.EACCES
	}
	if err != nil {
		return nil, fail("open", name, err)
	}
	h := &file{ctx: ctx, name: name, info: f.info(name, i)}
	if i >= 0 {
		h.data = strings.NewReader(f.content(f.names[i]))
	}
	return h, nil
}

// file is an open program, or the directory (data is nil).
type file struct {
	ctx    context.Context
	name   string
	info   vfs.Info
	data   *strings.Reader // only its ReadAt is used, which keeps no position
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

func (h *file) ReadAt(p []byte, off int64) (int, error) {
	err := h.use()
	switch {
	case err != nil:
	case h.data == nil:
		err = syscall.EISDIR
	case off < 0:
		err = syscall.EINVAL
	default:
		n, err := h.data.ReadAt(p, off)
		if err != nil && err != io.EOF {
			err = fail("read", h.name, err)
		}
		return n, err
	}
	return 0, fail("read", h.name, err)
}

func (h *file) WriteAt([]byte, int64) (int, error) { return 0, fail("write", h.name, syscall.EBADF) }
func (h *file) Truncate(int64) error               { return fail("truncate", h.name, syscall.EBADF) }
func (h *file) Sync() error                        { return fail("sync", h.name, h.use()) }

func (h *file) Stat() (vfs.Info, error) {
	if err := h.use(); err != nil {
		return vfs.Info{}, fail("stat", h.name, err)
	}
	return h.info, nil
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
