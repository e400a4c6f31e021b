package workspace

import (
	"context"
	"errors"
	"sync"
	"time"

	"mirage/internal/cputime"
)

// errCPUTime is why a line ends, and what runs in the background, when the
// processor time of its session or account is used up.
var errCPUTime = errors.New("the processor time is used up")

// exitCPUTime is the status of such a line: 128 and SIGXCPU, as of setrlimit(2).
const exitCPUTime = 152

// cpuTick is how often the processor time of what runs is looked at.
const cpuTick = 50 * time.Millisecond

// cpu is the processor time of a session.
type cpu struct {
	meter cputime.Meter

	mu      sync.Mutex // guards what follows
	charged time.Duration
	running int                     // that the meter counts, or is about to
	end     context.CancelCauseFunc // of the line that runs, nil for none
}

// cpuBounds answers the bounds on the processor time of the session.
func (s *Session) cpuBounds() (list []bound) {
	for _, b := range s.budgets() {
		if b.CPUPerHour != nil {
			list = append(list, b)
		}
	}
	return list
}

// measure runs f, and counts its processor time where that is bounded.
func (s *Session) measure(f func()) {
	if len(s.cpuBounds()) == 0 {
		f()
		return
	}
	c := &s.cpu
	c.mu.Lock()
	if c.running++; c.running == 1 {
		go s.watchCPU()
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.running--
		c.mu.Unlock()
	}()
	c.meter.Run(f)
}

// watchCPU charges what the session uses for as long as something runs, and
// ends it when that is too much.
func (s *Session) watchCPU() {
	tick := time.NewTicker(cpuTick)
	defer tick.Stop()
	for range tick.C {
		s.cpu.mu.Lock()
		last := s.cpu.running == 0
		s.cpu.mu.Unlock()
		if s.chargeCPU() {
			s.endForCPU()
		}
		if last {
			return
		}
	}
}

// chargeCPU counts what was used since the last time; true when that is more
// than the session or its account may use.
func (s *Session) chargeCPU() (over bool) {
	s.cpu.mu.Lock()
	used := s.cpu.meter.Used()
	more := used - s.cpu.charged
	s.cpu.charged = used
	s.cpu.mu.Unlock()
	now := s.w.m.now()
	for _, b := range s.cpuBounds() {
		b.used.mu.Lock()
		over = !b.used.cpu.add(now, int64(more), int64(*b.CPUPerHour), time.Hour) || over
		b.used.mu.Unlock()
	}
	return over
}

// endForCPU ends the line that runs, and what runs in the background.
func (s *Session) endForCPU() {
	s.cpu.mu.Lock()
	end := s.cpu.end
	s.cpu.mu.Unlock()
	if end != nil {
		end(errCPUTime)
	}
	s.mu.Lock()
	sh := s.sh
	s.mu.Unlock()
	if sh != nil {
		sh.KillJobs()
	}
}

// cpuTime answers a context that ends when the processor time is used up. stop
// must be called; over tells whether it was.
func (s *Session) cpuTime(parent context.Context) (ctx context.Context, stop func() (over bool)) {
	if len(s.cpuBounds()) == 0 {
		return parent, func() bool { return false }
	}
	ctx, cancel := context.WithCancelCause(parent)
	set := func(end context.CancelCauseFunc) {
		s.cpu.mu.Lock()
		s.cpu.end = end
		s.cpu.mu.Unlock()
	}
	set(cancel)
	return ctx, func() bool {
		set(nil)
		over := context.Cause(ctx) == errCPUTime && parent.Err() == nil
		cancel(nil)
		return over
	}
}
