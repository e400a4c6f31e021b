package httpd

import (
	"context"
	"net/http"
	"sync"
	"time"

	"mirage/client"
	"mirage/workspace"
)

// maxResult is how much of each stream a JSON result holds. What exceeds it is
// dropped and the result marked truncated; ?stream=true has no such limit.
const maxResult = 64 << 20

// headerJob tells the id of the job that a line became.
const headerJob = "X-Mirage-Job-Id"

// shellQuery is what the query of a shell request says.
type shellQuery struct {
	background, stream, explain bool
}

func readShellQuery(r *http.Request) (q shellQuery, err error) {
	if q.explain, err = flag(r, "explain"); err != nil {
		return q, err
	}
	if q.background, err = flag(r, "background"); err != nil {
		return q, err
	}
	if q.stream, err = flag(r, "stream"); err != nil {
		return q, err
	}
	switch {
	case q.stream && (q.background || q.explain):
		return q, badRequest("stream cannot be combined with background or explain")
	case q.explain && q.background:
		return q, errExplain
	}
	return q, nil
}

// shell runs one line: JSON in and out, or multipart in to bring standard
// input, or NDJSON out to follow the output as it appears.
func (s *server) shell(w http.ResponseWriter, r *http.Request) error {
	ses, err := s.sessionOf(r)
	if err != nil {
		return err
	}
	q, err := readShellQuery(r)
	if err != nil {
		return err
	}
	in, err := readShell(w, r)
	if err != nil {
		return err
	}
	defer in.drain(r.Context())
	switch {
	case q.explain:
		return s.shellExplain(w, r, ses, in)
	case q.background:
		return s.shellBackground(w, r, ses, in)
	case q.stream:
		return s.shellStream(w, r, ses, in)
	}
	return s.shellForeground(w, r, ses, in)
}

// line turns a request into a line of the manager.
func line(body client.ShellRequest) (workspace.Line, error) {
	if body.Runtime != "" && body.Runtime != "workspace" {
		return workspace.Line{}, &apiError{status: http.StatusInternalServerError, detail: "unknown runtime: '" + body.Runtime + "' (expected one of: workspace)", code: "unknown_runtime"}
	}
	l := workspace.Line{
		Command: body.Command, Cwd: body.Cwd, Env: body.Env, Agent: body.AgentID,
		NoRecord: body.Record != nil && !*body.Record,
	}
	if ms := body.AskWaitMS; ms != nil {
		if *ms < 0 || *ms > maxAskWait.Milliseconds() {
			return l, badRequest("ask_wait_ms must be between 0 and %d", maxAskWait.Milliseconds())
		}
		wait := time.Duration(*ms) * time.Millisecond
		l.AskWait = &wait
	}
	return l, nil
}

// maxAskWait is the longest that a line may wait for an answer.
const maxAskWait = 24 * time.Hour

func (s *server) shellForeground(w http.ResponseWriter, r *http.Request, ses *workspace.Session, in *shellInput) error {
	l, err := line(in.body)
	if err != nil {
		return err
	}
	var stdout, stderr capped
	l.Stdin, l.Stdout, l.Stderr = in.stdin, &stdout, &stderr
	job, err := ses.Submit(r.Context(), l)
	if err != nil {
		return err
	}
	w.Header().Set(headerJob, job.ID())
	rec := s.await(r.Context(), job, in)
	if err := in.finish(r.Context()); err != nil {
		return err
	}
	if err := settled(rec); err != nil {
		return err
	}
	res := *rec.Result
	var cutOut, cutErr bool
	res.Stdout, cutOut = stdout.take()
	res.Stderr, cutErr = stderr.take()
	res.Truncated = cutOut || cutErr || res.Limited
	return writeJSON(w, http.StatusOK, result(res))
}

// await waits for a job to settle. A client that leaves, or an upload that
// breaks off, cancels it; the job has ended either way when await returns.
func (s *server) await(ctx context.Context, job *workspace.Job, in *shellInput) workspace.JobRecord {
	watched, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-in.broken():
			stop()
		case <-watched.Done():
		}
	}()
	rec := job.Wait(watched)
	if rec.Finished.IsZero() {
		job.Cancel()
		rec = job.Wait(context.WithoutCancel(ctx))
	}
	return rec
}

// settled is nil for a job that ran to its end.
func settled(rec workspace.JobRecord) error {
	switch {
	case rec.Status == workspace.Ended:
		return &apiError{status: statusCanceled, detail: "job canceled", code: "job_canceled"}
	case rec.Status == workspace.Failing, rec.Result == nil:
		detail := rec.Error
		if detail == "" {
			detail = "shell failed"
		}
		return &apiError{status: http.StatusInternalServerError, detail: detail, code: "job_failed"}
	}
	return nil
}

func (s *server) shellBackground(w http.ResponseWriter, r *http.Request, ses *workspace.Session, in *shellInput) error {
	l, err := line(in.body)
	if err != nil {
		return err
	}
	// The answer comes at once, so the upload is taken in whole before it.
	stdin, err := in.whole(r.Context())
	if err != nil {
		return err
	}
	l.Stdin = stdin
	job, err := ses.Submit(r.Context(), l)
	if err != nil {
		return err
	}
	w.Header().Set(headerJob, job.ID())
	rec := job.Record()
	return writeJSON(w, http.StatusAccepted, client.Accepted{JobID: rec.ID, WorkspaceID: rec.Workspace, SubmittedAt: unix(rec.Submitted)})
}

// capped keeps the first maxResult bytes written to it. A background job of
// the line may go on writing after take.
type capped struct {
	mu   sync.Mutex
	data []byte
	cut  bool
}

// take ends the collecting and answers what there is.
func (c *capped) take() (data []byte, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, cut = c.data, c.cut
	c.data = nil
	return data, cut
}

func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := maxResult - len(c.data)
	if len(p) > room {
		c.cut = true
		c.data = append(c.data, p[:room]...)
		return len(p), nil
	}
	c.data = append(c.data, p...)
	return len(p), nil
}

func (s *server) glob(w http.ResponseWriter, r *http.Request) error {
	ses, err := s.sessionOf(r)
	if err != nil {
		return err
	}
	var body struct {
		Pattern *string `json:"pattern"`
	}
	if err := readJSON(w, r, "glob", false, &body); err != nil {
		return err
	}
	if body.Pattern == nil {
		return badRequest("pattern must be a string")
	}
	paths, err := ses.Glob(r.Context(), *body.Pattern)
	if err != nil {
		return err
	}
	if paths == nil {
		paths = []string{}
	}
	return writeJSON(w, http.StatusOK, map[string]any{"paths": paths})
}
