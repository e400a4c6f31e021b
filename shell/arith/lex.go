package arith

import "strings"

type token uint8

const (
	tokEnd token = iota
	tokNumber
	tokSlot
	tokName
	tokOpen
	tokClose
	tokComma
	tokQuestion
	tokColon
	tokAssign
	tokOpAssign
	tokOrOr
	tokAndAnd
	tokOr
	tokXor
	tokAnd
	tokEqual
	tokNotEqual
	tokLess
	tokGreater
	tokLessEqual
	tokGreaterEqual
	tokShiftLeft
	tokShiftRight
	tokPlus
	tokMinus
	tokTimes
	tokDivide
	tokModulo
	tokPower
	tokNot
	tokInvert
	tokPreInc
	tokPreDec
	tokPostInc
	tokPostDec
)

// lexer reads tokens as bash's expr.c does.
type lexer struct {
	src string
	pos int

	tok, prev token
	last      int // where the token read last starts; not moved by the end
	number    int64
	name, raw string
	indexed   bool
	assignOp  token
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isNameStart(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (p *parser) next() {
	for p.pos < len(p.src) && isSpace(p.src[p.pos]) {
		p.pos++
	}
	p.prev = p.tok
	if p.pos >= len(p.src) {
		p.tok = tokEnd
		return
	}
	p.last = p.pos
	switch c := p.src[p.pos]; {
	case isNameStart(c):
		p.readName()
	case isDigit(c):
		p.readNumber()
	case c == 0:
		p.readSlot()
	default:
		p.readOperator()
	}
}

func (p *parser) readName() {
	i := p.pos
	for i < len(p.src) && (isNameStart(p.src[i]) || isDigit(p.src[i])) {
		i++
	}
	p.name, p.indexed = p.src[p.pos:i], false
	if i < len(p.src) && p.src[i] == 0 {
		p.fail("syntax error in expression") // name and slot in one token
	}
	if i < len(p.src) && p.src[i] == '[' {
		end := subscriptEnd(p.src, i)
		if end < 0 {
			p.fail("bad array subscript")
		}
		p.raw, p.indexed = p.src[i+1:end], true
		i = end + 1
	}
	p.pos = i
	p.tok = tokName
}

// subscriptEnd answers where the bracket at s[i] closes, -1 when it does not.
// Quotes and nested brackets are skipped.
func subscriptEnd(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case 0:
			i += slotLen - 1
		case '\\':
			i++
		case '\'', '"':
			if n := strings.IndexByte(s[i+1:], s[i]); n >= 0 {
				i += n + 1
			}
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// readNumber reads decimal, 0octal, 0xhex and base#digits.
func (p *parser) readNumber() {
	i := p.pos
	for i < len(p.src) {
		c := p.src[i]
		if c == 0 {
			p.fail("syntax error in expression")
		}
		if !isNameStart(c) && !isDigit(c) && c != '#' && c != '@' {
			break
		}
		i++
	}
	s := p.src[p.pos:i]
	p.number = 0
	if n, ok := decimal(s); ok {
		p.number = n
	} else {
		p.number = p.integer(s)
	}
	p.pos = i
	p.tok = tokNumber
}

func (p *parser) integer(s string) int64 {
	whole := s
	base, found := int64(10), false
	if s[0] == '0' {
		s = s[1:]
		base, found = 8, true
		if s != "" && (s[0] == 'x' || s[0] == 'X') {
			base = 16
			s = s[1:]
		}
	}
	var v int64
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '#' {
			switch {
			case found:
				p.badNumber(whole, "invalid number")
			case v < 2 || v > 64:
				p.badNumber(whole, "invalid arithmetic base")
			case i+1 >= len(s) || s[i+1] == '#':
				p.badNumber(whole, "invalid integer constant")
			}
			base, v, found = v, 0, true
			continue
		}
		var d int64
		switch {
		case isDigit(c):
			d = int64(c - '0')
		case 'a' <= c && c <= 'z':
			d = int64(c-'a') + 10
		case 'A' <= c && c <= 'Z' && base <= 36:
			d = int64(c-'A') + 10
		case 'A' <= c && c <= 'Z':
			d = int64(c-'A') + 36
		case c == '@':
			d = 62
		case c == '_':
			d = 63
		}
		if d >= base {
			p.badNumber(whole, "value too great for base")
		}
		v = v*base + d
	}
	return v
}

// badNumber is fail for the number s; bash's message ends with it.
func (p *parser) badNumber(s, text string) {
	panic(&syntaxError{text, p.last, p.last + len(s)})
}

// readSlot reads a placeholder, which must be a token of its own.
func (p *parser) readSlot() {
	n, ok := slotAt(p.src, p.pos)
	if !ok {
		p.fail("syntax error: operand expected")
	}
	p.pos += slotLen
	if p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == 0, c == '[', c == '#', c == '@', c == '=', isNameStart(c), isDigit(c):
			p.fail("syntax error in expression")
		}
	}
	p.number = int64(n)
	p.tok = tokSlot
}

// operators are the ones of one character.
var operators = map[byte]token{
	'(': tokOpen, ')': tokClose, ',': tokComma, '?': tokQuestion, ':': tokColon, '=': tokAssign,
	'|': tokOr, '^': tokXor, '&': tokAnd, '<': tokLess, '>': tokGreater, '+': tokPlus, '-': tokMinus,
	'*': tokTimes, '/': tokDivide, '%': tokModulo, '!': tokNot, '~': tokInvert,
}

func (p *parser) readOperator() {
	c := p.src[p.pos]
	var c1, c2 byte
	if p.pos+1 < len(p.src) {
		c1 = p.src[p.pos+1]
	}
	if p.pos+2 < len(p.src) {
		c2 = p.src[p.pos+2]
	}
	t, n := tokEnd, 2
	switch {
	case c == '=' && c1 == '=':
		t = tokEqual
	case c == '!' && c1 == '=':
		t = tokNotEqual
	case c == '>' && c1 == '=':
		t = tokGreaterEqual
	case c == '<' && c1 == '=':
		t = tokLessEqual
	case (c == '<' || c == '>') && c1 == c:
		t = tokShiftLeft
		if c == '>' {
			t = tokShiftRight
		}
		if c2 == '=' {
			p.assignOp, t, n = t, tokOpAssign, 3
		}
	case c == '&' && c1 == '&':
		t = tokAndAnd
	case c == '|' && c1 == '|':
		t = tokOrOr
	case c == '*' && c1 == '*':
		t = tokPower
	case (c == '-' || c == '+') && c1 == c:
		t, n = p.step(c)
	case c1 == '=' && strings.IndexByte("*/%+-&^|", c) >= 0:
		p.assignOp, t = operators[c], tokOpAssign
	default:
		var ok bool
		if t, ok = operators[c]; !ok {
			switch p.prev {
			case tokNumber, tokName, tokClose, tokSlot:
				p.fail("syntax error: invalid arithmetic operator")
			default:
				p.fail("syntax error: operand expected")
			}
		}
		n = 1
	}
	p.tok = t
	p.pos += n
}

// step reads ++ or --: after a name a step of it, before one too, else two
// signs.
func (p *parser) step(c byte) (token, int) {
	if p.prev == tokName {
		if c == '-' {
			return tokPostDec, 2
		}
		return tokPostInc, 2
	}
	i := p.pos + 2
	for i < len(p.src) && isSpace(p.src[i]) {
		i++
	}
	if i < len(p.src) && isNameStart(p.src[i]) {
		if c == '-' {
			return tokPreDec, 2
		}
		return tokPreInc, 2
	}
	return operators[c], 1
}
