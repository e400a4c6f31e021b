package e2e

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// askedConfig has two profiles with questions; what they protect is on a disk,
// so that it outlives the server.
const askedConfig = `{"mounts": {"/": {"vfs": "disk", "config": {"root": %q}}}, "profile": "guarded", "profiles": {"open": {}, "guarded": {"commands": {"ask": [
	{"reason": "removal needs sign-off", "commands": ["rm"]},
	{"reason": "keys are asked for", "paths": ["/keys/*"]}]}}}}`

func startAsked(t *testing.T, env ...string) *server {
	t.Helper()
	need(t, "ssh", "ssh-keygen", "sftp")
	s := newServer(t)
	s.makeKey("id", "")
	s.serve(env...)
	s.create("demo", fmt.Sprintf(askedConfig, t.TempDir()))
	if _, text := s.api("POST", "/v1/workspaces/demo/sessions", `{"session_id": "agent"}`); !strings.Contains(text, "agent") {
		t.Fatal(text)
	}
	if _, text := s.api("POST", "/v1/workspaces/demo/sessions", `{"session_id": "root", "profile": "open"}`); !strings.Contains(text, "root") {
		t.Fatal(text)
	}
	s.must("", binary, "shell", "-w", "demo", "-s", "root", "-c", "mkdir /keys; echo secret > /keys/k; touch /a /b /c")
	return s
}

// asks lists what waits, by the CLI.
func (s *server) asks(args ...string) []map[string]any {
	s.t.Helper()
	var list []map[string]any
	text := s.must("", binary, append([]string{"workspace", "list-asks", "demo"}, args...)...)
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		s.t.Fatal(err, text)
	}
	return list
}

// onlyAsk answers the id of the one question that waits.
func (s *server) onlyAsk(command string) string {
	s.t.Helper()
	list := s.asks()
	if len(list) != 1 || list[0]["command"] != command || list[0]["outcome"] != nil {
		s.t.Fatalf("questions: %v, want one about %q", list, command)
	}
	return list[0]["id"].(string)
}

// until waits for what the server does by itself.
func (s *server) until(what string, done func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("it never came to this: ", what)
		}
	}
}

// A command is refused, asked for, allowed, and runs once; also over a kill -9
// of the server at any point.
func TestAskOnTheCommandLine(t *testing.T) {
	s := startAsked(t)
	rm := func() result {
		return s.mirage("shell", "-w", "demo", "-s", "agent", "-c", "echo begun; rm /a && echo gone")
	}
	crash := func() {
		s.kill()
		s.serve()
	}
	refused := func(what string) string {
		t.Helper()
		r := rm()
		id := s.onlyAsk("rm /a")
		want := result{"", "rm: Permission denied\nrequires approval: removal needs sign-off (ask " + id + ")\n", 126}
		same(t, what, r.String(), want.String())
		return id
	}
	id := refused("the first try")
	crash()
	same(t, "after a crash", refused("the first try again"), id)
	var answered map[string]any
	text := s.must("", binary, "workspace", "allow", "demo", id, "--note", "reviewed")
	if err := json.Unmarshal([]byte(text), &answered); err != nil || answered["id"] != id || answered["outcome"] != "allow" || answered["scope"] != "once" || answered["note"] != "reviewed" {
		t.Errorf("allow: %s", text)
	}
	crash()
	same(t, "the retry", rm().String(), result{"begun\ngone\n", "", 0}.String())
	crash()
	s.must("", binary, "shell", "-w", "demo", "-s", "root", "-c", "touch /a")
	id = refused("the second retry")
	s.must("", binary, "workspace", "deny", "demo", id)
	same(t, "denied", rm().String(), result{"", "rm: Permission denied\npolicy denied: removal needs sign-off\n", 126}.String())
	id = refused("asks anew")
	s.must("", binary, "workspace", "allow", "demo", id, "--scope", "session")
	same(t, "allowed for the session", rm().String(), result{"begun\ngone\n", "", 0}.String())
	same(t, "whatever it is", s.mirage("shell", "-w", "demo", "-s", "agent", "-c", "rm /b; rm /c; ls /").String(), result{"keys\n", "", 0}.String())
	r := s.mirage("workspace", "allow", "demo", id)
	same(t, "answered before", r.String(), result{"", "daemon error 409: ask already answered: " + id + "\n", 2}.String())
	r = s.mirage("workspace", "deny", "demo", "0123456789ab")
	same(t, "never asked", r.String(), result{"", "daemon error 404: ask not found\n", 2}.String())
	if list := s.asks("--session", "agent", "--all"); len(list) != 3 || list[0]["note"] != "reviewed" || list[1]["outcome"] != "deny" || list[2]["scope"] != "session" {
		t.Errorf("all: %v", list)
	}
	same(t, "another session", s.mirage("workspace", "list-asks", "demo", "--session", "nosuch").String(), result{"", "daemon error 404: session not found\n", 2}.String())
}

