package shell

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// errTooDeep and errTooLarge refuse a source before it can do harm.
var (
	errTooDeep  = errors.New("nesting")
	errTooLarge = errors.New("source")
	errCanceled = errors.New("canceled")
)

// maxFrames bounds the recursion of the parser together with what it runs
// within, in Go stack frames. A level of nesting costs the parser 8 to 20.
const maxFrames = 60_000

// guardEvery is how much text the parser gets between two looks at the stack:
// a byte cannot nest more than a level deeper.
const guardEvery = 1024

// stackGuard hands source text to the parser and measures as it does how deep
// the parser stands: its recursion has no limit of its own, and a Go stack
// that overflows cannot be recovered from.
type stackGuard struct {
	ctx    context.Context // ends the parsing
	r      io.Reader
	handed int
	pcs    [1]uintptr
}

func (g *stackGuard) Read(p []byte) (int, error) {
	if g.handed >= guardEvery {
		g.handed = 0
		if g.ctx.Err() != nil {
			return 0, errCanceled
		}
		if runtime.Callers(maxFrames, g.pcs[:]) > 0 {
			return 0, errTooDeep
		}
	}
	n, err := g.r.Read(p[:min(len(p), guardEvery)])
	g.handed += n
	return n, err
}

func newGuard(ctx context.Context, r io.Reader) *stackGuard { return &stackGuard{ctx: ctx, r: r} }

// check measures a statement and puts its functions right.
func (e *Executor) check(n syntax.Node) (nesting int, err error) {
	nesting, functions, err := measure(e.ctx, n, e.cfg.Limits.Nesting)
	if err == nil && functions {
		detachFunctions(n)
		err = checkBodies(n)
	}
	return nesting, err
}

// measure answers the nesting of a statement and whether it defines functions, errTooDeep when it is beyond
// limit. Chains of operators (a && b && c, 1+1+1) nest in the tree too, but
// cheaply: they may be ten times as long.
func measure(ctx context.Context, n syntax.Node, limit int) (deepest int, functions bool, err error) {
	depth, chain := 0, 0
	kinds := make([]byte, 0, 64)
	nodes := 0
	syntax.Walk(n, func(n syntax.Node) bool {
		if n == nil {
			switch kinds[len(kinds)-1] {
			case 1:
				depth--
			case 2:
				chain--
			}
			kinds = kinds[:len(kinds)-1]
			return true
		}
		kind := byte(0)
		switch n := n.(type) {
		case *syntax.BinaryCmd, *syntax.BinaryArithm, *syntax.BinaryTest:
			kind = 2
		case *syntax.IfClause:
			kind = 2
			if n.ThenPos.IsValid() {
				kind = 1
			}
		case *syntax.FuncDecl:
			functions = true
			kind = 1
		case *syntax.Block, *syntax.Subshell, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause,
			*syntax.CmdSubst, *syntax.ParamExp, *syntax.ArithmExp, *syntax.ParenArithm, *syntax.UnaryArithm,
			*syntax.ParenTest, *syntax.UnaryTest, *syntax.DblQuoted, *syntax.ProcSubst,
			*syntax.TimeClause, *syntax.CoprocClause:
			kind = 1
		}
		switch kind {
		case 1:
			depth++
			deepest = max(deepest, depth)
		case 2:
			chain++
		}
		if nodes++; nodes&0xfff == 0 && ctx.Err() != nil {
			err = errCanceled
		}
		if err != nil || depth > limit || chain > 10*limit {
			if err == nil {
				err = errTooDeep
			}
			switch kind {
			case 1:
				depth--
			case 2:
				chain--
			}
			return false
		}
		kinds = append(kinds, kind)
		return true
	})
	return deepest, functions, err
}

// misplaced is the text of an error whose offset is that of the wrong token.
const misplaced = "misplaced token"

// checkBodies refuses what the parser takes for a function and bash does not:
// one without a name, and one whose body is no compound command.
func checkBodies(root syntax.Node) error {
	var err error
	syntax.Walk(root, func(n syntax.Node) bool {
		f, ok := n.(*syntax.FuncDecl)
		if !ok || f.Body == nil || err != nil {
			return err == nil
		}
		if f.Name == nil {
			at := f.Position
			err = &syntaxError{line: int(at.Line()), offset: int(at.Offset()) + 1, text: misplaced}
			return false
		}
		switch f.Body.Cmd.(type) {
		case *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause, *syntax.TimeClause, *syntax.FuncDecl, nil:
			pos := f.Body.Pos()
			err = &syntaxError{line: int(pos.Line()), offset: int(pos.Offset()), text: misplaced}
		}
		return err == nil
	})
	return err
}

// parser answers a free parser; putParser takes it back.
func (s *session) parser() *syntax.Parser {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.parsers); n > 0 {
		p := s.parsers[n-1]
		s.parsers = s.parsers[:n-1]
		return p
	}
	return syntax.NewParser(syntax.Variant(syntax.LangBash))
}

func (s *session) putParser(p *syntax.Parser) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.parsers) < 4 {
		s.parsers = append(s.parsers, p)
	}
}

// unit is a parsed source text.
type unit struct {
	file    *syntax.File
	text    string // as it was parsed
	nesting int
}

// parse parses a whole source text, aliases not expanded. Errors are
// *syntaxError, errTooDeep and errTooLarge.
func (e *Executor) parse(source string) (*unit, error) { return e.parseSource(source, true) }

// parseSource is parse. Unless the source is whole, a here-document that its
// end would end is an error.
func (e *Executor) parseSource(source string, whole bool) (*unit, error) {
	if int64(len(source)) > e.cfg.Limits.Source {
		return nil, errTooLarge
	}
	p := e.s.parser()
	defer e.s.putParser(p)
	for tries := 0; ; tries++ {
		f, err := p.Parse(newGuard(e.ctx, strings.NewReader(source)), "")
		if err == nil {
			nesting, err := e.check(f)
			return &unit{f, source, nesting}, err
		}
		err = syntaxErrorOf(err, 0)
		var s *syntaxError
		if tries < maxRewrites && tries*len(source) < maxRewritten && errors.As(err, &s) && (whole || s.unclosedHereDoc() == "") {
			if fixed, ok := s.rewrite(source); ok {
				source = fixed
				continue
			}
		}
		return nil, err
	}
}
