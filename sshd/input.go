package sshd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// Sizes of input: what one read takes, and how much may wait before reading
// stops and SSH's flow control holds the client back.
const (
	pipeChunk     = 32 << 10
	terminalChunk = 1 << 10
	inputLimit    = 64 << 10
)

// maxScriptLine is the most bytes of one line of a script on stdin.
const maxScriptLine = 1 << 20

// errLineTooLong is the error of readLine for a longer line.
var errLineTooLong = errors.New("shell input line too long")

// input is what a client sends on a channel: one ordered stream, from which
// the shell takes its lines and the commands their stdin. A goroutine reads
// ahead, from the first read on, so that a reader can be given up when its
// line ends and a terminal's Ctrl-C is seen while a command runs.
type input struct {
	src     io.Reader
	ctx     context.Context // of the channel
	contain func(what string, cleanup func())
	tty     *tty // nil = no terminal

	mu      sync.Mutex // guards the fields below, and tty
	changed *sync.Cond
	started bool
	buf     []byte // read and not taken; from off on
	off     int
	eof     bool // the client sends no more
	resized bool // the terminal has another size
}

func newInput(ctx context.Context, src io.Reader, contain func(string, func())) *input {
	in := &input{src: src, ctx: ctx, contain: contain}
	in.changed = sync.NewCond(&in.mu)
	return in
}

// start begins to read ahead. mu is held.
func (in *input) start() {
	if in.started {
		return
	}
	in.started = true
	size := pipeChunk
	if in.tty != nil {
		size = terminalChunk
	}
	go in.pump(size)
}

func (in *input) pump(size int) {
	defer in.contain("input", in.end)
	stop := context.AfterFunc(in.ctx, in.wake)
	defer stop()
	chunk := make([]byte, size)
	for {
		n, err := in.src.Read(chunk)
		events := in.receive(chunk[:n])
		for _, act := range events {
			act()
		}
		if err != nil {
			in.settle()
		}
		if err != nil || !in.room() {
			in.end()
			return
		}
	}
}

// settleInput is how long the end of the input may turn out to be the end of
// the channel.
const settleInput = 2 * time.Millisecond

// settle waits a moment at the end of the input. A client that is gone looks
// at first like one that has sent everything: x/crypto tells of the one just
// before the other. What such a client had begun to say must not run.
func (in *input) settle() {
	select {
	case <-in.ctx.Done():
	case <-time.After(settleInput):
	}
}

// receive takes what was read, and answers what to do about it without lock.
func (in *input) receive(p []byte) []func() {
	in.mu.Lock()
	defer in.mu.Unlock()
	defer in.changed.Broadcast()
	if in.tty != nil && in.tty.running {
		return in.tty.receive(in, p, true)
	}
	in.append(p)
	return nil
}

// room waits until there is room; false when the channel is over.
func (in *input) room() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	for len(in.buf)-in.off >= inputLimit && in.ctx.Err() == nil {
		in.changed.Wait()
	}
	return in.ctx.Err() == nil
}

// end notes that nothing more comes.
func (in *input) end() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.tty != nil && in.tty.running {
		in.append(in.tty.cooked.Take())
	}
	in.eof = true
	in.changed.Broadcast()
}

func (in *input) wake() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.changed.Broadcast()
}

// append adds to what waits. mu is held.
func (in *input) append(p []byte) {
	if in.off > 0 && len(in.buf)+len(p) > cap(in.buf) {
		in.buf = in.buf[:copy(in.buf, in.buf[in.off:])]
		in.off = 0
	}
	in.buf = append(in.buf, p...)
}

// pending is what waits. mu is held.
func (in *input) pending() []byte { return in.buf[in.off:] }

// drop removes n bytes of what waits. mu is held.
func (in *input) drop(n int) {
	in.off += n
	if in.off == len(in.buf) {
		in.buf, in.off = in.buf[:0], 0
	}
	in.changed.Broadcast()
}

