package policy

import (
	"strings"

	"mirage/internal/doc"
	"mirage/vfs"
)

// Profile is the whole permission text of a session, parsed. It does not
// change; a nil Profile restricts nothing. It is the Judge of its sessions.
type Profile struct {
	Name string
	Cwd  string            // starting directory; "" = "/"
	Env  map[string]string // exported variables
	// Modes lowers mounts: prefix without a trailing slash to mode.
	Modes map[string]vfs.Mode
	// Script is the policy script, nil for none; whoever makes sessions loads
	// it.
	Script *Script

	// base is the profile that this one tightens; nil for a whole profile.
	base *Profile

	mounts   map[string]doc.Node // sections by prefix
	allow    []words
	limited  bool // commands.allow is there
	rules    []rule
	index    ruleIndex
	hides    []pathPattern
	hideAts  []string  // places of hides in the document
	hidden   pathIndex // of hides
	shows    []show
	varHides []string // names and patterns over names

	tripwires Tripwires
	limits    Limits
	budget    Budget
	processes Processes
	inline    bool // an inline document over base
}

// rule is one deny or ask of a profile.
type rule struct {
	verb    Outcome // Deny or Ask
	id      string  // of an Ask: see Question.Rule
	at      string  // its place in the document
	reason  string
	source  string
	mount   string // the mount it is written under; "" at the top
	command words
	any     bool // no command named: any command, and files outside any
	paths   []pathPattern
}

// The reasons of rules that give none.
const (
	DefaultReason    = "denied by policy"
	DefaultAskReason = "no standing approval"
)

// ParseMode reads read, write, exec, r, rw or rwx, in any case.
func ParseMode(text string) (vfs.Mode, bool) {
	switch strings.ToLower(text) {
	case "read", "r":
		return vfs.Read, true
	case "write", "rw":
		return vfs.Write, true
	case "exec", "rwx":
		return vfs.Exec, true
	}
	return 0, false
}

// ParseProfile reads a profile document. Unknown keys are refused at every
// level, and so is what is not enforced yet.
func ParseProfile(name string, n doc.Node) (*Profile, error) {
	if err := n.Map("cwd", "env", "mounts", "paths", "vars", "commands", "command_limits", "budget", "deny_patterns", "policy", "processes"); err != nil {
		return nil, err
	}
	p := &Profile{Name: name}
	steps := []func(doc.Node) error{p.parseCwd, p.parseEnv, p.parseMounts, p.parsePaths, p.parseVars, p.parseCommands, p.parseTripwires, p.parseLimits, p.parseScript, p.parseProcesses}
	for _, step := range steps {
		if err := step(n); err != nil {
			return nil, err
		}
	}
	p.finish()
	return p, nil
}

// Script names the policy script of a profile.
type Script struct {
	Path    string // of the host, absolute
	Runtime string // the language: starlark, javascript or python
	At      doc.Node
}

func (p *Profile) parseScript(n doc.Node) error {
	c := n.At("policy")
	if c.Value == nil {
		return nil
	}
	if err := c.Map("script", "runtime"); err != nil {
		return err
	}
	s := &Script{At: doc.Node{Path: c.Path}}
	for _, f := range []struct {
		key string
		to  *string
	}{{"script", &s.Path}, {"runtime", &s.Runtime}} {
		if c.At(f.key).Value == nil {
			return c.Errorf("needs script and runtime: '%s' is missing", f.key)
		}
		text, err := c.At(f.key).String()
		if err != nil {
			return err
		}
		*f.to = text
	}
	if !strings.HasPrefix(s.Path, "/") {
		return c.At("script").Errorf("must be an absolute path: '%s'", s.Path)
	}
	p.Script = s
	return nil
}

func (p *Profile) parseTripwires(n doc.Node) (err error) {
	p.tripwires, err = ParseTripwires(n.At("deny_patterns"))
	return err
}

func (p *Profile) parseLimits(n doc.Node) (err error) {
	if p.limits, err = ParseLimits(n.At("command_limits")); err != nil {
		return err
	}
	p.budget, err = ParseBudget(n.At("budget"))
	return err
}

// finish makes what is derived from the entries.
func (p *Profile) finish() {
	for i := range p.rules {
		if p.rules[i].verb == Ask {
			p.rules[i].id = p.rules[i].identity()
		}
	}
	p.index = indexRules(p.rules)
	p.hidden = indexPaths(p.hides)
}

func (p *Profile) parseCwd(n doc.Node) error {
	c := n.At("cwd")
	if c.Value == nil {
		return nil
	}
	cwd, err := c.String()
	if err != nil {
		return err
	}
	if !strings.HasPrefix(cwd, "/") {
		return c.Errorf("must be an absolute path: '%s'", cwd)
	}
	p.Cwd = cwd
	return nil
}

func (p *Profile) parseEnv(n doc.Node) error {
	c := n.At("env")
	if c.Value == nil {
		return nil
	}
	if err := c.Map(); err != nil {
		return err
	}
	p.Env = map[string]string{}
	for _, name := range c.Keys() {
		value, err := c.At(name).String()
		if err != nil {
			return err
		}
		if !ValidName(name) {
			return c.Errorf("'%s' is not a variable name", name)
		}
		p.Env[name] = value
	}
	return nil
}

