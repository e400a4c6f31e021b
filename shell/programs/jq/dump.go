package jq

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// style is how values are printed.
type style struct {
	indent int  // blanks a level; 0 is compact
	tab    bool // a tab a level
	sorted bool
	ascii  bool
	colors *palette // nil is none
}

// errTooLong ends the printing of a value into a string.
var errTooLong = errors.New("string too long")

// tooDeep stands for what is nested too deeply to print.
const tooDeep = "<skipped: too deep>"

// dumper prints values. Its output goes to emit, piece by piece, whenever the
// buffer has grown.
type dumper struct {
	style
	buf  []byte
	emit func([]byte) error // nil keeps everything in buf
	max  int64              // of buf when emit is nil
	err  error
	tick func() error // called now and then; its error ends the printing
	n    int
}

const dumpChunk = 32 << 10

// check flushes and looks whether to go on.
func (d *dumper) check() bool {
	if d.err != nil {
		return false
	}
	if d.n++; d.n%256 == 0 && d.tick != nil {
		d.err = d.tick()
	}
	switch {
	case d.emit == nil:
		if d.max > 0 && int64(len(d.buf)) > d.max {
			d.err = errTooLong
		}
	case len(d.buf) >= dumpChunk:
		d.err = d.emit(d.buf)
		d.buf = d.buf[:0]
	}
	return d.err == nil
}

// dumpString answers the compact text of a value.
func dumpString(v any) string {
	d := dumper{}
	d.value(v, 0)
	return string(d.buf)
}

func (d *dumper) newline(level int) {
	if d.tab {
		d.buf = append(d.buf, '\n')
		for range level {
			d.buf = append(d.buf, '\t')
		}
		return
	}
	if d.indent > 0 {
		d.buf = append(d.buf, '\n')
		for range level * d.indent {
			d.buf = append(d.buf, ' ')
		}
	}
}

func (d *dumper) pretty() bool { return d.tab || d.indent > 0 }

func (d *dumper) value(v any, level int) {
	if !d.check() {
		return
	}
	if level > maxDepth {
		d.buf = append(d.buf, tooDeep...)
		return
	}
	switch v := v.(type) {
	case []any:
		d.array(v, level)
	case *Object:
		d.object(v, level)
	default:
		color := d.colors.of(v)
		d.buf = append(d.buf, color...)
		d.scalar(v)
		if color != "" {
			d.buf = append(d.buf, colorEnd...)
		}
	}
}

func (d *dumper) scalar(v any) {
	switch v := v.(type) {
	case nil:
		d.buf = append(d.buf, "null"...)
	case bool:
		d.buf = strconv.AppendBool(d.buf, v)
	case float64:
		d.buf = append(d.buf, formatNumber(v)...)
	case *literal:
		d.buf = append(d.buf, v.text...)
	case string:
		d.string(v)
	}
}

func (d *dumper) array(v []any, level int) {
	color := d.colors.of(v)
	d.buf = append(d.buf, color...)
	d.buf = append(d.buf, '[')
	for i, x := range v {
		if i > 0 {
			d.buf = append(d.buf, color...)
			d.buf = append(d.buf, ',')
		}
		d.newline(level + 1)
		d.value(x, level+1)
		if d.err != nil {
			return
		}
	}
	d.buf = append(d.buf, color...)
	if len(v) > 0 {
		d.newline(level)
	}
	d.buf = append(d.buf, ']')
	if color != "" {
		d.buf = append(d.buf, colorEnd...)
	}
}

