package programs

import (
	"context"
	"io"
	"math"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/longdouble"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
)

var numfmtSpec = getopt.Spec{
	Name:     "numfmt",
	Synopsis: []string{"[OPTION]... [NUMBER]..."},
	Summary:  "Reformat NUMBER(s), or the numbers from standard input if none are specified.",
	Options: []getopt.Option{
		{Long: "debug", Help: "print warnings about invalid input"},
		{Short: "d", Long: "delimiter", Arg: getopt.Required, Meta: "X", Help: "use X instead of whitespace for field delimiter"},
		{Long: "field", Arg: getopt.Required, Meta: "FIELDS", Help: "replace the numbers in these input fields (default=1);\nsee FIELDS below"},
		{Long: "format", Arg: getopt.Required, Meta: "FORMAT", Help: "use printf style floating-point FORMAT;\nsee FORMAT below for details"},
		{Long: "from", Arg: getopt.Required, Meta: "UNIT", Help: "auto-scale input numbers to UNITs; default is 'none';\nsee UNIT below"},
		{Long: "from-unit", Arg: getopt.Required, Meta: "N", Help: "specify the input unit size (instead of the default 1)"},
		{Long: "grouping", Help: "use locale-defined grouping of digits, e.g. 1,000,000\n(which means it has no effect in the C/POSIX locale)"},
		{Long: "header", Arg: getopt.Optional, Meta: "N", Help: "print (without converting) the first N header lines;\nN defaults to 1 if not specified"},
		{Long: "invalid", Arg: getopt.Required, Meta: "MODE", Help: "failure mode for invalid numbers: MODE can be:\nabort (default), fail, warn, ignore"},
		{Long: "padding", Arg: getopt.Required, Meta: "N", Help: "pad the output to N characters; positive N will\n" +
			"right-align; negative N will left-align;\npadding is ignored if the output is wider than N;\n" +
			"the default is to automatically pad if a whitespace\nis found"},
		{Long: "round", Arg: getopt.Required, Meta: "METHOD", Help: "use METHOD for rounding when scaling; METHOD can be:\nup, down, from-zero (default), towards-zero, nearest"},
		{Long: "suffix", Arg: getopt.Required, Meta: "SUFFIX", Help: "add SUFFIX to output numbers, and accept optional\nSUFFIX in input numbers"},
		{Long: "to", Arg: getopt.Required, Meta: "UNIT", Help: "auto-scale output numbers to UNITs; see UNIT below"},
		{Long: "to-unit", Arg: getopt.Required, Meta: "N", Help: "the output unit size (instead of the default 1)"},
		{Short: "z", Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
	},
	Epilog: `UNIT options:
  none       no auto-scaling is done; suffixes will trigger an error
  auto       accept optional single/two letter suffix:
               1K = 1000,
               1Ki = 1024,
               1M = 1000000,
               1Mi = 1048576,
  si         accept optional single letter suffix:
               1K = 1000,
               1M = 1000000,
               ...
  iec        accept optional single letter suffix:
               1K = 1024,
               1M = 1048576,
               ...
  iec-i      accept optional two-letter suffix:
               1Ki = 1024,
               1Mi = 1048576,
               ...

FIELDS supports cut(1) style field ranges:
  N    N'th field, counted from 1
  N-   from N'th field, to end of line
  N-M  from N'th to M'th field (inclusive)
  -M   from first to M'th field (inclusive)
  -    all fields
Multiple fields/ranges can be separated with commas

FORMAT must be suitable for printing one floating-point argument '%f'.
Optional quote (%'f) will enable --grouping (if supported by current locale).
Optional width value (%10f) will pad output. Optional zero (%010f) width
will zero pad the number. Optional negative values (%-10f) will left align.
Optional precision (%.1f) will override the input determined precision.`,
}

// numfmtBlanks is the delimiter when fields are divided by blanks.
const numfmtBlanks = -1

// numfmtFailed is the status after a number that cannot be converted.
const numfmtFailed = 2

type numfmtRun struct {
	from, to         string // units: none, auto, si, iec, iec-i
	fromUnit, toUnit longdouble.Float
	round            string
	suffix           string
	format           numfmtFormat
	padding          int // width; negative aligns to the left
	autoPadding      bool
	delimiter        int
	fields           []fieldRange
	header           uint64
	invalid          string // abort, fail, warn, ignore
	debug            bool
	end              byte
	inv              *program.Invocation
	out              *stream.Writer
	aborted          bool
}

func runNumfmt(ctx context.Context, inv *program.Invocation) int {
	n := &numfmtRun{from: "none", to: "none", fromUnit: longdouble.Int(1), toUnit: longdouble.Int(1),
		round: "from-zero", delimiter: numfmtBlanks, fields: []fieldRange{{1, 1}}, invalid: "abort",
		end: '\n', inv: inv, format: numfmtFormat{precision: -1}}
	p := numfmtSpec.Parse(inv)
	if !n.parse(p) {
		return p.Status
	}
	n.autoPadding = n.padding == 0 && n.delimiter == numfmtBlanks
	n.out = stream.Stdout(inv)
	valid := true
	if len(p.Operands) > 0 {
		if n.debug && n.header > 0 {
			inv.Errorf("--header ignored with command-line input")
		}
		for _, text := range p.Operands {
			if ctx.Err() != nil || n.aborted {
				break
			}
			valid = n.line(text, true) && valid
		}
	} else {
		var err error
		if valid, err = n.input(ctx); err != nil {
			n.out.Flush()
			inv.Fail(err, "error reading input")
		}
	}
	status := 0
	if !valid {
		if n.debug && !n.aborted {
			n.warn("failed to convert some of the input numbers")
		}
		if n.invalid == "abort" || n.invalid == "fail" {
			status = numfmtFailed
		}
	}
	return n.out.Close(inv, status)
}

// parse reads the command line; a false answer has been reported.
func (n *numfmtRun) parse(p *getopt.Parser) bool {
	grouping, fielded := false, false
	var format string
	hasFormat := false
	for p.Next() {
		v := p.Opt.Value
		quoted := n.inv.QuoteArg(v)
		switch p.Opt.Name {
		case "from":
			n.from, _ = p.OneOf("none", "auto", "si", "iec", "iec-i")
		case "to":
			n.to, _ = p.OneOf("none", "si", "iec", "iec-i")
		case "from-unit", "to-unit":
			unit, ok := numfmtUnit(v)
			if !ok {
				p.Fail("invalid unit size: %s", quoted)
			}
			if p.Opt.Name == "to-unit" {
				n.toUnit = unit
			} else {
				n.fromUnit = unit
			}
		case "round":
			n.round, _ = p.OneOf("up", "down", "from-zero", "towards-zero", "nearest")
		case "grouping":
			grouping = true
		case "padding":
			width, ok := numfmtSigned(v)
			if !ok || width == 0 {
				p.Fail("invalid padding value %s", quoted)
			}
			n.padding = width
		case "field":
			if fielded {
				p.Fail("multiple field specifications")
				break
			}
			fielded = true
			var complaint string
			if n.fields, complaint = parseFieldRanges(v, n.inv.QuoteArg); complaint != "" {
				p.Usage("%s", complaint)
			}
		case "d":
			if len(v) > 1 {
				p.Fail("the delimiter must be a single character")
				break
			}
			n.delimiter = 0
			if v != "" {
				n.delimiter = int(v[0])
			}
		case "suffix":
			n.suffix = v
		case "debug":
			n.debug = true
		case "header":
			n.header = 1
			if p.Opt.HasValue {
				var err error
				if n.header, err = number.Parse(v, ""); err != nil || n.header == 0 {
					p.Fail("invalid header value %s", quoted)
				}
			}
		case "format":
			format, hasFormat = v, true
		case "invalid":
			n.invalid, _ = p.OneOf("abort", "fail", "warn", "ignore")
		case "z":
			n.end = 0
		}
	}
	if p.Stopped {
		return false
	}
	if hasFormat && grouping {
		p.Fail("--grouping cannot be combined with --format")
		return false
	}
	if n.debug && n.from == "none" && n.to == "none" && !grouping && n.padding == 0 && !hasFormat {
		n.inv.Errorf("no conversion option specified")
	}
	if hasFormat {
		if complaint := n.parseFormat(format); complaint != "" {
			p.Fail("%s", complaint)
			return false
		}
		grouping = grouping || n.format.grouping
	}
	if grouping {
		if n.to != "none" {
			p.Fail("grouping cannot be combined with --to")
			return false
		}
		if n.debug {
			n.inv.Errorf("grouping has no effect in this locale")
		}
	}
	return true
}

// numfmtUnit reads a unit size: K is 1000 and Ki is 1024.
func numfmtUnit(s string) (longdouble.Float, bool) {
	suffixes := "KMGTPEZY"
	text := s
	if last := len(s) - 1; last >= 0 && (s[last] < '0' || s[last] > '9') {
		if s[last] == 'i' && last > 0 && (s[last-1] < '0' || s[last-1] > '9') {
			text = s[:last]
		} else {
			text, suffixes = s+"B", "KMGTPEZY0"
		}
	}
	n, err := number.Parse(text, suffixes)
	if err != nil || n == 0 || text == "" {
		return longdouble.Float{}, false
	}
	const half = 1 << 32
	return longdouble.Int(int64(n / half)).Mul(longdouble.Int(half)).Add(longdouble.Int(int64(n % half))), true
}

// numfmtMaxWidth bounds what one number may be padded to.
const numfmtMaxWidth = 1 << 20

func numfmtSigned(s string) (int, bool) {
	digits := strings.TrimPrefix(s, "-")
	n, err := number.ParseInt(digits, "")
	if err != nil || n > math.MaxInt32 || digits != s && strings.HasPrefix(digits, "+") {
		return 0, false
	}
	width := int(min(n, numfmtMaxWidth))
	if digits != s {
		width = -width
	}
	return width, true
}

func (n *numfmtRun) input(ctx context.Context) (valid bool, err error) {
	lines := stream.NewLines(n.inv.Stdin, n.end, n.inv.Meter())
	valid = true
	for count := uint64(0); !n.aborted && n.out.Err() == nil; count++ {
		if count%256 == 0 && ctx.Err() != nil {
			return valid, ctx.Err()
		}
		line, err := lines.Next()
		if err == io.EOF {
			return valid, nil
		}
		if err != nil {
			return valid, err
		}
		if count < n.header {
			n.out.Write(line)
			continue
		}
		text, ended := stream.Chomp(line, n.end)
		valid = n.line(string(text), ended) && valid
	}
	return valid, nil
}

// line converts the numbers of one line.
func (n *numfmtRun) line(text string, newline bool) bool {
	text, _, _ = strings.Cut(text, "\x00") // a NUL ends a line's text
	valid := true
	for field := uint64(1); ; field++ {
		i := n.fieldEnd(text)
		if !n.field(text[:i], field) {
			valid = false
			if n.aborted {
				return false
			}
		}
		if i == len(text) {
			break
		}
		if n.delimiter == numfmtBlanks {
			n.out.WriteByte(' ')
		} else {
			n.out.WriteByte(byte(n.delimiter))
		}
		text = text[i+1:]
	}
	if newline {
		n.out.WriteByte(n.end)
	}
	return valid
}

// fieldEnd answers the length of the first field, leading blanks included.
func (n *numfmtRun) fieldEnd(text string) int {
	if n.delimiter != numfmtBlanks {
		if i := strings.IndexByte(text, byte(n.delimiter)); i >= 0 {
			return i
		}
		return len(text)
	}
	i := 0
	for i < len(text) && isBlankOrNewline(text[i]) {
		i++
	}
	for i < len(text) && !isBlankOrNewline(text[i]) {
		i++
	}
	return i
}

func (n *numfmtRun) field(text string, field uint64) bool {
	if !inFieldRanges(n.fields, field) {
		n.out.WriteString(text)
		return true
	}
	shown, ok := n.convert(text, field)
	if n.aborted {
		return false
	}
	if !ok {
		n.out.WriteString(text)
		return false
	}
	n.out.WriteString(n.format.before + shown + n.format.after)
	return true
}

// warn writes a message in its place in the output.
func (n *numfmtRun) warn(format string, args ...any) {
	n.out.Flush()
	n.inv.Errorf(format, args...)
}

// complain reports a number that cannot be converted, as --invalid says.
func (n *numfmtRun) complain(format string, args ...any) {
	if n.invalid == "ignore" {
		return
	}
	n.warn(format, args...)
	n.aborted = n.invalid == "abort"
}
