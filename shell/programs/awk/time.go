package awk

import (
	"strconv"
	"strings"
	"time"

	"mirage/shell/programs/datetime"
)

// defaultTime is the format of strftime without one.
const defaultTime = "%a %b %e %H:%M:%S %Z %Y"

// time compiles systime, strftime and mktime.
func (c *compiler) time(e *builtinExpr) valueFunc {
	switch e.name {
	case "systime":
		return func(in *interp) value { return number(float64(in.inv.Now().Unix())) }
	case "mktime":
		return c.mktime(e)
	}
	format := func(*interp) string { return defaultTime }
	when := func(in *interp) float64 { return float64(in.inv.Now().Unix()) }
	utc := func(in *interp) bool { return false }
	if len(e.args) > 0 {
		format = c.str(e.args[0])
	}
	if len(e.args) > 1 {
		when = c.num(e.args[1])
	}
	if len(e.args) > 2 {
		utc = c.cond(e.args[2])
	}
	return func(in *interp) value {
		f := format(in)
		n := when(in)
		if !(n > -1<<53 && n < 1<<53) || !datetime.Representable(int64(n)) {
			in.fatalf("strftime: second argument out of range for time_t")
		}
		return text(datetime.Format(f, time.Unix(int64(n), 0).In(in.zone(utc(in)))))
	}
}

func (in *interp) zone(utc bool) *time.Location {
	if utc || in.inv.Location == nil {
		return time.UTC
	}
	return in.inv.Location
}

// mktime compiles mktime: "YYYY MM DD HH MM SS [DST]" as seconds.
func (c *compiler) mktime(e *builtinExpr) valueFunc {
	spec := c.str(e.args[0])
	utc := func(in *interp) bool { return false }
	if len(e.args) > 1 {
		utc = c.cond(e.args[1])
	}
	return func(in *interp) value {
		words := strings.Fields(spec(in))
		if len(words) < 6 {
			return number(-1)
		}
		var n [6]int
		for i := range n {
			v, err := strconv.Atoi(words[i])
			if err != nil || v < -1<<31 || v > 1<<31 {
				return number(-1)
			}
			n[i] = v
		}
		t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, in.zone(utc(in)))
		return number(float64(t.Unix()))
	}
}
