package tr

import (
	"fmt"
	"strconv"
	"strings"

	"mirage/shell/program"
)

// elementKind is what a construct of a string stands for.
type elementKind int

const (
	elementChars  elementKind = iota // characters and ranges
	elementClass                     // [:name:]
	elementEqual                     // [=c=]
	elementRepeat                    // [c*n]; n is 0 where it fills up
)

type element struct {
	kind  elementKind
	chars []byte
	class string
	count int
}

// array is a parsed STRING1 or STRING2.
type array struct {
	elements []element
	extend   int // copies of the last character that were added
	last     byte
}

// bytes answers the characters that the array stands for.
func (a *array) bytes() []byte {
	var out []byte
	for _, e := range a.elements {
		if e.kind != elementRepeat {
			out = append(out, e.chars...)
			continue
		}
		// Beyond 256 a repetition changes nothing.
		for range min(e.count, 512) {
			out = append(out, e.chars[0])
		}
	}
	for range a.extend {
		out = append(out, a.last)
	}
	return out
}

// set answers the set of the characters, or its complement.
func (a *array) set(complement bool) [256]bool {
	var set [256]bool
	for _, c := range a.bytes() {
		set[c] = true
	}
	for _, e := range a.elements {
		if e.kind == elementRepeat {
			set[e.chars[0]] = true
		}
	}
	if complement {
		for i := range set {
			set[i] = !set[i]
		}
	}
	return set
}

// char is a byte of a string, and whether a backslash took away what else it
// might mean.
type char struct {
	c       byte
	escaped bool
}

// unescape reads the backslashes of a string.
func unescape(inv *program.Invocation, s string) []char {
	var out []char
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, char{s[i], false})
			continue
		}
		if i+1 == len(s) {
			inv.Errorf("warning: an unescaped backslash at end of string is not portable")
			out = append(out, char{'\\', false})
			break
		}
		i++
		c := s[i]
		switch {
		case strings.IndexByte("abfnrtv", c) >= 0:
			c = "\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", c)]
		case '0' <= c && c <= '7':
			v, n := int(c-'0'), 1
			for n < 3 && i+n < len(s) && '0' <= s[i+n] && s[i+n] <= '7' {
				next := v*8 + int(s[i+n]-'0')
				if next > 255 {
					inv.Errorf("warning: the ambiguous octal escape \\%s is being\n\tinterpreted as the 2-byte sequence \\0%s, %s", s[i:i+3], s[i:i+2], s[i+2:i+3])
					break
				}
				v = next
				n++
			}
			i += n - 1
			c = byte(v)
		}
		out = append(out, char{c, true})
	}
	return out
}

// parse reads the constructs of a string.
func parse(inv *program.Invocation, s string) (*array, error) {
	chars := unescape(inv, s)
	a := &array{}
	for i := 0; i < len(chars); {
		n, err := a.bracket(inv, chars[i:])
		if err != nil {
			return nil, err
		}
		if n > 0 {
			i += n
			continue
		}
		lo := chars[i].c
		if i+2 < len(chars) && chars[i+1] == (char{'-', false}) {
			hi := chars[i+2].c
			if hi < lo {
				return nil, fmt.Errorf("range-endpoints of '%s-%s' are in reverse collating sequence order", printable(lo), printable(hi))
			}
			for c := int(lo); c <= int(hi); c++ {
				a.addChar(byte(c))
			}
			i += 3
			continue
		}
		a.addChar(lo)
		i++
	}
	return a, nil
}

func (a *array) addChar(c byte) {
	if n := len(a.elements); n > 0 && a.elements[n-1].kind == elementChars {
		a.elements[n-1].chars = append(a.elements[n-1].chars, c)
		return
	}
	a.elements = append(a.elements, element{chars: []byte{c}})
}

// text answers characters as a string.
func text(chars []char) string {
	b := make([]byte, len(chars))
	for i, c := range chars {
		b[i] = c.c
	}
	return string(b)
}

