package httpd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mirage/client"
)

// withAsks is newAPI with a workspace whose sessions are asked about rm, and
// about the files of /keys.
func withAsks(t *testing.T) *api {
	a := newAPI(t)
	a.want("POST", "/v1/workspaces", `{"id": "demo", "config": {"mounts": {"/": {"vfs": "ram"}}, "profile": "p", "profiles": {"p": {"commands": {"ask": [
		{"reason": "sign-off", "commands": ["rm"]}, {"reason": "a key", "paths": ["/keys/*"]}]}}}}}`, 201)
	a.want("POST", "/v1/workspaces/demo/sessions", `{"session_id": "agent"}`, 201)
	return a
}

const asksPath = "/v1/workspaces/demo/asks"

// line runs a line of the session agent and answers the id of its question.
func (a *api) line(command string) string {
	a.t.Helper()
	body, _ := json.Marshal(map[string]string{"command": command, "agent_id": "me"})
	out := a.want("POST", "/v1/workspaces/demo/shell?session_id=agent", string(body), 200)
	if r, ok := out["refusal"].(map[string]any); ok && r["ask_id"] != nil {
		return r["ask_id"].(string)
	}
	return fmt.Sprint(out["exit_code"])
}

func (a *api) list(query string) []map[string]any {
	a.t.Helper()
	status, text := a.text("GET", asksPath+query, "", strings.NewReader(""))
	var list []map[string]any
	if err := json.Unmarshal(text, &list); err != nil || status != 200 || list == nil {
		a.t.Fatalf("list%s: %d %s", query, status, text)
	}
	return list
}

func TestAsks(t *testing.T) {
	a := withAsks(t)
	if list := a.list(""); len(list) != 0 {
		t.Error(list)
	}
	first, second := a.line("rm -f /a '/b c'"), a.line("rm -f /d")
	list := a.list("?session_id=agent")
	if len(list) != 2 || list[0]["id"] != first || list[1]["id"] != second {
		t.Fatalf("%v, want %s and %s", list, first, second)
	}
	got := list[0]
	for key, want := range map[string]any{
		"session_id": "agent", "agent_id": "me", "command": "rm -f /a '/b c'", "cwd": "/", "reason": "sign-off", "outcome": nil, "scope": "once", "note": "",
		"answered_at": nil, "spent": false,
	} {
		if value, there := got[key]; !there || value != want {
			t.Errorf("%s: %v, want %v", key, value, want)
		}
	}
	if text := fmt.Sprint(got["argv"], got["paths"]); text != "[rm -f /a /b c] [/a /b c]" || got["rule"] == "" || got["created_at"].(float64) < 1e9 {
		t.Errorf("%v", got)
	}
	if list := a.list("?session_id=default"); len(list) != 0 {
		t.Error(list)
	}
	for _, tt := range []struct {
		path, body string
		status     int
		detail     string
	}{
		{"/v1/workspaces/nosuch/asks/" + first, `{"answer": "allow"}`, 404, "workspace not found"},
		{asksPath + "/000000000000", `{"answer": "allow"}`, 404, "ask not found"},
		{asksPath + "/" + first, `{"answer": "deny", "scope": "session"}`, 422, "a deny answers once; asking again raises a new record"},
		{asksPath + "/" + first, `{"answer": "yes"}`, 400, "answer must be allow or deny, got 'yes'"},
		{asksPath + "/" + first, `{"answer": "allow", "scope": "all"}`, 400, "scope must be once or session, got 'all'"},
		{asksPath + "/" + first, `{}`, 400, "answer must be allow or deny, got ''"},
		{asksPath + "/" + first, `{"answer": 1}`, 400, "bad ask request: answer must be a string, got number"},
		{asksPath + "/" + first, `{"answer": "allow", "x": 1}`, 400, `bad ask request: unknown field "x"`},
		{asksPath + "/" + first, `[]`, 400, "bad ask request: the body is a JSON object"},
		{asksPath + "/" + first, `{"answer": "allow", "scope": "once", "note": "fine"}`, 200, ""},
		{asksPath + "/" + first, `{"answer": "deny"}`, 409, "ask already answered: " + first},
	} {
		out := a.want("POST", tt.path, tt.body, tt.status)
		if tt.detail != "" && out["detail"] != tt.detail {
			t.Errorf("%s: %q, want %q", tt.body, out["detail"], tt.detail)
		}
		if tt.status == 200 && (out["outcome"] != "allow" || out["scope"] != "once" || out["note"] != "fine" || out["answered_at"] == nil) {
			t.Errorf("%v", out)
		}
	}
	if list := a.list(""); len(list) != 1 || list[0]["id"] != second {
		t.Error(list)
	}
	if list := a.list("?all=true"); len(list) != 2 || list[0]["outcome"] != "allow" {
		t.Error(list)
	}
	if got := a.line("rm -f /a '/b c'"); got != "0" {
		t.Error(got)
	}
	if list := a.list("?all=true"); list[0]["spent"] != true {
		t.Error(list)
	}
	a.want("GET", asksPath+"?all=perhaps", "", 400)
	if out := a.want("GET", asksPath+"?session_id=nosuch", "", 404); out["detail"] != "session not found" {
		t.Error(out)
	}
	a.want("GET", "/v1/workspaces/nosuch/asks", "", 404)
	a.want("POST", "/v1/workspaces/demo/shell", `{"command": "true", "ask_wait_ms": -1}`, 400)
	a.want("POST", "/v1/workspaces/demo/shell", `{"command": "true", "ask_wait_ms": 86400001}`, 400)
}

