package awk

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"mirage/shell/program/stream"
	"mirage/vfs"
)

// recordReader cuts a stream into records.
type recordReader struct {
	r     io.Reader
	close io.Closer
	buf   []byte
	start int
	err   error
}

// fill reads once more, keeping what was not handed out.
func (r *recordReader) fill(in *interp) {
	in.checkContext()
	if r.start > 0 {
		n := copy(r.buf, r.buf[r.start:])
		r.buf, r.start = r.buf[:n], 0
	}
	if cap(r.buf)-len(r.buf) < stream.BufferSize/2 {
		in.checkString(len(r.buf))
		grown := make([]byte, len(r.buf), max(stream.BufferSize, 2*cap(r.buf)))
		copy(grown, r.buf)
		r.buf = grown
	}
	if in.flush {
		in.out.Flush()
	}
	for range 100 {
		n, err := r.r.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// next reads a record and what ended it. ok is false at the end; err is any
// other error.
func (r *recordReader) next(in *interp) (rec, rt string, ok bool, err error) {
	switch {
	case in.rs == "":
		rec, rt, ok = r.paragraph(in)
	case len(in.rs) == 1 && !in.ignoreCase:
		rec, rt, ok = r.until(in, in.rs[0])
	default:
		rec, rt, ok = r.untilMatch(in)
	}
	if !ok && !errors.Is(r.err, io.EOF) {
		err = r.err
	}
	return rec, rt, ok, err
}

// rest hands out what is left at the end.
func (r *recordReader) rest() (string, string, bool) {
	if r.start == len(r.buf) {
		return "", "", false
	}
	s := string(r.buf[r.start:])
	r.start = len(r.buf)
	return s, "", true
}

// until reads up to a byte.
func (r *recordReader) until(in *interp, sep byte) (string, string, bool) {
	seen := r.start
	for {
		if i := bytes.IndexByte(r.buf[seen:], sep); i >= 0 {
			s := string(r.buf[r.start : seen+i])
			r.start = seen + i + 1
			if sep == '\n' {
				return s, "\n", true
			}
			return s, string([]byte{sep}), true
		}
		if r.err != nil {
			return r.rest()
		}
		n := len(r.buf) - r.start
		r.fill(in)
		seen = r.start + n
	}
}

// paragraph reads up to empty lines.
func (r *recordReader) paragraph(in *interp) (string, string, bool) {
	for {
		for r.start < len(r.buf) && r.buf[r.start] == '\n' {
			r.start++
		}
		if r.start < len(r.buf) || r.err != nil {
			break
		}
		r.fill(in)
	}
	seen := r.start
	for {
		if i := bytes.Index(r.buf[seen:], []byte("\n\n")); i >= 0 {
			end := seen + i
			stop := end
			for stop < len(r.buf) && r.buf[stop] == '\n' {
				stop++
			}
			if stop < len(r.buf) || r.err != nil {
				s, rt := string(r.buf[r.start:end]), string(r.buf[end:stop])
				r.start = stop
				return s, rt, true
			}
		}
		if r.err != nil {
			s, _, ok := r.rest()
			t := strings.TrimSuffix(s, "\n")
			return t, s[len(t):], ok
		}
		n := max(0, len(r.buf)-r.start-1)
		r.fill(in)
		seen = r.start + n
	}
}

// untilMatch reads up to a match of RS. A match at the end of the buffer
// might go on in what is not read yet.
func (r *recordReader) untilMatch(in *interp) (string, string, bool) {
	m := in.regex(in.rs)
	for {
		text := r.buf[r.start:]
		for pos := 0; pos <= len(text); {
			from, to, ok := m.Find(text, pos, 0)
			if !ok || to == len(text) && r.err == nil {
				break
			}
			if from == to {
				pos = to + 1
				continue
			}
			s, rt := string(text[:from]), string(text[from:to])
			r.start += to
			return s, rt, true
		}
		in.checkMatcher(m)
		if r.err != nil {
			s, rt, ok := r.rest()
			return s, rt, ok
		}
		r.fill(in)
	}
}

// mainInput reads the files of the command line one after another.
type mainInput struct {
	arg    int // next element of ARGV
	argv   *assoc
	argc   *cell
	r      *recordReader
	opened bool // some file, or standard input
	done   bool
}

// next reads the next record of the command line's files as the current one.
func (m *mainInput) next(in *interp) bool {
	rec, ok := m.read(in)
	if ok {
		in.setRecord(rec)
	}
	return ok
}

// read reads the next record.
func (m *mainInput) read(in *interp) (string, bool) {
	for {
		if m.r == nil && !m.open(in) {
			return "", false
		}
		rec, rt, ok, err := m.r.next(in)
		if ok {
			in.nr++
			in.fnr++
			in.rt = text(rt)
			return rec, true
		}
		if err != nil {
			in.warnf("error reading input file `%s': %s", in.str(in.filename), vfs.Phrase(err))
			in.status = 2
		}
		m.endFile(in)
	}
}

// open opens the next file; false when there is none.
func (m *mainInput) open(in *interp) bool {
	for !m.done && float64(m.arg) < m.argc.v.num() {
		e := m.argv.find(subscript{isInt: true, n: int64(m.arg)})
		m.arg++
		if e == nil {
			continue
		}
		name := in.str(e.v)
		if name == "" || in.assignment(name) {
			continue
		}
		if m.openFile(in, name) {
			return true
		}
	}
	if m.opened || m.done {
		m.done = true
		return false
	}
	m.done = true
	return m.openFile(in, "-")
}

// openFile opens a file and runs BEGINFILE; false when it is to be skipped.
func (m *mainInput) openFile(in *interp, name string) bool {
	m.opened = true
	in.fnr = 0
	in.errno = text("")
	shown := name
	if name == "-" && m.done {
		shown = ""
	}
	in.filename = input(shown)
	if info, err := in.inv.FS.Stat(in.ctx, in.inv.Path(name)); name != "-" && err == nil && info.IsDir() && len(in.prog.beginFile) == 0 {
		in.warnf("command line argument `%s' is a directory: skipped", name)
		return false
	}
	r, err := in.inv.OpenOperand(in.ctx, name)
	if err != nil {
		if len(in.prog.beginFile) == 0 {
			in.inRules = false
			in.fatalf("cannot open file `%s' for reading: %s", name, vfs.Phrase(err))
		}
		in.errno = text(vfs.Phrase(err))
	} else {
		m.r = &recordReader{r: r, close: r}
	}
	if sig := in.fileRules(in.prog.beginFile); sig == sigNextFile {
		m.closeFile(in)
		return false
	} else if sig == sigExit {
		panic(unwind{sigExit})
	}
	if err != nil {
		in.fatalf("cannot open file `%s' for reading: %s", name, vfs.Phrase(err))
	}
	return true
}

// fileRules runs BEGINFILE or ENDFILE actions.
func (in *interp) fileRules(rules []*rule) signal {
	for _, r := range rules {
		if sig := r.action(in); sig != sigNone {
			return sig
		}
	}
	return sigNone
}

// endFile is the end of the current file.
func (m *mainInput) endFile(in *interp) {
	m.closeFile(in)
	if in.fileRules(in.prog.endFile) == sigExit {
		panic(unwind{sigExit})
	}
}

func (m *mainInput) closeFile(in *interp) {
	if m.r != nil {
		m.r.close.Close()
		m.r = nil
	}
}

// skipFile is nextfile.
func (m *mainInput) skipFile(in *interp) {
	if m.r != nil {
		m.endFile(in)
	}
}

// assignment carries out an operand of the form name=value.
func (in *interp) assignment(arg string) bool {
	name, v, ok := strings.Cut(arg, "=")
	if !ok || !isName(name) {
		return false
	}
	in.setVariable(name, input(in.commandLineString(v)))
	return true
}

func isName(s string) bool {
	if s == "" || isDigit(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != '_' && !isDigit(c) && !('a' <= c|0x20 && c|0x20 <= 'z') {
			return false
		}
	}
	return true
}

// setVariable assigns to a variable by name; one that the program does not use
// is forgotten.
func (in *interp) setVariable(name string, v value) {
	if id, ok := specials[name]; ok {
		in.setSpecial(id, v)
		return
	}
	if i, ok := in.prog.globalIndex[name]; ok {
		in.assign(&in.globals[i], v)
	}
}
