package cputime_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mirage/internal/cputime"
)

// TestUsed burns processor time in two goroutines while a third one sleeps,
// until the meter has seen as much as the test waits for.
func TestUsed(t *testing.T) {
	var m cputime.Meter
	stop := make(chan struct{})
	var stopped atomic.Bool
	var wg sync.WaitGroup
	burn := func() {
		for !stopped.Load() {
		}
	}
	wg.Go(func() { m.Run(burn) })
	wg.Go(func() { m.Run(burn) })
	wg.Go(func() { m.Run(func() { <-stop }) })
	deadline := time.Now().Add(time.Minute)
	for {
		used := m.Used()
		if used > 100*time.Millisecond {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("used %v", used)
		}
		time.Sleep(time.Millisecond)
	}
	close(stop)
	stopped.Store(true)
	wg.Wait()
	used := m.Used()
	if used < 100*time.Millisecond {
		t.Errorf("in the end used %v", used)
	}
	time.Sleep(20 * time.Millisecond)
	if again := m.Used(); again != used {
		t.Errorf("what has ended goes on: %v after %v", again, used)
	}
	m.Run(func() { time.Sleep(300 * time.Millisecond) })
	if slept := m.Used(); slept-used > 200*time.Millisecond {
		t.Errorf("sleep counts: %v", slept-used)
	}
}