// watch follows the stream until n events have come.
func (a *api) watch(after string, n int) []client.AskEvent {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	var events []client.AskEvent
	enough := errors.New("enough")
	c := client.Client{URL: a.URL, Token: secret, HTTP: a.Client()}
	err := c.WatchAsks(ctx, after, func(e client.AskEvent) error {
		if events = append(events, e); len(events) == n {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		a.t.Fatalf("after %v: %v", events, err)
	}
	return events
}

// texts are events in short: type, command, outcome.
func texts(events []client.AskEvent) string {
	var list []string
	for _, e := range events {
		text := e.Event + " " + e.Ask.Command
		if e.Ask.Outcome != nil {
			text += " " + *e.Ask.Outcome
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// The stream tells of questions and answers, and goes on where a client left
// it; one that was away too long is told what is pending.
func TestAskStream(t *testing.T) {
	a := withAsks(t)
	a.line("rm -f /0")
	got := make(chan []client.AskEvent, 1)
	begun := make(chan struct{})
	go func() {
		defer close(got)
		events, first := []client.AskEvent{}, true
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c := client.Client{URL: a.URL, Token: secret, HTTP: a.Client()}
		_ = c.WatchAsks(ctx, "nobody-1", func(e client.AskEvent) error {
			if first {
				close(begun) // what waited has come, so the stream stands
				first = false
			}
			if events = append(events, e); len(events) == 4 {
				got <- events
				return context.Canceled
			}
			return nil
		})
	}()
	<-begun
	id := a.line("rm -f /1")
	a.want("POST", asksPath+"/"+id, `{"answer": "allow"}`, 200)
	a.line("rm -f /2")
	events := <-got
	if want := "ask rm -f /0, ask rm -f /1, answer rm -f /1 allow, ask rm -f /2"; texts(events) != want {
		t.Fatalf("%s, want %s", texts(events), want)
	}
	if events[0].ID != "" || events[1].ID == "" || events[1].WorkspaceID != "demo" {
		t.Errorf("%+v", events)
	}
	if text := texts(a.watch(events[1].ID, 2)); text != "answer rm -f /1 allow, ask rm -f /2" {
		t.Error(text)
	}
	if text := texts(a.watch(events[2].ID, 1)); text != "ask rm -f /2" {
		t.Error(text)
	}
	for _, unknown := range []string{"x", "x-1", "-", events[1].ID + "0000", strings.Split(events[1].ID, "-")[0] + "-999"} {
		if text := texts(a.watch(unknown, 2)); text != "ask rm -f /0, ask rm -f /2" {
			t.Errorf("%s: %s", unknown, text)
		}
	}
}

// A shutdown of the HTTP server ends the streams.
func TestAskStreamEndsWithTheServer(t *testing.T) {
	a := withAsks(t)
	srv := Serve(a.Config.Handler)
	req, err := http.NewRequestWithContext(t.Context(), "GET", a.URL+"/v1/asks/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	res, err := a.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if kind := res.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Error(kind)
	}
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 1<<10)
	n := 0
	for err == nil {
		var m int
		m, err = res.Body.Read(text[n:])
		n += m
	}
	if string(text[:n]) != ": questions and answers\n\n" {
		t.Errorf("%q", text[:n])
	}
}

// Explaining foresees what an answer does, and uses none up.
func TestExplainOfAsks(t *testing.T) {
	a := withAsks(t)
	explain := func(command string) string {
		t.Helper()
		body, _ := json.Marshal(map[string]string{"command": command})
		out := a.want("POST", "/v1/workspaces/demo/shell?session_id=agent&explain=true", string(body), 200)
		text := fmt.Sprint(out["outcome"], " ", out["exit_code"])
		if r, ok := out["refusal"].(map[string]any); ok {
			text += fmt.Sprint(" ", r["kind"], " ", r["ask_id"])
		}
		return text
	}
	read := func() string {
		t.Helper()
		out := a.want("POST", "/v1/workspaces/demo/vfs/read?session_id=agent&explain=true", `{"path": "/keys/k", "offset": 0, "size": 1}`, 200)
		text := fmt.Sprint(out["outcome"])
		if r, ok := out["refusal"].(map[string]any); ok {
			text += fmt.Sprint(" ", r["kind"], " ", r["ask_id"])
		}
		return text
	}
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	const rm = "rm -f /a"
	check("before", explain(rm), "ask 126 pending <nil>")
	id := a.line(rm)
	check("pending", explain(rm), "ask 126 pending "+id)
	check("not yet known", explain("rm $F"), "ask 126 pending <nil>")
	a.want("POST", asksPath+"/"+id, `{"answer": "allow"}`, 200)
	for range 2 {
		check("allowed", explain(rm), "allow 0")
		check("in a loop", explain("for i in 1 2; do "+rm+"; done"), "allow 0")
		check("allowed once", explain(rm+"; "+rm), "ask 126 pending <nil>")
	}
	check("run", a.line(rm), "0")
	check("used up", explain(rm), "ask 126 pending <nil>")
	a.want("POST", asksPath+"/"+a.line(rm), `{"answer": "deny"}`, 200)
	for range 2 {
		check("denied", explain(rm), "deny 126 deny <nil>")
	}
	check("run", a.line(rm), "126")
	check("before", explain(rm), "ask 126 pending <nil>")
	a.want("POST", asksPath+"/"+a.line(rm), `{"answer": "allow", "scope": "session"}`, 200)
	check("for the session", explain("rm -rf /x; rm $F"), "allow 0")

	a.want("POST", "/v1/workspaces/demo/shell?session_id=agent", `{"command": "mkdir /keys; : > /keys/k"}`, 200)
	check("a call", read(), "ask pending <nil>")
	out := a.want("POST", "/v1/workspaces/demo/vfs/read?session_id=agent", `{"path": "/keys/k", "offset": 0, "size": 1}`, 403)
	id = out["refusal"].(map[string]any)["ask_id"].(string)
	check("a pending call", read(), "ask pending "+id)
	a.want("POST", asksPath+"/"+id, `{"answer": "deny"}`, 200)
	for range 2 {
		check("a denied call", read(), "deny deny <nil>")
	}
}
