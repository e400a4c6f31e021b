// Package tar is the program tar: GNU tar's create, extract and list.
package tar

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"

	"mirage/shell/pattern"
	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

var spec = getopt.Spec{
	Name:     "tar",
	Synopsis: []string{"[OPTION...] [FILE]..."},
	Summary: "GNU 'tar' saves many files together into a single tape or disk archive, and can\n" +
		"restore individual files from the archive.",
	Status: 2,
	Hint:   "Try '%s --help' or '%s --usage' for more information.",
	Options: []getopt.Option{
		{Short: "c", Long: "create", Help: "create a new archive"},
		{Short: "x", Long: "extract", Help: "extract files from an archive"},
		{Long: "get", Help: "the same as --extract"},
		{Short: "t", Long: "list", Help: "list the contents of an archive"},
		{Short: "f", Long: "file", Arg: getopt.Required, Meta: "ARCHIVE", Help: "use archive file ARCHIVE; - is standard input or output"},
		{Short: "C", Long: "directory", Arg: getopt.Required, Meta: "DIR", Help: "change to directory DIR"},
		{Short: "v", Long: "verbose", Help: "verbosely list files processed"},
		{Short: "z", Long: "gzip", Help: "filter the archive through gzip"},
		{Long: "gunzip", Help: "the same as --gzip"},
		{Long: "ungzip", Help: "the same as --gzip"},
		{Short: "j", Long: "bzip2", Help: "filter the archive through bzip2 (reading only)"},
		{Short: "a", Long: "auto-compress", Help: "use archive suffix to determine the compression program"},
		{Short: "O", Long: "to-stdout", Help: "extract files to standard output"},
		{Short: "k", Long: "keep-old-files", Help: "don't replace existing files when extracting, treat them as errors"},
		{Long: "skip-old-files", Help: "don't replace existing files when extracting, silently skip over them"},
		{Long: "overwrite", Help: "overwrite existing files when extracting"},
		{Short: "p", Long: "preserve-permissions", Help: "extract information about file permissions"},
		{Long: "same-permissions", Help: "the same as --preserve-permissions"},
		{Long: "no-same-permissions", Help: "apply the umask when extracting permissions"},
		{Long: "no-same-owner", Help: "extract files as yourself (the default)"},
		{Short: "m", Long: "touch", Help: "don't extract file modified time"},
		{Short: "h", Long: "dereference", Help: "follow symlinks; archive and dump the files they point to"},
		{Short: "P", Long: "absolute-names", Help: "don't strip leading '/'s from file names"},
		{Short: "T", Long: "files-from", Arg: getopt.Required, Meta: "FILE", Help: "get names to extract or create from FILE"},
		{Long: "exclude", Arg: getopt.Required, Meta: "PATTERN", Help: "exclude files, given as a PATTERN"},
		{Short: "X", Long: "exclude-from", Arg: getopt.Required, Meta: "FILE", Help: "exclude patterns listed in FILE"},
		{Long: "strip-components", Arg: getopt.Required, Meta: "NUMBER", Help: "strip NUMBER leading components from file names on extraction"},
		{Long: "no-recursion", Help: "avoid descending automatically in directories"},
		{Long: "one-file-system", Help: "stay in local file system when creating archive"},
		{Long: "wildcards", Help: "use wildcards when naming members"},
		{Long: "sort", Arg: getopt.Required, Meta: "ORDER", Help: "directory sorting order: none or name (names come sorted here)"},
	},
}

// New answers the program.
func New() *program.Program { return spec.Program(run) }

// operand is a file or member to work on, and the directory that -C put it in.
type operand struct{ dir, name string }

// job is one run of tar.
type job struct {
	inv *program.Invocation
	out *stream.Writer // listings, and files of -O

	mode                    byte
	archive                 string
	verbose                 int
	gzip, bzip2, auto       bool
	stdout, keep, skip      bool
	permissions, touch      bool
	follow, absolute        bool
	noRecursion, oneMount   bool
	wildcards               bool
	strip                   int
	exclude                 []string
	operands                []operand
	dir                     string
	stripped, strippedLinks bool // the notice about leading slashes was given
	status                  int
}

func run(ctx context.Context, inv *program.Invocation) int {
	j := &job{inv: inv, archive: "-", dir: ".", out: stream.Stdout(inv)}
	inv.Args = oldStyle(inv.Args)
	s := spec
	s.Order = getopt.InOrder
	p := s.Parse(inv)
	for p.Next() {
		if !j.option(ctx, p) {
			return p.Status
		}
	}
	if p.Stopped {
		return p.Status
	}
	for _, name := range p.Operands {
		j.add(name)
	}
	switch j.mode {
	case 0:
		return p.Usage("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options")
	case 'c':
		if len(j.operands) == 0 {
			return p.Usage("Cowardly refusing to create an empty archive")
		}
		if j.bzip2 {
			return p.Fail("bzip2 compression is not supported; use -z")
		}
		j.create(ctx)
	default:
		j.read(ctx)
	}
	if j.status != 0 && ctx.Err() == nil && j.status != fatal {
		inv.Errorf("Exiting with failure status due to previous errors")
	}
	return j.out.Close(inv, min(j.status, 2))
}

// fatal is the status of an error that was reported as the end.
const fatal = 3

