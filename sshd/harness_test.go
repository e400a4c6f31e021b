package sshd

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"mirage/accounts"
	"mirage/policy"
	"mirage/shell"
	"mirage/vfs"
	"mirage/workspace"
)

// fakeWorkspaces are workspaces by name, with their owners, whose sessions
// understand a few words.
type fakeWorkspaces struct {
	prompts map[string]string // PS1 and PS2, where they are set
	owners  map[string]string

	mu      sync.Mutex // guards the fields below
	opened  []workspace.SessionOptions
	callers []accounts.Caller
	live    int
	run     []string // lines, as they were started
	ended   []string // how they ended
	gone    map[string]chan struct{}
}

func (f *fakeWorkspaces) open(ctx context.Context, c accounts.Caller, name string, o workspace.SessionOptions) (session, <-chan struct{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.callers = append(f.callers, c)
	owner, ok := f.owners[name]
	if !ok || !c.Sees(owner) {
		return nil, nil, &workspace.Error{Kind: workspace.NotFound, Code: "workspace_not_found", Detail: "workspace not found"}
	}
	if o.Profile == "missing" {
		return nil, nil, &workspace.Error{Kind: workspace.Refused, Code: "unknown_profile", Detail: "unknown profile 'missing'"}
	}
	if f.gone == nil {
		f.gone = map[string]chan struct{}{}
	}
	if f.gone[name] == nil {
		f.gone[name] = make(chan struct{})
	}
	f.opened = append(f.opened, o)
	f.live++
	return &fakeSession{f: f, opts: o, cwd: "/"}, f.gone[name], nil
}

func (f *fakeWorkspaces) sessions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.live
}

func (f *fakeWorkspaces) started() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.run, "|")
}

func (f *fakeWorkspaces) endings() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.ended, "|")
}

type fakeSession struct {
	f      *fakeWorkspaces
	opts   workspace.SessionOptions
	cwd    string
	status int // $?
	once   sync.Once
}

func (s *fakeSession) Cwd() string                   { return s.cwd }
func (s *fakeSession) View() *vfs.View               { return nil }
func (s *fakeSession) FileCall() *workspace.FileCall { return nil }

func (s *fakeSession) Close(context.Context) error {
	s.once.Do(func() {
		s.f.mu.Lock()
		s.f.live--
		s.f.mu.Unlock()
	})
	return nil
}

func (s *fakeSession) Prompt(_ context.Context, name string) (string, bool) {
	text, set := s.f.prompts[name]
	return text, set
}

func (s *fakeSession) Incomplete(source string) bool { return incomplete(source) }

// incomplete is the real shell's.
func incomplete(source string) bool {
	sh := shell.New(shell.Config{})
	defer func() { _ = sh.Close() }()
	return sh.Incomplete(source)
}

func (s *fakeSession) Complete(_ context.Context, source string) (int, []string) {
	return strings.LastIndexByte(source, ' ') + 1, []string{"completed"}
}

func (s *fakeSession) Run(ctx context.Context, l workspace.Line) (workspace.Result, error) {
	s.f.mu.Lock()
	if !l.NoRecord {
		s.f.run = append(s.f.run, l.Command)
	}
	s.f.mu.Unlock()
	res := s.words(ctx, l)
	if ctx.Err() != nil {
		res.ExitCode = 130
	}
	s.status = res.ExitCode
	s.f.mu.Lock()
	if !l.NoRecord {
		s.f.ended = append(s.f.ended, strconv.Itoa(res.ExitCode))
	}
	s.f.mu.Unlock()
	return res, nil
}

