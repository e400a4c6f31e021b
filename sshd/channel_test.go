package sshd

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// The order of RFC 4254 that clients rely on: data, exit status, EOF, close.
func TestFrameOrder(t *testing.T) {
	f := newFixture(t, "", nil)
	for _, tc := range []struct{ command, want string }{
		{"echo hi", "success data exit-status eof close"},
		{"err hi", "success extended exit-status eof close"},
		{"status 7", "success exit-status eof close"},
		{"signal TERM", "success exit-signal eof close"},
		{"panic", "success exit-status eof close"},
	} {
		t.Run(tc.command, func(t *testing.T) {
			c := f.dialRaw()
			c.login("demo", f.key)
			if got := c.openChannel(0); got != msgChannelConfirm {
				t.Fatalf("open: message %d", got)
			}
			c.channelRequest(0, "exec", true, text(tc.command))
			if got := strings.Join(c.frames(), " "); got != tc.want {
				t.Errorf("frames: %s; want %s", got, tc.want)
			}
		})
	}
}

// frames names the packets up to the close of a channel.
func (c *rawClient) frames() (names []string) {
	c.t.Helper()
	for {
		p, err := c.receive()
		if err != nil {
			c.t.Fatalf("after %v: %v", names, err)
		}
		name := map[byte]string{
			msgChannelData: "data", msgChannelExtended: "extended", msgChannelEOF: "eof", msgChannelClose: "close",
			msgChannelSuccess: "success", msgChannelNo: "failure", 93: "window",
		}[p[0]]
		if p[0] == msgChannelRequest {
			var msg struct {
				ID   uint32 `sshtype:"98"`
				Name string
				Rest []byte `ssh:"rest"`
			}
			c.unmarshal(p, &msg)
			name = msg.Name
		}
		names = append(names, name)
		if name == "close" {
			return names
		}
	}
}

func TestRequestsAreAnswered(t *testing.T) {
	f := newFixture(t, "", nil)
	pty := append(text("xterm"), ssh.Marshal(struct {
		Cols, Rows, W, H uint32
		Modes            string
	}{80, 24, 0, 0, ""})...)
	size := ssh.Marshal(struct{ Cols, Rows, W, H uint32 }{100, 30, 0, 0})
	env := func(name, value string) []byte { return append(text(name), text(value)...) }
	s := newSession(t, f.dial("demo"))
	for _, tc := range []struct {
		name string
		data []byte
		want bool
	}{
		{"env", env("LANG", "C"), true},
		{"env", env("LC_ALL", "C"), true},
		{"env", env("COLORTERM", "truecolor"), true},
		{"env", env("LD_PRELOAD", "/x"), false},
		{"env", env("PATH", "/x"), false},
		{"env", env("LC_", "x"), false},
		{"env", env("LC_a=b", "x"), false},
		{"env", env("LC_X", "a\x00b"), false},
		{"env", text("LANG"), false},
		{"auth-agent-req@openssh.com", nil, false},
		{"x11-req", append([]byte{0}, append(env("MIT-MAGIC-COOKIE-1", "00"), 0, 0, 0, 0)...), false},
		{"xon-xoff", []byte{1}, false},
		{"keepalive@openssh.com", nil, false},
		{"nonsense", []byte("\xff\xff\xff\xff"), false},
		{"window-change", size, false}, // there is no terminal yet
		{"pty-req", pty[:10], false},
		{"pty-req", pty, true},
		{"pty-req", pty, false}, // once only
		{"window-change", size, true},
		{"window-change", size[:7], false},
		{"signal", text("TERM ME"), false},
		{"subsystem", []byte("\xff"), false},
		{"exec", []byte{0, 0, 0, 9, 'x'}, false},
		{"exec", text("sleep"), true},
		{"exec", text("echo twice"), false},
		{"shell", nil, false},
		{"env", env("LANG", "C"), false}, // too late
		{"pty-req", pty, false},
	} {
		if got, err := s.SendRequest(tc.name, true, tc.data); err != nil || got != tc.want {
			t.Errorf("%s %q: answered %v, %v; want %v", tc.name, tc.data, got, err, tc.want)
		}
	}
}

func TestEnvIsCapped(t *testing.T) {
	f := newFixture(t, "", nil)
	c := f.dial("demo")
	s := newSession(t, c)
	accepted := 0
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if s.Setenv("LC_"+string(a)+string(b), "x") == nil {
				accepted++
			}
		}
	}
	if accepted != maxEnv {
		t.Errorf("%d variables accepted, want %d", accepted, maxEnv)
	}
	s = newSession(t, c)
	if err := s.Setenv("LC_BIG", strings.Repeat("x", maxEnvBytes)); err == nil {
		t.Error("a variable larger than the cap was accepted")
	}
	if err := s.Setenv("LC_FITS", strings.Repeat("x", maxEnvBytes-10)); err != nil {
		t.Errorf("a variable within the cap: %v", err)
	}
}

