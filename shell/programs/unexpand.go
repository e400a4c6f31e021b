package programs

import (
	"context"
	"io"
	"slices"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

func unexpandSpec() *getopt.Spec {
	return &getopt.Spec{
		Name:     "unexpand",
		Synopsis: []string{"[OPTION]... [FILE]..."},
		Summary: "Convert blanks in each FILE to tabs, writing to standard output.\n\n" +
			"With no FILE, or when FILE is -, read standard input.",
		Options: slices.Concat([]getopt.Option{
			{Short: "a", Long: "all", Help: "convert all blanks, instead of just initial blanks"},
			{Long: "first-only", Help: "convert only leading sequences of blanks (overrides -a)"},
			{Short: "t", Long: "tabs", Arg: getopt.Required, Meta: "LIST", Help: "have tabs N characters apart instead of 8 (enables -a), or\n" + tabsHelp},
			{Short: ",", Hidden: true},
		}, digitOptions(getopt.Option{})),
	}
}

// unexpandRun is the state within a line, which goes on from file to file.
type unexpandRun struct {
	tabs tabStops
	all  bool
	ctx  context.Context
	out  *stream.Writer

	column    uint64
	at        int    // in the list of tab stops
	past      bool   // blanks are not converted any more
	pending   uint64 // blanks that may become a tab
	tabFirst  bool   // the first of them is a tab already
	oneBefore bool   // one of them stands just before a tab stop
	prevBlank bool
}

func runUnexpand(ctx context.Context, inv *program.Invocation) int {
	u := &unexpandRun{ctx: ctx, prevBlank: true}
	firstOnly, digits, n := false, false, uint64(0)
	p := unexpandSpec().Parse(inv)
	for p.Next() {
		switch name := p.Opt.Name; name {
		case "a":
			u.all = true
		case "first-only":
			firstOnly = true
		case "t":
			u.all = true
			u.tabs.parse(p, p.Opt.Value)
		case ",":
			if digits {
				u.tabs.list = append(u.tabs.list, n)
			}
			digits, n = false, 0
		default:
			var err error
			if n, err = addDigit(n, name[0]); err != nil {
				return p.Fail("tab stop value is too large")
			}
			digits = true
		}
	}
	if p.Stopped {
		return p.Status
	}
	if digits {
		u.tabs.list = append(u.tabs.list, n)
	}
	if firstOnly {
		u.all = false
	}
	if problem := u.tabs.settle(); problem != "" {
		return p.Fail("%s", problem)
	}
	u.out = stream.Stdout(inv)
	status := stream.Inputs(ctx, inv, p.Operands, func(_ string, r io.Reader) error {
		return eachBlock(ctx, r, u.out, func(p []byte) error {
			u.block(p)
			return nil
		})
	})
	u.flush()
	return u.out.Close(inv, status)
}

func (u *unexpandRun) block(p []byte) {
	for _, c := range p {
		if u.out.Err() != nil {
			return
		}
		if !u.past {
			held := false
			if c, held = u.convert(c); held {
				continue
			}
		}
		u.out.WriteByte(c)
		if c == '\n' {
			u.column, u.at, u.past, u.prevBlank = 0, 0, false, true
		}
	}
}

// convert looks at a byte where blanks count. It answers what to write for it,
// or that the byte is held back.
func (u *unexpandRun) convert(c byte) (byte, bool) {
	blank := c == ' ' || c == '\t'
	switch {
	case blank:
		stop, ok := u.tabs.next(u.column, &u.at)
		if !ok {
			u.past = true
			break
		}
		if c == '\t' {
			u.column = stop
			u.tabFirst = u.tabFirst || u.pending > 0
		} else {
			u.column++
			if !u.prevBlank || u.column != stop {
				u.oneBefore = u.oneBefore || u.column == stop
				u.pending++
				u.prevBlank = true
				return 0, true
			}
			c, u.tabFirst = '\t', true
		}
		u.pending = 0
		if u.oneBefore {
			u.pending = 1
		}
	case c == '\b':
		if u.column > 0 {
			u.column--
		}
		if u.at > 0 {
			u.at--
		}
	default:
		u.column++
	}
	u.flush()
	u.prevBlank = blank
	u.past = u.past || !u.all && !blank
	return c, false
}

// flush writes the blanks that were held back.
func (u *unexpandRun) flush() {
	if u.pending > 1 && u.oneBefore {
		u.tabFirst = true
	}
	if u.pending > 0 && u.tabFirst {
		u.out.WriteByte('\t')
		u.pending--
	}
	pad(u.ctx, u.out, ' ', int64(min(u.pending, 1<<62)))
	u.pending, u.tabFirst, u.oneBefore = 0, false, false
}
