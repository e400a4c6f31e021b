package ram

import (
	"context"
	"io/fs"
	"os"
	"path"
	"sync/atomic"
	"syscall"

	"mirage/vfs"
)

// snapshot is a tree that no longer changes.
type snapshot struct {
	t *tree
	o Options
}

// Clone answers a filesystem that starts with the tree of a snapshot; ok is
// false when fsys is none of this package.
func Clone(fsys vfs.FS) (f *FS, ok bool) {
	s, ok := fsys.(snapshot)
	if !ok {
		return nil, false
	}
	t := *s.t
	return newFS(s.o, &t), true
}

// Open opens a file for reading; EROFS for anything else.
func (s snapshot) Open(ctx context.Context, name string, flag int, _ fs.FileMode) (vfs.File, error) {
	if err := check(ctx, name); err != nil {
		return nil, fail("open", name, err)
	}
	in, err := s.t.lookup(name)
	switch {
	case err == syscall.ENOENT && flag&os.O_CREATE != 0:
		err = syscall.EROFS
	case err != nil:
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		err = syscall.EEXIST
	case in.isLink():
		err = syscall.ELOOP
	case in.isDir() && flag&(os.O_WRONLY|os.O_RDWR|os.O_TRUNC|os.O_CREATE) != 0:
		err = syscall.EISDIR
	case flag&(os.O_WRONLY|os.O_RDWR|os.O_TRUNC) != 0:
		err = syscall.EROFS
	case !in.isDir() && flag&syscall.O_DIRECTORY != 0:
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, fail("open", name, err)
	}
	return &frozen{ctx: ctx, in: in, name: name}, nil
}

func (s snapshot) Stat(ctx context.Context, name string) (vfs.Info, error) {
	return s.t.stat(ctx, name)
}

func (s snapshot) Walk(ctx context.Context, name string, pass func(int) error) (vfs.Info, int, error) {
	return s.t.walkInfo(ctx, name, pass)
}

func (s snapshot) ReadDir(ctx context.Context, name string) ([]vfs.Info, error) {
	return s.t.readDir(ctx, name)
}

func (s snapshot) Snapshot(context.Context) (vfs.FS, error) { return s, nil }

func (s snapshot) StatFS(context.Context) (vfs.Usage, error) { return s.t.usage(s.o), nil }

// The rest makes a snapshot a backend that holds everything, so that a
// namespace looks for nothing of it in its node table; changes are refused.

func (s snapshot) readOnly(op, name string) error { return fail(op, name, syscall.EROFS) }

func (s snapshot) Symlink(_ context.Context, _, name string) error {
	return s.readOnly("symlink", name)
}

func (s snapshot) SetAttr(_ context.Context, name string, _ vfs.Attr) (vfs.Attr, error) {
	return vfs.Attr{}, s.readOnly("setattr", name)
}

func (s snapshot) GetXattr(ctx context.Context, name, attr string) ([]byte, error) {
	return s.t.getXattr(ctx, name, attr)
}

func (s snapshot) ListXattr(ctx context.Context, name string) ([]string, error) {
	return s.t.listXattr(ctx, name)
}

func (s snapshot) SetXattr(_ context.Context, name, _ string, _ []byte, _, _ bool) error {
	return s.readOnly("setxattr", name)
}

func (s snapshot) RemoveXattr(_ context.Context, name, _ string) error {
	return s.readOnly("removexattr", name)
}

// frozen is an open file of a snapshot.
type frozen struct {
	ctx    context.Context
	in     *inode
	name   string
	closed atomic.Bool
}

func (h *frozen) use() error {
	if h.closed.Load() {
		return syscall.EBADF
	}
	if h.ctx.Err() != nil {
		return syscall.EINTR
	}
	return nil
}

func (h *frozen) ReadAt(p []byte, off int64) (int, error) {
	if err := h.use(); err != nil {
		return 0, fail("read", h.name, err)
	}
	return h.in.readAt(p, off)
}

func (h *frozen) WriteAt([]byte, int64) (int, error) { return 0, fail("write", h.name, syscall.EBADF) }
func (h *frozen) Truncate(int64) error               { return fail("truncate", h.name, syscall.EBADF) }
func (h *frozen) Sync() error                        { return fail("sync", h.name, h.use()) }

func (h *frozen) Stat() (vfs.Info, error) {
	if err := h.use(); err != nil {
		return vfs.Info{}, fail("stat", h.name, err)
	}
	return h.in.info(path.Base(h.name)), nil
}

func (h *frozen) Close() error {
	if h.closed.Swap(true) {
		return fail("close", h.name, syscall.EBADF)
	}
	return nil
}
