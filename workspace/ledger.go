package workspace

import (
	"context"
	"slices"
	"sync"

	"mirage/state"
)

// ledger keeps the questions of a workspace. What has returned from it is in
// the store, but for those of sessions that end with their channel.
//
// mu is held neither while the store is waited for nor while anybody is
// waited for; what is under way is marked in the entry.
type ledger struct {
	w *Workspace

	mu       sync.Mutex
	entries  []*entryOfAsk // oldest first
	last     uint64        // number of the entry made last
	bytes    int
	open     map[match][]*entryOfAsk     // not spent, oldest first
	pending  map[string]*entryOfAsk      // by id
	standing map[standingKey]*entryOfAsk // allowed for the session
	waiting  map[*Session]int            // pending ones
	dropped  []*entryOfAsk               // gone, but not from the store yet
}

// standingKey is what an answer for a session covers.
type standingKey struct {
	session *Session
	rule    string
}

// askPhase is where the life of a question stands.
type askPhase int

const (
	askRaising   askPhase = iota // being stored
	askPending                   // waits for an answer
	askAnswering                 // the answer is being stored
	askAnswered                  // answered for once, not used yet
	askClaimed                   // a line or call has taken the answer
	askStanding                  // allowed for the session
	askSpent                     // used up
	askGone                      // withdrawn
)

// entryOfAsk is a question in the ledger, guarded by its mu.
type entryOfAsk struct {
	rec    Ask
	s      *Session
	number uint64
	match  match
	size   int
	phase  askPhase
	stored chan struct{} // closed once raising has ended
	err    error         // of raising; set before stored is closed
	// settled is closed once nobody need wait for an answer any more.
	settled chan struct{}
}

func newLedger(w *Workspace) *ledger {
	return &ledger{
		w: w, open: map[match][]*entryOfAsk{}, pending: map[string]*entryOfAsk{},
		standing: map[standingKey]*entryOfAsk{}, waiting: map[*Session]int{},
	}
}

// verdict is what the ledger says to a question.
type verdict int

const (
	askOpen    verdict = iota // pending
	askGranted                // allowed; the entry is claimed, or standing
	askDenied                 // denied; the answer is spent with it
	askRefused                // the question cannot be asked
)

// take answers a question: with an answer that fits it and that nobody has
// taken, with the question that is pending already, or by raising it. why says
// what is wrong when it is refused.
func (l *ledger) take(ctx context.Context, q *question) (v verdict, e *entryOfAsk, why string) {
	m := q.match()
	l.mu.Lock()
	if e := l.standing[standingKey{q.s, q.Rule}]; e != nil {
		l.mu.Unlock()
		return askGranted, e, ""
	}
	var same *entryOfAsk
	for _, e := range l.open[m] {
		switch e.phase {
		case askAnswered:
			allowed := e.rec.Outcome == AnswerAllow
			if allowed {
				e.phase = askClaimed
			} else {
				l.spend(e)
			}
			l.mu.Unlock()
			// Before the command runs: an answer must not come back after a
			// crash.
			if err := l.store(ctx, state.Grouped, e); err != nil {
				l.unclaim(e)
				return askRefused, nil, storeFailed(err).Detail
			}
			if allowed {
				return askGranted, e, ""
			}
			return askDenied, e, ""
		case askRaising, askPending, askAnswering:
			same = e
		}
	}
	if same == nil {
		same, why = l.raise(q, m)
		if same == nil {
			l.mu.Unlock()
			return askRefused, nil, why
		}
		rec := same.rec.clone()
		l.mu.Unlock()
		l.record(same)
		if same.err == nil {
			l.w.m.noteAsk(ctx, rec)
		}
	} else {
		l.mu.Unlock()
	}
	select {
	case <-same.stored:
	case <-ctx.Done():
		return askOpen, same, ""
	}
	if same.err != nil {
		return askRefused, nil, storeFailed(same.err).Detail
	}
	return askOpen, same, ""
}

// unclaim takes back a claim that could not be stored.
func (l *ledger) unclaim(e *entryOfAsk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.phase == askClaimed {
		e.phase = askAnswered
	}
}

