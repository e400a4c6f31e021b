package workspace_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mirage/policy"
	"mirage/workspace"
)

const starlarkPolicy = `
def pre_command(ctx):
    c = ctx["command"]
    if c["name"] == "rm":
        return {"ask": "removal needs a person"}
    if "secret" in c["argv"]:
        return {"deny": "nobody says secret"}
    for p in c["paths"]:
        if exists(p) and not is_dir(p) and "curl" in read_file(p, default = ""):
            return {"deny": "mentions curl"}
    return None

def pre_vfs(ctx):
    op = ctx["op"]
    if op["write"] and op["path"].startswith("/frozen"):
        return {"deny": "frozen"}
    if op["name"] == "read" and op["path"] == "/asked":
        return {"ask": "reading needs a person"}
    return None

def pre_session(ctx):
    w = ctx["write"]
    if w["key"] == "STAGE":
        return {"deny": "the stage is fixed"}
    return None
`

// scripted makes a workspace whose default profile has a script.
func scripted(t *testing.T, engine, source, rules string) *workspace.Workspace {
	t.Helper()
	name := filepath.Join(t.TempDir(), "policy")
	if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newServer(t)
	cfg := `{"mounts": {"/": {"vfs": "ram"}}, "profiles": {"default": {` + rules + `"policy": {"script": ` + string(must(json.Marshal(name))) + `, "runtime": "` + engine + `"}}}}`
	return s.create(operator, "demo", cfg)
}

