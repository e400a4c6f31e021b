package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mirage/policy"
	"mirage/shell/quote"
)

// maxUnfold bounds how deep commands within commands and text within text are
// looked at before the line runs; the door sees the rest.
const maxUnfold = 16

// walker judges the commands of a source text in the order in which they
// stand, before any of them runs.
type walker struct {
	e      *Executor
	funcs  map[string]bool // defined by the text itself
	cwd    string          // "" once it cannot be told
	moves  bool            // something in the text may change the directory
	depth  int
	scope  string // of the text at hand; see place
	trace  *trace // nil: only the verdict is wanted
	answer policy.Answer
	words  []string
	// later is the first question that explain foretells, and what about.
	later      policy.Answer
	laterWords []string
}

// judgeLine asks the policy about every command of a line that can be seen
// before it runs: in substitutions, here-documents, arithmetic and function
// bodies, and in literal text given to eval, trap, bash -c and the like. It
// answers the first refusal of the whole line and the words it is about.
func (e *Executor) judgeLine(f *syntax.File) (policy.Answer, []string) {
	if e.cfg.Judge == nil {
		return policy.Answer{}, nil
	}
	w := &walker{e: e, cwd: e.dir, scope: e.scope, funcs: map[string]bool{}}
	w.file(f)
	return w.answer, w.words
}

func (w *walker) file(f *syntax.File) {
	moves := w.moves || mayMove(f)
	saved := w.moves
	w.moves = moves
	syntax.Walk(f, func(n syntax.Node) bool {
		if d, ok := n.(*syntax.FuncDecl); ok && d.Name != nil {
			w.funcs[d.Name.Value] = true
		}
		return true
	})
	for _, st := range f.Stmts {
		w.node(st)
	}
	w.moves = saved
}

// refused reports whether the walk is over.
func (w *walker) refused() bool { return w.answer.Outcome != policy.Allow && w.trace == nil }

// node walks one tree. Inside of loops and functions of a text that changes
// the directory, the directory is not known.
func (w *walker) node(root syntax.Node) {
	type level struct {
		cwd     string
		restore bool
		traced  bool
	}
	var stack []level
	syntax.Walk(root, func(n syntax.Node) bool {
		if n == nil {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if top.restore {
				w.cwd = top.cwd
			}
			if top.traced {
				w.trace.leave()
			}
			return true
		}
		if w.refused() {
			return false
		}
		l := level{cwd: w.cwd, traced: w.trace.enter(n)}
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			l.restore = true
		case *syntax.BinaryCmd:
			if isPipe(n) {
				l.restore = true
			} else if n.Op == syntax.OrStmt && w.moves {
				w.cwd = ""
			}
		case *syntax.Stmt:
			l.restore = n.Background
			w.trace.redirects(n, w.cwd)
		case *syntax.FuncDecl:
			l.restore = true
			w.cwd = ""
		case *syntax.WhileClause, *syntax.ForClause, *syntax.IfClause, *syntax.CaseClause:
			if w.moves {
				w.cwd = ""
			}
		case *syntax.CallExpr:
			w.call(n)
		case *syntax.DeclClause:
			w.declaration(n)
		case *syntax.LetClause:
			w.command(policy.Command{Argv: []string{"let"}, Place: w.place(n)})
		}
		stack = append(stack, l)
		return true
	})
}

// mayMove reports whether anything in a text may change the directory.
func mayMove(f *syntax.File) bool {
	moves := false
	syntax.Walk(f, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			switch name, known := staticWord(c.Args[0]); {
			case !known, movesDirectory(name):
				moves = true
			}
		}
		return !moves
	})
	return moves
}

func movesDirectory(name string) bool {
	switch name {
	case "cd", "pushd", "popd", "eval", "source", ".", "builtin", "command":
		return true
	}
	return false
}

func (w *walker) declaration(d *syntax.DeclClause) {
	c := policy.Command{Argv: []string{d.Variant.Value}, Unknown: []bool{false}, Place: w.place(d)}
	for _, a := range d.Args {
		text, known := "", false
		switch {
		case a.Naked && a.Name != nil:
			text, known = a.Name.Value, true
		case a.Name == nil && a.Value != nil:
			text, known = staticWord(a.Value)
		case a.Name != nil && a.Value != nil && a.Index == nil:
			text, known = staticWord(a.Value)
			text = a.Name.Value + "=" + text
		}
		c.Argv = append(c.Argv, text)
		c.Unknown = append(c.Unknown, !known)
	}
	w.command(c)
}

func (w *walker) call(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		return
	}
	c := policy.Command{Argv: make([]string, len(n.Args)), Unknown: make([]bool, len(n.Args)), Place: w.place(n)}
	for i, a := range n.Args {
		text, known := staticWord(a)
		c.Argv[i], c.Unknown[i] = text, !known
	}
	w.command(c)
}

// place answers where a command of the text at hand stands.
func (w *walker) place(n syntax.Node) string {
	return placeIn(w.scope, int(n.Pos().Offset()), int(n.End().Offset()))
}

