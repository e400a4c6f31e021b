package shell

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mirage/internal/budget"
	"mirage/vfs"
)

// stream is what an open file description reads and writes. A call that has
// to wait gives up with EINTR when ctx ends.
type stream interface {
	read(ctx context.Context, p []byte) (int, error)
	write(ctx context.Context, p []byte) (int, error)
	close() error
}

// openFile is an open file description, as POSIX has it: what all duplicates
// of a descriptor share, offset included. It counts its descriptors and closes
// the stream with the last of them.
type openFile struct {
	refs atomic.Int32
	name string // as ls -l /dev/fd would show it
	stream

	mu sync.Mutex
	// back holds bytes that the read builtin took in a block and gave back.
	back []byte
}

// newFile makes a description with one reference, the caller's.
func newFile(name string, s stream) *openFile {
	f := &openFile{name: name, stream: s}
	f.refs.Store(1)
	return f
}

func (f *openFile) retain() *openFile {
	f.refs.Add(1)
	return f
}

// release drops one reference; the last one closes the stream, and its error
// is the deferred write error of a file.
func (f *openFile) release() error {
	if f.refs.Add(-1) == 0 {
		return f.close()
	}
	return nil
}

func (f *openFile) read(ctx context.Context, p []byte) (int, error) {
	f.mu.Lock()
	if len(f.back) > 0 {
		n := copy(p, f.back)
		f.back = f.back[n:]
		f.mu.Unlock()
		return n, nil
	}
	f.mu.Unlock()
	return f.stream.read(ctx, p)
}

// untilReader is a stream that can stop at a delimiter by itself.
type untilReader interface {
	// readUntil is read that takes nothing beyond delim; found tells that
	// the last byte is delim.
	readUntil(ctx context.Context, p []byte, delim byte) (n int, found bool, err error)
}

// readUntil is read that takes nothing beyond delim; ok is false where the
// stream cannot do that.
func (f *openFile) readUntil(ctx context.Context, p []byte, delim byte) (n int, found, ok bool, err error) {
	u, ok := f.stream.(untilReader)
	if !ok {
		return 0, false, false, nil
	}
	f.mu.Lock()
	if len(f.back) > 0 {
		n, found := cut(p, f.back, delim)
		f.back = f.back[n:]
		f.mu.Unlock()
		return n, found, true, nil
	}
	f.mu.Unlock()
	n, found, err = u.readUntil(ctx, p, delim)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, found, true, err
}

// cut copies from b to p up to and including delim.
func cut(p, b []byte, delim byte) (n int, found bool) {
	if len(b) > len(p) {
		b = b[:len(p)]
	}
	if i := bytes.IndexByte(b, delim); i >= 0 {
		b, found = b[:i+1], true
	}
	return copy(p, b), found
}

