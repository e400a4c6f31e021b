package audit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Filter says which records are wanted; a zero field wants all.
type Filter struct {
	Kinds                            []Kind
	Workspace, Session, Account, Job string
	Since, Until                     time.Time // Since <= record < Until
	Outcome, Key, Remote, Door       string
}

// Wants reports whether a record passes.
func (f Filter) Wants(r *Record) bool {
	is := func(want, got string) bool { return want == "" || want == got }
	return (len(f.Kinds) == 0 || slices.Contains(f.Kinds, r.Kind)) &&
		is(f.Workspace, r.Workspace) && is(f.Session, r.Session) && is(f.Account, r.Account) && is(f.Job, r.Job) &&
		is(f.Outcome, r.Outcome) && is(f.Key, r.Key) && is(f.Remote, r.Remote) && is(f.Door, r.Door) &&
		(f.Since.IsZero() || !r.Time.Before(f.Since)) && (f.Until.IsZero() || r.Time.Before(f.Until))
}

// scan calls fn with every line of a stream, its newline cut off, and with
// what follows the last one (whole is false). A line longer than a record can
// be comes cut to that length, which is no record.
func scan(r io.Reader, fn func(line []byte, whole bool) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if room := maxRecord + 1 - len(line); len(part) > room {
			part = part[:max(room, 0)]
		}
		line = append(line, part...)
		switch {
		case err == nil:
			if err := fn(bytes.TrimSuffix(line, []byte("\n")), true); err != nil {
				return err
			}
			line = line[:0]
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF:
			if len(line) == 0 {
				return nil
			}
			return fn(line, false)
		default:
			return err
		}
	}
}

// Walk calls fn with every record of a log that passes the filter, oldest
// first, and its line without the newline. It believes what it reads: Verify
// does not. What is no record is left out.
func Walk(ctx context.Context, dir string, f Filter, fn func(r *Record, line []byte) error) error {
	list, err := files(dir)
	if err != nil {
		return err
	}
	for _, n := range list {
		if err := walkFile(ctx, filepath.Join(dir, fileName(n)), f, fn); err != nil {
			return err
		}
	}
	return nil
}

func walkFile(ctx context.Context, name string, f Filter, fn func(r *Record, line []byte) error) error {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil // pruned meanwhile
	}
	if err != nil {
		return err
	}
	defer file.Close()
	return scan(file, func(line []byte, _ bool) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := parse(line)
		if err != nil || !f.Wants(&r) {
			return nil
		}
		return fn(&r, line)
	})
}

// Line is a record and its text.
type Line struct {
	Record Record
	Text   []byte
}

// Last answers the last n records that pass the filter, oldest first.
func Last(ctx context.Context, dir string, n int, f Filter) ([]Line, error) {
	list, err := files(dir)
	if err != nil {
		return nil, err
	}
	var out []Line
	for i := len(list) - 1; i >= 0 && len(out) < n; i-- {
		var here []Line
		err := walkFile(ctx, filepath.Join(dir, fileName(list[i])), f, func(r *Record, line []byte) error {
			here = append(here, Line{*r, bytes.Clone(line)})
			if len(here) > n {
				here = here[1:]
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		out = append(here[max(0, len(here)-(n-len(out))):], out...)
	}
	return out, nil
}

// Follow calls fn with the records after a sequence number as they are
// written, until ctx ends. It looks every so often.
func Follow(ctx context.Context, dir string, after uint64, every time.Duration, f Filter, fn func(r *Record, line []byte) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	at := followed{after: after}
	for {
		if err := at.look(ctx, dir, f, fn); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// followed is how far a follower has read.
type followed struct {
	after uint64
	file  int
	off   int64
}

func (p *followed) look(ctx context.Context, dir string, f Filter, fn func(r *Record, line []byte) error) error {
	list, err := files(dir)
	if err != nil {
		return err
	}
	for _, n := range list {
		if n < p.file {
			continue
		}
		if n > p.file {
			p.file, p.off = n, 0
		}
		if err := p.rest(ctx, filepath.Join(dir, fileName(n)), f, fn); err != nil {
			return err
		}
	}
	return nil
}

// rest reads what a file has got since.
func (p *followed) rest(ctx context.Context, name string, f Filter, fn func(r *Record, line []byte) error) error {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Seek(p.off, io.SeekStart); err != nil {
		return err
	}
	return scan(file, func(line []byte, whole bool) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !whole {
			return nil
		}
		p.off += int64(len(line)) + 1
		r, err := parse(line)
		if err != nil || r.Seq <= p.after {
			return nil
		}
		p.after = r.Seq
		if !f.Wants(&r) {
			return nil
		}
		return fn(&r, line)
	})
}

// firstTime answers the time of the first record of a file.
func firstTime(name string) (t time.Time, err error) {
	err = walkFile(context.Background(), name, Filter{}, func(r *Record, _ []byte) error {
		t = r.Time
		return io.EOF
	})
	switch {
	case err == io.EOF:
		return t, nil
	case err == nil:
		return t, errNoRecord
	}
	return t, err
}
