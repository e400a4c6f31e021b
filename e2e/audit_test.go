package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestAudit does what an agent does, and looks at what the operator sees of it.
func TestAudit(t *testing.T) {
	need(t, "ssh", "ssh-keygen", "sftp")
	s := newServer(t)
	s.makeKey("id", `mirage-profile="agent"`)
	s.serve()
	s.create("demo", `{"mounts": {"/": {"vfs": "ram"}}, "profiles": {"agent": {
		"commands": {"deny": [{"reason": "no deleting", "commands": ["rm"]}]}}}}`)
	if r := s.line("", "echo $SHELL; API_TOKEN=hush true; exit 3"); r.status != 3 {
		t.Fatal(r)
	}
	if r := s.line("", "rm /x"); r.status != 126 {
		t.Fatal(r)
	}
	if err := os.WriteFile(s.path("up"), []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := s.sftp("put up /up\n"); r.status != 0 {
		t.Fatal(r)
	}
	if err := os.Remove(s.path("ssh/authorized_keys")); err != nil {
		t.Fatal(err)
	}
	if r := s.line("", "true"); r.status != 255 {
		t.Fatal(r)
	}

	type event struct {
		Kind, Key, Remote, Door, Workspace, Session, Job, Action, Line, Path, Outcome, Reason string
		Status                                                                                *int
	}
	text := s.must("", binary, "audit", "tail", "-n", "1000")
	if strings.Contains(text, "hush") {
		t.Errorf("a secret is in the log:\n%s", text)
	}
	var events []event
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		events = append(events, e)
	}
	for _, want := range []event{
		{Kind: "started"},
		{Kind: "admin", Action: "workspace.create", Workspace: "demo", Door: "http", Outcome: "ok"},
		{Kind: "login", Outcome: "ok", Door: "ssh", Workspace: "demo"},
		{Kind: "line_start", Door: "ssh", Line: "echo $SHELL; API_TOKEN=[redacted] true; exit 3"},
		{Kind: "line_end", Door: "ssh", Outcome: "ok"},
		{Kind: "refusal", Door: "ssh", Line: "rm /x", Reason: "no deleting", Outcome: "refused"},
		{Kind: "file", Door: "sftp", Action: "create", Path: "/up", Outcome: "ok"},
		{Kind: "login", Outcome: "refused", Door: "ssh", Workspace: "demo"},
	} {
		found := false
		for _, e := range events {
			same := true
			for _, f := range [][2]string{{want.Kind, e.Kind}, {want.Action, e.Action}, {want.Door, e.Door}, {want.Workspace, e.Workspace},
				{want.Outcome, e.Outcome}, {want.Line, e.Line}, {want.Path, e.Path}, {want.Reason, e.Reason}} {
				same = same && (f[0] == "" || f[0] == f[1])
			}
			if !same {
				continue
			}
			found = true
			visitor := e.Door == "ssh" || e.Door == "sftp"
			if visitor && e.Outcome != "refused" && !strings.HasPrefix(e.Key, "SHA256:") || e.Kind == "line_end" && (e.Status == nil || e.Job == "") {
				t.Errorf("incomplete: %+v", e)
			}
		}
		if !found {
			t.Errorf("no event like %+v in\n%s", want, text)
		}
	}
	s.must("", binary, "audit", "verify")
	// After a kill the log goes on.
	s.kill()
	s.must("", binary, "audit", "verify")
	s.serve()
	s.must("", binary, "audit", "verify")
}
