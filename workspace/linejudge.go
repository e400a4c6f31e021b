package workspace

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"mirage/policy"
	"mirage/vfs"
)

// lineJudge judges one line: by the rules of its session, and where those ask,
// by the answers that the line has claimed. A claim belongs to one place on the
// line; no other line sees the answer meanwhile. Background jobs of the line
// hold it until they end.
//
// It is a shell.LineJudge, and with files() a vfs.Guard.
type lineJudge struct {
	rules rules
	s     *Session
	agent string
	wait  time.Duration // how long a command waits for an answer

	// turn is held while a command takes an answer, the store included, so
	// that two runs of one place do not take two.
	turn sync.Mutex

	mu      sync.Mutex // guards the rest
	begun   bool       // the walk is over
	holders int
	over    bool // the last holder has ended
	stopped bool // something was refused for a question that is still pending
	claims  map[claimKey]*claim
}

// rules is what judges before anybody is asked.
type rules interface {
	policy.Judge
	check(ctx context.Context, a vfs.Access) (policy.Answer, error)
	Hidden(path string) bool
	vfs.Shifting
}

// claimKey is where an answer is used, and to what.
type claimKey struct {
	match match
	place string
}

// claim is an answer that a line has taken.
type claim struct {
	e    *entryOfAsk
	used bool // a command has run by it
}

func newLineJudge(r rules, s *Session, agent string, wait time.Duration) *lineJudge {
	return &lineJudge{rules: r, s: s, agent: agent, wait: wait, holders: 1, claims: map[claimKey]*claim{}}
}

// Source implements policy.SourceJudge.
func (j *lineJudge) Source(ctx context.Context, text string) policy.Answer {
	if s, ok := j.rules.(policy.SourceJudge); ok {
		return s.Source(ctx, text)
	}
	return policy.Answer{}
}

// Write implements policy.WriteJudge.
func (j *lineJudge) Write(ctx context.Context, name string, value *string) policy.Answer {
	if w, ok := j.rules.(policy.WriteJudge); ok {
		return w.Write(ctx, name, value)
	}
	return policy.Answer{}
}

// Visible implements policy.Judge.
func (j *lineJudge) Visible(word string) bool { return j.rules.Visible(word) }

// VarHidden implements policy.Judge.
func (j *lineJudge) VarHidden(name string) bool { return j.rules.VarHidden(name) }

// Begin implements shell.LineJudge.
func (j *lineJudge) Begin() {
	j.mu.Lock()
	j.begun = true
	j.mu.Unlock()
}

// Hold implements shell.LineJudge.
func (j *lineJudge) Hold() (release func()) {
	j.mu.Lock()
	j.holders++
	j.mu.Unlock()
	return j.release
}

// release ends one holder. The last one spends what the line has claimed, used
// or not; but when the line stopped on a question that is still pending, what
// nothing has run by is there for the next try.
func (j *lineJudge) release() {
	j.mu.Lock()
	j.holders--
	if j.over = j.holders == 0; !j.over {
		j.mu.Unlock()
		return
	}
	var spent, released []*entryOfAsk
	for _, c := range j.claims {
		if j.stopped && !c.used {
			released = append(released, c.e)
		} else {
			spent = append(spent, c.e)
		}
	}
	clear(j.claims)
	j.mu.Unlock()
	j.s.w.asks.end(spent, released)
}

