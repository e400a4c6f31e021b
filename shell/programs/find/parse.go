package find

import (
	"errors"
	"fmt"
)

// expr is a node of the expression. eval answers its truth and does its
// actions on the way.
type expr interface{ eval(it *item) bool }

type (
	andExpr  struct{ a, b expr }
	orExpr   struct{ a, b expr }
	listExpr struct{ a, b expr } // the comma
	notExpr  struct{ a expr }
	testFunc func(it *item) bool
)

func (e andExpr) eval(it *item) bool { return e.a.eval(it) && !it.f.done && e.b.eval(it) }
func (e orExpr) eval(it *item) bool  { return e.a.eval(it) || !it.f.done && e.b.eval(it) }
func (e listExpr) eval(it *item) bool {
	e.a.eval(it)
	return !it.f.done && e.b.eval(it)
}
func (e notExpr) eval(it *item) bool  { return !e.a.eval(it) }
func (t testFunc) eval(it *item) bool { return t(it) }

// errAnswered ends the parsing after -help or -version.
var errAnswered = errors.New("answered")

// maxNesting bounds the depth of parentheses and negations.
const maxNesting = 1000

// problem is an error in GNU's words, which begin and end as they like.
type problem string

func (e problem) Error() string { return string(e) }

func problemf(format string, args ...any) error { return problem(fmt.Sprintf(format, args...)) }

// parser turns the arguments into an expression.
type parser struct {
	f       *finder
	args    []string
	last    string // the predicate that was read last
	lastArg bool   // it took an argument
	acts    bool   // there is an action, so nothing is printed by default
	prunes  bool
	deletes bool
	depth   int
}

func (p *parser) parse() (expr, error) {
	var tree expr
	if len(p.args) > 0 {
		var err error
		if tree, err = p.list(); err != nil {
			return nil, err
		}
		if len(p.args) > 0 {
			return nil, p.stray()
		}
	}
	if p.deletes && p.prunes && !p.f.depthAsked {
		return nil, problem("The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  " +
			"If you want to carry on anyway, just explicitly use the -depth option.")
	}
	switch {
	case tree == nil:
		return testFunc(printPath), nil
	case !p.acts:
		return andExpr{tree, testFunc(printPath)}, nil
	}
	return tree, nil
}

// stray is the error of what is left over behind an expression.
func (p *parser) stray() error {
	arg := p.args[0]
	switch {
	case arg == ")":
		return problem("invalid expression; you have too many ')'")
	case isExpression(arg, false):
		return problemf("invalid expression; unexpected '%s'", arg)
	}
	text := fmt.Sprintf("paths must precede expression: `%s'", arg)
	if p.lastArg {
		text += fmt.Sprintf("\n%s: possible unquoted pattern after predicate `%s'?", p.f.inv.Name, p.last)
	}
	return problem(text)
}

func (p *parser) peek() string {
	if len(p.args) == 0 {
		return ""
	}
	return p.args[0]
}

func (p *parser) take() string {
	arg := p.args[0]
	p.args = p.args[1:]
	return arg
}

// list reads expressions joined by commas, the operator that binds least.
func (p *parser) list() (expr, error) {
	a, err := p.or()
	for err == nil && p.peek() == "," {
		op := p.take()
		var b expr
		if b, err = p.operand(op, p.or); err == nil {
			a = listExpr{a, b}
		}
	}
	return a, err
}

func (p *parser) or() (expr, error) {
	a, err := p.and()
	for err == nil && (p.peek() == "-o" || p.peek() == "-or") {
		op := p.take()
		var b expr
		if b, err = p.operand(op, p.and); err == nil {
			a = orExpr{a, b}
		}
	}
	return a, err
}

func (p *parser) and() (expr, error) {
	a, err := p.not()
	for err == nil && len(p.args) > 0 {
		next := p.peek()
		if next == "-o" || next == "-or" || next == "," || next == ")" || !isExpression(next, false) {
			break
		}
		var b expr
		if next == "-a" || next == "-and" {
			b, err = p.operand(p.take(), p.not)
		} else {
			b, err = p.not()
		}
		if err == nil {
			a = andExpr{a, b}
		}
	}
	return a, err
}

// operand reads what must stand behind an operator.
func (p *parser) operand(op string, read func() (expr, error)) (expr, error) {
	if len(p.args) == 0 || p.peek() == ")" {
		return nil, problemf("expected an expression after '%s'", op)
	}
	return read()
}

func (p *parser) not() (expr, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxNesting {
		return nil, problem("invalid expression; it is nested too deeply")
	}
	switch arg := p.peek(); arg {
	case "!", "-not":
		p.take()
		a, err := p.operand(arg, p.not)
		return notExpr{a}, err
	case "(":
		return p.parentheses()
	case ")":
		return nil, problem("invalid expression; you have too many ')'")
	case "-a", "-and", "-o", "-or", ",":
		return nil, problemf("invalid expression; you have used a binary operator '%s' with nothing before it.", arg)
	}
	return p.predicate()
}

func (p *parser) parentheses() (expr, error) {
	p.take()
	switch {
	case p.peek() == ")":
		return nil, problem("invalid expression; empty parentheses are not allowed.")
	case len(p.args) == 0:
		return nil, problem("invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('")
	}
	a, err := p.list()
	switch {
	case err != nil:
		return nil, err
	case len(p.args) > 0 && p.peek() != ")":
		return nil, p.stray()
	case len(p.args) == 0:
		return nil, problem("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
	}
	p.take()
	return a, nil
}

// predicate reads one option, test or action.
func (p *parser) predicate() (expr, error) {
	name := p.take()
	if !isExpression(name, false) {
		p.args = append([]string{name}, p.args...)
		return nil, p.stray()
	}
	p.last, p.lastArg = name, false
	if build, ok := plain[name]; ok {
		return build(p)
	}
	if build, ok := withArgument[name]; ok {
		if len(p.args) == 0 {
			return nil, problemf("missing argument to `%s'", name)
		}
		p.lastArg = true
		return build(p, p.take())
	}
	if len(name) == len("-newerXY") && name[:6] == "-newer" {
		return p.newerXY(name)
	}
	return nil, problemf("unknown predicate `%s'", name)
}