// bracket reads a construct in brackets at the beginning of chars and answers
// its length; 0 when there is none.
func (a *array) bracket(inv *program.Invocation, chars []char) (int, error) {
	if len(chars) < 3 || chars[0] != (char{'[', false}) {
		return 0, nil
	}
	if kind := chars[1]; !kind.escaped && (kind.c == ':' || kind.c == '=') {
		if end := closing(chars, kind.c); end >= 0 {
			ok, err := a.class(inv, kind.c, text(chars[2:end]))
			if ok || err != nil && !starDigits(chars[2:]) {
				return end + 2, err
			}
		}
	}
	return a.repeat(inv, chars)
}

// closing finds the mark before the closing bracket of [:name:] or [=c=].
func closing(chars []char, mark byte) int {
	for i := 2; i+1 < len(chars); i++ {
		if chars[i] == (char{mark, false}) && chars[i+1] == (char{']', false}) {
			return i
		}
	}
	return -1
}

// starDigits tells whether [: begins a repetition of a colon after all.
func starDigits(chars []char) bool {
	if len(chars) == 0 || chars[0] != (char{'*', false}) {
		return false
	}
	for _, c := range chars[1:] {
		if c.c < '0' || c.c > '9' {
			return c == char{']', false}
		}
	}
	return false
}

func (a *array) class(inv *program.Invocation, kind byte, name string) (bool, error) {
	if kind == '=' {
		if name == "" {
			return false, fmt.Errorf("missing equivalence class character '[==]'")
		}
		if len(name) != 1 {
			return false, fmt.Errorf("%s: equivalence class operand must be a single character", name)
		}
		a.elements = append(a.elements, element{kind: elementEqual, chars: []byte(name)})
		return true, nil
	}
	if name == "" {
		return false, fmt.Errorf("missing character class name '[::]'")
	}
	in, ok := classes[name]
	if !ok {
		return false, fmt.Errorf("invalid character class %s", inv.QuoteArg(name))
	}
	e := element{kind: elementClass, class: name}
	for c := range 256 {
		if in(byte(c)) {
			e.chars = append(e.chars, byte(c))
		}
	}
	a.elements = append(a.elements, e)
	return true, nil
}

// repeat reads [c*] and [c*n].
func (a *array) repeat(inv *program.Invocation, chars []char) (int, error) {
	if len(chars) < 4 || chars[2] != (char{'*', false}) {
		return 0, nil
	}
	end := 3
	for ; end < len(chars) && chars[end] != (char{']', false}); end++ {
		if chars[end].escaped {
			return 0, nil
		}
	}
	if end == len(chars) {
		return 0, nil
	}
	digits := text(chars[3:end])
	count := uint64(0)
	if digits != "" {
		base := 10
		if digits[0] == '0' {
			base = 8
		}
		var err error
		if count, err = strconv.ParseUint(digits, base, 63); err != nil {
			return 0, fmt.Errorf("invalid repeat count %s in [c*n] construct", inv.QuoteArg(digits))
		}
	}
	a.elements = append(a.elements, element{kind: elementRepeat, chars: []byte{chars[1].c}, count: int(count)})
	return end + 1, nil
}

// printable shows a character as a string would have it.
func printable(c byte) string {
	if i := strings.IndexByte("\a\b\f\n\r\t\v\\", c); i >= 0 {
		return `\` + "abfnrtv\\"[i:i+1]
	}
	if c < ' ' || c > '~' {
		return fmt.Sprintf(`\%03o`, c)
	}
	return string(rune(c))
}

// classes are the character classes of the C locale.
var classes = map[string]func(byte) bool{
	"alnum": func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"alpha": isAlpha,
	"blank": func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl": func(c byte) bool { return c < ' ' || c == 0x7f },
	"digit": isDigit,
	"graph": func(c byte) bool { return c > ' ' && c < 0x7f },
	"lower": func(c byte) bool { return 'a' <= c && c <= 'z' },
	"print": func(c byte) bool { return c >= ' ' && c < 0x7f },
	"punct": func(c byte) bool { return c > ' ' && c < 0x7f && !isAlpha(c) && !isDigit(c) },
	"space": func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' },
	"upper": func(c byte) bool { return 'A' <= c && c <= 'Z' },
	"xdigit": func(c byte) bool {
		return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
	},
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
