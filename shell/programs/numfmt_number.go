package programs

import (
	"fmt"
	"strings"

	"mirage/shell/program/longdouble"
)

// Digits of a long double that are exact, and that numfmt takes at all.
const (
	numfmtExactDigits = 18
	numfmtMaxDigits   = 27
)

// numfmtFormat is what --format says.
type numfmtFormat struct {
	before, after string
	precision     int // -1 when not given
	zeros         int // width of zero padding
	grouping      bool
}

// parseFormat reads the argument of --format and answers a complaint.
func (n *numfmtRun) parseFormat(s string) string {
	quoted := n.inv.QuoteArg(s)
	i, length := 0, 0
	for ; !(i < len(s) && s[i] == '%' && !(i+1 < len(s) && s[i+1] == '%')); length++ {
		if i >= len(s) {
			return fmt.Sprintf("format %s has no %% directive", quoted)
		}
		if s[i] == '%' {
			i++
		}
		i++
	}
	n.format.before = s[:length]
	i++
	zeros := false
flags:
	for ; i < len(s); i++ {
		switch s[i] {
		case ' ':
		case '\'':
			n.format.grouping = true
		case '0':
			zeros = true
		default:
			break flags
		}
	}
	start := i
	if i < len(s) && s[i] == '-' {
		i++
	}
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	if i > start && s[start:i] != "-" {
		width, ok := numfmtSigned(s[start:i])
		switch {
		case !ok:
			return fmt.Sprintf("invalid format %s (width overflow)", quoted)
		case width < 0 || width > 0 && !zeros:
			if n.debug && n.padding != 0 {
				n.inv.Errorf("--format padding overriding --padding")
			}
			n.padding = width
		case width > 0:
			n.format.zeros = width
		}
	} else {
		i = start
	}
	if i == len(s) {
		return fmt.Sprintf("format %s ends in %%", quoted)
	}
	if s[i] == '.' {
		i++
		value, digits := seqCount(s[i:])
		if digits == 0 && i < len(s) && strings.IndexByte(" \t+-", s[i]) >= 0 || value > seqMaxWidth {
			return fmt.Sprintf("invalid precision in format %s", quoted)
		}
		n.format.precision = value
		i += digits
	}
	if i == len(s) || s[i] != 'f' {
		return fmt.Sprintf("invalid format %s, directive must be %%[0]['][-][N][.][N]f", quoted)
	}
	n.format.after = s[i+1:]
	if _, more := seqLiteral(n.format.after, 0); more {
		return fmt.Sprintf("format %s has too many %% directives", quoted)
	}
	return ""
}

// convert answers the number of a field in its new form.
func (n *numfmtRun) convert(text string, field uint64) (string, bool) {
	width := n.padding
	trimmed := text
	if n.suffix != "" && len(trimmed) > len(n.suffix) {
		trimmed = strings.TrimSuffix(trimmed, n.suffix)
	}
	input := strings.TrimLeft(trimmed, " \t")
	if n.autoPadding && (len(input) < len(trimmed) || field > 1) {
		width = len(trimmed)
	}
	v, precision, ok := n.parseHuman(input)
	if !ok {
		return "", false
	}
	one := longdouble.Int(1)
	if n.fromUnit.Cmp(one) != 0 || n.toUnit.Cmp(one) != 0 {
		v = v.Mul(n.fromUnit).Quo(n.toUnit)
	}
	if n.format.precision >= 0 {
		precision = n.format.precision
	}
	_, digits := numfmtScale(v, longdouble.Int(10))
	g := longdouble.Directive{Precision: -1, Verb: 'g'}
	switch {
	case n.to == "none" && digits+precision > numfmtExactDigits:
		if precision > 0 {
			n.complain("value/precision too large to be printed: '%s/%d' (consider using --to)", g.Format(v), precision)
		} else {
			n.complain("value too large to be printed: '%s' (consider using --to)", g.Format(v))
		}
		return "", false
	case digits > numfmtMaxDigits-1:
		n.complain("value too large to be printed: '%s' (cannot handle values > 999Y)", g.Format(v))
		return "", false
	}
	s := n.show(v, precision) + n.suffix
	if fill := max(width, -width) - len(s); fill > 0 {
		if width < 0 {
			s += strings.Repeat(" ", fill)
		} else {
			s = strings.Repeat(" ", fill) + s
		}
	}
	return s, true
}

// numfmtDigits reads an integer at the beginning of s. It answers what
// follows, "" and a complaint's text when there is none or it is too long.
func numfmtDigits(s string) (v longdouble.Float, rest string, negative, exact bool, complaint string) {
	if negative = strings.HasPrefix(s, "-"); negative {
		s = s[1:]
	}
	i, digits := 0, 0
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		if digits > 0 || s[i] != '0' {
			digits++
		}
		if digits > numfmtMaxDigits {
			return v, s, negative, false, "value too large to be converted: %s"
		}
		v = v.Mul(longdouble.Int(10)).Add(longdouble.Int(int64(s[i] - '0')))
	}
	if i == 0 && !strings.HasPrefix(s, ".") {
		return v, s, negative, false, "invalid number: %s"
	}
	if negative {
		v = v.Neg()
	}
	return v, s[i:], negative, digits <= numfmtExactDigits, ""
}

