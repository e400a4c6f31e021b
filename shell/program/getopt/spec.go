// Package getopt reads a program's options as GNU getopt_long(3) does:
// operands and options in any order, bundled short options, abbreviated long
// ones, "--", and glibc's messages. It answers --help and --version by itself.
package getopt

import (
	"context"
	"fmt"
	"io"
	"strings"

	"mirage/internal/version"
	"mirage/shell/program"
)

// Option is one row of a program's table; see program.Option.
type Option = program.Option

// The kinds of option argument.
const (
	None     = program.NoArgument
	Required = program.RequiredArgument
	Optional = program.OptionalArgument
)

// Order says what an operand in front of an option means.
type Order int

const (
	// Permute takes options wherever they stand, as GNU tools do, unless
	// POSIXLY_CORRECT is set.
	Permute Order = iota
	// RequireOrder ends the options at the first operand, as env, timeout
	// and xargs do, so that a command's own options stay its own.
	RequireOrder
	// InOrder hands operands out between the options, in the order given,
	// as Opt values named "".
	InOrder
)

// Spec is what a program declares of its command line. The zero values are
// those of most of GNU coreutils.
type Spec struct {
	Name     string   // as typed: "cat"
	Synopsis []string // usage lines without the name, one for each form
	Summary  string   // one sentence, and further lines if need be
	Options  []Option
	// Epilog is printed by --help below the options.
	Epilog string
	Order  Order
	// Status is the exit status of a usage error; 0 means 1.
	Status int
	// Hint is the line below a usage error, with %s for the name; "" means
	// coreutils' "Try '%s --help' for more information.".
	Hint string
	// NoStandard turns --help and --version off, for a program that takes
	// them for something else.
	NoStandard bool
}

// Program makes the program that this command line and run describe.
func (s *Spec) Program(run func(context.Context, *program.Invocation) int) *program.Program {
	return &program.Program{
		Name:     s.Name,
		Synopsis: strings.Join(s.Synopsis, "\n"),
		Summary:  s.Summary,
		Options:  s.Options,
		Run:      run,
	}
}

func (s *Spec) status() int {
	if s.Status == 0 {
		return 1
	}
	return s.Status
}

// table answers the options with the two that every program has.
func (s *Spec) table() []Option {
	if s.NoStandard {
		return s.Options
	}
	return append(s.Options[:len(s.Options):len(s.Options)],
		Option{Long: "help", Help: "display this help and exit"},
		Option{Long: "version", Help: "output version information and exit"})
}

// WriteHelp prints the text of --help.
func (s *Spec) WriteHelp(w io.Writer, name string) error {
	var b strings.Builder
	for i, line := range s.Synopsis {
		lead := "Usage:"
		if i > 0 {
			lead = "  or: "
		}
		fmt.Fprintf(&b, "%s %s %s\n", lead, name, line)
	}
	if s.Summary != "" {
		fmt.Fprintf(&b, "%s\n", s.Summary)
	}
	b.WriteByte('\n')
	for _, o := range s.table() {
		if !o.Hidden {
			b.WriteString(helpLine(o))
		}
	}
	if s.Epilog != "" {
		fmt.Fprintf(&b, "\n%s\n", s.Epilog)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// helpColumn is where GNU's help texts begin.
const helpColumn = 29

func helpLine(o Option) string {
	meta := o.Meta
	if meta == "" && o.Arg != None {
		meta = "ARG"
	}
	var left string
	switch {
	case o.Short != "" && o.Long != "":
		left = "  -" + o.Short + ", --" + o.Long
	case o.Long != "":
		left = "      --" + o.Long
	default:
		left = "  -" + o.Short
	}
	switch {
	case o.Arg == Required && o.Long != "":
		left += "=" + meta
	case o.Arg == Required:
		left += " " + meta
	case o.Arg == Optional && o.Long != "":
		left += "[=" + meta + "]"
	case o.Arg == Optional:
		left += "[" + meta + "]"
	}
	help := strings.ReplaceAll(o.Help, "\n", "\n"+strings.Repeat(" ", helpColumn))
	if len(left) > helpColumn-2 {
		return left + "\n" + strings.Repeat(" ", helpColumn) + help + "\n"
	}
	return left + strings.Repeat(" ", helpColumn-len(left)) + help + "\n"
}

// WriteVersion prints the text of --version.
func (s *Spec) WriteVersion(w io.Writer, name string) error {
	_, err := fmt.Fprintf(w, "%s (mirage) %s\n", name, version.Version)
	return err
}
