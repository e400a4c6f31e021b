package policy

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mirage/internal/doc"
)

// tripwirePolicy is the name under which deny patterns speak.
const tripwirePolicy = "DenyPatterns"

// Tripwires are patterns (RE2, as package regexp) of what no line and no
// command should hold. They are advice against accidents, not a wall: any
// interpreter can put a forbidden text together where no pattern looks.
type Tripwires []*regexp.Regexp

// Bounds of a list of patterns.
const (
	maxPatterns    = 100
	maxPatternText = 1000
)

// shipped are the patterns that `shipped: true` switches on: what wrecks a
// machine and is rarely meant. The first three count anywhere, the others as the
// command itself, by whatever path or wrapper.
var shipped = []string{
	`\brm\s+(?:-\S+\s+)*(?:-[a-zA-Z]*[rR][a-zA-Z]*|--recursive)\s+(?:-\S+\s+)*/(?:\*|\s|;|$)`,
	`:\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:`,
	`/etc/shadow\b`,
	asCommand + `mkfs(?:\.\S+)?(?:\s|$)`,
	asCommand + `dd\s+(?:\S+\s+)*if=`,
	asCommand + `(?:shutdown|poweroff|halt)(?:\s|$)`,
	asCommand + `reboot(?:\s|$)`,
}

// asCommand comes before the name of a command: its folder, and commands that
// run it, with their options.
const asCommand = `^\s*(?:(?:\S*/)?(?:sudo|doas|env|nice|nohup|time|timeout|command|exec|setsid|stdbuf|xargs)\s+(?:(?:-\S+|\w+=\S*|[0-9.]+[smhd]?)\s+)*)*(?:\S*/)?`

// ParseTripwires reads `deny_patterns`: a list of patterns, or a mapping of
// `patterns` and `shipped`.
func ParseTripwires(n doc.Node) (Tripwires, error) {
	if n.Value == nil {
		return nil, nil
	}
	var texts []string
	list := n
	if _, ok := n.Value.(map[string]any); ok {
		if err := n.Map("patterns", "shipped"); err != nil {
			return nil, err
		}
		switch on := n.At("shipped"); on.Value {
		case nil, false:
		case true:
			texts = slices.Clone(shipped)
		default:
			return nil, on.Errorf("must be true or false, got %s", doc.Kind(on.Value))
		}
		list = n.At("patterns")
	}
	var items []doc.Node
	var err error
	if list.Value != nil {
		if items, err = list.List(); err != nil {
			return nil, err
		}
	}
	if len(items) > maxPatterns {
		return nil, list.Errorf("more than %d patterns", maxPatterns)
	}
	var t Tripwires
	for _, text := range texts {
		t = append(t, regexp.MustCompile(text))
	}
	for _, item := range items {
		text, err := item.String()
		switch {
		case err != nil:
			return nil, err
		case text == "":
			return nil, item.Errorf("an empty pattern matches everything")
		case len(text) > maxPatternText:
			return nil, item.Errorf("a pattern of %d bytes is too long", len(text))
		}
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, item.Errorf("%s", err)
		}
		t = append(t, re)
	}
	return t, nil
}

// text judges a text. When ctx ends first, the answer is a failure.
func (t Tripwires) text(ctx context.Context, text string) Answer {
	for _, re := range t {
		if !matches(ctx, re, text) {
			if ctx.Err() != nil {
				return Answer{Outcome: Deny, Failed: true, Reason: "the line was canceled", Policy: tripwirePolicy, Scope: ScopeCommand}
			}
			continue
		}
		return Answer{Outcome: Deny, Reason: "matches deny pattern '" + re.String() + "'", Source: "deny_patterns", Policy: tripwirePolicy, Scope: ScopeCommand}
	}
	return Answer{}
}

// command judges a command by its words, joined by spaces. Words that are not
// known yet are judged at the door.
func (t Tripwires) command(ctx context.Context, c *Command) Answer {
	if len(t) == 0 || slices.Contains(c.Unknown, true) {
		return Answer{}
	}
	return t.text(ctx, strings.Join(c.Argv, " "))
}

// quickText is the longest text that is matched without looking at the context.
const quickText = 64 << 10

func matches(ctx context.Context, re *regexp.Regexp, text string) bool {
	if len(text) <= quickText {
		return re.MatchString(text)
	}
	return re.MatchReader(&runes{ctx: ctx, text: text})
}

// runes reads a text until its context ends.
type runes struct {
	ctx  context.Context
	text string
	n    int
}

func (r *runes) ReadRune() (rune, int, error) {
	if r.n++; r.n%4096 == 0 && r.ctx.Err() != nil || r.text == "" {
		return 0, 0, io.EOF
	}
	c, size := utf8.DecodeRuneInString(r.text)
	r.text = r.text[size:]
	return c, size, nil
}

// SourceJudge is a Judge that judges the text of a line as well, before
// anything of it is taken apart.
type SourceJudge interface {
	Source(ctx context.Context, text string) Answer
}

// Source implements SourceJudge.
func (p *Profile) Source(ctx context.Context, text string) Answer {
	if p == nil {
		return Answer{}
	}
	return stricter(p.base.Source(ctx, text), p.tripwires.text(ctx, text))
}

// WithTripwires answers the profile with more patterns, those of its workspace.
// A nil profile becomes one that has nothing else.
func (p *Profile) WithTripwires(t Tripwires) *Profile {
	if len(t) == 0 {
		return p
	}
	with := &Profile{}
	if p != nil {
		*with = *p
	}
	with.tripwires = slices.Concat(t, with.tripwires)
	return with
}
