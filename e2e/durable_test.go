package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// killRounds is how often TestKill kills the server; MIRAGE_KILL_ROUNDS says
// otherwise.
const killRounds = 20

// TestKill kills the server in the middle of writes to a disk mount and of
// changes to a named session, again and again: what was acknowledged is there
// afterwards, and nothing is half-written.
func TestKill(t *testing.T) {
	rounds := killRounds
	if n, err := strconv.Atoi(os.Getenv("MIRAGE_KILL_ROUNDS")); err == nil {
		rounds = n
	}
	s := newServer(t)
	need(t, "ssh-keygen")
	s.makeKey("id", "")
	root := s.path("files")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	s.serve()
	s.create("w", fmt.Sprintf(`{"mounts": {"/": {"vfs": "disk", "config": {"root": %q}}}}`, root))
	if status, text := s.api("POST", "/v1/workspaces/w/sessions", `{"session_id": "s"}`); status != 201 {
		t.Fatalf("session: %d %s", status, text)
	}
	k := &killer{server: s, files: map[string]int{}}
	for round := range rounds {
		k.work(time.Duration(5+rand.IntN(60)) * time.Millisecond)
		s.serve()
		if !k.check() {
			t.Fatalf("round %d", round)
		}
	}
	if k.lines == 0 || len(k.files) == 0 {
		t.Errorf("%d lines and %d files were acknowledged: the test looked at nothing", k.lines, len(k.files))
	}
	s.stop()
}

// killer remembers what the server acknowledged.
type killer struct {
	*server
	lines int // the session counted so far

	mu    sync.Mutex
	files map[string]int // name to version
	tried map[string]int // name to the version sent last
}

// content is what version n of a file holds: its length tells a half-written
// one.
func content(name string, n int) []byte {
	return bytes.Repeat([]byte(fmt.Sprintf("%s:%d\n", name, n)), 1000+n%977)
}

// work keeps the server busy and kills it after a while.
func (k *killer) work(d time.Duration) {
	k.tried = map[string]int{}
	var killed atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !killed.Load() {
			body := fmt.Sprintf(`{"command": "count=%d; cd /; where_%d() { echo $count; }"}`, k.lines+1, k.lines+1)
			if k.try("/v1/workspaces/w/shell?session_id=s", body) {
				k.lines++
			}
		}
	})
	for i := range 3 {
		wg.Go(func() {
			name := fmt.Sprintf("/file-%d", i)
			for !killed.Load() {
				k.mu.Lock()
				version := max(k.files[name], k.tried[name]) + 1
				k.tried[name] = version
				k.mu.Unlock()
				body := fmt.Sprintf(`{"path": %q, "data_base64": %q}`, name, base64.StdEncoding.EncodeToString(content(name, version)))
				if k.try("/v1/workspaces/w/vfs/write", body) {
					k.mu.Lock()
					k.files[name] = version
					k.mu.Unlock()
				}
			}
		})
	}
	time.Sleep(d)
	k.kill()
	killed.Store(true)
	wg.Wait()
}

// try does one request; true when it was acknowledged.
func (k *killer) try(path, body string) bool {
	req, err := http.NewRequest("POST", k.url+path, strings.NewReader(body))
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	var out struct {
		ExitCode *int `json:"exit_code"`
	}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil || res.StatusCode != 200 {
		return false
	}
	return out.ExitCode == nil || *out.ExitCode == 0
}

// check compares what is there with what was acknowledged.
func (k *killer) check() bool {
	k.t.Helper()
	good := true
	fail := func(format string, args ...any) {
		k.t.Helper()
		good = false
		k.t.Errorf(format, args...)
	}
	status, text := k.api("POST", "/v1/workspaces/w/shell?session_id=s", `{"command": "echo ${count:-0}; declare -F | wc -l"}`)
	var res struct{ Stdout string }
	if err := json.Unmarshal([]byte(text), &res); err != nil || status != 200 {
		fail("shell: %d %s", status, text)
		return false
	}
	// One line more than was acknowledged may have been done.
	var count, functions int
	if _, err := fmt.Sscan(res.Stdout, &count, &functions); err != nil || count < k.lines || count > k.lines+1 || functions != count {
		fail("the session counts %d with %d functions, acknowledged were %d (%v)", count, functions, k.lines, err)
	}
	k.lines = count
	for name, tried := range k.tried {
		acked := k.files[name]
		got, err := os.ReadFile(k.path("files") + name)
		switch {
		case err != nil && acked > 0:
			fail("%s: %v", name, err)
		case err == nil:
			version := acked
			for version <= tried && (version == 0 || !bytes.Equal(got, content(name, version))) {
				version++
			}
			if version > tried {
				fail("%s: %d bytes are no version from %d to %d", name, len(got), acked, tried)
			}
			k.files[name] = version
		}
	}
	// Nothing else lies about.
	if r := k.shell("w", "ls -A / | grep -v '^file-[0-2]$'"); r.stdout != "" {
		fail("left over: %q", r.stdout)
	}
	return good
}

// What survives a restart, and what does not.
func TestRestart(t *testing.T) {
	s := newServer(t)
	need(t, "ssh", "ssh-keygen")
	s.makeKey("id", "")
	root := s.path("files")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	s.serve()
	s.create("demo", fmt.Sprintf(`{"mounts": {"/": {"vfs": "ram"}, "/disk": {"vfs": "disk", "config": {"root": %q}}}}`, root))
	s.shell("demo", "mkdir /tmp/d && cd /disk && x=5 && declare -a a=(1 '2 3') && f() { echo f $x; } && set -u && echo kept > file && ln -s file link && echo lost > /ram")
	var job struct {
		ID string `json:"job_id"`
	}
	_, text := s.api("POST", "/v1/workspaces/demo/shell?background=true", `{"command": "sleep 1000"}`)
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		t.Fatal(err)
	}
	hostKey := s.must("", "ssh", "-F", s.path("ssh_config"), "demo", "true") + readFile(t, s.path("known_hosts"))
	s.kill()
	s.serve()
	want := result{"/disk\nf 5\n2 3\nkept\nfile\n", "cat: /ram: No such file or directory\n", 1}
	if got := s.shell("demo", `pwd; f; echo "${a[1]}"; cat link; readlink link; cat /ram`); got != want {
		t.Errorf("after a restart:\n got %v\nwant %v", got, want)
	}
	if got := s.shell("demo", `echo $unset`); got.status == 0 {
		t.Errorf("set -u was forgotten: %v", got)
	}
	if got := s.shell("demo", `history | head -1`); !strings.Contains(got.stdout, "mkdir /tmp/d && cd /disk") {
		t.Errorf("history: %v", got)
	}
	if _, text := s.api("GET", "/v1/jobs/"+job.ID, ""); !strings.Contains(text, `"failed"`) || !strings.Contains(text, "server restarted") {
		t.Errorf("the job that ran: %s", text)
	}
	again := s.must("", "ssh", "-F", s.path("ssh_config"), "demo", "true") + readFile(t, s.path("known_hosts"))
	if keyOf(again) != keyOf(hostKey) {
		t.Errorf("another host key: %q, %q", hostKey, again)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// keyOf is the key of a known_hosts line, without the host.
func keyOf(line string) string {
	fields := strings.Fields(line)
	return fields[len(fields)-1]
}
