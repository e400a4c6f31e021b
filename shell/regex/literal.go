package regex

// parseLiterals is the tree of an alternation of strings. Common beginnings
// are shared, so that thousands of strings make a small automaton.
func parseLiterals(patterns []string, flags Flags) *node {
	p := &parser{flags: flags}
	root := &literalTree{}
	for _, s := range patterns {
		t := root
		p.src = s
		for i := 0; i < len(s); {
			c, raw, size := p.at(i)
			if raw {
				c += rawByte
			}
			t = t.child(c)
			i += size
		}
		t.ends = true
	}
	return root.node(p)
}

// literalTree is a trie of strings. next keeps the order of insertion in
// order, for a tree that does not depend on map iteration.
type literalTree struct {
	ends  bool
	index map[rune]int
	order []rune
	next  []*literalTree
}

func (t *literalTree) child(c rune) *literalTree {
	if i, ok := t.index[c]; ok {
		return t.next[i]
	}
	if t.index == nil {
		t.index = map[rune]int{}
	}
	n := &literalTree{}
	t.index[c] = len(t.next)
	t.order, t.next = append(t.order, c), append(t.next, n)
	return n
}

// node converts the trie. Chains are walked, not recursed into, but forks
// are; a trie is as deep as its longest string has forks.
func (t *literalTree) node(p *parser) *node {
	var prefix []*node
	for len(t.next) == 1 && !t.ends {
		prefix = append(prefix, p.charNode(token{char: t.order[0]}))
		t = t.next[0]
	}
	var subs []*node
	for i, n := range t.next {
		subs = append(subs, concat(p.charNode(token{char: t.order[i]}), n.node(p)))
	}
	if t.ends {
		subs = append(subs, &node{op: opEmpty})
	}
	if len(subs) > 0 {
		prefix = append(prefix, alternate(subs))
	}
	return concat(prefix...)
}
