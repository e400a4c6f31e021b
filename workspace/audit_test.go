package workspace_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mirage/audit"
	"mirage/workspace"
)

// sink collects events.
type sink struct {
	mu     sync.Mutex
	events []audit.Event
}

func (s *sink) Record(ctx context.Context, e audit.Event) {
	o := audit.OriginOf(ctx)
	for _, f := range []struct{ to, from *string }{{&e.Account, &o.Account}, {&e.Door, &o.Door}, {&e.Job, &o.Job}, {&e.Session, &o.Session}, {&e.Workspace, &o.Workspace}} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	s.mu.Lock()
	s.events = append(s.events, e)
	s.mu.Unlock()
}

// take answers what has come since the last time, each event as a text. Every
// event must say whose it is.
func (s *sink) take(t *testing.T) []string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, e := range s.events {
		words := []string{string(e.Kind), e.Action, e.Line, e.Path, e.Other, e.Outcome, e.Reason}
		if e.Status != nil {
			words = append(words, fmt.Sprintf("status %d, %d+%d bytes", *e.Status, e.Stdout, e.Stderr))
		}
		words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
		out = append(out, strings.Join(words, " "))
		if e.Workspace == "" || e.Kind != audit.Admin && e.Session == "" || e.Account != "ann" || e.Door != "test" {
			t.Errorf("%s: not told whose it is: %+v", out[len(out)-1], e.Origin)
		}
	}
	s.events = nil
	return out
}

func TestAudit(t *testing.T) {
	taker := &sink{}
	s := &server{t: t, dir: t.TempDir(), audit: taker}
	s.start()
	t.Cleanup(s.stop)
	ctx := audit.With(bg, audit.Origin{Account: "ann", Door: "test"})
	cfg := config(t, `{"mounts": {"/": {"vfs": "ram", "mode": "exec"}, "/ro": {"vfs": "ram", "mode": "read"}}, "profiles": {"p": {
		"paths": {"hide": ["/secret"]},
		"commands": {"allow": ["cat", "echo", "touch", "rm", "mkdir", "x"], "deny": [{"reason": "no rm", "commands": ["rm"]}, {"reason": "locked", "paths": ["/locked"]}]}}}}`)
	w, _, err := s.Create(ctx, operator, "demo", cfg)
	if err != nil {
		t.Fatal(err)
	}
	digest := taker.take(t)
	want(t, "create", digest, "[admin workspace.create ok]")
	if _, created, err := s.Create(ctx, operator, "demo", cfg); err != nil || created {
		t.Fatal(created, err)
	}
	want(t, "create again", taker.take(t), "[]")
	free, err := w.NewSession(ctx, workspace.SessionOptions{ID: "free"})
	if err != nil {
		t.Fatal(err)
	}
	ruled, err := w.NewSession(ctx, workspace.SessionOptions{Profile: "p", Ephemeral: true, ID: "ruled"})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "sessions", taker.take(t), "[admin session.create ok session open ok]")
	_, err = w.NewSession(ctx, workspace.SessionOptions{ID: "free"})
	want(t, "a taken id", kind(err), workspace.Conflict)
	want(t, "a taken id", taker.take(t), "[admin session.create refused session id already exists: 'free']")

	line := func(ses *workspace.Session, command string, more ...string) {
		t.Helper()
		if _, err := ses.Run(ctx, workspace.Line{Command: command}); err != nil {
			t.Fatal(err)
		}
		got := taker.take(t)
		if len(got) < 2 || got[0] != "line_start "+command {
			t.Errorf("%s: got %q", command, got)
			return
		}
		if !slices.Equal(got[1:], more) {
			t.Errorf("%s: got\n  %q, want\n  %q", command, got[1:], more)
		}
	}
	line(free, "echo out; echo er >&2; exit 3", "line_end ok status 3, 4+3 bytes")
	line(free, "echo x > /f; echo y >> /f; mkdir /d; mv /f /d/f; ln -s /d /l; rm /l; echo > /dev/null",
		"file create /f ok", "file write /f ok", "file mkdir /d ok", "file rename /f /d/f ok", "file symlink /l /d ok", "file remove /l ok",
		"line_end ok status 0, 0+0 bytes")
	line(free, "touch /ro/x 2> /dev/null", "file create /ro/x refused Read-only file system", "line_end ok status 1, 0+0 bytes")
	line(ruled, "rm /d/f 2> /dev/null", "refusal deny rm /d/f 2> /dev/null refused no rm", "line_end refused status 126, 0+22 bytes")
	line(ruled, "x=/locked; cat $x 2> /dev/null", "refusal deny x=/locked; cat $x 2> /dev/null refused locked", "line_end refused status 1, 0+0 bytes")
	line(ruled, "cat < /secret/x 2> /dev/null", "refusal read /secret/x hidden", "line_end ok status 1, 0+37 bytes")
	line(ruled, "nosuch 2> /dev/null", "line_end ok status 127, 0+0 bytes")

	if err := ruled.SetProfile(ctx, "nosuch"); err == nil {
		t.Error("an unknown profile is accepted")
	}
	if err := ruled.SetProfile(ctx, "p"); err != nil {
		t.Error(err)
	}
	want(t, "profiles", taker.take(t), "[admin session.profile refused unknown profile 'nosuch' admin session.profile ok]")

	// Files outside any line.
	if err := ruled.View().WriteFile(ctx, "/v", nil, 0o644); err != nil {
		t.Error(err)
	}
	if err := ruled.View().WriteFile(ctx, "/locked", nil, 0o644); err == nil {
		t.Error("a locked file was written")
	}
	if _, err := ruled.View().ReadFile(ctx, "/locked", -1); err == nil {
		t.Error("a locked file was read")
	}
	got := taker.take(t)
	if len(got) != 3 || got[0] != "file create /v ok" || got[1] != "refusal create /locked refused locked" {
		t.Errorf("files: %q", got)
	}

	if err := ruled.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := w.DeleteSession(ctx, "free"); err != nil {
		t.Error(err)
	}
	if _, err := s.CloseWorkspace(ctx, operator, "demo"); err != nil {
		t.Error(err)
	}
	if _, err := s.Delete(ctx, operator, "demo"); err != nil {
		t.Error(err)
	}
	want(t, "the end", taker.take(t), "[session close ok admin session.delete ok admin workspace.close ok admin workspace.delete ok]")
}