// ValidName reports whether a shell variable can have the name.
func ValidName(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// CleanPrefix makes /x, x/ and /x/ the same prefix, "/x"; ok is false for
// what names no place.
func CleanPrefix(text string) (prefix string, ok bool) {
	text = strings.Trim(text, "/")
	if text == "" {
		return "/", true
	}
	for part := range strings.SplitSeq(text, "/") {
		if part == "" || part == "." || part == ".." || strings.Contains(part, "\x00") || len(part) > 255 {
			return "", false
		}
	}
	return "/" + text, true
}

func (p *Profile) parseMounts(n doc.Node) error {
	c := n.At("mounts")
	if c.Value == nil {
		return nil
	}
	if _, ok := c.Value.(map[string]any); !ok {
		return c.Errorf("mounts must be a mapping of prefix to its settings")
	}
	p.Modes, p.mounts = map[string]vfs.Mode{}, map[string]doc.Node{}
	for _, key := range c.Keys() {
		prefix, ok := CleanPrefix(key)
		if !ok {
			return c.Errorf("bad mount prefix: '%s'", key)
		}
		if _, twice := p.mounts[prefix]; twice {
			return c.Errorf("duplicate mount prefix: '%s'", strings.TrimSuffix(prefix, "/")+"/")
		}
		at := c.At(key)
		p.mounts[prefix] = doc.Node{Path: at.Path} // its place only, not the document
		if err := p.parseMount(prefix, at); err != nil {
			return err
		}
	}
	return nil
}

// Mounts answers the mounts that the profile has a section for, each with its
// place in the document. Whoever knows the mounts has to check that they are
// there.
func (p *Profile) Mounts() map[string]doc.Node { return p.mounts }

func (p *Profile) parseMount(prefix string, n doc.Node) error {
	mode := n
	if _, short := n.Value.(string); !short {
		if err := n.Map("mode", "commands", "paths"); err != nil {
			return err
		}
		mode = n.At("mode")
	}
	if mode.Value != nil {
		text, err := mode.String()
		if err != nil {
			return err
		}
		m, ok := ParseMode(text)
		if !ok {
			return mode.Errorf("unknown mode '%s'; expected read, write or exec", text)
		}
		p.Modes[prefix] = m
	}
	if commands := n.At("commands"); commands.Value != nil {
		if err := commands.Map("ask", "deny"); err != nil {
			return err
		}
		if err := p.parseRules(commands, prefix); err != nil {
			return err
		}
	}
	if paths := n.At("paths"); paths.Value != nil {
		return p.parseVisible(paths, prefix)
	}
	return nil
}

func (p *Profile) parsePaths(n doc.Node) error {
	c := n.At("paths")
	if c.Value == nil {
		return nil
	}
	return p.parseVisible(c, "")
}

// parseVisible reads the hide and show lists of a paths section.
func (p *Profile) parseVisible(n doc.Node, mount string) error {
	if err := n.Map("hide", "show"); err != nil {
		return err
	}
	if err := p.parseShow(n.At("show"), mount); err != nil {
		return err
	}
	hide := n.At("hide")
	if hide.Value == nil {
		return nil
	}
	items, err := hide.List()
	if err != nil {
		return err
	}
	for _, item := range items {
		entries := []doc.Node{item}
		if _, group := item.Value.(map[string]any); group {
			if err := item.Map("patterns", "reason"); err != nil {
				return err
			}
			if reason, err := item.At("reason").String(); err != nil {
				return err
			} else if strings.TrimSpace(reason) == "" {
				return item.Errorf("paths.hide group must give a reason")
			}
			entries, err = item.At("patterns").List()
			if err != nil {
				return err
			}
			if len(entries) == 0 {
				return item.Errorf("paths.hide group must list at least one pattern")
			}
		}
		for _, e := range entries {
			pattern, err := parseEntry(e, mount)
			if err != nil {
				return err
			}
			p.hides, p.hideAts = append(p.hides, pattern), append(p.hideAts, e.Path)
		}
	}
	return nil
}

// parseEntry reads a path or pattern of a list.
func parseEntry(n doc.Node, mount string) (pathPattern, error) {
	text, ok := n.Value.(string)
	if !ok {
		return pathPattern{}, n.Errorf("must be a list of strings")
	}
	root := mount
	if root == "" {
		root = "/"
	}
	switch {
	case strings.TrimSpace(text) == "":
		return pathPattern{}, n.Errorf("must name a path")
	case strings.HasPrefix(text, "/"):
		pattern := parsePath(text, "/")
		if !below(pattern.anchor, root) {
			return pathPattern{}, n.Errorf("is outside the mount it is written under: '%s' is not below '%s'", text, mount)
		}
		return pattern, nil
	case strings.Contains(text, "/"):
		return pathPattern{}, n.Errorf("must be an absolute path or a name pattern: '%s' is relative", text)
	}
	return parsePath(text, root), nil
}
