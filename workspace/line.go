package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"mirage/shell"
	"mirage/state"
	"mirage/vfs"
)

// Line is a shell line to run as a job.
type Line struct {
	Command string
	Stdin   io.Reader // nil = empty; see shell.Input
	// Stdout and Stderr receive output as it appears, in order; nil = only
	// kept in the job's log. A writer that blocks slows the line.
	Stdout, Stderr io.Writer
	Cwd            string            // runs in a clone when set
	Env            map[string]string // runs in a clone when set
	NoRecord       bool              // keep the line out of the history
	Agent          string            // who sends it; "" = the session's agent
	Terminal       *shell.Terminal
	Interactive    bool
	// AskWait is how long the line waits for the answer to a question before
	// it is refused; nil = as long as the server says.
	AskWait *time.Duration
}

// What may wait in a session, and how long a line may be.
const (
	maxQueue      = 1000
	maxQueueBytes = 64 << 20
	maxLine       = 16 << 20
)

// Submit queues a line: its record is written, then it waits its turn in the
// session. The job is the session's, not the caller's: ctx bounds only the
// submission. Cancel the job to end it.
func (s *Session) Submit(ctx context.Context, l Line) (*Job, error) {
	if s.broken != nil {
		return nil, s.broken
	}
	if len(l.Command) > maxLine {
		return nil, errorf(Invalid, "line_too_long", "line of %d bytes is too long", len(l.Command))
	}
	if err := s.admit(ctx); err != nil {
		return nil, err
	}
	j := &Job{id: randomID("job_", 16), s: s, line: l, log: newLog(), done: make(chan struct{})}
	j.ctx, j.cancel = context.WithCancelCause(j.lineContext(ctx))
	j.rec = JobRecord{
		ID: j.id, Workspace: s.w.id, Session: s.id, Agent: cmp.Or(l.Agent, s.agent, s.w.cfg.defaultAgent), Command: l.Command,
		Status: Pending, Revision: 1, Submitted: s.w.m.now(),
	}
	rec := j.rec
	err := s.w.m.store.Update(ctx, state.Grouped, func(tx state.Tx) error {
		if s.w.deleted.Load() {
			return errDeleted
		}
		return putJob(tx, rec)
	})
	if err != nil {
		j.cancel(err)
		s.leave()
		return nil, storeFailed(err)
	}
	s.w.m.jobs.begin(j)
	if err := s.enqueue(j); err != nil {
		s.commit(j, j.outcome(nil, err.Error(), s.w.m.now()), nil, nil)
		return nil, err
	}
	return j, nil
}

// enqueue gives the line its place, and the session a goroutine if it has
// none.
func (s *Session) enqueue(j *Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return sessionNotFound()
	case len(s.queue) >= maxQueue, s.queued+len(j.line.Command) > maxQueueBytes:
		return errorf(Conflict, "queue_full", "too many lines wait in session '%s'", s.id)
	}
	s.queue = append(s.queue, j)
	s.queued += len(j.line.Command)
	if s.idle == nil {
		s.idle = make(chan struct{})
		go s.serve()
	}
	return nil
}

// serve runs the queued lines one after another and ends with the last.
func (s *Session) serve() {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			close(s.idle)
			s.idle, s.running, s.queue = nil, nil, nil
			s.mu.Unlock()
			return
		}
		j := s.queue[0]
		s.queue[0] = nil
		s.queue = s.queue[1:]
		s.queued -= len(j.line.Command)
		s.running = j
		s.mu.Unlock()
		s.runJob(j)
	}
}

// drop settles a line that was canceled while it waited.
func (s *Session) drop(j *Job) {
	s.mu.Lock()
	found := false
	for i, q := range s.queue {
		if q == j {
			s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
			s.queued -= len(j.line.Command)
			found = true
			break
		}
	}
	s.mu.Unlock()
	if found {
		s.commit(j, j.outcome(nil, "", s.w.m.now()), nil, nil)
	}
}

// runJob runs one line and publishes its end.
func (s *Session) runJob(j *Job) {
	now := s.w.m.now
	if !j.start(now()) {
		s.commit(j, j.outcome(nil, "", now()), nil, nil)
		return
	}
	j.began()
	var record func(state.Tx) error
	if !j.line.NoRecord {
		record = s.record(j.line.Command)
	}
	out := &output{j: j}
	s.turn.Lock()
	res, failure := s.execute(j, out)
	var st json.RawMessage
	if j.line.Cwd == "" && j.line.Env == nil {
		var err error
		if st, err = s.capture(); err != nil {
			res, failure = nil, "StateError: "+err.Error()
		}
	}
	s.turn.Unlock()
	out.end()
	if res != nil {
		res.Stdout, res.Stderr, res.Truncated = j.log.bytes()
		res.Truncated = res.Truncated || res.Limited
	}
	s.commit(j, j.outcome(res, failure, now()), record, st)
}

