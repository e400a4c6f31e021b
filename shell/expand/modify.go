package expand

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/pattern"
)

// each applies f to the value or to every element.
func (o *operand) each(ctx context.Context, f func(string) (string, error)) error {
	if o.glued = true; o.variable() {
		o.glue = " "
	}
	if !o.isList {
		var err error
		o.value, err = f(o.value)
		return err
	}
	out := make([]string, len(o.list))
	for i, s := range o.list {
		if i&255 == 255 && ctx.Err() != nil {
			return ctx.Err()
		}
		var err error
		if out[i], err = f(s); err != nil {
			return err
		}
	}
	o.list = out
	return nil
}

// modify carries out the removal of prefixes and suffixes and the changes of
// case.
func (x *Expander) modify(ctx context.Context, o *operand, e *syntax.Expansion) error {
	var text string
	if e.Word != nil {
		var err error
		if text, err = x.Pattern(ctx, e.Word); err != nil {
			return err
		}
	}
	switch e.Op {
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return x.changeCase(ctx, o, e.Op, text)
	}
	p := x.compiled(text, x.patternFlags())
	return o.each(ctx, func(s string) (string, error) {
		switch e.Op {
		case syntax.RemSmallPrefix, syntax.RemLargePrefix:
			n, ok, err := p.Prefix(ctx, s, e.Op == syntax.RemLargePrefix)
			if ok {
				s = s[n:]
			}
			return s, err
		}
		n, ok, err := p.Suffix(ctx, s, e.Op == syntax.RemLargeSuffix)
		if ok {
			s = s[:n]
		}
		return s, err
	})
}

// changeCase carries out ^ ^^ , and ,,. The pattern, if there is one, says
// which characters change.
func (x *Expander) changeCase(ctx context.Context, o *operand, op syntax.ParExpOperator, text string) error {
	f := unicode.ToUpper
	if op == syntax.LowerFirst || op == syntax.LowerAll {
		f = unicode.ToLower
	}
	var p *pattern.Pattern
	if text != "" {
		p = x.compiled(text, x.patternFlags())
	}
	all := op == syntax.UpperAll || op == syntax.LowerAll
	return o.each(ctx, func(s string) (string, error) { return x.mapCase(ctx, s, f, all, p) })
}

// mapCase maps the first character, or all, that p matches.
func (x *Expander) mapCase(ctx context.Context, s string, f func(rune) rune, all bool, p *pattern.Pattern) (string, error) {
	utf := x.Vars.UTF8()
	out := make([]byte, 0, len(s))
	for i, steps := 0, 0; i < len(s); steps++ {
		if steps&4095 == 4095 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		n := 1
		r := rune(s[i])
		if utf && s[i] >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		ok := r < utf8.RuneSelf || utf && n > 1
		if ok && p != nil {
			var err error
			if ok, err = p.Match(ctx, s[i:i+n]); err != nil {
				return "", err
			}
		}
		if ok {
			out = utf8.AppendRune(out, f(r))
		} else {
			out = append(out, s[i:i+n]...)
		}
		i += n
		if !all {
			return string(append(out, s[i:]...)), nil
		}
	}
	return string(out), nil
}

// replace carries out ${x/pattern/string}.
func (x *Expander) replace(ctx context.Context, o *operand, pe *syntax.ParamExp) error {
	text := ""
	var anchor byte
	r := pe.Repl
	if r.All && r.Orig == nil {
		r = slashPattern(pe)
	}
	if r.Orig != nil {
		w := r.Orig
		if l, ok := w.Parts[0].(*syntax.Lit); ok && !r.All && l.Value != "" && (l.Value[0] == '#' || l.Value[0] == '%') {
			anchor = l.Value[0]
			rest := *l
			rest.Value = l.Value[1:]
			w = &syntax.Word{Parts: append([]syntax.WordPart{&rest}, w.Parts[1:]...)}
		}
		var err error
		if text, err = x.Pattern(ctx, w); err != nil {
			return err
		}
	}
	with, err := x.replacement(ctx, r.With)
	if err != nil {
		return err
	}
	if text == "" && anchor == 0 {
		return nil
	}
	flags := x.patternFlags()
	if x.Options.NoCaseMatch {
		flags |= pattern.FoldCase
	}
	p := x.compiled(text, flags)
	return o.each(ctx, func(s string) (string, error) {
		switch anchor {
		case '#':
			n, ok, err := p.Prefix(ctx, s, true)
			if err != nil || !ok {
				return s, err
			}
			return string(with.append(nil, s[:n])) + s[n:], nil
		case '%':
			n, ok, err := p.Suffix(ctx, s, true)
			if err != nil || !ok {
				return s, err
			}
			return string(with.append([]byte(s[:n]), s[n:])), nil
		}
		return x.replaceIn(ctx, p, s, with, r.All)
	})
}

