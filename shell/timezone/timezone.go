// Package timezone reads the values of the variable TZ.
package timezone

import (
	"encoding/binary"
	"strings"
	"time"
	_ "time/tzdata" // for machines without a database of time zones
)

// Of answers the location that a value of TZ stands for, as tzset(3) reads
// it: a name of the time zone database, or a POSIX rule such as
// "EST5EDT,M3.2.0,M11.1.0" or "<+03>-3". What is neither counts as UTC under
// the name that it begins with, if any.
func Of(tz string) *time.Location {
	tz = strings.TrimPrefix(tz, ":")
	if tz == "" {
		return time.UTC
	}
	if isDatabaseName(tz) {
		if loc, err := time.LoadLocation(tz); err == nil {
			return loc
		}
	}
	name, rest := zoneName(tz)
	if name == "" {
		return time.FixedZone("", 0)
	}
	offset, rest, ok := zoneOffset(rest)
	if !ok {
		return time.FixedZone(name, 0)
	}
	if rest == "" {
		return time.FixedZone(name, offset)
	}
	return ruleZone(tz, name, offset)
}

// isDatabaseName keeps LoadLocation to plain names: no "Local", which is the
// machine's own zone, and nothing that could leave the database.
func isDatabaseName(tz string) bool {
	if tz == "Local" || len(tz) > 64 || tz[0] == '/' || strings.Contains(tz, "..") {
		return false
	}
	for i := 0; i < len(tz); i++ {
		if c := tz[i]; !isAlpha(c) && !isDigit(c) && !strings.ContainsRune("/_-+", rune(c)) {
			return false
		}
	}
	return true
}

// zoneName reads the name that begins a POSIX rule: three letters or more, or
// anything alphanumeric between < and >.
func zoneName(s string) (name, rest string) {
	if strings.HasPrefix(s, "<") {
		name, rest, ok := strings.Cut(s[1:], ">")
		if !ok || len(name) < 3 {
			return "", s
		}
		return name, rest
	}
	n := 0
	for n < len(s) && isAlpha(s[n]) {
		n++
	}
	if n < 3 {
		return "", s
	}
	return s[:n], s[n:]
}

// zoneOffset reads [+-]hh[:mm[:ss]] and answers seconds east of Greenwich,
// which POSIX counts the other way round. As in glibc, numbers that are too
// large count as the largest: 24 hours, 59 minutes and seconds.
func zoneOffset(s string) (east int, rest string, ok bool) {
	sign := -1
	if s != "" && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = 1
		}
		s = s[1:]
	}
	unit, total := 3600, 0
	for most := 24; unit > 0; most = 59 {
		n, v := 0, 0
		for n < len(s) && isDigit(s[n]) {
			v = min(v*10+int(s[n]-'0'), most)
			n++
		}
		if n == 0 {
			return 0, s, false
		}
		total += v * unit
		s = s[n:]
		unit /= 60
		if unit == 0 || len(s) < 2 || s[0] != ':' || !isDigit(s[1]) {
			break
		}
		s = s[1:]
	}
	return sign * total, s, true
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// ruleZone makes a location of a whole POSIX rule. The time package reads such
// rules only at the end of a TZif file (RFC 8536), so it is given a file that
// holds the rule and nothing else.
func ruleZone(rule, name string, offset int) *time.Location {
	header := func(v8 bool) []byte {
		b := append([]byte("TZif2"), make([]byte, 15)...)
		chars := uint32(0)
		types := uint32(0)
		if v8 {
			types, chars = 1, uint32(len(name)+1)
		}
		for _, n := range []uint32{0, 0, 0, 0, types, chars} {
			b = binary.BigEndian.AppendUint32(b, n)
		}
		return b
	}
	file := header(false)
	file = append(file, header(true)...)
	file = binary.BigEndian.AppendUint32(file, uint32(int32(offset)))
	file = append(file, 0, 0) // not daylight saving, name at index 0
	file = append(file, name...)
	file = append(file, 0, '\n')
	file = append(file, rule...)
	file = append(file, '\n')
	loc, err := time.LoadLocationFromTZData(rule, file)
	if err != nil {
		return time.FixedZone(name, offset)
	}
	return loc
}
