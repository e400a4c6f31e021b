package workspace

import (
	"errors"
	"time"

	"mirage/policy"
	"mirage/state"
)

// storedJob is a JobRecord in the store. The output is a record of its own.
type storedJob struct {
	Workspace string          `json:"workspace"`
	Session   string          `json:"session"`
	Agent     string          `json:"agent,omitempty"`
	Command   string          `json:"command"`
	Status    Status          `json:"status"`
	Revision  int             `json:"revision"`
	Cancel    bool            `json:"cancel_requested,omitempty"`
	Submitted time.Time       `json:"submitted"`
	Started   time.Time       `json:"started,omitzero"`
	Finished  time.Time       `json:"finished,omitzero"`
	HasResult bool            `json:"has_result,omitempty"`
	ExitCode  int             `json:"exit_code,omitempty"`
	Refusal   *policy.Refusal `json:"refusal,omitempty"`
	Signal    string          `json:"signal,omitempty"`
	Exited    bool            `json:"exited,omitempty"`
	Truncated bool            `json:"truncated,omitempty"`
	TimedOut  bool            `json:"timed_out,omitempty"`
	Error     string          `json:"error,omitempty"`
}

func putJob(tx state.Tx, r JobRecord) error {
	sj := storedJob{
		Workspace: r.Workspace, Session: r.Session, Agent: r.Agent, Command: r.Command, Status: r.Status, Revision: r.Revision,
		Cancel: r.CancelRequested, Submitted: r.Submitted, Started: r.Started, Finished: r.Finished, Error: r.Error,
	}
	if len(sj.Command) > maxCommand {
		sj.Command = sj.Command[:maxCommand]
	}
	if r.Result != nil {
		sj.HasResult, sj.ExitCode, sj.Refusal, sj.Signal = true, r.Result.ExitCode, r.Result.Refusal, r.Result.Signal
		sj.Exited, sj.Truncated, sj.TimedOut = r.Result.Exited, r.Result.Truncated, r.Result.TimedOut
	}
	return putJSON(tx, state.Jobs, r.ID, sj)
}

// putSettled writes a finished job with its output.
func putSettled(tx state.Tx, r JobRecord, l *joblog) error {
	if err := putJob(tx, r); err != nil {
		return err
	}
	if data := l.encode(); len(data) > 0 {
		return tx.Put(state.Output, r.ID, data)
	}
	return nil
}

func deleteJob(tx state.Tx, id string) error {
	return errors.Join(tx.Delete(state.Jobs, id), tx.Delete(state.Output, id))
}

func (sj *storedJob) record(id string) JobRecord {
	r := JobRecord{
		ID: id, Workspace: sj.Workspace, Session: sj.Session, Agent: sj.Agent, Command: sj.Command, Status: sj.Status, Revision: sj.Revision,
		CancelRequested: sj.Cancel, Submitted: sj.Submitted, Started: sj.Started, Finished: sj.Finished, Error: sj.Error,
	}
	if sj.HasResult {
		r.Result = &Result{
			ExitCode: sj.ExitCode, Refusal: sj.Refusal, Signal: sj.Signal,
			Exited: sj.Exited, Truncated: sj.Truncated, TimedOut: sj.TimedOut,
		}
	}
	return r
}

// readJob reads a settled job with its output; nil when there is none.
func readJob(tx state.Tx, id string) (*Job, error) {
	var sj storedJob
	ok, err := getJSON(tx, state.Jobs, id, &sj)
	if !ok || err != nil {
		return nil, err
	}
	j := &Job{id: id, rec: sj.record(id), log: newLog(), done: closedChan}
	j.log.ended = true
	switch data, err := tx.Get(state.Output, id); {
	case err == nil:
		j.log.decode(data)
	case !errors.Is(err, state.ErrNotFound):
		return nil, err
	}
	if j.rec.Result != nil {
		j.rec.Result.Stdout, j.rec.Result.Stderr, _ = j.log.bytes()
	}
	return j, nil
}

var closedChan = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
