package programs

import (
	"context"
	"math"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/longdouble"
	"mirage/shell/program/stream"
)

var seqSpec = getopt.Spec{
	Name: "seq",
	Synopsis: []string{
		"[OPTION]... LAST",
		"[OPTION]... FIRST LAST",
		"[OPTION]... FIRST INCREMENT LAST",
	},
	Summary: "Print numbers from FIRST to LAST, in steps of INCREMENT.",
	Options: []getopt.Option{
		{Short: "f", Long: "format", Arg: getopt.Required, Meta: "FORMAT", Help: "use printf style floating-point FORMAT"},
		{Short: "s", Long: "separator", Arg: getopt.Required, Meta: "STRING", Help: `use STRING to separate numbers (default: \n)`},
		{Short: "w", Long: "equal-width", Help: "equalize width by padding with leading zeroes"},
	},
	Order: getopt.RequireOrder,
	Epilog: "If FIRST or INCREMENT is omitted, it defaults to 1.  That is, an\n" +
		"omitted INCREMENT defaults to 1 even when LAST is smaller than FIRST.\n" +
		"The sequence of numbers ends when the sum of the current number and\n" +
		"INCREMENT would become greater than LAST.\n" +
		"FIRST, INCREMENT, and LAST are interpreted as floating point values.\n" +
		"INCREMENT is usually positive if FIRST is smaller than LAST, and\n" +
		"INCREMENT is usually negative if FIRST is greater than LAST.\n" +
		"INCREMENT must not be 0; none of FIRST, INCREMENT and LAST may be NaN.\n" +
		"FORMAT must be suitable for printing one argument of type 'double';\n" +
		"it defaults to %.PRECf if FIRST, INCREMENT, and LAST are all fixed point\n" +
		"decimal numbers with maximum precision PREC, and to %g otherwise.",
}

// seqNumber is an operand: its value, and how it was written.
type seqNumber struct {
	value     longdouble.Float
	width     int
	precision int // digits behind the point; seqAnyPrecision when unknown
}

// seqAnyPrecision marks a number that is not in fixed point.
const seqAnyPrecision = math.MaxInt32

type seqRun struct {
	first, step, last seqNumber
	separator         string
	format            seqFormat
	out               *stream.Writer
}

func runSeq(ctx context.Context, inv *program.Invocation) int {
	r := &seqRun{separator: "\n"}
	var format string
	formatted, equal := false, false
	p := seqSpec.ParseArgs(inv, seqArgs(inv.Args))
	for p.Next() {
		switch p.Opt.Name {
		case "f":
			format, formatted = p.Opt.Value, true
		case "s":
			r.separator = p.Opt.Value
		case "w":
			equal = true
		}
	}
	if p.Stopped {
		return p.Status
	}
	switch n := len(p.Operands); {
	case n == 0:
		return p.Missing()
	case n > 3:
		return p.Extra(p.Operands[3])
	}
	if formatted {
		var err string
		if r.format, err = seqParseFormat(inv, format); err != "" {
			return p.Fail("%s", err)
		}
		if equal {
			return p.Usage("format string may not be specified when printing equal width strings")
		}
	}
	r.out = stream.Stdout(inv)
	one := seqNumber{longdouble.Int(1), 1, 0}
	r.first, r.step = one, one
	plain := !formatted && !equal && len(r.separator) == 1
	if first, last, step, ok := seqIntegers(p.Operands); plain && ok {
		return r.out.Close(inv, r.countUp(ctx, first, last, step))
	}
	for i, operand := range p.Operands {
		n := &r.last
		switch {
		case i == 0 && len(p.Operands) > 1:
			n = &r.first
		case i == 1 && len(p.Operands) == 3:
			n = &r.step
		}
		var ok bool
		if *n, ok = seqOperand(p, inv, operand); !ok {
			return p.Status
		}
	}
	if r.step.value.Sign() == 0 {
		return p.Usage("invalid Zero increment value: %s", inv.QuoteArg(p.Operands[1]))
	}
	if first, last, step, ok := r.wholeNumbers(); plain && ok {
		return r.out.Close(inv, r.countUp(ctx, first, last, step))
	}
	if !formatted {
		r.format = r.defaultFormat(equal)
	}
	return r.out.Close(inv, r.count(ctx))
}

// seqArgs lets negative numbers stand where options may.
func seqArgs(args []string) []string {
	for i, arg := range args {
		if arg == "--" || len(arg) < 2 || arg[0] != '-' {
			break
		}
		if c := arg[1]; c == '.' || '0' <= c && c <= '9' {
			out := append([]string(nil), args[:i]...)
			return append(append(out, "--"), args[i:]...)
		}
		if (arg == "-s" || arg == "-f" || arg == "--separator" || arg == "--format") && i+1 < len(args) {
			rest := seqArgs(args[i+2:])
			return append(append([]string(nil), args[:i+2]...), rest...)
		}
	}
	return args
}

// seqOperand reads one operand as scan_arg of GNU seq does.
func seqOperand(p *getopt.Parser, inv *program.Invocation, s string) (seqNumber, bool) {
	v, rest, ok := longdouble.Parse(s)
	if !ok || rest != "" {
		p.Usage("invalid floating point argument: %s", inv.QuoteArg(s))
		return seqNumber{}, false
	}
	if v.IsNaN() {
		p.Usage("invalid %s argument: %s", inv.QuoteArg("not-a-number"), inv.QuoteArg(s))
		return seqNumber{}, false
	}
	s = strings.TrimLeft(s, " \t\n\v\f\r+")
	n := seqNumber{value: v, precision: seqAnyPrecision}
	point := strings.IndexByte(s, '.')
	if point < 0 && !strings.Contains(s, "p") {
		n.precision = 0
	}
	if !strings.ContainsAny(s, "xX") && !v.IsInf() {
		n.measure(s, point)
	}
	return n, true
}

