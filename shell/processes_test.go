package shell_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"mirage/shell"
)

// cancelAt is a writer that cancels a line when a text passes.
type cancelAt struct {
	text   string
	cancel context.CancelFunc
	seen   strings.Builder
}

func (w *cancelAt) Write(p []byte) (int, error) {
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
			if !strings.Contains(stderr.seen.String(), test.want) {
				t.Errorf("stderr %.300q, want %q", stderr.seen.String(), test.want)
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
		if !strings.Contains(stderr.seen.String(), "limit exceeded") {
			t.Errorf("%s: status %d, stderr %.300q", source, res.Status, stderr.seen.String())
		}
		sh.Close()
		cancel()
	}
}
