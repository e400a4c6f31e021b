package policy

import "strings"

// Hides reports whether anything is hidden at all.
func (p *Profile) Hides() bool { return p != nil && len(p.hides) > 0 }

// Hidden reports whether a path (absolute, clean) does not exist for the
// session: some entry of paths.hide covers it or a directory above it.
func (p *Profile) Hidden(path string) bool {
	if p == nil {
		return false
	}
	for i := range p.hides {
		if p.hides[i].covers(path) {
			return true
		}
	}
	return false
}

// Reveals reports whether moving from to to could show something that is
// hidden where it is now. Name patterns hide it wherever it is; an exact entry
// reveals when its new place is visible; any other pattern that could reach
// below from does.
func (p *Profile) Reveals(from, to string) bool {
	if p == nil {
		return false
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
func (p *Profile) FileRules() bool { return p != nil && p.anyFile }

// File judges the use of one file: by a command, which the rules for that
// command bind too, or by a front end itself (c is nil). tree asks for
// everything below path as well, as removing or moving a directory does.
func (p *Profile) File(c *Command, path string, tree bool) Answer {
	if !p.FileRules() {
		return Answer{}
	}
	name := ""
	if c != nil && len(c.Argv) > 0 {
		name, _ = programName(c)
	}
	best, bestDepth := Answer{}, -1
	for i := range p.rules {
		r := &p.rules[i]
		if len(r.paths) == 0 {
			continue
		}
		if !r.any && (name == "" || r.command.line(name, c) != yes && r.command.line(c.Argv[0], c) != yes) {
			continue
		}
		if d := r.depthAt(subject{path: path, tree: tree}); d > bestDepth {
			best, bestDepth = r.answer(ScopeOperand, path), d
		}
	}
	return best
}
