package shell

import (
	"context"
	"io"
	"syscall"

	"mirage/shell/program"

)

// spawnChild runs a program for another program (env, xargs, timeout, find)
// through the door. Functions and builtins are not found. The messages of a
// failure are by's, the program that asks.
func (e *Executor) spawnChild(ctx context.Context, c program.Child, by string) int {
	sub := e.fork(ctx, c.Args[0])
	sub.adopt(c)
	target := sub.resolveProgram(c.Args)
	if target.missing != nil {
		text, status := target.missing.text, target.missing.status
		if text == "command not found" {
			text = "No such file or directory"
		}
		target.missing = &missing{text, status}
		sub.origin, sub.frames = fromLine, nil
		if sub.cfg.Judge == nil || sub.cfg.Judge.Visible(c.Args[0]) {
			sub.writeFD(2, by+": "+quoteName(c.Args[0])+": "+text+"\n")
		} else {
			sub.writeFD(2, c.Args[0]+": command not found\n")
		}
		sub.close(status, 0)
		return status
	}
	sub.status = sub.spawn(target)
	return sub.end()
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
		e.x.Dir = c.Dir
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
