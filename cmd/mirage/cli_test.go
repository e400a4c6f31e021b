package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mirage/internal/settings"
)

// cli runs commands against a server of its own.
type cli struct {
	t    *testing.T
	vars map[string]string
}

func newCLI(t *testing.T) *cli {
	t.Helper()
	c := &cli{t, map[string]string{"MIRAGE_HOME": t.TempDir(), "MIRAGE_AUTH_TOKEN": "cli-token"}}
	o, err := readServer(env{stderr: &bytes.Buffer{}, getenv: c.getenv}, "127.0.0.1:0", "", discard())
	if err != nil {
		t.Fatal(err)
	}
	s, err := startServer(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	c.vars["MIRAGE_URL"] = "http://" + s.http.Addr().String()
	return c
}

func (c *cli) getenv(name string) string { return c.vars[name] }

// run runs one command and answers its streams and status.
func (c *cli) run(stdin string, args ...string) (stdout, stderr string, status int) {
	c.t.Helper()
	var out, err bytes.Buffer
	status = run(c.t.Context(), args, env{
		stdin: strings.NewReader(stdin), stdout: &out, stderr: &err, getenv: c.getenv,
		terminal: func(any) bool { return false },
	})
	return out.String(), err.String(), status
}

func (c *cli) want(status int, stdin string, args ...string) (stdout, stderr string) {
	c.t.Helper()
	stdout, stderr, got := c.run(stdin, args...)
	if got != status {
		c.t.Errorf("mirage %q: status %d, want %d\n%s%s", args, got, status, stdout, stderr)
	}
	return stdout, stderr
}

const ramConfig = "mounts:\n  /:\n    vfs: ram\n"

func TestCLI(t *testing.T) {
	c := newCLI(t)
	c.want(0, ramConfig, "workspace", "create", "-", "--id", "demo")
	c.want(0, ramConfig, "workspace", "create", "-", "--id", "demo")
	if out, _ := c.want(0, "", "workspace", "list"); !strings.Contains(out, `"id": "demo"`) {
		t.Errorf("list: %s", out)
	}
	if _, err := c.want(2, "", "workspace", "get", "nosuch"); err != "daemon error 404: workspace not found\n" {
		t.Errorf("get: %q", err)
	}
	c.want(0, "hello", "vfs", "write", "/f", "-w", "demo")
	c.want(0, "", "vfs", "append", "/f", "--data", "!", "--workspace_id", "demo")
	if out, _ := c.want(0, "", "vfs", "read", "/f", "-w", "demo"); out != "hello!" {
		t.Errorf("read: %q", out)
	}
	if out, _ := c.want(0, "", "vfs", "readdir", "/", "-w", "demo"); out != "/f\n" {
		t.Errorf("readdir: %q", out)
	}
	if out, _ := c.want(0, "", "vfs", "is-dir", "/", "-w", "demo"); out != "true\n" {
		t.Errorf("is-dir: %q", out)
	}
	c.want(0, "", "vfs", "setattr", "/f", "--mode", "600", "-w", "demo")
	if out, _ := c.want(0, "", "vfs", "stat", "/f", "-w", "demo"); !strings.Contains(out, `"mode": 384`) {
		t.Errorf("stat: %q", out)
	}
	if _, err := c.want(1, "", "vfs", "read", "/nosuch", "-w", "demo"); err != "No such file or directory (ENOENT)\n" {
		t.Errorf("missing file: %q", err)
	}
	if out, _ := c.want(0, "", "session", "create", "demo", "--id", "s", "-m", "/:read"); !strings.Contains(out, `"session_id": "s"`) {
		t.Errorf("session: %q", out)
	}
	c.want(1, "", "vfs", "mkdir", "/d", "-w", "demo", "-s", "s")
	c.want(0, "", "session", "delete", "demo", "s")
	c.want(0, "", "job", "list")
	c.want(2, "", "job", "get", "nosuch")
	c.want(0, "", "workspace", "delete", "demo")
}

func TestShellCommand(t *testing.T) {
	c := newCLI(t)
	c.want(0, ramConfig, "workspace", "create", "-", "--id", "demo")
	for _, tc := range []struct {
		stdin  string
		args   []string
		out    string
		err    string
		status int
	}{
		{"", []string{"-c", "echo out; echo err >&2; exit 3"}, "out\n", "err\n", 3},
		{"a\nb\n", []string{"-c", "wc -l"}, "2\n", "", 0},
		{"", []string{"-c", "echo $X $PWD", "--env", "X=1", "--cwd", "/tmp"}, "1 /tmp\n", "", 0},
		{"", []string{"-c", "echo [$X] $PWD"}, "[] /\n", "", 0},
		{"", []string{"-c", "printf '\\377'"}, "\xff", "", 0},
	} {
		out, err := c.want(tc.status, tc.stdin, append([]string{"shell", "-w", "demo"}, tc.args...)...)
		if out != tc.out || err != tc.err {
			t.Errorf("%q: %q %q, want %q %q", tc.args, out, err, tc.out, tc.err)
		}
	}
	out, _ := c.want(4, "", "shell", "-w", "demo", "--json", "-c", "echo hi; exit 4")
	var res struct {
		Stdout   string
		ExitCode int `json:"exit_code"`
	}
	if err := json.Unmarshal([]byte(out), &res); err != nil || res.Stdout != "hi\n" || res.ExitCode != 4 {
		t.Errorf("--json: %v %s", err, out)
	}
	out, _ = c.want(0, "", "shell", "-w", "demo", "--bg", "-c", "exit 5")
	var job struct {
		ID string `json:"job_id"`
	}
	if err := json.Unmarshal([]byte(out), &job); err != nil {
		t.Fatal(err)
	}
	c.want(5, "", "job", "wait", job.ID)
	c.want(5, "", "job", "get", job.ID)
}

func TestShellInterrupt(t *testing.T) {
	c := newCLI(t)
	c.want(0, ramConfig, "workspace", "create", "-", "--id", "demo")
	ctx, cancel := context.WithCancel(t.Context())
	// The line tells when it runs; then the user presses Ctrl-C.
	out := &trigger{on: "started", do: cancel}
	status := run(ctx, []string{"shell", "-w", "demo", "-c", "echo started; sleep 1000"}, env{
		stdin: strings.NewReader(""), stdout: out, stderr: &bytes.Buffer{}, getenv: c.getenv, terminal: func(any) bool { return false },
	})
	if status != statusInterrupted {
		t.Errorf("status %d, want %d", status, statusInterrupted)
	}
}

// trigger does something once a text has been written.
type trigger struct {
	bytes.Buffer
	on string
	do func()
}

func (w *trigger) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if strings.Contains(w.String(), w.on) {
		w.do()
	}
	return n, err
}

