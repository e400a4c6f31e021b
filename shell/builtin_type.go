package shell

import (
	"sort"
	"strings"
)

// describeOptions say how type and command -v describe a word.
type describeOptions struct {
	name    string
	verbose bool // sentences, as type and command -V
	kind    bool // type -t
	path    bool // type -p
	force   bool // type -P
	all     bool // type -a
	noFunc  bool // type -f
	reuse   bool // words that can be typed again, as command -v
}

func builtinType(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "afptP")
	if !ok {
		return 2
	}
	return e.describe(rest, describeOptions{
		name: "type", verbose: !f.on['t'] && !f.on['p'] && !f.on['P'], kind: f.on['t'] && !f.on['P'],
		path: f.on['p'], force: f.on['P'], all: f.on['a'], noFunc: f.on['f'],
	})
}

// describe tells for each word what it would run.
func (e *Executor) describe(words []string, o describeOptions) int {
	status, found := 0, false
	var b strings.Builder
	for _, w := range words {
		if text, ok := e.describeOne(w, o); ok {
			b.WriteString(text)
			found = true
			continue
		}
		status = 1
		if o.verbose {
			if b.Len() > 0 {
				e.write(o.name, []byte(b.String()))
				b.Reset()
			}
			e.errorf("%s: %s: not found", o.name, w)
		}
	}
	if found && o.name == "command" {
		status = 0
	}
	if b.Len() > 0 && !e.write(o.name, []byte(b.String())) {
		return 1
	}
	return status
}

// describeOne answers the description of a word; found is false when it is no
// command.
func (e *Executor) describeOne(w string, o describeOptions) (text string, found bool) {
	var b strings.Builder
	add := func(kind, sentence, again string) bool {
		found = true
		switch {
		case o.kind:
			b.WriteString(kind + "\n")
		case o.path || o.force:
			if kind == "file" {
				b.WriteString(again + "\n")
			} else if !o.all {
				return true
			}
		case o.verbose:
			b.WriteString(sentence + "\n")
		default:
			b.WriteString(again + "\n")
		}
		return !o.all
	}
	if !o.force {
		if v, set := e.aliases[w]; set && (e.shopts[shoptExpandAliases] || o.kind || o.verbose && e.interactive) && e.shopts[shoptExpandAliases] {
			if add("alias", w+" is aliased to `"+v+"'", "alias "+w+"="+shellQuote(v)) {
				return b.String(), true
			}
		}
		if isKeyword(w) {
			if add("keyword", w+" is a shell keyword", w) {
				return b.String(), true
			}
		}
		if fn := e.funcs[w]; fn != nil && !o.noFunc && e.visible(w) {
			if add("function", w+" is a function\n"+e.functionSource(fn), w) {
				return b.String(), true
			}
		}
		if e.findBuiltin(w) != nil && e.visible(w) {
			special := ""
			if e.opts[optPosix] && isSpecialBuiltin(w) {
				special = "special "
			}
			if add("builtin", w+" is a "+special+"shell builtin", w) {
				return b.String(), true
			}
		}
	}
	if strings.Contains(w, "/") {
		c := call{args: []string{w}}
		e.resolvePath(&c, w)
		if c.missing == nil {
			add("file", w+" is "+w, w)
		}
		return b.String(), found
	}
	if h, ok := e.hash[w]; ok && !o.all && e.opts[optHashall] {
		add("file", w+" is hashed ("+h.path+")", h.path)
		return b.String(), found
	}
	paths := e.findAllInPath(w)
	if !o.all {
		paths = nil
		if p := e.findInPath(w); p != "" {
			paths = []string{p}
		}
	}
	for _, p := range paths {
		if !strings.HasPrefix(p, "/") && o.reuse {
			p = e.abs(p)
		}
		add("file", w+" is "+p, p)
	}
	return b.String(), found
}

// visible reports whether the session's rules let a word be a command.
func (e *Executor) visible(word string) bool {
	return e.cfg.Judge == nil || e.cfg.Judge.Visible(word) || e.funcs[word] != nil
}

func builtinHash(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "lrp:dt")
	if !ok {
		return 2
	}
	if !e.opts[optHashall] {
		e.errorf("hash: hashing disabled")
		return 1
	}
	e.own()
	if e.hash == nil {
		e.hash = map[string]hashed{}
	}
	switch {
	case f.on['r']:
		clear(e.hash)
		if len(rest) == 0 {
			return 0
		}
	case len(rest) == 0:
		return e.listHash(f.on['l'])
	}
	status := 0
	for _, n := range rest {
		switch {
		case f.on['p']:
			e.hash[n] = hashed{path: f.arg['p']}
		case f.on['d']:
			if _, ok := e.hash[n]; !ok {
				e.errorf("hash: %s: not found", n)
				status = 1
			}
			delete(e.hash, n)
		case f.on['t']:
			h, ok := e.hash[n]
			if !ok {
				e.errorf("hash: %s: not found", n)
				status = 1
				continue
			}
			switch {
			case f.on['l']:
				e.write("hash", []byte("builtin hash -p "+h.path+" "+n+"\n"))
			case len(rest) > 1:
				e.write("hash", []byte(n+"\t"+h.path+"\n"))
			default:
				e.write("hash", []byte(h.path+"\n"))
			}
		case strings.Contains(n, "/"), e.funcs[n] != nil, e.findBuiltin(n) != nil:
		default:
			path := e.findInPath(n)
			if path == "" {
				e.errorf("hash: %s: not found", n)
				status = 1
				continue
			}
			e.hash[n] = hashed{path: path}
		}
	}
	return status
}

func (e *Executor) listHash(reuse bool) int {
	if len(e.hash) == 0 {
		if !reuse {
			e.write("hash", []byte("hash: hash table empty\n"))
		}
		return 0
	}
	names := make([]string, 0, len(e.hash))
	for n := range e.hash {
		names = append(names, n)
	}
	sort.Strings(names)
	var b strings.Builder
	if !reuse {
		b.WriteString("hits\tcommand\n")
	}
	for _, n := range names {
		h := e.hash[n]
		if reuse {
			b.WriteString("builtin hash -p " + h.path + " " + n + "\n")
		} else {
			b.WriteString(padLeft(itoa(h.hits), 4) + "\t" + h.path + "\n")
		}
	}
	e.write("hash", []byte(b.String()))
	return 0
}