func TestLoginEnvironment(t *testing.T) {
	f := newFixture(t, "", nil)
	c := f.dial("demo")
	host, port, _ := strings.Cut(c.LocalAddr().String(), ":")
	_, serverPort, _ := strings.Cut(f.addr, ":")
	for name, want := range map[string]string{
		"HOME": "/ true", "USER": "demo true", "LOGNAME": "demo true",
		"SSH_CLIENT":           host + " " + port + " " + serverPort + " true",
		"SSH_CONNECTION":       host + " " + port + " 127.0.0.1 " + serverPort + " true",
		"TERM":                 " false",
		"SSH_ORIGINAL_COMMAND": " false",
		"LANG":                 "C.UTF-8 true",
	} {
		s := newSession(t, c)
		if err := s.Setenv("LANG", "C.UTF-8"); err != nil {
			t.Fatal(err)
		}
		out, err := s.Output("env " + name)
		if err != nil || string(out) != want+"\n" {
			t.Errorf("%s: got %q, %v; want %q", name, out, err, want)
		}
	}
	for _, o := range f.fakes.opened {
		if o.Prefix != "ssh_" || !o.Ephemeral || o.Agent != "ssh" {
			t.Errorf("session opened with %+v", o)
		}
	}
}

func TestForcedCommand(t *testing.T) {
	f := newFixture(t, `command="env SSH_ORIGINAL_COMMAND",mirage-profile="ro"`, nil)
	c := f.dial("demo")
	if stdout, _, _ := exec(t, c, "rm -rf /", ""); stdout != "rm -rf / true\n" {
		t.Errorf("exec: got %q", stdout)
	}
	var out bytes.Buffer
	s := newSession(t, c)
	s.Stdout = &out
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	if got := ending(s.Wait()); got != "0" || out.String() != " false\n" {
		t.Errorf("shell: ended with %s, got %q", got, out.String())
	}
	if stdout, _, end := subsystem(t, c, "sftp"); end != "0" || stdout != "internal-sftp true\n" {
		t.Errorf("sftp: ended with %s, got %q", end, stdout)
	}
	if got := f.fakes.opened[0].Profile; got != "ro" {
		t.Errorf("profile %q", got)
	}
	if got := f.fakes.started(); strings.Contains(got, "rm") {
		t.Errorf("ran %s", got)
	}
}

func TestForcedInternalSFTP(t *testing.T) {
	f := newFixture(t, `command="internal-sftp"`, nil)
	stdout, _, end := exec(t, f.dial("demo"), "echo hi", "")
	if stdout != "This service allows sftp connections only.\n" || end != "1" {
		t.Errorf("got %q, %s", stdout, end)
	}
}

func TestUnsupportedSubsystem(t *testing.T) {
	f := newFixture(t, "", nil)
	stdout, stderr, end := subsystem(t, f.dial("demo"), "netconf")
	if stdout != "" || stderr != "mirage: unsupported subsystem: netconf\n" || end != "1" {
		t.Errorf("got %q, %q, %s", stdout, stderr, end)
	}
}

func TestNoPTY(t *testing.T) {
	for _, options := range []string{"no-pty", "restrict", `restrict,command="tty"`} {
		t.Run(options, func(t *testing.T) {
			f := newFixture(t, options, nil)
			s := newSession(t, f.dial("demo"))
			if err := s.RequestPty("xterm", 24, 80, nil); err == nil {
				t.Error("a pty was given")
			}
			if out, err := s.Output("tty"); err != nil || string(out) != "false\n" {
				t.Errorf("got %q, %v", out, err)
			}
		})
	}
}

func TestNothingIsForwarded(t *testing.T) {
	f := newFixture(t, "port-forwarding,agent-forwarding,X11-forwarding", nil)
	c := f.dial("demo")
	if _, err := c.Dial("tcp", "127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "administratively prohibited") {
		t.Errorf("direct-tcpip: %v", err)
	}
	if _, err := c.Dial("unix", "/x"); err == nil || !strings.Contains(err.Error(), "administratively prohibited") {
		t.Errorf("direct-streamlocal: %v", err)
	}
	if _, err := c.Listen("tcp", "127.0.0.1:0"); err == nil {
		t.Error("tcpip-forward was accepted")
	}
	if _, err := c.ListenUnix("/x"); err == nil {
		t.Error("streamlocal-forward was accepted")
	}
	for _, name := range []string{"auth-agent@openssh.com", "x11", "tun@openssh.com", "forwarded-tcpip", "", "nonsense"} {
		if _, _, err := c.OpenChannel(name, nil); err == nil {
			t.Errorf("a channel of type %q was accepted", name)
		}
	}
	if ok, _, err := c.SendRequest("keepalive@openssh.com", true, nil); ok || err != nil {
		t.Errorf("keepalive: %v, %v; want a refusal, which is an answer", ok, err)
	}
	if stdout, _, _ := exec(t, c, "echo hi", ""); stdout != "hi\n" {
		t.Errorf("got %q", stdout)
	}
}

