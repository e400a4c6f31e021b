package jq

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// parseError is a fault in JSON text.
type parseError struct{ text string }

func (e *parseError) Error() string { return e.text }

// parser reads JSON texts that come in pieces. It words its errors as jq's
// does, which reads a character at a time. It is used for one text after
// another: feed, then next until there is nothing, then feed again.
type parser struct {
	seq bool // texts are divided by RS, as RFC 7464 says

	buf  []byte // of feed, not looked at yet
	last bool   // no more will come

	line, column int
	state        parserState
	token        []byte // of a literal or a string
	escaped      bool   // the string has escapes
	stack        []container
	value        any
	has          bool // value is complete
	blank        bool // the last character was white space
	stream       *streamer
	started      bool
	built        int64 // bytes of the value that is being read, or was read last
	fresh        bool  // the next byte begins another value
}

type parserState byte

const (
	inNormal parserState = iota
	inString
	inEscape
	beforeRS
)

// container is an array or an object that is not closed yet.
type container struct {
	array  []any
	object *Object // nil for an array
	key    string
	hasKey bool
}

func newParser() *parser { return &parser{line: 1, fresh: true} }

func (p *parser) feed(b []byte, last bool) {
	if !p.started && len(b) > 0 {
		p.started = true
		b = []byte(strings.TrimPrefix(string(b), "\ufeff"))
	}
	p.buf, p.last = b, last
}

// next answers the next text. ok is false when more must be fed, or after the
// last. After an error reading goes on behind it.
func (p *parser) next() (v any, ok bool, err error) {
	if p.stream != nil {
		if event, ok := p.stream.take(); ok {
			return event, true, nil
		}
	}
	for len(p.buf) > 0 {
		c := p.buf[0]
		p.buf = p.buf[1:]
		if p.fresh {
			p.built, p.fresh = 0, false
		}
		done, message := p.scan(c)
		if message != "" {
			p.reset()
			if p.seq && c != rs {
				p.state = beforeRS
				return nil, false, p.fault(message + " at line %d, column %d (need RS to resync)")
			}
			return nil, false, p.fault(message + " at line %d, column %d")
		}
		if p.stream != nil {
			if event, ok := p.stream.take(); ok {
				return event, true, nil
			}
		}
		if done {
			return p.take(), true, nil
		}
	}
	if !p.last {
		return nil, false, nil
	}
	return p.end()
}

const rs = 0x1e

func (p *parser) fault(format string) error {
	return &parseError{fmt.Sprintf(format, p.line, p.column)}
}

func (p *parser) take() any {
	v := p.value
	p.value, p.has = nil, false
	p.fresh = len(p.stack) == 0
	return v
}

func (p *parser) reset() {
	p.stack, p.token = p.stack[:0], p.token[:0]
	p.value, p.has, p.escaped = nil, false, false
	p.state, p.fresh = inNormal, true
	if p.stream != nil {
		p.stream.reset()
	}
}

// end finishes at the end of the input.
func (p *parser) end() (any, bool, error) {
	message := ""
	switch p.state {
	case beforeRS:
		p.state = inNormal
		message = "Unfinished abandoned text"
	case inString, inEscape:
		message = "Unfinished string"
	default:
		message = p.literal()
		switch {
		case message != "":
		case len(p.stack) > 0 || p.stream != nil && len(p.stream.levels) > 0:
			message = "Unfinished JSON term"
		}
	}
	if message != "" {
		p.reset()
		return nil, false, p.fault(message + " at EOF at line %d, column %d")
	}
	if p.stream != nil && p.has {
		p.stream.scalar(p.take())
		v, ok := p.stream.take()
		return v, ok, nil
	}
	if !p.has {
		return nil, false, nil
	}
	v := p.take()
	if _, isNumber := number(v); p.seq && isNumber && !p.blank {
		return nil, false, p.fault("Potentially truncated top-level numeric value at EOF at line %d, column %d")
	}
	return v, true, nil
}

