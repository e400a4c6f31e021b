package policy

import (
	"maps"

	"mirage/internal/doc"
)

// Tighten lays an inline document over a profile, which may be nil. The
// document may only add: ask and deny rules, hides, lower modes, deny patterns, lower limits, a directory
// and variables of its own. Both are asked, and the stricter answer counts, so
// that a deep rule of the document cannot loosen a shallow one below it.
func Tighten(base *Profile, n doc.Node) (*Profile, error) {
	if commands := n.At("commands"); commands.At("allow").Value != nil {
		return nil, n.Errorf("inline permissions may add ask and deny rules, not an allow list")
	}
	if n.At("policy").Value != nil {
		return nil, n.Errorf("inline permissions may not carry a policy")
	}
	name := ""
	if base != nil {
		name = base.Name
	}
	p, err := ParseProfile(name, n)
	if err != nil {
		return nil, err
	}
	if len(p.shows) > 0 {
		return nil, n.Errorf("inline permissions may add hides, not show what is hidden")
	}
	p.inline = true
	if base == nil {
		return p, nil
	}
	p.base = base
	if p.Cwd == "" {
		p.Cwd = base.Cwd
	}
	env := maps.Clone(base.Env)
	if env == nil {
		env = p.Env
	} else {
		maps.Copy(env, p.Env)
	}
	p.Env = env
	return p, nil
}

// stricter joins two answers: what does not exist, then denials, then all that
// must be asked.
func stricter(a, b Answer) Answer {
	switch x, y := a.Outcome.rank(), b.Outcome.rank(); {
	case x > y:
		return a
	case x < y:
		return b
	case a.Outcome == Ask:
		a.Asks = append(a.Asks[:len(a.Asks):len(a.Asks)], b.Asks...)
	}
	return a
}

func (o Outcome) rank() int { return [...]int{Allow: 0, Ask: 1, Deny: 2, Absent: 3}[o] }
