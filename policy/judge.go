package policy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
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
func (p *Profile) Command(ctx context.Context, c Command) Answer {
	if p == nil || len(c.Argv) == 0 || c.unknown(0) {
		return Answer{}
	}
	return p.judge(ctx, c, p)
}

// judge is Command for a layer of top, whose hides count for all layers.
func (p *Profile) judge(ctx context.Context, c Command, top *Profile) Answer {
	switch {
	case p == nil:
		return Answer{}
	case p.base == nil:
		return p.command(ctx, c, top)
	}
	return stricter(p.base.judge(ctx, c, top), p.command(ctx, c, top))
}

// command is Command by the profile's own entries.
func (p *Profile) command(ctx context.Context, c Command, top *Profile) Answer {
	name, listed := programName(&c)
	if p.limited && listed {
		if a := p.allowed(name, &c); a.Outcome != Allow {
			return a
		}
	}
	if a := p.tripwires.command(ctx, &c); a.Outcome != Allow {
		return a
	}
	return p.ruled(name, &c, top)
}

// Visible implements Judge.
func (p *Profile) Visible(word string) bool {
	if p == nil {
		return true
	}
	if !p.limited {
		return p.base.Visible(word)
	}
	for _, w := range p.allow {
		if w.head(word) {
			return true
		}
	}
	return false
}

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

// ruled finds the rules that speak. At each subject the deepest entry wins,
// then a denial over an ask, then the earlier rule; rules without paths count
// as depth 0 everywhere. Over all subjects a denial refuses, and every ask that
// won somewhere has to be answered. A path that is hidden is like one that is
// not there, whatever rules speak of it.
func (p *Profile) ruled(name string, c *Command, top *Profile) Answer {
	if len(p.rules) == 0 {
		return Answer{}
	}
	named := p.named(name, c)
	if len(named) == 0 && len(c.Argv) == 1 {
		return Answer{} // no rule names it, and it names no path
	}
	subs, known := subjects(name, c)
	var lines, paths []int
	for _, i := range named {
		switch r := &p.rules[i]; {
		case len(r.paths) > 0:
			paths = append(paths, i)
		case r.speaks(name, c, subs):
			lines = append(lines, i)
		}
	}
	if !known && len(paths) > 0 {
		subs = everyWord(c)
	}
	if len(subs) == 0 {
		subs = []subject{{}} // the line is one subject
	}
	var b ballot
	for _, s := range subs {
		w := winner{rule: -1}
		for _, i := range lines {
			w.take(p.rules, i, 0)
		}
		if s.path != "" && !top.Hidden(s.path) {
			for _, i := range paths {
				if d := p.rules[i].depthAt(s); d >= 0 {
					w.take(p.rules, i, d)
				}
			}
			if known {
				p.anyAt(&w, s)
			}
		}
		b.add(p.rules, w, s.word)
	}
	return b.answer(p.rules)
}

// named answers the rules that name the command, in their order.
func (p *Profile) named(name string, c *Command) []int {
	var list []int
	for _, i := range p.index.named(name, c.Argv[0]) {
		r := &p.rules[i]
		if r.command.line(name, c) == yes || r.command.line(c.Argv[0], c) == yes {
			list = append(list, i)
		}
	}
	return list
}

// anyAt lets the rules for any command speak about a subject.
func (p *Profile) anyAt(w *winner, s subject) {
	p.index.any.covering(s.path, func(e entryRef) { w.take(p.rules, e.rule, e.pattern.depth) })
	if s.extent == Itself && !s.dest {
		return
	}
	for _, i := range p.index.anyRules {
		if d := p.rules[i].depthAt(s); d >= 0 {
			w.take(p.rules, i, d)
		}
	}
}

// everyWord takes every word of a command for a path that could be one:
// for rules that name a command whose operands nobody told us.
func everyWord(c *Command) []subject {
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

// winner is the rule that speaks at one subject; rule is -1 for none.
type winner struct{ rule, depth int }

func (w *winner) take(rules []rule, i, depth int) {
	switch {
	case w.rule < 0, depth > w.depth:
	case depth < w.depth:
		return
	case rules[i].verb != rules[w.rule].verb:
		if rules[i].verb != Deny {
			return
		}
	case i >= w.rule:
		return
	}
	*w = winner{i, depth}
}

// ballot collects the winners of a command.
type ballot struct {
	deny    winner
	denied  bool
	operand string // of deny
	asks    []askWon
}

type askWon struct {
	winner
	operand string
}

func (b *ballot) add(rules []rule, w winner, operand string) {
	switch {
	case w.rule < 0:
	case rules[w.rule].verb == Deny:
		if !b.denied || w.depth > b.deny.depth {
			b.deny, b.denied, b.operand = w, true, operand
		}
	case !slices.ContainsFunc(b.asks, func(a askWon) bool { return a.rule == w.rule }):
		b.asks = append(b.asks, askWon{w, operand})
	}
}

func (b *ballot) answer(rules []rule) Answer {
	switch {
	case b.denied:
		return rules[b.deny.rule].answer(b.operand)
	case len(b.asks) == 0:
		return Answer{}
	}
	slices.SortStableFunc(b.asks, func(x, y askWon) int { return y.depth - x.depth })
	a := rules[b.asks[0].rule].answer(b.asks[0].operand)
	for _, won := range b.asks {
		q := rules[won.rule].answer(won.operand)
		a.Asks = append(a.Asks, Question{
			Rule: rules[won.rule].id, Reason: q.Reason, Source: q.Source, Policy: q.Policy, Scope: q.Scope, Operand: q.Operand,
		})
	}
	return a
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
			s.extent != Itself && e.within(s.path) ||
			s.extent == Moved && e.holds(s.path) ||
			s.dest && e.kind == wholePath && e.anchor == s.path
		if hit && e.depth > d {
			d = e.depth
		}
	}
	return d
}

// answer is what the rule says, about an operand where it has paths.
func (r *rule) answer(operand string) Answer {
	a := Answer{Outcome: r.verb, Reason: r.reason, Source: r.source, Policy: rulesPolicy, Scope: ScopeCommand}
	if len(r.paths) > 0 {
		a.Scope, a.Operand = ScopeOperand, operand
	}
	return a
}

// identity answers what Question.Rule says of the rule: a digest of its text.
func (r *rule) identity() string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\x00%s\x00%s\x00%t\x00%q", r.verb, r.source, r.reason, r.any, []string(r.command))
	for i := range r.paths {
		fmt.Fprintf(h, "\x00%s\x00%s", r.paths[i].root, r.paths[i].text)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
