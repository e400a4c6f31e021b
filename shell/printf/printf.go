// Package printf is the formatting engine of printf(1), shared by the shell's
// builtin (bash 5.2) and the program (GNU coreutils 9.1).
package printf

import (
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"mirage/shell/quote"
)

// Style chooses whose printf is followed where the two differ.
type Style uint8

// The styles.
const (
	Bash Style = iota
	GNU
)

// Printer formats. Its zero value is bash's printf in the C locale.
type Printer struct {
	Style    Style
	UTF8     bool
	Now      func() time.Time // for %(fmt)T; nil = time.Now
	Started  time.Time        // what -2 means to %(fmt)T
	Location *time.Location   // nil = UTC
	// Warn gets each message without the command's name: "abc: invalid
	// number", "`q': invalid format character".
	Warn func(msg string)
	// Quote quotes an argument for GNU's %q; nil uses bash's way.
	Quote func(s string) string
}

// maxWidth is the largest field width and precision.
const maxWidth = 1 << 20

// bufferSize is how much output is gathered before it is written.
const bufferSize = 16 << 10

// Format writes format with args to w, reusing the format as often as it
// takes to consume args. It answers the exit status: 1 after a bad number or
// a bad directive. err is w's own error.
func (p *Printer) Format(w io.Writer, format string, args []string) (status int, err error) {
	f := formatter{p: p, w: w, args: args}
	for {
		left := len(f.args)
		f.pass(format)
		if f.stop || f.err != nil || len(f.args) == 0 {
			break
		}
		if len(f.args) == left {
			if p.Style == GNU {
				f.warn("warning: ignoring excess arguments, starting with " + quoteName(f.args[0]))
			}
			break
		}
		f.reused = true
	}
	f.flush()
	return f.status, f.err
}

// formatter is one run of a Printer.
type formatter struct {
	p      *Printer
	w      io.Writer
	args   []string
	out    []byte
	status int
	err    error
	stop   bool // a bad directive, or \c
	reused bool
}

// directive is one conversion, read.
type directive struct {
	flags            string
	width, precision int // precision -1 when not given
	verb             byte
	layout           string // of %(layout)T
}

func (d *directive) has(c byte) bool { return strings.IndexByte(d.flags, c) >= 0 }

func (f *formatter) warn(msg string) {
	if f.p.Warn != nil {
		f.p.Warn(msg)
	}
}

func (f *formatter) fail(msg string) {
	f.status = 1
	f.warn(msg)
}

func (f *formatter) flush() {
	if len(f.out) > 0 && f.err == nil {
		_, f.err = f.w.Write(f.out)
	}
	f.out = f.out[:0]
}

// next takes an argument; one that is missing is empty.
func (f *formatter) next() (arg string, ok bool) {
	if len(f.args) == 0 {
		return "", false
	}
	arg, f.args = f.args[0], f.args[1:]
	return arg, true
}

// pass goes through the format once.
func (f *formatter) pass(format string) {
	for i := 0; i < len(format) && !f.stop && f.err == nil; {
		switch c := format[i]; {
		case c == '\\':
			i += f.escape(format[i:])
		case c == '%' && i+1 < len(format) && format[i+1] == '%':
			f.out = append(f.out, '%')
			i += 2
		case c == '%':
			i += f.convert(format[i:])
		default:
			end := strings.IndexAny(format[i:], `\%`)
			if end < 0 {
				end = len(format) - i
			}
			f.out = append(f.out, format[i:i+end]...)
			i += end
		}
		if len(f.out) >= bufferSize {
			f.flush()
		}
	}
}

