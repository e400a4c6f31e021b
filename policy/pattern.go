package policy

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// words is a command pattern: words that a line must begin with. "*" stands
// for exactly one word. No words match every line.
type words []string

// parseWords splits a command pattern; trailing stars say nothing and go.
func parseWords(text string) words {
	w := strings.Fields(text)
	for len(w) > 0 && w[len(w)-1] == "*" {
		w = w[:len(w)-1]
	}
	return w
}

// match is what can be said of a pattern before every word is known.
type match int

const (
	no match = iota
	maybe
	yes
)

// line compares the pattern with a command. name stands for Argv[0].
func (w words) line(name string, c *Command) match {
	for i, pattern := range w {
		// A word that only expansion can tell may become any number of
		// words, so nothing after it has a place yet.
		if i < len(c.Argv) && c.unknown(i) {
			return maybe
		}
		if i >= len(c.Argv) {
			return no
		}
		word := c.Argv[i]
		if i == 0 {
			word = name
		}
		if pattern != "*" && pattern != word {
			return no
		}
	}
	return yes
}

// head reports whether the pattern could match some line of the command word.
func (w words) head(word string) bool {
	return len(w) == 0 || w[0] == "*" || w[0] == word
}

// pathPattern is an entry of a rule or a hide: an exact path with all below
// it, a glob over whole paths, or a glob over single names.
type pathPattern struct {
	text  string // clean
	kind  patternKind
	root  string // where a name pattern applies; "/" or a mount
	depth int    // literal components before the first wildcard
	// anchor is the directory that these literal components name; of an
	// exact path, the path itself.
	anchor string
	// literal is what every matching path begins with.
	literal string
}

type patternKind int

const (
	exactPath patternKind = iota
	wholePath
	nameOnly
)

const wildcards = "*?["

// parsePath makes a pattern of an entry that is absolute or has no slash.
// root is the mount that it was written under, "/" at the top.
func parsePath(text, root string) pathPattern {
	if !strings.Contains(text, "/") {
		return pathPattern{text: text, kind: nameOnly, root: root, depth: depth(root), anchor: root}
	}
	text = path.Clean(text)
	p := pathPattern{text: text, root: "/", anchor: text, literal: text, depth: depth(text)}
	i := strings.IndexAny(text, wildcards)
	if i < 0 {
		return p
	}
	p.kind = wholePath
	p.literal = text[:i]
	p.anchor = text[:strings.LastIndexByte(text[:i], '/')]
	if p.anchor == "" {
		p.anchor = "/"
	}
	p.depth = depth(p.anchor)
	return p
}

// depth counts the components of a clean absolute path.
func depth(p string) int {
	if p == "/" {
		return 0
	}
	return strings.Count(p, "/")
}

// below reports whether p is dir or under it.
func below(p, dir string) bool {
	return dir == "/" || p == dir || (len(p) > len(dir) && p[len(dir)] == '/' && p[:len(dir)] == dir)
}

// covers reports whether the pattern matches p, a clean absolute path, or a
// directory above it.
func (pp *pathPattern) covers(p string) bool {
	switch pp.kind {
	case exactPath:
		return below(p, pp.text)
	case nameOnly:
		if !below(p, pp.root) {
			return false
		}
		rest := p[len(pp.root):]
		for len(rest) > 0 {
			rest = strings.TrimPrefix(rest, "/")
			name := rest
			if i := strings.IndexByte(rest, '/'); i >= 0 {
				name = rest[:i]
			}
			if name != "" && glob(pp.text, name) {
				return true
			}
			rest = rest[len(name):]
		}
		return false
	}
	if !strings.HasPrefix(p, pp.literal) {
		return false
	}
	for p != "/" && len(p) >= len(pp.literal) {
		if glob(pp.text, p) {
			return true
		}
		p = path.Dir(p)
	}
	return false
}

// within reports whether the pattern could match something in the tree below
// dir (dir itself not counted): whether its anchor is dir or lies below it.
func (pp *pathPattern) within(dir string) bool {
	if pp.kind == exactPath {
		return pp.text != dir && below(pp.text, dir)
	}
	return pp.depth > 0 && below(pp.anchor, dir)
}

// holds reports whether dir may be on the way to a match, though only by the
// wildcards of the pattern: /a/b of /a/*/c. Below a directory of another name
// the same files would not match any more.
func (pp *pathPattern) holds(dir string) bool {
	if pp.kind != wholePath || dir == "/" {
		return false
	}
	pattern, names := strings.Split(pp.text[1:], "/"), strings.Split(dir[1:], "/")
	if len(names) >= len(pattern) {
		return false
	}
	for i, name := range names {
		if !glob(pattern[i], name) {
			return false
		}
	}
	return true
}

// reaches reports whether the pattern could match anything below dir, also
// with wildcards that stand for dir itself.
func (pp *pathPattern) reaches(dir string) bool {
	return below(pp.anchor, dir) || below(dir, pp.anchor)
}

// glob matches a whole name as Python's fnmatchcase does, with [^...] beside
// [!...]: "*" and "?" match any character, "/" too, and no character is
// special at the beginning.
func glob(pattern, name string) bool {
	// star and mark are where to go on when a later part does not match.
	star, mark := -1, 0
	p, n := 0, 0
	for n < len(name) {
		if p < len(pattern) {
			if pattern[p] == '*' {
				star, mark = p, n
				p++
				continue
			}
			if np, nn, ok := one(pattern, p, name, n); ok {
				p, n = np, nn
				continue
			}
		}
		if star < 0 {
			return false
		}
		_, size := utf8.DecodeRuneInString(name[mark:])
		mark += size
		p, n = star+1, mark
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// one matches one character of name against one element of the pattern and
// answers where both go on.
func one(pattern string, p int, name string, n int) (np, nn int, ok bool) {
	r, size := utf8.DecodeRuneInString(name[n:])
	switch pattern[p] {
	case '?':
		return p + 1, n + size, true
	case '[':
		if end, ok, closed := class(pattern, p, r); closed {
			return end, n + size, ok
		}
	}
	return p + 1, n + 1, pattern[p] == name[n]
}

// class matches a bracket expression that starts at p. It is closed only if
// there is a "]"; one right at the beginning is a member.
func class(pattern string, p int, r rune) (end int, ok, closed bool) {
	i := p + 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	if i >= len(pattern) {
		return 0, false, false
	}
	stop := strings.IndexByte(pattern[i+1:], ']')
	if stop < 0 {
		return 0, false, false
	}
	stop += i + 1
	set := []rune(pattern[i:stop])
	for j := 0; j < len(set); j++ {
		if j+2 < len(set) && set[j+1] == '-' {
			ok = ok || (set[j] <= r && r <= set[j+2])
			j += 2
			continue
		}
		ok = ok || set[j] == r
	}
	return stop + 1, ok != negated, true
}

// resolve joins a word to a working directory without following links; ""
// when it cannot be told.
func resolve(word, cwd string) string {
	if word == "" {
		return ""
	}
	if word[0] == '/' {
		return path.Clean(word)
	}
	if cwd == "" {
		return ""
	}
	return path.Clean(cwd + "/" + word)
}

// unknown reports whether word i, or its place, is not known yet.
func (c *Command) unknown(i int) bool {
	if i < len(c.Unknown) {
		return slices.Contains(c.Unknown[:i+1], true)
	}
	return slices.Contains(c.Unknown, true)
}
