package programs

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/shell/regex"
)

var exprSpec = getopt.Spec{
	Name:     "expr",
	Synopsis: []string{"EXPRESSION", "OPTION"},
	Status:   2,
	Epilog: `Print the value of EXPRESSION to standard output.  A blank line below
separates increasing precedence groups.  EXPRESSION may be:

  ARG1 | ARG2       ARG1 if it is neither null nor 0, otherwise ARG2

  ARG1 & ARG2       ARG1 if neither argument is null or 0, otherwise 0

  ARG1 < ARG2       ARG1 is less than ARG2
  ARG1 <= ARG2      ARG1 is less than or equal to ARG2
  ARG1 = ARG2       ARG1 is equal to ARG2
  ARG1 != ARG2      ARG1 is unequal to ARG2
  ARG1 >= ARG2      ARG1 is greater than or equal to ARG2
  ARG1 > ARG2       ARG1 is greater than ARG2

  ARG1 + ARG2       arithmetic sum of ARG1 and ARG2
  ARG1 - ARG2       arithmetic difference of ARG1 and ARG2

  ARG1 * ARG2       arithmetic product of ARG1 and ARG2
  ARG1 / ARG2       arithmetic quotient of ARG1 divided by ARG2
  ARG1 % ARG2       arithmetic remainder of ARG1 divided by ARG2

  STRING : REGEXP   anchored pattern match of REGEXP in STRING

  match STRING REGEXP        same as STRING : REGEXP
  substr STRING POS LENGTH   substring of STRING, POS counted from 1
  index STRING CHARS         index in STRING where any CHARS is found, or 0
  length STRING              length of STRING
  + TOKEN                    interpret TOKEN as a string, even if it is a
                               keyword like 'match' or an operator like '/'

  ( EXPRESSION )             value of EXPRESSION

Beware that many operators need to be escaped or quoted for shells.
Comparisons are arithmetic if both ARGs are numbers, else lexicographical.
Pattern matches return the string matched between \( and \) or null; if
\( and \) are not used, they return the number of characters matched or 0.

Exit status is 0 if EXPRESSION is neither null nor 0, 1 if EXPRESSION is null
or 0, 2 if EXPRESSION is syntactically invalid, and 3 if an error occurred.`,
}

// exprFailure is a complaint that ends the evaluation.
type exprFailure struct{ text string }

// exprMaxDepth bounds parentheses and keywords within each other.
const exprMaxDepth = 2000

// exprRun evaluates while it parses; off is set while the value of what is
// parsed cannot matter.
type exprRun struct {
	ctx   context.Context
	inv   *program.Invocation
	args  []string
	next  int
	depth int
	utf8  bool
}

func runExpr(ctx context.Context, inv *program.Invocation) (status int) {
	args := inv.Args
	p := exprSpec.Parse(inv)
	if len(args) == 1 && (args[0] == "--help" || args[0] == "--version") {
		p.Next()
		return p.Status
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return p.Missing()
	}
	e := &exprRun{ctx: ctx, inv: inv, args: args, utf8: inv.UTF8()}
	defer func() {
		if f, ok := recover().(exprFailure); ok {
			inv.Errorf("%s", f.text)
			status = 2
		}
	}()
	v := e.or(false)
	if e.next < len(e.args) {
		e.fail("syntax error: unexpected argument %s", inv.QuoteArg(e.args[e.next]))
	}
	out := stream.Stdout(inv)
	out.WriteString(v + "\n")
	status = 0
	if exprNull(v) {
		status = 1
	}
	return out.Close(inv, status)
}

func (e *exprRun) fail(format string, args ...any) {
	panic(exprFailure{fmt.Sprintf(format, args...)})
}

// exprNull tells whether a value counts as false: empty, or a zero.
func exprNull(v string) bool {
	digits := strings.TrimPrefix(v, "-")
	return v == "" || digits != "" && strings.Trim(digits, "0") == ""
}

// accept takes the next argument if it is one of words.
func (e *exprRun) accept(words ...string) string {
	if e.next < len(e.args) {
		for _, w := range words {
			if e.args[e.next] == w {
				e.next++
				return w
			}
		}
	}
	return ""
}

func (e *exprRun) or(off bool) string {
	left := e.and(off)
	for e.accept("|") != "" {
		right := e.and(off || !exprNull(left))
		if exprNull(left) {
			left = right
			if exprNull(left) {
				left = "0"
			}
		}
	}
	return left
}

func (e *exprRun) and(off bool) string {
	left := e.comparison(off)
	for e.accept("&") != "" {
		right := e.comparison(off || exprNull(left))
		if exprNull(left) || exprNull(right) {
			left = "0"
		}
	}
	return left
}

func (e *exprRun) comparison(off bool) string {
	left := e.sum(off)
	for {
		op := e.accept("<", "<=", "=", "==", "!=", ">=", ">")
		if op == "" {
			return left
		}
		right := e.sum(off)
		order := strings.Compare(left, right)
		x, xInt := exprInt(left)
		y, yInt := exprInt(right)
		if xInt && yInt {
			order = x.Cmp(y)
		}
		holds := false
		switch op {
		case "<":
			holds = order < 0
		case "<=":
			holds = order <= 0
		case "=", "==":
			holds = order == 0
		case "!=":
			holds = order != 0
		case ">=":
			holds = order >= 0
		case ">":
			holds = order > 0
		}
		left = "0"
		if holds {
			left = "1"
		}
	}
}

