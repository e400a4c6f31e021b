// Package faulty is a state.Store that fails on demand, for tests of what
// stands on one.
package faulty

import (
	"context"
	"sync"

	"mirage/state"
)

// Op is a moment at which a fault can strike.
type Op string

// The moments.
const (
	Update Op = "update" // before anything has happened
	Commit Op = "commit" // after fn, before its effects: they are lost
	Answer Op = "answer" // after the effects: they are kept, and reported lost
	View   Op = "view"
)

// Store passes calls on, unless its fault says otherwise.
type Store struct {
	inner state.Store

	mu    sync.Mutex
	fault func(Op) error
	count map[Op]int
}

// New wraps a store. It has no fault until Fail.
func New(inner state.Store) *Store { return &Store{inner: inner, count: map[Op]int{}} }

// Fail makes each operation answer what fault says: nil lets it pass. A nil
// fault lets everything pass.
func (s *Store) Fail(fault func(Op) error) {
	s.mu.Lock()
	s.fault = fault
	s.mu.Unlock()
}

// FailOn makes every op of one kind fail.
func (s *Store) FailOn(op Op, err error) {
	s.Fail(func(o Op) error {
		if o == op {
			return err
		}
		return nil
	})
}

// Count answers how often a moment has come.
func (s *Store) Count(op Op) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[op]
}

func (s *Store) strike(op Op) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[op]++
	if s.fault == nil {
		return nil
	}
	return s.fault(op)
}

// Update implements state.Store.
func (s *Store) Update(ctx context.Context, d state.Durability, fn func(state.Tx) error) error {
	if err := s.strike(Update); err != nil {
		return err
	}
	err := s.inner.Update(ctx, d, func(tx state.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return s.strike(Commit)
	})
	if err != nil {
		return err
	}
	return s.strike(Answer)
}

// View implements state.Store.
func (s *Store) View(ctx context.Context, fn func(state.Tx) error) error {
	if err := s.strike(View); err != nil {
		return err
	}
	return s.inner.View(ctx, fn)
}

// Close implements state.Store.
func (s *Store) Close() error { return s.inner.Close() }