func TestUsage(t *testing.T) {
	c := &cli{t, map[string]string{"MIRAGE_HOME": t.TempDir(), "MIRAGE_URL": "http://127.0.0.1:1"}}
	for _, tc := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--help"}, 0, "mirage serves workspaces as SSH logins"},
		{[]string{"nosuch"}, 2, "unknown command 'nosuch'"},
		{[]string{"workspace", "nosuch"}, 2, "unknown command 'nosuch' for 'mirage workspace'"},
		{[]string{"serv"}, 2, "unknown command 'serv' for 'mirage'; did you mean 'serve'?\n"},
		{[]string{"workspace", "lis"}, 2, "did you mean 'list' or 'list-asks'?\n"},
		{[]string{"workspace", "get"}, 2, "missing operand: ID\nTry 'mirage workspace get --help'"},
		{[]string{"config", "set", "port"}, 2, "missing operand: VALUE\n"},
		{[]string{"serve", "x"}, 2, "extra operand 'x'\n"},
		{[]string{"shell", "-w", "a", "-c", "ls", "-l", "x"}, 2, "unknown shorthand flag"},
		{[]string{"shell", "-w", "a", "-c", "ls", "x"}, 2, "extra operand 'x'\n"},
		{[]string{"policy", "lint"}, 2, "missing operand: CONFIG\n"},
		{[]string{"config", "--help"}, 0, "\n  ssh_port\n      SSH port; unset = no SSH\n"},
		{[]string{"shell", "-c", "x"}, 2, `required flag(s) "workspace" not set`},
		{[]string{"workspace", "list", "--nosuch"}, 2, "unknown flag: --nosuch"},
		{[]string{"workspace", "list"}, 1, "no server answers at http://127.0.0.1:1; start one with `mirage serve`"},
		{[]string{"serve", "--http", "nonsense"}, 2, "--http takes HOST:PORT"},
		{[]string{"serve", "--http", "127.0.0.1:99999"}, 2, "the port must be between 0 and 65535"},
		{[]string{"config", "get", "port"}, 1, "port is not set"},
		{[]string{"config", "get", "nosuch"}, 2, "unknown config key: 'nosuch'"},
		{[]string{"config", "set", "nosuch", "1"}, 2, "unknown config key"},
		{[]string{"workspace", "create", "/nosuch.yaml"}, 2, "no such file"},
		{[]string{"vfs", "read", "f", "-w", "x"}, 2, "path must begin with /, got 'f'"},
		{[]string{"vfs", "rename", "/f", "g", "-w", "x"}, 2, "dst must begin with /, got 'g'"},
		{[]string{"vfs", "setattr", "/", "--mode", "9", "-w", "x"}, 2, "octal mode"},
	} {
		out, err := c.want(tc.status, "", tc.args...)
		if !strings.Contains(out+err, tc.want) {
			t.Errorf("mirage %q: %q, want %q", tc.args, out+err, tc.want)
		}
	}
	c.want(0, "", "config", "set", "port", "1234")
	if out, _ := c.want(0, "", "config", "get", "port"); out != "1234\n" {
		t.Errorf("config get: %q", out)
	}
	c.want(0, "", "config", "set", "auth_token", "hush")
	if out, _ := c.want(0, "", "config", "list"); strings.Contains(out, "hush") || !strings.Contains(out, "***") {
		t.Errorf("config list shows the token: %q", out)
	}
}

