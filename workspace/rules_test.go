package workspace_test

import (
	"testing"

	"mirage/policy"
	"mirage/workspace"
)

// TestRulesInLines runs whole lines under rules: what they answer, and that a
// refused line has done nothing.
func TestRulesInLines(t *testing.T) {
	server := newServer(t)
	w := server.create(operator, "demo", `
mounts:
  /: {vfs: ram}
profiles:
  narrow:
    commands:
      allow: [cd, cat, rm, "wc -l"]
  deny:
    commands:
      deny:
        - {reason: no copies, commands: [cp]}
        - {reason: sealed, paths: ["/keys/*"]}
        - {reason: cache is shared, commands: {rm: ["/build/cache/*"]}}
    paths:
      hide: [/vault]
`)
	free := session(t, w, "")
	run(t, free, "mkdir -p /keys /build/cache /vault; echo k > /keys/k; echo c > /build/cache/c; echo v > /vault/v; echo a > /a")
	const denied, sealed = "deny no copies command", "deny sealed operand"
	tests := []struct {
		profile, line  string
		stdout, stderr string
		status         int
		refusal        string
	}{
		{"narrow", "cat /a", "a\n", "", 0, ""},
		{"narrow", "echo hi", "", "echo: command not found\n", 127, ""},
		{"narrow", "/usr/bin/echo hi", "", "/usr/bin/echo: No such file or directory\n", 127, ""},
		{"narrow", "wc -c /a", "", "wc: Permission denied\n", 126, "deny wc is not allowed command"},
		{"narrow", "wc -l /a", "1 /a\n", "", 0, ""},
		{"narrow", "f() { cat /a; }; f", "a\n", "", 0, ""},

		{"deny", "echo on; cp /a /b", "", "cp: Permission denied\n", 126, denied},
		{"deny", "echo $(cp /a /b)", "", "cp: Permission denied\n", 126, denied},
		{"deny", "bash -c 'cp /a /b'", "", "cp: Permission denied\n", 126, denied},
		{"deny", "env cp /a /b", "", "cp: Permission denied\n", 126, denied},
		{"deny", "eval 'cp /a /b'", "", "cp: Permission denied\n", 126, denied},
		{"deny", "/usr/bin/cp /a /b", "", "cp: Permission denied\n", 126, denied},
		{"deny", "echo on; c=cp; $c /a /b; echo $?", "on\n", "cp: Permission denied\n", 126, denied},
		{"deny", "cat /keys/k; echo on", "", "cat: /keys/k: Permission denied\n", 1, sealed},
		{"deny", "cd /keys && cat k", "", "cat: k: Permission denied\n", 1, sealed},
		{"deny", "f=/keys/k; cat $f; echo on", "", "cat: /keys/k: Permission denied\n", 1, sealed},
		{"deny", "cat < /keys/k; echo on", "on\n", "/keys/k: Permission denied\n", 0, ""},
		{"deny", "rm -r /build", "", "rm: cannot remove '/build': Permission denied\n", 1, "deny cache is shared operand"},
		{"deny", "cat /build/cache/c", "c\n", "", 0, ""},
		{"deny", "cat /vault/v", "", "cat: /vault/v: No such file or directory\n", 1, ""},
		{"deny", "echo /*", "/a /build /keys\n", "", 0, ""},
		{"deny", "ln -s /usr/bin/cp /c; /c /a /b", "", "cp: Permission denied\n", 126, denied},
	}
	for _, test := range tests {
		s, err := w.NewSession(bg, workspace.SessionOptions{Ephemeral: true, Profile: test.profile})
		if err != nil {
			t.Fatal(err)
		}
		res := run(t, s, test.line)
		if string(res.Stdout) != test.stdout || string(res.Stderr) != test.stderr || res.ExitCode != test.status {
			t.Errorf("%s: %s: got %q, %q, %d; want %q, %q, %d", test.profile, test.line,
				res.Stdout, res.Stderr, res.ExitCode, test.stdout, test.stderr, test.status)
		}
		if got := refusal(res.Refusal); got != test.refusal {
			t.Errorf("%s: %s: refusal %q, want %q", test.profile, test.line, got, test.refusal)
		}
		s.Close(bg)
	}
	want(t, "nothing was copied", out(t, free, "echo /b*"), "/build\n")
}

func refusal(r *policy.Refusal) string {
	if r == nil {
		return ""
	}
	return r.Kind + " " + r.Reason + " " + string(r.Scope)
}

func TestProfileSeeds(t *testing.T) {
	server := newServer(t)
	w := server.create(operator, "demo", `
mounts: {/: {vfs: ram}}
env: {A: workspace, B: workspace, C: workspace}
default_agent_id: agent
profiles:
  default:
    cwd: /
    env: {A: profile}
`)
	s, err := w.NewSession(bg, workspace.SessionOptions{Env: map[string]string{"A": "session", "B": "session"}})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "variables", out(t, s, "echo $A $B $C; whoami"), "profile session workspace\nagent\n")
}
