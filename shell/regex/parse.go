package regex

// parser turns a pattern into a tree. Its rules, including those for what
// stands where it should not, are those of glibc's regcomp.
type parser struct {
	src        string
	flags      Flags
	syntax     syntax
	pos        int
	tok        token
	groups     int // groups opened so far
	firstGroup int // groups of earlier patterns
	closed     [10]bool
	depth      int
	start      bool // nothing of the branch has been read that can be repeated
	warnings   []string
	ranges     int                // of all sets, to bound what a pattern may cost
	sets       map[string]charSet // brackets and classes seen, by their source
}

func (p *parser) parse() (*node, error) {
	if p.flags&Literal != 0 {
		return parseLiterals([]string{p.src}, p.flags), nil
	}
	p.fetch(false)
	return p.alternation(0)
}

// fetch reads the next token into p.tok.
func (p *parser) fetch(caretHere bool) {
	p.tok = p.peek(caretHere)
	p.pos += p.tok.size
}

// branchEnds tells whether the token ends a branch at a nesting level.
func (p *parser) branchEnds(nest int) bool {
	return p.tok.kind == tokBar || p.tok.kind == tokEnd || nest > 0 && p.tok.kind == tokClose
}

func (p *parser) alternation(nest int) (*node, error) {
	var subs []*node
	// A back-reference cannot name a group of another branch.
	before := p.closed
	closed := p.closed
	for {
		n := &node{op: opEmpty}
		p.closed = before
		if !p.branchEnds(nest) {
			var err error
			if n, err = p.branch(nest); err != nil {
				return nil, err
			}
		}
		subs = append(subs, n)
		for i := range closed {
			closed[i] = closed[i] || p.closed[i]
		}
		if p.tok.kind != tokBar {
			p.closed = closed
			return alternate(subs), nil
		}
		p.fetch(true)
	}
}

func (p *parser) branch(nest int) (*node, error) {
	var subs []*node
	p.start = true
	for first := true; first || !p.branchEnds(nest); first = false {
		n, err := p.expression(nest)
		if err != nil {
			return nil, err
		}
		subs = append(subs, n)
	}
	return concat(subs...), nil
}

func (p *parser) expression(nest int) (*node, error) {
	var n *node
	switch t := p.tok; t.kind {
	case tokEnd, tokBar:
		return &node{op: opEmpty}, nil
	case tokTrailingBackslash:
		return nil, ErrEscape
	case tokAssert:
		n = &node{op: opAssert, assert: t.assert}
		if p.flags&Grep == 0 || p.start {
			// An anchor takes no repetition: what follows stands first.
			p.fetch(false)
			return n, nil
		}
	case tokOpen:
		var err error
		if n, err = p.group(nest); err != nil {
			return nil, err
		}
	case tokBracket:
		set, err := p.bracket()
		if err != nil {
			return nil, err
		}
		n = &node{op: opChars, chars: set}
	case tokBackRef:
		i := int(t.char - '0')
		if !p.closed[i] {
			return nil, ErrBackRef
		}
		n = &node{op: opBackRef, index: p.firstGroup + i}
	case tokAny:
		n = &node{op: opChars, chars: p.anySet()}
	case tokClass:
		n = &node{op: opChars, chars: p.escapeClass(t.char)}
	case tokStar, tokPlus, tokQuestion, tokOpenBrace:
		again, err := p.strayRepeat()
		if err != nil {
			return nil, err
		}
		if again {
			if p.tok.kind == tokOpenBrace {
				if _, _, ok, err := p.interval(); err != nil || !ok {
					return nil, ErrInterval
				}
				if p.fetch(false); p.branchEnds(nest) {
					return &node{op: opEmpty}, nil
				}
				return p.expression(nest)
			}
			p.fetch(false)
			return p.expression(nest)
		}
		n = p.charNode(t)
	case tokClose:
		if p.syntax&rightParenLiteral == 0 {
			return nil, ErrRightParen
		}
		n = p.charNode(t)
	default:
		n = p.charNode(t)
	}
	p.start = false
	p.fetch(false)
	if n.op == opAssert && p.tok.isRepeat() && p.tok.kind != tokOpenBrace && nest > 0 && p.peek(false).kind == tokClose {
		return nil, ErrParen // regcomp loses the parenthesis in (a\b*)
	}
	for p.tok.isRepeat() {
		var err error
		if n, err = p.repeat(n); err != nil {
			return nil, err
		}
		if p.syntax&repeatError != 0 && (p.tok.kind == tokStar || p.tok.kind == tokOpenBrace) {
			return nil, ErrRepeat
		}
	}
	return n, nil
}

