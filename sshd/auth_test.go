package sshd

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"mirage/accounts"
)

// The attack by which other servers let one user's key open another user's
// account: an attempt in one name, and success in another.
func TestCrossAccountLoginIsRefused(t *testing.T) {
	f := newFixture(t, `mirage-account="bob"`, nil) // f.key is bob's
	junk, _ := newSigner(t)
	alice, _ := newSigner(t)
	f.authorize(authorized(`mirage-account="bob"`, f.key), authorized(`mirage-account="alice"`, alice))

	attempts := map[string]func(c *rawClient){
		"junk key in the own name first": func(c *rawClient) {
			if got := c.query("bobs", junk.PublicKey()); got != msgAuthFailure {
				t.Errorf("a junk key: message %d", got)
			}
		},
		"own key queried in the own name first": func(c *rawClient) {
			if got := c.query("bobs", f.key.PublicKey()); got != msgAuthPKOK {
				t.Errorf("the own key: message %d", got)
			}
		},
		"the victim's key queried in the victim's name first": func(c *rawClient) {
			if got := c.query("alices", alice.PublicKey()); got != msgAuthPKOK {
				t.Errorf("the victim's key: message %d", got)
			}
		},
		"the victim's key in the own name first": func(c *rawClient) {
			if got := c.query("bobs", alice.PublicKey()); got != msgAuthPKOK {
				t.Errorf("the victim's key: message %d", got)
			}
		},
		"nothing first": func(*rawClient) {},
	}
	for name, first := range attempts {
		t.Run(name, func(t *testing.T) {
			c := f.dialRaw()
			c.startAuth()
			first(c)
			// Bob's key is a good key, so the login itself may succeed. What
			// counts is what it opens.
			got, err := c.signed("alices", "alices", f.key.PublicKey(), f.key)
			if got != msgAuthSuccess {
				t.Fatalf("message %d, %v", got, err)
			}
			wantNoWorkspace(t, c, "alices")
		})
	}
	f.fakes.mu.Lock()
	defer f.fakes.mu.Unlock()
	for _, c := range f.fakes.callers {
		if c != (accounts.Caller{Account: "bob"}) {
			t.Errorf("the workspace was asked for by %+v, want bob", c)
		}
	}
}

// wantNoWorkspace opens a channel and reads that the workspace is not there.
func wantNoWorkspace(t *testing.T, c *rawClient, name string) {
	t.Helper()
	if got := c.openChannel(0); got != msgChannelConfirm {
		t.Fatalf("open: message %d", got)
	}
	c.channelRequest(0, "exec", false, text("echo owned"))
	p := c.expect(msgChannelExtended)
	if want := "mirage: no such workspace: " + name + "\n"; !strings.HasSuffix(string(p), want) {
		t.Errorf("got %q, want %q", p, want)
	}
}

// A signature is good for the name, the key and the connection it was made
// for.
func TestForgedSignaturesAreRefused(t *testing.T) {
	f := newFixture(t, "", nil)
	junk, _ := newSigner(t)
	for name, attempt := range map[string]func(c *rawClient) (byte, error){
		"signed for another name": func(c *rawClient) (byte, error) { return c.signed("demo", "alices", f.key.PublicKey(), f.key) },
		"signed by another key":   func(c *rawClient) (byte, error) { return c.signed("demo", "demo", f.key.PublicKey(), junk) },
		"key that is not listed":  func(c *rawClient) (byte, error) { return c.signed("demo", "demo", junk.PublicKey(), junk) },
		"good query, then another": func(c *rawClient) (byte, error) {
			c.query("demo", f.key.PublicKey())
			return c.signed("demo", "demo", junk.PublicKey(), junk)
		},
		"signed for another connection": func(c *rawClient) (byte, error) {
			c.sessionID = make([]byte, 32)
			return c.signed("demo", "demo", f.key.PublicKey(), f.key)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := f.dialRaw()
			c.startAuth()
			if got, _ := attempt(c); got == msgAuthSuccess {
				t.Error("logged in")
			}
		})
	}
}