// In one SSH channel: refused, allowed meanwhile, done, asked again. The
// questions of a channel go with it.
func TestAskOverSSH(t *testing.T) {
	s := startAsked(t)
	c := exec.Command("ssh", "-F", s.path("ssh_config"), "demo")
	c.Env = s.environ()
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	lines := bufio.NewScanner(stdout)
	run := func(line, want string) {
		t.Helper()
		if _, err := io.WriteString(stdin, line+"\necho status $?\n"); err != nil {
			t.Fatal(err)
		}
		var got []string
		for lines.Scan() {
			got = append(got, lines.Text())
			if strings.HasPrefix(lines.Text(), "status ") {
				break
			}
		}
		same(t, line, strings.Join(got, "\n"), want)
	}
	run("rm /a", "status 126")
	id := s.onlyAsk("rm /a")
	s.must("", binary, "workspace", "allow", "demo", id)
	run("rm /a; ls /", "b\nc\nkeys\nstatus 0")
	run("touch /a; rm /a", "status 126")
	if again := s.onlyAsk("rm /a"); again != id {
		t.Errorf("the second question is %s, the first was %s", again, id)
	}
	stdin.Close()
	_ = c.Wait()
	want := "rm: Permission denied\nrequires approval: removal needs sign-off (ask " + id + ")\n"
	same(t, "stderr", stderr.String(), want+want)
	s.until("its questions are gone", func() bool { return len(s.asks("--all")) == 0 })
}

// With ask_wait a line waits, whoever sends it; people hear of it at once.
func TestAskWait(t *testing.T) {
	type delivery struct{ event, signature, body string }
	hooks := make(chan delivery, 16)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		hooks <- delivery{r.Header.Get("X-Mirage-Event"), r.Header.Get("X-Mirage-Signature"), string(body)}
	}))
	defer hook.Close()
	s := startAsked(t, "MIRAGE_ASK_WAIT=10m", "MIRAGE_ASK_WEBHOOK="+hook.URL, "MIRAGE_ASK_WEBHOOK_SECRET=shared")

	req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/v1/asks/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	stream := bufio.NewScanner(res.Body)
	event := func(name string) map[string]any {
		t.Helper()
		got := ""
		for stream.Scan() {
			if e, ok := strings.CutPrefix(stream.Text(), "event: "); ok {
				got = e
			}
			if data, ok := strings.CutPrefix(stream.Text(), "data: "); ok {
				var out map[string]any
				if err := json.Unmarshal([]byte(data), &out); err != nil || got != name || out["event"] != name || out["workspace_id"] != "demo" {
					t.Fatalf("event %s, want %s: %v %s", got, name, err, data)
				}
				return out["ask"].(map[string]any)
			}
		}
		t.Fatal("the stream ended: ", stream.Err())
		return nil
	}

	done := make(chan result, 1)
	go func() { done <- s.line("", "rm /a && echo gone") }()
	asked := event("ask")
	if asked["command"] != "rm /a" || asked["outcome"] != nil || !strings.HasPrefix(asked["session_id"].(string), "ssh_") {
		t.Errorf("%v", asked)
	}
	id := asked["id"].(string)
	s.must("", binary, "workspace", "allow", "demo", id)
	if a := event("answer"); a["id"] != id || a["outcome"] != "allow" {
		t.Errorf("%v", a)
	}
	same(t, "the line", (<-done).String(), result{"gone\n", "", 0}.String())
	for _, want := range []string{"ask", "answer"} {
		d := <-hooks
		mac := hmac.New(sha256.New, []byte("shared"))
		mac.Write([]byte(d.body))
		if d.event != want || d.signature != "sha256="+hex.EncodeToString(mac.Sum(nil)) || !strings.Contains(d.body, id) {
			t.Errorf("webhook: %+v", d)
		}
	}
	// A client that leaves ends the waiting, and its session.
	c := exec.Command("ssh", "-F", s.path("ssh_config"), "demo", "rm /b")
	c.Env = s.environ()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	left := event("ask")["id"]
	_ = c.Process.Kill()
	_ = c.Wait()
	s.until(fmt.Sprint("the question ", left, " is gone"), func() bool { return len(s.asks()) == 0 })
	// A call may say how long; 0 is not at all.
	status, text := s.api("POST", "/v1/workspaces/demo/shell?session_id=agent", `{"command": "rm /b", "ask_wait_ms": 0}`)
	if status != 200 || !strings.Contains(text, `"kind":"pending"`) || !strings.Contains(text, `"exit_code":126`) {
		t.Errorf("%d %s", status, text)
	}
	// The server stops at once, streams and all; the test's end looks.
}

