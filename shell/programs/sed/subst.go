package sed

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mirage/shell/regex"
)

// matchSlash reads up to an unescaped delimiter, which it takes off. An
// escaped delimiter loses its backslash, and so does an escaped newline. In a
// regular expression \n becomes a newline, and a delimiter within brackets is
// an ordinary character.
func (c *compiler) matchSlash(delim int, isRegex bool) (string, bool) {
	if delim == eof || delim == '\n' || delim == '\\' {
		return "", false
	}
	var b []byte
	for {
		ch := c.inchar()
		switch {
		case ch == eof:
			return "", false
		case ch == '[' && isRegex && delim != '[':
			list, ok := c.bracket()
			if !ok {
				return "", false
			}
			b = append(b, list...)
			continue
		case ch == delim:
			return string(b), true
		case ch == '\n':
			c.savchar(ch)
			return "", false
		case ch == '\\':
			ch = c.inchar()
			switch {
			case ch == eof:
				return "", false
			case ch == 'n' && isRegex && delim != 'n':
				ch = '\n'
			case ch == '\n' || ch == delim && (isRegex || ch != '&'):
			default:
				b = append(b, '\\')
			}
		}
		b = append(b, byte(ch))
	}
}

// bracket reads a bracket expression whose opening bracket has been read; false
// when the line ends in it.
func (c *compiler) bracket() (string, bool) {
	s, _, _ := strings.Cut(c.src[c.pos:], "\n")
	i := 0
	if strings.HasPrefix(s, "^") {
		i++
	}
	if strings.HasPrefix(s[i:], "]") {
		i++
	}
	for i < len(s) {
		switch {
		case s[i] == ']':
			c.pos += i + 1
			return "[" + strings.ReplaceAll(s[:i+1], `\n`, "\n"), true
		case s[i] == '[' && i+1 < len(s) && strings.IndexByte(".:=", s[i+1]) >= 0:
			end := strings.Index(s[i+2:], s[i+1:i+2]+"]")
			if end < 0 {
				end = len(s) - i
			}
			i += end + 4
		default:
			i++
		}
	}
	c.pos += len(s)
	return "", false
}

// substitute reads the arguments of s.
func (c *compiler) substitute(cmd *command) error {
	const unterminated = "unterminated `s' command"
	delim := c.inchar()
	text, ok := c.matchSlash(delim, true)
	if !ok {
		return c.bad(unterminated)
	}
	replacement, ok := c.matchSlash(delim, false)
	if !ok {
		return c.bad(unterminated)
	}
	s := &substitution{}
	cmd.sub = s
	flags, err := c.substituteFlags(s)
	if err != nil {
		return err
	}
	if text, err = c.unescapeRegex(text); err != nil {
		return err
	}
	if err := c.replacement(s, replacement); err != nil {
		return err
	}
	if s.pattern, err = c.regex(text, flags); err != nil {
		return err
	}
	if s.pattern.m != nil {
		if n := s.pattern.m.Regexp().NumSubexp(); s.refs > n {
			return c.bad(badReference(s.refs))
		}
	}
	return nil
}

func badReference(n int) string {
	return fmt.Sprintf("invalid reference \\%d on `s' command's RHS", n)
}

// substituteFlags reads the flags of s and what ends the command.
func (c *compiler) substituteFlags(s *substitution) (regex.Flags, error) {
	var flags regex.Flags
	for {
		ch := c.inchar()
		switch {
		case (ch == 'i' || ch == 'I') && !c.o.posix:
			flags |= regex.IgnoreCase
		case (ch == 'm' || ch == 'M') && !c.o.posix:
			flags |= regex.Newline
		case ch == 'e' && !c.o.posix:
			if c.o.sandbox {
				return 0, c.bad(errSandbox)
			}
			s.eval = true
		case ch == 'p':
			if s.print {
				return 0, c.bad("multiple `p' options to `s' command")
			}
			s.print = true
		case ch == 'g':
			if s.global {
				return 0, c.bad("multiple `g' options to `s' command")
			}
			s.global = true
		case ch == 'w':
			if c.o.sandbox {
				return 0, c.bad(errSandbox)
			}
			name := c.fileName()
			if name == "" {
				return 0, c.bad(errNoFile)
			}
			var err error
			s.out, err = c.e.openOutput(name)
			return flags, err
		case isDigit(ch):
			if s.number != 0 {
				return 0, c.bad("multiple number options to `s' command")
			}
			n := c.integer(ch)
			if n == 0 {
				return 0, c.bad("number option to `s' command may not be zero")
			}
			s.number = int(n)
		case ch == '}' || ch == '#':
			c.savchar(ch)
			return flags, nil
		case ch == eof || ch == '\n' || ch == ';':
			return flags, nil
		case ch == '\r' && c.pos < len(c.src) && c.src[c.pos] == '\n':
		case isBlank(ch):
		default:
			return 0, c.bad("unknown option to `s'")
		}
	}
}

