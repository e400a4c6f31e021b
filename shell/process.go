package shell

import (
	"context"
	"errors"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mirage/policy"
	"mirage/shell/program"
)

// killed is the cause of the end of a process's context: a signal.
type killed struct{ sig signal }

func (k killed) Error() string { return k.sig.text() }

// killedBy answers the signal that ended a context, 0 when it was none.
func killedBy(ctx context.Context) signal {
	var k killed
	var ps program.Signal
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &k):
		return k.sig
	case errors.As(cause, &ps):
		return signal(ps)
	}
	return 0
}

// process is one row of a session's process table: a shell, a subshell, or a
// program. It runs in a goroutine, never in a process of the host.
type process struct {
	table   *processTable
	pid     int
	parent  *process
	group   int
	started time.Time
	mu      sync.Mutex
	command string
	// handle takes a signal that the process itself disposes of (a trap, an
	// ignored signal); false leaves it to the default action. nil = default.
	handle  func(sig signal) bool
	cancel  context.CancelCauseFunc
	stopped chan struct{} // closed by CONT; nil while running
	// frozen mirrors stopped != nil for a cheap look.
	frozen atomic.Bool

	done   chan struct{} // closed at the end; status is valid then
	status int
	killer signal // the signal that ended it, 0 when it exited
}

// processTable holds the processes of a session.
type processTable struct {
	mu   sync.Mutex
	next int
	rows map[int]*process
	now  func() time.Time
}

func newProcessTable(now func() time.Time) *processTable {
	return &processTable{next: 1, rows: map[int]*process{}, now: now}
}

// start adds a process. Its end is told by finish.
func (t *processTable) start(parent *process, command string, cancel context.CancelCauseFunc) *process {
	p := &process{table: t, parent: parent, command: command, cancel: cancel, started: t.now(), done: make(chan struct{})}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	if t.next > 4<<20 {
		t.next = 2
	}
	for t.rows[t.next] != nil {
		t.next++
	}
	p.pid, p.group = t.next, t.next
	if parent != nil {
		p.group = parent.group
	}
	t.rows[p.pid] = p
	return p
}

// size is the number of live processes.
func (t *processTable) size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.rows)
}

// finish ends a process with a status, or by a signal when sig is not 0.
func (p *process) finish(status int, sig signal) {
	p.table.mu.Lock()
	delete(p.table.rows, p.pid)
	p.table.mu.Unlock()
	p.mu.Lock()
	p.status, p.killer = status, sig
	p.mu.Unlock()
	p.resume()
	close(p.done)
}

// resume lets a stopped process go on.
func (p *process) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped != nil {
		close(p.stopped)
		p.stopped = nil
		p.frozen.Store(false)
	}
}

// rename changes what ps shows, as execve(2) does.
func (p *process) rename(command string) {
	p.mu.Lock()
	p.command = command
	p.mu.Unlock()
}

// dispose sets who takes the signals of the process, and answers who did.
func (p *process) dispose(handle func(signal) bool) func(signal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.handle
	p.handle = handle
	return old
}

func (p *process) title() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.command
}

// ended reports whether the process is over.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// deliver delivers a signal: to the process's own disposition, else by its
// default action.
func (p *process) deliver(sig signal) {
	if p.ended() {
		return
	}
	p.mu.Lock()
	handle, cancel := p.handle, p.cancel
	p.mu.Unlock()
	switch {
	case sig == sigKILL:
	case sig == sigCONT:
		p.resume()
		if handle != nil {
			handle(sig)
		}
		return
	case sig != sigSTOP && handle != nil && handle(sig):
		return
	case sig.ignoredByDefault():
		return
	case sig.stops():
		p.mu.Lock()
		if p.stopped == nil {
			p.stopped = make(chan struct{})
			p.frozen.Store(true)
		}
		p.mu.Unlock()
		return
	}
	if cancel != nil {
		cancel(killed{sig})
	}
}

// pause waits while the process is stopped.
func (p *process) pause(ctx context.Context) {
	for p.frozen.Load() {
		p.mu.Lock()
		ch := p.stopped
		p.mu.Unlock()
		if ch == nil {
			return
		}
		select {
		case <-ch:
		case <-ctx.Done():
			return
		}
	}
}

// find answers a live process.
func (t *processTable) find(pid int) *process {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rows[pid]
}

// all answers the live processes by pid.
func (t *processTable) all() []*process {
	t.mu.Lock()
	rows := make([]*process, 0, len(t.rows))
	for _, p := range t.rows {
		rows = append(rows, p)
	}
	t.mu.Unlock()
	sort.Slice(rows, func(i, j int) bool { return rows[i].pid < rows[j].pid })
	return rows
}

// signal delivers a signal as kill(2) does: to a process, to a group when pid
// is negative, to the group of self when pid is 0. Signal 0 only looks.
func (t *processTable) signal(self *process, pid int, sig signal) error {
	var to []*process
	switch {
	case pid > 0:
		if p := t.find(pid); p != nil {
			to = append(to, p)
		}
	case pid == -1:
		for _, p := range t.all() {
			if p != self && p.parent != nil {
				to = append(to, p)
			}
		}
	default:
		group := -pid
		if pid == 0 {
			group = self.group
		}
		for _, p := range t.all() {
			if p.group == group {
				to = append(to, p)
			}
		}
	}
	if len(to) == 0 {
		return syscall.ESRCH
	}
	if sig != 0 {
		for _, p := range to {
			p.deliver(sig)
		}
	}
	return nil
}

// processView is a session's process table as programs see it.
type processView struct {
	table    *processTable
	self     *process
	terminal string
	rules    func() policy.Processes // nil: everything
}

// List implements program.Processes.
func (v processView) List() []program.Process {
	var rows []program.Process
	rules := policy.Processes{}
	if v.rules != nil {
		rules = v.rules()
	}
	for _, p := range v.table.all() {
		if p != v.self && rules.NoControl {
			continue
		}
		row := program.Process{PID: p.pid, Group: p.group, Command: p.title(), State: "S", Started: p.started, Terminal: v.terminal}
		if p.parent != nil {
			row.PPID = p.parent.pid
		}
		if p != v.self {
			if rules.NoDetails {
				row.Command, _, _ = strings.Cut(row.Command, " ")
			}
			if rules.NoMetadata {
				row.Command = "?"
			}
		}
		switch {
		case p.frozen.Load():
			row.State = "T"
		case p == v.self:
			row.State = "R"
		}
		rows = append(rows, row)
	}
	return rows
}

// Signal implements program.Processes.
func (v processView) Signal(pid int, sig int) error {
	if sig != 0 && signal(sig).String() == "" {
		return syscall.EINVAL
	}
	if v.rules != nil && v.rules().NoControl {
		return syscall.ESRCH
	}
	return v.table.signal(v.self, pid, signal(sig))
}
