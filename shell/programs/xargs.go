package programs

import (
	"context"
	"io"
	"math"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
)

var xargsSpec = getopt.Spec{
	Name:     "xargs",
	Synopsis: []string{"[OPTION]... COMMAND [INITIAL-ARGS]..."},
	Summary:  "Run COMMAND with arguments INITIAL-ARGS and more arguments read from input.",
	Options: []getopt.Option{
		{Short: "0", Long: "null", Help: "items are separated by a null, not whitespace;\ndisables quote and backslash processing and\nlogical EOF processing"},
		{Short: "a", Long: "arg-file", Arg: getopt.Required, Meta: "FILE", Help: "read arguments from FILE, not standard input"},
		{Short: "d", Long: "delimiter", Arg: getopt.Required, Meta: "CHARACTER", Help: "items in input stream are separated by CHARACTER,\nnot by whitespace; disables quote and backslash\nprocessing and logical EOF processing"},
		{Short: "E", Arg: getopt.Required, Meta: "END", Help: "set logical EOF string; if END occurs as a line\nof input, the rest of the input is ignored\n(ignored if -0 or -d was specified)"},
		{Short: "e", Long: "eof", Arg: getopt.Optional, Meta: "END", Help: "equivalent to -E END if END is specified;\notherwise, there is no end-of-file string"},
		{Short: "I", Arg: getopt.Required, Meta: "R", Help: "same as --replace=R"},
		{Short: "i", Long: "replace", Arg: getopt.Optional, Meta: "R", Help: "replace R in INITIAL-ARGS with names read\nfrom standard input, split at newlines;\nif R is unspecified, assume {}"},
		{Short: "L", Arg: getopt.Required, Meta: "MAX-LINES", Help: "use at most MAX-LINES non-blank input lines per\ncommand line"},
		{Short: "l", Long: "max-lines", Arg: getopt.Optional, Meta: "MAX-LINES", Help: "similar to -L but defaults to at most one non-\nblank input line if MAX-LINES is not specified"},
		{Short: "n", Long: "max-args", Arg: getopt.Required, Meta: "MAX-ARGS", Help: "use at most MAX-ARGS arguments per command line"},
		{Short: "o", Long: "open-tty", Help: "Reopen stdin as /dev/tty in the child process\nbefore executing the command"},
		{Short: "P", Long: "max-procs", Arg: getopt.Required, Meta: "MAX-PROCS", Help: "run at most MAX-PROCS processes at a time"},
		{Short: "p", Long: "interactive", Help: "prompt before running commands"},
		{Long: "process-slot-var", Arg: getopt.Required, Meta: "VAR", Help: "set environment variable VAR in child processes"},
		{Short: "r", Long: "no-run-if-empty", Help: "if there are no arguments, then do not run COMMAND;\nif this option is not given, COMMAND will be\nrun at least once"},
		{Short: "s", Long: "max-chars", Arg: getopt.Required, Meta: "MAX-CHARS", Help: "limit length of command line to MAX-CHARS"},
		{Long: "show-limits", Help: "show limits on command-line length"},
		{Short: "t", Long: "verbose", Help: "print commands before executing them"},
		{Short: "x", Long: "exit", Help: "exit if the size (see -s) is exceeded"},
	},
	Order: getopt.RequireOrder,
}

const (
	// xargsArgMax is ARG_MAX of Linux less the room that POSIX leaves free.
	xargsArgMax = 2<<20 - 2048
	// xargsDefaultSize is the length of a command line without -s.
	xargsDefaultSize = 128 << 10
	xargsMaxProcs    = 64
)

type xargsOptions struct {
	delimited bool
	delim     byte
	eof       string
	replace   string
	replacing bool
	lines     int64 // -L, 0 without
	args      int64 // -n, 0 without
	size      int64 // -s
	procs     int64
	slotVar   string
	file      string
	noEmpty   bool
	verbose   bool
	exit      bool // -x
	terminal  bool // -o
	prompt    bool // -p
	limits    bool
}

func runXargs(ctx context.Context, inv *program.Invocation) int {
	o := xargsOptions{procs: 1}
	size := int64(0)
	p := xargsSpec.Parse(inv)
	for p.Next() {
		switch v := p.Opt.Value; p.Opt.Name {
		case "0":
			o.delimited, o.delim = true, 0
		case "a":
			o.file = v
		case "d":
			c, problem := xargsDelimiter(v)
			if problem != "" {
				return p.Fail("%s", problem)
			}
			o.delimited, o.delim = true, c
		case "E", "e":
			o.eof = v
		case "I", "i":
			o.setReplace(p)
		case "L", "l":
			o.setLines(p)
		case "n":
			o.setArgs(p)
		case "o":
			o.terminal = true
		case "p":
			o.prompt = true
		case "P":
			o.procs = xargsNumber(p, 0, math.MaxInt32, true)
		case "process-slot-var":
			if v == "" || strings.Contains(v, "=") {
				return p.Fail("option --process-slot-var may not be set to a value which includes `='")
			}
			o.slotVar = v
		case "r":
			o.noEmpty = true
		case "s":
			size = xargsNumber(p, 1, xargsRoom(inv.Env), false)
		case "show-limits":
			o.limits = true
		case "t":
			o.verbose = true
		case "x":
			o.exit = true
		}
	}
	if p.Stopped {
		return p.Status
	}
	o.size = min(xargsDefaultSize, xargsRoom(inv.Env))
	if size > 0 {
		o.size = size
	}
	if o.procs == 0 || o.procs > xargsMaxProcs {
		o.procs = xargsMaxProcs
	}
	if o.terminal {
		inv.Errorf("failed to open /dev/tty for reading: No such device or address")
		return 1
	}
	if o.limits {
		xargsShowLimits(inv, o.size)
	}
	command := p.Operands
	if len(command) == 0 {
		command = []string{"echo"}
	}
	return xargsRun(ctx, inv, o, command)
}