// unread gives bytes back to the front of the stream.
func (f *openFile) unread(p []byte) {
	if len(p) == 0 {
		return
	}
	switch s := f.stream.(type) {
	case *cursor:
		if s.rewind(len(p)) {
			return
		}
	case frontReader:
		s.unread(p)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.back = append(append(make([]byte, 0, len(p)+len(f.back)), p...), f.back...)
}

// readable reports whether a read would not wait, for read -t 0.
func (f *openFile) readable() bool {
	f.mu.Lock()
	n := len(f.back)
	f.mu.Unlock()
	if n > 0 {
		return true
	}
	switch s := f.stream.(type) {
	case pipeReader:
		return s.p.ready()
	case frontReader:
		return s.ready()
	}
	return true
}

// seek moves the shared offset, ESPIPE where there is none.
func (f *openFile) seek(off int64, whence int) (int64, error) {
	if c, ok := f.stream.(*cursor); ok {
		return c.seek(off, whence)
	}
	return 0, syscall.ESPIPE
}

// cursor reads and writes a file of the tree in order; the offset is the
// description's, shared by every descriptor of it.
type cursor struct {
	mu   sync.Mutex
	file vfs.File
	off  int64
	mode accessMode
}

// accessMode says how a description was opened.
type accessMode int

const (
	readOnly accessMode = iota
	writeOnly
	readWrite
)

func (c *cursor) read(ctx context.Context, p []byte) (int, error) {
	if c.mode == writeOnly {
		return 0, syscall.EBADF
	}
	if ctx.Err() != nil {
		return 0, syscall.EINTR
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.file.ReadAt(p, c.off)
	c.off += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (c *cursor) write(ctx context.Context, p []byte) (int, error) {
	if c.mode == readOnly {
		return 0, syscall.EBADF
	}
	if ctx.Err() != nil {
		return 0, syscall.EINTR
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.file.WriteAt(p, c.off)
	c.off += int64(n)
	return n, err
}

// rewind gives n bytes back by moving the offset. Devices have no offset.
func (c *cursor) rewind(n int) bool {
	info, err := c.file.Stat()
	if err != nil || !info.IsRegular() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off < int64(n) {
		return false
	}
	c.off -= int64(n)
	return true
}

func (c *cursor) seek(off int64, whence int) (int64, error) {
	info, err := c.file.Stat()
	if err != nil {
		return 0, err
	}
	if !info.IsRegular() {
		return 0, syscall.ESPIPE
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch whence {
	case io.SeekCurrent:
		off += c.off
	case io.SeekEnd:
		off += info.Size
	}
	if off < 0 {
		return 0, syscall.EINVAL
	}
	c.off = off
	return off, nil
}

func (c *cursor) close() error { return c.file.Close() }

// text is a here-document: a string to read.
type text struct {
	mu  sync.Mutex
	s   string
	off int
}

func (t *text) read(_ context.Context, p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.off == len(t.s) {
		return 0, io.EOF
	}
	n := copy(p, t.s[t.off:])
	t.off += n
	return n, nil
}

func (t *text) readUntil(_ context.Context, p []byte, delim byte) (int, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.s[t.off:min(len(t.s), t.off+len(p))]
	i := strings.IndexByte(s, delim)
	if i >= 0 {
		s = s[:i+1]
	}
	t.off += copy(p, s)
	return len(s), i >= 0, nil
}

func (t *text) write(context.Context, []byte) (int, error) { return 0, syscall.EBADF }
func (t *text) close() error                               { return nil }

// null reads as an empty file and swallows what is written.
type null struct{}

func (null) read(context.Context, []byte) (int, error)      { return 0, io.EOF }
func (null) write(_ context.Context, p []byte) (int, error) { return len(p), nil }
func (null) close() error                                   { return nil }

// capture collects output in memory: the standard output of a command
// substitution, up to limit bytes.
type capture struct {
	memory *budget.Budget // what it collects is taken from here until free
	closed chan struct{}  // closed with the last descriptor

	mu   sync.Mutex
	buf  []byte
	over bool
	// freed tells that nobody waits for the output any more.
	freed bool
}

func (c *capture) read(context.Context, []byte) (int, error) { return 0, syscall.EBADF }

func (c *capture) close() error {
	close(c.closed)
	return nil
}

func (c *capture) write(_ context.Context, p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.freed || !c.memory.Take(int64(len(p))) {
		c.over = true
		return 0, syscall.ENOSPC
	}
	c.buf = append(c.buf, p...)
	return len(p), nil
}

// free gives back the memory. Whoever keeps what was collected takes it anew.
func (c *capture) free() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.memory.Give(int64(len(c.buf)))
	c.freed, c.buf = true, nil
}

// take answers what was collected.
func (c *capture) take() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.buf
}

// handle is a descriptor as one running command holds it: the description,
// and the context that ends the command's waiting. It is a
// program.Descriptor, and an io.Seeker where the file is seekable.
type handle struct {
	ctx context.Context
	f   *openFile
	run *running // told of a pipe without reader
}

func (h *handle) Read(p []byte) (int, error) {
	if h.f == nil {
		return 0, syscall.EBADF
	}
	if len(p) == 0 {
		return 0, nil
	}
	return h.f.read(h.ctx, p)
}

func (h *handle) Write(p []byte) (int, error) {
	if h.f == nil {
		return 0, syscall.EBADF
	}
	if h.run.silent.Load() || h.ctx.Err() != nil {
		return 0, syscall.EINTR
	}
	n, err := h.f.write(h.ctx, p)
	if err == syscall.EPIPE {
		h.run.broken()
	}
	return n, err
}

// Seek moves the offset that all duplicates share; ESPIPE for pipes.
func (h *handle) Seek(off int64, whence int) (int64, error) {
	if h.f == nil {
		return 0, syscall.EBADF
	}
	return h.f.seek(off, whence)
}

// deadline derives a context for a wait with a timeout; a negative d means
// none.
func deadline(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d < 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}
