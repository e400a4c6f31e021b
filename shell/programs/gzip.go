package programs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/klauspost/compress/gzip"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/shell/program/walk"
	"mirage/vfs"
)

// gzipOptions are the options of gzip, gunzip and zcat alike.
var gzipOptions = []getopt.Option{
	{Short: "c", Long: "stdout", Help: "write on standard output, keep original files unchanged"},
	{Long: "to-stdout", Help: "the same as --stdout"},
	{Short: "d", Long: "decompress", Help: "decompress"},
	{Long: "uncompress", Help: "the same as --decompress"},
	{Short: "f", Long: "force", Help: "force overwrite of output file and compress links"},
	{Short: "k", Long: "keep", Help: "keep (don't delete) input files"},
	{Short: "l", Long: "list", Help: "list compressed file contents"},
	{Short: "n", Long: "no-name", Help: "do not save or restore the original name and timestamp"},
	{Short: "N", Long: "name", Help: "save or restore the original name and timestamp"},
	{Short: "q", Long: "quiet", Help: "suppress all warnings"},
	{Short: "r", Long: "recursive", Help: "operate recursively on directories"},
	{Short: "S", Long: "suffix", Arg: getopt.Required, Meta: "SUF", Help: "use suffix SUF on compressed files"},
	{Short: "t", Long: "test", Help: "test compressed file integrity"},
	{Short: "v", Long: "verbose", Help: "verbose mode"},
	{Short: "1", Long: "fast", Help: "compress faster"},
	{Short: "2"}, {Short: "3"}, {Short: "4"}, {Short: "5"}, {Short: "6"}, {Short: "7"}, {Short: "8"},
	{Short: "9", Long: "best", Help: "compress better"},
}

var (
	gzipSpec = getopt.Spec{
		Name: "gzip", Synopsis: []string{"[OPTION]... [FILE]..."}, Options: gzipOptions,
		Summary: "Compress or uncompress FILEs (by default, compress FILES in-place).\n\n" +
			"With no FILE, or when FILE is -, read standard input.",
		Hint: "Try `%s --help' for more information.",
	}
	gunzipSpec = getopt.Spec{
		Name: "gunzip", Synopsis: []string{"[OPTION]... [FILE]..."}, Options: gzipOptions,
		Summary: "Uncompress FILEs (by default, in-place).", Hint: gzipSpec.Hint,
	}
	zcatSpec = getopt.Spec{
		Name: "zcat", Synopsis: []string{"[OPTION]... [FILE]..."}, Options: gzipOptions,
		Summary: "Uncompress FILEs to standard output.", Hint: gzipSpec.Hint,
	}
)

// gzipRun is one run.
type gzipRun struct {
	inv                                                 *program.Invocation
	stdout, decompress, force, keep, list, test         bool
	noName, quiet, recursive, verbose, withName, listed bool
	level                                               int
	suffix                                              string
	out                                                 *stream.Writer
	status                                              int
	sumIn, sumOut                                       int64
	header                                              int64 // bytes around the data of the last file
	listCount                                           int
}

func runGzip(ctx context.Context, inv *program.Invocation) int {
	return (&gzipRun{inv: inv}).run(ctx, &gzipSpec)
}

func runGunzip(ctx context.Context, inv *program.Invocation) int {
	return (&gzipRun{inv: inv, decompress: true}).run(ctx, &gunzipSpec)
}

func runZcat(ctx context.Context, inv *program.Invocation) int {
	return (&gzipRun{inv: inv, decompress: true, stdout: true}).run(ctx, &zcatSpec)
}

