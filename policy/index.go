package policy

import "path"

// entryRef is a path entry of a rule or list.
type entryRef struct {
	rule    int // index of its rule, or of itself in a list
	pattern *pathPattern
}

// pathIndex finds the entries that cover a path without trying all. Whatever
// an entry matches lies at its anchor or below, so it is kept there, and only
// the directories above a path are looked at.
type pathIndex struct{ at map[string][]entryRef }

func (x *pathIndex) add(e entryRef) {
	if x.at == nil {
		x.at = map[string][]entryRef{}
	}
	x.at[e.pattern.anchor] = append(x.at[e.pattern.anchor], e)
}

// covering calls f for each entry that covers p, a clean absolute path.
func (x *pathIndex) covering(p string, f func(entryRef)) {
	if len(x.at) == 0 {
		return
	}
	for dir := p; ; dir = path.Dir(dir) {
		for _, e := range x.at[dir] {
			if e.pattern.covers(p) {
				f(e)
			}
		}
		if dir == "/" || dir == "." {
			return
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
		x.add(entryRef{i, &list[i]})
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
				x.any.add(entryRef{i, &r.paths[j]})
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