// raise makes a question's entry; nil, and why, when there is no room for it.
// mu is held.
func (l *ledger) raise(q *question, m match) (*entryOfAsk, string) {
	size := len(q.command) + len(q.cwd) + len(q.Reason) + len(q.Rule)
	for _, w := range slices.Concat(q.words, q.paths) {
		size += len(w) + 16
	}
	switch {
	case q.s.gone.Load():
		return nil, "the session has ended"
	case size > maxAskWords:
		return nil, "the command is too long to ask about"
	case l.waiting[q.s] >= maxSessionAsks:
		return nil, "too many questions of the session wait for an answer"
	case !l.makeRoom(size):
		return nil, "too many questions wait for an answer"
	}
	id := ""
	for i := 0; i+askDigits <= len(m.digest); i += askDigits {
		// Two commands of one id would let the answer to one be that to the
		// other, so the second gets the next digits.
		id = m.digest[i : i+askDigits]
		old := l.pending[id]
		if old == nil {
			break
		}
		if old.match.digest == m.digest {
			// Another rule asks about the same command: the one that asked
			// before no longer does.
			l.withdraw(old)
			break
		}
		id = ""
	}
	if id == "" {
		return nil, "the question has no id of its own"
	}
	l.last++
	e := &entryOfAsk{
		s: q.s, number: l.last, match: m, size: size, stored: make(chan struct{}), settled: make(chan struct{}),
		rec: Ask{
			ID: id, Workspace: l.w.id, Session: q.s.id, Agent: q.agent, Command: q.command, Argv: q.words, Cwd: q.cwd,
			Paths: q.paths, Rule: q.Rule, Reason: q.Reason, Policy: q.Policy, Scope: ScopeOnce, Created: l.w.m.now(),
		},
	}
	l.add(e)
	return e, ""
}

// add files an entry by its phase. mu is held, or nobody else knows l.
func (l *ledger) add(e *entryOfAsk) {
	l.entries = append(l.entries, e)
	l.bytes += e.size
	switch e.phase {
	case askRaising, askPending:
		l.pending[e.rec.ID] = e
		l.waiting[e.s]++
		l.open[e.match] = append(l.open[e.match], e)
	case askAnswered:
		l.open[e.match] = append(l.open[e.match], e)
	case askStanding:
		l.standing[standingKey{e.s, e.rec.Rule}] = e
	}
}

// record stores a new question and tells of it.
func (l *ledger) record(e *entryOfAsk) {
	err := l.store(context.Background(), state.Synced, e)
	l.mu.Lock()
	switch {
	case e.phase != askRaising: // withdrawn meanwhile
	case err != nil:
		e.err = err
		l.withdraw(e)
	default:
		e.phase = askPending
		l.w.m.asked.publish(EventAsk, l.w, e.rec.clone())
	}
	close(e.stored)
	l.mu.Unlock()
}

// answer answers a pending question.
func (l *ledger) answer(ctx context.Context, id string, a Answer) (Ask, error) {
	l.mu.Lock()
	e := l.pending[id]
	if e == nil || e.phase != askPending {
		known := slices.ContainsFunc(l.entries, func(e *entryOfAsk) bool {
			return e.rec.ID == id && e.phase != askRaising
		})
		l.mu.Unlock()
		if known {
			return Ask{}, errorf(Conflict, "ask_answered", "ask already answered: %s", id)
		}
		return Ask{}, errorf(NotFound, "ask_not_found", "ask not found")
	}
	// An answer for the session is one to whatever else the rule asks.
	answered := []*entryOfAsk{e}
	if a.Scope == ScopeSession {
		for _, other := range l.pending {
			if other != e && other.s == e.s && other.rec.Rule == e.rec.Rule && other.phase == askPending {
				answered = append(answered, other)
			}
		}
	}
	old := e.rec
	now := l.w.m.now()
	for _, e := range answered {
		e.phase = askAnswering
		e.rec.Outcome, e.rec.Scope, e.rec.Answered = a.Outcome, a.Scope, now
	}
	e.rec.Note = a.Note
	l.mu.Unlock()

	err := l.store(ctx, state.Synced, answered...)

	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range answered {
		if e.phase != askAnswering {
			continue // withdrawn
		}
		if err != nil {
			e.phase = askPending
			e.rec.Outcome, e.rec.Scope, e.rec.Note, e.rec.Answered = old.Outcome, old.Scope, old.Note, old.Answered
			continue
		}
		delete(l.pending, e.rec.ID)
		l.waited(e.s)
		if a.Scope == ScopeSession {
			e.phase = askStanding
			l.unlist(e)
			l.standing[standingKey{e.s, e.rec.Rule}] = e
		} else {
			e.phase = askAnswered
		}
		close(e.settled)
		l.w.m.asked.publish(EventAnswer, l.w, e.rec.clone())
	}
	if err != nil {
		return Ask{}, storeFailed(err)
	}
	return e.rec.clone(), nil
}

