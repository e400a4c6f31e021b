package programs

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/shell/program/walk"
	"mirage/vfs"
)

var gzipOptionRows = []getopt.Option{
	{Short: "a", Long: "ascii", Hidden: true},
	{Short: "b", Arg: getopt.Required, Hidden: true},
	{Short: "c", Long: "stdout", Help: "write on standard output, keep original files unchanged"},
	{Long: "to-stdout", Name: "c", Hidden: true},
	{Short: "d", Long: "decompress", Help: "decompress"},
	{Long: "uncompress", Name: "d", Hidden: true},
	{Short: "f", Long: "force", Help: "force overwrite of output file and compress links"},
	{Short: "h", Long: "help", Help: "give this help"},
	{Short: "k", Long: "keep", Help: "keep (don't delete) input files"},
	{Short: "l", Long: "list", Help: "list compressed file contents"},
	{Short: "n", Long: "no-name", Help: "do not save or restore the original name and timestamp"},
	{Short: "N", Long: "name", Help: "save or restore the original name and timestamp"},
	{Short: "q", Long: "quiet", Help: "suppress all warnings"},
	{Long: "silent", Name: "q", Hidden: true},
	{Short: "r", Long: "recursive", Help: "operate recursively on directories"},
	{Long: "rsyncable", Help: "make rsync-friendly archive (no effect)"},
	{Short: "S", Long: "suffix", Arg: getopt.Required, Meta: "SUF", Help: "use suffix SUF on compressed files"},
	{Long: "synchronous", Help: "synchronous output (safer if system crashes, but slower)"},
	{Short: "t", Long: "test", Help: "test compressed file integrity"},
	{Short: "v", Long: "verbose", Help: "verbose mode"},
	{Short: "V", Long: "version", Help: "display version number"},
	{Short: "1", Long: "fast", Help: "compress faster"},
	{Short: "2", Hidden: true}, {Short: "3", Hidden: true}, {Short: "4", Hidden: true}, {Short: "5", Hidden: true},
	{Short: "6", Hidden: true}, {Short: "7", Hidden: true}, {Short: "8", Hidden: true},
	{Short: "9", Long: "best", Help: "compress better"},
}

// gzipSpec makes the command line of gzip, gunzip or zcat.
func gzipSpec(name, summary string) getopt.Spec {
	return getopt.Spec{
		Name:       name,
		Synopsis:   []string{"[OPTION]... [FILE]..."},
		Summary:    summary,
		Options:    gzipOptionRows,
		Epilog:     "With no FILE, or when FILE is -, read standard input.",
		Hint:       "Try `gzip --help' for more information.",
		NoStandard: true,
	}
}

// gzipPrograms lists gzip and the two scripts that come with it.
func gzipPrograms() []*program.Program {
	make := func(name, summary string, d gzipOptions) *program.Program {
		s := gzipSpec(name, summary)
		return s.Program(func(ctx context.Context, inv *program.Invocation) int { return runGzip(ctx, inv, &s, d) })
	}
	return []*program.Program{
		make("gzip", "Compress or uncompress FILEs (by default, compress FILES in-place).", gzipOptions{}),
		make("gunzip", "Uncompress FILEs (by default, in-place).", gzipOptions{decompress: true}),
		make("zcat", "Uncompress FILEs to standard output.", gzipOptions{decompress: true, stdout: true}),
	}
}

type gzipOptions struct {
	stdout, decompress, force, keep, list, quiet, recursive, sync, test bool
	verbose                                                             int
	names                                                               int // 1 -N, -1 -n, 0 neither
	suffix                                                              string
	level                                                               int
}

// gzipRun is one run. Its status is 0, 1 after an error, 2 after a warning.
type gzipRun struct {
	gzipOptions
	ctx    context.Context
	inv    *program.Invocation
	out    *stream.Writer
	status int

	listed             int // rows of -l so far
	totalIn, totalOut  int64
	lastHeader         int64
	terminalIn, ttyOut bool
}

