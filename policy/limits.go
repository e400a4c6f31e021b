package policy

import (
	"math"
	"strings"
	"time"

	"mirage/internal/doc"
)

// Limit bounds one command of a line. The zero Limit bounds nothing.
type Limit struct {
	// MaxLines and MaxBytes bound what the command prints to the caller of its
	// line: what goes into a pipe, a file or a substitution is never cut.
	MaxLines, MaxBytes *int64
	Timeout            *time.Duration
	// Refuse prints nothing at all of an output that is too long, where
	// otherwise its beginning is printed.
	Refuse bool
}

// IsZero reports whether nothing is bounded.
func (l Limit) IsZero() bool { return !l.Caps() && l.Timeout == nil }

// Caps reports whether the output is bounded.
func (l Limit) Caps() bool { return l.MaxLines != nil || l.MaxBytes != nil }

// Tightest joins two limits: each bound is the lower one.
func (l Limit) Tightest(o Limit) Limit {
	return Limit{
		MaxLines: lower(l.MaxLines, o.MaxLines), MaxBytes: lower(l.MaxBytes, o.MaxBytes), Timeout: lower(l.Timeout, o.Timeout),
		Refuse: l.Refuse || o.Refuse,
	}
}

func lower[T int64 | time.Duration](a, b *T) *T {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// Limits are limits by the name of a command.
type Limits map[string]Limit

// ParseLimits reads `command_limits`. An entry that is null or empty says that
// its command has no limit.
func ParseLimits(n doc.Node) (Limits, error) {
	if n.Value == nil {
		return nil, nil
	}
	if err := n.Map(); err != nil {
		return nil, err
	}
	limits := Limits{}
	for _, name := range n.Keys() {
		at := n.At(name)
		switch {
		case name == "" || strings.ContainsAny(name, "/ \t\n"):
			return nil, n.Errorf("'%s' is not the name of a command", name)
		case name == "exec":
			return nil, at.Errorf("exec has no output and no end of its own")
		}
		l, err := parseLimit(at)
		if err != nil {
			return nil, err
		}
		limits[name] = l
	}
	return limits, nil
}

func parseLimit(n doc.Node) (l Limit, err error) {
	if n.Value == nil {
		return l, nil
	}
	if err := n.Map("max_lines", "max_bytes", "timeout_seconds", "on_exceed"); err != nil {
		return l, err
	}
	if l.MaxLines, err = wholeNumber(n.At("max_lines")); err != nil {
		return l, err
	}
	if l.MaxBytes, err = wholeNumber(n.At("max_bytes")); err != nil {
		return l, err
	}
	if l.Timeout, err = seconds(n.At("timeout_seconds")); err != nil {
		return l, err
	}
	switch v := n.At("on_exceed"); v.Value {
	case nil, "truncate":
	case "error":
		l.Refuse = true
	default:
		return l, v.Errorf("must be truncate or error")
	}
	return l, nil
}

// wholeNumber reads a number from 0 up, nil when there is none.
func wholeNumber(n doc.Node) (*int64, error) {
	if n.Value == nil {
		return nil, nil
	}
	x, ok := number(n.Value)
	if !ok || x < 0 || x != math.Trunc(x) || x > 1<<53 {
		return nil, n.Errorf("must be a whole number that is not negative")
	}
	i := int64(x)
	return &i, nil
}

// seconds reads a time, nil when there is none.
func seconds(n doc.Node) (*time.Duration, error) {
	if n.Value == nil {
		return nil, nil
	}
	x, ok := number(n.Value)
	if !ok || !(x >= 0) || x > float64(math.MaxInt64/time.Second) {
		return nil, n.Errorf("must be a number that is not negative")
	}
	d := time.Duration(x * float64(time.Second))
	return &d, nil
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// CommandName answers the name by which limits and rules know a command.
func CommandName(c Command) string {
	if len(c.Argv) == 0 {
		return ""
	}
	name, _ := programName(&c)
	return name
}

// Limit answers the limit of a command by name: the profile's entry if it has
// one, else what otherwise says. An inline document only tightens that.
func (p *Profile) Limit(name string, otherwise func() Limit) Limit {
	if p == nil {
		return otherwise()
	}
	own, ok := p.limits[name]
	switch {
	case p.inline && ok:
		return p.base.Limit(name, otherwise).Tightest(own)
	case p.inline:
		return p.base.Limit(name, otherwise)
	case ok:
		return own
	}
	return otherwise()
}
