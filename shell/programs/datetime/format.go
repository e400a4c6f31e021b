package datetime

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Format writes t by a strftime(3) layout with GNU date's additions: the flags
// - _ 0 + ^ #, a field width, %N, %P, %q, %s, %:z and its longer forms. The
// C locale rules, so E and O change nothing. An unknown conversion stays as
// it is.
func Format(layout string, t time.Time) string {
	w := &formatter{t: t}
	w.layout(layout, false, 0)
	return w.b.String()
}

// maxWidth bounds one field, and maxPadding what a whole layout may be padded
// to, so that a short layout cannot ask for any amount of memory. Beyond it
// fields take their natural width.
const (
	maxWidth   = 1 << 20
	maxPadding = 1 << 24
)

type formatter struct {
	b strings.Builder
	t time.Time
}

// field is one conversion specification.
type field struct {
	pad           byte // '-', '_', '0', '+' or 0 for the conversion's own
	upper, change bool
	width         int // -1 when not given
	modifier      byte
}

func (w *formatter) layout(s string, upper bool, yearPad byte) {
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			w.b.WriteString(s)
			return
		}
		w.b.WriteString(s[:i])
		s = s[i:]
		s = s[w.conversion(s, upper, yearPad):]
	}
}

// conversion writes the specification that s begins with and answers its
// length. What is none is written as text, in its field nevertheless.
func (w *formatter) conversion(s string, upper bool, yearPad byte) int {
	f := field{width: -1, upper: upper}
	i := 1
flags:
	for ; i < len(s); i++ {
		switch c := s[i]; c {
		case '-', '_', '0', '+':
			f.pad = c
		case '^':
			f.upper = true
		case '#':
			f.change = true
		default:
			break flags
		}
	}
	for ; i < len(s) && isDigit(s[i]); i++ {
		f.width = min(max(f.width, 0)*10+int(s[i]-'0'), maxWidth)
	}
	if i < len(s) && (s[i] == 'E' || s[i] == 'O') {
		f.modifier = s[i]
		i++
	}
	colons := 0
	for i < len(s) && s[i] == ':' {
		colons++
		i++
	}
	if i == len(s) || colons > 0 && s[i] != 'z' || s[i] == '%' && i > 1 || !w.write(f, s[i], colons, yearPad) {
		i = min(i, len(s)-1)
		if s[i] == '%' && f.width > 0 {
			f.width++ // the second sign is not counted
		}
		w.text(f, s[:i+1])
	}
	return i + 1
}

// allowed tells which conversions a modifier may stand before.
func allowed(modifier, c byte) bool {
	switch modifier {
	case 'E':
		return strings.IndexByte("aAbBhDFdeHIjklmMNSUVwWgG", c) < 0
	case 'O':
		return strings.IndexByte("aAcDFxXYq", c) < 0
	}
	return true
}

func (w *formatter) write(f field, c byte, colons int, yearPad byte) bool {
	if !allowed(f.modifier, c) {
		return false
	}
	t := w.t
	switch c {
	case '%':
		w.text(f, "%")
	case 'n':
		w.text(f, "\n")
	case 't':
		w.text(f, "\t")
	case 'a', 'A', 'b', 'B', 'h':
		w.name(f, c)
	case 'p', 'P':
		w.halfday(f, c)
	case 'Z':
		w.zoneName(f)
	case 'z':
		return w.zoneOffset(f, colons)
	case 'c':
		w.sub(f, "%a %b %e %H:%M:%S %Y", 0)
	case 'x':
		w.sub(f, "%m/%d/%y", 0)
	case 'D':
		w.sub(f, "%m/%d/%y", f.pad)
	case 'r':
		w.sub(f, "%I:%M:%S %p", 0)
	case 'R':
		w.sub(f, "%H:%M", 0)
	case 'T', 'X':
		w.sub(f, "%H:%M:%S", 0)
	case 'F':
		w.isoDate(f)
	case 'C', 'g', 'G', 'y', 'Y':
		w.years(f, c, yearPad)
	case 'N':
		w.nanoseconds(f)
	case 'd':
		w.number(f, 2, int64(t.Day()))
	case 'e':
		w.spaced(f, int64(t.Day()))
	case 'H':
		w.number(f, 2, int64(t.Hour()))
	case 'k':
		w.spaced(f, int64(t.Hour()))
	case 'I':
		w.number(f, 2, int64(hour12(t)))
	case 'l':
		w.spaced(f, int64(hour12(t)))
	case 'j':
		w.number(f, 3, int64(t.YearDay()))
	case 'm':
		w.number(f, 2, int64(t.Month()))
	case 'M':
		w.number(f, 2, int64(t.Minute()))
	case 'S':
		w.number(f, 2, int64(t.Second()))
	case 's':
		w.number(f, 1, t.Unix())
	case 'q':
		w.number(f, 1, int64(t.Month()+2)/3)
	case 'u':
		w.number(f, 1, int64(t.Weekday()+6)%7+1)
	case 'w':
		w.number(f, 1, int64(t.Weekday()))
	case 'U':
		w.number(f, 2, int64(t.YearDay()-1-int(t.Weekday())+7)/7)
	case 'W':
		w.number(f, 2, int64(t.YearDay()-1-int(t.Weekday()+6)%7+7)/7)
	case 'V':
		_, week := t.ISOWeek()
		w.number(f, 2, int64(week))
	default:
		return false
	}
	return true
}

func hour12(t time.Time) int { return (t.Hour()+11)%12 + 1 }

