package grep

import (
	"context"
	"errors"
	"math"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
)

// binaryFiles says what is done with a file that is not text.
type binaryFiles int

const (
	binaryNotice binaryFiles = iota
	binaryText
	binaryWithoutMatch
)

// directories says what is done with a directory.
type directories int

const (
	directoriesRead directories = iota
	directoriesRecurse
	directoriesSkip
)

type options struct {
	dialect    string // G E F P
	warnings   []string
	patterns   []string
	ignoreCase bool
	wholeWord  bool
	wholeLine  bool
	nullData   bool
	utf8       bool

	invert       bool
	maxCount     int64
	quiet        bool
	count        bool
	listMatching bool // -l
	listOthers   bool // -L
	onlyMatching bool
	binary       binaryFiles
	suppress     bool // -s

	byteOffset   bool
	lineNumber   bool
	withName     bool
	noName       bool // not even below a directory
	initialTab   bool
	nullName     bool
	lineBuffered bool
	label        string
	before       int64 // lines of context, -1 when none was asked for
	after        int64
	separator    string
	noSeparator  bool
	colors       *colors

	directories directories
	skipDevices bool
	followLinks bool
	globs       globs
}

// delimiter ends a line.
func (o *options) delimiter() byte {
	if o.nullData {
		return 0
	}
	return '\n'
}

// optionParser is what only matters while options are read.
type optionParser struct {
	*options
	ctx      context.Context
	inv      *program.Invocation
	p        *getopt.Parser
	context  int64
	digits   string
	keys     []string
	haveKeys bool
	withName int // -1 for -h, 1 for -H
	color    string
}

// parseOptions reads the command line; without options there is nothing left
// to do but answer the status.
func parseOptions(ctx context.Context, inv *program.Invocation, dialect string) (*options, []string, int) {
	q := &optionParser{
		options: &options{dialect: dialect, maxCount: math.MaxInt64, label: "(standard input)", before: -1, after: -1, separator: "--", utf8: inv.UTF8()},
		ctx:     ctx, inv: inv, p: spec.Parse(inv), context: -1,
	}
	o := q.options
	for q.p.Next() {
		if status := q.option(q.p.Opt); status >= 0 {
			return nil, nil, status
		}
	}
	if q.p.Stopped {
		return nil, nil, q.p.Status
	}
	operands := q.p.Operands
	if !q.haveKeys {
		if len(operands) == 0 {
			q.p.Usage("")
			return nil, nil, statusTrouble
		}
		q.addKeys(operands[0])
		operands = operands[1:]
	}
	o.patterns = q.keys
	if o.before < 0 {
		o.before = q.context
	}
	if o.after < 0 {
		o.after = q.context
	}
	if o.dialect == "" {
		o.dialect = "G"
	}
	if status := q.chooseColors(); status >= 0 {
		return nil, nil, status
	}
	if o.maxCount == 0 {
		return nil, nil, statusNone
	}
	if o.quiet {
		o.listMatching, o.listOthers = false, false
	}
	if o.quiet || o.listMatching || o.listOthers {
		o.count = false
	}
	o.withName = q.withName > 0 || q.withName == 0 && len(operands) > 1
	o.noName = q.withName < 0
	return o, operands, 0
}

// option takes one option; a status that is not negative ends the run.
func (q *optionParser) option(opt getopt.Opt) int {
	o := q.options
	switch opt.Name {
	case "E", "F", "G", "P":
		return q.setDialect(opt.Name)
	case "e":
		q.addKeys(opt.Value)
	case "f":
		return q.keysFrom(opt.Value)
	case "i":
		o.ignoreCase = true
	case "no-ignore-case":
		o.ignoreCase = false
	case "w":
		o.wholeWord = true
	case "x":
		o.wholeLine = true
	case "z":
		o.nullData = true
	case "s":
		o.suppress = true
	case "v":
		o.invert = true
	case "m":
		return q.setMaxCount(opt.Value)
	case "b":
		o.byteOffset = true
	case "n":
		o.lineNumber = true
	case "line-buffered":
		o.lineBuffered = true
	case "H":
		q.withName = 1
	case "h":
		q.withName = -1
	case "label":
		o.label = opt.Value
	case "o":
		o.onlyMatching = true
	case "q":
		o.quiet = true
	case "a":
		o.binary = binaryText
	case "I":
		o.binary = binaryWithoutMatch
	case "L":
		o.listOthers, o.listMatching = true, false
	case "l":
		o.listMatching, o.listOthers = true, false
	case "c":
		o.count = true
	case "T":
		o.initialTab = true
	case "Z":
		o.nullName = true
	case "A":
		return q.contextLength(opt.Value, &o.after)
	case "B":
		return q.contextLength(opt.Value, &o.before)
	case "C":
		return q.contextLength(opt.Value, &q.context)
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9":
		if opt.First {
			q.digits = ""
		}
		q.digits += opt.Name
		return q.contextLength(q.digits, &q.context)
	case "group-separator":
		o.separator, o.noSeparator = opt.Value, false
	case "no-group-separator":
		o.noSeparator = true
	case "U":
		// Text and binary files are the same here.
	case "u":
		q.inv.Errorf("warning: --unix-byte-offsets (-u) is obsolete")
	case "V":
		spec.WriteVersion(q.inv.Stdout, q.inv.Name)
		return 0
	default:
		return q.fileOption(opt)
	}
	return -1
}

