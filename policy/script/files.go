package script

import (
	"context"
	"errors"
	"io/fs"
	"sort"
	"strings"
	"syscall"
)

type readingKey struct{}

// reading marks the contexts of a script's own reads; outer is the context that
// the script was called with.
type reading struct {
	script *Script
	outer  context.Context
}

// Reading reports whether ctx belongs to a script's own reading of files, which
// is not put to the script again.
func Reading(ctx context.Context) bool {
	_, ok := ctx.Value(readingKey{}).(*reading)
	return ok
}

// reads reports whether ctx belongs to a read of s.
func reads(ctx context.Context, s *Script) bool {
	for {
		r, ok := ctx.Value(readingKey{}).(*reading)
		if !ok {
			return false
		}
		if r.script == s {
			return true
		}
		ctx = r.outer
	}
}

// gate is what an engine has of the files of one evaluation. It is used by one
// goroutine at a time. Without files, as in a probe, nothing exists.
type gate struct {
	ctx   context.Context
	files Files
	calls int
	bytes int
}

var (
	errReads = errors.New("read too much")
	errLarge = &fs.PathError{Op: "read", Err: syscall.EFBIG}
)

// enter counts a call and answers the absolute name. An error that is no errno
// ends the evaluation, see fatal.
func (g *gate) enter(name string) (string, error) {
	if err := g.ctx.Err(); err != nil {
		return "", fatal{context.Cause(g.ctx)}
	}
	if g.calls++; g.calls > maxReads {
		return "", fatal{errReads}
	}
	switch {
	case g.files == nil, name == "":
		return "", syscall.ENOENT
	case strings.IndexByte(name, 0) >= 0:
		return "", syscall.EINVAL
	case name[0] != '/':
		name = "/" + name
	}
	return name, nil
}

// fatal is an error that a script must not catch.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }

// leave sorts an error of Files: a context that is over ends the evaluation,
// everything else is the script's business.
func (g *gate) leave(err error) error {
	if err != nil && g.ctx.Err() != nil {
		return fatal{context.Cause(g.ctx)}
	}
	return err
}

func (g *gate) readFile(name string) ([]byte, error) {
	name, err := g.enter(name)
	if err != nil {
		return nil, err
	}
	data, err := g.files.ReadFile(g.ctx, name)
	if err != nil {
		return nil, g.leave(err)
	}
	if len(data) > MaxFile {
		return nil, errLarge
	}
	if g.bytes += len(data); g.bytes > maxReadBytes {
		return nil, fatal{errReads}
	}
	return data, nil
}

func (g *gate) stat(name string) (size int64, dir bool, err error) {
	if name, err = g.enter(name); err != nil {
		return 0, false, err
	}
	size, dir, err = g.files.Stat(g.ctx, name)
	return size, dir, g.leave(err)
}

// readDir answers the names in a directory, sorted.
func (g *gate) readDir(name string) ([]string, error) {
	name, err := g.enter(name)
	if err != nil {
		return nil, err
	}
	names, err := g.files.ReadDir(g.ctx, name)
	if err != nil {
		return nil, g.leave(err)
	}
	for _, n := range names {
		g.bytes += len(n)
	}
	if g.bytes > maxReadBytes {
		return nil, fatal{errReads}
	}
	names = append([]string(nil), names...)
	sort.Strings(names)
	return names, nil
}
