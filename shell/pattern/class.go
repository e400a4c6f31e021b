package pattern

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// class is a bracket expression.
type class struct {
	negated bool
	ascii   [4]uint64 // which of the first 256 numbers it holds, before negation
	ranges  []span    // of higher ones
	named   []func(rune) bool
}

type span struct{ lo, hi rune }

// has reports whether r is matched. With fold, r is in lower case and other
// is its upper case.
func (c *class) has(r rune, fold bool) bool {
	in := c.holds(r)
	if !in && fold {
		in = c.holds(unicode.ToUpper(r)) || c.holds(unicode.ToLower(r))
	}
	return in != c.negated
}

func (c *class) holds(r rune) bool {
	if r < 256 && r >= 0 {
		if c.ascii[r>>6]&(1<<(r&63)) != 0 {
			return true
		}
		if r < utf8.RuneSelf {
			return false
		}
	}
	for _, s := range c.ranges {
		if s.lo <= r && r <= s.hi {
			return true
		}
	}
	for _, f := range c.named {
		if f(r) {
			return true
		}
	}
	return false
}

func (c *class) add(lo, hi rune) {
	for r := lo; r <= hi && r < 256; r++ {
		c.ascii[r>>6] |= 1 << (r & 63)
	}
	if hi >= 256 {
		c.ranges = append(c.ranges, span{max(lo, 256), hi})
	}
}

// parseClass parses the bracket expression at s[i:], which starts with '['.
// It answers nil and i when the bracket has no end.
func parseClass(s string, i int, f Flags) (*class, int) {
	start := i
	i++
	c := &class{}
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		c.negated = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(s) {
			return nil, start
		}
		if s[i] == ']' && !first {
			return c, i + 1
		}
		if s[i] == '[' && i+1 < len(s) && s[i+1] == ':' {
			if end := strings.Index(s[i+2:], ":]"); end >= 0 {
				c.name(s[i+2:i+2+end], f)
				i += end + 4
				continue
			}
		}
		lo, n := element(s, i, f)
		if n == 0 {
			return nil, start
		}
		i += n
		// A '-' before the closing bracket is itself.
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			hi, n := element(s, i+1, f)
			if n == 0 {
				return nil, start
			}
			i += 1 + n
			if lo <= hi && lo >= 0 && hi >= 0 {
				c.add(lo, hi)
			}
			continue
		}
		if lo >= 0 {
			c.add(lo, lo)
		}
	}
}

// element reads one character of a bracket expression: quoted, [.x.], [=x=],
// or plain. n is 0 at the end of s; r is -1 for a collating element that is
// no single character.
func element(s string, i int, f Flags) (r rune, n int) {
	if i >= len(s) {
		return 0, 0
	}
	if s[i] == '[' && i+1 < len(s) && (s[i+1] == '.' || s[i+1] == '=') {
		if end := strings.Index(s[i+2:], s[i+1:i+2]+"]"); end >= 0 {
			return collating(s[i+2:i+2+end], f), end + 4
		}
	}
	if s[i] == '\\' {
		if i+1 >= len(s) {
			return 0, 0
		}
		r, n = decode(s[i+1:], f)
		return r, n + 1
	}
	return decode(s[i:], f)
}

func decode(s string, f Flags) (rune, int) {
	if s[0] < utf8.RuneSelf || f&UTF8 == 0 {
		return rune(s[0]), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return badByte + rune(s[0]), 1
	}
	return r, n
}

// collating answers the character that a collating symbol names, -1 for none.
func collating(name string, f Flags) rune {
	if name == "" {
		return -1
	}
	if r, n := decode(name, f); n == len(name) {
		return r
	}
	if r, ok := symbols[name]; ok {
		return r
	}
	return -1
}

// symbols are POSIX's names of the characters of the portable set that are no
// letters.
var symbols = map[string]rune{
	"NUL": 0, "alert": '\a', "backspace": '\b', "tab": '\t', "newline": '\n', "vertical-tab": '\v',
	"form-feed": '\f', "carriage-return": '\r', "space": ' ', "exclamation-mark": '!',
	"quotation-mark": '"', "number-sign": '#', "dollar-sign": '$', "percent-sign": '%',
	"ampersand": '&', "apostrophe": '\'', "left-parenthesis": '(', "right-parenthesis": ')',
	"asterisk": '*', "plus-sign": '+', "comma": ',', "hyphen": '-', "hyphen-minus": '-',
	"minus": '-', "dash": '-', "period": '.', "full-stop": '.', "slash": '/', "solidus": '/',
	"zero": '0', "one": '1', "two": '2', "three": '3', "four": '4', "five": '5', "six": '6',
	"seven": '7', "eight": '8', "nine": '9', "colon": ':', "semicolon": ';', "less-than-sign": '<',
	"equals-sign": '=', "greater-than-sign": '>', "question-mark": '?', "commercial-at": '@',
	"left-square-bracket": '[', "backslash": '\\', "reverse-solidus": '\\',
	"right-square-bracket": ']', "circumflex": '^', "circumflex-accent": '^', "underscore": '_',
	"low-line": '_', "grave-accent": '`', "left-brace": '{', "left-curly-bracket": '{',
	"vertical-line": '|', "right-brace": '}', "right-curly-bracket": '}', "tilde": '~', "DEL": 0x7f,
}

// name adds a character class. Without UTF8 only ASCII characters have one.
func (c *class) name(name string, f Flags) {
	is, ok := classes[name]
	if !ok {
		return
	}
	for r := rune(0); r < utf8.RuneSelf; r++ {
		if is(r) {
			c.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	if f&UTF8 != 0 {
		c.named = append(c.named, func(r rune) bool { return r < badByte && is(r) })
	}
}

var classes = map[string]func(rune) bool{
	"alpha":  unicode.IsLetter,
	"digit":  func(r rune) bool { return '0' <= r && r <= '9' },
	"alnum":  func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) },
	"upper":  unicode.IsUpper,
	"lower":  unicode.IsLower,
	"space":  func(r rune) bool { return unicode.IsSpace(r) && r != 0x85 && r != 0xa0 },
	"blank":  func(r rune) bool { return r == ' ' || r == '\t' || r > 0xff && unicode.Is(unicode.Zs, r) },
	"punct":  isPunct,
	"print":  func(r rune) bool { return unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) },
	"graph":  func(r rune) bool { return unicode.IsPrint(r) && !unicode.IsSpace(r) },
	"cntrl":  unicode.IsControl,
	"xdigit": func(r rune) bool { return r < utf8.RuneSelf && strings.ContainsRune("0123456789abcdefABCDEF", r) },
	"ascii":  func(r rune) bool { return r < utf8.RuneSelf },
	"word":   func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) },
}

// isPunct is iswpunct: what prints and is neither a letter, a digit nor a
// space.
func isPunct(r rune) bool {
	return unicode.IsPrint(r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsSpace(r)
}

func lower(r rune) rune { return unicode.ToLower(r) }
