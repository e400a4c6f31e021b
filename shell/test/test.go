// Package test evaluates the expressions of test(1) and [(1), shared by the
// shell's builtins and the programs, with bash's operators and messages.
package test

import (
	"context"
	"strconv"
	"strings"

	"mirage/vfs"
)

// Env is what an expression can ask about. A nil function answers false.
type Env struct {
	FS       *vfs.View
	Dir      string
	IsSet    func(ref string) (bool, error) // -v
	IsRef    func(name string) bool         // -R
	Option   func(name string) bool         // -o
	Terminal func(fd int) bool              // -t
}

// Error is a misuse of test, worded without the command's name: "a: integer
// expression expected". The exit status is 2.
type Error struct{ Msg string }

// Error answers the message.
func (e *Error) Error() string { return e.Msg }

// Eval evaluates the arguments of test, or those of [ without the closing
// bracket, by POSIX's rules for up to four arguments and by precedence beyond.
// The error is an *Error, that of Env.IsSet, or the context's.
func Eval(ctx context.Context, e *Env, args []string) (bool, error) {
	p := parser{ctx: ctx, env: e, args: args}
	v := p.posix()
	if p.err == nil {
		p.err = ctx.Err()
	}
	return v && p.err == nil, p.err
}

// parser reads an expression and evaluates it as it goes. After an error it
// answers false to everything.
type parser struct {
	ctx   context.Context
	env   *Env
	args  []string
	pos   int
	depth int
	err   error
}

func (p *parser) fail(msg string) bool {
	if p.err == nil {
		p.err = &Error{msg}
	}
	return false
}

func (p *parser) left() int { return len(p.args) - p.pos }

// posix applies the rules for the number of arguments.
func (p *parser) posix() bool {
	a := p.args
	switch len(a) {
	case 0:
		return false
	case 1:
		return a[0] != ""
	case 2:
		return p.two(a)
	case 3:
		return p.three(a)
	case 4:
		if a[0] == "!" {
			return !p.three(a[1:]) && p.err == nil
		}
		if a[0] == "(" && a[3] == ")" {
			return p.two(a[1:3])
		}
	}
	v := p.or()
	if p.err == nil && p.left() > 0 {
		if strings.HasPrefix(a[p.pos], "-") {
			return p.fail("syntax error: `" + a[p.pos] + "' unexpected")
		}
		return p.fail("too many arguments")
	}
	return v
}

func (p *parser) two(a []string) bool {
	switch {
	case a[0] == "!":
		return a[1] == ""
	case isUnary(a[0]):
		return p.unary(a[0], a[1])
	}
	return p.fail(a[0] + ": unary operator expected")
}

func (p *parser) three(a []string) bool {
	switch {
	case isBinary(a[1]):
		return p.binary(a[0], a[1], a[2])
	case a[1] == "-a":
		return a[0] != "" && a[2] != ""
	case a[1] == "-o":
		return a[0] != "" || a[2] != ""
	case a[0] == "!":
		return !p.two(a[1:]) && p.err == nil
	case a[0] == "(" && a[2] == ")":
		return a[1] != ""
	}
	return p.fail(a[1] + ": binary operator expected")
}

func (p *parser) or() bool {
	v := p.and()
	for p.err == nil && p.left() > 0 && p.args[p.pos] == "-o" {
		p.pos++
		w := p.and()
		v = v || w
	}
	return v
}

func (p *parser) and() bool {
	v := p.term()
	for p.err == nil && p.left() > 0 && p.args[p.pos] == "-a" {
		p.pos++
		w := p.term()
		v = v && w
	}
	return v
}

// maxDepth bounds nested parentheses.
const maxDepth = 1000

func (p *parser) term() bool {
	if p.pos&255 == 255 && p.ctx.Err() != nil {
		p.err = p.ctx.Err()
	}
	if p.err != nil {
		return false
	}
	negate := false
	for p.left() > 0 && p.args[p.pos] == "!" {
		negate = !negate
		p.pos++
	}
	return p.primary() != negate && p.err == nil
}

func (p *parser) primary() bool {
	if p.left() == 0 {
		return p.fail("argument expected")
	}
	a := p.args[p.pos:]
	switch {
	case a[0] == "(":
		if p.depth++; p.depth > maxDepth {
			return p.fail("too many arguments")
		}
		p.pos++
		v := p.or()
		p.depth--
		switch {
		case p.err != nil:
		case p.left() == 0:
			return p.fail("`)' expected")
		case p.args[p.pos] != ")":
			return p.fail("`)' expected, found " + p.args[p.pos])
		}
		p.pos++
		return v
	case len(a) >= 3 && isBinary(a[1]):
		p.pos += 3
		return p.binary(a[0], a[1], a[2])
	case len(a) >= 2 && isUnary(a[0]):
		p.pos += 2
		return p.unary(a[0], a[1])
	}
	p.pos++
	return a[0] != ""
}

func (p *parser) unary(op, operand string) bool {
	v, err := Unary(p.ctx, p.env, op, operand)
	if err != nil && p.err == nil {
		p.err = err
	}
	return v
}

func isUnary(s string) bool {
	return len(s) == 2 && s[0] == '-' && strings.IndexByte("abcdefghknoprstuvwxzGLNORS", s[1]) >= 0
}

func isBinary(s string) bool {
	switch s {
	case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return false
}

func (p *parser) binary(a, op, b string) bool {
	switch op {
	case "=", "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case ">":
		return a > b
	case "-nt":
		return Newer(p.ctx, p.env, a, b)
	case "-ot":
		return Older(p.ctx, p.env, a, b)
	case "-ef":
		return Same(p.ctx, p.env, a, b)
	}
	m, ok := integer(a)
	if !ok {
		return p.fail(a + ": integer expression expected")
	}
	n, ok := integer(b)
	if !ok {
		return p.fail(b + ": integer expression expected")
	}
	switch op {
	case "-eq":
		return m == n
	case "-ne":
		return m != n
	case "-lt":
		return m < n
	case "-le":
		return m <= n
	case "-gt":
		return m > n
	}
	return m >= n
}

// integer reads a decimal number, white space around it allowed.
func integer(s string) (int64, bool) {
	n, err := strconv.ParseInt(strings.Trim(s, " \t\n\v\f\r"), 10, 64)
	return n, err == nil && !strings.Contains(s, "_")
}
