package programs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

var shufSpec = getopt.Spec{
	Name:     "shuf",
	Synopsis: []string{"[OPTION]... [FILE]", "-e [OPTION]... [ARG]...", "-i LO-HI [OPTION]..."},
	Summary: "Write a random permutation of the input lines to standard output.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
	Options: []getopt.Option{
		{Short: "e", Long: "echo", Help: "treat each ARG as an input line"},
		{Short: "i", Long: "input-range", Arg: getopt.Required, Meta: "LO-HI", Help: "treat each number LO through HI as an input line"},
		{Short: "n", Long: "head-count", Arg: getopt.Required, Meta: "COUNT", Help: "output at most COUNT lines"},
		{Short: "o", Long: "output", Arg: getopt.Required, Meta: "FILE", Help: "write result to FILE instead of standard output"},
		{Long: "random-source", Arg: getopt.Required, Meta: "FILE", Help: "get random bytes from FILE"},
		{Short: "r", Long: "repeat", Help: "output lines can be repeated"},
		{Short: "z", Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
	},
}

// shufRun draws lines: those that are held, or the numbers from low on.
type shufRun struct {
	inv     *program.Invocation
	lines   [][]byte
	ranged  bool
	low     uint64
	count   uint64 // lines to draw from
	most    uint64 // lines to write
	repeat  bool
	end     byte
	held    *stream.Held
	choices shufSource
}

func runShuf(ctx context.Context, inv *program.Invocation) int {
	s := &shufRun{inv: inv, held: stream.NewHeld(inv), most: math.MaxUint64, end: '\n'}
	echo, output, source := false, "", ""
	p := shufSpec.Parse(inv)
	for p.Next() {
		switch value := p.Opt.Value; p.Opt.Name {
		case "e":
			echo = true
		case "i":
			if s.ranged {
				return p.Fail("multiple -i options specified")
			}
			s.setRange(p)
		case "n":
			n, reason, ok := decimal(value, 0, math.MaxInt64)
			if !ok && reason == "" {
				return p.Fail("invalid line count: %s", inv.QuoteArg(value))
			}
			if ok {
				s.most = min(s.most, uint64(n))
			}
		case "o":
			if output != "" && output != value {
				return p.Fail("multiple output files specified")
			}
			output = value
		case "random-source":
			if source != "" && source != value {
				return p.Fail("multiple random sources specified")
			}
			source = value
		case "r":
			s.repeat = true
		case "z":
			s.end = 0
		}
	}
	switch {
	case p.Stopped:
		return p.Status
	case echo && s.ranged:
		return p.Usage("cannot combine -e and -i options")
	case s.ranged && len(p.Operands) > 0:
		return p.Extra(p.Operands[0])
	case !echo && len(p.Operands) > 1:
		return p.Extra(p.Operands[1])
	}
	switch {
	case s.ranged || s.most == 0:
	case echo:
		for _, arg := range p.Operands {
			s.lines = append(s.lines, []byte(arg))
		}
	default:
		if status := s.read(ctx, append(p.Operands, "-")[0]); status != 0 {
			return status
		}
	}
	if !s.ranged {
		s.count = uint64(len(s.lines))
	}
	if source != "" {
		r, err := inv.Open(ctx, source)
		if err != nil {
			inv.FileError(source, err)
			return 1
		}
		defer r.Close()
		s.choices = shufSource{file: r, name: source}
	}
	if s.repeat && s.most > 0 && s.count == 0 {
		inv.Errorf("no lines to repeat")
		return 1
	}
	if output == "" {
		return s.write(ctx, stream.Stdout(inv), 0)
	}
	file, err := inv.Create(ctx, output, os.O_TRUNC)
	if err != nil {
		inv.FileError(output, err)
		return 1
	}
	status := s.write(ctx, stream.NewWriter(file), 0)
	if err := file.Close(); err != nil {
		inv.FileError(output, err)
		return 1
	}
	return status
}

func (s *shufRun) setRange(p *getopt.Parser) {
	value := p.Opt.Value
	low, high, ok := strings.Cut(value, "-")
	bad := value
	a, err := strconv.ParseUint(low, 10, 64)
	if err != nil {
		bad = low
	}
	b, err2 := strconv.ParseUint(high, 10, 64)
	if err == nil && ok && err2 != nil {
		bad = high
	}
	if !ok {
		bad = value
	}
	if !ok || err != nil || err2 != nil || a > b && a != b+1 || b-a == math.MaxUint64 {
		p.Fail("invalid input range: %s", s.inv.QuoteArg(bad))
		return
	}
	s.ranged, s.low, s.count = true, a, b-a+1
}

// What a line takes in memory beside its text, and when it is moved.
const (
	shufLineSize  = 24
	shufMovedSize = 64
)

func (s *shufRun) read(ctx context.Context, name string) int {
	r, err := s.inv.OpenOperand(ctx, name)
	if err != nil {
		s.inv.FileError(name, err)
		return 1
	}
	defer r.Close()
	data, err := s.held.ReadAll(ctx, r)
	if err == nil {
		err = s.held.Add(int64(bytes.Count(data, []byte{s.end})) * shufLineSize)
	}
	if err != nil {
		s.inv.Fail(err, "read error")
		return 1
	}
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte{s.end})
		s.lines, data = append(s.lines, line), rest
	}
	return 0
}

