package datetime

import "strings"

// meaning is what one word stands for.
type meaning struct {
	name  string
	kind  kind
	value int64
}

func months() []meaning {
	return []meaning{
		{"JANUARY", kMonth, 1}, {"FEBRUARY", kMonth, 2}, {"MARCH", kMonth, 3}, {"APRIL", kMonth, 4},
		{"MAY", kMonth, 5}, {"JUNE", kMonth, 6}, {"JULY", kMonth, 7}, {"AUGUST", kMonth, 8},
		{"SEPTEMBER", kMonth, 9}, {"SEPT", kMonth, 9}, {"OCTOBER", kMonth, 10}, {"NOVEMBER", kMonth, 11},
		{"DECEMBER", kMonth, 12},
		{"SUNDAY", kDay, 0}, {"MONDAY", kDay, 1}, {"TUESDAY", kDay, 2}, {"TUES", kDay, 2},
		{"WEDNESDAY", kDay, 3}, {"WEDNES", kDay, 3}, {"THURSDAY", kDay, 4}, {"THUR", kDay, 4},
		{"THURS", kDay, 4}, {"FRIDAY", kDay, 5}, {"SATURDAY", kDay, 6},
	}
}

const hour = 3600

// zoneOf knows the names that mean the same everywhere, and those that the
// manual lists although they are ambiguous.
func zoneOf(name string) (token, bool) {
	var hours float64
	daylight := false
	switch name {
	case "GMT", "UT", "UTC", "WET":
	case "WEST", "BST":
		daylight = true
	case "ART", "BRT":
		hours = -3
	case "BRST":
		hours, daylight = -3, true
	case "NST":
		hours = -3.5
	case "NDT":
		hours, daylight = -3.5, true
	case "AST", "CLT":
		hours = -4
	case "ADT", "CLST":
		hours, daylight = -4, true
	case "EST":
		hours = -5
	case "EDT":
		hours, daylight = -5, true
	case "CST":
		hours = -6
	case "CDT":
		hours, daylight = -6, true
	case "MST":
		hours = -7
	case "MDT":
		hours, daylight = -7, true
	case "PST":
		hours = -8
	case "PDT":
		hours, daylight = -8, true
	case "AKST":
		hours = -9
	case "AKDT":
		hours, daylight = -9, true
	case "HST", "HAST":
		hours = -10
	case "HADT":
		hours, daylight = -10, true
	case "SST":
		hours = -12
	case "WAT", "CET", "MET", "MEZ":
		hours = 1
	case "CEST", "MEST", "MESZ":
		hours, daylight = 1, true
	case "EET", "CAT", "SAST":
		hours = 2
	case "EEST":
		hours, daylight = 2, true
	case "EAT", "MSK":
		hours = 3
	case "MSD":
		hours, daylight = 3, true
	case "IST":
		hours = 5.5
	case "SGT":
		hours = 8
	case "KST", "JST":
		hours = 9
	case "GST":
		hours = 10
	case "NZST":
		hours = 12
	case "NZDT":
		hours, daylight = 12, true
	default:
		return token{}, false
	}
	t := token{kind: kZone, value: int64(hours * hour)}
	if daylight {
		t.kind = kDayZone
	}
	return t, true
}

func unitOf(name string) (token, bool) {
	t := token{kind: kUnit, value: 1}
	switch name {
	case "YEAR":
		t.unit = uYear
	case "MONTH":
		t.unit = uMonth
	case "FORTNIGHT":
		t.unit, t.value = uDay, 14
	case "WEEK":
		t.unit, t.value = uDay, 7
	case "DAY":
		t.unit = uDay
	case "HOUR":
		t.unit = uHour
	case "MINUTE", "MIN":
		t.unit = uMinute
	case "SECOND", "SEC":
		t.unit = uSecond
	default:
		return token{}, false
	}
	return t, true
}

func relativeOf(name string) (token, bool) {
	switch name {
	case "TOMORROW":
		return token{kind: kDayShift, value: 1}, true
	case "YESTERDAY":
		return token{kind: kDayShift, value: -1}, true
	case "TODAY", "NOW":
		return token{kind: kDayShift}, true
	case "AGO":
		return token{kind: kDirection, value: -1}, true
	case "HENCE":
		return token{kind: kDirection, value: 1}, true
	}
	ordinals := [...]string{"LAST", "THIS", "NEXT", "", "THIRD", "FOURTH", "FIFTH", "SIXTH", "SEVENTH",
		"EIGHTH", "NINTH", "TENTH", "ELEVENTH", "TWELFTH"}
	for i, o := range ordinals {
		if name == o { // SECOND is a unit, so there is no second ordinal
			return token{kind: kOrdinal, value: int64(i - 1)}, true
		}
	}
	if name == "FIRST" {
		return token{kind: kOrdinal, value: 1}, true
	}
	return token{}, false
}

// militaryOf knows the one-letter zones. J is local time and not known to the
// release that is followed; T doubles as the middle of ISO 8601.
func militaryOf(c byte) (token, bool) {
	switch {
	case c == 'T':
		return token{kind: kMilitaryT}, true
	case c == 'Z':
		return token{kind: kZone}, true
	case 'A' <= c && c <= 'I':
		return token{kind: kZone, value: int64(c-'A'+1) * hour}, true
	case 'K' <= c && c <= 'M':
		return token{kind: kZone, value: int64(c-'A') * hour}, true
	case 'N' <= c && c <= 'Y':
		return token{kind: kZone, value: -int64(c-'N'+1) * hour}, true
	}
	return token{}, false
}

// zone looks a name up among zones: universal ones, then those of the text's
// own location, then the table.
func (l *lexer) zone(name string) (token, bool) {
	switch name {
	case "GMT", "UT", "UTC":
		return token{kind: kZone}, true
	}
	for _, z := range l.zones {
		if z.name != "" && strings.EqualFold(z.name, name) {
			return token{kind: kLocalZone, value: z.dst}, true
		}
	}
	return zoneOf(name)
}

// word classifies a run of letters and periods.
func (l *lexer) word(text string) token {
	name := strings.ToUpper(text)
	switch name {
	case "AM", "A.M.":
		return token{kind: kMeridian, value: 0}
	case "PM", "P.M.":
		return token{kind: kMeridian, value: 12}
	}
	abbreviated := len(name) == 3 || len(name) == 4 && name[3] == '.'
	for _, m := range months() {
		if name == m.name || abbreviated && name[:3] == m.name[:3] {
			return token{kind: m.kind, value: m.value}
		}
	}
	if t, ok := l.zone(name); ok {
		return t
	}
	if name == "DST" {
		return token{kind: kDST}
	}
	if t, ok := unitOf(name); ok {
		return t
	}
	if singular, ok := strings.CutSuffix(name, "S"); ok {
		if t, ok := unitOf(singular); ok {
			return t
		}
	}
	if t, ok := relativeOf(name); ok {
		return t
	}
	if len(name) == 1 {
		if t, ok := militaryOf(name[0]); ok {
			return t
		}
	}
	if strings.Contains(name, ".") {
		if t, ok := l.zone(strings.ReplaceAll(name, ".", "")); ok {
			return t
		}
	}
	return token{kind: kBad}
}
