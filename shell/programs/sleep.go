package programs

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
)

var sleepSpec = getopt.Spec{
	Name:     "sleep",
	Synopsis: []string{"NUMBER[SUFFIX]...", "OPTION"},
	Summary: "Pause for NUMBER seconds.  SUFFIX may be 's' for seconds (the default),\n" +
		"'m' for minutes, 'h' for hours or 'd' for days.  NUMBER need not be an\n" +
		"integer.  Given two or more arguments, pause for the amount of time\n" +
		"specified by the sum of their values.",
}

func runSleep(ctx context.Context, inv *program.Invocation) int {
	p := sleepSpec.Parse(inv)
	for p.Next() {
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) == 0 {
		return p.Missing()
	}
	total, ok := time.Duration(0), true
	for _, s := range p.Operands {
		d, err := parseInterval(s)
		if err != nil {
			inv.Errorf("invalid time interval %s", inv.QuoteArg(s))
			ok = false
			continue
		}
		if total += d; total < 0 {
			total = math.MaxInt64
		}
	}
	if !ok {
		return p.Usage("")
	}
	pause(ctx, total)
	return 0
}

// pause waits; it answers false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

var errInterval = errors.New("invalid time interval")

// parseInterval reads a number of seconds as strtold(3) does, hexadecimal and
// "inf" included, with a suffix s, m, h or d. What is too long to wait for is
// the longest duration.
func parseInterval(s string) (time.Duration, error) {
	number, unit := s, time.Second
	if n := len(s); n > 0 {
		switch s[n-1] {
		case 's':
			number = s[:n-1]
		case 'm':
			number, unit = s[:n-1], time.Minute
		case 'h':
			number, unit = s[:n-1], time.Hour
		case 'd':
			if !hexadecimal(s) {
				number, unit = s[:n-1], 24*time.Hour
			}
		}
	}
	number = strings.TrimLeft(number, " \t\n\v\f\r")
	if hexadecimal(number) && !strings.ContainsAny(number, "pP") {
		number += "p0" // as strconv wants it
	}
	if strings.Contains(number, "_") {
		return 0, errInterval
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) || f < 0 {
		return 0, errInterval
	}
	if f *= float64(unit); f >= math.MaxInt64 {
		return math.MaxInt64, nil
	}
	return time.Duration(math.Ceil(f)), nil
}

func hexadecimal(s string) bool {
	s = strings.TrimPrefix(strings.ToLower(s), "+")
	return strings.HasPrefix(s, "0x")
}
