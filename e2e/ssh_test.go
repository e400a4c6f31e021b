package e2e

import (
	"fmt"
	"strings"
	"testing"
)

func TestExec(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		stdin, line string
		want        result
	}{
		{"", "echo hello", result{"hello\n", "", 0}},
		{"", "exit 42", result{"", "", 42}},
		{"", "echo a; echo b >&2; exit 7", result{"a\n", "b\n", 7}},
		{"in\n", "cat", result{"in\n", "", 0}},
		{"3\n1\n2\n", "sort -r | head -2", result{"3\n2\n", "", 0}},
		{"never read", "true", result{"", "", 0}},
		{"", "nosuch", result{"", "nosuch: command not found\n", 127}},
		{"", "cat /nosuch", result{"", "cat: /nosuch: No such file or directory\n", 1}},
		{"", "if", result{"", "mirage: syntax error near 'if'\n", 2}},
		{"", "echo $HOME $USER; pwd", result{"/ demo\n/\n", "", 0}},
		{"", "cat /etc/passwd", result{"", "cat: /etc/passwd: No such file or directory\n", 1}},
	} {
		if got := s.line(c.stdin, c.line); got != c.want {
			t.Errorf("%s:\n got %v\nwant %v", c.line, got, c.want)
		}
	}
}

func TestExecBinaryBothWays(t *testing.T) {
	s := start(t)
	var all strings.Builder
	for i := range 1 << 20 {
		all.WriteByte(byte(i * 7))
	}
	r := s.line(all.String(), "cat")
	if r.stdout != all.String() || r.status != 0 {
		t.Errorf("cat of 1 MiB: status %d, %d bytes", r.status, len(r.stdout))
	}
}

func TestScriptOnStdin(t *testing.T) {
	s := start(t)
	script := "x=1\nif [ $x = 1 ]; then\n  echo one\nfi\ncat <<E\nhere $x\nE\nexit 3\necho not reached\n"
	got := s.exec(script, "ssh", "-F", s.path("ssh_config"), "-T", "demo")
	if want := (result{"one\nhere 1\n", "", 3}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMissingWorkspace(t *testing.T) {
	s := start(t)
	got := s.exec("", "ssh", "-F", s.path("ssh_config"), "-l", "nosuch", "demo", "true")
	if want := (result{"", "mirage: no such workspace: nosuch\n", 1}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestUnknownKey(t *testing.T) {
	s := start(t)
	s.must("", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.path("stranger"))
	got := s.as("stranger", "true")
	if got.status != 255 || !strings.Contains(got.stderr, "Permission denied (publickey)") {
		t.Errorf("got %v", got)
	}
}

// Each channel has a session of its own; the files are shared.
func TestChannelsShareFilesOnly(t *testing.T) {
	s := start(t)
	s.line("", "x=1; cd /tmp; echo data > /file")
	if got, want := s.line("", `echo "[$x]" $PWD; cat /file`), (result{"[] /\ndata\n", "", 0}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestProfileKey(t *testing.T) {
	s := newServer(t)
	need(t, "ssh", "ssh-keygen", "sftp")
	s.makeKey("id", `mirage-profile="agent"`)
	s.makeKey("admin", "")
	s.serve()
	s.create("demo", `{"mounts": {"/": {"vfs": "ram"}}, "profiles": {"agent": {
		"paths": {"hide": ["/secret"]},
		"commands": {"deny": [{"reason": "no deleting", "commands": ["rm"]}]}}}}`)
	s.shell("demo", "mkdir /secret; echo k > /secret/key; echo p > /plain")

	for _, c := range []struct {
		line string
		want result
	}{
		{"ls /", result{"plain\n", "", 0}},
		{"cat /secret/key", result{"", "cat: /secret/key: No such file or directory\n", 1}},
		{"cat < /secret/key", result{"", "/secret/key: No such file or directory\n", 1}},
		{"echo /s*", result{"/s*\n", "", 0}},
		{"find / -name key", result{"", "", 0}},
		{"ln -s /secret/key /tmp/l && cat /tmp/l", result{"", "cat: /tmp/l: No such file or directory\n", 1}},
		{"echo x; rm /plain", result{"", "rm: Permission denied\npolicy denied: no deleting\n", 126}},
		{"echo x; bash -c 'rm /plain'", result{"", "rm: Permission denied\npolicy denied: no deleting\n", 126}},
		{"r=rm; $r /plain", result{"", "rm: Permission denied\npolicy denied: no deleting\n", 126}},
	} {
		if got := s.line("", c.line); got != c.want {
			t.Errorf("%s:\n got %v\nwant %v", c.line, got, c.want)
		}
	}
	got := s.exec("get /secret/key out\n", "sftp", "-q", "-b", "-", "-F", s.path("ssh_config"), "demo")
	if got.status == 0 {
		t.Errorf("sftp got a hidden file: %v", got)
	}
	same(t, "without the profile", s.as("admin", "cat /secret/key /plain").stdout, "k\np\n")
}

func TestManyExitCodes(t *testing.T) {
	s := start(t)
	control := []string{"-F", s.path("ssh_config"), "-o", "ControlPath=" + s.path("ctl")}
	s.must("", "ssh", append(control, "-o", "ControlMaster=yes", "-o", "ControlPersist=60", "demo", "true")...)
	defer s.exec("", "ssh", append(control, "-O", "exit", "demo")...)
	for i := range 60 {
		got := s.exec("", "ssh", append(control, "demo", fmt.Sprintf("echo out; echo err >&2; exit %d", i))...)
		if want := (result{"out\n", "err\n", i}); got != want {
			t.Fatalf("round %d: got %v, want %v", i, got, want)
		}
	}
}