// exprInt reads an integer.
func exprInt(s string) (*big.Int, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	return new(big.Int).SetString(s, 10)
}

func (e *exprRun) sum(off bool) string {
	left := e.product(off)
	for {
		op := e.accept("+", "-")
		if op == "" {
			return left
		}
		left = e.arithmetic(op, left, e.product(off), off)
	}
}

func (e *exprRun) product(off bool) string {
	left := e.match(off)
	for {
		op := e.accept("*", "/", "%")
		if op == "" {
			return left
		}
		left = e.arithmetic(op, left, e.match(off), off)
	}
}

func (e *exprRun) arithmetic(op, left, right string, off bool) string {
	if off {
		return left
	}
	x, xInt := exprInt(left)
	y, yInt := exprInt(right)
	if !xInt || !yInt {
		e.fail("non-integer argument")
	}
	switch op {
	case "+":
		x.Add(x, y)
	case "-":
		x.Sub(x, y)
	case "*":
		x.Mul(x, y)
	default:
		if y.Sign() == 0 {
			e.fail("division by zero")
		}
		if op == "/" {
			x.Quo(x, y)
		} else {
			x.Rem(x, y)
		}
	}
	return x.String()
}

func (e *exprRun) match(off bool) string {
	left := e.word(off)
	for e.accept(":") != "" {
		right := e.word(off)
		if !off {
			left = e.colon(left, right)
		}
	}
	return left
}

// colon matches a pattern at the beginning of a string: the text of its first
// group, or the number of characters when it has none.
func (e *exprRun) colon(s, pattern string) string {
	flags := regex.Grep // glibc's matcher lets more pass than POSIX
	if e.utf8 {
		flags |= regex.UTF8
	}
	re, err := regex.Compile(pattern, flags)
	if err != nil {
		e.fail("%s", err)
	}
	m := re.Matcher(e.ctx)
	at := m.FindSubmatch(nil, []byte(s), 0, 0)
	if err := m.Err(); err != nil {
		e.fail("error in regular expression matcher")
	}
	matched := at != nil && at[0] == 0
	if re.NumSubexp() > 0 {
		if !matched || at[2] < 0 {
			return ""
		}
		return s[at[2]:at[3]]
	}
	if !matched {
		return "0"
	}
	return fmt.Sprint(e.length(s[:at[1]]))
}

func (e *exprRun) length(s string) int {
	if e.utf8 {
		return utf8.RuneCountInString(s)
	}
	return len(s)
}

// characters splits a string into what counts as its characters.
func (e *exprRun) characters(s string) []string {
	list := make([]string, 0, len(s))
	for len(s) > 0 {
		n := 1
		if e.utf8 {
			_, n = utf8.DecodeRuneInString(s)
		}
		list = append(list, s[:n])
		s = s[n:]
	}
	return list
}

// more demands another argument.
func (e *exprRun) more() {
	if e.next == len(e.args) {
		e.fail("syntax error: missing argument after %s", e.inv.QuoteArg(e.args[e.next-1]))
	}
}

// enter counts the depth; each call needs a leave.
func (e *exprRun) enter() {
	if e.depth++; e.depth > exprMaxDepth {
		e.fail("expression is nested too deeply")
	}
}

func (e *exprRun) leave() { e.depth-- }

func (e *exprRun) word(off bool) string {
	e.enter()
	defer e.leave()
	switch e.accept("+", "length", "match", "index", "substr") {
	case "+":
		e.more()
		e.next++
		return e.args[e.next-1]
	case "length":
		return fmt.Sprint(e.length(e.word(off)))
	case "match":
		s := e.word(off)
		pattern := e.word(off)
		if off {
			return s
		}
		return e.colon(s, pattern)
	case "index":
		s := e.word(off)
		set := e.word(off)
		for i, c := range e.characters(s) {
			if strings.Contains(set, c) {
				return fmt.Sprint(i + 1)
			}
		}
		return "0"
	case "substr":
		s := e.word(off)
		pos := e.word(off)
		return e.substr(s, pos, e.word(off))
	}
	return e.primary(off)
}

func (e *exprRun) substr(s, pos, length string) string {
	p, pInt := exprInt(pos)
	n, nInt := exprInt(length)
	if !pInt || !nInt || p.Sign() <= 0 || n.Sign() <= 0 {
		return ""
	}
	list := e.characters(s)
	total := big.NewInt(int64(len(list)))
	if p.Cmp(total) > 0 {
		return ""
	}
	start := int(p.Int64()) - 1
	if n.Cmp(total) > 0 {
		n = total
	}
	return strings.Join(list[start:min(len(list), start+int(n.Int64()))], "")
}

func (e *exprRun) primary(off bool) string {
	e.more()
	if e.accept("(") != "" {
		v := e.or(off)
		if e.next == len(e.args) {
			e.fail("syntax error: expecting ')' after %s", e.inv.QuoteArg(e.args[e.next-1]))
		}
		if e.accept(")") == "" {
			e.fail("syntax error: expecting ')' instead of %s", e.inv.QuoteArg(e.args[e.next]))
		}
		return v
	}
	if e.accept(")") != "" {
		e.fail("syntax error: unexpected ')'")
	}
	e.next++
	return e.args[e.next-1]
}
