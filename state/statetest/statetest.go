// Package statetest is the conformance suite of state.Store: whatever keeps
// the records, this is what its users rely on.
package statetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"mirage/state"
)

// Open opens the store under test at a place that stays the same during one
// test, so that a second call, after Close, sees what the first left.
type Open func(t *testing.T) state.Store

// Run runs the suite. newPlace answers an Open for a fresh, empty place.
func Run(t *testing.T, newPlace func(t *testing.T) Open) {
	tests := []struct {
		name string
		run  func(*testing.T, Open)
	}{
		{"GetPutDelete", getPutDelete},
		{"Rollback", rollback},
		{"OwnWritesAreSeen", ownWrites},
		{"Scan", scan},
		{"ScanWhileWriting", scanWhileWriting},
		{"Reopen", reopen},
		{"Keys", keys},
		{"ValuesAreCopied", valuesAreCopied},
		{"ViewIsReadOnly", viewIsReadOnly},
		{"ViewIsConsistent", viewIsConsistent},
		{"Context", canceled},
		{"Closed", closed},
		{"ConcurrentUpdates", concurrentUpdates},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, newPlace(t)) })
	}
}

var bg = context.Background()

func open(t *testing.T, o Open) state.Store {
	t.Helper()
	s := o(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func put(t *testing.T, s state.Store, d state.Durability, pairs ...string) {
	t.Helper()
	err := s.Update(bg, d, func(tx state.Tx) error {
		for i := 0; i < len(pairs); i += 2 {
			if err := tx.Put(state.Jobs, pairs[i], []byte(pairs[i+1])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, s state.Store, key string) string {
	t.Helper()
	var got string
	err := s.View(bg, func(tx state.Tx) error {
		v, err := tx.Get(state.Jobs, key)
		got = string(v)
		if errors.Is(err, state.ErrNotFound) {
			got, err = "(none)", nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func list(t *testing.T, s state.Store, prefix string) []string {
	t.Helper()
	var got []string
	err := s.View(bg, func(tx state.Tx) error {
		return tx.Scan(state.Jobs, prefix, func(k string, v []byte) bool {
			got = append(got, k+"="+string(v))
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func getPutDelete(t *testing.T, o Open) {
	s := open(t, o)
	want(t, "missing", get(t, s, "a"), "(none)")
	put(t, s, state.Synced, "a", "1")
	put(t, s, state.Grouped, "a", "2", "b", "")
	want(t, "overwritten", get(t, s, "a"), "2")
	want(t, "empty value", get(t, s, "b"), "")
	for range 2 { // the second finds nothing, which is no error
		err := s.Update(bg, state.Grouped, func(tx state.Tx) error { return tx.Delete(state.Jobs, "a") })
		want(t, "delete", err, nil)
		want(t, "deleted", get(t, s, "a"), "(none)")
	}
	err := s.View(bg, func(tx state.Tx) error {
		_, err := tx.Get(state.Asks, "b")
		return err
	})
	want(t, "the same key of another type", err, state.ErrNotFound)
}

func rollback(t *testing.T, o Open) {
	s := open(t, o)
	put(t, s, state.Grouped, "a", "1", "b", "1")
	boom := errors.New("boom")
	err := s.Update(bg, state.Synced, func(tx state.Tx) error {
		if err := tx.Put(state.Jobs, "a", []byte("2")); err != nil {
			return err
		}
		if err := tx.Delete(state.Jobs, "b"); err != nil {
			return err
		}
		return boom
	})
	want(t, "error", err, boom)
	want(t, "after it", list(t, s, ""), "[a=1 b=1]")
}

func ownWrites(t *testing.T, o Open) {
	s := open(t, o)
	put(t, s, state.Grouped, "a", "1")
	err := s.Update(bg, state.Grouped, func(tx state.Tx) error {
		tx.Put(state.Jobs, "b", []byte("2"))
		tx.Delete(state.Jobs, "a")
		_, err := tx.Get(state.Jobs, "a")
		want(t, "own delete", err, state.ErrNotFound)
		v, err := tx.Get(state.Jobs, "b")
		want(t, "own put", string(v), "2")
		n := 0
		tx.Scan(state.Jobs, "", func(k string, v []byte) bool { n++; return true })
		want(t, "own scan", n, 1)
		return err
	})
	want(t, "error", err, nil)
}

func scan(t *testing.T, o Open) {
	s := open(t, o)
	put(t, s, state.Synced, "w/a", "1", "w/b", "2", "w/c", "3", "x/a", "4", "w", "5")
	s.Close()
	s = open(t, o) // some in the database, some above it
	put(t, s, state.Grouped, "w/b", "two", "w/aa", "6")
	err := s.Update(bg, state.Grouped, func(tx state.Tx) error { return tx.Delete(state.Jobs, "w/c") })
	want(t, "delete", err, nil)
	want(t, "prefix", list(t, s, "w/"), "[w/a=1 w/aa=6 w/b=two]")
	want(t, "all", list(t, s, ""), "[w=5 w/a=1 w/aa=6 w/b=two x/a=4]")
	want(t, "none", list(t, s, "nothing"), "[]")
	var got []string
	s.View(bg, func(tx state.Tx) error {
		return tx.Scan(state.Jobs, "", func(k string, v []byte) bool {
			got = append(got, k)
			return len(got) < 2
		})
	})
	want(t, "stopped", got, "[w w/a]")
}

func scanWhileWriting(t *testing.T, o Open) {
	s := open(t, o)
	put(t, s, state.Grouped, "a", "1", "b", "2", "c", "3")
	err := s.Update(bg, state.Grouped, func(tx state.Tx) error {
		return tx.Scan(state.Jobs, "", func(k string, v []byte) bool {
			tx.Delete(state.Jobs, k)
			tx.Put(state.Jobs, "new-"+k, v)
			return true
		})
	})
	want(t, "error", err, nil)
	want(t, "after it", list(t, s, ""), "[new-a=1 new-b=2 new-c=3]")
}

func reopen(t *testing.T, o Open) {
	s := open(t, o)
	for i := range 100 {
		put(t, s, state.Durability(i%2), fmt.Sprintf("k%03d", i), fmt.Sprint(i))
	}
	want(t, "close", s.Close(), nil)
	s = open(t, o)
	want(t, "count", len(list(t, s, "")), 100)
	want(t, "one of them", get(t, s, "k042"), "42")
	put(t, s, state.Grouped, "k042", "new")
	want(t, "close", s.Close(), nil)
	want(t, "changed", get(t, open(t, o), "k042"), "new")
}

func keys(t *testing.T, o Open) {
	s := open(t, o)
	long := strings.Repeat("k", state.MaxKey)
	for _, key := range []string{"a\x00b", "\xff\xfe", "ä/ö", long} {
		put(t, s, state.Grouped, key, "v")
		want(t, "value", get(t, s, key), "v")
	}
	for _, key := range []string{"", long + "k"} {
		err := s.Update(bg, state.Grouped, func(tx state.Tx) error { return tx.Put(state.Jobs, key, nil) })
		want(t, "refused key", errors.Is(err, state.ErrKey), true)
	}
	s.Close()
	want(t, "after reopening", len(list(t, open(t, o), "")), 4)
}

func valuesAreCopied(t *testing.T, o Open) {
	s := open(t, o)
	v := []byte("before")
	err := s.Update(bg, state.Grouped, func(tx state.Tx) error { return tx.Put(state.Jobs, "a", v) })
	want(t, "put", err, nil)
	copy(v, "after!")
	want(t, "value", get(t, s, "a"), "before")
}

func viewIsReadOnly(t *testing.T, o Open) {
	s := open(t, o)
	put(t, s, state.Grouped, "a", "1")
	s.View(bg, func(tx state.Tx) error {
		if tx.Put(state.Jobs, "a", []byte("2")) == nil {
			t.Error("Put in a View succeeded")
		}
		if tx.Delete(state.Jobs, "a") == nil {
			t.Error("Delete in a View succeeded")
		}
		return nil
	})
	want(t, "value", get(t, s, "a"), "1")
}

// viewIsConsistent moves an amount between two keys and watches the sum.
func viewIsConsistent(t *testing.T, o Open) {
	s := open(t, o)
	put(t, s, state.Grouped, "a", strings.Repeat("x", 50), "b", strings.Repeat("x", 50))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 300 {
			a := i % 100
			put(t, s, state.Grouped, "a", strings.Repeat("x", a), "b", strings.Repeat("x", 100-a))
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		s.View(bg, func(tx state.Tx) error {
			a, _ := tx.Get(state.Jobs, "a")
			sum := len(a)
			tx.Scan(state.Jobs, "b", func(_ string, v []byte) bool { sum += len(v); return true })
			if sum != 100 {
				t.Errorf("sum %d, want 100", sum)
			}
			return nil
		})
	}
}

func canceled(t *testing.T, o Open) {
	s := open(t, o)
	ctx, cancel := context.WithCancel(bg)
	cancel()
	ran := false
	fn := func(state.Tx) error { ran = true; return nil }
	if s.Update(ctx, state.Synced, fn) == nil || s.View(ctx, fn) == nil || ran {
		t.Error("a canceled context began a transaction")
	}
}

func closed(t *testing.T, o Open) {
	s := open(t, o)
	want(t, "close", s.Close(), nil)
	want(t, "second close", s.Close(), nil)
	fn := func(state.Tx) error { return nil }
	want(t, "update", s.Update(bg, state.Synced, fn), state.ErrClosed)
	want(t, "view", s.View(bg, fn), state.ErrClosed)
}

func concurrentUpdates(t *testing.T, o Open) {
	s := open(t, o)
	var wg sync.WaitGroup
	const workers, each = 8, 50
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				d := state.Grouped
				if i%10 == 0 {
					d = state.Synced
				}
				err := s.Update(bg, d, func(tx state.Tx) error {
					v, err := tx.Get(state.Jobs, "count")
					if err != nil && !errors.Is(err, state.ErrNotFound) {
						return err
					}
					return tx.Put(state.Jobs, "count", append(slices.Clip(v), byte('a'+w)))
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	want(t, "updates seen", len(get(t, s, "count")), workers*each)
	s.Close()
	want(t, "after reopening", len(get(t, open(t, o), "count")), workers*each)
}
