package shell

import (
	"errors"
	"io"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// input is source text on its way to the parser, a line at a time, as bash
// reads: aliases that one line defines are there for the next.
type input struct {
	e    *Executor
	next func() (string, error) // the next line with its newline
	rest string                 // of the line being handed out
	text strings.Builder        // what the parser got since start
	from int                    // offset of text in the whole
	got  int64
	lex  aliasLexer
	err  error
}

// lines makes an input of a text in memory.
func (e *Executor) lines(text string) *input {
	return &input{e: e, next: func() (string, error) {
		if text == "" {
			return "", io.EOF
		}
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			line := text + "\n"
			text = ""
			return line, nil
		}
		line := text[:i+1]
		text = text[i+1:]
		return line, nil
	}}
}

// Read hands the parser the next piece, never more than a line.
func (in *input) Read(p []byte) (int, error) {
	if in.rest == "" {
		if in.e.ctx.Err() != nil {
			return 0, io.EOF
		}
		line, err := in.next()
		if err != nil {
			return 0, err
		}
		in.got += int64(len(line))
		if in.got > in.e.cfg.Limits.Source {
			in.err = errTooLarge
			return 0, errTooLarge
		}
		if in.e.opts[optVerbose] {
			in.e.writeFD(2, line)
		}
		if strings.IndexByte(line, 0) >= 0 {
			line = strings.ReplaceAll(line, "\x00", "")
		}
		if in.e.shopts[shoptExpandAliases] {
			line = in.lex.expand(line, in.e.aliases)
		}
		in.rest = line
	}
	n := copy(p, in.rest)
	in.text.WriteString(in.rest[:n])
	in.rest = in.rest[n:]
	return n, nil
}

// forget drops the text of commands that have run.
func (in *input) forget() {
	in.from += in.text.Len()
	in.text.Reset()
}

// runInput runs source text as it is read: the commands of a line are parsed
// together and run before the next line is read. It answers false after a
// syntax error.
func (e *Executor) runInput(in *input) bool {
	p := e.s.parser()
	defer e.s.putParser(p)
	guard := newGuard(in)
	for stmts, err := range p.InteractiveSeq(guard) {
		if err != nil {
			if in.err != nil {
				err = in.err
			}
			if e.ctx.Err() == nil {
				e.reportSyntax(syntaxErrorOf(err, in.text.String(), in.from), in)
			} else {
				e.stopKilled()
			}
			return false
		}
		if p.Incomplete() || len(stmts) == 0 {
			continue
		}
		in.forget()
		for _, st := range stmts {
			nesting, err := measure(st, e.cfg.Limits.Nesting)
			if err != nil {
				e.reportSyntax(err, in)
				return false
			}
			e.unitWeight = nesting
			e.stmt(st)
			if e.flow != flowNone {
				break
			}
		}
		if e.flow == flowDiscard && e.subshell == 0 {
			e.flow = flowNone
			continue
		}
		if e.flow != flowNone {
			return true
		}
	}
	e.interrupted()
	return true
}

// reportSyntax prints a syntax error as bash does, with the offending line.
func (e *Executor) reportSyntax(err error, in *input) {
	var s *syntaxError
	if !errors.As(err, &s) {
		what := err.Error()
		e.limitError(what)
		return
	}
	name := e.name
	if n := len(e.frames); n > 0 && e.frames[n-1].source != "" {
		name = e.frames[n-1].source
	}
	if e.evals > 0 {
		name += ": eval"
	} else if e.origin == fromCommand && len(e.frames) == 0 {
		name += ": -c"
	}
	line := e.base + s.line
	if s.matching != "" {
		line = e.base + s.opened
	}
	prefix := name + ": line " + itoa(line) + ": "
	msg := prefix + s.message() + "\n"
	if !s.eof && s.matching == "" {
		text := in.text.String()
		lines := strings.Split(text, "\n")
		first := s.line - strings.Count(text, "\n")
		_ = first
		at := lineOf(text, s.token, lines)
		msg += prefix + "`" + at + "'\n"
	}
	e.writeFD(2, msg)
	e.status = 2
	if s.eof && s.matching == "" || s.matching != "" {
		e.status = 2
	}
}

// lineOf answers the last line of text that has the token.
func lineOf(text, token string, lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i] != "" && (token == "newline" || strings.Contains(lines[i], token)) {
			return lines[i]
		}
	}
	return strings.TrimRight(text, "\n")
}

// evalText runs the text of eval, a trap, and the like: its lines count on
// from line, the line where it stands.
func (e *Executor) evalText(text string, line int) bool {
	if !e.enter(1) {
		return false
	}
	defer e.leave(1)
	base, weight := e.base, e.unitWeight
	e.base = line - 1
	e.evals++
	ok := true
	if f := e.cachedParse(text); f != nil {
		e.list(f)
		if e.flow == flowDiscard && e.subshell == 0 {
			e.flow = flowNone
		}
	} else {
		ok = e.runInput(e.lines(text))
	}
	e.evals--
	e.base, e.unitWeight = base, weight
	return ok
}

// cachedParse answers the statements of a short text without aliases and
// newlines, which is parsed once; nil when it is not such a text or is wrong.
func (e *Executor) cachedParse(text string) []*syntax.Stmt {
	if len(text) > 512 || e.shopts[shoptExpandAliases] || e.opts[optVerbose] || strings.ContainsAny(text, "\n\x00") {
		return nil
	}
	s := e.s
	s.mu.Lock()
	f, ok := s.parsed[text]
	s.mu.Unlock()
	if ok {
		return f
	}
	file, _, err := e.parse(text)
	if err != nil || len(file.Stmts) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.parsed) >= 64 || s.parsed == nil {
		s.parsed = map[string][]*syntax.Stmt{}
	}
	s.parsed[text] = file.Stmts
	return file.Stmts
}
