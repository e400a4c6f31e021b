package programs

import (
	"context"
	"io"
	"slices"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

func expandSpec() *getopt.Spec {
	return &getopt.Spec{
		Name:     "expand",
		Synopsis: []string{"[OPTION]... [FILE]..."},
		Summary: "Convert tabs in each FILE to spaces, writing to standard output.\n\n" +
			"With no FILE, or when FILE is -, read standard input.",
		Options: slices.Concat([]getopt.Option{
			{Short: "i", Long: "initial", Help: "do not convert tabs after non blanks"},
			{Short: "t", Long: "tabs", Arg: getopt.Required, Meta: "LIST", Help: "have tabs N characters apart, not 8, or\n" + tabsHelp},
		}, digitOptions(getopt.Option{Arg: getopt.Optional})),
	}
}

// expandRun is the state within a line, which goes on from file to file.
type expandRun struct {
	tabs    tabStops
	initial bool // tabs behind the first non-blank stay
	ctx     context.Context
	out     *stream.Writer

	column uint64
	at     int  // in the list of tab stops
	past   bool // tabs are not converted any more
	failed bool // a line was too long
}

func runExpand(ctx context.Context, inv *program.Invocation) int {
	e := &expandRun{ctx: ctx}
	p := expandSpec().Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "i":
			e.initial = true
		case "t":
			e.tabs.parse(p, p.Opt.Value)
		default:
			e.tabs.parse(p, p.Opt.Name+p.Opt.Value)
		}
	}
	if p.Stopped {
		return p.Status
	}
	if problem := e.tabs.settle(); problem != "" {
		return p.Fail("%s", problem)
	}
	e.out = stream.Stdout(inv)
	status := stream.Inputs(ctx, inv, p.Operands, func(_ string, r io.Reader) error {
		err := eachBlock(ctx, r, e.out, func(p []byte) error {
			e.block(p)
			return nil
		})
		if e.failed {
			inv.Errorf("input line is too long")
			return stream.ErrStop
		}
		return err
	})
	if e.failed {
		status = 1
	}
	return e.out.Close(inv, status)
}

func (e *expandRun) block(p []byte) {
	for _, c := range p {
		if e.failed || e.out.Err() != nil {
			return
		}
		if !e.past && c != '\n' {
			e.convert(c)
		} else {
			e.out.WriteByte(c)
		}
		if c == '\n' {
			e.column, e.at, e.past = 0, 0, false
		}
	}
}

// convert writes a byte where tabs count.
func (e *expandRun) convert(c byte) {
	blank := c == ' ' || c == '\t'
	switch c {
	case '\t':
		stop, ok := e.tabs.next(e.column, &e.at)
		if !ok {
			stop = e.column + 1
		}
		if stop <= e.column || stop-e.column > 1<<62 {
			e.failed = true
			return
		}
		pad(e.ctx, e.out, ' ', int64(stop-e.column))
		e.column = stop
	case '\b':
		if e.column > 0 {
			e.column--
		}
		if e.at > 0 {
			e.at--
		}
		e.out.WriteByte(c)
	default:
		e.column++
		e.out.WriteByte(c)
	}
	e.past = e.initial && !blank
}
