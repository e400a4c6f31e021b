package workspace_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"mirage/workspace"
)

func run(t *testing.T, s *workspace.Session, line string) workspace.Result {
	t.Helper()
	res, err := s.Run(bg, workspace.Line{Command: line})
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return res
}

// out runs a line that must succeed and answers its output.
func out(t *testing.T, s *workspace.Session, line string) string {
	t.Helper()
	res := run(t, s, line)
	if res.ExitCode != 0 {
		t.Errorf("%s: status %d, stderr %s", line, res.ExitCode, res.Stderr)
	}
	return string(res.Stdout)
}

// blocker is standard input that nobody ever writes to.
func blocker(t *testing.T) io.Reader {
	r, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	return r
}

func demo(t *testing.T) (*server, *workspace.Workspace, *workspace.Session) {
	t.Helper()
	s := newServer(t)
	w := s.create(operator, "demo", ramConfig)
	return s, w, session(t, w, "")
}

func TestLines(t *testing.T) {
	_, w, s := demo(t)
	tests := []struct {
		line, stdout string
		status       int
	}{
		{"echo hi", "hi\n", 0},
		{"false", "", 1},
		{"mkdir /d; cd /d; x=1", "", 0},
		{"pwd; echo $x", "/d\n1\n", 0},
		{"whoami; echo $USER $HOME $PATH", "demo\ndemo / /usr/bin:/bin\n", 0},
		{"[ $UID = $(id -u) ] && [ $EUID = $(id -u) ] && [ -O /d ]", "", 0}, // one user, however asked
		{"exit 3", "", 3},
		{"echo $?", "3\n", 0},
		{"echo /*", "/d\n", 0},
		{"echo x > /dev/null; cat /dev/null", "", 0},
		{"echo t > /tmp/f; cat /tmp/f", "t\n", 0},
		{"/bin/echo by path", "by path\n", 0},
	}
	for _, test := range tests {
		res := run(t, s, test.line)
		if string(res.Stdout) != test.stdout || res.ExitCode != test.status {
			t.Errorf("%s: got %q, %d, %s; want %q, %d", test.line, res.Stdout, res.ExitCode, res.Stderr, test.stdout, test.status)
		}
	}
	want(t, "cwd", s.Cwd(), "/d")
	want(t, "variable", s.Getenv("x"), "1")
	want(t, "history", len(s.History()), len(tests))
	want(t, "detail", w.Detail().History, len(tests))
}

func TestClones(t *testing.T) {
	_, _, s := demo(t)
	run(t, s, "mkdir /d; x=1")
	res, err := s.Run(bg, workspace.Line{Command: "pwd; echo $y; x=2; cd /tmp", Cwd: "/d", Env: map[string]string{"y": "3"}})
	want(t, "error", err, nil)
	want(t, "in the clone", string(res.Stdout), "/d\n3\n")
	want(t, "after it", out(t, s, "pwd; echo $x$y"), "/\n1\n")
}

func TestStreams(t *testing.T) {
	_, _, s := demo(t)
	var stdout, stderr bytes.Buffer
	res, err := s.Run(bg, workspace.Line{
		Command: "cat; echo err >&2", Stdin: strings.NewReader("in"), Stdout: &stdout, Stderr: &stderr, NoRecord: true,
	})
	want(t, "error", err, nil)
	want(t, "streams", stdout.String()+stderr.String(), "inerr\n")
	want(t, "kept", string(res.Stdout)+string(res.Stderr), "inerr\n")
	want(t, "not recorded", len(s.History()), 0)
}

