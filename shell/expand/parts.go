package expand

import (
	"bytes"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/quote"
)

// parts expands the parts of a word. quoted says that they stand inside of
// double quotes.
func (b *builder) parts(parts []syntax.WordPart, quoted bool) error {
	for i, p := range parts {
		if err := b.part(p, quoted, i == 0, i == len(parts)-1); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) part(p syntax.WordPart, quoted, first, last bool) error {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			return b.quotedLit(p.Value)
		}
		return b.lit(p.Value, first, last)
	case *syntax.SglQuoted:
		return b.sglQuoted(p, quoted)
	case *syntax.DblQuoted:
		return b.dblQuoted(p)
	case *syntax.ParamExp:
		return b.param(p, quoted)
	case *syntax.CmdSubst:
		out, err := b.x.Host.CmdSubst(b.ctx, p)
		if err != nil {
			return err
		}
		b.x.ctx = b.ctx
		return b.result(b.x.trimOutput(out), quoted)
	case *syntax.ArithmExp:
		n, err := b.x.arith(b.ctx, p.X, p.Right.Offset())
		if err != nil {
			return err
		}
		return b.result(itoa(n), quoted)
	case *syntax.ProcSubst:
		name, err := b.x.Host.ProcSubst(b.ctx, p)
		if err != nil {
			return err
		}
		return b.literal(name)
	case *syntax.ExtGlob:
		return b.extGlob(p)
	}
	return &Error{Msg: source(p) + ": bad substitution", Severity: Discard, Status: 1}
}

// result adds what an expansion gave.
func (b *builder) result(s string, quoted bool) error {
	if quoted {
		return b.quoted(s)
	}
	return b.expanded(s)
}

// trimOutput makes the output of a command substitution a value: NUL bytes
// and trailing newlines go.
func (x *Expander) trimOutput(out []byte) string {
	if bytes.IndexByte(out, 0) >= 0 {
		x.Host.Warn("warning: command substitution: ignored null byte in input")
		out = bytes.ReplaceAll(out, []byte{0}, nil)
	}
	n := len(out)
	for n > 0 && out[n-1] == '\n' {
		n--
	}
	return string(out[:n])
}

// sglQuoted adds '...' or $'...'. Inside of double quotes single quotes are
// text, and what is between them is expanded; the parser takes them for quotes
// in "${x:-'a'}".
func (b *builder) sglQuoted(p *syntax.SglQuoted, quoted bool) error {
	if p.Dollar && quoted && !b.x.Options.ExtQuote {
		return b.quoted("$'" + p.Value + "'")
	}
	if !quoted || p.Dollar {
		b.open = true
	}
	if p.Dollar {
		return b.quoted(quote.ANSI(p.Value, b.x.Vars.UTF8()))
	}
	if !quoted {
		return b.quoted(p.Value)
	}
	if !strings.ContainsAny(p.Value, "$`\\\"") {
		return b.quoted("'" + p.Value + "'")
	}
	s, err := b.x.ExpandText(b.ctx, p.Value)
	if err != nil {
		return err
	}
	return b.quoted("'" + s + "'")
}

// dblQuoted adds "...". It makes a field, even an empty one, unless it holds
// nothing but an empty list.
func (b *builder) dblQuoted(p *syntax.DblQuoted) error {
	count, document, noFields := len(b.fields), b.document, b.noFields
	b.document, b.noFields = false, false
	if err := b.parts(p.Parts, true); err != nil {
		return err
	}
	empty := b.noFields && !b.open && len(b.fields) == count
	b.document, b.noFields = document, noFields
	if empty {
		return nil
	}
	b.open = true
	return nil
}

// quotedLit adds literal text in double quotes, where a backslash quotes only
// $ ` " \ and the closing brace of a parameter expansion.
func (b *builder) quotedLit(s string) error {
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 >= len(s) {
			return b.quoted(s)
		}
		switch c := s[i+1]; {
		case c == '$' || c == '`' || c == '"' && !b.document || c == '\\' || c == '}' && b.inParam:
			if err := b.quoted(s[:i]); err != nil {
				return err
			}
			if err := b.quoted(s[i+1 : i+2]); err != nil {
				return err
			}
		default:
			if err := b.quoted(s[:i+2]); err != nil {
				return err
			}
		}
		if s = s[i+2:]; s == "" {
			return nil
		}
	}
}

// lit adds unquoted literal text: tildes, backslashes.
func (b *builder) lit(s string, first, last bool) error {
	if first && s != "" {
		var err error
		if s, err = b.tildes(s, last); err != nil {
			return err
		}
	} else if b.assign {
		var err error
		if s, err = b.tildesAfterColons(s, 0, last); err != nil {
			return err
		}
	}
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			return b.literal(s)
		}
		if err := b.literal(s[:i]); err != nil {
			return err
		}
		if i+1 == len(s) {
			// A backslash at the very end of the input is text.
			return b.quoted(s[i:])
		}
		if err := b.quoted(s[i+1 : i+2]); err != nil {
			return err
		}
		if s = s[i+2:]; s == "" {
			return nil
		}
	}
}

// extGlob adds ?( ) and the like. The parser gives their text as it stands.
func (b *builder) extGlob(p *syntax.ExtGlob) error {
	if err := b.literal(p.Op.String()); err != nil {
		return err
	}
	if b.mode == modeFields {
		b.glob = true
	}
	if text := p.Pattern.Value; strings.ContainsAny(text, "$`\"'\\") {
		w, err := b.x.parseWord(text)
		if err != nil {
			return err
		}
		if err := b.parts(w.Parts, false); err != nil {
			return err
		}
	} else if err := b.literal(text); err != nil {
		return err
	}
	return b.literal(")")
}

// source prints a piece of syntax as messages show it.
func source(n syntax.Node) string {
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, n); err != nil {
		return ""
	}
	return b.String()
}
