// Package e2e drives the built program with the clients that people use: ssh,
// sftp, scp, sshfs, curl, and its own CLI.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "mirage-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "mirage")
	build := exec.Command("go", "build", "-o", binary, "mirage/cmd/mirage")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e: the program does not build:", err)
		return 1
	}
	return m.Run()
}

// need skips a test whose tools are missing; with MIRAGE_REQUIRE_TOOLS=1 that
// is a failure.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
			t.Fatalf("%s is not installed", tool)
		}
		t.Skipf("%s is not installed", tool)
	}
}

// patience bounds what a client may take; nothing here needs a fraction of it.
const patience = 60 * time.Second

// server is a running `mirage serve` with a home folder of its own.
type server struct {
	t    *testing.T
	home string
	url  string // of the HTTP API
	ssh  string // host:port
	cmd  *exec.Cmd
	log  *bytes.Buffer
	done chan error
}

const token = "e2e-token"

// config is the workspace that most tests use.
const config = `{"mounts": {"/": {"vfs": "ram", "mode": "exec"}}}`

// start runs a server in a fresh home folder, with the workspace "demo" and a
// key that may log in.
func start(t *testing.T) *server {
	t.Helper()
	need(t, "ssh", "ssh-keygen")
	s := newServer(t)
	s.makeKey("id", "")
	s.serve()
	s.create("demo", config)
	return s
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, home: t.TempDir()}
	t.Cleanup(s.stop)
	return s
}

// serve starts the program and waits until it says where it listens.
func (s *server) serve(env ...string) {
	s.t.Helper()
	s.cmd = exec.Command(binary, "serve", "--http", "127.0.0.1:0", "--ssh", "127.0.0.1:0")
	s.cmd.Env = append(s.environ(), env...)
	pipe, err := s.cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.log, s.done = &bytes.Buffer{}, make(chan error, 1)
	ready := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(pipe)
		for lines.Scan() {
			text := lines.Text()
			s.log.WriteString(text + "\n")
			if u, ok := strings.CutPrefix(text, "mirage: HTTP on "); ok {
				s.url = u
			}
			if a, ok := strings.CutPrefix(text, "mirage: SSH on "); ok {
				s.ssh = a
				ready <- true
			}
		}
		_, _ = io.Copy(io.Discard, pipe)
		s.done <- s.cmd.Wait()
		close(ready)
	}()
	select {
	case ok := <-ready:
		if !ok {
			s.t.Fatalf("the server did not start:\n%s", s.log)
		}
	case <-time.After(patience):
		s.t.Fatal("the server did not say where it listens")
	}
	s.writeSSHConfig()
}

func (s *server) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "MIRAGE_HOME=" + s.home, "MIRAGE_AUTH_TOKEN=" + token, "MIRAGE_URL=" + s.url, "LC_ALL=C"}
}

// stop ends the server as an operator does, and checks that it goes in peace.
func (s *server) stop() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = s.cmd.Process.Signal(os.Interrupt)
	select {
	case err := <-s.done:
		if err != nil {
			s.t.Errorf("the server ended with %v:\n%s", err, s.log)
		}
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		s.t.Error("the server did not stop")
	}
	if strings.Contains(s.log.String(), "panic") || strings.Contains(s.log.String(), "DATA RACE") {
		s.t.Errorf("the server's log:\n%s", s.log)
	}
	s.cmd = nil
}

// kill ends the server as a power cut of its process does.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	<-s.done
	s.cmd = nil
}

func (s *server) path(name string) string { return filepath.Join(s.home, name) }