// escape writes what the backslash that s starts with stands for.
func (f *formatter) escape(s string) int {
	if len(s) > 1 {
		switch {
		case s[1] == 'c' && f.p.Style == GNU:
			f.stop = true
			return len(s)
		case s[1] == 'x' && (len(s) < 3 || !isHex(s[2])):
			if f.p.Style == GNU {
				f.fail("missing hexadecimal number in escape")
				f.stop = true
				return len(s)
			}
			f.warn("missing hex digit for \\x")
		case s[1] == '\'' && f.p.Style == GNU, s[1] == '?' && f.p.Style == GNU:
			f.out = append(f.out, s[:2]...)
			return 2
		}
	}
	var n int
	f.out, n = quote.Escape(f.out, s, f.p.UTF8)
	return n
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// convert carries out the directive that s starts with and answers its
// length.
func (f *formatter) convert(s string) int {
	d := directive{precision: -1}
	flags := "-+ #0'"
	if f.p.Style == GNU {
		flags += "I"
	}
	i := 1
	for i < len(s) && strings.IndexByte(flags, s[i]) >= 0 {
		i++
	}
	d.flags = s[1:i]
	var ok bool
	if d.width, i, ok = f.number(s, i); !ok {
		return len(s)
	}
	if d.width < 0 {
		d.width = -d.width
		d.flags += "-"
	}
	if i < len(s) && s[i] == '.' {
		if d.precision, i, ok = f.number(s, i+1); !ok {
			return len(s)
		}
	}
	if i < len(s) && s[i] == '(' && f.p.Style == Bash {
		end := layoutEnd(s, i)
		if end > 0 && end < len(s) && s[end] == 'T' {
			d.layout, d.verb = s[i+1:end-1], 'T'
			f.time(&d)
			return end + 1
		}
		what := "\x00"
		if end > 0 && end < len(s) {
			what = s[end : end+1]
		}
		f.warn("warning: `" + strings.Trim(what, "\x00") + "': invalid time format specification")
		f.out = append(f.out, s[:i+1]...)
		return i + 1
	}
	for i < len(s) && strings.IndexByte("hlLjzt", s[i]) >= 0 {
		i++
	}
	if i == len(s) {
		f.missing(s)
		return len(s)
	}
	d.verb = s[i]
	if f.p.Style == GNU && !d.valid(s[:i+1]) {
		f.invalid(&d, s[:i+1])
		return len(s)
	}
	f.directive(&d, s[:i+1])
	return i + 1
}

// valid reports whether GNU's printf takes the directive text: %b and %q stand
// alone, and each flag goes with some conversions only.
func (d *directive) valid(text string) bool {
	if d.verb == 'b' || d.verb == 'q' {
		return len(text) == 2
	}
	verbs := "aAcdeEfFgGiosuxX"
	for _, flag := range []byte(d.flags) {
		switch flag {
		case '\'', 'I':
			verbs = common(verbs, "dfFgGiu")
		case ' ', '+':
			verbs = common(verbs, "adiAeEfFgG")
		case '#':
			verbs = common(verbs, "aAeEfFgGoxX")
		case '0':
			verbs = common(verbs, "aAdeEfFgGiouxX")
		}
	}
	if d.precision >= 0 {
		verbs = strings.ReplaceAll(verbs, "c", "")
	}
	return strings.IndexByte(verbs, d.verb) >= 0
}

// common answers the letters of a that b has too.
func common(a, b string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(b, r) {
			return r
		}
		return -1
	}, a)
}

// layoutEnd answers the offset after the parenthesis that closes the one at
// s[i], 0 when there is none.
func layoutEnd(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

func (f *formatter) missing(s string) {
	f.stop = true
	if f.p.Style == GNU {
		f.fail(s + ": invalid conversion specification")
		return
	}
	f.fail("`" + s + "': missing format character")
}

// number reads a width or precision: digits, or * for an argument.
func (f *formatter) number(s string, i int) (n, end int, ok bool) {
	if i < len(s) && s[i] == '*' {
		arg, _ := f.next()
		v := f.signed(arg)
		if v > maxWidth || v < -maxWidth {
			f.stop = true
			f.fail(arg + ": Numerical result out of range")
			return 0, i, false
		}
		return int(v), i + 1, true
	}
	start := i
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		if n = n*10 + int(s[i]-'0'); n > maxWidth {
			f.stop = true
			f.fail(s[start:] + ": Numerical result out of range")
			return 0, i, false
		}
		i++
	}
	return n, i, true
}