// measure finds how many columns a decimal number takes when it is printed
// without an exponent, and how many digits stand behind its point.
func (n *seqNumber) measure(s string, point int) {
	mantissa, power := s, 0
	e := strings.IndexAny(s, "eE")
	if e >= 0 {
		mantissa, power = s[:e], seqExponent(s[e+1:])
	}
	fraction := 0
	n.width = len(mantissa)
	if point >= 0 {
		fraction = len(mantissa) - point - 1
		n.precision = fraction
		switch {
		case fraction == 0:
			n.width-- // "1." is printed as 1
		case point == 0 || s[point-1] < '0' || s[point-1] > '9':
			n.width++ // ".5" is printed as 0.5
		}
	}
	switch {
	case power < 0:
		n.precision -= power
		if point < 0 || fraction == 0 {
			n.width++ // there will be a point
		}
		n.width -= power
	case power > 0:
		n.precision -= min(n.precision, power)
		if fraction > 0 && n.precision == 0 {
			n.width-- // the point goes
		}
		n.width += power - min(fraction, power)
	}
}

func seqExponent(s string) int {
	e := 0
	for _, c := range strings.TrimLeft(s, "+-") {
		e = min(e*10+int(c-'0'), 1<<20)
	}
	if strings.HasPrefix(s, "-") {
		return -e
	}
	return e
}

// seqFastStep is the greatest step that countUp adds.
const seqFastStep = 200

// seqIntegers answers operands that are plain digits, of any length, without
// leading zeros.
func seqIntegers(operands []string) (first, last string, step int, ok bool) {
	plain := func(s string) string {
		if s == "" || strings.Trim(s, "0123456789") != "" {
			ok = false
		}
		if s = strings.TrimLeft(s, "0"); s == "" {
			return "0"
		}
		return s
	}
	first, step, ok = "1", 1, true
	last = plain(operands[len(operands)-1])
	if len(operands) > 1 {
		first = plain(operands[0])
	}
	if len(operands) == 3 {
		n, err := strconv.Atoi(plain(operands[1]))
		if err != nil || n < 1 || n > seqFastStep {
			return "", "", 0, false
		}
		step = n
	}
	return first, last, step, ok
}

// wholeNumbers is seqIntegers for numbers like 1e3 and an infinite end.
func (r *seqRun) wholeNumbers() (first, last string, step int, ok bool) {
	n, fits := r.step.value.Int64()
	if r.first.precision != 0 || r.step.precision != 0 || r.last.precision != 0 ||
		r.first.value.IsInf() || r.first.value.Signbit() || r.last.value.Signbit() ||
		!fits || n < 1 || n > seqFastStep {
		return "", "", 0, false
	}
	f := longdouble.Directive{Verb: 'f'}
	last = "inf"
	if !r.last.value.IsInf() {
		last = f.Format(r.last.value)
	}
	return f.Format(r.first.value), last, int(n), true
}

// countUp prints whole numbers of any length by adding to their digits.
func (r *seqRun) countUp(ctx context.Context, first, last string, step int) int {
	digits := []byte(first)
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil || r.out.Err() != nil {
			return 1
		}
		if last != "inf" && (len(digits) > len(last) || len(digits) == len(last) && string(digits) > last) {
			break
		}
		if n > 0 {
			r.out.WriteString(r.separator)
		}
		r.out.Write(digits)
		digits = seqAdd(digits, step)
	}
	if string(digits) != first {
		r.out.WriteByte('\n')
	}
	return 0
}

func seqAdd(digits []byte, step int) []byte {
	for i := len(digits) - 1; step > 0; i-- {
		if i < 0 {
			digits = append([]byte{'0'}, digits...)
			i = 0
		}
		step += int(digits[i] - '0')
		digits[i] = byte('0' + step%10)
		step /= 10
	}
	return digits
}

// count prints numbers as GNU seq does: each is first + n * step in long
// double arithmetic.
func (r *seqRun) count(ctx context.Context) int {
	first, step, last := r.first.value, r.step.value, r.last.value
	beyond := func(x longdouble.Float) bool {
		if step.Sign() < 0 {
			return x.Cmp(last) < 0
		}
		return last.Cmp(x) < 0
	}
	if beyond(first) {
		return 0
	}
	x, done := first, false
	for n := int64(1); ; n++ {
		if n%256 == 0 && ctx.Err() != nil || r.out.Err() != nil {
			return 1
		}
		r.out.WriteString(r.format.text(x))
		if done {
			break
		}
		previous := x
		x = first.Add(longdouble.Int(n).Mul(step))
		if done = beyond(x); done && !r.extra(x, previous) {
			break
		}
		r.out.WriteString(r.separator)
	}
	r.out.WriteByte('\n')
	return 0
}

// extra tells whether x, which is beyond the last number, is to be printed
// nevertheless: when it only misses it by a rounding error and prints as it,
// as in "seq 0 .000001 .000003".
func (r *seqRun) extra(x, previous longdouble.Float) bool {
	text := r.format.d.Format(x)
	v, rest, ok := longdouble.Parse(text)
	return ok && rest == "" && v.Cmp(r.last.value) == 0 && text != r.format.d.Format(previous)
}
