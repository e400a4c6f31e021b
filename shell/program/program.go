// Package program is the contract between the shell and the Unix commands:
// what a command is, and everything that one run of it can touch.
package program

import (
	"context"
	"io"
	"strconv"
	"time"

	"mirage/internal/budget"
	"mirage/vfs"
)

// Program is one Unix command.
type Program struct {
	Name     string // as typed: "grep"
	Synopsis string // usage line without the name: "[OPTION]... PATTERN [FILE]..."
	Summary  string // one sentence, as in GNU's --help
	// Options describes the command line for man and completion.
	Options []Option
	// Run does the work and answers the exit status, 0 to 255. It returns
	// soon after ctx ends; whatever it answers then is ignored. It may start
	// goroutines but not leave them behind.
	Run func(ctx context.Context, inv *Invocation) int
}

// Argument tells whether an option takes an argument.
type Argument int

// The kinds of option argument.
const (
	NoArgument Argument = iota
	RequiredArgument
	OptionalArgument
)

// Option is one option of a program.
type Option struct {
	Short string // one byte, "" when there is no short form
	Long  string // "" when there is no long form
	// Name is what the program knows the option by; "" means Short, or Long
	// where there is no Short. Two rows of one Name are synonyms.
	Name string
	Arg  Argument
	Meta string // what the help calls the argument
	Help string
	// Hidden keeps the row out of the help.
	Hidden bool
}

// Key is what the program knows the option by.
func (o Option) Key() string {
	switch {
	case o.Name != "":
		return o.Name
	case o.Short != "":
		return o.Short
	}
	return o.Long
}

// Invocation is one run of a program. Files, streams and children are reached
// through it and in no other way.
type Invocation struct {
	Name  string   // argv[0] as messages show it, without directories
	Args  []string // argv[1:]
	Dir   string   // working directory, absolute, links not resolved
	Env   []string // exported variables as NAME=value, in a stable order
	Umask uint32

	Stdin  io.Reader // never nil; a closed descriptor reads as EBADF
	Stdout io.Writer // never nil; a reader that is gone answers EPIPE
	Stderr io.Writer

	// FS is the session's tree, already bound to this command line.
	FS *vfs.View

	// FD answers what descriptor n is, for /dev/fd/n, /dev/stdin and the
	// like; ok is false when it is closed.
	FD func(n int) (rw Descriptor, ok bool)

	// Spawn runs a child through the shell's door: the policy judges it and
	// PATH finds it. Only programs are found, never functions or builtins
	// that change the shell. The status is the child's. The error tells
	// why nothing was started (ENOENT, EACCES, ENOEXEC); no message has
	// been written then. A command that the rules refuse has been reported
	// and counts as one that ran.
	//
	// The child ends soon after ctx does. A Signal as the cause of ctx's end
	// (context.WithCancelCause) is the signal that kills it.
	Spawn func(ctx context.Context, c Child) (status int, err error)

	// Terminal tells whether descriptor n is a terminal and its size.
	Terminal func(n int) (cols, rows int, ok bool)

	// Processes is the session's process table, as ps and kill see it.
	Processes Processes

	User     string // name that whoami and ls -l show
	Hostname string
	Now      func() time.Time
	// Location is the zone of TZ, UTC when unset.
	Location *time.Location
	// Memory is what the program takes the bytes from that it holds at once
	// beyond fixed buffers, see Meter; nil for any number. It is shared with
	// all that the session runs, and what a program took is given back at its
	// end. Going over is an error, never a dead server.
	Memory *budget.Budget
}

// Meter counts what one thing takes of the program's memory: a buffer, a list.
func (inv *Invocation) Meter() budget.Meter { return inv.Memory.Meter() }

// Descriptor is an open file of the shell's descriptor table.
type Descriptor interface {
	io.ReadWriter
}

// Child is a program to run from within a program. A nil stream or Dir or Env
// is the parent's.
type Child struct {
	Args   []string // argv, [0] is looked up
	Dir    string
	Env    []string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// Signal is the number of a signal; as an error it is the cause for which a
// context was cancelled.
type Signal int

// Error names the signal.
func (s Signal) Error() string { return "killed by signal " + strconv.Itoa(int(s)) }

// Processes is the view that programs have of a session's process table.
type Processes interface {
	List() []Process
	// Signal delivers a signal; ESRCH when there is no such process.
	Signal(pid int, signal int) error
}

// Process is one row of the process table.
type Process struct {
	PID, PPID int
	Group     int
	Command   string
	State     string // R, S, T or Z
	Started   time.Time
	Terminal  string
}
