package datetime

import (
	"math"
	"time"
)

// resolve turns what the items said into a time; false when it does not
// exist.
func (p *parser) resolve(now time.Time) (time.Time, bool) {
	if p.epoch {
		if !Representable(p.seconds) {
			// date words this differently, but it cannot be a time.Time.
			return time.Time{}, false
		}
		return time.Unix(p.seconds, p.nsec), true
	}
	for _, n := range []int{p.times, p.dates, p.days, p.dsts, p.zonesSeen + p.locals} {
		if n > 1 {
			return time.Time{}, false
		}
	}
	f := fieldsOf(now)
	if p.dates > 0 {
		if p.dated {
			year, ok := p.fullYear()
			if !ok {
				return time.Time{}, false
			}
			f.year = year
		}
		f.month, f.day = p.month.value, p.day.value
	}
	if p.times > 0 {
		if f.hour = p.hour24(); f.hour < 0 {
			return time.Time{}, false
		}
		f.minute, f.second, f.nsec = p.minutes, p.seconds, p.nsec
	} else if !p.relative || p.dates > 0 || p.days > 0 {
		f.hour, f.minute, f.second, f.nsec = 0, 0, 0, 0
	}
	loc := now.Location()
	start, ok := f.time(loc)
	if !ok || fieldsOf(start) != f {
		// The field is out of range, or the clocks jump over it. In a zone of
		// its own it exists, even where the local clocks jump.
		if !ok || p.zonesSeen == 0 || !f.exists() {
			return time.Time{}, false
		}
	}
	if p.locals > 0 && p.localDST >= 0 && start.IsDST() != (p.localDST == 1) {
		return time.Time{}, false
	}
	if p.days > 0 && p.dates == 0 {
		skip := p.dayOrdinal
		if skip > 0 && int64(start.Weekday()) != p.dayNumber {
			skip--
		}
		days := (p.dayNumber-int64(start.Weekday())+7)%7 + 7*skip
		if f.day, ok = add(f.day, days); !ok || abs(skip) > math.MaxInt32 {
			return time.Time{}, false
		}
		if start, ok = f.time(loc); !ok {
			return time.Time{}, false
		}
		f = fieldsOf(start)
	}
	return p.shift(f, start, now)
}

// shift applies the relative items: years, months and days on the calendar,
// then the zone, then hours and below as exact durations.
func (p *parser) shift(f fields, start, now time.Time) (time.Time, bool) {
	ok := true
	if r := p.rel.units; r[uYear] != 0 || r[uMonth] != 0 || r[uDay] != 0 {
		if f.year, ok = add(f.year, r[uYear]); !ok {
			return time.Time{}, false
		}
		if f.month, ok = add(f.month, r[uMonth]); !ok {
			return time.Time{}, false
		}
		if f.day, ok = add(f.day, r[uDay]); !ok {
			return time.Time{}, false
		}
		if start, ok = f.time(now.Location()); !ok {
			return time.Time{}, false
		}
		if p.dates == 0 && p.days == 0 && p.times == 0 {
			start = keepDST(start, now.IsDST())
		}
	}
	unix := start.Unix()
	if p.zonesSeen > 0 {
		_, east := start.Zone()
		unix += int64(east) - p.zoneEast
	}
	for _, exact := range []struct {
		unit    unit
		seconds int64
	}{{uHour, hour}, {uMinute, 60}, {uSecond, 1}} {
		n, ok := multiply(p.rel.units[exact.unit], exact.seconds)
		if ok {
			unix, ok = add(unix, n)
		}
		if !ok {
			return time.Time{}, false
		}
	}
	nsec := f.nsec + p.rel.nsec
	if !Representable(unix) || !Representable(unix+nsec/1e9) {
		return time.Time{}, false
	}
	return time.Unix(unix, nsec), true
}

// fullYear reads a year of two digits as POSIX does: 69 to 99 are of the
// twentieth century.
func (p *parser) fullYear() (int64, bool) {
	y := p.year.value
	if p.year.digits == 2 && y >= 0 {
		if y < 69 {
			y += 2000
		} else {
			y += 1900
		}
	}
	return y, minYear <= y && y <= maxYear
}

// hour24 applies am and pm; -1 is an hour out of range.
func (p *parser) hour24() int64 {
	h := p.hours
	switch {
	case p.meridian == 24:
		if h < 0 || h > 23 {
			return -1
		}
		return h
	case h < 1 && !(h == 0 && p.meridian == 0) && !(h == 0 && p.meridian == 12) || h > 12 || h < 0:
		return -1
	}
	return h%12 + p.meridian
}

// fields is a broken-down local time.
type fields struct {
	year, month, day, hour, minute, second, nsec int64
}

func fieldsOf(t time.Time) fields {
	year, month, day := t.Date()
	h, m, s := t.Clock()
	return fields{int64(year), int64(month), int64(day), int64(h), int64(m), int64(s), int64(t.Nanosecond())}
}

// time is mktime(3): fields out of range carry over, and a time that the
// clocks jump over is read with the offset before the jump.
func (f fields) time(loc *time.Location) (time.Time, bool) {
	if abs(f.month) > math.MaxInt32 || abs(f.day) > math.MaxInt32 || f.year < minYear || f.year > maxYear {
		return time.Time{}, false
	}
	t := time.Date(int(f.year), time.Month(f.month), int(f.day), int(f.hour), int(f.minute), int(f.second), int(f.nsec), loc)
	utc := time.Date(int(f.year), time.Month(f.month), int(f.day), int(f.hour), int(f.minute), int(f.second), int(f.nsec), time.UTC)
	if fieldsOf(t) != fieldsOf(utc) {
		_, east := t.Add(-12 * time.Hour).Zone()
		t = time.Unix(utc.Unix()-int64(east), f.nsec).In(loc)
	}
	y := int64(t.Year())
	return t, minYear <= y && y <= maxYear
}

// keepDST reads t's clock in the other half of the year's offset when t is not
// in the half that dst names, as mktime(3) does when tm_isdst is given: what
// was 18:00 standard time a month ago was 19:00 on the clocks.
func keepDST(t time.Time, dst bool) time.Time {
	if t.IsDST() == dst {
		return t
	}
	for days := 7; days <= 268; days += 7 {
		for _, sign := range []int{1, -1} {
			probe := t.AddDate(0, 0, sign*days)
			if probe.IsDST() == dst {
				_, here := t.Zone()
				_, there := probe.Zone()
				return time.Unix(t.Unix()+int64(here-there), int64(t.Nanosecond())).In(t.Location())
			}
		}
	}
	return t
}

// exists reports whether the fields are a time on the calendar and the clock,
// without any zone.
func (f fields) exists() bool {
	t, ok := f.time(time.UTC)
	return ok && fieldsOf(t) == f
}

func add(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func addTo(a *int64, b int64) bool {
	c, ok := add(*a, b)
	*a = c
	return ok
}

func multiply(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	c := a * b
	return c, c/b == a && !(a == -1 && b == math.MinInt64) && !(b == -1 && a == math.MinInt64)
}
