package regex

import "unicode/utf8"

// byteRange is an inclusive range of bytes.
type byteRange struct{ lo, hi byte }

// appendUTF8 appends the byte-range sequences that together encode the code
// points from lo to hi (surrogates left out), in order.
func appendUTF8(seqs [][]byteRange, lo, hi rune) [][]byteRange {
	if lo > hi {
		return seqs
	}
	// Surrogates have no encoding.
	if lo < 0xd800 && hi > 0xdfff {
		return appendUTF8(appendUTF8(seqs, lo, 0xd7ff), 0xe000, hi)
	}
	if lo >= 0xd800 && lo <= 0xdfff {
		return appendUTF8(seqs, 0xe000, hi)
	}
	if hi >= 0xd800 && hi <= 0xdfff {
		return appendUTF8(seqs, lo, 0xd7ff)
	}
	// Both ends must have the same length, ...
	for _, last := range []rune{0x7f, 0x7ff, 0xffff} {
		if lo <= last && last < hi {
			return appendUTF8(appendUTF8(seqs, lo, last), last+1, hi)
		}
	}
	// ... and where they differ, all that follows must be the full range.
	for i := 1; i < utf8.RuneLen(hi); i++ {
		mask := rune(1)<<(6*i) - 1
		if lo&^mask == hi&^mask {
			continue
		}
		if lo&mask != 0 {
			return appendUTF8(appendUTF8(seqs, lo, lo|mask), (lo|mask)+1, hi)
		}
		if hi&mask != mask {
			return appendUTF8(appendUTF8(seqs, lo, hi&^mask-1), hi&^mask, hi)
		}
	}
	a, b := utf8.AppendRune(nil, lo), utf8.AppendRune(nil, hi)
	seq := make([]byteRange, len(a))
	for i := range a {
		seq[i] = byteRange{a[i], b[i]}
	}
	return append(seqs, seq)
}

// classTree is a set of characters as a deterministic tree over their UTF-8
// bytes, in which equal subtrees are shared. Without nodes it is a set of
// single bytes.
type classTree struct {
	single byteSet
	nodes  []classNode // children before parents; the root is the last one
}

// classNode leads from ranges of bytes to other nodes.
type classNode []classEdge

type classEdge struct {
	byteRange
	to int // a node, or -1 behind the character
}

// newClassTree makes the tree of a set.
func newClassTree(set charSet) *classTree {
	t := &classTree{}
	var seqs [][]byteRange
	for _, r := range set {
		if r.lo >= rawByte {
			t.single.add(int(r.lo-rawByte), int(r.hi-rawByte))
			continue
		}
		if r.lo < utf8.RuneSelf {
			t.single.add(int(r.lo), int(min(r.hi, utf8.RuneSelf-1)))
		}
		if r.hi >= utf8.RuneSelf {
			seqs = appendUTF8(seqs, max(r.lo, utf8.RuneSelf), min(r.hi, utf8.MaxRune))
		}
	}
	if len(seqs) == 0 {
		return t
	}
	root := t.node(seqs, map[string]int{})
	for b := 0; b < 256; b++ {
		if !t.single.has(byte(b)) {
			continue
		}
		lo := b
		for b < 255 && t.single.has(byte(b+1)) {
			b++
		}
		root = append(root, classEdge{byteRange{byte(lo), byte(b)}, -1})
	}
	t.nodes = append(t.nodes, root)
	return t
}

// node makes the node of sequences that are in order.
func (t *classTree) node(seqs [][]byteRange, shared map[string]int) classNode {
	var n classNode
	for i := 0; i < len(seqs); {
		first := seqs[i][0]
		var rest [][]byteRange
		j := i
		for ; j < len(seqs) && seqs[j][0] == first; j++ {
			if len(seqs[j]) > 1 {
				rest = append(rest, seqs[j][1:])
			}
		}
		i = j
		if rest == nil {
			n = append(n, classEdge{first, -1})
			continue
		}
		child := t.node(rest, shared)
		key := child.key()
		id, ok := shared[key]
		if !ok {
			id = len(t.nodes)
			t.nodes = append(t.nodes, child)
			shared[key] = id
		}
		n = append(n, classEdge{first, id})
	}
	return n
}

// key tells a node from others.
func (n classNode) key() string {
	b := make([]byte, 0, 6*len(n))
	for _, e := range n {
		b = append(b, e.lo, e.hi, byte(e.to), byte(e.to>>8), byte(e.to>>16), byte(e.to>>24))
	}
	return string(b)
}

// classTree emits the instructions of a tree.
func (c *compiler) classTree(t *classTree, next uint32) uint32 {
	if len(c.insts)+len(t.nodes) > c.limit {
		c.tooBig = true
		return 0
	}
	base := uint32(len(c.insts))
	for _, n := range t.nodes {
		edges := make([]edge, len(n))
		for i, e := range n {
			out := next
			if e.to >= 0 {
				out = base + uint32(e.to)
			}
			edges[i] = edge{e.lo, e.hi, out}
		}
		c.edges = append(c.edges, edges)
		c.emit(inst{op: instEdges, arg: uint32(len(c.edges) - 1)})
	}
	return base + uint32(len(t.nodes)) - 1
}
