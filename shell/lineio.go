package shell

import (
	"context"
	"io"
	"sync"
	"syscall"
)

// lineInput is the standard input of a line: the front end's reader, read by
// a goroutine of its own so that a command that waits for it can be cancelled.
// It reads only when somebody asks, one block at a time.
// An Input is read directly.
type lineInput struct {
	r      io.Reader
	direct Input // r, if it is one

	mu      sync.Mutex
	buf     []byte // read and not yet taken
	block   []byte // what buf is a part of
	err     error
	reading bool
	changed chan struct{}
}

func newLineInput(r io.Reader) *lineInput {
	direct, _ := r.(Input)
	return &lineInput{r: r, direct: direct}
}

func (in *lineInput) read(ctx context.Context, p []byte) (int, error) {
	if in.direct != nil {
		n, err := in.direct.ReadContext(ctx, p)
		if n == 0 && ctx.Err() != nil {
			err = syscall.EINTR
		}
		return n, err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	for {
		if len(in.buf) > 0 {
			n := copy(p, in.buf)
			in.buf = in.buf[n:]
			return n, nil
		}
		if in.err != nil {
			return 0, in.err
		}
		if !in.reading {
			in.reading = true
			in.changed = make(chan struct{})
			if in.block == nil {
				in.block = make([]byte, 32<<10)
			}
			go in.fill(in.block)
		}
		changed := in.changed
		in.mu.Unlock()
		select {
		case <-changed:
			in.mu.Lock()
		case <-ctx.Done():
			in.mu.Lock()
			return 0, syscall.EINTR
		}
	}
}

// fill reads one block. A front end's reader that panics ends its own input.
func (in *lineInput) fill(block []byte) {
	n, err := 0, error(syscall.EIO)
	defer func() {
		_ = recover()
		in.mu.Lock()
		defer in.mu.Unlock()
		if len(in.buf) == 0 {
			in.buf = block[:n]
		} else {
			in.buf = append(in.buf, block[:n]...) // something was unread meanwhile
		}
		in.err, in.reading = err, false
		close(in.changed)
	}()
	n, err = in.r.Read(block)
}

// unread gives bytes back to the front.
func (in *lineInput) unread(p []byte) {
	if in.direct != nil {
		in.direct.Unread(p)
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.buf = append(append(make([]byte, 0, len(p)+len(in.buf)), p...), in.buf...)
}

func (in *lineInput) ready() bool {
	if in.direct != nil {
		return in.direct.Ready()
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.buf) > 0 || in.err != nil
}

func (in *lineInput) write(context.Context, []byte) (int, error) { return 0, syscall.EBADF }
func (in *lineInput) close() error                               { return nil }

// outputSize bounds what a line has written and its front end has not yet
// taken.
const outputSize = 256 << 10

// lineOutput carries the standard output and error of a line to the front
// end, in the order in which they were written, from a goroutine of its own:
// a front end that does not take its output slows the line, and a line that
// waits for it can be cancelled. Small writes leave together.
type lineOutput struct {
	writers [2]io.Writer // standard output and error

	mu      sync.Mutex
	queue   []outputChunk
	size    int
	running bool
	spare   []byte
	failed  [2]error
	closed  bool
	changed chan struct{}
}

type outputChunk struct {
	which int
	data  []byte
}

func newLineOutput(stdout, stderr io.Writer) *lineOutput {
	return &lineOutput{writers: [2]io.Writer{stdout, stderr}}
}

func (o *lineOutput) put(ctx context.Context, which int, p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	total := 0
	for {
		if o.closed {
			return total, syscall.EPIPE
		}
		if err := o.failed[which]; err != nil {
			return total, err
		}
		if total == len(p) {
			return total, nil
		}
		if o.size >= outputSize {
			if o.waitChange(ctx) != nil {
				return total, syscall.EINTR
			}
			continue
		}
		k := min(len(p)-total, outputSize-o.size)
		o.add(which, p[total:total+k])
		total += k
		o.size += k
		if !o.running {
			o.running = true
			go o.pump()
		}
	}
}

// add queues bytes, joined to the last chunk when that is the same stream's.
// The caller holds mu.
func (o *lineOutput) add(which int, p []byte) {
	if n := len(o.queue); n > 0 && o.queue[n-1].which == which && len(o.queue[n-1].data)+len(p) <= 64<<10 {
		o.queue[n-1].data = append(o.queue[n-1].data, p...)
		return
	}
	data := o.spare[:0]
	o.spare = nil
	o.queue = append(o.queue, outputChunk{which, append(data, p...)})
}

func (o *lineOutput) waitChange(ctx context.Context) error {
	if o.changed == nil {
		o.changed = make(chan struct{})
	}
	changed := o.changed
	o.mu.Unlock()
	defer o.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (o *lineOutput) wake() {
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
}

// pump writes what is queued until nothing is.
func (o *lineOutput) pump() {
	for {
		o.mu.Lock()
		if len(o.queue) == 0 || o.closed {
			o.running = false
			o.wake()
			o.mu.Unlock()
			return
		}
		c := o.queue[0]
		o.queue = o.queue[1:]
		if len(o.queue) == 0 {
			o.queue = nil
		}
		o.mu.Unlock()
		err := writeAll(o.writers[c.which], c.data)
		o.mu.Lock()
		o.size -= len(c.data)
		if err != nil && o.failed[c.which] == nil {
			o.failed[c.which] = syscall.EPIPE
		}
		o.spare = c.data
		o.wake()
		o.mu.Unlock()
	}
}

// writeAll writes to a front end's writer; one that panics has failed.
func writeAll(w io.Writer, p []byte) (err error) {
	defer func() {
		if recover() != nil {
			err = syscall.EIO
		}
	}()
	if w == nil {
		return nil
	}
	_, err = w.Write(p)
	return err
}

// flush waits until everything is written or ctx ends.
func (o *lineOutput) flush(ctx context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.running {
		if o.waitChange(ctx) != nil {
			return
		}
	}
}

// shut makes every later write fail: the line is over.
func (o *lineOutput) shut() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.wake()
}
