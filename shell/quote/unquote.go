package quote

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ANSI reads the escapes of $'...'. A NUL that an escape makes ends the
// string, as in bash.
func ANSI(s string, utf8 bool) string {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	for i < len(s) {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			i++
			continue
		}
		var n int
		start := len(out)
		switch c := s[i+1]; c {
		case '\'', '"', '?', '\\':
			out, n = append(out, c), 2
		case 'c':
			out, n = control(out, s[i:])
		default:
			out, n = escape(out, s[i:], utf8, true)
		}
		if len(out) == start+1 && out[start] == 0 {
			return string(out[:start])
		}
		i += n
	}
	return string(out)
}

// control reads \cX.
func control(out []byte, s string) ([]byte, int) {
	if len(s) < 3 {
		return append(out, s...), len(s)
	}
	n := 3
	c := s[2]
	switch {
	case c == '?':
		return append(out, 0x7f), n
	case c == '\\' && len(s) > 3 && s[3] == '\\':
		n++
	case c >= 'a' && c <= 'z':
		c -= 'a' - 'A'
	}
	return append(out, c&0x1f), n
}

// Escape reads one escape of printf's format, which s starts with: it appends
// what it stands for, and answers the number of bytes that it took. An escape
// that is none stands for itself.
func Escape(out []byte, s string, utf8 bool) ([]byte, int) {
	if len(s) > 1 {
		switch s[1] {
		case '"', '\'', '?', '\\':
			return append(out, s[1]), 2
		}
	}
	return escape(out, s, utf8, false)
}

// escape reads the escapes that all styles share: the letters, one to three
// octal digits, \xHH, \uHHHH, \UHHHHHHHH, and with braces \x{H...}.
func escape(out []byte, s string, utf, braces bool) ([]byte, int) {
	if len(s) < 2 {
		return append(out, s...), len(s)
	}
	switch c := s[1]; c {
	case 'a':
		return append(out, '\a'), 2
	case 'b':
		return append(out, '\b'), 2
	case 'e', 'E':
		return append(out, 0x1b), 2
	case 'f':
		return append(out, '\f'), 2
	case 'n':
		return append(out, '\n'), 2
	case 'r':
		return append(out, '\r'), 2
	case 't':
		return append(out, '\t'), 2
	case 'v':
		return append(out, '\v'), 2
	case '\\':
		return append(out, '\\'), 2
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v, n := digits(s[1:], 3, 8)
		return append(out, byte(v)), 1 + n
	case 'x':
		if braces && len(s) > 2 && s[2] == '{' {
			v, n := digits(s[3:], len(s), 16)
			if n += 3; n < len(s) && s[n] == '}' {
				n++
			}
			return append(out, byte(v)), n
		}
		v, n := digits(s[2:], 2, 16)
		if n == 0 {
			return append(out, '\\', 'x'), 2
		}
		return append(out, byte(v)), 2 + n
	case 'u', 'U':
		width := 4
		if c == 'U' {
			width = 8
		}
		v, n := digits(s[2:], width, 16)
		if n == 0 {
			return append(out, '\\', c), 2
		}
		return Rune(out, v, utf), 2 + n
	default:
		return append(out, '\\', c), 2
	}
}

// digits reads at most max digits of a base.
func digits(s string, max int, base uint32) (v uint32, n int) {
	for n < len(s) && n < max {
		d := uint32(255)
		switch c := s[n]; {
		case '0' <= c && c <= '9':
			d = uint32(c - '0')
		case 'a' <= c && c <= 'f':
			d = uint32(c-'a') + 10
		case 'A' <= c && c <= 'F':
			d = uint32(c-'A') + 10
		}
		if d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return v, n
}

// Rune appends a character by its Unicode number. Outside of a UTF-8 locale
// what is not ASCII stays an escape. Numbers beyond Unicode get the long forms
// of the original UTF-8, as bash writes them.
func Rune(out []byte, v uint32, utf bool) []byte {
	switch {
	case v < utf8.RuneSelf:
		return append(out, byte(v))
	case !utf && v <= 0xffff:
		return fmt.Appendf(out, `\u%04X`, v)
	case !utf:
		return fmt.Appendf(out, `\U%08X`, v)
	case v < 0x800:
		return append(out, 0xc0|byte(v>>6), tail(v))
	case v < 0x10000:
		return append(out, 0xe0|byte(v>>12), tail(v>>6), tail(v))
	case v < 0x200000:
		return append(out, 0xf0|byte(v>>18), tail(v>>12), tail(v>>6), tail(v))
	case v < 0x4000000:
		return append(out, 0xf8|byte(v>>24), tail(v>>18), tail(v>>12), tail(v>>6), tail(v))
	case v < 0x80000000:
		return append(out, 0xfc|byte(v>>30), tail(v>>24), tail(v>>18), tail(v>>12), tail(v>>6), tail(v))
	}
	return out
}

func tail(v uint32) byte { return 0x80 | byte(v&0x3f) }

// Echo reads the escapes of echo -e; stop tells that \c ended the output.
func Echo(s string, utf8 bool) (out string, stop bool) {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s, false
	}
	b := append(make([]byte, 0, len(s)), s[:i]...)
	for i < len(s) {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			i++
			continue
		}
		switch c := s[i+1]; {
		case c == 'c':
			return string(b), true
		case c == '0':
			v, n := digits(s[i+2:], 3, 8)
			b = append(b, byte(v))
			i += 2 + n
		case '1' <= c && c <= '7':
			b = append(b, '\\', c)
			i += 2
		default:
			var n int
			b, n = escape(b, s[i:], utf8, false)
			i += n
		}
	}
	return string(b), false
}