// command judges one command and what it runs by its own words.
func (w *walker) command(c policy.Command) {
	c.Cwd = w.cwd
	w.classify(&c)
	if c.Unknown != nil && c.Unknown[0] {
		// Only the door can tell what it is.
		w.trace.judged(c, policy.Answer{}, nil)
		w.cwd = w.unlessMoves()
		return
	}
	a, words := w.e.judge(c)
	w.trace.judged(c, a, words)
	if w.trace != nil && a.Outcome == policy.Ask && (c.Cwd == "" || slices.Contains(c.Unknown, true)) {
		// It will be asked about when it is known whole. Until then the line
		// runs, if nothing else refuses it.
		if w.later.Outcome == policy.Allow {
			w.later, w.laterWords = a, words
		}
		a = policy.Answer{}
	}
	if a.Outcome == policy.Deny || a.Outcome == policy.Ask {
		if w.answer.Outcome == policy.Allow {
			w.answer, w.words = a, words
		}
		return
	}
	if a.Outcome == policy.Absent {
		return
	}
	w.text(c, 0)
	w.move(c)
}

func (w *walker) unlessMoves() string {
	if w.moves {
		return ""
	}
	return w.cwd
}

// move follows cd with a literal directory.
func (w *walker) move(c policy.Command) {
	if c.Kind == policy.KindFunction || !movesDirectory(c.Argv[0]) {
		if c.Kind == policy.KindFunction {
			w.cwd = w.unlessMoves()
		}
		return
	}
	if c.Argv[0] == "cd" && len(c.Argv) == 2 && !c.Unknown[1] && !strings.HasPrefix(c.Argv[1], "-") && w.e.vars.Get("CDPATH") == "" {
		switch dir := c.Argv[1]; {
		case strings.HasPrefix(dir, "/"):
			w.cwd = path.Clean(dir)
			return
		case w.cwd != "" && dir != "":
			w.cwd = path.Clean(w.cwd + "/" + dir)
			return
		}
	}
	w.cwd = ""
}

// text walks the literal text that a command runs.
func (w *walker) text(c policy.Command, depth int) {
	if w.depth >= maxUnfold || depth >= maxUnfold || w.refused() {
		return
	}
	for _, source := range sources(c) {
		u, err := w.e.parse(source)
		if err != nil {
			continue
		}
		cwd, scope := w.cwd, w.scope
		w.scope = w.e.scopeOf(c.Place, source)
		w.depth++
		leave := w.trace.within(u.text)
		w.file(u.file)
		leave()
		w.depth--
		w.scope = scope
		if c.Argv[0] != "eval" {
			w.cwd = cwd
		}
	}
	for _, inner := range unfold(c) {
		w.text(inner, depth+1)
	}
}

// classify tells how a word resolves, as resolve will.
func (w *walker) classify(c *policy.Command) {
	name := c.Argv[0]
	switch {
	case w.funcs[name] || w.e.funcs[name] != nil:
		c.Kind = policy.KindFunction
	default:
		c.Kind, name = w.e.kindOf(name)
		c.Argv = renamed(c.Argv, name)
	}
}

// kindOf tells what a word that is no function stands for, and the name that
// the policy knows it by.
func (e *Executor) kindOf(word string) (policy.CommandKind, string) {
	switch {
	case e.findBuiltin(word) != nil:
		return policy.KindBuiltin, word
	case !strings.Contains(word, "/"):
		return policy.KindProgram, word
	}
	if dir, base := splitDir(path.Clean(e.abs(word))); isBin(dir) {
		return policy.KindProgram, base
	}
	return policy.KindPath, word
}

// staticWord answers the text of a word that no expansion can change; known is
// false when only the run can tell.
func staticWord(w *syntax.Word) (text string, known bool) {
	var b strings.Builder
	for i, p := range w.Parts {
		if !staticPart(&b, p, i == 0) {
			return b.String(), false
		}
	}
	return b.String(), true
}

func staticPart(b *strings.Builder, p syntax.WordPart, first bool) bool {
	switch p := p.(type) {
	case *syntax.Lit:
		return staticLit(b, p.Value, first)
	case *syntax.SglQuoted:
		if p.Dollar {
			b.WriteString(quote.ANSI(p.Value, true))
			return true
		}
		b.WriteString(p.Value)
		return true
	case *syntax.DblQuoted:
		for _, q := range p.Parts {
			l, ok := q.(*syntax.Lit)
			if !ok {
				return false
			}
			for i := 0; i < len(l.Value); i++ {
				if l.Value[i] == '\\' && i+1 < len(l.Value) && strings.IndexByte("$`\"\\", l.Value[i+1]) >= 0 {
					i++
				}
				b.WriteByte(l.Value[i])
			}
		}
		return true
	}
	return false
}

// staticLit takes an unquoted literal: tildes, globs and braces make it
// unknown.
func staticLit(b *strings.Builder, s string, first bool) bool {
	if first && strings.HasPrefix(s, "~") {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i == len(s) {
				return true
			}
		case '*', '?':
			return false
		case '[':
			if len(s) > 1 {
				return false
			}
		case '{':
			if strings.ContainsAny(s[i:], ",.") && strings.IndexByte(s[i:], '}') > 0 && len(s) > 2 {
				return false
			}
		}
		b.WriteByte(s[i])
	}
	return true
}