// makeKey makes a key pair and lets it log in under the given options.
func (s *server) makeKey(name, options string) {
	s.t.Helper()
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", s.path(name)).CombinedOutput()
	if err != nil {
		s.t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	s.allow(name, options)
}

func (s *server) allow(name, options string) {
	s.t.Helper()
	pub, err := os.ReadFile(s.path(name + ".pub"))
	if err != nil {
		s.t.Fatal(err)
	}
	if options != "" {
		options += " "
	}
	if err := os.MkdirAll(s.path("ssh"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	f, err := os.OpenFile(s.path("ssh/authorized_keys"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = f.WriteString(options + string(pub))
	if err = errors.Join(err, f.Close()); err != nil {
		s.t.Fatal(err)
	}
}

// writeSSHConfig makes `ssh -F config WORKSPACE` log in with the key "id", and
// `ssh -F config KEY+WORKSPACE` with another one.
func (s *server) writeSSHConfig() {
	s.t.Helper()
	_, port, err := net.SplitHostPort(s.ssh)
	if err != nil {
		s.t.Fatal(err)
	}
	// The host key is the server's from its first start on, the port is not.
	_ = os.Remove(s.path("known_hosts"))
	text := fmt.Sprintf(`Host *
  HostName 127.0.0.1
  Port %s
  User demo
  IdentityFile %s
  IdentitiesOnly yes
  IdentityAgent none
  BatchMode yes
  StrictHostKeyChecking accept-new
  UpdateHostKeys no
  UserKnownHostsFile %s
  LogLevel ERROR
`, port, s.path("id"), s.path("known_hosts"))
	if err := os.WriteFile(s.path("ssh_config"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// result is how a client ended.
type result struct {
	stdout, stderr string
	status         int
}

func (r result) String() string {
	return fmt.Sprintf("status %d, stdout %q, stderr %q", r.status, r.stdout, r.stderr)
}

// exec runs a client with the server's environment. It fails the test only
// when the client does not start or does not end.
func (s *server) exec(stdin string, name string, args ...string) result {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Env, c.Dir = s.environ(), s.home
	c.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		s.t.Fatalf("%s %q: %v\n%s", name, args, err, stderr.String())
	}
	return result{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// must runs a client that has to succeed and answers its standard output.
func (s *server) must(stdin string, name string, args ...string) string {
	s.t.Helper()
	r := s.exec(stdin, name, args...)
	if r.status != 0 {
		s.t.Fatalf("%s %q: status %d\n%s%s", name, args, r.status, r.stdout, r.stderr)
	}
	return r.stdout
}

// line runs one line in the workspace demo over ssh.
func (s *server) line(stdin, line string) result {
	s.t.Helper()
	return s.exec(stdin, "ssh", "-F", s.path("ssh_config"), "demo", line)
}

// as is line with another key.
func (s *server) as(key, line string) result {
	s.t.Helper()
	text := strings.ReplaceAll(readFile(s.t, s.path("ssh_config")), s.path("id")+"\n", s.path(key)+"\n")
	if err := os.WriteFile(s.path("ssh_config_"+key), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s.exec("", "ssh", "-F", s.path("ssh_config_"+key), "demo", line)
}

// mirage runs the CLI.
func (s *server) mirage(args ...string) result {
	s.t.Helper()
	return s.exec("", binary, args...)
}

// api does one request of the HTTP API and answers status and body.
func (s *server) api(method, path, body string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

func (s *server) create(id, config string) {
	s.t.Helper()
	status, text := s.api("POST", "/v1/workspaces", fmt.Sprintf(`{"id": %q, "config": %s}`, id, config))
	if status != http.StatusCreated {
		s.t.Fatalf("create %s: %d %s", id, status, text)
	}
}

// shell runs one line over HTTP and answers its result.
func (s *server) shell(workspace, line string) result {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		s.t.Fatal(err)
	}
	status, text := s.api("POST", "/v1/workspaces/"+workspace+"/shell", string(body))
	if status != http.StatusOK {
		s.t.Fatalf("shell %q: %d %s", line, status, text)
	}
	var res struct {
		Stdout   string `json:"stdout"`
		Stderr   string `json:"stderr"`
		ExitCode int    `json:"exit_code"`
	}
	if err := json.Unmarshal([]byte(text), &res); err != nil {
		s.t.Fatal(err)
	}
	return result{res.Stdout, res.Stderr, res.ExitCode}
}

// same compares what a client printed with what it should have.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}
