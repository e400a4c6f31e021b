// Package sort is the program sort: GNU's keys and orders, in memory as long
// as the run's limit allows and over temporary files of the session's tree
// beyond it.
package sort

import (
	"context"
	"errors"
	"os"

	"mirage/shell/program"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// The exit statuses of sort besides 0.
const (
	statusDisorder = 1 // -c found the input out of order
	statusFailure  = 2
)

// Program is sort.
func Program() *program.Program { return spec.Program(run) }

// errReported ends a run whose trouble has been told.
var errReported = errors.New("reported")

// job is one run of sort.
type job struct {
	options
	inv   *program.Invocation
	limit int64 // bytes of lines to hold before spilling
}

func run(ctx context.Context, inv *program.Invocation) int {
	p := spec.ParseArgs(inv, traditional(inv.Args))
	j := &job{inv: inv}
	if !j.parse(ctx, p) {
		return p.Status
	}
	j.limit = inv.Memory.Limit()
	if j.limit <= 0 {
		j.limit = 1 << 62
	}
	if j.buffer > 0 {
		j.limit = min(j.limit, max(j.buffer, 1<<20))
	}
	err := j.run(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errDisorder):
		return statusDisorder
	case errors.Is(err, errReported):
		return statusFailure
	case errors.Is(err, stream.ErrMemory):
		inv.Errorf("memory exhausted")
		return statusFailure
	}
	if status := inv.WriteError(err); status != 1 {
		return status
	}
	return statusFailure
}

func (j *job) run(ctx context.Context) error {
	if j.check != checkNone {
		return j.checkOrder(ctx, j.files[0])
	}
	var s source
	var err error
	if j.merge {
		s, err = j.mergeFiles(ctx)
	} else {
		s, err = j.sortFiles(ctx)
	}
	if err != nil {
		return err
	}
	defer s.close()
	if j.unique {
		s = &uniqueSource{source: s, compare: j.order.compare}
	}
	return j.write(ctx, s)
}

// write writes the sorted lines to standard output or the file of -o. By then
// the inputs have been read, so the file may be one of them.
func (j *job) write(ctx context.Context, s source) error {
	out := stream.Stdout(j.inv)
	if j.output != "" {
		f, err := j.inv.Create(ctx, j.output, os.O_TRUNC)
		if err != nil {
			j.inv.Fail(err, "open failed: %s", j.inv.QuoteName(j.output))
			return errReported
		}
		defer f.Close()
		out = stream.NewWriter(f)
	}
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r, err := s.next()
		if err != nil {
			return err
		}
		if r == nil {
			return out.Flush()
		}
		out.Write(r.line)
		out.WriteByte(j.end)
		if j.debug {
			j.annotate(out, r.line)
		}
		if err := out.Err(); err != nil {
			return err
		}
	}
}

// failed reports an error of an input.
func (j *job) failed(what, name string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, stream.ErrMemory) {
		return err
	}
	j.inv.Errorf("%s: %s: %s", what, j.inv.QuoteName(name), vfs.Phrase(err))
	return errReported
}
