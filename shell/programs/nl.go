package programs

import (
	"bytes"
	"context"
	"io"
	"math"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/shell/regex"
)

var nlSpec = getopt.Spec{
	Name:     "nl",
	Synopsis: []string{"[OPTION]... [FILE]..."},
	Summary: "Write each FILE to standard output, with line numbers added.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
	Options: []getopt.Option{
		{Short: "b", Long: "body-numbering", Arg: getopt.Required, Meta: "STYLE", Help: "use STYLE for numbering body lines"},
		{Short: "d", Long: "section-delimiter", Arg: getopt.Required, Meta: "CC", Help: "use CC for logical page delimiters"},
		{Short: "f", Long: "footer-numbering", Arg: getopt.Required, Meta: "STYLE", Help: "use STYLE for numbering footer lines"},
		{Short: "h", Long: "header-numbering", Arg: getopt.Required, Meta: "STYLE", Help: "use STYLE for numbering header lines"},
		{Short: "i", Long: "line-increment", Arg: getopt.Required, Meta: "NUMBER", Help: "line number increment at each line"},
		{Short: "l", Long: "join-blank-lines", Arg: getopt.Required, Meta: "NUMBER", Help: "group of NUMBER empty lines counted as one"},
		{Short: "n", Long: "number-format", Arg: getopt.Required, Meta: "FORMAT", Help: "insert line numbers according to FORMAT"},
		{Short: "p", Long: "no-renumber", Help: "do not reset line numbers for each section"},
		{Short: "s", Long: "number-separator", Arg: getopt.Required, Meta: "STRING", Help: "add STRING after (possible) line number"},
		{Short: "v", Long: "starting-line-number", Arg: getopt.Required, Meta: "NUMBER", Help: "first line number for each section"},
		{Short: "w", Long: "number-width", Arg: getopt.Required, Meta: "NUMBER", Help: "use NUMBER columns for line numbers"},
		{Long: "page-increment", Name: "i", Arg: getopt.Required, Hidden: true},
	},
	Epilog: "Default options are: -bt -d'\\:' -fn -hn -i1 -l1 -n'rn' -s<TAB> -v1 -w6\n\n" +
		"CC are two delimiter characters used to construct logical page delimiters;\n" +
		"a missing second character implies ':'.  As a GNU extension one can specify\n" +
		"more than two characters, and also specifying the empty string (-d '')\n" +
		"disables section matching.\n\n" +
		"STYLE is one of:\n\n" +
		"  a      number all lines\n" +
		"  t      number only nonempty lines\n" +
		"  n      number no lines\n" +
		"  pBRE   number only lines that contain a match for the basic regular\n" +
		"         expression, BRE\n\n" +
		"FORMAT is one of:\n\n" +
		"  ln     left justified, no leading zeros\n" +
		"  rn     right justified, no leading zeros\n" +
		"  rz     right justified, leading zeros",
}

// nlStyle says which lines of a section are numbered.
type nlStyle struct {
	kind    byte // 'a', 't', 'n' or 'p'
	matcher *regex.Matcher
}

// The sections of a logical page, in the order of their delimiters' lengths.
const (
	nlFooter = iota
	nlBody
	nlHeader
)

type nlRun struct {
	ctx       context.Context
	out       *stream.Writer
	styles    [3]nlStyle // by section
	delimiter string
	increment int64
	join      int64 // empty lines counted as one
	format    string
	keep      bool // numbers go on in the next section
	separator string
	start     int64
	width     int64

	section  int
	number   int64
	overflow bool  // number is beyond the last one
	blank    int64 // empty lines in a row
	ended    bool  // by a line that has no number left
}

func runNl(ctx context.Context, inv *program.Invocation) int {
	n := &nlRun{ctx: ctx, styles: [3]nlStyle{{kind: 'n'}, {kind: 't'}, {kind: 'n'}}, delimiter: `\:`, increment: 1, join: 1,
		format: "rn", separator: "\t", start: 1, width: 6, section: nlBody}
	p := nlSpec.Parse(inv)
	wrong := false
	for p.Next() {
		n.option(p, &wrong)
	}
	switch {
	case p.Stopped:
		return p.Status
	case wrong:
		return p.Usage("")
	}
	n.number = n.start
	n.out = stream.Stdout(inv)
	status := stream.Inputs(ctx, inv, p.Operands, func(_ string, r io.Reader) error {
		return n.file(stream.NewLines(r, '\n', inv.Meter()))
	})
	if n.ended {
		n.out.Flush()
		inv.Errorf("line number overflow")
		status = 1
	}
	return n.out.Close(inv, status)
}

