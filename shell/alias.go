package shell

import "strings"

// aliasLexer finds the words of source text that aliases apply to: it knows
// quotes, comments, here-documents and where a command word is expected, and
// lives as long as an input, so that what is open at the end of one line is
// open at the start of the next.
type aliasLexer struct {
	quote    byte   // ' or " that is open
	nest     []byte // what surrounds: ( of a subshell or $( ), { of ${ }, a of (( )), ` and "
	delims   []heredoc
	operand  bool // the next word is no command word
	redirect bool // the next word is a redirection's file
	caseIn   int  // case constructs whose pattern list is open or being run
	awaitIn  bool // the in of a case is still to come
	pattern  bool // a case pattern is expected
	budget   int  // of bytes that expansions may still add on this line
}

// heredoc is a here-document whose body is still to come.
type heredoc struct {
	delim string
	tabs  bool
}

// maxAliasText bounds what the aliases of one line may grow to.
const maxAliasText = 1 << 20

// expand answers the line with its aliases expanded.
func (l *aliasLexer) expand(line string, aliases map[string]string) string {
	if len(l.delims) > 0 && l.quote == 0 {
		d := l.delims[0]
		body := strings.TrimSuffix(line, "\n")
		if d.tabs {
			body = strings.TrimLeft(body, "\t")
		}
		if body == d.delim {
			l.delims = l.delims[1:]
		}
		return line
	}
	l.budget = maxAliasText
	var out strings.Builder
	l.scan(&out, line, aliases, nil)
	return out.String()
}

// scan copies text to out, expanding aliases. active are the names that are
// being expanded, which do not apply again. It reports whether the text ended
// in a blank after a command word, so that the next word may be an alias too.
func (l *aliasLexer) scan(out *strings.Builder, text string, aliases map[string]string, active []string) {
	next := false // the word after an alias that ends in a blank
	for i := 0; i < len(text); {
		c := text[i]
		if l.quote != 0 {
			i = l.inQuote(out, text, i)
			continue
		}
		switch {
		case c == '\\':
			out.WriteByte(c)
			i++
			if i < len(text) {
				if text[i] != '\n' {
					l.operand = true
				}
				out.WriteByte(text[i])
				i++
			}
		case c == '\'' || c == '"':
			l.quote = c
			l.wordStarts()
			out.WriteByte(c)
			i++
		case c == '#':
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				end = len(text) - i
			}
			out.WriteString(text[i : i+end])
			i += end
		case c == ' ' || c == '\t':
			out.WriteByte(c)
			i++
		case c == '\n':
			out.WriteByte(c)
			i++
			l.commandStarts()
		case strings.IndexByte(";|&", c) >= 0:
			n := 1
			for i+n < len(text) && strings.IndexByte(";|&", text[i+n]) >= 0 {
				n++
			}
			op := text[i : i+n]
			if c == '&' && i+n < len(text) && text[i+n] == '>' {
				out.WriteString(op)
				i += n
				continue
			}
			out.WriteString(op)
			i += n
			l.commandStarts()
			if l.caseIn > 0 && strings.HasPrefix(op, ";;") || l.caseIn > 0 && op == ";&" {
				l.pattern = true
				l.operand = true
			}
		case c == '(':
			out.WriteByte(c)
			i++
			if i < len(text) && text[i] == '(' && !l.operand {
				out.WriteByte('(')
				i++
				l.nest = append(l.nest, 'a')
				l.operand = true
				continue
			}
			if l.pattern {
				continue
			}
			l.nest = append(l.nest, '(')
			l.commandStarts()
		case c == ')':
			out.WriteByte(c)
			i++
			if l.pattern {
				l.pattern = false
				l.commandStarts()
				continue
			}
			if n := len(l.nest); n > 0 {
				if l.nest[n-1] == 'a' && i < len(text) && text[i] == ')' {
					out.WriteByte(')')
					i++
				}
				l.nest = l.nest[:n-1]
			}
			l.operand = true
		case c == '<' || c == '>':
			i = l.redirection(out, text, i)
		default:
			i = l.word(out, text, i, aliases, active, &next)
		}
	}
}

// inQuote copies up to the end of the open quote.
func (l *aliasLexer) inQuote(out *strings.Builder, text string, i int) int {
	for ; i < len(text); i++ {
		c := text[i]
		out.WriteByte(c)
		if c == l.quote {
			l.quote = 0
			return i + 1
		}
		if c == '\\' && l.quote == '"' && i+1 < len(text) {
			i++
			out.WriteByte(text[i])
		}
	}
	return i
}

func (l *aliasLexer) commandStarts() {
	l.operand, l.redirect = false, false
	if n := len(l.nest); n > 0 && l.nest[n-1] == 'a' {
		l.operand = true
	}
}

