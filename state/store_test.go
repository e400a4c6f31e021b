package state_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mirage/state"
	"mirage/state/statetest"
)

func place(o state.Options) func(*testing.T) statetest.Open {
	return func(t *testing.T) statetest.Open {
		dir := filepath.Join(t.TempDir(), "state")
		return func(t *testing.T) state.Store {
			s, err := state.Open(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
}

func TestFolder(t *testing.T) {
	statetest.Run(t, place(state.Options{}))
}

// With a tiny layer nearly every update moves to the database file.
func TestFolderCheckpointing(t *testing.T) {
	statetest.Run(t, place(state.Options{Layer: 500}))
}

func TestInUse(t *testing.T) {
	dir := t.TempDir()
	s, err := state.Open(dir, state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = state.Open(dir, state.Options{})
	want := fmt.Sprintf("state folder %s is in use by another process", dir)
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	s.Close()
	s, err = state.Open(dir, state.Options{})
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	s.Close()
}

// crash copies the folder as a kill would leave it and opens the copy.
func crash(t *testing.T, dir string, damage func(journal string)) (*state.Folder, error) {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	journals, err := filepath.Glob(filepath.Join(copied, "journal-*"))
	if err != nil || len(journals) == 0 {
		t.Fatalf("journals %v, %v", journals, err)
	}
	if damage != nil {
		damage(journals[len(journals)-1])
	}
	s, err := state.Open(copied, state.Options{})
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

func count(t *testing.T, s state.Store) (n int) {
	t.Helper()
	err := s.View(context.Background(), func(tx state.Tx) error {
		return tx.Scan(state.Jobs, "", func(string, []byte) bool { n++; return true })
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func put(t *testing.T, s state.Store, key, value string) {
	t.Helper()
	err := s.Update(context.Background(), state.Grouped, func(tx state.Tx) error {
		return tx.Put(state.Jobs, key, []byte(value))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestJournalTails(t *testing.T) {
	dir := t.TempDir()
	s, err := state.Open(dir, state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 10 {
		put(t, s, fmt.Sprint("k", i), "value")
	}
	change := func(f func([]byte) []byte) func(string) {
		return func(path string) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f(b), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name   string
		damage func(string)
		want   int
	}{
		{"whole", nil, 10},
		{"last byte missing", change(func(b []byte) []byte { return b[:len(b)-1] }), 9},
		{"only a head left", change(func(b []byte) []byte { return append(b, 9, 0, 0, 0, 1, 2) }), 10},
		{"zeros appended", change(func(b []byte) []byte { return append(b, make([]byte, 4096)...) }), 10},
		{"huge length", change(func(b []byte) []byte { return append(b, 255, 255, 255, 63, 0, 0, 0, 0, 1) }), 10},
		{"last record damaged", change(func(b []byte) []byte { b[len(b)-1] ^= 1; return b }), 9},
		{"empty", change(func([]byte) []byte { return nil }), 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := crash(t, dir, test.damage)
			if err != nil {
				t.Fatal(err)
			}
			if got := count(t, s); got != test.want {
				t.Errorf("got %d records, want %d", got, test.want)
			}
			put(t, s, "after", "it")
			if got := count(t, s); got != test.want+1 {
				t.Errorf("after an update: got %d records, want %d", got, test.want+1)
			}
		})
	}
}

// A crash between the commit of a checkpoint and the removal of its journal
// leaves both: the records are in the database already, and must not undo
// later ones.
func TestJournalOfAFinishedCheckpoint(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, state.Options{})
	put(t, s, "a", "1")
	put(t, s, "b", "1")
	journal := onlyJournal(t, dir)
	old, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	s.Close() // moves all to the database
	s = open(t, dir, state.Options{})
	put(t, s, "a", "2")
	s.Close()
	if err := os.WriteFile(journal, old, 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, state.Options{})
	if got := get(t, s, "a"); got != "2" {
		t.Errorf("a = %s, want 2", got)
	}
	if got := count(t, s); got != 2 {
		t.Errorf("got %d records, want 2", got)
	}
}

// Two journals are what a crash during a checkpoint leaves. Only the newer may
// be torn.
func TestTwoJournals(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, state.Options{})
	for i := range 10 {
		put(t, s, fmt.Sprint("k", i), "value")
	}
	first := onlyJournal(t, dir)
	whole, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	// Records are of one size here, so halves are whole records too.
	half := len(whole) / 2
	for _, test := range []struct {
		name          string
		first, second []byte
		want          int // -1: refused
	}{
		{"both whole", whole[:half], whole[half:], 10},
		{"newer torn", whole[:half], whole[half : len(whole)-3], 9},
		{"newer empty", whole, nil, 10},
		{"older torn", whole[:half-3], whole[half:], -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, data := range map[string][]byte{filepath.Base(first): test.first, "journal-00000000000000000001": test.second} {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, err := state.Open(dir, state.Options{})
			if test.want < 0 {
				if err == nil {
					t.Fatal("opened")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := count(t, s); got != test.want {
				t.Errorf("got %d records, want %d", got, test.want)
			}
		})
	}
}

// Updates outrun checkpoints here; none may be lost, whatever the moment at
// which the store is looked at or closed.
func TestManyCheckpoints(t *testing.T) {
	dir := t.TempDir()
	o := state.Options{Layer: 10000}
	s := open(t, dir, o)
	for i := range 1000 {
		put(t, s, fmt.Sprintf("k%03d", i%200), strings.Repeat("v", i%300))
		if i%250 == 249 {
			s.Close()
			s = open(t, dir, o)
		}
		if i%100 == 99 {
			if got := count(t, s); got != min(i+1, 200) {
				t.Fatalf("after %d updates: %d records", i+1, got)
			}
		}
	}
	for i := 800; i < 1000; i++ {
		if got := get(t, s, fmt.Sprintf("k%03d", i%200)); len(got) != i%300 {
			t.Errorf("k%03d has %d bytes, want %d", i%200, len(got), i%300)
		}
	}
}

// After a failed sync nothing is acknowledged any more.
func TestWriteErrors(t *testing.T) {
	s := open(t, t.TempDir(), state.Options{})
	put(t, s, "a", "1")
	state.BreakJournal(s)
	update := func(d state.Durability) error {
		return s.Update(context.Background(), d, func(tx state.Tx) error { return tx.Put(state.Jobs, "b", []byte("2")) })
	}
	if err := update(state.Grouped); err == nil {
		t.Error("an update without a journal succeeded")
	}
	if got := get(t, s, "a") + get(t, s, "b"); got != "1" {
		t.Errorf("got %q, want 1 and nothing", got)
	}
}

func open(t *testing.T, dir string, o state.Options) *state.Folder {
	t.Helper()
	s, err := state.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func onlyJournal(t *testing.T, dir string) string {
	t.Helper()
	journals, err := filepath.Glob(filepath.Join(dir, "journal-*"))
	if err != nil || len(journals) != 1 {
		t.Fatalf("journals %v, %v", journals, err)
	}
	return journals[0]
}

func get(t *testing.T, s state.Store, key string) (value string) {
	t.Helper()
	err := s.View(context.Background(), func(tx state.Tx) error {
		v, err := tx.Get(state.Jobs, key)
		value = string(v)
		return err
	})
	if err != nil && !errors.Is(err, state.ErrNotFound) {
		t.Fatal(err)
	}
	return value
}

func BenchmarkGrouped(b *testing.B) {
	s, err := state.Open(b.TempDir(), state.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	value := []byte(strings.Repeat("v", 400))
	i := 0
	for b.Loop() {
		i++
		key := fmt.Sprintf("job_%016x", i)
		s.Update(context.Background(), state.Grouped, func(tx state.Tx) error {
			return tx.Put(state.Jobs, key, value)
		})
	}
}
