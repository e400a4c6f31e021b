package programs

import (
	"errors"
	"strings"

	"mirage/shell/program/getopt"
)

// tabsHelp is the help of --tabs=LIST in expand and unexpand.
const tabsHelp = "use comma separated list of tab positions.\n" +
	"  The last specified position can be prefixed with '/'\n" +
	"  to specify a tab size to use after the last\n" +
	"  explicitly specified tab stop.  Also a prefix of '+'\n" +
	"  can be used to align remaining tab stops relative to\n" +
	"  the last specified tab stop instead of the first column"

// tabStops is a list of tab positions of expand and unexpand.
type tabStops struct {
	list      []uint64
	every     uint64 // "/N": multiples of N behind the list
	increment uint64 // "+N": N apart, counted from the list's last
	size      uint64 // the one distance when there is no list
}

// parse adds what the argument of -t says. Complaints have been reported when
// it answers false.
func (t *tabStops) parse(p *getopt.Parser, s string) bool {
	inv := p.Invocation()
	ok := true
	complain := func(format string, args ...any) {
		inv.Errorf(format, args...)
		ok = false
	}
	kind := byte(0) // '/' or '+' in front of the number
	start, n := -1, uint64(0)
	add := func() bool {
		if start < 0 {
			return true
		}
		start = -1
		slot := &t.every
		switch kind {
		case 0:
			t.list = append(t.list, n)
			return true
		case '+':
			slot = &t.increment
		}
		if *slot != 0 {
			complain("'%c' specifier only allowed with the last value", kind)
			return false
		}
		*slot = n
		return true
	}
scan:
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ',' || c == ' ' || c == '\t':
			if !add() {
				break scan
			}
		case c == '/' || c == '+':
			if start >= 0 {
				complain("'%c' specifier not at start of number: %s", c, inv.QuoteArg(s[i:]))
			}
			kind = c
		case c >= '0' && c <= '9':
			if start < 0 {
				start, n = i, 0
			}
			next, err := addDigit(n, c)
			if err != nil {
				digits := s[start : len(s)-len(strings.TrimLeft(s[start:], "0123456789"))]
				complain("tab stop is too large %s", inv.QuoteArg(digits))
				i = start + len(digits) - 1
			}
			n = next
		default:
			complain("tab size contains invalid character(s): %s", inv.QuoteArg(s[i:]))
			break scan
		}
	}
	if ok {
		add()
	}
	if !ok {
		p.Stopped, p.Status = true, 1
	}
	return ok
}

var errTooLarge = errors.New("too large")

// addDigit appends a decimal digit to a number.
func addDigit(n uint64, c byte) (uint64, error) {
	d := uint64(c - '0')
	if n > (1<<64-1-d)/10 {
		return n, errTooLarge
	}
	return n*10 + d, nil
}

// settle checks the list once it is complete. It answers what is wrong.
func (t *tabStops) settle() string {
	last := uint64(0)
	for _, n := range t.list {
		switch {
		case n == 0:
			return "tab size cannot be 0"
		case n <= last:
			return "tab sizes must be ascending"
		}
		last = n
	}
	switch {
	case t.every != 0 && t.increment != 0:
		return "'/' specifier is mutually exclusive with '+'"
	case len(t.list) == 0:
		t.size = 8
		if n := t.every + t.increment; n != 0 {
			t.size = n
		}
	case len(t.list) == 1 && t.every == 0 && t.increment == 0:
		t.size = t.list[0]
	}
	return ""
}

// next answers the tab stop behind a column. *at is the place in the list,
// which moves forward; ok is false when there are no more stops.
func (t *tabStops) next(column uint64, at *int) (stop uint64, ok bool) {
	if t.size != 0 {
		return column + t.size - column%t.size, true
	}
	for ; *at < len(t.list); *at++ {
		if stop := t.list[*at]; column < stop {
			return stop, true
		}
	}
	switch {
	case t.every != 0:
		return column + t.every - column%t.every, true
	case t.increment != 0:
		last := t.list[len(t.list)-1]
		return column + t.increment - (column-last)%t.increment, true
	}
	return 0, false
}