func (s *fakeSession) words(ctx context.Context, l workspace.Line) (res workspace.Result) {
	word, arg, _ := strings.Cut(l.Command, " ")
	n, _ := strconv.Atoi(arg)
	var errs bytes.Buffer
	stderr := io.MultiWriter(l.Stderr, &errs)
	switch word {
	case "echo":
		fmt.Fprintln(l.Stdout, arg)
	case "err":
		fmt.Fprintln(l.Stderr, arg)
	case "both":
		for i := range 100 {
			fmt.Fprintf(l.Stdout, "out %d\n", i)
			fmt.Fprintf(l.Stderr, "err %d\n", i)
		}
	case "exit":
		res.ExitCode, res.Exited = n, true
	case "(exit", "status":
		n, _ = strconv.Atoi(strings.TrimRight(arg, ")"))
		res.ExitCode = n
	case "status?":
		fmt.Fprintln(l.Stdout, s.status)
	case "cat":
		n, err := io.Copy(l.Stdout, l.Stdin)
		if err != nil {
			res.ExitCode = 1
		}
		if arg == "-n" {
			fmt.Fprintf(l.Stderr, "%d bytes\n", n)
		}
	case "line": // reads exactly one line of stdin
		var line []byte
		for b := make([]byte, 1); ; {
			if n, err := l.Stdin.Read(b); n == 0 || err != nil || b[0] == '\n' {
				break
			}
			line = append(line, b[0])
		}
		fmt.Fprintf(l.Stdout, "got <%s>\n", line)
	case "sleep":
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
	case "flood":
		for ctx.Err() == nil {
			if _, err := l.Stdout.Write(bytes.Repeat([]byte("y\n"), 2048)); err != nil {
				break
			}
		}
	case "big":
		chunk := bytes.Repeat([]byte("0123456789abcde\n"), 2048)
		for n > 0 {
			k := min(n, len(chunk))
			if _, err := l.Stdout.Write(chunk[:k]); err != nil {
				res.ExitCode = 1
				break
			}
			n -= k
		}
	case "sink":
		_, _ = io.Copy(io.Discard, l.Stdin)
	case "env":
		v, ok := s.opts.Env[arg]
		fmt.Fprintf(l.Stdout, "%s %v\n", v, ok)
	case "size":
		cols, rows := l.Terminal.Size()
		fmt.Fprintf(l.Stdout, "%s %dx%d\n", l.Terminal.Name, cols, rows)
	case "tty":
		fmt.Fprintln(l.Stdout, l.Terminal != nil)
	case "cd":
		s.cwd = arg
	case "panic":
		panic("as asked")
	case "signal":
		res.Signal = arg
	case "refuse":
		res.ExitCode = 126
		res.Refusal = &policy.Refusal{Kind: "deny", Reason: arg}
	case "explain":
		res.ExitCode = 126
		fmt.Fprintln(stderr, "bash: rm: "+arg)
		res.Refusal = &policy.Refusal{Kind: "deny", Reason: arg}
	default:
		fmt.Fprintf(stderr, "%s: command not found\n", word)
		res.ExitCode = 127
	}
	res.Stderr = errs.Bytes()
	return res
}

// fixture is a running server with a key that logs in.
type fixture struct {
	t     testing.TB
	fakes *fakeWorkspaces
	srv   *Server
	addr  string
	dir   string
	host  ssh.PublicKey
	key   ssh.Signer
	logs  *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newSigner(t testing.TB) (ssh.Signer, ed25519.PrivateKey) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer, private
}

// authorized is a line of authorized_keys.
func authorized(options string, s ssh.Signer) string {
	return strings.TrimSpace(options+" "+string(ssh.MarshalAuthorizedKey(s.PublicKey()))) + "\n"
}

// newFixture starts a server with the workspaces demo (nobody's), alice's and
// bob's. options are those of the key.
func newFixture(t testing.TB, options string, change func(*Config)) *fixture {
	t.Helper()
	checkLeaks(t)
	f := &fixture{
		t: t, dir: t.TempDir(), logs: &lockedBuffer{},
		fakes: &fakeWorkspaces{owners: map[string]string{"demo": "", "alices": "alice", "bobs": "bob"}},
	}
	f.key, _ = newSigner(t)
	host, _ := newSigner(t)
	f.host = host.PublicKey()
	f.authorize(authorized(options, f.key))
	cfg := Config{
		HostKey: host, AuthorizedKeys: filepath.Join(f.dir, "authorized_keys"), AllWorkspaces: true,
		Log: slog.New(slog.NewTextHandler(f.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&cfg)
	}
	var err error
	if f.srv, err = newServer(cfg, f.fakes); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.addr = l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- f.srv.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = f.srv.Shutdown(ctx)
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if n := f.fakes.sessions(); n != 0 {
			t.Errorf("%d sessions left open", n)
		}
		if t.Failed() {
			t.Logf("server log:\n%s", f.logs)
		}
	})
	return f
}

