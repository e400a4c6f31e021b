package workspace

import (
	"errors"
	"fmt"
)

// Kind is the class of an Error; each front end maps it to its own codes.
type Kind string

// The classes of errors.
const (
	NotFound Kind = "not_found" // workspace, session, job
	Conflict Kind = "conflict"  // taken ids, busy workspaces
	Invalid  Kind = "invalid"   // bad config, ids, arguments
	Refused  Kind = "refused"   // well-formed but not acceptable: unknown profile, bad mode (HTTP 422)
	Limited  Kind = "limited"   // a budget is used up: later it may work (HTTP 429)
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

// kindOf answers the kind of an error, "" when it is none of ours.
func kindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func errorf(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Detail: fmt.Sprintf(format, args...)}
}

func workspaceNotFound() *Error {
	return errorf(NotFound, "workspace_not_found", "workspace not found")
}

func workspaceExists(id string) *Error {
	return errorf(Conflict, "workspace_exists", "workspace id already exists: '%s'", id)
}

func sessionNotFound() *Error {
	return errorf(NotFound, "session_not_found", "session not found")
}

func jobNotFound() *Error { return errorf(NotFound, "job_not_found", "job not found") }

func configInvalid(err error) *Error {
	return &Error{Kind: Invalid, Code: "config_invalid", Detail: err.Error(), Err: err}
}

func unknownProfile(name string) *Error {
	return errorf(Refused, "unknown_profile", "unknown profile '%s'", name)
}

// storeFailed wraps a failure of the state store.
func storeFailed(err error) *Error {
	return &Error{Kind: Failed, Code: "state_failed", Detail: "state: " + err.Error(), Err: err}
}

// canceledError wraps the end of a caller's context.
func canceledError(err error) *Error {
	return &Error{Kind: Canceled, Code: "canceled", Detail: err.Error(), Err: err}
}
