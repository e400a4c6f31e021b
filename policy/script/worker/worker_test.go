package worker

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// confine makes a command, and skips the test where nothing can be confined:
// bubblewrap is not installed, which MIRAGE_REQUIRE_TOOLS=1 makes a failure, or
// the kernel refuses namespaces, which no installation cures.
func confine(t *testing.T, program string, args ...string) *Command {
	t.Helper()
	if _, err := exec.LookPath("bwrap"); err != nil {
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	least := exec.Command("bwrap", "--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "true")
	least.Dir = "/"
	if os.Geteuid() == 0 {
		least.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if out, err := least.CombinedOutput(); err != nil {
		t.Skipf("the kernel refuses namespaces: %s%v", out, err)
	}
	c, err := Confine(program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func start(t *testing.T, program string, args ...string) *Process {
	t.Helper()
	p, err := confine(t, program, args...).Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// running counts the processes of the host whose command line has a text.
func running(t *testing.T, text string) int {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range lines {
		if b, err := os.ReadFile(name); err == nil && strings.Contains(string(b), text) {
			n++
		}
	}
	return n
}

func TestLines(t *testing.T) {
	p := start(t, "cat")
	for _, line := range []string{"", "one", strings.Repeat("x", 500_000)} {
		sent := make(chan error, 1)
		go func() { sent <- p.Send([]byte(line)) }() // the pipes hold less than a line
		if got, err := p.Receive(); err != nil || string(got) != line {
			t.Fatalf("got %.20q %v", got, err)
		}
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
	}
	go func() { _ = p.Send([]byte(strings.Repeat("x", maxLine))) }()
	if _, err := p.Receive(); err == nil || err.Error() != "the worker said too much" {
		t.Errorf("got %v", err)
	}
}

func TestKillLeavesNothing(t *testing.T) {
	const mark = "9876.54321"
	p := start(t, "sh", "-c", "(sleep "+mark+" & sleep "+mark+") & echo started; sleep "+mark)
	if line, err := p.Receive(); err != nil || string(line) != "started" {
		t.Fatalf("got %q %v", line, err)
	}
	if running(t, mark) == 0 {
		t.Fatal("nothing runs: the test shows nothing")
	}
	p.Kill()
	p.Kill()
	if n := running(t, mark); n != 0 {
		t.Errorf("%d processes are left", n)
	}
	if _, err := p.Receive(); err == nil {
		t.Error("a killed worker speaks")
	}
	if err := p.Send([]byte("x")); err == nil {
		t.Error("a killed worker listens")
	}
}

func TestEndTellsWhy(t *testing.T) {
	p := start(t, "sh", "-c", "echo 'no way' >&2; exit 3")
	if _, err := p.Receive(); err == nil || err.Error() != "the worker ended: no way" {
		t.Errorf("got %v", err)
	}
	p = start(t, "true")
	if _, err := p.Receive(); err == nil || err.Error() != "the worker ended" {
		t.Errorf("got %v", err)
	}
}

func TestTry(t *testing.T) {
	if err := confine(t, "true").Try(context.Background()); err != nil {
		t.Error(err)
	}
	if err := confine(t, "sh", "-c", "echo 'no way' >&2; exit 3").Try(context.Background()); err == nil || err.Error() != "no way" {
		t.Errorf("got %v", err)
	}
	if err := confine(t, "false").Try(context.Background()); err == nil {
		t.Error("false has failed")
	}
}

// A server that is killed leaves no worker behind.
func TestParentDies(t *testing.T) {
	const mark = "9876.12345"
	if os.Getenv("WORKER_TEST_PARENT") != "" {
		p := start(t, "sh", "-c", "echo started; sleep "+mark)
		if _, err := p.Receive(); err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	confine(t, "true")
	cmd := exec.Command(os.Args[0], "-test.run", "^TestParentDies$")
	cmd.Env = append(os.Environ(), "WORKER_TEST_PARENT=1")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("%v %s", err, out)
	}
	for deadline := time.Now().Add(30 * time.Second); running(t, mark) != 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a worker outlives its server")
		}
	}
}
