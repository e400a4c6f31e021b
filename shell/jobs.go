package shell

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// job is a background job of one shell.
type job struct {
	id       int
	proc     *process
	command  string
	reported bool // its end was shown or waited for
	disowned bool
	nohup    bool
}

// jobTable is the jobs of one shell, and what is remembered of ended ones.
type jobTable struct {
	jobs    []*job
	current []*job // most recent last, for %+ and %-
	// inherited are the parent's jobs when a subshell began, for jobs alone.
	inherited []*job
	ended     map[int]int // pid to status of jobs that left the table
}

func newJobTable() *jobTable { return &jobTable{} }

func (t *jobTable) add(p *process, command string) *job {
	id := 1
	for _, j := range t.jobs {
		id = max(id, j.id+1)
	}
	j := &job{id: id, proc: p, command: command}
	t.jobs = append(t.jobs, j)
	t.current = append(t.current, j)
	return j
}

// remove takes a job off the table; its status stays known to wait.
func (t *jobTable) remove(j *job) {
	t.jobs = without(t.jobs, j)
	t.current = without(t.current, j)
	if j.proc.ended() && !j.disowned {
		if t.ended == nil {
			t.ended = map[int]int{}
		}
		if len(t.ended) > 1024 {
			clear(t.ended)
		}
		t.ended[j.proc.pid] = j.proc.status
	}
}

func without(list []*job, j *job) []*job {
	out := list[:0:0]
	for _, x := range list {
		if x != j {
			out = append(out, x)
		}
	}
	return out
}

func (t *jobTable) byPID(pid int) *job {
	for _, j := range t.jobs {
		if j.proc.pid == pid {
			return j
		}
	}
	return nil
}

// find answers the job that a job specification names: %n, %+, %%, %-,
// %prefix, %?text, or a bare number where bare is set.
func (t *jobTable) find(spec string) (j *job, ambiguous bool) {
	s, ok := strings.CutPrefix(spec, "%")
	if !ok {
		return nil, false
	}
	if n, ok := atoi(s); ok {
		for _, j := range t.jobs {
			if j.id == n {
				return j, false
			}
		}
		return nil, false
	}
	switch s {
	case "", "%", "+":
		return t.nth(1), false
	case "-":
		if j := t.nth(2); j != nil {
			return j, false
		}
		return t.nth(1), false
	}
	for _, x := range t.jobs {
		hit := strings.HasPrefix(x.command, s)
		if text, ok := strings.CutPrefix(s, "?"); ok {
			hit = strings.Contains(x.command, text)
		}
		if hit {
			if j != nil {
				return nil, true
			}
			j = x
		}
	}
	return j, false
}

// nth answers the n-th most recent job.
func (t *jobTable) nth(n int) *job {
	if len(t.current) < n {
		return nil
	}
	return t.current[len(t.current)-n]
}

// mark is + for the current job, - for the previous one.
func (t *jobTable) mark(j *job) string {
	switch j {
	case t.nth(1):
		return "+"
	case t.nth(2):
		return "-"
	}
	return " "
}

// reportKilled says of a process that a signal ended it, as a non-interactive
// bash does: not of those that people send on purpose.
func (e *Executor) reportKilled(p *process, command string) {
	switch p.killer {
	case 0, sigINT, sigPIPE, sigTERM:
		return
	}
	if e.origin == fromLine && len(e.frames) == 0 {
		e.writeFD(2, p.killer.text()+"\n")
		return
	}
	e.warn(padLeft(itoa(p.pid), 5) + " " + padRight(p.killer.text(), 23) + " " + command)
}

// childEnded tells a shell that a child of it ended: SIGCHLD, where trapped.
func (e *Executor) childEnded() {
	if e.trapMask.Load()&(1<<(sigCHLD-1)) != 0 {
		e.takeSignal(sigCHLD)
	}
}

// background starts a statement as a job of its own.
func (e *Executor) background(st *syntax.Stmt) {
	if !e.maySpawn() {
		return
	}
	if !e.s.reserve(e.cfg.Limits.Jobs) {
		e.limitError("jobs")
		return
	}
	copied := *st
	copied.Background = false
	copied.Semicolon = syntax.Pos{}
	command := e.commandText(&copied)
	sub := e.fork(e.s.ctx, command)
	if sub == nil {
		e.s.unreserve()
		return
	}
	sub.count()
	if e.opts[optMonitor] {
		sub.proc.group = sub.proc.pid
	}
	// Without job control a background job reads nothing and ignores SIGINT.
	if old := sub.fds.get(0); old != nil {
		if _, front := old.stream.(frontReader); front {
			sub.fds.set(0, newFile("/dev/null", null{}))
			old.release()
		}
	}
	if !e.opts[optMonitor] {
		ignore := ""
		sub.traps.setSignal(sigINT, &ignore)
		sub.traps.setSignal(sigQUIT, &ignore)
		sub.publishTraps()
	}
	j := e.jobs.add(sub.proc, command)
	e.lastJob = sub.proc.pid
	if e.interactive {
		e.writeFD(2, "["+itoa(j.id)+"] "+itoa(sub.proc.pid)+"\n")
	}
	e.status = 0
	go e.s.run(func() {
		if call, ok := copied.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			sub.runForked(&copied)
			return
		}
		if s, ok := copied.Cmd.(*syntax.Subshell); ok && len(copied.Redirs) == 0 && !copied.Negated {
			sub.runList(s.Stmts)
			return
		}
		sub.runForked(&copied)
	})
}

// waitProcess waits for a process to end. It answers false when a trapped
// signal or the end of the shell came first; sig is then that signal.
func (e *Executor) waitProcess(ctx context.Context, p *process) (ended bool) {
	for {
		select {
		case <-p.done:
			return true
		default:
		}
		select {
		case <-p.done:
			return true
		case <-ctx.Done():
			return false
		case <-e.wakeup:
			if e.pending.Load() != 0 {
				return false
			}
		}
	}
}

// coproc starts a coprocess: a job whose standard input and output are pipes
// that the array NAME holds.
func (e *Executor) coproc(c *syntax.CoprocClause) {
	name := "COPROC"
	if c.Name != nil {
		v, err := e.x.Literal(e.ctx, c.Name)
		if err != nil {
			e.fail(err)
			return
		}
		name = v
	}
	if !e.maySpawn() {
		return
	}
	if !e.s.reserve(e.cfg.Limits.Jobs) {
		e.limitError("jobs")
		return
	}
	command := e.commandText(c)
	sub := e.fork(e.s.ctx, command)
	if sub == nil {
		e.s.unreserve()
		return
	}
	inR, inW := newPipe()
	outR, outW := newPipe()
	sub.count()
	sub.connect(inR, outW)
	n1, err1 := e.fds.free(60)
	if err1 == nil {
		e.fds.set(n1, outR)
	}
	n2, err2 := e.fds.free(60)
	if err2 == nil {
		e.fds.set(n2, inW)
	}
	e.vars.SetElements(name, []string{itoa(n1), itoa(n2)})
	e.vars.Set(name+"_PID", itoa(sub.proc.pid))
	e.jobs.add(sub.proc, command)
	e.lastJob = sub.proc.pid
	e.status = 0
	go e.s.run(func() { sub.runForked(c.Stmt) })
}
