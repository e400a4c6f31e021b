package shell

import (
	"slices"
	"strings"
)

// aliasLexer finds the words of source text that aliases apply to: it knows
// quotes, expansions, comments, here-documents and where a command word is
// expected. It lives as long as an input, so that what is open at the end of
// one line is open at the start of the next.
type aliasLexer struct {
	stack  []lexLevel
	delims []heredoc // here-documents whose bodies are still to come
	budget int       // of bytes that expansions may still add on this line
	again  bool      // an alias ended in a blank: the next word may be one too
	cuts   []splice  // what aliases stand for in the line that was expanded last
}

// lexLevel is one level of what surrounds the text being read.
type lexLevel struct {
	kind    lexKind
	inWord  bool // in the middle of a word
	operand bool // the next word is no command word
	file    bool // the next word is a redirection's file
	cond    bool // between [[ and ]]
	awaitIn bool // the in of a case is still to come
	pattern bool // a case pattern is expected
	cases   int  // case constructs around
	parens  int  // open within arithmetic
}

// lexKind is what a level is inside of.
type lexKind byte

const (
	lexCommands lexKind = iota // the top, ( ) and $( )
	lexBackquote
	lexSingle // '...'
	lexANSI   // $'...'
	lexDouble // "..."
	lexBrace  // ${ }
	lexArith  // (( )) and $(( ))
	lexArray  // name=( )
)

// heredoc is a here-document whose body is still to come.
type heredoc struct {
	delim string
	tabs  bool
}

// maxAliasText bounds what the aliases of one line may grow to.
const maxAliasText = 1 << 20

// expand answers the line with its aliases expanded.
func (l *aliasLexer) expand(line string, aliases map[string]string) string {
	if len(l.stack) == 0 {
		l.stack = append(l.stack, lexLevel{})
	}
	l.cuts = nil
	if len(l.delims) > 0 {
		body := strings.TrimSuffix(line, "\n")
		if l.delims[0].tabs {
			body = strings.TrimLeft(body, "\t")
		}
		if body == l.delims[0].delim {
			l.delims = l.delims[1:]
		}
		return line
	}
	l.budget = maxAliasText
	s := aliasScan{aliasLexer: l, aliases: aliases}
	s.scan(line, nil)
	return s.out.String()
}

// aliasScan is the work on one line.
type aliasScan struct {
	*aliasLexer
	aliases map[string]string
	out     strings.Builder
}

func (s *aliasScan) top() *lexLevel { return &s.stack[len(s.stack)-1] }

func (s *aliasScan) push(k lexKind) {
	if len(s.stack) < 4096 {
		s.stack = append(s.stack, lexLevel{kind: k, operand: k == lexArray})
	}
}

func (s *aliasScan) pop() {
	if len(s.stack) > 1 {
		s.stack = s.stack[:len(s.stack)-1]
	}
}

// take copies n bytes of text from i on and answers where it goes on.
func (s *aliasScan) take(text string, i, n int) int {
	end := min(i+n, len(text))
	s.out.WriteString(text[i:end])
	return end
}

// scan copies text, expanding aliases. active are the names being expanded,
// which do not apply again.
func (s *aliasScan) scan(text string, active []string) {
	for i := 0; i < len(text); {
		switch s.top().kind {
		case lexSingle:
			end := strings.IndexByte(text[i:], '\'')
			if end < 0 {
				i = s.take(text, i, len(text))
				continue
			}
			i = s.take(text, i, end+1)
			s.pop()
		case lexANSI:
			i = s.until(text, i, '\'', false)
		case lexDouble:
			i = s.until(text, i, '"', true)
		case lexBrace:
			i = s.inBrace(text, i)
		case lexArith:
			i = s.inArith(text, i)
		default:
			i = s.inCommands(text, i, active)
		}
	}
}

// until copies one step of a quoted text that ends in close.
func (s *aliasScan) until(text string, i int, close byte, expansions bool) int {
	switch c := text[i]; {
	case c == '\\':
		return s.take(text, i, 2)
	case c == close:
		s.pop()
	case expansions && (c == '$' || c == '`'):
		return s.dollar(text, i)
	}
	return s.take(text, i, 1)
}

