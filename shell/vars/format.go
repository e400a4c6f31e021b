package vars

import (
	"strconv"
	"strings"

	"mirage/shell/quote"
)

// Letters answers the attributes of a variable as the letters of declare, in
// bash's order: "aAinrtxcul" as far as they apply, "" for none.
func (i Info) Letters() string {
	var b strings.Builder
	switch i.Kind {
	case Indexed:
		b.WriteByte('a')
	case Assoc:
		b.WriteByte('A')
	}
	for _, f := range [...]struct {
		attr   Attr
		letter byte
	}{
		{Integer, 'i'}, {Nameref, 'n'}, {ReadOnly, 'r'}, {Trace, 't'}, {Export, 'x'},
		{Capital, 'c'}, {Lower, 'l'}, {Upper, 'u'},
	} {
		if i.Attr&f.attr != 0 {
			b.WriteByte(f.letter)
		}
	}
	return b.String()
}

// Format answers the line that `declare -p name` prints, without newline; ok
// is false when there is no such variable.
func (v *Vars) Format(name string) (line string, ok bool) {
	info, ok := v.Info(name)
	if !ok {
		return "", false
	}
	var b strings.Builder
	b.WriteString("declare -")
	if l := info.Letters(); l != "" {
		b.WriteString(l)
	} else {
		b.WriteByte('-')
	}
	b.WriteByte(' ')
	b.WriteString(name)
	va := v.table[name]
	switch {
	case !info.Set:
	case va.kind == Scalar:
		value := va.str
		if va.dyn != dynNone {
			value, _ = v.dynamicValue(va)
		}
		b.WriteByte('=')
		b.WriteString(quote.Double(value, v.UTF8()))
	case va.dyn == dynHost && va.kind == Indexed && len(v.elements(va)) == 0 && name != "BASH_ALIASES":
		// FUNCNAME outside of functions and the like.
	default:
		b.WriteByte('=')
		v.formatArray(&b, va)
	}
	return b.String(), true
}

// FormatSet answers the line that `set` prints; ok is false for a variable
// without a value.
func (v *Vars) FormatSet(name string) (line string, ok bool) {
	info, ok := v.Info(name)
	if !ok || !info.Set {
		return "", false
	}
	va := v.table[name]
	if va.kind == Scalar {
		value := va.str
		if va.dyn != dynNone {
			value, _ = v.dynamicValue(va)
		}
		return name + "=" + quote.Set(value, v.UTF8()), true
	}
	var b strings.Builder
	b.WriteString(name)
	b.WriteByte('=')
	v.formatArray(&b, va)
	return b.String(), true
}

// FormatArray answers the value of an array as `declare -p` prints it,
// ([0]="a" [1]="b"); ok is false for what is no array.
func (v *Vars) FormatArray(name string) (text string, ok bool) {
	va := v.find(name)
	if va == nil || va.kind == Scalar || !va.set {
		return "", false
	}
	var b strings.Builder
	v.formatArray(&b, va)
	return b.String(), true
}

func (v *Vars) formatArray(b *strings.Builder, va *variable) {
	utf8 := v.UTF8()
	b.WriteByte('(')
	first := true
	index := func(i int64, s string) bool {
		if !first {
			b.WriteByte(' ')
		}
		first = false
		b.WriteByte('[')
		b.WriteString(strconv.FormatInt(i, 10))
		b.WriteString("]=")
		b.WriteString(quote.Double(s, utf8))
		return true
	}
	key := func(k, s string) bool {
		b.WriteByte('[')
		b.WriteString(quote.Key(k, utf8))
		b.WriteString("]=")
		b.WriteString(quote.Double(s, utf8))
		b.WriteByte(' ')
		return true
	}
	switch {
	case va.dyn == dynHost && v.host != nil:
		values := v.host.Dynamic(va.name)
		if va.kind == Assoc {
			for i := 0; i+1 < len(values); i += 2 {
				key(values[i], values[i+1])
			}
		} else {
			for i, s := range values {
				index(int64(i), s)
			}
		}
	case va.kind == Indexed && va.list != nil:
		va.list.each(index)
	case va.kind == Assoc && va.hash != nil:
		va.hash.each(key)
	}
	b.WriteByte(')')
}
