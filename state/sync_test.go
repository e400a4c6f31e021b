package state_test

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mirage/state"
)

// When is the journal synced? Synced updates before they return, Grouped ones
// within 50 ms.
func TestSyncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var syncs atomic.Int32
		s := open(t, t.TempDir(), state.Options{Sync: func(f *os.File) error {
			syncs.Add(1)
			return f.Sync()
		}})
		defer s.Close()
		put(t, s, "a", "1")
		put(t, s, "b", "1")
		if n := syncs.Load(); n != 0 {
			t.Errorf("%d syncs before any was due", n)
		}
		time.Sleep(50 * time.Millisecond)
		if n := syncs.Load(); n != 1 {
			t.Errorf("%d syncs after 50 ms, want one for both", n)
		}
		time.Sleep(time.Hour)
		if n := syncs.Load(); n != 1 {
			t.Errorf("%d syncs of an idle store, want 1", n)
		}
		err := s.Update(context.Background(), state.Synced, func(tx state.Tx) error { return tx.Put(state.Jobs, "c", nil) })
		if n := syncs.Load(); err != nil || n != 2 {
			t.Errorf("%d syncs after a synced update, want 2; %v", n, err)
		}
		time.Sleep(50 * time.Millisecond)
		if n := syncs.Load(); n != 2 {
			t.Errorf("%d syncs with nothing left to sync, want 2", n)
		}
		err = s.Update(context.Background(), state.Synced, func(state.Tx) error { return nil })
		if n := syncs.Load(); err != nil || n != 2 {
			t.Errorf("%d syncs after an update of nothing, want 2; %v", n, err)
		}
	})
}

// After a failed sync nobody can know what the disk holds, so nothing more is
// acknowledged.
func TestFailedSync(t *testing.T) {
	boom := errors.New("boom")
	var fail atomic.Bool
	dir := t.TempDir()
	s := open(t, dir, state.Options{Sync: func(f *os.File) error {
		if fail.Load() {
			return boom
		}
		return f.Sync()
	}})
	update := func(d state.Durability) error {
		return s.Update(context.Background(), d, func(tx state.Tx) error { return tx.Put(state.Jobs, "a", nil) })
	}
	if err := update(state.Synced); err != nil {
		t.Fatal(err)
	}
	fail.Store(true)
	if err := update(state.Synced); !errors.Is(err, boom) {
		t.Errorf("got %v, want boom", err)
	}
	fail.Store(false)
	for _, d := range []state.Durability{state.Grouped, state.Synced} {
		if err := update(d); !errors.Is(err, boom) {
			t.Errorf("afterwards: got %v, want boom", err)
		}
	}
	if got := count(t, s); got != 1 {
		t.Errorf("reading: got %d records, want 1", got)
	}
	if err := s.Close(); !errors.Is(err, boom) {
		t.Errorf("close: got %v, want boom", err)
	}
	s = open(t, dir, state.Options{})
	if err := update(state.Synced); err != nil {
		t.Errorf("opened again: %v", err)
	}
}