func (g *gzipRun) run(ctx context.Context, spec *getopt.Spec) int {
	// Messages carry the name gzip, whichever name it was called by.
	g.level, g.suffix = 6, ".gz"
	p := spec.Parse(g.inv)
	for p.Next() {
		switch o := p.Opt.Name; o {
		case "c", "to-stdout":
			g.stdout = true
		case "d", "uncompress":
			g.decompress = true
		case "f":
			g.force = true
		case "k":
			g.keep = true
		case "l":
			g.list, g.decompress = true, true
		case "n":
			g.noName = true
		case "N":
			g.withName = true
		case "q":
			g.quiet, g.verbose = true, false
		case "r":
			g.recursive = true
		case "S":
			if p.Opt.Value == "" || strings.Contains(p.Opt.Value, "/") {
				return p.Fail("invalid suffix '%s'", p.Opt.Value)
			}
			g.suffix = p.Opt.Value
		case "t":
			g.test, g.decompress = true, true
		case "v":
			g.verbose = true
		default:
			g.level = int(o[0] - '0')
		}
	}
	if p.Stopped {
		return p.Status
	}
	g.inv.Name = "gzip"
	g.out = stream.Stdout(g.inv)
	operands := p.Operands
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	for _, operand := range operands {
		if ctx.Err() != nil || g.out.Err() != nil {
			break
		}
		g.operand(ctx, operand)
	}
	if g.listed && g.listCount > 1 {
		g.header = 0
		g.listLine(g.sumIn, g.sumOut, "(totals)")
	}
	return g.out.Close(g.inv, g.status)
}

// complain reports what is wrong with a file: status 1 for an error, 2 for a
// warning, which -q leaves out.
func (g *gzipRun) complain(status int, format string, args ...any) {
	if status == 1 || g.status == 0 {
		g.status = status
	}
	if status == 1 || !g.quiet {
		g.inv.Errorf(format, args...)
	}
}

func (g *gzipRun) operand(ctx context.Context, name string) {
	if name == "-" {
		g.streams(ctx)
		return
	}
	info, err := g.inv.FS.Lstat(ctx, g.inv.Path(name))
	if vfs.Errno(err) == syscall.ENOENT && g.decompress && !strings.HasSuffix(name, g.suffix) {
		// gunzip x stands for gunzip x.gz
		name += g.suffix
		info, err = g.inv.FS.Lstat(ctx, g.inv.Path(name))
	}
	if err == nil && info.IsLink() && (g.force || g.stdout || g.test || g.list) {
		info, err = g.inv.FS.Stat(ctx, g.inv.Path(name))
	}
	switch {
	case err != nil:
		g.complain(1, "%s: %s", name, vfs.Phrase(err))
	case info.IsLink():
		g.complain(1, "%s: %s", name, vfs.Phrase(syscall.ELOOP))
	case info.IsDir() && g.recursive:
		for e := range walk.Tree(ctx, g.inv, name, walk.Options{MaxDepth: -1}) {
			if e.Err != nil {
				g.complain(1, "%s: %s", e.Path, vfs.Phrase(e.Err))
			} else if e.Info.IsRegular() {
				g.file(ctx, e.Path, e.Info)
			}
		}
	case info.IsDir():
		g.complain(2, "%s is a directory -- ignored", name)
	case !info.IsRegular() && !g.stdout:
		g.complain(2, "%s is not a directory or a regular file - ignored", name)
	default:
		g.file(ctx, name, info)
	}
}

// gzipSuffixes are what decompression takes off, and puts in its place.
var gzipSuffixes = []struct{ from, to string }{
	{".gz", ""}, {".tgz", ".tar"}, {".taz", ".tar"}, {"-gz", ""}, {".z", ""}, {"-z", ""}, {"_z", ""},
}

// target answers the name that a file becomes; false has been reported.
func (g *gzipRun) target(name string) (string, bool) {
	if !g.decompress {
		if strings.HasSuffix(name, g.suffix) && !g.force {
			if !g.quiet {
				g.inv.Errorf("%s already has %s suffix -- unchanged", name, g.suffix)
			}
			return "", false
		}
		return name + g.suffix, true
	}
	if rest, ok := strings.CutSuffix(name, g.suffix); ok && rest != "" && !strings.HasSuffix(rest, "/") {
		return rest, true
	}
	for _, s := range gzipSuffixes {
		if rest, ok := strings.CutSuffix(name, s.from); ok && rest != "" && !strings.HasSuffix(rest, "/") {
			return rest + s.to, true
		}
	}
	if g.stdout || g.test || g.list {
		return name, true
	}
	if !g.recursive {
		g.complain(2, "%s: unknown suffix -- ignored", name)
	}
	return "", false
}

