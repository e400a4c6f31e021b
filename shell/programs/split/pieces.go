package split

import (
	"bytes"
	"io"
	"os"
	"syscall"

	"mirage/shell/program/stream"
)

// maxOpen bounds the files of a round robin, which are open all at once.
const maxOpen = 1000

// piece is an output file.
type piece struct {
	file io.WriteCloser
	name string
	out  *stream.Writer
}

// create opens the next piece.
func (s *splitter) create() (*piece, error) {
	name, ok := s.names.next()
	if !ok {
		return nil, failure{"output file suffixes exhausted", nil}
	}
	if s.verbose {
		s.out.WriteString("creating file " + s.inv.Quote(name) + "\n")
	}
	if s.ok {
		if info, err := s.inv.FS.Stat(s.ctx, s.inv.Path(name)); err == nil && s.inv.SameFile(s.ctx, s.input, s.info, name, info) {
			return nil, failure{s.inv.Quote(name) + " would overwrite input; aborting", nil}
		}
	}
	file, err := s.inv.Create(s.ctx, name, os.O_TRUNC)
	if err != nil {
		return nil, failure{s.inv.QuoteName(name), err}
	}
	return &piece{file, name, stream.NewWriter(file)}, nil
}

func (s *splitter) finish(p *piece) error {
	if p == nil {
		return nil
	}
	err := p.out.Flush()
	if closed := p.file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return failure{s.inv.QuoteName(p.name), err}
	}
	return nil
}

func (s *splitter) split(r io.Reader) error {
	switch s.way {
	case byLines, byLineBytes, byBytes:
		return s.run(r)
	case byRoundRobin:
		return s.roundRobin(r)
	}
	return s.chunks(r)
}

// run fills one piece after the other. Each step takes as much of the data
// as the current piece may hold.
func (s *splitter) run(r io.Reader) (err error) {
	var current *piece
	defer func() {
		if failed := s.finish(current); err == nil {
			err = failed
		}
	}()
	write := func(p []byte, fresh bool) error {
		if fresh {
			if err := s.finish(current); err != nil {
				return err
			}
			if current, err = s.create(); err != nil {
				return err
			}
		}
		current.out.Write(p)
		return current.out.Err()
	}
	if s.way == byLineBytes {
		return s.lineBytes(r, write)
	}
	used, begun := uint64(0), false
	return s.blocks(r, func(p []byte) error {
		for len(p) > 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
			fresh := !begun || used == s.size
			if fresh {
				used, begun = 0, true
			}
			n := 0
			if s.way == byBytes {
				n = int(min(uint64(len(p)), s.size-used))
				used += uint64(n)
			} else {
				for n < len(p) && used < s.size {
					i := bytes.IndexByte(p[n:], s.sep)
					if i < 0 {
						n = len(p)
						break
					}
					n += i + 1
					used++
				}
			}
			if err := write(p[:n], fresh); err != nil {
				return err
			}
			p = p[n:]
		}
		return nil
	})
}

// lineBytes puts as many whole lines into a piece as fit, and splits a line
// only where it alone does not.
func (s *splitter) lineBytes(r io.Reader, write func([]byte, bool) error) error {
	used := uint64(0)
	fresh := true
	put := func(p []byte) error {
		for len(p) > 0 {
			if used == s.size {
				used, fresh = 0, true
			}
			n := min(uint64(len(p)), s.size-used)
			if err := write(p[:n], fresh); err != nil {
				return err
			}
			fresh = false
			used += n
			p = p[n:]
		}
		return nil
	}
	lines := stream.NewLines(r, s.sep, s.inv.Meter())
	for n := 0; ; n++ {
		if n%256 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if uint64(len(line)) > s.size-used && used > 0 {
			used, fresh = 0, true
		}
		if err := put(line); err != nil {
			return err
		}
	}
}

