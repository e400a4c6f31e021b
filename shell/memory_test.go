package shell_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"mirage/shell"
)

// TestMemoryTogether holds more than a session may, each piece of it small
// enough: side by side in jobs, shells, substitutions. All of them must share
// one budget, and what they took must be there again afterwards.
func TestMemoryTogether(t *testing.T) {
	const piece = `"$(head -c 600000 /dev/zero | tr '\0' x)"`
	tests := []struct{ name, source string }{
		{"subshells", "for i in 1 2 3 4 5 6 7 8; do (x=" + piece + "; sleep 100) & done; wait"},
		{"shells", "for i in 1 2 3 4 5 6 7 8; do bash -c 'x=$(head -c 600000 /dev/zero | tr \"\\0\" x); sleep 100' & done; wait"},
		{"substitutions", "for i in 1 2 3 4 5 6 7 8; do x=$(head -c 600000 /dev/zero && sleep 100) & done; wait"},
		{"nested substitutions", "f() { head -c 600000 /dev/zero; x=$(f); }; f > /dev/null"},
		{"arguments", "f() { sleep 100; }; for i in 1 2 3 4 5 6 7 8; do f " + piece + " & done; wait"},
		{"parameters", "for i in 1 2 3 4 5 6 7 8; do (set -- " + piece + "; sleep 100) & done; wait"},
		{"parameters of calls", "f() { set -- " + piece + "; f; }; f"},
		{"many parameters", "set -- ''; while :; do set -- \"$@\" \"$@\"; done"},
		{"loops", "for i in 1 2 3 4 5 6 7 8; do for x in " + piece + "; do sleep 100; done & done; wait"},
		{"files", "head -c 600000 /dev/zero | tr '\\0' x > /tmp/f; for i in 1 2 3 4 5 6 7 8; do (x=$(</tmp/f); sleep 100) & done; wait"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t, newTree(t))
			cfg.Limits.Memory = 4 << 20
			sh := shell.New(cfg)
			defer sh.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stderr := &cancelAt{text: "limit exceeded", cancel: cancel}
			sh.Run(ctx, shell.Line{Source: test.source, Stdout: io.Discard, Stderr: stderr})
			if !strings.Contains(stderr.String(), "limit exceeded") {
				t.Errorf("stderr %.300q", stderr.String())
			}
			again := "kill -9 -1; wait; for i in {1..6}; do x=" + piece + "; done; echo ${#x}; bash -c 'x=$(head -c 600000 /dev/zero | tr \"\\0\" x); echo ${#x}'"
			if got := runLine(sh, again, ""); got.stdout != "600000\n600000\n" {
				t.Errorf("afterwards: %+v", got)
			}
		})
	}
}
