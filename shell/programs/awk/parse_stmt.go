package awk

// block reads statements between braces.
func (p *parser) block() ([]stmt, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.expect('{'); err != nil {
		return nil, err
	}
	var body []stmt
	for {
		if err := p.skipTerminators(); err != nil {
			return nil, err
		}
		if p.tok.kind == '}' {
			return body, p.advance()
		}
		s, err := p.stmt()
		if err != nil {
			return nil, err
		}
		body = append(body, s)
	}
}

// body reads the statement that a condition or loop governs.
func (p *parser) body() ([]stmt, error) {
	if err := p.skipNewlines(); err != nil {
		return nil, err
	}
	if p.tok.kind == ';' {
		return nil, p.advance()
	}
	s, err := p.stmt()
	if err != nil {
		return nil, err
	}
	if b, ok := s.(*blockStmt); ok {
		return b.body, nil
	}
	return []stmt{s}, nil
}

func (p *parser) stmt() (stmt, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	switch p.tok.kind {
	case '{':
		body, err := p.block()
		return &blockStmt{body}, err
	case tokIf:
		return p.ifStmt()
	case tokWhile:
		return p.whileStmt()
	case tokDo:
		return p.doStmt()
	case tokFor:
		return p.forStmt()
	case tokSwitch:
		return p.switchStmt()
	}
	s, err := p.simple()
	if err != nil {
		return nil, err
	}
	return s, p.terminator()
}

// terminator ends a simple statement.
func (p *parser) terminator() error {
	switch p.tok.kind {
	case ';', tokNewline:
		return p.advance()
	case '}':
		return nil
	}
	return p.unexpected()
}

// condition reads an expression in parentheses.
func (p *parser) condition() (expr, error) {
	if err := p.expect('('); err != nil {
		return nil, err
	}
	e, err := p.inner()
	if err != nil {
		return nil, err
	}
	return e, p.expect(')')
}

// inner reads an expression within parentheses, where > compares again.
func (p *parser) inner() (expr, error) {
	saved := p.noGT
	p.noGT = false
	e, err := p.expr()
	p.noGT = saved
	return e, err
}

