// Package diff is the command diff, after GNU diffutils 3.8.
//
// Two texts are cut into lines, equal lines get one number (lines.go), the
// changed lines are found among the numbers (discard.go, compare.go, shift.go),
// joined to a script of changes and shown in one of the styles. dirs.go walks
// directories.
package diff

import (
	"context"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

// Program answers diff.
func Program() *program.Program { return spec.Program(run) }

// Exit statuses.
const (
	same    = 0
	differ  = 1
	trouble = 2
)

var spec = getopt.Spec{
	Name:     "diff",
	Synopsis: []string{"[OPTION]... FILES"},
	Summary:  "Compare FILES line by line.",
	Status:   trouble,
	Hint:     "%s: Try '%s --help' for more information.",
	Options: []getopt.Option{
		{Long: "normal", Help: "output a normal diff (the default)"},
		{Short: "q", Long: "brief", Help: "report only when files differ"},
		{Short: "s", Long: "report-identical-files", Help: "report when two files are the same"},
		{Short: "c", Help: "output 3 lines of copied context"},
		{Short: "C", Arg: getopt.Required, Meta: "NUM", Help: "output NUM lines of copied context"},
		{Long: "context", Arg: getopt.Optional, Meta: "NUM", Help: "output NUM (default 3) lines of copied context"},
		{Short: "u", Help: "output 3 lines of unified context"},
		{Short: "U", Arg: getopt.Required, Meta: "NUM", Help: "output NUM lines of unified context"},
		{Long: "unified", Arg: getopt.Optional, Meta: "NUM", Help: "output NUM (default 3) lines of unified context"},
		{Short: "e", Long: "ed", Help: "output an ed script"},
		{Short: "f", Long: "forward-ed", Help: "output a script like ed's, in forward order"},
		{Short: "n", Long: "rcs", Help: "output an RCS format diff"},
		{Short: "y", Long: "side-by-side", Help: "output in two columns"},
		{Short: "W", Long: "width", Arg: getopt.Required, Meta: "NUM", Help: "output at most NUM (default 130) print columns"},
		{Long: "left-column", Help: "output only the left column of common lines"},
		{Long: "suppress-common-lines", Help: "do not output common lines"},
		{Short: "p", Long: "show-c-function", Help: "show which C function each change is in"},
		{Short: "F", Long: "show-function-line", Arg: getopt.Required, Meta: "RE", Help: "show the most recent line matching RE"},
		{Long: "label", Arg: getopt.Required, Meta: "LABEL", Help: "use LABEL instead of file name and timestamp\n(can be repeated)"},
		{Short: "L", Name: "label", Arg: getopt.Required, Hidden: true},
		{Short: "t", Long: "expand-tabs", Help: "expand tabs to spaces in output"},
		{Short: "T", Long: "initial-tab", Help: "make tabs line up by prepending a tab"},
		{Long: "tabsize", Arg: getopt.Required, Meta: "NUM", Help: "tab stops every NUM (default 8) print columns"},
		{Long: "suppress-blank-empty", Help: "suppress space or tab before empty output lines"},
		{Short: "r", Long: "recursive", Help: "recursively compare any subdirectories found"},
		{Long: "no-dereference", Help: "don't follow symbolic links"},
		{Short: "N", Long: "new-file", Help: "treat absent files as empty"},
		{Short: "P", Long: "unidirectional-new-file", Help: "treat absent first files as empty"},
		{Long: "ignore-file-name-case", Help: "ignore case when comparing file names"},
		{Long: "no-ignore-file-name-case", Help: "consider case when comparing file names"},
		{Short: "x", Long: "exclude", Arg: getopt.Required, Meta: "PAT", Help: "exclude files that match PAT"},
		{Short: "X", Long: "exclude-from", Arg: getopt.Required, Meta: "FILE", Help: "exclude files that match any pattern in FILE"},
		{Short: "S", Long: "starting-file", Arg: getopt.Required, Meta: "FILE", Help: "start with FILE when comparing directories"},
		{Long: "from-file", Arg: getopt.Required, Meta: "FILE1", Help: "compare FILE1 to all operands;\nFILE1 can be a directory"},
		{Long: "to-file", Arg: getopt.Required, Meta: "FILE2", Help: "compare all operands to FILE2;\nFILE2 can be a directory"},
		{Short: "i", Long: "ignore-case", Help: "ignore case differences in file contents"},
		{Short: "E", Long: "ignore-tab-expansion", Help: "ignore changes due to tab expansion"},
		{Short: "Z", Long: "ignore-trailing-space", Help: "ignore white space at line end"},
		{Short: "b", Long: "ignore-space-change", Help: "ignore changes in the amount of white space"},
		{Short: "w", Long: "ignore-all-space", Help: "ignore all white space"},
		{Short: "B", Long: "ignore-blank-lines", Help: "ignore changes where lines are all blank"},
		{Short: "I", Long: "ignore-matching-lines", Arg: getopt.Required, Meta: "RE", Help: "ignore changes where all lines match RE"},
		{Short: "a", Long: "text", Help: "treat all files as text"},
		{Long: "strip-trailing-cr", Help: "strip trailing carriage return on input"},
		{Short: "D", Long: "ifdef", Arg: getopt.Required, Meta: "NAME", Help: "output merged file with '#ifdef NAME' diffs"},
		{Long: "old-group-format", Arg: getopt.Required, Meta: "GFMT", Help: "format groups of lines only FILE1 has with GFMT"},
		{Long: "new-group-format", Arg: getopt.Required, Meta: "GFMT", Help: "format groups of lines only FILE2 has with GFMT"},
		{Long: "unchanged-group-format", Arg: getopt.Required, Meta: "GFMT", Help: "format groups of common lines with GFMT"},
		{Long: "changed-group-format", Arg: getopt.Required, Meta: "GFMT", Help: "format groups of changed lines with GFMT"},
		{Long: "line-format", Arg: getopt.Required, Meta: "LFMT", Help: "format all input lines with LFMT"},
		{Long: "old-line-format", Arg: getopt.Required, Meta: "LFMT", Help: "format lines that only FILE1 has with LFMT"},
		{Long: "new-line-format", Arg: getopt.Required, Meta: "LFMT", Help: "format lines that only FILE2 has with LFMT"},
		{Long: "unchanged-line-format", Arg: getopt.Required, Meta: "LFMT", Help: "format common lines with LFMT"},
		{Short: "d", Long: "minimal", Help: "try hard to find a smaller set of changes"},
		{Long: "horizon-lines", Arg: getopt.Required, Meta: "NUM", Help: "keep NUM lines of the common prefix and suffix"},
		{Short: "H", Long: "speed-large-files", Help: "assume large files and many scattered small changes\n(has no effect)"},
		{Long: "color", Arg: getopt.Optional, Meta: "WHEN", Help: "color output; WHEN is 'never', 'always', or 'auto';\nplain --color means --color='auto'"},
		{Short: "0", Hidden: true}, {Short: "1", Hidden: true}, {Short: "2", Hidden: true}, {Short: "3", Hidden: true}, {Short: "4", Hidden: true},
		{Short: "5", Hidden: true}, {Short: "6", Hidden: true}, {Short: "7", Hidden: true}, {Short: "8", Hidden: true}, {Short: "9", Hidden: true},
		{Short: "v", Help: "output version information and exit"},
	},
	Epilog: `GFMT may contain %< (lines from FILE1), %> (lines from FILE2), %= (common
lines), %[-][WIDTH][.[PREC]]{doxX}LETTER and %(A=B?T:E), where LETTER is
F (first line), L (last line), N (number of lines), E (F-1) or M (L+1), in
lower case for FILE1. LFMT may contain %L, %l (without newline) and
%[-][WIDTH][.[PREC]]{doxX}n (line number). Both may contain %%, %c'C' and
%c'\OOO'.

FILES are 'FILE1 FILE2' or 'DIR1 DIR2' or 'DIR FILE' or 'FILE DIR'.
If --from-file or --to-file is given, there are no restrictions on FILE(s).
If a FILE is '-', read standard input.
Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.`,
}

// command is one run of diff.
type command struct {
	options
	ctx context.Context
	inv *program.Invocation
	out *stream.Writer
	// stdin is what "-" held: it is read once.
	stdin     []byte
	stdinRead bool
	stdinErr  error
	held      *stream.Held // what the files take that are being compared
}

func run(ctx context.Context, inv *program.Invocation) int {
	c := &command{ctx: ctx, inv: inv, out: stream.Stdout(inv), held: stream.NewHeld(inv)}
	p := spec.Parse(inv)
	if !c.parse(p) {
		return p.Status
	}
	status := same
	switch n := len(p.Operands); {
	case c.fromFile != "":
		for _, name := range p.Operands {
			status = max(status, c.operands(c.fromFile, name))
		}
	case c.toFile != "":
		for _, name := range p.Operands {
			status = max(status, c.operands(name, c.toFile))
		}
	case n < 2:
		last := inv.Name
		if n == 1 {
			last = p.Operands[0]
		}
		return p.Usage("missing operand after %s", inv.QuoteArg(last))
	case n > 2:
		return p.Usage("extra operand %s", inv.QuoteArg(p.Operands[2]))
	default:
		status = c.operands(p.Operands[0], p.Operands[1])
	}
	if err := c.out.Flush(); err != nil {
		return max(inv.WriteError(err), trouble)
	}
	return status
}

// errorf reports something after what was printed so far.
func (c *command) errorf(format string, args ...any) {
	_ = c.out.Flush()
	c.inv.Errorf(format, args...)
}

// fileError reports an error of a file. diff does not quote names.
func (c *command) fileError(name string, err error) int {
	_ = c.out.Flush()
	c.inv.Fail(err, "%s", name)
	return trouble
}
