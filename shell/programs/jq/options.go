package jq

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"mirage/shell/program"
	"mirage/vfs"
)

// options is what the command line says.
type options struct {
	source     string
	files      []string
	named      *Object // $ARGS.named and the variables of --arg and its kind
	style      style
	null       bool // -n
	raw        bool // -R
	slurp      bool // -s
	strings    bool // -r
	joined     bool // -j
	nul        bool // --raw-output0
	seq        bool
	stream     bool
	exit       bool // -e
	unbuffered bool
	halted     bool
}

func optionTable() []program.Option {
	none := func(short, long, help string) program.Option {
		return program.Option{Short: short, Long: long, Help: help}
	}
	takes := func(short, long, meta, help string) program.Option {
		return program.Option{Short: short, Long: long, Arg: program.RequiredArgument, Meta: meta, Help: help}
	}
	return []program.Option{
		none("n", "null-input", "use null as the single input value"),
		none("R", "raw-input", "read each line as string instead of JSON"),
		none("s", "slurp", "read all inputs into an array and use it as the single input value"),
		none("c", "compact-output", "compact instead of pretty-printed output"),
		none("r", "raw-output", "output strings without escapes and quotes"),
		none("", "raw-output0", "implies -r and output NUL after each output"),
		none("j", "join-output", "implies -r and output without newline after each output"),
		none("a", "ascii-output", "output strings by only ASCII characters using escape sequences"),
		none("S", "sort-keys", "sort keys of each object on output"),
		none("C", "color-output", "colorize JSON output"),
		none("M", "monochrome-output", "disable colored output"),
		none("", "tab", "use tabs for indentation"),
		takes("", "indent", "n", "use n spaces for indentation (max 7 spaces)"),
		none("", "unbuffered", "flush output stream after each output"),
		none("", "stream", "parse the input value in streaming fashion"),
		none("", "seq", "parse input/output as application/json-seq"),
		takes("f", "from-file", "file", "load the filter from a file"),
		takes("", "arg", "name value", "set $name to the string value"),
		takes("", "argjson", "name value", "set $name to the JSON value"),
		takes("", "slurpfile", "name file", "set $name to an array of JSON values read from the file"),
		takes("", "rawfile", "name file", "set $name to string contents of file"),
		none("", "args", "consume remaining arguments as positional string values"),
		none("", "jsonargs", "consume remaining arguments as positional JSON values"),
		none("e", "exit-status", "set exit status code based on the output"),
		none("V", "version", "show the version"),
		none("h", "help", "show the help"),
	}
}

// commandLine reads the arguments.
type commandLine struct {
	*session
	args       []string
	filter     string
	hasFilter  bool
	fromFile   bool
	positional []any
	asStrings  bool // further arguments are strings
	asJSON     bool
	color      int // 1 on, -1 off
	status     int
	stopped    bool
}

// parse reads the command line. When ok is false there is nothing left to do
// but to exit with the status.
func (s *session) parse(args []string) (status int, ok bool) {
	s.named = newObject(2)
	s.style.indent = 2
	c := &commandLine{session: s, args: args}
	done := false
	for len(c.args) > 0 && !c.stopped {
		arg := c.args[0]
		c.args = c.args[1:]
		switch {
		case done || !isOption(arg):
			c.operand(arg)
		case arg == "--":
			done = true
		case strings.HasPrefix(arg, "--"):
			c.long(arg[2:])
		default:
			for i := 1; i < len(arg) && !c.stopped; i++ {
				c.short(arg[i])
			}
		}
	}
	if !c.stopped {
		c.finish()
	}
	return c.status, !c.stopped
}

func isOption(s string) bool {
	return len(s) > 1 && s[0] == '-' && (s[1] == '-' || 'a' <= s[1]|0x20 && s[1]|0x20 <= 'z')
}

func (s *session) errorf(format string, a ...any) { s.message(fmt.Sprintf(format, a...)) }

// stop ends the reading with a status.
func (c *commandLine) stop(status int) { c.stopped, c.status = true, status }

// die reports a mistake on the command line.
func (c *commandLine) die(format string, a ...any) {
	c.errorf(format+"\n", a...)
	c.errorf("Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.org\n")
	c.stop(statusSystem)
}

func (c *commandLine) operand(arg string) {
	switch {
	case !c.hasFilter:
		c.filter, c.hasFilter = arg, true
	case c.asStrings:
		c.positional = append(c.positional, validString(arg))
	case c.asJSON:
		v, err := parseText(arg)
		if err != nil {
			c.die("jq: invalid JSON text passed to --jsonargs")
			return
		}
		c.positional = append(c.positional, v)
	default:
		c.files = append(c.files, arg)
	}
}

func (c *commandLine) short(b byte) {
	names := map[byte]string{
		's': "slurp", 'r': "raw-output", 'j': "join-output", 'c': "compact-output", 'C': "color-output",
		'M': "monochrome-output", 'a': "ascii-output", 'S': "sort-keys", 'R': "raw-input", 'n': "null-input",
		'f': "from-file", 'e': "exit-status", 'h': "help", 'V': "version",
	}
	name, ok := names[b]
	if !ok {
		c.die("jq: Unknown option -%c", b)
		return
	}
	c.long(name)
}