// scan takes one character in. done tells that a text is complete.
func (p *parser) scan(c byte) (done bool, message string) {
	if p.state == beforeRS {
		if c == '\n' {
			p.line++
			p.column = 0
		} else {
			p.column++
		}
		if c == rs {
			p.state = inNormal
		}
		return false, ""
	}
	p.column++
	if c == '\n' {
		p.line++
		p.column = 0
	}
	if c == rs && p.seq {
		return p.separator()
	}
	switch p.state {
	case inEscape:
		p.token = append(p.token, c)
		p.state = inString
		return false, ""
	case inString:
		return p.inString(c)
	}
	p.blank = false
	switch c {
	case ' ', '\t', '\r', '\n':
		p.blank = true
		message = p.literal()
	case '"':
		message = p.literal()
		if message == "" {
			// A text may be complete before the string.
			p.state = inString
		}
	case '[', ']', '{', '}', ':', ',':
		if message = p.literal(); message == "" {
			message = p.structure(c)
		}
	default:
		if len(p.token) > maxToken {
			return false, "Invalid numeric literal"
		}
		p.token = append(p.token, c)
		return false, ""
	}
	if message != "" {
		return false, message
	}
	return p.complete(), ""
}

// maxToken bounds a number; jq has no bound, but no use for more either.
const maxToken = 1 << 20

func (p *parser) complete() bool {
	if p.stream != nil {
		if p.has && len(p.stream.levels) == 0 {
			p.stream.scalar(p.take())
		}
		return false
	}
	return len(p.stack) == 0 && p.has
}

// separator handles the RS between texts.
func (p *parser) separator() (bool, string) {
	if p.state != inNormal || len(p.stack) > 0 || len(p.token) > 0 {
		if p.state == inNormal && len(p.stack) == 0 && p.literal() == "" {
			if _, isNumber := number(p.value); isNumber {
				return false, "Potentially truncated top-level numeric value"
			}
			return p.complete(), ""
		}
		return false, "Truncated value"
	}
	return p.complete(), ""
}

func (p *parser) inString(c byte) (bool, string) {
	// Take the plain run in front of the next special character at once.
	switch c {
	case '"':
		s, message := p.text()
		if message == "" {
			message = p.put(s)
		}
		if message != "" {
			return false, message
		}
		p.state = inNormal
		return p.complete(), ""
	case '\\':
		p.token = append(p.token, c)
		p.escaped = true
		p.state = inEscape
		return false, ""
	}
	p.token = append(p.token, c)
	n := 0
	for n < len(p.buf) && p.buf[n] != '"' && p.buf[n] != '\\' && p.buf[n] != '\n' && p.buf[n] != rs {
		n++
	}
	p.token = append(p.token, p.buf[:n]...)
	p.buf = p.buf[n:]
	p.column += n
	return false, ""
}

// put places a complete value.
func (p *parser) put(v any) string {
	if p.has {
		return "Expected separator between values"
	}
	p.value, p.has = v, true
	p.built += sizeElement
	if s, ok := v.(string); ok {
		p.built += sizeString + int64(len(s))
	}
	return ""
}

// literal finishes a word or a number, if one has begun.
func (p *parser) literal() string {
	if len(p.token) == 0 {
		return ""
	}
	var v any
	want := ""
	switch p.token[0] {
	case 't':
		v, want = true, "true"
	case 'f':
		v, want = false, "false"
	case 'n':
		want = "null"
		if len(p.token) == 3 {
			v, want = math.NaN(), "nan"
		}
	case '\'':
		return `Invalid string literal; expected ", but got '`
	}
	switch {
	case want != "" && string(p.token) != want:
		return "Invalid literal"
	case want == "":
		var ok bool
		if v, ok = parseNumber(string(p.token)); !ok {
			return "Invalid numeric literal"
		}
	}
	p.token = p.token[:0]
	return p.put(v)
}

func (p *parser) top() *container {
	if len(p.stack) == 0 {
		return nil
	}
	return &p.stack[len(p.stack)-1]
}

func (p *parser) pop() {
	p.stack[len(p.stack)-1] = container{}
	p.stack = p.stack[:len(p.stack)-1]
}