// strayRepeat decides on a repetition that has nothing to repeat: it is an
// error, dropped (again), or an ordinary character.
func (p *parser) strayRepeat() (again bool, err error) {
	if p.tok.kind == tokOpenBrace && p.syntax&repeatError != 0 {
		return false, ErrRepeat
	}
	if p.syntax&operatorsError != 0 {
		return false, ErrRepeat
	}
	if p.syntax&operatorsFirst == 0 || p.tok.kind == tokOpenBrace && !p.braceIsInterval() {
		return false, nil
	}
	if p.syntax&grepWarnings != 0 {
		what := "{...}"
		if p.tok.kind != tokOpenBrace {
			what = string(p.tok.char)
		}
		p.warnings = append(p.warnings, what+" at start of expression")
	}
	return true, nil
}

// braceIsInterval tells whether the text after an opening brace completes an
// interval.
func (p *parser) braceIsInterval() bool {
	pos, tok := p.pos, p.tok
	min, max, ok, err := p.interval()
	p.pos, p.tok = pos, tok
	return ok && err == nil && (max < 0 || min <= max)
}

func (p *parser) charNode(t token) *node {
	return &node{op: opChars, chars: p.fold(charSet{}.add(t.rune(), t.rune()))}
}

func (p *parser) group(nest int) (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, ErrTooBig
	}
	p.groups++
	index := p.groups
	p.fetch(true)
	body := &node{op: opEmpty}
	if p.tok.kind != tokClose {
		var err error
		if body, err = p.alternation(nest + 1); err != nil {
			return nil, err
		}
		if p.tok.kind != tokClose {
			return nil, ErrParen
		}
	}
	if i := index - p.firstGroup; i <= 9 {
		p.closed[i] = true
	}
	p.depth--
	return p.parent(&node{op: opGroup, index: index, subs: []*node{body}})
}

// repeat applies the repetition at p.tok to n and reads the token after it.
func (p *parser) repeat(n *node) (*node, error) {
	lo, hi := 0, -1
	switch p.tok.kind {
	case tokPlus:
		lo = 1
	case tokQuestion:
		hi = 1
	case tokOpenBrace:
		pos, tok := p.pos, p.tok
		var ok bool
		var err error
		if lo, hi, ok, err = p.interval(); err != nil {
			return nil, err
		}
		if !ok {
			if p.syntax&badIntervalLiteral == 0 {
				if p.tok.kind == tokEnd {
					return nil, ErrBrace
				}
				return nil, ErrInterval
			}
			p.pos, p.tok = pos, tok
			p.tok.kind = tokChar
			return n, nil
		}
		if hi >= 0 && lo > hi {
			return nil, ErrInterval
		}
		if max(lo, hi) > maxRepeat {
			return nil, ErrTooBig
		}
	}
	p.fetch(false)
	if n.op == opEmpty {
		return n, nil
	}
	if hi == 0 {
		return &node{op: opEmpty}, nil
	}
	if n.op == opRepeat && n.max < 0 && n.min <= 1 && hi < 0 && lo <= 1 {
		// x** and the like: one loop will do.
		return &node{op: opRepeat, min: min(n.min, lo), max: -1, subs: n.subs}, nil
	}
	return p.parent(&node{op: opRepeat, min: lo, max: hi, subs: []*node{n}})
}

// parent completes a node whose sub is set, unless it stands too high.
func (p *parser) parent(n *node) (*node, error) {
	if n.height = height(n.subs); n.height > 3*maxDepth {
		return nil, ErrTooBig
	}
	return n, nil
}

// interval reads {m}, {m,}, {m,n} or {,n} after its opening brace; ok is
// false when the text is none of them. p.tok is then the token it stopped at.
func (p *parser) interval() (lo, hi int, ok bool, err error) {
	lo = p.number()
	hi = lo
	isComma := p.tok.kind == tokChar && p.tok.char == ','
	if lo == -1 {
		if !isComma {
			if p.syntax&badIntervalLiteral != 0 {
				return 0, 0, false, nil
			}
			return 0, 0, false, ErrInterval
		}
		lo = 0
	}
	if lo >= 0 {
		switch {
		case p.tok.kind == tokCloseBrace:
		case isComma:
			hi = p.number()
		default:
			hi = -2
		}
	}
	if lo == -2 || hi == -2 {
		return 0, 0, false, nil
	}
	if p.tok.kind != tokCloseBrace {
		return 0, 0, false, ErrInterval
	}
	return lo, hi, true, nil
}

// number reads digits up to a comma or a closing brace: -1 when there are
// none, -2 when there is something else.
func (p *parser) number() int {
	n := -1
	for {
		p.fetch(false)
		switch {
		case p.tok.kind == tokEnd:
			return -2
		case p.tok.kind == tokCloseBrace || p.tok.kind == tokChar && p.tok.char == ',':
			return n
		case p.tok.kind != tokChar || p.tok.char < '0' || p.tok.char > '9' || n == -2:
			n = -2
		case n == -1:
			n = int(p.tok.char - '0')
		default:
			n = min(maxRepeat+1, n*10+int(p.tok.char-'0'))
		}
	}
}
