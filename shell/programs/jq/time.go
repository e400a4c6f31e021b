package jq

import (
	"math"
	"strings"
	"time"

	"mirage/shell/programs/datetime"
)

// clock is the time and the zone of a run.
type clock struct {
	now  func() time.Time
	zone *time.Location
}

// timeNatives are the builtins about dates.
func timeNatives() map[string]native {
	return map[string]native{
		"now/0": func(m *machine, _ any, _ []any) (any, error) {
			return float64(m.prog.host.clock.now().UnixMicro()) / 1e6, nil
		},
		"mktime/0": makeTime,
		"gmtime/0": func(m *machine, v any, _ []any) (any, error) { return breakDown(v, "gmtime()", time.UTC) },
		"localtime/0": func(m *machine, v any, _ []any) (any, error) {
			return breakDown(v, "localtime()", m.prog.host.clock.zone)
		},
		"strftime/1": func(m *machine, v any, a []any) (any, error) { return formatTime(m, v, a[0], "strftime/1", time.UTC) },
		"strflocaltime/1": func(m *machine, v any, a []any) (any, error) {
			return formatTime(m, v, a[0], "strflocaltime/1", m.prog.host.clock.zone)
		},
		"strptime/1": parseTime,
	}
}

// breakDown turns seconds into [year, month, day, hours, minutes, seconds,
// weekday, day of the year], months and days of the year counted from 0.
func breakDown(v any, name string, zone *time.Location) (any, error) {
	n, ok := number(v)
	if !ok {
		return nil, errorText(name + " requires numeric inputs")
	}
	seconds := math.Floor(n)
	if !datetime.Representable(toInt(seconds)) || n != n {
		return nil, errorText("error converting number of seconds since epoch to datetime")
	}
	t := time.Unix(int64(seconds), 0).In(zone)
	list := brokenDown(t)
	list[5] = list[5].(float64) + (n - seconds)
	return list, nil
}

func brokenDown(t time.Time) []any {
	return []any{
		float64(t.Year()), float64(t.Month() - 1), float64(t.Day()),
		float64(t.Hour()), float64(t.Minute()), float64(t.Second()),
		float64(t.Weekday()), float64(t.YearDay() - 1),
	}
}

// fromBrokenDown reads a broken-down time; fields that are missing are 0.
func fromBrokenDown(list []any, zone *time.Location) (time.Time, bool) {
	var f [6]int
	for i := range min(len(list), 8) {
		n, ok := number(list[i])
		if !ok || n != n {
			return time.Time{}, false
		}
		if i < len(f) {
			f[i] = int(max(min(n, 1e9), -1e9))
		}
	}
	return time.Date(f[0], time.Month(f[1]+1), f[2], f[3], f[4], f[5], 0, zone), true
}

func makeTime(_ *machine, v any, _ []any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errorText("mktime requires array inputs")
	}
	t, ok := fromBrokenDown(list, time.UTC)
	if !ok {
		return nil, errorText("mktime requires parsed datetime inputs")
	}
	return float64(t.Unix()), nil
}

func formatTime(m *machine, v, layout any, name string, zone *time.Location) (any, error) {
	var t time.Time
	switch x := v.(type) {
	case float64, *literal:
		list, err := breakDown(v, "gmtime()", zone)
		if err != nil {
			return nil, err
		}
		t, _ = fromBrokenDown(list.([]any), zone)
	case []any:
		var ok bool
		if t, ok = fromBrokenDown(x, zone); !ok {
			return nil, errorText(name + " requires parsed datetime inputs")
		}
	default:
		return nil, errorText(name + " requires parsed datetime inputs")
	}
	s, ok := layout.(string)
	if !ok {
		return nil, errorText(name + " requires a string format")
	}
	out := datetime.Format(s, t)
	return out, m.room(len(out))
}

// parseTime is strptime: the text by the layout, which white space may follow.
func parseTime(_ *machine, v any, a []any) (any, error) {
	s, ok := v.(string)
	layout, ok2 := a[0].(string)
	if !ok || !ok2 {
		return nil, errorText("strptime/1 requires string inputs and arguments")
	}
	list, rest, ok := datetime.Scan(s, layout)
	if !ok || rest != "" && !strings.ContainsRune(whitespace, rune(rest[0])) {
		return nil, errorText(`date "` + s + `" does not match format "` + layout + `"`)
	}
	out := make([]any, len(list), len(list)+1)
	for i, n := range list {
		out[i] = float64(n)
	}
	if rest != "" {
		out = append(out, rest)
	}
	return out, nil
}