func (p *parser) ifStmt() (stmt, error) {
	s := &ifStmt{pos: p.tok.pos}
	err := p.advance()
	if err == nil {
		s.cond, err = p.condition()
	}
	if err == nil {
		s.yes, err = p.body()
	}
	if err != nil {
		return nil, err
	}
	// An else may stand behind a semicolon and newlines, which otherwise end
	// nothing more.
	lex, tok := *p.lex, p.tok
	if err := p.skipTerminators(); err != nil {
		return nil, err
	}
	if p.tok.kind != tokElse {
		*p.lex, p.tok = lex, tok
		return s, nil
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	s.no, err = p.body()
	return s, err
}

// loop reads the body of a loop.
func (p *parser) loop() ([]stmt, error) {
	p.loops++
	p.inLoop++
	defer func() { p.loops--; p.inLoop-- }()
	return p.body()
}

func (p *parser) whileStmt() (stmt, error) {
	s := &loopStmt{pos: p.tok.pos}
	err := p.advance()
	if err == nil {
		s.cond, err = p.condition()
	}
	if err == nil {
		s.body, err = p.loop()
	}
	return s, err
}

func (p *parser) doStmt() (stmt, error) {
	s := &loopStmt{postTest: true, pos: p.tok.pos}
	err := p.advance()
	if err == nil {
		s.body, err = p.loop()
	}
	if err == nil {
		err = p.skipTerminators()
	}
	if err == nil {
		err = p.expect(tokWhile)
	}
	if err == nil {
		s.cond, err = p.condition()
	}
	if err == nil {
		err = p.terminator()
	}
	return s, err
}

func (p *parser) forStmt() (stmt, error) {
	pos := p.tok.pos
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.expect('('); err != nil {
		return nil, err
	}
	if s, err := p.forIn(pos); s != nil || err != nil {
		return s, err
	}
	s := &loopStmt{pos: pos}
	var err error
	if p.tok.kind != ';' {
		if s.init, err = p.simple(); err != nil {
			return nil, err
		}
	}
	if err := p.expect(';'); err != nil {
		return nil, err
	}
	if err := p.skipNewlines(); err != nil {
		return nil, err
	}
	if p.tok.kind != ';' {
		if s.cond, err = p.expr(); err != nil {
			return nil, err
		}
	}
	if err := p.expect(';'); err != nil {
		return nil, err
	}
	if err := p.skipNewlines(); err != nil {
		return nil, err
	}
	if p.tok.kind != ')' {
		if s.post, err = p.simple(); err != nil {
			return nil, err
		}
	}
	if err := p.expect(')'); err != nil {
		return nil, err
	}
	s.body, err = p.loop()
	return s, err
}

// forIn reads for (x in a), after its parenthesis; nil when it is another for.
func (p *parser) forIn(pos position) (stmt, error) {
	if p.tok.kind != tokName {
		return nil, nil
	}
	lex, tok := *p.lex, p.tok
	name := p.tok.text
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == tokIn {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.kind == tokName {
			array, err := p.arrayRef()
			if err != nil {
				return nil, err
			}
			if p.tok.kind == ')' {
				s := &forInStmt{lhs: p.variable(name), array: array, pos: pos}
				if err := p.advance(); err != nil {
					return nil, err
				}
				s.body, err = p.loop()
				return s, err
			}
		}
	}
	*p.lex, p.tok = lex, tok
	return nil, nil
}

func (p *parser) switchStmt() (stmt, error) {
	s := &switchStmt{pos: p.tok.pos}
	err := p.advance()
	if err == nil {
		s.e, err = p.condition()
	}
	if err == nil {
		err = p.skipNewlines()
	}
	if err == nil {
		err = p.expect('{')
	}
	if err != nil {
		return nil, err
	}
	p.loops++
	defer func() { p.loops-- }()
	for {
		if err := p.skipTerminators(); err != nil {
			return nil, err
		}
		switch p.tok.kind {
		case '}':
			return s, p.advance()
		case tokCase:
			if err := p.advance(); err != nil {
				return nil, err
			}
			v, err := p.unary()
			if err != nil {
				return nil, err
			}
			s.cases = append(s.cases, switchCase{value: v})
		case tokDefault:
			if err := p.advance(); err != nil {
				return nil, err
			}
			s.cases = append(s.cases, switchCase{})
		default:
			if len(s.cases) == 0 {
				return nil, p.unexpected()
			}
			st, err := p.stmt()
			if err != nil {
				return nil, err
			}
			c := &s.cases[len(s.cases)-1]
			c.body = append(c.body, st)
			continue
		}
		if err := p.expect(':'); err != nil {
			return nil, err
		}
	}
}

// simple reads a statement that takes a terminator.
func (p *parser) simple() (stmt, error) {
	pos := p.tok.pos
	switch k := p.tok.kind; k {
	case tokPrint, tokPrintf:
		return p.printStmt()
	case tokDelete:
		return p.deleteStmt()
	case tokBreak, tokContinue:
		if k == tokBreak && p.loops == 0 {
			return nil, p.twice(pos, "error: `break' is not allowed outside a loop or switch")
		}
		if k == tokContinue && p.inLoop == 0 {
			return nil, p.twice(pos, "error: `continue' is not allowed outside a loop")
		}
		sig := sigBreak
		if k == tokContinue {
			sig = sigContinue
		}
		return &jumpStmt{sig, pos}, p.advance()
	case tokNext, tokNextFile:
		if p.rule != "" && p.rule != "function" && !(k == tokNextFile && p.rule == "BEGINFILE") {
			return nil, p.bare(pos, "error: `%s' used in %s action", p.tok.text, p.rule)
		}
		sig := sigNext
		if k == tokNextFile {
			sig = sigNextFile
		}
		return &jumpStmt{sig, pos}, p.advance()
	case tokReturn:
		if p.locals == nil {
			return nil, p.lex.errorAt(pos, "`return' used outside function context")
		}
		e, err := p.optional()
		return &returnStmt{e, pos}, err
	case tokExit:
		e, err := p.optional()
		return &exitStmt{e, pos}, err
	}
	e, err := p.expr()
	return &exprStmt{e, pos}, err
}

// optional reads a keyword and the expression that may follow it.
func (p *parser) optional() (expr, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	switch p.tok.kind {
	case ';', tokNewline, '}', tokEOF:
		return nil, nil
	}
	return p.expr()
}

func (p *parser) printStmt() (stmt, error) {
	s := &printStmt{printf: p.tok.kind == tokPrintf, pos: p.tok.pos}
	if err := p.advance(); err != nil {
		return nil, err
	}
	saved := p.noGT
	p.noGT = true
	defer func() { p.noGT = saved }()
	switch p.tok.kind {
	case ';', tokNewline, '}', '>', tokAppend, '|', tokEOF:
		if s.printf {
			return nil, &syntaxError{pos: s.pos, text: "fatal: printf: no arguments", bare: true, status: 2}
		}
	default:
		list, err := p.exprList()
		if err != nil {
			return nil, err
		}
		if g, ok := list[0].(*groupExpr); ok && len(list) == 1 {
			list = g.list
		}
		for _, e := range list {
			if g, ok := e.(*groupExpr); ok && len(g.list) > 1 {
				return nil, p.unexpected()
			}
		}
		s.args = list
	}
	switch p.tok.kind {
	case '>', tokAppend, '|':
		s.redir = p.tok.kind
		if err := p.advance(); err != nil {
			return nil, err
		}
		var err error
		// The target is a concatenation, without comparisons.
		if s.dest, err = p.concat(); err != nil {
			return nil, err
		}
	case tokCoprocess:
		return nil, p.bare(p.tok.pos, "fatal: `|&' is not supported")
	}
	return s, nil
}

func (p *parser) deleteStmt() (stmt, error) {
	s := &deleteStmt{pos: p.tok.pos}
	if err := p.advance(); err != nil {
		return nil, err
	}
	parens := p.tok.kind == '('
	if parens {
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	if p.tok.kind != tokName {
		return nil, p.unexpected()
	}
	ref, err := p.arrayRef()
	if err != nil {
		return nil, err
	}
	s.array = ref
	if i, ok := ref.(*indexRef); ok {
		s.array, s.subs = i.array, i.subs
	}
	if parens {
		return s, p.expect(')')
	}
	return s, nil
}
