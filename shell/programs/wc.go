package programs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

var wcSpec = getopt.Spec{
	Name:     "wc",
	Synopsis: []string{"[OPTION]... [FILE]...", "[OPTION]... --files0-from=F"},
	Summary: "Print newline, word, and byte counts for each FILE, and a total line if\n" +
		"more than one FILE is specified.  A word is a non-zero-length sequence of\n" +
		"printable characters delimited by white space.\n\n" +
		"With no FILE, or when FILE is -, read standard input.\n\n" +
		"The options below may be used to select which counts are printed, always in\n" +
		"the following order: newline, word, character, byte, maximum line length.",
	Options: []getopt.Option{
		{Short: "c", Long: "bytes", Help: "print the byte counts"},
		{Short: "m", Long: "chars", Help: "print the character counts"},
		{Short: "l", Long: "lines", Help: "print the newline counts"},
		{Long: "files0-from", Arg: getopt.Required, Meta: "F", Help: "read input from the files specified by\n" +
			"  NUL-terminated names in file F;\n  If F is - then read names from standard input"},
		{Short: "L", Long: "max-line-length", Help: "print the maximum display width"},
		{Short: "w", Long: "words", Help: "print the word counts"},
	},
}

// wcCounts are the counts of one file, or of all.
type wcCounts struct {
	lines, words, chars, bytes, width int64
}

func (c *wcCounts) add(o wcCounts) {
	c.lines += o.lines
	c.words += o.words
	c.chars += o.chars
	c.bytes += o.bytes
	c.width = max(c.width, o.width)
}

type wcRun struct {
	lines, words, chars, bytes, length bool // what to print
	utf8                               bool
	columns                            int // width of a number
	inv                                *program.Invocation
	out                                *stream.Writer
	buf                                []byte
}

func runWc(ctx context.Context, inv *program.Invocation) int {
	w := &wcRun{inv: inv, utf8: inv.UTF8()}
	var from string
	var hasFrom bool
	p := wcSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "c":
			w.bytes = true
		case "m":
			w.chars = true
		case "l":
			w.lines = true
		case "L":
			w.length = true
		case "w":
			w.words = true
		case "files0-from":
			from, hasFrom = p.Opt.Value, true
		}
	}
	if p.Stopped {
		return p.Status
	}
	if !w.lines && !w.words && !w.chars && !w.bytes && !w.length {
		w.lines, w.words, w.bytes = true, true, true
	}
	names, status := p.Operands, 0
	files := len(names)
	if hasFrom {
		if len(names) > 0 {
			inv.Errorf("extra operand %s", inv.Quote(names[0]))
			inv.Stderr.Write([]byte("file operands cannot be combined with --files0-from\n"))
			return p.Usage("")
		}
		var ok bool
		if names, files, ok = namesFromFile(ctx, inv, from); !ok {
			return 1
		}
		if files > len(names) {
			status = 1
		}
	}
	w.out, w.buf = stream.Stdout(inv), make([]byte, stream.BufferSize)
	anonymous := !hasFrom && len(names) == 0
	if anonymous {
		names = []string{"-"}
	}
	w.columns = w.numberWidth(ctx, names)
	var total wcCounts
	for _, name := range names {
		c, ok := w.file(ctx, name)
		if !ok {
			status = 1
		}
		if c == nil {
			continue
		}
		total.add(*c)
		if anonymous {
			w.print(*c, "", false)
		} else {
			w.print(*c, name, true)
		}
	}
	if files > 1 {
		w.print(total, "total", true)
	}
	return w.out.Close(inv, status)
}

// namesFromFile reads the NUL-terminated names of --files0-from, of which there
// are n. Names that cannot be are reported and left out. ok is false when the
// list itself cannot be read, which has been reported.
func namesFromFile(ctx context.Context, inv *program.Invocation, from string) (names []string, n int, ok bool) {
	r, err := inv.OpenOperand(ctx, from)
	if err != nil {
		inv.Fail(err, "cannot open %s for reading", inv.Quote(from))
		return nil, 0, false
	}
	defer r.Close()
	lines := stream.NewLines(r, 0, inv.Meter())
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return names, n, true
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			inv.Fail(err, "%s: read error", inv.QuoteName(from))
			return nil, n, false
		}
		n++
		line, _ = stream.Chomp(line, 0)
		switch {
		case len(line) == 0:
			inv.Errorf("%s:%d: invalid zero-length file name", inv.QuoteName(from), n)
		case from == "-" && string(line) == "-":
			inv.Errorf("when reading file names from stdin, no file name of %s allowed", inv.Quote("-"))
		default:
			names = append(names, string(line))
		}
	}
}

// statOperand describes an operand; of standard input only what the shell's
// descriptor tells.
func statOperand(ctx context.Context, inv *program.Invocation, name string) (vfs.Info, error) {
	if name != "-" {
		return inv.FS.Stat(ctx, inv.Path(name))
	}
	if s, ok := inv.Stdin.(interface{ Stat() (vfs.Info, error) }); ok {
		return s.Stat()
	}
	return vfs.Info{}, errors.ErrUnsupported
}

