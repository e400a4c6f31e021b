package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

var cmpSpec = getopt.Spec{
	Name:     "cmp",
	Synopsis: []string{"[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]"},
	Summary: "Compare two files byte by byte.\n\n" +
		"The optional SKIP1 and SKIP2 specify the number of bytes to skip\n" +
		"at the beginning of each file (zero by default).\n\n" +
		"If a FILE is '-' or missing, read standard input.\n" +
		"Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.",
	Status: 2,
	Hint:   "%s: Try '%s --help' for more information.",
	Options: []getopt.Option{
		{Short: "b", Long: "print-bytes", Help: "print differing bytes"},
		{Short: "i", Long: "ignore-initial", Arg: getopt.Required, Meta: "SKIP", Help: "skip first SKIP bytes of both inputs;\nSKIP1:SKIP2 skips each input's own"},
		{Short: "l", Long: "verbose", Help: "output byte numbers and differing byte values"},
		{Short: "n", Long: "bytes", Arg: getopt.Required, Meta: "LIMIT", Help: "compare at most LIMIT bytes"},
		{Short: "s", Long: "quiet", Help: "suppress all normal output"},
		{Long: "silent", Help: "the same as --quiet"},
	},
}

type cmpRun struct {
	inv            *program.Invocation
	names          [2]string
	skip           [2]uint64
	limit          uint64 // 0 = none
	bytes, verbose bool
	silent         bool
	out            *stream.Writer
}

func runCmp(ctx context.Context, inv *program.Invocation) int {
	c := cmpRun{inv: inv, names: [2]string{"-", "-"}, limit: 1<<64 - 1}
	p := cmpSpec.Parse(inv)
	for p.Next() {
		ok := true
		switch p.Opt.Name {
		case "b":
			c.bytes = true
		case "i":
			first, second, both := strings.Cut(p.Opt.Value, ":")
			if ok = c.setSkip(p, 0, "ignore-initial", first); ok && both {
				ok = c.setSkip(p, 1, "ignore-initial", second)
			} else if ok {
				c.skip[1] = c.skip[0]
			}
		case "l":
			c.verbose = true
		case "n":
			n, err := number.Parse(p.Opt.Value, cmpSuffixes)
			if err != nil && !errors.Is(err, number.ErrRange) {
				return p.Usage("invalid --bytes value %s", inv.QuoteArg(p.Opt.Value))
			}
			c.limit = n
		case "s", "silent":
			c.silent = true
		}
		if !ok {
			return p.Status
		}
	}
	if p.Stopped {
		return p.Status
	}
	if c.verbose && c.silent {
		return p.Usage("options -l and -s are incompatible")
	}
	switch n := len(p.Operands); {
	case n == 0:
		return p.Usage("missing operand after %s", inv.QuoteArg("cmp"))
	case n > 4:
		return p.Usage("extra operand %s", inv.QuoteArg(p.Operands[4]))
	}
	for i, operand := range p.Operands {
		if i < 2 {
			c.names[i] = operand
		} else if !c.setSkip(p, i-2, "SKIP", operand) {
			return p.Status
		}
	}
	c.out = stream.Stdout(inv)
	return c.out.Close(inv, c.run(ctx))
}

// cmpSuffixes are the units of counts.
const cmpSuffixes = "kEGKMPTYZ0"

func (c *cmpRun) setSkip(p *getopt.Parser, i int, what, text string) bool {
	n, err := number.Parse(text, cmpSuffixes)
	if err != nil && !errors.Is(err, number.ErrRange) {
		if what == "SKIP" {
			p.Usage("invalid --ignore-initial value %s", c.inv.QuoteArg(text))
		} else {
			p.Usage("invalid --ignore-initial value %s", c.inv.QuoteArg(p.Opt.Value))
		}
		return false
	}
	c.skip[i] = n
	return true
}