// A flag without a word of help, or an alias that is the name, is a slip.
func TestHelpIsComplete(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" {
			t.Errorf("%s: no help", c.CommandPath())
		}
		if slices.Contains(c.Aliases, c.Name()) {
			t.Errorf("%s: an alias of itself", c.CommandPath())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s: no help", c.CommandPath(), f.Name)
			}
			if strings.Contains(f.Name, "_") {
				t.Errorf("%s --%s: flags are spelt with dashes", c.CommandPath(), f.Name)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(env{}))
}

func TestRefusedToken(t *testing.T) {
	c := newCLI(t)
	token, home := c.vars["MIRAGE_AUTH_TOKEN"], c.vars["MIRAGE_HOME"]
	for _, tc := range []struct {
		vars map[string]string
		want string
	}{
		{map[string]string{"MIRAGE_AUTH_TOKEN": "wrong"}, "the server refuses the auth_token of env MIRAGE_AUTH_TOKEN"},
		{map[string]string{"MIRAGE_AUTH_TOKEN": token, "MIRAGE_TOKEN": "wrong"}, "the server refuses the token of env MIRAGE_TOKEN"},
		{nil, "the server refuses the token of " + home + "/auth_token; is MIRAGE_HOME the server's?"},
	} {
		vars := map[string]string{"MIRAGE_HOME": home, "MIRAGE_URL": c.vars["MIRAGE_URL"]}
		maps.Copy(vars, tc.vars)
		_, err := (&cli{t, vars}).want(2, "", "workspace", "list")
		if want := "daemon error 401: Unauthorized\nmirage: " + tc.want + "\n"; err != want {
			t.Errorf("%v: %q, want %q", tc.vars, err, want)
		}
	}
}

func TestConfigVariables(t *testing.T) {
	e := env{stdin: strings.NewReader("mounts:\n  /:\n    vfs: disk\n    config: {root: '${ROOT}/x'}\n"), getenv: func(n string) string {
		return map[string]string{"ROOT": "/tmp"}[n]
	}}
	out, err := readConfig(e, "-")
	if err != nil || !strings.Contains(string(out), `"/tmp/x"`) {
		t.Errorf("%s, %v", out, err)
	}
	e.stdin = strings.NewReader("a: ${B}\nc: ['${A}', '${B}']\n")
	if _, err := readConfig(e, "-"); err == nil || err.Error() != "missing environment variables: ['A', 'B']" {
		t.Errorf("missing variables: %v", err)
	}
}

func TestServerLeavesNothingBehind(t *testing.T) {
	home := t.TempDir()
	getenv := func(n string) string { return map[string]string{"MIRAGE_HOME": home}[n] }
	s, err := settings.Load(getenv)
	if err != nil {
		t.Fatal(err)
	}
	// The second listener fails: the first must be closed, the state not made.
	o := serverOptions{settings: s, getenv: getenv, http: "127.0.0.1:0", ssh: "203.0.113.1:1", log: discard()}
	srv, err := startServer(t.Context(), o)
	if err == nil {
		t.Fatal("started on an address that is not ours")
	}
	if _, err := srv.http.Accept(); err == nil {
		t.Error("the HTTP listener is still open")
	}
	if _, err := os.Stat(filepath.Join(home, "state")); err == nil {
		t.Error("a failed start made a state folder")
	}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
