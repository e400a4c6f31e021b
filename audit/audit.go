// Package audit keeps the operator's log of what logins did: logins, lines,
// file changes, refusals, asks and their answers, administrative acts.
//
// The log is a folder of JSON Lines files that are only ever appended to. Each
// record carries a sequence number, the hash of the record before it and its
// own, so that an edit, a deletion, a reordering or a missing file shows; see
// Verify. Secrets are taken out before anything is written; see Redact.
//
// Recording never waits for the disk: a Log queues, one goroutine writes, and
// syncs in groups. See Log.Record for what happens when the queue is full.
package audit

import (
	"context"
	"maps"
	"time"
)

// Kind is what a record is about.
type Kind string

// The kinds of records. The last five are the log's own.
const (
	Login     Kind = "login"      // an authentication, accepted or refused
	Session   Kind = "session"    // a session of a login opened or closed
	LineStart Kind = "line_start" // a shell line begins
	LineEnd   Kind = "line_end"   // and ends, with its status
	File      Kind = "file"       // a file was changed, or could not be
	Refusal   Kind = "refusal"    // a rule said no
	Ask       Kind = "ask"        // a rule wants a person to say yes
	Answer    Kind = "answer"     // and what the person said
	Admin     Kind = "admin"      // a workspace, session, key, token or setting was made or changed

	Started   Kind = "started"   // a server began to write
	Stopped   Kind = "stopped"   // and ended in peace
	Dropped   Kind = "dropped"   // events were lost: Detail counts them by kind
	Recovered Kind = "recovered" // the end of the log was found damaged: Detail says how
	Pruned    Kind = "pruned"    // old files were deleted: Through is the last record in them
)

// Kinds lists every kind.
func Kinds() []Kind {
	return []Kind{Login, Session, LineStart, LineEnd, File, Refusal, Ask, Answer, Admin, Started, Stopped, Dropped, Recovered, Pruned}
}

// waits reports whether an event of this kind waits for room in a full queue.
// Lines and file changes are many and can be made at will; who came, what was
// refused and what was decided must not be pushed out by them.
func (k Kind) waits() bool { return k != LineStart && k != LineEnd && k != File }

// The outcomes of what a record tells of.
const (
	OK      = "ok"
	Refused = "refused" // by a rule, or at the door
	Hidden  = "hidden"  // answered as missing, because a rule hides it
	Failed  = "failed"  // allowed, but it did not work
)

// Origin is where an event comes from. Front ends put it into the context of
// what they do for a client (With); all of it may be empty.
type Origin struct {
	Account string `json:"account,omitempty"`
	Key     string `json:"key,omitempty"`    // fingerprint of the SSH key, SHA256:...
	Remote  string `json:"remote,omitempty"` // address of the client
	Door    string `json:"door,omitempty"`   // ssh, sftp, http or cli

	Workspace string `json:"workspace,omitempty"`
	Session   string `json:"session,omitempty"`
	Job       string `json:"job,omitempty"`
}

type originKey struct{}

// With adds an origin to a context. Empty fields keep what is there.
func With(ctx context.Context, o Origin) context.Context {
	o.fill(OriginOf(ctx))
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf answers the origin of a context.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}

// fill takes the fields that are empty from another origin.
func (o *Origin) fill(from Origin) {
	for _, f := range []struct{ to, from *string }{
		{&o.Account, &from.Account}, {&o.Key, &from.Key}, {&o.Remote, &from.Remote}, {&o.Door, &from.Door},
		{&o.Workspace, &from.Workspace}, {&o.Session, &from.Session}, {&o.Job, &from.Job},
	} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
}

// Event is what happened. Which fields are set depends on the kind; docs/audit.md
// has the table.
type Event struct {
	Kind Kind `json:"kind"`
	Origin

	Action  string `json:"action,omitempty"` // create, rename, workspace.delete, ...
	Line    string `json:"line,omitempty"`
	Path    string `json:"path,omitempty"`
	Other   string `json:"other,omitempty"` // second path of a rename or link
	Outcome string `json:"outcome,omitempty"`

	Rule    string `json:"rule,omitempty"`
	Source  string `json:"source,omitempty"`
	Policy  string `json:"policy,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Operand string `json:"operand,omitempty"`
	Ask     string `json:"ask,omitempty"` // id of the question

	Status   *int    `json:"status,omitempty"` // exit status of a line
	Signal   string  `json:"signal,omitempty"`
	Duration float64 `json:"duration_ms,omitempty"`
	Stdout   int64   `json:"stdout_bytes,omitempty"`
	Stderr   int64   `json:"stderr_bytes,omitempty"`

	Detail map[string]string `json:"detail,omitempty"`
}

// Sink takes events. It must be safe for concurrent use and quick.
type Sink interface {
	// Record notes an event. What the event leaves open of its Origin is
	// taken from ctx.
	Record(ctx context.Context, e Event)
}

// Milliseconds is a duration as records have it.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// Bounds of what one record holds; what is longer is cut, with a mark.
const (
	maxLineText = 32 << 10
	maxText     = 4 << 10
	cutMark     = "[cut]"
)

// clip bounds the texts of an event.
func (e *Event) clip() {
	clip(&e.Line, maxLineText)
	for _, f := range e.texts() {
		clip(f, maxText)
	}
	e.Detail = maps.Clone(e.Detail) // the caller's own
	for k, v := range e.Detail {
		clip(&v, maxText)
		e.Detail[k] = v
	}
}

// texts answers every text of an event that a client can have a say in, but for
// the line.
func (e *Event) texts() []*string {
	return []*string{&e.Path, &e.Other, &e.Reason, &e.Operand, &e.Rule, &e.Source, &e.Account, &e.Workspace, &e.Session, &e.Remote}
}

func clip(s *string, n int) {
	if len(*s) > n {
		*s = (*s)[:n] + cutMark
	}
}

// size is about what an event costs while it waits.
func (e *Event) size() int {
	n := 512 + len(e.Line)
	for _, f := range e.texts() {
		n += len(*f)
	}
	return n
}
