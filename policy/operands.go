package policy

import (
	"slices"
	"strings"
)

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
	var named []subject // by options: they come after the operands
	addNamed := func(word string) {
		if p := resolve(word, c.Cwd); p != "" {
			named = append(named, subject{word: word, path: p, dest: name == "mv"})
		}
	}
	options, next, skip := true, noValue, rule.skip
	for i, w := range c.Argv {
		if i == 0 {
			continue
		}
		known := i >= len(c.Unknown) || !c.Unknown[i]
		if next != noValue {
			if known && next == fileNext {
				addNamed(w)
			}
			next = noValue
			continue
		}
		if !known {
			// It may be the operand to skip, or an option before it.
			list = append(list, subject{})
			continue
		}
		switch {
		case options && w == "--":
			options = false
		case options && len(w) > 1 && w[0] == '-':
			if gives(name, w, rule.unless) {
				skip = 0
			}
			v, file := option(name, w)
			if file != "" {
				addNamed(file)
			}
			if v == fileNext || v == otherNext {
				next = v
			}
		default:
			options = options && !optionRules[name].ordered
			list = append(list, subject{word: w, path: resolve(w, c.Cwd), extent: rule.takes})
		}
	}
	list = slices.DeleteFunc(list[min(skip, len(list)):], func(s subject) bool { return s.path == "" })
	if name == "mv" && len(list) > 1 && !hasFlag(c, "t", "--target-directory") && !anyUnknown(c) {
		last := &list[len(list)-1]
		last.extent, last.dest = Itself, true
	}
	return append(list, named...), true
}

func anyUnknown(c *Command) bool { return len(c.Argv) > 0 && c.unknown(len(c.Argv)-1) }
