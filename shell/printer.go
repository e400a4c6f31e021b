package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// commandPrinter prints syntax trees as bash prints them: for declare -f,
// type, exported functions, jobs and BASH_COMMAND. Words come out as they were
// written.
type commandPrinter struct {
	b        strings.Builder
	text     func(syntax.Node) string // of a word
	indent   int
	function int // function definitions around
	docs     []*syntax.Redirect
}

// indentWidth is how far bash indents each level.
const indentWidth = 4

// functionSource prints a function as `declare -f` does, without the last
// newline.
func (e *Executor) functionSource(fn *function) string {
	return fn.name + " () \n" + e.functionBody(fn)
}

func (e *Executor) functionBody(fn *function) string {
	p := commandPrinter{function: 1, text: func(n syntax.Node) string { return nodeText(n, fn.text, fn.from) }}
	p.body(fn.decl.Body)
	return p.b.String()
}

// commandText prints a command in one go, as jobs and BASH_COMMAND show it.
func (e *Executor) commandText(n syntax.Node) string {
	p := commandPrinter{text: e.textOf}
	switch n := n.(type) {
	case *syntax.Stmt:
		p.stmt(n)
	case syntax.Command:
		p.stmt(&syntax.Stmt{Cmd: n})
	}
	p.flush()
	return p.b.String()
}

// nodeText answers a node as it was written in text, which starts at offset
// from; printed anew where that text is not at hand.
func nodeText(n syntax.Node, text string, from int) string {
	start, end := int(n.Pos().Offset())-from, int(n.End().Offset())-from
	if start < 0 || end > len(text) || start >= end {
		return printNode(n)
	}
	return text[start:end]
}

// printNode prints a node from its tree alone.
func printNode(n syntax.Node) string {
	var b strings.Builder
	x, arith := n.(syntax.ArithmExpr)
	if _, word := n.(*syntax.Word); arith && !word {
		n = &syntax.Word{Parts: []syntax.WordPart{&syntax.ArithmExp{X: x}}}
	} else {
		arith = false
	}
	if err := syntax.NewPrinter().Print(&b, n); err != nil {
		return ""
	}
	if arith {
		return strings.TrimSuffix(strings.TrimPrefix(b.String(), "$(("), "))")
	}
	return b.String()
}

func (p *commandPrinter) write(s string) { p.b.WriteString(s) }

// newline starts a line with s.
func (p *commandPrinter) newline(s string) {
	p.flush()
	p.write("\n" + strings.Repeat(" ", p.indent) + s)
}

// semicolon ends a command that is not ended yet.
func (p *commandPrinter) semicolon() {
	s := p.b.String()
	if s != "" && (s[len(s)-1] == '&' || s[len(s)-1] == '\n') {
		return
	}
	p.write(";")
}

