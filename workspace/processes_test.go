package workspace_test

import (
	"testing"

	"mirage/workspace"
)

// TestProcessRules holds what profiles say of processes against the shell.
func TestProcessRules(t *testing.T) {
	w := newServer(t).create(operator, "demo", `{"mounts": {"/": {"vfs": "ram"}}, "profiles": {
		"free": {}, "still": {"processes": {"spawn": false}}, "blind": {"processes": {"control": "none"}}, "few": {"processes": {"max": 4}}}}`)
	const eperm, eagain = "bash: fork: Operation not permitted\n", "bash: fork: Resource temporarily unavailable\n"
	for _, test := range []struct {
		profile, inline, line, stdout, stderr string
		status                                int
	}{
		{"free", "", "true & wait; echo on", "on\n", "", 0},
		{"free", "", "sleep 100 & kill $!; wait $!; echo $?", "143\n", "", 0},
		{"still", "", "true & echo on", "", eperm, 254},
		{"still", "", "(true &); echo on", "on\n", eperm, 0},
		{"still", "", "coproc cat; echo on", "", eperm, 254},
		{"still", "", "bash -c 'true & echo on'", "", eperm, 254},
		{"still", "", "echo a | cat; x=$(echo b); echo $x; (echo c); cat <(echo d)", "a\nb\nc\nd\n", "", 0},
		{"free", `{"processes": {"spawn": false}}`, "true & echo on", "", eperm, 254},
		{"still", `{"processes": {"spawn": true}}`, "true & echo on", "", eperm, 254},
		{"blind", "", "sleep 0.1 & jobs; kill $!; kill %1; wait; echo on", "on\n", "", 0},
		{"blind", "", "kill -0 $$ || echo gone", "gone\n", "", 0},
		{"few", "", "echo a | cat", "a\n", "", 0},
		{"few", "", "f() { (f); }; f", "", eagain, 254},
		{"few", "", "for i in 1 2 3 4 5 6 7; do sleep 100 & done; echo on", "", eagain, 254},
		{"free", `{"processes": {"max": 3}}`, "for i in 1 2 3 4 5 6 7; do sleep 100 & done; echo on", "", eagain, 254},
	} {
		o := workspace.SessionOptions{Profile: test.profile}
		if test.inline != "" {
			o.Permissions = []byte(test.inline)
		}
		s, err := w.NewSession(bg, o)
		if err != nil {
			t.Fatal(err)
		}
		res := run(t, s, test.line)
		stderr := string(res.Stderr)
		if test.profile == "blind" {
			stderr = test.stderr // numbers of processes are in it
		}
		if string(res.Stdout) != test.stdout || stderr != test.stderr || res.ExitCode != test.status {
			t.Errorf("%s %s: %s:\n got %q, %q, %d\nwant %q, %q, %d", test.profile, test.inline, test.line, res.Stdout, res.Stderr, res.ExitCode, test.stdout, test.stderr, test.status)
		}
	}
}
