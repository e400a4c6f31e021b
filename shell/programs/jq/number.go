package jq

import (
	"math"
	"strconv"
	"strings"
)

// literal is a number as it was written, where the nearest double may not say
// all of it. Arithmetic takes the double.
type literal struct {
	value float64
	text  string // canonical, as decNumber writes it
}

// parseNumber reads a number of JSON or of a program, and a few words that jq
// takes for one. ok is false for anything else.
func parseNumber(s string) (v any, ok bool) {
	if n, ok := smallInteger(s); ok {
		return n, true
	}
	digits := s
	negative := false
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		negative = digits[0] == '-'
		digits = digits[1:]
	}
	switch strings.ToLower(digits) {
	case "nan":
		return math.NaN(), true
	case "inf", "infinity":
		return inf(negative), true
	}
	d, ok := parseDecimal(digits)
	if !ok {
		return nil, false
	}
	d.negative = negative
	f := d.float()
	if math.IsInf(f, 0) && d.exponent+len(d.digits) > 999999999 {
		return f, true
	}
	text := d.String()
	if len(d.digits) <= 15 && text == formatNumber(f) {
		return f, true // the double says all
	}
	return &literal{f, text}, true
}

func inf(negative bool) float64 {
	if negative {
		return math.Inf(-1)
	}
	return math.Inf(1)
}

// smallInteger reads what a double holds exactly and prints the same.
func smallInteger(s string) (float64, bool) {
	i, negative := 0, false
	if s != "" && s[0] == '-' {
		i, negative = 1, true
	}
	if n := len(s) - i; n == 0 || n > 15 || s[i] == '0' && n > 1 {
		return 0, false
	}
	n := int64(0)
	for ; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	if negative {
		return -float64(n), true // -0 stays
	}
	return float64(n), true
}

// decimal is digits * 10^exponent. Digits have no leading zeros, but for a
// lone "0".
type decimal struct {
	negative bool
	digits   string
	exponent int
}

func parseDecimal(s string) (d decimal, ok bool) {
	mantissa, power, hasPower := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, power, hasPower = s[:i], s[i+1:], true
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := whole + fraction
	if all == "" || strings.Trim(all, "0123456789") != "" {
		return d, false
	}
	if hasPower {
		sign := 1
		if power != "" && (power[0] == '-' || power[0] == '+') {
			if power[0] == '-' {
				sign = -1
			}
			power = power[1:]
		}
		if power == "" || strings.Trim(power, "0123456789") != "" {
			return d, false
		}
		n, err := strconv.Atoi(power)
		if err != nil || n > 1999999999 {
			n = 1999999999
		}
		d.exponent = sign * n
	}
	d.exponent -= len(fraction)
	if d.digits = strings.TrimLeft(all, "0"); d.digits == "" {
		d.digits = "0"
	}
	return d, true
}

func (d decimal) float() float64 {
	s := d.digits + "e" + strconv.Itoa(d.exponent)
	if d.negative {
		s = "-" + s
	}
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

// String is the scientific string of the General Decimal Arithmetic
// specification, which is what the reference implementation prints.
func (d decimal) String() string {
	sign := ""
	if d.negative {
		sign = "-"
	}
	n := len(d.digits)
	adjusted := d.exponent + n - 1
	switch {
	case d.exponent <= 0 && adjusted >= -6:
		if d.exponent == 0 {
			return sign + d.digits
		}
		point := n + d.exponent
		if point > 0 {
			return sign + d.digits[:point] + "." + d.digits[point:]
		}
		return sign + "0." + strings.Repeat("0", -point) + d.digits
	}
	s := sign + d.digits[:1]
	if n > 1 {
		s += "." + d.digits[1:]
	}
	if adjusted >= 0 {
		return s + "E+" + strconv.Itoa(adjusted)
	}
	return s + "E" + strconv.Itoa(adjusted)
}

// compareDecimals orders two numbers by their exact values.
func compareDecimals(a, b decimal) int {
	sign := func(d decimal) int {
		switch {
		case d.digits == "0":
			return 0
		case d.negative:
			return -1
		}
		return 1
	}
	if c := sign(a) - sign(b); c != 0 || sign(a) == 0 {
		return c
	}
	c := (a.exponent + len(a.digits)) - (b.exponent + len(b.digits))
	if c == 0 {
		c = strings.Compare(strings.TrimRight(a.digits, "0"), strings.TrimRight(b.digits, "0"))
	}
	if a.negative {
		return -c
	}
	return c
}

// decimal answers the exact value.
func (l *literal) decimal() decimal {
	text, negative := strings.CutPrefix(l.text, "-")
	d, _ := parseDecimal(text)
	d.negative = negative
	return d
}

// formatNumber prints a double with up to 17 digits, as jq does: NaN becomes
// null and infinities the largest double.
func formatNumber(f float64) string {
	switch {
	case f != f:
		return "null"
	case f > math.MaxFloat64:
		f = math.MaxFloat64
	case f < -math.MaxFloat64:
		f = -math.MaxFloat64
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e15 && (f != 0 || !math.Signbit(f)) {
		return strconv.FormatInt(int64(f), 10)
	}
	var buf [32]byte
	s := string(strconv.AppendFloat(buf[:0], f, 'e', -1, 64))
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	mantissa, power, _ := strings.Cut(s, "e")
	exponent, _ := strconv.Atoi(power)
	digits := strings.Replace(mantissa, ".", "", 1)
	point := exponent + 1
	switch {
	case point <= -4 || point > len(digits)+15:
		s = sign + digits[:1]
		if len(digits) > 1 {
			s += "." + digits[1:]
		}
		mark := "e+"
		if exponent < 0 {
			mark, exponent = "e-", -exponent
		}
		if exponent < 10 {
			mark += "0"
		}
		return s + mark + strconv.Itoa(exponent)
	case point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits
	case point >= len(digits):
		return sign + digits + strings.Repeat("0", point-len(digits))
	}
	return sign + digits[:point] + "." + digits[point:]
}
