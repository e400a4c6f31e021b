package programs

import (
	"context"
	"io"
	"strings"
	"sync"
	"syscall"

	"mirage/shell/program"
)

const (
	// xargsPending bounds the commands whose output waits for its turn.
	xargsPending = 128
	// xargsHeld is how much a command may write before its turn.
	xargsHeld = 32 << 10
)

// xargsChildren runs the commands, several at a time with -P. The output of
// each stands together, in the order in which they were started: the oldest
// one writes through, the others hold back a bounded amount and then wait.
type xargsChildren struct {
	ctx     context.Context
	inv     *program.Invocation
	o       xargsOptions
	stdin   io.Reader // of the commands
	slots   chan int
	pending chan struct{}
	last    *xargsTurn
	wg      sync.WaitGroup

	mu     sync.Mutex
	status int  // guarded by mu
	stop   bool // guarded by mu
}

func newXargsChildren(ctx context.Context, inv *program.Invocation, o xargsOptions) *xargsChildren {
	c := &xargsChildren{
		ctx: ctx, inv: inv, o: o,
		stdin:   strings.NewReader(""),
		slots:   make(chan int, o.procs),
		pending: make(chan struct{}, xargsPending),
		last:    newXargsTurn(ctx),
	}
	close(c.last.done)
	for i := range int(o.procs) {
		c.slots <- i
	}
	return c
}

// start runs a command as soon as a place is free; without -P it waits for
// its end. It answers false when no more are to be started.
func (c *xargsChildren) start(argv []string, trace bool) bool {
	var slot int
	select {
	case slot = <-c.slots:
	case <-c.ctx.Done():
		return false
	}
	if c.fatal() {
		c.slots <- slot
		return false
	}
	if c.o.prompt {
		// The question goes to a terminal, and there is none to open.
		io.WriteString(c.inv.Stderr, strings.TrimSuffix(xargsTrace(c.inv, argv), "\n"))
		c.inv.Errorf("failed to open /dev/tty for reading: No such device or address")
		c.fail(1, true)
		c.slots <- slot
		return false
	}
	if trace {
		io.WriteString(c.inv.Stderr, xargsTrace(c.inv, argv))
	}
	child := program.Child{Args: argv, Stdin: c.stdin, Env: xargsSlot(c.inv, c.o.slotVar, slot)}
	if c.o.procs == 1 {
		c.run(child)
		c.slots <- slot
		return !c.fatal()
	}
	select {
	case c.pending <- struct{}{}:
	case <-c.ctx.Done():
		c.slots <- slot
		return false
	}
	turn := newXargsTurn(c.ctx)
	turn.ready = c.last.done
	c.last = turn
	child.Stdout, child.Stderr = turn.writer(c.inv.Stdout), turn.writer(c.inv.Stderr)
	c.wg.Add(1)
	go func() {
		defer func() {
			if recover() != nil {
				c.fail(125, true)
			}
			close(turn.done)
			<-c.pending
			c.wg.Done()
		}()
		c.run(child)
		c.slots <- slot
		turn.flush()
	}()
	return true
}

// run starts one command and judges its end, as xargs(1) lists it.
func (c *xargsChildren) run(child program.Child) {
	name := child.Args[0]
	status, err := c.inv.Spawn(c.ctx, child)
	switch {
	case err != nil:
		c.inv.Fail(err, "%s", c.inv.QuoteName(name))
		c.fail(spawnStatus(err), true)
	case status == 255:
		c.inv.Errorf("%s: exited with status 255; aborting", c.inv.QuoteName(name))
		c.fail(124, true)
	case status == 128+int(syscall.SIGKILL):
		c.inv.Errorf("%s: terminated by signal 9", c.inv.QuoteName(name))
		c.fail(125, true)
	case status != 0:
		c.fail(123, false)
	}
}

func (c *xargsChildren) fail(status int, stop bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop {
		return
	}
	c.status, c.stop = status, stop
}

// fatal tells whether a command ended in a way that ends xargs.
func (c *xargsChildren) fatal() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stop
}

// wait waits for all commands and answers the status.
func (c *xargsChildren) wait() int {
	c.wg.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// xargsTurn orders the output of one command behind that of the one before.
type xargsTurn struct {
	ctx   context.Context
	ready <-chan struct{} // closed when the command before is through
	done  chan struct{}   // closed when this one is

	mu   sync.Mutex
	held []xargsChunk // guarded by mu
	size int          // guarded by mu
}

type xargsChunk struct {
	w io.Writer
	p []byte
}

func newXargsTurn(ctx context.Context) *xargsTurn {
	return &xargsTurn{ctx: ctx, done: make(chan struct{})}
}

func (t *xargsTurn) writer(w io.Writer) io.Writer { return xargsTurnWriter{t, w} }

type xargsTurnWriter struct {
	turn *xargsTurn
	w    io.Writer
}

func (w xargsTurnWriter) Write(p []byte) (int, error) {
	t := w.turn
	select {
	case <-t.ready:
	default:
		t.mu.Lock()
		if t.size+len(p) <= xargsHeld {
			t.held = append(t.held, xargsChunk{w.w, append([]byte(nil), p...)})
			t.size += len(p)
			t.mu.Unlock()
			return len(p), nil
		}
		t.mu.Unlock()
	}
	if err := t.flush(); err != nil {
		return 0, err
	}
	return w.w.Write(p)
}

// flush waits for the turn and writes what was held back.
func (t *xargsTurn) flush() error {
	select {
	case <-t.ready:
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.held {
		if _, err := c.w.Write(c.p); err != nil {
			return err
		}
	}
	t.held, t.size = nil, 0
	return nil
}
