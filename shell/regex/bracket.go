package regex

import "strings"

// maxRanges bounds the ranges of all the bracket expressions of a pattern.
const maxRanges = 1 << 19

// bracket reads a bracket expression after its opening bracket and leaves
// p.pos after the closing one.
func (p *parser) bracket() (charSet, error) {
	start := p.pos
	set, not, err := p.readBracket()
	if err != nil {
		return nil, err
	}
	source := p.src[start-1 : p.pos]
	if known, ok := p.sets[source]; ok {
		return known, nil
	}
	if p.ranges += len(set); p.ranges > maxRanges {
		return nil, ErrTooBig
	}
	set = p.fold(set)
	if not {
		set = p.negate(set)
	} else if p.flags&Lines != 0 {
		set = set.without('\n')
	}
	p.remember(source, set)
	return set, nil
}

// readBracket reads the list itself.
func (p *parser) readBracket() (set charSet, not bool, err error) {
	start := p.pos
	not = p.have('^')
	if p.pos >= len(p.src) {
		return nil, false, ErrPattern
	}
	for first := true; ; first = false {
		if p.pos >= len(p.src) {
			return nil, false, ErrBracket
		}
		if p.src[p.pos] == ']' && !first {
			p.pos++
			break
		}
		lo, class, err := p.bracketElement(first)
		if err != nil {
			return nil, false, err
		}
		isRange, err := p.rangeFollows()
		if err != nil {
			return nil, false, err
		}
		if !isRange {
			if class != nil {
				set = append(set, class...)
			} else {
				set = set.add(lo, lo)
			}
			continue
		}
		p.pos++
		hi, hiClass, err := p.bracketElement(true)
		if err != nil {
			return nil, false, err
		}
		if class != nil || hiClass != nil || lo > hi {
			return nil, false, ErrRange
		}
		set = set.add(lo, hi)
	}
	if p.flags&Grep != 0 && isClassWithoutBrackets(p.src[start:p.pos-1]) {
		return nil, false, ErrClassSyntax
	}
	return set, not, nil
}

// isClassWithoutBrackets tells [:space:] from [[:space:]], by what stands
// between the outer brackets.
func isClassWithoutBrackets(s string) bool {
	return len(s) >= 2 && s[0] == ':' && s[len(s)-1] == ':'
}

func (p *parser) have(c byte) bool {
	if p.pos < len(p.src) && p.src[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// rangeFollows tells whether the hyphen at p.pos, if any, makes a range; at
// the end of the list it is an ordinary character.
func (p *parser) rangeFollows() (bool, error) {
	if p.pos >= len(p.src) {
		return false, ErrBracket
	}
	if p.src[p.pos] != '-' {
		return false, nil
	}
	if p.pos+1 >= len(p.src) {
		return false, ErrBracket
	}
	return p.src[p.pos+1] != ']', nil
}

// bracketElement reads a character, a class or a collating element. A hyphen
// that stands for itself must be first, last, or the end of a range.
func (p *parser) bracketElement(hyphenOK bool) (r rune, class charSet, err error) {
	if p.pos >= len(p.src) {
		return 0, nil, ErrBracket
	}
	rest := p.src[p.pos:]
	switch {
	case rest[0] == '[' && len(rest) > 1 && strings.IndexByte(".=:", rest[1]) >= 0:
		return p.bracketSymbol(rest[1])
	case rest[0] == '\\' && p.syntax&escapeInLists != 0 && len(rest) > 1:
		p.pos++
	case rest[0] == '-' && !hyphenOK:
		if len(rest) > 1 && rest[1] != ']' {
			return 0, nil, ErrRange
		}
	}
	c, raw, size := p.at(p.pos)
	p.pos += size
	if raw {
		c += rawByte
	}
	return c, nil, nil
}

// bracketSymbol reads [:class:], [=x=] or [.x.], delim being the inner mark.
func (p *parser) bracketSymbol(delim byte) (rune, charSet, error) {
	name, _, ok := strings.Cut(p.src[p.pos+2:], string(delim)+"]")
	if !ok || len(name) >= 32 {
		return 0, nil, ErrBracket
	}
	p.pos += 2 + len(name) + 2
	if delim == ':' {
		set, ok := p.classSet(name)
		if !ok {
			return 0, nil, ErrCharClass
		}
		return 0, set, nil
	}
	if name == "" {
		return 0, nil, ErrCollate
	}
	r, raw, size := rune(name[0]), false, 1
	if p.flags&UTF8 != 0 {
		r, raw, size = decode(name)
	}
	if size != len(name) {
		return 0, nil, ErrCollate
	}
	if raw {
		r += rawByte
	}
	if delim == '=' {
		return 0, charSet{{r, r}}, nil
	}
	return r, nil, nil
}
