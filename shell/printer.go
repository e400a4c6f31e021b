package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// funcPrinter prints functions for declare -f, type and the environment.
type funcPrinter struct{}

func (e *Executor) printer() funcPrinter { return funcPrinter{} }

// function prints the body of a function as bash does: braces on lines of
// their own, four spaces a level.
func (funcPrinter) function(body *syntax.Stmt) string {
	var b strings.Builder
	p := syntax.NewPrinter(syntax.Indent(4), syntax.FunctionNextLine(false), syntax.SpaceRedirects(true))
	if err := p.Print(&b, body); err != nil {
		return "{ \n    :\n}"
	}
	s := b.String()
	if rest, ok := strings.CutPrefix(s, "{\n"); ok {
		s = "{ \n" + rest
	}
	return s
}