// streams works from standard input to standard output.
func (g *gzipRun) streams(ctx context.Context) {
	_, err := g.convert(ctx, g.out, g.inv.Stdin, "", time.Time{}, "stdin")
	if err != nil && ctx.Err() == nil && g.out.Err() == nil {
		g.damaged("stdin", err)
	}
}

// file works on one file.
func (g *gzipRun) file(ctx context.Context, name string, info vfs.Info) {
	to, ok := g.target(name)
	if !ok {
		return
	}
	r, err := g.inv.Open(ctx, name)
	if err != nil {
		g.complain(1, "%s: %s", name, vfs.Phrase(err))
		return
	}
	defer r.Close()
	if g.stdout || g.test || g.list {
		n, err := g.convert(ctx, g.out, r, name[strings.LastIndexByte(name, '/')+1:], info.ModTime, name)
		switch {
		case ctx.Err() != nil || g.out.Err() != nil:
		case err != nil:
			g.damaged(name, err)
		case g.test && g.verbose:
			fmt.Fprintf(g.inv.Stderr, "%s:\t OK\n", name)
		case g.list:
			g.listFile(info.Size, n, to)
		}
		return
	}
	g.replace(ctx, r, name, to, info)
}

// replace makes the new file and removes the old one.
func (g *gzipRun) replace(ctx context.Context, r io.Reader, name, to string, info vfs.Info) {
	flag := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	path := g.inv.Path(to)
	if g.force {
		_ = g.inv.FS.Unlink(ctx, path)
	}
	f, err := g.inv.FS.Open(ctx, path, flag, info.Mode.Perm())
	if err != nil {
		if vfs.Errno(err) == syscall.EEXIST {
			g.complain(2, "%s already exists;\tnot overwritten", to)
		} else {
			g.complain(1, "%s: %s", to, vfs.Phrase(err))
		}
		return
	}
	w := bufio.NewWriterSize(&program.Cursor{File: f}, stream.BufferSize)
	n, err := g.convert(ctx, w, r, name[strings.LastIndexByte(name, '/')+1:], info.ModTime, name)
	mode := info.Mode &^ fs.ModeType
	flushErr := w.Flush()
	_, attrErr := vfs.SetFileAttr(f, vfs.Attr{Mode: &mode, ModTime: &info.ModTime})
	closeErr := f.Close()
	if err != nil || flushErr != nil || closeErr != nil {
		_ = g.inv.FS.Unlink(context.WithoutCancel(ctx), path)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			g.damaged(name, err)
		default:
			g.complain(1, "%s: %s", to, vfs.Phrase(errors.Join(flushErr, closeErr)))
		}
		return
	}
	if attrErr != nil {
		g.complain(2, "%s: %s", to, vfs.Phrase(attrErr))
	}
	if !g.keep {
		if err := g.inv.FS.Unlink(ctx, g.inv.Path(name)); err != nil {
			g.complain(1, "%s: %s", name, vfs.Phrase(err))
		}
	}
	if g.verbose {
		made, _ := g.inv.FS.Stat(ctx, path)
		in, out := info.Size, made.Size
		verb := "replaced with"
		if g.keep {
			verb = "created"
		}
		plain, packed := in, out
		if g.decompress {
			plain, packed = n, in
		}
		fmt.Fprintf(g.inv.Stderr, "%s:\t%s -- %s %s\n", name, gzipRatio(plain, packed-g.header), verb, to)
	}
}

// gzipRatio is how much was saved.
func gzipRatio(plain, packed int64) string {
	if plain == 0 {
		return "  0.0%"
	}
	return fmt.Sprintf("%5.1f%%", 100*float64(plain-packed)/float64(plain))
}

