// Package cputime measures how much processor time goroutines use, by the
// clocks of the threads that they are locked to.
package cputime

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Meter adds up the processor time of what it runs. The zero Meter is ready;
// its methods may be called from any goroutine.
type Meter struct {
	mu    sync.Mutex // guards what follows
	tasks map[*task]bool
	ended time.Duration // of what has ended
}

// maxThreads bounds the threads that are held at one time: the runtime ends a
// program that has 10,000.
var maxThreads int64 = 2000

// threads is how many are held.
var threads atomic.Int64

// task is a goroutine on its thread, or without one.
type task struct {
	clock clock
	begun time.Duration
	since time.Time // of a task without a thread
}

// used answers the time of the task: without a thread all that has passed.
func (t *task) used() time.Duration {
	if !t.since.IsZero() {
		return time.Since(t.since)
	}
	return t.clock.now() - t.begun
}

// Run runs f on a thread of its own and counts its processor time. What f
// starts in other goroutines does not count. Where very much runs at one time,
// f gets no thread and counts with all the time that passes.
func (m *Meter) Run(f func()) {
	t := &task{}
	defer threads.Add(-1)
	if threads.Add(1) > maxThreads {
		t.since = time.Now()
	} else {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		t.clock = threadClock()
		t.begun = t.clock.now()
	}
	m.mu.Lock()
	if m.tasks == nil {
		m.tasks = map[*task]bool{}
	}
	m.tasks[t] = true
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		delete(m.tasks, t)
		m.ended += t.used()
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
		used += t.used()
	}
	return used
}
