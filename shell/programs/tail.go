package programs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

var tailSpec = getopt.Spec{
	Name:     "tail",
	Synopsis: []string{"[OPTION]... [FILE]..."},
	Summary: "Print the last 10 lines of each FILE to standard output.\n" +
		"With more than one FILE, precede each with a header giving the file name.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
	Options: []getopt.Option{
		{Short: "c", Long: "bytes", Arg: getopt.Required, Meta: "[+]NUM", Help: "output the last NUM bytes; or use -c +NUM to\noutput starting with byte NUM of each file"},
		{Short: "f", Long: "follow", Arg: getopt.Optional, Meta: "{name|descriptor}", Help: "output appended data as the file grows;\nan absent option argument means 'descriptor'"},
		{Short: "F", Help: "same as --follow=name --retry"},
		{Short: "n", Long: "lines", Arg: getopt.Required, Meta: "[+]NUM", Help: "output the last NUM lines, instead of the last 10;\nor use -n +NUM to output starting with line NUM"},
		{Long: "max-unchanged-stats", Arg: getopt.Required, Meta: "N", Help: "(ignored: names are looked up at every turn)"},
		{Short: "q", Long: "quiet", Help: "never output headers giving file names"},
		{Long: "silent", Help: "the same as --quiet"},
		{Long: "retry", Help: "keep trying to open a file if it is inaccessible"},
		{Short: "s", Long: "sleep-interval", Arg: getopt.Required, Meta: "N", Help: "with -f, sleep for N seconds between iterations"},
		{Short: "v", Long: "verbose", Help: "always output headers giving file names"},
		{Short: "z", Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
	},
}

// tailRun is what tail prints of each file.
type tailRun struct {
	inv       *program.Invocation
	count     uint64
	fromStart bool // from the count-th on
	bytes     bool
	delim     byte
	headers   headHeaders
	follow    bool
	byName    bool
	retry     bool
	interval  time.Duration
	out       *stream.Writer
	head      headers
}

func runTail(ctx context.Context, inv *program.Invocation) int {
	t := tailRun{inv: inv, count: 10, delim: '\n', interval: time.Second}
	t.obsolete()
	p := tailSpec.Parse(inv)
	for p.Next() {
		if !t.option(p) {
			return p.Status
		}
	}
	if p.Stopped {
		return p.Status
	}
	operands := p.Operands
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	if t.retry && !t.follow {
		inv.Errorf("warning: --retry ignored; --retry is useful only when following")
	}
	t.out = stream.Stdout(inv)
	t.head.on = t.headers == headersAlways || t.headers == headersMany && len(operands) > 1
	files := make([]*tailFile, 0, len(operands))
	status := 0
	for _, name := range operands {
		f := &tailFile{name: name}
		files = append(files, f)
		if !t.start(ctx, f) {
			status = 1
		}
		if t.out.Err() != nil || ctx.Err() != nil {
			break
		}
	}
	if t.follow && t.out.Err() == nil {
		status = max(status, t.followAll(ctx, files))
	}
	for _, f := range files {
		f.close()
	}
	return t.out.Close(inv, status)
}

// option takes one option; false ends the run.
func (t *tailRun) option(p *getopt.Parser) bool {
	switch p.Opt.Name {
	case "c", "n":
		t.bytes = p.Opt.Name == "c"
		text, plus := strings.CutPrefix(p.Opt.Value, "+")
		if !plus {
			text = strings.TrimPrefix(text, "-")
		}
		n, err := number.Parse(text, number.Bytes)
		if err != nil {
			p.Fail("%s", badCount(t.inv, t.bytes, text, err))
			return false
		}
		t.count, t.fromStart = n, plus
	case "f":
		t.follow = true
		if p.Opt.HasValue {
			how, ok := p.OneOf("descriptor", "name")
			if !ok {
				return false
			}
			t.byName = how == "name"
		}
	case "F":
		t.follow, t.byName, t.retry = true, true, true
	case "q", "silent":
		t.headers = headersNever
	case "v":
		t.headers = headersAlways
	case "retry":
		t.retry = true
	case "s":
		sec, err := strconv.ParseFloat(p.Opt.Value, 64)
		if err != nil || !(sec >= 0) {
			p.Fail("invalid number of seconds: %s", t.inv.QuoteArg(p.Opt.Value))
			return false
		}
		t.interval = time.Duration(min(sec, 1e6) * float64(time.Second))
	case "z":
		t.delim = 0
	}
	return true
}

// obsolete reads the forms -NUM[bcl][f] and +NUM[bcl][f], which stand alone or
// before one file.
func (t *tailRun) obsolete() {
	args := t.inv.Args
	if len(args) == 0 || len(args) > 2 || len(args[0]) < 2 {
		return
	}
	arg := args[0]
	if arg[0] != '-' && arg[0] != '+' {
		return
	}
	rest := strings.TrimLeft(arg[1:], "0123456789")
	digits := arg[1 : len(arg)-len(rest)]
	if digits == "" {
		return
	}
	unit, rest := "", rest
	if rest != "" && strings.IndexByte("bcl", rest[0]) >= 0 {
		unit, rest = rest[:1], rest[1:]
	}
	follow := rest == "f"
	if rest != "" && !follow {
		return
	}
	n, err := number.Parse(digits, "")
	if err != nil && !errors.Is(err, number.ErrRange) {
		return
	}
	if unit == "b" {
		n *= 512
	}
	t.count, t.fromStart, t.bytes, t.follow = n, arg[0] == '+', unit == "b" || unit == "c", follow
	t.inv.Args = args[1:]
}

// tailFile is one operand.
type tailFile struct {
	name string
	r    io.ReadCloser // nil while it cannot be read
	id   vfs.Info      // of the open file, when it can be asked
	lost bool          // not followed any more
	bad  string        // why it could not be opened, as last said
}

func (f *tailFile) close() {
	if f.r != nil {
		_ = f.r.Close()
		f.r = nil
	}
}

func (f *tailFile) display() string {
	if f.name == "-" {
		return "standard input"
	}
	return f.name
}

// open opens the file; it tells of a failure unless it has told before.
func (t *tailRun) open(ctx context.Context, f *tailFile) error {
	r, err := t.inv.OpenOperand(ctx, f.name)
	if err != nil {
		return err
	}
	f.r = r
	if c, ok := r.(*program.Cursor); ok {
		if f.id, err = c.File.Stat(); err == nil && f.id.IsDir() && t.follow {
			return nil
		}
	}
	return nil
}

// start prints the end of a file.
func (t *tailRun) start(ctx context.Context, f *tailFile) bool {
	if err := t.open(ctx, f); err != nil {
		t.inv.Fail(err, "cannot open %s for reading", t.inv.Quote(f.name))
		f.bad = vfs.Phrase(err)
		f.lost = !t.retry
		return false
	}
	t.head.print(t.out, f.display())
	if err := t.print(ctx, f.r); err != nil && t.out.Err() == nil && ctx.Err() == nil {
		if errors.Is(err, stream.ErrMemory) {
			t.inv.Errorf("memory exhausted")
		} else {
			t.inv.Fail(err, "error reading %s", t.inv.Quote(f.display()))
		}
		f.lost = true
		if f.id.IsDir() && t.follow {
			t.inv.Errorf("%s: cannot follow end of this type of file", t.inv.QuoteName(f.name))
		}
		return false
	}
	return true
}

// print prints what is to be seen of one input at the start.
func (t *tailRun) print(ctx context.Context, r io.Reader) error {
	if t.fromStart {
		return t.printFrom(ctx, r)
	}
	if s, ok := r.(io.ReadSeeker); ok {
		if size, err := s.Seek(0, io.SeekEnd); err == nil && size > 0 {
			return t.printSeek(ctx, s, size)
		}
		_, _ = s.Seek(0, io.SeekStart)
	}
	return t.printStream(ctx, r)
}

// printFrom skips count-1 lines or bytes and prints the rest.
func (t *tailRun) printFrom(ctx context.Context, r io.Reader) error {
	skip := t.count
	if skip > 0 {
		skip--
	}
	buf := make([]byte, stream.BufferSize)
	for skip > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		at := 0
		if t.bytes {
			at = int(min(skip, uint64(n)))
			skip -= uint64(at)
		} else {
			for skip > 0 && at < n {
				i := bytes.IndexByte(buf[at:n], t.delim)
				if i < 0 {
					at = n
					break
				}
				at += i + 1
				skip--
			}
		}
		if _, werr := t.out.Write(buf[at:n]); werr != nil {
			return werr
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
	}
	_, readErr, writeErr := stream.Copy(ctx, t.out, r)
	return errors.Join(readErr, writeErr)
}

// printSeek looks for the place to start from the end of a file.
func (t *tailRun) printSeek(ctx context.Context, s io.ReadSeeker, size int64) error {
	start := int64(0)
	switch {
	case t.bytes && t.count < uint64(size):
		start = size - int64(t.count)
	case !t.bytes:
		var err error
		if start, err = t.lastLines(ctx, s, size); err != nil {
			return err
		}
	}
	if _, err := s.Seek(start, io.SeekStart); err != nil {
		return err
	}
	_, readErr, writeErr := stream.Copy(ctx, t.out, s)
	return errors.Join(readErr, writeErr)
}

// lastLines answers where the last count lines begin.
func (t *tailRun) lastLines(ctx context.Context, s io.ReadSeeker, size int64) (int64, error) {
	if t.count == 0 {
		return size, nil
	}
	left := t.count
	buf := make([]byte, stream.BufferSize)
	for end := size; end > 0; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		from := max(0, end-int64(len(buf)))
		block := buf[:end-from]
		if _, err := s.Seek(from, io.SeekStart); err != nil {
			return 0, err
		}
		if _, err := io.ReadFull(s, block); err != nil {
			return 0, err
		}
		search := len(block)
		if end == size {
			search-- // a delimiter at the very end ends the last line
		}
		for {
			i := bytes.LastIndexByte(block[:search], t.delim)
			if i < 0 {
				break
			}
			if left--; left == 0 {
				return from + int64(i) + 1, nil
			}
			search = i
		}
		end = from
	}
	return 0, nil
}

