package faulty_test

import (
	"context"
	"errors"
	"testing"

	"mirage/state"
	"mirage/state/faulty"
	"mirage/state/statetest"
)

func open(t *testing.T, dir string) *faulty.Store {
	t.Helper()
	s, err := state.Open(dir, state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return faulty.New(s)
}

// Without a fault it is a store like any other.
func TestConformance(t *testing.T) {
	statetest.Run(t, func(t *testing.T) statetest.Open {
		dir := t.TempDir()
		return func(t *testing.T) state.Store { return open(t, dir) }
	})
}

func TestFaults(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		op   faulty.Op
		kept bool
	}{
		{faulty.Update, false},
		{faulty.Commit, false},
		{faulty.Answer, true},
	}
	for _, test := range tests {
		t.Run(string(test.op), func(t *testing.T) {
			s := open(t, t.TempDir())
			defer s.Close()
			s.FailOn(test.op, boom)
			err := s.Update(context.Background(), state.Synced, func(tx state.Tx) error {
				return tx.Put(state.Jobs, "a", []byte("1"))
			})
			if err != boom || s.Count(test.op) != 1 {
				t.Errorf("got %v after %d", err, s.Count(test.op))
			}
			s.Fail(nil)
			err = s.View(context.Background(), func(tx state.Tx) error {
				_, err := tx.Get(state.Jobs, "a")
				return err
			})
			if (err == nil) != test.kept {
				t.Errorf("kept: got %v, want %v", err == nil, test.kept)
			}
			s.FailOn(faulty.View, boom)
			if err := s.View(context.Background(), func(state.Tx) error { return nil }); err != boom {
				t.Errorf("view: got %v", err)
			}
		})
	}
}
