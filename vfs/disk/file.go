package disk

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"mirage/vfs"
)

// file is an open file or directory. os.File guards the descriptor against
// being closed and reused under a call.
type file struct {
	ctx    context.Context
	fs     *FS
	file   *os.File
	dir    *os.File // the directory of a file open for writing; else nil
	name   string
	flag   int
	isDir  bool
	closed atomic.Bool
}

// hostFlags are the flags of Open that the host gets to see. O_NONBLOCK keeps
// a FIFO that takes the place of a file from stopping us.
const hostFlags = os.O_WRONLY | os.O_RDWR | os.O_TRUNC | os.O_APPEND

// Open opens a file or directory; EACCES for FIFOs, sockets and devices.
func (f *FS) Open(ctx context.Context, name string, flag int, perm fs.FileMode) (vfs.File, error) {
	if err := f.begin(ctx, name); err != nil {
		return nil, fail("open", name, err)
	}
	defer f.end()
	if name == "." {
		h, err := f.openRoot(ctx, flag)
		if err != nil {
			return nil, fail("open", name, err)
		}
		return h, nil
	}
	a, err := f.parent(name)
	if err != nil {
		return nil, fail("open", name, err)
	}
	defer a.close()
	h := &file{ctx: ctx, fs: f, name: name, flag: flag}
	// Somebody may make and remove the file while we try.
	for range 16 {
		if flag&os.O_CREATE != 0 {
			err = h.create(a, perm)
			if err != unix.EEXIST || flag&os.O_EXCL != 0 {
				break
			}
		}
		if err = h.open(a); err != unix.ENOENT || flag&os.O_CREATE == 0 {
			break
		}
	}
	if err != nil {
		return nil, fail("open", name, err)
	}
	return h, nil
}

func (f *FS) openRoot(ctx context.Context, flag int) (*file, error) {
	switch {
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		return nil, syscall.EEXIST
	case flag&(os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_RDWR) != 0:
		return nil, syscall.EISDIR
	}
	fd, err := openStep(f.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &file{ctx: ctx, fs: f, file: os.NewFile(uintptr(fd), "."), name: ".", isDir: true}, nil
}

// create makes the file; EEXIST when there is one.
func (h *file) create(a at, perm fs.FileMode) error {
	bits, _ := hostMode(perm, false)
	flag := h.flag & hostFlags
	fd, err := openStep(a.fd, a.base, flag|unix.O_CREAT|unix.O_EXCL|unix.O_NONBLOCK, bits)
	if err != nil {
		return err
	}
	if err := unix.Fchmod(fd, bits); err != nil { // the process's umask has no say here
		_ = unix.Close(fd)
		return err
	}
	return h.keep(a, fd, false)
}

// keep makes the handle of an open descriptor, which it closes on an error.
func (h *file) keep(a at, fd int, isDir bool) error {
	if h.flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		dir, err := openStep(a.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			_ = unix.Close(fd)
			return err
		}
		h.dir = os.NewFile(uintptr(dir), h.name)
	}
	h.file, h.isDir = os.NewFile(uintptr(fd), h.name), isDir
	return nil
}

