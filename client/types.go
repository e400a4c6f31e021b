package client

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Health is the answer of GET /v1/health.
type Health struct {
	Status     string  `json:"status"`
	Workspaces int     `json:"workspaces"`
	UptimeS    float64 `json:"uptime_s"`
}

// CreateWorkspace is the body of POST /v1/workspaces. Config is the workspace
// configuration as JSON.
type CreateWorkspace struct {
	ID     string          `json:"id,omitempty"`
	Config json.RawMessage `json:"config"`
}

// WorkspaceBrief is one workspace of a listing. Times are Unix seconds.
type WorkspaceBrief struct {
	ID           string  `json:"id"`
	Mode         string  `json:"mode"`
	MountCount   int     `json:"mount_count"`
	SessionCount int     `json:"session_count"`
	CreatedAt    float64 `json:"created_at"`
}

// Workspace is one workspace whole.
type Workspace struct {
	ID              string            `json:"id"`
	Mode            string            `json:"mode"`
	CreatedAt       float64           `json:"created_at"`
	FuseMountpoints map[string]string `json:"fuse_mountpoints"`
	Sessions        []Session         `json:"sessions"`
	Mounts          []Mount           `json:"mounts"`
	Internals       *Internals        `json:"internals"`
}

// Mount is a mount of a workspace.
type Mount struct {
	Prefix      string `json:"prefix"`
	VFS         string `json:"vfs"`
	Mode        string `json:"mode"`
	Description string `json:"description"`
}

// Internals is what ?verbose=true adds to a workspace. A nil figure is not
// tracked.
type Internals struct {
	CacheBytes    *int64 `json:"cache_bytes"`
	CacheEntries  *int64 `json:"cache_entries"`
	HistoryLength int    `json:"history_length"`
	InFlightJobs  int    `json:"in_flight_jobs"`
}

// Closed is the answer of a delete or close of a workspace.
type Closed struct {
	ID       string  `json:"id"`
	ClosedAt float64 `json:"closed_at"`
}

// CreateSession is the body of POST .../sessions. Mounts narrows mounts,
// prefix to mode.
type CreateSession struct {
	SessionID string `json:"session_id,omitempty"`
	Profile   string `json:"profile,omitempty"`
	// Mounts is a map of prefix to mode, which narrows mounts, or a list of
	// prefixes, the only mounts that the session may use.
	Mounts any `json:"mounts,omitempty"`
	// Permissions is a profile document that tightens the profile.
	Permissions json.RawMessage `json:"permissions,omitempty"`
}

// SetProfile is the body of PATCH .../sessions/{id}; null is the default
// profile of the workspace.
type SetProfile struct {
	Profile *string `json:"profile"`
}

// Session names a session and its working directory.
type Session struct {
	SessionID string `json:"session_id"`
	Cwd       string `json:"cwd"`
}

