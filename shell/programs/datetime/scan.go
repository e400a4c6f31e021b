package datetime

import (
	"strings"
	"time"
)

// Scan reads text by a strptime(3) layout, in the C locale. It answers year,
// month (from 0), day, hours, minutes, seconds, weekday and day of the year
// (from 0), the last two computed where the date is known, and what the layout
// did not use of the text. Zones are read over, as glibc does. ok is false
// when the text does not match.
func Scan(text, layout string) (fields [8]int, rest string, ok bool) {
	s := &scanner{text: text, weekday: -1, yearDay: -1, century: -1, week: -1}
	if !s.layout(layout, 0) {
		return fields, "", false
	}
	return s.finish(), s.text, true
}

type scanner struct {
	text                            string
	year, month, day                int
	hour, minute, second            int
	weekday, yearDay, century, week int
	pm, twelve, hasYear, hasMonth   bool
	hasDay, hasEpoch                bool
	weekStart                       int
	epoch                           int64
}

// number reads at most digits digits of a number between lo and hi.
func (s *scanner) number(lo, hi, digits int) (int, bool) {
	s.text = strings.TrimLeft(s.text, " ")
	n, i := 0, 0
	for i < len(s.text) && i < digits && isDigit(s.text[i]) {
		n = n*10 + int(s.text[i]-'0')
		i++
		if n*10 > hi && i < digits && n > 0 {
			break
		}
	}
	if i == 0 || n < lo || n > hi {
		return 0, false
	}
	s.text = s.text[i:]
	return n, true
}

// name reads one of names, whole or its first three letters, in any case.
func (s *scanner) name(count int, name func(int) string) (int, bool) {
	for i := range count {
		whole := name(i)
		for _, n := range []string{whole, whole[:3]} {
			if len(s.text) >= len(n) && strings.EqualFold(s.text[:len(n)], n) {
				s.text = s.text[len(n):]
				return i, true
			}
		}
	}
	return 0, false
}

func (s *scanner) blanks() { s.text = strings.TrimLeft(s.text, blanks) }

func (s *scanner) layout(layout string, depth int) bool {
	for i := 0; i < len(layout); i++ {
		c := layout[i]
		switch {
		case strings.IndexByte(blanks, c) >= 0:
			s.blanks()
			continue
		case c != '%' || i+1 == len(layout):
			if s.text == "" || s.text[0] != c {
				return false
			}
			s.text = s.text[1:]
			continue
		}
		i++
		for i+1 < len(layout) && strings.IndexByte("-_0^#EO", layout[i]) >= 0 {
			i++
		}
		if !s.conversion(layout[i], depth) {
			return false
		}
	}
	return true
}

func (s *scanner) conversion(c byte, depth int) (ok bool) {
	sub := func(layout string) bool { return depth < 4 && s.layout(layout, depth+1) }
	switch c {
	case '%':
		ok = strings.HasPrefix(s.text, "%")
		s.text = strings.TrimPrefix(s.text, "%")
	case 'n', 't':
		s.blanks()
		ok = true
	case 'a', 'A':
		s.weekday, ok = s.name(7, func(i int) string { return time.Weekday(i).String() })
	case 'b', 'B', 'h':
		s.month, ok = s.name(12, func(i int) string { return time.Month(i + 1).String() })
		s.hasMonth = true
	case 'c':
		return sub("%a %b %e %H:%M:%S %Y")
	case 'D', 'x':
		return sub("%m/%d/%y")
	case 'F':
		return sub("%Y-%m-%d")
	case 'r':
		return sub("%I:%M:%S %p")
	case 'R':
		return sub("%H:%M")
	case 'T', 'X':
		return sub("%H:%M:%S")
	case 'C':
		s.century, ok = s.number(0, 99, 2)
	case 'd', 'e':
		s.day, ok = s.number(1, 31, 2)
		s.hasDay = true
	case 'H', 'k':
		s.hour, ok = s.number(0, 23, 2)
		s.twelve = false
	case 'I', 'l':
		s.hour, ok = s.number(1, 12, 2)
		s.hour %= 12
		s.twelve = true
	case 'j':
		s.yearDay, ok = s.number(1, 366, 3)
		s.yearDay--
	case 'm':
		s.month, ok = s.number(1, 12, 2)
		s.month--
		s.hasMonth = true
	case 'M':
		s.minute, ok = s.number(0, 59, 2)
	case 'p', 'P':
		if len(s.text) >= 2 {
			half := strings.ToUpper(s.text[:2])
			ok, s.pm = half == "AM" || half == "PM", half == "PM"
			s.text = s.text[2:]
		}
	case 's':
		s.epoch, ok = s.seconds()
		s.hasEpoch = true
	case 'S':
		s.second, ok = s.number(0, 61, 2)
	case 'u':
		s.weekday, ok = s.number(1, 7, 1)
		s.weekday %= 7
	case 'w':
		s.weekday, ok = s.number(0, 6, 1)
	case 'U', 'W':
		s.week, ok = s.number(0, 53, 2)
		s.weekStart = 0
		if c == 'W' {
			s.weekStart = 1
		}
	case 'V', 'g':
		_, ok = s.number(0, 99, 2)
	case 'G':
		_, ok = s.number(0, 9999, 4)
	case 'y':
		s.year, ok = s.number(0, 99, 2)
		s.hasYear = true
		if s.year < 69 {
			s.year += 100
		}
		s.year += 1900
	case 'Y':
		s.year, ok = s.number(0, 9999, 4)
		s.hasYear = true
	case 'z':
		ok = s.zone()
	case 'Z':
		n := 0
		for n < len(s.text) && isAlpha(s.text[n]) {
			n++
		}
		s.text = s.text[n:]
		ok = true
	}
	return ok
}