func TestOtherMethodsAreRefused(t *testing.T) {
	f := newFixture(t, "", nil)
	for name, rest := range map[string][]byte{
		"none": nil, "password": append([]byte{0}, text("")...), "keyboard-interactive": append(text(""), text("")...),
		"hostbased": nil, "gssapi-with-mic": {0, 0, 0, 0}, "": nil,
	} {
		c := f.dialRaw()
		c.startAuth()
		c.send(append(ssh.Marshal(struct {
			User, Service, Method string `sshtype:"50"`
		}{"demo", "ssh-connection", name}), rest...))
		p, err := c.receive()
		if err != nil {
			continue // refused even more clearly
		}
		var msg struct {
			Methods []string `sshtype:"51"`
			Partial bool
		}
		c.unmarshal(p, &msg)
		if len(msg.Methods) != 1 || msg.Methods[0] != "publickey" || msg.Partial {
			t.Errorf("%q: offered %q, partial %v; want publickey alone", name, msg.Methods, msg.Partial)
		}
	}
}

// Nothing of the connection protocol works before a login.
func TestNothingBeforeLogin(t *testing.T) {
	f := newFixture(t, "", nil)
	open := ssh.Marshal(struct {
		Type            string `sshtype:"90"`
		ID, Window, Max uint32
	}{"session", 0, 1 << 21, 1 << 15})
	for name, packet := range map[string][]byte{
		"channel":         open,
		"channel request": append([]byte{msgChannelRequest, 0, 0, 0, 0}, append(text("exec"), append([]byte{0}, text("echo")...)...)...),
		"global request":  append([]byte{msgGlobalRequest}, append(text("tcpip-forward"), 1)...),
		"success":         {msgAuthSuccess},
		"junk":            []byte("\xffnot a message"),
		"empty string":    {msgAuthRequest, 0, 0, 0, 0},
		"huge length":     {msgAuthRequest, 0xff, 0xff, 0xff, 0xff},
	} {
		for _, inAuth := range []bool{false, true} {
			c := f.dialRaw()
			if inAuth {
				c.startAuth()
			}
			c.send(packet)
			if p, err := c.receive(); err == nil && p[0] != msgDisconnect && p[0] != 3 /* unimplemented */ {
				t.Errorf("%s (auth %v): answered with message %d", name, inAuth, p[0])
			}
		}
	}
	if n := f.fakes.started(); n != "" {
		t.Errorf("something ran: %s", n)
	}
	if stdout, _, _ := exec(t, f.dial("demo"), "echo alive", ""); stdout != "alive\n" {
		t.Errorf("the server is not well: %q", stdout)
	}
}

// Known, unknown and foreign names get the same answers.
func TestNamesCannotBeToldApart(t *testing.T) {
	f := newFixture(t, `mirage-account="bob"`, nil)
	junk, _ := newSigner(t)
	var answers []string
	for _, user := range []string{"bobs", "alices", "nobody", "", strings.Repeat("x", 300), "../etc", "a\x00b", "\xff"} {
		c := f.dialRaw()
		c.startAuth()
		c.send(ssh.Marshal(authRequest(user, junk.PublicKey(), false)))
		answers = append(answers, string(c.expect(msgAuthFailure)))
	}
	for _, a := range answers {
		if a != answers[0] {
			t.Errorf("answers differ: %q and %q", a, answers[0])
		}
	}
}

