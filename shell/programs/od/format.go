package od

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/longdouble"
)

// format is one line that is printed of each block.
type format struct {
	kind    byte // a c d f o u x
	size    int  // bytes of a field
	width   int  // columns of a field
	pad     int  // columns to spread over the fields of a block
	trailer bool // characters behind the line
}

// widths are the columns of an integer of 1, 2, 4 and 8 bytes.
func width(kind byte, size int) int {
	column := map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[size]
	switch kind {
	case 'd':
		return [...]int{4, 6, 11, 20}[column]
	case 'u':
		return [...]int{3, 5, 10, 20}[column]
	case 'o':
		return [...]int{3, 6, 11, 22}[column]
	case 'x':
		return [...]int{2, 4, 8, 16}[column]
	case 'f':
		return map[int]int{4: 15, 8: 24, 16: 29}[size]
	}
	return 3
}

// parseFormats reads the argument of -t; it words what is wrong with it.
func parseFormats(inv *program.Invocation, s string) (list []format, complaint string) {
	for i := 0; i < len(s); {
		f := format{kind: s[i], size: 1}
		i++
		letters, sizes, noun := "", "", "integral"
		switch f.kind {
		case 'a', 'c':
		case 'd', 'o', 'u', 'x':
			f.size, letters, sizes = 4, "C1S2I4L8", " 1 2 4 8 "
		case 'f':
			f.size, letters, sizes, noun = 8, "F4D8L6", " 4 8 16 ", "floating point"
		default:
			return nil, fmt.Sprintf("invalid character '%c' in type string %s", f.kind, inv.QuoteArg(s))
		}
		digits := s[i : len(s)-len(strings.TrimLeft(s[i:], "0123456789"))]
		switch at := strings.IndexByte(letters, charAt(s, i)); {
		case letters == "":
		case at >= 0 && at%2 == 0 && charAt(s, i) > '9':
			f.size = int(letters[at+1] - '0')
			if f.size == 6 {
				f.size = 16
			}
			i++
		case digits != "":
			i += len(digits)
			if !strings.Contains(sizes, " "+strings.TrimLeft(digits, "0")+" ") {
				return nil, fmt.Sprintf("invalid type string %s;\nthis system doesn't provide a %s-byte %s type", inv.QuoteArg(s), digits, noun)
			}
			f.size, _ = strconv.Atoi(digits)
		}
		f.width = width(f.kind, f.size)
		if charAt(s, i) == 'z' {
			f.trailer = true
			i++
		}
		list = append(list, f)
	}
	return list, ""
}

func charAt(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

const charNames = "nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si " +
	"dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp"

// field shows the bytes of one field.
func (f format) field(p []byte, big bool) string {
	order := binary.ByteOrder(binary.LittleEndian)
	if big {
		order = binary.BigEndian
	}
	switch f.kind {
	case 'a':
		c := p[0] & 0x7f
		switch {
		case c <= ' ':
			return strings.Fields(charNames)[c]
		case c == 0x7f:
			return "del"
		}
		return string(c)
	case 'c':
		if i := strings.IndexByte("\x00\a\b\t\n\v\f\r", p[0]); i >= 0 {
			return `\` + "0abtnvfr"[i:i+1]
		}
		if p[0] < ' ' || p[0] >= 0x7f {
			return fmt.Sprintf("%03o", p[0])
		}
		return string(p[0])
	case 'f':
		return f.float(p, order, big)
	}
	var n uint64
	switch f.size {
	case 1:
		n = uint64(p[0])
	case 2:
		n = uint64(order.Uint16(p))
	case 4:
		n = uint64(order.Uint32(p))
	case 8:
		n = order.Uint64(p)
	}
	switch f.kind {
	case 'd':
		shift := 64 - 8*f.size
		return strconv.FormatInt(int64(n<<shift)>>shift, 10)
	case 'u':
		return strconv.FormatUint(n, 10)
	case 'o':
		return fmt.Sprintf("%0*o", f.width, n)
	}
	return fmt.Sprintf("%0*x", f.width, n)
}

// float shows a number in the fewest digits that read back as the same.
func (f format) float(p []byte, order binary.ByteOrder, big bool) string {
	switch f.size {
	case 4:
		bits := order.Uint32(p)
		v := float64(math.Float32frombits(bits))
		return shortest(longFloat(bits>>31 != 0, uint64(bits&(1<<23-1)), int(bits>>23&0xff), 127, 23, 0xff), digits(6, bits>>23&0xff == 0), func(s string) bool {
			r, err := strconv.ParseFloat(s, 32)
			return err == nil && r == v
		})
	case 8:
		bits := order.Uint64(p)
		v := math.Float64frombits(bits)
		return shortest(longFloat(bits>>63 != 0, bits&(1<<52-1), int(bits>>52&0x7ff), 1023, 52, 0x7ff), digits(15, bits>>52&0x7ff == 0), func(s string) bool {
			r, err := strconv.ParseFloat(s, 64)
			return err == nil && r == v
		})
	}
	var raw [10]byte // of the sixteen bytes the processor looks at ten
	for i := range raw {
		raw[i] = p[i]
		if big {
			raw[i] = p[15-i]
		}
	}
	mantissa := binary.LittleEndian.Uint64(raw[:])
	exponent := binary.LittleEndian.Uint16(raw[8:])
	text := fmt.Sprintf("0x%xp%d", mantissa, int(exponent&0x7fff)-16383-63)
	switch {
	case exponent&0x7fff == 0x7fff && mantissa<<1 == 0 && mantissa != 0:
		text = "inf"
	case exponent&0x7fff == 0x7fff || exponent&0x7fff != 0 && mantissa>>63 == 0:
		text = "nan"
	case exponent&0x7fff == 0:
		text = fmt.Sprintf("0x%xp%d", mantissa, 1-16383-63)
	}
	if exponent>>15 != 0 {
		text = "-" + text
	}
	v, _, _ := longdouble.Parse(text)
	hex := longdouble.Directive{Precision: -1, Verb: 'a'}
	want := hex.Format(v)
	return shortest(text, digits(18, exponent&0x7fff == 0), func(s string) bool {
		r, _, _ := longdouble.Parse(s)
		return hex.Format(r) == want
	})
}

// longFloat writes an IEEE number in C's hexadecimal form.
func longFloat(negative bool, mantissa uint64, exponent, bias, digits, top int) string {
	text := fmt.Sprintf("0x%xp%d", mantissa|1<<digits, exponent-bias-digits)
	switch {
	case exponent == top && mantissa == 0:
		text = "inf"
	case exponent == top:
		text = "nan"
	case exponent == 0:
		text = fmt.Sprintf("0x%xp%d", mantissa, 1-bias-digits)
	}
	if negative {
		text = "-" + text
	}
	return text
}

// digits answers how many digits any number has at least: a normal one all that
// its type is sure to keep.
func digits(normal int, subnormal bool) int {
	if subnormal {
		return 1
	}
	return normal
}

// mostDigits are enough for every type.
const mostDigits = 21

func shortest(text string, from int, same func(string) bool) string {
	if strings.HasSuffix(text, "n") || strings.HasSuffix(text, "f") {
		return text
	}
	v, _, _ := longdouble.Parse(text)
	for precision := from; ; precision++ {
		s := longdouble.Directive{Precision: precision, Verb: 'g'}.Format(v)
		if precision >= mostDigits || same(s) {
			return s
		}
	}
}
