package sshd

import (
	"bufio"
	"bytes"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// openSSH is a fixture that the real client can reach.
type openSSH struct {
	*fixture
	config string
}

// newOpenSSH writes what the client needs into the test's own folder. The key
// of the host must not be updated: the client would replace its file of known
// hosts.
func newOpenSSH(t *testing.T, options string) *openSSH {
	t.Helper()
	if _, err := osexec.LookPath("ssh"); err != nil {
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	f := newFixture(t, options, nil)
	signer, private := newSigner(t)
	f.key = signer
	f.authorize(authorized(options, signer))
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	o := &openSSH{fixture: f, config: filepath.Join(f.dir, "config")}
	host, port, err := net.SplitHostPort(f.addr)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"id":          string(pem.EncodeToMemory(block)),
		"known_hosts": knownhosts.Line([]string{f.addr}, f.host) + "\n",
		"config": fmt.Sprintf(`Host demo nosuch
HostName %s
Port %s
IdentityFile %s/id
IdentitiesOnly yes
IdentityAgent none
UserKnownHostsFile %s/known_hosts
GlobalKnownHostsFile none
UpdateHostKeys no
StrictHostKeyChecking yes
BatchMode yes
LogLevel ERROR
`, host, port, f.dir, f.dir),
	} {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func (o *openSSH) command(args ...string) *osexec.Cmd {
	user := "demo"
	if slices.Contains(args, "nosuch") {
		user = "nosuch"
	}
	c := osexec.Command("ssh", append([]string{"-F", o.config, "-o", "User=" + user}, args...)...)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + o.dir, "TERM=xterm", "LANG=C"}
	return c
}

// run runs the client and answers its streams and exit status.
func (o *openSSH) run(stdin string, args ...string) (stdout, stderr string, status int) {
	o.t.Helper()
	c := o.command(args...)
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &errs
	err := c.Run()
	if _, isExit := err.(*osexec.ExitError); err != nil && !isExit {
		o.t.Fatal(err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// onTerminal runs the client on a pseudo terminal.
func (o *openSSH) onTerminal(args ...string) (*osexec.Cmd, *os.File, *screen) {
	o.t.Helper()
	c := o.command(args...)
	tty, err := pty.StartWithSize(c, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() {
		_ = tty.Close()
		if c.ProcessState == nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	})
	return c, tty, &screen{t: o.t, r: bufio.NewReader(tty)}
}

func TestOpenSSHExec(t *testing.T) {
	o := newOpenSSH(t, "")
	big := strings.Repeat("0123456789abcdef", 1<<16)
	for _, tc := range []struct {
		stdin          string
		args           []string
		stdout, stderr string
		status         int
	}{
		{"", []string{"demo", "echo hi"}, "hi\n", "", 0},
		{"", []string{"demo", "err oops"}, "", "oops\n", 0},
		{"hi\n", []string{"demo", "cat"}, "hi\n", "", 0},
		{big, []string{"demo", "cat"}, big, "", 0},
		{big, []string{"demo", "echo not read"}, "not read\n", "", 0},
		{"echo a\nstatus 4\n", []string{"-T", "demo"}, "a\n", "", 4},
		{"", []string{"nosuch", "echo hi"}, "", "mirage: no such workspace: nosuch\n", 1},
		{"", []string{"demo", "signal TERM"}, "", "", 255},
		{"", []string{"-s", "demo", "netconf"}, "", "mirage: unsupported subsystem: netconf\n", 1},
		{"", []string{"-A", "-X", "demo", "echo hi"}, "hi\n", "", 0},
		{"", []string{"-c", "aes256-ctr", "demo", "echo ctr"}, "ctr\n", "", 0},
		{"", []string{"-c", "chacha20-poly1305@openssh.com", "demo", "echo chacha"}, "chacha\n", "", 0},
		{"", []string{"-o", "KexAlgorithms=curve25519-sha256@libssh.org", "demo", "echo kex"}, "kex\n", "", 0},
		{"", []string{"-o", "RekeyLimit=64K", "demo", "big 1000"}, strings.Repeat("0123456789abcde\n", 63)[:1000], "", 0},
	} {
		stdout, stderr, status := o.run(tc.stdin, tc.args...)
		if stdout != tc.stdout || stderr != tc.stderr || status != tc.status {
			t.Errorf("%q: got %.100q, %q, %d; want %.100q, %q, %d", tc.args, stdout, stderr, status, tc.stdout, tc.stderr, tc.status)
		}
	}
}

func TestOpenSSHRekey(t *testing.T) {
	o := newOpenSSH(t, "")
	in := strings.Repeat("0123456789abcdef", 1<<16)
	stdout, stderr, status := o.run(in, "-o", "RekeyLimit=100K", "demo", "cat")
	if stdout != in || status != 0 {
		t.Errorf("%d bytes, %q, %d", len(stdout), stderr, status)
	}
}

func TestOpenSSHExitCodes(t *testing.T) {
	o := newOpenSSH(t, "")
	for i := range 20 {
		if _, stderr, status := o.run("", "demo", fmt.Sprintf("status %d", i*6)); status != i*6 {
			t.Fatalf("status %d, want %d; %s", status, i*13, stderr)
		}
	}
}

// The order in which the client gets the end of a command.
func TestOpenSSHFrameOrder(t *testing.T) {
	o := newOpenSSH(t, "")
	_, log, _ := o.run("", "-vvv", "-o", "LogLevel=DEBUG3", "demo", "echo hi")
	var types []string
	for _, m := range regexp.MustCompile(`receive packet: type (9[4-8])`).FindAllStringSubmatch(log, -1) {
		types = append(types, m[1])
	}
	if got, want := strings.Join(types, " "), "98 96 97"; got != want {
		t.Errorf("packets %s, want %s (exit-status, EOF, close)", got, want)
	}
	if !strings.Contains(log, "server->client cipher: aes128-gcm@openssh.com") && !strings.Contains(log, "server->client cipher: aes256-gcm@openssh.com") {
		t.Error("the cipher is not AES-GCM")
	}
}

func TestOpenSSHLogins(t *testing.T) {
	o := newOpenSSH(t, "")
	for _, args := range [][]string{
		{"-o", "PreferredAuthentications=none", "demo", "echo in"},
		{"-o", "PreferredAuthentications=password,keyboard-interactive,none", "demo", "echo in"},
	} {
		stdout, stderr, status := o.run("", args...)
		if stdout != "" || status != 255 || !strings.Contains(stderr, "Permission denied (publickey)") {
			t.Errorf("%q: got %q, %q, %d", args, stdout, stderr, status)
		}
	}
	if _, stderr, status := o.run("", "-o", "ExitOnForwardFailure=yes", "-R", "0:localhost:1", "demo", "echo hi"); status != 255 || stderr == "" {
		t.Errorf("remote forwarding: %q, %d", stderr, status)
	}
	if _, stderr, status := o.run("", "-W", "localhost:1", "demo"); status != 255 || !strings.Contains(stderr, "stdio forwarding failed") {
		t.Errorf("-W: %q, %d", stderr, status)
	}
}

func TestOpenSSHTerminal(t *testing.T) {
	o := newOpenSSH(t, "")
	c, tty, screen := o.onTerminal("demo")
	screen.expect(prompt)
	talk(t, tty, screen, []step{
		{"echo ac\x1b[Db\r", "abc\r\n"}, {"", prompt},
		{"size\r", "xterm 80x24\r\n"}, {"", prompt},
		{"sleep\r", "sleep\r\n"},
	})
	waitFor(t, "the line to start", func() bool { return strings.HasSuffix(o.fakes.started(), "sleep") })
	talk(t, tty, screen, []step{
		{"\x03", "^C\r\n"}, {"", prompt},
		{"status?\r", "130\r\n"}, {"", prompt},
		{"cat\r", "cat\r\n"},
	})
	waitFor(t, "the line to start", func() bool { return strings.HasSuffix(o.fakes.started(), "cat") })
	talk(t, tty, screen, []step{{"typed\r", "typed\r\ntyped\r\n"}, {"\x04", prompt}})
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 40, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	screen.expect(prompt) // drawn anew
	talk(t, tty, screen, []step{{"size\r", "xterm 100x40\r\n"}, {"", prompt}, {"half\x03", "^C\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}})
	if err := c.Wait(); c.ProcessState.ExitCode() != 130 {
		t.Errorf("ended with %v", err)
	}
}

func TestOpenSSHExecOnTerminal(t *testing.T) {
	o := newOpenSSH(t, "")
	c, tty, screen := o.onTerminal("-t", "demo", "sleep")
	waitFor(t, "the line to start", func() bool { return o.fakes.started() == "sleep" })
	talk(t, tty, screen, []step{{"\x03", "^C"}})
	_ = c.Wait()
	if got := c.ProcessState.ExitCode(); got != 130 {
		t.Errorf("ended with %d, want 130", got)
	}
}

// A client that is killed takes its line with it.
func TestOpenSSHKilledClient(t *testing.T) {
	o := newOpenSSH(t, "")
	for n, args := range [][]string{{"demo", "sleep"}, {"demo", "flood"}, {"-tt", "demo", "sleep"}} {
		c := o.command(args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the line to start", func() bool { return strings.Count(o.fakes.started(), "|") == n && o.fakes.sessions() == 1 })
		if err := c.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		waitFor(t, "the session to close", func() bool { return o.fakes.sessions() == 0 })
	}
	if got := o.fakes.endings(); got != "130|130|130" {
		t.Errorf("lines ended with %s", got)
	}
}

// Many channels on one connection: each ends by itself.
func TestOpenSSHControlMaster(t *testing.T) {
	o := newOpenSSH(t, "")
	socket := filepath.Join(o.dir, "ctl")
	master := o.command("-o", "ControlMaster=yes", "-o", "ControlPath="+socket, "-N", "demo")
	if err := master.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = master.Process.Kill()
		_ = master.Wait()
	}()
	waitFor(t, "the master", func() bool { _, err := os.Stat(socket); return err == nil })
	slave := o.command("-o", "ControlPath="+socket, "demo", "sleep")
	if err := slave.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the line to start", func() bool { return o.fakes.started() == "sleep" })
	if err := slave.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Wait()
	waitFor(t, "the session to close", func() bool { return o.fakes.sessions() == 0 })
	if got := o.fakes.endings(); got != "130" {
		t.Errorf("the line ended with %s", got)
	}
	for i := range 30 {
		if stdout, stderr, status := o.run("", "-o", "ControlPath="+socket, "demo", "both"); status != 0 ||
			strings.Count(stdout, "\n") != 100 || strings.Count(stderr, "\n") != 100 {
			t.Fatalf("round %d: %d, %q, %q", i, status, stdout, stderr)
		}
	}
}
