package httpd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"mirage/client"
)

const shellPath = "/v1/workspaces/demo/shell"

func (a *api) client() *client.Client {
	return &client.Client{URL: a.URL, Token: secret, HTTP: a.Client()}
}

func TestShell(t *testing.T) {
	a := withDemo(t)
	for _, c := range []struct {
		body        string
		code        float64
		out, errout string
	}{
		{`{"command": "echo out; echo err >&2; exit 3"}`, 3, "out\n", "err\n"},
		{`{"command": "cat"}`, 0, "", ""},
		{`{"command": "cd /tmp; x=1"}`, 0, "", ""},
		{`{"command": "echo $PWD $x"}`, 0, "/tmp 1\n", ""},
		{`{"command": "echo $PWD $y; x=2", "cwd": "/", "env": {"y": "2"}}`, 0, "/ 2\n", ""},
		{`{"command": "echo $PWD $x $y"}`, 0, "/tmp 1\n", ""},
		{`{"command": "if"}`, 2, "", "mirage: syntax error near 'if'\n"},
		{`{"command": ""}`, 2, "", ""}, // as bash: nothing was run, $? stays
	} {
		got := a.want("POST", shellPath, c.body, 200)
		if got["exit_code"] != c.code || got["stdout"] != c.out || got["stderr"] != c.errout || got["kind"] != "io" {
			t.Errorf("%s: %v", c.body, got)
		}
	}
	if got := a.want("POST", shellPath, `{"command": "printf '\\377'"}`, 200); got["stdout"] != "\uFFFD" || got["stdout_base64"] != "/w==" {
		t.Errorf("bytes: %v", got)
	}
	for body, status := range map[string]int{
		``: 400, `{}`: 400, `{"command": 1}`: 400, `{"command": "x", "session_id": "s"}`: 400, `{"command": "x", "runtime": "nosuch"}`: 500,
	} {
		a.want("POST", shellPath, body, status)
	}
	a.want("POST", shellPath+"?session_id=nosuch", `{"command": "true"}`, 404)
	a.want("POST", shellPath+"?stream=true&background=true", `{"command": "true"}`, 400)
}

func TestBackgroundAndJobs(t *testing.T) {
	a := withDemo(t)
	id := fmt.Sprint(a.want("POST", shellPath+"?background=true", `{"command": "echo hi; exit 4"}`, 202)["job_id"])
	job := a.want("POST", "/v1/jobs/"+id+"/wait", `{}`, 200)
	if res, _ := job["result"].(map[string]any); job["status"] != "done" || res["exit_code"] != 4.0 || res["stdout"] != "hi\n" {
		t.Errorf("job: %v", job)
	}
	id = fmt.Sprint(a.want("POST", shellPath+"?background=true", `{"command": "sleep 1000"}`, 202)["job_id"])
	if job := a.want("POST", "/v1/jobs/"+id+"/wait", `{"timeout_s": 0}`, 200); job["finished_at"] != nil {
		t.Errorf("a sleeping job has ended: %v", job)
	}
	if got := a.want("DELETE", "/v1/jobs/"+id, "", 200); got["canceled"] != true {
		t.Errorf("cancel: %v", got)
	}
	if job := a.want("POST", "/v1/jobs/"+id+"/wait", ``, 200); job["status"] != "canceled" {
		t.Errorf("canceled job: %v", job)
	}
	if got := a.want("DELETE", "/v1/jobs/"+id, "", 200); got["canceled"] != false {
		t.Errorf("canceled twice: %v", got)
	}
	a.want("GET", "/v1/jobs/nosuch", "", 404)
	a.want("POST", "/v1/jobs/"+id+"/wait", `{"timeout_s": "x"}`, 400)
}

// Whatever a line leaves unread, its output and status arrive whole.
func TestStreamArrivesWhole(t *testing.T) {
	a := withDemo(t)
	for name, stdin := range map[string]string{"no": "", "little": "x\n", "much": strings.Repeat("unread", 2<<20)} {
		for i := range 60 {
			var out, errout bytes.Buffer
			last, err := a.client().Stream(t.Context(), "demo", "", client.ShellRequest{Command: "echo ok; echo no >&2; exit 7"}, strings.NewReader(stdin), &out, &errout)
			if err != nil || last.Result == nil || last.Result.ExitCode != 7 || out.String() != "ok\n" || errout.String() != "no\n" {
				t.Fatalf("%s input, round %d: %v %+v %q %q", name, i, err, last, out.String(), errout.String())
			}
		}
	}
	var out bytes.Buffer
	in := strings.Repeat("0123456789", 300_000)
	if _, err := a.client().Stream(t.Context(), "demo", "", client.ShellRequest{Command: "cat"}, strings.NewReader(in), &out, io.Discard); err != nil || out.String() != in {
		t.Errorf("cat: %v, %d bytes", err, out.Len())
	}
}