func (c *commandLine) long(name string) {
	switch name {
	case "slurp":
		c.slurp = true
	case "raw-output":
		c.strings = true
	case "raw-output0":
		c.strings, c.joined, c.nul = true, true, true
	case "join-output":
		c.strings, c.joined = true, true
	case "compact-output":
		c.style.indent, c.style.tab = 0, false
	case "color-output":
		c.color = 1
	case "monochrome-output":
		c.color = -1
	case "ascii-output":
		c.style.ascii = true
	case "unbuffered":
		c.unbuffered = true
	case "sort-keys":
		c.style.sorted = true
	case "raw-input":
		c.raw = true
	case "null-input":
		c.null = true
	case "from-file":
		c.fromFile = true
	case "tab":
		c.style.tab = true
	case "indent":
		c.indent()
	case "seq":
		c.seq = true
	case "stream":
		c.stream = true
	case "exit-status":
		c.exit = true
	case "args":
		c.asStrings, c.asJSON = true, false
	case "jsonargs":
		c.asStrings, c.asJSON = false, true
	case "arg", "argjson", "rawfile", "slurpfile":
		c.variable(name)
	case "help":
		c.out.WriteString(usageText + longUsage())
		c.stop(0)
	case "version":
		c.out.WriteString("jq-" + version + "\n")
		c.stop(0)
	default:
		c.die("jq: Unknown option --%s", name)
	}
}

func (c *commandLine) indent() {
	if len(c.args) == 0 {
		c.die("jq: --indent takes one parameter")
		return
	}
	n, _ := strconv.Atoi(c.args[0])
	c.args = c.args[1:]
	switch {
	case n < -1 || n > 7:
		c.die("jq: --indent takes a number between -1 and 7")
	case n < 0:
		c.style.tab = true
	default:
		c.style.indent, c.style.tab = n, false
	}
}

// variable reads the two arguments of --arg and its kind. The first value of a
// name stays.
func (c *commandLine) variable(option string) {
	if len(c.args) < 2 {
		second := map[string]string{"arg": "value", "argjson": "text", "rawfile": "filename", "slurpfile": "filename"}[option]
		c.die("jq: --%s takes two parameters (e.g. --%s varname %s)", option, option, second)
		return
	}
	name, text := c.args[0], c.args[1]
	c.args = c.args[2:]
	if _, have := c.named.get(name); have {
		return
	}
	switch option {
	case "arg":
		c.named.set(name, validString(text))
	case "argjson":
		v, err := parseText(text)
		if err != nil {
			c.die("jq: invalid JSON text passed to --argjson")
			return
		}
		c.named.set(name, v)
	default:
		v, err := c.load(text, option == "rawfile")
		if err != nil {
			c.errorf("jq: Bad JSON in --%s %s %s: %s\n", option, name, text, err)
			c.stop(statusSystem)
			return
		}
		c.named.set(name, v)
	}
}

// load reads a whole file: its text, or the JSON values in it.
func (c *commandLine) load(name string, raw bool) (any, error) {
	r, err := c.inv.Open(c.ctx, name)
	if err != nil {
		//lint:ignore ST1005 the words are jq's
		return nil, fmt.Errorf("Could not open %s: %s", name, vfs.Phrase(err))
	}
	defer r.Close()
	in := &inputs{ctx: c.ctx, inv: c.inv, reader: r, name: name, slurp: true}
	if !raw {
		in.parser = newParser()
	}
	v, _, err := in.next()
	if in.failed > 0 {
		err = errors.Join(err, syscall.EIO)
	}
	return v, err
}

// finish settles what depends on several options.
func (c *commandLine) finish() {
	terminal := false
	if c.inv.Terminal != nil {
		_, _, terminal = c.inv.Terminal(1)
	}
	on := c.color > 0
	if terminal && c.color == 0 {
		on = c.inv.Getenv("NO_COLOR") == ""
	}
	if on && c.color >= 0 {
		colors, ok := newPalette(c.inv.Getenv("JQ_COLORS"))
		if !ok {
			c.errorf("Failed to set $JQ_COLORS\n")
		}
		c.style.colors = colors
	}
	if !c.hasFilter {
		if terminal || c.fromFile {
			c.errorf("%s", usageText+"For listing the command options, use jq --help.\n")
			c.stop(statusSystem)
			return
		}
		c.filter = "."
	}
	c.source = c.filter
	if c.fromFile {
		v, err := c.load(c.filter, true)
		if err != nil {
			c.errorf("jq: error: %s\n", err)
			c.stop(statusSystem)
			return
		}
		c.source = v.(string)
	}
	args := newObject(2)
	args.set("positional", append([]any{}, c.positional...))
	args.set("named", c.named.clone())
	c.named.set("ARGS", args)
}

const usageText = `jq - commandline JSON processor [version ` + version + `]

Usage:	jq [options] <jq filter> [file...]
	jq [options] --args <jq filter> [strings...]
	jq [options] --jsonargs <jq filter> [JSON_TEXTS...]

jq is a tool for processing JSON inputs, applying the given filter to
its JSON text inputs and producing the filter's results as JSON on
standard output.

The simplest filter is ., which copies jq's input to its output
unmodified except for formatting. For more advanced filters see
the jq(1) manpage ("man jq") and/or https://jqlang.org/.

Example:

	$ echo '{"foo": 0}' | jq .
	{
	  "foo": 0
	}

`

// longUsage lists the options.
func longUsage() string {
	var b strings.Builder
	b.WriteString("Command options:\n")
	for _, o := range optionTable() {
		left := "      --" + o.Long
		if o.Short != "" {
			left = "  -" + o.Short + ", --" + o.Long
		}
		if o.Meta != "" && o.Long != "from-file" {
			left += " " + o.Meta
		}
		fmt.Fprintf(&b, "%-28s%s;\n", left, o.Help)
	}
	b.WriteString("  --                        terminates argument processing;\n\n" +
		"Named arguments are also available as $ARGS.named[], while\n" +
		"positional arguments are available as $ARGS.positional[].\n")
	return b.String()
}
