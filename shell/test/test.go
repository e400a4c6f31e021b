// Package test evaluates the expressions of test(1) and [(1), shared by the
// shell's builtins and the programs, with bash's operators and messages.
package test

import (
	"cmp"
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
	// GNU reads as the program of coreutils does where that differs from
	// bash: integers have any size, and what is in parentheses is read by
	// the number of its words where they are up to three.
	GNU bool
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
		v := p.inner()
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
	case p.env.GNU && len(a) >= 4 && (a[0] == "-l" && isInteger(a[2]) || isInteger(a[1]) && a[2] == "-l"):
		return p.lengths(a)
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

// lengths compares integers of which one or both are written as -l STRING, the
// length of STRING.
func (p *parser) lengths(a []string) bool {
	side := func() string {
		if a[0] == "-l" && len(a) > 1 {
			n := strconv.Itoa(len(a[1]))
			a = a[2:]
			return n
		}
		n := a[0]
		a = a[1:]
		return n
	}
	before := len(a)
	left := side()
	op := a[0]
	a = a[1:]
	if len(a) == 0 {
		return p.fail("missing argument after '" + op + "'")
	}
	right := side()
	p.pos += before - len(a)
	return p.binary(left, op, right)
}

func isInteger(op string) bool {
	switch op {
	case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	}
	return false
}

// inner reads what follows an opening parenthesis.
func (p *parser) inner() bool {
	for n := 1; p.env.GNU && n <= 3 && n < p.left(); n++ {
		if p.args[p.pos+n] == ")" {
			in := parser{ctx: p.ctx, env: p.env, args: p.args[p.pos : p.pos+n], depth: p.depth}
			v := in.posix()
			p.pos += n
			if p.err == nil {
				p.err = in.err
			}
			return v
		}
	}
	return p.or()
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
	n, ok := p.compare(a, b)
	switch {
	case !ok:
		return false
	case op == "-eq":
		return n == 0
	case op == "-ne":
		return n != 0
	case op == "-lt":
		return n < 0
	case op == "-le":
		return n <= 0
	case op == "-gt":
		return n > 0
	}
	return n >= 0
}

// compare orders two integers; not ok is an error that has been noted.
func (p *parser) compare(a, b string) (order int, ok bool) {
	if p.env.GNU {
		for _, s := range []string{a, b} {
			if _, _, ok := decimal(s); !ok {
				return 0, p.fail("invalid integer '" + s + "'")
			}
		}
		return compareDecimals(a, b), true
	}
	m, ok := integer(a)
	if !ok {
		return 0, p.fail(a + ": integer expression expected")
	}
	n, ok := integer(b)
	if !ok {
		return 0, p.fail(b + ": integer expression expected")
	}
	return cmp.Compare(m, n), true
}

// decimal takes an integer apart: its sign, and its digits without leading
// zeros.
func decimal(s string) (negative bool, digits string, ok bool) {
	s = strings.Trim(s, " \t\n\v\f\r")
	negative = strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return false, "", false
	}
	digits = strings.TrimLeft(s, "0")
	return negative && digits != "", digits, true
}

// compareDecimals orders two integers of any size.
func compareDecimals(a, b string) int {
	negA, a, _ := decimal(a)
	negB, b, _ := decimal(b)
	order := cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	switch {
	case negA && negB:
		return -order
	case negA:
		return -1
	case negB:
		return 1
	}
	return order
}

// integer reads a decimal number, white space around it allowed.
func integer(s string) (int64, bool) {
	n, err := strconv.ParseInt(strings.Trim(s, " \t\n\v\f\r"), 10, 64)
	return n, err == nil && !strings.Contains(s, "_")
}
