package regex

import "unicode/utf8"

// leftSide is what stands left of a position, as far as assertions care.
type leftSide uint8

const (
	atTextStart leftSide = 1 << iota // nothing
	atLineStart                      // nothing, or a newline where that counts
	afterWord                        // a word character
)

// endOfText stands for the byte after the last one.
const endOfText = -1

// leftAt answers the context of a position of a text.
func (p *prog) leftAt(text []byte, pos int, notBOL bool) leftSide {
	if pos == 0 {
		if notBOL {
			return atTextStart
		}
		return atTextStart | atLineStart
	}
	return p.leftAfter(text[pos-1])
}

// leftAfter answers the context right of an ASCII byte, or of any byte in
// byte mode.
func (p *prog) leftAfter(b byte) leftSide {
	var c leftSide
	if p.newline && b == '\n' {
		c |= atLineStart
	}
	if p.hasWords && b < utf8.RuneSelf && isWord(rune(b)) {
		c |= afterWord
	}
	return c
}

// holds tells whether an assertion is true between a left leftSide and the
// byte on the right, which is ASCII or endOfText where words matter.
func (p *prog) holds(a assertion, left leftSide, right int) bool {
	word := right >= 0 && right < utf8.RuneSelf && isWord(rune(right))
	return p.holdsWord(a, left, right, word)
}

func (p *prog) holdsWord(a assertion, left leftSide, right int, rightWord bool) bool {
	leftWord := left&afterWord != 0
	switch a {
	case assertLineStart:
		return left&atLineStart != 0
	case assertLineEnd:
		return right == endOfText || p.newline && right == '\n'
	case assertTextStart:
		return left&atTextStart != 0
	case assertTextEnd:
		return right == endOfText
	case assertWordBoundary:
		return leftWord != rightWord
	case assertNoWordBoundary:
		return leftWord == rightWord
	case assertWordStart:
		return !leftWord && rightWord
	case assertWordEnd:
		return leftWord && !rightWord
	case assertNoWordBefore:
		return !leftWord
	case assertNoWordAfter:
		return !rightWord
	}
	return false
}

// holdsAt evaluates an assertion at a position of a text, with whole
// characters on both sides.
func (p *prog) holdsAt(a assertion, text []byte, pos int, notBOL bool) bool {
	left := p.leftAt(text, pos, notBOL)
	right := endOfText
	if pos < len(text) {
		right = int(text[pos])
	}
	if !p.utf8 || !a.words() {
		return p.holds(a, left, right)
	}
	left &^= afterWord
	if r, size := utf8.DecodeLastRune(text[:pos]); size > 0 && (r != utf8.RuneError || size > 1) && isWord(r) {
		left |= afterWord
	}
	r, size := utf8.DecodeRune(text[pos:])
	return p.holdsWord(a, left, right, size > 0 && (r != utf8.RuneError || size > 1) && isWord(r))
}

// quits tells whether the automata must leave the decision about a byte to
// the slower matcher: words of characters that take several bytes.
func (p *prog) quits(b byte) bool { return p.utf8 && p.hasWords && b >= utf8.RuneSelf }
