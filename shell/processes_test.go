package shell_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"mirage/shell"
)

// cancelAt is a writer that cancels a line when a text passes.
type cancelAt struct {
	text   string
	cancel context.CancelFunc

	mu   sync.Mutex // a cancelled line may go on writing for a moment
	seen strings.Builder
}

func (w *cancelAt) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.String()
}

func (w *cancelAt) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.Write(p)
	if strings.Contains(w.seen.String(), w.text) {
		w.cancel()
	}
	return len(p), nil
}

// TestProcesses starts more processes than a session may have, in every way
// that starts one. Each must end with a message; the session lives.
func TestProcesses(t *testing.T) {
	const want = "processes: limit exceeded"
	tests := []struct{ name, source, want string }{
		{"pipes", strings.Repeat("sleep 100 | ", 100) + "true", want},
		{"subshells", "f() { (f; true); }; f", want},
		{"pipelines", "f() { f | cat; true; }; f", want},
		{"substitutions", "f() { x=$(f); true; }; f", want},
		{"jobs", "f() { f & wait; }; f", want},
		{"jobs side by side", "for i in {1..100}; do sleep 100 & done", want},
		{"coprocesses", "f() { coproc f; wait; }; f", want},
		{"process substitutions", "f() { cat <(f); }; f", want},
		{"unknown commands", "command_not_found_handle() { nosuch; true; }; nosuch", want},
		{"children", "yes 100 | head -n 100 | xargs -n 1 -P 100 sleep", "Resource temporarily unavailable"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t, newTree(t))
			cfg.Limits.Processes = 50
			sh := shell.New(cfg)
			defer sh.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stderr := &cancelAt{text: test.want, cancel: cancel}
			sh.Run(ctx, shell.Line{Source: test.source, Stdout: io.Discard, Stderr: stderr})
			if !strings.Contains(stderr.String(), test.want) {
				t.Errorf("stderr %.300q, want %q", stderr.String(), test.want)
			}
			if got := runLine(sh, "kill -9 -1; echo alive", ""); got.stdout != "alive\n" {
				t.Errorf("afterwards: %+v", got)
			}
		})
	}
}

// TestForkBomb runs what doubles at each level until the budget stops it.
func TestForkBomb(t *testing.T) {
	for _, source := range []string{"f() { f | f; }; f", "f() { f & f & wait; }; f", "f() { f | f & wait; }; f", "f() { cat <(f) <(f); }; f"} {
		cfg := testConfig(t, newTree(t))
		cfg.Limits.Processes = 200
		sh := shell.New(cfg)
		ctx, cancel := context.WithCancel(t.Context())
		stderr := &cancelAt{text: "limit exceeded", cancel: cancel}
		res := sh.Run(ctx, shell.Line{Source: source, Stdout: io.Discard, Stderr: stderr})
		if !strings.Contains(stderr.String(), "limit exceeded") {
			t.Errorf("%s: status %d, stderr %.300q", source, res.Status, stderr.String())
		}
		sh.Close()
		cancel()
	}
}

// TestChildrenSideBySide starts the children of a program at the same time:
// each copies the environment of the same shell.
func TestChildrenSideBySide(t *testing.T) {
	sh := newShell(t, newTree(t))
	got := runLine(sh, "x=1; seq 100 | xargs -P 20 -n 1 bash -c 'x=$(echo $0); echo $x' | sort -n | tail -n 1; x=2; echo $x", "")
	if got.stdout != "100\n2\n" {
		t.Errorf("%+v", got)
	}
}
