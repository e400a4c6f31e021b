package workspace

import (
	"context"
	"sync"
	"syscall"

	"mirage/policy"
	"mirage/vfs"
)

// errProbed is what a probed call fails with where it would take effect.
const errProbed = syscall.ECANCELED

// Probe is a file call that is only tried: names are resolved and the rules
// asked as ever, and the call fails at the first thing that it would read or
// change. Nobody is asked and no answer is spent.
type Probe struct {
	rules rules
	s     *Session
	view  *vfs.View

	mu      sync.Mutex
	peek    *peeker
	answer  policy.Answer
	reading string // what it would have read
}

// Probe begins a probe.
func (s *Session) Probe() *Probe {
	p := &Probe{s: s}
	if s.guard != nil {
		p.rules, p.peek = s.guard, newPeeker(s.guard, s)
	}
	p.view = vfs.NewView(s.w.ns, probeGuard{p}).Of(s)
	return p
}

// View is the session's file tree for the probe.
func (p *Probe) View() *vfs.View { return p.view }

// Verdict answers what the rules say of the call that has been tried with View
// and ended with err: their answer, and the error with which the call itself
// would fail, nil for none.
func (p *Probe) Verdict(ctx context.Context, err error) (policy.Answer, error) {
	p.mu.Lock()
	answer, reading := p.answer, p.reading
	p.mu.Unlock()
	switch vfs.Errno(err) {
	case errProbed:
		if reading != "" { // the rules are asked about it before it is missed
			_, err := p.view.Lstat(ctx, reading)
			return policy.Answer{}, err
		}
		return policy.Answer{}, nil
	case syscall.EROFS:
		return policy.Answer{Outcome: policy.Deny, Reason: "read-only mount", Scope: policy.ScopeOperand}, err
	}
	return answer, err
}

// probeGuard is the guard of a probe.
type probeGuard struct{ p *Probe }

// Hidden implements vfs.Guard.
func (g probeGuard) Hidden(name string) bool { return g.p.rules != nil && g.p.rules.Hidden(name) }

// Check implements vfs.Guard.
func (g probeGuard) Check(ctx context.Context, a vfs.Access) error {
	if g.p.rules != nil {
		answer, err := g.p.rules.check(ctx, a)
		if err != nil {
			return err
		}
		g.p.mu.Lock()
		answer = g.p.peek.file(a, answer)
		if answer.Outcome != policy.Allow {
			g.p.answer = answer
		}
		g.p.mu.Unlock()
		if answer.Outcome != policy.Allow {
			return syscall.EACCES
		}
	}
	switch a.Op {
	case vfs.OpStat, vfs.OpTraverse, vfs.OpReadlink:
		return nil // looking at names is how a call finds what it is about
	case vfs.OpRename:
		return nil // the other name has to be asked about too
	}
	if a.Op == vfs.OpRead {
		g.p.mu.Lock()
		g.p.reading = a.Path
		g.p.mu.Unlock()
	}
	return errProbed
}
