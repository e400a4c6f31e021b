package number

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Format is how sizes are shown: in units of Block bytes, or in the unit that
// fits when Auto is set. Values are rounded up.
type Format struct {
	Block  uint64
	Auto   bool   // -h, --si
	SI     bool   // powers of 1000
	Suffix string // printed behind numbers in a block unit ("K" of --block-size=K)
}

// Human is the format of -h, SI that of --si.
var (
	Human = Format{Block: 1, Auto: true}
	SI    = Format{Block: 1, Auto: true, SI: true}
)

// ParseBlockSize reads the argument of --block-size, as human_options of
// gnulib does: a size, a unit alone (which is shown behind each number), or
// "human-readable" or "si". A leading "'" asks for digit groups, which the C
// locale does not have. The error is ErrSyntax, ErrSuffix or ErrRange.
func ParseBlockSize(s string) (Format, error) {
	s = strings.TrimPrefix(s, "'")
	switch {
	case s != "" && strings.HasPrefix("human-readable", s):
		return Human, nil
	case s != "" && strings.HasPrefix("si", s):
		return SI, nil
	}
	n, err := Parse(s, Blocks)
	if err != nil {
		return Format{}, err
	}
	if n == 0 {
		return Format{}, ErrSyntax
	}
	f := Format{Block: n}
	if !strings.ContainsAny(s, "0123456789") {
		u, _, _ := multiplier(s, Blocks)
		letter := powers[u.power-1 : u.power]
		switch {
		case u.base == 1000 && letter == "K":
			f.Suffix = "kB"
		case u.base == 1000:
			f.Suffix = letter + "B"
		case strings.HasSuffix(s, "iB"):
			f.Suffix = letter + "iB"
		default:
			f.Suffix = letter
		}
	}
	return f, nil
}

// DefaultBlock answers the format that the environment asks for: the value of
// the first variable of names that is set, BLOCK_SIZE and BLOCKSIZE; else
// units of 1024 bytes, or 512 under POSIXLY_CORRECT. A variable that makes no
// sense is passed over, as GNU programs do.
func DefaultBlock(lookup func(string) (string, bool), names ...string) Format {
	for _, name := range append(names, "BLOCK_SIZE", "BLOCKSIZE") {
		if v, ok := lookup(name); ok {
			if f, err := ParseBlockSize(v); err == nil {
				return f
			}
			break
		}
	}
	if _, posix := lookup("POSIXLY_CORRECT"); posix {
		return Format{Block: 512}
	}
	return Format{Block: 1024}
}

// String shows n bytes.
func (f Format) String(n uint64) string {
	if !f.Auto {
		return strconv.FormatUint(ceilDiv(n, f.Block), 10) + f.Suffix
	}
	base, letters := uint64(1024), "KMGTPE"
	if f.SI {
		base, letters = 1000, "kMGTPE"
	}
	if n < base {
		return strconv.FormatUint(n, 10)
	}
	unit, power := uint64(1), 0
	for n/unit >= base && power < len(letters) {
		unit *= base
		power++
	}
	letter := letters[power-1 : power]
	if n/unit < 10 {
		// One decimal, rounded up.
		hi, lo := bits.Mul64(n%unit, 10)
		tenths, rest := bits.Div64(hi, lo, unit)
		if rest > 0 {
			tenths++
		}
		if whole := n/unit + tenths/10; whole < 10 {
			return fmt.Sprintf("%d.%d%s", whole, tenths%10, letter)
		}
		return "10" + letter
	}
	whole := ceilDiv(n, unit)
	if whole == base && power < len(letters) {
		return "1.0" + letters[power:power+1]
	}
	return strconv.FormatUint(whole, 10) + letter
}

func ceilDiv(n, d uint64) uint64 {
	q := n / d
	if n%d != 0 {
		q++
	}
	return q
}
