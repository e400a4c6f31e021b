package expand

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/arith"
	"mirage/shell/vars"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// arithEnv shows the variables to arithmetic.
type arithEnv struct{ x *Expander }

// Value answers a variable's text.
func (e arithEnv) Value(name string) (string, error) {
	value, set := e.x.Vars.Lookup(name)
	if !set && e.x.Options.NoUnset {
		return "", unbound(name)
	}
	return value, nil
}

// Set assigns a number.
func (e arithEnv) Set(name string, n int64) error { return e.x.Vars.Set(name, itoa(n)) }

// Assoc reports whether name is an associative array.
func (e arithEnv) Assoc(name string) bool { return e.x.Vars.Kind(name) == vars.Assoc }

// Element answers the text of an element.
func (e arithEnv) Element(at arith.Element) (string, error) {
	var value string
	var set bool
	if at.IsAssoc {
		value, set = e.x.Vars.Key(at.Name, at.Key)
	} else {
		if at.Index < 0 && at.Index+e.x.Vars.Last(at.Name)+1 < 0 {
			e.x.Host.Warn(at.Name + ": bad array subscript")
			return "", nil
		}
		value, set = e.x.Vars.Index(at.Name, at.Index)
	}
	if !set && e.x.Options.NoUnset {
		return "", unbound(at.Name)
	}
	return value, nil
}

// SetElement assigns a number to an element.
func (e arithEnv) SetElement(at arith.Element, n int64) error {
	return e.x.setElement(at, itoa(n), false)
}

// Expand expands the text of a subscript.
func (e arithEnv) Expand(text string) (string, error) {
	return e.x.expandLoose(e.x.context(), text)
}

// program is an arithmetic expression as the parser gave it, compiled: its
// text, and the expansions that fill the slots of it.
type program struct {
	prog  *arith.Program
	slots []slot
}

// slot is an expansion inside of an expression.
type slot struct {
	parts  []syntax.WordPart
	quoted bool
}

// maxPrograms bounds the cache of compiled expressions.
const maxPrograms = 4096

// program compiles an expression, or takes it from the cache. end is where
// the text around it ends, 0 when that is not known.
func (x *Expander) program(e syntax.ArithmExpr, end uint) *program {
	if p := x.programs[e]; p != nil {
		return p
	}
	var t template
	t.expr(e)
	if last := e.End().Offset(); end > last {
		t.gap(last, end)
	}
	p := &program{slots: t.slots}
	if len(t.slots) > arith.MaxSlots {
		p = &program{prog: arith.Compile("too many expansions")}
	} else {
		p.prog = arith.Compile(t.text.String())
	}
	if x.programs == nil || len(x.programs) >= maxPrograms {
		x.programs = make(map[syntax.ArithmExpr]*program)
	}
	x.programs[e] = p
	return p
}

// template writes an expression as text with slots.
type template struct {
	text  strings.Builder
	slots []slot
}

// gap writes the blanks that stood between two offsets of the source.
func (t *template) gap(from, to uint) {
	for n := 0; from < to && n < 16; n++ {
		t.text.WriteByte(' ')
		from++
	}
}

func (t *template) op(pos syntax.Pos, text string, before, after uint) {
	at := pos.Offset()
	t.gap(before, at)
	t.text.WriteString(text)
	t.gap(at+uint(len(text)), after)
}

func (t *template) expr(e syntax.ArithmExpr) {
	switch e := e.(type) {
	case *syntax.Word:
		t.parts(e.Parts, false)
	case *syntax.ParenArithm:
		t.text.WriteByte('(')
		t.gap(e.Lparen.Offset()+1, e.X.Pos().Offset())
		t.expr(e.X)
		t.gap(e.X.End().Offset(), e.Rparen.Offset())
		t.text.WriteByte(')')
	case *syntax.UnaryArithm:
		if e.Post {
			t.expr(e.X)
			t.op(e.OpPos, e.Op.String(), e.X.End().Offset(), 0)
		} else {
			t.op(e.OpPos, e.Op.String(), e.OpPos.Offset(), e.X.Pos().Offset())
			t.expr(e.X)
		}
	case *syntax.BinaryArithm:
		t.expr(e.X)
		t.op(e.OpPos, e.Op.String(), e.X.End().Offset(), e.Y.Pos().Offset())
		t.expr(e.Y)
	}
}

