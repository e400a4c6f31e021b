package awk

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxWidth bounds the width and the precision of a conversion.
const maxWidth = 1 << 20

// format compiles the arguments of printf and sprintf.
func (c *compiler) format(args []expr) func(*interp, []byte) []byte {
	format := c.str(args[0])
	values := make([]valueFunc, len(args)-1)
	for i, e := range args[1:] {
		values[i] = c.value(e)
	}
	return func(in *interp, b []byte) []byte {
		f := format(in)
		var few [8]value
		list := few[:0]
		for _, v := range values {
			list = append(list, v(in))
		}
		return in.appendFormat(b, f, list)
	}
}

// conversion is one specification of a format.
type conversion struct {
	minus, plus, space, sharp, zero bool
	width                           int
	precision                       int // -1 when not given
	verb                            byte
}

// formatter goes through a format.
type formatter struct {
	in   *interp
	s    string
	args []value
	next int
	pos  int
	only *value // stands for every argument
}

// appendFormat appends what printf makes of a format.
func (in *interp) appendFormat(b []byte, s string, args []value) []byte {
	f := &formatter{in: in, s: s, args: args}
	for {
		i := strings.IndexByte(s[f.pos:], '%')
		if i < 0 {
			return append(b, s[f.pos:]...)
		}
		b = append(b, s[f.pos:f.pos+i]...)
		f.pos += i
		b = f.conversion(b)
		in.checkString(len(b))
	}
}

// conversion appends the specification at the current position.
func (f *formatter) conversion(b []byte) []byte {
	start := f.pos
	f.pos++
	c := conversion{precision: -1}
	index := f.position()
flags:
	for ; f.pos < len(f.s); f.pos++ {
		switch f.s[f.pos] {
		case '-':
			c.minus = true
		case '+':
			c.plus = true
		case ' ':
			c.space = true
		case '#':
			c.sharp = true
		case '0':
			c.zero = true
		case '\'':
		default:
			break flags
		}
	}
	c.width = f.number(start)
	if c.width < 0 {
		c.minus, c.width = true, -c.width
	}
	if f.pos < len(f.s) && f.s[f.pos] == '.' {
		f.pos++
		c.precision = f.number(start)
	}
	for f.pos < len(f.s) && strings.IndexByte("hlLqjzt", f.s[f.pos]) >= 0 {
		f.pos++
	}
	if f.pos >= len(f.s) {
		return append(b, f.s[start:]...)
	}
	c.verb = f.s[f.pos]
	f.pos++
	c.width, c.precision = min(c.width, maxWidth), min(c.precision, maxWidth)
	if c.verb == '%' {
		return append(b, '%')
	}
	if strings.IndexByte("diouxXcseEfFgGaA", c.verb) < 0 {
		return append(b, f.s[start:f.pos]...)
	}
	return c.append(b, f.in, f.argument(start, index))
}

// position reads the N$ of an argument's position; 0 when there is none.
func (f *formatter) position() int {
	i := f.pos
	for i < len(f.s) && isDigit(f.s[i]) {
		i++
	}
	if i == f.pos || i == len(f.s) || f.s[i] != '$' {
		return 0
	}
	n, _ := strconv.Atoi(f.s[f.pos:i])
	f.pos = i + 1
	return n
}

// number reads a width or a precision, which may be an argument.
func (f *formatter) number(start int) int {
	if f.pos < len(f.s) && f.s[f.pos] == '*' {
		f.pos++
		v := f.argument(start, f.position())
		return int(max(-maxWidth, min(maxWidth, v.num())))
	}
	n := 0
	for f.pos < len(f.s) && isDigit(f.s[f.pos]) {
		n = min(n*10+int(f.s[f.pos]-'0'), maxWidth)
		f.pos++
	}
	return n
}

// argument answers the next argument, or that of a position.
func (f *formatter) argument(start, index int) value {
	if f.only != nil {
		return *f.only
	}
	if index == 0 {
		f.next++
		index = f.next
	}
	if index < 1 || index > len(f.args) {
		f.in.fatalf("not enough arguments to satisfy format string\n\t`%s'\n\t%s^ ran out for this one", f.s, strings.Repeat(" ", f.pos-1))
	}
	return f.args[index-1]
}

// append appends a value under the conversion.
func (c conversion) append(b []byte, in *interp, v value) []byte {
	switch c.verb {
	case 's':
		s := v.s
		if v.k == kindNumber {
			s = in.outputNumber(v.n)
		}
		if c.precision >= 0 && c.precision < len(s) {
			s = s[:c.precision]
		}
		return c.pad(b, "", s, false)
	case 'c':
		return c.pad(b, "", character(v), false)
	case 'd', 'i':
		return c.integer(b, v.num())
	case 'o', 'x', 'X', 'u':
		return c.unsigned(b, v.num())
	}
	return c.float(b, v.num())
}

// outputNumber is a number under %s.
func (in *interp) outputNumber(n float64) string { return formatNumber(n, in.convfmt) }

// character is a value under %c: a number's character, or the first one of a
// string.
func character(v value) string {
	v.settle()
	if v.k == kindNumber || v.k == kindStrnum {
		return string([]byte{byte(int64(v.n))})
	}
	if v.s == "" {
		return "\x00"
	}
	return v.s[:1]
}

