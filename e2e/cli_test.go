package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A wrong setting stops the start with one clear line.
func TestServeRefusesSettings(t *testing.T) {
	s := newServer(t)
	for _, c := range []struct {
		config string
		env    string
		args   []string
		want   string
	}{
		{"[daemon]\nnosuch = 1\n", "", nil, "mirage: config.toml: the following [daemon] keys don't match any configuration option: nosuch"},
		{"", "MIRAGE_SSH_PORT=70000", nil, "mirage: ssh_port must be between 1 and 65535, got '70000' (set by env MIRAGE_SSH_PORT)"},
		{"", "MIRAGE_AUTH_MODE=open", nil, "mirage: MIRAGE_AUTH_MODE must be one of (local, token, none), got 'open' (set by env MIRAGE_AUTH_MODE)"},
		{"", "MIRAGE_AUTH_MODE=jwt", nil, "mirage: not supported yet: auth_mode jwt (set by env MIRAGE_AUTH_MODE)"},
		{"", "", []string{"--ssh", "2222"}, "mirage: --ssh takes HOST:PORT, such as 127.0.0.1:2222, got '2222'"},
	} {
		if err := os.WriteFile(s.path("config.toml"), []byte(c.config), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(binary, append([]string{"serve"}, c.args...)...)
		cmd.Env = append(s.environ(), c.env)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if err == nil || cmd.ProcessState.ExitCode() != 2 || stderr.String() != c.want+"\n" {
			t.Errorf("%+v: %v %q", c, err, stderr.String())
		}
	}
	// A host key that cannot be read stops the start too.
	if err := os.WriteFile(s.path("config.toml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path("key"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "serve", "--http", "127.0.0.1:0", "--ssh", "127.0.0.1:0")
	cmd.Env = append(s.environ(), "MIRAGE_SSH_HOST_KEY_FILE="+s.path("key"))
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Count(string(out), "\n") != 1 {
		t.Errorf("garbage as host key: %v %q", err, out)
	}
}

func TestKeysCommand(t *testing.T) {
	s := newServer(t)
	need(t, "ssh", "ssh-keygen")
	s.must("", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "me@here", "-f", s.path("id"))
	s.serve()
	s.create("demo", config)
	if r := s.line("", "true"); r.status != 255 {
		t.Errorf("a key that was never added logs in: %v", r)
	}
	if r := s.mirage("keys", "add", s.path("id.pub")); r.status != 0 {
		t.Fatalf("add: %v", r)
	}
	if r := s.line("", "echo in"); r.stdout != "in\n" {
		t.Errorf("the added key: %v", r)
	}
	if r := s.mirage("keys", "list"); r.status != 0 || !strings.Contains(r.stdout, "me@here") {
		t.Errorf("list: %v", r)
	}
	if r := s.mirage("keys", "remove", "me@here"); r.status != 0 {
		t.Errorf("remove: %v", r)
	}
	if r := s.line("", "true"); r.status != 255 {
		t.Errorf("the removed key logs in: %v", r)
	}
}

// The README's first command, as it runs without a terminal.
func TestDemo(t *testing.T) {
	need(t, "ssh", "sftp", "curl")
	s := newServer(t)
	r := s.exec("", binary, "demo", "--dir", ".demo")
	if r.status != 0 {
		t.Fatalf("%v", r)
	}
	for _, want := range []string{"A workspace is an SSH login", "README.txt", "$ ssh -F .demo/ssh_config demo", "monitor", "policy denied: agents do not delete", "Connect by hand"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the tour does not show %q:\n%s", want, r.stdout)
		}
	}
	if strings.Contains(r.stdout, "never-see") {
		t.Error("the tour shows the hidden file")
	}
	entries, err := os.ReadDir(s.home)
	if err != nil || len(entries) != 1 || entries[0].Name() != ".demo" {
		t.Errorf("the demo wrote outside its folder: %v, %v", entries, err)
	}
	// Again in the same folder.
	if r := s.exec("", binary, "demo", "--dir", ".demo"); r.status != 0 {
		t.Errorf("second run: %v", r)
	}
}