// unescapeRegex replaces the escapes that stand for one character.
func (c *compiler) unescapeRegex(text string) (string, error) {
	var b []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b = append(b, text[i])
			continue
		}
		i++
		v, n := escape(text[i:], false)
		if n < 0 {
			return "", c.bad("recursive escaping after \\c not allowed")
		}
		if n == 0 {
			b = append(b, '\\', text[i])
			continue
		}
		b = append(b, v...)
		i += n - 1
	}
	return string(b), nil
}

// escape decodes the escape after a backslash: n is how many bytes of s it
// takes, 0 when it is none that stands for a character, -1 when it is wrong.
func escape(s string, newline bool) (v []byte, n int) {
	number := func(base, digits int) ([]byte, int) {
		value, i := 0, 1
		for ; i < len(s) && i <= digits; i++ {
			d := digit(s[i])
			if d >= base {
				break
			}
			value = value*base + d
		}
		if i == 1 {
			return nil, 0
		}
		return []byte{byte(value)}, i
	}
	switch s[0] {
	case 'a':
		return []byte{'\a'}, 1
	case 'f':
		return []byte{'\f'}, 1
	case 'n':
		if newline {
			return []byte{'\n'}, 1
		}
	case 'r':
		return []byte{'\r'}, 1
	case 't':
		return []byte{'\t'}, 1
	case 'v':
		return []byte{'\v'}, 1
	case 'c':
		if len(s) < 2 {
			return nil, 0
		}
		if s[1] == '\\' {
			if len(s) < 3 || s[2] != '\\' {
				return nil, -1
			}
			return []byte{'\\' ^ 0x40}, 3
		}
		up := s[1]
		if 'a' <= up && up <= 'z' {
			up -= 'a' - 'A'
		}
		return []byte{up ^ 0x40}, 2
	case 'd':
		return number(10, 3)
	case 'o':
		return number(8, 3)
	case 'x':
		return number(16, 2)
	}
	return nil, 0
}

func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 99
}

// replacement compiles the right side of s.
func (c *compiler) replacement(s *substitution, text string) error {
	p := part{group: -1}
	flush := func() {
		if p.change != caseNone || len(p.text) > 0 || p.group >= 0 {
			s.parts = append(s.parts, p)
		}
		p = part{group: -1}
	}
	group := func(n int) {
		p.group = n
		s.refs = max(s.refs, n)
		flush()
	}
	for i := 0; i < len(text); i++ {
		ch := text[i]
		switch {
		case ch == '&':
			group(0)
		case ch != '\\' || i+1 == len(text):
			p.text = append(p.text, ch)
		default:
			i++
			ch = text[i]
			v, n := escape(text[i:], true)
			switch {
			case n < 0:
				return c.bad("recursive escaping after \\c not allowed")
			case n > 0:
				p.text = append(p.text, v...)
				i += n - 1
			case isDigit(int(ch)):
				group(int(ch - '0'))
			case strings.IndexByte("ULEul", ch) >= 0 && !c.o.posix:
				flush()
				p.change = caseChange(ch)
			default:
				p.text = append(p.text, ch)
			}
		}
	}
	flush()
	return nil
}

// transliterate reads the arguments of y.
func (c *compiler) transliterate(cmd *command) error {
	const unterminated = "unterminated `y' command"
	delim := c.inchar()
	from, ok := c.matchSlash(delim, false)
	if !ok {
		return c.bad(unterminated)
	}
	to, ok := c.matchSlash(delim, false)
	if !ok {
		return c.bad(unterminated)
	}
	a, b := unescapeY(from), unescapeY(to)
	t := &transliteration{}
	cmd.table = t
	if c.o.utf8 && (!isASCII(a) || !isASCII(b)) {
		x, y := []rune(a), []rune(b)
		if len(x) != len(y) {
			return c.bad("strings for `y' command are different lengths")
		}
		t.runes = make(map[rune]rune, len(x))
		for i, r := range x {
			t.runes[r] = y[i]
		}
		return c.endOfCommand()
	}
	if len(a) != len(b) {
		return c.bad("strings for `y' command are different lengths")
	}
	for i := range t.bytes {
		t.bytes[i] = byte(i)
	}
	for i := range len(a) {
		t.bytes[a[i]] = b[i]
	}
	return c.endOfCommand()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func unescapeY(s string) string {
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if v, n := escape(s[i:], true); n > 0 {
				b = append(b, v...)
				i += n - 1
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}
