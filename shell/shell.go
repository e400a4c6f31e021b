// Package shell is the bash-like shell of a session: a parser front over
// mvdan.cc/sh/v3/syntax, and an expansion, an executor, builtins and jobs of
// its own. Nothing here starts a process or names a host path.
//
// Every command passes through one door, (*Executor).spawn; every file through
// the vfs.View of the configuration.
package shell

import (
	"context"
	"io"
	"time"

	"mirage/internal/budget"
	"mirage/policy"
	"mirage/shell/program"
	"mirage/vfs"
)

// Config is what a session gives its shell. It does not change.
type Config struct {
	View     *vfs.View
	Programs map[string]*program.Program
	Judge    policy.Judge
	Limits   Limits
	// Memory is what the session's memory is taken from, beside the first
	// 4 MiB, which every session has; nil for no bound but its own.
	Memory   *budget.Budget
	User     string
	Hostname string
	Now      func() time.Time // nil = time.Now
	// Environ seeds the exported variables of a new shell, NAME=value.
	Environ []string
	Dir     string // starting directory, "/" when empty
	// History answers the recorded lines of the session, oldest first, for
	// the history builtin; nil = none.
	History func() []string
	// Limit answers the limit of a command that is about to run; nil = none
	// has any. Functions have none of their own: what they run has.
	Limit func(c policy.Command) policy.Limit
	// Processes answers what the session may do with processes; nil =
	// everything.
	Processes func() policy.Processes
	// Measure runs what a goroutine of the session's shells and programs does;
	// nil = as it is.
	Measure func(f func())
	// Panicked is told of a panic that the shell recovered from; nil = nobody.
	// It may be called from any goroutine.
	Panicked func(v any, stack []byte)
}

// Limits are a session's budgets; a zero field takes the default.
type Limits struct {
	Source      int64 // bytes of one source text; 4 MiB
	Nesting     int   // of the syntax; 1,000
	Depth       int   // function calls, eval, source, $( ); 1,000
	Memory      int64 // bytes that its shells and programs hold; 256 MiB
	Words       int   // of one brace expansion; 100,000
	Jobs        int   // 256
	Processes   int   // shells, subshells and programs at one time; 1,024
	Descriptors int   // 1,024
}

// Input is an io.Reader that a line reads as far as its commands ask and no
// further, so that what they leave is there for whoever reads next. Of other
// readers a line may take more than it needs.
type Input interface {
	io.Reader
	// ReadContext is Read that returns soon after ctx ends.
	ReadContext(ctx context.Context, p []byte) (int, error)
	// Unread gives bytes back that were read too far.
	Unread(p []byte)
	// Ready reports whether a read would answer at once.
	Ready() bool
}

// Line is one piece of source text to run in a session.
type Line struct {
	Source string
	Stdin  io.Reader // nil = empty; see Input
	Stdout io.Writer
	Stderr io.Writer
	// Terminal is set when the line runs on a pty.
	Terminal *Terminal
	// Interactive lines come from a prompt: job notices, no `mirage:` text.
	Interactive bool
	// Dir and Env, when set, make the line run in a clone of the session:
	// nothing of it stays.
	Dir string
	Env map[string]string
	// Judge and View, when set, are those of the configuration for this line
	// and for the background jobs that it starts.
	Judge LineJudge
	View  *vfs.View
}

// LineJudge is the judge of one line, which may answer a command by what it
// has answered of the line before. Its methods are called from any goroutine
// of the line and of its background jobs.
type LineJudge interface {
	policy.Judge
	// Begin is called when the walk over the line has refused nothing, before
	// its first command runs: from here on Command is asked at the door.
	Begin()
	// Hold is called before a background job starts that may outlive the line;
	// release is called once, at the job's end. Both happen also for jobs that
	// jobs start.
	Hold() (release func())
}

// Terminal is the pty that a line runs on. Size may be called at any time.
type Terminal struct {
	Name string // TERM
	Size func() (cols, rows int)
}

// Result is how a line ended.
type Result struct {
	Status  int
	Refusal *policy.Refusal // set when a rule refused the line or a command of it
	// Signal names the signal that ended the shell itself (`kill -TERM $$`),
	// without "SIG"; "" otherwise.
	Signal string
	// Exited tells that the line ran `exit`: an interactive front end ends.
	Exited bool
	// Aborted tells that an error ended the line that would end a script:
	// set -e, an unset variable under set -u, ${x:?}.
	Aborted bool
	// ExitTrap tells that a trap on EXIT is set and waits for `exit`.
	ExitTrap bool
	// Limited tells that the output of a command was cut, or withheld, by its
	// limit; TimedOut that a command ran longer than its own.
	Limited, TimedOut bool
}

// State is everything of a shell that outlives it, ready for encoding/json.
// Functions travel as printed source.
type State struct {
	Dir       string              `json:"dir"`
	OldDir    string              `json:"old_dir,omitempty"`
	Vars      map[string]Variable `json:"vars,omitempty"`
	Functions map[string]string   `json:"functions,omitempty"`
	Exported  []string            `json:"exported,omitempty"` // functions of export -f
	Aliases   map[string]string   `json:"aliases,omitempty"`
	Options   map[string]bool     `json:"options,omitempty"` // set -o
	Shopts    map[string]bool     `json:"shopts,omitempty"`
	Traps     map[string]string   `json:"traps,omitempty"`
	Params    []string            `json:"params,omitempty"` // $1...
	DirStack  []string            `json:"dir_stack,omitempty"`
	Umask     uint32              `json:"umask"`
	Status    int                 `json:"status"` // $?
}

// Variable is a saved shell variable.
type Variable struct {
	Value string            `json:"value,omitempty"`
	Set   bool              `json:"set"`
	Array map[int]string    `json:"array,omitempty"`
	Assoc map[string]string `json:"assoc,omitempty"`
	Keys  []string          `json:"keys,omitempty"`  // of Assoc, in order
	Kind  string            `json:"kind,omitempty"`  // "", indexed, associative
	Flags string            `json:"flags,omitempty"` // of declare: x r i l u n t
}
