package script

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mirage/policy"
)

// value is what a hook returned, put into plain words by its engine: nothing, a
// string, or a mapping of one key, "deny" or "ask", to a string. Everything else
// is no answer.
type value struct {
	kind   valueKind
	key    string // of a mapping
	text   string // the string, or the mapping's value
	absurd string // what it is instead
}

type valueKind int

const (
	nothing valueKind = iota
	text
	mapping
	absurd
)

// noAnswer is the value of something that no hook may return.
func noAnswer(format string, args ...any) value {
	return value{kind: absurd, absurd: fmt.Sprintf(format, args...)}
}

// answer reads what the hook said.
func (v value) answer(hook Hook) (Answer, error) {
	verb, reason := "", ""
	switch v.kind {
	case nothing:
		return Answer{}, nil
	case text:
		verb = v.text
	case mapping:
		verb, reason = v.key, v.text
	}
	switch {
	case v.kind == text && verb == "allow":
		return Answer{}, nil
	case verb == "deny":
		return Answer{Deny, orDefault(reason, policy.DefaultReason)}, nil
	case verb == "ask" && hook != PreSession:
		return Answer{Ask, orDefault(reason, policy.DefaultAskReason)}, nil
	case verb == "ask":
		return Answer{}, fmt.Errorf("%s cannot ask", hook)
	case v.kind == text:
		return Answer{}, fmt.Errorf("%s returned %q", hook, cut(verb, 40))
	case v.kind == mapping:
		return Answer{}, fmt.Errorf("%s returned a mapping of %q", hook, cut(verb, 40))
	}
	return Answer{}, fmt.Errorf("%s returned %s", hook, v.absurd)
}

func orDefault(reason, def string) string {
	if reason = clean(reason); reason == "" {
		return def
	}
	return reason
}

// maxReason bounds the bytes of a reason.
const maxReason = 1024

// clean makes one line of printable text: reasons may hold what a script read
// in a file, and are shown on terminals.
func clean(s string) string {
	s = strings.ToValidUTF8(cut(s, maxReason), "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// cut shortens s to at most n bytes, between runes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
