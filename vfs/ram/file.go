package ram

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mirage/vfs"
)

// openFile is an inode that has handles. It keeps the inode alive when its
// last name goes.
type openFile struct {
	ino  uint64
	refs int // guarded by FS.mu

	// mu is held by whoever makes a new content for the inode, so that the
	// copying happens outside FS.mu. Taken before FS.mu.
	mu sync.Mutex
}

// file is a handle.
type file struct {
	ctx    context.Context
	fs     *FS
	of     *openFile
	name   string
	flag   int
	closed atomic.Bool
}

// Open opens a file or directory; see vfs.FS.
func (f *FS) Open(ctx context.Context, name string, flag int, perm fs.FileMode) (vfs.File, error) {
	if err := check(ctx, name); err != nil {
		return nil, fail("open", name, err)
	}
	h := &file{ctx: ctx, fs: f, name: name, flag: flag}
	now := f.o.Now()
	f.mu.Lock()
	in, err := f.openInode(name, flag, perm, now)
	if err != nil {
		f.mu.Unlock()
		return nil, fail("open", name, err)
	}
	h.of = f.open[in.ino]
	if h.of == nil {
		h.of = &openFile{ino: in.ino}
		f.open[in.ino] = h.of
	}
	h.of.refs++
	f.mu.Unlock()
	if flag&os.O_TRUNC != 0 && in.isRegular() {
		if err := h.setContent(true, func(content) content { return content{} }); err != nil {
			_ = h.Close()
			return nil, fail("open", name, err)
		}
	}
	return h, nil
}

// openInode answers the inode to open, made if need be. The lock is held.
func (f *FS) openInode(name string, flag int, perm fs.FileMode, now time.Time) (*inode, error) {
	in, err := f.tree.Load().lookup(name)
	if flag&os.O_CREATE != 0 && err == syscall.ENOENT {
		in = f.o.inode(perm.Perm(), now)
		return in, f.publish(now, func(t *tree, now time.Time) error {
			if err := f.create(t, name, in, now); err != nil {
				return err
			}
			t.rev++
			in.rev = t.rev
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	write := flag&(os.O_WRONLY|os.O_RDWR|os.O_TRUNC|os.O_CREATE) != 0
	switch {
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		return nil, syscall.EEXIST
	case in.isLink():
		return nil, syscall.ELOOP
	case in.isDir() && write:
		return nil, syscall.EISDIR
	case !in.isDir() && flag&syscall.O_DIRECTORY != 0:
		return nil, syscall.ENOTDIR
	}
	return in, nil
}

// use starts a call on the handle.
func (h *file) use() error {
	if h.closed.Load() {
		return syscall.EBADF
	}
	if h.ctx.Err() != nil {
		return syscall.EINTR
	}
	return nil
}

func (h *file) inode() *inode { return h.fs.tree.Load().inodes.get(h.of.ino) }

func (h *file) ReadAt(p []byte, off int64) (int, error) {
	if err := h.use(); err != nil {
		return 0, fail("read", h.name, err)
	}
	if h.flag&os.O_WRONLY != 0 {
		return 0, fail("read", h.name, syscall.EBADF)
	}
	in := h.inode()
	if in == nil {
		return 0, fail("read", h.name, syscall.EBADF) // closed meanwhile
	}
	n, err := in.readAt(p, off)
	if err != nil && err != io.EOF {
		err = fail("read", h.name, err)
	}
	return n, err
}

func (in *inode) readAt(p []byte, off int64) (int, error) {
	switch {
	case in.isDir():
		return 0, syscall.EISDIR
	case off < 0:
		return 0, syscall.EINVAL
	case len(p) == 0:
		return 0, nil
	}
	n := in.content.readAt(p, off)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (h *file) WriteAt(p []byte, off int64) (int, error) {
	if err := h.writable(); err != nil {
		return 0, fail("write", h.name, err)
	}
	add := h.flag&os.O_APPEND != 0
	switch {
	case off < 0 && !add:
		return 0, fail("write", h.name, syscall.EINVAL)
	case len(p) == 0:
		return 0, nil
	case !add && off > maxSize-int64(len(p)):
		return 0, fail("write", h.name, syscall.EFBIG)
	}
	err := h.setContent(true, func(c content) content {
		if add {
			off = c.size
		}
		return c.write(p, off)
	})
	if err != nil {
		return 0, fail("write", h.name, err)
	}
	return len(p), nil
}

func (h *file) Truncate(size int64) error {
	if err := h.writable(); err != nil {
		return fail("truncate", h.name, err)
	}
	switch {
	case size < 0:
		return fail("truncate", h.name, syscall.EINVAL)
	case size > maxSize:
		return fail("truncate", h.name, syscall.EFBIG)
	}
	return fail("truncate", h.name, h.setContent(true, func(c content) content { return c.truncate(size) }))
}

func (h *file) writable() error {
	if err := h.use(); err != nil {
		return err
	}
	if h.flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		return syscall.EBADF
	}
	return nil
}

// setContent replaces the content by what fn makes of it.
func (h *file) setContent(touch bool, fn func(content) content) error {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	in := h.inode()
	if in == nil {
		return syscall.EBADF
	}
	c := fn(in.content)
	if c.size > maxSize {
		return syscall.EFBIG
	}
	return h.fs.update(func(t *tree, now time.Time) error {
		if t.inodes.get(h.of.ino) == nil {
			return syscall.EBADF
		}
		t.rev++
		t.bytes += c.bytes - in.content.bytes
		t.edit(h.of.ino, func(in *inode) {
			in.content, in.rev = c, t.rev
			in.modified, in.changed = now, now
		})
		return nil
	})
}

// Sync has nothing to do: memory is all there is.
func (h *file) Sync() error { return fail("sync", h.name, h.use()) }

func (h *file) Stat() (vfs.Info, error) {
	if err := h.use(); err != nil {
		return vfs.Info{}, fail("stat", h.name, err)
	}
	in := h.inode()
	if in == nil {
		return vfs.Info{}, fail("stat", h.name, syscall.EBADF)
	}
	return in.info(path.Base(h.name)), nil
}

// SetAttr changes the metadata of the open file.
func (h *file) SetAttr(attr vfs.Attr) (rest vfs.Attr, err error) {
	if err := h.use(); err != nil {
		return vfs.Attr{}, fail("setattr", h.name, err)
	}
	return vfs.Attr{}, fail("setattr", h.name, h.fs.update(func(t *tree, now time.Time) error {
		if t.inodes.get(h.of.ino) == nil {
			return syscall.EBADF
		}
		t.edit(h.of.ino, func(in *inode) { in.setAttr(attr, now) })
		return nil
	}))
}

// Close gives the handle back. With the last one, a file without a name goes.
func (h *file) Close() error {
	if h.closed.Swap(true) {
		return fail("close", h.name, syscall.EBADF)
	}
	f := h.fs
	f.mu.Lock()
	defer f.mu.Unlock()
	h.of.refs--
	if h.of.refs > 0 {
		return nil
	}
	delete(f.open, h.of.ino)
	if in := f.tree.Load().inodes.get(h.of.ino); in != nil && in.nlink == 0 {
		t := *f.tree.Load()
		t.drop(h.of.ino)
		f.tree.Store(&t)
	}
	return nil
}
