// Package budget counts what several goroutines hold of something that is
// bounded together, such as the bytes of a session, of its account and of the
// server.
package budget

import "sync/atomic"

// Budget is an amount that is taken in parts and given back. What is taken of
// a child is taken of its parent as well. The zero Budget has no limit, nor
// has a nil one, which counts nothing. Its methods may be called from any
// goroutine.
type Budget struct {
	limit  int64
	floor  int64 // the first units, which the parent does not count
	parent *Budget
	used   atomic.Int64
}

// New makes a budget of limit units; 0 or less means no limit.
func New(limit int64) *Budget { return &Budget{limit: limit} }

// Child makes a budget within b. Its first floor units are its own: they are
// there even when b is used up, and b does not count them.
func (b *Budget) Child(limit, floor int64) *Budget {
	return &Budget{limit: limit, floor: floor, parent: b}
}

// Take takes n units, all or none; false when they are not there.
func (b *Budget) Take(n int64) bool {
	if b == nil {
		return true
	}
	used, step := b.add(n)
	if (b.limit <= 0 || used <= b.limit) && (step <= 0 || b.parent.Take(step)) {
		return true
	}
	// Others may have moved over the floor in between: the parent counts
	// every step there and back but the one that was not taken.
	if _, back := b.add(-n); step+back != 0 {
		b.parent.Force(step + back)
	}
	return false
}

// Force takes n units, though it may go over the limit; a negative n gives
// back.
func (b *Budget) Force(n int64) {
	if b == nil {
		return
	}
	if _, step := b.add(n); step != 0 {
		b.parent.Force(step)
	}
}

// Give gives n units back.
func (b *Budget) Give(n int64) { b.Force(-n) }

// Close gives everything back to the parent.
func (b *Budget) Close() {
	if b != nil {
		b.Give(b.used.Load())
	}
}

// add counts n units, and answers by how much the part changes that the parent
// counts.
func (b *Budget) add(n int64) (used, step int64) {
	used = b.used.Add(n)
	if b.parent != nil {
		step = max(used-b.floor, 0) - max(used-n-b.floor, 0)
	}
	return used, step
}

// Fits reports whether n units are there, taking nothing.
func (b *Budget) Fits(n int64) bool {
	if b == nil {
		return true
	}
	used := b.used.Load()
	if b.limit > 0 && used+n > b.limit {
		return false
	}
	step := max(used+n-b.floor, 0) - max(used-b.floor, 0)
	return step <= 0 || b.parent.Fits(step)
}

// Used is how much is taken.
func (b *Budget) Used() int64 { return b.used.Load() }

// Limit is the whole, 0 when there is none.
func (b *Budget) Limit() int64 {
	if b == nil {
		return 0
	}
	return max(b.limit, 0)
}

// granule is in what portions a Meter takes: less than one costs nothing and
// is not counted.
const granule = 64 << 10

// Meter is what one user holds of a budget. It is for one goroutine at a time.
// The zero Meter counts nothing.
type Meter struct {
	budget *Budget
	taken  int64
}

// Meter makes a meter on the budget.
func (b *Budget) Meter() Meter { return Meter{budget: b} }

// Hold says that the user holds total units now; false when it may not, and
// then nothing changes.
func (m *Meter) Hold(total int64) bool {
	if limit := m.budget.Limit(); limit > 0 && total > limit {
		return false
	}
	want := total &^ (granule - 1)
	if want > m.taken && !m.budget.Take(want-m.taken) {
		return false
	}
	if want < m.taken {
		m.budget.Give(m.taken - want)
	}
	m.taken = want
	return true
}
