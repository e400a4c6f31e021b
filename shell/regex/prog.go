package regex

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// instOp is what one instruction does.
type instOp uint8

const (
	instMatch   instOp = iota
	instByte           // one byte, arg
	instSet            // one byte of sets[arg]
	instEdges          // one byte; edges[arg] says where each leads
	instAlt            // both out and arg, out preferred
	instCapture        // record the position in slot arg
	instAssert         // the assertion arg
	instBackRef        // what group arg matched
	instFail
)

// inst is an instruction of a nondeterministic automaton over bytes.
type inst struct {
	op  instOp
	arg uint32
	out uint32
}

// edge leads from a byte in a range to an instruction.
type edge struct {
	lo, hi byte
	out    uint32
}

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(lo, hi int) {
	for c := lo; c <= hi; c++ {
		s[c>>6] |= 1 << (c & 63)
	}
}

func (s *byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

// prog is a compiled pattern.
type prog struct {
	insts      []inst
	sets       []byteSet
	edges      [][]edge
	start      uint32
	utf8       bool
	newline    bool // ^ and $ match next to newlines
	foldCase   bool // back-references ignore case
	hasAssert  bool
	hasWords   bool // some assertion looks at words
	hasBackRef bool
	slots      int    // capture slots, two a group, whole match not counted
	refs       []bool // groups that back-references name
	classes    [256]uint8
	numClasses int // without the class of the end of the text
}

// anyBytes stands for any byte, be it a character or not.
var anyBytes = charSet{{0, math.MaxInt32}}

// compiler writes a prog backwards: what follows a node is known when the
// node is compiled.
type compiler struct {
	*prog
	relax  bool // back-references become ".*"
	lines  bool // which does not match a newline
	limit  int
	setIDs map[byteSet]uint32
	wide   map[*runeRange]*classTree // of sets met before
	tooBig bool
}

func compileProg(root *node, flags Flags, relax bool) (*prog, error) {
	c := &compiler{relax: relax, lines: flags&Lines != 0, limit: maxInsts, setIDs: map[byteSet]uint32{}, wide: map[*runeRange]*classTree{}, prog: &prog{
		utf8:     flags&UTF8 != 0,
		newline:  flags&(Newline|Lines) != 0,
		foldCase: flags&IgnoreCase != 0,
	}}
	if flags&Literal != 0 {
		c.limit *= 4
	}
	match := c.emit(inst{op: instMatch})
	c.start = c.compile(root, match)
	if c.tooBig {
		return nil, ErrTooBig
	}
	c.computeClasses()
	return c.prog, nil
}

func (c *compiler) emit(i inst) uint32 {
	if len(c.insts) >= c.limit {
		c.tooBig = true
		return 0
	}
	c.insts = append(c.insts, i)
	return uint32(len(c.insts) - 1)
}

// compile emits n so that it leads to next, and answers where it begins.
func (c *compiler) compile(n *node, next uint32) uint32 {
	if c.tooBig {
		return 0
	}
	switch n.op {
	case opChars:
		return c.chars(n.chars, next)
	case opConcat:
		for i := len(n.subs) - 1; i >= 0; i-- {
			next = c.compile(n.subs[i], next)
		}
	case opAlt:
		entry := c.compile(n.subs[len(n.subs)-1], next)
		for i := len(n.subs) - 2; i >= 0; i-- {
			entry = c.emit(inst{op: instAlt, out: c.compile(n.subs[i], next), arg: entry})
		}
		return entry
	case opRepeat:
		return c.repeat(n, next)
	case opGroup:
		slot := uint32(2 * (n.index - 1))
		c.slots = max(c.slots, int(slot)+2)
		next = c.emit(inst{op: instCapture, arg: slot + 1, out: next})
		next = c.compile(n.subs[0], next)
		return c.emit(inst{op: instCapture, arg: slot, out: next})
	case opAssert:
		c.hasAssert = true
		c.hasWords = c.hasWords || n.assert.words()
		return c.emit(inst{op: instAssert, arg: uint32(n.assert), out: next})
	case opBackRef:
		if c.relax {
			return c.loop(&node{op: opChars, chars: anyBytes}, next, true)
		}
		c.hasBackRef = true
		for len(c.refs) <= n.index {
			c.refs = append(c.refs, false)
		}
		c.refs[n.index] = true
		return c.emit(inst{op: instBackRef, arg: uint32(n.index), out: next})
	}
	return next
}

func (c *compiler) repeat(n *node, next uint32) uint32 {
	sub := n.subs[0]
	if n.max < 0 {
		next = c.loop(sub, next, n.min == 0)
		for i := 1; i < n.min && !c.tooBig; i++ {
			next = c.compile(sub, next)
		}
		return next
	}
	// x{,3} is ((x?x)?x)?, as glibc has it: it decides what groups in x
	// report.
	if optional := n.max - n.min; optional > 0 {
		after := make([]uint32, optional) // after[i] follows copy i
		after[optional-1] = next
		for i := optional - 1; i > 0 && !c.tooBig; i-- {
			after[i-1] = c.compile(sub, after[i])
		}
		next = c.compile(sub, after[0])
		for i := 0; i < optional && !c.tooBig; i++ {
			next = c.emit(inst{op: instAlt, out: next, arg: after[i]})
		}
	}
	for i := 0; i < n.min && !c.tooBig; i++ {
		next = c.compile(sub, next)
	}
	return next
}

// loop emits sub one or more times, or also none with zero set.
func (c *compiler) loop(sub *node, next uint32, zero bool) uint32 {
	alt := c.emit(inst{op: instAlt, arg: next})
	body := c.compile(sub, alt)
	if c.tooBig {
		return 0
	}
	c.insts[alt].out = body
	if !zero {
		return body
	}
	if sub.nullable() {
		// (x*)* must be able to go through x once without a byte.
		return c.emit(inst{op: instAlt, out: body, arg: next})
	}
	return alt
}

// chars emits one character of a set.
func (c *compiler) chars(set charSet, next uint32) uint32 {
	if len(set) == 1 && set[0] == anyBytes[0] {
		var all byteSet
		all.add(0, 255)
		if c.lines {
			all[0] &^= 1 << '\n'
		}
		return c.bytes(all, next)
	}
	if !c.utf8 {
		var b byteSet
		for _, r := range set {
			b.add(int(r.lo), int(min(r.hi, 255)))
		}
		return c.bytes(b, next)
	}
	if len(set) == 0 {
		return c.emit(inst{op: instFail})
	}
	t, ok := c.wide[&set[0]]
	if !ok {
		t = newClassTree(set)
		c.wide[&set[0]] = t
	}
	if len(t.nodes) == 0 {
		return c.bytes(t.single, next)
	}
	return c.classTree(t, next)
}

// bytes emits one byte of a set.
func (c *compiler) bytes(set byteSet, next uint32) uint32 {
	n, only := 0, 0
	for b := range 256 {
		if set.has(byte(b)) {
			n++
			only = b
		}
	}
	switch n {
	case 0:
		return c.emit(inst{op: instFail})
	case 1:
		return c.emit(inst{op: instByte, arg: uint32(only), out: next})
	}
	id, ok := c.setIDs[set]
	if !ok {
		id = uint32(len(c.sets))
		c.sets = append(c.sets, set)
		c.setIDs[set] = id
	}
	return c.emit(inst{op: instSet, arg: id, out: next})
}

// follow answers where instruction i leads on byte b, if anywhere.
func (p *prog) follow(i *inst, b byte) (uint32, bool) {
	switch i.op {
	case instByte:
		return i.out, byte(i.arg) == b
	case instSet:
		return i.out, p.sets[i.arg].has(b)
	case instEdges:
		for _, e := range p.edges[i.arg] {
			if e.lo <= b && b <= e.hi {
				return e.out, true
			}
		}
	}
	return 0, false
}

// computeClasses sorts the bytes into classes that no instruction tells
// apart.
func (p *prog) computeClasses() {
	var splits [257]bool
	split := func(lo, hi int) { splits[lo], splits[hi+1] = true, true }
	for i := range p.insts {
		if p.insts[i].op == instByte {
			split(int(p.insts[i].arg), int(p.insts[i].arg))
		}
	}
	for _, edges := range p.edges {
		for _, e := range edges {
			split(int(e.lo), int(e.hi))
		}
	}
	for _, s := range p.sets {
		for b := range 256 {
			if b == 0 || s.has(byte(b)) != s.has(byte(b-1)) {
				splits[b] = true
			}
		}
	}
	if p.hasAssert {
		split('\n', '\n')
		split(utf8.RuneSelf, 255)
		for _, r := range []runeRange{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}} {
			split(int(r.lo), int(r.hi))
		}
	}
	n := 0
	for b := range 256 {
		if b > 0 && splits[b] {
			n++
		}
		p.classes[b] = uint8(n)
	}
	p.numClasses = n + 1
}

// String lists the instructions, for tests and debugging.
func (p *prog) String() string {
	names := []string{"match", "byte", "set", "edges", "alt", "capture", "assert", "backref", "fail"}
	s := "start " + strconv.Itoa(int(p.start)) + "\n"
	for i, in := range p.insts {
		s += strconv.Itoa(i) + " " + names[in.op] + " " + strconv.Itoa(int(in.arg)) + " -> " + strconv.Itoa(int(in.out)) + "\n"
	}
	return s
}
