package expand

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/regex"
	"mirage/shell/test"
	"mirage/shell/vars"
)

// Cond evaluates the expression of [[ ]]. =~ sets BASH_REMATCH. An error in
// the expression itself is an *Error of severity Fail: status 2 for a bad
// regular expression, 1 for bad arithmetic.
func (x *Expander) Cond(ctx context.Context, e syntax.TestExpr) (bool, error) {
	x.ctx = ctx
	switch e := e.(type) {
	case *syntax.ParenTest:
		return x.Cond(ctx, e.X)
	case *syntax.Word:
		// Without extglob [[ !(x) ]] is the negation of a group.
		if g, ok := e.Parts[0].(*syntax.ExtGlob); ok && len(e.Parts) == 1 && g.Op == syntax.GlobExcept && !x.Options.ExtGlob {
			s, err := x.expandLoose(ctx, strings.TrimSpace(g.Pattern.Value))
			return s == "" && err == nil, err
		}
		s, err := x.Literal(ctx, e)
		return s != "", err
	case *syntax.UnaryTest:
		return x.condUnary(ctx, e)
	case *syntax.BinaryTest:
		return x.condBinary(ctx, e)
	}
	return false, &Error{Msg: "syntax error in conditional expression", Severity: Fail, Status: 2}
}

func (x *Expander) condUnary(ctx context.Context, e *syntax.UnaryTest) (bool, error) {
	if e.Op == syntax.TsNot {
		v, err := x.Cond(ctx, e.X)
		return !v && err == nil, err
	}
	w, ok := e.X.(*syntax.Word)
	if !ok {
		return x.Cond(ctx, e.X)
	}
	operand, err := x.Literal(ctx, w)
	if err != nil {
		return false, err
	}
	if e.Op == syntax.TsParen {
		return operand != "", nil
	}
	env := x.testEnv(ctx)
	return test.Unary(ctx, &env, e.Op.String(), operand)
}

func (x *Expander) testEnv(ctx context.Context) test.Env {
	return test.Env{
		FS:    x.View,
		Dir:   x.Dir,
		IsSet: func(ref string) (bool, error) { return x.IsSet(ctx, ref) },
		IsRef: func(name string) bool {
			info, ok := x.Vars.Info(name)
			return ok && info.Attr&vars.Nameref != 0 && info.Set
		},
		Option: func(name string) bool {
			on, known := x.Host.Option(name)
			return on && known
		},
		Terminal: x.Host.Terminal,
	}
}

func (x *Expander) condBinary(ctx context.Context, e *syntax.BinaryTest) (bool, error) {
	if e.Op == syntax.AndTest || e.Op == syntax.OrTest {
		v, err := x.Cond(ctx, e.X)
		if err != nil || v == (e.Op == syntax.OrTest) {
			return v, err
		}
		return x.Cond(ctx, e.Y)
	}
	left, err := x.condWord(ctx, e.X)
	if err != nil {
		return false, err
	}
	w, ok := e.Y.(*syntax.Word)
	if !ok {
		return false, &Error{Msg: "syntax error in conditional expression", Severity: Fail, Status: 2}
	}
	switch e.Op {
	case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
		ok, err := x.Match(ctx, left, w)
		return ok != (e.Op == syntax.TsNoMatch) && err == nil, err
	case syntax.TsReMatch:
		return x.matchRegexp(ctx, left, w)
	}
	right, err := x.Literal(ctx, w)
	if err != nil {
		return false, err
	}
	env := x.testEnv(ctx)
	switch e.Op {
	case syntax.TsBefore:
		return left < right, nil
	case syntax.TsAfter:
		return left > right, nil
	case syntax.TsNewer:
		return test.Newer(ctx, &env, left, right), nil
	case syntax.TsOlder:
		return test.Older(ctx, &env, left, right), nil
	case syntax.TsDevIno:
		return test.Same(ctx, &env, left, right), nil
	}
	return x.compareNumbers(ctx, e.Op, left, right)
}

func (x *Expander) condWord(ctx context.Context, e syntax.TestExpr) (string, error) {
	w, ok := e.(*syntax.Word)
	if !ok {
		return "", &Error{Msg: "syntax error in conditional expression", Severity: Fail, Status: 2}
	}
	return x.Literal(ctx, w)
}

