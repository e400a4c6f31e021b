package httpd

import (
	"bytes"
	"encoding/json"
	"testing"
)

const guarded = `{"id": "demo", "config": {"mounts": {"/": {"vfs": "ram"}}, "profiles": {"default": {
	"paths": {"hide": ["/secret"]},
	"commands": {"deny": [{"reason": "no deletes", "commands": ["rm"]}, {"reason": "sealed", "paths": ["/keys/*"]}]}}}}}`

// An explanation says what the line then does.
func TestExplainAgreesWithTheRun(t *testing.T) {
	a := newAPI(t)
	a.want("POST", "/v1/workspaces", guarded, 201)
	for _, line := range []string{
		"echo a", "rm /x", "echo a; rm /x", "cat /keys/k", "cat /keys/k && echo a", "echo $(rm /x)", "for i in 1 2; do rm $i; done",
		"env rm x", "bash -c 'rm x'", "f() { rm x; }", "echo )", "ls / >/dev/null; sort /keys/a /b",
	} {
		body, _ := json.Marshal(map[string]string{"command": line})
		said := a.want("POST", shellPath+"?explain=true", string(body), 200)
		ran := a.want("POST", shellPath, string(body), 200)
		said["command"], ran["command"] = nil, nil
		for _, key := range []string{"exit_code", "stderr"} {
			if said[key] != ran[key] {
				t.Errorf("%s: explained %s %v, was %v", line, key, said[key], ran[key])
			}
		}
		saidRefusal, _ := json.Marshal(said["refusal"])
		ranRefusal, _ := json.Marshal(ran["refusal"])
		if !bytes.Equal(saidRefusal, ranRefusal) {
			t.Errorf("%s: explained %s, was %s", line, saidRefusal, ranRefusal)
		}
	}
}

