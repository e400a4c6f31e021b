package sed

import (
	"bytes"
	"errors"
	"io"

	"mirage/internal/budget"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// input is the stream of lines of all operands.
type input struct {
	e     *editor
	files []string
	next  int // of files
	name  string
	// current is the file that the current line is from; name may be the
	// next one already.
	current string
	r       *lineReader // of the current file, nil between files
	line    int64
	reset   bool // the next file begins a count of its own
	failed  bool // a file could not be read
}

// lineReader reads lines and can look whether there is another one.
type lineReader struct {
	r     io.Reader
	close io.Closer
	delim byte
	held  budget.Meter
	buf   []byte
	start int
	err   error
}

func newLineReader(r io.Reader, closer io.Closer, delim byte, held budget.Meter) *lineReader {
	return &lineReader{r: r, close: closer, delim: delim, held: held}
}

// fill reads once more.
func (l *lineReader) fill() {
	if l.start > 0 {
		n := copy(l.buf, l.buf[l.start:])
		l.buf, l.start = l.buf[:n], 0
	}
	if cap(l.buf)-len(l.buf) < stream.BufferSize/2 {
		size := max(stream.BufferSize, 2*cap(l.buf))
		if !l.held.Hold(int64(size)) {
			l.err, l.buf = stream.ErrMemory, nil
			return
		}
		grown := make([]byte, len(l.buf), size)
		copy(grown, l.buf)
		l.buf = grown
	}
	for range 100 {
		n, err := l.r.Read(l.buf[len(l.buf):cap(l.buf)])
		l.buf = l.buf[:len(l.buf)+n]
		l.err = err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

// more tells whether there is another line.
func (l *lineReader) more() bool {
	for l.start == len(l.buf) && l.err == nil {
		l.fill()
	}
	return l.start < len(l.buf)
}

// read appends the next line, without its delimiter, to dst; ended tells
// whether it had one.
func (l *lineReader) read(dst []byte) (_ []byte, ended bool, err error) {
	from := l.start
	for {
		if i := bytes.IndexByte(l.buf[from:], l.delim); i >= 0 {
			dst = append(dst, l.buf[l.start:from+i]...)
			l.start = from + i + 1
			return dst, true, nil
		}
		if l.err != nil {
			if l.start == len(l.buf) {
				return dst, false, l.err
			}
			dst = append(dst, l.buf[l.start:]...)
			l.start = len(l.buf)
			return dst, false, nil
		}
		seen := len(l.buf) - l.start
		l.fill()
		from = min(l.start+seen, len(l.buf))
	}
}

// open moves to the next file that can be opened; false when there is none.
func (in *input) open() (bool, error) {
	for in.next < len(in.files) {
		name := in.files[in.next]
		in.next++
		in.name = name
		ok, err := in.openFile(name)
		if ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func (in *input) openFile(name string) (bool, error) {
	e := in.e
	if e.o.inPlace && name != "-" {
		if ok, err := e.beginEdit(name); !ok || err != nil {
			return false, err
		}
	}
	r, err := e.inv.OpenOperand(e.ctx, name)
	if err != nil {
		e.inv.Errorf("can't read %s: %s", name, vfs.Phrase(err))
		in.failed = true
		return false, nil
	}
	in.r = newLineReader(r, r, e.o.delimiter, e.inv.Meter())
	return true, nil
}

// endFile closes the current file.
func (in *input) endFile() error {
	if in.r == nil {
		return nil
	}
	in.close()
	if in.e.o.separate {
		in.reset = true
	}
	return in.e.endEdit()
}

func (in *input) close() {
	if in.r != nil {
		in.giveBack()
		in.r.close.Close()
		in.r = nil
	}
}

// giveBack leaves standard input where reading stopped, for the next command.
func (in *input) giveBack() {
	if in.name != "-" || in.r.start == len(in.r.buf) {
		return
	}
	if s, ok := in.e.inv.Stdin.(io.Seeker); ok {
		s.Seek(int64(in.r.start-len(in.r.buf)), io.SeekCurrent)
	}
}

// readError words a failure to read.
func (in *input) readError(err error) error {
	if errors.Is(err, stream.ErrMemory) {
		return panicf("memory exhausted")
	}
	return panicf("read error on %s: %s", in.name, vfs.Phrase(err))
}

// read appends the next line to dst; ok is false at the end of everything.
func (in *input) read(dst []byte) (_ []byte, ended, ok bool, err error) {
	for {
		if in.r == nil {
			if ok, err := in.open(); !ok || err != nil {
				return dst, false, false, err
			}
			if in.reset {
				in.reset = false
				in.line = 0
				in.e.resetRanges()
			}
		}
		line, ended, err := in.r.read(dst)
		if err == nil {
			in.line++
			in.current = in.name
			return line, ended, true, nil
		}
		if err != io.EOF {
			return dst, false, false, in.readError(err)
		}
		if err := in.endFile(); err != nil {
			return dst, false, false, err
		}
	}
}

// last tells whether the current line is the last one: of all files, or with
// -s of its own.
func (in *input) last() (bool, error) {
	for {
		if in.r != nil {
			if in.r.more() {
				return false, nil
			}
			if in.r.err != nil && in.r.err != io.EOF {
				return false, in.readError(in.r.err)
			}
		}
		if in.e.o.separate {
			return true, nil
		}
		if in.next == len(in.files) {
			return true, nil
		}
		if in.r != nil {
			if err := in.endFile(); err != nil {
				return false, err
			}
		}
		if ok, err := in.open(); !ok || err != nil {
			return !ok, err
		}
	}
}
