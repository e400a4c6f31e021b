package awk

import (
	"fmt"
	"strings"
)

// maxNesting bounds how deep expressions and statements nest.
const maxNesting = 1000

// parser builds the syntax tree. It reads one source after another; a rule
// does not go on from one to the next.
type parser struct {
	lex  *lexer
	tok  token
	prog *script

	locals   map[string]int // of the function being read
	depth    int
	loops    int      // loops and switches around
	inLoop   int      // loops around
	rule     string   // BEGIN and the like, or "" for an ordinary rule
	noGT     bool     // > is a redirection
	closing  position // of the parenthesis behind the last arguments
	warnings []string
}

func newParser() *parser {
	return &parser{prog: &script{byName: map[string]*function{}, globalIndex: map[string]int{}}}
}

// parse adds a source to the program.
func (p *parser) parse(src *source) error {
	p.lex = &lexer{src: src, line: src.line}
	defer func() { p.warnings = append(p.warnings, p.lex.warnings...) }()
	if err := p.advance(); err != nil {
		return err
	}
	for {
		if err := p.skipTerminators(); err != nil {
			return err
		}
		if p.tok.kind == tokEOF {
			return nil
		}
		if err := p.item(); err != nil {
			return err
		}
	}
}

func (p *parser) advance() (err error) {
	p.tok, err = p.lex.next()
	return err
}

// unexpected is the error of the current token.
func (p *parser) unexpected() error {
	if p.tok.kind == tokEOF || p.tok.kind == tokNewline {
		return p.lex.errorAt(p.tok.pos, "unexpected newline or end of string")
	}
	return p.lex.errorAt(p.tok.pos, "syntax error")
}

func (p *parser) expect(k tokenKind) error {
	if p.tok.kind != k {
		return p.unexpected()
	}
	return p.advance()
}

// bare is an error without the source line.
func (p *parser) bare(pos position, format string, args ...any) error {
	return &syntaxError{pos: pos, text: fmt.Sprintf(format, args...), bare: true}
}

// twice is a bare error that gawk prints two times.
func (p *parser) twice(pos position, text string) error {
	return &syntaxError{pos: pos, text: text, bare: true, twice: true}
}

func (p *parser) skipNewlines() error {
	for p.tok.kind == tokNewline {
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) skipTerminators() error {
	for p.tok.kind == tokNewline || p.tok.kind == ';' {
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}

// enter counts a level of nesting; leave takes it back.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxNesting {
		return p.bare(p.tok.pos, "fatal: nesting is too deep")
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// item reads a rule or a function.
func (p *parser) item() error {
	switch k := p.tok.kind; k {
	case tokBegin, tokEnd, tokBeginFile, tokEndFile:
		p.rule = p.tok.text
		if err := p.advance(); err != nil {
			return err
		}
		if p.tok.kind != '{' {
			return p.unexpected()
		}
		body, err := p.block()
		if err != nil {
			return err
		}
		list := map[tokenKind]*[]*rule{tokBegin: &p.prog.begin, tokEnd: &p.prog.end, tokBeginFile: &p.prog.beginFile, tokEndFile: &p.prog.endFile}[k]
		*list = append(*list, &rule{body: body})
		return nil
	case tokFunction:
		return p.function()
	case '@':
		if s := p.lex.src.text[p.lex.pos:]; strings.HasPrefix(s, "include") || strings.HasPrefix(s, "load") || strings.HasPrefix(s, "namespace") {
			word, _, _ := strings.Cut(s, " ")
			return p.bare(p.tok.pos, "fatal: @%s is not supported", word)
		}
	}
	return p.patternRule()
}

func (p *parser) patternRule() error {
	p.rule = ""
	r := &rule{pos: p.tok.pos}
	if p.tok.kind != '{' {
		first, err := p.expr()
		if err != nil {
			return err
		}
		r.pattern = []expr{first}
		if p.tok.kind == ',' {
			if err := p.advance(); err != nil {
				return err
			}
			if err := p.skipNewlines(); err != nil {
				return err
			}
			second, err := p.expr()
			if err != nil {
				return err
			}
			r.pattern = append(r.pattern, second)
			r.index = p.prog.ranges
			p.prog.ranges++
		}
	}
	r.print = p.tok.kind != '{'
	if r.print {
		if k := p.tok.kind; k != tokNewline && k != ';' && k != tokEOF {
			return p.unexpected()
		}
	} else {
		body, err := p.block()
		if err != nil {
			return err
		}
		r.body = body
	}
	p.prog.rules = append(p.prog.rules, r)
	return nil
}

func (p *parser) function() error {
	p.rule = "function"
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind == tokBuiltin {
		return p.lex.errorAt(p.tok.pos, fmt.Sprintf("`%s' is a built-in function, it cannot be redefined", p.tok.text))
	}
	if p.tok.kind != tokName && p.tok.kind != tokFuncName {
		return p.unexpected()
	}
	f := p.callee(p.tok.text)
	f.pos = p.tok.pos
	if f.defined {
		return p.bare(f.pos, "error: function name `%s' previously defined", f.name)
	}
	f.defined = true
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.params(f); err != nil {
		return err
	}
	if err := p.skipNewlines(); err != nil {
		return err
	}
	if p.tok.kind != '{' {
		return p.unexpected()
	}
	body, err := p.block()
	f.body = body
	p.locals = nil
	p.prog.functions = append(p.prog.functions, f)
	return err
}

// callee answers the function of a name, which may be defined later.
func (p *parser) callee(name string) *function {
	f, ok := p.prog.byName[name]
	if !ok {
		f = &function{name: name}
		p.prog.byName[name] = f
	}
	return f
}

func (p *parser) params(f *function) error {
	if err := p.expect('('); err != nil {
		return err
	}
	p.locals = map[string]int{}
	for p.tok.kind != ')' {
		if p.tok.kind != tokName {
			return p.unexpected()
		}
		name := p.tok.text
		if first, ok := p.locals[name]; ok {
			return p.bare(p.tok.pos, "error: function `%s': parameter #%d, `%s', duplicates parameter #%d", f.name, len(f.params)+1, name, first+1)
		}
		if name == f.name {
			return p.bare(p.tok.pos, "error: function `%s': cannot use function name as parameter name", name)
		}
		if _, ok := specials[name]; ok {
			return p.bare(p.tok.pos, "error: function `%s': cannot use special variable `%s' as a function parameter", f.name, name)
		}
		p.locals[name] = len(f.params)
		f.params = append(f.params, name)
		if err := p.advance(); err != nil {
			return err
		}
		if p.tok.kind != ',' {
			break
		}
		if err := p.advance(); err != nil {
			return err
		}
		if err := p.skipNewlines(); err != nil {
			return err
		}
	}
	return p.expect(')')
}
