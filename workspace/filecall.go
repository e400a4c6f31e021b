package workspace

import (
	"context"
	"sync"
	"syscall"

	"mirage/policy"
	"mirage/vfs"
)

// FileCall is one call of a file tool, outside any line: a VFS call over HTTP,
// a request of SFTP. Where a rule asks about a file of it, the question is
// raised, one a call; an answer for once covers all that the call does to that
// path. While a line of the session runs nothing is asked: it is refused.
type FileCall struct {
	rules rules
	s     *Session
	view  *vfs.View

	mu      sync.Mutex // held while the ledger is asked; guards the rest
	claims  map[match]*entryOfAsk
	stopped bool // a question is pending
	over    bool
	refusal *policy.Refusal
}

// FileCall begins a call. End must follow.
func (s *Session) FileCall() *FileCall {
	if s.guard == nil {
		return &FileCall{s: s, view: s.view}
	}
	return newFileCall(s.guard, s)
}

func newFileCall(r rules, s *Session) *FileCall {
	c := &FileCall{rules: r, s: s}
	c.view = s.viewUnder(callGuard{c})
	return c
}

// View is the session's file tree for this call.
func (c *FileCall) View() *vfs.View { return c.view }

// Refusal is the record of the rule that refused the call last, nil for none.
func (c *FileCall) Refusal() *policy.Refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refusal
}

// End ends the call: the answers that it used are spent, unless it stopped on
// a question that is pending. Safe to call twice.
func (c *FileCall) End() {
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return
	}
	c.over = true
	list := make([]*entryOfAsk, 0, len(c.claims))
	for _, e := range c.claims {
		list = append(list, e)
	}
	stopped := c.stopped
	c.mu.Unlock()
	switch {
	case len(list) == 0:
	case stopped:
		c.s.w.asks.end(nil, list)
	default:
		c.s.w.asks.end(list, nil)
	}
}

// callGuard is a call as the guard of its files.
type callGuard struct{ c *FileCall }

// Hidden implements vfs.Guard.
func (g callGuard) Hidden(p string) bool { return g.c.rules.Hidden(p) }

// Version implements vfs.Shifting.
func (g callGuard) Version() uint64 { return g.c.rules.Version() }

// Check implements vfs.Guard.
func (g callGuard) Check(ctx context.Context, a vfs.Access) error {
	answer, err := g.c.rules.check(ctx, a)
	if err != nil || answer.Outcome == policy.Allow {
		return err
	}
	return g.c.check(ctx, a, answer)
}

// check answers an access that some rule denies or asks about.
func (c *FileCall) check(ctx context.Context, a vfs.Access, answer policy.Answer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer.Outcome != policy.Ask {
		c.refuse("deny", answer.Reason, answer.Policy, answer.Scope, nil)
		if answer.Failed {
			c.refusal.Kind = "failed"
		}
		return syscall.EACCES
	}
	running := c.s.lineRuns()
	for _, pq := range questions(answer, callerName(a)) {
		q := &question{Question: pq, s: c.s, agent: c.s.agent, words: []string{a.Path}, paths: []string{a.Path}}
		if c.claims[q.match()] != nil || c.s.w.asks.stands(c.s, pq.Rule) {
			continue
		}
		if running || c.over || c.stopped {
			return syscall.EACCES
		}
		v, e, why := c.s.w.asks.take(ctx, q)
		switch {
		case v == askGranted && e.once():
			if c.claims == nil {
				c.claims = map[match]*entryOfAsk{}
			}
			c.claims[q.match()] = e
			continue
		case v == askGranted:
			continue
		case v == askDenied:
			c.refuse("deny", pq.Reason, pq.Policy, pq.Scope, nil)
		case v == askRefused:
			c.refuse("failed", why, pq.Policy, pq.Scope, nil)
		default:
			c.stopped = true
			c.refuse("pending", pq.Reason, pq.Policy, pq.Scope, &e.rec.ID)
		}
		return syscall.EACCES
	}
	return nil
}

// refuse notes a refusal. mu is held.
func (c *FileCall) refuse(kind, reason, name string, scope policy.Scope, ask *string) {
	if scope == "" {
		scope = policy.ScopeOperand
	}
	c.refusal = &policy.Refusal{Kind: kind, Reason: reason, Policy: name, Scope: scope, AskID: ask}
}

// lineRuns reports whether a line of the session runs. One whose end has been
// told does not, though the session may not have got to the next yet.
func (s *Session) lineRuns() bool {
	s.mu.Lock()
	j := s.running
	s.mu.Unlock()
	if j == nil {
		return false
	}
	select {
	case <-j.done:
		return false
	default:
		return true
	}
}