func (s *shufRun) write(ctx context.Context, out *stream.Writer, status int) int {
	// moved notes which line stands where another one was drawn from; it
	// stands for the whole list of numbers of a range.
	moved, counted := map[uint64]uint64{}, 0
	at := func(i uint64) uint64 {
		if j, ok := moved[i]; ok {
			return j
		}
		return i
	}
	for n := uint64(0); n < s.most && (s.repeat || n < s.count); n++ {
		if n%256 == 0 && ctx.Err() != nil || out.Err() != nil {
			break
		}
		first := n
		if s.repeat {
			first = 0
		}
		k, err := s.choices.choose(s.count - first)
		if err == nil && len(moved) > counted {
			counted += 1024
			err = s.held.Add(1024 * shufMovedSize)
		}
		if err != nil {
			out.Flush()
			if errors.Is(err, io.EOF) {
				s.inv.Errorf("%s: end of file", s.inv.Quote(s.choices.name))
			} else {
				s.inv.Errorf("%s", vfs.Phrase(err))
			}
			return 1
		}
		k += first
		line := at(k)
		if !s.repeat {
			moved[k] = at(n)
			delete(moved, n)
		}
		if s.ranged {
			out.WriteString(strconv.FormatUint(s.low+line, 10))
		} else {
			out.Write(s.lines[line])
		}
		out.WriteByte(s.end)
	}
	return out.Close(s.inv, status)
}

// shufSource chooses numbers: of random bytes in a file, in GNU's way, so that
// a given file always gives the same order, or else of the runtime's generator.
type shufSource struct {
	file io.Reader
	name string
	// have is a random number that is left over, at most most.
	have, most uint64
}

// choose answers a number below n, which is not 0.
func (s *shufSource) choose(n uint64) (uint64, error) {
	if s.file == nil {
		return rand.Uint64N(n), nil
	}
	for top := n - 1; ; {
		for s.most < top {
			var b [1]byte
			if _, err := io.ReadFull(s.file, b[:]); err != nil {
				return 0, err
			}
			s.have, s.most = s.have<<8+uint64(b[0]), s.most<<8+0xff
		}
		if s.most == top {
			have := s.have
			s.have, s.most = 0, 0
			return have, nil
		}
		excess := s.most - top
		unusable := excess % n
		rest := s.have % n
		if s.have <= s.most-unusable {
			s.have, s.most = s.have/n, excess/n
			return rest, nil
		}
		s.have, s.most = rest, unusable-1
	}
}
