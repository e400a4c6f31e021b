package httpd

import (
	"context"
	"math"
	"net/http"
	"time"

	"mirage/client"
	"mirage/workspace"
)

func (s *server) listJobs(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Manager.Jobs(r.Context(), callerOf(r.Context()), r.URL.Query().Get("workspace_id"))
	if err != nil {
		return err
	}
	out := make([]client.Job, 0, len(list))
	for _, rec := range list {
		out = append(out, brief(rec))
	}
	return writeJSON(w, http.StatusOK, out)
}

func (s *server) jobOf(r *http.Request) (*workspace.Job, error) {
	return s.Manager.Job(r.Context(), callerOf(r.Context()), r.PathValue("job"))
}

func (s *server) getJob(w http.ResponseWriter, r *http.Request) error {
	job, err := s.jobOf(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, jobDetail(job.Record()))
}

func (s *server) waitJob(w http.ResponseWriter, r *http.Request) error {
	job, err := s.jobOf(r)
	if err != nil {
		return err
	}
	var body client.JobWait
	if err := readJSON(w, r, "wait", true, &body); err != nil {
		return err
	}
	ctx := r.Context()
	if body.TimeoutS != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, seconds(*body.TimeoutS))
		defer cancel()
	}
	return writeJSON(w, http.StatusOK, jobDetail(job.Wait(ctx)))
}

// seconds turns a client's number into a duration: negative is zero, and what
// does not fit is the longest there is.
func seconds(f float64) time.Duration {
	switch {
	case !(f > 0):
		return 0
	case f > math.MaxInt64/float64(time.Second):
		return math.MaxInt64
	}
	return time.Duration(f * float64(time.Second))
}

func (s *server) cancelJob(w http.ResponseWriter, r *http.Request) error {
	job, err := s.jobOf(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, client.JobCanceled{JobID: job.ID(), Canceled: job.Cancel()})
}

func brief(rec workspace.JobRecord) client.Job {
	return client.Job{
		JobID: rec.ID, WorkspaceID: rec.Workspace, SessionID: rec.Session, Command: rec.Command,
		Status: string(rec.Status), Revision: rec.Revision, CancelRequested: rec.CancelRequested,
		SubmittedAt: unix(rec.Submitted), StartedAt: unixOrNil(rec.Started), FinishedAt: unixOrNil(rec.Finished),
	}
}

// fullJob is a client.Job whose result and error are always there, as null
// when there is none.
type fullJob struct {
	client.Job
	Result *client.ShellResult `json:"result"`
	Error  *string             `json:"error"`
}

func jobDetail(rec workspace.JobRecord) fullJob {
	j := fullJob{Job: brief(rec)}
	if rec.Result != nil {
		j.Result = result(*rec.Result)
	}
	if rec.Error != "" {
		j.Error = &rec.Error
	}
	return j
}

// result turns a line's result into JSON: bytes that are not UTF-8 are
// replaced in the text and given exactly beside it.
func result(res workspace.Result) *client.ShellResult {
	out := &client.ShellResult{Kind: "io", ExitCode: res.ExitCode, Truncated: res.Truncated, TimedOut: res.TimedOut}
	out.Stdout, out.StdoutBase64 = client.Text(res.Stdout)
	out.Stderr, out.StderrBase64 = client.Text(res.Stderr)
	out.Refusal = refusal(res.Refusal)
	return out
}
