package arith

import "strings"

type op uint8

const (
	opNumber op = iota // n
	opSlot             // placeholder n
	opVar              // name
	opElem             // name[raw]
	opComma
	opAssign // name = right; binary is the operator of op=, 0 for none
	opCond
	opOrOr
	opAndAnd
	opBinary
	opNeg
	opPlus
	opNot
	opInvert
	opPreInc
	opPreDec
	opPostInc
	opPostDec
)

type node struct {
	op     op
	binary token
	n      int64
	name   string
	raw    string   // text of a subscript, slots included
	sub    *Program // raw as an expression
	a, b   *node
	c      *node
	at     int // offset of what messages point at
}

// The bounds of an expression: the recursion of the parser, subscripts within
// subscripts, which are read once a level, and bytes.
const (
	maxNesting    = 1000
	maxSubscripts = 20
	maxText       = 256 << 10
)

type parser struct {
	lexer
	prog       *Program
	depth      int
	subscripts int
}

// program parses a whole text. Blank text has no root and is no error.
func (p *parser) program() (root *node, err *syntaxError) {
	defer func() {
		if e, ok := recover().(*syntaxError); ok {
			root, err = nil, e
		} else if e != nil {
			panic(e)
		}
	}()
	if strings.Trim(p.src, " \t\n\r") == "" {
		return nil, nil
	}
	if len(p.src) > maxText {
		p.fail("expression: limit exceeded")
	}
	p.next()
	root = p.comma()
	if p.tok != tokEnd {
		p.fail("syntax error in expression")
	}
	return root, nil
}

// fail gives up with a message about the token read last. The panic ends in
// program.
func (p *parser) fail(text string) { panic(&syntaxError{text, p.last, len(p.src)}) }

func (p *parser) enter() {
	if p.depth++; p.depth > maxNesting {
		p.fail("expression recursion level exceeded")
	}
}

func (p *parser) comma() *node {
	p.enter()
	n := p.assign()
	for p.tok == tokComma {
		p.next()
		n = &node{op: opComma, a: n, b: p.assign()}
	}
	p.depth--
	return n
}

func (p *parser) assign() *node {
	p.enter()
	n := p.cond()
	if p.tok == tokAssign || p.tok == tokOpAssign {
		if n.op != opVar && n.op != opElem || p.prev != tokName {
			p.fail("attempted assignment to non-variable")
		}
		var binary token
		if p.tok == tokOpAssign {
			binary = p.assignOp
		}
		p.next()
		at := p.last
		n = &node{op: opAssign, binary: binary, a: n, at: at, b: p.assign()}
	}
	p.depth--
	return n
}

func (p *parser) cond() *node {
	p.enter()
	n := p.level(0)
	if p.tok == tokQuestion {
		p.next()
		if p.tok == tokEnd || p.tok == tokColon {
			p.fail("expression expected")
		}
		yes := p.comma()
		if p.tok != tokColon {
			p.fail("`:' expected for conditional expression")
		}
		p.next()
		if p.tok == tokEnd {
			p.fail("expression expected")
		}
		n = &node{op: opCond, a: n, b: yes, c: p.cond()}
		p.prev = tokNumber
	}
	p.depth--
	return n
}

// levels are the binary operators from the loosest to the tightest.
var levels = [...][]token{
	{tokOrOr},
	{tokAndAnd},
	{tokOr},
	{tokXor},
	{tokAnd},
	{tokEqual, tokNotEqual},
	{tokLessEqual, tokGreaterEqual, tokLess, tokGreater},
	{tokShiftLeft, tokShiftRight},
	{tokPlus, tokMinus},
	{tokTimes, tokDivide, tokModulo},
}

func (p *parser) level(i int) *node {
	if i == len(levels) {
		return p.power()
	}
	n := p.level(i + 1)
	for contains(levels[i], p.tok) {
		t := p.tok
		p.next()
		// Division by zero is reported at what divides.
		at := p.last
		b := p.level(i + 1)
		switch t {
		case tokOrOr:
			n = &node{op: opOrOr, a: n, b: b}
		case tokAndAnd:
			n = &node{op: opAndAnd, a: n, b: b}
		default:
			n = &node{op: opBinary, binary: t, a: n, b: b, at: at}
		}
		p.prev = tokNumber
	}
	return n
}

func contains(ts []token, t token) bool {
	for _, u := range ts {
		if u == t {
			return true
		}
	}
	return false
}

func (p *parser) power() *node {
	n := p.unary()
	if p.tok == tokPower {
		p.enter()
		p.next()
		b := p.power()
		n = &node{op: opBinary, binary: tokPower, a: n, b: b, at: p.last}
		p.prev = tokNumber
		p.depth--
	}
	return n
}

func (p *parser) unary() *node {
	var o op
	switch p.tok {
	case tokNot:
		o = opNot
	case tokInvert:
		o = opInvert
	case tokMinus:
		o = opNeg
	case tokPlus:
		o = opPlus
	default:
		return p.operand()
	}
	p.enter()
	p.next()
	n := &node{op: o, a: p.unary()}
	p.prev = tokNumber
	p.depth--
	return n
}

func (p *parser) operand() *node {
	var n *node
	switch p.tok {
	case tokPreInc, tokPreDec:
		o := opPreInc
		if p.tok == tokPreDec {
			o = opPreDec
		}
		p.next()
		if p.tok != tokName {
			p.fail("identifier expected after pre-increment or pre-decrement")
		}
		n = &node{op: o, a: p.variable()}
		p.tok = tokNumber
		p.next()
	case tokOpen:
		p.next()
		n = p.comma()
		if p.tok != tokClose {
			p.fail("missing `)'")
		}
		p.next()
	case tokNumber:
		n = &node{op: opNumber, n: p.number}
		p.next()
	case tokSlot:
		n = &node{op: opSlot, n: p.number}
		p.prog.operands = append(p.prog.operands, int(p.number))
		p.next()
	case tokName:
		n = p.variable()
		p.next()
		switch p.tok {
		case tokPostInc, tokPostDec:
			o := opPostInc
			if p.tok == tokPostDec {
				o = opPostDec
			}
			n = &node{op: o, a: n}
			p.tok = tokNumber // x++=7 is an error
			p.next()
		}
	default:
		p.fail("syntax error: operand expected")
	}
	return n
}

// variable makes the node of the name token.
func (p *parser) variable() *node {
	if !p.indexed {
		return &node{op: opVar, name: p.name, at: p.last}
	}
	if p.subscripts >= maxSubscripts {
		p.fail("expression recursion level exceeded")
	}
	sub := &Program{text: p.raw}
	inner := parser{lexer: lexer{src: p.raw}, prog: sub, depth: p.depth, subscripts: p.subscripts + 1}
	n := &node{op: opElem, name: p.name, raw: p.raw, at: p.last, sub: sub}
	sub.root, sub.err = inner.program()
	return n
}