// Files are asked for too: by SFTP and by VFS calls, once a call.
func TestAskForFiles(t *testing.T) {
	s := startAsked(t)
	read := func() (int, string) {
		return s.api("POST", "/v1/workspaces/demo/vfs/read?session_id=agent", `{"path": "/keys/k", "offset": 0, "size": 100}`)
	}
	status, text := read()
	list := s.asks()
	if len(list) != 1 || list[0]["command"] != "" || list[0]["cwd"] != "" || fmt.Sprint(list[0]["argv"]) != "[/keys/k]" {
		t.Fatalf("%d %s: %v", status, text, list)
	}
	id := list[0]["id"].(string)
	var failed struct {
		Detail, Errno string
		Refusal       map[string]any
	}
	if err := json.Unmarshal([]byte(text), &failed); err != nil || status != 403 || failed.Errno != "EACCES" || failed.Refusal["kind"] != "pending" || failed.Refusal["ask_id"] != id {
		t.Errorf("%d %s", status, text)
	}
	s.must("", binary, "workspace", "allow", "demo", id)
	if status, text := read(); status != 200 {
		t.Errorf("allowed: %d %s", status, text)
	}
	if status, _ := read(); status != 403 {
		t.Errorf("again: %d", status)
	}
	r := s.mirage("vfs", "cat", "/keys/k", "-w", "demo", "-s", "agent")
	same(t, "CLI", r.String(), result{"", "Permission denied (EACCES)\nrequires approval: keys are asked for (ask " + id + ")\n", 1}.String())
	s.must("", binary, "workspace", "deny", "demo", id)
	r = s.mirage("vfs", "cat", "/keys/k", "-w", "demo", "-s", "agent")
	same(t, "CLI", r.String(), result{"", "Permission denied (EACCES)\npolicy denied: keys are asked for\n", 1}.String())

	// Lines ask with their words.
	r = s.mirage("shell", "-w", "demo", "-s", "agent", "-c", "cat /keys/k")
	if r.status != 126 {
		t.Errorf("%v", r)
	}
	s.must("", binary, "workspace", "allow", "demo", s.onlyAsk("cat /keys/k"))
	same(t, "cat", s.mirage("shell", "-w", "demo", "-s", "agent", "-c", "cat /keys/k").String(), result{"secret\n", "", 0}.String())
	// What a walk meets fails by itself.
	r = s.mirage("shell", "-w", "demo", "-s", "agent", "-c", "grep -r e /")
	same(t, "grep", r.String(), result{"", "grep: /keys/k: Permission denied\n", 2}.String())
	if list := s.asks(); len(list) != 0 {
		t.Errorf("a walk asked: %v", list)
	}
}

// SFTP asks at the request that opens a file; the questions are those of its
// channel.
func TestAskOverSFTP(t *testing.T) {
	s := startAsked(t)
	c := exec.Command("sftp", "-q", "-F", s.path("ssh_config"), "-b", "-", "demo")
	c.Env, c.Dir = s.environ(), s.home
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	send := func(line string) {
		t.Helper()
		if _, err := io.WriteString(stdin, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	waits := func(path string) string {
		t.Helper()
		id := ""
		s.until("a question about "+path, func() bool {
			for _, a := range s.asks() {
				if fmt.Sprint(a["argv"]) == "["+path+"]" {
					id = a["id"].(string)
				}
			}
			return id != ""
		})
		return id
	}
	send("ls /keys\n-get /keys/k got")
	s.must("", binary, "workspace", "allow", "demo", waits("/keys/k"))
	send("get /keys/k got")
	send("-get /keys/k again")
	waits("/keys/k")
	send("-put got /keys/new")
	s.must("", binary, "workspace", "allow", "demo", waits("/keys/new"))
	send("put got /keys/new")
	stdin.Close()
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, out.String())
	}
	if got := readFile(t, s.path("got")); got != "secret\n" {
		t.Errorf("got %q", got)
	}
	if got := strings.Count(out.String(), "Permission denied"); got != 3 {
		t.Errorf("%d refusals:\n%s", got, out.String())
	}
	same(t, "put", s.must("", binary, "shell", "-w", "demo", "-s", "root", "-c", "cat /keys/new; ls /keys"), "secret\nk\nnew\n")
}
