// Package longdouble computes as C's 80-bit long double does on x86: seq,
// numfmt and od are written in it, and its rounding shows in what they print.
package longdouble

import (
	"math"
	"math/big"
	"strings"
)

// precision is the mantissa of the x87 format; the exponents are its range of
// normal numbers.
const (
	precision   = 64
	maxExponent = 16384
	minExponent = -16444
)

// Float is a long double. Its zero value is 0.
type Float struct {
	f   *big.Float // nil is 0
	nan bool
}

// NaN is not a number.
func NaN() Float { return Float{nan: true} }

// Int makes a Float of an integer.
func Int(n int64) Float { return wrap(newFloat().SetInt64(n)) }

func newFloat() *big.Float { return new(big.Float).SetPrec(precision) }

// wrap brings a result into the format's range.
func wrap(f *big.Float) Float {
	if !f.IsInf() && f.Sign() != 0 {
		switch e := f.MantExp(nil); {
		case e > maxExponent:
			f = newFloat().SetInf(f.Signbit())
		case e < minExponent:
			zero := newFloat()
			if f.Signbit() {
				zero.Neg(zero)
			}
			f = zero
		}
	}
	return Float{f: f}
}

func (a Float) value() *big.Float {
	if a.f == nil {
		return newFloat()
	}
	return a.f
}

// IsNaN tells whether a is not a number.
func (a Float) IsNaN() bool { return a.nan }

// IsInf tells whether a is infinite.
func (a Float) IsInf() bool { return !a.nan && a.f != nil && a.f.IsInf() }

// Signbit tells whether a is negative or -0.
func (a Float) Signbit() bool { return !a.nan && a.f != nil && a.f.Signbit() }

// Sign is -1, 0 or 1.
func (a Float) Sign() int {
	if a.nan || a.f == nil {
		return 0
	}
	return a.f.Sign()
}

// Cmp compares; a NaN is equal to anything.
func (a Float) Cmp(b Float) int {
	if a.nan || b.nan {
		return 0
	}
	return a.value().Cmp(b.value())
}

// Neg answers -a.
func (a Float) Neg() Float {
	if a.nan {
		return a
	}
	return Float{f: newFloat().Neg(a.value())}
}

// Abs answers |a|.
func (a Float) Abs() Float {
	if a.Signbit() {
		return a.Neg()
	}
	return a
}

// Add answers a+b.
func (a Float) Add(b Float) Float {
	if a.nan || b.nan || a.IsInf() && b.IsInf() && a.Signbit() != b.Signbit() {
		return NaN()
	}
	return wrap(newFloat().Add(a.value(), b.value()))
}

// Sub answers a-b.
func (a Float) Sub(b Float) Float { return a.Add(b.Neg()) }

// Mul answers a*b.
func (a Float) Mul(b Float) Float {
	if a.nan || b.nan || a.IsInf() && b.Sign() == 0 || a.Sign() == 0 && b.IsInf() {
		return NaN()
	}
	return wrap(newFloat().Mul(a.value(), b.value()))
}

// Quo answers a/b.
func (a Float) Quo(b Float) Float {
	if a.nan || b.nan || a.IsInf() && b.IsInf() || a.Sign() == 0 && b.Sign() == 0 {
		return NaN()
	}
	return wrap(newFloat().Quo(a.value(), b.value()))
}

// Int64 rounds towards zero; ok is false when the result does not fit.
func (a Float) Int64() (n int64, ok bool) {
	if a.nan || a.IsInf() {
		return 0, false
	}
	n, _ = a.value().Int64()
	limit := Int(math.MinInt64)
	return n, a.Cmp(limit) >= 0 && a.Cmp(limit.Neg()) < 0
}

