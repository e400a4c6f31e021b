package regex

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// rawByte plus a byte value is the "character" of a byte that is not valid
// UTF-8, in UTF-8 mode.
const rawByte = utf8.MaxRune + 1

// rune answers the character of a token as a set holds it.
func (t token) rune() rune {
	if t.raw {
		return rawByte + t.char
	}
	return t.char
}

// decode reads one character of a text in UTF-8 mode.
func decode(s string) (r rune, raw bool, size int) {
	r, size = utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 {
		return rune(s[0]), true, 1
	}
	return r, false, size
}

// runeRange is an inclusive range of characters.
type runeRange struct{ lo, hi rune }

// charSet is a set of characters: bytes in byte mode, code points in UTF-8
// mode. After normal it is sorted and its ranges do not touch.
type charSet []runeRange

func (s charSet) add(lo, hi rune) charSet { return append(s, runeRange{lo, hi}) }

func (s charSet) normal() charSet {
	slices.SortFunc(s, func(a, b runeRange) int { return int(a.lo - b.lo) })
	out := s[:0]
	for _, r := range s {
		if n := len(out); n > 0 && r.lo <= out[n-1].hi+1 && r.lo != rawByte {
			out[n-1].hi = max(out[n-1].hi, r.hi)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// complement answers all characters up to last that s, normal, does not hold.
func (s charSet) complement(last rune) charSet {
	var out charSet
	next := rune(0)
	for _, r := range s {
		if r.lo > last {
			break
		}
		if r.lo > next {
			out = out.add(next, r.lo-1)
		}
		next = r.hi + 1
	}
	if next <= last {
		out = out.add(next, last)
	}
	return out
}

// single answers the only character of s.
func (s charSet) single() (rune, bool) {
	if len(s) == 1 && s[0].lo == s[0].hi {
		return s[0].lo, true
	}
	return 0, false
}

// lastChar is the largest character of the mode.
func (p *parser) lastChar() rune {
	if p.flags&UTF8 != 0 {
		return utf8.MaxRune
	}
	return 0xff
}

// negate complements a normal set, newlines left out where the dialect or the
// mode says so.
func (p *parser) negate(s charSet) charSet {
	s = s.complement(p.lastChar())
	if p.flags&(Newline|NotNewline|Lines) != 0 {
		s = s.without('\n')
	}
	return s
}

// without takes one character out of a normal set.
func (s charSet) without(c rune) charSet {
	var out charSet
	for _, r := range s {
		if c < r.lo || c > r.hi {
			out = append(out, r)
			continue
		}
		if r.lo < c {
			out = out.add(r.lo, c-1)
		}
		if c < r.hi {
			out = out.add(c+1, r.hi)
		}
	}
	return out
}

// anySet is what a dot matches.
func (p *parser) anySet() charSet { return p.negate(nil) }

// fold completes a set with the other cases of its letters, if case is
// ignored, and puts it in order.
func (p *parser) fold(s charSet) charSet {
	s = s.normal()
	if p.flags&IgnoreCase == 0 {
		return s
	}
	n := len(s)
	if p.flags&UTF8 == 0 {
		for _, r := range s[:n:n] {
			for c := max(r.lo, 'A'); c <= min(r.hi, 'z'); c++ {
				if o := c ^ 0x20; 'a' <= c|0x20 && c|0x20 <= 'z' {
					s = s.add(o, o)
				}
			}
		}
		return s.normal()
	}
	letters := cased()
	for _, r := range s[:n:n] {
		i, _ := slices.BinarySearch(letters, r.lo)
		for ; i < len(letters) && letters[i] <= r.hi; i++ {
			c := letters[i]
			for o := unicode.SimpleFold(c); o != c; o = unicode.SimpleFold(o) {
				s = s.add(o, o)
			}
		}
	}
	return s.normal()
}

// cased lists the characters that have another case, in order.
var cased = sync.OnceValue(func() []rune {
	var list []rune
	for c := rune(0); c <= 0x1ffff; c++ {
		if unicode.SimpleFold(c) != c {
			list = append(list, c)
		}
	}
	return list
})

// classSet answers a POSIX character class by name.
func (p *parser) classSet(name string) (charSet, bool) {
	if p.flags&IgnoreCase != 0 && (name == "upper" || name == "lower") {
		name = "alpha"
	}
	if s, ok := p.sets[name]; ok {
		return s, true
	}
	var s charSet
	switch name {
	case "alpha":
		s = charSet{{'A', 'Z'}, {'a', 'z'}}
	case "digit":
		return charSet{{'0', '9'}}, true
	case "alnum":
		s = charSet{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}
	case "upper":
		s = charSet{{'A', 'Z'}}
	case "lower":
		s = charSet{{'a', 'z'}}
	case "space":
		s = charSet{{'\t', '\r'}, {' ', ' '}}
	case "blank":
		s = charSet{{'\t', '\t'}, {' ', ' '}}
	case "punct":
		s = charSet{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}
	case "print":
		s = charSet{{' ', '~'}}
	case "graph":
		s = charSet{{'!', '~'}}
	case "cntrl":
		s = charSet{{0, 0x1f}, {0x7f, 0x7f}}
	case "xdigit":
		return charSet{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, true
	default:
		return nil, false
	}
	if p.flags&UTF8 != 0 {
		s = s.addTables(classTables(name))
	}
	if p.flags&Lines != 0 {
		s = s.without('\n')
	}
	p.remember(name, s)
	return s, true
}

// remember keeps a set for the next time that it is written the same way.
func (p *parser) remember(source string, s charSet) {
	if p.sets == nil {
		p.sets = map[string]charSet{}
	}
	p.sets[source] = s
}

// classTables answers what a class holds beyond ASCII, as the C.UTF-8 locale
// of glibc has it.
func classTables(name string) []*unicode.RangeTable {
	switch name {
	case "alpha", "alnum":
		return []*unicode.RangeTable{unicode.L, unicode.Nl, unicode.Mn, unicode.Mc, unicode.Nd}
	case "upper":
		return []*unicode.RangeTable{unicode.Lu, unicode.Lt}
	case "lower":
		return []*unicode.RangeTable{unicode.Ll}
	case "space", "blank":
		return []*unicode.RangeTable{unicode.Zs, unicode.Zl, unicode.Zp}
	case "punct":
		return []*unicode.RangeTable{unicode.P, unicode.S, unicode.Me, unicode.No}
	case "print":
		return []*unicode.RangeTable{unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs}
	case "graph":
		return []*unicode.RangeTable{unicode.L, unicode.M, unicode.N, unicode.P, unicode.S}
	case "cntrl":
		return []*unicode.RangeTable{unicode.Cc, unicode.Zl, unicode.Zp}
	}
	return nil
}

// addTables adds what tables hold beyond ASCII. The no-break spaces are left
// out of spaces, as glibc does.
func (s charSet) addTables(tables []*unicode.RangeTable) charSet {
	add := func(lo, hi, stride rune) {
		if hi < utf8.RuneSelf {
			return
		}
		if stride == 1 {
			s = s.add(max(lo, utf8.RuneSelf), hi)
			return
		}
		for c := lo; c <= hi; c += stride {
			if c >= utf8.RuneSelf {
				s = s.add(c, c)
			}
		}
	}
	spaces := len(tables) == 3 && tables[0] == unicode.Zs
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	s = s.normal()
	if spaces {
		for _, c := range []rune{0xa0, 0x2007, 0x202f} {
			s = s.without(c)
		}
	}
	return s
}

// escapeClass is what \w, \W, \s and \S stand for.
func (p *parser) escapeClass(letter rune) charSet {
	source := `\` + string(letter)
	if s, ok := p.sets[source]; ok {
		return s
	}
	var s charSet
	switch letter {
	case 'w', 'W':
		s, _ = p.classSet("alnum")
		s = slices.Clone(s).add('_', '_').normal()
	default:
		s, _ = p.classSet("space")
	}
	if letter == 'W' || letter == 'S' {
		s = s.complement(p.lastChar())
		if p.flags&Lines != 0 {
			s = s.without('\n')
		}
	}
	p.remember(source, s)
	return s
}

// isWord tells whether a character is a constituent of words.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return r <= utf8.MaxRune && unicode.In(r, classTables("alnum")...)
}
