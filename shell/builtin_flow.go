package shell

import (
	"strings"
)

// number reads a decimal argument with an optional sign.
func number(s string) (int, bool) {
	t := strings.TrimSpace(s)
	negative := strings.HasPrefix(t, "-")
	t = strings.TrimPrefix(strings.TrimPrefix(t, "-"), "+")
	n, ok := atoi(t)
	if negative {
		n = -n
	}
	return n, ok
}

func builtinBreak(e *Executor, args []string) int {
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if e.loops == 0 {
		e.errorf("%s: only meaningful in a `for', `while', or `until' loop", args[0])
		return 0
	}
	n := 1
	if len(rest) > 0 {
		var ok bool
		if n, ok = number(rest[0]); !ok {
			e.errorf("%s: %s: numeric argument required", args[0], rest[0])
			e.flow, e.gaveUp = flowExit, true
			return 128
		}
		if len(rest) > 1 {
			return e.tooMany(args[0])
		}
		if n <= 0 {
			e.errorf("%s: %s: loop count out of range", args[0], rest[0])
			e.flow, e.levels = flowBreak, e.loops
			return 1
		}
	}
	e.levels = min(n, e.loops)
	e.flow = flowBreak
	if args[0] == "continue" {
		e.flow = flowContinue
	}
	return 0
}

// exitStatus reads the argument of exit and return; ok is false for a wrong
// one, which has been reported.
func (e *Executor) exitStatus(name string, rest []string) (int, bool) {
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		if e.inTrap > 0 && name == "exit" {
			return e.trapStatus, true
		}
		return e.status, true
	}
	n, ok := number(rest[0])
	if !ok {
		e.errorf("%s: %s: numeric argument required", name, rest[0])
		return 2, true
	}
	if len(rest) > 1 {
		return e.tooMany(name), false
	}
	return n & 0xff, true
}

// tooMany reports a builtin's surplus operand, which gives up everything up to
// the next command that the shell reads; the text of -c is given up whole.
func (e *Executor) tooMany(name string) int {
	e.errorf("%s: too many arguments", name)
	switch {
	case e.origin == fromLine && e.subshell == 0:
	case e.origin == fromCommand || e.evals > 0:
		e.flow, e.gaveUp = flowExit, true
	default:
		e.discard()
	}
	return 1
}

func builtinExit(e *Executor, args []string) int {
	if args[0] == "logout" && !e.interactive {
		e.errorf("logout: not login shell: use `exit'")
		return 1
	}
	status, ok := e.exitStatus(args[0], args[1:])
	if !ok {
		return status
	}
	e.flow, e.gaveUp = flowExit, false
	return status
}

func builtinReturn(e *Executor, args []string) int {
	status, ok := e.exitStatus("return", args[1:])
	if !ok {
		return status
	}
	if len(e.frames) == 0 {
		e.errorf("return: can only `return' from a function or sourced script")
		return 2
	}
	e.flow = flowReturn
	return status
}

func builtinEval(e *Executor, args []string) int {
	_, rest, ok := e.parseFlags(args, "")
	if !ok {
		return 2
	}
	text := strings.Join(rest, " ")
	e.status = 0
	if strings.TrimSpace(text) == "" {
		return 0
	}
	e.evalText(text, e.lineno, e.where())
	return e.status
}

func builtinSource(e *Executor, args []string) int {
	_, rest, ok := e.parseFlags(args, "")
	if !ok {
		return 2
	}
	if len(rest) == 0 {
		e.errorf("%s: filename argument required", args[0])
		return e.usage(args[0])
	}
	path := rest[0]
	if !strings.Contains(path, "/") && e.shopts[shoptSourcepath] {
		if found := e.findSource(path); found != "" {
			path = found
		}
	}
	text, err := e.readScript(path)
	if err != nil {
		if phrase(err) == "Is a directory" {
			e.errorf("%s: %s: is a directory", args[0], rest[0])
		} else {
			e.errorf("%s: %s", rest[0], phrase(err))
		}
		if e.opts[optPosix] {
			e.flow, e.gaveUp = flowExit, true
		}
		return 1
	}
	return e.source(path, text, rest[1:])
}

// findSource looks for a file to source on PATH.
func (e *Executor) findSource(name string) string {
	for _, dir := range e.pathDirs() {
		path := joinPath(dir, name)
		if info, err := e.view().Stat(e.ctx, e.abs(path)); err == nil && !info.IsDir() {
			return path
		}
	}
	return ""
}