// flush prints the bodies of here-documents that are due.
func (p *commandPrinter) flush() {
	for _, r := range p.docs {
		p.write("\n")
		if r.Hdoc != nil {
			p.write(p.text(r.Hdoc))
		}
		delim := p.text(r.Word)
		p.write(strings.Trim(strings.ReplaceAll(delim, `\`, ""), `'"`))
	}
	p.docs = nil
}

// list prints statements, one a line within functions.
func (p *commandPrinter) list(stmts []*syntax.Stmt) {
	for i, st := range stmts {
		p.stmt(st)
		if i == len(stmts)-1 {
			break
		}
		if !st.Background {
			p.write(";")
		}
		if p.function > 0 || len(p.docs) > 0 {
			p.newline("")
		} else {
			p.write(" ")
		}
	}
}

// block prints statements on lines of their own, one level deeper.
func (p *commandPrinter) block(stmts []*syntax.Stmt) {
	p.indent += indentWidth
	p.newline("")
	p.list(stmts)
	p.indent -= indentWidth
	p.semicolon()
}

func (p *commandPrinter) stmt(st *syntax.Stmt) {
	if st.Negated {
		p.write("! ")
	}
	if st.Cmd != nil {
		p.command(st.Cmd)
	}
	for i, r := range st.Redirs {
		if i > 0 || st.Cmd != nil {
			p.write(" ")
		}
		p.redirect(r)
	}
	if st.Background {
		p.write(" &")
	}
}

// body prints the body of a function.
func (p *commandPrinter) body(st *syntax.Stmt) {
	if _, ok := st.Cmd.(*syntax.Block); ok {
		p.stmt(st)
	} else {
		p.stmt(&syntax.Stmt{Cmd: &syntax.Block{Stmts: []*syntax.Stmt{st}}})
	}
	p.flush()
}

func (p *commandPrinter) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		p.call(c)
	case *syntax.BinaryCmd:
		p.stmt(c.X)
		switch c.Op {
		case syntax.PipeAll:
			p.write(" 2>&1 | ")
		default:
			p.write(" " + c.Op.String() + " ")
		}
		p.stmt(c.Y)
	case *syntax.Block:
		p.write("{ ")
		if p.function > 0 {
			p.indent += indentWidth
			p.newline("")
			p.list(c.Stmts)
			p.indent -= indentWidth
			p.newline("}")
			return
		}
		p.list(c.Stmts)
		p.semicolon()
		p.write(" }")
	case *syntax.Subshell:
		p.write("( ")
		p.list(c.Stmts)
		p.write(" )")
	case *syntax.IfClause:
		p.ifClause(c)
	case *syntax.WhileClause:
		word := "while "
		if c.Until {
			word = "until "
		}
		p.write(word)
		p.list(c.Cond)
		p.write("; do")
		p.block(c.Do)
		p.newline("done")
	case *syntax.ForClause:
		p.forClause(c)
	case *syntax.CaseClause:
		p.caseClause(c)
	case *syntax.FuncDecl:
		p.write("function " + c.Name.Value + " () \n" + strings.Repeat(" ", p.indent))
		p.function++
		p.body(c.Body)
		p.function--
	case *syntax.ArithmCmd:
		p.write("((" + p.text(c.X) + "))")
	case *syntax.TimeClause:
		p.write("time ")
		if c.PosixFormat {
			p.write("-p ")
		}
		if c.Stmt != nil {
			p.stmt(c.Stmt)
		}
	case *syntax.CoprocClause:
		p.write("coproc ")
		if c.Name != nil {
			p.write(p.text(c.Name) + " ")
		}
		p.stmt(c.Stmt)
	default:
		p.write(p.text(c))
	}
}

func (p *commandPrinter) call(c *syntax.CallExpr) {
	for i, a := range c.Assigns {
		if i > 0 {
			p.write(" ")
		}
		p.write(p.text(a))
	}
	for i, w := range c.Args {
		if i > 0 || len(c.Assigns) > 0 {
			p.write(" ")
		}
		p.write(p.text(w))
	}
}

func (p *commandPrinter) ifClause(c *syntax.IfClause) {
	p.write("if ")
	p.list(c.Cond)
	p.semicolon()
	p.write(" then")
	p.block(c.Then)
	if c.Else != nil {
		p.newline("else")
		if c.Else.ThenPos.IsValid() {
			p.indent += indentWidth
			p.newline("")
			p.ifClause(c.Else)
			p.indent -= indentWidth
			p.semicolon()
		} else {
			p.block(c.Else.Then)
		}
	}
	p.newline("fi")
}

func (p *commandPrinter) forClause(c *syntax.ForClause) {
	word := "for "
	if c.Select {
		word = "select "
	}
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		p.write(word + loop.Name.Value + " in ")
		if !loop.InPos.IsValid() {
			p.write(`"$@"`)
		}
		for i, w := range loop.Items {
			if i > 0 {
				p.write(" ")
			}
			p.write(p.text(w))
		}
		p.write(";")
	case *syntax.CStyleLoop:
		part := func(x syntax.ArithmExpr) string {
			if x == nil {
				return "1"
			}
			return p.text(x)
		}
		p.write("for ((" + part(loop.Init) + "; " + part(loop.Cond) + "; " + part(loop.Post) + "))")
	}
	p.newline("do")
	p.block(c.Do)
	p.newline("done")
}

func (p *commandPrinter) caseClause(c *syntax.CaseClause) {
	p.write("case " + p.text(c.Word) + " in ")
	p.indent += indentWidth
	for _, item := range c.Items {
		p.newline("")
		for i, w := range item.Patterns {
			if i > 0 {
				p.write(" | ")
			}
			p.write(p.text(w))
		}
		p.write(")")
		p.indent += indentWidth
		p.newline("")
		p.list(item.Stmts)
		p.indent -= indentWidth
		p.newline(item.Op.String())
	}
	p.indent -= indentWidth
	p.newline("esac")
}

func (p *commandPrinter) redirect(r *syntax.Redirect) {
	n := ""
	if r.N != nil {
		n = r.N.Value
	}
	word := p.text(r.Word)
	switch r.Op {
	case syntax.DplOut, syntax.DplIn:
		if n == "" {
			n = itoa(defaultFD(r.Op))
		}
		p.write(n + r.Op.String() + word)
	case syntax.Hdoc, syntax.DashHdoc:
		p.write(n + r.Op.String() + word)
		p.docs = append(p.docs, r)
	default:
		p.write(n + r.Op.String() + " " + word)
	}
}
