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

	"mirage/policy"
	"mirage/shell/program"
	"mirage/vfs"
)

// Config is what a session gives its shell. It does not change during a line;
// Shell.Reconfigure swaps it whole between lines.
type Config struct {
	View     *vfs.View
	Programs map[string]*program.Program
	Judge    policy.Judge
	Limits   Limits
	User     string
	Hostname string
	Now      func() time.Time // nil = time.Now
	// Environ seeds the exported variables of a new shell, NAME=value.
	Environ []string
	Dir     string // starting directory, "/" when empty
}

// Limits are a session's budgets; a zero field takes the default.
type Limits struct {
	Source      int64 // bytes of one source text; 4 MiB
	Nesting     int   // of the syntax; 1,000
	Depth       int   // function calls, eval, source, $( ); 1,000
	Memory      int64 // bytes in variables and expansions; 256 MiB
	Words       int   // of one brace expansion; 100,000
	Jobs        int   // 256
	Descriptors int   // 1,024
}

// Line is one piece of source text to run in a session.
type Line struct {
	Source string
	Stdin  io.Reader // nil = empty
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
}

// Shell is one session's shell: variables, functions, options, working
// directory, jobs. One line runs at a time; Run calls must not overlap.
// Background jobs go on between lines until Close.
type Shell struct{}

// New makes a shell with the environment of its configuration.
func New(cfg Config) *Shell { return &Shell{} }

// Restore makes a shell from a saved state.
func Restore(cfg Config, st State) (*Shell, error) { return &Shell{}, nil }

// Run parses and runs one line. It returns within 50 ms of ctx's end with
// status 130, whatever the line does. A panic inside ends the line with
// status 1 and a message, never the process.
func (s *Shell) Run(ctx context.Context, l Line) Result { return Result{Status: 127} }

// Incomplete reports whether source is the beginning of an unfinished
// construct (an open quote, `if` without `fi`, a here-document), for PS2.
func (s *Shell) Incomplete(source string) bool { return false }

// Complete answers the completions of the word that ends source: the byte
// offset where the word starts, and the candidates.
func (s *Shell) Complete(ctx context.Context, source string) (start int, words []string) {
	return len(source), nil
}

// State answers what must survive a restart. It must not overlap Run.
func (s *Shell) State() State { return State{} }

// Dir is the working directory.
func (s *Shell) Dir() string { return "/" }

// Getenv answers a variable, exported or not, for front ends (PS1, TERM).
func (s *Shell) Getenv(name string) string { return "" }

// Reconfigure swaps the configuration; variables, functions and directory
// stay.
func (s *Shell) Reconfigure(cfg Config) {}

// Jobs answers how many background jobs run.
func (s *Shell) Jobs() int { return 0 }

// KillJobs kills the background jobs and waits for their end; it answers how
// many there were.
func (s *Shell) KillJobs() int { return 0 }

// Close kills the jobs and frees the shell.
func (s *Shell) Close() error { return nil }

// State is everything of a shell that outlives it, ready for encoding/json.
// Functions travel as printed source.
type State struct {
	Dir       string              `json:"dir"`
	OldDir    string              `json:"old_dir,omitempty"`
	Vars      map[string]Variable `json:"vars,omitempty"`
	Functions map[string]string   `json:"functions,omitempty"`
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