// blocks reads r block by block.
func (s *splitter) blocks(r io.Reader, f func([]byte) error) error {
	buf := make([]byte, stream.BufferSize)
	for {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		if failed := f(buf[:n]); failed != nil {
			return failed
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// chunks splits into a given number of pieces of one size, at lines with l/N.
func (s *splitter) chunks(r io.Reader) (err error) {
	size := uint64(0)
	if s.ok && s.info.IsRegular() && s.info.Size >= 0 {
		size = uint64(s.info.Size)
	} else {
		var held bytes.Buffer
		meter := s.inv.Meter()
		err := s.blocks(r, func(p []byte) error {
			if !meter.Hold(int64(held.Len() + len(p))) {
				return stream.ErrMemory
			}
			held.Write(p)
			return nil
		})
		if err != nil {
			return err
		}
		size, r = uint64(held.Len()), &held
	}
	each := size / s.size
	var current *piece
	defer func() {
		if failed := s.finish(current); err == nil {
			err = failed
		}
	}()
	number := uint64(0) // of the current chunk, from 1
	// advance makes the chunks up to number n.
	advance := func(n uint64) error {
		for number < n {
			number++
			if err := s.ctx.Err(); err != nil {
				return err
			}
			if s.chunk != 0 || s.elide && number < n {
				continue
			}
			if err := s.finish(current); err != nil {
				return err
			}
			if current, err = s.create(); err != nil {
				return err
			}
		}
		return nil
	}
	offset, line := uint64(0), uint64(0) // line is where the current line began
	err = s.blocks(r, func(p []byte) error {
		for len(p) > 0 {
			at, n := offset, len(p)
			if s.way == byLineChunks {
				at = line
				if i := bytes.IndexByte(p, s.sep); i >= 0 {
					n = i + 1
					line = offset + uint64(n)
				}
			}
			target := s.size
			if each > 0 {
				target = min(at/each+1, s.size)
			}
			if s.way == byChunks && target < s.size {
				n = int(min(uint64(n), target*each-offset))
			}
			if err := advance(target); err != nil {
				return err
			}
			if s.chunk == target {
				s.out.Write(p[:n])
			} else if s.chunk == 0 {
				current.out.Write(p[:n])
				if err := current.out.Err(); err != nil {
					return failure{s.inv.QuoteName(current.name), err}
				}
			}
			offset += uint64(n)
			p = p[n:]
		}
		if s.out.Err() != nil {
			return stream.ErrStop
		}
		return nil
	})
	if err != nil || s.elide {
		return err
	}
	return advance(s.size)
}

// pass writes out at once what -u does not hold back.
func (s *splitter) pass(w *stream.Writer) {
	if s.unbuffered {
		_ = w.Flush() // the writer keeps its error
	}
}

// roundRobin deals the lines out.
func (s *splitter) roundRobin(r io.Reader) (err error) {
	var pieces []*piece
	defer func() {
		for _, p := range pieces {
			if failed := s.finish(p); err == nil {
				err = failed
			}
		}
	}()
	open := func(n uint64) error {
		for uint64(len(pieces)) < n {
			if len(pieces) == maxOpen {
				return failure{"cannot hold so many output files open", syscall.EMFILE}
			}
			p, err := s.create()
			if err != nil {
				return err
			}
			pieces = append(pieces, p)
		}
		return nil
	}
	turn := uint64(0)
	err = s.blocks(r, func(p []byte) error {
		for len(p) > 0 {
			n, ended := len(p), false
			if i := bytes.IndexByte(p, s.sep); i >= 0 {
				n, ended = i+1, true
			}
			if s.chunk == turn+1 {
				s.out.Write(p[:n])
				s.pass(s.out)
			} else if s.chunk == 0 {
				if err := open(turn + 1); err != nil {
					return err
				}
				pieces[turn].out.Write(p[:n])
				s.pass(pieces[turn].out)
			}
			if p = p[n:]; ended {
				turn = (turn + 1) % s.size
			}
		}
		if s.out.Err() != nil {
			return stream.ErrStop
		}
		return s.ctx.Err()
	})
	if err != nil || s.elide || s.chunk != 0 {
		return err
	}
	return open(s.size)
}
