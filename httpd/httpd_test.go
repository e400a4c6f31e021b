package httpd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mirage/state"
	"mirage/workspace"
)

const secret = "test-token"

// api is a server under test.
type api struct {
	t *testing.T
	*httptest.Server
}

func newAPI(t *testing.T) *api {
	t.Helper()
	dir := t.TempDir()
	store, err := state.Open(dir, state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := workspace.Open(t.Context(), workspace.Options{Store: store, Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(New(Config{Manager: m, Auth: Auth{Token: secret}}))
	t.Cleanup(func() {
		srv.Close()
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &api{t, srv}
}

// withDemo is newAPI with a workspace "demo": a RAM mount, and one at /ro that
// may only be read.
func withDemo(t *testing.T) *api {
	a := newAPI(t)
	a.want("POST", "/v1/workspaces", `{"id": "demo", "config": {"mounts": {"/": {"vfs": "ram"}, "/ro": {"vfs": "ram", "mode": "read"}}}}`, 201)
	return a
}

// call does one request and answers its status and its JSON.
func (a *api) call(method, path, body string) (int, map[string]any) {
	a.t.Helper()
	status, text := a.text(method, path, "application/json", strings.NewReader(body))
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil && len(text) > 0 && text[0] == '{' {
		a.t.Fatalf("%s %s: %v: %s", method, path, err, text)
	}
	return status, out
}

func (a *api) text(method, path, kind string, body io.Reader) (int, []byte) {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), method, a.URL+path, body)
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	req.Header.Set("Content-Type", kind)
	res, err := a.Client().Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return res.StatusCode, text
}

// want does a request that has to end with a status.
func (a *api) want(method, path, body string, status int) map[string]any {
	a.t.Helper()
	got, out := a.call(method, path, body)
	if got != status {
		a.t.Errorf("%s %s %s: %d %v, want %d", method, path, body, got, out, status)
	}
	return out
}

// vfs does one VFS call in demo.
func (a *api) vfs(call, body string, status int) map[string]any {
	a.t.Helper()
	return a.want("POST", "/v1/workspaces/demo/vfs/"+call, body, status)
}

func TestAuthentication(t *testing.T) {
	a := newAPI(t)
	for _, c := range []struct {
		header, host string
		path         string
		want         int
	}{
		{"", "", "/v1/health", 200},
		{"", "", "/v1/workspaces", 401},
		{"Bearer ", "", "/v1/workspaces", 401},
		{"Bearer wrong", "", "/v1/workspaces", 401},
		{"bearer " + secret, "", "/v1/workspaces", 401},
		{"Basic " + secret, "", "/v1/workspaces", 401},
		{"Bearer " + secret + "x", "", "/v1/workspaces", 401},
		{"Bearer " + secret, "", "/v1/workspaces", 200},
		{"Bearer  " + secret + " ", "", "/v1/workspaces", 200},
		{"Bearer " + secret, "evil.example", "/v1/workspaces", 400},
		{"", "evil.example", "/v1/workspaces", 401},
		{"", "evil.example", "/v1/health", 400},
		{"Bearer " + secret, "localhost:99", "/v1/workspaces", 200},
		{"Bearer " + secret, "[::1]:99", "/v1/workspaces", 200},
		{"Bearer " + secret, "LOCALHOST", "/v1/workspaces", 400},
		{"Bearer " + secret, "127.0.0.1:x", "/v1/workspaces", 400},
		{"", "", "/v1/nosuch", 401},
		{"Bearer " + secret, "", "/v1/nosuch", 404},
		{"Bearer " + secret, "", "/", 404},
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", a.URL+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", c.header)
		req.Host = c.host
		res, err := a.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var body struct{ Detail string }
		err = json.NewDecoder(res.Body).Decode(&body)
		res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%q %q %s: %d, want %d", c.header, c.host, c.path, res.StatusCode, c.want)
		}
		if c.want >= 400 && (err != nil || body.Detail == "") {
			t.Errorf("%q %q %s: no detail: %v", c.header, c.host, c.path, err)
		}
		if (res.StatusCode == 401) != (res.Header.Get("WWW-Authenticate") == "Bearer") {
			t.Errorf("%q %s: WWW-Authenticate %q", c.header, c.path, res.Header.Get("WWW-Authenticate"))
		}
	}
}

func TestHostName(t *testing.T) {
	for host, want := range map[string]string{
		"a": "a", "a:1": "a", "a:": "a:", "a:b": "a:b", "[::1]": "::1", "[::1]:5": "::1", "[::1]x": "[::1]x", "[::1": "[::1", "::1": "::1", "": "",
		"::1:8765": "::1:8765",
	} {
		if got := hostName(host); got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}

func TestZeroAuthAnswersNobody(t *testing.T) {
	r := httptest.NewRequest("GET", "/v1/workspaces", nil)
	r.Header.Set("Authorization", "Bearer ")
	if _, err := (Auth{}).caller(r); err == nil {
		t.Error("a server without a token let a request in")
	}
}

func TestWorkspaces(t *testing.T) {
	a := newAPI(t)
	const body = `{"id": "w", "config": {"mounts": {"/": {"vfs": "ram"}}}}`
	made := a.want("POST", "/v1/workspaces", body, 201)
	if made["id"] != "w" || made["mode"] != "write" {
		t.Errorf("made: %v", made)
	}
	a.want("POST", "/v1/workspaces", body, 200)
	a.want("POST", "/v1/workspaces", `{"id": "w", "config": {"mounts": {"/": {"vfs": "ram", "mode": "read"}}}}`, 409)
	for _, bad := range []string{
		``, `[]`, `null`, `{`, `{"id": 1, "config": {}}`, `{"id": "x"}`, `{"id": "x", "config": null}`, `{"id": "x", "config": []}`,
		`{"id": "x", "config": {"mounts": {}}, "extra": 1}`, `{"id": "x", "config": {"mounts": {"/": {"vfs": "nosuch"}}}}`,
		`{"id": "..", "config": {"mounts": {"/": {"vfs": "ram"}}}}`, `{"id": "a/b", "config": {"mounts": {"/": {"vfs": "ram"}}}}`,
		`{"id": "console", "config": {"mounts": {"/": {"vfs": "ram"}}}}`, `{"id": "x", "config": {"mounts": {"/": {"vfs": "ram"}}, "clis": {"gh": {}}}}`,
		body + `{}`,
	} {
		if out := a.want("POST", "/v1/workspaces", bad, 400); out["detail"] == nil || out["detail"] == "" {
			t.Errorf("%s: no detail: %v", bad, out)
		}
	}
	if got := a.want("GET", "/v1/workspaces/w?verbose=true", "", 200); got["internals"] == nil {
		t.Errorf("verbose: %v", got)
	}
	a.want("GET", "/v1/workspaces/w?verbose=maybe", "", 400)
	if got := a.want("POST", "/v1/workspaces/w/cancel", "", 200); got["canceled"] != 0.0 {
		t.Errorf("cancel: %v", got)
	}
	if got := a.want("POST", "/v1/workspaces/w/kill", "", 200); got["killed"] != 0.0 {
		t.Errorf("kill: %v", got)
	}
	for _, route := range []string{"GET /v1/workspaces/nosuch", "DELETE /v1/workspaces/nosuch", "POST /v1/workspaces/nosuch/close",
		"POST /v1/workspaces/nosuch/shell", "POST /v1/workspaces/nosuch/vfs/stat", "GET /v1/workspaces/nosuch/sessions"} {
		method, path, _ := strings.Cut(route, " ")
		if out := a.want(method, path, `{"path": "/"}`, 404); out["detail"] != "workspace not found" {
			t.Errorf("%s: %v", route, out)
		}
	}
	a.want("DELETE", "/v1/workspaces/w", "", 200)
	a.want("GET", "/v1/workspaces/w", "", 404)
}

func TestSessions(t *testing.T) {
	a := withDemo(t)
	if out := a.want("POST", "/v1/workspaces/demo/sessions", "", 201); !strings.HasPrefix(fmt.Sprint(out["session_id"]), "sess_") {
		t.Errorf("minted id: %v", out)
	}
	a.want("POST", "/v1/workspaces/demo/sessions", `{"session_id": "s", "mounts": {"/": "r"}}`, 201)
	if out := a.want("POST", "/v1/workspaces/demo/sessions", `{"session_id": "s"}`, 409); out["detail"] != "session id already exists: 's'" {
		t.Errorf("taken id: %v", out)
	}
	a.want("POST", "/v1/workspaces/demo/sessions", `{"profile": "nosuch"}`, 422)
	a.want("POST", "/v1/workspaces/demo/sessions", `{"mounts": {"/": "wx"}}`, 422)
	a.want("POST", "/v1/workspaces/demo/sessions", `{"mounts": ["/nosuch"]}`, 422)
	a.want("POST", "/v1/workspaces/demo/sessions", `{"nosuch": 1}`, 400)
	// The session's narrowed mode holds for its VFS calls.
	a.want("POST", "/v1/workspaces/demo/vfs/mkdir?session_id=s", `{"path": "/d"}`, 403)
	a.want("POST", "/v1/workspaces/demo/vfs/mkdir?session_id=nosuch", `{"path": "/d"}`, 404)
	a.vfs("mkdir", `{"path": "/d"}`, 200)
	if out := a.want("DELETE", "/v1/workspaces/demo/sessions/s", "", 200); out["session_id"] != "s" {
		t.Errorf("delete: %v", out)
	}
	a.want("DELETE", "/v1/workspaces/demo/sessions/s", "", 404)
}

func TestBodyTooLarge(t *testing.T) {
	a := withDemo(t)
	big := bytes.Repeat([]byte("A"), maxBody+1)
	for _, path := range []string{"/v1/workspaces", "/v1/workspaces/demo/shell", "/v1/workspaces/demo/vfs/write", "/v1/workspaces/demo/glob"} {
		if status, _ := a.text("POST", path, "application/json", bytes.NewReader(big)); status != 413 {
			t.Errorf("%s: %d, want 413", path, status)
		}
	}
}

func TestSecondsFitsADuration(t *testing.T) {
	for f, want := range map[float64]int64{-1: 0, 0: 0, 1.5: 1_500_000_000, 1e300: 1<<63 - 1} {
		if got := seconds(f); int64(got) != want {
			t.Errorf("%v: %d, want %d", f, got, want)
		}
	}
}
