package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"mirage/policy"
	"mirage/vfs"
)

// Ask is a question that a rule put to the people who run the workspace, and
// their answer. It does not change.
type Ask struct {
	// ID names the question while it is pending: the first 12 hex digits of
	// its digest. A command that asks again after an answer has the same id.
	ID        string
	Workspace string
	Session   string
	Agent     string // who sent the line, "" when nobody said
	// Command is the command as a shell would read it, Argv its words, name
	// first. Of a file that no command uses, Command and Cwd are empty and
	// Argv is the path.
	Command string
	Argv    []string
	Cwd     string
	Paths   []string // absolute; those that the rule is about, or that the command names
	Rule    string   // see policy.Question
	Reason  string
	Policy  string
	// Outcome is "" while pending, then AnswerAllow or AnswerDeny; Scope is
	// then what the answer covers.
	Outcome  string
	Scope    string
	Note     string
	Created  time.Time
	Answered time.Time // zero = not yet
	// Spent tells that the answer was to one run, which has been.
	Spent bool
}

// The outcomes and scopes of an answer.
const (
	AnswerAllow  = "allow"
	AnswerDeny   = "deny"
	ScopeOnce    = "once"
	ScopeSession = "session"
)

// Answer is what a person says to an Ask.
type Answer struct {
	Outcome string // AnswerAllow or AnswerDeny
	// Scope is ScopeOnce for one run of the very command, ScopeSession for
	// every command of the session that the rule asks about; "" = once.
	Scope string
	Note  string // for the record
}

// What the questions of a workspace may grow to.
const (
	maxAsks        = 10_000
	maxAskBytes    = 32 << 20
	maxSessionAsks = 1000 // pending ones of one session
	maxAskWords    = 16 << 10
	maxNote        = 4 << 10
)

// Asks lists the questions of a workspace, oldest first: the pending ones, or
// with all those too that have been answered. session narrows it when not "".
func (w *Workspace) Asks(session string, all bool) ([]Ask, error) {
	if session != "" {
		w.mu.Lock()
		known := w.sessions[session] != nil
		w.mu.Unlock()
		if !known {
			return nil, sessionNotFound()
		}
	}
	return w.asks.list(session, all), nil
}

// AnswerAsk answers a pending question; the answer is on disk when it returns.
func (w *Workspace) AnswerAsk(ctx context.Context, id string, a Answer) (Ask, error) {
	if a.Scope == "" {
		a.Scope = ScopeOnce
	}
	switch {
	case a.Outcome != AnswerAllow && a.Outcome != AnswerDeny:
		return Ask{}, errorf(Invalid, "bad_answer", "answer must be allow or deny, got '%s'", a.Outcome)
	case a.Scope != ScopeOnce && a.Scope != ScopeSession:
		return Ask{}, errorf(Invalid, "bad_scope", "scope must be once or session, got '%s'", a.Scope)
	case a.Outcome == AnswerDeny && a.Scope == ScopeSession:
		return Ask{}, errorf(Refused, "bad_scope", "a deny answers once; asking again raises a new record")
	case len(a.Note) > maxNote:
		return Ask{}, errorf(Invalid, "note_too_long", "note of %d bytes is too long", len(a.Note))
	}
	ask, err := w.asks.answer(ctx, id, a)
	if err == nil {
		w.m.noteAnswer(ctx, ask)
	}
	return ask, err
}

// question is what somebody needs an answer to.
type question struct {
	policy.Question
	s       *Session
	agent   string
	command string
	words   []string
	cwd     string
	paths   []string
}

// match says which answers fit a question: those to the same rule, asked by
// the same session about the same words in the same directory.
type match struct {
	digest string // of session, directory and words; all of it, in hex
	rule   string
}

func (q *question) match() match {
	h := sha256.New()
	for _, part := range append([]string{q.s.id, q.cwd}, q.words...) {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return match{hex.EncodeToString(h.Sum(nil)), q.Rule}
}

// askDigits is how many digits of the digest are an id.
const askDigits = 12

// questions answers what a policy wants to be asked. A policy of code, which
// names no rule, has one question, about the program: what is allowed for the
// session is that program then, or without one the same question.
func questions(a policy.Answer, program string) []policy.Question {
	if len(a.Asks) > 0 {
		return a.Asks
	}
	rule := "program\x00" + a.Policy + "\x00" + program
	if program == "" {
		rule = "reason\x00" + a.Policy + "\x00" + a.Reason
	}
	return []policy.Question{{Rule: rule, Reason: a.Reason, Source: a.Source, Policy: a.Policy, Scope: a.Scope, Operand: a.Operand}}
}

// callerName is the program that uses a file, "" for a front end itself.
func callerName(a vfs.Access) string {
	if c, ok := a.Caller.(*policy.Command); ok && len(c.Argv) > 0 {
		return c.Argv[0]
	}
	return ""
}

// commandText writes words so that a shell would read them back.
func commandText(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") != "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

func (a *Ask) clone() Ask {
	c := *a
	c.Argv, c.Paths = slices.Clone(a.Argv), slices.Clone(a.Paths)
	return c
}
