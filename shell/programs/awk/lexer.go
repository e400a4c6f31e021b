package awk

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// lexer splits program text into tokens.
type lexer struct {
	src      *source
	pos      int
	line     int
	ended    bool // the newline at the end was handed out
	warnings []string
}

// syntaxError is an error of the program text, shown with its line.
type syntaxError struct {
	pos  position
	text string
	bare bool // without the line and the mark below it
	// twice shows the text two times, as gawk does with some.
	twice  bool
	status int // to exit with, 0 for 1
}

func (e *syntaxError) Error() string { return e.text }

// message words the error as gawk does: the source line, and a mark under the
// place.
func (e *syntaxError) message(name string) string {
	where := fmt.Sprintf("%s: %s:%d: ", name, e.pos.source.name, e.pos.line)
	if e.twice {
		return where + e.text + "\n" + where + e.text + "\n"
	}
	if e.bare {
		return where + e.text + "\n"
	}
	s := e.pos.source.text
	start := strings.LastIndexByte(s[:min(e.pos.offset, len(s))], '\n') + 1
	end := len(s)
	if i := strings.IndexByte(s[start:], '\n'); i >= 0 {
		end = start + i
	}
	indent := make([]byte, 0, 64)
	for _, c := range []byte(s[start:min(e.pos.offset, len(s))]) {
		if c != '\t' {
			c = ' '
		}
		indent = append(indent, c)
	}
	return where + s[start:end] + "\n" + where + string(indent) + "^ " + e.text + "\n"
}

func (l *lexer) errorAt(pos position, text string) *syntaxError {
	return &syntaxError{pos: pos, text: text}
}

func (l *lexer) here() position { return position{l.src, l.line, l.pos} }

func (l *lexer) peek(n int) byte {
	if l.pos+n < len(l.src.text) {
		return l.src.text[l.pos+n]
	}
	return 0
}

// skip skips blanks, comments and escaped newlines.
func (l *lexer) skip() {
	s := l.src.text
	for l.pos < len(s) {
		switch c := s[l.pos]; {
		case c == ' ' || c == '\t' || c == '\r':
			l.pos++
		case c == '#':
			for l.pos < len(s) && s[l.pos] != '\n' {
				l.pos++
			}
		case c == '\\' && l.peek(1) == '\n':
			l.pos += 2
			l.line++
		case c == '\\' && l.peek(1) == '\r' && l.peek(2) == '\n':
			l.pos += 3
			l.line++
		default:
			return
		}
	}
}

// next reads a token.
func (l *lexer) next() (token, error) {
	before := l.pos
	l.skip()
	t := token{pos: l.here(), spaceBefore: l.pos > before}
	if l.pos >= len(l.src.text) {
		// The end is a newline first, if there was none.
		if t.kind = tokEOF; !l.ended {
			l.ended = true
			t.kind = tokNewline
			t.pos.line++
		}
		return t, nil
	}
	c := l.src.text[l.pos]
	switch {
	case c == '\n':
		l.pos++
		l.line++
		t.kind, t.pos.line = tokNewline, l.line
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		l.number(&t)
	case c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z':
		l.name(&t)
	case c == '"':
		return t, l.stringLiteral(&t)
	default:
		return t, l.operator(&t)
	}
	return t, nil
}

func (l *lexer) number(t *token) {
	s := l.src.text[l.pos:]
	t.kind = tokNumber
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' && hexDigit(s[2]) >= 0 {
		i := 2
		for ; i < len(s) && hexDigit(s[i]) >= 0; i++ {
			t.num = t.num*16 + float64(hexDigit(s[i]))
		}
		l.pos += i
		return
	}
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i > 1 && s[0] == '0' && (i == len(s) || s[i] != '.' && s[i]|0x20 != 'e') && strings.Trim(s[:i], "01234567") == "" {
		n, _ := strconv.ParseUint(s[:i], 8, 64)
		t.num = float64(n)
		l.pos += i
		return
	}
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && isDigit(s[i]); i++ {
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && isDigit(s[j]) {
			for i = j; i < len(s) && isDigit(s[i]); i++ {
			}
		}
	}
	n, err := strconv.ParseFloat(s[:i], 64)
	if err != nil && !math.IsInf(n, 0) {
		n = 0
	}
	t.num = n
	l.pos += i
}

func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

func (l *lexer) name(t *token) {
	s := l.src.text
	start := l.pos
	for l.pos < len(s) && (s[l.pos] == '_' || isDigit(s[l.pos]) || 'a' <= s[l.pos]|0x20 && s[l.pos]|0x20 <= 'z') {
		l.pos++
	}
	t.text = s[start:l.pos]
	if k, ok := keywords[t.text]; ok {
		t.kind = k
		return
	}
	if _, ok := builtins[t.text]; ok {
		t.kind = tokBuiltin
		return
	}
	t.kind = tokName
	if l.peek(0) == '(' {
		t.kind = tokFuncName
	}
}