// The line starts before its input has come, and a client that leaves takes it
// along.
func TestStreamIsLive(t *testing.T) {
	a := withDemo(t)
	ctx, cancel := context.WithCancel(t.Context())
	pr, pw := io.Pipe()
	defer pw.Close()
	heard := make(chan string, 1)
	done := make(chan error, 1)
	go func() {
		_, err := a.client().Stream(ctx, "demo", "", client.ShellRequest{Command: "read x; echo got $x; sleep 1000"}, pr, sender(heard), io.Discard)
		done <- err
	}()
	if _, err := pw.Write([]byte("one\n")); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; got != "got one\n" {
		t.Errorf("heard %q", got)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the stream ended with %v", err)
	}
	for range 200 {
		_, text := a.text("GET", "/v1/jobs", "application/json", nil)
		var jobs []client.Job
		if err := json.Unmarshal(text, &jobs); err != nil {
			t.Fatal(err)
		}
		if jobs[0].Status == "canceled" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the line of a client that left goes on")
}

type sender chan string

func (s sender) Write(p []byte) (int, error) {
	s <- string(p)
	return len(p), nil
}

// form makes a multipart body of "name=text" parts; without the closing
// boundary when cut is set.
func form(t *testing.T, cut bool, parts ...string) (kind string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		name, text, _ := strings.Cut(p, "=")
		if err := w.WriteField(name, text); err != nil {
			t.Fatal(err)
		}
	}
	if !cut {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return w.FormDataContentType(), b.Bytes()
}

func TestMultipart(t *testing.T) {
	a := withDemo(t)
	const request = `request={"command": "cat; echo end"}`
	for _, c := range []struct {
		cut    bool
		parts  []string
		status int
		want   string
	}{
		{false, []string{request, "stdin=data\n"}, 200, `"stdout":"data\nend\n"`},
		{false, []string{request}, 200, `"stdout":"end\n"`},
		{false, []string{`request={"command": "true"}`, "stdin=" + strings.Repeat("x", 3<<20)}, 200, `"exit_code":0`},
		{false, []string{"stdin=x", request}, 400, "the 'request' part must come before 'stdin'"},
		{false, []string{"other=x"}, 400, "multipart body missing 'request' part"},
		{false, nil, 400, ""},
		{false, []string{`request={"command": 1}`, "stdin="}, 400, "bad request part: "},
		{false, []string{request, "stdin=x", "more=y"}, 400, "bad multipart body"},
		{true, []string{request, "stdin=data\n"}, 400, "multipart body ended early"},
		{false, []string{"request=" + strings.Repeat(" ", maxRequestPart+1)}, 413, "request part too large"},
	} {
		kind, body := form(t, c.cut, c.parts...)
		status, text := a.text("POST", shellPath, kind, bytes.NewReader(body))
		if status != c.status || !strings.Contains(string(text), c.want) {
			t.Errorf("%.60q: %d %.200s, want %d %q", c.parts, status, text, c.status, c.want)
		}
	}
	if status, text := a.text("POST", shellPath, "multipart/form-data", strings.NewReader("x")); status != http.StatusBadRequest {
		t.Errorf("no boundary: %d %s", status, text)
	}
	kind, body := form(t, false, request, "stdin=later\n")
	status, text := a.text("POST", shellPath+"?background=true", kind, bytes.NewReader(body))
	var accepted client.Accepted
	if err := json.Unmarshal(text, &accepted); err != nil || status != 202 {
		t.Fatalf("background: %d %s", status, text)
	}
	job := a.want("POST", "/v1/jobs/"+accepted.JobID+"/wait", "", 200)
	if res, _ := job["result"].(map[string]any); res["stdout"] != "later\nend\n" {
		t.Errorf("background: %v", job)
	}
}

func TestRefusalTravels(t *testing.T) {
	a := newAPI(t)
	a.want("POST", "/v1/workspaces", `{"id": "demo", "config": {"mounts": {"/": {"vfs": "ram"}}, "profiles": {"default": {"commands": {"deny": [{"reason": "no", "commands": ["rm"]}]}}}}}`, 201)
	got := a.want("POST", shellPath, `{"command": "echo x; rm /f"}`, 200)
	ref, _ := got["refusal"].(map[string]any)
	if got["exit_code"] != 126.0 || got["stdout"] != "" || ref["reason"] != "no" || ref["kind"] != "deny" || ref["scope"] != "command" {
		t.Errorf("%v", got)
	}
}

// TestLimitedLines looks at what results say of limits and budgets.
func TestLimitedLines(t *testing.T) {
	a := newAPI(t)
	a.want("POST", "/v1/workspaces", `{"id": "demo", "config": {"mounts": {"/": {"vfs": "ram"}},
		"command_limits": {"seq": {"max_lines": 2}, "sleep": {"timeout_seconds": 0.01}},
		"profiles": {"none": {"budget": {"lines_per_minute": 0}}}}}`, 201)
	a.want("POST", "/v1/workspaces/demo/sessions", `{"session_id": "none", "profile": "none"}`, 201)
	for _, tc := range []struct {
		line            string
		truncated, late bool
		status          float64
	}{
		{"seq 3", true, false, 0}, {"sleep 1000", false, true, 124}, {"seq 2", false, false, 0},
	} {
		_, res := a.call("POST", "/v1/workspaces/demo/shell", `{"command": "`+tc.line+`"}`)
		if (res["truncated"] == true) != tc.truncated || (res["timed_out"] == true) != tc.late || res["exit_code"] != tc.status {
			t.Errorf("%s: %v", tc.line, res)
		}
	}
	status, res := a.call("POST", "/v1/workspaces/demo/shell?session_id=none", `{"command": "true"}`)
	if status != 429 || res["detail"] != "too many lines: the session may run 0 a minute" || res["code"] != "too_many_lines" {
		t.Errorf("%d %v", status, res)
	}
}
