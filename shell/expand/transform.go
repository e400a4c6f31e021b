package expand

import (
	"context"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/quote"
	"mirage/shell/vars"
)

// transform carries out ${x@operator}.
func (x *Expander) transform(ctx context.Context, o *operand, pe *syntax.ParamExp) error {
	op := ""
	if pe.Exp.Word != nil {
		op = pe.Exp.Word.Lit()
	}
	utf8 := x.Vars.UTF8()
	switch op {
	case "A":
		return x.asAssignment(o)
	case "a":
		letters := ""
		if info, ok := x.info(o.name); ok && o.variable() {
			letters = info.Letters()
		}
		return o.each(ctx, func(string) (string, error) { return letters, nil })
	case "K", "k":
		return x.asPairs(o, op == "k")
	}
	if !o.isList && !o.set {
		o.value = ""
		return nil
	}
	return o.each(ctx, func(s string) (string, error) {
		switch op {
		case "Q":
			return quote.Single(s, utf8), nil
		case "E":
			return quote.ANSI(s, utf8), nil
		case "P":
			return x.Prompt(ctx, s)
		case "U":
			return x.mapCase(ctx, s, unicode.ToUpper, true, nil)
		case "u":
			return x.mapCase(ctx, s, unicode.ToUpper, false, nil)
		case "L":
			return x.mapCase(ctx, s, unicode.ToLower, true, nil)
		}
		return "", badSubstitution(source(pe))
	})
}

// info is Info with namerefs followed.
func (x *Expander) info(name string) (vars.Info, bool) {
	if target, ok := x.Vars.Resolve(name); ok {
		name = target
	}
	return x.Vars.Info(name)
}

// asAssignment makes o the command that would set it again.
func (x *Expander) asAssignment(o *operand) error {
	utf8 := x.Vars.UTF8()
	if !o.variable() {
		words := make([]string, len(o.list))
		for i, s := range o.list {
			words[i] = quote.Single(s, utf8)
		}
		if o.isList && len(words) > 0 {
			o.list = append([]string{"set", "--"}, words...)
		} else if o.isList {
			o.list = nil
		} else {
			o.value = ""
		}
		return nil
	}
	info, ok := x.info(o.name)
	letters := info.Letters()
	switch {
	case !ok:
		o.value, o.list = "", nil
	case o.isList && info.Kind != vars.Scalar:
		text := o.name
		if list, ok := x.Vars.FormatArray(o.name); ok {
			text += "=" + list
		}
		o.list = []string{"declare", "-" + letters, text}
	default:
		value, set := o.value, o.set
		if o.isList {
			value, set = strings.Join(o.list, " "), len(o.list) > 0
			o.isList = false
		}
		text := o.name
		if set {
			text += "=" + quote.Single(value, utf8)
		}
		switch {
		case letters != "":
			text = "declare -" + letters + " " + text
		case !set:
			text = ""
		}
		o.value = text
	}
	return nil
}

// asPairs makes o its keys and values: words of their own, or one text in
// which the values are quoted.
func (x *Expander) asPairs(o *operand, words bool) error {
	utf8 := x.Vars.UTF8()
	kind := x.Vars.Kind(o.name)
	if !o.isList || !o.variable() || kind == vars.Scalar {
		if !o.isList && !o.set {
			return nil
		}
		return o.each(context.Background(), func(s string) (string, error) { return quote.Single(s, utf8), nil })
	}
	keys := x.Vars.Keys(o.name)
	var list []string
	var b strings.Builder
	for i, s := range o.list {
		if i >= len(keys) {
			break
		}
		if words {
			list = append(list, keys[i], s)
			continue
		}
		if kind == vars.Assoc {
			b.WriteString(quote.Key(keys[i], utf8))
		} else {
			b.WriteString(keys[i])
		}
		b.WriteByte(' ')
		b.WriteString(quote.Double(s, utf8))
		if kind == vars.Assoc || i < len(o.list)-1 {
			b.WriteByte(' ')
		}
	}
	if words {
		o.list = list
	} else if len(o.list) > 0 {
		o.list = []string{b.String()}
	}
	return nil
}
