package policy

import "strings"

// entryRef is a path entry of a rule or list.
type entryRef struct {
	rule    int // index of its rule, or of itself in a list
	pattern *pathPattern
	// tail is what a name ends in that the pattern, one over names, matches.
	tail string
}

// matches reports whether a pattern over names matches one.
func (e *entryRef) matches(name string) bool {
	return strings.HasSuffix(name, e.tail) && glob(e.pattern.text, name)
}

// pathIndex finds the entries that cover a path without trying all. Whatever
// an entry matches lies at its anchor or below, so it is kept there, and only
// the directories above a path are looked at.
type pathIndex struct {
	root  *entriesAt            // anchored at "/"
	at    map[string]*entriesAt // at other places
	heads map[string]bool       // the first components of these
}

// entriesAt are the entries of one anchor. Those over names are kept by the
// last byte of a name that they could match.
type entriesAt struct {
	paths  []entryRef
	byLast *[256][]entryRef // nil when there are none over names
	byNone []entryRef       // their pattern ends in a wildcard
}

func (x *pathIndex) add(e entryRef) {
	at := x.root
	if anchor := e.pattern.anchor; anchor != "/" {
		if x.at == nil {
			x.at, x.heads = map[string]*entriesAt{}, map[string]bool{}
		}
		if at = x.at[anchor]; at == nil {
			at = &entriesAt{}
			x.at[anchor] = at
			x.heads[head(anchor)] = true
		}
	} else if at == nil {
		at = &entriesAt{}
		x.root = at
	}
	if e.pattern.kind != nameOnly {
		at.paths = append(at.paths, e)
		return
	}
	if at.byLast == nil {
		at.byLast = &[256][]entryRef{}
	}
	e.tail = e.pattern.text[strings.LastIndexAny(e.pattern.text, wildcards+"]")+1:]
	switch last := e.pattern.text[len(e.pattern.text)-1]; last {
	case '*', '?', ']':
		at.byNone = append(at.byNone, e)
	default:
		at.byLast[last] = append(at.byLast[last], e)
	}
}

// head is the first component of an absolute path.
func head(p string) string {
	p = p[1:]
	if i := strings.IndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return p
}

// covering calls f for each entry that covers p, a clean absolute path; for one
// that does so by several names more than once.
func (x *pathIndex) covering(p string, f func(entryRef)) {
	if p == "" {
		return
	}
	if x.root != nil {
		x.root.covering(p, "/", f)
	}
	if len(x.at) == 0 || !x.heads[head(p)] {
		return
	}
	for dir := p; len(dir) > 1; dir = dir[:strings.LastIndexByte(dir, '/')] {
		if at := x.at[dir]; at != nil {
			at.covering(p, dir, f)
		}
	}
}

// covering calls f for each entry that covers p, which is dir or below it.
func (at *entriesAt) covering(p, dir string, f func(entryRef)) {
	for _, e := range at.paths {
		if e.pattern.covers(p) {
			f(e)
		}
	}
	if at.byLast == nil {
		return
	}
	for rest := p[len(dir):]; rest != ""; {
		name := rest
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			name, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		if name == "" {
			continue
		}
		for _, list := range [2][]entryRef{at.byLast[name[len(name)-1]], at.byNone} {
			for i := range list {
				if list[i].matches(name) {
					f(list[i])
				}
			}
		}
	}
}

// deepest answers the greatest depth of an entry that covers p, -1 for none.
func (x *pathIndex) deepest(p string) int {
	d := -1
	x.covering(p, func(e entryRef) { d = max(d, e.pattern.depth) })
	return d
}

func indexPaths(list []pathPattern) pathIndex {
	var x pathIndex
	for i := range list {
		x.add(entryRef{rule: i, pattern: &list[i]})
	}
	return x
}

// ruleIndex finds the rules that may speak of a command or a file.
type ruleIndex struct {
	heads    map[string][]int // rules that name a command, by its word
	wild     []int            // rules for whatever command word
	any      pathIndex        // paths of the rules that name no command
	anyRules []int
	paths    bool // some rule has paths
}

func indexRules(rules []rule) ruleIndex {
	x := ruleIndex{heads: map[string][]int{}}
	for i := range rules {
		r := &rules[i]
		x.paths = x.paths || len(r.paths) > 0
		switch {
		case r.any:
			x.anyRules = append(x.anyRules, i)
			for j := range r.paths {
				x.any.add(entryRef{rule: i, pattern: &r.paths[j]})
			}
		case len(r.command) == 0 || r.command[0] == "*":
			x.wild = append(x.wild, i)
		default:
			x.heads[r.command[0]] = append(x.heads[r.command[0]], i)
		}
	}
	return x
}

// named answers the rules that may name a command known by two words.
func (x *ruleIndex) named(name, word string) []int {
	list := x.heads[name]
	if word != name && len(x.heads[word]) > 0 {
		list = append(list[:len(list):len(list)], x.heads[word]...)
	}
	if len(x.wild) > 0 {
		list = append(list[:len(list):len(list)], x.wild...)
	}
	return list
}
