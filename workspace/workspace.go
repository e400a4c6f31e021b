// Package workspace is the manager that every front end talks to: workspaces,
// their sessions, and the jobs that run in them.
package workspace

import (
	"context"
	"io"
	"log/slog"
	"time"

	"mirage/accounts"
	"mirage/policy"
	"mirage/shell"
	"mirage/state"
	"mirage/vfs"
)

// Kind is the class of an Error; each front end maps it to its own codes.
type Kind string

// The classes of errors.
const (
	NotFound Kind = "not_found" // workspace, session, job
	Conflict Kind = "conflict"  // taken ids, busy workspaces
	Invalid  Kind = "invalid"   // bad config, ids, arguments
	Refused  Kind = "refused"   // well-formed but not acceptable: unknown profile, bad mode (HTTP 422)
	Canceled Kind = "canceled"
	Failed   Kind = "failed" // the server's own fault
)

// Error is every error of this package. Detail is for people and is what the
// HTTP API puts in "detail".
type Error struct {
	Kind   Kind
	Code   string // stable: workspace_not_found, session_exists, ...
	Detail string
	Err    error
}

func (e *Error) Error() string { return e.Detail }
func (e *Error) Unwrap() error { return e.Err }

// Options is what a Manager is made of.
type Options struct {
	Store state.Store
	// Root is the folder for what the manager itself keeps on disk.
	Root string
	Log  *slog.Logger
	Now  func() time.Time // nil = time.Now
}

// Manager owns every workspace of a server. Safe for concurrent use.
type Manager struct{}

// Open makes a manager over a store: jobs that a previous process left
// running become failed with "server restarted"; stored workspaces reopen at
// their first use.
func Open(ctx context.Context, o Options) (*Manager, error) { return &Manager{}, nil }

// Close cancels what runs, closes every workspace and keeps its state.
func (m *Manager) Close(ctx context.Context) error { return nil }

// Create makes a workspace, or answers the live one of the same id and config
// (created is then false). An empty id takes config.workspace_id, else a new
// UUIDv7.
func (m *Manager) Create(ctx context.Context, c accounts.Caller, id string, cfg *Config) (w *Workspace, created bool, err error) {
	return nil, false, nil
}

// Get answers a workspace that the caller may see, reopening a stored one.
// Missing and foreign workspaces give the same NotFound.
func (m *Manager) Get(ctx context.Context, c accounts.Caller, id string) (*Workspace, error) {
	return nil, &Error{Kind: NotFound, Code: "workspace_not_found", Detail: "workspace not found"}
}

// List answers the live and stored workspaces that the caller may see, oldest
// first.
func (m *Manager) List(ctx context.Context, c accounts.Caller) ([]*Workspace, error) { return nil, nil }

// Delete closes a workspace and deletes its state; the files of a disk mount
// stay where they are.
func (m *Manager) Delete(ctx context.Context, c accounts.Caller, id string) (closed time.Time, err error) {
	return time.Time{}, nil
}

// CloseWorkspace stops a workspace and keeps its state.
func (m *Manager) CloseWorkspace(ctx context.Context, c accounts.Caller, id string) (closed time.Time, err error) {
	return time.Time{}, nil
}

// Jobs lists the jobs of the workspaces that the caller may see, in order of
// submission; workspaceID narrows it when not empty.
func (m *Manager) Jobs(ctx context.Context, c accounts.Caller, workspaceID string) ([]JobRecord, error) {
	return nil, nil
}

// Job answers a running or kept job.
func (m *Manager) Job(ctx context.Context, c accounts.Caller, id string) (*Job, error) {
	return nil, &Error{Kind: NotFound, Code: "job_not_found", Detail: "job not found"}
}

// Count answers how many workspaces are live.
func (m *Manager) Count() int { return 0 }

// Workspace is a tree of mounts and a set of sessions.
type Workspace struct{}

// Brief is what a listing says of a workspace.
type Brief struct {
	ID           string
	Mode         string // of the first user mount
	MountCount   int
	SessionCount int
	Created      time.Time
}

// Detail is what Get says of a workspace.
type Detail struct {
	Brief
	Sessions []SessionInfo
	Mounts   []vfs.MountInfo
	History  int // recorded lines
	InFlight int // jobs pending or running
}

// SessionInfo names a session and where it stands.
type SessionInfo struct{ ID, Cwd string }

// ID is the workspace's id.
func (w *Workspace) ID() string { return "" }

// Brief describes the workspace in a line.
func (w *Workspace) Brief() Brief { return Brief{} }

// Detail describes the workspace.
func (w *Workspace) Detail() Detail { return Detail{} }

// SessionOptions describes a new session.
type SessionOptions struct {
	ID      string // "" = a fresh one, Prefix + 12 hex digits
	Prefix  string // "sess_" when empty; SSH channels use "ssh_"
	Profile string // "" = the default profile
	// Mounts narrows mounts: prefix to read, write, exec, r, rw or rwx.
	Mounts map[string]string
	// Env seeds exported variables through the session's rules; names that
	// the profile sets win, refused ones are left out.
	Env map[string]string
	// Ephemeral sessions end with their owner and are not kept in the store.
	Ephemeral bool
	Agent     string // agent id recorded for lines: "ssh", ...
}