// source runs a file's text in this shell.
func (e *Executor) source(path, text string, params []string) int {
	if !e.enter(1) {
		return e.status
	}
	saved, base, line, weight, evals, set := e.x.Params, e.base, e.lineno, e.unitWeight, e.evals, e.paramsSet
	if len(params) > 0 {
		e.x.Params = params
	}
	e.frames = append(e.frames, frame{name: "source", source: path, line: line})
	e.base, e.status, e.evals = 0, 0, 0
	leave := e.enterText(text)
	e.runInput(e.lines(text))
	leave()
	if e.flow == flowReturn {
		e.flow = flowNone
	}
	if e.traps.ret != nil && e.flow == flowNone {
		e.returnTrap()
	}
	e.frames = e.frames[:len(e.frames)-1]
	if len(params) > 0 && e.paramsSet == set {
		e.x.Params = saved
	}
	e.base, e.lineno, e.unitWeight, e.evals = base, line, weight, evals
	e.leave(1)
	return e.status
}

func builtinShift(e *Executor, args []string) int {
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	n := 1
	if len(rest) > 1 {
		return e.tooMany("shift")
	}
	if len(rest) == 1 {
		var ok bool
		if n, ok = number(rest[0]); !ok {
			e.errorf("shift: %s: numeric argument required", rest[0])
			return 1
		}
	}
	if n < 0 {
		e.errorf("shift: %s: shift count out of range", rest[0])
		return 1
	}
	if n > len(e.x.Params) {
		if e.shopts[shoptShiftVerbose] || e.opts[optPosix] {
			e.errorf("shift: %d: shift count out of range", n)
		}
		return 1
	}
	e.x.Params = e.x.Params[n:]
	return 0
}

func builtinCommand(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "pVv")
	if !ok {
		return 2
	}
	if len(rest) == 0 {
		return 0
	}
	if f.on['p'] {
		e.vars.PushTemp()
		defer e.vars.Pop()
		e.vars.SetTemp("PATH", "/usr/bin:/bin")
	}
	if f.on['v'] || f.on['V'] {
		return e.describe(rest, describeOptions{name: "command", verbose: f.on['V'], reuse: true})
	}
	return e.spawn(e.resolveCommand(rest))
}

func builtinBuiltin(e *Executor, args []string) int {
	_, rest, ok := e.parseFlags(args, "")
	if !ok {
		return 2
	}
	if len(rest) == 0 {
		return 0
	}
	b := e.findBuiltin(rest[0])
	if b == nil {
		e.errorf("builtin: %s: not a shell builtin", rest[0])
		return 1
	}
	return e.spawn(call{args: rest, builtin: b})
}

func builtinExec(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "cla:")
	if !ok {
		return 2
	}
	if len(rest) == 0 {
		e.keepFDs = true
		return 0
	}
	if f.on['a'] || f.on['l'] {
		e.writeFD(2, "mirage: unsupported builtin: exec -"+map[bool]string{true: "a", false: "l"}[f.on['a']]+"\n")
		return 2
	}
	c := e.resolveProgram(rest)
	if c.missing != nil {
		text := c.missing.text
		if text == "command not found" {
			text = "not found"
		}
		if strings.Contains(rest[0], "/") {
			e.errorf("%s: %s", rest[0], c.missing.text)
			if c.missing.status == 126 {
				e.errorf("exec: %s: cannot execute: %s", rest[0], c.missing.text)
			}
		} else {
			e.errorf("exec: %s: %s", rest[0], text)
		}
		if !e.shopts[shoptExecfail] && !e.interactive {
			e.flow, e.gaveUp = flowExit, e.subshell == 0 && e.origin == fromLine
		}
		return c.missing.status
	}
	if f.on['c'] {
		e.vars.PushTemp()
		e.initVars(nil)
	}
	status := e.spawn(c)
	e.traps.exit = nil
	if e.flow == flowNone {
		e.flow, e.gaveUp = flowExit, false
	}
	return status
}

func builtinCaller(e *Executor, args []string) int {
	n := -1
	if len(args) > 1 {
		var ok bool
		if n, ok = number(args[1]); !ok {
			e.errorf("caller: %s: invalid number", args[1])
			return e.usage("caller")
		}
	}
	if len(e.frames) == 0 && e.origin != fromFile {
		return 1
	}
	names, files, lines := e.frameNames(), (*host)(e).Dynamic("BASH_SOURCE"), (*host)(e).Dynamic("BASH_LINENO")
	at := max(n, 0)
	if at >= len(lines) || n >= 0 && at+1 >= len(files) && e.origin == fromFile {
		return 1
	}
	file, name := "NULL", "main"
	if at+1 < len(files) {
		file = files[at+1]
	}
	if at+1 < len(names) {
		name = names[at+1]
	} else if n >= 0 && at >= len(e.frames) {
		return 1
	}
	if n < 0 {
		e.write("caller", []byte(lines[at]+" "+file+"\n"))
		return 0
	}
	e.write("caller", []byte(lines[at]+" "+name+" "+file+"\n"))
	return 0
}