// fileOption takes the options about which files are read and how.
func (q *optionParser) fileOption(opt getopt.Opt) int {
	o := q.options
	switch opt.Name {
	case "binary-files":
		kinds := map[string]binaryFiles{"binary": binaryNotice, "text": binaryText, "without-match": binaryWithoutMatch}
		kind, ok := kinds[opt.Value]
		if !ok {
			return q.p.Fail("unknown binary-files type")
		}
		o.binary = kind
	case "d":
		word, ok := q.p.OneOf("read", "recurse", "skip")
		if !ok {
			return 1
		}
		o.directories = map[string]directories{"read": directoriesRead, "recurse": directoriesRecurse, "skip": directoriesSkip}[word]
	case "D":
		if opt.Value != "read" && opt.Value != "skip" {
			return q.p.Fail("unknown devices method")
		}
		o.skipDevices = opt.Value == "skip"
	case "r":
		o.directories, o.followLinks = directoriesRecurse, false
	case "R":
		o.directories, o.followLinks = directoriesRecurse, true
	case "include":
		o.globs.addFile(opt.Value, true)
	case "exclude":
		o.globs.addFile(opt.Value, false)
	case "exclude-from":
		text, err := q.read(opt.Value)
		if err != nil {
			q.inv.FileError(opt.Value, err)
			return statusTrouble
		}
		for _, line := range strings.Split(text, "\n") {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				o.globs.addFile(line, false)
			}
		}
	case "exclude-dir":
		o.globs.addDir(opt.Value)
	case "color":
		q.color = "auto"
		if opt.HasValue {
			q.color = opt.Value
		}
		switch q.color {
		case "always", "yes", "force", "never", "no", "none", "auto", "tty", "if-tty":
		default:
			spec.WriteHelp(q.inv.Stdout, q.inv.Name)
			return 0
		}
	}
	return -1
}

func (q *optionParser) setDialect(d string) int {
	if q.dialect != "" && q.dialect != d && (q.dialect == "P" || d == "P" || q.dialect == "F" || d == "F") {
		return q.p.Fail("conflicting matchers specified")
	}
	q.dialect = d
	return -1
}

// addKeys adds one or more patterns, separated by newlines.
func (q *optionParser) addKeys(text string) {
	q.haveKeys = true
	q.keys = append(q.keys, strings.Split(text, "\n")...)
}

func (q *optionParser) keysFrom(name string) int {
	text, err := q.read(name)
	if err != nil {
		q.inv.FileError(name, err)
		return statusTrouble
	}
	q.haveKeys = true
	if text != "" {
		q.addKeys(strings.TrimSuffix(text, "\n"))
	}
	return -1
}

// read reads a whole file, or standard input for "-".
func (q *optionParser) read(name string) (string, error) {
	r, err := q.inv.OpenOperand(q.ctx, name)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := stream.NewHeld(q.inv).ReadAll(q.ctx, r)
	return string(text), err
}

func (q *optionParser) setMaxCount(text string) int {
	negative := strings.HasPrefix(text, "-")
	n, err := number.Parse(strings.TrimPrefix(text, "-"), number.Bytes)
	switch {
	case err != nil && !errors.Is(err, number.ErrRange):
		return q.p.Fail("invalid max count")
	case negative || n > math.MaxInt64:
		q.maxCount = math.MaxInt64
	default:
		q.maxCount = int64(n)
	}
	return -1
}

func (q *optionParser) contextLength(text string, n *int64) int {
	v, err := number.Parse(text, number.Bytes)
	if err != nil && !errors.Is(err, number.ErrRange) {
		return q.p.Fail("%s: invalid context length argument", text)
	}
	*n = int64(min(v, math.MaxInt64))
	return -1
}
