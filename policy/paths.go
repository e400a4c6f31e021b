package policy

// Paths answers the paths (absolute) that can be seen among the words of a
// command: what a person who is asked about it has to know.
func Paths(c Command) []string {
	subs, _ := pathsOf(&c)
	return subs
}

// MayTouch answers the paths that a command could mean: those that Paths tells,
// or, where nobody told us which words are paths, every word that could be one.
func MayTouch(c Command) []string {
	list, known := pathsOf(&c)
	if known || len(c.Argv) == 0 {
		return list
	}
	switch c.Argv[0] {
	case "echo", "printf", "alias", "unalias", "export", "declare", "typeset", "local", "readonly", "set", "unset", "shift", "let", "trap", "kill", "help",
		"bash", "sh", "eval", "env", "timeout", "xargs", "command", "builtin", "exec", "nohup", "nice", "stdbuf": // what these run is judged by itself
		return nil
	}
	for _, s := range everyWord(&c) {
		list = append(list, s.path)
	}
	return list
}

func pathsOf(c *Command) (list []string, known bool) {
	if len(c.Argv) == 0 {
		return nil, false
	}
	name, _ := programName(c)
	subs, known := subjects(name, c)
	for _, s := range subs {
		list = append(list, s.path)
	}
	return list, known
}
