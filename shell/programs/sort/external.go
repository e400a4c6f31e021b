package sort

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"

	"mirage/internal/budget"
	"mirage/shell/program"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// sortFiles reads all files and answers their lines in order. Lines beyond the
// limit are sorted in portions, which wait in temporary files.
func (j *job) sortFiles(ctx context.Context) (source, error) {
	s := &sorter{job: j, meter: j.inv.Meter()}
	for _, name := range j.files {
		if err := s.read(ctx, name); err != nil {
			s.close()
			return nil, err
		}
	}
	return s.finish(ctx)
}

type sorter struct {
	*job
	list   []record
	held   int64 // bytes of list
	meter  budget.Meter
	spills []source
}

func (s *sorter) close() {
	for _, spill := range s.spills {
		spill.close()
	}
}

func (s *sorter) read(ctx context.Context, name string) error {
	r, err := s.inv.OpenOperand(ctx, name)
	if err != nil {
		return s.failed("cannot read", name, err)
	}
	defer r.Close()
	err = readLines(ctx, r, s.end, s.inv.Meter(), func(line []byte) error {
		size := int64(len(line)) + recordSize
		if s.held+size > s.limit || !s.meter.Hold(s.held+size) {
			if err := s.spill(ctx); err != nil {
				return &spillError{err}
			}
			if !s.meter.Hold(size) {
				return stream.ErrMemory
			}
		}
		s.list = append(s.list, s.order.record(line))
		s.held += size
		return nil
	})
	var spilling *spillError
	if errors.As(err, &spilling) {
		return spilling.err
	}
	if err != nil {
		return s.failed("read failed", name, err)
	}
	return nil
}

// spillError tells a failure of a temporary file from one of the input.
type spillError struct{ err error }

func (e *spillError) Error() string { return e.err.Error() }

// finish sorts what is held and merges it with the spilled portions.
func (s *sorter) finish(ctx context.Context) (source, error) {
	if err := s.order.sortRecords(ctx, s.list); err != nil {
		s.close()
		return nil, err
	}
	rest := &sliceSource{list: s.list}
	if len(s.spills) == 0 {
		return rest, nil
	}
	return newMergeSource(s.order, append(s.spills, rest))
}

// spill sorts what is held and moves it into a temporary file.
func (s *sorter) spill(ctx context.Context) error {
	if err := s.order.sortRecords(ctx, s.list); err != nil {
		return err
	}
	name, f, err := s.createTemp(ctx)
	if err != nil {
		return err
	}
	// The file goes away even when the run was cancelled.
	remove := func() { s.inv.FS.Unlink(context.WithoutCancel(ctx), name) }
	cursor := &program.Cursor{File: f}
	out := stream.NewWriter(cursor)
	for n, r := range s.list {
		if n%256 == 0 && ctx.Err() != nil {
			break
		}
		out.Write(r.line)
		out.WriteByte(s.end)
	}
	err = out.Flush()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		f.Close()
		remove()
		if ctx.Err() == nil {
			s.inv.Fail(err, "write failed: %s", s.inv.QuoteName(name))
			err = errReported
		}
		return err
	}
	cursor.Off = 0
	s.spills = append(s.spills, &fileSource{name: name, lines: stream.NewLines(cursor, s.end, s.inv.Meter()),
		closer: f, remove: remove, order: s.order, end: s.end,
		failed: func(err error) error { return s.failed("read failed", name, err) }})
	s.list, s.held = nil, 0
	return nil
}

// createTemp makes a temporary file in the directory of -T or TMPDIR.
func (s *sorter) createTemp(ctx context.Context) (name string, f vfs.File, err error) {
	dir := s.temp
	if dir == "" {
		dir = s.inv.Getenv("TMPDIR")
	}
	if dir == "" {
		dir = "/tmp"
	}
	for range 100 {
		name = s.inv.Path(dir + "/sort" + strconv.FormatUint(rand.Uint64(), 36))
		f, err = s.inv.FS.Open(ctx, name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fs.FileMode(0o600))
		if !errors.Is(err, syscall.EEXIST) {
			break
		}
	}
	if err != nil {
		s.inv.Fail(err, "cannot create temporary file in %s", s.inv.Quote(dir))
		return "", nil, errReported
	}
	return name, f, nil
}
