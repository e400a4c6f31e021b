package policy

import (
	"context"
	"path"
	"strings"
)

// rulesPolicy is the name under which profile rules speak.
const rulesPolicy = "PermissionsPolicy"

// programDirs hold the programs themselves: a word that leads there is the
// program's name.
var programDirs = []string{"/usr/bin", "/bin"}

// programName answers the name that rules know a command word by, and whether
// it is one that `commands.allow` applies to.
func programName(c *Command) (name string, listed bool) {
	word := c.Argv[0]
	if !strings.Contains(word, "/") {
		return word, c.Kind == KindProgram || c.Kind == KindBuiltin
	}
	if full := resolve(word, c.Cwd); full != "" {
		for _, dir := range programDirs {
			if path.Dir(full) == dir {
				return path.Base(full), true
			}
		}
	}
	return path.Base(word), c.Kind == KindProgram || c.Kind == KindBuiltin
}

// Command implements Judge. It is what the walk before a line, the door, and
// explain all ask. A nil Profile allows everything.
func (p *Profile) Command(_ context.Context, c Command) Answer {
	if p == nil || len(c.Argv) == 0 || c.unknown(0) {
		return Answer{}
	}
	name, listed := programName(&c)
	if p.limited && listed {
		if a := p.allowed(name, &c); a.Outcome != Allow {
			return a
		}
	}
	return p.denied(name, &c)
}

// Visible implements Judge.
func (p *Profile) Visible(word string) bool {
	if p == nil || !p.limited {
		return true
	}
	for _, w := range p.allow {
		if w.head(word) {
			return true
		}
	}
	return false
}

// VarHidden implements Judge.
func (p *Profile) VarHidden(string) bool { return false }

// allowed asks commands.allow: whether the word is a command at all, and
// whether some pattern covers the line.
func (p *Profile) allowed(name string, c *Command) Answer {
	if !p.Visible(name) {
		return Answer{Outcome: Absent}
	}
	for _, w := range p.allow {
		if w.line(name, c) != no {
			return Answer{}
		}
	}
	return Answer{
		Outcome: Deny,
		Reason:  name + " is not allowed",
		Source:  "commands.allow",
		Policy:  rulesPolicy,
		Scope:   ScopeCommand,
	}
}

// denied finds the rule that speaks. Deeper entries win over shallower ones,
// earlier rules over later ones of the same depth.
func (p *Profile) denied(name string, c *Command) Answer {
	if len(p.rules) == 0 {
		return Answer{}
	}
	subs := subjects(name, c)
	best, bestDepth := Answer{}, -1
	for i := range p.rules {
		r := &p.rules[i]
		if !r.any && r.command.line(name, c) != yes && r.command.line(c.Argv[0], c) != yes {
			continue
		}
		if len(r.paths) == 0 {
			if bestDepth < 0 && r.speaks(name, c, subs) {
				best, bestDepth = r.answer(ScopeCommand, ""), 0
			}
			continue
		}
		for _, s := range r.operands(name, c, subs) {
			if d := r.depthAt(s); d > bestDepth {
				best, bestDepth = r.answer(ScopeOperand, s.word), d
			}
		}
	}
	return best
}

// operands answers the subjects of a rule with paths. A rule that names its
// command takes every word of it for a path that could be one; a rule for any
// command only those that are known to be.
func (r *rule) operands(name string, c *Command, subs []subject) []subject {
	if r.any || len(subs) > 0 {
		return subs
	}
	if _, known := operandRules[name]; known {
		return nil
	}
	var list []subject
	for i, w := range c.Argv {
		if i == 0 || i < len(c.Unknown) && c.Unknown[i] || strings.HasPrefix(w, "-") {
			continue
		}
		if p := resolve(w, c.Cwd); p != "" {
			list = append(list, subject{word: w, path: p})
		}
	}
	return list
}

// speaks reports whether a whole-line rule applies: always at the top; under
// a mount when the line works inside it.
func (r *rule) speaks(name string, c *Command, subs []subject) bool {
	if r.mount == "" || c.Cwd != "" && below(c.Cwd, r.mount) {
		return true
	}
	walking := walks(name, c)
	for i, w := range c.Argv {
		if i == 0 || i < len(c.Unknown) && c.Unknown[i] {
			continue
		}
		p := resolve(w, c.Cwd)
		if p == "" {
			continue
		}
		if strings.Contains(w, "/") && below(p, r.mount) || walking && below(r.mount, p) {
			return true
		}
	}
	for _, s := range subs {
		if below(s.path, r.mount) {
			return true
		}
	}
	// A walk without an operand starts where the line stands.
	return walking && c.Cwd != "" && below(r.mount, c.Cwd)
}

// depthAt answers the depth of the deepest entry that matches a subject, -1
// when none does.
func (r *rule) depthAt(s subject) int {
	d := -1
	for i := range r.paths {
		e := &r.paths[i]
		hit := e.covers(s.path) ||
			s.tree && e.within(s.path) ||
			s.dest && e.kind == wholePath && e.anchor == s.path
		if hit && e.depth > d {
			d = e.depth
		}
	}
	return d
}

func (r *rule) answer(scope Scope, operand string) Answer {
	return Answer{
		Outcome: Deny,
		Reason:  r.reason,
		Source:  r.source,
		Policy:  rulesPolicy,
		Scope:   scope,
		Operand: operand,
	}
}
