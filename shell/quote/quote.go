// Package quote writes strings so that a shell reads them back, in the styles
// of bash, and reads and writes the escapes of $'...', echo -e and printf.
//
// Where a function takes utf8, it says that the locale is a UTF-8 one, whose
// printable characters need no quotes; without it every byte above 126 does.
package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word quotes s as printf %q does: backslashes, or $'...' when s has
// characters that do not print; a pair of quotes when it is empty.
func Word(s string, utf8 bool) string {
	switch {
	case s == "":
		return "''"
	case needsANSI(s, utf8):
		return ansi(s, utf8)
	}
	return backslash(s)
}

// Single quotes s as ${x@Q} does: single quotes, or $'...' when
// s has characters that do not print.
func Single(s string, utf8 bool) string {
	if needsANSI(s, utf8) {
		return ansi(s, utf8)
	}
	return single(s)
}

// Set quotes s as `set` prints a value: unquoted when nothing needs quotes.
func Set(s string, utf8 bool) string {
	switch {
	case needsANSI(s, utf8):
		return ansi(s, utf8)
	case hasMeta(s):
		return single(s)
	}
	return s
}

// Trace quotes s as `set -x` shows an argument.
func Trace(s string, utf8 bool) string {
	switch {
	case s == "":
		return "''"
	case hasMeta(s):
		return single(s)
	case needsANSI(s, utf8):
		return ansi(s, utf8)
	}
	return s
}

// Double quotes s as `declare -p` prints a value: "..." with \" \$ \` \\, or
// $'...' when s has characters that do not print.
func Double(s string, utf8 bool) string {
	if needsANSI(s, utf8) {
		return ansi(s, utf8)
	}
	return double(s)
}

// Key quotes the subscript of an associative array as `declare -p` prints it:
// unquoted when nothing needs quotes.
func Key(s string, utf8 bool) string {
	switch {
	case needsANSI(s, utf8):
		return ansi(s, utf8)
	case hasMeta(s), s == "@", s == "*":
		return double(s)
	}
	return s
}

func single(s string) string {
	if s == "'" {
		return `\'`
	}
	if strings.IndexByte(s, '\'') < 0 {
		return "'" + s + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func double(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"', '$', '`', '\\':
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	b.WriteByte('"')
	return b.String()
}

// backslash puts a backslash before everything that a shell would treat
// specially somewhere.
func backslash(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\t', '\n', ' ', '!', '"', '$', '&', '\'', '(', ')', '*', ',', ';', '<', '>', '?',
			'[', '\\', ']', '^', '`', '{', '|', '}':
			b.WriteByte('\\')
		case '#':
			if i == 0 {
				b.WriteByte('\\')
			}
		case '~':
			if i == 0 || s[i-1] == ':' || s[i-1] == '=' {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// hasMeta reports whether a shell would treat something in s specially.
func hasMeta(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\'', '"', '\\', '|', '&', ';', '(', ')', '<', '>', '!', '{', '}',
			'*', '[', '?', ']', '^', '$', '`':
			return true
		case '~':
			if i == 0 || s[i-1] == '=' || s[i-1] == ':' {
				return true
			}
		case '#':
			if i == 0 || s[i-1] == ' ' || s[i-1] == '\t' {
				return true
			}
		}
	}
	return false
}

// needsANSI reports whether s has something that only $'...' can show.
func needsANSI(s string, utf bool) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf || !utf {
			if c < ' ' || c > '~' {
				return true
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !Printable(r, n) {
			return true
		}
		i += n
	}
	return false
}

// Printable reports whether a decoded character prints, as iswprint does in a
// UTF-8 locale. n is the number of its bytes: 1 tells a decoding error.
func Printable(r rune, n int) bool {
	if r == utf8.RuneError && n <= 1 {
		return false
	}
	if unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) {
		return true
	}
	return false
}

func ansi(s string, utf bool) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	b.WriteString("$'")
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf && utf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if Printable(r, n) {
				b.WriteString(s[i : i+n])
			} else {
				for j := i; j < i+n; j++ {
					octal(&b, s[j])
				}
			}
			i += n
			continue
		}
		i++
		if e := strings.IndexByte(escaped, c); e >= 0 {
			b.WriteByte('\\')
			b.WriteByte(letters[e])
		} else if c < ' ' || c > '~' {
			octal(&b, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// The characters that have an escape of their own, and its letter.
const (
	escaped = "\x1b\a\v\b\f\n\r\t\\'"
	letters = `Eavbfnrt\'`
)

func octal(b *strings.Builder, c byte) {
	b.WriteByte('\\')
	b.WriteByte('0' + c>>6)
	b.WriteByte('0' + c>>3&7)
	b.WriteByte('0' + c&7)
}
