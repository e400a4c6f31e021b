package programs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

var headSpec = getopt.Spec{
	Name:     "head",
	Synopsis: []string{"[OPTION]... [FILE]..."},
	Summary: "Print the first 10 lines of each FILE to standard output.\n" +
		"With more than one FILE, precede each with a header giving the file name.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
	Options: []getopt.Option{
		{Short: "c", Long: "bytes", Arg: getopt.Required, Meta: "[-]NUM", Help: "print the first NUM bytes of each file;\nwith the leading '-', print all but the last\nNUM bytes of each file"},
		{Short: "n", Long: "lines", Arg: getopt.Required, Meta: "[-]NUM", Help: "print the first NUM lines instead of the first 10;\nwith the leading '-', print all but the last\nNUM lines of each file"},
		{Short: "q", Long: "quiet", Help: "never print headers giving file names"},
		{Long: "silent", Help: "the same as --quiet"},
		{Short: "v", Long: "verbose", Help: "always print headers giving file names"},
		{Short: "z", Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
	},
}

// headRun is what head prints of each file.
type headRun struct {
	count   uint64
	elide   bool // all but the last count
	bytes   bool
	delim   byte
	headers headHeaders
	out     *stream.Writer
	inv     *program.Invocation
}

// headHeaders is when a file's name is printed above it.
type headHeaders int

const (
	headersMany headHeaders = iota // of several files
	headersAlways
	headersNever
)

// headers writes the "==> name <==" lines of head and tail.
type headers struct {
	on    bool
	begun bool
}

func (h *headers) print(out *stream.Writer, name string) {
	if !h.on {
		return
	}
	if name == "-" {
		name = "standard input"
	}
	if h.begun {
		_ = out.WriteByte('\n')
	}
	h.begun = true
	_, _ = out.WriteString("==> " + name + " <==\n")
}

func runHead(ctx context.Context, inv *program.Invocation) int {
	h := headRun{count: 10, delim: '\n', inv: inv}
	if status, ok := h.obsolete(inv); !ok {
		return status
	}
	p := headSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "c", "n":
			h.bytes = p.Opt.Name == "c"
			if status, ok := h.setCount(inv, p.Opt.Value); !ok {
				return status
			}
		case "q", "silent":
			h.headers = headersNever
		case "v":
			h.headers = headersAlways
		case "z":
			h.delim = 0
		}
	}
	if p.Stopped {
		return p.Status
	}
	operands := p.Operands
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	h.out = stream.Stdout(inv)
	head := headers{on: h.headers == headersAlways || h.headers == headersMany && len(operands) > 1}
	status := 0
	for _, name := range operands {
		r, err := inv.OpenOperand(ctx, name)
		if err != nil {
			inv.Fail(err, "cannot open %s for reading", inv.Quote(name))
			status = 1
			continue
		}
		head.print(h.out, name)
		err = h.copy(ctx, r)
		_ = r.Close()
		switch {
		case h.out.Err() != nil || ctx.Err() != nil:
			return h.out.Close(inv, status)
		case errors.Is(err, stream.ErrMemory):
			inv.Errorf("memory exhausted")
			status = 1
		case err != nil:
			if name == "-" {
				name = "standard input"
			}
			inv.Fail(err, "error reading %s", inv.Quote(name))
			status = 1
		}
	}
	return h.out.Close(inv, status)
}

// obsolete reads the form -NUM[bcklqvz] of the first argument.
func (h *headRun) obsolete(inv *program.Invocation) (status int, ok bool) {
	if len(inv.Args) == 0 || len(inv.Args[0]) < 2 || inv.Args[0][0] != '-' || inv.Args[0][1] < '0' || inv.Args[0][1] > '9' {
		return 0, true
	}
	arg := inv.Args[0][1:]
	end := strings.IndexFunc(arg, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(arg)
	}
	count := arg[:end]
	for _, c := range arg[end:] {
		switch c {
		case 'c':
			h.bytes = true
		case 'b', 'k', 'm':
			h.bytes = true
			count += string(c)
		case 'l':
			h.bytes = false
		case 'q':
			h.headers = headersNever
		case 'v':
			h.headers = headersAlways
		case 'z':
			h.delim = 0
		default:
			inv.Errorf("invalid trailing option -- %c", c)
			_, _ = io.WriteString(inv.Stderr, "Try 'head --help' for more information.\n")
			return 1, false
		}
	}
	inv.Args = inv.Args[1:]
	return h.setCount(inv, count)
}