// Parse reads a number at the beginning of s as strtold(3) does: blanks, a
// sign, decimal or hexadecimal digits with an exponent, "inf", "infinity",
// "nan". It answers what follows, and whether there was a number at all.
// A number beyond the range is infinite, or 0.
func Parse(s string) (v Float, rest string, ok bool) {
	t := strings.TrimLeft(s, " \t\n\v\f\r")
	negative := false
	if t != "" && (t[0] == '+' || t[0] == '-') {
		negative = t[0] == '-'
		t = t[1:]
	}
	lower := strings.ToLower(t[:min(len(t), 8)])
	switch {
	case strings.HasPrefix(lower, "infinity"):
		v, rest = Float{f: newFloat().SetInf(negative)}, t[8:]
	case strings.HasPrefix(lower, "inf"):
		v, rest = Float{f: newFloat().SetInf(negative)}, t[3:]
	case strings.HasPrefix(lower, "nan"):
		v, rest = NaN(), nanPayload(t[3:])
	default:
		n := scan(t)
		if n == 0 {
			return Float{}, s, false
		}
		v, rest = convert(t[:n], negative), t[n:]
	}
	return v, rest, true
}

// nanPayload skips the parenthesised text that may follow "nan".
func nanPayload(s string) string {
	if !strings.HasPrefix(s, "(") {
		return s
	}
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == ')':
			return s[i+1:]
		case c == '_' || isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z':
		default:
			return s
		}
	}
	return s
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// scan answers the length of the unsigned number that s begins with.
func scan(s string) int {
	i, digit, mark := 0, isDigit, byte('e')
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' && (isHex(s[2]) || s[2] == '.' && len(s) > 3 && isHex(s[3])) {
		i, digit, mark = 2, isHex, 'p'
	}
	digits := 0
	for ; i < len(s) && digit(s[i]); i++ {
		digits++
	}
	if i < len(s) && s[i] == '.' {
		i++
		for ; i < len(s) && digit(s[i]); i++ {
			digits++
		}
	}
	if digits == 0 {
		return 0
	}
	if i < len(s) && s[i]|0x20 == mark {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && isDigit(s[j]) {
			for j < len(s) && isDigit(s[j]) {
				j++
			}
			i = j
		}
	}
	return i
}

// Digits beyond these cannot change a rounded long double, except by making
// it inexact; exponents beyond these are out of any range.
const (
	maxDigits = 12000
	maxPower  = 40000
)

// convert reads what scan has accepted.
func convert(s string, negative bool) Float {
	hex := len(s) > 1 && s[1]|0x20 == 'x'
	mark, base := "eE", int64(1)
	if hex {
		s, mark, base = s[2:], "pP", 4
	}
	power := int64(0)
	if i := strings.IndexAny(s, mark); i >= 0 {
		power = exponent(s[i+1:])
		s = s[:i]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if len(digits) > maxDigits {
		power += base * int64(len(digits)-maxDigits)
		digits = digits[:maxDigits-1] + "1"
	}
	power -= base * int64(len(fraction))
	f := newFloat()
	if digits != "" {
		power = max(min(power, maxPower), -maxPower)
		f = scale(digits, power, hex)
	}
	if negative {
		f.Neg(f)
	}
	return wrap(f)
}

func exponent(s string) int64 {
	negative := false
	if s[0] == '+' || s[0] == '-' {
		negative = s[0] == '-'
		s = s[1:]
	}
	n := int64(0)
	for i := 0; i < len(s); i++ {
		n = min(n*10+int64(s[i]-'0'), math.MaxInt32)
	}
	if negative {
		return -n
	}
	return n
}

// scale answers digits * base^power, rounded once.
func scale(digits string, power int64, hex bool) *big.Float {
	n := new(big.Int)
	if hex {
		n.SetString(digits, 16)
		return newFloat().SetMantExp(newFloat().SetInt(n), int(power))
	}
	n.SetString(digits, 10)
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(power, -power)), nil)
	if power >= 0 {
		return newFloat().SetInt(n.Mul(n, ten))
	}
	return newFloat().SetRat(new(big.Rat).SetFrac(n, ten))
}