// convert compresses or decompresses; it answers the plain bytes it saw.
func (g *gzipRun) convert(ctx context.Context, w io.Writer, r io.Reader, name string, mtime time.Time, _ string) (int64, error) {
	if g.decompress {
		return g.expand(ctx, w, r)
	}
	z, err := gzip.NewWriterLevel(w, g.level)
	if err != nil {
		return 0, err
	}
	if !g.noName && name != "" {
		z.Name = latin1(name)
		z.ModTime = mtime
	}
	z.OS = 3 // Unix
	g.header = headerSize(z.Name)
	n, readErr, writeErr := stream.Copy(ctx, z, r)
	return n, errors.Join(readErr, writeErr, z.Close())
}

// headerSize is what a member has around its data (RFC 1952): ratios leave it
// out.
func headerSize(name string) int64 {
	if name == "" {
		return 18
	}
	return 18 + int64(len(name)) + 1
}

// latin1 keeps a name that the header can hold.
func latin1(name string) string {
	for _, c := range name {
		if c == 0 || c > 0xff {
			return ""
		}
	}
	return name
}

// errTrailing marks bytes behind the last member.
var errTrailing = errors.New("decompression OK, trailing garbage ignored")

func (g *gzipRun) expand(ctx context.Context, w io.Writer, r io.Reader) (int64, error) {
	in := bufio.NewReaderSize(r, stream.BufferSize)
	if g.test || g.list {
		w = io.Discard
	}
	head, _ := in.Peek(2)
	if len(head) > 0 && string(head) != "\x1f\x8b" && g.force && g.stdout {
		n, readErr, writeErr := stream.Copy(ctx, w, in)
		return n, errors.Join(readErr, writeErr)
	}
	switch {
	case len(head) == 0:
		return 0, io.ErrUnexpectedEOF
	case string(head) != "\x1f\x8b":
		return 0, gzip.ErrHeader
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return 0, err
	}
	g.header = headerSize(z.Name)
	total := int64(0)
	for {
		z.Multistream(false)
		n, readErr, writeErr := stream.Copy(ctx, w, z)
		total += n
		if readErr != nil || writeErr != nil {
			return total, errors.Join(readErr, writeErr)
		}
		if next, _ := in.Peek(2); len(next) == 0 {
			return total, nil
		} else if string(next) != "\x1f\x8b" {
			if strings.Trim(string(next), "\x00") == "" {
				return total, nil // padding, as tapes have it
			}
			return total, errTrailing
		}
		if err := z.Reset(in); err != nil {
			return total, err
		}
	}
}

// damaged words what is wrong with compressed data.
func (g *gzipRun) damaged(name string, err error) {
	text := vfs.Phrase(err)
	switch {
	case errors.Is(err, errTrailing):
		g.complain(2, "%s: %s", name, err)
		return
	case errors.Is(err, gzip.ErrHeader):
		text = "not in gzip format"
	case errors.Is(err, gzip.ErrChecksum):
		text = "invalid compressed data--crc error"
	case errors.Is(err, io.ErrUnexpectedEOF):
		text = "unexpected end of file"
	case vfs.Errno(err) == syscall.EIO:
		text = "invalid compressed data--format violated"
	}
	g.status = 1
	_, _ = io.WriteString(g.inv.Stderr, "\ngzip: "+name+": "+text+"\n")
}

// listFile writes a line of -l.
func (g *gzipRun) listFile(packed, plain int64, name string) {
	g.listCount++
	g.sumIn += packed
	g.sumOut += plain
	g.listLine(packed, plain, name)
}

func (g *gzipRun) listLine(packed, plain int64, name string) {
	if !g.listed && !g.quiet {
		_, _ = g.out.WriteString("         compressed        uncompressed  ratio uncompressed_name\n")
	}
	g.listed = true
	fmt.Fprintf(g.out, "%19d %19d %s %s\n", packed, plain, gzipRatio(plain, packed-g.header), name)
}