// numberWidth is wide enough for the sum of the sizes, and 7 at least when a
// size is not known beforehand. One count of one file needs no column.
func (w *wcRun) numberWidth(ctx context.Context, names []string) int {
	counts := 0
	for _, on := range []bool{w.lines, w.words, w.chars, w.bytes, w.length} {
		if on {
			counts++
		}
	}
	if len(names) == 0 || len(names) == 1 && counts == 1 {
		return 1
	}
	least, sum := 1, int64(0)
	for _, name := range names {
		info, err := statOperand(ctx, w.inv, name)
		switch {
		case err != nil && name != "-":
		case err != nil || !info.IsRegular() || info.Size < 0:
			least = 7
		default:
			sum += info.Size
		}
	}
	return max(len(strconv.FormatInt(sum, 10)), least)
}

// file counts one operand; nil when it cannot be opened.
func (w *wcRun) file(ctx context.Context, name string) (*wcCounts, bool) {
	r, err := w.inv.OpenOperand(ctx, name)
	if err != nil {
		w.inv.FileError(name, err)
		return nil, false
	}
	defer r.Close()
	c := &wcCounts{}
	switch {
	case !w.words && !w.length && !(w.chars && w.utf8):
		err = w.countLines(ctx, r, c)
	case w.utf8:
		err = w.countUTF8(ctx, r, c)
	default:
		err = w.countBytes(ctx, r, c)
	}
	if err != nil {
		w.inv.FileError(name, err)
	}
	return c, err == nil
}

// each reads r to its end, block by block.
func (w *wcRun) each(ctx context.Context, r io.Reader, c *wcCounts, f func(p []byte)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(w.buf)
		c.bytes += int64(n)
		f(w.buf[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (w *wcRun) countLines(ctx context.Context, r io.Reader, c *wcCounts) error {
	newline := []byte{'\n'}
	err := w.each(ctx, r, c, func(p []byte) {
		if w.lines {
			c.lines += int64(bytes.Count(p, newline))
		}
	})
	c.chars = c.bytes
	return err
}

// countBytes counts in the C locale, where a character is a byte.
func (w *wcRun) countBytes(ctx context.Context, r io.Reader, c *wcCounts) error {
	inWord, column := false, int64(0)
	err := w.each(ctx, r, c, func(p []byte) {
		for _, b := range p {
			switch {
			case b > ' ' && b < 0x7f:
				column++
				if !inWord {
					inWord = true
					c.words++
				}
			case b == '\n' || b == '\r' || b == '\f':
				if b == '\n' {
					c.lines++
				}
				c.width = max(c.width, column)
				column, inWord = 0, false
			case b == '\t':
				column += 8 - column%8
				inWord = false
			case b == ' ':
				column++
				inWord = false
			case b == '\v':
				inWord = false
			}
		}
	})
	c.width = max(c.width, column)
	c.chars = c.bytes
	return err
}

// countUTF8 counts characters; a byte that is none is passed over.
func (w *wcRun) countUTF8(ctx context.Context, r io.Reader, c *wcCounts) error {
	inWord, column := false, int64(0)
	var held []byte
	one := func(r rune) {
		c.chars++
		switch {
		case r == '\n' || r == '\r' || r == '\f':
			if r == '\n' {
				c.lines++
			}
			c.width = max(c.width, column)
			column, inWord = 0, false
		case r == '\t':
			column += 8 - column%8
			inWord = false
		case r == '\v':
			inWord = false
		case unicode.IsSpace(r) || r == '\u2060' || r == '\u2007' || r == '\u202f' || r == '\u00a0':
			column += int64(runewidth.RuneWidth(r))
			inWord = false
		case unicode.IsPrint(r):
			column += int64(runewidth.RuneWidth(r))
			if !inWord {
				inWord = true
				c.words++
			}
		}
	}
	err := w.each(ctx, r, c, func(p []byte) {
		if len(held) > 0 {
			p = append(held, p...)
		}
		for len(p) > 0 {
			if p[0] < utf8.RuneSelf {
				one(rune(p[0]))
				p = p[1:]
				continue
			}
			if !utf8.FullRune(p) {
				break
			}
			r, n := utf8.DecodeRune(p)
			p = p[n:]
			if r != utf8.RuneError || n > 1 {
				one(r)
			}
		}
		held = append([]byte(nil), p...)
	})
	c.width = max(c.width, column)
	return err
}

func (w *wcRun) print(c wcCounts, name string, named bool) {
	first := true
	for _, column := range []struct {
		on bool
		n  int64
	}{{w.lines, c.lines}, {w.words, c.words}, {w.chars, c.chars}, {w.bytes, c.bytes}, {w.length, c.width}} {
		if !column.on {
			continue
		}
		digits := strconv.FormatInt(column.n, 10)
		if !first {
			w.out.WriteByte(' ')
		}
		first = false
		w.out.WriteString(strings.Repeat(" ", max(w.columns-len(digits), 0)))
		w.out.WriteString(digits)
	}
	if named {
		w.out.WriteByte(' ')
		if strings.Contains(name, "\n") {
			name = w.inv.QuoteName(name)
		}
		w.out.WriteString(name)
	}
	w.out.WriteByte('\n')
}
