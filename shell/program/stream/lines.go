package stream

import (
	"bytes"
	"io"
	"syscall"

	"mirage/internal/budget"
)

// ErrMemory is the error of a line, or of anything else that must be held
// whole, beyond a program's memory. It is an ENOMEM.
var ErrMemory error = memoryError{}

type memoryError struct{}

func (memoryError) Error() string { return "memory exhausted" }

func (memoryError) Unwrap() error { return syscall.ENOMEM }

// Lines reads lines that fit into a program's memory.
type Lines struct {
	r     io.Reader
	delim byte
	held  budget.Meter
	buf   []byte
	start int // of the bytes not handed out yet
	err   error
}

// NewLines reads lines that end in delim. What it holds of them counts to the
// meter until the end.
func NewLines(r io.Reader, delim byte, held budget.Meter) *Lines {
	return &Lines{r: r, delim: delim, held: held}
}

// Next answers the next line with its delimiter, which only the last line can
// lack. The slice is valid until the next call. At the end it answers io.EOF;
// a line for which there is no memory is ErrMemory.
func (l *Lines) Next() ([]byte, error) {
	scanned := l.start
	for {
		if i := bytes.IndexByte(l.buf[scanned:], l.delim); i >= 0 {
			line := l.buf[l.start : scanned+i+1]
			l.start = scanned + i + 1
			return line, nil
		}
		scanned = len(l.buf)
		if l.err != nil {
			if rest := l.buf[l.start:]; len(rest) > 0 {
				l.start = len(l.buf)
				return rest, nil
			}
			l.buf, l.start = nil, 0
			l.held.Hold(0)
			return nil, l.err
		}
		scanned -= l.start
		l.fill()
		scanned = min(scanned+l.start, len(l.buf))
	}
}

// Buffered answers how many bytes were read ahead of the last line.
func (l *Lines) Buffered() int { return len(l.buf) - l.start }

// fill reads once more, keeping the bytes that were not handed out.
func (l *Lines) fill() {
	if l.start > 0 {
		n := copy(l.buf, l.buf[l.start:])
		l.buf, l.start = l.buf[:n], 0
	}
	if cap(l.buf)-len(l.buf) < BufferSize/2 {
		size := max(BufferSize, 2*cap(l.buf))
		if !l.held.Hold(int64(size)) {
			l.err, l.buf = ErrMemory, nil
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

// Chomp cuts the delimiter off a line and tells whether there was one.
func Chomp(line []byte, delim byte) ([]byte, bool) {
	if n := len(line); n > 0 && line[n-1] == delim {
		return line[:n-1], true
	}
	return line, false
}
