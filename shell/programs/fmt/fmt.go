// Package fmt is fmt(1), as GNU coreutils has it.
package fmt

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// The most that is held of a paragraph; a longer one is written in parts.
const (
	maxChars = 5000
	maxWords = 1000
)

func spec() *getopt.Spec {
	s := &getopt.Spec{
		Name:     "fmt",
		Synopsis: []string{"[-WIDTH] [OPTION]... [FILE]..."},
		Summary: "Reformat each paragraph in the FILE(s), writing to standard output.\n" +
			"The option -WIDTH is an abbreviated form of --width=DIGITS.\n\n" +
			"With no FILE, or when FILE is -, read standard input.",
		Options: []getopt.Option{
			{Short: "c", Long: "crown-margin", Help: "preserve indentation of first two lines"},
			{Short: "p", Long: "prefix", Arg: getopt.Required, Meta: "STRING", Help: "reformat only lines beginning with STRING,\nreattaching the prefix to reformatted lines"},
			{Short: "s", Long: "split-only", Help: "split long lines, but do not refill"},
			{Short: "t", Long: "tagged-paragraph", Help: "indentation of first line different from second"},
			{Short: "u", Long: "uniform-spacing", Help: "one space between words, two after sentences"},
			{Short: "w", Long: "width", Arg: getopt.Required, Meta: "WIDTH", Help: "maximum line width (default of 75 columns)"},
			{Short: "g", Long: "goal", Arg: getopt.Required, Meta: "WIDTH", Help: "goal width (default of 93% of width)"},
		},
	}
	for c := '0'; c <= '9'; c++ {
		s.Options = append(s.Options, getopt.Option{Short: string(c), Hidden: true})
	}
	return s
}

// Program makes fmt.
func Program() *program.Program { return spec().Program(run) }

func run(ctx context.Context, inv *program.Invocation) int {
	f := &formatter{ctx: ctx, inv: inv, max: 75}
	width, goal := "", ""
	args := inv.Args
	if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0][1] >= '0' && args[0][1] <= '9' {
		width, args = args[0][1:], args[1:]
	}
	p := spec().ParseArgs(inv, args)
	for p.Next() {
		switch value := p.Opt.Value; p.Opt.Name {
		case "c":
			f.crown = true
		case "p":
			f.setPrefix(value)
		case "s":
			f.splitOnly = true
		case "t":
			f.tagged = true
		case "u":
			f.uniform = true
		case "w":
			width = value
		case "g":
			goal = value
		default:
			return p.Usage("invalid option -- %s; -WIDTH is recognized only when it is the first\noption; use -w N instead", p.Opt.Name)
		}
	}
	if p.Stopped {
		return p.Status
	}
	if width != "" && !number(p, width, maxChars/2, &f.max) || goal != "" && !number(p, goal, f.max, &f.goal) {
		return p.Status
	}
	switch {
	case goal == "":
		f.goal = f.max * 187 / 200
	case width == "":
		f.max = f.goal + 10
	}
	f.out = stream.Stdout(inv)
	files := p.Operands
	if len(files) == 0 {
		files = []string{"-"}
	}
	status := 0
	for _, name := range files {
		r, err := inv.OpenOperand(ctx, name)
		if err != nil {
			inv.Fail(err, "cannot open %s for reading", inv.Quote(name))
			status = 1
			continue
		}
		err = f.file(r)
		r.Close()
		if err != nil {
			if f.out.Err() == nil && ctx.Err() == nil {
				f.out.Flush()
				inv.Errorf("read error")
			}
			status = 1
		}
	}
	return f.out.Close(inv, status)
}

func number(p *getopt.Parser, s string, most int, n *int) bool {
	v, err := strconv.ParseUint(s, 10, 31)
	reason := ""
	switch {
	case err == nil && int(v) <= most:
		*n = int(v)
		return true
	case strings.Trim(s, "0123456789") == "" && s != "":
		reason = ": " + vfs.Phrase(syscall.ERANGE)
		if err != nil {
			reason = ": " + vfs.Phrase(syscall.EOVERFLOW)
		}
	}
	p.Fail("invalid width: %s%s", p.Invocation().QuoteArg(s), reason)
	return false
}

// setPrefix takes in the argument of -p.
func (f *formatter) setPrefix(s string) {
	text := strings.TrimLeft(s, " ")
	f.lead, f.full = len(s)-len(text), len(text)
	f.prefix = strings.TrimRight(text, " ")
}

// formatter reads lines, gathers paragraphs of them and writes these anew.
type formatter struct {
	ctx                               context.Context
	inv                               *program.Invocation
	crown, tagged, splitOnly, uniform bool
	max, goal                         int
	prefix                            string // without blanks around it
	lead, full                        int    // blanks before it; its length with those behind it
	out                               *stream.Writer

	in     *bufio.Reader
	err    error
	column int // of the input
	tabs   bool
	next   int // first byte of the next line, behind prefix and blanks; -1 at the end
	indent int // of the next line's prefix

	words       []word // the last one is being made
	chars       int
	prefixAt    int // indent of the paragraph's prefix
	first       int // indent of its first line
	other       int // of the others
	lastLength  int // of the line that was written last of this paragraph
	writeColumn int
}

// getc answers the next byte, -1 at the end.
func (f *formatter) getc() int {
	c, err := f.in.ReadByte()
	if err != nil {
		if err != io.EOF {
			f.err = err
		}
		return -1
	}
	return int(c)
}

