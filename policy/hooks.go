package policy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Hooks is a coded policy: functions that are asked after the rules of a
// profile have allowed something, or would have it asked about. A nil function
// has no opinion. They are called from many goroutines at once, must return
// soon after ctx ends, and see names and words that a login chose. One that
// panics refuses.
type Hooks struct {
	// Name is the policy of refusals and questions: "ScriptPolicy".
	Name string
	// ID changes whenever the policy does, so that no answer of a person
	// outlives an edit.
	ID string

	PreExecute func(ctx context.Context, c *LineCall) Verdict    // before a line: Deny
	PreCommand func(ctx context.Context, c *CommandCall) Verdict // before a command: Deny, Ask
	PreVFS     func(ctx context.Context, c *FileCall) Verdict    // before a call on files: Deny, Ask
	PreSession func(ctx context.Context, c *WriteCall) Verdict   // before a variable changes: Deny
}

// Verdict is what a coded policy says. Allow is no opinion: what the rules say
// holds.
type Verdict struct {
	Outcome Outcome // Allow, Deny or Ask
	Reason  string  // one line
}

// Files is what a coded policy may read: the workspace under the rules of the
// session it is asked about.
type Files interface {
	// ReadFile answers a whole file of at most 1 MiB; EFBIG for a larger one.
	ReadFile(ctx context.Context, path string) ([]byte, error)
	Stat(ctx context.Context, path string) (size int64, dir bool, err error)
	// ReadDir answers the names in a directory.
	ReadDir(ctx context.Context, path string) ([]string, error)
}

// SessionFacts say whose session it is. Agent and Cwd are of commands only.
type SessionFacts struct {
	ID    string `json:"id"`
	Agent string `json:"agent"`
	Cwd   string `json:"cwd"`
}

// LineCall is a line that is about to run.
type LineCall struct {
	Profile string       `json:"profile"`
	Line    string       `json:"line"`
	Session SessionFacts `json:"session"`
	Mounts  []string     `json:"mounts"`
	Files   Files        `json:"-"`
}

// CommandCall is a command that is about to run.
type CommandCall struct {
	Profile string       `json:"profile"`
	Command CommandFacts `json:"command"`
	Session SessionFacts `json:"session"`
	Mounts  []string     `json:"mounts"`
	Files   Files        `json:"-"`
}

// CommandFacts describe a command, its words expanded.
type CommandFacts struct {
	Name     string   `json:"name"`     // as typed
	Argv     []string `json:"argv"`     // the words after the name
	Tokens   []string `json:"tokens"`   // all words
	Program  []string `json:"program"`  // the name without its directory
	Paths    []string `json:"paths"`    // absolute, of what it may touch
	Operands []string `json:"operands"` // the words that paths came from, where it is known which are
	Tool     string   `json:"tool"`     // program, builtin, function or file
	Walks    bool     `json:"walks"`    // it visits whole trees
}

// FileCall is a call on a file that is about to happen.
type FileCall struct {
	Profile string       `json:"profile"`
	Op      FileFacts    `json:"op"`
	Session SessionFacts `json:"session"`
	Mounts  []string     `json:"mounts"`
	Files   Files        `json:"-"`
}

// FileFacts describe a call on a file.
type FileFacts struct {
	Name   string `json:"name"`   // a vfs.Op: read, write, create, ...
	Path   string `json:"path"`   // absolute, without links
	Write  bool   `json:"write"`  // it changes something
	Prefix string `json:"prefix"` // of the mount
}

// WriteCall is a variable that is about to change.
type WriteCall struct {
	Profile string       `json:"profile"`
	Write   WriteFacts   `json:"write"`
	Session SessionFacts `json:"session"`
	Mounts  []string     `json:"mounts"`
	Files   Files        `json:"-"`
}

// WriteFacts describe the change of a variable. Value is nil when Verb is
// unset.
type WriteFacts struct {
	Plane string  `json:"plane"` // env
	Verb  string  `json:"verb"`  // set or unset
	Key   string  `json:"key"`
	Value *string `json:"value"`
}

// WriteJudge is a Judge that is asked before a variable changes; value is nil
// when it is unset.
type WriteJudge interface {
	Write(ctx context.Context, name string, value *string) Answer
}

// Facts describes a command for hooks.
func Facts(c Command) CommandFacts {
	name, _ := programName(&c)
	f := CommandFacts{
		Name: c.Argv[0], Argv: c.Argv[1:], Tokens: c.Argv, Program: []string{name}, Paths: MayTouch(c), Operands: []string{}, Walks: walks(name, &c),
		Tool: [...]string{KindProgram: "program", KindBuiltin: "builtin", KindFunction: "function", KindPath: "file"}[c.Kind],
	}
	subs, _ := subjects(name, &c)
	for _, s := range subs {
		f.Operands = append(f.Operands, s.word)
	}
	if f.Paths == nil {
		f.Paths = []string{}
	}
	return f
}

// AskHooks puts a call to coded policies, in their order. The first denial
// wins, and any denial wins over all questions; those are all raised. program
// is what an answer for the session covers; ask is false where nobody can be
// asked, which makes a question a denial.
func AskHooks[C any](ctx context.Context, list []Hooks, pick func(*Hooks) func(context.Context, C) Verdict, call func() C, program string, ask bool) Answer {
	var asked Answer
	var made C
	begun := false
	for i := range list {
		h := &list[i]
		hook := pick(h)
		if hook == nil {
			continue
		}
		if !begun {
			made, begun = call(), true
		}
		v, failed := h.call(func() Verdict { return hook(ctx, made) })
		a := Answer{Outcome: v.Outcome, Reason: v.Reason, Policy: h.Name, Failed: failed}
		switch {
		case v.Outcome == Allow:
			continue
		case v.Outcome == Ask && ask:
			a.Asks = []Question{{Rule: h.rule(program), Reason: v.Reason, Policy: h.Name}}
			asked = stricter(asked, a)
		default:
			a.Outcome = Deny
			return a
		}
	}
	return asked
}

// rule identifies the questions of a policy about a program.
func (h *Hooks) rule(program string) string {
	sum := sha256.Sum256([]byte(h.Name + "\x00" + h.ID + "\x00" + program))
	return hex.EncodeToString(sum[:16])
}

// call calls a hook; one that panics or answers nonsense refuses.
func (h *Hooks) call(f func() Verdict) (v Verdict, failed bool) {
	defer func() {
		if p := recover(); p != nil {
			v, failed = Verdict{Outcome: Deny, Reason: fmt.Sprintf("policy %s failed", h.Name)}, true
		}
	}()
	switch v = f(); v.Outcome {
	case Allow:
	case Deny, Ask:
		if v.Reason == "" {
			v.Reason = DefaultReason
			if v.Outcome == Ask {
				v.Reason = DefaultAskReason
			}
		}
	default:
		return Verdict{Outcome: Deny, Reason: fmt.Sprintf("policy %s failed", h.Name)}, true
	}
	return v, false
}

// With adds what coded policies say to what the rules say.
func (a Answer) With(coded Answer) Answer { return stricter(a, coded) }
