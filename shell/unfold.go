package shell

import (
	"path"
	"strings"

	"mirage/policy"
)

// known reports whether word i is there and known.
func known(c policy.Command, i int) bool {
	return i < len(c.Argv) && (i >= len(c.Unknown) || !c.Unknown[i])
}

// inner answers the command that starts at word i, with more operands that
// only the run can tell when more is set.
func inner(c policy.Command, i int, more bool) (policy.Command, bool) {
	if !known(c, i) || c.Argv[i] == "" {
		return policy.Command{}, false
	}
	in := policy.Command{Argv: c.Argv[i:], Cwd: c.Cwd, Place: c.Place}
	if i < len(c.Unknown) {
		in.Unknown = c.Unknown[i:]
	}
	if more {
		in.Argv = append(in.Argv[:len(in.Argv):len(in.Argv)], "")
		unknown := make([]bool, len(in.Argv))
		copy(unknown, in.Unknown)
		unknown[len(unknown)-1] = true
		in.Unknown = unknown
	}
	name := in.Argv[0]
	switch dir, base := splitDir(path.Clean(name)); {
	case !strings.Contains(name, "/"):
		if lookupBuiltin(name) != nil {
			in.Kind = policy.KindBuiltin
		}
	case isBin(dir):
		in.Argv = renamed(in.Argv, base)
	default:
		in.Kind = policy.KindPath
	}
	return in, true
}

// wrapper describes how a command that runs another one is called: its own
// options, the operands before the inner command, and what the inner command
// gets beside its words.
type wrapper struct {
	flags    string // options without argument
	values   string // options with one
	long     string // long options with a separate argument, space-separated
	operands int    // before the inner command
	assigns  bool   // NAME=value words come first
	more     bool   // operands are added to the inner command
	stop     string // options that make it run nothing
}

// wrapperOf answers how a command runs another one; false when it does not.
func wrapperOf(name string) (wrapper, bool) {
	switch name {
	case "command":
		return wrapper{flags: "p", stop: "vV"}, true
	case "builtin":
		return wrapper{}, true
	case "exec":
		return wrapper{flags: "cl", values: "a"}, true
	case "nohup", "setsid":
		return wrapper{flags: "cfw"}, true
	case "nice":
		return wrapper{values: "n", long: "--adjustment"}, true
	case "stdbuf":
		return wrapper{values: "ioe", long: "--input --output --error"}, true
	case "env":
		return wrapper{flags: "i0v", values: "uC", long: "--unset --chdir", assigns: true, stop: "S"}, true
	case "timeout":
		return wrapper{flags: "fpv", values: "ks", long: "--kill-after --signal", operands: 1}, true
	case "xargs":
		return wrapper{flags: "0oprtxie", values: "adEILnPs", more: true,
			long: "--arg-file --delimiter --max-lines --max-args --max-procs --max-chars --process-slot-var"}, true
	}
	return wrapper{}, false
}

// unfold answers the commands that a command runs by its own words: what env,
// xargs, timeout, command and their like are given, and what find -exec is.
func unfold(c policy.Command) []policy.Command {
	name := c.Argv[0]
	if name == "find" {
		return unfoldFind(c)
	}
	w, ok := wrapperOf(name)
	if !ok {
		return nil
	}
	i := 1
	for ; known(c, i) && len(c.Argv[i]) > 1 && c.Argv[i][0] == '-'; i++ {
		word := c.Argv[i]
		if word == "--" {
			i++
			break
		}
		if strings.HasPrefix(word, "--") {
			for _, l := range strings.Fields(w.long) {
				if l == word {
					i++
				}
			}
			if strings.HasPrefix(word, "--chdir") {
				c.Cwd = "" // only the door knows where it runs
			}
			continue
		}
		for j := 1; j < len(word); j++ {
			if strings.IndexByte(w.stop, word[j]) >= 0 {
				return nil
			}
			if name == "env" && word[j] == 'C' {
				c.Cwd = ""
			}
			if strings.IndexByte(w.values, word[j]) >= 0 {
				if j+1 == len(word) {
					i++
				}
				break
			}
		}
	}
	if w.assigns {
		for known(c, i) && (strings.Contains(c.Argv[i], "=") || c.Argv[i] == "-") {
			i++
		}
	}
	i += w.operands
	in, ok := inner(c, i, w.more)
	if !ok {
		return nil
	}
	return []policy.Command{in}
}

// unfoldFind answers the commands of -exec and its kin; {} is not known.
func unfoldFind(c policy.Command) []policy.Command {
	var list []policy.Command
	for i := 1; i < len(c.Argv); i++ {
		if !known(c, i) {
			continue
		}
		dir := c.Cwd
		switch c.Argv[i] {
		case "-exec", "-ok":
		case "-execdir", "-okdir":
			dir = "" // that of the file
		default:
			continue
		}
		start := i + 1
		for i = start; i < len(c.Argv) && !(known(c, i) && (c.Argv[i] == ";" || c.Argv[i] == "+" && i > start && c.Argv[i-1] == "{}")); {
			i++
		}
		in, ok := inner(policy.Command{Argv: c.Argv[:i], Unknown: c.Unknown[:min(i, len(c.Unknown))], Cwd: dir, Place: c.Place}, start, false)
		if !ok {
			continue
		}
		unknown := make([]bool, len(in.Argv))
		copy(unknown, in.Unknown)
		for j, w := range in.Argv {
			unknown[j] = unknown[j] || strings.Contains(w, "{}")
		}
		in.Unknown = unknown
		list = append(list, in)
	}
	return list
}

// sources answers the literal source texts that a command runs.
func sources(c policy.Command) []string {
	name := c.Argv[0]
	switch name {
	case "eval":
		var words []string
		for i := 1; i < len(c.Argv); i++ {
			if !known(c, i) {
				return nil
			}
			words = append(words, c.Argv[i])
		}
		return []string{strings.Join(words, " ")}
	case "trap":
		i := 1
		if known(c, i) && c.Argv[i] == "--" {
			i++
		}
		if known(c, i) && len(c.Argv) > i+1 && c.Argv[i] != "-" {
			return []string{c.Argv[i]}
		}
	case "mapfile", "readarray":
		for i := 1; i+1 < len(c.Argv); i++ {
			if known(c, i) && known(c, i+1) && c.Argv[i] == "-C" {
				return []string{c.Argv[i+1]}
			}
		}
	case "bash", "sh":
		for i := 1; i < len(c.Argv); i++ {
			if !known(c, i) || len(c.Argv[i]) < 2 || c.Argv[i][0] != '-' && c.Argv[i][0] != '+' {
				return nil
			}
			word := c.Argv[i]
			switch {
			case strings.HasPrefix(word, "--"):
			case strings.Contains(word, "c"):
				if known(c, i+1) {
					return []string{c.Argv[i+1]}
				}
				return nil
			case strings.ContainsAny(word, "oO"):
				i++
			}
		}
	}
	return nil
}