// parts writes the parts of a word. In a subscript what is quoted must stay
// together, so it goes into a slot too.
func (t *template) parts(parts []syntax.WordPart, subscript bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			t.text.WriteString(p.Value)
			continue
		case *syntax.ParamExp:
			if p.Short && p.Index != nil {
				t.text.WriteString(p.Param.Value)
				t.text.WriteByte('[')
				if w, ok := p.Index.(*syntax.Word); ok {
					t.parts(w.Parts, true)
				} else {
					t.expr(p.Index)
				}
				t.text.WriteByte(']')
				continue
			}
		case *syntax.DblQuoted:
			if !subscript {
				t.quoted(p.Parts)
				continue
			}
		case *syntax.SglQuoted:
			if !p.Dollar {
				// Single quotes are no arithmetic; the key of an
				// associative array loses them.
				t.text.WriteString("'" + p.Value + "'")
				continue
			}
		}
		_, isQuoted := p.(*syntax.SglQuoted)
		t.text.WriteString(arith.Slot(len(t.slots)))
		t.slots = append(t.slots, slot{parts: []syntax.WordPart{p}, quoted: !isQuoted})
	}
}

// quoted writes the inside of double quotes, which count for nothing.
func (t *template) quoted(parts []syntax.WordPart) {
	for _, p := range parts {
		if l, ok := p.(*syntax.Lit); ok {
			t.text.WriteString(unquoteDouble(l.Value))
		} else {
			t.parts([]syntax.WordPart{p}, false)
		}
	}
}

// unquoteDouble removes the backslashes that count in double quotes, and the
// double quotes that they protected.
func unquoteDouble(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\", s[i+1]) >= 0 {
			i++
			if s[i] == '"' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Source writes an arithmetic expression as it stood in the source.
func Source(e syntax.ArithmExpr) string {
	if w, ok := e.(*syntax.Word); ok {
		return source(w)
	}
	var t template
	t.expr(e)
	slots := make([]string, len(t.slots))
	for i, s := range t.slots {
		slots[i] = source(s.parts[0])
	}
	return arith.Fill(t.text.String(), slots)
}

// slots expands what fills the slots of a program.
func (x *Expander) slots(ctx context.Context, p *program) ([]string, error) {
	if len(p.slots) == 0 {
		return nil, nil
	}
	out := make([]string, len(p.slots))
	for i := range p.slots {
		s := &p.slots[i]
		if pe, ok := s.parts[0].(*syntax.ParamExp); ok && isPlainParam(pe) {
			if v, set := x.Vars.Lookup(pe.Param.Value); set || !x.Options.NoUnset {
				out[i] = v
				continue
			}
		}
		b := x.builder(ctx, modeLiteral)
		err := b.parts(s.parts, s.quoted)
		out[i] = string(b.buf)
		b.free()
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Arith evaluates an expression of for (( )). A nil expression is 1. Errors
// are those of a command that fails, worded as bash words them there.
func (x *Expander) Arith(ctx context.Context, e syntax.ArithmExpr) (int64, error) {
	if e == nil {
		return 1, nil
	}
	n, err := x.arith(ctx, e, 0)
	return n, failure("((: ", err)
}

// ArithCmd evaluates the expression of (( )); an empty one is 0. Errors are
// as those of Arith.
func (x *Expander) ArithCmd(ctx context.Context, c *syntax.ArithmCmd) (int64, error) {
	if c.X == nil {
		return 0, nil
	}
	n, err := x.arith(ctx, c.X, c.Right.Offset())
	return n, failure("((: ", err)
}

// failure makes bad arithmetic the error of a command that fails, under the
// command's name.
func failure(name string, err error) error {
	var e *Error
	var bad *arith.Error
	if errors.As(err, &e) && errors.As(err, &bad) {
		return &Error{Msg: name + e.Msg, Severity: Fail, Status: 1, Err: e.Err}
	}
	return err
}

// arith evaluates a parsed expression. end is where the text around it ends, 0
// when that is not known.
func (x *Expander) arith(ctx context.Context, e syntax.ArithmExpr, end uint) (int64, error) {
	x.ctx = ctx
	p := x.program(e, end)
	slots, err := x.slots(ctx, p)
	if err != nil {
		return 0, err
	}
	prog := p.prog
	if slots != nil && !prog.Literal(slots) {
		prog = x.machine.Compiled(prog.Substitute(slots))
	}
	n, err := x.machine.Run(ctx, prog, slots)
	if err != nil {
		return 0, wrap(err)
	}
	return n, nil
}

// Let evaluates an argument of let as the parser gave it: a word, with its
// quotes removed, is the text of an expression. Errors are as those of Arith.
func (x *Expander) Let(ctx context.Context, e syntax.ArithmExpr) (int64, error) {
	w, ok := e.(*syntax.Word)
	if !ok {
		n, err := x.arith(ctx, e, 0)
		return n, failure("let: ", err)
	}
	text, err := x.Literal(ctx, w)
	if err != nil {
		return 0, err
	}
	n, err := x.ArithText(ctx, text)
	return n, failure("let: ", err)
}

// ArithText evaluates the text of an arithmetic expression, as let with a
// computed argument, subscripts and integer variables need.
func (x *Expander) ArithText(ctx context.Context, text string) (int64, error) {
	x.ctx = ctx
	n, err := x.machine.Text(ctx, text)
	if err != nil {
		return 0, wrap(err)
	}
	return n, nil
}
