package shell

import "strings"

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
			if quote == '\'' {
				quote = 0
			} else {
				quote = '\''
			}
		case c == '"' && quote != '\'':
			if quote == '"' {
				quote = 0
			} else {
				quote = '"'
			}
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
	end, ok := arithEnd(text, start+2)
	body := ""
	if ok {
		body = text[start+2 : end]
	}
	if !ok || end+1 >= len(text) || text[end+1] != ')' {
		return text[:start+1] + " " + text[start+1:], true
	}
	if trimmed := strings.TrimSpace(body); strings.HasPrefix(trimmed, `"`) && strings.HasSuffix(trimmed, `"`) && len(trimmed) > 1 {
		return "", false
	}
	if !dollar && strings.HasPrefix(strings.TrimSpace(text[max(0, start-4):start]), "for") {
		return "", false
	}
	return text[:start+2] + `"` + quoteArith(body) + `"` + text[end:], true
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

// quoteArith makes the text of an expression fit for double quotes, which
// expand it as arithmetic does; quotes in it go.
func quoteArith(body string) string {
	return strings.ReplaceAll(body, `"`, "")
}