// ShellRequest is the body of POST .../shell. With Cwd or Env the line runs
// in a clone of the session. Record is true when absent.
type ShellRequest struct {
	Command string            `json:"command"`
	AgentID string            `json:"agent_id,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Runtime string            `json:"runtime,omitempty"`
	Record  *bool             `json:"record,omitempty"`
	// AskWaitMS is how long the line waits for the answer to a question before
	// it is refused, in milliseconds; nil = as long as the server says.
	AskWaitMS *int64 `json:"ask_wait_ms,omitempty"`
}

// ShellResult is how a line ended. Stdout and Stderr replace bytes that are
// not UTF-8; the base64 fields then hold the exact bytes.
type ShellResult struct {
	Kind         string   `json:"kind"`
	ExitCode     int      `json:"exit_code"`
	Stdout       string   `json:"stdout"`
	Stderr       string   `json:"stderr"`
	StdoutBase64 []byte   `json:"stdout_base64,omitempty"`
	StderrBase64 []byte   `json:"stderr_base64,omitempty"`
	Refusal      *Refusal `json:"refusal"`
	Truncated    bool     `json:"truncated,omitempty"`
	TimedOut     bool     `json:"timed_out,omitempty"`
}

// Refusal is the record of a rule's refusal.
type Refusal struct {
	Kind   string  `json:"kind"`
	Reason string  `json:"reason"`
	Policy string  `json:"policy"`
	Scope  string  `json:"scope"`
	AskID  *string `json:"ask_id"`
}

// Accepted is the answer to a line sent with ?background=true.
type Accepted struct {
	JobID       string  `json:"job_id"`
	WorkspaceID string  `json:"workspace_id"`
	SubmittedAt float64 `json:"submitted_at"`
}

// Record is one line of a streamed shell answer: output while Status is
// empty, else the last line.
type Record struct {
	Stream string       `json:"stream,omitempty"` // stdout or stderr
	Data   []byte       `json:"data,omitempty"`
	Status string       `json:"status,omitempty"` // done, failed or canceled
	Result *ShellResult `json:"result,omitempty"`
	Error  *string      `json:"error,omitempty"`
}

// Job is a job. Result and Error are absent from listings.
type Job struct {
	JobID           string       `json:"job_id"`
	WorkspaceID     string       `json:"workspace_id"`
	SessionID       string       `json:"session_id"`
	Command         string       `json:"command"`
	Status          string       `json:"status"`
	Revision        int          `json:"revision"`
	CancelRequested bool         `json:"cancel_requested"`
	SubmittedAt     float64      `json:"submitted_at"`
	StartedAt       *float64     `json:"started_at"`
	FinishedAt      *float64     `json:"finished_at"`
	Result          *ShellResult `json:"result,omitempty"`
	Error           *string      `json:"error,omitempty"`
}

// Settled reports whether the job has ended.
func (j Job) Settled() bool { return j.FinishedAt != nil }

// JobWait is the body of POST /v1/jobs/{id}/wait; nil waits without limit.
type JobWait struct {
	TimeoutS *float64 `json:"timeout_s,omitempty"`
}

// JobCanceled is the answer to DELETE /v1/jobs/{id}.
type JobCanceled struct {
	JobID    string `json:"job_id"`
	Canceled bool   `json:"canceled"`
}

// Canceled counts the lines that a cancel ended.
type Canceled struct {
	Canceled int `json:"canceled"`
}

// Killed counts the background jobs that a kill ended.
type Killed struct {
	Killed int `json:"killed"`
}

// FileStat is what the stat call says of a file. Times are ISO 8601.
type FileStat struct {
	Name        string         `json:"name"`
	Size        *int64         `json:"size"`
	Modified    *string        `json:"modified"`
	Fingerprint *string        `json:"fingerprint"`
	Revision    *string        `json:"revision"`
	Type        string         `json:"type"` // file, directory, symlink or char_device
	Mode        *int           `json:"mode"`
	UID         *int           `json:"uid"`
	GID         *int           `json:"gid"`
	Atime       *string        `json:"atime"`
	Ctime       *string        `json:"ctime"`
	Birthtime   *string        `json:"birthtime"`
	Extra       map[string]any `json:"extra"`
}

// Error is a failed call: the HTTP status and the body that came with it.
type Error struct {
	Status  int      `json:"-"`
	Detail  string   `json:"detail"`
	Errno   string   `json:"errno,omitempty"` // VFS calls: "ENOENT"
	Code    string   `json:"code,omitempty"`  // stable name of the failure
	Refusal *Refusal `json:"refusal,omitempty"`
}

func (e *Error) Error() string { return e.Detail }

// Text turns bytes into JSON text. Bytes that are not UTF-8 are replaced, one
// U+FFFD each, and exact is then the bytes themselves.
func Text(b []byte) (s string, exact []byte) {
	if utf8.Valid(b) {
		return string(b), nil
	}
	// Map writes U+FFFD for each byte that is not UTF-8.
	return strings.Map(func(r rune) rune { return r }, string(b)), b
}
