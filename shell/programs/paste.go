package programs

import (
	"context"
	"io"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

var pasteSpec = getopt.Spec{
	Name:     "paste",
	Synopsis: []string{"[OPTION]... [FILE]..."},
	Summary: "Write lines consisting of the sequentially corresponding lines from\n" +
		"each FILE, separated by TABs, to standard output.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
	Options: []getopt.Option{
		{Short: "d", Long: "delimiters", Arg: getopt.Required, Meta: "LIST", Help: "reuse characters from LIST instead of TABs"},
		{Short: "s", Long: "serial", Help: "paste one file at a time instead of in parallel"},
		{Short: "z", Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
	},
}

type pasteRun struct {
	delimiters []string // of one byte, or empty
	end        byte
	inv        *program.Invocation
	out        *stream.Writer
}

func runPaste(ctx context.Context, inv *program.Invocation) int {
	r := &pasteRun{delimiters: []string{"\t"}, end: '\n', inv: inv}
	serial := false
	p := pasteSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "d":
			list, ok := pasteDelimiters(p.Opt.Value)
			if !ok {
				return p.Fail("delimiter list ends with an unescaped backslash: %s", p.Opt.Value)
			}
			r.delimiters = list
		case "s":
			serial = true
		case "z":
			r.end = 0
		}
	}
	if p.Stopped {
		return p.Status
	}
	r.out = stream.Stdout(inv)
	names := p.Operands
	if len(names) == 0 {
		names = []string{"-"}
	}
	status := 0
	if serial {
		status = stream.Inputs(ctx, inv, names, func(_ string, in io.Reader) error { return r.serial(ctx, in) })
	} else {
		status = r.parallel(ctx, names)
	}
	return r.out.Close(inv, status)
}

// pasteDelimiters reads the argument of -d; "\0" is the empty delimiter.
func pasteDelimiters(s string) (list []string, ok bool) {
	if s == "" {
		return []string{""}, true
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '\\' {
			list = append(list, string(s[i:i+1]))
			continue
		}
		i++
		if i == len(s) {
			return nil, false
		}
		switch c = s[i]; c {
		case '0':
			list = append(list, "")
			continue
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'v':
			c = '\v'
		}
		list = append(list, string([]byte{c}))
	}
	return list, true
}

func (r *pasteRun) serial(ctx context.Context, in io.Reader) error {
	lines := stream.NewLines(in, r.end, r.inv.Meter())
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := lines.Next()
		if err == io.EOF {
			r.out.WriteByte(r.end)
			return nil
		}
		if err != nil {
			return err
		}
		if n > 0 {
			r.out.WriteString(r.delimiters[(n-1)%len(r.delimiters)])
		}
		line, _ = stream.Chomp(line, r.end)
		r.out.Write(line)
		if r.out.Err() != nil {
			return stream.ErrStop
		}
	}
}

// pasteInput is one file of a parallel paste; lines is nil after its end. All
// mentions of "-" take turns at standard input.
type pasteInput struct {
	name  string
	lines *stream.Lines
}

func (r *pasteRun) parallel(ctx context.Context, names []string) int {
	var stdin *stream.Lines
	inputs := make([]*pasteInput, len(names))
	for i, name := range names {
		inputs[i] = &pasteInput{name: name}
		if name == "-" {
			if stdin == nil {
				stdin = stream.NewLines(r.inv.Stdin, r.end, r.inv.Meter())
			}
			inputs[i].lines = stdin
			continue
		}
		f, err := r.inv.Open(ctx, name)
		if err != nil {
			r.inv.FileError(name, err)
			return 1
		}
		defer f.Close()
		inputs[i].lines = stream.NewLines(f, r.end, r.inv.Meter())
	}
	status := 0
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return 1
		}
		more, ok := r.row(inputs)
		if !ok {
			status = 1
		}
		if !more || r.out.Err() != nil {
			return status
		}
	}
}

// row writes one line of each input; more is false when all have ended.
func (r *pasteRun) row(inputs []*pasteInput) (more, ok bool) {
	ok = true
	pending := 0 // delimiters owed for inputs that have ended
	started := false
	for i, in := range inputs {
		var line []byte
		if in.lines != nil {
			var err error
			if line, err = in.lines.Next(); err != nil {
				if err != io.EOF {
					r.inv.FileError(in.name, err)
					ok = false
				}
				in.lines = nil
			}
		}
		if in.lines != nil {
			for ; pending > 0; pending-- {
				r.out.WriteString(r.delimiters[(i-pending)%len(r.delimiters)])
			}
			started = true
			line, _ = stream.Chomp(line, r.end)
			r.out.Write(line)
		}
		pending++
	}
	if !started {
		return false, ok
	}
	for pending--; pending > 0; pending-- {
		r.out.WriteString(r.delimiters[(len(inputs)-1-pending)%len(r.delimiters)])
	}
	r.out.WriteByte(r.end)
	return true, ok
}