func runGzip(ctx context.Context, inv *program.Invocation, spec *getopt.Spec, o gzipOptions) int {
	// gunzip and zcat run gzip, which speaks under its own name.
	named := *inv
	named.Name = "gzip"
	inv = &named
	g := &gzipRun{gzipOptions: o, ctx: ctx, inv: inv, out: stream.Stdout(inv)}
	g.suffix, g.level = ".gz", 6
	_, _, g.ttyOut = inv.Terminal(1)
	_, _, g.terminalIn = inv.Terminal(0)
	args := inv.Args
	if env := strings.Fields(inv.Getenv("GZIP")); len(env) > 0 {
		inv.Errorf("warning: GZIP environment variable is deprecated; use an alias or script")
		args = append(env, args...)
	}
	p := spec.ParseArgs(inv, args)
	for p.Next() {
		if done, status := g.option(p, spec); done {
			return status
		}
	}
	if p.Stopped {
		return p.Status
	}
	if g.suffix == "" || len(g.suffix) > 30 {
		inv.Errorf("invalid suffix '%s'", g.suffix)
		return 1
	}
	operands := p.Operands
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	for _, name := range operands {
		if ctx.Err() != nil || g.out.Err() != nil {
			break
		}
		if name == "-" {
			g.stdin()
		} else {
			g.operand(name)
		}
	}
	if g.list && !g.quiet && g.listed > 1 {
		g.listTotals()
	}
	return g.out.Close(inv, g.status)
}

func (g *gzipRun) option(p *getopt.Parser, spec *getopt.Spec) (done bool, status int) {
	switch name := p.Opt.Name; name {
	case "a":
		p.Warn("option --ascii ignored on this system")
	case "c":
		g.stdout = true
	case "d":
		g.decompress = true
	case "f":
		g.force = true
	case "h":
		spec.WriteHelp(g.out, "gzip")
		return true, g.out.Close(g.inv, 0)
	case "k":
		g.keep = true
	case "l":
		g.list, g.decompress, g.stdout = true, true, true
	case "n":
		g.names = -1
	case "N":
		g.names = 1
	case "q":
		g.quiet, g.verbose = true, 0
	case "r":
		g.recursive = true
	case "S":
		g.suffix = p.Opt.Value
	case "synchronous":
		g.sync = true
	case "t":
		g.test, g.decompress, g.stdout = true, true, true
	case "v":
		g.verbose++
		g.quiet = false
	case "V":
		spec.WriteVersion(g.out, "gzip")
		return true, g.out.Close(g.inv, 0)
	case "1", "2", "3", "4", "5", "6", "7", "8", "9":
		g.level = int(name[0] - '0')
	}
	return false, 0
}

// warn reports what is not bad enough for an error.
func (g *gzipRun) warn(format string, args ...any) {
	if !g.quiet {
		g.inv.Errorf(format, args...)
	}
	if g.status == 0 {
		g.status = 2
	}
}

// fail reports an error. Those of the data come on a line of their own, behind
// whatever was printed.
func (g *gzipRun) fail(data bool, format string, args ...any) {
	if data {
		io.WriteString(g.inv.Stderr, "\n")
	}
	g.inv.Errorf(format, args...)
	g.status = 1
}

// stdin turns standard input into standard output.
func (g *gzipRun) stdin() {
	switch {
	case g.decompress && !g.force && !g.list && g.terminalIn:
		g.fail(false, "compressed data not read from a terminal. Use -f to force decompression.\nFor help, type: gzip -h")
		return
	case !g.decompress && !g.force && g.ttyOut:
		g.fail(false, "compressed data not written to a terminal. Use -f to force compression.\nFor help, type: gzip -h")
		return
	}
	job := &gzipJob{gzipRun: g, name: "stdin", target: "stdout", in: g.inv.Stdin, size: -1, mtime: g.inv.Now()}
	job.work(g.out)
}