func TestExplainShape(t *testing.T) {
	a := newAPI(t)
	a.want("POST", "/v1/workspaces", guarded, 201)
	_, got := a.text("POST", shellPath+"?explain=true", "application/json", bytes.NewReader([]byte(`{"command": "cat /keys/k f"}`)))
	const want = `{"line":"cat /keys/k f","outcome":"deny","reason":"sealed","source":"top",` +
		`"refusal":{"kind":"deny","reason":"sealed","policy":"PermissionsPolicy","scope":"operand","ask_id":null},` +
		`"answers":[{"kind":"deny","reason":"sealed","policy":"PermissionsPolicy"}],"exit_code":1,"stderr":"cat: /keys/k: Permission denied\n",` +
		`"node":{"type":"line","text":"cat /keys/k f","children":[{"type":"command","text":"cat /keys/k f","command":"cat","argv":["/keys/k","f"],` +
		`"outcome":"deny","reason":"sealed","source":"top","refusal":{"kind":"deny","reason":"sealed","policy":"PermissionsPolicy","scope":"operand","ask_id":null},` +
		`"answers":[{"kind":"deny","reason":"sealed","policy":"PermissionsPolicy"}],"exit_code":1,"stderr":"cat: /keys/k: Permission denied\n","runtime":"workspace",` +
		`"operands":[{"text":"/keys/k","path":"/keys/k","matched":true},{"text":"f","path":"/f","matched":false}],"children":[]}]}}`
	if string(bytes.TrimSpace(got)) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What is hidden is explained like what nobody speaks of.
func TestExplainRevealsNoHide(t *testing.T) {
	a := newAPI(t)
	a.want("POST", "/v1/workspaces", guarded, 201)
	_, hidden := a.text("POST", shellPath+"?explain=true", "application/json", bytes.NewReader([]byte(`{"command": "cat /secret"}`)))
	_, free := a.text("POST", shellPath+"?explain=true", "application/json", bytes.NewReader([]byte(`{"command": "cat /other"}`)))
	if got := bytes.ReplaceAll(hidden, []byte("/secret"), []byte("/other")); !bytes.Equal(got, free) {
		t.Errorf("got\n%s\nwant\n%s", got, free)
	}
}

func TestExplainTakesTheLineAlone(t *testing.T) {
	a := newAPI(t)
	a.want("POST", "/v1/workspaces", guarded, 201)
	for _, tt := range []struct{ query, body string }{
		{"", `{"command": "true", "cwd": "/"}`},
		{"", `{"command": "true", "env": {"A": "1"}}`},
		{"", `{"command": "true", "runtime": "workspace"}`},
		{"&background=true", `{"command": "true"}`},
		{"&stream=true", `{"command": "true"}`},
	} {
		a.want("POST", shellPath+"?explain=true"+tt.query, tt.body, 400)
	}
	kind, body := form(t, false, `request={"command": "true"}`, "stdin=x")
	if status, text := a.text("POST", shellPath+"?explain=true", kind, bytes.NewReader(body)); status != 400 {
		t.Errorf("with stdin: %d %s", status, text)
	}
	a.want("POST", shellPath+"?explain=true&session_id=nosuch", `{"command": "true"}`, 404)
}

func TestPatchSession(t *testing.T) {
	a := newAPI(t)
	a.want("POST", "/v1/workspaces", `{"id": "demo", "config": {"mounts": {"/": {"vfs": "ram"}, "/a": {"vfs": "ram"}}, "profiles": {"strict": {"commands": {"deny": ["rm"]}}}}}`, 201)
	a.want("POST", "/v1/workspaces/demo/sessions", `{"session_id": "s"}`, 201)
	run := func(want float64) {
		t.Helper()
		if got := a.want("POST", shellPath+"?session_id=s", `{"command": "rm -f /x"}`, 200); got["exit_code"] != want {
			t.Errorf("got %v, want status %v", got, want)
		}
	}
	const path = "/v1/workspaces/demo/sessions/s"
	run(0)
	if got := a.want("PATCH", path, `{"profile": "strict"}`, 200); got["session_id"] != "s" || got["cwd"] != "/" {
		t.Errorf("answer: %v", got)
	}
	run(126)
	a.want("PATCH", path, `{"profile": null}`, 200)
	run(0)
	a.want("PATCH", path, `{"profile": "nosuch"}`, 422)
	a.want("PATCH", path, `{"profile": 1}`, 422)
	a.want("PATCH", path, `{}`, 422)
	a.want("PATCH", path, `{"profile": "strict", "more": 1}`, 400)
	a.want("PATCH", "/v1/workspaces/demo/sessions/nosuch", `{"profile": null}`, 404)
	run(0)

	a.want("POST", "/v1/workspaces/demo/sessions", `{"session_id": "only", "mounts": ["/a"]}`, 201)
	if got := a.want("POST", shellPath+"?session_id=only", `{"command": "cat /f"}`, 200); got["stderr"] != "mirage: session 'only' not allowed to access mount '/'\n" {
		t.Errorf("allowlist: %v", got)
	}
	a.want("POST", "/v1/workspaces/demo/sessions", `{"session_id": "inline", "permissions": {"commands": {"deny": ["rm"]}}}`, 201)
	if got := a.want("POST", shellPath+"?session_id=inline", `{"command": "rm -f /x"}`, 200); got["exit_code"] != 126.0 {
		t.Errorf("inline: %v", got)
	}
	a.want("POST", "/v1/workspaces/demo/sessions", `{"permissions": {"commands": {"allow": ["rm"]}}}`, 422)
	a.want("POST", "/v1/workspaces/demo/sessions", `{"mounts": 1}`, 422)
	a.want("POST", "/v1/workspaces/demo/sessions", `{"mounts": {"/a": "w"}}`, 422)
}

// An explanation of a call says what the call then does, and does nothing.
func TestExplainCalls(t *testing.T) {
	a := newAPI(t)
	a.want("POST", "/v1/workspaces", `{"id": "demo", "config": {"mounts": {"/": {"vfs": "ram"}, "/ro": {"vfs": "ram", "mode": "read"}}, "profiles": {
		"guarded": {"paths": {"hide": ["/secret"]}, "commands": {"deny": [{"reason": "sealed", "paths": ["/keys/*"]}], "ask": [{"reason": "ask me", "paths": ["/desk/*"]}]}}}}}`, 201)
	a.want("POST", shellPath, `{"command": "mkdir /keys /desk /d; echo text | tee /secret /keys/k /desk/f /f; ln -s /keys/k /l"}`, 200)
	a.want("POST", "/v1/workspaces/demo/sessions", `{"session_id": "s", "profile": "guarded"}`, 201)
	for _, tt := range []struct{ call, body, outcome, reason, errno string }{
		{"read", `{"path": "/f"}`, "allow", "", ""},
		{"read", `{"path": "/keys/k"}`, "deny", "sealed", "EACCES"},
		{"read", `{"path": "/l"}`, "deny", "sealed", "EACCES"},
		{"read", `{"path": "/secret"}`, "allow", "", "ENOENT"},
		{"read", `{"path": "/nosuch"}`, "allow", "", "ENOENT"},
		{"read", `{"path": "/desk/f"}`, "ask", "ask me", "EACCES"},
		{"stat", `{"path": "/keys/k"}`, "allow", "", ""},
		{"exists", `{"path": "/secret"}`, "allow", "", ""},
		{"readdir", `{"path": "/"}`, "allow", "", ""},
		{"write", `{"path": "/f", "data_base64": ""}`, "allow", "", ""},
		{"write", `{"path": "/new", "data_base64": ""}`, "allow", "", ""},
		{"write", `{"path": "/keys/new", "data_base64": ""}`, "deny", "sealed", "EACCES"},
		{"write", `{"path": "/ro/f", "data_base64": ""}`, "deny", "read-only mount", "EROFS"},
		{"create", `{"path": "/f"}`, "allow", "", "EEXIST"},
		{"mkdir", `{"path": "/d/e"}`, "allow", "", ""},
		{"rmdir", `{"path": "/d"}`, "allow", "", ""},
		{"unlink", `{"path": "/f"}`, "allow", "", ""},
		{"unlink", `{"path": "/keys/k"}`, "deny", "sealed", "EACCES"},
		{"rename", `{"src": "/f", "dst": "/g"}`, "allow", "", ""},
		{"rename", `{"src": "/f", "dst": "/keys/g"}`, "deny", "sealed", "EACCES"},
		{"rename", `{"src": "/keys", "dst": "/open"}`, "deny", "sealed", "EACCES"},
		{"truncate", `{"path": "/f", "length": 0}`, "allow", "", ""},
		{"setattr", `{"path": "/f", "mode": 0}`, "allow", "", ""},
		{"symlink", `{"path": "/m", "target": "/f"}`, "allow", "", ""},
	} {
		got := a.want("POST", "/v1/workspaces/demo/vfs/"+tt.call+"?explain=true&session_id=s", tt.body, 200)
		if got["call"] != tt.call || got["outcome"] != tt.outcome || got["reason"] != tt.reason || got["error"] != tt.errno {
			t.Errorf("%s %s: got %v, want %s, %q, %q", tt.call, tt.body, got, tt.outcome, tt.reason, tt.errno)
		}
	}
	got := a.want("POST", shellPath, `{"command": "ls / /d; cat /f; stat -c %a /f"}`, 200)
	if got["stdout"] != "/:\nd\ndesk\nf\nkeys\nl\nro\nsecret\n\n/d:\ntext\n644\n" {
		t.Errorf("something has happened: %v", got)
	}
	_, asks := a.text("GET", "/v1/workspaces/demo/asks?all=true", "", nil)
	if string(bytes.TrimSpace(asks)) != "[]" {
		t.Errorf("something was asked: %s", asks)
	}
	a.want("POST", "/v1/workspaces/demo/vfs/read?explain=true", `{}`, 400)
	a.want("POST", "/v1/workspaces/demo/vfs/read?explain=true&session_id=nosuch", `{"path": "/"}`, 404)
}
