package cut

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mirage/shell/program"
)

// unbounded is the end of a range without one.
const unbounded = math.MaxUint64

// interval is a range of positions, from 1, both ends included.
type interval struct{ lo, hi uint64 }

// listParser reads a LIST, with the messages for fields or for bytes.
type listParser struct {
	inv    *program.Invocation
	fields bool
}

func (p listParser) errorf(fields, bytes string, args ...any) error {
	if p.fields {
		return fmt.Errorf(fields, args...)
	}
	return fmt.Errorf(bytes, args...)
}

// parseList reads a LIST and answers its ranges in order, those that overlap
// joined.
func parseList(inv *program.Invocation, list string, fields bool) ([]interval, error) {
	p := listParser{inv, fields}
	var ranges []interval
	for rest := list; ; {
		i := strings.IndexAny(rest, ", \t")
		item := rest
		if i >= 0 {
			item = rest[:i]
		}
		r, err := p.item(item, rest)
		if err != nil {
			return nil, err
		}
		ranges = append(ranges, r)
		if i < 0 {
			break
		}
		rest = rest[i+1:]
	}
	slices.SortStableFunc(ranges, func(a, b interval) int {
		switch {
		case a.lo < b.lo:
			return -1
		case a.lo > b.lo:
			return 1
		}
		return 0
	})
	out := ranges[:1]
	for _, r := range ranges[1:] {
		if last := &out[len(out)-1]; r.lo <= last.hi {
			last.hi = max(last.hi, r.hi)
		} else {
			out = append(out, r)
		}
	}
	return out, nil
}

// item reads N, N-, N-M or -M; rest is what messages quote it from.
func (p listParser) item(item, rest string) (interval, error) {
	numbered := p.errorf("fields are numbered from 1", "byte/character positions are numbered from 1")
	var value [2]uint64
	var given [2]bool
	side := 0
	for i := 0; i < len(item); i++ {
		switch c := item[i]; {
		case c == '-' && side == 1:
			return interval{}, p.errorf("invalid field range", "invalid byte or character range")
		case c == '-':
			if given[0] && value[0] == 0 {
				return interval{}, numbered
			}
			side = 1
		case c < '0' || c > '9':
			return interval{}, p.errorf("invalid field value %s", "invalid byte/character position %s", p.inv.QuoteArg(rest[i:]))
		default:
			given[side] = true
			d := uint64(c - '0')
			if value[side] > (math.MaxUint64-d)/10 || value[side]*10+d == math.MaxUint64 {
				return interval{}, p.errorf("field number %s is too large", "byte/character offset %s is too large", p.inv.QuoteArg(digits(item, i)))
			}
			value[side] = value[side]*10 + d
		}
	}
	switch {
	case side == 0 && value[0] == 0:
		return interval{}, numbered
	case side == 0:
		return interval{value[0], value[0]}, nil
	case !given[0] && !given[1]:
		return interval{}, errors.New("invalid range with no endpoint: -")
	}
	if !given[0] {
		value[0] = 1
	}
	if !given[1] {
		return interval{value[0], unbounded}, nil
	}
	if value[1] < value[0] {
		return interval{}, errors.New("invalid decreasing range")
	}
	return interval{value[0], value[1]}, nil
}

// digits answers the whole number around a position.
func digits(s string, at int) string {
	isDigit := func(i int) bool { return s[i] >= '0' && s[i] <= '9' }
	lo, hi := at, at
	for lo > 0 && isDigit(lo-1) {
		lo--
	}
	for hi < len(s) && isDigit(hi) {
		hi++
	}
	return s[lo:hi]
}

// complementOf answers what ranges, in order, leave out.
func complementOf(ranges []interval) []interval {
	var out []interval
	next := uint64(1)
	for _, r := range ranges {
		if r.lo > next {
			out = append(out, interval{next, r.lo - 1})
		}
		if r.hi == unbounded {
			return out
		}
		next = r.hi + 1
	}
	return append(out, interval{next, unbounded})
}
