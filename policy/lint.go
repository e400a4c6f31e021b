package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Finding is something about a profile that its author may not have meant.
type Finding struct {
	// Hole tells that what looks forbidden can be reached in another way;
	// else an entry has no effect.
	Hole bool
	At   string // place in the document: profiles.x.commands.deny[0]
	Text string
}

// Lint looks for entries that never speak, and for holes. It knows rules only:
// what a line computes, it cannot tell.
func (p *Profile) Lint() []Finding {
	if p == nil {
		return nil
	}
	var l linter
	for i := range p.rules {
		l.rule(p, i)
	}
	l.visible(p)
	return l.list
}

type linter struct{ list []Finding }

func (l *linter) dead(at, format string, args ...any) {
	l.list = append(l.list, Finding{At: at, Text: fmt.Sprintf(format, args...)})
}

func (l *linter) hole(at, format string, args ...any) {
	l.list = append(l.list, Finding{Hole: true, At: at, Text: fmt.Sprintf(format, args...)})
}

func (l *linter) rule(p *Profile, i int) {
	r := &p.rules[i]
	if p.limited && !r.any && len(r.command) > 0 && r.command[0] != "*" && !p.Visible(r.command[0]) {
		l.dead(r.at, "never matches: '%s' is not in commands.allow", r.command[0])
		return
	}
	for j := range p.rules {
		if j != i && p.rules[j].silences(r, j < i) {
			l.dead(r.at, "never matches: %s speaks first", p.rules[j].at)
			return
		}
	}
	switch {
	case r.any || r.verb == Ask:
	case len(r.paths) > 0:
		if !p.deniesElsewhere(r) {
			l.hole(r.at, "binds '%s' alone: other commands, SFTP and HTTP still reach %s", strings.Join(r.command, " "), r.paths[0].text)
		}
	case len(r.command) == 1 && others[r.command[0]] != nil:
		if left := p.left(others[r.command[0]]); len(left) > 0 {
			l.hole(r.at, "'%s' is denied, but %s can do the same, and so do SFTP and HTTP; deny the paths, or make the mount read-only",
				r.command[0], strings.Join(left, ", "))
		}
	}
}

// silences reports whether a rule speaks wherever another one would, and wins.
func (r *rule) silences(o *rule, earlier bool) bool {
	wins := r.verb == Deny && o.verb == Ask || r.verb == o.verb && earlier
	if !wins || r.mount != "" && r.mount != o.mount {
		return false
	}
	if !r.any && (o.any || !slices.Equal(o.command[:min(len(o.command), len(r.command))], r.command)) {
		return false
	}
	if r.any && len(o.paths) == 0 {
		return false
	}
	if len(r.paths) == 0 {
		return len(o.paths) == 0
	}
	for i := range o.paths {
		if !slices.ContainsFunc(r.paths, func(e pathPattern) bool { return e.text == o.paths[i].text && e.root == o.paths[i].root }) {
			return false
		}
	}
	return len(o.paths) > 0
}

// deniesElsewhere reports whether the paths of a rule are out of reach for
// other commands as well.
func (p *Profile) deniesElsewhere(r *rule) bool {
	for i := range r.paths {
		e := &r.paths[i]
		covered := p.Hidden(e.anchor) && e.kind == exactPath
		for _, j := range p.index.anyRules {
			covered = covered || slices.ContainsFunc(p.rules[j].paths, func(o pathPattern) bool { return o.text == e.text || o.covers(e.text) })
		}
		if !covered {
			return false
		}
	}
	return true
}

// others lists, for a command that people deny, what does the same.
var others = map[string][]string{
	"rm":    {"unlink", "find", "mv", "truncate"},
	"cat":   {"head", "tail", "sed", "awk", "grep", "cp", "tac", "base64"},
	"mv":    {"cp", "rename"},
	"cp":    {"mv", "cat", "tar", "tee"},
	"tee":   {"cp", "sed", "awk"},
	"chmod": {"install"},
	"curl":  {"wget"},
	"wget":  {"curl"},
}

// left answers those of some commands that the profile lets run.
func (p *Profile) left(names []string) []string {
	var list []string
	for _, name := range names {
		if a := p.command(context.Background(), Command{Argv: []string{name}}, p); a.Outcome == Allow {
			list = append(list, name)
		}
	}
	return list
}

// visible looks at hides and shows.
func (l *linter) visible(p *Profile) {
	for i := range p.hides {
		h := &p.hides[i]
		for j := range p.hides {
			if o := &p.hides[j]; i != j && o.covers(h.text) && h.kind == exactPath && o.kind == exactPath && (o.text != h.text || j < i) && !p.showBetween(o, h) {
				l.dead(p.hideAt(i), "has no effect: '%s' is hidden already by '%s'", h.text, o.text)
				break
			}
		}
	}
	for i := range p.shows {
		s := &p.shows[i]
		reopens := slices.ContainsFunc(p.hides, func(h pathPattern) bool {
			return h.depth < s.pattern.depth && (h.covers(s.pattern.anchor) || h.kind != exactPath && h.reaches(s.pattern.anchor))
		})
		switch d := p.hidden.deepest(s.pattern.anchor); {
		case d >= s.pattern.depth:
			l.dead(s.at, "has no effect: a hide of the same depth or deeper wins")
		case !reopens && !s.hasMode:
			l.dead(s.at, "has no effect: nothing there is hidden")
		}
	}
}

// showBetween reports whether something reopens a hide above another one.
func (p *Profile) showBetween(outer, inner *pathPattern) bool {
	return slices.ContainsFunc(p.shows, func(s show) bool {
		return s.pattern.depth > outer.depth && s.pattern.depth < inner.depth && below(inner.text, s.pattern.anchor)
	})
}

func (p *Profile) hideAt(i int) string {
	if i < len(p.hideAts) {
		return p.hideAts[i]
	}
	return "paths.hide"
}