// wordStarts notes that a word that cannot be an alias begins.
func (l *aliasLexer) wordStarts() {
	if l.redirect {
		l.redirect = false
		return
	}
	l.operand = true
}

// redirection copies a redirection operator, and a here-document's delimiter.
func (l *aliasLexer) redirection(out *strings.Builder, text string, i int) int {
	n := 1
	for i+n < len(text) && strings.IndexByte("<>&|-", text[i+n]) >= 0 && n < 3 {
		n++
	}
	op := text[i : i+n]
	if strings.HasPrefix(op, "<<<") {
		n = 3
	} else if strings.HasPrefix(op, "<<") {
		n = 2
		tabs := strings.HasPrefix(op, "<<-")
		if tabs {
			n = 3
		}
		out.WriteString(text[i : i+n])
		i += n
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			out.WriteByte(text[i])
			i++
		}
		start := i
		var delim strings.Builder
		for i < len(text) && strings.IndexByte(" \t\n;|&()<>", text[i]) < 0 {
			if strings.IndexByte("'\"\\", text[i]) < 0 {
				delim.WriteByte(text[i])
			}
			i++
		}
		out.WriteString(text[start:i])
		l.delims = append(l.delims, heredoc{delim.String(), tabs})
		return i
	}
	if n > 1 && i+1 < len(text) && text[i+1] == '(' {
		n = 1
	}
	out.WriteString(text[i : i+n])
	i += n
	if i < len(text) && text[i] == '(' {
		out.WriteByte('(')
		l.nest = append(l.nest, '(')
		l.commandStarts()
		return i + 1
	}
	if strings.HasSuffix(op, "-") && strings.Contains(op, "&") {
		return i
	}
	l.redirect = true
	return i
}

// word copies a word, replaced when it is an alias in the place of a command.
func (l *aliasLexer) word(out *strings.Builder, text string, i int, aliases map[string]string, active []string, next *bool) int {
	end, plain := wordEnd(text, i)
	word := text[i:end]
	if l.redirect {
		l.redirect = false
		out.WriteString(word)
		return end
	}
	if end < len(text) && (text[end] == '<' || text[end] == '>') && isUnsigned(word) {
		out.WriteString(word)
		return end
	}
	command := !l.operand
	if (command || *next) && plain && !l.pattern {
		value, ok := aliases[word]
		if ok && !contains(active, word) && len(value) < l.budget && len(active) < 100 {
			l.budget -= len(value) + 1
			*next = false
			l.operand = !command
			l.scan(out, value, aliases, append(active[:len(active):len(active)], word))
			if strings.HasSuffix(value, " ") || strings.HasSuffix(value, "\t") {
				*next = true
			}
			return end
		}
	}
	*next = false
	out.WriteString(word)
	if command {
		l.reserved(word)
	} else if l.caseIn > 0 && word == "in" && !l.pattern && l.awaitIn {
		l.awaitIn = false
		l.pattern = true
	} else if l.pattern && word == "esac" {
		l.pattern = false
		l.caseIn--
		l.operand = true
	}
	return end
}

// reserved tells what follows a word in the place of a command.
func (l *aliasLexer) reserved(word string) {
	switch word {
	case "if", "then", "else", "elif", "while", "until", "do", "{", "!", "time", "coproc":
		return
	case "case":
		l.caseIn++
		l.awaitIn = true
	case "esac":
		if l.caseIn > 0 {
			l.caseIn--
		}
	}
	if !isAssignment(word) {
		l.operand = true
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// wordEnd finds the end of an unquoted word, over expansions in it; plain
// tells that it is all literal.
func wordEnd(text string, i int) (end int, plain bool) {
	plain = true
	for i < len(text) {
		c := text[i]
		switch {
		case c == '\'' || c == '"':
			plain = false
			j := i + 1
			for j < len(text) && text[j] != c {
				if text[j] == '\\' && c == '"' {
					j++
				}
				j++
			}
			i = min(j+1, len(text))
			continue
		case c == '\\':
			plain = false
			i = min(i+2, len(text))
			continue
		case c == '`':
			plain = false
			j := i + 1
			for j < len(text) && text[j] != '`' {
				if text[j] == '\\' {
					j++
				}
				j++
			}
			i = min(j+1, len(text))
			continue
		case c == '$' && i+1 < len(text) && (text[i+1] == '(' || text[i+1] == '{'):
			plain = false
			i = balanced(text, i+1)
			continue
		case c == '$':
			plain = false
		case c == '=' && i+1 < len(text) && text[i+1] == '(':
			plain = false
			i = balanced(text, i+1)
			continue
		case strings.IndexByte(" \t\n;|&()<>", c) >= 0:
			return i, plain
		}
		i++
	}
	return i, plain
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
