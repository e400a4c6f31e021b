// Package grep is the commands grep, egrep and fgrep, after GNU grep 3.8.
package grep

import (
	"context"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

// Exit statuses.
const (
	statusSelected = 0
	statusNone     = 1
	statusTrouble  = 2
)

// Programs answers grep and its two older names.
func Programs() []*program.Program {
	g := spec.Program(func(ctx context.Context, inv *program.Invocation) int { return run(ctx, inv, "") })
	e := spec.Program(func(ctx context.Context, inv *program.Invocation) int { return run(ctx, inv, "E") })
	f := spec.Program(func(ctx context.Context, inv *program.Invocation) int { return run(ctx, inv, "F") })
	e.Name, f.Name = "egrep", "fgrep"
	return []*program.Program{g, e, f}
}

var spec = getopt.Spec{
	Name:     "grep",
	Synopsis: []string{"[OPTION]... PATTERNS [FILE]..."},
	Summary: "Search for PATTERNS in each FILE.\n" +
		"Example: grep -i 'hello world' menu.h main.c\n" +
		"PATTERNS can contain multiple patterns separated by newlines.",
	Status: statusTrouble,
	Hint:   "Usage: %s [OPTION]... PATTERNS [FILE]...\nTry '%s --help' for more information.",
	Epilog: "When FILE is '-', read standard input.  With no FILE, read '.' if\n" +
		"recursive, '-' otherwise.  With fewer than two FILEs, assume -h.\n" +
		"Exit status is 0 if any line is selected, 1 otherwise;\n" +
		"if any error occurs and -q is not given, the exit status is 2.",
	Options: []getopt.Option{
		{Short: "E", Long: "extended-regexp", Help: "PATTERNS are extended regular expressions"},
		{Short: "F", Long: "fixed-strings", Help: "PATTERNS are strings"},
		{Short: "G", Long: "basic-regexp", Help: "PATTERNS are basic regular expressions"},
		{Short: "P", Long: "perl-regexp", Help: "PATTERNS are Perl regular expressions"},
		{Short: "e", Long: "regexp", Arg: getopt.Required, Meta: "PATTERNS", Help: "use PATTERNS for matching"},
		{Short: "f", Long: "file", Arg: getopt.Required, Meta: "FILE", Help: "take PATTERNS from FILE"},
		{Short: "i", Long: "ignore-case", Help: "ignore case distinctions in patterns and data"},
		{Short: "y", Name: "i", Hidden: true},
		{Long: "no-ignore-case", Help: "do not ignore case distinctions (default)"},
		{Short: "w", Long: "word-regexp", Help: "match only whole words"},
		{Short: "x", Long: "line-regexp", Help: "match only whole lines"},
		{Short: "z", Long: "null-data", Help: "a data line ends in 0 byte, not newline"},
		{Short: "s", Long: "no-messages", Help: "suppress error messages"},
		{Short: "v", Long: "invert-match", Help: "select non-matching lines"},
		{Short: "m", Long: "max-count", Arg: getopt.Required, Meta: "NUM", Help: "stop after NUM selected lines"},
		{Short: "b", Long: "byte-offset", Help: "print the byte offset with output lines"},
		{Short: "n", Long: "line-number", Help: "print line number with output lines"},
		{Long: "line-buffered", Help: "flush output on every line"},
		{Short: "H", Long: "with-filename", Help: "print file name with output lines"},
		{Short: "h", Long: "no-filename", Help: "suppress the file name prefix on output"},
		{Long: "label", Arg: getopt.Required, Meta: "LABEL", Help: "use LABEL as the standard input file name prefix"},
		{Short: "o", Long: "only-matching", Help: "show only nonempty parts of lines that match"},
		{Short: "q", Long: "quiet", Help: "suppress all normal output"},
		{Long: "silent", Name: "q", Hidden: true},
		{Long: "binary-files", Arg: getopt.Required, Meta: "TYPE", Help: "assume that binary files are TYPE;\nTYPE is 'binary', 'text', or 'without-match'"},
		{Short: "a", Long: "text", Help: "equivalent to --binary-files=text"},
		{Short: "I", Help: "equivalent to --binary-files=without-match"},
		{Short: "d", Long: "directories", Arg: getopt.Required, Meta: "ACTION", Help: "how to handle directories;\nACTION is 'read', 'recurse', or 'skip'"},
		{Short: "D", Long: "devices", Arg: getopt.Required, Meta: "ACTION", Help: "how to handle devices, FIFOs and sockets;\nACTION is 'read' or 'skip'"},
		{Short: "r", Long: "recursive", Help: "like --directories=recurse"},
		{Short: "R", Long: "dereference-recursive", Help: "likewise, but follow all symlinks"},
		{Long: "include", Arg: getopt.Required, Meta: "GLOB", Help: "search only files that match GLOB (a file pattern)"},
		{Long: "exclude", Arg: getopt.Required, Meta: "GLOB", Help: "skip files that match GLOB"},
		{Long: "exclude-from", Arg: getopt.Required, Meta: "FILE", Help: "skip files that match any file pattern from FILE"},
		{Long: "exclude-dir", Arg: getopt.Required, Meta: "GLOB", Help: "skip directories that match GLOB"},
		{Short: "L", Long: "files-without-match", Help: "print only names of FILEs with no selected lines"},
		{Short: "l", Long: "files-with-matches", Help: "print only names of FILEs with selected lines"},
		{Short: "c", Long: "count", Help: "print only a count of selected lines per FILE"},
		{Short: "T", Long: "initial-tab", Help: "make tabs line up (if needed)"},
		{Short: "Z", Long: "null", Help: "print 0 byte after FILE name"},
		{Short: "B", Long: "before-context", Arg: getopt.Required, Meta: "NUM", Help: "print NUM lines of leading context"},
		{Short: "A", Long: "after-context", Arg: getopt.Required, Meta: "NUM", Help: "print NUM lines of trailing context"},
		{Short: "C", Long: "context", Arg: getopt.Required, Meta: "NUM", Help: "print NUM lines of output context"},
		{Short: "0", Hidden: true}, {Short: "1", Hidden: true}, {Short: "2", Hidden: true}, {Short: "3", Hidden: true},
		{Short: "4", Hidden: true}, {Short: "5", Hidden: true}, {Short: "6", Hidden: true}, {Short: "7", Hidden: true},
		{Short: "8", Hidden: true}, {Short: "9", Hidden: true},
		{Long: "group-separator", Arg: getopt.Required, Meta: "SEP", Help: "print SEP on line between matches with context"},
		{Long: "no-group-separator", Help: "do not print separator for matches with context"},
		{Long: "color", Arg: getopt.Optional, Meta: "WHEN", Help: "use markers to highlight the matching strings;\nWHEN is 'always', 'never', or 'auto'"},
		{Long: "colour", Name: "color", Arg: getopt.Optional, Hidden: true},
		{Short: "U", Long: "binary", Help: "do not strip CR characters at EOL (MSDOS/Windows)"},
		{Short: "u", Long: "unix-byte-offsets", Hidden: true},
		{Short: "V", Long: "version", Help: "display version information and exit"},
	},
}

func run(ctx context.Context, inv *program.Invocation, dialect string) int {
	o, operands, status := parseOptions(ctx, inv, dialect)
	if o == nil {
		return status
	}
	m, err := o.compile(ctx)
	if err != nil {
		inv.Errorf("%s", err)
		return statusTrouble
	}
	g := &grep{
		options: *o,
		ctx:     ctx,
		inv:     inv,
		matcher: m,
	}
	g.out = printer{options: &g.options, w: stream.Stdout(inv), colors: o.colors}
	found := g.operands(operands)
	if err := g.out.w.Flush(); err != nil && ctx.Err() == nil {
		if status := inv.WriteError(err); status == program.SIGPIPEStatus {
			return status
		}
		return statusTrouble
	}
	switch {
	case found && o.quiet:
		return statusSelected
	case g.trouble:
		return statusTrouble
	case found:
		return statusSelected
	}
	return statusNone
}