// await waits until ready answers true, which is asked with mu held, or ctx
// ends. mu is held.
func (in *input) await(ctx context.Context, ready func() bool) error {
	in.start()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if ready() {
		return nil
	}
	stop := context.AfterFunc(ctx, in.wake)
	defer stop()
	for ctx.Err() == nil && !ready() {
		in.changed.Wait()
	}
	return context.Cause(ctx)
}

// read is Read of a command's stdin. When ctx ends, so does the input.
func (in *input) read(ctx context.Context, p []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if err := in.await(ctx, in.ready); err != nil {
		return 0, io.EOF
	}
	if in.tty.atEnd() {
		in.tty.ends = in.tty.ends[1:]
		return 0, io.EOF
	}
	waiting := in.pending()
	n := copy(p, waiting[:in.tty.readable(len(waiting))])
	in.drop(n)
	in.tty.taken(n)
	if n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, io.EOF
}

// ready reports whether a read would not wait. mu is held.
func (in *input) ready() bool { return len(in.pending()) > 0 || in.eof || in.tty.atEnd() }

// readLine takes one line without its end. The last one may lack it; then
// comes io.EOF.
func (in *input) readLine(ctx context.Context) (line []byte, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for {
		if err := in.await(ctx, func() bool { return len(in.pending()) > 0 || in.eof }); err != nil {
			return nil, err
		}
		waiting := in.pending()
		n := bytes.IndexByte(waiting, '\n')
		whole := n >= 0
		if !whole {
			n = len(waiting)
		}
		if len(line)+n > maxScriptLine {
			return nil, errLineTooLong
		}
		line = append(line, waiting[:n]...)
		switch {
		case whole:
			in.drop(n + 1)
			return line, nil
		case n == 0 && in.eof:
			if len(line) == 0 {
				return nil, io.EOF
			}
			return line, nil
		}
		in.drop(n)
	}
}

// keys takes everything that waits, for a line editor; resized tells that the
// terminal has another size. io.EOF comes once nothing waits any more.
func (in *input) keys(ctx context.Context) (p []byte, resized bool, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	err = in.await(ctx, func() bool { return len(in.pending()) > 0 || in.eof || in.resized })
	if err != nil {
		return nil, false, err
	}
	resized, in.resized = in.resized, false
	p = bytes.Clone(in.pending())
	in.drop(len(p))
	if len(p) == 0 && !resized {
		err = io.EOF
	}
	return p, resized, err
}

// unread puts bytes back that were not for this reader.
func (in *input) unread(p []byte) {
	if len(p) == 0 {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.buf, in.off = append(bytes.Clone(p), in.pending()...), 0
	if in.tty != nil {
		for i := range in.tty.ends {
			in.tty.ends[i] += len(p)
		}
	}
	in.changed.Broadcast()
}

// press puts a key press among the input, as if the user had made it.
func (in *input) press(key byte) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.append([]byte{key})
	in.changed.Broadcast()
}

// resize wakes whoever draws a line.
func (in *input) resize() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.resized = true
	in.changed.Broadcast()
}

// trim gives memory back before an idle time.
func (in *input) trim() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.pending()) == 0 {
		in.buf, in.off = nil, 0
	}
}

// lineInput is the stdin of one line; what the line leaves stays for others.
// It is a shell.Input.
type lineInput struct {
	in  *input
	ctx context.Context // of the line
}

func (l lineInput) Read(p []byte) (int, error) { return l.in.read(l.ctx, p) }

// ReadContext ends with the line too: background jobs find the end of their
// input then.
func (l lineInput) ReadContext(ctx context.Context, p []byte) (int, error) {
	if l.ctx.Err() != nil {
		return 0, io.EOF
	}
	if !l.Ready() {
		both, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		stop := context.AfterFunc(l.ctx, func() { cancel(errLineDone) })
		defer stop()
		ctx = both
	}
	return l.in.read(ctx, p)
}

// Unread gives bytes back that were read too far.
func (l lineInput) Unread(p []byte) { l.in.unread(p) }

// Ready reports whether a read would not wait.
func (l lineInput) Ready() bool {
	l.in.mu.Lock()
	defer l.in.mu.Unlock()
	l.in.start()
	return l.ctx.Err() != nil || l.in.ready()
}
