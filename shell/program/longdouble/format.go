package longdouble

import (
	"math/big"
	"strconv"
	"strings"
)

// Directive is one conversion of printf(3): %[flags][width][.precision]verb.
type Directive struct {
	Flags     string // of "-+ #0'"
	Width     int
	Precision int  // -1 when not given
	Verb      byte // one of aAeEfFgG
}

// Most digits that a directive writes; a long double has fewer.
const maxPrecision = 1 << 15

func (d Directive) flag(c byte) bool { return strings.IndexByte(d.Flags, c) >= 0 }

// Format writes a as printf(3) does.
func (d Directive) Format(a Float) string {
	sign := ""
	switch {
	case a.Signbit():
		sign = "-"
	case d.flag('+'):
		sign = "+"
	case d.flag(' '):
		sign = " "
	}
	verb := d.Verb | 0x20
	var body, prefix string
	zeros := d.flag('0') && !d.flag('-')
	abs := newFloat().Abs(a.value())
	switch {
	case a.nan:
		body, zeros = "nan", false
	case abs.IsInf():
		body, zeros = "inf", false
	case verb == 'a':
		prefix, body = "0x", d.hexadecimal(abs)
	case verb == 'g':
		body = d.general(abs)
	case verb == 'e':
		body = d.point(abs.Text('e', d.precision()))
	default:
		body = d.point(abs.Text('f', d.precision()))
	}
	if d.Verb != verb {
		prefix, body = strings.ToUpper(prefix), strings.ToUpper(body)
	}
	fill := max(d.Width-len(sign)-len(prefix)-len(body), 0)
	switch {
	case d.flag('-'):
		return sign + prefix + body + strings.Repeat(" ", fill)
	case zeros:
		return sign + prefix + strings.Repeat("0", fill) + body
	}
	return strings.Repeat(" ", fill) + sign + prefix + body
}

func (d Directive) precision() int {
	if d.Precision < 0 {
		return 6
	}
	return min(d.Precision, maxPrecision)
}

// point adds the decimal point that the flag "#" demands.
func (d Directive) point(s string) string {
	if !d.flag('#') || strings.Contains(s, ".") {
		return s
	}
	if i := strings.IndexByte(s, 'e'); i >= 0 {
		return s[:i] + "." + s[i:]
	}
	return s + "."
}

// general is %g: the shorter of %e and %f, without trailing zeros.
func (d Directive) general(f *big.Float) string {
	p := max(d.precision(), 1)
	s := f.Text('e', p-1)
	mantissa, power, _ := strings.Cut(s, "e")
	x, _ := strconv.Atoi(power)
	if x < -4 || x >= p {
		return d.point(d.trim(mantissa) + "e" + power)
	}
	return d.point(d.trim(f.Text('f', p-1-x)))
}

func (d Directive) trim(s string) string {
	if d.flag('#') || !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// hexadecimal is %La without its prefix: the first digit holds four bits of
// the mantissa.
func (d Directive) hexadecimal(f *big.Float) string {
	digits, power := "0000000000000000", 0
	if f.Sign() != 0 {
		mantissa := new(big.Float)
		power = f.MantExp(mantissa) - 4
		n, _ := mantissa.SetMantExp(mantissa, precision).Uint64()
		first := 16
		if d.Precision >= 0 && d.Precision < 15 {
			drop := uint(60 - 4*d.Precision)
			half, rest := uint64(1)<<(drop-1), n&(1<<drop-1)
			n >>= drop
			if rest > half || rest == half && n&1 == 1 {
				n++
			}
			if n>>(64-drop) != 0 { // the carry went through
				n >>= 4
				power += 4
			}
			first = d.Precision + 1
		}
		digits = strconv.FormatUint(n, 16)
		digits = strings.Repeat("0", max(first-len(digits), 0)) + digits
	}
	fraction := digits[1:]
	if d.Precision < 0 {
		fraction = strings.TrimRight(fraction, "0")
	} else {
		want := min(d.Precision, maxPrecision)
		fraction = (fraction + strings.Repeat("0", max(want-len(fraction), 0)))[:want]
	}
	s := digits[:1]
	if fraction != "" || d.flag('#') {
		s += "." + fraction
	}
	power10 := strconv.Itoa(power)
	if power >= 0 {
		power10 = "+" + power10
	}
	return s + "p" + power10
}
