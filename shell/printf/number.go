package printf

import (
	"math"
	"strconv"
	"strings"

	"mirage/shell/program/longdouble"
)

// character reads the form 'x, which stands for the number of the character.
func (f *formatter) character(arg string) (n int64, ok bool) {
	if arg == "" || arg[0] != '\'' && arg[0] != '"' {
		return 0, false
	}
	if len(arg) == 1 {
		if f.p.Style == GNU {
			f.fail(quoteName(arg) + ": expected a numeric value")
		}
		return 0, true
	}
	r, size := f.p.firstChar(arg[1:])
	if rest := arg[1+size:]; rest != "" && f.p.Style == GNU {
		f.warn("warning: " + rest + ": character(s) following character constant have been ignored")
	}
	return int64(r), true
}

// outOfRange is C's text for ERANGE.
const outOfRange = "Numerical result out of range"

// scan reads an integer as strtoimax and strtoumax do with base 0. rest is
// what follows it; found is false when there was no digit.
func scan(s string) (magnitude uint64, negative bool, rest string, found, overflow bool) {
	t := strings.TrimLeft(s, " \t\n\v\f\r")
	if t != "" && (t[0] == '+' || t[0] == '-') {
		negative = t[0] == '-'
		t = t[1:]
	}
	base := uint64(10)
	switch {
	case len(t) > 2 && t[0] == '0' && t[1]|0x20 == 'x' && isHex(t[2]):
		base = 16
		t = t[2:]
	case len(t) > 0 && t[0] == '0':
		base = 8
	}
	i := 0
	for ; i < len(t); i++ {
		d := uint64(99)
		switch c := t[i]; {
		case '0' <= c && c <= '9':
			d = uint64(c - '0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			d = uint64(c|0x20-'a') + 10
		}
		if d >= base {
			break
		}
		if magnitude > (math.MaxUint64-d)/base {
			overflow = true
			continue
		}
		magnitude = magnitude*base + d
	}
	if i == 0 {
		return 0, false, s, false, false
	}
	return magnitude, negative, t[i:], true, overflow
}

// check reports what is wrong with a numeric argument.
func (f *formatter) check(arg, rest string, found bool, problem string) {
	if f.p.Style == GNU {
		switch {
		case problem != "":
			f.fail(quoteName(arg) + ": " + problem)
		case !found && rest != "":
			f.fail(quoteName(arg) + ": expected a numeric value")
		case rest != "":
			f.fail(quoteName(arg) + ": value not completely converted")
		}
		return
	}
	switch {
	case rest != "" || !found && arg != "":
		kind := "number"
		if len(arg) > 1 && arg[0] == '0' {
			switch {
			case arg[1]|0x20 == 'x':
				kind = "hex number"
			case '0' <= arg[1] && arg[1] <= '9':
				kind = "octal number"
			}
		}
		f.fail(arg + ": invalid " + kind)
	case problem != "":
		f.warn("warning: " + arg + ": " + problem)
	}
}

// signed reads an argument of %d.
func (f *formatter) signed(arg string) int64 {
	if n, err := strconv.ParseInt(arg, 10, 64); err == nil && (arg[0] != '0' || n == 0) && arg[0] != '-' && arg[0] != '+' {
		return n
	}
	if n, ok := f.character(arg); ok {
		return n
	}
	m, negative, rest, found, overflow := scan(arg)
	var n int64
	problem := ""
	switch {
	case negative && (overflow || m > 1<<63):
		n, problem = math.MinInt64, outOfRange
	case !negative && (overflow || m > math.MaxInt64):
		n, problem = math.MaxInt64, outOfRange
	case negative:
		n = -int64(m)
	default:
		n = int64(m)
	}
	f.checkArg(arg, rest, found, problem)
	return n
}

// checkArg is check that lets a missing argument be 0.
func (f *formatter) checkArg(arg, rest string, found bool, problem string) {
	if arg == missing {
		return
	}
	f.check(arg, rest, found, problem)
}

// missing stands for an argument that was not given.
const missing = "\x00"

func (f *formatter) unsigned(arg string) uint64 {
	if n, ok := f.character(arg); ok {
		return uint64(n)
	}
	m, negative, rest, found, overflow := scan(arg)
	problem := ""
	switch {
	case overflow:
		m, problem = math.MaxUint64, outOfRange
	case negative:
		m = -m
	}
	f.checkArg(arg, rest, found, problem)
	return m
}

// numeric takes the argument of a numeric conversion.
func (f *formatter) numeric() string {
	if arg, ok := f.next(); ok {
		return arg
	}
	return missing
}

func (f *formatter) integer(d *directive) {
	arg := f.numeric()
	var digits, sign string
	switch d.verb {
	case 'd', 'i':
		n := f.signed(arg)
		m := uint64(n)
		switch {
		case n < 0:
			sign, m = "-", -m
		case d.has('+'):
			sign = "+"
		case d.has(' '):
			sign = " "
		}
		digits = strconv.FormatUint(m, 10)
	case 'u':
		digits = strconv.FormatUint(f.unsigned(arg), 10)
	case 'o':
		digits = strconv.FormatUint(f.unsigned(arg), 8)
	default:
		digits = strconv.FormatUint(f.unsigned(arg), 16)
	}
	zero := digits == "0"
	if d.precision == 0 && zero {
		digits = ""
	}
	if n := d.precision - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	if d.has('#') {
		switch d.verb {
		case 'o':
			if !strings.HasPrefix(digits, "0") {
				digits = "0" + digits
			}
		case 'x', 'X':
			if !zero {
				sign = "0x"
			}
		}
	}
	if n := d.width - len(sign) - len(digits); n > 0 && d.has('0') && !d.has('-') && d.precision < 0 {
		digits = strings.Repeat("0", n) + digits
	}
	s := sign + digits
	if d.verb == 'X' {
		s = strings.ToUpper(s)
	}
	f.pad(d, s)
}

func (f *formatter) float(d *directive) {
	arg := f.numeric()
	var v longdouble.Float
	if n, ok := f.character(arg); ok {
		v = longdouble.Int(n)
	} else {
		var rest string
		var found bool
		v, rest, found = longdouble.Parse(arg)
		problem := ""
		if found && v.IsInf() && strings.ContainsAny(arg, "0123456789") {
			problem = outOfRange
		}
		f.checkArg(arg, rest, found, problem)
	}
	format := longdouble.Directive{Flags: d.flags, Width: d.width, Precision: d.precision, Verb: d.verb}
	f.out = append(f.out, format.Format(v)...)
}
