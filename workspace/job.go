package workspace

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"mirage/policy"
)

// Result is how a line ended.
type Result struct {
	ExitCode int
	Stdout   []byte // as kept in the job's log
	Stderr   []byte
	Refusal  *policy.Refusal
	Signal   string // see shell.Result
	Exited   bool
	Aborted  bool // see shell.Result; not kept in the store
	ExitTrap bool // see shell.Result; not kept in the store
	// Truncated tells that the log holds less than the line wrote.
	Truncated bool
	// Limited tells that a limit of a command cut its output, TimedOut that
	// one ended a command. Limited is in Truncated as well.
	Limited, TimedOut bool
}

// Status is the state of a job.
type Status string

// The states of a job. Settled = FinishedAt is set.
const (
	Pending  Status = "pending"
	Running  Status = "running"
	Stopping Status = "stopping"
	Done     Status = "done"
	Failing  Status = "failed"
	Ended    Status = "canceled"
)

// JobRecord is what is known of a job at one moment.
type JobRecord struct {
	ID        string
	Workspace string
	Session   string
	Agent     string // who sent the line, "" when nobody said
	// Command is the line as sent; of a settled job at most 64 KiB of it.
	Command         string
	Status          Status
	Revision        int
	CancelRequested bool
	Submitted       time.Time
	Started         time.Time // zero = not yet
	Finished        time.Time // zero = not yet
	Result          *Result
	Error           string
}

// Job is a line on its way. Its output is a log of chunks with a cursor that
// any number of readers may follow.
type Job struct {
	id   string
	s    *Session // nil for a job read from the store
	line Line
	log  *joblog
	done chan struct{} // closed once settled

	ctx    context.Context // of the line
	cancel context.CancelCauseFunc

	stdout, stderr atomic.Int64 // bytes that the line wrote

	mu  sync.Mutex
	rec JobRecord
	// decided is set once it is clear how the job ends; from then on it is
	// too late to cancel it.
	decided bool
}

// errCanceled is why a canceled line ends.
var errCanceled = errors.New("job canceled")

// ID is the job's id: "job_" and 16 hex digits.
func (j *Job) ID() string { return j.id }

// Record answers the job's record now.
func (j *Job) Record() JobRecord {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.rec
}

// Wait waits until the job is settled or ctx ends, and answers its record
// either way.
func (j *Job) Wait(ctx context.Context) JobRecord {
	select {
	case <-j.done:
	case <-ctx.Done():
	}
	return j.Record()
}

// Done is closed once the job is settled.
func (j *Job) Done() <-chan struct{} { return j.done }

// Cancel asks the job to end; false when it has ended or was asked before.
func (j *Job) Cancel() bool { return j.stop(errCanceled) }

func (j *Job) stop(cause error) bool {
	j.mu.Lock()
	if j.rec.CancelRequested || j.decided || j.s == nil {
		j.mu.Unlock()
		return false
	}
	j.rec.CancelRequested = true
	if j.rec.Status == Running {
		j.rec.Status = Stopping
	}
	j.rec.Revision++
	j.mu.Unlock()
	j.cancel(cause)
	j.log.detach()
	j.s.drop(j)
	return true
}

// start marks the job running; false when it was canceled before.
func (j *Job) start(now time.Time) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.rec.CancelRequested {
		return false
	}
	j.rec.Status, j.rec.Started = Running, now
	j.rec.Revision++
	return true
}

// outcome answers the record with which the job will settle.
func (j *Job) outcome(res *Result, failure string, now time.Time) JobRecord {
	j.mu.Lock()
	j.decided = true
	rec := j.rec
	j.mu.Unlock()
	rec.Finished, rec.Result, rec.Error = now, res, failure
	rec.Revision++
	switch {
	case rec.CancelRequested:
		rec.Status = Ended
		if rec.Result == nil && !rec.Started.IsZero() {
			rec.Result = &Result{}
		}
		if rec.Result != nil {
			rec.Result.ExitCode = exitCanceled
		}
	case failure != "":
		rec.Status = Failing
	default:
		rec.Status = Done
	}
	return rec
}

// exitCanceled is the status of a canceled line: that of SIGINT.
const exitCanceled = 130

// settle publishes the end of the job, after its effects are committed.
func (j *Job) settle(rec JobRecord) {
	j.mu.Lock()
	j.rec = rec
	j.mu.Unlock()
	j.log.end()
	close(j.done)
	j.cancel(nil)
}
