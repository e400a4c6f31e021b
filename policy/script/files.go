package script

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"syscall"

	"mirage/vfs"
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

var errReads = errors.New("read too much")

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

// leave sorts an error of Files. Those that say what the workspace holds are the
// script's business. All others end the evaluation: a script may take a file
// that it cannot read for one that there is no reason to look into, and it must
// not be for the login to make a file unreadable to the script only, by its size
// say.
func (g *gate) leave(name string, err error) error {
	if err == nil {
		return nil
	}
	if g.ctx.Err() != nil {
		return fatal{context.Cause(g.ctx)}
	}
	switch vfs.Errno(err) {
	case syscall.ENOENT, syscall.EACCES, syscall.EPERM, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP,
		syscall.ENAMETOOLONG, syscall.EINVAL, syscall.ENXIO:
		return err
	}
	return fatal{fileError(name, err)}
}

func (g *gate) readFile(name string) ([]byte, error) {
	name, err := g.enter(name)
	if err != nil {
		return nil, err
	}
	data, err := g.files.ReadFile(g.ctx, name)
	if err != nil {
		return nil, g.leave(name, err)
	}
	if len(data) > MaxFile {
		return nil, g.leave(name, syscall.EFBIG)
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
	return size, dir, g.leave(name, err)
}

// readDir answers the names in a directory, sorted.
func (g *gate) readDir(name string) ([]string, error) {
	name, err := g.enter(name)
	if err != nil {
		return nil, err
	}
	names, err := g.files.ReadDir(g.ctx, name)
	if err != nil {
		return nil, g.leave(name, err)
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

// fileError words an error of the workspace as POSIX does, with the name.
func fileError(name string, err error) error {
	var f fatal
	if errors.As(err, &f) {
		return err
	}
	return fmt.Errorf("%s: %s", cut(name, 200), vfs.Phrase(err))
}
