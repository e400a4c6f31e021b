package shell

import (
	"mvdan.cc/sh/v3/syntax"
)

// list runs statements one after another.
func (e *Executor) list(stmts []*syntax.Stmt) {
	if len(stmts) == 0 {
		return
	}
	for _, st := range stmts {
		e.stmt(st)
		if e.flow != flowNone {
			return
		}
	}
}

// stmt runs one statement.
func (e *Executor) stmt(st *syntax.Stmt) {
	if e.interrupted() {
		return
	}
	if st.Background {
		e.background(st)
		return
	}
	e.stmtSync(st)
}

// stmtSync runs a statement in the foreground.
func (e *Executor) stmtSync(st *syntax.Stmt) {
	if e.opts[optNoexec] && !e.interactive {
		return
	}
	if st.Negated {
		e.quiet++
		e.dispatch(st)
		e.quiet--
		if e.flow == flowNone || e.flow == flowReturn {
			if e.flow == flowNone {
				if e.status == 0 {
					e.status = 1
				} else {
					e.status = 0
				}
			}
		}
		return
	}
	e.dispatch(st)
}

// dispatch runs the command of a statement, negation aside.
func (e *Executor) dispatch(st *syntax.Stmt) {
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		e.lineno = e.base + callLine(c)
		e.simple(st, c)
		e.ended()
		return
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			e.withRedirects(st, func() { e.pipeline(c) })
			e.checkError()
		} else if len(st.Redirs) == 0 {
			e.andOr(c)
		} else {
			e.withRedirects(st, func() { e.andOr(c) })
		}
		return
	case *syntax.DeclClause:
		e.lineno = e.base + int(c.Pos().Line())
		e.declClause(st, c)
		e.ended()
		return
	case nil:
		e.onlyRedirects(st)
		e.checkError()
		return
	}
	if len(st.Redirs) > 0 {
		e.withRedirects(st, func() { e.compound(st) })
		return
	}
	e.compound(st)
}

// callLine is the line that bash gives a simple command: the one where its
// second word ends, since it has read that far when it starts to count.
func callLine(c *syntax.CallExpr) int {
	switch {
	case len(c.Args) > 1 && len(c.Assigns) == 0:
		return int(c.Args[1].End().Line())
	case len(c.Assigns) > 1:
		return int(c.Assigns[1].End().Line())
	case len(c.Assigns) > 0 && len(c.Args) > 0:
		return int(c.Args[0].End().Line())
	}
	return int(c.Pos().Line())
}

// compound runs a command other than a simple one or a list.
func (e *Executor) compound(st *syntax.Stmt) {
	switch c := st.Cmd.(type) {
	case *syntax.Block:
		e.list(c.Stmts)
	case *syntax.IfClause:
		e.ifClause(c)
	case *syntax.WhileClause:
		e.whileClause(c)
	case *syntax.ForClause:
		e.forClause(c)
	case *syntax.CaseClause:
		e.caseClause(c)
	case *syntax.Subshell:
		e.lineno = e.base + int(c.Pos().Line())
		e.subshellClause(c)
		e.ended()
	case *syntax.FuncDecl:
		e.define(c)
	case *syntax.ArithmCmd:
		e.lineno = e.base + int(c.Pos().Line())
		e.setCurrent(c)
		if e.debugTrap() {
			e.arithCommand(c)
		}
		e.ended()
	case *syntax.TestClause:
		e.lineno = e.base + int(c.Pos().Line())
		e.setCurrent(c)
		if e.debugTrap() {
			e.testClause(c)
		}
		e.ended()
	case *syntax.LetClause:
		e.lineno = e.base + int(c.Pos().Line())
		e.letClause(c)
		e.ended()
	case *syntax.TimeClause:
		e.timeClause(c)
	case *syntax.CoprocClause:
		e.coproc(c)
	default:
		e.errorf("unsupported shell construct")
		e.status = 2
	}
}

// ended notes the status of a command that just ended.
func (e *Executor) ended() {
	e.pipeStatus, e.lastStatus = nil, e.status
	e.checkError()
}

// checkError applies set -e and the ERR trap to the status of a command that
// just ended.
func (e *Executor) checkError() {
	if e.status == 0 || e.quiet > 0 || e.flow != flowNone {
		return
	}
	if e.traps.err != nil {
		e.errTrap()
	}
	if e.opts[optErrexit] && e.flow == flowNone {
		e.flow, e.gaveUp = flowExit, true
	}
}

// andOr runs one && or ||.
func (e *Executor) andOr(b *syntax.BinaryCmd) {
	e.quiet++
	e.stmt(b.X)
	e.quiet--
	if e.flow != flowNone {
		return
	}
	if (b.Op == syntax.AndStmt) == (e.status == 0) {
		e.stmt(b.Y)
	}
}

// withRedirects runs fn under the redirections of a statement.
func (e *Executor) withRedirects(st *syntax.Stmt, fn func()) {
	if len(st.Redirs) == 0 {
		fn()
		return
	}
	e.lineno = e.base + int(st.Redirs[0].Pos().Line())
	var undo []savedFD
	mark := len(e.procFDs)
	if err := e.redirect(st.Redirs, &undo); err != nil {
		e.restore(undo)
		e.fail(err)
		e.closeProcFDs(mark)
		e.checkError()
		return
	}
	fn()
	e.restore(undo)
	e.closeProcFDs(mark)
}

// onlyRedirects runs a statement that is nothing but redirections: files are
// created, nothing stays open.
func (e *Executor) onlyRedirects(st *syntax.Stmt) {
	e.status = 0
	e.withRedirects(st, func() {})
}

// conditional runs a list as a condition, where failure is no error.
func (e *Executor) conditional(stmts []*syntax.Stmt) {
	e.quiet++
	e.list(stmts)
	e.quiet--
}

// setCurrent notes the command that BASH_COMMAND names: the last one that is
// not a trap's.
func (e *Executor) setCurrent(c syntax.Command) {
	if e.inTrap == 0 {
		e.current = c
	}
}

// currentText prints the current command.
func (e *Executor) currentText() string {
	if e.current == nil {
		return ""
	}
	return e.commandText(e.current)
}
