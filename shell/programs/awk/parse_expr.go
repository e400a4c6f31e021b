package awk

import "fmt"

// exprList reads expressions between commas.
func (p *parser) exprList() ([]expr, error) {
	var list []expr
	for {
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		if p.tok.kind != ',' {
			return list, nil
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		if err := p.skipNewlines(); err != nil {
			return nil, err
		}
	}
}

// expr reads an expression.
func (p *parser) expr() (expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	cond, err := p.or()
	if err != nil || p.tok.kind != '?' {
		return cond, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.skipNewlines(); err != nil {
		return nil, err
	}
	yes, err := p.expr()
	if err != nil {
		return nil, err
	}
	if err := p.skipNewlines(); err != nil {
		return nil, err
	}
	if err := p.expect(':'); err != nil {
		return nil, err
	}
	if err := p.skipNewlines(); err != nil {
		return nil, err
	}
	no, err := p.expr()
	return &condExpr{cond, yes, no}, err
}

func (p *parser) or() (expr, error)  { return p.logical(tokOr, p.and) }
func (p *parser) and() (expr, error) { return p.logical(tokAnd, p.in) }

func (p *parser) logical(op tokenKind, operand func() (expr, error)) (expr, error) {
	l, err := operand()
	for err == nil && p.tok.kind == op {
		pos := p.tok.pos
		if err := p.advance(); err != nil {
			return nil, err
		}
		if err := p.skipNewlines(); err != nil {
			return nil, err
		}
		var r expr
		r, err = operand()
		l = &binaryExpr{op, l, r, pos}
	}
	return l, err
}

func (p *parser) in() (expr, error) {
	l, err := p.match()
	for err == nil && p.tok.kind == tokIn {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.kind != tokName {
			return nil, p.unexpected()
		}
		array, err := p.arrayRef()
		if err != nil {
			return nil, err
		}
		subs := []expr{l}
		if g, ok := l.(*groupExpr); ok {
			subs = g.list
		}
		l = &inExpr{subs, array}
	}
	return l, err
}

func (p *parser) match() (expr, error) {
	l, err := p.comparison()
	for err == nil && (p.tok.kind == '~' || p.tok.kind == tokNoMatch) {
		not := p.tok.kind == tokNoMatch
		if err := p.advance(); err != nil {
			return nil, err
		}
		var r expr
		r, err = p.comparison()
		l = &matchExpr{not, l, r}
	}
	return l, err
}

func (p *parser) comparison() (expr, error) {
	l, err := p.piped()
	if err != nil || !p.compares() {
		return l, err
	}
	op, pos := p.tok.kind, p.tok.pos
	if err := p.advance(); err != nil {
		return nil, err
	}
	r, err := p.piped()
	if err == nil && p.compares() {
		return nil, p.unexpected() // comparisons do not chain
	}
	return &binaryExpr{op, l, r, pos}, err
}

// compares tells whether the token is a comparison.
func (p *parser) compares() bool {
	switch p.tok.kind {
	case '<', tokLe, tokEq, tokNe, tokGe:
		return true
	case '>':
		return !p.noGT
	}
	return false
}

// piped reads cmd | getline.
func (p *parser) piped() (expr, error) {
	l, err := p.concat()
	for err == nil && (p.tok.kind == '|' || p.tok.kind == tokCoprocess) {
		lex, tok := *p.lex, p.tok
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.kind != tokGetline && !p.noGT {
			return nil, p.unexpected()
		}
		if p.tok.kind != tokGetline {
			*p.lex, p.tok = lex, tok
			return l, nil
		}
		if tok.kind == tokCoprocess {
			return nil, p.bare(tok.pos, "fatal: `|&' is not supported")
		}
		g := &getlineExpr{command: l}
		if err := p.advance(); err != nil {
			return nil, err
		}
		g.lhs, err = p.optionalLvalue()
		l = g
	}
	return l, err
}

// optionalLvalue reads the variable of getline, if there is one.
func (p *parser) optionalLvalue() (expr, error) {
	if p.tok.kind == tokName || p.tok.kind == '$' {
		return p.operand()
	}
	return nil, nil
}

func (p *parser) concat() (expr, error) {
	l, err := p.additive()
	for err == nil && p.startsOperand() {
		pos := p.tok.pos
		var r expr
		r, err = p.additive()
		l = &binaryExpr{tokConcat, l, r, pos}
	}
	return l, err
}

// startsOperand tells whether the token begins what is concatenated.
func (p *parser) startsOperand() bool {
	switch p.tok.kind {
	case tokNumber, tokString, tokName, tokFuncName, tokBuiltin, '$', '!', '(', '-', '+', tokIncr, tokDecr, '@':
		return true
	}
	return false
}

func (p *parser) additive() (expr, error) {
	l, err := p.multiplicative()
	for err == nil && (p.tok.kind == '+' || p.tok.kind == '-') {
		op, pos := p.tok.kind, p.tok.pos
		if err := p.advance(); err != nil {
			return nil, err
		}
		var r expr
		r, err = p.multiplicative()
		l = &binaryExpr{op, l, r, pos}
	}
	return l, err
}

func (p *parser) multiplicative() (expr, error) {
	l, err := p.unary()
	for err == nil && (p.tok.kind == '*' || p.tok.kind == '/' || p.tok.kind == '%') {
		op, pos := p.tok.kind, p.tok.pos
		if err := p.advance(); err != nil {
			return nil, err
		}
		r, err := p.unary()
		if err != nil {
			return nil, err
		}
		if divisor, ok := r.(*numLit); ok && divisor.n == 0 && op != '*' {
			return nil, p.bare(pos, "error: division by zero attempted%s", map[tokenKind]string{'%': " in `%'"}[op])
		}
		l = &binaryExpr{op, l, r, pos}
	}
	return l, err
}

func (p *parser) unary() (expr, error) {
	switch op := p.tok.kind; op {
	case '!', '-', '+':
		if err := p.enter(); err != nil {
			return nil, err
		}
		defer p.leave()
		if err := p.advance(); err != nil {
			return nil, err
		}
		e, err := p.unary()
		return &unaryExpr{op, e}, err
	}
	return p.power()
}

func (p *parser) power() (expr, error) {
	l, err := p.operand()
	if err != nil {
		return nil, err
	}
	if isLvalue(l) {
		if l, err = p.assignment(l); err != nil {
			return nil, err
		}
	}
	if p.tok.kind != '^' {
		return l, nil
	}
	pos := p.tok.pos
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.advance(); err != nil {
		return nil, err
	}
	r, err := p.unary()
	return &binaryExpr{'^', l, r, pos}, err
}

func isLvalue(e expr) bool {
	switch e.(type) {
	case *varRef, *fieldRef, *indexRef:
		return true
	}
	return false
}

// assignment reads the assignment to an lvalue, if there is one.
func (p *parser) assignment(lhs expr) (expr, error) {
	switch op := p.tok.kind; op {
	case '=', tokAddAssign, tokSubAssign, tokMulAssign, tokDivAssign, tokModAssign, tokPowAssign:
		if err := p.advance(); err != nil {
			return nil, err
		}
		if err := p.skipNewlines(); err != nil {
			return nil, err
		}
		rhs, err := p.expr()
		return &assignExpr{op, lhs, rhs}, err
	}
	return lhs, nil
}

// operand reads a primary with ++ or -- around it.
func (p *parser) operand() (expr, error) {
	if p.tok.kind == tokIncr || p.tok.kind == tokDecr {
		delta := 1.0
		if p.tok.kind == tokDecr {
			delta = -1
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		e, err := p.primary()
		if err != nil {
			return nil, err
		}
		if !isLvalue(e) {
			return nil, p.unexpected()
		}
		return &incrExpr{lhs: e, delta: delta}, nil
	}
	e, err := p.primary()
	if err != nil || !isLvalue(e) {
		return e, err
	}
	switch p.tok.kind {
	case tokIncr:
		return &incrExpr{lhs: e, delta: 1, post: true}, p.advance()
	case tokDecr:
		return &incrExpr{lhs: e, delta: -1, post: true}, p.advance()
	}
	return e, nil
}

func (p *parser) primary() (expr, error) {
	t := p.tok
	switch t.kind {
	case tokNumber:
		return &numLit{t.num}, p.advance()
	case tokString:
		return &strLit{t.text}, p.advance()
	case '/', tokDivAssign:
		if err := p.lex.regex(&t); err != nil {
			return nil, err
		}
		return &regexLit{t.text, t.pos}, p.advance()
	case '$':
		return p.field()
	case '(':
		return p.group()
	case tokName:
		return p.arrayRef()
	case tokFuncName:
		return p.call()
	case '@':
		return p.indirectCall()
	case tokBuiltin:
		return p.builtin()
	case tokGetline:
		return p.getline()
	}
	return nil, p.unexpected()
}

// field reads $ and what it applies to, which binds tighter than anything.
func (p *parser) field() (expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.advance(); err != nil {
		return nil, err
	}
	switch op := p.tok.kind; op {
	case '-', '+', '!':
		if err := p.advance(); err != nil {
			return nil, err
		}
		e, err := p.primary()
		return &fieldRef{&unaryExpr{op, e}}, err
	case tokIncr, tokDecr:
		e, err := p.operand()
		return &fieldRef{e}, err
	}
	e, err := p.primary()
	return &fieldRef{e}, err
}

func (p *parser) group() (expr, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	saved := p.noGT
	p.noGT = false
	list, err := p.exprList()
	p.noGT = saved
	if err != nil {
		return nil, err
	}
	return &groupExpr{list}, p.expect(')')
}

// variable answers the reference of a name.
func (p *parser) variable(name string) *varRef {
	if i, ok := p.locals[name]; ok {
		return &varRef{name, scopeLocal, i}
	}
	if id, ok := specials[name]; ok {
		return &varRef{name, scopeSpecial, int(id)}
	}
	return &varRef{name, scopeGlobal, p.global(name)}
}

// global answers the index of a global variable.
func (p *parser) global(name string) int {
	i, ok := p.prog.globalIndex[name]
	if !ok {
		i = len(p.prog.globals)
		p.prog.globalIndex[name] = i
		p.prog.globals = append(p.prog.globals, name)
	}
	return i
}

// arrayRef reads a variable with its subscripts, if any.
func (p *parser) arrayRef() (expr, error) {
	var e expr = p.variable(p.tok.text)
	if err := p.advance(); err != nil {
		return nil, err
	}
	for p.tok.kind == '[' {
		if err := p.advance(); err != nil {
			return nil, err
		}
		saved := p.noGT
		p.noGT = false
		subs, err := p.exprList()
		p.noGT = saved
		if err != nil {
			return nil, err
		}
		if err := p.expect(']'); err != nil {
			return nil, err
		}
		e = &indexRef{e, subs}
	}
	return e, nil
}

// arguments reads the arguments of a call, parentheses included.
func (p *parser) arguments() ([]expr, error) {
	if err := p.expect('('); err != nil {
		return nil, err
	}
	saved := p.noGT
	p.noGT = false
	defer func() { p.noGT = saved }()
	p.closing = p.tok.pos
	if p.tok.kind == ')' {
		return nil, p.advance()
	}
	list, err := p.exprList()
	if err != nil {
		return nil, err
	}
	p.closing = p.tok.pos
	return list, p.expect(')')
}

func (p *parser) call() (expr, error) {
	c := &callExpr{name: p.tok.text, pos: p.tok.pos}
	if _, ok := p.locals[c.name]; ok {
		return nil, p.bare(c.pos, "error: attempt to use non-function `%s' in function call", c.name)
	}
	c.fn = p.callee(c.name)
	if !c.fn.defined && c.fn.pos.source == nil {
		c.fn.pos = c.pos
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var err error
	c.args, err = p.arguments()
	return c, err
}

// indirectCall reads @name(...), where name holds the function's name.
func (p *parser) indirectCall() (expr, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind != tokFuncName {
		return nil, p.unexpected()
	}
	c := &callExpr{name: p.tok.text, pos: p.tok.pos, indirect: p.variable(p.tok.text)}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var err error
	c.args, err = p.arguments()
	return c, err
}

func (p *parser) builtin() (expr, error) {
	b := &builtinExpr{name: p.tok.text, pos: p.tok.pos, parens: true}
	def := builtins[b.name]
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind != '(' && b.name == "length" {
		b.parens = false
		return b, nil
	}
	args, err := p.arguments()
	if err != nil {
		return nil, err
	}
	if n := len(args); n < def.min || n > def.max {
		return nil, p.lex.errorAt(p.closing, fmt.Sprintf("%d is invalid as number of arguments for %s", n, b.name))
	}
	b.args = args
	return b, nil
}

func (p *parser) getline() (expr, error) {
	g := &getlineExpr{}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var err error
	if g.lhs, err = p.optionalLvalue(); err != nil {
		return nil, err
	}
	if p.tok.kind != '<' {
		return g, nil
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	g.file, err = p.operand()
	return g, err
}
