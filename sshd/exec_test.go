package sshd

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

func TestExec(t *testing.T) {
	f := newFixture(t, "", nil)
	c := f.dial("demo")
	for _, tc := range []struct{ command, stdin, stdout, stderr, end string }{
		{"echo hi", "", "hi\n", "", "0"},
		{"err oops", "", "", "oops\n", "0"},
		{"status 7", "", "", "", "7"},
		{"exit 3", "", "", "", "3"},
		{"status 256", "", "", "", "0"},
		{"status -1", "", "", "", "255"},
		{"cat", "a\x00b\xff\r\n", "a\x00b\xff\r\n", "", "0"},
		{"nosuch", "", "", "nosuch: command not found\n", "127"},
		{"", "", "", ": command not found\n", "127"}, // an empty exec is no shell
		{"signal TERM", "", "", "", "TERM"},
		{"tty", "", "false\n", "", "0"},
		{"refuse rm is not for you", "", "", "policy denied: rm is not for you\n", "126"},
		{"explain rm is not for you", "", "", "bash: rm: rm is not for you\n", "126"},
	} {
		t.Run(tc.command, func(t *testing.T) {
			stdout, stderr, end := exec(t, c, tc.command, tc.stdin)
			if stdout != tc.stdout || stderr != tc.stderr || end != tc.end {
				t.Errorf("got %q, %q, %s; want %q, %q, %s", stdout, stderr, end, tc.stdout, tc.stderr, tc.end)
			}
		})
	}
}

// Data is neither lost nor cut, and the order within each stream is kept.
func TestExecDeliversEverything(t *testing.T) {
	f := newFixture(t, "", nil)
	c := f.dial("demo")
	for range 50 {
		stdout, stderr, end := exec(t, c, "both", "")
		if strings.Count(stdout, "\n") != 100 || strings.Count(stderr, "\n") != 100 || end != "0" {
			t.Fatalf("stdout %q, stderr %q, end %s", stdout, stderr, end)
		}
	}
	const size = 20 << 20
	stdout, _, end := exec(t, c, "big 20971520", "")
	if len(stdout) != size || end != "0" {
		t.Errorf("%d bytes, end %s; want %d", len(stdout), end, size)
	}
	in := strings.Repeat("0123456789abcdef", size/16)
	if stdout, _, end = exec(t, c, "cat", in); stdout != in || end != "0" {
		t.Errorf("cat gave back %d bytes, end %s; want %d", len(stdout), end, size)
	}
}

// A line that does not read its stdin is not waited for.
func TestExecDoesNotWaitForStdin(t *testing.T) {
	f := newFixture(t, "", nil)
	s := newSession(t, f.dial("demo"))
	in, err := s.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start("echo hi"); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
}

func TestSignalsCancel(t *testing.T) {
	f := newFixture(t, "", nil)
	c := f.dial("demo")
	for _, tc := range []struct {
		signal ssh.Signal
		want   string
	}{{ssh.SIGINT, "130"}, {ssh.SIGTERM, "TERM"}, {ssh.SIGHUP, "HUP"}, {ssh.SIGKILL, "KILL"}} {
		for _, command := range []string{"sleep", "cat", "flood"} {
			s := newSession(t, c)
			if _, err := s.StdinPipe(); err != nil { // never closed
				t.Fatal(err)
			}
			s.Stdout = io.Discard
			if err := s.Start(command); err != nil {
				t.Fatal(err)
			}
			if err := s.Signal(tc.signal); err != nil {
				t.Fatal(err)
			}
			if got := ending(s.Wait()); got != tc.want {
				t.Errorf("%s, SIG%s: ended with %s, want %s", command, tc.signal, got, tc.want)
			}
		}
	}
	s := newSession(t, c)
	if err := s.Start("sleep"); err != nil {
		t.Fatal(err)
	}
	if ok, err := s.SendRequest("break", true, ssh.Marshal(struct{ Length uint32 }{500})); !ok || err != nil {
		t.Errorf("break: %v, %v", ok, err)
	}
	if got := ending(s.Wait()); got != "130" {
		t.Errorf("break: ended with %s", got)
	}
	s = newSession(t, c)
	if ok, err := s.SendRequest("signal", true, ssh.Marshal(struct{ Name string }{"NOPE"})); ok || err != nil {
		t.Errorf("an unknown signal: %v, %v", ok, err)
	}
}

