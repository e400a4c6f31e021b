package programs

import (
	"context"
	"time"

	"mirage/shell/printf"
	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

var printfSpec = getopt.Spec{
	Name:     "printf",
	Synopsis: []string{"FORMAT [ARGUMENT]...", "OPTION"},
	Summary:  "Print ARGUMENT(s) according to FORMAT, or execute according to OPTION:",
	Epilog: `FORMAT controls the output as in C printf.  Interpreted sequences are:

  \"      double quote
  \\      backslash
  \a      alert (BEL)
  \b      backspace
  \c      produce no further output
  \e      escape
  \f      form feed
  \n      new line
  \r      carriage return
  \t      horizontal tab
  \v      vertical tab
  \NNN    byte with octal value NNN (1 to 3 digits)
  \xHH    byte with hexadecimal value HH (1 to 2 digits)
  \uHHHH  Unicode (ISO/IEC 10646) character with hex value HHHH (4 digits)
  \UHHHHHHHH  Unicode character with hex value HHHHHHHH (8 digits)
  %%      a single %
  %b      ARGUMENT as a string with '\' escapes interpreted,
          except that octal escapes are of the form \0 or \0NNN
  %q      ARGUMENT is printed in a format that can be reused as shell input,
          escaping non-printable characters with the proposed POSIX $'' syntax.

and all C format specifications ending with one of diouxXfeEgGcs, with
ARGUMENTs converted to proper type first.  Variable widths are handled.`,
}

// runPrintf is the printf of coreutils, which takes --help and --version only
// when they stand alone.
func runPrintf(_ context.Context, inv *program.Invocation) int {
	args := inv.Args
	if len(args) == 1 && (args[0] == "--help" || args[0] == "--version") {
		p := printfSpec.Parse(inv)
		p.Next()
		return p.Status
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return printfSpec.ParseArgs(inv, nil).Missing()
	}
	out := stream.Stdout(inv)
	p := printf.Printer{
		Style:    printf.GNU,
		UTF8:     inv.UTF8(),
		Now:      inv.Now,
		Started:  time.Time{},
		Location: inv.Location,
		Warn: func(msg string) {
			out.Flush()
			inv.Errorf("%s", msg)
		},
	}
	status, _ := p.Format(out, args[0], args[1:])
	return out.Close(inv, status)
}