// operand works on a file, or with -r on all files of a directory.
func (g *gzipRun) operand(name string) {
	info, err := g.inv.FS.Stat(g.ctx, g.inv.Path(name))
	switch {
	case err != nil || !info.IsDir():
		g.file(name)
	case !g.recursive:
		g.warn("%s is a directory -- ignored", name)
	default:
		var files []string
		for e := range walk.Tree(g.ctx, g.inv, name, walk.Options{MaxDepth: -1, Follow: walk.FollowOperands}) {
			if e.Err != nil {
				g.fail(false, "%s: %s", e.Path, vfs.Phrase(e.Err))
			} else if !e.Info.IsDir() {
				// What is made on the way must not be met again.
				files = append(files, e.Path)
			}
		}
		for _, f := range files {
			if g.ctx.Err() != nil {
				return
			}
			g.file(f)
		}
	}
}

// gzipSuffixes are those that decompression knows, beside the one of -S.
var gzipSuffixes = []string{".gz", ".z", ".taz", ".tgz", "-gz", "-z", "_z", ".Z"}

// suffixOf answers the suffix by which a name is a compressed file's.
func (g *gzipRun) suffixOf(name string) string {
	base := name[strings.LastIndexByte(name, '/')+1:]
	for _, s := range append([]string{g.suffix}, gzipSuffixes...) {
		if len(base) > len(s) && strings.EqualFold(base[len(base)-len(s):], s) && base[len(base)-len(s)-1] != '/' {
			return s
		}
	}
	return ""
}

// file works on one file.
func (g *gzipRun) file(name string) {
	input, info, err := g.find(name)
	if err != nil {
		g.fail(false, "%s: %s", input, vfs.Phrase(err))
		return
	}
	if !info.IsRegular() && !g.stdout {
		g.warn("%s is not a directory or a regular file -- ignored", input)
		return
	}
	target, ok := g.target(input)
	if !ok {
		return
	}
	if !g.stdout && info.Nlink > 1 && !g.force {
		others := "link "
		if info.Nlink > 2 {
			others = "links"
		}
		g.warn("%s has %d other %s -- unchanged", input, info.Nlink-1, others)
		return
	}
	in, err := g.inv.Open(g.ctx, input)
	if err != nil {
		g.fail(false, "%s: %s", input, vfs.Phrase(err))
		return
	}
	defer in.Close()
	job := &gzipJob{gzipRun: g, name: input, target: target, in: in, size: info.Size, mtime: info.ModTime, info: info}
	job.run()
}

// find looks for an operand: decompression tries the name with suffixes too.
func (g *gzipRun) find(name string) (string, vfs.Info, error) {
	look := g.inv.FS.Lstat
	if g.force || g.stdout {
		look = g.inv.FS.Stat
	}
	try := func(name string) (vfs.Info, error) {
		info, err := look(g.ctx, g.inv.Path(name))
		if err == nil && info.IsLink() {
			err = errGzipLink
		}
		return info, err
	}
	info, err := try(name)
	if err == nil || !g.decompress || !errors.Is(err, errNotExist) || g.suffixOf(name) != "" {
		return name, info, err
	}
	suffixes := []string{g.suffix}
	if g.suffix == ".gz" {
		suffixes = []string{".gz", ".z", "-z", ".Z"}
	}
	for _, s := range suffixes {
		if info, err := try(name + s); err == nil {
			return name + s, info, nil
		}
	}
	return name + suffixes[0], info, err
}

// target is the name of the result; false when there is none.
func (g *gzipRun) target(name string) (string, bool) {
	suffix := g.suffixOf(name)
	switch {
	case g.stdout && !g.list && !g.test:
		return "stdout", true
	case !g.decompress:
		if suffix != "" && (g.verbose > 0 || !g.recursive && !g.quiet) {
			g.inv.Errorf("%s already has %s suffix -- unchanged", name, suffix)
		}
		return name + g.suffix, suffix == ""
	case suffix == "" && (g.list || g.test):
		return name, true
	case suffix == "":
		if !g.recursive {
			g.warn("%s: unknown suffix -- ignored", name)
		}
		return "", false
	}
	stem := name[:len(name)-len(suffix)]
	if slices.Contains([]string{".tgz", ".taz"}, suffix) {
		stem += ".tar"
	}
	return stem, true
}
