package shell

import (
	"errors"
	"io"
	"strings"
)

// input is source text on its way to the parser, a line at a time, as bash
// reads: aliases that one line defines are there for the next.
type input struct {
	e    *Executor
	next func() (string, error) // the next line with its newline
	rest string                 // of the line being handed out
	text strings.Builder        // what the parser got since start
	from int                    // offset of text in what this parser got
	line int                    // lines before text that this parser got
	// shift is what positions of this parser lack to those of the whole
	// input, and cuts are the aliases in text.
	shift int
	cuts  []splice
	got   int64
	lex   aliasLexer
	err   error
	// failed is the text of a command that was refused after it was parsed.
	failed string
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
		line, err := in.raw()
		if err != nil {
			return 0, err
		}
		in.rest = line
	}
	n := strings.IndexByte(in.rest, '\n') + 1
	if n == 0 {
		n = len(in.rest)
	}
	n = copy(p, in.rest[:n])
	in.text.WriteString(in.rest[:n])
	in.rest = in.rest[n:]
	return n, nil
}

// raw answers the next line, its aliases expanded.
func (in *input) raw() (string, error) {
	if in.e.ctx.Err() != nil {
		return "", io.EOF
	}
	line, err := in.next()
	if err != nil {
		return "", err
	}
	in.got += int64(len(line))
	if in.got > in.e.cfg.Limits.Source {
		in.err = errTooLarge
		return "", errTooLarge
	}
	if in.e.opts[optVerbose] {
		in.e.writeFD(2, line)
	}
	if strings.IndexByte(line, 0) >= 0 {
		line = strings.ReplaceAll(line, "\x00", "")
	}
	if in.e.shopts[shoptExpandAliases] {
		line = in.lex.expand(line, in.e.aliases)
		for _, c := range in.lex.cuts {
			start := in.from + in.text.Len()
			in.cuts = append(in.cuts, splice{start + c.from, start + c.to, c.raw})
		}
	}
	return line, nil
}

// forget drops the text of commands that are about to run.
func (in *input) forget() {
	in.line += strings.Count(in.text.String(), "\n")
	in.from += in.text.Len()
	in.text.Reset()
	for _, c := range in.cuts {
		in.shift += c.raw - (c.to - c.from)
	}
	in.cuts = nil
}

// runInput runs source text as it is read: the commands of a line are parsed
// together and run before the next line is read. It answers false after a
// syntax error.
func (e *Executor) runInput(in *input) bool {
	text, from, offsets := e.text, e.textFrom, e.offsets
	defer func() { e.text, e.textFrom, e.offsets = text, from, offsets }()
	rewritten := 0
	for tries := 0; ; tries++ {
		err := e.runParsed(in)
		if err == nil {
			e.interrupted()
			return true
		}
		if in.err != nil {
			err = in.err
		}
		if e.ctx.Err() != nil {
			e.stopKilled()
			return false
		}
		err = syntaxErrorOf(err, in.from)
		var s *syntaxError
		if tries < maxRewrites && rewritten < maxRewritten && errors.As(err, &s) && in.rewrite(s) {
			rewritten += len(in.rest)
			e.base += in.line
			in.line = 0
			continue
		}
		e.reportSyntax(err, in)
		return false
	}
}

// maxRewrites bounds how often one input is rewritten for the parser, and
// maxRewritten how much text is parsed again for it.
const (
	maxRewrites  = 1000
	maxRewritten = 32 << 20
)

// rewrite puts the text of the command that failed to parse back, changed so
// that the parser may take it; false when there is nothing to change.
func (in *input) rewrite(s *syntaxError) bool {
	text := in.text.String()
	fixed, ok := s.rewrite(text + in.rest)
	if !ok {
		return false
	}
	in.e.warnUnclosed(s, strings.Count(text, "\n")+in.line)
	for i := range in.cuts {
		in.cuts[i].from -= in.from
		in.cuts[i].to -= in.from
	}
	in.shift += in.from
	in.rest, in.from = fixed, 0
	in.text.Reset()
	return true
}

// warnUnclosed warns of a here-document that the end of the input ended.
func (e *Executor) warnUnclosed(s *syntaxError, lines int) {
	delim := s.unclosedHereDoc()
	if delim == "" {
		return
	}
	name := e.name
	if n := len(e.frames); n > 0 && e.frames[n-1].source != "" {
		name = e.frames[n-1].source
	}
	e.writeFD(2, name+": line "+itoa(e.base+lines)+": warning: here-document at line "+itoa(e.base+s.line)+
		" delimited by end-of-file (wanted `"+delim+"')\n")
}

