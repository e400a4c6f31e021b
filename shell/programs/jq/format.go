package jq

import (
	"encoding/base32"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// format is one of the @ formats: of a value, into a string.
type format func(m *machine, v any) (any, error)

var formats = map[string]format{
	"@text":    formatText,
	"@json":    formatJSON,
	"@html":    formatHTML,
	"@uri":     formatURI,
	"@urid":    formatURIDecode,
	"@csv":     formatCSV,
	"@tsv":     formatTSV,
	"@sh":      formatShell,
	"@base64":  formatBase64,
	"@base64d": formatBase64Decode,
	"@base32":  formatBase32,
	"@base32d": formatBase32Decode,
}

// formatJSON is tojson.
func formatJSON(m *machine, v any) (any, error) {
	d := dumper{max: m.limit / 2, tick: m.tick}
	d.value(v, 0)
	if d.err == errTooLong {
		return nil, errMemory
	}
	m.grow(len(d.buf))
	return string(d.buf), d.err
}

// formatText is tostring.
func formatText(m *machine, v any) (any, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return formatJSON(m, v)
}

// text answers v as tostring does.
func text(m *machine, v any) (string, error) {
	s, err := formatText(m, v)
	if err != nil {
		return "", err
	}
	return s.(string), nil
}

func formatHTML(m *machine, v any) (any, error) {
	s, err := text(m, v)
	if err != nil {
		return nil, err
	}
	s = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "'", "&apos;", `"`, "&quot;").Replace(s)
	return s, m.room(len(s))
}

func unreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-_.~", c) >= 0
}

func formatURI(m *machine, v any) (any, error) {
	s, err := text(m, v)
	if err != nil {
		return nil, err
	}
	if err := m.room(3 * len(s)); err != nil {
		return nil, err
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; unreserved(c) {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + strings.ToUpper(string([]byte{hexDigits[c>>4], hexDigits[c&15]})))
		}
	}
	return b.String(), nil
}

func formatURIDecode(m *machine, v any) (any, error) {
	s, err := text(m, v)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		hi, lo := -1, -1
		if i+2 < len(s) {
			hi, lo = hexValue(s[i+1]), hexValue(s[i+2])
		}
		if hi < 0 || lo < 0 {
			return nil, typeError(s, "is not a valid uri encoding")
		}
		b.WriteByte(byte(hi<<4 | lo))
		i += 2
	}
	if !utf8.ValidString(b.String()) {
		return nil, typeError(s, "is not a valid uri encoding")
	}
	return b.String(), m.room(b.Len())
}

func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// row formats the elements of an array.
func row(m *machine, v any, name, separator string, quote func(string) string) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, typeError(v, "cannot be "+name+"-formatted, only an array can be")
	}
	var b strings.Builder
	for i, x := range list {
		if i > 0 {
			b.WriteString(separator)
		}
		switch x := x.(type) {
		case nil:
		case bool:
			if x {
				b.WriteString("true")
			} else {
				b.WriteString("false")
			}
		case float64, *literal:
			if n, _ := number(x); n == n {
				b.WriteString(dumpString(x))
			}
		case string:
			b.WriteString(quote(x))
		default:
			return nil, typeError(x, "is not valid in a csv row")
		}
		if err := m.tick(); err != nil {
			return nil, err
		}
	}
	return b.String(), m.room(b.Len())
}

func formatCSV(m *machine, v any) (any, error) {
	return row(m, v, "csv", ",", func(s string) string {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	})
}

func formatTSV(m *machine, v any) (any, error) {
	escapes := strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, `\`, `\\`)
	return row(m, v, "tsv", "\t", escapes.Replace)
}

func formatShell(m *machine, v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var b strings.Builder
	for i, x := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch x := x.(type) {
		case string:
			b.WriteString("'" + strings.ReplaceAll(x, "'", `'\''`) + "'")
		case []any, *Object:
			return nil, typeError(x, "can not be escaped for shell")
		default:
			b.WriteString(dumpString(x))
		}
	}
	return b.String(), m.room(b.Len())
}

func formatBase64(m *machine, v any) (any, error) {
	s, err := text(m, v)
	if err != nil {
		return nil, err
	}
	if err := m.room(2 * len(s)); err != nil {
		return nil, err
	}
	return base64.StdEncoding.EncodeToString([]byte(s)), nil
}

func formatBase64Decode(m *machine, v any) (any, error) {
	s, err := text(m, v)
	if err != nil {
		return nil, err
	}
	data, _, _ := strings.Cut(s, "=")
	for i := 0; i < len(data); i++ {
		if c := data[i]; c == '-' || c == '_' || !unreserved(c) && c != '+' && c != '/' || c == '.' || c == '~' {
			return nil, typeError(s, "is not valid base64 data")
		}
	}
	if len(data)%4 == 1 {
		return nil, typeError(s, "trailing base64 byte found")
	}
	out, err := base64.RawStdEncoding.DecodeString(data)
	if err != nil {
		return nil, typeError(s, "is not valid base64 data")
	}
	return validString(string(out)), m.room(len(out))
}

func formatBase32(m *machine, v any) (any, error) {
	s, err := text(m, v)
	if err != nil {
		return nil, err
	}
	if err := m.room(2 * len(s)); err != nil {
		return nil, err
	}
	return base32.StdEncoding.EncodeToString([]byte(s)), nil
}

func formatBase32Decode(m *machine, v any) (any, error) {
	s, err := text(m, v)
	if err != nil {
		return nil, err
	}
	out, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(s, "="))
	if err != nil {
		return nil, typeError(s, "is not valid base32 data")
	}
	return validString(string(out)), m.room(len(out))
}
