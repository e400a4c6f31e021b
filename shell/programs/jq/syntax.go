package jq

import (
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

// syntaxError words an error of the parser.
func syntaxError(source string, err error) error {
	var pe *gojq.ParseError
	if !errors.As(err, &pe) {
		return &compileError{text: "syntax error"}
	}
	what := "end of file"
	start := min(pe.Offset, len(source))
	if pe.Token != "" {
		start = max(start-len(pe.Token), 0)
		what = tokenName(pe.Token)
	}
	return &compileError{
		text: located(source, "syntax error, unexpected "+what, start, start+max(len(pe.Token), 1)),
	}
}

// tokenName names a token as the grammar does.
func tokenName(token string) string {
	c := token[0]
	switch {
	case strings.Contains(" or and module import include def as label break if then elif else end try catch reduce foreach ", " "+token+" "):
		return `"` + token + `"`
	case '0' <= c && c <= '9':
		return "LITERAL"
	case c == '"':
		return "QQSTRING_START"
	case c == '@':
		return "FORMAT"
	case c == '$' && len(token) > 1:
		return "BINDING"
	case c == '.' && len(token) > 1 && token != "..":
		return "FIELD"
	case c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z':
		return "IDENT"
	case strings.Contains(" != == // ?// |= += -= *= /= %= //= <= >= .. ", " "+token+" "):
		return `"` + token + `"`
	case strings.IndexByte(`.?=;,:|+-*/%$<>[]{}()`, c) >= 0:
		return "'" + token + "'"
	}
	return "INVALID_CHARACTER"
}

// located adds where in the source something is, with the line and a mark.
func located(source, text string, start, end int) string {
	line := strings.Count(source[:start], "\n") + 1
	from := strings.LastIndexByte(source[:start], '\n') + 1
	to := len(source)
	if i := strings.IndexByte(source[start:], '\n'); i >= 0 {
		to = start + i
	}
	mark := max(min(end, to)-start, 1)
	return fmt.Sprintf("%s at <top-level>, line %d, column %d:\n    %s\n    %s%s",
		text, line, start-from+1, source[from:to], strings.Repeat(" ", start-from), strings.Repeat("^", mark))
}

// report words a compile error for the user.
func (e *compileError) report(source string) string {
	text := e.text
	if e.name != "" {
		plain, _, _ := strings.Cut(strings.TrimPrefix(e.name, "$*label-"), "/")
		if at := findWord(source, plain); at >= 0 {
			text = located(source, text, at, at+len(plain))
		}
	}
	return text
}

// findWord finds a name in a source, where it is not a field.
func findWord(source, name string) int {
	word := func(c byte) bool {
		return c == '_' || c == ':' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	for at := 0; ; {
		i := strings.Index(source[at:], name)
		if i < 0 {
			return -1
		}
		i += at
		at = i + 1
		end := i + len(name)
		if i > 0 && (word(source[i-1]) || source[i-1] == '.' || source[i-1] == '$') || end < len(source) && word(source[end]) {
			continue
		}
		return i
	}
}
