package cputime

import (
	"testing"
	"time"
)

// Without a thread to be had, waiting counts.
func TestTooManyThreads(t *testing.T) {
	most := maxThreads
	maxThreads = 0
	defer func() { maxThreads = most }()
	var m Meter
	m.Run(func() { time.Sleep(30 * time.Millisecond) })
	if used := m.Used(); used < 30*time.Millisecond {
		t.Errorf("used %v", used)
	}
	if n := threads.Load(); n != 0 {
		t.Errorf("%d threads are still held", n)
	}
}
