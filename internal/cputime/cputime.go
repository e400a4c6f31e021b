// Package cputime measures how much processor time goroutines use, by the
// clocks of the threads that they are locked to.
package cputime

import (
	"runtime"
	"sync"
	"time"
)

// Meter adds up the processor time of what it runs. The zero Meter is ready;
// its methods may be called from any goroutine.
type Meter struct {
	mu    sync.Mutex // guards what follows
	tasks map[*task]bool
	ended time.Duration // of what has ended
}

// task is a goroutine on its thread.
type task struct {
	clock clock
	begun time.Duration
}

// Run runs f on a thread of its own and counts its processor time. What f
// starts in other goroutines does not count.
func (m *Meter) Run(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t := &task{clock: threadClock()}
	t.begun = t.clock.now()
	m.mu.Lock()
	if m.tasks == nil {
		m.tasks = map[*task]bool{}
	}
	m.tasks[t] = true
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		delete(m.tasks, t)
		m.ended += t.clock.now() - t.begun
		m.mu.Unlock()
	}()
	f()
}

// Used answers the processor time so far, of what still runs too.
func (m *Meter) Used() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	used := m.ended
	for t := range m.tasks {
		used += t.clock.now() - t.begun
	}
	return used
}