// directive carries out a conversion. text is the whole of it.
func (f *formatter) directive(d *directive, text string) {
	switch d.verb {
	case 'd', 'i', 'o', 'u', 'x', 'X':
		f.integer(d)
	case 'a', 'A', 'e', 'E', 'f', 'F', 'g', 'G':
		f.float(d)
	case 'c':
		arg, _ := f.next()
		if arg == "" {
			arg = "\x00"
		}
		f.pad(d, arg[:1])
	case 's':
		arg, _ := f.next()
		f.pad(d, f.cut(d, arg))
	case 'b':
		arg, _ := f.next()
		text, stop := f.expand(arg)
		f.pad(d, f.cut(d, text))
		f.stop = f.stop || stop
	case 'q':
		arg, _ := f.next()
		if f.p.Style == GNU && f.p.Quote != nil {
			f.pad(d, f.p.Quote(arg))
		} else {
			f.pad(d, f.cut(d, quote.Word(arg, f.p.UTF8)))
		}
	case 'Q':
		if f.p.Style == GNU {
			f.invalid(d, text)
			return
		}
		arg, _ := f.next()
		f.pad(d, quote.Word(f.cut(d, arg), f.p.UTF8))
	case 'n':
		if f.p.Style == GNU {
			f.invalid(d, text)
			return
		}
		f.next()
	default:
		f.invalid(d, text)
	}
}

func (f *formatter) invalid(d *directive, text string) {
	f.stop = true
	if f.p.Style == GNU {
		f.fail(text + ": invalid conversion specification")
		return
	}
	f.fail("`" + string(d.verb) + "': invalid format character")
}

// cut applies the precision of a string: bytes, as in both printfs.
func (f *formatter) cut(d *directive, s string) string {
	if d.precision >= 0 && d.precision < len(s) {
		return s[:d.precision]
	}
	return s
}

// pad writes s in the field of a directive.
func (f *formatter) pad(d *directive, s string) {
	fill := d.width - len(s)
	if !d.has('-') {
		f.spaces(fill)
	}
	f.out = append(f.out, s...)
	if d.has('-') {
		f.spaces(fill)
	}
}

func (f *formatter) spaces(n int) {
	for ; n > 0; n-- {
		f.out = append(f.out, ' ')
	}
}

// expand reads the escapes of %b. stop tells that \c ended all output.
func (f *formatter) expand(s string) (text string, stop bool) {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s, false
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	for i < len(s) {
		switch {
		case s[i] != '\\' || i+1 == len(s):
			out = append(out, s[i])
			i++
		case s[i+1] == 'c':
			return string(out), true
		case s[i+1] == '0':
			// \0NNN takes three digits after the zero.
			end := i + 2
			for end < len(s) && end < i+5 && '0' <= s[end] && s[end] <= '7' {
				end++
			}
			v := byte(0)
			for _, c := range []byte(s[i+2 : end]) {
				v = v<<3 | (c - '0')
			}
			out = append(out, v)
			i = end
		case s[i+1] == '\'' || s[i+1] == '?' || s[i+1] == '"' && f.p.Style == Bash:
			out = append(out, s[i:i+2]...)
			i += 2
		default:
			if s[i+1] == 'x' && (i+2 >= len(s) || !isHex(s[i+2])) {
				f.warn("missing hex digit for \\x")
			}
			var n int
			out, n = quote.Escape(out, s[i:], f.p.UTF8)
			i += n
		}
	}
	return string(out), false
}

// firstChar answers the number of the first character of s and its length.
func (p *Printer) firstChar(s string) (rune, int) {
	if p.UTF8 {
		if r, n := utf8.DecodeRuneInString(s); r != utf8.RuneError || n > 1 {
			return r, n
		}
	}
	return rune(s[0]), 1
}

// quoteName quotes an argument in GNU's messages.
func quoteName(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
