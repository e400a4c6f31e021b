package vfs

import (
	"context"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
)

// accessMode masks the direction bits of open flags (O_ACCMODE).
const accessMode = os.O_RDONLY | os.O_WRONLY | os.O_RDWR

func writable(flag int) bool { return flag&accessMode != os.O_RDONLY }

// handle is an open file as a View hands it out.
type handle struct {
	ctx    context.Context
	v      *View
	m      *mount
	file   File
	name   string // as given to Open, for errors
	path   string // as resolved then
	flag   int
	closed atomic.Bool

	// rules are the guard when it may change, and the versions of it that
	// allowed the file to be read and written.
	rules               Shifting
	seenRead, seenWrite atomic.Uint64
	dirty               atomic.Bool // written through this handle, the node table told
	noted               atomic.Bool // made or written through this handle, the observer told
	device              bool        // nobody is told of what is written to it
}

// handle makes the handle of a file that the rules have just allowed.
func (v *View) handle(ctx context.Context, e entry, name string, flag int) *handle {
	h := &handle{ctx: ctx, v: v, m: e.m, name: name, path: e.path, flag: flag}
	if rules, ok := v.guard.(Shifting); ok {
		h.rules = rules
		h.seenRead.Store(e.version)
		h.seenWrite.Store(e.version)
	}
	return h
}

// use is asked before each call on the handle: the place where a handle stops
// working.
func (h *handle) use(op string) error {
	if h.closed.Load() {
		return &fs.PathError{Op: op, Path: h.name, Err: syscall.EBADF}
	}
	if h.ctx.Err() != nil {
		return &fs.PathError{Op: op, Path: h.name, Err: syscall.EINTR}
	}
	return nil
}

// allow is use for a call that reads or writes: it also asks the rules again
// when they have changed since they last allowed it.
func (h *handle) allow(op string, access Op) error {
	if err := h.use(op); err != nil {
		return err
	}
	if h.rules == nil {
		return nil
	}
	seen := &h.seenRead
	if access == OpWrite {
		seen = &h.seenWrite
	}
	now := h.rules.Version()
	if seen.Load() == now {
		return nil
	}
	a := Access{Op: access, Path: h.path, Mount: h.m.Prefix, Write: access.writes(), Caller: h.v.caller}
	if err := h.v.guard.Check(h.ctx, a); err != nil {
		return h.fail(op, err)
	}
	seen.Store(now)
	return nil
}

func (h *handle) fail(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return pathError(op, h.name, err)
}

func (h *handle) ReadAt(p []byte, off int64) (int, error) {
	if err := h.allow("read", OpRead); err != nil {
		return 0, err
	}
	if h.flag&accessMode == os.O_WRONLY {
		return 0, h.fail("read", syscall.EBADF)
	}
	if off < 0 {
		return 0, h.fail("read", syscall.EINVAL)
	}
	n, err := h.file.ReadAt(p, off)
	return n, h.fail("read", err)
}

func (h *handle) WriteAt(p []byte, off int64) (int, error) {
	if err := h.allow("write", OpWrite); err != nil {
		return 0, err
	}
	if !writable(h.flag) {
		return 0, h.fail("write", syscall.EBADF)
	}
	if off < 0 {
		return 0, h.fail("write", syscall.EINVAL)
	}
	if !h.device {
		if err := h.v.spend(h.ctx, len(p)); err != nil {
			h.note(err)
			return 0, h.fail("write", err)
		}
	}
	n, err := h.file.WriteAt(p, off)
	h.written()
	h.note(err)
	return n, h.fail("write", err)
}

func (h *handle) Truncate(size int64) error {
	if err := h.allow("truncate", OpWrite); err != nil {
		return err
	}
	if !writable(h.flag) || size < 0 {
		return h.fail("truncate", syscall.EINVAL) // as ftruncate(2)
	}
	err := h.file.Truncate(size)
	h.written()
	h.note(err)
	return h.fail("truncate", err)
}

func (h *handle) Sync() error {
	if err := h.use("sync"); err != nil {
		return err
	}
	return h.fail("sync", h.file.Sync())
}

func (h *handle) Stat() (Info, error) {
	if err := h.use("stat"); err != nil {
		return Info{}, err
	}
	info, err := h.file.Stat()
	if err != nil {
		return Info{}, h.fail("stat", err)
	}
	return h.v.ns.dress(info, h.m, h.path), nil
}

// Close closes the file, however the context has fared.
func (h *handle) Close() error {
	if h.closed.Swap(true) {
		return h.fail("close", syscall.EBADF)
	}
	err := h.file.Close()
	if h.noted.Load() {
		_ = h.v.told(h.ctx, Change{Op: OpClose, Path: h.path}, err)
	}
	return h.fail("close", err)
}

// note tells the observer of the first write through the handle.
func (h *handle) note(err error) {
	if h.v.observer != nil && !h.device && !h.noted.Swap(true) {
		_ = h.v.told(h.ctx, Change{Op: OpWrite, Path: h.path}, err)
	}
}

// written voids the times that the node table laid over the file.
func (h *handle) written() {
	if !h.m.overlay || h.v.ns.nodes.empty() || h.dirty.Swap(true) {
		return
	}
	n, _ := h.v.ns.nodes.get(h.path)
	if n == nil || n.AccessTime == nil && n.ModTime == nil {
		return
	}
	// A store that fails here costs nothing but a time stamp, which the
	// backend's own time of change voids in any case.
	_ = h.v.ns.nodes.edit(h.ctx, h.path, func(n Node) (Node, error) {
		n.AccessTime, n.ModTime = nil, nil
		return n, nil
	})
}

// dirHandle is an open directory that no backend holds.
type dirHandle struct{ info Info }

func (d *dirHandle) ReadAt([]byte, int64) (int, error)  { return 0, syscall.EISDIR }
func (d *dirHandle) WriteAt([]byte, int64) (int, error) { return 0, syscall.EBADF }
func (d *dirHandle) Truncate(int64) error               { return syscall.EINVAL }
func (d *dirHandle) Sync() error                        { return nil }
func (d *dirHandle) Stat() (Info, error)                { return d.info, nil }
func (d *dirHandle) Close() error                       { return nil }