// printStream holds the last lines or bytes of an input that cannot seek.
func (t *tailRun) printStream(ctx context.Context, r io.Reader) error {
	var held []byte
	lines := uint64(0) // delimiters in held
	buf := make([]byte, stream.BufferSize)
	meter := t.inv.Meter()
	defer meter.Hold(0)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		held = append(held, buf[:n]...)
		if t.bytes {
			if over := len(held) - int(min(t.count, 1<<62)); over > len(buf) || over > 0 && err != nil {
				held = append(held[:0], held[over:]...)
			}
		} else {
			lines += uint64(bytes.Count(buf[:n], []byte{t.delim}))
			if lines > 2*min(t.count, 1<<62)+1000 || err != nil {
				held, lines = t.trim(held, lines)
			}
		}
		if errors.Is(err, io.EOF) {
			_, err = t.out.Write(held)
			return err
		}
		if err != nil {
			return err
		}
		if !meter.Hold(int64(cap(held))) {
			if held, lines = t.trim(held, lines); !meter.Hold(int64(cap(held))) {
				return stream.ErrMemory
			}
		}
	}
}

// trim drops what comes before the last count lines.
func (t *tailRun) trim(held []byte, lines uint64) ([]byte, uint64) {
	if t.bytes {
		return held, lines
	}
	total := lines
	if len(held) > 0 && held[len(held)-1] != t.delim {
		total++
	}
	at := 0
	for ; total > t.count; total-- {
		i := bytes.IndexByte(held[at:], t.delim)
		if i < 0 {
			at = len(held)
			break
		}
		at += i + 1
		lines--
	}
	return append(held[:0], held[at:]...), lines
}