// Command implements policy.Judge.
func (j *lineJudge) Command(ctx context.Context, c policy.Command) policy.Answer {
	a := j.rules.Command(ctx, c)
	if a.Outcome != policy.Ask {
		return a
	}
	if c.Cwd == "" || slices.Contains(c.Unknown, true) {
		// Nobody can say yes to a command that is not known yet; it is asked
		// about when it is.
		return policy.Answer{}
	}
	var used []*claim
	for _, q := range questions(a, c.Argv[0]) {
		claimed, refusal := j.settle(ctx, c, q)
		if refusal != nil {
			return *refusal
		}
		if claimed != nil {
			used = append(used, claimed)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range used {
		c.used = c.used || j.begun
	}
	return policy.Answer{}
}

// settle finds the answer to one question about a command: the claim that
// allows it (nil where it is allowed for the session), or a refusal.
func (j *lineJudge) settle(ctx context.Context, c policy.Command, pq policy.Question) (*claim, *policy.Answer) {
	q := &question{
		Question: pq, s: j.s, agent: j.agent, command: commandText(c.Argv), words: c.Argv, cwd: c.Cwd, paths: pathsOf(c, pq),
	}
	var deadline <-chan time.Time
	for {
		granted, claimed, e, refusal := j.take(ctx, q, c.Place)
		if granted || refusal != nil {
			return claimed, refusal
		}
		if j.wait > 0 && ctx.Err() == nil {
			if deadline == nil {
				timer := time.NewTimer(j.wait)
				defer timer.Stop()
				deadline = timer.C
			}
			select {
			case <-e.settled:
				continue
			case <-deadline:
			case <-ctx.Done():
			}
		}
		if ctx.Err() == nil {
			j.mu.Lock()
			j.stopped = true
			j.mu.Unlock()
		}
		return nil, &policy.Answer{
			Outcome: policy.Ask, Reason: pq.Reason, Source: pq.Source, Policy: pq.Policy, Scope: pq.Scope, Operand: pq.Operand,
			AskID: e.rec.ID, Asks: []policy.Question{pq},
		}
	}
}

// take takes an answer for a place. Neither granted nor refused is pending.
func (j *lineJudge) take(ctx context.Context, q *question, place string) (granted bool, c *claim, e *entryOfAsk, refusal *policy.Answer) {
	j.turn.Lock()
	defer j.turn.Unlock()
	key := claimKey{q.match(), place}
	j.mu.Lock()
	c, over := j.claims[key], j.over
	j.mu.Unlock()
	switch {
	case over: // what runs on after its line was canceled
		return false, nil, nil, refusedAnswer(q, "the line has ended")
	case c != nil:
		return true, c, nil, nil
	}
	v, e, why := j.s.w.asks.take(ctx, q)
	switch v {
	case askDenied:
		return false, nil, nil, &policy.Answer{
			Outcome: policy.Deny, Reason: q.Reason, Source: q.Source, Policy: q.Policy, Scope: q.Scope, Operand: q.Operand,
			Asks: []policy.Question{q.Question},
		}
	case askRefused:
		return false, nil, nil, refusedAnswer(q, why)
	case askOpen:
		return false, nil, e, nil
	}
	if !e.once() {
		return true, nil, nil, nil
	}
	c = &claim{e: e}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over {
		// The line ended while the claim was being stored.
		go j.s.w.asks.end([]*entryOfAsk{e}, nil)
		return false, nil, nil, refusedAnswer(q, "the line has ended")
	}
	j.claims[key] = c
	return true, c, nil, nil
}

// once reports whether the answer is for one run. Scope does not change once
// there is an answer.
func (e *entryOfAsk) once() bool { return e.rec.Scope == ScopeOnce }

// refusedAnswer refuses what cannot be asked.
func refusedAnswer(q *question, why string) *policy.Answer {
	return &policy.Answer{
		Outcome: policy.Deny, Failed: true, Reason: why, Source: q.Source, Policy: q.Policy, Scope: q.Scope, Operand: q.Operand,
		Asks: []policy.Question{q.Question},
	}
}

// pathsOf answers the paths that a question is about: those that the command
// names, the rule's own first.
func pathsOf(c policy.Command, q policy.Question) []string {
	list := policy.Paths(c)
	if q.Operand == "" {
		return list
	}
	own := q.Operand
	if !strings.HasPrefix(own, "/") {
		own = c.Cwd + "/" + own
	}
	own = path.Clean(own)
	return append([]string{own}, slices.DeleteFunc(list, func(p string) bool { return p == own })...)
}

// holds reports whether the line has claimed an answer that covers a file: one
// to the same rule about the command that uses it, or, where the shell itself
// reads it (source), about the path. A redirection is in no question, so no
// answer to one covers what it opens.
func (j *lineJudge) holds(a vfs.Access, q policy.Question) bool {
	if j.s.w.asks.stands(j.s, q.Rule) {
		return true
	}
	c, _ := a.Caller.(*policy.Command)
	if a.Write && c == nil || c != nil && c.Place == "" {
		return false
	}
	var m match
	if c != nil {
		m = (&question{Question: q, s: j.s, words: c.Argv, cwd: c.Cwd}).match()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for key, claimed := range j.claims {
		if c != nil && key.match == m || c == nil && key.match.rule == q.Rule && slices.Contains(claimed.e.rec.Paths, a.Path) {
			claimed.used = claimed.used || j.begun
			return true
		}
	}
	return false
}

// lineFiles is a line's judge as the guard of the files that it uses.
type lineFiles struct{ j *lineJudge }

// Hidden implements vfs.Guard.
func (f lineFiles) Hidden(p string) bool { return f.j.rules.Hidden(p) }

// Version implements vfs.Shifting.
func (f lineFiles) Version() uint64 { return f.j.rules.Version() }

// Check implements vfs.Guard. Nobody is asked about a file of a line: what no
// answer covers fails by itself.
func (f lineFiles) Check(ctx context.Context, a vfs.Access) error {
	answer, err := f.j.rules.check(ctx, a)
	if err != nil || answer.Outcome == policy.Allow {
		return err
	}
	if answer.Outcome == policy.Ask && !slices.ContainsFunc(questions(answer, callerName(a)), func(q policy.Question) bool { return !f.j.holds(a, q) }) {
		return nil
	}
	return syscall.EACCES
}