// end gives back what a line or call has claimed, or spends it.
func (l *ledger) end(spent, released []*entryOfAsk) {
	l.mu.Lock()
	var changed []*entryOfAsk
	for _, e := range spent {
		if e.phase == askClaimed {
			l.spend(e)
			changed = append(changed, e)
		}
	}
	for _, e := range released {
		if e.phase == askClaimed {
			e.phase = askAnswered
			changed = append(changed, e)
		}
	}
	l.mu.Unlock()
	if len(changed) == 0 {
		return
	}
	// A claim that the store still has counts as spent after a restart.
	if err := l.store(context.Background(), state.Grouped, changed...); err != nil {
		l.w.m.log.Error("answers cannot be stored", "workspace", l.w.id, "error", err)
	}
}

// spend uses an answer up. mu is held.
func (l *ledger) spend(e *entryOfAsk) {
	e.phase, e.rec.Spent = askSpent, true
	l.unlist(e)
}

// unlist takes an entry from those whose answer may be used. mu is held.
func (l *ledger) unlist(e *entryOfAsk) {
	if list := slices.DeleteFunc(l.open[e.match], func(x *entryOfAsk) bool { return x == e }); len(list) > 0 {
		l.open[e.match] = list
	} else {
		delete(l.open, e.match)
	}
}

// waited counts one pending question less. mu is held.
func (l *ledger) waited(s *Session) {
	if l.waiting[s]--; l.waiting[s] <= 0 {
		delete(l.waiting, s)
	}
}

// withdraw forgets a question; the store does with its next update. mu is
// held.
func (l *ledger) withdraw(e *entryOfAsk) {
	switch e.phase {
	case askRaising, askPending, askAnswering:
		delete(l.pending, e.rec.ID)
		l.waited(e.s)
		close(e.settled)
	case askStanding:
		delete(l.standing, standingKey{e.s, e.rec.Rule})
	}
	e.phase = askGone
	l.unlist(e)
	l.bytes -= e.size
	l.entries = slices.DeleteFunc(l.entries, func(x *entryOfAsk) bool { return x == e })
	if !e.s.ephemeral {
		l.dropped = append(l.dropped, e)
	}
}

// makeRoom forgets answered questions, those that are spent first, oldest
// first, until there is room for one more; false when there is none. mu is
// held.
func (l *ledger) makeRoom(size int) bool {
	full := func() bool { return len(l.entries) >= maxAsks || l.bytes+size > maxAskBytes }
	for _, phases := range [][]askPhase{{askSpent}, {askAnswered, askStanding}} {
		for full() {
			i := slices.IndexFunc(l.entries, func(e *entryOfAsk) bool { return slices.Contains(phases, e.phase) })
			if i < 0 {
				break
			}
			l.withdraw(l.entries[i])
		}
	}
	return !full()
}

// forget drops the questions of a session that has ended; the store's are
// deleted with the session.
func (l *ledger) forget(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range slices.Clone(l.entries) {
		if e.s == s {
			l.withdraw(e)
		}
	}
}

// stands reports whether a rule's question has been allowed for a session.
func (l *ledger) stands(s *Session, rule string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.standing[standingKey{s, rule}] != nil
}

func (l *ledger) list(session string, all bool) []Ask {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := []Ask{}
	for _, e := range l.entries {
		if e.phase == askRaising || session != "" && e.rec.Session != session {
			continue
		}
		if all || e.phase == askPending || e.phase == askAnswering {
			rec := e.rec.clone()
			if e.phase == askAnswering {
				rec.Outcome, rec.Scope, rec.Note = "", ScopeOnce, ""
			}
			list = append(list, rec)
		}
	}
	return list
}
