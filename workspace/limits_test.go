package workspace_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mirage/workspace"
)

func TestCommandLimits(t *testing.T) {
	s := newServer(t)
	w := s.create(operator, "demo", `{"mounts": {"/": {"vfs": "ram", "mode": "exec"},
			"/a": {"vfs": "ram", "mode": "exec", "command_limits": {"cat": {"max_lines": 3}, "wc": {}}},
			"/b": {"vfs": "ram", "mode": "exec", "command_limits": {"cat": {"max_lines": 2, "max_bytes": 100, "on_exceed": "error"}}}},
		"command_limits": {"cat": {"max_lines": 5}, "sleep": {"timeout_seconds": 0.01}, "wc": {"max_bytes": 0}},
		"profiles": {"p": {"command_limits": {"cat": {"max_lines": 8}, "sleep": null}}, "q": {}}}`)
	make := func(o workspace.SessionOptions) *workspace.Session {
		ses, err := w.NewSession(bg, o)
		if err != nil {
			t.Fatal(err)
		}
		return ses
	}
	inline := func(text string) json.RawMessage { return json.RawMessage(text) }
	sessions := map[string]*workspace.Session{
		"":          make(workspace.SessionOptions{}),
		"p":         make(workspace.SessionOptions{Profile: "p"}),
		"q":         make(workspace.SessionOptions{Profile: "q"}),
		"p tighter": make(workspace.SessionOptions{Profile: "p", Permissions: inline(`{"command_limits": {"cat": {"max_lines": 4}, "sleep": {"timeout_seconds": 0.01}}}`)}),
		"looser":    make(workspace.SessionOptions{Permissions: inline(`{"command_limits": {"cat": {"max_lines": 9, "max_bytes": 4}, "sleep": null}}`)}),
	}
	out(t, sessions[""], "seq 20 > /f; seq 20 > /a/f; seq 20 > /b/f")
	for _, tc := range []struct {
		session, line string
		lines, status int
		bounds        string // of the notice, "" for none
	}{
		{"", "cat /f", 5, 0, "5 lines"},
		{"", "cat /a/f", 3, 0, "3 lines"},
		{"", "cd /a && cat f", 3, 0, "3 lines"},
		{"", "cat < /b/f", 0, 1, "2 lines / 100 bytes"}, // by where it runs: /a and /b differ
		{"", "cat /b/f", 0, 1, "2 lines / 100 bytes"},
		{"", "cat /a/f /b/f", 0, 1, "2 lines / 100 bytes"},
		{"", "cat /a/f /f", 3, 0, "3 lines"},
		{"", "tac /f", 20, 0, ""},
		{"", "cd /; wc -l /f", 0, 0, "0 bytes"},
		{"", "wc -l /a/f", 1, 0, ""}, // an empty entry says that there is no limit
		{"", "sleep 1000", 0, 124, "late"},
		{"p", "cat /f", 8, 0, "8 lines"},
		{"p", "cat /a/f", 8, 0, "8 lines"},
		{"p", "sleep 0.05", 0, 0, ""},
		{"q", "cat /f", 5, 0, "5 lines"},
		{"p tighter", "cat /f", 4, 0, "4 lines"},
		{"p tighter", "sleep 1000", 0, 124, "late"},
		{"looser", "cat /f", 2, 0, "5 lines / 4 bytes"},
		{"looser", "sleep 1000", 0, 124, "late"},
	} {
		if tc.line == "cat < /b/f" {
			run(t, sessions[tc.session], "cd /b")
		}
		res := run(t, sessions[tc.session], tc.line)
		notice := ""
		if _, rest, ok := strings.Cut(string(res.Stderr), "output truncated at limit ("); ok {
			notice, _, _ = strings.Cut(rest, ")")
		}
		if strings.HasSuffix(string(res.Stderr), "timed out after 0.0s\n") {
			notice = "late"
		}
		if n := strings.Count(string(res.Stdout), "\n"); n != tc.lines || res.ExitCode != tc.status || notice != tc.bounds {
			t.Errorf("%s: %s: %d lines, status %d, stderr %q; want %d, %d, %q", tc.session, tc.line, n, res.ExitCode, res.Stderr, tc.lines, tc.status, tc.bounds)
		}
		if res.TimedOut != (tc.bounds == "late") || res.Truncated != (tc.bounds != "" && tc.bounds != "late") {
			t.Errorf("%s: %s: timed out %v, truncated %v", tc.session, tc.line, res.TimedOut, res.Truncated)
		}
	}
}