func (c *cmpRun) run(ctx context.Context) int {
	if c.names[0] == c.names[1] && c.skip[0] == c.skip[1] {
		return 0
	}
	var in [2]io.ReadCloser
	for i, name := range c.names {
		r, err := c.inv.OpenOperand(ctx, name)
		if err == nil {
			defer r.Close()
			in[i] = r
			_, err = io.CopyN(io.Discard, r, int64(min(c.skip[i], 1<<62)))
			if errors.Is(err, io.EOF) {
				err = nil
			}
		}
		if err != nil {
			if !c.silent || vfs.Errno(err) != syscall.ENOENT {
				c.inv.FileError(name, err)
			}
			return 2
		}
	}
	return c.compare(ctx, in)
}

// compare reads both inputs block by block.
func (c *cmpRun) compare(ctx context.Context, in [2]io.ReadCloser) int {
	var bufs [2][]byte
	for i := range bufs {
		bufs[i] = make([]byte, stream.BufferSize)
	}
	var offset, line uint64 = 0, 1
	status := 0
	lineStart := true // the last byte read ended a line
	for offset < c.limit {
		if ctx.Err() != nil {
			return 2
		}
		want := int(min(uint64(stream.BufferSize), c.limit-offset))
		var n [2]int
		for i, r := range in {
			var err error
			n[i], err = io.ReadFull(r, bufs[i][:want])
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				c.inv.FileError(c.names[i], err)
				return 2
			}
		}
		common := min(n[0], n[1])
		for i := range common {
			a, b := bufs[0][i], bufs[1][i]
			if a != b {
				status = 1
				if c.silent {
					return 1
				}
				if !c.verbose {
					c.first(offset+uint64(i)+1, line, a, b)
					return 1
				}
				c.each(offset+uint64(i)+1, a, b)
			}
			lineStart = a == '\n'
			if lineStart {
				line++
			}
		}
		offset += uint64(common)
		if n[0] != n[1] {
			if !c.silent {
				c.short(n[0] < n[1], offset, line, lineStart)
			}
			return 1
		}
		if common < want {
			break
		}
	}
	return status
}

// first reports the first difference.
func (c *cmpRun) first(at, line uint64, a, b byte) {
	fmt.Fprintf(c.out, "%s %s differ: ", c.inv.QuoteName(c.names[0]), c.inv.QuoteName(c.names[1]))
	if !c.bytes {
		fmt.Fprintf(c.out, "char %d, line %d\n", at, line)
		return
	}
	fmt.Fprintf(c.out, "byte %d, line %d is %3o %s %3o %s\n", at, line, a, cmpChar(a), b, cmpChar(b))
}

// each reports one difference of many (-l).
func (c *cmpRun) each(at uint64, a, b byte) {
	if c.bytes {
		fmt.Fprintf(c.out, "%d %3o %-4s %3o %s\n", at, a, cmpChar(a), b, cmpChar(b))
	} else {
		fmt.Fprintf(c.out, "%d %3o %3o\n", at, a, b)
	}
}

// short reports that one input ended before the other.
func (c *cmpRun) short(first bool, offset, line uint64, lineStart bool) {
	name := c.names[1]
	if first {
		name = c.names[0]
	}
	// What was printed so far comes before the message.
	_ = c.out.Flush()
	name = c.inv.QuoteName(name)
	switch {
	case offset == 0:
		c.inv.Errorf("EOF on %s which is empty", name)
	case c.verbose:
		c.inv.Errorf("EOF on %s after byte %d", name, offset)
	case lineStart:
		c.inv.Errorf("EOF on %s after byte %d, line %d", name, offset, line-1)
	default:
		c.inv.Errorf("EOF on %s after byte %d, in line %d", name, offset, line)
	}
}

// cmpChar shows a byte as cat -t does.
func cmpChar(b byte) string {
	s := ""
	if b >= 128 {
		s, b = "M-", b-128
	}
	switch {
	case b < 32:
		return s + "^" + string(rune(b+64))
	case b == 127:
		return s + "^?"
	}
	return s + string(rune(b))
}
