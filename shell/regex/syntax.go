package regex

// syntax is the dialect of a pattern, in the terms of glibc's syntax bits.
type syntax uint

const (
	escapeInLists      syntax = 1 << iota // \ escapes within brackets
	backslashPlus                         // \+ and \? are the operators, not + and ?
	anchorsAnywhere                       // ^ and $ are anchors wherever they stand
	operatorsFirst                        // an operator without operand is dropped, not ordinary
	operatorsError                        // ... is an error
	repeatError                           // an interval without operand, or a second * or interval, is an error
	plainBraces                           // { } are the operators, not \{ \}
	plainParens                           // ( ) are the operators, not \( \)
	plainBar                              // | is the operator, not \|
	newlineBar                            // a newline is |
	rightParenLiteral                     // an unmatched ) is ordinary
	badIntervalLiteral                    // an interval that is none is ordinary
	backslashNone                         // \` \' \w and so on are ordinary
	grepWarnings                          // remark on operators without operand
)

// dialect answers the syntax that flags ask for: RE_SYNTAX_POSIX_BASIC,
// RE_SYNTAX_POSIX_EXTENDED, RE_SYNTAX_GREP, RE_SYNTAX_EGREP,
// RE_SYNTAX_GNU_AWK and RE_SYNTAX_EMACS of regex.h.
func dialect(flags Flags) syntax {
	const extended = anchorsAnywhere | operatorsFirst | operatorsError | plainBraces | plainParens | plainBar | rightParenLiteral
	var s syntax
	switch {
	case flags&Awk != 0:
		s = extended&^(operatorsFirst|operatorsError) | escapeInLists | badIntervalLiteral
	case flags&Emacs != 0:
		s = 0
	case flags&Extended != 0 && flags&Grep != 0:
		s = extended&^operatorsError | badIntervalLiteral | newlineBar | grepWarnings
	case flags&Extended != 0:
		s = extended
	case flags&Grep != 0:
		s = backslashPlus | newlineBar
	default:
		s = backslashPlus | repeatError
	}
	if flags&StrictParens != 0 {
		s &^= rightParenLiteral
	}
	return s
}

// tokenKind is what the lexer makes of the next characters of a pattern.
type tokenKind int

const (
	tokEnd tokenKind = iota
	tokChar
	tokAny
	tokOpen
	tokClose
	tokBar
	tokStar
	tokPlus
	tokQuestion
	tokOpenBrace
	tokCloseBrace
	tokBracket
	tokBackRef
	tokAssert
	tokClass // \w \W \s \S
	tokTrailingBackslash
)

type token struct {
	kind   tokenKind
	char   rune // tokChar; the letter of tokClass; the digit of tokBackRef
	raw    bool // the character is a byte that is not UTF-8
	assert assertion
	size   int // bytes
}

// isRepeat tells the tokens that repeat what stands before them.
func (t token) isRepeat() bool {
	switch t.kind {
	case tokStar, tokPlus, tokQuestion, tokOpenBrace:
		return true
	}
	return false
}

// at decodes the character at an offset of the pattern.
func (p *parser) at(i int) (r rune, raw bool, size int) {
	if p.flags&UTF8 == 0 {
		return rune(p.src[i]), false, 1
	}
	return decode(p.src[i:])
}

// peek lexes the token at p.pos. caretHere makes ^ an anchor where a BRE has
// it ordinary: after \( and \|.
func (p *parser) peek(caretHere bool) token {
	if p.pos >= len(p.src) {
		return token{kind: tokEnd}
	}
	if p.src[p.pos] == '\\' {
		return p.peekEscape()
	}
	r, raw, size := p.at(p.pos)
	t := token{kind: tokChar, char: r, raw: raw, size: size}
	if raw {
		return t
	}
	has := func(bits syntax) bool { return p.syntax&bits == bits }
	switch r {
	case '\n':
		if has(newlineBar) {
			t.kind = tokBar
		}
	case '|':
		if has(plainBar) {
			t.kind = tokBar
		}
	case '*':
		t.kind = tokStar
	case '+':
		if !has(backslashPlus) {
			t.kind = tokPlus
		}
	case '?':
		if !has(backslashPlus) {
			t.kind = tokQuestion
		}
	case '{':
		if has(plainBraces) {
			t.kind = tokOpenBrace
		}
	case '}':
		if has(plainBraces) {
			t.kind = tokCloseBrace
		}
	case '(':
		if has(plainParens) {
			t.kind = tokOpen
		}
	case ')':
		if has(plainParens) {
			t.kind = tokClose
		}
	case '[':
		t.kind = tokBracket
	case '.':
		t.kind = tokAny
	case '^':
		if has(anchorsAnywhere) || caretHere || p.pos == 0 || has(newlineBar) && p.src[p.pos-1] == '\n' {
			t.kind, t.assert = tokAssert, assertLineStart
		}
	case '$':
		if has(anchorsAnywhere) || p.pos+1 == len(p.src) || p.dollarEnds() {
			t.kind, t.assert = tokAssert, assertLineEnd
		}
	}
	return t
}

// dollarEnds tells whether a BRE's $ stands before \) or \|.
func (p *parser) dollarEnds() bool {
	p.pos++
	next := p.peek(false)
	p.pos--
	return next.kind == tokBar || next.kind == tokClose
}

func (p *parser) peekEscape() token {
	if p.pos+1 == len(p.src) {
		return token{kind: tokTrailingBackslash, size: 1}
	}
	r, raw, size := p.at(p.pos + 1)
	t := token{kind: tokChar, char: r, raw: raw, size: 1 + size}
	if raw {
		return t
	}
	has := func(bits syntax) bool { return p.syntax&bits == bits }
	assert := func(a assertion) token {
		t.kind, t.assert = tokAssert, a
		return t
	}
	switch r {
	case '|':
		if !has(plainBar) {
			t.kind = tokBar
		}
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		t.kind = tokBackRef
	case '<':
		return assert(assertWordStart)
	case '>':
		return assert(assertWordEnd)
	case 'b':
		return assert(assertWordBoundary)
	case 'y':
		if p.flags&Awk != 0 {
			return assert(assertWordBoundary)
		}
	case 'B':
		return assert(assertNoWordBoundary)
	case '`':
		return assert(assertTextStart)
	case '\'':
		return assert(assertTextEnd)
	case 'w', 'W', 's', 'S':
		t.kind = tokClass
	case '(':
		if !has(plainParens) {
			t.kind = tokOpen
		}
	case ')':
		if !has(plainParens) {
			t.kind = tokClose
		}
	case '+':
		if has(backslashPlus) {
			t.kind = tokPlus
		}
	case '?':
		if has(backslashPlus) {
			t.kind = tokQuestion
		}
	case '{':
		if !has(plainBraces) {
			t.kind = tokOpenBrace
		}
	case '}':
		if !has(plainBraces) {
			t.kind = tokCloseBrace
		}
	}
	return t
}