func (s *aliasScan) inBrace(text string, i int) int {
	quoted := len(s.stack) > 1 && s.stack[len(s.stack)-2].kind == lexDouble
	switch c := text[i]; {
	case c == '\\':
		return s.take(text, i, 2)
	case c == '}':
		s.pop()
	case c == '\'' && !quoted:
		s.push(lexSingle)
	case c == '"':
		s.push(lexDouble)
	case c == '$' || c == '`':
		return s.dollar(text, i)
	}
	return s.take(text, i, 1)
}

func (s *aliasScan) inArith(text string, i int) int {
	t := s.top()
	switch c := text[i]; {
	case c == '\\':
		return s.take(text, i, 2)
	case c == '"':
		s.push(lexDouble)
	case c == '\'':
		s.push(lexSingle)
	case c == '$' || c == '`':
		return s.dollar(text, i)
	case c == '(':
		t.parens++
	case c == ')' && t.parens > 0:
		t.parens--
	case c == ')':
		s.pop()
		s.top().inWord = true
		if i+1 < len(text) && text[i+1] == ')' {
			return s.take(text, i, 2)
		}
	}
	return s.take(text, i, 1)
}

// dollar copies the start of an expansion.
func (s *aliasScan) dollar(text string, i int) int {
	rest := text[i:]
	switch {
	case rest[0] == '`':
		if s.top().kind == lexBackquote {
			s.pop()
			s.top().inWord = true
		} else {
			s.push(lexBackquote)
		}
		return s.take(text, i, 1)
	case strings.HasPrefix(rest, "$(("):
		s.push(lexArith)
		return s.take(text, i, 3)
	case strings.HasPrefix(rest, "$("):
		s.push(lexCommands)
		return s.take(text, i, 2)
	case strings.HasPrefix(rest, "${"):
		s.push(lexBrace)
		return s.take(text, i, 2)
	case strings.HasPrefix(rest, "$'") && s.top().kind != lexDouble:
		s.push(lexANSI)
		return s.take(text, i, 2)
	}
	return s.take(text, i, 1)
}

// commandStarts makes the next word a command word.
func (t *lexLevel) commandStarts() {
	t.operand, t.file, t.inWord = t.cond || t.kind == lexArray, false, false
}

// wordStarts notes that a word that is no alias begins.
func (t *lexLevel) wordStarts() {
	if !t.inWord && !t.file {
		t.operand = true
	}
	t.file, t.inWord = false, true
}

// inCommands copies one token of commands.
func (s *aliasScan) inCommands(text string, i int, active []string) int {
	t := s.top()
	switch c := text[i]; c {
	case '\\':
		if i+1 < len(text) && text[i+1] != '\n' {
			t.wordStarts()
		}
		return s.take(text, i, 2)
	case '\'', '"':
		t.wordStarts()
		if c == '"' {
			s.push(lexDouble)
		} else {
			s.push(lexSingle)
		}
	case '$', '`':
		if c == '$' || t.kind != lexBackquote {
			t.wordStarts()
		}
		return s.dollar(text, i)
	case '#':
		if !t.inWord {
			if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
				return s.take(text, i, end)
			}
			return s.take(text, i, len(text))
		}
	case ' ', '\t':
		t.inWord = false
	case '\n':
		t.commandStarts()
	case ';', '|', '&':
		return s.operator(text, i)
	case '(':
		return s.open(text, i)
	case ')':
		s.close()
	case '<', '>':
		return s.redirection(text, i)
	default:
		return s.word(text, i, active)
	}
	return s.take(text, i, 1)
}

func (s *aliasScan) operator(text string, i int) int {
	t := s.top()
	n := 1
	for i+n < len(text) && n < 3 && strings.IndexByte(";|&", text[i+n]) >= 0 {
		n++
	}
	op := text[i : i+n]
	if op == "&" && i+1 < len(text) && text[i+1] == '>' {
		return s.take(text, i, 1)
	}
	t.commandStarts()
	if t.cases > 0 && (strings.HasPrefix(op, ";;") || op == ";&") {
		t.pattern = true
	}
	return s.take(text, i, n)
}

