package keys

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Options is what the options of a key grant and restrict. Options about
// forwarding are accepted and have no field: this server never forwards.
type Options struct {
	Account    string // mirage-account; "" = none
	HasAccount bool   // the option is there, even malformed
	BadAccount bool   // bare, empty or twice: the key opens nothing
	Profile    string // mirage-profile
	HasProfile bool
	BadProfile bool     // bare, empty or twice
	From       []string // patterns of from=; nil = anywhere
	Command    string   // forced command
	HasCommand bool
	NoPTY      bool
	Expiry     time.Time // zero = never; the key is good through this second
}

func (o Options) expired(now time.Time) bool {
	return !o.Expiry.IsZero() && now.Unix() > o.Expiry.Unix()
}

// option is one name of the comma list with its value.
type option struct {
	name     string // lower case
	value    string // without quotes, \" made "
	hasValue bool
}

// parseOptions parses the options field of a line. Later options win over
// earlier ones where they contradict, so that "restrict,pty" allows a pty.
func parseOptions(field string) (Options, error) {
	var o Options
	for {
		opt, rest, err := nextOption(field)
		if err != nil {
			return Options{}, err
		}
		if err := o.apply(opt); err != nil {
			return Options{}, err
		}
		switch {
		case rest == "":
			return o, nil
		case rest[0] != ',':
			return Options{}, unknownOption(opt.name)
		case rest == ",":
			return Options{}, errors.New("unexpected end-of-options")
		}
		field = rest[1:]
	}
}

// nextOption splits off one option; rest starts at whatever follows it.
func nextOption(s string) (opt option, rest string, err error) {
	end := strings.IndexAny(s, "=,\" \t")
	if end < 0 {
		return option{name: strings.ToLower(s)}, "", nil
	}
	opt.name, rest = strings.ToLower(s[:end]), s[end:]
	if rest[0] != '=' {
		return opt, rest, nil
	}
	opt.hasValue = true
	opt.value, rest, err = unquote(rest[1:])
	if err != nil {
		err = fmt.Errorf("%s: %w", opt.name, err)
	}
	return opt, rest, err
}

// unquote reads a value in double quotes, in which only \" is an escape.
func unquote(s string) (value, rest string, err error) {
	if s == "" || s[0] != '"' {
		return "", "", errors.New("missing start quote")
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:], nil
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '"':
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", errUnclosed
}

func unknownOption(name string) error { return fmt.Errorf("unknown key option %.100q", name) }

func (o *Options) apply(opt option) error {
	switch opt.name {
	case "mirage-account":
		o.BadAccount = o.HasAccount || opt.value == ""
		o.HasAccount = true
		o.Account = opt.value
		return nil
	case "mirage-profile":
		o.BadProfile = o.HasProfile || opt.value == ""
		o.HasProfile = true
		o.Profile = opt.value
		return nil
	case "from", "command", "expiry-time":
		if !opt.hasValue {
			return fmt.Errorf("%s: missing value", opt.name)
		}
		return o.applyValue(opt)
	}
	if opt.hasValue {
		return unknownOption(opt.name)
	}
	switch opt.name {
	case "restrict", "no-pty":
		o.NoPTY = true
	case "pty":
		o.NoPTY = false
	case "port-forwarding", "no-port-forwarding",
		"agent-forwarding", "no-agent-forwarding",
		"x11-forwarding", "no-x11-forwarding",
		"user-rc", "no-user-rc":
	default:
		return unknownOption(opt.name)
	}
	return nil
}

func (o *Options) applyValue(opt option) error {
	switch opt.name {
	case "from":
		if o.From != nil {
			return errors.New(`multiple "from" clauses`)
		}
		o.From = strings.Split(opt.value, ",")
		return checkFrom(o.From)
	case "command":
		if o.HasCommand {
			return errors.New(`multiple "command" clauses`)
		}
		o.Command, o.HasCommand = opt.value, true
	case "expiry-time":
		at, err := parseExpiry(opt.value)
		if err != nil {
			return err
		}
		// The earliest of several wins.
		if o.Expiry.IsZero() || at.Before(o.Expiry) {
			o.Expiry = at
		}
	}
	return nil
}

// parseExpiry parses YYYYMMDD[HHMM[SS]][Z]; without Z it is local time.
func parseExpiry(s string) (time.Time, error) {
	digits, zone := s, time.Local
	if d, ok := strings.CutSuffix(s, "Z"); ok {
		digits, zone = d, time.UTC
	}
	layouts := map[int]string{8: "20060102", 12: "200601021504", 14: "20060102150405"}
	layout, ok := layouts[len(digits)]
	if ok && strings.Trim(digits, "0123456789") == "" {
		if t, err := time.ParseInLocation(layout, digits, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("invalid expiry-time %.100q", s)
}

// Option words one option with a value as authorized_keys wants it. A value
// must hold neither LF nor NUL; Add refuses such lines.
func Option(name, value string) string {
	return name + `="` + strings.ReplaceAll(value, `"`, `\"`) + `"`
}
