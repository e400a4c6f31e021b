package shell

import (
	"mirage/policy"
)

// spawn is the door: the only way in which a function, builtin, program or
// script starts, whoever asks for it. It asks the policy and answers the exit
// status.
func (e *Executor) spawn(c call) int {
	answer, words := e.ask(c.words(), c.kind())
	return e.pass(c, answer, words)
}

// pass is the door once the policy has been asked.
func (e *Executor) pass(c call, answer policy.Answer, words []string) int {
	if !e.allowed(answer, words) {
		return e.status
	}
	if c.fn != nil || c.builtin != nil || e.traps.exit != nil {
		e.tail = false
	}
	if l := e.limitOf(c); !l.IsZero() {
		e.tail = false
		return e.limited(l, c)
	}
	return e.start(c)
}

// start starts what a call leads to. Only the door calls it.
func (e *Executor) start(c call) int {
	switch {
	case c.fn != nil:
		return e.callFunction(c.fn, c.args)
	case c.builtin != nil:
		return e.callBuiltin(c.builtin, c.args)
	case c.program != nil:
		return e.runProgram(c.program, c.args)
	case c.shell:
		return e.runBash(c.args)
	case c.script != "":
		return e.runScript(c.script, c.args)
	}
	return e.notFound(c)
}

// ask asks the policy about the command that the shell has come to.
func (e *Executor) ask(words []string, kind policy.CommandKind) (policy.Answer, []string) {
	if e.cfg.Judge == nil {
		return policy.Answer{}, words
	}
	return e.judge(policy.Command{Argv: words, Cwd: e.dir, Kind: kind, Place: e.where()})
}

// allowed reports whether a command may run. A refusal is told, and e.status
// is then its status.
func (e *Executor) allowed(answer policy.Answer, words []string) bool {
	switch {
	case answer.Outcome == policy.Allow:
		return true
	case e.ctx.Err() != nil:
		// It ended while it waited for an answer.
		e.stopKilled()
	default:
		e.status = e.refused(answer, words)
	}
	return false
}

// notFound reports a command that cannot run.
func (e *Executor) notFound(c call) int {
	if c.missing.text == "command not found" {
		if fn := e.funcs["command_not_found_handle"]; fn != nil {
			sub := e.fork(e.ctx, c.args[0])
			if sub == nil {
				return e.status
			}
			sub.status = sub.spawn(call{args: append([]string{fn.name}, c.args...), fn: fn})
			return sub.end()
		}
	}
	e.errorf("%s: %s", c.args[0], c.missing.text)
	return c.missing.status
}

// refused words a refusal, notes it in the line's result, and ends the line
// where the whole line is refused.
func (e *Executor) refused(a policy.Answer, words []string) int {
	text, status := refusalText(a, words)
	e.warn(text)
	if a.Outcome == policy.Absent {
		return status
	}
	e.line.refuse(a, status)
	e.flow, e.gaveUp = flowExit, true
	return status
}

// callBuiltin runs a builtin.
func (e *Executor) callBuiltin(b builtinFunc, args []string) int {
	e.writeFailed = false
	status := b(e, args)
	if e.writeFailed {
		e.writeFailed = false
		return max(status, 1)
	}
	return status
}
