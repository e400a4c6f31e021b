package audit

import (
	"regexp"
	"slices"
	"strings"
)

// redacted stands where a secret stood.
const redacted = "[redacted]"

// value matches one shell word: quoted, escaped or bare pieces in a row.
const value = `(?:\$?'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?|\\.|[^\s;|&()<>'"\\])+`

// secretName matches the names under which secrets go: API_KEY, npm_token,
// DB_PASSWORD_FILE, client-secret, ...
const secretName = `(?:[a-z0-9_.-]*(?:passw(?:or)?d|passphrase|secret|credential|private_?key|api_?key|access_?key)[a-z0-9_.-]*|(?:[a-z0-9]+[_.-])*(?:key|token|auth|pat|pwd|pw)s?)`

// redaction is a pattern and what takes its place. The list is what
// docs/audit.md promises.
type redaction struct {
	name string
	// A text without one of any, or without all, cannot match: both are in
	// lower case. Most texts need no pattern at all.
	any, all []string
	pattern  *regexp.Regexp
	with     string
}

// mayMatch looks at a text in lower case.
func (r *redaction) mayMatch(lower string) bool {
	for _, s := range r.all {
		if !strings.Contains(lower, s) {
			return false
		}
	}
	return slices.ContainsFunc(r.any, func(s string) bool { return strings.Contains(lower, s) })
}

// secretWords are in every name that secretName matches.
var secretWords = []string{"passw", "passphrase", "secret", "credential", "key", "token", "auth", "pat", "pwd", "pw"}

// redactions lists what Redact looks for, in the order in which it does.
var redactions = []redaction{
	{"private key blocks", []string{"private key"}, nil,
		regexp.MustCompile(`(?s)(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----).*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`),
		"${1}" + redacted},
	{"credentials in HTTP headers", []string{"authorization", "cookie", "x-", "private-token", "api-key"}, nil,
		regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]*(?:key|token|secret)|private-token|api-key)(["']?\s*[:=]\s*["']?)[^'"\r\n]+`),
		"${1}${2}" + redacted},
	{"user:password after -u and --user", []string{"u"}, []string{"-", ":"},
		regexp.MustCompile(`((?:^|[\s;|&(])(?:-[A-Za-z]*[uU]|--(?:proxy-)?user(?:name)?)(?:=|\s*))(?:'[^\s:'][^:']*:[^']*'?|"[^\s:"][^:"]*:(?:[^"\\]|\\.)*"?|[^\s:'"+-][^\s:'"]*:` + value + `)`),
		"${1}" + redacted},
	{"user information in URLs", []string{"://"}, []string{"@"},
		regexp.MustCompile(`(\b[A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#@'"]*(?:@[^\s/?#@'"]*)*@`),
		"${1}" + redacted + "@"},
	{"values of options that name a secret", secretWords, []string{"-"},
		regexp.MustCompile(`(?i)((?:^|[\s;|&(])--?` + secretName + `(?:=|\s+))` + value),
		"${1}" + redacted},
	{"assignments to names of secrets", secretWords, nil,
		regexp.MustCompile(`(?i)((?:^|[^a-z0-9_.-])["']?` + secretName + `["']?(?:\+?=|["']?\s*:\s*))` + value),
		"${1}" + redacted},
	{"AWS access key ids", []string{"akia", "asia", "abia", "acca", "aida", "aroa", "agpa", "anpa"}, nil,
		regexp.MustCompile(`\b(?:AKIA|ASIA|ABIA|ACCA|AIDA|AROA|AGPA|ANPA)[A-Z0-9]{16}\b`), redacted},
	{"tokens known by their shape (GitHub, GitLab, Slack, OpenAI and Anthropic, JWT)", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "sk-", "eyj"}, nil,
		regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[a-z]-[A-Za-z0-9-]{10,}|\bsk-[A-Za-z0-9_-]{20,}|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), redacted},
}

// Redact takes secrets out of a text, as far as their names and shapes tell
// them: see redactions. A line can always hide a secret from it (`x=abc; echo
// $x`), so a log is to be kept like the secrets themselves.
func Redact(text string) string {
	if text == "" {
		return ""
	}
	lower := strings.ToLower(text)
	for i := range redactions {
		r := &redactions[i]
		if !r.mayMatch(lower) {
			continue
		}
		text = r.pattern.ReplaceAllString(text, r.with)
	}
	return text
}

// redact takes the secrets out of an event.
func (e *Event) redact() {
	e.Line = Redact(e.Line)
	for _, f := range []*string{&e.Path, &e.Other, &e.Reason, &e.Operand} {
		*f = Redact(*f)
	}
	for k, v := range e.Detail {
		e.Detail[k] = Redact(v)
	}
}
