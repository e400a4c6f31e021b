package regex

// maxVisited bounds the bitmap of the backtracking search, in bits.
const maxVisited = 1 << 24

// job is a step that a backtracking search still has to take: go on at pc, or,
// with slot >= 0, give a capture its old value back.
type job struct {
	pc       uint32
	slot     int32
	pos, old int
}

// captures fills slots for the match from start to end: the first way of
// matching exactly these bytes that a backtracking search meets.
func (m *Matcher) captures(slots []int, text []byte, start, end int, notBOL bool) {
	for i := range slots {
		slots[i] = -1
	}
	p := m.re.prog
	n := end - start + 1
	if len(p.insts)*n > maxVisited {
		m.simulateCaptures(slots, text, start, end, notBOL)
		return
	}
	words := (len(p.insts)*n + 63) / 64
	if cap(m.visited) < words {
		m.visited = make([]uint64, words)
	}
	visited := m.visited[:words]
	clear(visited)
	stack := append(m.jobs[:0], job{pc: p.start, slot: -1, pos: start})
	defer func() { m.jobs = stack }()
	for steps := 1; len(stack) > 0; steps++ {
		if steps&1023 == 0 && !m.tick(1024) {
			return
		}
		j := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if j.slot >= 0 {
			slots[j.slot] = j.old
			continue
		}
		pc, pos := j.pc, j.pos
	thread:
		for {
			in := &p.insts[pc]
			switch in.op {
			case instMatch:
				if pos == end {
					return
				}
				break thread
			case instAlt:
				bit := int(pc)*n + pos - start
				if visited[bit>>6]&(1<<(bit&63)) != 0 {
					break thread
				}
				visited[bit>>6] |= 1 << (bit & 63)
				stack = append(stack, job{pc: in.arg, slot: -1, pos: pos})
			case instCapture:
				stack = append(stack, job{slot: int32(in.arg), old: slots[in.arg]})
				slots[in.arg] = pos
			case instAssert:
				if !p.holdsAt(assertion(in.arg), text, pos, notBOL) {
					break thread
				}
			case instFail:
				break thread
			default:
				if pos == end {
					break thread
				}
				out, ok := p.follow(in, text[pos])
				if !ok {
					break thread
				}
				pc = out
				pos++
				continue
			}
			pc = in.out
		}
	}
}

// captureThread is a way of matching together with what it has captured.
type captureThread struct {
	pc    uint32
	slots []int
}

// simulateCaptures does what captures does in memory that does not grow with
// the text.
func (m *Matcher) simulateCaptures(slots []int, text []byte, start, end int, notBOL bool) {
	p := m.re.prog
	seen := newSparseSet(len(p.insts))
	current := make([]int, len(slots))
	var stack []job
	enter := func(list []captureThread, pc uint32, pos int) ([]captureThread, bool) {
		stack = append(stack[:0], job{pc: pc, slot: -1})
		for len(stack) > 0 {
			j := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if j.slot >= 0 {
				current[j.slot] = j.old
				continue
			}
			if !seen.insert(j.pc) {
				continue
			}
			switch in := &p.insts[j.pc]; in.op {
			case instMatch:
				if pos == end {
					copy(slots, current)
					return list, true
				}
			case instAlt:
				stack = append(stack, job{pc: in.arg, slot: -1}, job{pc: in.out, slot: -1})
			case instCapture:
				stack = append(stack, job{slot: int32(in.arg), old: current[in.arg]}, job{pc: in.out, slot: -1})
				current[in.arg] = pos
			case instAssert:
				if p.holdsAt(assertion(in.arg), text, pos, notBOL) {
					stack = append(stack, job{pc: in.out, slot: -1})
				}
			case instFail:
			default:
				list = append(list, captureThread{j.pc, append([]int(nil), current...)})
			}
		}
		return list, false
	}
	copy(current, slots)
	now, _ := enter(nil, p.start, start)
	var next []captureThread
	for pos := start; pos < end; pos++ {
		if !m.tick(len(seen.dense) + 1) {
			return
		}
		seen.clear()
		next = next[:0]
		for _, t := range now {
			out, ok := p.follow(&p.insts[t.pc], text[pos])
			if !ok {
				continue
			}
			copy(current, t.slots)
			var done bool
			if next, done = enter(next, out, pos+1); done {
				return
			}
		}
		now, next = next, now
	}
}
