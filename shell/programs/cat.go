package programs

import (
	"bytes"
	"context"
	"io"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

var catSpec = getopt.Spec{
	Name:     "cat",
	Synopsis: []string{"[OPTION]... [FILE]..."},
	Summary: "Concatenate FILE(s) to standard output.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
	Options: []getopt.Option{
		{Short: "A", Long: "show-all", Help: "equivalent to -vET"},
		{Short: "b", Long: "number-nonblank", Help: "number nonempty output lines, overrides -n"},
		{Short: "e", Help: "equivalent to -vE"},
		{Short: "E", Long: "show-ends", Help: "display $ at end of each line"},
		{Short: "n", Long: "number", Help: "number all output lines"},
		{Short: "s", Long: "squeeze-blank", Help: "suppress repeated empty output lines"},
		{Short: "t", Help: "equivalent to -vT"},
		{Short: "T", Long: "show-tabs", Help: "display TAB characters as ^I"},
		{Short: "u", Help: "(ignored)"},
		{Short: "v", Long: "show-nonprinting", Help: "use ^ and M- notation, except for LFD and TAB"},
	},
}

type catOptions struct {
	number, nonblank, squeeze, ends, tabs, nonprinting bool
}

func runCat(ctx context.Context, inv *program.Invocation) int {
	var o catOptions
	p := catSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "A":
			o.nonprinting, o.ends, o.tabs = true, true, true
		case "b":
			o.nonblank = true
		case "e":
			o.nonprinting, o.ends = true, true
		case "E":
			o.ends = true
		case "n":
			o.number = true
		case "s":
			o.squeeze = true
		case "t":
			o.nonprinting, o.tabs = true, true
		case "T":
			o.tabs = true
		case "v":
			o.nonprinting = true
		}
	}
	if p.Stopped {
		return p.Status
	}
	if o == (catOptions{}) {
		return catPlain(ctx, inv, p.Operands)
	}
	c := catFilter{catOptions: o, out: stream.Stdout(inv), lineStart: true}
	status := stream.Inputs(ctx, inv, p.Operands, func(_ string, r io.Reader) error {
		return c.file(ctx, r)
	})
	if c.pendingCR {
		c.out.WriteByte('\r')
	}
	return c.out.Close(inv, status)
}

// catPlain copies without looking at the bytes, and without holding any back.
func catPlain(ctx context.Context, inv *program.Invocation, operands []string) int {
	var failed error
	status := stream.Inputs(ctx, inv, operands, func(_ string, r io.Reader) error {
		_, rerr, werr := stream.Copy(ctx, inv.Stdout, r)
		if werr != nil {
			failed = werr
			return stream.ErrStop
		}
		return rerr
	})
	if failed != nil {
		return inv.WriteError(failed)
	}
	return status
}

// catFilter changes lines on their way. Its state goes on from one file to
// the next: a line may begin in one and end in another.
type catFilter struct {
	catOptions
	out       *stream.Writer
	line      int64
	blank     int  // empty lines in a row
	lineStart bool // nothing of the current line was written
	pendingCR bool // a CR that may turn out to stand before the line's end
}

func (c *catFilter) file(ctx context.Context, r io.Reader) error {
	buf := make([]byte, stream.BufferSize)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		c.chunk(buf[:n])
		// What was read is shown before the next read may wait.
		if werr := c.out.Flush(); werr != nil {
			return stream.ErrStop
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (c *catFilter) chunk(p []byte) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		text := p
		if i >= 0 {
			text = p[:i]
		}
		c.text(text)
		if i < 0 {
			return
		}
		c.newline()
		p = p[i+1:]
	}
}

func (c *catFilter) begin() {
	c.lineStart, c.blank = false, 0
	if c.number || c.nonblank {
		c.writeNumber()
	}
}

func (c *catFilter) writeNumber() {
	c.line++
	catNumber(c.out, c.line)
}

func (c *catFilter) text(p []byte) {
	if len(p) == 0 {
		return
	}
	if c.lineStart {
		c.begin()
	}
	if c.pendingCR {
		c.pendingCR = false
		c.out.WriteByte('\r')
	}
	if c.ends && !c.nonprinting && p[len(p)-1] == '\r' {
		c.pendingCR = true
		p = p[:len(p)-1]
	}
	switch {
	case c.nonprinting:
		for _, b := range p {
			catVisible(c.out, b, c.tabs)
		}
	case c.tabs:
		for {
			i := bytes.IndexByte(p, '\t')
			if i < 0 {
				break
			}
			c.out.Write(p[:i])
			c.out.WriteString("^I")
			p = p[i+1:]
		}
		c.out.Write(p)
	default:
		c.out.Write(p)
	}
}

func (c *catFilter) newline() {
	if c.lineStart {
		c.blank++
		if c.squeeze && c.blank > 1 {
			return
		}
		if c.number && !c.nonblank {
			c.writeNumber()
		}
	}
	if c.ends {
		if c.pendingCR {
			c.out.WriteString("^M")
			c.pendingCR = false
		}
		c.out.WriteByte('$')
	}
	c.out.WriteByte('\n')
	c.lineStart = true
}

// catNumber writes a line number in six columns and a tab.
func catNumber(out *stream.Writer, n int64) {
	var digits [24]byte
	i := len(digits) - 1
	digits[i] = '\t'
	for n > 0 || i == len(digits)-1 {
		i--
		digits[i] = byte('0' + n%10)
		n /= 10
	}
	for i > len(digits)-7 {
		i--
		digits[i] = ' '
	}
	out.Write(digits[i:])
}

// catVisible writes a byte in the ^ and M- notation of cat -v.
func catVisible(out *stream.Writer, b byte, tabs bool) {
	if b == '\t' && !tabs {
		out.WriteByte(b)
		return
	}
	if b >= 128 {
		out.WriteString("M-")
		b -= 128
	}
	switch {
	case b < 32:
		out.WriteByte('^')
		out.WriteByte(b + 64)
	case b == 127:
		out.WriteString("^?")
	default:
		out.WriteByte(b)
	}
}
