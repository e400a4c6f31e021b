package shell

import (
	"context"
	"io"
	"syscall"

	"mirage/policy"
	"mirage/shell/program"
)

// spawnChild runs a program for another program (env, xargs, timeout, find)
// through the door. Functions and builtins are not found. The error tells why
// nothing could be started.
func (r *running) spawnChild(ctx context.Context, c program.Child) (status int, err error) {
	sub, err := r.fork(ctx, c.Args[0])
	if err != nil {
		return 126, err
	}
	defer sub.recovered(&status)
	sub.adopt(c)
	target := sub.resolveProgram(c.Args)
	if m := target.missing; m != nil {
		sub.close(m.status, 0)
		err := syscall.ENOENT
		if m.status == 126 {
			err = syscall.EACCES
		}
		return m.status, err
	}
	answer, words := sub.ask(target.words(), target.kind())
	if answer.Outcome == policy.Absent {
		sub.close(127, 0)
		return 127, syscall.ENOENT
	}
	sub.status = sub.pass(target, answer, words)
	return sub.end(), nil
}

// adopt makes a fork the environment of a program's child: its streams,
// directory and variables.
func (e *Executor) adopt(c program.Child) {
	for n, s := range []any{c.Stdin, c.Stdout, c.Stderr} {
		if s == nil {
			continue
		}
		if h, ok := s.(*handle); ok {
			if h.f == nil {
				if old := e.fds.set(n, nil); old != nil {
					old.release()
				}
				continue
			}
			if old := e.fds.set(n, h.f.retain()); old != nil {
				old.release()
			}
			continue
		}
		f := newFile("stream", &foreign{s})
		if old := e.fds.set(n, f); old != nil {
			old.release()
		}
	}
	if c.Dir != "" {
		e.dir = c.Dir
	}
	e.x.Params = nil
	e.vars.Release()
	e.initVars(c.Env)
}

// foreign is a stream that a program made for its child.
type foreign struct{ s any }

func (f *foreign) read(ctx context.Context, p []byte) (int, error) {
	r, ok := f.s.(io.Reader)
	if !ok {
		return 0, syscall.EBADF
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return r.Read(p)
}

func (f *foreign) write(ctx context.Context, p []byte) (int, error) {
	w, ok := f.s.(io.Writer)
	if !ok {
		return 0, syscall.EBADF
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return w.Write(p)
}

func (f *foreign) close() error { return nil }
