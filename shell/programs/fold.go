package programs

import (
	"bytes"
	"context"
	"io"
	"math"
	"slices"

	"mirage/internal/budget"
	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

func foldSpec() *getopt.Spec {
	return &getopt.Spec{
		Name:     "fold",
		Synopsis: []string{"[OPTION]... [FILE]..."},
		Summary: "Wrap input lines in each FILE, writing to standard output.\n\n" +
			"With no FILE, or when FILE is -, read standard input.",
		Options: slices.Concat([]getopt.Option{
			{Short: "b", Long: "bytes", Help: "count bytes rather than columns"},
			{Short: "s", Long: "spaces", Help: "break at spaces"},
			{Short: "w", Long: "width", Arg: getopt.Required, Meta: "WIDTH", Help: "use WIDTH columns instead of 80"},
		}, digitOptions(getopt.Option{Arg: getopt.Optional})),
	}
}

type foldRun struct {
	bytes, spaces bool
	width         int64
	held          budget.Meter // of line
	out           *stream.Writer

	line   []byte // not written yet, as a break may go into it
	column int64
	begun  bool // the output line holds something
}

func runFold(ctx context.Context, inv *program.Invocation) int {
	f := &foldRun{width: 80, held: inv.Meter()}
	p := foldSpec().Parse(inv)
	for p.Next() {
		switch name := p.Opt.Name; name {
		case "b":
			f.bytes = true
		case "s":
			f.spaces = true
		default:
			if name != "w" {
				p.Opt.Value = name + p.Opt.Value
			}
			n, ok := decimalOption(p, "number of columns", 1, math.MaxInt64)
			if !ok {
				return p.Status
			}
			f.width = n
		}
	}
	if p.Stopped {
		return p.Status
	}
	f.out = stream.Stdout(inv)
	status := stream.Inputs(ctx, inv, p.Operands, func(_ string, r io.Reader) error {
		err := eachBlock(ctx, r, f.out, f.block)
		f.out.Write(f.line)
		f.line, f.column, f.begun = f.line[:0], 0, false
		return err
	})
	return f.out.Close(inv, status)
}

func (f *foldRun) block(p []byte) error {
	for _, c := range p {
		if c == '\n' {
			f.out.Write(f.line)
			f.out.WriteByte(c)
			f.line, f.column, f.begun = f.line[:0], 0, false
			continue
		}
		column := f.advance(f.column, c)
		for column > f.width && f.begun {
			f.split()
			column = f.advance(f.column, c)
		}
		f.column, f.begun = column, true
		if !f.spaces {
			f.out.WriteByte(c)
			continue
		}
		f.line = append(f.line, c)
		if len(f.line) == cap(f.line) && !f.held.Hold(2*int64(cap(f.line))) {
			return stream.ErrMemory
		}
	}
	return nil
}

// split ends the output line: behind its last blank where that is asked for,
// else at its end.
func (f *foldRun) split() {
	at := len(f.line)
	if i := bytes.LastIndexAny(f.line, " \t"); i >= 0 {
		at = i + 1
	}
	f.out.Write(f.line[:at])
	f.out.WriteByte('\n')
	f.line = f.line[:copy(f.line, f.line[at:])]
	f.begun, f.column = len(f.line) > 0, 0
	for _, c := range f.line {
		f.column = f.advance(f.column, c)
	}
}

// advance answers the column behind a byte.
func (f *foldRun) advance(column int64, c byte) int64 {
	switch {
	case f.bytes:
	case c == '\b':
		return max(column-1, 0)
	case c == '\r':
		return 0
	case c == '\t':
		return column + 8 - column%8
	}
	return column + 1
}
