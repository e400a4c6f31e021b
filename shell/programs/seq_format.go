package programs

import (
	"fmt"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/longdouble"
)

// seqFormat is a printf format with one directive for a long double.
type seqFormat struct {
	before, after string
	d             longdouble.Directive
}

func (f seqFormat) text(x longdouble.Float) string {
	return f.before + f.d.Format(x) + f.after
}

// Most that a width or a precision may be; it keeps one number from taking
// any amount of memory.
const seqMaxWidth = 1 << 16

// seqParseFormat reads the argument of -f. complaint words what is wrong.
func seqParseFormat(inv *program.Invocation, s string) (f seqFormat, complaint string) {
	quoted := inv.QuoteArg(s)
	i, ok := seqLiteral(s, 0)
	if !ok {
		return f, fmt.Sprintf("format %s has no %% directive", quoted)
	}
	f.before = strings.ReplaceAll(s[:i], "%%", "%")
	i++
	start := i
	for i < len(s) && strings.IndexByte("-+#0 '", s[i]) >= 0 {
		i++
	}
	f.d.Flags = s[start:i]
	f.d.Precision = -1
	var n int
	f.d.Width, n = seqCount(s[i:])
	i += n
	if i < len(s) && s[i] == '.' {
		f.d.Precision, n = seqCount(s[i+1:])
		i += n + 1
	}
	if i < len(s) && s[i] == 'L' {
		i++
	}
	if i == len(s) {
		return f, fmt.Sprintf("format %s ends in %%", quoted)
	}
	if strings.IndexByte("efgaEFGA", s[i]) < 0 {
		return f, fmt.Sprintf("format %s has unknown %%%c directive", quoted, s[i])
	}
	f.d.Verb = s[i]
	rest := s[i+1:]
	if _, ok := seqLiteral(rest, 0); ok {
		return f, fmt.Sprintf("format %s has too many %% directives", quoted)
	}
	f.after = strings.ReplaceAll(rest, "%%", "%")
	if f.d.Width > seqMaxWidth || f.d.Precision > seqMaxWidth {
		return f, fmt.Sprintf("format %s is too wide", quoted)
	}
	return f, ""
}

// seqLiteral goes over text without directives and answers where the first
// directive is.
func seqLiteral(s string, i int) (at int, found bool) {
	for i < len(s) {
		if s[i] != '%' {
			i++
			continue
		}
		if i+1 < len(s) && s[i+1] == '%' {
			i += 2
			continue
		}
		return i, true
	}
	return i, false
}

func seqCount(s string) (value, n int) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	value, err := strconv.Atoi(s[:n])
	if err != nil && n > 0 {
		value = seqMaxWidth + 1
	}
	return value, n
}

// defaultFormat is %.PRECf when the operands are fixed point numbers, and %g
// otherwise. equal asks for one width.
func (r *seqRun) defaultFormat(equal bool) seqFormat {
	f := seqFormat{d: longdouble.Directive{Precision: -1, Verb: 'g'}}
	first, last := r.first, r.last
	precision := max(first.precision, r.step.precision)
	if precision == seqAnyPrecision || last.precision == seqAnyPrecision {
		return f
	}
	f.d.Verb, f.d.Precision = 'f', min(precision, seqMaxWidth)
	if !equal {
		return f
	}
	first.width += precision - first.precision
	last.width += precision - last.precision
	if last.precision > 0 && precision == 0 {
		last.width--
	}
	if last.precision == 0 && precision > 0 {
		last.width++
	}
	if first.precision == 0 && precision > 0 {
		first.width++
	}
	f.d.Flags, f.d.Width = "0", min(max(first.width, last.width), seqMaxWidth)
	return f
}