func (x *Expander) compareNumbers(ctx context.Context, op syntax.BinTestOperator, left, right string) (bool, error) {
	m, err := x.condNumber(ctx, left)
	if err != nil {
		return false, err
	}
	n, err := x.condNumber(ctx, right)
	if err != nil {
		return false, err
	}
	switch op {
	case syntax.TsEql:
		return m == n, nil
	case syntax.TsNeq:
		return m != n, nil
	case syntax.TsLeq:
		return m <= n, nil
	case syntax.TsGeq:
		return m >= n, nil
	case syntax.TsLss:
		return m < n, nil
	}
	return m > n, nil
}

// condNumber evaluates an operand of -eq and the like, which is arithmetic.
func (x *Expander) condNumber(ctx context.Context, text string) (int64, error) {
	n, err := x.ArithText(ctx, text)
	return n, failure("[[: ", err)
}

// matchRegexp carries out =~ and sets BASH_REMATCH.
func (x *Expander) matchRegexp(ctx context.Context, s string, w *syntax.Word) (bool, error) {
	text, err := x.Regexp(ctx, w)
	if err != nil {
		return false, err
	}
	flags := regex.Extended
	if x.Vars.UTF8() {
		flags |= regex.UTF8
	}
	if x.Options.NoCaseMatch {
		flags |= regex.IgnoreCase
	}
	re, err := x.regexp(text, flags)
	if err != nil {
		return false, &Error{Severity: Fail, Status: 2, Err: err}
	}
	m := re.Matcher(ctx)
	at := m.FindSubmatch(nil, []byte(s), 0, 0)
	if err := m.Err(); err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return false, &Error{Severity: Fail, Status: 2, Err: err}
	}
	groups := make([]string, 0, len(at)/2)
	for i := 0; i+1 < len(at); i += 2 {
		if at[i] < 0 {
			groups = append(groups, "")
		} else {
			groups = append(groups, s[at[i]:at[i+1]])
		}
	}
	if err := x.Vars.SetElements("BASH_REMATCH", groups); err != nil {
		return false, wrap(err)
	}
	return at != nil, nil
}

type regexpKey struct {
	text  string
	flags regex.Flags
}

// maxRegexps bounds the cache of compiled regular expressions.
const maxRegexps = 64

func (x *Expander) regexp(text string, flags regex.Flags) (*regex.Regexp, error) {
	k := regexpKey{text, flags}
	if re := x.regexps[k]; re != nil {
		return re, nil
	}
	re, err := regex.Compile(text, flags)
	if err != nil {
		return nil, err
	}
	if x.regexps == nil || len(x.regexps) >= maxRegexps {
		x.regexps = make(map[regexpKey]*regex.Regexp)
	}
	x.regexps[k] = re
	return re, nil
}

// Regexp expands the right operand of =~ to a POSIX extended regular
// expression: what was quoted matches itself.
func (x *Expander) Regexp(ctx context.Context, w *syntax.Word) (string, error) {
	b := x.builder(ctx, modePattern)
	defer b.free()
	if err := b.parts(w.Parts, false); err != nil {
		return "", err
	}
	return regexpText(b.buf, b.spans), nil
}

// regexpText writes expanded text as a regular expression: a backslash before
// every special character that was quoted, except inside of brackets.
func regexpText(buf []byte, spans []span) string {
	if len(spans) == 0 {
		return string(buf)
	}
	out := make([]byte, 0, len(buf)+8)
	bracket := -1 // where in out the bracket expression's list starts
	for i := 0; i < len(buf); i++ {
		for len(spans) > 0 && spans[0].end <= i {
			spans = spans[1:]
		}
		c := buf[i]
		isQuoted := len(spans) > 0 && spans[0].start <= i
		switch {
		case bracket >= 0:
			if c == ']' && !isQuoted && len(out) > bracket {
				bracket = -1
			} else if c == '^' && len(out) == bracket {
				bracket++
			}
		case isQuoted:
			if strings.IndexByte(`.[]*^$+?(){}|\`, c) >= 0 {
				out = append(out, '\\')
			}
		case c == '[':
			bracket = len(out) + 1
		}
		out = append(out, c)
	}
	return string(out)
}
