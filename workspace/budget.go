package workspace

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"mirage/audit"
	"mirage/internal/budget"
	"mirage/policy"
)

// Budgets are what a server lets its users use up; the zero value bounds
// nothing.
type Budgets struct {
	Session policy.Budget // of each session; a profile may lower it
	Account policy.Budget // of all sessions of an account; without one, of a workspace
	// Bytes that programs and shells hold at one time: in a session (0 =
	// 256 MiB), in all of an account and in all of the server (0 = any).
	SessionMemory, AccountMemory, ServerMemory int64
}

// usage is what a session or account has used up lately.
type usage struct {
	mu      sync.Mutex // guards what follows
	lines   bucket
	written bucket
	cpu     bucket // in nanoseconds
	running int64  // lines that run or wait

	memory *budget.Budget // nil for a session, whose shell has its own
}

// bucket counts what was used, and forgets it at the rate at which it may be
// used.
type bucket struct {
	used float64
	at   time.Time
}

// take uses n of what may be most in a period; false when that is too much now.
func (b *bucket) take(now time.Time, n, most int64, period time.Duration) bool {
	if d := now.Sub(b.at); d > 0 {
		b.used = max(0, b.used-float64(most)*float64(d)/float64(period))
		b.at = now
	}
	if b.used+float64(n) > float64(most) {
		return false
	}
	b.used += float64(n)
	return true
}

// add counts n that have been used already; false when that, with what was
// used before, is more than may be.
func (b *bucket) add(now time.Time, n, most int64, period time.Duration) bool {
	b.take(now, 0, most, period)
	b.used += float64(n)
	return b.used <= float64(most)
}

// usageOf answers the usage of an account, or of a workspace that nobody owns.
func (m *Manager) usageOf(owner, workspace string) *usage {
	key := "account " + owner
	if owner == "" {
		key = "workspace " + workspace
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.used[key]
	if u == nil {
		u = &usage{memory: m.memory.Child(m.budgets.AccountMemory, 0)}
		m.used[key] = u
	}
	return u
}

// bound is one bound on the session: whose it is, and what was used of it.
type bound struct {
	policy.Budget
	whose string
	used  *usage
}

// budgets answers the bounds on the session now.
func (s *Session) budgets() [2]bound {
	return [2]bound{
		{s.w.m.budgets.Session.Tightest(s.profile().Budget()), "session", &s.used},
		{s.w.m.budgets.Account, "account", s.w.used},
	}
}

// admit takes a line in, or answers why there is one too many. leave must
// follow for a line that was taken in.
func (s *Session) admit(ctx context.Context) error {
	now := s.w.m.now()
	all := s.budgets()
	for i, b := range all {
		if err := b.admit(now); err != nil {
			for _, done := range all[:i] {
				done.leave()
			}
			s.w.m.record(ctx, audit.Event{Kind: audit.Refusal, Action: "budget", Outcome: audit.Refused, Reason: err.Error(), Origin: s.origin()})
			return err
		}
	}
	return nil
}

func (b bound) admit(now time.Time) error {
	b.used.mu.Lock()
	defer b.used.mu.Unlock()
	if most := b.ConcurrentLines; most != nil && b.used.running >= *most {
		return errorf(Limited, "too_many_lines", "too many lines at once: the %s may have %d", b.whose, *most)
	}
	if most := b.CPUPerHour; most != nil && !b.used.cpu.add(now, 0, int64(*most), time.Hour) {
		return errorf(Limited, "too_much_cpu", "too much processor time: the %s may use %.1fs an hour", b.whose, most.Seconds())
	}
	if most := b.LinesPerMinute; most != nil && !b.used.lines.take(now, 1, *most, time.Minute) {
		return errorf(Limited, "too_many_lines", "too many lines: the %s may run %d a minute", b.whose, *most)
	}
	b.used.running++
	return nil
}

func (b bound) leave() {
	b.used.mu.Lock()
	b.used.running--
	b.used.mu.Unlock()
}

// leave notes that a line that was taken in has ended.
func (s *Session) leave() {
	for _, b := range s.budgets() {
		b.leave()
	}
}

// Spend implements vfs.Meter: EDQUOT for what is more than may be written.
func (s *Session) spend(n int64) error {
	now := s.w.m.now()
	for _, b := range s.budgets() {
		if b.WrittenPerHour == nil {
			continue
		}
		b.used.mu.Lock()
		ok := b.used.written.take(now, n, *b.WrittenPerHour, time.Hour)
		b.used.mu.Unlock()
		if !ok {
			return syscall.EDQUOT
		}
	}
	return nil
}

// meter is a session as the vfs.Meter of its files.
type meter struct{ s *Session }

// Spend implements vfs.Meter.
func (m meter) Spend(_ context.Context, n int64) error { return m.s.spend(n) }

// metered reports whether anything may bound what the session writes.
func (s *Session) metered() bool {
	b := s.w.m.budgets
	return s.guard != nil || b.Session.WrittenPerHour != nil || b.Account.WrittenPerHour != nil
}

// errLineTime is why a line ends that has used up its time.
var errLineTime = errors.New("the time of the line is used up")

// exitLineTime is the status of a line that has used up its time: that of
// timeout(1).
const exitLineTime = 124

// lineTime answers a context that ends when the time of a line is used up, and
// how long that is. stop must be called; late tells whether it was too long.
func (s *Session) lineTime(parent context.Context) (ctx context.Context, most time.Duration, stop func() (late bool)) {
	var least *time.Duration
	for _, b := range s.budgets() {
		if b.LineTime != nil && (least == nil || *b.LineTime < *least) {
			least = b.LineTime
		}
	}
	if least == nil {
		return parent, 0, func() bool { return false }
	}
	ctx, cancel := context.WithCancelCause(parent)
	timer := time.AfterFunc(*least, func() { cancel(errLineTime) })
	return ctx, *least, func() bool {
		timer.Stop()
		late := context.Cause(ctx) == errLineTime && parent.Err() == nil
		cancel(nil)
		return late
	}
}
