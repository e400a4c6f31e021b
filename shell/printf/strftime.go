package printf

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// timeBuffer is the size of bash's buffer for a time; what does not fit is
// empty.
const timeBuffer = 128

// time carries out %(layout)T.
func (f *formatter) time(d *directive) {
	now := time.Now
	if f.p.Now != nil {
		now = f.p.Now
	}
	var t time.Time
	arg, ok := f.next()
	n := int64(-1)
	if ok {
		n = f.signed(arg)
	}
	switch n {
	case -1:
		t = now()
	case -2:
		t = f.p.Started
	default:
		t = time.Unix(n, 0)
	}
	loc := f.p.Location
	if loc == nil {
		loc = time.UTC
	}
	layout := d.layout
	if layout == "" {
		layout = "%X"
	}
	text := Strftime(layout, t.In(loc))
	if len(text) >= timeBuffer {
		text = ""
	}
	f.pad(d, f.cut(d, text))
}

// Strftime formats a time as strftime(3) does in the C locale, with glibc's
// extensions: %P, %s, %k, %l, and the flags _ - 0 ^ # with a width.
func Strftime(layout string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(layout); i++ {
		c := layout[i]
		if c != '%' {
			b.WriteByte(c)
			continue
		}
		start := i
		var flag byte
		for i+1 < len(layout) && strings.IndexByte("_-0^#", layout[i+1]) >= 0 {
			i++
			flag = layout[i]
		}
		width := 0
		for i+1 < len(layout) && '0' <= layout[i+1] && layout[i+1] <= '9' && width < 1000 {
			i++
			width = width*10 + int(layout[i]-'0')
		}
		if i+1 < len(layout) && (layout[i+1] == 'E' || layout[i+1] == 'O') {
			i++
		}
		if i+1 == len(layout) {
			b.WriteString(layout[start:])
			break
		}
		i++
		if !field(&b, layout[i], flag, width, t) {
			b.WriteString(layout[start : i+1])
		}
	}
	return b.String()
}

// field writes one field of a time; it answers false for a letter that is
// none.
func field(b *strings.Builder, c, flag byte, width int, t time.Time) bool {
	number := func(n, digits int, fill byte) {
		switch flag {
		case '_':
			fill = ' '
		case '0':
			fill = '0'
		case '-':
			digits = 0
		}
		digits = max(digits, width)
		s := strconv.Itoa(n)
		if n < 0 {
			s = strconv.Itoa(-n)
		}
		s = strings.Repeat(string(fill), max(digits-len(s), 0)) + s
		if n < 0 {
			s = "-" + s
		}
		b.WriteString(s)
	}
	text := func(s string) {
		switch flag {
		case '^':
			s = strings.ToUpper(s)
		case '#':
			if s = strings.ToUpper(s); c == 'p' || c == 'Z' {
				s = strings.ToLower(s)
			}
		}
		fill := " "
		if flag == '0' {
			fill = "0"
		}
		b.WriteString(strings.Repeat(fill, max(width-len(s), 0)) + s)
	}
	hour12 := (t.Hour()+11)%12 + 1
	isoYear, isoWeek := t.ISOWeek()
	switch c {
	case '%':
		text("%")
	case 'n':
		text("\n")
	case 't':
		text("\t")
	case 'a':
		text(t.Weekday().String()[:3])
	case 'A':
		text(t.Weekday().String())
	case 'b', 'h':
		text(t.Month().String()[:3])
	case 'B':
		text(t.Month().String())
	case 'c':
		text(Strftime("%a %b %e %H:%M:%S %Y", t))
	case 'C':
		number(t.Year()/100, 2, '0')
	case 'd':
		number(t.Day(), 2, '0')
	case 'D', 'x':
		text(Strftime("%m/%d/%y", t))
	case 'e':
		number(t.Day(), 2, ' ')
	case 'F':
		text(Strftime("%Y-%m-%d", t))
	case 'g':
		number(((isoYear%100)+100)%100, 2, '0')
	case 'G':
		number(isoYear, 1, '0')
	case 'H':
		number(t.Hour(), 2, '0')
	case 'I':
		number(hour12, 2, '0')
	case 'j':
		number(t.YearDay(), 3, '0')
	case 'k':
		number(t.Hour(), 2, ' ')
	case 'l':
		number(hour12, 2, ' ')
	case 'm':
		number(int(t.Month()), 2, '0')
	case 'M':
		number(t.Minute(), 2, '0')
	case 'p', 'P':
		s := "AM"
		if t.Hour() >= 12 {
			s = "PM"
		}
		if c == 'P' {
			s = strings.ToLower(s)
		}
		text(s)
	case 'r':
		text(Strftime("%I:%M:%S %p", t))
	case 'R':
		text(Strftime("%H:%M", t))
	case 's':
		text(strconv.FormatInt(t.Unix(), 10))
	case 'S':
		number(t.Second(), 2, '0')
	case 'T', 'X':
		text(Strftime("%H:%M:%S", t))
	case 'u':
		number((int(t.Weekday())+6)%7+1, 1, '0')
	case 'U':
		number((t.YearDay()+6-int(t.Weekday()))/7, 2, '0')
	case 'V':
		number(isoWeek, 2, '0')
	case 'w':
		number(int(t.Weekday()), 1, '0')
	case 'W':
		number((t.YearDay()+6-(int(t.Weekday())+6)%7)/7, 2, '0')
	case 'y':
		number(((t.Year()%100)+100)%100, 2, '0')
	case 'Y':
		number(t.Year(), 1, '0')
	case 'z':
		_, off := t.Zone()
		sign := "+"
		if off < 0 {
			sign, off = "-", -off
		}
		text(fmt.Sprintf("%s%02d%02d", sign, off/3600, off/60%60))
	case 'Z':
		name, _ := t.Zone()
		text(name)
	default:
		return false
	}
	return true
}
