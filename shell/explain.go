package shell

import (
	"context"
	"os"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mirage/policy"
)

// Explanation tells what the rules make of a line, from the walk that every
// line goes through before it runs. What only the run can tell (computed words,
// what a walk through the files meets) is allowed here and judged there.
type Explanation struct {
	Verdict
	Nodes []*Node // the statements of the line
}

// Verdict is the answer to a line or command, as it would end and speak.
type Verdict struct {
	Answer policy.Answer
	Status int    // exit status of the refusal; 0 when allowed
	Stderr string // its message with a newline; "" when allowed
}

// Node is a part of a line: a command, or what holds commands.
type Node struct {
	// Kind is command, redirect, list, pipeline, substitution, subshell,
	// group, if, loop, case or function.
	Kind string
	// Text is the source of the part, cut at maxNodeText bytes.
	Text     string
	Children []*Node
	// Command and Verdict are set for commands. The words of Command that
	// are marked unknown have been written, not expanded.
	Command policy.Command
	Verdict
	// Redirect is set for redirections to files: their Command is the one that
	// rules for commands see. Whoever has the files gives the Verdict.
	Redirect *Redirect
}

// Redirect is a file that a redirection opens.
type Redirect struct {
	Op   string // >, >>, <, ...
	Word string // as written
	Path string // absolute
	Flag int    // of open(2)
}

// The bounds of an explanation. Commands beyond them are judged all the same,
// but not told of.
const (
	maxNodes    = 10_000
	maxNodeText = 1024
)

// Explain judges a line without running it; nothing of the session changes. A
// line that is no command is answered as Run would. A nil judge is that of the
// configuration. It must not be called while a line runs.
func (sh *Shell) Explain(ctx context.Context, source string, judge policy.Judge) Explanation {
	e := sh.e
	cfg, outer, scope := e.cfg, e.ctx, e.scope
	defer func() { e.cfg, e.ctx, e.scope = cfg, outer, scope }()
	if judge != nil {
		with := *cfg
		with.Judge = judge
		e.cfg = &with
	}
	e.ctx, e.scope = ctx, e.scopeOf("", source)
	u, err := e.parse(source)
	if err != nil {
		text, status := e.refusalOfSource(err, Line{Source: source})
		return Explanation{Verdict: Verdict{Status: status, Stderr: text}}
	}
	t := &trace{text: u.text}
	w := &walker{e: e, cwd: e.dir, scope: e.scope, funcs: map[string]bool{}, trace: t}
	w.file(u.file)
	x := Explanation{Nodes: t.root.Children}
	if a, words := e.judgeSource(source); a.Outcome != policy.Allow {
		x.Verdict = verdict(a, words)
	} else if w.answer.Outcome != policy.Allow {
		x.Verdict = verdict(w.answer, w.words)
	} else {
		x.Verdict = verdict(w.later, w.laterWords)
	}
	return x
}

// verdict words an answer.
func verdict(a policy.Answer, words []string) Verdict {
	if a.Outcome == policy.Allow {
		return Verdict{}
	}
	text, status := refusalText(a, words)
	return Verdict{Answer: a, Status: status, Stderr: text + "\n"}
}

// trace collects the nodes of a walk.
type trace struct {
	text  string // that the walk is in
	root  Node
	open  []*Node // from the root's child down to where the walk is
	nodes int
}

// top answers the node that the walk is in.
func (t *trace) top() *Node {
	if len(t.open) == 0 {
		return &t.root
	}
	return t.open[len(t.open)-1]
}

// enter opens the node of a piece of syntax; false when it has none.
func (t *trace) enter(n syntax.Node) bool {
	if t == nil {
		return false
	}
	kind := nodeKind(n)
	// a && b && c is one list, a | b | c one pipeline.
	if kind == "" || (kind == "list" || kind == "pipeline") && t.top().Kind == kind {
		return false
	}
	node := &Node{Kind: kind, Text: t.cut(n)}
	if t.nodes++; t.nodes <= maxNodes {
		top := t.top()
		top.Children = append(top.Children, node)
	}
	t.open = append(t.open, node)
	return true
}

// within puts the walk into another text, and back.
func (t *trace) within(text string) (leave func()) {
	if t == nil {
		return func() {}
	}
	outer := t.text
	t.text = text
	return func() { t.text = outer }
}

// redirects tells of the redirections of a statement whose files are known.
func (t *trace) redirects(st *syntax.Stmt, cwd string) {
	if t == nil || cwd == "" {
		return
	}
	for _, r := range st.Redirs {
		flag, ok := redirectFlags[r.Op]
		if !ok || r.Word == nil {
			continue
		}
		word, known := staticWord(r.Word)
		if !known || word == "" {
			continue
		}
		name := word
		if !strings.HasPrefix(name, "/") {
			name = strings.TrimSuffix(cwd, "/") + "/" + name
		}
		c := policy.Command{Cwd: cwd, Kind: policy.KindProgram}
		if call, ok := st.Cmd.(*syntax.CallExpr); ok {
			for _, w := range call.Args {
				text, known := staticWord(w)
				c.Argv, c.Unknown = append(c.Argv, text), append(c.Unknown, !known)
			}
		}
		if t.nodes++; t.nodes > maxNodes {
			return
		}
		top := t.top()
		top.Children = append(top.Children, &Node{Kind: "redirect", Text: r.Op.String() + " " + t.cut(r.Word), Command: c, Redirect: &Redirect{r.Op.String(), word, name, flag}})
	}
}

// redirectFlags are how the redirections to files open them.
var redirectFlags = map[syntax.RedirOperator]int{
	syntax.RdrIn: os.O_RDONLY, syntax.RdrInOut: os.O_RDWR | os.O_CREATE,
	syntax.RdrOut: os.O_WRONLY | os.O_CREATE | os.O_TRUNC, syntax.RdrAll: os.O_WRONLY | os.O_CREATE | os.O_TRUNC,
	syntax.RdrClob: os.O_WRONLY | os.O_CREATE | os.O_TRUNC,
	syntax.AppOut:  os.O_WRONLY | os.O_CREATE | os.O_APPEND, syntax.AppAll: os.O_WRONLY | os.O_CREATE | os.O_APPEND,
}

func (t *trace) leave() { t.open = t.open[:len(t.open)-1] }

// cut answers the source of a piece of syntax.
func (t *trace) cut(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	to = min(to, len(t.text))
	text := t.text[min(from, to):to]
	if len(text) > maxNodeText {
		text = text[:maxNodeText] + "..."
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// judged notes the answer to the command that the walk is in.
func (t *trace) judged(c policy.Command, a policy.Answer, words []string) {
	if t == nil {
		return
	}
	if n := t.top(); n.Kind == "command" {
		n.Command, n.Verdict = c, verdict(a, words)
	}
}

func nodeKind(n syntax.Node) string {
	switch n := n.(type) {
	case *syntax.CallExpr:
		if len(n.Args) > 0 {
			return "command"
		}
	case *syntax.DeclClause, *syntax.LetClause:
		return "command"
	case *syntax.BinaryCmd:
		if isPipe(n) {
			return "pipeline"
		}
		return "list"
	case *syntax.CmdSubst, *syntax.ProcSubst:
		return "substitution"
	case *syntax.Subshell:
		return "subshell"
	case *syntax.Block:
		return "group"
	case *syntax.IfClause:
		if n.ThenPos.IsValid() {
			return "if"
		}
	case *syntax.WhileClause, *syntax.ForClause:
		return "loop"
	case *syntax.CaseClause:
		return "case"
	case *syntax.FuncDecl:
		return "function"
	}
	return ""
}
