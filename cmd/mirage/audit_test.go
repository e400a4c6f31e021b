package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mirage/audit"
)

func TestAuditCommands(t *testing.T) {
	c := newCLI(t)
	c.want(0, ramConfig, "workspace", "create", "-", "--id", "demo")
	c.want(0, "", "shell", "-w", "demo", "-c", "echo hi; TOKEN=hush true")
	c.want(127, "", "shell", "-w", "demo", "-c", "=1+1")
	c.want(0, "", "config", "set", "auth_token", "hush")
	c.want(0, "", "config", "unset", "auth_token")
	c.want(0, "", "workspace", "delete", "demo")

	text, _ := c.want(0, "", "audit", "tail", "--kind", "line_start", "--workspace", "demo")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var r audit.Record
	if len(lines) != 2 || json.Unmarshal([]byte(lines[0]), &r) != nil || r.Line != "echo hi; TOKEN=[redacted] true" || r.Door != "http" {
		t.Errorf("tail: %s", text)
	}
	if out, _ := c.want(0, "", "audit", "tail", "-n", "1", "--kind", "line_start"); !strings.Contains(out, `"=1+1"`) {
		t.Errorf("tail -n 1: %s", out)
	}
	if out, _ := c.want(0, "", "audit", "tail", "--kind", "admin"); !strings.Contains(out, `"action":"config.set"`) || !strings.Contains(out, `"action":"workspace.delete"`) {
		t.Errorf("acts: %s", out)
	}
	all, _ := c.want(0, "", "audit", "export")
	if strings.Contains(all, "hush") || !strings.Contains(all, `"kind":"started"`) {
		t.Errorf("export: %s", all)
	}
	if out, _ := c.want(0, "", "audit", "export", "--until", "2001-01-01"); out != "" {
		t.Errorf("before there was one: %s", out)
	}
	if out, _ := c.want(0, "", "audit", "export", "--since", "24h"); out != all {
		t.Errorf("since yesterday: %s", out)
	}
	sheet, _ := c.want(0, "", "audit", "export", "--format", "csv", "--kind", "line_start")
	rows, err := csv.NewReader(strings.NewReader(sheet)).ReadAll()
	if err != nil || len(rows) != 3 || len(rows[0]) != len(csvColumns) || rows[2][11] != "'=1+1" {
		t.Errorf("csv: %v %q", err, rows)
	}

	var report audit.Report
	out, _ := c.want(0, "", "audit", "verify")
	if err := json.Unmarshal([]byte(out), &report); err != nil || report.Records < 8 || report.Broken != nil {
		t.Fatalf("verify: %v %s", err, out)
	}
	c.want(0, "", "audit", "verify", "--expect", report.Last.String())
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(filepath.Join(c.vars["MIRAGE_HOME"], "audit"))); err != nil {
		t.Fatal(err)
	}
	c.want(0, "", "audit", "verify", "--dir", copied)
	name := filepath.Join(copied, "00000001.jsonl")
	broken, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(broken), "echo hi", "echo ho", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.want(1, "", "audit", "verify", "--dir", copied); !strings.Contains(err, "the audit log is broken: 00000001.jsonl:") || !strings.Contains(err, "the hash does not fit the record") {
		t.Errorf("verify: %q", err)
	}
}

func TestAuditUsage(t *testing.T) {
	c := &cli{t, map[string]string{"MIRAGE_HOME": t.TempDir()}}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"audit", "tail", "--kind", "nosuch"}, "unknown kind: 'nosuch'"},
		{[]string{"audit", "tail", "--since", "soon"}, "'soon' is no time"},
		{[]string{"audit", "tail", "-n", "-1"}, "-n must not be negative"},
		{[]string{"audit", "export", "--format", "xml"}, "--format must be jsonl or csv"},
		{[]string{"audit", "verify", "--expect", "3"}, "--expect takes SEQ:HASH"},
		{[]string{"config", "set", "audit", "maybe"}, "audit must be true or false, got 'maybe'"},
	} {
		if _, err := c.want(2, "", tc.args...); !strings.Contains(err, tc.want) {
			t.Errorf("mirage %q: %q, want %q", tc.args, err, tc.want)
		}
	}
	// Nothing has been logged yet.
	c.want(0, "", "audit", "tail")
	c.want(0, "", "audit", "verify")
	c.want(0, "", "config", "set", "audit", "false")
	if _, err := os.Stat(filepath.Join(c.vars["MIRAGE_HOME"], "audit")); err == nil {
		t.Error("a log that is switched off has been written")
	}
	c.vars["MIRAGE_AUDIT_KEY_FILE"] = filepath.Join(c.vars["MIRAGE_HOME"], "key")
	if err := os.WriteFile(c.vars["MIRAGE_AUDIT_KEY_FILE"], []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.want(2, "", "audit", "verify"); !strings.Contains(err, "holds 5 bytes, a key has 16 at least") {
		t.Errorf("a short key: %q", err)
	}
}

func TestRecordText(t *testing.T) {
	r := &audit.Record{Event: audit.Event{Kind: audit.LineStart, Line: "echo \x1b[2J\u009b \u202e", Reason: "x\ny"}}
	r.Account = "a\x1b"
	got := recordText(r)
	for _, c := range []string{"\x1b", "\u009b", "\u202e", "\n"} {
		if strings.Contains(got, c) {
			t.Errorf("%q holds %q", got, c)
		}
	}
}
