package regex

// thread is one way of matching: the instruction it stands at and where it
// began.
type thread struct {
	pc    uint32
	begin int
}

// simulate finds the leftmost-longest match without an automaton: it is slower,
// but needs no memory for states and sees whole characters.
func (m *Matcher) simulate(text []byte, pos int, notBOL bool) (start, end int) {
	p := m.program()
	seen := newSparseSet(len(p.insts))
	var now, next []thread
	var stack []uint32
	// enter adds what pc leads to at position i; it reports a match.
	enter := func(list []thread, pc uint32, begin, i int) (_ []thread, match bool) {
		stack = append(stack[:0], pc)
		for len(stack) > 0 {
			pc := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if !seen.insert(pc) {
				continue
			}
			switch in := &p.insts[pc]; in.op {
			case instMatch:
				match = true
			case instAlt:
				stack = append(stack, in.arg, in.out)
			case instCapture:
				stack = append(stack, in.out)
			case instAssert:
				if p.holdsAt(assertion(in.arg), text, i, notBOL) {
					stack = append(stack, in.out)
				}
			case instFail:
			default:
				list = append(list, thread{pc, begin})
			}
		}
		return list, match
	}
	start, end = 0, noMatch
	for i := pos; ; i++ {
		// next holds the threads at i in order of their beginnings, seen
		// what they have visited.
		if end == noMatch {
			var match bool
			if next, match = enter(next, p.start, i, i); match {
				start, end = i, i
			}
		}
		if !m.tick(len(seen.dense) + 1) {
			return 0, noMatch
		}
		now, next = next, now[:0]
		seen.clear()
		if i == len(text) || len(now) == 0 && end != noMatch {
			return start, end
		}
		for _, t := range now {
			if end != noMatch && t.begin > start {
				break
			}
			out, ok := p.follow(&p.insts[t.pc], text[i])
			if !ok {
				continue
			}
			var match bool
			if next, match = enter(next, out, t.begin, i+1); match {
				start, end = t.begin, i+1
			}
		}
	}
}