func (l *lexer) stringLiteral(t *token) error {
	s := l.src.text
	i := l.pos + 1
	for ; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\n' {
			return l.errorAt(t.pos, "unterminated string")
		}
		if s[i] == '\\' {
			i++
			if i < len(s) && s[i] == '\n' {
				l.line++
			}
		}
	}
	if i >= len(s) {
		return l.errorAt(t.pos, "unterminated string")
	}
	t.kind = tokString
	t.text = l.unescape(s[l.pos+1:i], t.pos)
	l.pos = i + 1
	return nil
}

// unescape replaces the escape sequences of a string.
func (l *lexer) unescape(s string, pos position) string {
	out, unknown := unescapeString(s)
	for _, c := range unknown {
		l.warnings = append(l.warnings, fmt.Sprintf("%s:%d: warning: escape sequence `\\%c' treated as plain `%c'", pos.source.name, pos.line, c, c))
	}
	return out
}

// unescapeString replaces the escape sequences of a string and lists those that
// are none.
func unescapeString(s string) (string, []byte) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, nil
	}
	var b, unknown []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		if s[i] == '\n' {
			continue
		}
		if c, n := escapeChar(s[i:]); n > 0 {
			b = append(b, c)
			i += n - 1
			continue
		}
		if s[i] != '"' && s[i] != '\\' {
			unknown = append(unknown, s[i])
		}
		b = append(b, s[i])
	}
	return string(b), unknown
}

// escapeChar decodes an escape after its backslash that stands for one
// character; n is its length, 0 for any other.
func escapeChar(s string) (c byte, n int) {
	if i := strings.IndexByte("abfnrtv", s[0]); i >= 0 {
		return "\a\b\f\n\r\t\v"[i], 1
	}
	switch {
	case s[0] >= '0' && s[0] <= '7':
		v := 0
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			v = v*8 + int(s[n]-'0')
			n++
		}
		return byte(v), n
	case s[0] == 'x' && len(s) > 1 && hexDigit(s[1]) >= 0:
		v := 0
		for n = 1; n < 3 && n < len(s) && hexDigit(s[n]) >= 0; n++ {
			v = v*16 + hexDigit(s[n])
		}
		return byte(v), n
	}
	return 0, 0
}

// regex reads a regular expression whose opening slash, or /= operator, was
// read as t.
func (l *lexer) regex(t *token) error {
	s := l.src.text
	start := t.pos.offset + 1
	i, inBracket := start, false
	for ; i < len(s) && s[i] != '\n'; i++ {
		c := s[i]
		if c == '\\' && i+1 < len(s) && s[i+1] != '\n' {
			i++
			continue
		}
		if inBracket {
			switch {
			case c == '[' && i+1 < len(s) && s[i+1] == ':':
				if end := strings.Index(s[i+2:], ":]"); end >= 0 {
					i += end + 3
				}
			case c == ']':
				inBracket = false
			}
			continue
		}
		if c == '[' {
			inBracket = true
			if i+1 < len(s) && s[i+1] == '^' {
				i++
			}
			if i+1 < len(s) && s[i+1] == ']' {
				i++
			}
			continue
		}
		if c == '/' {
			break
		}
	}
	if i >= len(s) || s[i] != '/' {
		pos := t.pos
		pos.offset++
		return l.errorAt(pos, "unterminated regexp")
	}
	t.kind, t.text = tokRegex, s[start:i]
	l.pos = i + 1
	return nil
}

// operators are the operators of more than one character, the longest first.
var operators = []struct {
	text string
	kind tokenKind
}{
	{"**=", tokPowAssign}, {"&&", tokAnd}, {"||", tokOr}, {"|&", tokCoprocess}, {"++", tokIncr}, {"--", tokDecr},
	{"+=", tokAddAssign}, {"-=", tokSubAssign}, {"*=", tokMulAssign}, {"/=", tokDivAssign}, {"%=", tokModAssign}, {"^=", tokPowAssign},
	{"==", tokEq}, {"<=", tokLe}, {">=", tokGe}, {"!=", tokNe}, {"!~", tokNoMatch}, {">>", tokAppend}, {"**", '^'},
}

func (l *lexer) operator(t *token) error {
	s := l.src.text[l.pos:]
	for _, o := range operators {
		if strings.HasPrefix(s, o.text) {
			t.kind = o.kind
			l.pos += len(o.text)
			return nil
		}
	}
	if strings.IndexByte("{}()[];,+-*/%^!<>|?:~$=@", s[0]) < 0 {
		return l.errorAt(t.pos, fmt.Sprintf("invalid char '%c' in expression", s[0]))
	}
	t.kind = tokenKind(s[0])
	l.pos++
	return nil
}
