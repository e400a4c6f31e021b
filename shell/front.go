package shell

import (
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
)

// maxFrames bounds the parser's recursion, in Go stack frames. A level of
// nesting costs it 8 to 20 frames.
const maxFrames = 30_000

// stackGuard hands source text to the parser in small pieces and measures at
// each how deep the parser stands: its recursion has no limit of its own, and
// a Go stack that overflows cannot be recovered from.
type stackGuard struct {
	r    io.Reader
	base int
	pcs  [1]uintptr
}

func (g *stackGuard) Read(p []byte) (int, error) {
	if runtime.Callers(maxFrames+g.base, g.pcs[:]) > 0 {
		return 0, errTooDeep
	}
	return g.r.Read(p)
}

// newGuard makes a guard for a parser that is about to start here.
func newGuard(r io.Reader) *stackGuard {
	g := &stackGuard{r: r}
	var pcs [256]uintptr
	for skip := 0; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		g.base += n
		if n < len(pcs) {
			return g
		}
	}
}

// check measures a statement and puts its functions right.
func check(n syntax.Node, limit int) (nesting int, err error) {
	nesting, functions, err := measure(n, limit)
	if err == nil && functions {
		detachFunctions(n)
		err = checkBodies(n)
	}
	return nesting, err
}

// measure answers the nesting of a statement and whether it defines functions, errTooDeep when it is beyond
// limit. Chains of operators (a && b && c, 1+1+1) nest in the tree too, but
// cheaply: they may be ten times as long.
func measure(n syntax.Node, limit int) (deepest int, functions bool, err error) {
	depth, chain := 0, 0
	kinds := make([]byte, 0, 64)
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
		if err != nil || depth > limit || chain > 10*limit {
			err = errTooDeep
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

// checkBodies refuses a function whose body is no compound command, which the
// parser takes and bash does not.
func checkBodies(root syntax.Node) error {
	var err error
	syntax.Walk(root, func(n syntax.Node) bool {
		f, ok := n.(*syntax.FuncDecl)
		if !ok || f.Body == nil || err != nil {
			return err == nil
		}
		switch f.Body.Cmd.(type) {
		case *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause, *syntax.TimeClause, *syntax.FuncDecl, nil:
			pos := f.Body.Pos()
			err = &syntaxError{line: int(pos.Line()), offset: int(pos.Offset()), text: "function body"}
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
		f, err := p.Parse(newGuard(strings.NewReader(source)), "")
		if err == nil {
			nesting, err := check(f, e.cfg.Limits.Nesting)
			return &unit{f, source, nesting}, err
		}
		err = syntaxErrorOf(err, 0)
		var s *syntaxError
		if tries < maxRewrites && errors.As(err, &s) && (whole || s.unclosedHereDoc() == "") {
			if fixed, ok := s.rewrite(source); ok {
				source = fixed
				continue
			}
		}
		return nil, err
	}
}
