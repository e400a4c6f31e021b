package policy

import "strings"

// operandRule tells which words of a command are paths. The table only has to
// be right about what it lists: a path that it does not know is still refused
// by the file tree when the command opens it, only later and by itself.
type operandRule struct {
	// skip is how many leading operands are something else (a pattern, a
	// mode), unless an option in unless gives it.
	skip   int
	unless []string
	// takes is what the command does to directories.
	takes Extent
}

// operandRules lists the commands whose operands are files that they read or
// change. Commands that only look at metadata (stat, ls, test, find) are not
// here: a denied path is listed, it only cannot be used.
var operandRules = func() map[string]operandRule {
	rules := map[string]operandRule{
		"rm":    {takes: Below},
		"rmdir": {takes: Below},
		"mv":    {takes: Below},
		"chmod": {skip: 1, unless: []string{"--reference"}},
		"chown": {skip: 1, unless: []string{"--reference"}},
		"chgrp": {skip: 1, unless: []string{"--reference"}},
		"grep":  {skip: 1, unless: []string{"-e", "-f", "--regexp", "--file"}},
		"egrep": {skip: 1, unless: []string{"-e", "-f", "--regexp", "--file"}},
		"fgrep": {skip: 1, unless: []string{"-e", "-f", "--regexp", "--file"}},
		"zgrep": {skip: 1, unless: []string{"-e", "-f", "--regexp", "--file"}},
		"rg":    {skip: 1, unless: []string{"-e", "-f", "--regexp", "--file", "--files"}},
		"sed":   {skip: 1, unless: []string{"-e", "-f", "--expression", "--file"}},
		"awk":   {skip: 1, unless: []string{"-f", "--file"}},
		"jq":    {skip: 1, unless: []string{"-f", "--from-file"}},
	}
	for _, name := range strings.Fields(`
		. base64 cat cmp comm cp csplit cut diff expand file fmt fold
		gunzip gzip head iconv install join ln look md5 md5sum mkdir nl od
		paste patch rev sha1sum sha224sum sha256sum sha384sum sha512sum shred
		shuf sort source split strings sum tac tail tee touch truncate tsort
		unexpand uniq unlink wc xxd zcat`) {
		rules[name] = operandRule{}
	}
	return rules
}()

// walkers visit a whole tree, so that rules written under a mount below it
// speak to them.
func walks(name string, c *Command) bool {
	switch name {
	case "find", "du", "tree", "rg":
		return true
	case "grep", "egrep", "fgrep":
		return hasFlag(c, "rR", "--recursive", "--dereference-recursive")
	case "ls":
		return hasFlag(c, "R", "--recursive")
	}
	return false
}

// hasFlag looks for a short option in any cluster, or a long one.
func hasFlag(c *Command, short string, long ...string) bool {
	for _, w := range c.Argv[1:] {
		if w == "--" {
			return false
		}
		if strings.HasPrefix(w, "--") {
			for _, l := range long {
				if w == l || strings.HasPrefix(w, l+"=") {
					return true
				}
			}
		} else if len(w) > 1 && w[0] == '-' && strings.ContainsAny(w[1:], short) {
			return true
		}
	}
	return false
}

// subject is a path that a command names.
type subject struct {
	word   string // as typed
	path   string // absolute
	extent Extent // what the command takes along
	dest   bool   // the destination of mv
}

// subjects answers the paths that can be seen among a command's words; known
// is false when nobody told us which words of the command are paths.
func subjects(name string, c *Command) (list []subject, known bool) {
	rule, ok := operandRules[name]
	if !ok || c.Kind == KindFunction || c.Kind == KindPath {
		return nil, false
	}
	skip := rule.skip
	for _, w := range c.Argv[1:] {
		for _, u := range rule.unless {
			if w == u || strings.HasPrefix(u, "--") && strings.HasPrefix(w, u+"=") ||
				!strings.HasPrefix(u, "--") && strings.HasPrefix(w, u) {
				skip = 0
			}
		}
	}
	options := true
	for i, w := range c.Argv {
		if i == 0 {
			continue
		}
		if i < len(c.Unknown) && c.Unknown[i] {
			// It may be the operand to skip, or an option before it.
			if skip > 0 {
				skip--
			}
			continue
		}
		switch {
		case options && w == "--":
			options = false
		case options && len(w) > 1 && w[0] == '-':
			if _, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(value, "/") {
				list = append(list, subject{word: value, path: resolve(value, c.Cwd)})
			}
		case skip > 0:
			skip--
		default:
			if p := resolve(w, c.Cwd); p != "" {
				list = append(list, subject{word: w, path: p, extent: rule.takes})
			}
		}
	}
	if name == "mv" && len(list) > 1 && !hasFlag(c, "t", "--target-directory") && !anyUnknown(c) {
		last := &list[len(list)-1]
		last.extent, last.dest = Itself, true
	}
	return list, true
}

func anyUnknown(c *Command) bool { return len(c.Argv) > 0 && c.unknown(len(c.Argv)-1) }
