package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/quote"
)

// tracePrefix expands PS4, its first character once more for each subshell
// level of evaluation.
func (e *Executor) tracePrefix() string {
	ps4, set := e.vars.Lookup("PS4")
	if !set || ps4 == "" {
		return ""
	}
	on := e.opts[optXtrace]
	e.opts[optXtrace] = false
	status, sub := e.status, e.substituted
	s, err := e.x.Prompt(e.ctx, ps4)
	e.status, e.substituted = status, sub
	e.opts[optXtrace] = on
	if err != nil {
		s = ps4
	}
	if depth := e.evals + e.traceLevel; depth > 0 && s != "" {
		first := s[:1]
		s = strings.Repeat(first, min(depth, 200)) + s
	}
	return s
}

// traceText prints one line of set -x.
func (e *Executor) traceText(text string) {
	fd := 2
	if n, ok := atoi(e.vars.Get("BASH_XTRACEFD")); ok && e.fds.get(n) != nil {
		fd = n
	}
	e.writeFD(fd, e.tracePrefix()+text+"\n")
}

// traceCommand prints an expanded command.
func (e *Executor) traceCommand(args []string) {
	utf := e.vars.UTF8()
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quote.Trace(a, utf))
	}
	e.traceText(b.String())
}

// traceAssign expands and prints an assignment and answers one with the
// expanded value in place, so that nothing is expanded twice.
func (e *Executor) traceAssign(a *syntax.Assign) *syntax.Assign {
	if a.Array != nil || a.Value == nil {
		e.traceText(e.textOf(a))
		return a
	}
	v, err := e.x.Literal(e.ctx, a.Value)
	if err != nil {
		return a
	}
	op := "="
	if a.Append {
		op = "+="
	}
	name := a.Name.Value
	if a.Index != nil {
		name += "[" + e.textOf(a.Index) + "]"
	}
	text := ""
	if v != "" {
		text = quote.Trace(v, e.vars.UTF8())
	}
	e.traceText(name + op + text)
	c := *a
	c.Value = &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: v}}}
	return &c
}

// traceDeclaration prints a declaration: arrays first, as the assignments that
// they are, then the command with the names alone.
func (e *Executor) traceDeclaration(name string, operands []operand) {
	args := []string{name}
	for _, o := range operands {
		if o.assign == nil {
			args = append(args, o.text)
			continue
		}
		a := o.assign
		op := "=("
		if a.Append {
			op = "+=("
		}
		text := a.Name.Value + op
		for i, el := range a.Array.Elems {
			if i > 0 {
				text += " "
			}
			word, known := "", false
			if el.Value != nil && el.Index == nil {
				word, known = staticWord(el.Value)
			}
			if known {
				text += shellQuote(word)
			} else {
				text += e.textOf(el)
			}
		}
		e.traceText(text + ")")
		args = append(args, a.Name.Value)
	}
	e.traceCommand(args)
}

func (e *Executor) traceFor(c *syntax.ForClause, loop *syntax.WordIter) {
	if !e.opts[optXtrace] {
		return
	}
	text := "for " + loop.Name.Value
	if loop.InPos.IsValid() {
		text += " in"
		for _, w := range loop.Items {
			text += " " + e.textOf(w)
		}
	} else {
		text += " in \"$@\""
	}
	e.traceText(text)
}

func (e *Executor) traceArith(x syntax.ArithmExpr) {
	if x == nil {
		e.traceText("((  ))")
		return
	}
	e.traceText("(( " + strings.TrimSpace(e.textOf(x)) + " ))")
}

// traceTest prints a condition of [[ ]], its operands expanded.
func (e *Executor) traceTest(x syntax.TestExpr) {
	e.traceText("[[ " + e.testText(x) + " ]]")
}

func (e *Executor) testText(x syntax.TestExpr) string {
	operand := func(x syntax.TestExpr, pattern bool) string {
		w, ok := x.(*syntax.Word)
		if !ok {
			return e.testText(x)
		}
		var s string
		var err error
		if pattern {
			s, err = e.x.Pattern(e.ctx, w)
		} else {
			s, err = e.x.Literal(e.ctx, w)
		}
		if err != nil {
			return e.textOf(w)
		}
		if s == "" {
			return "''"
		}
		if pattern {
			return s
		}
		return quote.Trace(s, e.vars.UTF8())
	}
	switch x := x.(type) {
	case *syntax.Word:
		return operand(x, false)
	case *syntax.ParenTest:
		return "( " + e.testText(x.X) + " )"
	case *syntax.UnaryTest:
		return x.Op.String() + " " + operand(x.X, false)
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest, syntax.OrTest:
			return e.testText(x.X) + " " + x.Op.String() + " " + e.testText(x.Y)
		case syntax.TsMatch, syntax.TsNoMatch, syntax.TsMatchShort:
			return operand(x.X, false) + " " + x.Op.String() + " " + operand(x.Y, true)
		}
		return operand(x.X, false) + " " + x.Op.String() + " " + operand(x.Y, false)
	}
	return ""
}
