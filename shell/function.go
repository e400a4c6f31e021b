package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// define carries out a function definition.
func (e *Executor) define(c *syntax.FuncDecl) {
	name := c.Name.Value
	if e.opts[optPosix] && isSpecialBuiltin(name) {
		e.errorf("`%s': is a special builtin", name)
		e.status = 2
		e.flow, e.gaveUp = flowExit, true
		return
	}
	if old := e.funcs[name]; old != nil && e.readonlyFuncs[name] {
		e.errorf("%s: readonly function", name)
		e.status = 1
		return
	}
	fn := &function{name: name, decl: c, line: e.base, weight: e.unitWeight, text: e.text, from: e.textFrom, scope: e.scope, offsets: e.offsets}
	if n := len(e.frames); n > 0 {
		fn.source = e.frames[n-1].source
	}
	if fn.source == "" && e.origin != fromLine {
		fn.source = e.sourceName
	}
	e.own()
	if e.funcs == nil {
		e.funcs = map[string]*function{}
	}
	e.funcs[name] = fn
	e.status = 0
}

// callFunction runs a function with its own positional parameters and scope.
func (e *Executor) callFunction(fn *function, args []string) int {
	if n, ok := atoi(e.vars.Get("FUNCNEST")); ok && n > 0 && e.funcDepth() >= n {
		e.errorf("%s: maximum function nesting level exceeded (%d)", fn.name, n)
		e.status = 1
		e.discard()
		return 1
	}
	if !e.enter(fn.weight) {
		return e.status
	}
	params, held, loops, base, lineno, text, from := e.x.Params, e.paramsHeld, e.loops, e.base, e.lineno, e.text, e.textFrom
	e.paramsHeld = 0
	e.vars.PushFunc()
	e.frames = append(e.frames, frame{name: fn.name, source: fn.source, line: lineno, fn: fn})
	e.x.Params, e.loops, e.base, e.text, e.textFrom = args[1:], 0, fn.line, fn.text, fn.from
	scope, at, offsets := e.scope, e.at, e.offsets
	e.scope, e.offsets = fn.scope, fn.offsets
	debug, ret, onErr := e.traps.enterFunction(e, fn)
	if e.traps.debug != nil {
		e.lineno = e.base + int(fn.decl.Body.Pos().Line())
		e.debugTrap()
	}
	e.stmtSync(fn.decl.Body)
	if e.flow == flowReturn {
		e.flow = flowNone
	}
	if e.traps.ret != nil && e.flow == flowNone {
		e.returnTrap()
	}
	e.traps.leaveFunction(debug, ret, onErr)
	if saved := e.frames[len(e.frames)-1].saved; saved != nil {
		e.opts = saved.opts
		e.syncOptions()
	}
	e.frames = e.frames[:len(e.frames)-1]
	e.s.memory.Give(e.paramsHeld)
	e.x.Params, e.paramsHeld, e.loops, e.base, e.lineno, e.text, e.textFrom = params, held, loops, base, lineno, text, from
	e.scope, e.at, e.offsets = scope, at, offsets
	e.vars.Pop()
	e.leave(fn.weight)
	return e.status
}

// funcDepth counts the functions on the stack.
func (e *Executor) funcDepth() int {
	n := 0
	for i := range e.frames {
		if e.frames[i].fn != nil {
			n++
		}
	}
	return n
}

// functionNames lists the functions, sorted.
func (e *Executor) functionNames() []string {
	names := make([]string, 0, len(e.funcs))
	for name := range e.funcs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// exportedFunctions answers the environment entries of exported functions.
func (e *Executor) exportedFunctions() []string {
	var env []string
	for _, name := range e.functionNames() {
		if fn := e.funcs[name]; fn.exported {
			env = append(env, "BASH_FUNC_"+name+"%%=() "+e.functionBody(fn))
		}
	}
	return env
}

// importFunctions defines the functions of an environment and answers the
// rest of it.
func (e *Executor) importFunctions(env []string) []string {
	var rest []string
	for i, kv := range env {
		name, ok := strings.CutPrefix(kv, "BASH_FUNC_")
		if !ok {
			if rest != nil {
				rest = append(rest, kv)
			}
			continue
		}
		if rest == nil {
			rest = slices.Clone(env[:i])
		}
		name, body, ok := strings.Cut(name, "%%=")
		if !ok || !strings.HasPrefix(body, "() {") {
			continue
		}
		u, err := e.parse(name + " " + body + "\n")
		if err != nil || len(u.file.Stmts) != 1 {
			continue
		}
		if d, ok := u.file.Stmts[0].Cmd.(*syntax.FuncDecl); ok {
			e.own()
			if e.funcs == nil {
				e.funcs = map[string]*function{}
			}
			e.funcs[name] = &function{name: name, decl: d, text: u.text, source: "environment", exported: true, weight: u.nesting, scope: e.scopeOf("", u.text)}
		}
	}
	if rest == nil {
		return env
	}
	return rest
}

// saveLocalOptions makes the options of set local to the running function.
func (e *Executor) saveLocalOptions() {
	for i := len(e.frames) - 1; i >= 0; i-- {
		if f := &e.frames[i]; f.fn != nil {
			if f.saved == nil {
				f.saved = &savedOptions{e.opts}
			}
			return
		}
	}
}
