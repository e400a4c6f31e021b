package workspace_test

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"mirage/policy"
	"mirage/workspace"
)

func bound(n int64) *int64 { return &n }

// budgeted is a server with budgets and a clock of its own.
func budgeted(t *testing.T, b workspace.Budgets) (*server, *time.Time) {
	t.Helper()
	now := time.Unix(1_700_000_000, 0)
	s := &server{t: t, dir: t.TempDir(), budgets: b, now: func() time.Time { return now }}
	s.start()
	t.Cleanup(s.stop)
	return s, &now
}

// refusedLine runs a line that is one too many, and answers why.
func refusedLine(t *testing.T, s *workspace.Session) string {
	t.Helper()
	_, err := s.Run(bg, workspace.Line{Command: "true"})
	want(t, "kind", kind(err), workspace.Limited)
	return fmt.Sprint(err)
}

func TestLinesPerMinute(t *testing.T) {
	s, now := budgeted(t, workspace.Budgets{
		Session: policy.Budget{LinesPerMinute: bound(4)}, Account: policy.Budget{LinesPerMinute: bound(6)},
	})
	w := s.create(operator, "demo", `{"mounts": {"/": {"vfs": "ram"}}, "profiles": {"p": {"budget": {"lines_per_minute": 1}}, "q": {"budget": {"lines_per_minute": 99}}}}`)
	a := session(t, w, "")
	for range 4 {
		out(t, a, "true")
	}
	want(t, "the fifth", refusedLine(t, a), "too many lines: the session may run 4 a minute")
	p, err := w.NewSession(bg, workspace.SessionOptions{Profile: "p"})
	if err != nil {
		t.Fatal(err)
	}
	out(t, p, "true")
	want(t, "by profile", refusedLine(t, p), "too many lines: the session may run 1 a minute")
	q, err := w.NewSession(bg, workspace.SessionOptions{Profile: "q"})
	if err != nil {
		t.Fatal(err)
	}
	out(t, q, "true")
	want(t, "the account", refusedLine(t, q), "too many lines: the account may run 6 a minute")
	other := session(t, s.create(operator, "other", ramConfig), "")
	out(t, other, "true")
	*now = now.Add(15 * time.Second)
	out(t, a, "true")
	want(t, "too early", refusedLine(t, a), "too many lines: the session may run 4 a minute")
	*now = now.Add(time.Hour)
	for range 4 {
		out(t, a, "true")
	}
}

func TestConcurrentLines(t *testing.T) {
	s, _ := budgeted(t, workspace.Budgets{Account: policy.Budget{ConcurrentLines: bound(2)}})
	w := s.create(operator, "demo", ramConfig)
	a := session(t, w, "")
	b, err := w.NewSession(bg, workspace.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var jobs []*workspace.Job
	for _, ses := range []*workspace.Session{a, b} {
		j, err := ses.Submit(bg, workspace.Line{Command: "cat", Stdin: blocker(t)})
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	want(t, "a third", refusedLine(t, b), "too many lines at once: the account may have 2")
	for _, j := range jobs {
		j.Cancel()
		j.Wait(bg)
	}
	// Whatever became of a line, its place is free again.
	for range 3 {
		out(t, a, "true")
		out(t, b, "true")
	}
}

func TestWrittenPerHour(t *testing.T) {
	s, now := budgeted(t, workspace.Budgets{Session: policy.Budget{WrittenPerHour: bound(1000)}})
	w := s.create(operator, "demo", `{"mounts": {"/": {"vfs": "ram"}}, "profiles": {"p": {"budget": {"written_per_hour": 10}}}}`)
	a := session(t, w, "")
	out(t, a, "head -c 600 /dev/zero > /f; head -c 5000 /dev/zero > /dev/null; head -c 5000 /dev/zero | wc -c")
	res := run(t, a, "head -c 600 /dev/zero > /g; echo $?; echo small > /h; cat /h")
	want(t, "status", string(res.Stdout), "1\nsmall\n")
	if !strings.Contains(string(res.Stderr), "Disk quota exceeded") {
		t.Errorf("stderr %q", res.Stderr)
	}
	if err := a.View().WriteFile(bg, "/v", make([]byte, 600), 0o644); !errors.Is(err, syscall.EDQUOT) {
		t.Errorf("outside a line: %v", err)
	}
	*now = now.Add(time.Hour)
	if err := a.View().WriteFile(bg, "/v", make([]byte, 600), 0o644); err != nil {
		t.Errorf("an hour later: %v", err)
	}
	p, err := w.NewSession(bg, workspace.SessionOptions{Profile: "p"})
	if err != nil {
		t.Fatal(err)
	}
	res = run(t, p, "echo 0123456789 > /p")
	want(t, "by profile", fmt.Sprintf("%d %s", res.ExitCode, res.Stderr), "1 echo: write error: Disk quota exceeded\n")
}

func TestLineTime(t *testing.T) {
	d := 30 * time.Millisecond
	s, _ := budgeted(t, workspace.Budgets{Session: policy.Budget{LineTime: &d}})
	a := session(t, s.create(operator, "demo", ramConfig), "")
	for _, line := range []string{"sleep 1000", "while :; do :; done", "echo a; sleep 1000 || echo no; echo no"} {
		res := run(t, a, line)
		if res.ExitCode != 124 || !res.TimedOut || !strings.HasSuffix(string(res.Stderr), "mirage: the line timed out after 0.0s\n") || strings.Contains(string(res.Stdout), "no") {
			t.Errorf("%s: %d %v %q %q", line, res.ExitCode, res.TimedOut, res.Stdout, res.Stderr)
		}
	}
	if got := out(t, a, "echo quick"); got != "quick\n" {
		t.Errorf("afterwards: %q", got)
	}
}
