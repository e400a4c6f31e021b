package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mirage/state"
	"mirage/state/faulty"
	"mirage/workspace"
)

func TestJobs(t *testing.T) {
	s, _, ses := demo(t)
	var ids []string
	for _, line := range []string{"echo out; echo err >&2", "exit 3", "sleep 1000"} {
		j, err := ses.Submit(bg, workspace.Line{Command: line, Agent: "tester"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, j.ID())
		if line == "sleep 1000" {
			j.Cancel()
		}
		j.Wait(bg)
	}
	for _, restarted := range []bool{false, true} {
		if restarted {
			s.restart()
		}
		list, err := s.Jobs(bg, operator, "demo")
		if err != nil || len(list) != 3 {
			t.Fatalf("got %d jobs, %v", len(list), err)
		}
		for i, wanted := range []struct {
			status workspace.Status
			exit   int
		}{{workspace.Done, 0}, {workspace.Done, 3}, {workspace.Ended, 130}} {
			rec := list[i]
			if rec.ID != ids[i] || rec.Status != wanted.status || rec.Finished.IsZero() || rec.Workspace != "demo" || rec.Agent != "tester" || rec.Session != "default" {
				t.Errorf("job %d: %+v", i, rec)
			}
			if rec.Result != nil && rec.Result.ExitCode != wanted.exit {
				t.Errorf("job %d: status %d, want %d", i, rec.Result.ExitCode, wanted.exit)
			}
		}
		j, err := s.Job(bg, operator, ids[0])
		if err != nil {
			t.Fatal(err)
		}
		rec := j.Wait(bg)
		want(t, "output", string(rec.Result.Stdout)+string(rec.Result.Stderr), "out\nerr\n")
		want(t, "revision", rec.Revision, 3)
		chunks, next, err := j.Follow(bg, 0)
		want(t, "log", fmt.Sprint(len(chunks), chunks[1].Stderr, err), "2 true <nil>")
		chunks, _, _ = j.Follow(bg, next)
		want(t, "end of the log", len(chunks), 0)
		want(t, "cancel a settled one", j.Cancel(), false)
	}
	want(t, "another workspace's", len(must(s.Jobs(bg, operator, "other"))), 0)
	want(t, "a stranger's", len(must(s.Jobs(bg, mallory, ""))), 0)
	_, err := s.Job(bg, mallory, ids[0])
	want(t, "a stranger's", kind(err), workspace.NotFound)
	_, err = s.Job(bg, operator, "job_0000000000000000")
	want(t, "missing", kind(err), workspace.NotFound)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Jobs of a closed workspace stay reachable for the account of its claim.
func TestJobsOfAClosedWorkspace(t *testing.T) {
	s := newServer(t)
	w := s.create(alice, "hers", ramConfig)
	j, err := session(t, w, "").Submit(bg, workspace.Line{Command: "echo hi"})
	if err != nil {
		t.Fatal(err)
	}
	j.Wait(bg)
	if _, err := s.CloseWorkspace(bg, alice, "hers"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Job(bg, alice, j.ID())
	want(t, "hers", err, nil)
	_, err = s.Job(bg, mallory, j.ID())
	want(t, "his", kind(err), workspace.NotFound)
	want(t, "list", len(must(s.Jobs(bg, alice, ""))), 1)
}

// clocked is a server whose clock the test turns.
func clocked(t *testing.T, wrap func(state.Store) state.Store) (*workspace.Manager, *time.Time) {
	t.Helper()
	folder, err := state.Open(t.TempDir(), state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	store := wrap(folder)
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	m, err := workspace.Open(bg, workspace.Options{Store: store, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		m.Close(bg)
		folder.Close()
	})
	return m, &now
}

func TestJobsAreForgotten(t *testing.T) {
	m, now := clocked(t, func(s state.Store) state.Store { return s })
	w, _, err := m.Create(bg, operator, "demo", config(t, ramConfig))
	if err != nil {
		t.Fatal(err)
	}
	s := session(t, w, "")
	first, err := s.Submit(bg, workspace.Line{Command: ":"})
	if err != nil {
		t.Fatal(err)
	}
	first.Wait(bg)
	*now = now.Add(23 * time.Hour)
	for range 511 {
		run(t, s, ":")
	}
	want(t, "kept", len(must(m.Jobs(bg, operator, ""))), 512)
	*now = now.Add(2 * time.Hour)
	want(t, "after a day", len(must(m.Jobs(bg, operator, ""))), 511)
	_, err = m.Job(bg, operator, first.ID())
	want(t, "the first", kind(err), workspace.NotFound)
	for range 10 {
		run(t, s, ":")
	}
	want(t, "at most", len(must(m.Jobs(bg, operator, ""))), 512)
}

func TestStoreFaults(t *testing.T) {
	boom := errors.New("boom")
	var store *faulty.Store
	m, _ := clocked(t, func(s state.Store) state.Store {
		store = faulty.New(s)
		return store
	})
	for _, op := range []faulty.Op{faulty.Update, faulty.Commit, faulty.View} {
		store.FailOn(op, boom)
		_, _, err := m.Create(bg, operator, "demo", config(t, ramConfig))
		want(t, "create", kind(err), workspace.Failed)
		want(t, "cause", errors.Is(err, boom), true)
		store.Fail(nil)
		_, err = m.Get(bg, operator, "demo")
		want(t, "nothing is left", kind(err), workspace.NotFound)
	}
	w, _, err := m.Create(bg, operator, "demo", config(t, ramConfig))
	if err != nil {
		t.Fatal(err)
	}
	s := session(t, w, "")
	store.FailOn(faulty.Update, boom)
	_, err = s.Run(bg, workspace.Line{Command: "echo never > /tmp/f"})
	want(t, "a line whose record cannot be written", kind(err), workspace.Failed)
	_, err = w.NewSession(bg, workspace.SessionOptions{ID: "new"})
	want(t, "a session that cannot be kept", kind(err), workspace.Failed)
	store.Fail(nil)
	want(t, "the line has not run", out(t, s, "echo /tmp/*"), "/tmp/*\n")
	want(t, "the session is not there", len(w.Sessions()), 1)

	// The record is written, the end is not.
	calls := 0
	store.Fail(func(op faulty.Op) error {
		if op == faulty.Update {
			if calls++; calls == 2 {
				return boom
			}
		}
		return nil
	})
	j, err := s.Submit(bg, workspace.Line{Command: "x=1"})
	if err != nil {
		t.Fatal(err)
	}
	rec := j.Wait(bg)
	want(t, "not done", fmt.Sprint(rec.Status, rec.Error), "failedStateError: boom")
	store.Fail(nil)
	want(t, "the session goes on", out(t, s, "echo $x"), "1\n")
	err = store.View(bg, func(tx state.Tx) error {
		rec, err := tx.Get(state.Sessions, "demo/default")
		want(t, "and is kept by the next line", strings.Contains(string(rec), `"x":{"value":"1"`), true)
		return err
	})
	want(t, "view", err, nil)

	store.FailOn(faulty.Update, boom)
	_, err = m.Delete(bg, operator, "demo")
	want(t, "delete", fmt.Sprint(kind(err), err), "failedworkspace delete failed: boom")
	store.Fail(nil)
	_, _, err = m.Create(bg, operator, "demo", config(t, ramConfig))
	want(t, "the id is released", err, nil)
}

func TestLinesAreBounded(t *testing.T) {
	_, _, s := demo(t)
	_, err := s.Submit(bg, workspace.Line{Command: strings.Repeat("x", 17<<20)})
	want(t, "a line of 17 MiB", kind(err), workspace.Invalid)
	first, err := s.Submit(bg, workspace.Line{Command: "cat", Stdin: blocker(t)})
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for range 1100 {
		if _, err := s.Submit(bg, workspace.Line{Command: ":"}); kind(err) == workspace.Conflict {
			refused++
		}
	}
	if refused < 99 || refused > 100 { // the first may or may not wait still
		t.Errorf("%d of 1100 refused", refused)
	}
	want(t, "canceled", s.Cancel(bg) >= 1000, true)
	first.Wait(bg)
}

func TestHistoryIsBounded(t *testing.T) {
	_, w, s := demo(t)
	ctx := context.Background()
	long := ": " + strings.Repeat("x", 1<<20)
	for range 6 {
		if _, err := s.Run(ctx, workspace.Line{Command: long}); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "lines", len(s.History()), 3)
	want(t, "detail", w.Detail().History, 3)
}