func (o *xargsOptions) setReplace(p *getopt.Parser) {
	o.warn(p, o.args > 0, "--max-args", "--replace/-I/-i")
	o.warn(p, o.lines > 0, "--max-lines", "--replace/-I/-i")
	o.args, o.lines = 0, 0
	o.replacing, o.replace = true, "{}"
	if p.Opt.HasValue {
		o.replace = p.Opt.Value
	}
}

func (o *xargsOptions) setLines(p *getopt.Parser) {
	name := "-" + p.Opt.Name
	if p.Opt.Long {
		name = "--max-lines"
	}
	lines := int64(1)
	if p.Opt.HasValue {
		if lines = xargsNumber(p, 1, math.MaxInt64, true); p.Stopped {
			return
		}
	}
	o.warn(p, o.args > 0, "--max-args", name)
	o.warn(p, o.replacing, "--replace", name)
	o.lines, o.args, o.replacing = lines, 0, false
}

func (o *xargsOptions) setArgs(p *getopt.Parser) {
	args := xargsNumber(p, 1, math.MaxInt64, true)
	if p.Stopped {
		return
	}
	o.warn(p, o.lines > 0, "--max-lines", "--max-args/-n")
	o.lines = 0
	if args == 1 && o.replacing {
		return // -I uses one item a command anyway
	}
	o.warn(p, o.replacing, "--replace", "--max-args/-n")
	o.args, o.replacing = args, false
}

func (o *xargsOptions) warn(p *getopt.Parser, clash bool, former, latter string) {
	if clash {
		p.Warn("warning: options %s and %s are mutually exclusive, ignoring previous %s value", former, latter, former)
	}
}

// xargsNumber reads the value of an option. Beyond its bounds it is a usage
// error when fatal, else it is cut to them.
func xargsNumber(p *getopt.Parser, low, high int64, fatal bool) int64 {
	v := p.Opt.Value
	n, err := strconv.ParseInt(strings.TrimLeft(v, " \t\n"), 10, 64)
	if err != nil && n != math.MaxInt64 && n != math.MinInt64 {
		p.Usage("invalid number \"%s\" for -%s option", v, p.Opt.Name)
		return low
	}
	switch {
	case n < low && fatal:
		p.Usage("value %s for -%s option should be >= %d", v, p.Opt.Name, low)
	case n < low:
		p.Warn("value %s for -%s option should be >= %d", v, p.Opt.Name, low)
	case n > high && fatal:
		p.Usage("value %s for -%s option should be <= %d", v, p.Opt.Name, high)
	case n > high:
		p.Warn("value %s for -%s option should be <= %d", v, p.Opt.Name, high)
	}
	return max(low, min(n, high))
}

// xargsRoom is the longest command line beside an environment.
func xargsRoom(env []string) int64 { return xargsArgMax - xargsEnvSize(env) }

func xargsEnvSize(env []string) int64 {
	n := int64(0)
	for _, v := range env {
		n += int64(len(v)) + 1
	}
	return n
}

func xargsShowLimits(inv *program.Invocation, size int64) {
	used := xargsEnvSize(inv.Env)
	io.WriteString(inv.Stderr, "Your environment variables take up "+strconv.FormatInt(used, 10)+" bytes\n"+
		"POSIX upper limit on argument length (this system): "+strconv.FormatInt(xargsArgMax, 10)+"\n"+
		"POSIX smallest allowable upper limit on argument length (all systems): 4096\n"+
		"Maximum length of command we could actually use: "+strconv.FormatInt(xargsArgMax-used, 10)+"\n"+
		"Size of command buffer we are actually using: "+strconv.FormatInt(size, 10)+"\n"+
		"Maximum parallelism (--max-procs must be no greater): "+strconv.Itoa(xargsMaxProcs)+"\n")
}

// xargsDelimiter reads the argument of -d: one byte, or a C escape.
func xargsDelimiter(s string) (c byte, problem string) {
	switch {
	case len(s) == 1:
		return s[0], ""
	case !strings.HasPrefix(s, `\`):
		return 0, "Invalid input delimiter specification " + s + ": the delimiter must be either a single character or an escape sequence starting with \\."
	}
	invalid := "Invalid escape sequence " + s + " in input delimiter specification."
	if i := strings.IndexByte(`abfnrtv\`, s[1]); i >= 0 && len(s) == 2 {
		return "\a\b\f\n\r\t\v\\"[i], ""
	}
	digits, base := s[1:], 8
	if s[1] == 'x' {
		digits, base = s[2:], 16
	}
	n, err := strconv.ParseUint(digits, base, 8)
	if err != nil {
		return 0, invalid
	}
	return byte(n), ""
}
