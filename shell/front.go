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

// measure answers the nesting of a statement, errTooDeep when it is beyond
// limit. Chains of operators (a && b && c, 1+1+1) nest in the tree too, but
// cheaply: they may be ten times as long.
func measure(n syntax.Node, limit int) (int, error) {
	deepest, depth, chain := 0, 0, 0
	var err error
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
		case *syntax.Block, *syntax.Subshell, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause,
			*syntax.CmdSubst, *syntax.ParamExp, *syntax.ArithmExp, *syntax.ParenArithm, *syntax.UnaryArithm,
			*syntax.ParenTest, *syntax.UnaryTest, *syntax.DblQuoted, *syntax.ProcSubst, *syntax.FuncDecl,
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
	return deepest, err
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
func (e *Executor) parse(source string) (*unit, error) {
	if int64(len(source)) > e.cfg.Limits.Source {
		return nil, errTooLarge
	}
	p := e.s.parser()
	defer e.s.putParser(p)
	for tries := 0; ; tries++ {
		f, err := p.Parse(newGuard(strings.NewReader(source)), "")
		if err == nil {
			detachFunctions(f)
			nesting, err := measure(f, e.cfg.Limits.Nesting)
			return &unit{f, source, nesting}, err
		}
		err = syntaxErrorOf(err, source, 0)
		var s *syntaxError
		if tries < maxRewrites && errors.As(err, &s) {
			if fixed, ok := rewriteArith(source, s.offset); ok {
				source = fixed
				continue
			}
		}
		return nil, err
	}
}

// syntaxError is source text that is no command.
type syntaxError struct {
	line       int    // where the parser gave up
	offset     int    // the same in bytes of the text
	token      string // the offending token; "" at the end of the input
	eof        bool
	matching   string // what was left open, for "looking for matching"
	opened     int    // line where it was opened
	incomplete bool
	text       string // the parser's own words
}

func (s *syntaxError) Error() string { return s.text }

// message words the error as bash does, without prefix.
func (s *syntaxError) message() string {
	switch {
	case s.matching != "":
		return "unexpected EOF while looking for matching `" + s.matching + "'"
	case s.eof:
		return "syntax error: unexpected end of file"
	}
	return "syntax error near unexpected token `" + s.token + "'"
}

// syntaxErrorOf turns a parser's error into ours. source is the text that was
// parsed from offset on.
func syntaxErrorOf(err error, source string, offset int) error {
	if errors.Is(err, errTooDeep) || errors.Is(err, errTooLarge) {
		return err
	}
	var pe syntax.ParseError
	var le syntax.LangError
	switch {
	case errors.As(err, &pe):
	case errors.As(err, &le):
		pe = syntax.ParseError{Pos: le.Pos, Text: le.Feature}
	default:
		return err
	}
	s := &syntaxError{line: int(pe.Pos.Line()), text: pe.Text, incomplete: pe.Incomplete}
	at := int(pe.Pos.Offset()) - offset
	s.offset = at
	s.token = tokenAt(source, at)
	if _, quote, ok := strings.Cut(pe.Text, "without closing quote "); ok || strings.Contains(pe.Text, "reached EOF without closing") {
		s.matching = strings.Trim(quote, "`")
		s.opened = s.line
	}
	if m := missingCloser(pe.Text); m != "" && pe.Incomplete {
		s.matching, s.opened = m, s.line
	}
	s.eof = s.token == "" || pe.Incomplete
	if s.token == "" && !s.eof {
		s.token = "newline"
	}
	return s
}

// missingCloser answers the quote or bracket that the parser's error says was
// never closed, when bash reports such an end as "looking for matching".
func missingCloser(text string) string {
	i := strings.LastIndex(text, " with ")
	if !strings.HasPrefix(text, "reached EOF without") && !strings.HasPrefix(text, "reached ") {
		return ""
	}
	if i < 0 {
		i = strings.LastIndex(text, "closing quote ")
		if i < 0 {
			return ""
		}
		i += len("closing quote ") - len(" with ")
	}
	q := strings.Trim(text[i+len(" with "):], "`")
	switch q {
	case "'", `"`, "`", ")", "}", "))", "]]":
		if q == "))" {
			return ")"
		}
		return q
	}
	return ""
}

// tokenAt cuts the token at an offset out of a source text: "newline" at the
// end of a line, "" at the end of the text.
func tokenAt(source string, at int) string {
	if at < 0 {
		return ""
	}
	for at < len(source) && (source[at] == ' ' || source[at] == '\t') {
		at++
	}
	if at >= len(source) {
		return ""
	}
	rest := source[at:]
	if rest[0] == '\n' {
		if strings.TrimSpace(rest) == "" {
			return ""
		}
		return "newline"
	}
	for _, op := range []string{";;&", "<<<", "<<-", "&>>", ";;", ";&", "&&", "||", "|&", ">>", "<<", "<&", ">&", "<>", ">|", "&>", "((", "))"} {
		if strings.HasPrefix(rest, op) {
			if op == "((" || op == "))" {
				return op[:1]
			}
			return op
		}
	}
	if strings.IndexByte(";&|<>()", rest[0]) >= 0 {
		return rest[:1]
	}
	if i := strings.IndexAny(rest, " \t\n;&|<>()"); i > 0 {
		return rest[:i]
	}
	return rest
}