func TestMaxSessions(t *testing.T) {
	f := newFixture(t, "", func(c *Config) { c.MaxSessions = 3 })
	c := f.dial("demo")
	var open []*ssh.Session
	for range 3 {
		s := newSession(t, c)
		if err := s.Start("sleep"); err != nil {
			t.Fatal(err)
		}
		open = append(open, s)
	}
	if _, err := c.NewSession(); err == nil || !strings.Contains(err.Error(), "resource shortage") {
		t.Errorf("a fourth session: %v", err)
	}
	if err := open[0].Signal(ssh.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = open[0].Wait()
	// The place is free as soon as the client can know of it.
	for range 20 {
		if stdout, _, _ := exec(t, c, "echo hi", ""); stdout != "hi\n" {
			t.Fatalf("got %q", stdout)
		}
	}
}

// A client that never confirms the end of its channels cannot pile them up.
func TestUnclosedChannelsAreBounded(t *testing.T) {
	f := newFixture(t, "", func(c *Config) { c.MaxSessions = 4 })
	c := f.dialRaw()
	c.login("demo", f.key)
	opened := uint32(0)
	for ; opened < 500; opened++ {
		if c.openChannel(opened) != msgChannelConfirm {
			break
		}
		c.channelRequest(opened, "exec", true, text("echo"))
		c.frames()
	}
	if want := uint32(2*4 + lingering); opened != want {
		t.Errorf("%d channels, want %d", opened, want)
	}
}

func TestNoMoreSessions(t *testing.T) {
	f := newFixture(t, "", nil)
	c := f.dial("demo")
	if ok, _, err := c.SendRequest("no-more-sessions@openssh.com", true, nil); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, err := c.NewSession(); err == nil {
		t.Error("a session was opened all the same")
	}
}

// A burst of resizes on a channel that nobody watches must not hold up
// another channel.
func TestResizeStorm(t *testing.T) {
	f := newFixture(t, "", nil)
	c := f.dial("demo")
	s := newSession(t, c)
	if err := s.RequestPty("xterm", 24, 80, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		if err := s.WindowChange(24, 80+i); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Start("sleep"); err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		if err := s.WindowChange(24, 80+i); err != nil {
			t.Fatal(err)
		}
	}
	if stdout, _, _ := exec(t, c, "echo hi", ""); stdout != "hi\n" {
		t.Errorf("got %q", stdout)
	}
	s = newSession(t, c)
	if err := s.RequestPty("xterm-256color", 24, 80, nil); err != nil {
		t.Fatal(err)
	}
	_ = s.WindowChange(1<<31, 1<<31)
	_ = s.WindowChange(50, 132)
	if out, err := s.Output("size"); err != nil || string(out) != "xterm-256color 132x50\r\n" {
		t.Errorf("got %q, %v", out, err)
	}
}

// A client that speaks nonsense after its login hurts itself only.
func TestJunkAfterLogin(t *testing.T) {
	f := newFixture(t, "", nil)
	healthy := f.dial("demo")
	for _, packet := range [][]byte{
		{}, {0}, {255}, {msgChannelData}, {msgChannelData, 0, 0, 0, 9, 0, 0, 0, 1, 'x'},
		{msgChannelRequest, 0, 0, 0, 0}, {msgChannelOpen, 0xff, 0xff, 0xff, 0xff}, {msgKexInit}, {msgNewKeys},
		{msgAuthSuccess}, {msgChannelConfirm, 0, 0, 0, 0}, {msgGlobalRequest}, bytes.Repeat([]byte{msgChannelOpen}, 30000),
		append([]byte{msgChannelOpen}, append(text("session"), make([]byte, 12)...)...),
	} {
		c := f.dialRaw()
		c.login("demo", f.key)
		if got := c.openChannel(0); got != msgChannelConfirm {
			t.Fatalf("open: message %d", got)
		}
		if len(packet) > 0 {
			c.send(packet)
		}
		_ = c.conn.Close()
	}
	if stdout, _, _ := exec(t, healthy, "echo hi", ""); stdout != "hi\n" {
		t.Errorf("got %q", stdout)
	}
}