// TestAuditRate makes more events of files than a session may.
func TestAuditRate(t *testing.T) {
	taker := &sink{}
	s := &server{t: t, dir: t.TempDir(), audit: taker, rate: 1}
	s.start()
	t.Cleanup(s.stop)
	w := s.create(operator, "demo", ramConfig)
	view := session(t, w, "").View()
	const burst, n = 20_000, 25_000
	for range n / 2 {
		if err := view.WriteFile(bg, "/f", nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := view.Unlink(bg, "/f"); err != nil {
			t.Fatal(err)
		}
	}
	out(t, session(t, w, ""), "true")
	files, lost := 0, 0
	for _, e := range taker.events {
		switch e.Kind {
		case audit.File:
			files++
		case audit.Dropped:
			some, _ := strconv.Atoi(e.Detail["file"])
			lost += some
		}
	}
	if files < burst || files > burst+1000 || lost != n-files {
		t.Errorf("%d recorded, %d lost", files, lost)
	}
}

// TestReservedFolders mounts what only the server may touch.
func TestReservedFolders(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"state", "audit", "files"} {
		if err := os.Mkdir(dir+"/"+d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := newServer(t)
	m, err := workspace.Open(bg, workspace.Options{Store: s.store, Root: dir + "/state", Reserved: []string{dir + "/audit"}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close(bg)
	for name, ok := range map[string]bool{"state": false, "audit": false, "": false, "audit/x": false, "files": true} {
		cfg := config(t, fmt.Sprintf(`{"mounts": {"/": {"vfs": "disk", "config": {"root": %q}}}}`, dir+"/"+name))
		_, _, err := m.Create(bg, operator, "w"+strings.ReplaceAll(name, "/", ""), cfg)
		if (err == nil) != ok {
			t.Errorf("a mount of %q: %v", name, err)
		}
	}
}

// TestAuditOfAsks raises a question and answers it.
func TestAuditOfAsks(t *testing.T) {
	taker := &sink{}
	s := &server{t: t, dir: t.TempDir(), audit: taker}
	s.start()
	t.Cleanup(s.stop)
	w := s.create(operator, "demo", `{"mounts": {"/": {"vfs": "ram"}}, "profile": "p", "profiles": {"p": {
		"commands": {"ask": [{"reason": "sure?", "commands": ["rm"]}, {"reason": "mine", "paths": ["/asked"]}]}}}}`)
	ctx := audit.With(bg, audit.Origin{Account: "ann", Door: "test"})
	ses := session(t, w, "")
	taker.events = nil
	for range 2 {
		if _, err := ses.Run(ctx, workspace.Line{Command: "rm /f"}); err != nil {
			t.Fatal(err)
		}
	}
	asks, err := w.Asks("", false)
	if err != nil || len(asks) != 1 {
		t.Fatalf("%v, %v", asks, err)
	}
	if _, err := w.AnswerAsk(ctx, asks[0].ID, workspace.Answer{Outcome: workspace.AnswerAllow}); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range taker.events {
		if e.Ask != "" {
			ids = append(ids, e.Ask)
		}
	}
	want(t, "ids", ids, fmt.Sprint(slices.Repeat([]string{asks[0].ID}, 4)))
	got := taker.take(t)
	want(t, "events", strings.Join(got, "\n"), strings.Join([]string{
		"line_start rm /f", "ask rm /f /f sure?", "refusal pending rm /f refused sure?", "line_end refused status 126, 0+" + errBytes(got, 3),
		"line_start rm /f", "refusal pending rm /f refused sure?", "line_end refused status 126, 0+" + errBytes(got, 3),
		"answer allow rm /f /f ok sure?",
	}, "\n"))
	// The files of a line, and those of a call, are watched like any others.
	if _, err := ses.Run(ctx, workspace.Line{Command: "echo > /new"}); err != nil {
		t.Fatal(err)
	}
	call := ses.FileCall()
	if err := call.View().WriteFile(ctx, "/called", nil, 0o644); err != nil {
		t.Error(err)
	}
	if err := call.View().WriteFile(ctx, "/asked", nil, 0o644); err == nil {
		t.Error("written without being asked")
	}
	call.End()
	got = taker.take(t)
	for _, event := range []string{"file create /new ok", "file create /called ok", "ask /asked mine", "refusal create /asked refused mine"} {
		if !slices.Contains(got, event) {
			t.Errorf("no %q in %q", event, got)
		}
	}
}

// errBytes is what the end of a line says of standard error, which is not what
// is tested here.
func errBytes(events []string, i int) string {
	if i >= len(events) {
		return ""
	}
	_, n, _ := strings.Cut(events[i], "0+")
	return n
}
