// Package sed is the command sed, after GNU sed 4.9.
package sed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
)

// Exit statuses, as GNU sed documents them.
const (
	statusUsage = 1 // invalid command, syntax or regular expression
	statusInput = 2 // an input file cannot be opened
	statusPanic = 4 // an I/O error, or another error at run time
)

// Programs answers sed.
func Programs() []*program.Program { return []*program.Program{spec.Program(run)} }

const usage = `Usage: %s [OPTION]... {script-only-if-no-other-script} [input-file]...

  -n, --quiet, --silent
                 suppress automatic printing of pattern space
      --debug
                 annotate program execution
  -e script, --expression=script
                 add the script to the commands to be executed
  -f script-file, --file=script-file
                 add the contents of script-file to the commands to be executed
  --follow-symlinks
                 follow symlinks when processing in place
  -i[SUFFIX], --in-place[=SUFFIX]
                 edit files in place (makes backup if SUFFIX supplied)
  -l N, --line-length=N
                 specify the desired line-wrap length for the ` + "`l'" + ` command
  --posix
                 disable all GNU extensions.
  -E, -r, --regexp-extended
                 use extended regular expressions in the script
                 (for portability use POSIX -E).
  -s, --separate
                 consider files as separate rather than as a single,
                 continuous long stream.
      --sandbox
                 operate in sandbox mode (disable e/r/w commands).
  -u, --unbuffered
                 load minimal amounts of data from the input files and flush
                 the output buffers more often
  -z, --null-data
                 separate lines by NUL characters
      --help     display this help and exit
      --version  output version information and exit

If no -e, --expression, -f, or --file option is given, then the first
non-option argument is taken as the sed script to interpret.  All
remaining arguments are names of input files; if no input files are
specified, then the standard input is read.

GNU sed home page: <https://www.gnu.org/software/sed/>.
General help using GNU software: <https://www.gnu.org/gethelp/>.`

var spec = getopt.Spec{
	Name:     "sed",
	Synopsis: []string{"[OPTION]... {script-only-if-no-other-script} [input-file]..."},
	Summary:  "Filter and transform text, line by line.",
	Hint:     usage,
	Options: []getopt.Option{
		{Short: "n", Long: "quiet", Help: "suppress automatic printing of pattern space"},
		{Long: "silent", Name: "n", Hidden: true},
		{Long: "debug", Help: "annotate program execution"},
		{Short: "e", Long: "expression", Arg: getopt.Required, Meta: "script", Help: "add the script to the commands to be executed"},
		{Short: "f", Long: "file", Arg: getopt.Required, Meta: "script-file", Help: "add the contents of script-file to the commands to be executed"},
		{Long: "follow-symlinks", Help: "follow symlinks when processing in place"},
		{Short: "i", Long: "in-place", Arg: getopt.Optional, Meta: "SUFFIX", Help: "edit files in place (makes backup if SUFFIX supplied)"},
		{Short: "l", Long: "line-length", Arg: getopt.Required, Meta: "N", Help: "specify the desired line-wrap length for the `l' command"},
		{Long: "posix", Help: "disable all GNU extensions."},
		{Short: "E", Long: "regexp-extended", Help: "use extended regular expressions in the script\n(for portability use POSIX -E)."},
		{Short: "r", Name: "E", Hidden: true},
		{Short: "s", Long: "separate", Help: "consider files as separate rather than as a single,\ncontinuous long stream."},
		{Long: "sandbox", Help: "operate in sandbox mode (disable e/r/w commands)."},
		{Short: "u", Long: "unbuffered", Help: "load minimal amounts of data from the input files and flush\nthe output buffers more often"},
		{Short: "z", Long: "null-data", Help: "separate lines by NUL characters"},
		{Long: "zero-terminated", Name: "z", Hidden: true},
		{Short: "b", Long: "binary", Hidden: true},
	},
}

type options struct {
	quiet      bool
	extended   bool
	separate   bool
	inPlace    bool
	suffix     string
	followLink bool
	wrap       int
	posix      bool
	sandbox    bool
	unbuffered bool
	delimiter  byte
	utf8       bool
}

// scriptError is an error of the script, or one that ends its run.
type scriptError struct {
	status int
	text   string
}

func (e *scriptError) Error() string { return e.text }

func panicf(format string, args ...any) error {
	return &scriptError{statusPanic, fmt.Sprintf(format, args...)}
}

func run(ctx context.Context, inv *program.Invocation) int {
	o := &options{wrap: 70, delimiter: '\n', utf8: inv.UTF8()}
	_, o.posix = inv.LookupEnv("POSIXLY_CORRECT")
	var scripts []script
	p := spec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "n":
			o.quiet = true
		case "debug":
			return p.Fail("--debug is not supported")
		case "e":
			scripts = append(scripts, script{text: p.Opt.Value})
		case "f":
			text, err := readScript(ctx, inv, p.Opt.Value)
			if err != nil {
				inv.Fail(err, "couldn't open file %s", p.Opt.Value)
				return statusPanic
			}
			scripts = append(scripts, script{text: text, file: p.Opt.Value})
		case "follow-symlinks":
			o.followLink = true
		case "i":
			o.inPlace, o.separate, o.suffix = true, true, p.Opt.Value
		case "l":
			n, _ := number.Parse(p.Opt.Value, "")
			o.wrap = int(min(n, math.MaxInt32))
		case "posix":
			o.posix = true
		case "E":
			o.extended = true
		case "s":
			o.separate = true
		case "sandbox":
			o.sandbox = true
		case "u":
			o.unbuffered = true
		case "z":
			o.delimiter = 0
		}
	}
	if p.Stopped {
		return p.Status
	}
	operands := p.Operands
	if len(scripts) == 0 {
		if len(operands) == 0 {
			return p.Usage("")
		}
		scripts = []script{{text: operands[0]}}
		operands = operands[1:]
	}
	e := newEditor(ctx, inv, o, operands)
	status, err := e.runScripts(scripts)
	return e.finish(status, err)
}

// readScript reads a script file; "-" is standard input.
func readScript(ctx context.Context, inv *program.Invocation, name string) (string, error) {
	r, err := inv.OpenOperand(ctx, name)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := stream.NewHeld(inv).ReadAll(ctx, r)
	return string(text), err
}

// finish writes out and closes everything and words the error that ended the
// run.
func (e *editor) finish(status int, err error) int {
	werr := e.closeOutputs()
	e.input.close()
	if e.ctx.Err() != nil {
		return statusPanic
	}
	var s *scriptError
	switch {
	case errors.As(err, &s):
		e.inv.Errorf("%s", s.text)
		return s.status
	case err != nil:
		e.inv.Errorf("%s", err)
		return statusPanic
	case werr != nil:
		if status := e.inv.WriteError(werr); status == program.SIGPIPEStatus {
			return status
		}
		return statusPanic
	case status == 0 && e.input.failed:
		return statusInput
	}
	return status
}
