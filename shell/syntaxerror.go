package shell

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// syntaxError is source text that is no command.
type syntaxError struct {
	text       string // the parser's own words
	offset     int    // where the parser gave up, in bytes of the text
	line       int    // the same as a line of the text, from 1
	token      string // what bash complains about; "newline" at the end of a line
	eof        bool   // the text ended too early
	matching   string // the quote or bracket that was left open, where bash says so
	incomplete bool   // more text could have made it right
}

func (s *syntaxError) Error() string { return s.text }

// message words the error as bash does, without prefix.
func (s *syntaxError) message() string {
	switch {
	case s.matching != "":
		return "unexpected EOF while looking for matching `" + s.matching + "'"
	case s.eof:
		return "syntax error: unexpected end of file"
	}
	return "syntax error near unexpected token `" + s.token + "'"
}

// syntaxErrorOf turns a parser's error into ours; offset is where the text
// starts in what the parser got.
func syntaxErrorOf(err error, offset int) error {
	var known *syntaxError
	if errors.Is(err, errTooDeep) || errors.Is(err, errTooLarge) || errors.Is(err, errCanceled) || errors.As(err, &known) {
		return err
	}
	var pe syntax.ParseError
	var le syntax.LangError
	switch {
	case errors.As(err, &pe):
	case errors.As(err, &le):
		pe = syntax.ParseError{Pos: le.Pos, Text: le.Feature}
	default:
		return err
	}
	return &syntaxError{
		text: pe.Text, offset: int(pe.Pos.Offset()) - offset, line: int(pe.Pos.Line()), incomplete: pe.Incomplete,
	}
}

// maxLocate bounds the text in which the offending token is looked for.
const maxLocate = 64 << 10

// locate finds what bash would complain about: the first token that no text
// after it could make right. The parser points at the construct instead. text
// is what failed to parse and first the number of its first line.
func (e *Executor) locate(s *syntaxError, text string, first int) {
	if s.text == misplaced || len(text) > maxLocate {
		s.token = tokenAt(text, s.offset)
		s.line = first + strings.Count(text[:clamp(s.offset, len(text))], "\n")
		return
	}
	cuts := tokenEnds(text)
	lo, hi := 0, len(cuts)
	for lo < hi {
		mid := (lo + hi) / 2
		if e.hopeless(text[:cuts[mid].end]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == len(cuts) {
		s.eof = true
		s.matching = missingCloser(s.text)
		if i := s.offset; strings.HasPrefix(s.text, "reached EOF without matching `(` ") && (i < 1 || i > len(text) || text[i-1] != '=') {
			s.matching = "" // a subshell, not an array
		}
		s.line = first + strings.Count(text[:clamp(s.offset, len(text))], "\n")
		if s.matching == "" || strings.Contains(s.text, "`$(` with") {
			s.line = first + strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
		}
		return
	}
	if lo > 1 && text[cuts[lo-1].start] == ';' && expectsCommand(text[cuts[lo-2].start:cuts[lo-2].end]) {
		lo-- // the parser takes "if;" for the start of something
	}
	c := cuts[lo]
	s.token = text[c.start:c.end]
	if s.token == "\n" {
		s.token = "newline"
	}
	if s.token == "((" || s.token == "))" {
		s.token = s.token[:1]
	}
	s.offset = c.start
	s.line = first + strings.Count(text[:c.start], "\n")
}

// expectsCommand reports whether a command must follow a word.
func expectsCommand(word string) bool {
	switch word {
	case "if", "then", "elif", "else", "while", "until", "do", "{", "(", "!", "&&", "||", "|":
		return true
	}
	return false
}

func clamp(n, limit int) int { return max(0, min(n, limit)) }

// hopeless reports whether a text is wrong whatever follows.
func (e *Executor) hopeless(text string) bool {
	p := e.s.parser()
	defer e.s.putParser(p)
	_, err := p.Parse(newGuard(e.ctx, strings.NewReader(text)), "")
	var pe syntax.ParseError
	return err != nil && !(errors.As(err, &pe) && pe.Incomplete)
}

// span is a token of a text.
type span struct{ start, end int }

// tokenEnds cuts a text into tokens, quotes not regarded: a cut within a quote
// only makes a text that is not finished.
func tokenEnds(text string) []span {
	var cuts []span
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '\n':
			cuts = append(cuts, span{i, i + 1})
			i++
		default:
			n := len(tokenAt(text, i))
			if n == 0 {
				n = 1
			}
			cuts = append(cuts, span{i, i + n})
			i += n
		}
	}
	return cuts
}

// missingCloser answers the quote or bracket that the parser's error says was
// never closed, where bash reports such an end as "looking for matching".
func missingCloser(text string) string {
	if _, q, ok := strings.Cut(text, "without closing quote "); ok {
		return unquoteCloser(q)
	}
	if open, closer, ok := strings.Cut(strings.TrimPrefix(text, "reached EOF without matching "), " with "); ok {
		switch strings.Trim(open, "`") {
		case "((", "$((":
			return ")"
		case "$(", "${", "(":
			return strings.Trim(closer, "`")
		}
	}
	return ""
}

// unquoteCloser takes a quote out of the quotes that the parser's message puts
// around it.
func unquoteCloser(q string) string {
	if len(q) == 3 {
		return q[1:2]
	}
	return q
}

// tokenAt cuts the token at an offset out of a source text: "newline" at the
// end of a line, "" at the end of the text.
func tokenAt(source string, at int) string {
	if at < 0 || at >= len(source) {
		return ""
	}
	rest := source[at:]
	if rest[0] == '\n' {
		return "newline"
	}
	for _, op := range []string{
		";;&", "<<<", "<<-", "&>>", ";;", ";&", "&&", "||", "|&", ">>", "<<", "<&", ">&", "<>", ">|", "&>",
	} {
		if strings.HasPrefix(rest, op) {
			return op
		}
	}
	if strings.IndexByte(";&|<>()", rest[0]) >= 0 {
		return rest[:1]
	}
	if i := strings.IndexAny(rest, " \t\n;&|<>()"); i > 0 {
		return rest[:i]
	}
	return rest
}