// open opens what is there.
func (h *file) open(a at) error {
	info, err := h.fs.statAt(a.fd, a.base, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return err
	}
	flag := h.flag&hostFlags | unix.O_NONBLOCK | unix.O_NOCTTY
	write := h.flag&(os.O_WRONLY|os.O_RDWR|os.O_TRUNC|os.O_CREATE) != 0
	switch {
	case info.IsLink():
		return syscall.ELOOP
	case info.IsDir() && write:
		return syscall.EISDIR
	case info.IsDir():
		flag |= unix.O_DIRECTORY
	case h.flag&unix.O_DIRECTORY != 0:
		return syscall.ENOTDIR
	case !info.IsRegular():
		return syscall.EACCES
	}
	if h.fs.quota != nil && flag&os.O_TRUNC != 0 {
		flag &^= os.O_TRUNC // done below, where it is counted
		if flag&os.O_WRONLY == 0 {
			flag |= os.O_RDWR
		}
	}
	fd, err := openStep(a.fd, a.base, flag, 0)
	if err != nil {
		return err
	}
	opened, err := h.fs.statAt(fd, "", unix.AT_EMPTY_PATH)
	if err == nil && !opened.IsRegular() && !opened.IsDir() {
		err = syscall.EACCES // it was swapped meanwhile
	}
	if err != nil {
		_ = unix.Close(fd)
		return err
	}
	if err := h.keep(a, fd, opened.IsDir()); err != nil {
		return err
	}
	if h.fs.quota != nil && h.flag&os.O_TRUNC != 0 {
		if err := h.truncate(0); err != nil {
			_ = h.Close()
			return err
		}
	}
	return nil
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

func (h *file) ReadAt(p []byte, off int64) (int, error) {
	err := h.use()
	switch {
	case err != nil:
	case h.flag&os.O_WRONLY != 0:
		err = syscall.EBADF
	case h.isDir:
		err = syscall.EISDIR
	case off < 0:
		err = syscall.EINVAL
	default:
		n, err := h.file.ReadAt(p, off)
		if err != nil && err != io.EOF {
			err = fail("read", h.name, err)
		}
		return n, err
	}
	return 0, fail("read", h.name, err)
}

func (h *file) WriteAt(p []byte, off int64) (n int, err error) {
	if err := h.writable(); err != nil {
		return 0, fail("write", h.name, err)
	}
	if off < 0 && h.flag&os.O_APPEND == 0 {
		return 0, fail("write", h.name, syscall.EINVAL)
	}
	if h.fs.quota == nil {
		n, err = h.write(p, off)
	} else {
		n, err = h.writeCounted(p, off)
	}
	return n, fail("write", h.name, err)
}

// write lets the kernel find the end of the file for an appending handle, so
// that appenders never meet.
func (h *file) write(p []byte, off int64) (int, error) {
	if h.flag&os.O_APPEND != 0 {
		return h.file.Write(p)
	}
	return h.file.WriteAt(p, off)
}

func (h *file) Truncate(size int64) error {
	if err := h.writable(); err != nil {
		return fail("truncate", h.name, err)
	}
	if size < 0 {
		return fail("truncate", h.name, syscall.EINVAL)
	}
	return fail("truncate", h.name, h.truncate(size))
}

func (h *file) truncate(size int64) error {
	if h.fs.quota == nil {
		return h.file.Truncate(size)
	}
	return h.fs.quota.resize(h.file, func(int64) int64 { return size }, func() error { return h.file.Truncate(size) })
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

// Sync puts the file on the disk and, when it is open for writing, its name in
// the directory that it was opened in.
func (h *file) Sync() error {
	if err := h.use(); err != nil {
		return fail("sync", h.name, err)
	}
	err := h.file.Sync()
	if err == nil && h.dir != nil {
		err = h.dir.Sync()
	}
	return fail("sync", h.name, err)
}

func (h *file) Stat() (vfs.Info, error) {
	if err := h.use(); err != nil {
		return vfs.Info{}, fail("stat", h.name, err)
	}
	var info vfs.Info
	err := h.control(func(fd int) (err error) {
		info, err = h.fs.statAt(fd, "", unix.AT_EMPTY_PATH)
		return err
	})
	info.Name = path.Base(h.name)
	return info, fail("stat", h.name, err)
}

// SetAttr changes the mode and the times of the open file, and answers the
// rest.
func (h *file) SetAttr(attr vfs.Attr) (vfs.Attr, error) {
	if err := h.use(); err != nil {
		return vfs.Attr{}, fail("setattr", h.name, err)
	}
	rest := vfs.Attr{UID: attr.UID, GID: attr.GID}
	err := h.control(func(fd int) error {
		if attr.Mode != nil {
			bits, full := hostMode(*attr.Mode, h.isDir)
			if err := unix.Fchmod(fd, bits); err != nil {
				return err
			}
			if !full {
				rest.Mode = attr.Mode
			}
		}
		ts, ok := timespecs(attr)
		if !ok {
			return nil
		}
		return unix.UtimesNanoAt(fd, "", ts[:], unix.AT_EMPTY_PATH)
	})
	return rest, fail("setattr", h.name, err)
}

// control runs fn on the descriptor, which stays open meanwhile.
func (h *file) control(fn func(fd int) error) error {
	raw, err := h.file.SyscallConn()
	if err != nil {
		return err
	}
	var ferr error
	if err := raw.Control(func(fd uintptr) { ferr = fn(int(fd)) }); err != nil {
		return err
	}
	return ferr
}

func (h *file) Close() error {
	if h.closed.Swap(true) {
		return fail("close", h.name, syscall.EBADF)
	}
	err := h.file.Close()
	if h.dir != nil {
		if derr := h.dir.Close(); err == nil {
			err = derr
		}
	}
	return fail("close", h.name, err)
}
