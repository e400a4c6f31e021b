package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"mirage/accounts"
	"mirage/audit"
	"mirage/policy"
	"mirage/state"
	"mirage/workspace"
)

var (
	bg       = context.Background()
	operator = accounts.Caller{All: true}
	alice    = accounts.Caller{Account: "alice"}
	mallory  = accounts.Caller{Account: "mallory"}
)

const ramConfig = `{"mounts": {"/": {"vfs": "ram", "mode": "exec"}}}`

// server is a manager over a store that can be restarted.
type server struct {
	*workspace.Manager
	t     *testing.T
	dir   string
	store state.Store
	audit audit.Sink // nil = off
	rate  int

	budgets  workspace.Budgets
	policies []policy.Hooks
	now      func() time.Time
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir()}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *server) start() {
	s.t.Helper()
	store, err := state.Open(s.dir, state.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	m, err := workspace.Open(bg, workspace.Options{Store: store, Root: s.dir, Audit: s.audit, AuditRate: s.rate, Budgets: s.budgets, Policies: s.policies, ReadScript: os.ReadFile, Now: s.now})
	if err != nil {
		s.t.Fatal(err)
	}
	s.store, s.Manager = store, m
}

func (s *server) stop() {
	if s.Manager == nil {
		return
	}
	if err := s.Manager.Close(bg); err != nil {
		s.t.Error(err)
	}
	if err := s.store.Close(); err != nil {
		s.t.Error(err)
	}
	s.Manager = nil
}

func (s *server) restart() {
	s.t.Helper()
	s.stop()
	s.start()
}

func config(t *testing.T, text string) *workspace.Config {
	t.Helper()
	c, err := workspace.ParseConfig([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (s *server) create(c accounts.Caller, id, cfg string) *workspace.Workspace {
	s.t.Helper()
	w, _, err := s.Create(bg, c, id, config(s.t, cfg))
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}

func (s *server) get(id string) *workspace.Workspace {
	s.t.Helper()
	w, err := s.Get(bg, operator, id)
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}

func session(t *testing.T, w *workspace.Workspace, id string) *workspace.Session {
	t.Helper()
	s, err := w.Session(bg, id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kind answers the kind of an error of this package.
func kind(err error) workspace.Kind {
	var e *workspace.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestCreate(t *testing.T) {
	s := newServer(t)
	const other = `{"mounts": {"/x": {"vfs": "ram"}}}`
	tests := []struct {
		name    string
		caller  accounts.Caller
		id      string
		cfg     string
		created bool
		kind    workspace.Kind
	}{
		{"new", alice, "demo", ramConfig, true, ""},
		{"same again", alice, "demo", "mounts:\n  /:\n    mode: exec\n    vfs: ram\n", false, ""},
		{"another config", alice, "demo", other, false, workspace.Conflict},
		{"another account", mallory, "demo", ramConfig, false, workspace.Conflict},
		{"the operator sees it", operator, "demo", ramConfig, false, ""},
		{"no account", accounts.Caller{}, "other", ramConfig, false, workspace.Refused},
		{"id of the config", alice, "", `{"workspace_id": "own", "mounts": {}}`, true, ""},
		{"reserved", alice, "console", ramConfig, false, workspace.Invalid},
		{"dots", alice, "..", ramConfig, false, workspace.Invalid},
		{"slash", alice, "a/b", ramConfig, false, workspace.Invalid},
		{"too long", alice, string(slices.Repeat([]byte("a"), 129)), ramConfig, false, workspace.Invalid},
		{"longest", alice, string(slices.Repeat([]byte("a"), 128)), ramConfig, true, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w, created, err := s.Create(bg, test.caller, test.id, config(t, test.cfg))
			want(t, "created", created, test.created)
			want(t, "kind", kind(err), test.kind)
			want(t, "workspace", w != nil, test.kind == "")
		})
	}
	w, _, err := s.Create(bg, alice, "", config(t, ramConfig))
	if err != nil || len(w.ID()) != 36 {
		t.Errorf("minted id %v, %v", w, err)
	}
}

func TestVisibility(t *testing.T) {
	s := newServer(t)
	s.create(alice, "hers", ramConfig)
	s.create(operator, "unowned", ramConfig)
	for _, restarted := range []bool{false, true} {
		if restarted {
			s.restart()
		}
		for _, test := range []struct {
			caller accounts.Caller
			want   string
		}{
			{alice, "[hers]"},
			{mallory, "[]"},
			{operator, "[hers unowned]"},
			{accounts.Caller{}, "[]"},
		} {
			list, err := s.List(bg, test.caller)
			want(t, "error", err, nil)
			ids := []string{}
			for _, w := range list {
				ids = append(ids, w.ID())
			}
			want(t, fmt.Sprint(test.caller), ids, test.want)
			for _, id := range []string{"hers", "unowned", "missing", "../x", ""} {
				_, err := s.Get(bg, test.caller, id)
				if slices.Contains(ids, id) {
					want(t, "visible "+id, err, nil)
				} else {
					want(t, "invisible "+id, err, "workspace not found")
				}
			}
		}
	}
	_, _, err := s.Create(bg, mallory, "unowned", config(t, ramConfig))
	want(t, "creating an unowned id", kind(err), workspace.Conflict)
	_, err = s.Delete(bg, mallory, "hers")
	want(t, "deleting a foreign one", kind(err), workspace.NotFound)
}

func TestCloseAndDelete(t *testing.T) {
	s := newServer(t)
	w := s.create(alice, "demo", ramConfig)
	if _, err := w.NewSession(bg, workspace.SessionOptions{ID: "named"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CloseWorkspace(bg, alice, "demo"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-w.Done():
	default:
		t.Error("Done is not closed")
	}
	want(t, "live", s.Count(), 0)
	_, err := s.Get(bg, alice, "demo")
	want(t, "closed", kind(err), workspace.NotFound)
	_, err = w.Session(bg, "")
	want(t, "session of a closed workspace", kind(err), workspace.NotFound)
	_, _, err = s.Create(bg, mallory, "demo", config(t, ramConfig))
	want(t, "the claim stays", kind(err), workspace.Conflict)

	w = s.create(alice, "demo", `{"mounts": {"/x": {"vfs": "ram"}}}`)
	want(t, "sessions are picked up", w.Sessions(), "[{default /} {named /}]")
	if _, err := s.Delete(bg, alice, "demo"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Delete(bg, alice, "demo")
	want(t, "twice", kind(err), workspace.NotFound)
	w = s.create(mallory, "demo", ramConfig)
	want(t, "a new one starts empty", w.Sessions(), "[{default /}]")
}

func TestConcurrentCreates(t *testing.T) {
	s := newServer(t)
	cfg := config(t, ramConfig)
	var wg sync.WaitGroup
	var mu sync.Mutex
	made := 0
	ws := map[*workspace.Workspace]bool{}
	for range 16 {
		wg.Go(func() {
			w, created, err := s.Create(bg, alice, "demo", cfg)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			ws[w] = true
			if created {
				made++
			}
		})
	}
	wg.Wait()
	want(t, "creations", made, 1)
	want(t, "workspaces", len(ws), 1)
}

func TestConcurrentDeletes(t *testing.T) {
	s := newServer(t)
	s.create(alice, "demo", ramConfig)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := s.Delete(bg, alice, "demo"); err != nil && kind(err) != workspace.NotFound {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	_, err := s.Get(bg, alice, "demo")
	want(t, "deleted", kind(err), workspace.NotFound)
}

func TestReopen(t *testing.T) {
	s := newServer(t)
	s.create(alice, "demo", ramConfig)
	s.restart()
	want(t, "live", s.Count(), 0)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := s.Get(bg, alice, "demo"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	want(t, "live", s.Count(), 1)
	s.restart()
	_, created, err := s.Create(bg, alice, "demo", config(t, ramConfig))
	want(t, "same config", fmt.Sprint(created, err), "false <nil>")
	s.restart()
	_, _, err = s.Create(bg, alice, "demo", config(t, `{"mounts": {}}`))
	want(t, "another config", kind(err), workspace.Conflict)
}
