package policy

import (
	"slices"
	"strings"

	"mirage/internal/doc"
)

// parseCommands reads the commands section at the top of a profile. Rules of
// mount sections have been read before: at the same depth they speak first.
func (p *Profile) parseCommands(n doc.Node) error {
	c := n.At("commands")
	if c.Value == nil {
		return nil
	}
	if err := c.Map("allow", "ask", "deny"); err != nil {
		return err
	}
	if allow := c.At("allow"); allow.Value != nil {
		patterns, err := parsePatterns(allow)
		if err != nil {
			return err
		}
		p.allow, p.limited = patterns, true
	}
	return p.parseRules(c, "")
}

// parsePatterns reads a list of command patterns.
func parsePatterns(n doc.Node) ([]words, error) {
	items, ok := n.Value.([]any)
	if !ok {
		return nil, n.Errorf("must be a list of strings")
	}
	patterns := make([]words, 0, len(items))
	nodes, err := n.List()
	if err != nil {
		return nil, err
	}
	for _, item := range nodes {
		text, ok := item.Value.(string)
		if !ok {
			return nil, n.Errorf("must be a list of strings")
		}
		if strings.TrimSpace(text) == "" {
			return nil, item.Errorf("must name a command")
		}
		patterns = append(patterns, parseWords(text))
	}
	return patterns, nil
}

// parseRules reads the deny and ask lists of a commands section.
func (p *Profile) parseRules(commands doc.Node, mount string) error {
	for _, verb := range []Outcome{Deny, Ask} {
		key := map[Outcome]string{Deny: "deny", Ask: "ask"}[verb]
		n := commands.At(key)
		if n.Value == nil {
			continue
		}
		items, err := n.List()
		if err != nil {
			return err
		}
		for _, item := range items {
			rules, err := parseRule(item, verb, mount)
			if err != nil {
				return err
			}
			p.rules = append(p.rules, rules...)
		}
	}
	return nil
}

// parseRule reads one entry of a deny or ask list in any of its four forms.
func parseRule(n doc.Node, verb Outcome, mount string) ([]rule, error) {
	base := rule{verb: verb, at: n.Path, reason: DefaultReason, source: "top", mount: mount}
	if verb == Ask {
		base.reason = DefaultAskReason
	}
	if mount != "" {
		base.source = "mounts." + mount
	}
	if text, ok := n.Value.(string); ok {
		if strings.TrimSpace(text) == "" {
			return nil, n.Errorf("must name a command")
		}
		base.command = parseWords(text)
		return []rule{base}, nil
	}
	if _, ok := n.Value.(map[string]any); !ok {
		return nil, n.Errorf("must be a command or a rule, got %s", doc.Kind(n.Value))
	}
	var unknown []string
	for _, key := range n.Keys() {
		if !slices.Contains([]string{"reason", "commands", "paths"}, key) {
			unknown = append(unknown, key)
		}
	}
	if unknown != nil {
		return nil, n.Errorf("rule has unknown field(s): %s", strings.Join(unknown, ", "))
	}
	if reason := n.At("reason"); reason.Value != nil {
		text, err := reason.String()
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(text) != "" {
			base.reason = text
		}
	}
	commands, paths := n.At("commands"), n.At("paths")
	switch {
	case commands.Empty() && paths.Empty():
		return nil, n.Errorf("names no command and no path")
	case commands.Value == nil:
		entries, err := parseEntries(paths, mount)
		if err != nil {
			return nil, err
		}
		base.any, base.paths = true, entries
		return []rule{base}, nil
	}
	if byPath, ok := commands.Value.(map[string]any); ok {
		if paths.Value != nil {
			return nil, n.Errorf("maps each command to its paths, so it takes no paths of its own")
		}
		return parseByCommand(base, commands, byPath, mount)
	}
	patterns, err := parsePatterns(commands)
	if err != nil {
		return nil, err
	}
	if paths.Value != nil {
		return nil, n.Errorf("lists commands beside paths; map each command to its paths instead")
	}
	rules := make([]rule, len(patterns))
	for i, w := range patterns {
		rules[i] = base
		rules[i].command = w
	}
	return rules, nil
}

func parseByCommand(base rule, n doc.Node, m map[string]any, mount string) ([]rule, error) {
	var rules []rule
	for _, key := range n.Keys() {
		at := doc.Node{Path: n.Path + "[" + key + "]", Value: m[key]}
		if strings.TrimSpace(key) == "" {
			return nil, at.Errorf("must name a command")
		}
		if at.Empty() {
			return nil, at.Errorf("must list at least one path")
		}
		entries, err := parseEntries(at, mount)
		if err != nil {
			return nil, err
		}
		r := base
		r.command, r.paths = parseWords(key), entries
		rules = append(rules, r)
	}
	return rules, nil
}

func parseEntries(n doc.Node, mount string) ([]pathPattern, error) {
	items, ok := n.Value.([]any)
	if !ok {
		return nil, n.Errorf("must be a list of strings")
	}
	entries := make([]pathPattern, 0, len(items))
	nodes, err := n.List()
	if err != nil {
		return nil, err
	}
	for _, item := range nodes {
		e, err := parseEntry(item, mount)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}
