package jq

import (
	"bytes"
	"context"
	"io"
	"strings"

	"mirage/internal/budget"
	"mirage/shell/program"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// inputs reads the inputs of a run, one after another, from the files that
// follow each other as if they were one.
type inputs struct {
	ctx    context.Context
	inv    *program.Invocation
	files  []string
	parser *parser // nil reads lines
	slurp  bool
	failed int // files that could not be read

	reader  io.ReadCloser
	name    any // of the file; null before the first
	lines   int // read of it
	buf     []byte
	size    int64 // bytes of the last value
	before  int64 // bytes of the values that -s holds
	held    budget.Meter
	rest    []byte // of buf
	partial []byte // a line that goes on in the next file
	ended   bool
	slurped bool
}

// position is where the input has been read to, as messages show it.
func (in *inputs) position() string {
	if name, ok := in.name.(string); ok {
		return name + ":" + formatNumber(float64(in.lines))
	}
	return "<unknown>"
}

// piece reads to the end of a line, or less of a long one. last tells that
// nothing follows.
func (in *inputs) piece() (p []byte, last bool, err error) {
	for {
		if err := in.ctx.Err(); err != nil {
			return nil, false, err
		}
		if len(in.rest) > 0 {
			p = in.rest
			if i := bytes.IndexByte(p, '\n'); i >= 0 {
				p = p[:i+1]
				in.lines++
			}
			in.rest = in.rest[len(p):]
			return p, false, nil
		}
		if in.reader == nil {
			if len(in.files) == 0 {
				return nil, true, nil
			}
			in.open()
			continue
		}
		if in.buf == nil {
			in.buf = make([]byte, stream.BufferSize)
		}
		n, err := in.reader.Read(in.buf)
		in.rest = in.buf[:n]
		if err != nil {
			in.reader.Close()
			in.reader = nil
			if err != io.EOF {
				in.complain(in.name.(string), err)
			}
		}
	}
}

func (in *inputs) open() {
	name := in.files[0]
	in.files = in.files[1:]
	in.lines = 0
	r, err := in.inv.OpenOperand(in.ctx, name)
	if err != nil {
		in.complain(name, err)
		return
	}
	if name == "-" {
		name = "<stdin>"
	}
	in.reader, in.name = r, name
}

func (in *inputs) complain(name string, err error) {
	in.failed++
	io.WriteString(in.inv.Stderr, "jq: error: Could not open "+name+": "+vfs.Phrase(err)+"\n")
}

// next answers the next input; ok is false after the last. An error is a
// *parseError, after which reading may go on.
func (in *inputs) next() (v any, ok bool, err error) {
	if !in.slurp {
		return in.one()
	}
	if in.slurped {
		return nil, false, nil
	}
	in.slurped = true
	if in.parser == nil {
		return in.wholeText()
	}
	list := []any{}
	for {
		v, ok, err := in.one()
		if err != nil {
			return nil, false, err
		}
		if !ok {
			return list, true, nil
		}
		list = append(list, v)
		in.before += in.size + sizeMember
	}
}

func (in *inputs) one() (any, bool, error) {
	if in.parser == nil {
		return in.line()
	}
	for {
		v, ok, err := in.parser.next()
		in.size = in.parser.built
		if !in.held.Hold(in.before + in.size + int64(cap(in.parser.token))) {
			return nil, false, errMemory
		}
		if ok || err != nil {
			return v, ok, err
		}
		if in.ended {
			return nil, false, nil
		}
		p, last, err := in.piece()
		if err != nil {
			return nil, false, err
		}
		in.ended = last
		in.parser.feed(p, last)
	}
}

// line is -R: the next line without its end.
func (in *inputs) line() (any, bool, error) {
	for {
		p, last, err := in.piece()
		if err != nil {
			return nil, false, err
		}
		if last {
			if len(in.partial) == 0 {
				return nil, false, nil
			}
			s := validString(string(in.partial))
			in.partial, in.size = nil, int64(len(s))
			return s, true, nil
		}
		if p[len(p)-1] == '\n' {
			s := string(in.partial) + string(p[:len(p)-1])
			in.partial, in.size = in.partial[:0], int64(len(s))
			return validString(s), true, nil
		}
		in.partial = append(in.partial, p...)
		if !in.held.Hold(in.before + int64(cap(in.partial))) {
			return nil, false, errMemory
		}
	}
}

// wholeText is -Rs.
func (in *inputs) wholeText() (any, bool, error) {
	var b strings.Builder
	for {
		p, last, err := in.piece()
		if err != nil {
			return nil, false, err
		}
		b.Write(p)
		if last {
			in.size = int64(b.Len())
			return validString(b.String()), true, nil
		}
		if !in.held.Hold(int64(b.Cap())) {
			return nil, false, errMemory
		}
	}
}

func (in *inputs) close() {
	if in.reader != nil {
		in.reader.Close()
	}
}