func (s *aliasScan) open(text string, i int) int {
	t := s.top()
	switch {
	case t.pattern:
	case strings.HasPrefix(text[i:], "((") && !t.operand && !t.inWord:
		t.operand = true
		s.push(lexArith)
		return s.take(text, i, 2)
	case t.inWord && i > 0 && text[i-1] == '=':
		s.push(lexArray)
	default:
		s.push(lexCommands)
	}
	return s.take(text, i, 1)
}

func (s *aliasScan) close() {
	t := s.top()
	if t.pattern {
		t.pattern = false
		t.commandStarts()
		return
	}
	s.pop()
	// After f() and a subshell a command may follow; after $( ) the word goes
	// on, and it was marked when it began.
	if p := s.top(); p.kind == lexCommands && !p.inWord {
		p.operand = false
	}
}

// redirection copies a redirection operator, and a here-document's delimiter.
func (s *aliasScan) redirection(text string, i int) int {
	rest := text[i:]
	t := s.top()
	t.inWord = false
	for _, op := range []string{"<<<", "<<-", "<<", "<(", ">(", "<&-", ">&-", "<&", ">&", "<>", ">|", ">>", "<", ">"} {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		i = s.take(text, i, len(op))
		switch op {
		case "<(", ">(":
			t.wordStarts()
			s.push(lexCommands)
		case "<<", "<<-":
			return s.delimiter(text, i, op == "<<-")
		case "<&-", ">&-":
		default:
			t.file = true
		}
		return i
	}
	return s.take(text, i, 1)
}

func (s *aliasScan) delimiter(text string, i int, tabs bool) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i = s.take(text, i, 1)
	}
	var delim strings.Builder
	for i < len(text) && strings.IndexByte(" \t\n;|&()<>", text[i]) < 0 {
		if strings.IndexByte("'\"\\", text[i]) < 0 {
			delim.WriteByte(text[i])
		}
		i = s.take(text, i, 1)
	}
	s.delims = append(s.delims, heredoc{delim.String(), tabs})
	return i
}

// word copies a run of ordinary characters; when it is a whole word that is an
// alias in the place of a command, what it stands for.
func (s *aliasScan) word(text string, i int, active []string) int {
	end := i
	for end < len(text) && strings.IndexByte(" \t\n;|&()<>'\"\\$`", text[end]) < 0 {
		end++
	}
	run := text[i:end]
	whole := end == len(text) || strings.IndexByte(" \t\n;|&()<>", text[end]) >= 0
	t := s.top()
	switch {
	case t.inWord || t.file:
		t.file, t.inWord = false, true
		return s.take(text, i, len(run))
	case end < len(text) && (text[end] == '<' || text[end] == '>') && isUnsigned(run):
		return s.take(text, i, len(run))
	}
	again := s.again
	s.again = false
	if whole && (!t.operand || again) && !t.pattern {
		value, ok := s.aliases[run]
		if ok && !slices.Contains(active, run) && len(value) < s.budget && len(active) < 100 {
			s.budget -= len(value) + 1
			start := s.out.Len()
			s.scan(value, append(active[:len(active):len(active)], run))
			if len(active) == 0 {
				s.cuts = append(s.cuts, splice{start, s.out.Len(), len(run)})
			}
			s.top().inWord = false
			s.again = strings.HasSuffix(value, " ") || strings.HasSuffix(value, "\t")
			return end
		}
	}
	command := !t.operand
	t.inWord = true
	switch {
	case t.cond:
		t.cond = run != "]]"
	case command && isAssignment(run):
	case command && whole:
		t.reserved(run)
	case command:
		t.operand = true
	case t.awaitIn && run == "in":
		t.awaitIn, t.pattern = false, true
	}
	return s.take(text, i, len(run))
}

// reserved tells what follows a word in the place of a command.
func (t *lexLevel) reserved(word string) {
	if t.pattern {
		if word == "esac" {
			t.pattern = false
			t.cases--
		}
		return
	}
	switch word {
	case "if", "then", "else", "elif", "while", "until", "do", "{", "}", "!", "time", "coproc", "fi", "done":
		return
	case "case":
		t.cases++
		t.awaitIn = true
	case "esac":
		t.cases = max(0, t.cases-1)
		return
	case "[[":
		t.cond = true
	}
	t.operand = true
}
