package policy

import "strings"

// Reveals reports whether moving from to to could show something that is
// hidden where it is now. Name patterns hide it wherever it is; an exact entry
// reveals when its new place is visible; any other pattern that could reach
// below from does.
func (p *Profile) Reveals(from, to string) bool {
	if p == nil {
		return false
	}
	if p.base.Reveals(from, to) {
		return true
	}
	for i := range p.hides {
		h := &p.hides[i]
		switch h.kind {
		case exactPath:
			if h.within(from) && !p.Hidden(to+strings.TrimPrefix(h.text, from)) {
				return true
			}
		case wholePath:
			if h.reaches(from) {
				return true
			}
		case nameOnly:
			// One written under a mount stops hiding outside it, but a
			// rename never leaves its mount.
		}
	}
	return false
}

// FileRules reports whether any rule could refuse a file.
func (p *Profile) FileRules() bool { return p != nil && (p.index.paths || p.base.FileRules()) }

// Extent tells how much of the tree a use of a path takes in.
type Extent int

// The extents: the path itself; all that is below it as well, as when a
// directory is removed; the same, and it will be elsewhere afterwards.
const (
	Itself Extent = iota
	Below
	Moved
)

// File judges the use of one file: by a command, which the rules for that
// command bind too, or by a front end itself (c is nil).
func (p *Profile) File(c *Command, path string, extent Extent) Answer {
	if !p.FileRules() {
		return Answer{}
	}
	return stricter(p.base.File(c, path, extent), p.file(c, path, extent))
}

// file is File by the profile's own entries.
func (p *Profile) file(c *Command, path string, extent Extent) Answer {
	s := subject{word: path, path: path, extent: extent}
	w := winner{rule: -1}
	p.anyAt(&w, s)
	if c != nil && len(c.Argv) > 0 {
		name, _ := programName(c)
		for _, i := range p.named(name, c) {
			if d := p.rules[i].depthAt(s); d >= 0 {
				w.take(p.rules, i, d)
			}
		}
	}
	var b ballot
	b.add(p.rules, w, path)
	return b.answer(p.rules)
}