func numfmtPower(base, power int) longdouble.Float {
	v := longdouble.Int(1)
	for range power {
		v = v.Mul(longdouble.Int(int64(base)))
	}
	return v
}

// parseHuman reads a number with the suffix that --from allows. What is wrong
// with it has been reported.
func (n *numfmtRun) parseHuman(s string) (v longdouble.Float, precision int, ok bool) {
	quoted := n.inv.QuoteArg(s)
	v, rest, negative, exact, complaint := numfmtDigits(s)
	if complaint == "" && strings.HasPrefix(rest, ".") {
		var fraction longdouble.Float
		var negative2, exact2 bool
		after := rest[1:]
		fraction, rest, negative2, exact2, complaint = numfmtDigits(after)
		if complaint == "" && negative2 {
			complaint = "invalid number: %s"
		}
		exact = exact && exact2
		precision = len(after) - len(rest)
		fraction = fraction.Quo(numfmtPower(10, precision))
		if negative {
			fraction = fraction.Neg()
		}
		v = v.Add(fraction)
	}
	if complaint != "" {
		n.complain(complaint, quoted)
		return v, 0, false
	}
	base, power := 1000, 0
	if strings.HasPrefix(n.from, "iec") {
		base = 1024
	}
	if rest != "" {
		rest = strings.TrimLeft(rest, " \t")
		if rest != "" {
			power = strings.IndexByte("KMGTPEZY", rest[0]) + 1
		}
		switch {
		case power == 0:
			n.complain("invalid suffix in input: %s", quoted)
			return v, 0, false
		case n.from == "none":
			n.complain("rejecting suffix in input: %s (consider using --from)", quoted)
			return v, 0, false
		}
		rest = rest[1:]
		if n.from == "auto" && strings.HasPrefix(rest, "i") {
			base, rest = 1024, rest[1:]
		}
		precision = 0
	}
	if n.from == "iec-i" {
		var binary bool
		if rest, binary = strings.CutPrefix(rest, "i"); !binary {
			n.complain("missing 'i' suffix in input: %s (e.g Ki/Mi/Gi)", quoted)
			return v, 0, false
		}
	}
	if rest != "" {
		n.complain("invalid suffix in input %s: %s", quoted, n.inv.QuoteArg(rest))
		return v, 0, false
	}
	if !exact && n.debug {
		n.warn("large input value %s: possible precision loss", quoted)
	}
	return v.Mul(numfmtPower(base, power)), precision, true
}

// numfmtScale divides by base until the value is below it.
func numfmtScale(v, base longdouble.Float) (longdouble.Float, int) {
	power := 0
	for !v.IsInf() && v.Abs().Cmp(base) >= 0 {
		power++
		v = v.Quo(base)
	}
	return v, power
}

// show prints a value in the unit of --to.
func (n *numfmtRun) show(v longdouble.Float, precision int) string {
	d := longdouble.Directive{Verb: 'f', Width: n.format.zeros, Precision: precision}
	if d.Width > 0 {
		d.Flags = "0"
	}
	if n.to == "none" {
		shift := numfmtPower(10, precision)
		return d.Format(n.rounded(v.Mul(shift)).Quo(shift))
	}
	base := longdouble.Int(1000)
	if n.to != "si" {
		base = longdouble.Int(1024)
	}
	v, power := numfmtScale(v, base)
	ten := longdouble.Int(10)
	decimals := 0
	switch {
	case n.format.precision >= 0:
		decimals = min(power*3, n.format.precision)
	case v.Abs().Cmp(ten) < 0:
		decimals = 1
	}
	shift := numfmtPower(10, decimals)
	v = n.rounded(v.Mul(shift)).Quo(shift)
	if v.Abs().Cmp(base) >= 0 {
		v = v.Quo(base)
		power++
	}
	d.Precision = n.format.precision
	if d.Precision < 0 {
		d.Precision = 0
		if v.Sign() != 0 && v.Abs().Cmp(ten) < 0 && power > 0 {
			d.Precision = 1
		}
	}
	s := d.Format(v)
	if power > 0 {
		if power > 8 {
			s += "(error)"
		} else {
			s += "KMGTPEZY"[power-1 : power]
		}
		if n.to == "iec-i" {
			s += "i"
		}
	}
	return s
}

// rounded rounds to an integer by the method of --round.
func (n *numfmtRun) rounded(v longdouble.Float) longdouble.Float {
	limit := longdouble.Int(1<<63 - 1)
	high, ok := v.Quo(limit).Int64()
	if !ok {
		return v
	}
	rest := v.Sub(limit.Mul(longdouble.Int(high)))
	half, _, _ := longdouble.Parse("0.5")
	if n.round == "nearest" {
		if rest.Signbit() {
			half = half.Neg()
		}
		rest = rest.Add(half)
	}
	whole, _ := rest.Int64()
	r := longdouble.Int(whole)
	up := n.round == "up" || n.round == "from-zero" && !rest.Signbit()
	down := n.round == "down" || n.round == "from-zero" && rest.Signbit()
	switch {
	case up && r.Cmp(rest) < 0:
		r = r.Add(longdouble.Int(1))
	case down && r.Cmp(rest) > 0:
		r = r.Sub(longdouble.Int(1))
	}
	return limit.Mul(longdouble.Int(high)).Add(r)
}
