// Package policy decides what a session may do: pure functions over plain
// data. It knows no tree, no shell and no session; those ask it, and word its
// answers.
package policy

import "context"

// Outcome is a verdict.
type Outcome int

// The verdicts. Absent is what `commands.allow` gives to a word that it does
// not make a command at all: the shell answers "command not found", 127.
const (
	Allow Outcome = iota
	Deny
	Ask
	Absent
)

// Command is one command of a line, as the judge sees it: in the static walk
// before the line runs, where words that only expansion can tell are marked
// in Unknown, and at the door once expanded.
type Command struct {
	Argv    []string // Argv[0] is the command word
	Unknown []bool   // per word of Argv: not known before the line runs; nil = all known
	Cwd     string   // absolute; "" when not known before the line runs
	// Kind tells how the word resolves.
	Kind CommandKind
	// Place identifies where on the line the command stands: the same in
	// the walk before the line and at the door, for every turn of a loop
	// and every batch of xargs, and different for two spellings of one
	// command. "" where no line runs.
	Place string
}

// CommandKind tells how a command word resolves.
type CommandKind int

// The kinds of command. Functions and files run by path are exempt from
// `commands.allow`, since what they run is judged by itself.
const (
	KindProgram CommandKind = iota
	KindBuiltin
	KindFunction
	KindPath
)

// Scope says what a refusal covers.
type Scope string

// The scopes of a refusal.
const (
	ScopeCommand Scope = "command"
	ScopeOperand Scope = "operand"
)

// Answer is what the policy says of one command or file access. The zero
// Answer allows.
type Answer struct {
	Outcome Outcome
	Reason  string // for the refusal record; never printed on stderr
	Source  string // "top", "mounts./x", "commands.allow"; "" for built-in rules
	Policy  string // "PermissionsPolicy" for profile rules
	Scope   Scope
	Operand string // the operand as typed, when Scope is operand
	AskID   string // of the question that waits, when Outcome is Ask
	Failed  bool   // a policy could not tell; Outcome is Deny
	// Message is the whole text of a denial that does not speak in the
	// command's voice; its status is 1.
	Message string
	// Asks are the questions that must all be answered before the command
	// may run, in the order in which they are raised, when Outcome is Ask; of
	// a Deny, the one that was answered no.
	Asks []Question
}

// Question is what an ask rule, or a coded policy, wants a person to answer.
type Question struct {
	// Rule identifies what asks: it changes whenever the text of the rule
	// does, so that no answer outlives an edit.
	Rule    string
	Reason  string
	Source  string
	Policy  string
	Scope   Scope
	Operand string
}

// Refusal is the record of a refusal that travels with a result.
type Refusal struct {
	Kind   string  `json:"kind"` // deny, pending or failed
	Reason string  `json:"reason"`
	Policy string  `json:"policy"`
	Scope  Scope   `json:"scope"`
	AskID  *string `json:"ask_id"`
}

// Judge is the one judging function that the static walk, the shell's door
// and explain share.
type Judge interface {
	Command(ctx context.Context, c Command) Answer
	// Visible reports whether a command word exists for this session
	// (`commands.allow`): what is not visible is absent from PATH lookups,
	// type, which, /usr/bin and completion.
	Visible(word string) bool
	// VarHidden reports whether a variable reads as unset.
	VarHidden(name string) bool
}
