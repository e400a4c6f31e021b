package sort

import (
	"bytes"
	"context"
	"io"
	"unsafe"

	"mirage/internal/budget"
	"mirage/shell/program/stream"
)

// source hands out lines in order; nil at the end. A record is good until the
// next call, its line for good where the source says so.
type source interface {
	next() (*record, error)
	close()
}

// recordSize is what a line costs beyond its bytes: its record, and the room
// that merging takes.
const recordSize = 2 * int64(unsafe.Sizeof(record{}))

// block is how much is read at once.
const block = 1 << 20

// readLines calls f with every line of r. The lines stay valid: they lie in
// blocks that are not used again.
func readLines(ctx context.Context, r io.Reader, end byte, held budget.Meter, f func(line []byte) error) error {
	buf := make([]byte, 0, stream.BufferSize)
	defer held.Hold(0)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		scanned := len(buf)
		buf = buf[:len(buf)+n]
		start := 0
		for {
			i := bytes.IndexByte(buf[scanned:], end)
			if i < 0 {
				break
			}
			if err := f(buf[start : scanned+i : scanned+i]); err != nil {
				return err
			}
			scanned += i + 1
			start = scanned
		}
		rest := buf[start:]
		switch {
		case err == io.EOF:
			if len(rest) > 0 {
				return f(rest)
			}
			return nil
		case err != nil:
			return err
		}
		switch {
		case start > 0 || cap(buf)-len(buf) < stream.BufferSize/4:
			if cap(buf)-len(buf) >= stream.BufferSize/4 && start > 0 {
				// The rest of the block is still unused.
				buf = buf[start:]
				break
			}
			// The lines of other blocks count where they are kept.
			size := max(block, 2*len(rest))
			if !held.Hold(int64(size)) {
				return stream.ErrMemory
			}
			fresh := make([]byte, len(rest), size)
			copy(fresh, rest)
			buf = fresh
		}
	}
}

// sliceSource hands out lines held in memory.
type sliceSource struct {
	list []record
}

func (s *sliceSource) next() (*record, error) {
	if len(s.list) == 0 {
		return nil, nil
	}
	r := &s.list[0]
	s.list = s.list[1:]
	return r, nil
}

func (s *sliceSource) close() {}

// uniqueSource leaves out lines that equal the one before.
type uniqueSource struct {
	source
	compare func(a, b *record) int
	last    record
	some    bool
}

func (s *uniqueSource) next() (*record, error) {
	for {
		r, err := s.source.next()
		if r == nil || err != nil {
			return nil, err
		}
		if s.some && s.compare(&s.last, r) == 0 {
			continue
		}
		s.some = true
		s.last = *r
		s.last.line = append([]byte(nil), r.line...)
		return r, nil
	}
}

// fileSource reads sorted lines of one file.
type fileSource struct {
	name    string
	lines   *stream.Lines
	closer  io.Closer
	remove  func()
	order   *order
	end     byte
	current record
	held    []byte
	failed  func(error) error
}

// next keeps the line it answered last valid while the next one is read, since
// merging compares the two.
func (s *fileSource) next() (*record, error) {
	line, err := s.lines.Next()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, s.failed(err)
	}
	line, _ = stream.Chomp(line, s.end)
	s.held = append(s.held[:0], line...)
	s.current = s.order.record(s.held)
	return &s.current, nil
}

func (s *fileSource) close() {
	if s.closer != nil {
		s.closer.Close()
	}
	if s.remove != nil {
		s.remove()
	}
}