func (d *dumper) object(o *Object, level int) {
	color := d.colors.of(o)
	end := ""
	if color != "" {
		end = colorEnd
	}
	d.buf = append(d.buf, color...)
	d.buf = append(d.buf, '{')
	var order []int
	if d.sorted {
		order = o.sorted()
	}
	for n := range o.keys {
		i := n
		if order != nil {
			i = order[n]
		}
		if n > 0 {
			d.buf = append(d.buf, color...)
			d.buf = append(d.buf, ',')
		}
		d.newline(level + 1)
		if color != "" {
			d.buf = append(d.buf, end...)
			d.buf = append(d.buf, d.colors.key...)
		}
		d.string(o.keys[i])
		if color != "" {
			d.buf = append(d.buf, end...)
			d.buf = append(d.buf, color...)
		}
		d.buf = append(d.buf, ':')
		if d.pretty() {
			d.buf = append(d.buf, ' ')
		}
		d.buf = append(d.buf, end...)
		d.value(o.values[i], level+1)
		if d.err != nil {
			return
		}
	}
	d.buf = append(d.buf, color...)
	if len(o.keys) > 0 {
		d.newline(level)
	}
	d.buf = append(d.buf, '}')
	d.buf = append(d.buf, end...)
}

const hexDigits = "0123456789abcdef"

func (d *dumper) string(s string) {
	d.buf = append(d.buf, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf && !d.ascii {
			i++
			continue
		}
		d.buf = append(d.buf, s[start:i]...)
		n := 1
		switch c {
		case '"', '\\':
			d.buf = append(d.buf, '\\', c)
		case '\b':
			d.buf = append(d.buf, `\b`...)
		case '\t':
			d.buf = append(d.buf, `\t`...)
		case '\r':
			d.buf = append(d.buf, `\r`...)
		case '\n':
			d.buf = append(d.buf, `\n`...)
		case '\f':
			d.buf = append(d.buf, `\f`...)
		default:
			if c < utf8.RuneSelf {
				d.unit(uint16(c))
				break
			}
			var r rune
			r, n = utf8.DecodeRuneInString(s[i:])
			if r >= 0x10000 {
				r -= 0x10000
				d.unit(uint16(0xd800 + r>>10))
				d.unit(uint16(0xdc00 + r&0x3ff))
			} else {
				d.unit(uint16(r))
			}
		}
		i += n
		start = i
	}
	d.buf = append(d.buf, s[start:]...)
	d.buf = append(d.buf, '"')
}

// unit writes a UTF-16 unit as \uXXXX.
func (d *dumper) unit(u uint16) {
	d.buf = append(d.buf, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}

// errorWidth is how much of a value an error message shows.
const errorWidth = 29

// brief shows a value in a message: cut short, but with its closing mark.
func brief(v any) string {
	d := dumper{max: 4 * errorWidth}
	d.value(v, 0)
	s := string(d.buf)
	if d.err == nil && len(s) <= errorWidth {
		return s
	}
	end := ""
	switch v.(type) {
	case string:
		end = `"`
	case []any:
		end = "]"
	case *Object:
		end = "}"
	}
	n := min(errorWidth-3-len(end), len(s))
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..." + end
}

// palette holds the escape sequences of each kind of value.
type palette struct {
	byKind [kindObject + 1]string
	key    string
}

const colorEnd = "\x1b[0m"

func (p *palette) of(v any) string {
	if p == nil {
		return ""
	}
	return p.byKind[kindOf(v)]
}

// newPalette reads JQ_COLORS: colours of null, false, true, numbers, strings,
// arrays, objects and keys. ok is false when it cannot be read; the defaults
// stay then.
func newPalette(spec string) (p *palette, ok bool) {
	codes := []string{"0;90", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "34;1"}
	ok = true
	if spec != "" {
		given := strings.Split(spec, ":")
		for i := range min(len(given), len(codes)) {
			if strings.Trim(given[i], "0123456789;") != "" || len(given[i]) > 12 {
				ok = false
				break
			}
		}
		if ok {
			copy(codes, given)
		}
	}
	p = &palette{}
	for i := range p.byKind {
		p.byKind[i] = "\x1b[" + codes[i] + "m"
	}
	p.key = "\x1b[" + codes[7] + "m"
	return p, ok
}
