package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// rewrite changes source text that the parser rejects and bash does not, or
// not before it runs, into text that it accepts and that runs the same way:
//
//   - arithmetic, whose text bash looks at only when it runs, and (( )) that
//     is two subshells after all;
//   - ${...} that is no expansion, which is an error of the run;
//   - declarations and let with words that are no assignment;
//   - a here-document that the end of the input ends.
//
// It answers false when there is nothing to change, which is a syntax error.
func (s *syntaxError) rewrite(text string) (string, bool) {
	if delim := s.unclosedHereDoc(); delim != "" {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return text + delim + "\n", true
	}
	if !s.incomplete || strings.Contains(s.text, "((") || strings.Contains(s.text, "inline variables") {
		if fixed, ok := rewriteSubstitution(text, s.offset); ok {
			return fixed, true
		}
		if fixed, ok := rewriteDeclaration(text, s); ok {
			return fixed, true
		}
		return rewriteArith(text, s.offset)
	}
	return "", false
}

// unclosedHereDoc answers the delimiter of the here-document that lacks it,
// if that is the error, else "".
func (s *syntaxError) unclosedHereDoc() string {
	delim, ok := strings.CutPrefix(s.text, "unclosed here-document `")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(delim, "`")
}

// badSubstitution is the command word that stands for a ${...} that is no
// expansion: rewrite puts `$(WORD 'TEXT')` in its place.
const badSubstitution = `\mirage.bad.substitution`

// badSubstitutionOf answers the text of the expansion that a command
// substitution stands for.
func badSubstitutionOf(c *syntax.CmdSubst) (string, bool) {
	if len(c.Stmts) != 1 {
		return "", false
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 2 || call.Args[0].Lit() != badSubstitution {
		return "", false
	}
	return staticWord(call.Args[1])
}

// rewriteSubstitution replaces the ${...} that covers an offset.
func rewriteSubstitution(text string, at int) (string, bool) {
	var open []int
	single := false
	double := 0
	for i := 0; i < len(text) && i <= at; i++ {
		switch c := text[i]; {
		case c == '\\' && !single:
			i++
		case c == '\'' && double%2 == 0:
			single = !single
		case single:
		case c == '"':
			double++
		case c == '$' && i+1 < len(text) && text[i+1] == '{':
			open = append(open, i)
			i++
		case c == '}' && len(open) > 0 && i < at:
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return "", false
	}
	start := open[len(open)-1]
	end := balanced(text, start+1)
	if end > len(text) || text[end-1] != '}' {
		return "", false
	}
	return text[:start] + "$(" + badSubstitution + " " + shellQuote(text[start:end]) + ")" + text[end:], true
}

// rewriteDeclaration makes the declaration before an offset an ordinary
// command, whose operands are words.
func rewriteDeclaration(text string, s *syntaxError) (string, bool) {
	if s.offset > len(text) {
		return "", false
	}
	line := strings.LastIndexByte(text[:s.offset], '\n') + 1
	best := -1
	for _, name := range []string{"declare", "typeset", "local", "export", "readonly", "let"} {
		i := strings.LastIndex(text[line:min(s.offset+len(name), len(text))], name)
		if i < 0 {
			continue
		}
		i += line
		if end := i + len(name); end < len(text) && strings.IndexByte(" \t\n;&|)", text[end]) < 0 {
			continue
		}
		if i > 0 && strings.IndexByte(" \t\n;&|({", text[i-1]) < 0 {
			continue
		}
		best = max(best, i)
	}
	if best < 0 {
		return "", false
	}
	return text[:best] + `\` + text[best:], true
}

// rewriteArith turns arithmetic that the parser rejects into what it accepts.
// bash looks at the text of (( )) and $(( )) only when it runs, so that
// `${base}#a` or `1 + 2.3` there is no syntax error; and (( )) that does not
// end in )) is two subshells. The expression that covers the offset at, or the
// last one before it, becomes a quoted string, which the evaluation expands
// and then reads; or a blank goes between the parentheses.
func rewriteArith(text string, at int) (string, bool) {
	start, dollar := -1, false
	quote := byte(0)
	for i := 0; i < len(text) && i <= at; i++ {
		switch c := text[i]; {
		case c == '\\' && quote != '\'':
			i++
		case c == '\'' && quote != '"':
			quote ^= '\''
		case c == '"' && quote != '\'':
			quote ^= '"'
		case quote == '\'':
		case c == '#' && quote == 0 && (i == 0 || strings.IndexByte(" \t\n;", text[i-1]) >= 0):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case strings.HasPrefix(text[i:], "$(("):
			start, dollar = i+1, true
			i += 2
		case quote == 0 && strings.HasPrefix(text[i:], "(("):
			start, dollar = i, false
			i++
		}
	}
	if start < 0 {
		return "", false
	}
	if !dollar && strings.HasSuffix(strings.TrimRight(text[:start], " \t"), "for") {
		return "", false
	}
	end, ok := arithEnd(text, start+2)
	if !ok || end+1 >= len(text) || text[end+1] != ')' {
		return text[:start+1] + " " + text[start+1:], true
	}
	body := text[start+2 : end]
	if trimmed := strings.TrimSpace(body); strings.HasPrefix(trimmed, `"`) && strings.HasSuffix(trimmed, `"`) && len(trimmed) > 1 {
		return "", false
	}
	return text[:start+2] + `"` + strings.ReplaceAll(body, `"`, "") + `"` + text[end:], true
}

// arithEnd finds the parenthesis that closes the one before i.
func arithEnd(text string, i int) (int, bool) {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\'', '"':
			q := text[i]
			for i++; i < len(text) && text[i] != q; i++ {
				if text[i] == '\\' && q == '"' {
					i++
				}
			}
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return i, true
			}
			depth--
		}
	}
	return 0, false
}

// balanced finds the end of a bracketed text that opens at i.
func balanced(text string, i int) int {
	depth := 0
	quote := byte(0)
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}
