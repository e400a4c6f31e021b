package workspace_test

import (
	"encoding/json"
	"testing"

	"mirage/vfs"
	"mirage/workspace"
)

const threeMounts = `{"mounts": {"/": {"vfs": "ram"}, "/a": {"vfs": "ram"}, "/b": {"vfs": "ram"}}, "profiles": {"noisy": {"commands": {"deny": ["tee"]}}}}`

func TestAllowlist(t *testing.T) {
	server := newServer(t)
	w := server.create(operator, "demo", threeMounts)
	run(t, session(t, w, ""), "echo one > /a/f; echo two > /b/f")
	_, err := w.NewSession(bg, workspace.SessionOptions{ID: "s", Only: []string{"/a/"}})
	want(t, "create", err, nil)
	for _, again := range []bool{false, true} { // before and after a restart
		s := session(t, w, "s")
		for _, tt := range []struct{ line, stdout, stderr string }{
			{"cat /a/f", "one\n", ""},
			{"cat /b/f", "", "mirage: session 's' not allowed to access mount '/b'\n"},
			{"echo x; cat /b/f", "", "mirage: session 's' not allowed to access mount '/b'\n"},
			{"ls /b", "", "mirage: session 's' not allowed to access mount '/b'\n"},
			{"cd /b", "", "mirage: session 's' not allowed to access mount '/b'\n"},
			{"cp /a/f /b/g", "", "mirage: session 's' not allowed to access mount '/b'\n"},
			{"bash -c 'cat /b/f'", "", "mirage: session 's' not allowed to access mount '/b'\n"},
			{"echo $(cat /b/f)", "", "mirage: session 's' not allowed to access mount '/b'\n"},
			{"cat /etc/passwd", "", "mirage: session 's' not allowed to access mount '/'\n"},
			{"F=/b/f; cat $F", "", "mirage: session 's' not allowed to access mount '/b'\n"},
			{"cat < /b/f", "", "/b/f: Permission denied\n"},
			{"echo x > /b/f", "", "/b/f: Permission denied\n"},
			{"echo /b > /dev/null; echo t > /tmp/t; cat /tmp/t", "t\n", ""},
		} {
			res, err := s.Run(bg, workspace.Line{Command: tt.line})
			if err != nil || string(res.Stdout) != tt.stdout || string(res.Stderr) != tt.stderr {
				t.Errorf("%s: got %d, %q, %q (%v), want %q, %q", tt.line, res.ExitCode, res.Stdout, res.Stderr, err, tt.stdout, tt.stderr)
			}
		}
		_, err = s.View().Stat(bg, "/b/f")
		want(t, "stat", vfs.ErrnoName(err), "EACCES")
		if again {
			break
		}
		server.restart()
		w = server.get("demo")
		run(t, session(t, w, ""), "echo one > /a/f; echo two > /b/f")
	}
	_, err = w.NewSession(bg, workspace.SessionOptions{Only: []string{"/c"}})
	want(t, "no such mount", kind(err), workspace.Refused)
	s, err := w.NewSession(bg, workspace.SessionOptions{Only: []string{}})
	want(t, "nothing", err, nil)
	_, err = s.View().Stat(bg, "/a/f")
	want(t, "an empty list", vfs.ErrnoName(err), "EACCES")
}

func TestInlinePermissions(t *testing.T) {
	server := newServer(t)
	w := server.create(operator, "demo", threeMounts)
	run(t, session(t, w, ""), "echo one > /a/f; echo two > /b/f")
	_, err := w.NewSession(bg, workspace.SessionOptions{ID: "s", Profile: "noisy", Permissions: json.RawMessage(
		`{"env": {"X": "1"}, "mounts": {"/b": "read"}, "paths": {"hide": ["/a/f"]}, "commands": {"deny": [{"reason": "no", "commands": ["rm"]}]}}`)})
	want(t, "create", err, nil)
	for _, again := range []bool{false, true} {
		s := session(t, w, "s")
		for _, tt := range []struct {
			line   string
			status int
			stderr string
		}{
			{"tee /b/x", 126, "tee: Permission denied\n"},
			{"rm /b/f", 126, "rm: Permission denied\n"},
			{"cat /a/f", 1, "cat: /a/f: No such file or directory\n"},
			{"echo > /b/f", 1, "/b/f: Read-only file system\n"},
			{"test $X = 1", 0, ""},
		} {
			res, err := s.Run(bg, workspace.Line{Command: tt.line})
			if err != nil || res.ExitCode != tt.status || string(res.Stderr) != tt.stderr {
				t.Errorf("%s: got %d, %q (%v), want %d, %q", tt.line, res.ExitCode, res.Stderr, err, tt.status, tt.stderr)
			}
		}
		if again {
			break
		}
		want(t, "another profile", session(t, w, "s").SetProfile(bg, ""), nil)
		if res, _ := s.Run(bg, workspace.Line{Command: "echo y | tee /tmp/y; rm /tmp/y"}); res.ExitCode != 126 || string(res.Stderr) != "rm: Permission denied\n" {
			t.Errorf("the document stays when the profile changes: %+v", res)
		}
		want(t, "back", session(t, w, "s").SetProfile(bg, "noisy"), nil)
		server.restart()
		w = server.get("demo")
		run(t, session(t, w, ""), "echo one > /a/f; echo two > /b/f")
	}
	for doc, text := range map[string]string{
		`{"commands": {"allow": ["ls"]}}`: "permissions: inline permissions may add ask and deny rules, not an allow list",
		`{"mounts": {"/c": "read"}}`:      "permissions.mounts./c: no mount at '/c/'",
		`[]`:                              "permissions: must be a mapping, got list",
	} {
		_, err := w.NewSession(bg, workspace.SessionOptions{Permissions: json.RawMessage(doc)})
		want(t, doc, err, text)
		want(t, doc, kind(err), workspace.Refused)
	}
}
