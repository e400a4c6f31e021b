// Package stream moves bytes for programs: a buffered standard output that
// knows when its reader is gone, lines of bounded length, and the loop over
// operands that every filter has.
package stream

import (
	"io"

	"mirage/shell/program"
)

// BufferSize is how much a program reads or writes in one call.
const BufferSize = 64 << 10

// Writer buffers standard output. The first error stays: later writes answer
// it at once, so that a loop may check Err every now and then only.
type Writer struct {
	w   io.Writer
	buf []byte
	err error
}

// NewWriter makes a Writer.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w, buf: make([]byte, 0, BufferSize)} }

// Stdout makes the Writer of a run's standard output.
func Stdout(inv *program.Invocation) *Writer { return NewWriter(inv.Stdout) }

// Write adds p to the buffer. Large pieces are written through.
func (w *Writer) Write(p []byte) (int, error) {
	if len(p) > cap(w.buf)-len(w.buf) {
		w.Flush()
		if w.err == nil && len(p) >= cap(w.buf) {
			_, w.err = w.w.Write(p)
			return len(p), w.err
		}
	}
	if w.err != nil {
		return 0, w.err
	}
	w.buf = append(w.buf, p...)
	return len(p), nil
}

// WriteString is Write of a string.
func (w *Writer) WriteString(s string) (int, error) {
	if len(s) > cap(w.buf)-len(w.buf) {
		return w.Write([]byte(s))
	}
	if w.err != nil {
		return 0, w.err
	}
	w.buf = append(w.buf, s...)
	return len(s), nil
}

// WriteByte adds one byte.
func (w *Writer) WriteByte(c byte) error {
	if len(w.buf) == cap(w.buf) {
		w.Flush()
	}
	if w.err == nil {
		w.buf = append(w.buf, c)
	}
	return w.err
}

// Flush writes out what is buffered.
func (w *Writer) Flush() error {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.w.Write(w.buf)
	}
	w.buf = w.buf[:0]
	return w.err
}

// Err is the first error of the writes so far.
func (w *Writer) Err() error { return w.err }

// Close flushes at the end of a run and answers its exit status: the given
// one, or that of a failed write, which is reported unless the reader of a
// pipe is gone.
func (w *Writer) Close(inv *program.Invocation, status int) int {
	if err := w.Flush(); err != nil {
		return inv.WriteError(err)
	}
	return status
}
