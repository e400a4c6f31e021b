package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"time"

	"mirage/policy"
)

// limitOf answers the limit of a call that is about to start.
func (e *Executor) limitOf(c call) policy.Limit {
	if e.cfg.Limit == nil || c.fn != nil {
		return policy.Limit{}
	}
	return e.cfg.Limit(policy.Command{Argv: c.words(), Cwd: e.dir, Kind: c.kind()})
}

// errDeadline is why a command ends that ran for longer than its limit.
var errDeadline = errors.New("timed out")

// exitTimedOut is the status of a command that was ended by its limit, as that
// of timeout(1).
const exitTimedOut = 124

// limited starts a call under a limit.
func (e *Executor) limited(l policy.Limit, c call) int {
	out := e.capOutput(l)
	status, late := e.within(l.Timeout, c)
	if late {
		e.line.timedOut.Store(true)
		e.writeFD(2, fmt.Sprintf("%s: timed out after %.1fs\n", c.words()[0], l.Timeout.Seconds()))
	}
	if out.end(e) {
		e.line.limited.Store(true)
		e.writeFD(2, truncated(l)+"\n")
		if l.Refuse && !late {
			status = 1
		}
	}
	return status
}

// within starts a call that has so much time, nil for any; late tells that it
// needed more.
func (e *Executor) within(timeout *time.Duration, c call) (status int, late bool) {
	if timeout == nil {
		return e.start(c), false
	}
	outer := e.ctx
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	timer := time.AfterFunc(*timeout, func() { cancel(errDeadline) })
	defer timer.Stop()
	e.ctx = ctx
	status = e.start(c)
	e.ctx = outer
	if context.Cause(ctx) != errDeadline || outer.Err() != nil {
		return status, false
	}
	// The shell left what it did for the command, and nothing else.
	e.flow, e.gaveUp, e.status = flowNone, false, exitTimedOut
	return exitTimedOut, true
}

// truncated words that an output was cut.
func truncated(l policy.Limit) string {
	var bounds []string
	if l.MaxLines != nil {
		bounds = append(bounds, fmt.Sprintf("%d lines", *l.MaxLines))
	}
	if l.MaxBytes != nil {
		bounds = append(bounds, fmt.Sprintf("%d bytes", *l.MaxBytes))
	}
	return "output truncated at limit (" + strings.Join(bounds, " / ") +
		"); narrow with grep, or read more with head -n / tail -n / a more specific path"
}

// capped is the bounded output of a command: what stands in for its standard
// output, and for duplicates of it.
type capped struct {
	w    *cappedWriter
	file *openFile
	olds [3]*openFile // what descriptors 1 and 2 were
}

// capOutput puts a bound on what a command prints to the caller; nil when it
// prints to something else.
func (e *Executor) capOutput(l policy.Limit) *capped {
	out := e.fds.get(1)
	if !l.Caps() || out == nil {
		return nil
	}
	switch s := out.stream.(type) {
	case frontWriter:
		if s.which != 0 {
			return nil
		}
	case *cappedWriter:
	default:
		return nil
	}
	c := &capped{w: &cappedWriter{to: out.stream, limit: l}}
	c.file = newFile(out.name, c.w)
	for fd := 1; fd <= 2; fd++ {
		if e.fds.get(fd) == out {
			c.olds[fd] = e.fds.set(fd, c.file.retain())
		}
	}
	return c
}

// end gives the descriptors back and prints what was held. It reports whether
// the output was more than the limit.
func (c *capped) end(e *Executor) (over bool) {
	if c == nil {
		return false
	}
	for fd, old := range c.olds {
		if old == nil {
			continue
		}
		if now := e.fds.set(fd, old); now != nil {
			_ = now.release()
		}
	}
	_ = c.file.release()
	return c.w.end(e.ctx)
}

// maxHeld is the most that is held back of an output that is printed only when
// it is not too long. What is longer counts as too long.
const maxHeld = 16 << 20

// cappedWriter is standard output up to a limit. A command never notices: what
// is too much is taken and dropped.
type cappedWriter struct {
	to    stream
	limit policy.Limit

	mu           sync.Mutex
	lines, bytes int64
	held         []byte
	over, ended  bool
}

func (w *cappedWriter) read(context.Context, []byte) (int, error) { return 0, syscall.EBADF }
func (w *cappedWriter) close() error                              { return nil }

func (w *cappedWriter) write(ctx context.Context, p []byte) (int, error) {
	if ctx.Err() != nil {
		return 0, syscall.EINTR
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	fits := 0
	if !w.over {
		fits = w.room(p)
		w.over = fits < len(p)
	}
	w.bytes += int64(fits)
	w.lines += int64(bytes.Count(p[:fits], []byte("\n")))
	switch {
	case !w.limit.Refuse || w.ended:
		if fits == 0 {
			return len(p), nil
		}
		if n, err := w.to.write(ctx, p[:fits]); err != nil {
			return n, err
		}
	case len(w.held)+fits > maxHeld:
		w.over = true
		fallthrough
	case w.over:
		w.held = nil
	default:
		w.held = append(w.held, p[:fits]...)
	}
	return len(p), nil
}

// room answers how much of p is within the limit. mu is held.
func (w *cappedWriter) room(p []byte) int {
	n := len(p)
	if m := w.limit.MaxBytes; m != nil {
		n = int(min(int64(n), *m-w.bytes))
	}
	if m := w.limit.MaxLines; m != nil {
		left := *m - w.lines
		for i := 0; i < n; i++ {
			if left <= 0 {
				return i
			}
			nl := bytes.IndexByte(p[i:n], '\n')
			if nl < 0 {
				break
			}
			i += nl
			left--
		}
	}
	return n
}

// end prints what was held. What background jobs of the command write later
// is bounded still.
func (w *cappedWriter) end(ctx context.Context) (over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.held) > 0 {
		_, _ = w.to.write(ctx, w.held)
	}
	w.held, w.ended = nil, true
	return w.over
}
