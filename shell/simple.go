package shell

import (
	"errors"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/expand"
)

// simple runs a simple command: assignments, a command, or both.
func (e *Executor) simple(st *syntax.Stmt, c *syntax.CallExpr) {
	e.setCurrent(c)
	e.stand(c)
	if e.traps.debug != nil && !e.debugTrap() {
		return
	}
	mark := len(e.procFDs)
	e.substituted = false
	var args []string
	if len(c.Args) > 0 {
		var err error
		if args, err = e.x.Fields(e.ctx, c.Args...); err != nil {
			e.fail(err)
			e.closeProcFDs(mark)
			return
		}
	}
	if len(args) > 0 {
		if held, ok := e.hold(args); ok {
			e.command(st, c.Assigns, args)
			e.s.memory.Give(held)
		}
	} else {
		e.assignments(st, c.Assigns)
	}
	if len(e.procFDs) > mark {
		e.closeProcFDs(mark)
	}
}

// heldWords is what a list of words may take without being counted: most are
// short, and counting costs time.
const heldWords = 16 << 10

// hold takes the memory of expanded words for as long as a command or a loop
// uses them; the caller gives it back. Where the session has not got it, the
// shell gives up.
func (e *Executor) hold(words []string) (held int64, ok bool) {
	for _, w := range words {
		held += int64(len(w)) + 16
	}
	if held <= heldWords {
		return 0, true
	}
	if !e.s.memory.Take(held) {
		e.limitError("memory")
		return 0, false
	}
	return held, true
}

// assignments runs a command that only assigns and redirects. Its status is
// that of the last command substitution in it.
func (e *Executor) assignments(st *syntax.Stmt, assigns []*syntax.Assign) {
	for _, a := range assigns {
		if e.opts[optXtrace] {
			a = e.traceAssign(a)
		}
		if err := e.x.Assign(e.ctx, a); err != nil {
			e.fail(assignSeverity(err))
			return
		}
	}
	if !e.substituted {
		e.status = 0
	}
	if len(st.Redirs) > 0 {
		var undo []savedFD
		if err := e.redirect(st.Redirs, &undo); err != nil {
			e.fail(err)
		}
		e.restore(undo)
	}
	e.lastArg = ""
}

// assignSeverity is the identity but for errors of plain assignments that
// name a readonly variable: those discard the line.
func assignSeverity(err error) error {
	var x *expand.Error
	if errors.As(err, &x) && x.Severity == expand.Fail {
		return &expand.Error{Msg: x.Msg, Severity: expand.Discard, Status: x.Status, Err: x.Err}
	}
	return err
}

// command runs an expanded command under its redirections and with its
// assignments in force.
func (e *Executor) command(st *syntax.Stmt, assigns []*syntax.Assign, args []string) {
	var undo []savedFD
	if len(st.Redirs) > 0 {
		e.redirects = args
		err := e.redirect(st.Redirs, &undo)
		e.redirects = nil
		if err != nil {
			e.restore(undo)
			e.fail(err)
			if e.opts[optPosix] && isSpecialBuiltin(args[0]) && e.flow == flowNone {
				e.flow, e.gaveUp = flowExit, true
			}
			return
		}
	}
	if len(assigns) == 0 {
		if e.opts[optXtrace] {
			e.traceCommand(args)
		}
		e.status = e.spawn(e.resolve(args))
	} else {
		e.commandWithAssigns(assigns, args)
	}
	if e.keepFDs {
		e.keepFDs = false
		e.keep(undo)
	} else if len(undo) > 0 {
		e.restore(undo)
	}
	e.lastArg = args[len(args)-1]
}

// commandWithAssigns runs a command with variables of its own.
func (e *Executor) commandWithAssigns(assigns []*syntax.Assign, args []string) {
	c := e.resolve(args)
	persist := c.builtin != nil && e.opts[optPosix] && isSpecialBuiltin(args[0])
	if !persist {
		e.vars.PushTemp()
		defer e.vars.Pop()
	}
	for _, a := range assigns {
		if e.opts[optXtrace] {
			a = e.traceAssign(a)
		}
		var err error
		if persist {
			err = e.x.Assign(e.ctx, a)
		} else {
			err = e.x.AssignTemp(e.ctx, a)
		}
		if err != nil {
			e.fail(err)
			var refused *expand.Error
			if errors.As(err, &refused) && refused.Severity == expand.Fail {
				continue // a readonly variable keeps its value
			}
			return
		}
	}
	// The assignments may have changed what PATH finds.
	if c.missing != nil || c.program != nil || c.script != "" {
		c = e.resolve(args)
	}
	if e.opts[optXtrace] {
		e.traceCommand(args)
	}
	e.status = e.spawn(c)
}