func (f *formatter) file(r io.Reader) error {
	f.in, f.err = bufio.NewReaderSize(r, stream.BufferSize), nil
	f.tabs, f.other = false, 0
	f.next = f.lineStart()
	for f.paragraph() {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		if f.out.Err() != nil {
			return stream.ErrStop
		}
		f.breakLines()
		f.write(len(f.words))
	}
	return f.err
}

// blanks passes blanks and answers what follows.
func (f *formatter) blanks(c int) int {
	for ; ; c = f.getc() {
		switch c {
		case ' ':
			f.column++
		case '\t':
			f.tabs = true
			f.column = (f.column/8 + 1) * 8
		default:
			return c
		}
	}
}

// lineStart passes the prefix of a line and the blanks around it.
func (f *formatter) lineStart() int {
	f.column = 0
	c := f.blanks(f.getc())
	if f.prefix == "" {
		f.indent = min(f.lead, f.column)
		return c
	}
	f.indent = f.column
	for i := range len(f.prefix) {
		if c != int(f.prefix[i]) {
			return c
		}
		f.column++
		c = f.getc()
	}
	return f.blanks(c)
}

// continues tells whether a line that begins with c goes on with the paragraph.
func (f *formatter) continues(c int) bool {
	return f.indent == f.prefixAt && f.column >= f.indent+f.full && c != '\n' && c != -1
}

// copyLine writes a line that is no part of a paragraph.
func (f *formatter) copyLine(c int) int {
	f.writeColumn = 0
	if f.column > f.indent || c != '\n' && c != -1 {
		f.space(f.indent)
		for i := 0; f.writeColumn != f.column && i < len(f.prefix); i++ {
			f.out.WriteByte(f.prefix[i])
			f.writeColumn++
		}
		if c != -1 && c != '\n' {
			f.space(f.column - f.writeColumn)
		}
		if c == -1 && f.column >= f.indent+len(f.prefix) {
			f.out.WriteByte('\n')
		}
	}
	for ; c != '\n' && c != -1; c = f.getc() {
		f.out.WriteByte(byte(c))
	}
	return c
}

// paragraph reads the next one; it answers false at the end.
func (f *formatter) paragraph() bool {
	f.lastLength = 0
	c := f.next
	for n := 0; c == '\n' || c == -1 || f.column < f.indent+f.full; n++ {
		if c = f.copyLine(c); c == -1 || n%256 == 0 && f.ctx.Err() != nil || f.out.Err() != nil {
			f.next = -1
			return false
		}
		f.out.WriteByte('\n')
		c = f.lineStart()
	}
	f.prefixAt, f.first = f.indent, f.column
	f.words, f.chars = f.words[:0], 0
	c = f.line(c)
	f.setOther(f.continues(c))
	switch {
	case f.splitOnly:
	case f.crown && f.continues(c), f.tagged && !f.crown && f.continues(c) && f.column != f.first:
		c = f.line(c)
		for f.continues(c) && f.column == f.other {
			c = f.line(c)
		}
	case f.crown || f.tagged:
	default:
		for f.continues(c) && f.column == f.other {
			c = f.line(c)
		}
	}
	last := &f.words[len(f.words)-1]
	last.period, last.final = true, true
	f.next = c
	return true
}

// setOther settles the indent of the lines behind the first.
func (f *formatter) setOther(continues bool) {
	switch {
	case f.splitOnly:
		f.other = f.first
	case f.crown && continues:
		f.other = f.column
	case f.crown:
		f.other = f.first
	case f.tagged && continues && f.column != f.first:
		f.other = f.column
	case f.tagged && f.other == f.first:
		if f.other = 0; f.first == 0 {
			f.other = 3
		}
	case f.tagged:
	default:
		f.other = f.first
	}
}

// line takes the words of a line in and answers how the next one begins.
func (f *formatter) line(c int) int {
	for {
		if f.ctx.Err() != nil {
			f.err = f.ctx.Err()
			return -1
		}
		var w word
		for {
			if f.chars == maxChars {
				f.setOther(true)
				f.writeSome(&w)
			}
			w.text = append(w.text, byte(c))
			f.chars++
			if c = f.getc(); c == -1 || strings.IndexByte(" \t\n\v\f\r", byte(c)) >= 0 {
				break
			}
		}
		f.column += len(w.text)
		w.punctuation()
		start := f.column
		c = f.blanks(c)
		w.space = f.column - start
		w.final = c == -1 || w.period && (c == '\n' || w.space > 1)
		if c == '\n' || c == -1 || f.uniform {
			if w.space = 1; w.final {
				w.space = 2
			}
		}
		if len(f.words) == maxWords-2 {
			f.setOther(true)
			f.writeSome(&w)
		}
		f.words = append(f.words, w)
		if c == '\n' || c == -1 {
			return f.lineStart()
		}
	}
}

// writeSome writes a part of a paragraph that is too long to be held; w is the
// word that is being read.
func (f *formatter) writeSome(w *word) {
	if len(f.words) == 0 {
		f.out.Write(w.text)
		w.text, f.chars = w.text[:0], 0
		return
	}
	f.breakLines()
	split := f.splitPoint()
	f.write(split)
	f.words = slices.Delete(f.words, 0, split)
	f.chars = len(w.text)
	for _, word := range f.words {
		f.chars += len(word.text)
	}
}
