package shell

import (
	"fmt"
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/vars"
)

// State answers what must survive a restart. It must not overlap Run.
func (sh *Shell) State() State {
	e := sh.e
	st := State{
		Dir: e.dir, OldDir: e.vars.Get("OLDPWD"), Umask: e.umask, Status: e.status,
		Vars: map[string]Variable{}, Functions: map[string]string{}, Aliases: maps.Clone(e.aliases),
		Options: map[string]bool{}, Shopts: map[string]bool{}, Traps: map[string]string{},
		Params: slices.Clone(e.x.Params), DirStack: slices.Clone(e.dirStack),
	}
	for name, v := range e.vars.Dump() {
		st.Vars[name] = Variable(v)
	}
	for name, fn := range e.funcs {
		st.Functions[name] = e.functionSource(fn)
		if fn.exported {
			st.Exported = append(st.Exported, name)
		}
	}
	slices.Sort(st.Exported)
	for i, on := range defaultOptions() {
		if e.opts[i] != on {
			st.Options[optionNames[i].name] = e.opts[i]
		}
	}
	for i, on := range defaultShopts() {
		if e.shopts[i] != on {
			st.Shopts[shoptNames[i]] = e.shopts[i]
		}
	}
	for name, action := range map[string]*string{
		"EXIT": e.traps.exit, "ERR": e.traps.err, "DEBUG": e.traps.debug, "RETURN": e.traps.ret,
	} {
		if action != nil {
			st.Traps[name] = *action
		}
	}
	for s, action := range e.traps.signals {
		st.Traps[s.String()] = action
	}
	return st
}

// Restore makes a shell from a saved state. A function that no longer parses
// is an error: the state is not ours.
func Restore(cfg Config, st State) (*Shell, error) {
	sh := New(cfg)
	e := sh.e
	saved := make(map[string]vars.Saved, len(st.Vars))
	for name, v := range st.Vars {
		saved[name] = vars.Saved(v)
	}
	if err := e.vars.Load(saved); err != nil {
		return nil, fmt.Errorf("restore variables: %w", err)
	}
	e.funcs = map[string]*function{}
	for name, source := range st.Functions {
		u, err := e.parse(source)
		if err != nil || len(u.file.Stmts) != 1 {
			return nil, fmt.Errorf("restore function %s: %v", name, err)
		}
		d, ok := u.file.Stmts[0].Cmd.(*syntax.FuncDecl)
		if !ok || d.Name.Value != name {
			return nil, fmt.Errorf("restore function %s: not a function", name)
		}
		exported := slices.Contains(st.Exported, name)
		e.funcs[name] = &function{name: name, decl: d, weight: u.nesting, text: u.text, exported: exported, scope: e.scopeOf("", u.text)}
		e.hasExported = e.hasExported || exported
	}
	e.aliases = maps.Clone(st.Aliases)
	for name, on := range st.Options {
		if o, ok := optionByName(name); ok {
			e.opts[o] = on
		}
	}
	for name, on := range st.Shopts {
		if o, ok := shoptByName(name); ok {
			e.shopts[o] = on
		}
	}
	for name, action := range st.Traps {
		e.setTrap(name, &action)
	}
	e.publishTraps()
	e.syncOptions()
	e.x.Params, e.dirStack = slices.Clone(st.Params), slices.Clone(st.DirStack)
	e.umask, e.status = st.Umask, st.Status
	if st.Dir != "" {
		e.dir, e.x.Dir = st.Dir, st.Dir
		e.vars.Force("PWD", st.Dir, vars.Export)
	}
	return sh, nil
}
