package awk

import (
	"math"
	"strconv"
	"unsafe"
)

// kind says what a value is, which decides how it compares.
type kind uint8

const (
	kindUnset  kind = iota // never assigned: both 0 and ""
	kindNumber             // computed
	kindText               // a string
	kindInput              // read from outside: a number if it looks like one
	kindStrnum             // kindInput that was found to be a number, n
)

// value is a scalar.
type value struct {
	k kind
	n float64
	s string
}

func number(n float64) value { return value{k: kindNumber, n: n} }
func text(s string) value    { return value{k: kindText, s: s} }
func input(s string) value   { return value{k: kindInput, s: s} }

func boolean(b bool) value {
	if b {
		return value{k: kindNumber, n: 1}
	}
	return value{k: kindNumber}
}

// num is the value as a number.
func (v *value) num() float64 {
	switch v.k {
	case kindNumber, kindStrnum:
		return v.n
	case kindUnset:
		return 0
	}
	n, _ := parseNumber(v.s)
	return n
}

// settle decides whether input is a number.
func (v *value) settle() {
	if v.k == kindInput {
		if n, whole := parseNumber(v.s); whole {
			v.k, v.n = kindStrnum, n
		} else {
			v.k = kindText
		}
	}
}

// isTrue is the value as a condition.
func (v *value) isTrue() bool {
	v.settle()
	switch v.k {
	case kindNumber, kindStrnum:
		return v.n != 0
	case kindText:
		return v.s != ""
	}
	return false
}

// bytesOf is s as bytes, which must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// parseNumber reads the number that s begins with, as strtod(3) does but
// without hexadecimal; "inf" and "nan" need a sign. whole tells whether
// nothing but blanks is around it.
func parseNumber(s string) (n float64, whole bool) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	start := i
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	digits := i
	mantissa := int64(0)
	for i < len(s) && isDigit(s[i]) {
		mantissa = mantissa*10 + int64(s[i]-'0')
		i++
	}
	count := i - digits
	if count > 0 && count <= 15 && (i == len(s) || s[i] != '.' && s[i]|0x20 != 'e') {
		n = float64(mantissa)
		if s[start] == '-' {
			n = -n
		}
		return n, blank(s[i:])
	}
	if i < len(s) && s[i] == '.' {
		i++
		for i < len(s) && isDigit(s[i]) {
			i++
			count++
		}
	}
	if count == 0 {
		return parseSpecial(s, start)
	}
	if i < len(s) && s[i]|0x20 == 'e' {
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
	n, _ = strconv.ParseFloat(s[start:i], 64)
	return n, blank(s[i:])
}

// parseSpecial reads +inf, -inf, +nan and -nan.
func parseSpecial(s string, start int) (n float64, whole bool) {
	if len(s)-start < 4 || s[start] != '+' && s[start] != '-' || !blank(s[start+4:]) {
		return 0, false
	}
	switch string([]byte{s[start+1] | 0x20, s[start+2] | 0x20, s[start+3] | 0x20}) {
	case "inf":
		if s[start] == '-' {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	case "nan":
		if s[start] == '-' {
			return math.Copysign(math.NaN(), -1), true
		}
		return math.NaN(), true
	}
	return 0, false
}

func blank(s string) bool {
	for i := range len(s) {
		if !isSpace(s[i]) {
			return false
		}
	}
	return true
}

// smallNumbers are the numbers that need no formatting.
var smallNumbers = func() (s [256]string) {
	for i := range s {
		s[i] = strconv.Itoa(i)
	}
	return s
}()

// formatNumber is a number as a string: integers in full, others by format.
func formatNumber(n float64, format string) string {
	if n == math.Trunc(n) && !math.IsInf(n, 0) {
		if i := int64(n); math.Abs(n) < 1e18 {
			if i >= 0 && i < int64(len(smallNumbers)) {
				return smallNumbers[i]
			}
			return strconv.FormatInt(i, 10)
		}
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	if s := formatSpecial(n); s != "" {
		return s
	}
	if format == "%.6g" {
		return strconv.FormatFloat(n, 'g', 6, 64)
	}
	return formatOne(format, n)
}

// formatSpecial is what stands for infinities and for what is not a number.
func formatSpecial(n float64) string {
	switch {
	case math.IsInf(n, 1):
		return "+inf"
	case math.IsInf(n, -1):
		return "-inf"
	case math.IsNaN(n) && math.Signbit(n):
		return "-nan"
	case math.IsNaN(n):
		return "+nan"
	}
	return ""
}

// str is the value as a string.
func (in *interp) str(v value) string {
	switch v.k {
	case kindNumber:
		return formatNumber(v.n, in.convfmt)
	case kindUnset:
		return ""
	}
	return v.s
}

// outStr is the value as print shows it.
func (in *interp) outStr(v value) string {
	if v.k == kindNumber {
		return formatNumber(v.n, in.ofmt)
	}
	return v.s
}

// compare orders two values: as numbers when both are, as strings otherwise.
func (in *interp) compare(a, b value) int {
	a.settle()
	b.settle()
	if a.k != kindText && b.k != kindText {
		x, y := a.n, b.n
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		case x == y:
			return 0
		}
		return compareNaN(x, y)
	}
	x, y := in.str(a), in.str(b)
	if in.ignoreCase {
		x, y = lower(x), lower(y)
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// compareNaN puts what is not a number behind all that is.
func compareNaN(x, y float64) int {
	switch {
	case math.IsNaN(x) && math.IsNaN(y):
		return 0
	case math.IsNaN(x):
		return 1
	}
	return -1
}

// lower and upper change ASCII letters only: characters are bytes.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

func upper(s string) string {
	for i := range len(s) {
		if 'a' <= s[i] && s[i] <= 'z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'a' <= b[i] && b[i] <= 'z' {
					b[i] -= 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
