package split

import (
	"strconv"
	"strings"

	"mirage/shell/program/getopt"
)

const letters = "abcdefghijklmnopqrstuvwxyz"

// names makes the names of the pieces one after the other.
type names struct {
	prefix, suffix string
	alphabet       string
	length         int  // digits behind the prefix
	auto           bool // one digit more before they run out
	fixed          bool // the length was asked for
	start          uint64
	from           string // start as it was given

	digits []int // of the last name
}

// setNumeric takes in -d, -x and their long forms.
func (n *names) setNumeric(p *getopt.Parser, alphabet string, base int, what string) {
	n.alphabet = alphabet
	if !p.Opt.HasValue {
		return
	}
	start, err := strconv.ParseUint(p.Opt.Value, base, 63)
	if err != nil {
		p.Usage("%s: invalid start value for %s suffix", p.Invocation().QuoteArg(p.Opt.Value), what)
		return
	}
	n.start, n.from, n.auto = start, strings.TrimLeft(p.Opt.Value, "0"), false
}

// fit makes the names long enough for so many pieces.
func (n *names) fit(pieces uint64) {
	if n.fixed {
		return
	}
	length := 0
	last := pieces - 1
	if n.start < pieces {
		last += n.start
	}
	for {
		length++
		if last /= uint64(len(n.alphabet)); last == 0 {
			break
		}
	}
	n.length, n.auto = max(2, length), false
}

// next answers the next name; ok is false when there is none.
func (n *names) next() (name string, ok bool) {
	top := len(n.alphabet) - 1
	switch {
	case n.digits == nil:
		if n.length > 255 {
			n.length = 255 // no name is longer
		}
		n.digits = make([]int, n.length)
		rest := n.start
		for i := n.length - 1; i >= 0; i-- {
			n.digits[i], rest = int(rest%uint64(top+1)), rest/uint64(top+1)
		}
		if rest != 0 {
			return "", false
		}
	default:
		i := len(n.digits) - 1
		for ; i >= 0; i-- {
			if n.digits[i]++; n.digits[i] <= top {
				break
			}
			n.digits[i] = 0
		}
		if i < 0 {
			return "", false
		}
		if n.auto && n.digits[0] == top {
			n.prefix += n.alphabet[top:]
			n.digits = make([]int, len(n.digits)+1)
		}
	}
	var b strings.Builder
	b.WriteString(n.prefix)
	for _, d := range n.digits {
		b.WriteByte(n.alphabet[d])
	}
	b.WriteString(n.suffix)
	return b.String(), true
}
