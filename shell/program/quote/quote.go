// Package quote shows names and other text as GNU's quotearg does, in the
// styles that `ls --quoting-style` names.
package quote

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Style is a way to quote.
type Style int

// The styles of `ls --quoting-style`.
const (
	Literal           Style = iota // as it is
	Shell                          // for a shell, quoted where needed; control bytes stay
	ShellAlways                    // for a shell, always quoted
	ShellEscape                    // Shell, with $'\n' for what does not print
	ShellEscapeAlways              // ShellEscape, always quoted
	C                              // "a C string"
	CMaybe                         // C, without the quotes where nothing needs them
	Escape                         // C's escapes without the quotes
	Locale                         // 'C's escapes in single quotes'
	CLocale                        // C in the C locale
)

// ByName finds a style by its name in `ls --quoting-style`.
func ByName(name string) (Style, bool) {
	for i, n := range Names {
		if n == name {
			return Style(i), true
		}
	}
	return 0, false
}

// Names are the names of the styles, in the order of their numbers.
var Names = [...]string{
	"literal", "shell", "shell-always", "shell-escape", "shell-escape-always", "c", "c-maybe", "escape", "locale", "clocale",
}

// Quoter quotes in one style.
type Quoter struct {
	Style Style
	// UTF8 lets printable UTF-8 characters through; otherwise only ASCII
	// prints.
	UTF8 bool
	// Also names further bytes to quote: escaped in C styles, forcing
	// quotes in shell styles.
	Also string
}

// String quotes s.
func (q Quoter) String(s string) string {
	switch q.Style {
	case Shell, ShellAlways, ShellEscape, ShellEscapeAlways:
		return q.shell(s)
	case C, CLocale:
		return `"` + q.escape(s, '"') + `"`
	case CMaybe:
		if e := q.escape(s, '"'); e != s {
			return `"` + e + `"`
		}
		return s
	case Escape:
		return q.escape(s, ' ')
	case Locale:
		return "'" + q.escape(s, '\'') + "'"
	}
	return s
}

// units calls f with each printable character or single byte of s.
func (q Quoter) units(s string, f func(unit string, printable bool)) {
	for len(s) > 0 {
		n, printable := 1, s[0] >= ' ' && s[0] < 0x7f
		if q.UTF8 && s[0] >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(s); r != utf8.RuneError || size > 1 {
				printable = unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r)
				if printable {
					n = size
				}
			}
		}
		f(s[:n], printable)
		s = s[n:]
	}
}

var letters = map[byte]byte{'\a': 'a', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v'}

// code is the C escape of a byte that does not print.
func code(c byte) string {
	if l, ok := letters[c]; ok {
		return `\` + string(l)
	}
	return fmt.Sprintf(`\%03o`, c)
}

func (q Quoter) escape(s string, mark byte) string {
	var b strings.Builder
	q.units(s, func(unit string, printable bool) {
		c := unit[0]
		switch {
		case !printable:
			b.WriteString(code(c))
		case c == '\\' || c == mark || strings.IndexByte(q.Also, c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteString(unit)
		}
	})
	return b.String()
}

// Bytes that a shell gives a meaning; '#' and '~' only in front, '{' and '}'
// only alone.
const special = " !\"$&()*;<=>[^`|?\\'"

// plain are the bytes that mean themselves in double quotes too, so that a
// name with nothing else but single quotes is shown in double quotes.
func plain(c byte, first bool) bool {
	switch {
	case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		return true
	case (c == '#' || c == '~') && first:
		return true
	}
	return strings.IndexByte(" '%+,-./:@]_", c) >= 0
}

func (q Quoter) shell(s string) string {
	escape := q.Style == ShellEscape || q.Style == ShellEscapeAlways
	need := q.Style == ShellAlways || q.Style == ShellEscapeAlways || s == "" || s == "{" || s == "}"
	double, single := true, false
	first := true
	q.units(s, func(unit string, printable bool) {
		c := unit[0]
		switch {
		case !printable:
			need = need || escape || c == '\n' || c == '\t' || c == '\r'
			double = false
		case len(unit) == 1:
			if strings.IndexByte(special, c) >= 0 || strings.IndexByte(q.Also, c) >= 0 || first && (c == '#' || c == '~') {
				need = true
			}
			single = single || c == '\''
			double = double && plain(c, first)
		}
		first = false
	})
	if !need {
		return s
	}
	if single && double {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.WriteByte('\'')
	escaping := false
	q.units(s, func(unit string, printable bool) {
		switch {
		case !printable && escape:
			if !escaping {
				b.WriteString(`'$'`)
				escaping = true
			}
			b.WriteString(code(unit[0]))
		case unit == "'":
			b.WriteString(`'\''`)
			escaping = false
		default:
			if escaping {
				b.WriteString(`''`)
				escaping = false
			}
			b.WriteString(unit)
		}
	})
	b.WriteByte('\'')
	return b.String()
}