func (h *headRun) setCount(inv *program.Invocation, text string) (status int, ok bool) {
	digits, elide := strings.CutPrefix(text, "-")
	n, err := number.Parse(digits, number.Bytes)
	if err != nil {
		inv.Errorf("%s", badCount(inv, h.bytes, digits, err))
		return 1, false
	}
	h.count, h.elide = n, elide
	return 0, true
}

// badCount words a count that head or tail cannot take.
func badCount(inv *program.Invocation, isBytes bool, text string, err error) string {
	what := "lines"
	if isBytes {
		what = "bytes"
	}
	msg := "invalid number of " + what + ": " + inv.QuoteArg(text)
	if errors.Is(err, number.ErrRange) {
		msg += ": " + vfs.Phrase(err)
	}
	return msg
}

// copy prints what is to be seen of one file.
func (h *headRun) copy(ctx context.Context, r io.Reader) error {
	switch {
	case h.elide && h.bytes:
		return h.allButBytes(ctx, r)
	case h.elide:
		return h.allButLines(ctx, r)
	case h.bytes:
		_, readErr, _ := stream.Copy(ctx, h.out, io.LimitReader(r, int64(min(h.count, 1<<63-1))))
		return readErr
	}
	return h.lines(ctx, r)
}

// lines prints the first lines. What it read beyond them it gives back where
// the input can seek, so that the next reader of the descriptor goes on there.
func (h *headRun) lines(ctx context.Context, r io.Reader) error {
	buf := make([]byte, 8<<10)
	left := h.count
	for left > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		at := 0
		for left > 0 && at < n {
			i := bytes.IndexByte(buf[at:n], h.delim)
			if i < 0 {
				at = n
				break
			}
			at += i + 1
			left--
		}
		if _, werr := h.out.Write(buf[:at]); werr != nil {
			return werr
		}
		if at < n {
			giveBack(r, n-at)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
	}
	return nil
}

// giveBack moves a seekable input back by n bytes.
func giveBack(r io.Reader, n int) {
	if s, ok := r.(io.Seeker); ok {
		_, _ = s.Seek(-int64(n), io.SeekCurrent)
	}
}

// allButBytes holds back the last bytes.
func (h *headRun) allButBytes(ctx context.Context, r io.Reader) error {
	var held []byte
	meter := h.inv.Meter()
	defer meter.Hold(0)
	buf := make([]byte, stream.BufferSize)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		held = append(held, buf[:n]...)
		if over := len(held) - int(min(h.count, 1<<62)); over > 0 {
			if _, werr := h.out.Write(held[:over]); werr != nil {
				return werr
			}
			held = append(held[:0], held[over:]...)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !meter.Hold(int64(cap(held))) {
			return stream.ErrMemory
		}
	}
}

// sizeEnd is what the end of a line takes in memory: more than a short line.
const sizeEnd = 8

// allButLines holds back the last lines.
func (h *headRun) allButLines(ctx context.Context, r io.Reader) error {
	var held []byte    // from is where the first line in it begins
	var ends []int     // of the lines in held
	var from, gone int // gone lines of ends have been printed
	in := stream.NewLines(r, h.delim, h.inv.Meter())
	meter := h.inv.Meter()
	defer meter.Hold(0)
	for count := 0; ; count++ {
		if count&255 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		held = append(held, line...)
		ends = append(ends, len(held))
		if !meter.Hold(int64(cap(held)) + sizeEnd*int64(cap(ends))) {
			return stream.ErrMemory
		}
		if uint64(len(ends)-gone) > h.count {
			if _, werr := h.out.Write(held[from:ends[gone]]); werr != nil {
				return werr
			}
			from = ends[gone]
			gone++
		}
		if from > 64<<10 && from > len(held)/2 {
			held = append(held[:0], held[from:]...)
			kept := ends[:0]
			for _, e := range ends[gone:] {
				kept = append(kept, e-from)
			}
			ends, gone, from = kept, 0, 0
		}
	}
}