// oldStyle turns the first word of "tar xzf file" into options: each letter
// that takes an argument has the next word.
func oldStyle(args []string) []string {
	if len(args) == 0 || args[0] == "" || args[0][0] == '-' {
		return args
	}
	letters, rest := args[0], args[1:]
	var out []string
	for _, c := range letters {
		out = append(out, "-"+string(c))
		if strings.ContainsRune("fCTX", c) && len(rest) > 0 {
			out = append(out, rest[0])
			rest = rest[1:]
		}
	}
	return append(out, rest...)
}

func (j *job) add(name string) {
	j.operands = append(j.operands, operand{j.dir, name})
}

// option takes one option or operand; false ends the run.
func (j *job) option(ctx context.Context, p *getopt.Parser) bool {
	value := p.Opt.Value
	switch p.Opt.Name {
	case "":
		j.add(value)
	case "c", "x", "t", "get":
		mode := p.Opt.Name[0]
		if mode == 'g' {
			mode = 'x'
		}
		if j.mode != 0 && j.mode != mode {
			p.Usage("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option")
			return false
		}
		j.mode = mode
	case "f":
		j.archive = value
	case "C":
		j.dir = join(j.dir, value)
	case "v":
		j.verbose++
	case "z", "gunzip", "ungzip":
		j.gzip = true
	case "j":
		j.bzip2 = true
	case "a":
		j.auto = true
	case "O":
		j.stdout = true
	case "k":
		j.keep = true
	case "skip-old-files":
		j.skip = true
	case "p", "same-permissions":
		j.permissions = true
	case "m":
		j.touch = true
	case "h":
		j.follow = true
	case "P":
		j.absolute = true
	case "no-recursion":
		j.noRecursion = true
	case "one-file-system":
		j.oneMount = true
	case "wildcards":
		j.wildcards = true
	case "exclude":
		j.exclude = append(j.exclude, value)
	case "T", "X":
		return j.lines(ctx, p, value)
	case "strip-components":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			p.Usage("Invalid number of elements: %s", j.inv.QuoteArg(value))
			return false
		}
		j.strip = n
	case "sort":
		if value != "none" && value != "name" {
			p.Usage("invalid argument %s for '--sort'", j.inv.QuoteArg(value))
			return false
		}
	}
	return true
}

// lines reads names (-T) or patterns (-X), one a line.
func (j *job) lines(ctx context.Context, p *getopt.Parser, file string) bool {
	r, err := j.inv.OpenOperand(ctx, file)
	if err != nil {
		j.inv.Fail(err, "%s: Cannot open", file)
		j.inv.Errorf("Error is not recoverable: exiting now")
		p.Stopped, p.Status = true, 2
		return false
	}
	defer r.Close()
	for in := stream.NewLines(r, '\n', j.inv.Meter()); ctx.Err() == nil; {
		line, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			j.inv.Fail(err, "%s: Read error", file)
			j.inv.Errorf("Error is not recoverable: exiting now")
			p.Stopped, p.Status = true, 2
			return false
		}
		text, _ := stream.Chomp(line, '\n')
		switch {
		case len(text) == 0:
		case p.Opt.Name == "T":
			j.add(string(text))
		default:
			j.exclude = append(j.exclude, string(text))
		}
	}
	return true
}

// join resolves a name against a directory, as chdir does.
func join(dir, name string) string {
	if strings.HasPrefix(name, "/") || dir == "." {
		return name
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

// excluded tells whether --exclude covers a name or a directory above it. A
// pattern may match after any slash.
func (j *job) excluded(name string) bool {
	name = strings.TrimSuffix(name, "/")
	for _, p := range j.exclude {
		p = strings.TrimSuffix(p, "/")
		for end := range len(name) + 1 {
			if end < len(name) && name[end] != '/' {
				continue
			}
			for start := range end {
				if (start == 0 || name[start-1] == '/') && pattern.Match(p, name[start:end], 0) {
					return true
				}
			}
		}
	}
	return false
}

// fail reports an error about a file and goes on.
func (j *job) fail(err error, format string, args ...any) {
	j.inv.Fail(err, format, args...)
	j.status = max(j.status, 2)
}

// giveUp reports that the archive cannot be worked on.
func (j *job) giveUp(err error, what string) {
	j.inv.Fail(err, "%s", what)
	j.inv.Errorf("Error is not recoverable: exiting now")
	j.status = fatal
}

// relative takes the leading slashes off a member's name, and says so once.
func (j *job) relative(name, what string, told *bool) string {
	if j.absolute {
		return name
	}
	rest := strings.TrimLeft(name, "/")
	if rest != name && !*told {
		*told = true
		j.inv.Errorf("Removing leading `/' from %s", what)
	}
	if rest == "" {
		rest = "./"
	}
	return rest
}

// listTo is where -v writes: not into an archive on standard output.
func (j *job) listTo() io.Writer {
	if j.mode == 'c' && j.archive == "-" || j.stdout {
		return j.inv.Stderr
	}
	return j.out
}

// openArchive opens the archive for writing.
func (j *job) openArchive(ctx context.Context) (io.WriteCloser, error) {
	if j.archive == "-" {
		return nopCloser{j.inv.Stdout}, nil
	}
	return j.inv.Create(ctx, j.archive, os.O_TRUNC)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
