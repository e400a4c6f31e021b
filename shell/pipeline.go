package shell

import (
	"context"
	"sync"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// element is one command of a pipeline.
type element struct {
	st  *syntax.Stmt
	all bool // |& after it: standard error goes down the pipe too
}

// elements flattens a pipeline.
func elements(b *syntax.BinaryCmd, into []element) []element {
	if x, ok := b.X.Cmd.(*syntax.BinaryCmd); ok && isPipe(x) && plain(b.X) {
		into = elements(x, into)
		into[len(into)-1].all = b.Op == syntax.PipeAll
	} else {
		into = append(into, element{b.X, b.Op == syntax.PipeAll})
	}
	if y, ok := b.Y.Cmd.(*syntax.BinaryCmd); ok && isPipe(y) && plain(b.Y) {
		return elements(y, into)
	}
	return append(into, element{b.Y, false})
}

func isPipe(b *syntax.BinaryCmd) bool { return b.Op == syntax.Pipe || b.Op == syntax.PipeAll }

func plain(st *syntax.Stmt) bool { return !st.Negated && len(st.Redirs) == 0 && !st.Background }

// pipeline runs commands side by side, each in a subshell and a goroutine of
// its own, connected by pipes. With lastpipe the last one runs right here.
func (e *Executor) pipeline(b *syntax.BinaryCmd) {
	parts := elements(b, make([]element, 0, 4))
	here := e.shopts[shoptLastpipe] && !e.opts[optMonitor]
	statuses, started := make([]int, len(parts)), len(parts)
	var wg sync.WaitGroup
	var in *openFile
	var group *process
	for i, part := range parts {
		var next, out *openFile
		last := i == len(parts)-1
		if !last {
			next, out = newPipe()
		}
		if c, ok := part.st.Cmd.(*syntax.CallExpr); ok && e.traps.debug != nil {
			e.lineno = e.base + callLine(c)
			e.setCurrent(c)
			e.debugTrap()
		}
		if last && here {
			e.lastHere(part, in, &statuses[i])
			break
		}
		sub := e.fork(e.ctx, "bash")
		if sub == nil {
			for _, f := range []*openFile{in, next, out} {
				if f != nil {
					f.release()
				}
			}
			// statuses is the goroutines' until they have ended.
			statuses[i], started = e.status, i+1
			break
		}
		if group == nil {
			group = sub.proc
		}
		sub.connect(in, out)
		if part.all {
			part.st = withErrors(part.st)
		}
		in = next
		if last {
			// The last one runs in this goroutine: its output is waited
			// for anyway.
			statuses[i] = sub.runForked(part.st)
			break
		}
		wg.Add(1)
		go e.s.run(func() {
			defer wg.Done()
			statuses[i] = sub.runForked(part.st)
		})
	}
	if waitGroup(e.ctx, &wg) != nil {
		e.stopKilled()
		return
	}
	e.setPipeStatus(statuses[:started])
}

// setPipeStatus sets PIPESTATUS and the status of a pipeline.
func (e *Executor) setPipeStatus(statuses []int) {
	e.pipeStatus = statuses
	e.status = statuses[len(statuses)-1]
	if e.opts[optPipefail] {
		e.status = 0
		for _, s := range statuses {
			if s != 0 {
				e.status = s
			}
		}
	}
}

// lastHere runs the last command of a pipeline in this shell (lastpipe).
func (e *Executor) lastHere(part element, in *openFile, status *int) {
	old := e.fds.set(0, in)
	e.stmtSync(part.st)
	if f := e.fds.set(0, old); f != nil {
		f.release()
	}
	*status = e.status
}

// withErrors answers a statement whose standard error joins its output, after
// its own redirections, as |& has it.
func withErrors(st *syntax.Stmt) *syntax.Stmt {
	c := *st
	one := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "1", ValuePos: st.Position, ValueEnd: st.Position}}}
	c.Redirs = append(st.Redirs[:len(st.Redirs):len(st.Redirs)], &syntax.Redirect{
		OpPos: st.Position, Op: syntax.DplOut, N: &syntax.Lit{Value: "2", ValuePos: st.Position}, Word: one,
	})
	return &c
}

// connect puts the ends of pipes in place of standard input and output.
func (e *Executor) connect(in, out *openFile) {
	if in != nil {
		if old := e.fds.set(0, in); old != nil {
			old.release()
		}
	}
	if out != nil {
		if old := e.fds.set(1, out); old != nil {
			old.release()
		}
	}
}

// runForked runs a statement in this subshell and ends it. A panic ends only
// the subshell.
func (e *Executor) runForked(st *syntax.Stmt) (status int) {
	defer e.recovered(&status)
	e.loops = 0
	_, simple := st.Cmd.(*syntax.CallExpr)
	e.tail = simple && !st.Negated
	e.stmtSync(st)
	return e.end()
}

// recovered is deferred where a goroutine's code ends: a panic is reported
// and becomes status 1.
func (e *Executor) recovered(status *int) {
	v := recover()
	if v == nil {
		return
	}
	e.s.panicked(v)
	e.writeFD(2, "bash: internal error\n")
	*status = 1
	e.close(1, 0)
}

// waitGroup waits for wg, but not much longer than ctx.
func waitGroup(ctx context.Context, wg *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	timer := time.NewTimer(2 * abandonAfter)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-timer.C:
		return ctx.Err()
	}
}

// subshellClause runs ( list ).
func (e *Executor) subshellClause(c *syntax.Subshell) {
	sub := e.fork(e.ctx, "bash")
	if sub == nil {
		return
	}
	e.status = sub.runList(c.Stmts)
	if sub.proc.killer != 0 && e.ctx.Err() == nil {
		e.reportKilled(sub.proc, e.commandText(c))
	}
}

// runList runs a list in this subshell and ends it.
func (e *Executor) runList(stmts []*syntax.Stmt) (status int) {
	defer e.recovered(&status)
	e.loops = 0
	e.list(stmts)
	return e.end()
}
