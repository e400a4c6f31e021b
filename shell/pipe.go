package shell

import (
	"context"
	"io"
	"sync"
	"syscall"
)

// pipeSize is the capacity of a pipe in bytes, as on Linux.
const pipeSize = 64 << 10

// pipeAtom is how much room there is before a waiting writer is woken, as
// PIPE_BUF is on Linux.
const pipeAtom = 4096

// pipe is a bounded pipe in memory. Readers and writers that wait give up when
// their context ends. Its buffer grows on demand, so that the many pipes that
// carry a line or two stay small.
type pipe struct {
	mu      sync.Mutex
	buf     []byte // ring
	start   int    // of the unread bytes
	n       int    // unread bytes
	rclosed bool
	wclosed bool
	// changed is closed, and forgotten, when anything above changes while
	// somebody waits.
	changed chan struct{}
}

func newPipe() (r, w *openFile) {
	p := &pipe{}
	return newFile("pipe", pipeReader{p}), newFile("pipe", pipeWriter{p})
}

// wake tells whoever waits that something changed. The caller holds mu.
func (p *pipe) wake() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// wait releases mu until something changes or ctx ends; mu is held again
// afterwards.
func (p *pipe) wait(ctx context.Context) error {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	changed := p.changed
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return syscall.EINTR
	}
}

func (p *pipe) read(ctx context.Context, b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.n == 0 {
		if p.wclosed {
			return 0, io.EOF
		}
		if err := p.wait(ctx); err != nil {
			return 0, err
		}
	}
	total := 0
	for total < len(b) && p.n > 0 {
		end := min(p.start+p.n, len(p.buf))
		k := copy(b[total:], p.buf[p.start:end])
		total += k
		p.n -= k
		p.start += k
		if p.start == len(p.buf) {
			p.start = 0
		}
	}
	if p.n == 0 {
		p.start = 0
	}
	p.wake()
	return total, nil
}

func (p *pipe) readUntil(ctx context.Context, b []byte, delim byte) (int, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.n == 0 {
		if p.wclosed {
			return 0, false, io.EOF
		}
		if err := p.wait(ctx); err != nil {
			return 0, false, err
		}
	}
	k, found := cut(b, p.buf[p.start:min(p.start+p.n, len(p.buf))], delim)
	p.n -= k
	if p.start += k; p.start == len(p.buf) || p.n == 0 {
		p.start = 0
	}
	if p.n <= pipeSize-pipeAtom {
		p.wake()
	}
	return k, found, nil
}

func (p *pipe) write(ctx context.Context, b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	total := 0
	for {
		if p.rclosed {
			return total, syscall.EPIPE
		}
		if total == len(b) {
			return total, nil
		}
		if p.n == pipeSize {
			if err := p.wait(ctx); err != nil {
				return total, err
			}
			continue
		}
		p.grow(len(b) - total)
		end := p.start + p.n
		if end >= len(p.buf) {
			end -= len(p.buf)
		}
		k := copy(p.buf[end:min(end+len(p.buf)-p.n, len(p.buf))], b[total:])
		total += k
		p.n += k
		p.wake()
	}
}

// grow makes room for want more bytes if the pipe may hold them.
func (p *pipe) grow(want int) {
	if p.n+want <= len(p.buf) || len(p.buf) == pipeSize {
		return
	}
	size := max(512, len(p.buf))
	for size < p.n+want && size < pipeSize {
		size *= 2
	}
	buf := make([]byte, size)
	end := min(p.start+p.n, len(p.buf))
	k := copy(buf, p.buf[p.start:end])
	copy(buf[k:], p.buf[:p.n-k])
	p.buf, p.start = buf, 0
}

// ready reports whether a read would not wait.
func (p *pipe) ready() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n > 0 || p.wclosed
}

type pipeReader struct{ p *pipe }

func (r pipeReader) read(ctx context.Context, b []byte) (int, error) { return r.p.read(ctx, b) }
func (r pipeReader) readUntil(ctx context.Context, b []byte, delim byte) (int, bool, error) {
	return r.p.readUntil(ctx, b, delim)
}
func (r pipeReader) write(context.Context, []byte) (int, error) { return 0, syscall.EBADF }
func (r pipeReader) close() error {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.p.rclosed, r.p.buf, r.p.n, r.p.start = true, nil, 0, 0
	r.p.wake()
	return nil
}

type pipeWriter struct{ p *pipe }

func (w pipeWriter) read(context.Context, []byte) (int, error)        { return 0, syscall.EBADF }
func (w pipeWriter) write(ctx context.Context, b []byte) (int, error) { return w.p.write(ctx, b) }
func (w pipeWriter) close() error {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	w.p.wclosed = true
	w.p.wake()
	return nil
}