// option takes in one option. A wrong style or format is reported at once and
// the hint at --help comes last, as in nl.
func (n *nlRun) option(p *getopt.Parser, wrong *bool) {
	inv, value := p.Invocation(), p.Opt.Value
	switch p.Opt.Name {
	case "b":
		n.style(p, nlBody, "body", wrong)
	case "f":
		n.style(p, nlFooter, "footer", wrong)
	case "h":
		n.style(p, nlHeader, "header", wrong)
	case "d":
		if n.delimiter = value; len(value) == 1 {
			n.delimiter += ":"
		}
	case "i":
		n.increment, _ = decimalOption(p, "line number increment", math.MinInt64, math.MaxInt64)
	case "l":
		n.join, _ = decimalOption(p, "line number of blank lines", 1, math.MaxInt64)
	case "n":
		if n.format = value; value != "ln" && value != "rn" && value != "rz" {
			inv.Errorf("invalid line numbering format: %s", inv.QuoteArg(value))
			*wrong = true
		}
	case "p":
		n.keep = true
	case "s":
		n.separator = value
	case "v":
		n.start, _ = decimalOption(p, "starting line number", math.MinInt64, math.MaxInt64)
	case "w":
		n.width, _ = decimalOption(p, "line number field width", 1, math.MaxInt32)
	}
}

func (n *nlRun) style(p *getopt.Parser, section int, name string, wrong *bool) {
	inv, value := p.Invocation(), p.Opt.Value
	kind := byte(0)
	if value != "" {
		kind = value[0]
	}
	switch kind {
	case 'a', 't', 'n':
		n.styles[section] = nlStyle{kind: kind}
	case 'p':
		re, err := regex.Compile(value[1:], 0)
		if err != nil {
			p.Fail("%s", err)
			return
		}
		n.styles[section] = nlStyle{kind, re.Matcher(n.ctx)}
	default:
		inv.Errorf("invalid %s numbering style: %s", name, inv.QuoteArg(value))
		*wrong = true
	}
}

func (n *nlRun) file(lines *stream.Lines) error {
	for i := 0; ; i++ {
		if i%256 == 0 && n.ctx.Err() != nil {
			return n.ctx.Err()
		}
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		text, _ := stream.Chomp(line, '\n')
		if section, ok := n.delimits(text); ok {
			n.section = section
			if !n.keep {
				n.number, n.overflow = n.start, false
			}
			n.out.WriteByte('\n')
		} else if err := n.text(text); err != nil {
			return err
		}
		if n.out.Err() != nil {
			return stream.ErrStop
		}
	}
}

// delimits tells whether a line begins a section.
func (n *nlRun) delimits(line []byte) (section int, ok bool) {
	if len(n.delimiter) < 2 || len(line)%len(n.delimiter) != 0 {
		return 0, false
	}
	times := len(line) / len(n.delimiter)
	if times < 1 || times > 3 || !bytes.Equal(line, []byte(strings.Repeat(n.delimiter, times))) {
		return 0, false
	}
	return times - 1, true
}

// text writes a line, numbered or not.
func (n *nlRun) text(line []byte) error {
	numbered := false
	switch style := n.styles[n.section]; style.kind {
	case 'a':
		numbered = true
		if n.join > 1 && len(line) == 0 {
			n.blank++
			numbered = n.blank == n.join
		}
		if numbered {
			n.blank = 0
		}
	case 't':
		numbered = len(line) > 0
	case 'p':
		numbered = style.matcher.Match(line)
		if err := style.matcher.Err(); err != nil {
			return err
		}
	}
	if !numbered {
		pad(n.ctx, n.out, ' ', n.width+int64(len(n.separator)))
	} else if !n.writeNumber() {
		n.ended = true
		return stream.ErrStop
	}
	n.out.Write(line)
	n.out.WriteByte('\n')
	return nil
}

// writeNumber answers false when there are no more numbers.
func (n *nlRun) writeNumber() bool {
	if n.overflow {
		return false
	}
	digits := strconv.FormatInt(n.number, 10)
	gap := n.width - int64(len(digits))
	switch n.format {
	case "ln":
		n.out.WriteString(digits)
		pad(n.ctx, n.out, ' ', gap)
	case "rn":
		pad(n.ctx, n.out, ' ', gap)
		n.out.WriteString(digits)
	case "rz":
		if n.number < 0 {
			n.out.WriteByte('-')
			digits = digits[1:]
		}
		pad(n.ctx, n.out, '0', gap)
		n.out.WriteString(digits)
	}
	n.out.WriteString(n.separator)
	next := n.number + n.increment
	n.overflow = (next > n.number) != (n.increment > 0) && n.increment != 0
	n.number = next
	return true
}
