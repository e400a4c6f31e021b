package awk

import (
	"context"
	"errors"
	"strings"

	"mirage/shell/regex"
)

// maxRegexes bounds the dynamic regular expressions that are kept compiled.
const maxRegexes = 500

// regex answers the matcher of a regular expression.
func (in *interp) regex(src string) *regex.Matcher {
	cache := in.regexes
	if in.ignoreCase {
		cache = in.foldRegex
	}
	if m, ok := cache[src]; ok {
		return m
	}
	flags := regex.Awk | regex.StrictParens
	if in.ignoreCase {
		flags |= regex.IgnoreCase
	}
	pattern, unknown := unescapeRegex(src)
	for _, c := range unknown {
		in.warnf("regexp escape sequence `\\%c' is not a known regexp operator", c)
	}
	re, err := regex.Compile(pattern, flags)
	if err != nil {
		in.fatalf("invalid regexp: %s: /%s/", err, src)
	}
	if len(cache) >= maxRegexes {
		clear(cache)
	}
	m := re.Matcher(in.ctx)
	cache[src] = m
	return m
}

// unescapeRegex replaces the escapes that stand for a character by it, and
// lists those that mean nothing.
func unescapeRegex(s string) (string, []byte) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, nil
	}
	var b, unknown []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		c, n := escapeChar(s[i:])
		switch {
		case n > 0:
			b = append(b, c)
			i += n - 1
		case s[i] == '/' || s[i] == '"' || s[i] == '&':
			b = append(b, s[i])
		case s[i] == '\n':
		default:
			if 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z' && strings.IndexByte("yBswSW", s[i]) < 0 {
				unknown = append(unknown, s[i])
			}
			b = append(b, '\\', s[i])
		}
	}
	return string(b), unknown
}

// regexLiteral compiles a literal; it is compiled once for each way of
// treating case.
func (c *compiler) regexLiteral(e *regexLit) func(*interp) *regex.Matcher {
	src := e.src
	var exact, fold *regex.Matcher
	return func(in *interp) *regex.Matcher {
		if in.ignoreCase {
			if fold == nil {
				fold = in.regex(src)
			}
			return fold
		}
		if exact == nil {
			exact = in.regex(src)
		}
		return exact
	}
}

// regexOperand compiles what stands where a regular expression is wanted: a
// literal, or an expression whose string is one.
func (c *compiler) regexOperand(e expr) func(*interp) *regex.Matcher {
	if g, ok := e.(*groupExpr); ok && len(g.list) == 1 {
		e = g.list[0]
	}
	if r, ok := e.(*regexLit); ok {
		return c.regexLiteral(r)
	}
	s := c.str(e)
	var last string
	var m *regex.Matcher
	var folded bool
	return func(in *interp) *regex.Matcher {
		src := s(in)
		if m == nil || src != last || folded != in.ignoreCase {
			m, last, folded = in.regex(src), src, in.ignoreCase
		}
		return m
	}
}

// matches tells whether s has a match.
func (in *interp) matches(m *regex.Matcher, s string) bool {
	ok := m.Match(bytesOf(s))
	if !ok {
		in.checkMatcher(m)
	}
	return ok
}

// checkMatcher ends the program when a matcher has given up.
func (in *interp) checkMatcher(m *regex.Matcher) {
	switch err := m.Err(); {
	case err == nil:
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || in.ctx.Err() != nil:
		panic(cancelled{})
	default:
		in.fatalf("%s", err)
	}
}