// runParsed runs what the parser makes of the input, from the start of a
// command on.
func (e *Executor) runParsed(in *input) error {
	p := e.s.parser()
	defer e.s.putParser(p)
	for stmts, err := range p.InteractiveSeq(newGuard(e.ctx, in)) {
		if err != nil {
			return err
		}
		if p.Incomplete() || len(stmts) == 0 {
			continue
		}
		e.text, e.textFrom, e.offsets = in.text.String(), in.from, in.offsets()
		in.forget()
		for _, st := range stmts {
			nesting, err := e.check(st)
			if s, ok := err.(*syntaxError); ok {
				s.offset -= e.textFrom
				in.failed = e.text
			}
			if err != nil {
				return err
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
			return nil
		}
	}
	return nil
}

// reportSyntax prints a syntax error as bash does, with the offending line.
func (e *Executor) reportSyntax(err error, in *input) {
	var s *syntaxError
	if !errors.As(err, &s) {
		e.limitError(err.Error())
		return
	}
	text, first := in.text.String(), e.base+in.line+1
	if in.failed != "" {
		text = in.failed
		first -= strings.Count(text, "\n")
	}
	e.locate(s, text, first)
	name := e.name
	if n := len(e.frames); n > 0 && e.frames[n-1].source != "" {
		name = e.frames[n-1].source
	}
	switch {
	case e.evals > 0:
		name += ": eval"
	case e.origin == fromCommand && len(e.frames) == 0:
		name += ": -c"
	}
	prefix := name + ": line " + itoa(s.line) + ": "
	msg := prefix + s.message() + "\n"
	if !s.eof {
		start := strings.LastIndexByte(text[:clamp(s.offset, len(text))], '\n') + 1
		line, _, _ := strings.Cut(text[start:], "\n")
		msg += prefix + "`" + line + "'\n"
	}
	e.writeFD(2, msg)
	e.status = 2
}

// offsets answers how positions of this parser lead to the whole input.
func (in *input) offsets() *offsets {
	if in.shift == 0 && in.cuts == nil {
		return nil
	}
	return &offsets{shift: in.shift, cuts: in.cuts}
}

// enterText makes a text that the command at hand evaluates the one that is
// being run; what it answers goes back to the text around it.
func (e *Executor) enterText(text string) (leave func()) { return e.enterTextAt(text, e.where()) }

// enterTextAt is enterText for the command at a place.
func (e *Executor) enterTextAt(text, place string) (leave func()) {
	scope, at, offsets := e.scope, e.at, e.offsets
	e.scope, e.offsets = e.scopeOf(place, text), nil
	return func() { e.scope, e.at, e.offsets = scope, at, offsets }
}

// evalText runs the text of eval, a trap, and the like: its lines count on
// from line, the line where it stands; place is that of the command that
// evaluates it, or set the trap.
func (e *Executor) evalText(text string, line int, place string) bool {
	if !e.enter(1) {
		return false
	}
	defer e.leave(1)
	base, weight := e.base, e.unitWeight
	e.base = line - 1
	e.evals++
	leave := e.enterTextAt(text, place)
	ok := true
	if u := e.cachedParse(text); u != nil {
		ok = e.runUnit(u)
	} else {
		ok = e.runInput(e.lines(text))
	}
	leave()
	e.evals--
	e.base, e.unitWeight = base, weight
	return ok
}

// runUnit runs a parsed text as one line.
func (e *Executor) runUnit(u *unit) bool {
	text, from := e.text, e.textFrom
	e.text, e.textFrom, e.unitWeight = u.text, 0, u.nesting
	e.list(u.file.Stmts)
	if e.flow == flowDiscard && e.subshell == 0 {
		e.flow = flowNone
	}
	e.text, e.textFrom = text, from
	return true
}

// cachedParse answers a short text without aliases and newlines, which is
// parsed once; nil when it is not such a text or is wrong.
func (e *Executor) cachedParse(text string) *unit {
	if len(text) > 512 || e.shopts[shoptExpandAliases] || e.opts[optVerbose] || strings.ContainsAny(text, "\n\x00") {
		return nil
	}
	s := e.s
	s.mu.Lock()
	u := s.parsed[text]
	s.mu.Unlock()
	if u != nil {
		return u
	}
	u, err := e.parse(text)
	if err != nil || len(u.file.Stmts) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.parsed) >= 64 || s.parsed == nil {
		s.parsed = map[string]*unit{}
	}
	s.parsed[text] = u
	return u
}
