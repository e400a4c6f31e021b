package regex

// sparseSet is a set of small integers that clears at once.
type sparseSet struct {
	dense  []uint32
	sparse []uint32
}

func newSparseSet(n int) sparseSet {
	return sparseSet{dense: make([]uint32, 0, n), sparse: make([]uint32, n)}
}

// insert reports whether v is new.
func (s *sparseSet) insert(v uint32) bool {
	if i := s.sparse[v]; int(i) < len(s.dense) && s.dense[i] == v {
		return false
	}
	s.sparse[v] = uint32(len(s.dense))
	s.dense = append(s.dense, v)
	return true
}

func (s *sparseSet) clear() { s.dense = s.dense[:0] }

// closer follows the instructions that consume nothing. It is the working
// memory of one automaton.
type closer struct {
	p       *prog
	pending sparseSet // visited without knowing what is on the right
	settled sparseSet // visited knowing it
	stack   []uint32
	work    int // instructions visited, for the caller to account
}

func newCloser(p *prog) *closer {
	return &closer{p: p, pending: newSparseSet(len(p.insts)), settled: newSparseSet(len(p.insts))}
}

// spread appends to out what pc leads to without consuming a byte:
// instructions that consume, match, or wait for what stands on the right.
func (c *closer) spread(out []uint32, pc uint32) []uint32 {
	c.stack = append(c.stack[:0], pc)
	for len(c.stack) > 0 {
		pc := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		if !c.pending.insert(pc) {
			continue
		}
		c.work++
		switch i := &c.p.insts[pc]; i.op {
		case instAlt:
			c.stack = append(c.stack, i.arg, i.out)
		case instCapture:
			c.stack = append(c.stack, i.out)
		case instFail:
		default:
			out = append(out, pc)
		}
	}
	return out
}

// settle appends to out the consuming instructions that pc, of a spread set,
// leads to between left and right, and reports whether a match is among them.
func (c *closer) settle(out []uint32, pc uint32, left leftSide, right int) (_ []uint32, match bool) {
	c.stack = append(c.stack[:0], pc)
	for len(c.stack) > 0 {
		pc := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		if !c.settled.insert(pc) {
			continue
		}
		c.work++
		switch i := &c.p.insts[pc]; i.op {
		case instMatch:
			match = true
		case instAlt:
			c.stack = append(c.stack, i.arg, i.out)
		case instCapture:
			c.stack = append(c.stack, i.out)
		case instAssert:
			if c.p.holds(assertion(i.arg), left, right) {
				c.stack = append(c.stack, i.out)
			}
		case instFail:
		default:
			out = append(out, pc)
		}
	}
	return out, match
}
