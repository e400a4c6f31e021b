package regex

// op says what a node of the syntax tree is.
type op int

const (
	opEmpty   op = iota
	opChars      // one character of a set
	opConcat     // subs one after another
	opAlt        // one of subs
	opRepeat     // subs[0], min to max times; max < 0 is unbounded
	opGroup      // subs[0], reported as group index
	opBackRef    // what group index matched
	opAssert
)

type node struct {
	op       op
	chars    charSet
	subs     []*node
	min, max int
	index    int
	assert   assertion
	height   int // of the tree below, for what recurses
}

// assertion is a condition on the two sides of a position.
type assertion uint8

const (
	assertLineStart assertion = iota
	assertLineEnd
	assertTextStart
	assertTextEnd
	assertWordBoundary
	assertNoWordBoundary
	assertWordStart
	assertWordEnd
	assertNoWordBefore
	assertNoWordAfter
)

// words tells whether an assertion looks at word characters.
func (a assertion) words() bool { return a >= assertWordBoundary }

func concat(subs ...*node) *node {
	flat := make([]*node, 0, len(subs))
	for _, n := range subs {
		switch n.op {
		case opEmpty:
		case opConcat:
			flat = append(flat, n.subs...)
		default:
			flat = append(flat, n)
		}
	}
	switch len(flat) {
	case 0:
		return &node{op: opEmpty}
	case 1:
		return flat[0]
	}
	return &node{op: opConcat, subs: flat, height: height(flat)}
}

func height(subs []*node) int {
	h := 0
	for _, n := range subs {
		h = max(h, n.height)
	}
	return h + 1
}

func alternate(subs []*node) *node {
	if len(subs) == 1 {
		return subs[0]
	}
	return &node{op: opAlt, subs: subs, height: height(subs)}
}

// nullable tells whether n can match the empty string.
func (n *node) nullable() bool {
	switch n.op {
	case opChars:
		return false
	case opConcat:
		for _, s := range n.subs {
			if !s.nullable() {
				return false
			}
		}
		return true
	case opAlt:
		for _, s := range n.subs {
			if s.nullable() {
				return true
			}
		}
		return false
	case opRepeat:
		return n.min == 0 || n.subs[0].nullable()
	case opGroup:
		return n.subs[0].nullable()
	}
	return true
}
