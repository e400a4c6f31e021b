package sort

import (
	"bytes"
	"math"
	"strings"

	"mirage/shell/program/longdouble"
)

// decimal is a number of -n: a sign, digits without leading zeros, and digits
// behind the point without trailing ones. Zero has neither.
type decimal struct {
	negative        bool
	whole, fraction []byte
	rest            []byte // what follows the number
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func parseDecimal(s []byte) decimal {
	i := 0
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	var d decimal
	if i < len(s) && s[i] == '-' {
		d.negative = true
		i++
	}
	start := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	d.whole = bytes.TrimLeft(s[start:i], "0")
	if i < len(s) && s[i] == '.' {
		i++
		start = i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		d.fraction = bytes.TrimRight(s[start:i], "0")
	}
	d.rest = s[i:]
	if len(d.whole) == 0 && len(d.fraction) == 0 {
		d.negative = false
	}
	return d
}

func (d decimal) zero() bool { return len(d.whole) == 0 && len(d.fraction) == 0 }

func (d decimal) compare(e decimal) int {
	if d.negative != e.negative {
		if d.negative {
			return -1
		}
		return 1
	}
	c := len(d.whole) - len(e.whole)
	if c == 0 {
		c = bytes.Compare(d.whole, e.whole)
	}
	if c == 0 {
		c = bytes.Compare(d.fraction, e.fraction)
	}
	if d.negative {
		return -c
	}
	return c
}

// compareNumbers is -n: text that is no number counts as 0.
func compareNumbers(a, b []byte) int { return parseDecimal(a).compare(parseDecimal(b)) }

// numberPrefix orders like compareNumbers, but numbers that differ late or
// are beyond 10^18 have the same prefix.
func numberPrefix(s []byte) uint64 {
	d := parseDecimal(s)
	var n uint64
	if len(d.whole) > 18 {
		n = math.MaxInt64
	} else {
		for _, c := range d.whole {
			n = n*10 + uint64(c-'0')
		}
	}
	if d.negative {
		// -0.5 comes before 0 and after -1.
		return 1<<63 - 1 - n
	}
	return 1<<63 + n
}

// compareHuman is -h: first by unit, then by number.
func compareHuman(a, b []byte) int {
	x, y := parseDecimal(a), parseDecimal(b)
	if d := x.unit(a) - y.unit(b); d != 0 {
		return d
	}
	return x.compare(y)
}

// unit ranks the suffix of a size; of zero it does not count.
func (d decimal) unit(s []byte) int {
	if d.zero() || len(d.rest) == 0 {
		return 0
	}
	rank := strings.IndexByte("KMGTPEZY", d.rest[0]) + 1
	if d.rest[0] == 'k' {
		rank = 1
	}
	if d.negative {
		return -rank
	}
	return rank
}

// compareGeneral is -g: what is no number comes first, then NaNs, then
// numbers from minus infinity up.
func compareGeneral(a, b []byte) int {
	x, _, okX := longdouble.Parse(string(a))
	y, _, okY := longdouble.Parse(string(b))
	rank := func(v longdouble.Float, ok bool) int {
		switch {
		case !ok:
			return 0
		case v.IsNaN():
			return 1
		}
		return 2
	}
	if d := rank(x, okX) - rank(y, okY); d != 0 || !okX {
		return d
	}
	return x.Cmp(y)
}