// NewSession makes a session.
func (w *Workspace) NewSession(ctx context.Context, o SessionOptions) (*Session, error) {
	return nil, nil
}

// Session answers a session by id; "" is the default session.
func (w *Workspace) Session(ctx context.Context, id string) (*Session, error) { return nil, nil }

// Sessions lists the sessions, oldest first.
func (w *Workspace) Sessions() []SessionInfo { return nil }

// DeleteSession cancels a session's lines, kills its jobs and forgets it.
func (w *Workspace) DeleteSession(ctx context.Context, id string) error { return nil }

// Cancel cancels the running and queued lines of every session and answers
// how many, once they have ended.
func (w *Workspace) Cancel(ctx context.Context) int { return 0 }

// Kill kills the background jobs (cmd &) of every session.
func (w *Workspace) Kill(ctx context.Context) int { return 0 }

// Done is closed when the workspace is closed or deleted.
func (w *Workspace) Done() <-chan struct{} { return nil }

// Session is one shell and one set of rules: all that a front end holds.
type Session struct{}

// ID is the session's id.
func (s *Session) ID() string { return "" }

// Workspace is the workspace of the session.
func (s *Session) Workspace() *Workspace { return nil }

// Cwd is the shell's working directory.
func (s *Session) Cwd() string { return "/" }

// View is the session's file tree for calls outside any line (VFS calls over
// HTTP, SFTP). Rules that a reload changes take effect on the next call.
func (s *Session) View() *vfs.View { return nil }

// Getenv reads a shell variable between lines.
func (s *Session) Getenv(name string) string { return "" }

// Line is a shell line to run as a job.
type Line struct {
	Command string
	Stdin   io.Reader // nil = empty
	// Stdout and Stderr receive output as it appears, in order; nil = only
	// kept in the job's log. A writer that blocks slows the line.
	Stdout, Stderr io.Writer
	Cwd            string            // runs in a clone when set
	Env            map[string]string // runs in a clone when set
	NoRecord       bool              // keep the line out of the history
	Agent          string
	Terminal       *shell.Terminal
	Interactive    bool
}

// Submit queues a line: its record is written, then it waits its turn in the
// session. The job is the session's, not the caller's: ctx bounds only the
// submission. Cancel the job to end it.
func (s *Session) Submit(ctx context.Context, l Line) (*Job, error) { return nil, nil }

// Run submits a line and waits for it. When ctx ends first the job is
// canceled, and Run answers its record once it has ended (status 130).
func (s *Session) Run(ctx context.Context, l Line) (Result, error) { return Result{}, nil }

// Incomplete and Complete are the shell's, for line editors.
func (s *Session) Incomplete(source string) bool { return false }

// Complete answers completions; see shell.Shell.Complete.
func (s *Session) Complete(ctx context.Context, source string) (start int, words []string) {
	return len(source), nil
}

// History answers the recorded lines of the session, oldest first.
func (s *Session) History() []HistoryEntry { return nil }

// Glob answers every path that the session sees and that matches, sorted.
func (s *Session) Glob(ctx context.Context, pattern string) ([]string, error) { return nil, nil }

// Cancel cancels the running and the queued lines; it answers how many, once
// they have ended.
func (s *Session) Cancel(ctx context.Context) int { return 0 }

// Kill kills the background jobs.
func (s *Session) Kill(ctx context.Context) int { return 0 }

// Close ends the session: lines canceled, jobs killed, an ephemeral one
// forgotten. Safe to call twice.
func (s *Session) Close(ctx context.Context) error { return nil }

// HistoryEntry is one recorded line.
type HistoryEntry struct {
	Time    time.Time
	Command string
}

// Result is how a line ended.
type Result struct {
	ExitCode int
	Stdout   []byte // as kept in the job's log
	Stderr   []byte
	Refusal  *policy.Refusal
	Signal   string // see shell.Result
	Exited   bool
	// Truncated tells that the log holds less than the line wrote.
	Truncated bool
	TimedOut  bool
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
	ID              string
	Workspace       string
	Session         string
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
type Job struct{}

// ID is the job's id: "job_" and 16 hex digits.
func (j *Job) ID() string { return "" }

// Record answers the job's record now.
func (j *Job) Record() JobRecord { return JobRecord{} }

// Wait waits until the job is settled or ctx ends, and answers its record
// either way.
func (j *Job) Wait(ctx context.Context) JobRecord { return JobRecord{} }

// Cancel asks the job to end; false when it has ended or was asked before.
func (j *Job) Cancel() bool { return false }

// Chunk is a piece of a job's output.
type Chunk struct {
	Stderr bool
	Data   []byte
}

// Follow answers the chunks from cursor on, waiting for at least one unless
// the job is settled: then none means the end.
func (j *Job) Follow(ctx context.Context, cursor int) (chunks []Chunk, next int, err error) {
	return nil, cursor, nil
}