func (f *fixture) authorize(lines ...string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, "authorized_keys"), []byte(strings.Join(lines, "")), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// checkLeaks fails the test when goroutines of a server or client outlive it.
func checkLeaks(t testing.TB) {
	t.Helper()
	t.Cleanup(func() {
		var left []string
		for range 200 {
			left = left[:0]
			buf := make([]byte, 1<<20)
			for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
				ours := strings.Contains(g, "mirage/sshd.") || strings.Contains(g, "charm.land/ssh.") || strings.Contains(g, "crypto/ssh.")
				if ours && !strings.Contains(g, "testing.tRunner") && !strings.Contains(g, "testing.(*B)") {
					left = append(left, g)
				}
			}
			if len(left) == 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%d goroutines left:\n%s", len(left), strings.Join(left, "\n\n"))
	})
}

func (f *fixture) clientConfig(user string) *ssh.ClientConfig {
	return &ssh.ClientConfig{
		User: user, Auth: []ssh.AuthMethod{ssh.PublicKeys(f.key)},
		HostKeyCallback: ssh.FixedHostKey(f.host), Timeout: 10 * time.Second,
	}
}

// dial logs in.
func (f *fixture) dial(user string) *ssh.Client {
	f.t.Helper()
	c, err := ssh.Dial("tcp", f.addr, f.clientConfig(user))
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = c.Close() })
	return c
}

func newSession(t *testing.T, c *ssh.Client) *ssh.Session {
	t.Helper()
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// exec runs a command and answers its streams and how it ended.
func exec(t *testing.T, c *ssh.Client, command, stdin string) (stdout, stderr, end string) {
	t.Helper()
	s := newSession(t, c)
	var out, errs bytes.Buffer
	s.Stdin, s.Stdout, s.Stderr = strings.NewReader(stdin), &out, &errs
	end = ending(s.Run(command))
	return out.String(), errs.String(), end
}

// subsystem asks for a subsystem and reads what comes.
func subsystem(t *testing.T, c *ssh.Client, name string) (stdout, stderr, end string) {
	t.Helper()
	ch, reqs, err := c.OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	status := make(chan string, 1)
	go func() {
		end := "no exit status"
		for req := range reqs {
			if req.Type == "exit-status" {
				end = fmt.Sprint(req.Payload[3])
			}
		}
		status <- end
	}()
	if ok, err := ch.SendRequest("subsystem", true, ssh.Marshal(struct{ Name string }{name})); !ok || err != nil {
		t.Fatalf("subsystem %s: %v, %v", name, ok, err)
	}
	out, err := io.ReadAll(ch)
	if err != nil {
		t.Fatal(err)
	}
	errs, err := io.ReadAll(ch.Stderr())
	if err != nil {
		t.Fatal(err)
	}
	return string(out), string(errs), <-status
}

// ending words how a session ended: a status, or a signal.
func ending(err error) string {
	switch e := err.(type) {
	case nil:
		return "0"
	case *ssh.ExitError:
		if e.Signal() != "" {
			return e.Signal()
		}
		return strconv.Itoa(e.ExitStatus())
	default:
		return e.Error()
	}
}

// screen reads a terminal until it shows something.
type screen struct {
	t    testing.TB
	r    *bufio.Reader
	seen strings.Builder
}

// expect reads until text appears and answers everything up to it.
func (s *screen) expect(text string) string {
	s.t.Helper()
	start := s.seen.Len()
	type result struct{ err error }
	done := make(chan result, 1)
	go func() {
		for {
			b, err := s.r.ReadByte()
			if err != nil {
				done <- result{err}
				return
			}
			s.seen.WriteByte(b)
			if strings.HasSuffix(s.seen.String()[start:], text) {
				done <- result{}
				return
			}
		}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			s.t.Fatalf("waiting for %q: %v; read %q", text, r.err, s.seen.String()[start:])
		}
		return s.seen.String()[start:]
	case <-time.After(20 * time.Second):
		s.t.Fatalf("%q did not appear", text)
		return ""
	}
}