// execute runs the line in the shell. A fault of the server itself fails the
// job and nothing else.
func (s *Session) execute(j *Job, out *output) (res *Result, failure string) {
	defer func() {
		if p := recover(); p != nil {
			s.w.m.log.Error("line panicked", "workspace", s.w.id, "session", s.id, "job", j.id,
				"panic", p, "stack", string(debug.Stack()))
			res, failure = nil, fmt.Sprintf("InternalError: %v", p)
		}
	}()
	sh, err := s.shell()
	if err != nil {
		return nil, err.Error()
	}
	l := j.line
	judge, view, end := s.judgeLine(j)
	defer end()
	ctx, most, stop := s.lineTime(j.ctx)
	ctx, stopCPU := s.cpuTime(ctx)
	var r shell.Result
	s.measure(func() {
		r = sh.Run(ctx, shell.Line{
			Source:      l.Command,
			Stdin:       l.Stdin,
			Stdout:      stdout{out},
			Stderr:      stderr{out},
			Terminal:    l.Terminal,
			Interactive: l.Interactive,
			Dir:         l.Cwd,
			Env:         l.Env,
			Judge:       judge,
			View:        view,
		})
	})
	if stopCPU() {
		r.Status, r.TimedOut = exitCPUTime, true
		fmt.Fprintln(stderr{out}, "mirage: the line has used up the processor time of its session")
	}
	if stop() {
		r.Status, r.TimedOut = exitLineTime, true
		fmt.Fprintf(stderr{out}, "mirage: the line timed out after %.1fs\n", most.Seconds())
	}
	s.mu.Lock()
	s.cwd = sh.Dir()
	s.mu.Unlock()
	return &Result{ExitCode: r.Status, Refusal: r.Refusal, Signal: r.Signal, Exited: r.Exited, Aborted: r.Aborted, ExitTrap: r.ExitTrap, Limited: r.Limited, TimedOut: r.TimedOut}, ""
}

// judgeLine answers the judge of a line and the files it judges, nil for a
// session without rules; end is to be called when the line has ended.
func (s *Session) judgeLine(j *Job) (judge shell.LineJudge, view *vfs.View, end func()) {
	if s.guard == nil {
		return nil, nil, func() {}
	}
	wait := s.w.m.askWait
	if j.line.AskWait != nil {
		wait = *j.line.AskWait
	}
	lj := newLineJudge(s.guard, s, j.rec.Agent, wait)
	return lj, s.viewUnder(lineFiles{lj}), lj.release
}

// commit writes the end of a job together with what its line changed, then
// publishes it. record writes the history and st is the new state of the shell;
// both may be nil.
func (s *Session) commit(j *Job, rec JobRecord, record func(state.Tx) error, st json.RawMessage) {
	m := s.w.m
	evicted := m.jobs.finish(j, rec)
	err := m.store.Update(context.Background(), state.Grouped, func(tx state.Tx) error {
		if s.w.deleted.Load() {
			return nil
		}
		for _, id := range evicted {
			if err := deleteJob(tx, id); err != nil {
				return err
			}
		}
		if record != nil && !s.gone.Load() {
			if err := record(tx); err != nil {
				return err
			}
		}
		if st != nil && !s.gone.Load() {
			if err := s.putState(tx, st); err != nil {
				return err
			}
		}
		return putSettled(tx, rec, j.log)
	})
	if err != nil {
		s.turn.Lock()
		s.saved = nil // the next line has to store the state
		s.turn.Unlock()
		m.log.Error("end of a line cannot be stored", "workspace", s.w.id, "session", s.id, "job", rec.ID, "error", err)
		if rec.Status == Done {
			// The line has run, but what it did to the session will not
			// outlive this process: saying "done" would promise that.
			rec.Status, rec.Error = Failing, "StateError: "+err.Error()
		}
	}
	s.leave()
	j.ended(rec)
	j.settle(rec)
	m.jobs.settled(rec.ID)
}

// Run submits a line and waits for it. When ctx ends first the job is
// canceled, and Run answers its record once it has ended (status 130).
func (s *Session) Run(ctx context.Context, l Line) (Result, error) {
	j, err := s.Submit(ctx, l)
	if err != nil {
		return Result{}, err
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		j.stop(context.Cause(ctx))
		<-j.done
	}
	rec := j.Record()
	switch {
	case rec.Status == Failing:
		return Result{}, &Error{Kind: Failed, Code: "job_failed", Detail: rec.Error}
	case rec.Result == nil:
		return Result{ExitCode: exitCanceled}, nil
	}
	return *rec.Result, nil
}

// output is where a running line writes: into the job's log and on to the
// front end.
type output struct {
	j     *Job
	mu    sync.Mutex
	ended bool
}

type (
	stdout struct{ *output }
	stderr struct{ *output }
)

func (o stdout) Write(p []byte) (int, error) { return o.write(false, o.j.line.Stdout, p) }
func (o stderr) Write(p []byte) (int, error) { return o.write(true, o.j.line.Stderr, p) }

// write passes output on. What a background job writes after its line has
// ended goes to the terminal of an interactive session and nowhere else.
func (o *output) write(toStderr bool, w io.Writer, p []byte) (int, error) {
	o.mu.Lock()
	ended := o.ended
	o.mu.Unlock()
	if ended && !o.j.line.Interactive {
		return len(p), nil
	}
	if !ended {
		o.j.log.append(o.j.ctx, toStderr, p)
	}
	if toStderr {
		o.j.stderr.Add(int64(len(p)))
	} else {
		o.j.stdout.Add(int64(len(p)))
	}
	if w == nil {
		return len(p), nil
	}
	return w.Write(p)
}

// end stops the output of background jobs from reaching a front end that has
// its answer.
func (o *output) end() {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
}
