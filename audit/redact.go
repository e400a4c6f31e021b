package audit

import "regexp"

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
	name    string
	pattern *regexp.Regexp
	with    string
}

// redactions lists what Redact looks for, in the order in which it does.
var redactions = []redaction{
	{"private key blocks",
		regexp.MustCompile(`(?s)(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----).*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`),
		"${1}" + redacted},
	{"credentials in HTTP headers",
		regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]*(?:key|token|secret)|private-token|api-key)(["']?\s*[:=]\s*["']?)[^'"\r\n]+`),
		"${1}${2}" + redacted},
	{"user:password after -u and --user",
		regexp.MustCompile(`((?:^|[\s;|&(])(?:-[A-Za-z]*[uU]|--(?:proxy-)?user(?:name)?)(?:=|\s*))(?:'[^\s:'][^:']*:[^']*'?|"[^\s:"][^:"]*:(?:[^"\\]|\\.)*"?|[^\s:'"+-][^\s:'"]*:` + value + `)`),
		"${1}" + redacted},
	{"user information in URLs",
		regexp.MustCompile(`(\b[A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#@'"]*(?:@[^\s/?#@'"]*)*@`),
		"${1}" + redacted + "@"},
	{"values of options that name a secret",
		regexp.MustCompile(`(?i)((?:^|[\s;|&(])--?` + secretName + `(?:=|\s+))` + value),
		"${1}" + redacted},
	{"assignments to names of secrets",
		regexp.MustCompile(`(?i)((?:^|[^a-z0-9_.-])["']?` + secretName + `["']?(?:\+?=|["']?\s*:\s*))` + value),
		"${1}" + redacted},
	{"AWS access key ids",
		regexp.MustCompile(`\b(?:AKIA|ASIA|ABIA|ACCA|AIDA|AROA|AGPA|ANPA)[A-Z0-9]{16}\b`), redacted},
	{"tokens known by their shape (GitHub, GitLab, Slack, OpenAI and Anthropic, JWT)",
		regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[a-z]-[A-Za-z0-9-]{10,}|\bsk-[A-Za-z0-9_-]{20,}|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), redacted},
}

// Redact takes secrets out of a text, as far as their names and shapes tell
// them: see redactions. A line can always hide a secret from it (`x=abc; echo
// $x`), so a log is to be kept like the secrets themselves.
func Redact(text string) string {
	if text == "" {
		return ""
	}
	for _, r := range redactions {
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
