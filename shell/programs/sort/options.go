package sort

import (
	"context"
	"errors"
	"io"
	"strings"

	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
)

var spec = getopt.Spec{
	Name:     "sort",
	Synopsis: []string{"[OPTION]... [FILE]...", "[OPTION]... --files0-from=F"},
	Summary: "Write sorted concatenation of all FILE(s) to standard output.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
	Options: []getopt.Option{
		{Short: "b", Long: "ignore-leading-blanks", Help: "ignore leading blanks"},
		{Short: "d", Long: "dictionary-order", Help: "consider only blanks and alphanumeric characters"},
		{Short: "f", Long: "ignore-case", Help: "fold lower case to upper case characters"},
		{Short: "g", Long: "general-numeric-sort", Help: "compare according to general numerical value"},
		{Short: "i", Long: "ignore-nonprinting", Help: "consider only printable characters"},
		{Short: "M", Long: "month-sort", Help: "compare (unknown) < 'JAN' < ... < 'DEC'"},
		{Short: "h", Long: "human-numeric-sort", Help: "compare human readable numbers (e.g., 2K 1G)"},
		{Short: "n", Long: "numeric-sort", Help: "compare according to string numerical value"},
		{Short: "R", Long: "random-sort", Help: "shuffle, but group identical keys.  See shuf(1)"},
		{Long: "random-source", Arg: getopt.Required, Meta: "FILE", Help: "get random bytes from FILE"},
		{Short: "r", Long: "reverse", Help: "reverse the result of comparisons"},
		{Long: "sort", Arg: getopt.Required, Meta: "WORD", Help: "sort according to WORD:\n" +
			"  general-numeric -g, human-numeric -h, month -M,\n  numeric -n, random -R, version -V"},
		{Short: "V", Long: "version-sort", Help: "natural sort of (version) numbers within text"},
		{Long: "batch-size", Arg: getopt.Required, Meta: "NMERGE", Help: "merge at most NMERGE inputs at once;\nfor more use temp files"},
		{Short: "c", Help: "check for sorted input; do not sort"},
		{Long: "check", Name: "c", Arg: getopt.Optional, Meta: "diagnose-first|quiet|silent", Help: "the same; quiet and silent: like -C"},
		{Short: "C", Help: "like -c, but do not report first bad line"},
		{Long: "compress-program", Arg: getopt.Required, Meta: "PROG", Help: "(ignored) temporaries are not compressed"},
		{Long: "debug", Help: "annotate the part of the line used to sort"},
		{Long: "files0-from", Arg: getopt.Required, Meta: "F", Help: "read input from the files specified by\n" +
			"NUL-terminated names in file F;\nIf F is - then read names from standard input"},
		{Short: "k", Long: "key", Arg: getopt.Required, Meta: "KEYDEF", Help: "sort via a key; KEYDEF gives location and type"},
		{Short: "m", Long: "merge", Help: "merge already sorted files; do not sort"},
		{Short: "o", Long: "output", Arg: getopt.Required, Meta: "FILE", Help: "write result to FILE instead of standard output"},
		{Short: "s", Long: "stable", Help: "stabilize sort by disabling last-resort comparison"},
		{Short: "S", Long: "buffer-size", Arg: getopt.Required, Meta: "SIZE", Help: "use SIZE for main memory buffer"},
		{Short: "t", Long: "field-separator", Arg: getopt.Required, Meta: "SEP", Help: "use SEP instead of non-blank to blank transition"},
		{Short: "T", Long: "temporary-directory", Arg: getopt.Required, Meta: "DIR", Help: "use DIR for temporaries, not $TMPDIR or /tmp;\n" +
			"multiple options specify multiple directories"},
		{Long: "parallel", Arg: getopt.Required, Meta: "N", Help: "change the number of sorts run concurrently to N"},
		{Short: "u", Long: "unique", Help: "with -c, check for strict ordering;\nwithout -c, output only the first of an equal run"},
		{Short: "y", Arg: getopt.Optional, Hidden: true},
		{Short: "z", Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		{Long: traditionalKey, Arg: getopt.Required, Hidden: true},
	},
	Status: statusFailure,
	Epilog: "KEYDEF is F[.C][OPTS][,F[.C][OPTS]] for start and stop position, where F is a\n" +
		"field number and C a character position in the field; both are origin 1, and\n" +
		"the stop position defaults to the line's end.  If neither -t nor -b is in\n" +
		"effect, characters in a field are counted from the beginning of the preceding\n" +
		"whitespace.  OPTS is one or more single-letter ordering options [bdfgiMhnRrV],\n" +
		"which override global ordering options for that key.  If no key is given, use\n" +
		"the entire line as the key.\n\n" +
		"SIZE may be followed by the following multiplicative suffixes:\n" +
		"% 1% of memory, b 1, K 1024 (default), and so on for M, G, T, P, E, Z, Y.",
}

// checkMode is what -c and -C ask for.
type checkMode byte

const (
	checkNone   checkMode = 0
	checkReport checkMode = 'c'
	checkQuiet  checkMode = 'C'
)

// options is what the command line says.
type options struct {
	order  *order
	files  []string
	output string
	temp   string // directory of temporary files
	check  checkMode
	buffer int64 // of -S; 0 when not given
	merge  bool
	unique bool
	debug  bool
	end    byte
}

// parser gathers the options of one run.
type parser struct {
	*getopt.Parser
	job       *job
	global    key
	keys      []*key
	separator int
	stable    bool
	filesFrom string
	hasFrom   bool
	random    string
}

// parse reads the command line. A false answer has been reported.
func (j *job) parse(ctx context.Context, gp *getopt.Parser) bool {
	p := &parser{Parser: gp, job: j, separator: blanks, global: key{startField: wholeLine, endField: lineEnd}}
	j.end = '\n'
	for p.Next() {
		p.option()
	}
	if p.Stopped {
		return false
	}
	j.files = p.Operands
	if p.hasFrom && !p.readFiles(ctx) {
		return false
	}
	if len(j.files) == 0 {
		j.files = []string{"-"}
	}
	if !p.finishKeys(ctx) {
		return false
	}
	if j.check != checkNone {
		if len(j.files) > 1 {
			p.Usage("extra operand %s not allowed with -%c", j.inv.Quote(j.files[1]), j.check)
			return false
		}
		if j.output != "" {
			p.Fail("options '-%co' are incompatible", j.check)
			return false
		}
	}
	return true
}

func (p *parser) option() {
	j, v := p.job, p.Opt.Value
	switch name := p.Opt.Name; name {
	case "b", "d", "f", "g", "i", "M", "h", "n", "R", "r", "V":
		p.global.setOrdering(name, bothEnds)
	case "sort":
		if word, ok := p.OneOf("general-numeric", "human-numeric", "month", "numeric", "random", "version"); ok {
			letters := map[string]string{"general-numeric": "g", "human-numeric": "h", "month": "M", "numeric": "n", "random": "R", "version": "V"}
			p.global.setOrdering(letters[word], bothEnds)
		}
	case "c", "C":
		mode := checkMode(name[0])
		if p.Opt.HasValue {
			word, ok := p.OneOf("quiet silent", "diagnose-first")
			if !ok {
				return
			}
			if word == "quiet" {
				mode = checkQuiet
			}
		}
		if j.check != checkNone && j.check != mode {
			p.Fail("options '-cC' are incompatible")
			return
		}
		j.check = mode
	case "k":
		p.key(v)
	case traditionalKey:
		p.traditionalKey(v)
	case "m":
		j.merge = true
	case "o":
		if j.output != "" && j.output != v {
			p.Fail("multiple output files specified")
		}
		j.output = v
	case "s":
		p.stable = true
	case "S":
		p.bufferSize(v)
	case "t":
		p.fieldSeparator(v)
	case "T":
		if j.temp == "" {
			j.temp = v
		}
	case "u":
		j.unique = true
	case "z":
		j.end = 0
	case "debug":
		j.debug = true
	case "files0-from":
		p.filesFrom, p.hasFrom = v, true
	case "random-source":
		if p.random != "" && p.random != v {
			p.Fail("multiple random sources specified")
		}
		p.random = v
	case "parallel", "batch-size":
		p.count(name, v)
	}
}

// count checks a number that is of no consequence here.
func (p *parser) count(name, v string) {
	n, err := number.Parse(v, "")
	inv := p.job.inv
	switch {
	case err != nil && !errors.Is(err, number.ErrRange):
		p.Fail("invalid --%s argument %s", name, inv.QuoteArg(v))
	case name == "parallel" && n == 0:
		p.Fail("number in parallel must be nonzero")
	case name == "batch-size" && n < 2:
		inv.Errorf("invalid --%s argument %s", name, inv.QuoteArg(v))
		p.Fail("minimum --%s argument is '2'", name)
	}
}

// bufferSize reads the argument of -S.
func (p *parser) bufferSize(v string) {
	if percent, ok := strings.CutSuffix(v, "%"); ok {
		n, err := number.Parse(percent, "")
		if err != nil || n > 100 {
			p.Fail("invalid -S argument %s", p.job.inv.QuoteArg(v))
		}
		p.job.buffer = int64(float64(p.job.inv.Memory.Limit()) * float64(n) / 100)
		return
	}
	if v != "" && strings.Trim(v, "0123456789") == "" {
		v += "K"
	}
	n, err := number.ParseInt(v, "EgGkKmMPtTYZb")
	if strings.HasSuffix(v, "b") && err == nil {
		n /= 512 // here "b" is a byte
	}
	switch {
	case errors.Is(err, number.ErrRange):
		n = 1 << 62
	case errors.Is(err, number.ErrSuffix):
		p.Fail("invalid suffix in -S argument %s", p.job.inv.QuoteArg(p.Opt.Value))
	case err != nil:
		p.Fail("invalid -S argument %s", p.job.inv.QuoteArg(p.Opt.Value))
	}
	p.job.buffer = n
}

func (p *parser) fieldSeparator(v string) {
	inv := p.job.inv
	if v == "" {
		p.Fail("empty tab")
		return
	}
	separator := int(v[0])
	if len(v) > 1 {
		if v != `\0` {
			p.Fail("multi-character tab %s", inv.QuoteArg(v))
			return
		}
		separator = 0
	}
	if p.separator != blanks && p.separator != separator {
		p.Fail("incompatible tabs")
		return
	}
	p.separator = separator
}

// readFiles reads the names of --files0-from.
func (p *parser) readFiles(ctx context.Context) bool {
	inv, from := p.job.inv, p.filesFrom
	if len(p.Operands) > 0 {
		inv.Errorf("extra operand %s", inv.Quote(p.Operands[0]))
		io.WriteString(inv.Stderr, "file operands cannot be combined with --files0-from\n")
		p.Usage("")
		return false
	}
	r, err := inv.OpenOperand(ctx, from)
	if err != nil {
		p.Fail("open failed: %s: %s", inv.QuoteName(from), phrase(err))
		return false
	}
	defer r.Close()
	names := stream.NewLines(r, 0, inv.Meter())
	for n := 1; ; n++ {
		name, err := names.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			p.Fail("%s: read error", inv.QuoteName(from))
			return false
		}
		name, _ = stream.Chomp(name, 0)
		switch {
		case from == "-" && string(name) == "-":
			p.Fail("when reading file names from stdin, no file name of %s allowed", inv.Quote("-"))
			return false
		case len(name) == 0:
			p.Fail("%s:%d: invalid zero-length file name", inv.QuoteName(from), n)
			return false
		}
		p.job.files = append(p.job.files, string(name))
	}
	if len(p.job.files) == 0 {
		p.Fail("no input from %s", inv.Quote(from))
		return false
	}
	return true
}
