package programs

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

var commSpec = getopt.Spec{
	Name:     "comm",
	Synopsis: []string{"[OPTION]... FILE1 FILE2"},
	Summary: "Compare sorted files FILE1 and FILE2 line by line.\n\n" +
		"When FILE1 or FILE2 (not both) is -, read standard input.\n\n" +
		"With no options, produce three-column output.  Column one contains\n" +
		"lines unique to FILE1, column two contains lines unique to FILE2,\n" +
		"and column three contains lines common to both files.",
	Options: []getopt.Option{
		{Short: "1", Help: "suppress column 1 (lines unique to FILE1)"},
		{Short: "2", Help: "suppress column 2 (lines unique to FILE2)"},
		{Short: "3", Help: "suppress column 3 (lines that appear in both files)"},
		{Long: "check-order", Help: "check that the input is correctly sorted, even\n  if all input lines are pairable"},
		{Long: "nocheck-order", Help: "do not check that the input is correctly sorted"},
		{Long: "output-delimiter", Arg: getopt.Required, Meta: "STR", Help: "separate columns with STR"},
		{Long: "total", Help: "output a summary"},
		{Short: "z", Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
	},
	Epilog: "Note, comparisons honor the rules specified by 'LC_COLLATE'.",
}

// orderCheck says when disorder of the input is reported: once a line found no
// partner (the default), always, or never.
type orderCheck int

const (
	orderDefault orderCheck = iota
	orderAlways
	orderNever
)

type commRun struct {
	show      [3]bool
	delimiter string
	total     bool
	order     orderCheck
	end       byte
	inv       *program.Invocation
	out       *stream.Writer

	unpairable bool
	counts     [3]int64
	disorder   bool // some file is out of order
}

// commFile is one of the two inputs. The line before the current one is kept,
// since their order may have to be checked later.
type commFile struct {
	number  int
	lines   *stream.Lines
	line    []byte // current, without its delimiter
	last    []byte
	known   bool // last is a line
	done    bool
	blamed  bool
	readErr error
}

func runComm(ctx context.Context, inv *program.Invocation) int {
	c := &commRun{show: [3]bool{true, true, true}, delimiter: "\t", end: '\n', inv: inv}
	given := false
	p := commSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "1", "2", "3":
			c.show[p.Opt.Name[0]-'1'] = false
		case "check-order":
			c.order = orderAlways
		case "nocheck-order":
			c.order = orderNever
		case "output-delimiter":
			if given && c.delimiter != p.Opt.Value {
				return p.Fail("multiple output delimiters specified")
			}
			c.delimiter, given = p.Opt.Value, true
		case "total":
			c.total = true
		case "z":
			c.end = 0
		}
	}
	if p.Stopped {
		return p.Status
	}
	if c.delimiter == "" {
		c.delimiter = "\x00"
	}
	switch {
	case len(p.Operands) < 2:
		return p.Missing()
	case len(p.Operands) > 2:
		return p.Extra(p.Operands[2])
	}
	c.out = stream.Stdout(inv)
	var files [2]*commFile
	for i, name := range p.Operands {
		r, err := inv.OpenOperand(ctx, name)
		if err != nil {
			inv.FileError(name, err)
			return 1
		}
		defer r.Close()
		files[i] = &commFile{number: i + 1, lines: stream.NewLines(r, c.end, inv.Meter())}
	}
	status := c.compare(ctx, files)
	for i, f := range files {
		if f.readErr != nil {
			c.out.Flush()
			inv.FileError(p.Operands[i], f.readErr)
			return 1
		}
	}
	return c.out.Close(inv, status)
}

// compare merges the two files. It answers the exit status.
func (c *commRun) compare(ctx context.Context, files [2]*commFile) int {
	a, b := files[0], files[1]
	for _, f := range files {
		if !c.advance(f) {
			return 1
		}
	}
	for n := 0; !a.done || !b.done; n++ {
		if n%256 == 0 && ctx.Err() != nil || c.out.Err() != nil {
			return 1
		}
		order := 0
		switch {
		case a.done:
			order = 1
		case b.done:
			order = -1
		default:
			order = bytes.Compare(a.line, b.line)
		}
		switch {
		case order < 0:
			c.unpairable = true
			c.write(0, a.line)
		case order > 0:
			c.unpairable = true
			c.write(1, b.line)
		default:
			c.write(2, a.line)
		}
		if order <= 0 && !c.advance(a) || order >= 0 && !c.advance(b) {
			return 1
		}
	}
	if c.total {
		for _, n := range c.counts {
			c.out.WriteString(strconv.FormatInt(n, 10))
			c.out.WriteString(strings.TrimSuffix(c.delimiter, "\x00"))
		}
		c.out.WriteString("total")
		c.out.WriteByte(c.end)
	}
	if c.disorder {
		c.out.Flush()
		c.inv.Errorf("input is not in sorted order")
		return 1
	}
	return 0
}

func (c *commRun) write(column int, line []byte) {
	c.counts[column]++
	if !c.show[column] {
		return
	}
	for i := range column {
		if c.show[i] {
			c.out.WriteString(c.delimiter)
		}
	}
	c.out.Write(line)
	c.out.WriteByte(c.end)
}

// advance reads the next line of a file. It answers false when disorder ends
// the run.
func (c *commRun) advance(f *commFile) bool {
	if f.lines == nil {
		return true
	}
	line, err := f.lines.Next()
	if err != nil {
		if err != io.EOF {
			f.readErr = err
		}
		// A line without a partner may have shown up after these were read.
		ordered := !f.known || f.line == nil || c.inOrder(f, f.last, f.line)
		f.done, f.lines = true, nil
		return ordered
	}
	if f.line != nil {
		f.last, f.line = f.line, f.last
		f.known = true
	}
	line, _ = stream.Chomp(line, c.end)
	f.line = append(f.line[:0], line...)
	if f.line == nil {
		f.line = []byte{}
	}
	return !f.known || c.inOrder(f, f.last, f.line)
}

// inOrder checks two lines of a file that follow each other.
func (c *commRun) inOrder(f *commFile, first, second []byte) bool {
	if c.order == orderNever || c.order == orderDefault && !c.unpairable || f.blamed || bytes.Compare(first, second) <= 0 {
		return true
	}
	c.out.Flush()
	c.inv.Errorf("file %d is not in sorted order", f.number)
	f.blamed, c.disorder = true, true
	return c.order != orderAlways
}
