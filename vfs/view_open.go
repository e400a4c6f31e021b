package vfs

import (
	"context"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// openRetries bounds how often Open starts over because somebody else makes
// and removes the file meanwhile.
const openRetries = 16

// Open opens a file or directory; see FS.Open for flag and perm. Links are
// followed, unless O_EXCL|O_CREATE or syscall.O_NOFOLLOW is given. With
// O_CREATE, a link that leads to nothing has its target made.
// syscall.O_DIRECTORY answers ENOTDIR for what is no directory.
//
// A directory opens for reading; its ReadAt answers EISDIR. A handle answers
// EBADF for I/O in a direction that it was not opened for or after Close, and
// EINTR once ctx has ended. Its SetAttr (see SetFileAttr) reaches the file
// whatever became of its name.
func (v *View) Open(ctx context.Context, name string, flag int, perm fs.FileMode) (File, error) {
	for range openRetries {
		f, again, err := v.open(ctx, name, flag, perm)
		if !again {
			return f, pathError("open", name, err)
		}
	}
	return nil, pathError("open", name, syscall.EBUSY)
}

// open is one try; again asks for another.
func (v *View) open(ctx context.Context, name string, flag int, perm fs.FileMode) (f File, again bool, err error) {
	how := follow
	if flag&os.O_CREATE != 0 {
		how |= creating
	}
	if flag&syscall.O_NOFOLLOW != 0 || flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL {
		how &^= follow
	}
	s, err := v.find(ctx, name, how)
	if err != nil {
		return nil, false, err
	}
	if s.state == missing || s.state == hidden && flag&os.O_CREATE != 0 {
		return v.create(ctx, &s, name, flag, perm)
	}
	if err := openable(&s, flag); err != nil {
		return nil, false, v.seen(ctx, &s, err)
	}
	f, again, err = v.openAt(ctx, &s, name, flag, perm, how)
	if err != nil && !again && writable(flag) {
		_ = v.told(ctx, Change{Op: OpWrite, Path: s.path}, err)
	}
	return f, again, err
}

// openAt is open for a file that is there.
func (v *View) openAt(ctx context.Context, s *spot, name string, flag int, perm fs.FileMode, how lookup) (f File, again bool, err error) {
	e, err := v.enterOpen(ctx, s, flag)
	if err != nil {
		return nil, false, err
	}
	h := v.handle(ctx, e, name, flag)
	h.device = s.info.Mode&fs.ModeDevice != 0
	if s.synthetic {
		h.file = &dirHandle{info: s.info}
		return h, false, nil
	}
	h.file, err = e.fs.Open(ctx, e.name, flag&^(os.O_CREATE|os.O_EXCL), perm)
	if errIs(err, syscall.ENOENT) && flag&os.O_CREATE != 0 || errIs(err, syscall.ELOOP) && how&follow != 0 {
		return nil, true, err // gone, or become a link, since it was looked at
	}
	if err != nil {
		return nil, false, err
	}
	if flag&os.O_TRUNC != 0 {
		h.written()
		h.note(nil)
	}
	return h, false, nil
}

// enterOpen asks about the directions that flag opens a file in: reading,
// writing, or one after the other. O_TRUNC writes, except to a device.
func (v *View) enterOpen(ctx context.Context, s *spot, flag int) (e entry, err error) {
	write := writable(flag) || flag&os.O_TRUNC != 0 && s.info.Mode&fs.ModeDevice == 0
	if !write || flag&accessMode == os.O_RDWR {
		e, err = v.enter(ctx, s, OpRead, "")
	}
	if write && err == nil {
		first := e
		if e, err = v.enter(ctx, s, OpWrite, ""); first.fs != nil {
			e.version = min(e.version, first.version)
		}
	}
	return e, err
}

// create is open for a name that is not there, or that is not to be known of.
func (v *View) create(ctx context.Context, s *spot, name string, flag int, perm fs.FileMode) (f File, again bool, err error) {
	switch {
	case flag&os.O_CREATE == 0:
		_, err = v.enter(ctx, s, OpRead, "")
		if err == nil || Errno(err) == syscall.EROFS {
			err = syscall.ENOENT
		}
		return nil, false, err
	case flag&syscall.O_DIRECTORY != 0:
		return nil, false, syscall.EINVAL
	}
	f, again, err = v.createAt(ctx, s, name, flag, perm)
	if !again {
		_ = v.told(ctx, Change{Op: OpCreate, Path: s.path}, err)
	}
	return f, again, err
}

func (v *View) createAt(ctx context.Context, s *spot, name string, flag int, perm fs.FileMode) (f File, again bool, err error) {
	e, err := v.enter(ctx, s, OpCreate, "")
	if err != nil {
		return nil, false, err
	}
	if s.under {
		if err := e.ensureParents(ctx); err != nil {
			return nil, false, err
		}
	}
	h := v.handle(ctx, e, name, flag)
	err = v.make(ctx, e, func() (err error) {
		h.file, err = e.fs.Open(ctx, e.name, flag|os.O_CREATE|os.O_EXCL, perm.Perm())
		return err
	})
	if errIs(err, syscall.EEXIST) && flag&os.O_EXCL == 0 {
		return nil, true, err // somebody else made it
	}
	if err != nil {
		return nil, false, err
	}
	if err := v.keepMode(ctx, e, perm.Perm(), h.file.Stat); err != nil {
		_ = h.file.Close()
		return nil, false, err
	}
	h.noted.Store(v.observer != nil)
	return h, false, nil
}

// openable answers what open(2) says of a file that is there.
func openable(s *spot, flag int) error {
	info := &s.info
	switch {
	case s.state == hidden:
		return nil // enter answers
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		return syscall.EEXIST
	case info.IsLink():
		return syscall.ELOOP
	case flag&syscall.O_DIRECTORY != 0 && !info.IsDir():
		return syscall.ENOTDIR
	case info.IsDir() && (flag&(os.O_CREATE|os.O_TRUNC) != 0 || writable(flag)):
		return syscall.EISDIR
	}
	return nil
}

// Truncate sets the size of a file.
func (v *View) Truncate(ctx context.Context, name string, size int64) error {
	if size < 0 {
		return pathError("truncate", name, syscall.EINVAL)
	}
	f, err := v.Open(ctx, name, os.O_WRONLY, 0)
	if err != nil {
		return pathError("truncate", name, err)
	}
	err = f.Truncate(size)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return pathError("truncate", name, err)
}

// What ReadFile reads at most when its caller sets no limit: files can be
// sparse and of any size, and devices have no end.
const (
	maxRead   = 1 << 30
	maxDevice = 1 << 20
)

// ReadFile reads a whole file of at most limit bytes, and answers EFBIG for a
// larger one. A negative limit stands for 1 GiB, 1 MiB of a device.
func (v *View) ReadFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	f, err := v.Open(ctx, name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch {
	case limit >= 0:
	case info.Mode&fs.ModeDevice != 0:
		limit = maxDevice
	default:
		limit = maxRead
	}
	if info.Size > limit {
		return nil, pathError("read", name, syscall.EFBIG)
	}
	// One byte more than the size shows the end without another round. A
	// size is only believed so far: a sparse file may claim any.
	buf := make([]byte, 0, min(max(info.Size, 0), 64<<20)+1)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := f.ReadAt(buf[len(buf):cap(buf)], int64(len(buf)))
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > limit {
			return nil, pathError("read", name, syscall.EFBIG)
		}
		switch {
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return nil, err
		case n == 0:
			return nil, pathError("read", name, syscall.EIO)
		}
	}
}
