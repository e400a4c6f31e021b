// Package split is split(1), as GNU coreutils has it.
package split

import (
	"context"
	"errors"
	"math"
	"strings"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

var spec = getopt.Spec{
	Name:     "split",
	Synopsis: []string{"[OPTION]... [FILE [PREFIX]]"},
	Summary: "Output pieces of FILE to PREFIXaa, PREFIXab, ...;\n" +
		"default size is 1000 lines, and default PREFIX is 'x'.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
	Options: []getopt.Option{
		{Short: "a", Long: "suffix-length", Arg: getopt.Required, Meta: "N", Help: "generate suffixes of length N (default 2)"},
		{Long: "additional-suffix", Arg: getopt.Required, Meta: "SUFFIX", Help: "append an additional SUFFIX to file names"},
		{Short: "b", Long: "bytes", Arg: getopt.Required, Meta: "SIZE", Help: "put SIZE bytes per output file"},
		{Short: "C", Long: "line-bytes", Arg: getopt.Required, Meta: "SIZE", Help: "put at most SIZE bytes of records per output file"},
		{Short: "d", Help: "use numeric suffixes starting at 0, not alphabetic"},
		{Long: "numeric-suffixes", Arg: getopt.Optional, Meta: "FROM", Help: "same as -d, but allow setting the start value"},
		{Short: "x", Help: "use hex suffixes starting at 0, not alphabetic"},
		{Long: "hex-suffixes", Arg: getopt.Optional, Meta: "FROM", Help: "same as -x, but allow setting the start value"},
		{Short: "e", Long: "elide-empty-files", Help: "do not generate empty output files with '-n'"},
		{Long: "filter", Arg: getopt.Required, Meta: "COMMAND", Help: "write to shell COMMAND (not supported)"},
		{Short: "l", Long: "lines", Arg: getopt.Required, Meta: "NUMBER", Help: "put NUMBER lines/records per output file"},
		{Short: "n", Long: "number", Arg: getopt.Required, Meta: "CHUNKS", Help: "generate CHUNKS output files; see explanation below"},
		{Short: "t", Long: "separator", Arg: getopt.Required, Meta: "SEP", Help: "use SEP instead of newline as the record separator;\n'\\0' (zero) specifies the NUL character"},
		{Short: "u", Long: "unbuffered", Help: "immediately copy input to output with '-n r/...'"},
		{Long: "verbose", Help: "print a diagnostic just before each\noutput file is opened"},
	},
	Epilog: "The SIZE argument is an integer and optional unit (example: 10K is 10*1024).\n" +
		"Units are K,M,G,T,P,E,Z,Y (powers of 1024) or KB,MB,... (powers of 1000).\n" +
		"Binary prefixes can be used, too: KiB=K, MiB=M, and so on.\n\n" +
		"CHUNKS may be:\n" +
		"  N       split into N files based on size of input\n" +
		"  K/N     output Kth of N to stdout\n" +
		"  l/N     split into N files without splitting lines/records\n" +
		"  l/K/N   output Kth of N to stdout without splitting lines/records\n" +
		"  r/N     like 'l' but use round robin distribution\n" +
		"  r/K/N   likewise but only output Kth of N to stdout",
}

// Program makes split.
func Program() *program.Program { return spec.Program(run) }

// The ways to split.
const (
	byNothing = iota
	byBytes
	byLineBytes
	byLines
	byChunks
	byLineChunks
	byRoundRobin
)

type splitter struct {
	ctx   context.Context
	inv   *program.Invocation
	way   int
	size  uint64 // bytes or lines of a piece, or the number of chunks
	chunk uint64 // the one that is wanted on standard output, from 1; 0 = files
	elide bool
	sep   byte
	names names
	input string
	info  vfs.Info // of the input, when infoOK
	ok    bool

	verbose    bool
	unbuffered bool
	out        *stream.Writer // standard output
}

func run(ctx context.Context, inv *program.Invocation) int {
	s := &splitter{ctx: ctx, inv: inv, sep: '\n', names: names{alphabet: letters, length: 2, auto: true, prefix: "x"}}
	separator := false
	p := spec.Parse(inv)
	for p.Next() {
		switch value := p.Opt.Value; p.Opt.Name {
		case "a":
			n, err := number.ParseInt(value, "")
			if err != nil || n > math.MaxInt32 {
				return p.Fail("invalid suffix length: %s", inv.QuoteArg(value))
			}
			if s.names.length, s.names.auto = int(n), n == 0; n == 0 {
				s.names.length = 2
			}
			s.names.fixed = n != 0
		case "additional-suffix":
			if strings.Contains(value, "/") {
				return p.Usage("invalid suffix %s, contains directory separator", inv.QuoteArg(value))
			}
			s.names.suffix = value
		case "b":
			s.setSize(p, byBytes, "bytes", number.Bytes)
		case "C":
			s.setSize(p, byLineBytes, "bytes", number.Bytes)
		case "l":
			s.setSize(p, byLines, "lines", "")
		case "n":
			s.setChunks(p)
		case "d", "numeric-suffixes":
			s.names.setNumeric(p, "0123456789", 10, "numerical")
		case "x", "hex-suffixes":
			s.names.setNumeric(p, "0123456789abcdef", 16, "hexadecimal")
		case "e":
			s.elide = true
		case "filter":
			return p.Fail("--filter is not supported")
		case "t":
			switch {
			case value == "":
				return p.Fail("empty record separator")
			case value == `\0`:
				value = "\x00"
			case len(value) > 1:
				return p.Fail("multi-character separator %s", inv.QuoteArg(value))
			}
			if separator && value[0] != s.sep {
				return p.Fail("multiple separator characters specified")
			}
			s.sep, separator = value[0], true
		case "u":
			s.unbuffered = true
		case "verbose":
			s.verbose = true
		}
	}
	if p.Stopped {
		return p.Status
	}
	switch {
	case len(p.Operands) > 2:
		return p.Extra(p.Operands[2])
	case len(p.Operands) == 2:
		s.names.prefix = p.Operands[1]
	}
	if s.way == byNothing {
		s.way, s.size = byLines, 1000
	}
	s.input = append(p.Operands, "-")[0]
	if len(p.Operands) == 0 {
		s.input = "-"
	}
	if s.way >= byChunks {
		s.names.fit(s.size)
	}
	r, err := inv.OpenOperand(ctx, s.input)
	if err != nil {
		inv.Fail(err, "cannot open %s for reading", inv.Quote(s.input))
		return 1
	}
	defer r.Close()
	if s.input != "-" && !inv.IsDescriptor(s.input) {
		if info, err := inv.FS.Stat(ctx, inv.Path(s.input)); err == nil {
			s.info, s.ok = info, true
		}
	}
	s.out = stream.Stdout(inv)
	status := 0
	if err := s.split(r); err != nil && !errors.Is(err, stream.ErrStop) {
		s.out.Flush()
		s.report(err)
		status = 1
	}
	return s.out.Close(inv, status)
}

// failure is an error with the words that go before its phrase.
type failure struct {
	text string
	err  error
}

func (f failure) Error() string { return f.text }

func (s *splitter) report(err error) {
	var f failure
	switch {
	case errors.As(err, &f) && f.err == nil:
		s.inv.Errorf("%s", f.text)
	case errors.As(err, &f):
		s.inv.Fail(f.err, "%s", f.text)
	case s.ctx.Err() == nil:
		s.inv.FileError(s.input, err)
	}
}

func (s *splitter) setWay(p *getopt.Parser, way int) bool {
	if s.way != byNothing {
		p.Usage("cannot split in more than one way")
		return false
	}
	s.way = way
	return true
}

func (s *splitter) setSize(p *getopt.Parser, way int, what, suffixes string) {
	if s.setWay(p, way) {
		s.size = s.count(p, "number of "+what, p.Opt.Value, suffixes)
	}
}

// count reads a number that is not 0.
func (s *splitter) count(p *getopt.Parser, what, text, suffixes string) uint64 {
	n, err := number.Parse(text, suffixes)
	switch {
	case errors.Is(err, number.ErrRange):
		return math.MaxUint64 // more than there is
	case err != nil:
		p.Fail("invalid %s: %s", what, s.inv.QuoteArg(text))
	case n == 0:
		p.FailErr(syscall.ERANGE, "invalid %s: %s", what, s.inv.QuoteArg(text))
	}
	return n
}

// setChunks reads the argument of -n.
func (s *splitter) setChunks(p *getopt.Parser) {
	text, way := p.Opt.Value, byChunks
	if rest, ok := strings.CutPrefix(text, "l/"); ok {
		text, way = rest, byLineChunks
	} else if rest, ok := strings.CutPrefix(text, "r/"); ok {
		text, way = rest, byRoundRobin
	}
	if !s.setWay(p, way) {
		return
	}
	chunk, total, ok := strings.Cut(text, "/")
	if !ok {
		s.size = s.count(p, "number of chunks", text, "")
		return
	}
	if s.size = s.count(p, "number of chunks", total, ""); p.Stopped {
		return
	}
	if s.chunk = s.count(p, "chunk number", chunk, ""); !p.Stopped && s.chunk > s.size {
		p.FailErr(syscall.ERANGE, "invalid chunk number: %s", s.inv.QuoteArg(chunk))
	}
}