func TestSessionsPersist(t *testing.T) {
	s, w, _ := demo(t)
	named, err := w.NewSession(bg, workspace.SessionOptions{ID: "named", Env: map[string]string{"SEED": "1", "bad name": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	run(t, named, "mkdir -p /tmp/d; cd /tmp; x='a b'; f() { echo from f; }; set -o noclobber; export E=1")
	if _, err := w.NewSession(bg, workspace.SessionOptions{Ephemeral: true, Prefix: "ssh_"}); err != nil {
		t.Fatal(err)
	}
	want(t, "sessions", len(w.Sessions()), 3)
	for range 2 {
		s.restart()
		w = s.get("demo")
		want(t, "sessions", w.Sessions(), "[{default /} {named /tmp}]")
		named = session(t, w, "named")
		want(t, "state", out(t, named, `echo "$x" $SEED; f; set -o | grep noclobber; env | grep ^E=`), "a b 1\nfrom f\nnoclobber      \ton\nE=1\n")
	}
	entries := named.History()
	want(t, "history", len(entries), 3)
	want(t, "first line", strings.HasPrefix(entries[0].Command, "mkdir"), true)
	want(t, "history builtin", strings.Count(out(t, named, "history"), "\n"), 4)
	want(t, "recorded lines", w.Detail().History, 4)

	if err := w.DeleteSession(bg, "named"); err != nil {
		t.Fatal(err)
	}
	want(t, "recorded lines", w.Detail().History, 0)
	_, err = w.Session(bg, "named")
	want(t, "deleted", kind(err), workspace.NotFound)
	_, err = named.Run(bg, workspace.Line{Command: "echo"})
	want(t, "line of a deleted session", kind(err), workspace.NotFound)
	named, err = w.NewSession(bg, workspace.SessionOptions{ID: "named"})
	want(t, "made anew", err, nil)
	want(t, "empty", out(t, named, "echo $x; pwd"), "\n/\n")
	s.restart()
	want(t, "after a restart", len(session(t, s.get("demo"), "named").History()), 1)
}

func TestSessionErrors(t *testing.T) {
	_, w, _ := demo(t)
	tests := []struct {
		o    workspace.SessionOptions
		kind workspace.Kind
		text string
	}{
		{workspace.SessionOptions{ID: "default"}, workspace.Conflict, "session id already exists: 'default'"},
		{workspace.SessionOptions{ID: "a/b"}, workspace.Invalid, "invalid session id: 'a/b'"},
		{workspace.SessionOptions{Profile: "x"}, workspace.Refused, "unknown profile 'x'"},
		{workspace.SessionOptions{Mounts: map[string]string{"/": "w"}}, workspace.Refused, "unknown mode 'w'; expected read, write or exec"},
		{workspace.SessionOptions{Mounts: map[string]string{"/x": "r"}}, workspace.Refused, "no mount at '/x'"},
	}
	for _, test := range tests {
		_, err := w.NewSession(bg, test.o)
		want(t, "kind", kind(err), test.kind)
		want(t, "text", err, test.text)
	}
	want(t, "deleting a missing one", kind(w.DeleteSession(bg, "x")), workspace.NotFound)
}

// TestOneLineAtATime runs many lines of one session at once: each must see
// the whole effect of the ones before.
func TestOneLineAtATime(t *testing.T) {
	_, _, s := demo(t)
	run(t, s, "n=0")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { run(t, s, "m=$n; echo > /tmp/f; n=$((m+1))") })
	}
	wg.Wait()
	want(t, "lines", out(t, s, "echo $n"), "20\n")
}

func TestQueueIsInOrder(t *testing.T) {
	_, _, s := demo(t)
	first, err := s.Submit(bg, workspace.Line{Command: "cat", Stdin: blocker(t)})
	if err != nil {
		t.Fatal(err)
	}
	var jobs []*workspace.Job
	for i := range 10 {
		j, err := s.Submit(bg, workspace.Line{Command: fmt.Sprintf("list=${list}%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		want(t, "status", j.Record().Status, workspace.Pending)
		jobs = append(jobs, j)
	}
	want(t, "cancel a waiting one", jobs[3].Cancel(), true)
	rec := jobs[3].Wait(bg)
	want(t, "canceled", fmt.Sprint(rec.Status, rec.Started.IsZero(), rec.Result == nil), "canceledtrue true")
	want(t, "twice", jobs[3].Cancel(), false)
	want(t, "cancel the running one", first.Cancel(), true)
	want(t, "order", out(t, s, "echo $list"), "012456789\n")
}

func TestCancel(t *testing.T) {
	_, w, s := demo(t)
	other, err := w.NewSession(bg, workspace.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var jobs []*workspace.Job
	for _, ses := range []*workspace.Session{s, s, other} {
		j, err := ses.Submit(bg, workspace.Line{Command: "cat", Stdin: blocker(t)})
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	want(t, "in flight", w.Detail().InFlight, 3)
	want(t, "canceled", w.Cancel(bg), 3)
	want(t, "in flight", w.Detail().InFlight, 0)
	for _, j := range jobs {
		want(t, "status", j.Record().Status, workspace.Ended)
	}
	want(t, "nothing left", w.Cancel(bg), 0)
	want(t, "the session lives", out(t, s, "echo on"), "on\n")
}

func TestRunContext(t *testing.T) {
	_, _, s := demo(t)
	ctx, cancel := context.WithCancel(bg)
	started := make(chan struct{})
	go func() {
		<-started
		cancel()
	}()
	var once sync.Once
	res, err := s.Run(ctx, workspace.Line{
		Command: "x=1; echo started; cat", Stdin: blocker(t),
		Stdout: writerFunc(func(p []byte) (int, error) { once.Do(func() { close(started) }); return len(p), nil }),
	})
	want(t, "error", err, nil)
	want(t, "status", res.ExitCode, 130)
	want(t, "what was kept", string(res.Stdout), "started\n")
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestKill(t *testing.T) {
	_, w, s := demo(t)
	run(t, s, "sleep 1000 & sleep 1000 &")
	want(t, "killed", w.Kill(bg), 2)
}

func TestDeleteWhileRunning(t *testing.T) {
	s, _, ses := demo(t)
	j, err := ses.Submit(bg, workspace.Line{Command: "sleep 1000 & cat", Stdin: blocker(t)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Delete(bg, operator, "demo"); err != nil {
		t.Fatal(err)
	}
	want(t, "the line", j.Record().Status, workspace.Ended)
	_, err = ses.Run(bg, workspace.Line{Command: "echo"})
	want(t, "a late line", err != nil, true)
	_, err = s.Job(bg, operator, j.ID())
	want(t, "its job", kind(err), workspace.NotFound)
	w := s.create(operator, "demo", ramConfig)
	want(t, "a new one is empty", len(session(t, w, "").History()), 0)
	list, err := s.Jobs(bg, operator, "")
	want(t, "jobs", fmt.Sprint(len(list), err), "0 <nil>")
}

func TestEphemeral(t *testing.T) {
	s, w, _ := demo(t)
	e, err := w.NewSession(bg, workspace.SessionOptions{Ephemeral: true, Prefix: "ssh_", Agent: "ssh"})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "id", len(e.ID()) == 16 && strings.HasPrefix(e.ID(), "ssh_"), true)
	run(t, e, "cd /tmp; sleep 100 &")
	want(t, "history", w.Detail().History, 1)
	for range 2 {
		want(t, "close", e.Close(bg), nil)
	}
	want(t, "sessions", len(w.Sessions()), 1)
	want(t, "history", w.Detail().History, 0)
	_, err = e.Run(bg, workspace.Line{Command: "echo"})
	want(t, "a late line", kind(err), workspace.NotFound)
	s.restart()
	want(t, "sessions", len(s.get("demo").Sessions()), 1)
}

func TestTimeIsInjected(t *testing.T) {
	s := newServer(t)
	w := s.create(operator, "demo", ramConfig)
	if d := time.Since(w.Brief().Created); d < 0 || d > time.Hour {
		t.Errorf("created %v ago", d)
	}
}
