package policy

// Operand is a path that a command names.
type Operand struct {
	Text string // as typed
	Path string // absolute
	// Matched tells that an entry of a rule for the command covers the path.
	// Hides do not count: a hidden path is like one that nobody speaks of.
	Matched bool
}

// Operands answers the paths that can be seen among the words of a command.
func (p *Profile) Operands(c Command) []Operand {
	if len(c.Argv) == 0 || c.unknown(0) {
		return nil
	}
	name, _ := programName(&c)
	var list []Operand
	subs, _ := subjects(name, &c)
	for _, s := range subs {
		list = append(list, Operand{Text: s.word, Path: s.path, Matched: p.matches(name, &c, s)})
	}
	return list
}

func (p *Profile) matches(name string, c *Command, s subject) bool {
	if p == nil {
		return false
	}
	for i := range p.rules {
		r := &p.rules[i]
		if len(r.paths) > 0 && (r.any || r.command.line(name, c) == yes) && r.depthAt(s) >= 0 {
			return true
		}
	}
	return p.base.matches(name, c, s)
}

// Refusal answers the record of a refusal, nil when there is none: what the
// rules allow, what they say does not exist, and what says by itself why.
func (a Answer) Refusal() *Refusal {
	if a.Outcome != Deny && a.Outcome != Ask || a.Message != "" {
		return nil
	}
	r := &Refusal{Kind: "deny", Reason: a.Reason, Policy: a.Policy, Scope: a.Scope}
	switch {
	case a.Outcome == Ask:
		r.Kind = "pending"
		if a.AskID != "" {
			r.AskID = &a.AskID
		}
	case a.Failed:
		r.Kind = "failed"
	}
	if r.Scope == "" {
		r.Scope = ScopeCommand
	}
	return r
}
