package shell

import (
	"slices"

	"mirage/policy"
	"mirage/shell/vars"
)

// dynamicVars are the variables whose value is the executor's state.
var dynamicVars = []vars.Dynamic{
	{Name: "LINENO", Kind: vars.Scalar},
	{Name: "FUNCNAME", Kind: vars.Indexed},
	{Name: "BASH_SOURCE", Kind: vars.Indexed},
	{Name: "BASH_LINENO", Kind: vars.Indexed},
	{Name: "PIPESTATUS", Kind: vars.Indexed},
	{Name: "DIRSTACK", Kind: vars.Indexed},
	{Name: "GROUPS", Kind: vars.Indexed},
	{Name: "BASHPID", Kind: vars.Scalar, Attr: vars.Integer},
	{Name: "BASH_SUBSHELL", Kind: vars.Scalar},
	{Name: "BASH_COMMAND", Kind: vars.Scalar},
	{Name: "BASH_ARGV0", Kind: vars.Scalar},
	{Name: "BASH_EXECUTION_STRING", Kind: vars.Scalar},
	{Name: "HISTCMD", Kind: vars.Scalar, Attr: vars.Integer},
	{Name: "SHELLOPTS", Kind: vars.Scalar, Attr: vars.ReadOnly},
	{Name: "BASHOPTS", Kind: vars.Scalar, Attr: vars.ReadOnly},
	{Name: "BASH_ALIASES", Kind: vars.Assoc},
	{Name: "BASH_CMDS", Kind: vars.Assoc},
	{Name: "_", Kind: vars.Scalar},
}

// Dynamic answers the value of a dynamic variable.
func (h *host) Dynamic(name string) []string {
	e := (*Executor)(h)
	switch name {
	case "LINENO":
		return []string{itoa(e.lineno)}
	case "FUNCNAME":
		return e.frameNames()
	case "BASH_SOURCE":
		var list []string
		for i := len(e.frames) - 1; i >= 0; i-- {
			list = append(list, e.frames[i].source)
		}
		if e.origin == fromFile {
			list = append(list, e.name)
		}
		return list
	case "BASH_LINENO":
		var list []string
		for i := len(e.frames) - 1; i >= 0; i-- {
			list = append(list, itoa(e.frames[i].line))
		}
		if e.origin == fromFile {
			list = append(list, "0")
		}
		return list
	case "PIPESTATUS":
		if e.pipeStatus == nil {
			return []string{itoa(e.lastStatus)}
		}
		list := make([]string, len(e.pipeStatus))
		for i, s := range e.pipeStatus {
			list[i] = itoa(s)
		}
		return list
	case "DIRSTACK":
		return e.directories()
	case "GROUPS":
		return []string{"1000"}
	case "BASHPID":
		return []string{itoa(e.proc.pid)}
	case "BASH_SUBSHELL":
		return []string{itoa(e.subshell)}
	case "BASH_COMMAND":
		if e.current == nil {
			return nil
		}
		return []string{e.commandText(e.current)}
	case "BASH_ARGV0":
		return []string{e.name}
	case "BASH_EXECUTION_STRING":
		if e.origin == fromCommand {
			return []string{e.script}
		}
	case "HISTCMD":
		return []string{itoa(len(e.historyList()))}
	case "SHELLOPTS":
		return []string{e.optionList()}
	case "BASHOPTS":
		return []string{e.shoptList()}
	case "BASH_ALIASES":
		return pairs(e.aliases, func(s string) string { return s })
	case "BASH_CMDS":
		return pairs(e.hash, func(h hashed) string { return h.path })
	case "_":
		return []string{e.lastArg}
	}
	return nil
}

func pairs[V any](m map[string]V, text func(V) string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	list := make([]string, 0, 2*len(keys))
	for _, k := range keys {
		list = append(list, k, text(m[k]))
	}
	return list
}

// frameNames answers FUNCNAME: nothing outside of functions.
func (e *Executor) frameNames() []string {
	if len(e.frames) == 0 {
		return nil
	}
	var list []string
	for i := len(e.frames) - 1; i >= 0; i-- {
		list = append(list, e.frames[i].name)
	}
	if e.origin == fromFile {
		list = append(list, "main")
	}
	return list
}

// SetDynamic takes an assignment to a dynamic variable.
func (h *host) SetDynamic(name, sub string, value *string) error {
	e := (*Executor)(h)
	switch name {
	case "LINENO":
		if n, ok := atoi(deref(value)); ok {
			e.base += n - e.lineno
			e.lineno = n
		}
	case "BASH_ARGV0":
		e.name = deref(value)
		e.x.Name = e.name
	case "BASH_ALIASES":
		e.own()
		if value == nil {
			delete(e.aliases, sub)
			return nil
		}
		if e.aliases == nil {
			e.aliases = map[string]string{}
		}
		e.aliases[sub] = *value
	case "BASH_CMDS":
		e.own()
		if value == nil {
			delete(e.hash, sub)
			return nil
		}
		if e.hash == nil {
			e.hash = map[string]hashed{}
		}
		e.hash[sub] = hashed{path: *value}
	case "DIRSTACK":
		stack := e.directories()
		if i, ok := atoi(sub); ok && i > 0 && i < len(stack) {
			e.dirStack = slices.Clone(e.dirStack)
			e.dirStack[i-1] = deref(value)
		}
	}
	return nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// MayWrite implements vars.WriteGuard: coded policies may refuse a change.
func (h *host) MayWrite(name string, value *string) error {
	e := (*Executor)(h)
	if e.cfg.Judge == nil {
		return nil
	}
	j, ok := e.cfg.Judge.(policy.WriteJudge)
	if !ok {
		return nil
	}
	a := j.Write(e.ctx, name, value)
	if a.Outcome == policy.Allow {
		return nil
	}
	if e.line != nil {
		e.line.refuse(a, 1)
	}
	return &vars.Error{Name: name, Text: "permission denied"}
}

// Changed is told of changes of variables that matter here.
func (h *host) Changed(name string) {
	switch name {
	case "PATH":
		h.hash = nil

	case "OPTIND":
		h.getopts = getoptsState{}
	case "POSIXLY_CORRECT":
		if _, set := h.vars.Lookup(name); set {
			h.opts[optPosix] = true
			(*Executor)(h).syncOptions()
		}
	}
}