// text writes a string right-aligned in the field.
func (w *formatter) text(f field, s string) {
	if f.upper {
		s = strings.ToUpper(s)
	}
	if f.pad != '-' && f.width > len(s) {
		fill := byte(' ')
		if f.pad == '0' || f.pad == '+' {
			fill = '0'
		}
		w.repeat(fill, f.width-len(s))
	}
	w.b.WriteString(s)
}

func (w *formatter) repeat(c byte, n int) {
	if n > 0 && w.b.Len()+n <= maxPadding {
		w.b.WriteString(strings.Repeat(string(c), n))
	}
}

func (w *formatter) name(f field, c byte) {
	var s string
	if c == 'a' || c == 'A' {
		s = w.t.Weekday().String()
	} else {
		s = w.t.Month().String()
	}
	if c != 'A' && c != 'B' {
		s = s[:3]
	}
	f.upper = f.upper || f.change
	w.text(f, s)
}

func (w *formatter) halfday(f field, c byte) {
	s := "AM"
	if w.t.Hour() >= 12 {
		s = "PM"
	}
	if c == 'P' || f.change {
		s, f.upper = strings.ToLower(s), false
	}
	w.text(f, s)
}

func (w *formatter) zoneName(f field) {
	s, _ := w.t.Zone()
	if f.change {
		s, f.upper = strings.ToLower(s), false
	}
	w.text(f, s)
}

// sub writes a conversion that stands for a layout, whose year is padded as
// yearPad says.
func (w *formatter) sub(f field, layout string, yearPad byte) {
	inner := &formatter{t: w.t}
	inner.layout(layout, f.upper, yearPad)
	w.text(f, inner.b.String())
}

// isoDate writes %F, which is %+4Y-%m-%d with the width given to the year.
func (w *formatter) isoDate(f field) {
	year := field{pad: f.pad, width: max(f.width-6, 0)}
	if f.pad == 0 && f.width < 0 {
		year.pad, year.width = '+', 4
	}
	w.years(year, 'Y', 0)
	w.layout("-%m-%d", false, 0)
}

func (w *formatter) years(f field, c, yearPad byte) {
	year := int64(w.t.Year())
	if c == 'g' || c == 'G' {
		y, _ := w.t.ISOWeek()
		year = int64(y)
	}
	if f.pad == 0 {
		f.pad = yearPad
	}
	digits, negative, n := 2, false, year
	switch c {
	case 'Y', 'G':
		digits, negative = 4, year < 0
	case 'C':
		negative = year < 0
		n = year / 100
	default: // y, g: the last two digits, of the same sign as the century
		n = year % 100
	}
	if n < 0 {
		n = -n
	}
	limit := int64(9999)
	if digits == 2 {
		limit = 99
	}
	plus := f.pad == '+' && (n > limit || digits < f.width)
	w.digits(f, digits, strconv.FormatInt(n, 10), negative, plus)
}

func (w *formatter) number(f field, digits int, n int64) {
	negative := n < 0
	s := strconv.FormatInt(n, 10)
	if negative {
		s = s[1:]
	}
	w.digits(f, digits, s, negative, false)
}

// spaced is number for the conversions that pad with spaces.
func (w *formatter) spaced(f field, n int64) {
	if f.pad == 0 {
		f.pad = '_'
	}
	w.number(f, 2, n)
}

// digits writes the digits of a number in its field, after its sign.
func (w *formatter) digits(f field, digits int, s string, negative, plus bool) {
	width := f.width
	if width < 0 {
		width = digits
	}
	sign := ""
	if negative {
		sign = "-"
	} else if plus {
		sign = "+"
	}
	fill := width - len(s) - len(sign)
	switch f.pad {
	case '-':
		w.b.WriteString(sign)
	case '_':
		w.repeat(' ', fill)
		w.b.WriteString(sign)
	default:
		w.b.WriteString(sign)
		w.repeat('0', fill)
	}
	w.b.WriteString(s)
}

// nanoseconds writes the leading digits of the fraction: as many as the width
// says, nine by default; trailing zeros become spaces with the flag "_" and
// go with "-" and a width.
func (w *formatter) nanoseconds(f field) {
	width := f.width
	if width <= 0 {
		width = 9
	}
	s := strconv.Itoa(1e9 + w.t.Nanosecond())[1:]
	s = s[:min(width, 9)]
	short := strings.TrimRight(s, "0")
	if short == "" {
		short = "0"
	}
	w.b.WriteString(short)
	switch f.pad {
	case '-':
		if f.width < 0 { // %-N asks for the clock's resolution
			w.repeat('0', width-len(short))
		}
	case '_':
		w.repeat(' ', width-len(short))
	default:
		w.repeat('0', width-len(short))
	}
}

// zoneOffset writes +hhmm, +hh:mm, +hh:mm:ss, or as much as is needed, for
// none to three colons.
func (w *formatter) zoneOffset(f field, colons int) bool {
	name, east := w.t.Zone()
	negative := east < 0 || east == 0 && strings.HasPrefix(name, "-")
	n := int(math.Abs(float64(east)))
	h, m, s := n/3600, n/60%60, n%60
	if colons == 3 {
		switch {
		case s != 0:
			colons = 2
		case m != 0:
			colons = 1
		}
	}
	two := func(n int) string { return strconv.Itoa(100 + n)[1:] }
	var text string
	var digits int
	switch colons {
	case 0:
		digits, text = 5, strconv.Itoa(h*100+m)
	case 1:
		digits, text = 6, strconv.Itoa(h)+":"+two(m)
	case 2:
		digits, text = 9, strconv.Itoa(h)+":"+two(m)+":"+two(s)
	case 3:
		digits, text = 3, strconv.Itoa(h)
	default:
		return false
	}
	w.digits(f, digits, text, negative, true)
	return true
}
