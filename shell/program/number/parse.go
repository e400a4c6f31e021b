// Package number reads and shows counts and sizes as GNU programs do: "10k",
// "2MiB", "1.5M", --block-size.
package number

import (
	"errors"
	"math"
	"strings"
	"syscall"
)

// ErrSyntax is the error of text that is no number, or has a wrong suffix.
var ErrSyntax = errors.New("invalid number")

// ErrSuffix is the error of a number followed by something that is not a
// suffix. It is an ErrSyntax too.
var ErrSuffix = &suffixError{}

type suffixError struct{}

func (*suffixError) Error() string        { return "invalid suffix" }
func (*suffixError) Is(target error) bool { return target == ErrSyntax }

// ErrRange is the error of a number that does not fit.
var ErrRange = syscall.EOVERFLOW

// Suffixes of the usual size arguments.
const (
	// Bytes are the suffixes of head -c, split -b, truncate -s and the like.
	Bytes = "bEGKkMmPTYZ0"
	// Blocks are those of --block-size.
	Blocks = "eEgGkKmMpPtTyYzZ0"
)

const powers = "KMGTPEZY"

// Parse reads a count that is not negative, as xstrtoumax of gnulib does:
// decimal digits, then one of the suffix letters. A "0" among the suffixes
// lets "B" (powers of 1000) and "iB" follow the letter. A suffix alone stands
// for one of it. A number that is too large answers the largest and ErrRange.
func Parse(s, suffixes string) (uint64, error) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	if len(s) > 1 && s[0] == '+' && isDigit(s[1]) {
		s = s[1:]
	}
	i := 0
	var n uint64
	var err error
	for ; i < len(s) && isDigit(s[i]); i++ {
		d := uint64(s[i] - '0')
		if n > (math.MaxUint64-d)/10 {
			n, err = math.MaxUint64, ErrRange
			continue
		}
		if err == nil {
			n = n*10 + d
		}
	}
	rest := s[i:]
	if i == 0 {
		if rest == "" || suffixes == "" || strings.IndexByte(suffixes, rest[0]) < 0 || rest[0] == '0' {
			return 0, ErrSyntax
		}
		n = 1
	}
	if rest == "" {
		return n, err
	}
	unit, rest, ok := multiplier(rest, suffixes)
	if !ok || rest != "" {
		return n, ErrSuffix
	}
	for range unit.power {
		if n > math.MaxUint64/unit.base {
			return math.MaxUint64, ErrRange
		}
		n *= unit.base
	}
	return n, err
}

// ParseInt is Parse for a count that must fit a signed number.
func ParseInt(s, suffixes string) (int64, error) {
	n, err := Parse(s, suffixes)
	if n > math.MaxInt64 {
		if err == nil {
			err = ErrRange
		}
		return math.MaxInt64, err
	}
	return int64(n), err
}

type unit struct {
	base  uint64
	power int
}

// multiplier reads the suffix letter in front of s, and what may follow it.
func multiplier(s, suffixes string) (unit, string, bool) {
	c := s[0]
	if c == '0' || strings.IndexByte(suffixes, c) < 0 {
		return unit{}, s, false
	}
	switch c {
	case 'b':
		return unit{512, 1}, s[1:], true
	case 'B':
		return unit{1024, 1}, s[1:], true
	case 'c':
		return unit{1, 0}, s[1:], true
	case 'w':
		return unit{2, 1}, s[1:], true
	}
	power := strings.IndexByte(powers, strings.ToUpper(s[:1])[0]) + 1
	if power == 0 {
		return unit{}, s, false
	}
	base, n := uint64(1024), 1
	if strings.IndexByte(suffixes, '0') >= 0 {
		switch {
		case strings.HasPrefix(s[1:], "iB"):
			n = 3
		case strings.HasPrefix(s[1:], "B"), strings.HasPrefix(s[1:], "D"):
			base, n = 1000, 2
		}
	}
	return unit{base, power}, s[n:], true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Complaint words an error of ParseBlockSize as GNU programs do; option and
// value are as they were given, the value quoted.
func Complaint(err error, option, value string) string {
	switch {
	case errors.Is(err, ErrRange):
		return option + " argument " + value + " too large"
	case err == ErrSuffix:
		return "invalid suffix in " + option + " argument " + value
	}
	return "invalid " + option + " argument " + value
}
