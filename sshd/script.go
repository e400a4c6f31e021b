package sshd

import (
	"errors"
	"io"
	"strings"

	"mirage/workspace"
)

// shell serves a channel that asked for a shell.
func (r *runner) shell() exit {
	if r.ch.in.tty == nil {
		return r.leave(r.script())
	}
	return r.leave(r.interactive())
}

// script runs what comes on stdin, as bash does with a script on a pipe: each
// command as soon as it is whole, so that commands read the rest of the same
// stdin. The status is that of the last one.
func (r *runner) script() exit {
	var last exit
	var source source
	for {
		line, err := r.ch.in.readLine(r.ch.ctx)
		switch {
		case err == io.EOF:
			if source.isEmpty() {
				return last
			}
			// What is unfinished at the end is the shell's to complain about.
			end, _ := r.statement(source.take())
			return end
		case errors.Is(err, errLineTooLong):
			r.ch.complain("%s", err)
			return exit{status: 1}
		case err != nil:
			return exit{status: exitInterrupted}
		}
		more, err := source.add(string(line), r.sess.Incomplete)
		if err != nil {
			r.ch.complain("%s", err)
			return exit{status: 1}
		}
		if more {
			continue
		}
		if text := source.take(); !isNothing(text) {
			end, leave := r.statement(text)
			if last = end; leave {
				return end
			}
		}
	}
}

// statement runs one statement of a script. leave tells that the script ends
// with it.
func (r *runner) statement(text string) (end exit, leave bool) {
	res, cause := r.run(workspace.Line{Command: text})
	end, leave = r.after(res, cause)
	return end, leave || res.Aborted
}

// after tells how a line of a shell ends it, if it does.
func (r *runner) after(res workspace.Result, cause error) (end exit, leave bool) {
	var sig signalError
	switch {
	case r.ch.ctx.Err() != nil:
		return exit{status: exitInterrupted}, true
	case errors.As(cause, &sig) && sig != "INT":
		return exit{signal: string(sig)}, true
	case res.Signal != "":
		return exit{signal: res.Signal}, true
	}
	return exit{status: res.ExitCode}, res.Exited
}

// isNothing reports whether a statement is blank or a comment.
func isNothing(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || s[0] == '#' && !strings.Contains(s, "\n")
}