// A client that reads nothing cannot keep its line from being canceled.
func TestCancelWhileClientDoesNotRead(t *testing.T) {
	f := newFixture(t, "", nil)
	c := f.dial("demo")
	ch, reqs, err := c.OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	go ssh.DiscardRequests(reqs)
	if ok, err := ch.SendRequest("exec", true, ssh.Marshal(struct{ C string }{"flood"})); !ok || err != nil {
		t.Fatal(ok, err)
	}
	waitFor(t, "the line to start", func() bool { return f.fakes.started() != "" })
	time.Sleep(50 * time.Millisecond) // let the window fill; the result does not depend on it
	if _, err := ch.SendRequest("signal", false, ssh.Marshal(struct{ Name string }{"INT"})); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the line to end", func() bool { return f.fakes.endings() == "130" })
	waitFor(t, "the session to close", func() bool { return f.fakes.sessions() == 0 })
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 1000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

// The end of a channel, and of a connection, cancels the line.
func TestDroppedChannelCancels(t *testing.T) {
	f := newFixture(t, "", nil)
	c := f.dial("demo")
	other := newSession(t, c)
	if err := other.Start("sleep"); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"sleep", "cat", "flood"} {
		s := newSession(t, c)
		if _, err := s.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := s.Start(command); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the line to start", func() bool { return f.fakes.sessions() == 2 })
		_ = s.Close()
		waitFor(t, "the session to close", func() bool { return f.fakes.sessions() == 1 })
	}
	// A line that reads or writes may see the end of its stream first.
	if got := f.fakes.endings(); !regexp.MustCompile(`^130\|(130|0)\|(130|0)$`).MatchString(got) {
		t.Errorf("lines ended with %s", got)
	}
	_ = c.Close()
	waitFor(t, "all sessions to close", func() bool { return f.fakes.sessions() == 0 })
}

func TestPanicEndsOneChannel(t *testing.T) {
	f := newFixture(t, "", nil)
	c := f.dial("demo")
	if _, _, end := exec(t, c, "panic", ""); end != "1" {
		t.Errorf("ended with %s, want 1", end)
	}
	if stdout, _, _ := exec(t, c, "echo still here", ""); stdout != "still here\n" {
		t.Errorf("got %q", stdout)
	}
}

func TestWorkspaceGone(t *testing.T) {
	f := newFixture(t, "", nil)
	s := newSession(t, f.dial("demo"))
	var errs bytes.Buffer
	s.Stderr = &errs
	in, err := s.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start("cat"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the line to start", func() bool { return f.fakes.started() != "" })
	close(f.fakes.gone["demo"])
	_ = in.Close()
	if got := ending(s.Wait()); got != "1" || errs.String() != "mirage: the workspace is gone\n" {
		t.Errorf("ended with %s, stderr %q", got, errs.String())
	}
}

func TestShutdownLetsLinesEnd(t *testing.T) {
	f := newFixture(t, "", nil)
	c := f.dial("demo")
	idle := f.dial("demo")
	s := newSession(t, c)
	in, err := s.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s.Stdout = &out
	if err := s.Start("cat"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the line to start", func() bool { return f.fakes.started() != "" })
	done := make(chan error, 1)
	go func() { done <- f.srv.Shutdown(context.Background()) }()
	if err := idle.Wait(); err == nil {
		t.Error("the idle connection ended without an error")
	}
	if _, err := ssh.Dial("tcp", f.addr, f.clientConfig("demo")); err == nil {
		t.Error("a new connection was accepted")
	}
	if _, err := io.WriteString(in, "to the end\n"); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	if got := ending(s.Wait()); got != "0" || out.String() != "to the end\n" {
		t.Errorf("ended with %s, stdout %q", got, out.String())
	}
	if err := <-done; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

func TestShutdownCancelsAtTheEnd(t *testing.T) {
	f := newFixture(t, "", nil)
	s := newSession(t, f.dial("demo"))
	if err := s.Start("sleep"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the line to start", func() bool { return f.fakes.started() != "" })
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := f.srv.Shutdown(ctx); err == nil {
		t.Error("Shutdown was content although a line was cut off")
	}
	if got := f.fakes.endings(); got != "130" {
		t.Errorf("the line ended with %q", got)
	}
}
