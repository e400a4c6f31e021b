package programs

import (
	"cmp"
	"math"
	"strconv"
)

// fieldRange is a range of field numbers, both ends included.
type fieldRange struct{ first, last uint64 }

// parseFieldRanges reads a list of field numbers and ranges as numfmt does,
// where "-" stands for all. A complaint says what is wrong, quoting by quote.
func parseFieldRanges(s string, quote func(string) string) (list []fieldRange, complaint string) {
	number := func(part string) uint64 {
		n, err := strconv.ParseUint(part, 10, 64)
		switch {
		case complaint != "":
		case err != nil || n == math.MaxUint64:
			complaint = "field number " + quote(part) + " is too large"
		case n == 0:
			complaint = "fields are numbered from 1"
		}
		return n
	}
	isSeparator := func(c byte) bool { return c == ',' || c == ' ' || c == '\t' }
	for i := 0; i <= len(s); i++ {
		start, dash := i, -1
		for ; i < len(s) && !isSeparator(s[i]); i++ {
			switch {
			case s[i] == '-' && dash >= 0:
				return nil, "invalid field range"
			case s[i] == '-':
				dash = i
			case s[i] < '0' || s[i] > '9':
				return nil, "invalid field value " + quote(s[i:])
			}
		}
		r := fieldRange{1, math.MaxUint64}
		switch {
		case dash < 0:
			r.first = number(cmp.Or(s[start:i], "0"))
			r.last = r.first
		default:
			if dash > start {
				r.first = number(s[start:dash])
			}
			if dash+1 < i {
				if r.last = number(s[dash+1 : i]); r.last < r.first && complaint == "" {
					complaint = "invalid decreasing range"
				}
			}
		}
		if complaint != "" {
			return nil, complaint
		}
		list = append(list, r)
	}
	return list, ""
}

func inFieldRanges(list []fieldRange, n uint64) bool {
	for _, r := range list {
		if r.first <= n && n <= r.last {
			return true
		}
	}
	return false
}
