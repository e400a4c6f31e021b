package programs

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
)

var niceSpec = getopt.Spec{
	Name:     "nice",
	Synopsis: []string{"[OPTION] [COMMAND [ARG]...]"},
	Summary: "Run COMMAND with an adjusted niceness, which affects process scheduling.\n" +
		"With no COMMAND, print the current niceness.",
	Options: []getopt.Option{
		{Short: "n", Long: "adjustment", Arg: getopt.Required, Meta: "N", Help: "add integer N to the niceness (default 10)"},
	},
	Epilog: "All commands of a session have one niceness here: N is read, and changes nothing.",
	Order:  getopt.RequireOrder,
	Status: 125,
}

// runNice checks the adjustment and runs the command: there is no scheduler
// that would know of it, and the niceness is always 0.
func runNice(ctx context.Context, inv *program.Invocation) int {
	args, adjusted, value := inv.Args, false, ""
	var p *getopt.Parser
	for {
		// The obsolete form, -N, stands wherever an option may.
		if len(args) > 0 && niceObsolete(args[0]) {
			adjusted, value = true, args[0][1:]
			args = args[1:]
			continue
		}
		p = niceSpec.ParseArgs(inv, args)
		if !p.Next() {
			break
		}
		adjusted, value = true, p.Opt.Value
		args = p.Rest()
	}
	if p.Stopped {
		return p.Status
	}
	if adjusted {
		if _, err := number.ParseInt(strings.TrimPrefix(strings.TrimPrefix(value, "+"), "-"), ""); err != nil && !errors.Is(err, number.ErrRange) {
			return p.Fail("invalid adjustment %s", inv.QuoteArg(value))
		}
	}
	if len(p.Operands) > 0 {
		return runInner(ctx, inv, program.Child{Args: p.Operands}, "%s", inv.Quote(p.Operands[0]))
	}
	if adjusted {
		return p.Usage("a command must be given with an adjustment")
	}
	out := stream.Stdout(inv)
	out.WriteString("0\n")
	return out.Close(inv, 0)
}

// niceObsolete tells whether a word is an adjustment behind a dash.
func niceObsolete(word string) bool {
	digits, ok := strings.CutPrefix(word, "-")
	digits = strings.TrimPrefix(strings.TrimPrefix(digits, "-"), "+")
	return ok && digits != "" && digits[0] >= '0' && digits[0] <= '9'
}

var nohupSpec = getopt.Spec{
	Name:     "nohup",
	Synopsis: []string{"COMMAND [ARG]...", "OPTION"},
	Summary:  "Run COMMAND, ignoring hangup signals.",
	Epilog: "If standard output is a terminal, the output is appended to 'nohup.out' if\n" +
		"possible, '$HOME/nohup.out' otherwise. If standard error is a terminal, it\n" +
		"is redirected to standard output. A session that ends still ends COMMAND.",
	Order:  getopt.RequireOrder,
	Status: 125,
}

func runNohup(ctx context.Context, inv *program.Invocation) int {
	p := nohupSpec.Parse(inv)
	for p.Next() {
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) == 0 {
		return p.Usage("missing operand")
	}
	tty := func(n int) bool {
		if inv.Terminal == nil {
			return false
		}
		_, _, ok := inv.Terminal(n)
		return ok
	}
	child := program.Child{Args: p.Operands}
	in, out, errs := tty(0), tty(1), tty(2)
	if in {
		child.Stdin = strings.NewReader("")
	}
	switch {
	case out:
		file, name, err := nohupOutput(ctx, inv)
		if err != nil {
			inv.Fail(err, "failed to open %s", inv.Quote(name))
			return 125
		}
		defer file.Close()
		text := "appending output to "
		if in {
			text = "ignoring input and appending output to "
		}
		inv.Errorf("%s%s", text, inv.Quote(name))
		if child.Stdout = file; errs {
			child.Stderr = file
		}
	case errs:
		text := "redirecting stderr to stdout"
		if in {
			text = "ignoring input and redirecting stderr to stdout"
		}
		inv.Errorf("%s", text)
		child.Stderr = inv.Stdout
	case in:
		inv.Errorf("ignoring input")
	}
	return runInner(ctx, inv, child, "failed to run command %s", inv.Quote(p.Operands[0]))
}

// nohupOutput opens nohup.out here, or else at home.
func nohupOutput(ctx context.Context, inv *program.Invocation) (io.WriteCloser, string, error) {
	name := "nohup.out"
	open := func() (io.WriteCloser, error) {
		f, err := inv.FS.Open(ctx, inv.Path(name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return nil, err
		}
		return &program.Cursor{File: f}, nil
	}
	file, err := open()
	home, ok := inv.LookupEnv("HOME")
	if err == nil || !ok {
		return file, name, err
	}
	name = strings.TrimSuffix(home, "/") + "/nohup.out"
	file, err = open()
	return file, name, err
}

var stdbufSpec = getopt.Spec{
	Name:     "stdbuf",
	Synopsis: []string{"OPTION... COMMAND"},
	Summary:  "Run COMMAND, with modified buffering operations for its standard streams.",
	Options: []getopt.Option{
		{Short: "i", Long: "input", Arg: getopt.Required, Meta: "MODE", Help: "adjust standard input stream buffering"},
		{Short: "o", Long: "output", Arg: getopt.Required, Meta: "MODE", Help: "adjust standard output stream buffering"},
		{Short: "e", Long: "error", Arg: getopt.Required, Meta: "MODE", Help: "adjust standard error stream buffering"},
	},
	Epilog: "If MODE is 'L' the corresponding stream will be line buffered.\n" +
		"This option is invalid with standard input.\n\n" +
		"If MODE is '0' the corresponding stream will be unbuffered.\n\n" +
		"Otherwise MODE is a number of bytes, which may have a suffix.\n\n" +
		"The programs here use no buffers of libc: MODE is read, and changes nothing.",
	Order:  getopt.RequireOrder,
	Status: 125,
}

func runStdbuf(ctx context.Context, inv *program.Invocation) int {
	given := false
	p := stdbufSpec.Parse(inv)
	for p.Next() {
		given = true
		value := strings.TrimLeft(p.Opt.Value, " \t\n\v\f\r")
		if value == "L" {
			if p.Opt.Name == "i" {
				return p.Usage("line buffering stdin is meaningless")
			}
			continue
		}
		n, err := number.ParseInt(value, number.Bytes)
		switch {
		case errors.Is(err, number.ErrRange):
			return p.Fail("invalid mode %s: Value too large for defined data type", inv.QuoteArg(p.Opt.Value))
		case err != nil || n < 0 || n > math.MaxInt64-1:
			return p.Fail("invalid mode %s", inv.QuoteArg(p.Opt.Value))
		}
	}
	switch {
	case p.Stopped:
		return p.Status
	case len(p.Operands) == 0:
		return p.Usage("missing operand")
	case !given:
		return p.Usage("you must specify a buffering mode option")
	}
	return runInner(ctx, inv, program.Child{Args: p.Operands}, "failed to run command %s", inv.Quote(p.Operands[0]))
}

// runInner runs the command that a program was given; what it says when that
// cannot start is a format for Fail.
func runInner(ctx context.Context, inv *program.Invocation, c program.Child, format string, args ...any) int {
	status, err := inv.Spawn(ctx, c)
	if err != nil {
		inv.Fail(err, format, args...)
		return spawnStatus(err)
	}
	return status
}
