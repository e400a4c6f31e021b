package expand

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxDepth bounds texts that expand texts.
func (x *Expander) maxDepth() int {
	if x.Limits.Depth > 0 {
		return x.Limits.Depth
	}
	return 100
}

func errDepth(text string) error {
	if len(text) > 40 {
		text = text[:40]
	}
	return &Error{Msg: text + ": expansion depth: limit exceeded", Severity: Discard, Status: 1}
}

// Document expands the body of a here-document whose delimiter was not
// quoted. dash is set for <<-, which removes leading tabs from the lines of
// the source.
func (x *Expander) Document(ctx context.Context, w *syntax.Word, dash bool) (string, error) {
	x.ctx = ctx
	if dash && w != nil {
		w = withoutTabs(w)
	}
	if w == nil {
		return "", nil
	}
	b := x.builder(ctx, modeLiteral)
	defer b.free()
	b.document = true
	if err := b.parts(w.Parts, true); err != nil {
		return "", err
	}
	return string(b.buf), nil
}

// withoutTabs removes the tabs at the beginnings of lines.
func withoutTabs(w *syntax.Word) *syntax.Word {
	out := &syntax.Word{Parts: make([]syntax.WordPart, len(w.Parts))}
	for i, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			text := StripTabs(l.Value)
			if i > 0 && !endsLine(w.Parts[i-1]) {
				// This text goes on in the line of the part before it.
				n := len(l.Value) - len(strings.TrimLeft(l.Value, "\t"))
				text = l.Value[:n] + StripTabs(l.Value[n:])
			}
			p = &syntax.Lit{ValuePos: l.ValuePos, ValueEnd: l.ValueEnd, Value: text}
		}
		out.Parts[i] = p
	}
	return out
}

func endsLine(p syntax.WordPart) bool {
	l, ok := p.(*syntax.Lit)
	return ok && strings.HasSuffix(l.Value, "\n")
}

// StripTabs removes the tabs at the beginning of every line of s.
func StripTabs(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimLeft(l, "\t")
	}
	return strings.Join(lines, "\n")
}

// ExpandText expands parameters, commands and arithmetic in text that came
// about at run time, as inside of double quotes.
func (x *Expander) ExpandText(ctx context.Context, text string) (string, error) {
	if !strings.ContainsAny(text, "$`\\") {
		return text, nil
	}
	w, err := x.parseQuoted(text)
	if err != nil {
		return "", err
	}
	return x.expandParsed(ctx, w, true)
}

// expandLoose expands text that came about at run time as a word is, quotes
// removed, but not split.
func (x *Expander) expandLoose(ctx context.Context, text string) (string, error) {
	w, err := x.parseWord(text)
	if err != nil {
		return "", err
	}
	return x.expandParsed(ctx, w, false)
}

func (x *Expander) expandParsed(ctx context.Context, w *syntax.Word, quoted bool) (string, error) {
	if x.depth >= x.maxDepth() {
		return "", errDepth(source(w))
	}
	x.depth++
	defer func() { x.depth-- }()
	b := x.builder(ctx, modeLiteral)
	defer b.free()
	if err := b.parts(w.Parts, quoted); err != nil {
		return "", err
	}
	return string(b.buf), nil
}

// parseQuoted parses text as the inside of double quotes.
func (x *Expander) parseQuoted(text string) (*syntax.Word, error) {
	if tooDeep(text) {
		return nil, errDepth(text)
	}
	if x.parser == nil {
		x.parser = syntax.NewParser(syntax.Variant(syntax.LangBash))
	}
	w, err := x.parser.Document(strings.NewReader(text))
	if err != nil {
		return nil, badSubstitution(text)
	}
	if w == nil {
		w = &syntax.Word{}
	}
	return w, nil
}

// maxNesting is the deepest nesting of brackets in text that is parsed at run
// time; the parser recurses on it.
const maxNesting = 500

func tooDeep(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case '`', '"':
			// These may open as well as close.
			if i > 0 && text[i-1] == '\\' {
				depth++
			}
		}
		if depth > maxNesting {
			return true
		}
	}
	return false
}

// parseWord parses text as one word, blanks and all: quotes, backslashes and
// expansions count.
func (x *Expander) parseWord(text string) (*syntax.Word, error) {
	w := &syntax.Word{}
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '\'':
			end := strings.IndexByte(text[i+1:], '\'')
			if end < 0 {
				w.Parts = append(w.Parts, &syntax.SglQuoted{Value: text[i:]})
				return w, nil
			}
			w.Parts = append(w.Parts, &syntax.SglQuoted{Value: text[i+1 : i+1+end]})
			i += end + 2
		case '"':
			end := closingQuote(text, i+1)
			if end >= len(text) {
				return nil, badSubstitution(text)
			}
			inner, err := x.parseQuoted(text[i+1 : end])
			if err != nil {
				return nil, err
			}
			w.Parts = append(w.Parts, &syntax.DblQuoted{Parts: inner.Parts})
			i = end + 1
		case '$', '`':
			end := expansionEnd(text, i)
			inner, err := x.parseQuoted(text[i:end])
			if err != nil {
				return nil, err
			}
			w.Parts = append(w.Parts, inner.Parts...)
			i = end
		default:
			start := i
			for i < len(text) && !strings.ContainsRune("'\"$`", rune(text[i])) {
				if text[i] == '\\' {
					i++
				}
				i++
			}
			i = min(i, len(text))
			w.Parts = append(w.Parts, &syntax.Lit{Value: text[start:i]})
		}
	}
	return w, nil
}

// closingQuote answers where the double quotes that opened before s[i:] end.
func closingQuote(s string, i int) int {
	for i < len(s) && s[i] != '"' {
		switch s[i] {
		case '\\':
			i += 2
		case '$', '`':
			i = expansionEnd(s, i)
		default:
			i++
		}
	}
	return min(i, len(s))
}

// expansionEnd answers where the expansion that starts with $ or ` at s[i]
// ends.
func expansionEnd(s string, i int) int {
	if s[i] == '`' {
		for i++; i < len(s) && s[i] != '`'; i++ {
			if s[i] == '\\' {
				i++
			}
		}
		return min(i+1, len(s))
	}
	i++
	if i >= len(s) {
		return i
	}
	if s[i] != '{' && s[i] != '(' {
		start := i
		for i < len(s) && (s[i] == '_' || s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z') {
			i++
		}
		if i == start || s[start] >= '0' && s[start] <= '9' {
			return start + 1
		}
		if i < len(s) && s[i] == '[' {
			return i // $a[1] is $a and text
		}
		return i
	}
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '\\':
			i++
		case '\'':
			if n := strings.IndexByte(s[i+1:], '\''); n >= 0 {
				i += n + 1
			}
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(s)
}
