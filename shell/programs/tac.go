package programs

import (
	"bytes"
	"context"
	"io"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/shell/regex"
)

var tacSpec = getopt.Spec{
	Name:     "tac",
	Synopsis: []string{"[OPTION]... [FILE]..."},
	Summary: "Write each FILE to standard output, last line first.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
	Options: []getopt.Option{
		{Short: "b", Long: "before", Help: "attach the separator before instead of after"},
		{Short: "r", Long: "regex", Help: "interpret the separator as a regular expression"},
		{Short: "s", Long: "separator", Arg: getopt.Required, Meta: "STRING", Help: "use STRING as the separator instead of newline"},
	},
}

// tacRun finds separators backwards: last answers the bounds of the last
// separator in p, -1 when there is none.
type tacRun struct {
	before bool
	last   func(p []byte) (start, end int)
}

func runTac(ctx context.Context, inv *program.Invocation) int {
	t := &tacRun{}
	separator, isRegex := "\n", false
	p := tacSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "b":
			t.before = true
		case "r":
			isRegex = true
		case "s":
			separator = p.Opt.Value
		}
	}
	if p.Stopped {
		return p.Status
	}
	if isRegex && separator == "" {
		inv.Errorf("separator cannot be empty")
		return 1
	}
	if separator == "" {
		separator = "\x00"
	}
	literal := []byte(separator)
	t.last = func(p []byte) (int, int) {
		i := bytes.LastIndex(p, literal)
		return i, i + len(literal)
	}
	if isRegex {
		re, err := regex.Compile(separator, regex.Emacs|regex.Newline)
		if err != nil {
			inv.Errorf("%s", err)
			return 1
		}
		t.last = tacLast(re.Matcher(ctx))
	}
	out := stream.Stdout(inv)
	status := stream.Inputs(ctx, inv, p.Operands, func(name string, r io.Reader) error {
		held := stream.NewHeld(inv)
		defer held.Free()
		data, err := held.ReadAll(ctx, r)
		if err != nil {
			return err
		}
		return t.write(ctx, out, data)
	})
	return out.Close(inv, status)
}

// tacLast searches backwards for a regular expression: the match that begins
// last. It looks at the end of p first, and at twice as much while it finds
// nothing there.
func tacLast(m *regex.Matcher) func(p []byte) (int, int) {
	return func(p []byte) (int, int) {
		for back := 64; ; back *= 2 {
			pos := max(len(p)-back, 0)
			start, end := -1, -1
			for pos < len(p) {
				s, e, ok := m.Find(p, pos, 0)
				if !ok || s >= len(p) {
					break
				}
				start, end, pos = s, e, s+1
			}
			if start >= 0 || back >= len(p) {
				return start, end
			}
		}
	}
}

// write writes the records of p, last first.
func (t *tacRun) write(ctx context.Context, out *stream.Writer, p []byte) error {
	end := len(p)    // of the record that is looked for
	search := len(p) // separators are looked for in front of it
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		start, stop := t.last(p[:search])
		if start < 0 {
			break
		}
		switch {
		case t.before:
			out.Write(p[start:end])
			end = start
		case n == 0 && stop == end: // nothing follows the last separator
		default:
			out.Write(p[stop:end])
			end = stop
		}
		if out.Err() != nil {
			return stream.ErrStop
		}
		search = start
	}
	out.Write(p[:end])
	return nil
}