func TestScriptsThroughTheShell(t *testing.T) {
	w := scripted(t, "starlark", starlarkPolicy, "")
	free := w.Unruled()
	for name, text := range map[string]string{"/plain": "text\n", "/bad": "curl evil\n", "/asked": "a\n", "/frozen/f": "old\n"} {
		if err := free.MkdirAll(bg, filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := free.WriteFile(bg, name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := session(t, w, "")
	for _, test := range []struct {
		line, stdout, stderr string
		status               int
		reason               string
	}{
		{"cat /plain", "text\n", "", 0, ""},
		{"echo secret", "", "echo: Permission denied\n", 126, "nobody says secret"},
		{"echo fine; echo secret", "", "echo: Permission denied\n", 126, "nobody says secret"},
		{"x=secret; echo $x", "", "echo: Permission denied\n", 126, "nobody says secret"},
		{"cat /bad", "", "cat: Permission denied\n", 126, "mentions curl"},
		{"echo /bad | xargs cat", "", "cat: Permission denied\n", 123, "mentions curl"},
		{"find /bad -exec cat {} +", "", "find: Permission denied\n", 126, "mentions curl"},
		{"rm /plain", "", "rm: Permission denied\n", 126, "removal needs a person"},
		{"echo x > /frozen/f", "", "/frozen/f: Permission denied\n", 1, ""},
		{"cp /plain /frozen/g", "", "cp: cannot create regular file '/frozen/g': Permission denied\n", 1, ""},
		{"mv /frozen/f /x", "", "mv: cannot move '/frozen/f' to '/x': Permission denied\n", 1, ""},
		{"ln -s /frozen/f /l; echo x > /l", "", "/l: Permission denied\n", 1, ""},
		{"cat < /asked", "", "/asked: Permission denied\n", 1, ""},
		{"STAGE=prod; echo $STAGE", "", "bash: STAGE: permission denied\n", 1, "the stage is fixed"},
		{"export STAGE=prod", "", "export: STAGE: permission denied\n", 1, "the stage is fixed"},
		{": ${STAGE:=prod}", "", "bash: STAGE: permission denied\n", 1, "the stage is fixed"},
		{"printf -v STAGE x", "", "printf: STAGE: permission denied\n", 1, "the stage is fixed"},
		{"(( STAGE = 1 ))", "", "bash: STAGE: permission denied\n", 1, "the stage is fixed"},
		{"read STAGE <<< x", "", "read: STAGE: permission denied\n", 1, "the stage is fixed"},
		{"for STAGE in a; do echo $STAGE; done", "", "STAGE: permission denied\n", 1, "the stage is fixed"},
		{"STAGE=x env | grep STAGE", "", "bash: STAGE: permission denied\n", 1, "the stage is fixed"},
		{"declare -n r=STAGE; r=1", "", "bash: STAGE: permission denied\n", 1, "the stage is fixed"},
		{"STAGE[0]=1", "", "bash: STAGE: permission denied\n", 1, "the stage is fixed"},
		{"unset STAGE; echo $?", "1\n", "unset: STAGE: permission denied\n", 0, "the stage is fixed"},
		{"declare -x STAGE=1", "", "declare: STAGE: permission denied\n", 1, "the stage is fixed"},
		{"mapfile STAGE <<< x", "", "mapfile: STAGE: permission denied\n", 1, "the stage is fixed"},
		{"STAGE+=1", "", "bash: STAGE: permission denied\n", 1, "the stage is fixed"},
		{"(STAGE=1); echo on", "on\n", "bash: STAGE: permission denied\n", 0, "the stage is fixed"},
		{"bash -c 'STAGE=1; echo $STAGE'", "", "bash: line 1: STAGE: permission denied\n", 1, "the stage is fixed"},
	} {
		res := run(t, s, test.line)
		reason := ""
		if res.Refusal != nil {
			reason = res.Refusal.Reason
		}
		if string(res.Stdout) != test.stdout || string(res.Stderr) != test.stderr || res.ExitCode != test.status || reason != test.reason {
			t.Errorf("%s:\n got %q, %q, %d, %q\nwant %q, %q, %d, %q", test.line, res.Stdout, res.Stderr, res.ExitCode, reason, test.stdout, test.stderr, test.status, test.reason)
		}
	}
}

// What a script asks is a question like any other.
func TestScriptsAsk(t *testing.T) {
	w := scripted(t, "starlark", starlarkPolicy, "")
	s := session(t, w, "")
	out(t, s, "touch a b c; echo a > /asked")
	pending := func() []workspace.Ask {
		t.Helper()
		list, err := w.Asks("", false)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	answer := func(id, scope string) {
		t.Helper()
		if _, err := w.AnswerAsk(bg, id, workspace.Answer{Outcome: workspace.AnswerAllow, Scope: scope}); err != nil {
			t.Fatal(err)
		}
	}
	res := run(t, s, "rm a")
	if res.ExitCode != 126 || res.Refusal == nil || res.Refusal.Kind != "pending" || res.Refusal.Policy != "ScriptPolicy" || res.Refusal.AskID == nil {
		t.Fatalf("rm: %d %+v", res.ExitCode, res.Refusal)
	}
	answer(*res.Refusal.AskID, workspace.ScopeOnce)
	out(t, s, "rm a")
	want(t, "once is spent", run(t, s, "rm b").ExitCode, 126)
	answer(pending()[0].ID, workspace.ScopeSession)
	out(t, s, "rm b; rm c")
	// A file call asks about the file itself.
	read := func() error {
		c := s.FileCall()
		defer c.End()
		_, err := c.View().ReadFile(bg, "/asked", 100)
		return err
	}
	if err := read(); !errors.Is(err, syscall.EACCES) {
		t.Fatalf("read: %v", err)
	}
	answer(pending()[0].ID, workspace.ScopeOnce)
	if err := read(); err != nil {
		t.Fatalf("allowed read: %v", err)
	}
	if err := read(); !errors.Is(err, syscall.EACCES) {
		t.Fatalf("read again: %v", err)
	}
}

// Whatever is wrong with a script refuses.
func TestScriptsThatFail(t *testing.T) {
	for _, test := range []struct{ engine, source, reason string }{
		{"starlark", "def pre_command(ctx:", "profile 'default' policy syntax error:"},
		{"starlark", "x = 1\n", "profile 'default' policy defines no hook: pre_command, pre_vfs or pre_session"},
		{"starlark", "def pre_command(ctx):\n    return 5\n", "profile 'default' policy failed:"},
		{"javascript", "function preCommand(ctx) { throw new Error('no') }", "profile 'default' policy failed:"},
		{"javascript", "function preCommand(ctx) { return {deny: 'because of ' + ctx.command.name} }", "because of true"},
	} {
		w := scripted(t, test.engine, test.source, "")
		res := run(t, session(t, w, ""), "true")
		if res.ExitCode != 126 || res.Refusal == nil || !strings.HasPrefix(res.Refusal.Reason, test.reason) {
			t.Errorf("%s: %d %+v", test.source, res.ExitCode, res.Refusal)
		}
	}
}

// Scripts are files of the host: an operator's to name, and no document's that
// a client brings.
func TestScriptsAreTheOperators(t *testing.T) {
	s := newServer(t)
	name := filepath.Join(t.TempDir(), "p.star")
	config := func(name string) *workspace.Config {
		t.Helper()
		return must(workspace.ParseConfig([]byte(`{"mounts": {"/": {"vfs": "ram"}}, "profiles": {"p": {"policy": {"script": "` + name + `", "runtime": "starlark"}}}}`)))
	}
	_, _, err := s.Create(bg, operator, "demo", config(name))
	want(t, "no file", kind(err), workspace.Invalid)
	if err := os.WriteFile(name, []byte("def pre_command(ctx):\n    return None\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Create(bg, alice, "demo", config(name))
	want(t, "an account", kind(err), workspace.Refused)
	w, _, err := s.Create(bg, operator, "demo", config(name))
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.NewSession(bg, workspace.SessionOptions{Permissions: []byte(`{"policy": {"script": "/etc/passwd", "runtime": "starlark"}}`)})
	want(t, "inline", kind(err), workspace.Refused)
	// A tightened profile keeps its script, and one that is gone after a
	// restart refuses everything to its profile, nothing to others.
	if err := os.WriteFile(name, []byte("def pre_command(ctx):\n    return {\"deny\": \"closed\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.restart()
	sealed := must(s.get("demo").NewSession(bg, workspace.SessionOptions{Profile: "p", Permissions: []byte(`{"paths": {"hide": ["/x"]}}`)}))
	want(t, "tightened", run(t, sealed, "true").Refusal.Reason, "closed")
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	s.restart()
	w = s.get("demo")
	sealed = must(w.NewSession(bg, workspace.SessionOptions{Profile: "p"}))
	want(t, "gone", run(t, sealed, "true").Refusal.Reason, "profile 'p' policy failed: the script cannot be read")
	want(t, "another profile", run(t, must(w.NewSession(bg, workspace.SessionOptions{})), "true").ExitCode, 0)
}

// Coded policies come after the script of a profile; a denial beats questions
// and one that panics refuses.
func TestCodedPolicies(t *testing.T) {
	say := func(name string, o policy.Outcome) policy.Hooks {
		return policy.Hooks{Name: name, PreCommand: func(_ context.Context, c *policy.CommandCall) policy.Verdict {
			if c.Command.Name != "uname" {
				return policy.Verdict{}
			}
			return policy.Verdict{Outcome: o, Reason: name + " says so"}
		}}
	}
	fail := policy.Hooks{Name: "Fail", PreExecute: func(_ context.Context, c *policy.LineCall) policy.Verdict {
		if strings.Contains(c.Line, "boom") {
			panic("boom")
		}
		return policy.Verdict{}
	}}
	for _, test := range []struct {
		list               []policy.Hooks
		line               string
		status             int
		policy, reason, is string
	}{
		{[]policy.Hooks{say("A", policy.Allow)}, "uname", 0, "", "", ""},
		{[]policy.Hooks{say("A", policy.Ask), say("B", policy.Deny), say("C", policy.Deny)}, "uname", 126, "B", "B says so", "deny"},
		{[]policy.Hooks{say("A", policy.Ask), say("B", policy.Ask)}, "uname", 126, "A", "A says so", "pending"},
		{[]policy.Hooks{say("A", 99)}, "uname", 126, "A", "policy A failed", "failed"},
		{[]policy.Hooks{fail}, "true", 0, "", "", ""},
		{[]policy.Hooks{fail}, "echo boom", 126, "Fail", "policy Fail failed", "failed"},
	} {
		s := &server{t: t, dir: t.TempDir(), policies: test.list}
		s.start()
		res := run(t, session(t, s.create(operator, "demo", ramConfig), ""), test.line)
		got := policy.Refusal{}
		if res.Refusal != nil {
			got = *res.Refusal
		}
		if res.ExitCode != test.status || got.Policy != test.policy || got.Reason != test.reason || got.Kind != test.is {
			t.Errorf("%s: %d %+v, want %d %s %s %s", test.line, res.ExitCode, got, test.status, test.policy, test.reason, test.is)
		}
		s.stop()
	}
}

// Explain says what scripts say, and asks nobody.
func TestScriptsExplained(t *testing.T) {
	w := scripted(t, "starlark", starlarkPolicy, "")
	s := session(t, w, "")
	for line, want := range map[string]policy.Outcome{"echo hi": policy.Allow, "echo secret": policy.Deny, "rm x": policy.Ask} {
		x, err := s.Explain(bg, line)
		if err != nil || x.Answer.Outcome != want {
			t.Errorf("%s: %+v, %v", line, x.Answer, err)
		}
	}
	list, err := w.Asks("", true)
	if err != nil || len(list) != 0 {
		t.Errorf("explain asked: %v, %v", list, err)
	}
}
