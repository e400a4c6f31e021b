package sshd

import (
	"bytes"
	"context"
	"io"
	"sync"
	"sync/atomic"

	"golang.org/x/crypto/ssh"
)

// outputLimit is how much a channel's output may be ahead of the client,
// besides what is on its way in packets.
const outputLimit = 64 << 10

// echoLimit is how much more an echo may add: it must never wait, since the
// goroutine that echoes is the one that sees Ctrl-C.
const echoLimit = outputLimit + 8<<10

// output carries what a channel writes, in one order for both streams. What is
// written is copied and sent by a goroutine that lives only as long as there
// is something to send: so writers wait for the client only when they are far
// ahead, small writes share a packet, a write can be given up when its line is
// canceled, and x/crypto sees one writer at a time.
type output struct {
	raw     ssh.Channel
	stderr  io.Writer // raw's
	contain func(what string, cleanup func())
	sent    func() // called after each send

	mu       sync.Mutex // guards the fields below
	buf      []byte
	runs     []run // what buf is made of
	spare    []byte
	spareRun []run
	flushing bool
	err      error         // why nothing can be sent any more
	changed  chan struct{} // closed when buf was taken; nil when nobody waits
}

// run is a piece of output for one stream.
type run struct {
	stderr bool
	n      int
}

// stream is a writer on one stream of an output.
type stream struct {
	out    *output
	ctx    context.Context // of the line: when it ends, writes fail
	base   context.Context // of the channel: takes over when the line is over
	over   atomic.Bool     // the line is over; its background jobs write on
	stderr bool
	crlf   bool // a terminal: LF goes out as CR LF
}

// Write queues p. It waits while the client is too far behind.
func (s *stream) Write(p []byte) (int, error) { return s.out.write(s, p) }

func (o *output) write(s *stream, p []byte) (n int, err error) {
	ctx := s.ctx
	for {
		if ctx.Err() != nil {
			if ctx == s.base || !s.over.Load() {
				return n, context.Cause(ctx)
			}
			ctx = s.base
			continue
		}
		if n == len(p) {
			return n, nil
		}
		o.mu.Lock()
		if o.err != nil {
			err := o.err
			o.mu.Unlock()
			return n, err
		}
		if len(o.buf) < outputLimit {
			n += o.add(p[n:], s.stderr, s.crlf, outputLimit)
			o.mu.Unlock()
			continue
		}
		changed := o.wait()
		o.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// echo queues what a terminal shows of its input. It never waits; when the
// client reads nothing at all the rest is dropped.
func (o *output) echo(p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil && len(o.buf) < echoLimit {
		o.add(p, false, false, echoLimit)
	}
}

// add appends what fits and sees to it that it is sent. mu is held.
func (o *output) add(p []byte, stderr, crlf bool, limit int) (n int) {
	before := len(o.buf)
	for n < len(p) && len(o.buf) < limit {
		piece := p[n:]
		piece = piece[:min(len(piece), limit-len(o.buf))]
		if crlf {
			if i := bytes.IndexByte(piece, '\n'); i >= 0 {
				o.buf = append(append(o.buf, piece[:i]...), '\r', '\n')
				n += i + 1
				continue
			}
		}
		o.buf = append(o.buf, piece...)
		n += len(piece)
	}
	added := len(o.buf) - before
	if last := len(o.runs) - 1; last >= 0 && o.runs[last].stderr == stderr {
		o.runs[last].n += added
	} else {
		o.runs = append(o.runs, run{stderr, added})
	}
	if !o.flushing {
		o.flushing = true
		go o.flush()
	}
	return n
}

// wait answers a channel that is closed at the next change. mu is held.
func (o *output) wait() <-chan struct{} {
	if o.changed == nil {
		o.changed = make(chan struct{})
	}
	return o.changed
}

// notify wakes whoever waits. mu is held.
func (o *output) notify() {
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
}

// flush sends until there is nothing left.
func (o *output) flush() {
	defer o.contain("output", func() {
		o.fail(io.ErrClosedPipe)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.flushing = false
		o.notify()
	})
	for {
		o.mu.Lock()
		if len(o.buf) == 0 || o.err != nil {
			o.flushing = false
			o.notify()
			o.mu.Unlock()
			return
		}
		buf, runs := o.buf, o.runs
		o.buf, o.runs = o.spare[:0], o.spareRun[:0]
		o.notify()
		o.mu.Unlock()
		err := o.send(buf, runs)
		o.mu.Lock()
		o.spare, o.spareRun = buf[:0], runs[:0]
		if err != nil {
			o.err, o.buf, o.runs = err, nil, nil
		}
		o.mu.Unlock()
		o.sent()
	}
}

func (o *output) send(buf []byte, runs []run) error {
	for _, r := range runs {
		var w io.Writer = o.raw
		if r.stderr {
			w = o.stderr
		}
		if _, err := w.Write(buf[:r.n]); err != nil {
			return err
		}
		buf = buf[r.n:]
	}
	return nil
}

// fail makes every write fail from now on. quiet tells that nothing is being
// sent at this moment, and so never again.
func (o *output) fail(err error) (quiet bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err, o.buf, o.runs = err, nil, nil
	o.notify()
	return !o.flushing
}

// discard forgets what has not been sent, as a terminal does at Ctrl-C.
func (o *output) discard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf, o.runs = o.buf[:0], o.runs[:0]
	o.notify()
}

// drain waits until everything is sent, or cannot be, or ctx ends.
func (o *output) drain(ctx context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.flushing && ctx.Err() == nil {
		changed := o.wait()
		o.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		o.mu.Lock()
	}
}

// trim gives memory back before an idle time.
func (o *output) trim() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spare, o.spareRun = nil, nil
	if len(o.buf) == 0 && !o.flushing {
		o.buf, o.runs = nil, nil
	}
}
