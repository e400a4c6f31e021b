package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"

	"mirage/internal/budget"
	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

func stringsSpec() *getopt.Spec {
	s := &getopt.Spec{
		Name:     "strings",
		Synopsis: []string{"[option(s)] [file(s)]"},
		Summary:  "Display printable strings in [file(s)] (stdin by default)",
		Options: []getopt.Option{
			{Short: "a", Long: "all", Help: "Scan the entire file, not just the data section [default]"},
			{Short: "f", Long: "print-file-name", Help: "Print the name of the file before each string"},
			{Short: "n", Long: "bytes", Arg: getopt.Required, Meta: "number", Help: "Locate & print any sequence of at least <number>\ndisplayable characters.  (The default is 4)."},
			{Short: "t", Long: "radix", Arg: getopt.Required, Meta: "{o,d,x}", Help: "Print the location of the string in base 8, 10 or 16"},
			{Short: "o", Help: "An alias for --radix=o"},
			{Short: "w", Long: "include-all-whitespace", Help: "Include all whitespace as valid string characters"},
			{Short: "e", Long: "encoding", Arg: getopt.Required, Meta: "{s,S,b,l,B,L}", Help: "Select character size and endianness:\ns = 7-bit, S = 8-bit, {b,l} = 16-bit, {B,L} = 32-bit"},
			{Short: "s", Long: "output-separator", Arg: getopt.Required, Meta: "string", Help: "String used to separate strings in output."},
		},
	}
	s.Options = append(s.Options, digitOptions(getopt.Option{})...)
	return s
}

type stringsRun struct {
	ctx       context.Context
	out       *stream.Writer
	least     int
	radix     string // a verb of fmt, "" for no location
	space     bool
	encoding  byte
	separator string
	held      budget.Meter
}

func runStrings(ctx context.Context, inv *program.Invocation) int {
	s := &stringsRun{ctx: ctx, least: 4, encoding: 's', separator: "\n", held: inv.Meter()}
	names, count := false, ""
	p := stringsSpec().Parse(inv)
	for p.Next() {
		switch name, value := p.Opt.Name, p.Opt.Value; name {
		case "a":
		case "f":
			names = true
		case "n":
			count = value
		case "t", "o":
			if name == "o" {
				value = "o"
			}
			if s.radix = value; value != "o" && value != "d" && value != "x" {
				return p.Usage("invalid radix %s", value)
			}
		case "w":
			s.space = true
		case "e":
			if len(value) != 1 || !strings.Contains("sSbBlL", value) {
				return p.Usage("invalid encoding %s", value)
			}
			s.encoding = value[0]
		case "s":
			s.separator = value
		default:
			count += name
		}
	}
	if p.Stopped {
		return p.Status
	}
	if count != "" {
		n, err := strconv.ParseInt(count, 0, 32)
		switch {
		case err != nil:
			return p.Fail("invalid integer argument %s", count)
		case n < 1:
			return p.Fail("invalid minimum string length %d", n)
		}
		s.least = int(n)
	}
	s.out = stream.Stdout(inv)
	if len(p.Operands) == 0 {
		prefix := ""
		if names {
			prefix = "{standard input}: "
		}
		return s.out.Close(inv, s.report(inv, "{standard input}", s.scan(inv.Stdin, prefix)))
	}
	status := 0
	for _, name := range p.Operands {
		if ctx.Err() != nil || s.out.Err() != nil {
			break
		}
		r, err := inv.Open(ctx, name)
		if err == nil && inv.IsDir(ctx, name) {
			r.Close()
			err = syscall.EISDIR
		}
		if err == nil {
			prefix := ""
			if names {
				prefix = name + ": "
			}
			err = s.scan(r, prefix)
			r.Close()
		}
		status = max(status, s.report(inv, name, err))
	}
	return s.out.Close(inv, status)
}

// report words an error as binutils does, and answers the status.
func (s *stringsRun) report(inv *program.Invocation, name string, err error) int {
	if err == nil || s.out.Err() != nil {
		return 0
	}
	s.out.Flush()
	switch {
	case errors.Is(err, syscall.ENOENT):
		inv.Errorf("'%s': No such file", name)
	case errors.Is(err, syscall.EISDIR):
		inv.Errorf("Warning: '%s' is a directory", name)
	default:
		inv.FileError(name, err)
	}
	return 1
}

// scan prints the strings of one file.
func (s *stringsRun) scan(r io.Reader, prefix string) error {
	size := map[byte]int{'s': 1, 'S': 1, 'b': 2, 'l': 2, 'B': 4, 'L': 4}[s.encoding]
	big := s.encoding == 'b' || s.encoding == 'B'
	var window []byte // of the bytes that may make a character
	var text []byte
	long := false // the string is being printed already
	offset := int64(0)
	end := func() {
		if long {
			s.out.WriteString(s.separator)
		}
		text, long = text[:0], false
	}
	err := eachBlock(s.ctx, r, s.out, func(p []byte) error {
		for _, b := range p {
			if s.out.Err() != nil {
				return nil
			}
			offset++
			if window = append(window, b); len(window) < size {
				continue
			}
			c, ok := s.character(window, big)
			if !ok {
				end()
				window = window[:copy(window, window[1:])]
				continue
			}
			window = window[:0]
			if long {
				s.out.WriteByte(c)
				continue
			}
			if text = append(text, c); len(text) == s.least {
				s.out.WriteString(prefix)
				if s.radix != "" {
					s.out.WriteString(fmt.Sprintf("%7"+s.radix+" ", offset-int64(s.least*size)))
				}
				s.out.Write(text)
				long = true
			} else if !s.held.Hold(int64(cap(text))) {
				return stream.ErrMemory
			}
		}
		return nil
	})
	end()
	return err
}

// character reads one character; ok is false when it does not print.
func (s *stringsRun) character(p []byte, big bool) (c byte, ok bool) {
	for i, b := range p {
		low := i == 0
		if big {
			low = i == len(p)-1
		}
		if low {
			c = b
		} else if b != 0 {
			return 0, false
		}
	}
	switch {
	case c == '\t', c >= ' ' && c < 0x7f:
		return c, true
	case s.space && strings.IndexByte("\n\v\f\r", c) >= 0:
		return c, true
	}
	return c, s.encoding == 'S' && c >= 0x80
}