// pad appends prefix and digits in the conversion's width; zeros fill up
// behind the prefix.
func (c conversion) pad(b []byte, prefix, digits string, zeros bool) []byte {
	n := c.width - len(prefix) - len(digits)
	fill := func(ch byte) {
		for ; n > 0; n-- {
			b = append(b, ch)
		}
	}
	if !c.minus && !zeros {
		fill(' ')
	}
	b = append(b, prefix...)
	if !c.minus && zeros {
		fill('0')
	}
	b = append(b, digits...)
	fill(' ')
	return b
}

func (c conversion) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case c.plus:
		return "+"
	case c.space:
		return " "
	}
	return ""
}

// integer is %d.
func (c conversion) integer(b []byte, n float64) []byte {
	if s := formatSpecial(n); s != "" {
		return c.pad(b, "", s, false)
	}
	n = math.Trunc(n)
	digits := ""
	if math.Abs(n) < 1<<63 {
		digits = strconv.FormatInt(int64(math.Abs(n)), 10)
	} else {
		digits = strconv.FormatFloat(math.Abs(n), 'f', 0, 64)
	}
	return c.digits(b, c.sign(n < 0), digits)
}

// digits appends an integer: the precision is the least number of digits.
func (c conversion) digits(b []byte, prefix, digits string) []byte {
	if c.precision == 0 && digits == "0" {
		digits = ""
	}
	if n := c.precision - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	return c.pad(b, prefix, digits, c.zero && c.precision < 0)
}

// unsigned is %o, %x and %u. Negative numbers wrap around as 64 bits; what
// does not fit those is shown as %g.
func (c conversion) unsigned(b []byte, n float64) []byte {
	if s := formatSpecial(n); s != "" {
		return c.pad(b, "", s, false)
	}
	n = math.Trunc(n)
	var u uint64
	switch {
	case n < -(1<<63) || n >= 1<<64:
		if c.verb == 'u' {
			c.verb = 'd'
			return c.integer(b, n)
		}
		i, _ := big.NewFloat(n).Int(nil)
		base := map[byte]int{'o': 8, 'x': 16, 'X': 16}[c.verb]
		text := i.Text(base)
		if c.verb == 'X' {
			text = upper(text)
		}
		return c.digits(b, "", text)
	case n < 0:
		u = uint64(int64(n))
	default:
		u = uint64(n)
	}
	prefix, digits := "", ""
	switch c.verb {
	case 'o':
		digits = strconv.FormatUint(u, 8)
		if c.sharp && u != 0 {
			digits = "0" + digits
		}
	case 'u':
		digits = strconv.FormatUint(u, 10)
	default:
		digits = strconv.FormatUint(u, 16)
		if c.sharp && u != 0 {
			prefix = "0x"
		}
		if c.verb == 'X' {
			prefix, digits = upper(prefix), upper(digits)
		}
	}
	return c.digits(b, prefix, digits)
}

// float is %e, %f, %g and %a.
func (c conversion) float(b []byte, n float64) []byte {
	if s := formatSpecial(n); s != "" {
		return c.pad(b, "", s, false)
	}
	sign := c.sign(math.Signbit(n))
	n = math.Abs(n)
	precision := c.precision
	if precision < 0 {
		precision = 6
	}
	s := ""
	switch c.verb {
	case 'f', 'F':
		s = strconv.FormatFloat(n, 'f', precision, 64)
	case 'e', 'E':
		s = strconv.FormatFloat(n, 'e', precision, 64)
	case 'g', 'G':
		s = c.general(n, max(precision, 1))
	default:
		s = strconv.FormatFloat(n, 'x', c.precision, 64)
		// Go writes the exponent with two digits at least.
		if i := strings.IndexByte(s, 'p'); i >= 0 && len(s) == i+4 && s[i+2] == '0' {
			s = s[:i+2] + s[i+3:]
		}
		sign, s = sign+s[:2], s[2:]
	}
	if c.sharp && strings.IndexByte(s, '.') < 0 {
		if i := strings.IndexByte(s, 'e'); i >= 0 {
			s = s[:i] + "." + s[i:]
		} else {
			s += "."
		}
	}
	if c.verb == 'E' || c.verb == 'G' || c.verb == 'A' {
		sign, s = upper(sign), upper(s)
	}
	return c.pad(b, sign, s, c.zero)
}

// general is %g: the shorter of %e and %f, without trailing zeros unless the
// flag # keeps them.
func (c conversion) general(n float64, precision int) string {
	if !c.sharp {
		return strconv.FormatFloat(n, 'g', precision, 64)
	}
	e := strconv.FormatFloat(n, 'e', precision-1, 64)
	exponent, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	if exponent < -4 || exponent >= precision {
		return e
	}
	return strconv.FormatFloat(n, 'f', precision-1-exponent, 64)
}

// formatOne formats one number by CONVFMT or OFMT.
func formatOne(format string, n float64) string {
	v := number(n)
	f := &formatter{in: &interp{convfmt: "%.6g"}, s: format, only: &v}
	var b []byte
	for {
		i := strings.IndexByte(format[f.pos:], '%')
		if i < 0 {
			return string(append(b, format[f.pos:]...))
		}
		b = append(b, format[f.pos:f.pos+i]...)
		f.pos += i
		b = f.conversion(b)
		if len(b) > maxWidth {
			return string(b)
		}
	}
}
