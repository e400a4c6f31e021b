package shell

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mirage/policy"
	"mirage/shell/program"
)

// abandonAfter is how long a program that was told to stop may take before
// its shell goes on without it.
const abandonAfter = 20 * time.Millisecond

// running is one run of a program: what its streams and callbacks refer to.
type running struct {
	e      *Executor
	ctx    context.Context
	cancel context.CancelCauseFunc
	proc   *process
	env    []string
	stdio  [3]handle
	inv    program.Invocation
	cmd    policy.Command
	silent atomic.Bool // a signal ended it: nothing more is printed

	// shell is held while the program's goroutines look at the shell or copy
	// it: the children of xargs -P start at the same time.
	shell sync.Mutex
	over  bool // the shell goes on, perhaps before the program has ended
}

// fork copies the environment of the program's shell for a child, which runs
// in a goroutine of the program. The error tells why there can be none.
func (r *running) fork(ctx context.Context, command string) (*Executor, error) {
	r.shell.Lock()
	defer r.shell.Unlock()
	switch {
	case r.over:
		return nil, syscall.EINTR
	case r.e.crowded():
		return nil, syscall.EAGAIN // for the program to word
	}
	return r.e.copy(ctx, command), nil
}

// end takes the shell away from the program.
func (r *running) end() {
	r.shell.Lock()
	defer r.shell.Unlock()
	r.over = true
}

// runProgram runs a program in a goroutine of its own, so that a program that
// panics or does not stop when told harms nobody else.
func (e *Executor) runProgram(p *program.Program, args []string) int {
	return e.runChild(e.ctx, p, args, nil)
}

// runChild is runProgram for any context and, in child, streams, directory
// and environment that differ from the shell's.
func (e *Executor) runChild(ctx context.Context, p *program.Program, args []string, child *program.Child) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &running{e: e, ctx: ctx, cancel: cancel}
	title := strings.Join(args, " ")
	tail := e.tail && child == nil
	if tail {
		e.tail = false
		r.proc = e.proc
		r.proc.rename(title)
	} else {
		r.proc = e.s.table.start(e.proc, title, cancel)
	}
	r.proc.dispose(e.traps.childDisposition())
	e.prepare(r, p, args, child)
	done := make(chan int, 1)
	go e.s.run(func() { r.run(p, done) })
	status := 0
	select {
	case status = <-done:
	case <-ctx.Done():
		r.silent.Store(true)
		timer := time.NewTimer(abandonAfter)
		select {
		case status = <-done:
		case <-timer.C:
			status = 130
		}
		timer.Stop()
	}
	r.end()
	sig := signal(0)
	if sig = killedBy(ctx); sig != 0 {
		status = 128 + int(sig)
	}
	if !tail {
		r.proc.finish(status, sig)
		e.childEnded()
		if sig != 0 && e.ctx.Err() == nil && child == nil {
			e.reportKilled(r.proc, e.currentText())
		}
	}
	return status & 0xff
}

// run is the goroutine of a program.
func (r *running) run(p *program.Program, done chan<- int) {
	status := 1
	defer r.inv.Memory.Close()
	defer func() {
		if v := recover(); v != nil {
			r.e.s.panicked(v)
			r.stdio[2].Write([]byte(p.Name + ": internal error\n"))
			status = 1
		}
		done <- status
	}()
	status = p.Run(r.ctx, &r.inv)
}

// prepare fills in the invocation.
func (e *Executor) prepare(r *running, p *program.Program, args []string, child *program.Child) {
	for i := range r.stdio {
		r.stdio[i] = handle{ctx: r.ctx, f: e.fds.get(i), run: r}
	}
	r.env = e.environment()
	dir := e.dir
	inv := &r.inv
	*inv = program.Invocation{
		Name: p.Name, Args: args[1:], Umask: e.umask,
		Stdin: &r.stdio[0], Stdout: &r.stdio[1], Stderr: &r.stdio[2],
		FD: r.fd, Spawn: r.spawn, Terminal: r.terminal,
		User: e.cfg.User, Hostname: e.cfg.Hostname, Now: e.s.now,
		Memory: e.s.memory.Child(e.cfg.Limits.Memory, 0),
	}
	inv.Processes = processView{table: e.s.table, self: r.proc, terminal: e.terminalName(), rules: e.cfg.Processes}
	if child != nil {
		if child.Stdin != nil {
			inv.Stdin = child.Stdin
		}
		if child.Stdout != nil {
			inv.Stdout = child.Stdout
		}
		if child.Stderr != nil {
			inv.Stderr = child.Stderr
		}
		if child.Env != nil {
			r.env = child.Env
		}
		if child.Dir != "" {
			dir = child.Dir
		}
	}
	inv.Dir, inv.Env = dir, r.env
	inv.Location = e.s.location(inv.Getenv("TZ"))
	r.cmd = policy.Command{Argv: renamed(args, p.Name), Cwd: dir, Kind: policy.KindProgram, Place: e.where()}
	inv.FS = e.cfg.View.For(&r.cmd)
}

// broken is called when the program wrote to a pipe that nobody reads: unless
// SIGPIPE is ignored, that ends it.
func (r *running) broken() {
	if !r.e.traps.ignored(sigPIPE) {
		r.silent.Store(true)
		r.cancel(killed{sigPIPE})
	}
}

func (r *running) fd(n int) (program.Descriptor, bool) {
	r.shell.Lock()
	defer r.shell.Unlock()
	if r.over {
		return nil, false
	}
	f := r.e.fds.get(n)
	if f == nil {
		return nil, false
	}
	return &handle{ctx: r.ctx, f: f, run: r}, true
}

func (r *running) terminal(n int) (cols, rows int, ok bool) {
	r.shell.Lock()
	defer r.shell.Unlock()
	if r.over || !r.e.isTerminal(n) {
		return 0, 0, false
	}
	cols, rows = r.e.line.terminal.Size()
	return cols, rows, true
}

// spawn runs a child of the program through the door.
func (r *running) spawn(ctx context.Context, c program.Child) (int, error) {
	if len(c.Args) == 0 || c.Args[0] == "" {
		return 127, syscall.ENOENT
	}
	if c.Env == nil {
		c.Env = r.env
	}
	if c.Dir == "" {
		c.Dir = r.inv.Dir
	}
	if c.Stdin == nil {
		c.Stdin = r.inv.Stdin
	}
	if c.Stdout == nil {
		c.Stdout = r.inv.Stdout
	}
	if c.Stderr == nil {
		c.Stderr = r.inv.Stderr
	}
	return r.spawnChild(ctx, c)
}

// isTerminal reports whether a descriptor is the line's terminal.
func (e *Executor) isTerminal(n int) bool {
	f := e.fds.get(n)
	if f == nil || e.line == nil || e.line.terminal == nil {
		return false
	}
	switch f.stream.(type) {
	case frontReader, frontWriter, *cappedWriter:
		return true
	}
	return false
}

func (e *Executor) terminalName() string {
	if e.line != nil && e.line.terminal != nil {
		return "pts/0"
	}
	return "?"
}

// columns is the width of the terminal, or of COLUMNS, or 80.
func (e *Executor) columns() int {
	if n, ok := atoi(e.vars.Get("COLUMNS")); ok && n > 0 {
		return n
	}
	if e.isTerminal(2) {
		if cols, _ := e.line.terminal.Size(); cols > 0 {
			return cols
		}
	}
	return 80
}
