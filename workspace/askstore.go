package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mirage/state"
)

// storedAsk is an Ask in the store.
type storedAsk struct {
	ID       string    `json:"id"`
	Agent    string    `json:"agent,omitempty"`
	Command  string    `json:"command,omitempty"`
	Argv     []string  `json:"argv"`
	Cwd      string    `json:"cwd,omitempty"`
	Paths    []string  `json:"paths,omitempty"`
	Rule     string    `json:"rule"`
	Reason   string    `json:"reason"`
	Policy   string    `json:"policy,omitempty"`
	Outcome  string    `json:"outcome,omitempty"`
	Scope    string    `json:"scope,omitempty"`
	Note     string    `json:"note,omitempty"`
	Created  time.Time `json:"created"`
	Answered time.Time `json:"answered,omitzero"`
	Digest   string    `json:"digest"`
	// Spent is set as soon as a line has taken the answer: should the process
	// end before the line does, it must not be used again.
	Spent bool `json:"spent,omitempty"`
}

// key is the entry's key in the store; the number keeps the order.
func (e *entryOfAsk) key() string { return fmt.Sprintf("%s/%016x", e.s.key(), e.number) }

// store writes entries as they are now, whatever they were when the update
// was asked for, so that the last update always has the last word.
func (l *ledger) store(ctx context.Context, d state.Durability, entries ...*entryOfAsk) error {
	l.mu.Lock()
	entries = slices.Concat(entries, l.dropped)
	l.dropped = nil
	l.mu.Unlock()
	entries = slices.DeleteFunc(entries, func(e *entryOfAsk) bool { return e.s.ephemeral })
	if len(entries) == 0 {
		return nil
	}
	return l.w.m.store.Update(ctx, d, func(tx state.Tx) error {
		if l.w.deleted.Load() {
			return errDeleted
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, e := range entries {
			var err error
			if e.phase == askGone || e.s.gone.Load() {
				err = tx.Delete(state.Asks, e.key())
			} else {
				err = putJSON(tx, state.Asks, e.key(), e.encode())
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// encode answers what the store keeps of an entry. The ledger's mu is held.
func (e *entryOfAsk) encode() storedAsk {
	r := &e.rec
	return storedAsk{
		ID: r.ID, Agent: r.Agent, Command: r.Command, Argv: r.Argv, Cwd: r.Cwd, Paths: r.Paths, Rule: r.Rule, Reason: r.Reason,
		Policy: r.Policy, Outcome: r.Outcome, Scope: r.Scope, Note: r.Note, Created: r.Created, Answered: r.Answered,
		Digest: e.match.digest, Spent: e.phase == askClaimed || e.phase == askSpent,
	}
}

// load reads the questions of a workspace whose sessions are known.
func (l *ledger) load(tx state.Tx) error {
	prefix := l.w.id + "/"
	var failed error
	err := tx.Scan(state.Asks, prefix, func(key string, value []byte) bool {
		failed = l.restore(key[len(prefix):], value)
		return failed == nil
	})
	slices.SortFunc(l.entries, func(a, b *entryOfAsk) int { return cmp.Compare(a.number, b.number) })
	for _, list := range l.open {
		slices.SortFunc(list, func(a, b *entryOfAsk) int { return cmp.Compare(a.number, b.number) })
	}
	return errors.Join(err, failed)
}

// restore adds one stored question.
func (l *ledger) restore(key string, value []byte) error {
	var r storedAsk
	if err := json.Unmarshal(value, &r); err != nil {
		return fmt.Errorf("record %s/%s: %w", state.Asks, key, err)
	}
	id, number, _ := strings.Cut(key, "/")
	e := &entryOfAsk{s: l.w.sessions[id], match: match{r.Digest, r.Rule}, size: len(value), stored: closedChan, settled: make(chan struct{})}
	if _, err := fmt.Sscanf(number, "%x", &e.number); err != nil {
		return fmt.Errorf("record %s/%s: %w", state.Asks, key, err)
	}
	if e.s == nil {
		return nil // its session has gone
	}
	e.rec = Ask{
		ID: r.ID, Workspace: l.w.id, Session: id, Agent: r.Agent, Command: r.Command, Argv: r.Argv, Cwd: r.Cwd, Paths: r.Paths,
		Rule: r.Rule, Reason: r.Reason, Policy: r.Policy, Outcome: r.Outcome, Scope: r.Scope, Note: r.Note,
		Created: r.Created, Answered: r.Answered, Spent: r.Spent,
	}
	switch {
	case r.Outcome == "":
		e.phase = askPending
	case r.Spent:
		e.phase = askSpent
	case r.Scope == ScopeSession:
		e.phase = askStanding
	default:
		e.phase = askAnswered
	}
	l.last = max(l.last, e.number)
	l.add(e)
	return nil
}