// slashPattern reads ${x///...}, whose pattern starts with a slash: the parser
// takes that slash for the end of an empty pattern.
func slashPattern(pe *syntax.ParamExp) *syntax.Replace {
	r := &syntax.Replace{All: true}
	if pe.Repl.With == nil {
		if pe.Rbrace.Offset() > pe.Param.End().Offset()+2 {
			r.Orig = &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "/"}}}
		}
		return r
	}
	r.Orig = &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "/"}}}
	parts := pe.Repl.With.Parts
	for i, p := range parts {
		if l, ok := p.(*syntax.Lit); ok {
			if before, after, found := strings.Cut(l.Value, "/"); found {
				r.Orig.Parts = append(r.Orig.Parts, &syntax.Lit{Value: before})
				r.With = &syntax.Word{Parts: append([]syntax.WordPart{&syntax.Lit{Value: after}}, parts[i+1:]...)}
				return r
			}
		}
		r.Orig.Parts = append(r.Orig.Parts, p)
	}
	return r
}

// replaceIn replaces the first match or all.
func (x *Expander) replaceIn(ctx context.Context, p *pattern.Pattern, s string, with replacement, all bool) (string, error) {
	var out []byte
	limit := x.memory()
	for at, steps := 0, 0; ; steps++ {
		if steps&255 == 255 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		start, end, ok, err := p.Find(ctx, s, at)
		if err != nil {
			return "", err
		}
		if !ok || start == len(s) && len(s) > 0 {
			if out == nil {
				return s, nil
			}
			return string(append(out, s[at:]...)), nil
		}
		out = append(out, s[at:start]...)
		out = with.append(out, s[start:end])
		if int64(len(out)) > limit {
			return "", errMemory()
		}
		at = end
		if start == end && start < len(s) {
			// After an empty match the next character stays.
			n := 1
			if x.Vars.UTF8() {
				_, n = utf8.DecodeRuneInString(s[at:])
			}
			out = append(out, s[at:at+n]...)
			at += n
		}
		if !all || at >= len(s) {
			return string(append(out, s[at:]...)), nil
		}
	}
}

// replacement is the string of ${x/pattern/string}: texts with the match
// between them.
type replacement []string

func (r replacement) append(out []byte, match string) []byte {
	for i, t := range r {
		if i > 0 {
			out = append(out, match...)
		}
		out = append(out, t...)
	}
	return out
}

// replacement expands the string of a replacement. With patsub_replacement an
// unquoted & stands for what was matched.
func (x *Expander) replacement(ctx context.Context, w *syntax.Word) (replacement, error) {
	if w == nil {
		return replacement{""}, nil
	}
	b := x.builder(ctx, modePattern)
	defer b.free()
	if err := b.parts(w.Parts, false); err != nil {
		return nil, err
	}
	if !x.Options.PatsubReplacement || !strings.Contains(string(b.buf), "&") {
		return replacement{string(b.buf)}, nil
	}
	var r replacement
	var text []byte
	spans := b.spans
	for i := 0; i < len(b.buf); i++ {
		for len(spans) > 0 && spans[0].end <= i {
			spans = spans[1:]
		}
		c := b.buf[i]
		switch {
		case len(spans) > 0 && spans[0].start <= i:
			text = append(text, c)
		case c == '\\' && i+1 < len(b.buf) && (b.buf[i+1] == '&' || b.buf[i+1] == '\\'):
			i++
			text = append(text, b.buf[i])
		case c == '&':
			r = append(r, string(text))
			text = text[:0]
		default:
			text = append(text, c)
		}
	}
	return append(r, string(text)), nil
}
