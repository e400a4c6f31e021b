package shell

import (
	"fmt"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// timeClause runs `time`: the real time of a pipeline by TIMEFORMAT. There are
// no processes whose user and system time could be told, so those are zero.
func (e *Executor) timeClause(c *syntax.TimeClause) {
	start := time.Now()
	if c.Stmt != nil {
		e.stmt(c.Stmt)
	} else {
		e.status = 0
	}
	format, set := e.vars.Lookup("TIMEFORMAT")
	switch {
	case c.PosixFormat:
		format = "real %2R\nuser %2U\nsys %2S"
	case !set:
		format = "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS"
	case format == "":
		return
	}
	text, bad := formatTimes(format, time.Since(start))
	if bad != "" {
		e.errorf("TIMEFORMAT: `%s': invalid format character", bad)
		return
	}
	e.writeFD(2, text+"\n")
}

// formatTimes fills in TIMEFORMAT; bad is a wrong conversion.
func formatTimes(format string, real time.Duration) (text, bad string) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		if format[i] == '%' {
			b.WriteByte('%')
			continue
		}
		precision, long := 3, false
		if c := format[i]; c >= '0' && c <= '9' {
			precision = min(int(c-'0'), 3)
			i++
		}
		if i < len(format) && format[i] == 'l' {
			long = true
			i++
		}
		if i == len(format) {
			return "", "%"
		}
		d := time.Duration(0)
		switch format[i] {
		case 'R':
			d = real
		case 'U', 'S':
		case 'P':
			b.WriteString("0.00")
			continue
		default:
			return "", format[i : i+1]
		}
		b.WriteString(formatSeconds(d, precision, long))
	}
	return b.String(), ""
}

func formatSeconds(d time.Duration, precision int, long bool) string {
	unit := time.Second
	for i := 0; i < precision; i++ {
		unit /= 10
	}
	d = d.Truncate(unit)
	minutes := ""
	if long {
		m := d / time.Minute
		minutes = itoa(int(m)) + "m"
		d -= m * time.Minute
	}
	whole := d / time.Second
	s := minutes + itoa(int(whole))
	if precision > 0 {
		s += fmt.Sprintf(".%0*d", precision, (d-whole*time.Second)/unit)
	}
	if long {
		s += "s"
	}
	return s
}