func (p *parser) structure(c byte) string {
	if p.stream != nil {
		return p.stream.structure(p, c)
	}
	top := p.top()
	switch c {
	case '[', '{':
		if len(p.stack) >= maxDepth {
			return "Exceeds depth limit for parsing"
		}
		if p.has {
			return "Expected separator between values"
		}
		open := container{array: []any{}}
		if c == '{' {
			open = container{object: newObject(4)}
		}
		p.stack = append(p.stack, open)
		p.built += sizeContainer
	case ':':
		if !p.has {
			return "Expected string key before ':'"
		}
		if top == nil || top.object == nil || top.hasKey {
			return "':' not as part of an object"
		}
		key, ok := p.value.(string)
		if !ok {
			return "Object keys must be strings"
		}
		p.take()
		top.key, top.hasKey = key, true
	case ',':
		switch {
		case !p.has:
			return "Expected value before ','"
		case top == nil:
			return "',' not as part of an object or array"
		case top.object == nil:
			top.array = append(top.array, p.take())
		case top.hasKey:
			top.object.set(top.key, p.take())
			top.hasKey = false
			p.built += sizeMember
		default:
			return "Objects must consist of key:value pairs"
		}
	case ']':
		switch {
		case top == nil || top.object != nil:
			return "Unmatched ']'"
		case p.has:
			top.array = append(top.array, p.take())
		case len(top.array) > 0:
			return "Expected another array element"
		}
		v := top.array
		p.pop()
		p.value, p.has = v, true
	case '}':
		switch {
		case top == nil:
			return "Unmatched '}'"
		case p.has && (top.object == nil || !top.hasKey):
			return "Objects must consist of key:value pairs"
		case p.has:
			top.object.set(top.key, p.take())
		case top.object == nil || top.hasKey:
			return "Unmatched '}'"
		case top.object.len() > 0:
			return "Expected another key-value pair"
		}
		v := top.object
		p.pop()
		p.value, p.has = v, true
	}
	return ""
}

// text answers the string that token holds, its escapes resolved.
func (p *parser) text() (s, message string) {
	defer func() { p.token, p.escaped = p.token[:0], false }()
	for _, c := range p.token {
		if c < ' ' {
			return "", "Invalid string: control characters from U+0000 through U+001F must be escaped"
		}
	}
	if !p.escaped {
		return validString(string(p.token)), ""
	}
	out := make([]byte, 0, len(p.token))
	for in := p.token; len(in) > 0; {
		if in[0] != '\\' {
			out = append(out, in[0])
			in = in[1:]
			continue
		}
		if len(in) == 1 {
			return "", "Expected escape character at end of string"
		}
		c := in[1]
		in = in[2:]
		switch c {
		case '\\', '"', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 't':
			out = append(out, '\t')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 'u':
			r, n, complaint := unicodeEscape(in)
			if complaint != "" {
				return "", complaint
			}
			out = utf8.AppendRune(out, r)
			in = in[n:]
		default:
			return "", "Invalid escape"
		}
	}
	return validString(string(out)), ""
}

// unicodeEscape reads what follows \u: four digits, and a second escape after
// the first half of a surrogate pair.
func unicodeEscape(in []byte) (r rune, n int, complaint string) {
	if len(in) < 4 {
		return 0, 0, "Invalid \\uXXXX escape"
	}
	r = hex4(in)
	if r < 0 {
		return 0, 0, "Invalid characters in \\uXXXX escape"
	}
	if r < 0xd800 || r > 0xdbff {
		return r, 4, "" // the second half of a pair alone becomes U+FFFD
	}
	if len(in) >= 10 && in[4] == '\\' && in[5] == 'u' {
		if low := hex4(in[6:]); low >= 0xdc00 && low <= 0xdfff {
			return 0x10000 + (r-0xd800)<<10 + (low - 0xdc00), 10, ""
		}
	}
	return 0, 0, "Invalid \\uXXXX\\uXXXX surrogate pair escape"
}

func hex4(in []byte) rune {
	r := rune(0)
	for _, c := range in[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// validString replaces what is not UTF-8.
func validString(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			n = brokenLength(s)
			b.WriteString("\ufffd")
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// brokenLength answers how many bytes stand for one broken character: the
// first and the continuation bytes that it asked for.
func brokenLength(s string) int {
	want := 1
	switch c := s[0]; {
	case c >= 0xf0 && c < 0xf8:
		want = 4
	case c >= 0xe0 && c < 0xf0:
		want = 3
	case c >= 0xc2 && c < 0xe0:
		want = 2
	}
	n := 1
	for n < want && n < len(s) && s[n]&0xc0 == 0x80 {
		n++
	}
	return n
}

// parseText reads exactly one JSON text, as fromjson and --argjson do.
func parseText(s string) (any, error) {
	p := newParser()
	p.feed([]byte(s), true)
	v, ok, err := p.next()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &parseError{"Expected JSON value"}
	}
	switch _, more, err := p.next(); {
	case err != nil:
		return nil, err
	case more:
		return nil, &parseError{"Unexpected extra JSON values"}
	}
	return v, nil
}