func (s *scanner) seconds() (int64, bool) {
	n, i := int64(0), 0
	for i < len(s.text) && isDigit(s.text[i]) && n <= maxUnix/10 {
		n = n*10 + int64(s.text[i]-'0')
		i++
	}
	s.text = s.text[i:]
	return n, i > 0
}

// zone reads Z, +hh, +hhmm or +hh:mm.
func (s *scanner) zone() bool {
	s.blanks()
	if strings.HasPrefix(s.text, "Z") {
		s.text = s.text[1:]
		return true
	}
	if s.text == "" || s.text[0] != '+' && s.text[0] != '-' {
		return false
	}
	s.text = s.text[1:]
	n, digits := 0, 0
	for n < len(s.text) && digits < 4 && (isDigit(s.text[n]) || s.text[n] == ':' && digits == 2) {
		if s.text[n] != ':' {
			digits++
		}
		n++
	}
	s.text = s.text[n:]
	return digits == 2 || digits == 4
}

// finish completes the fields from each other.
func (s *scanner) finish() [8]int {
	if s.hasEpoch {
		t := time.Unix(s.epoch, 0).UTC()
		s.year, s.month, s.day = t.Year(), int(t.Month())-1, t.Day()
		s.hour, s.minute, s.second = t.Clock()
		s.hasYear, s.hasMonth, s.hasDay = true, true, true
	}
	if s.twelve && s.pm {
		s.hour += 12
	}
	if s.century >= 0 {
		if s.hasYear {
			s.year = s.century*100 + s.year%100
		} else {
			s.year, s.hasYear = s.century*100, true
		}
	}
	if !s.hasYear {
		s.year = 1900
	}
	if s.week >= 0 && s.weekday >= 0 && s.yearDay < 0 {
		first := int(time.Date(s.year, 1, 1, 0, 0, 0, 0, time.UTC).Weekday())
		s.yearDay = (7-(first-s.weekStart+7)%7)%7 + (s.week-1)*7 + (s.weekday-s.weekStart+7)%7
	}
	if s.yearDay >= 0 && !(s.hasMonth && s.hasDay) {
		t := time.Date(s.year, 1, 1+s.yearDay, 0, 0, 0, 0, time.UTC)
		s.month, s.day = int(t.Month())-1, t.Day()
		s.hasMonth, s.hasDay = true, true
	}
	out := [8]int{s.year, s.month, s.day, s.hour, s.minute, s.second, 0, 0}
	t := time.Date(s.year, time.Month(s.month+1), max(s.day, 1), 0, 0, 0, 0, time.UTC)
	out[6], out[7] = int(t.Weekday()), t.YearDay()-1
	if s.day == 0 {
		out[7] = max(out[7]-1, 0)
	}
	return out
}
