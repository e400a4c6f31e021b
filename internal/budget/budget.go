// Package budget counts what several goroutines hold of something that is
// bounded together, such as the bytes of a session.
package budget

import "sync/atomic"

// Budget is an amount that is taken in parts and given back. The zero Budget
// has no limit. Its methods may be called from any goroutine.
type Budget struct {
	limit int64
	used  atomic.Int64
}

// New makes a budget of limit units; 0 or less means no limit.
func New(limit int64) *Budget { return &Budget{limit: limit} }

// Take takes n units, all or none; false when they are not there.
func (b *Budget) Take(n int64) bool {
	if used := b.used.Add(n); b.limit > 0 && used > b.limit {
		b.used.Add(-n)
		return false
	}
	return true
}

// Fits reports whether n units are there, taking nothing.
func (b *Budget) Fits(n int64) bool { return b.limit <= 0 || b.used.Load()+n <= b.limit }

// Force takes n units, though it may go over the limit; a negative n gives
// back.
func (b *Budget) Force(n int64) { b.used.Add(n) }

// Give gives n units back.
func (b *Budget) Give(n int64) { b.used.Add(-n) }

// Used is how much is taken.
func (b *Budget) Used() int64 { return b.used.Load() }

// Limit is the whole, 0 when there is none.
func (b *Budget) Limit() int64 { return max(b.limit, 0) }