func TestMissingAndForeignWorkspaces(t *testing.T) {
	for _, tc := range []struct {
		options string
		all     bool
		user    string
		stderr  string
	}{
		{"", true, "demo", ""},
		{"", true, "alices", ""}, // without accounts, every workspace
		{"", false, "demo", "no such workspace: demo"},
		{`mirage-account="alice"`, true, "alices", ""},
		{`mirage-account="alice"`, false, "alices", ""},
		{`mirage-account="alice"`, true, "bobs", "no such workspace: bobs"},
		{`mirage-account="alice"`, true, "demo", "no such workspace: demo"},
		{`mirage-account="alice"`, true, "nothing", "no such workspace: nothing"},
		{`mirage-account`, true, "demo", "no such workspace: demo"},
		{`mirage-account=""`, true, "alices", "no such workspace: alices"},
		{`mirage-account="alice",mirage-account="alice"`, true, "alices", "no such workspace: alices"},
		{`mirage-profile="ro"`, true, "demo", ""},
		{`mirage-profile`, true, "demo", "cannot open a session: mirage-profile must name exactly one profile"},
		{`mirage-profile="a",mirage-profile="b"`, true, "demo", "cannot open a session: mirage-profile must name exactly one profile"},
		{`mirage-profile="missing"`, true, "demo", "cannot open a session: unknown profile 'missing'"},
		{`mirage-profile`, true, "nothing", "no such workspace: nothing"},
		{"", true, "no\x1b[2Jthing\n", "no such workspace: no?[2Jthing?"},
	} {
		t.Run(tc.options+" "+tc.user, func(t *testing.T) {
			f := newFixture(t, tc.options, func(c *Config) { c.AllWorkspaces = tc.all })
			c := f.dial(tc.user)
			stdout, stderr, end := exec(t, c, "echo in", "")
			want := [3]string{"in\n", "", "0"}
			if tc.stderr != "" {
				want = [3]string{"", "mirage: " + tc.stderr + "\n", "1"}
			}
			if got := [3]string{stdout, stderr, end}; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestKeyOptionsAtLogin(t *testing.T) {
	for options, want := range map[string]bool{
		"":                              true,
		"restrict":                      true,
		`from="127.0.0.1"`:              true,
		`from="127.0.0.0/8,!127.0.0.1"`: false,
		`from="192.0.2.*"`:              false,
		`expiry-time="20200101"`:        false,
		`expiry-time="29990101Z"`:       true,
		`environment="A=b"`:             false,
		"cert-authority":                false,
	} {
		t.Run(options, func(t *testing.T) {
			f := newFixture(t, options, nil)
			c, err := ssh.Dial("tcp", f.addr, f.clientConfig("demo"))
			if err == nil {
				_ = c.Close()
			}
			if got := err == nil; got != want {
				t.Errorf("login %v (%v), want %v", got, err, want)
			}
		})
	}
}

// The file is read anew at every login.
func TestKeysAreReadAtEachLogin(t *testing.T) {
	f := newFixture(t, "", nil)
	f.dial("demo")
	login := func() error {
		c, err := ssh.Dial("tcp", f.addr, f.clientConfig("demo"))
		if err == nil {
			_ = c.Close()
		}
		return err
	}
	f.authorize("# nobody\n")
	if err := login(); err == nil {
		t.Error("a removed key logged in")
	}
	f.authorize("broken\n", authorized("", f.key))
	if err := login(); err != nil {
		t.Errorf("a key after a broken line: %v", err)
	}
	if err := os.Remove(filepath.Join(f.dir, "authorized_keys")); err != nil {
		t.Fatal(err)
	}
	if err := login(); err == nil {
		t.Error("logged in without a file")
	}
	if log := f.logs.String(); !strings.Contains(log, "line 1: unknown key option") || !strings.Contains(log, "cannot be read") {
		t.Errorf("the log does not tell:\n%s", log)
	}
}

// An agent with many keys gets in with the last one; guessing is bounded.
func TestManyKeys(t *testing.T) {
	f := newFixture(t, "", nil)
	cfg := f.clientConfig("demo")
	var signers []ssh.Signer
	for range 8 {
		s, _ := newSigner(t)
		signers = append(signers, s)
	}
	cfg.Auth = []ssh.AuthMethod{ssh.PublicKeys(append(signers, f.key)...)}
	c, err := ssh.Dial("tcp", f.addr, cfg)
	if err != nil {
		t.Fatalf("the ninth key: %v", err)
	}
	_ = c.Close()

	raw := f.dialRaw()
	raw.startAuth()
	tries := 0
	for ; tries < 50; tries++ {
		raw.send(ssh.Marshal(authRequest("demo", signers[0].PublicKey(), false)))
		if p, err := raw.receive(); err != nil || p[0] == msgDisconnect {
			break
		}
	}
	if tries > 2*maxAuthTries {
		t.Errorf("%d tries on one connection", tries)
	}
}

func TestLoginGrace(t *testing.T) {
	f := newFixture(t, "", func(c *Config) { c.LoginGrace = 50 * time.Millisecond })
	for name, start := range map[string]func() net.Conn{
		"silent":           func() net.Conn { return dialTCP(t, f.addr) },
		"between the keys": func() net.Conn { return f.dialRaw().conn },
		"in the middle of its name": func() net.Conn {
			c := dialTCP(t, f.addr)
			_, _ = c.Write([]byte("SSH-2.0-Op"))
			return c
		},
	} {
		c := start()
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
		var err error
		for b := make([]byte, 4096); err == nil; {
			_, err = c.Read(b)
		}
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			t.Errorf("%s: still connected", name)
		}
	}
}

// Who has logged in stays: nothing is left that would close the connection.
func TestLoginGraceEndsAtLogin(t *testing.T) {
	f := newFixture(t, "", nil)
	f.dial("demo")
	f.srv.mu.Lock()
	defer f.srv.mu.Unlock()
	for c := range f.srv.conns {
		if c.grace.Stop() {
			t.Error("the grace time still runs")
		}
	}
}

func dialTCP(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
