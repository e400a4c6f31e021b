package script

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// tree is a workspace for tests: contents by path, directories by their names.
type tree struct {
	files map[string]string
	dirs  map[string][]string
	// onRead is called before each reading.
	onRead func(ctx context.Context, path string)
}

func (t tree) ReadFile(ctx context.Context, path string) ([]byte, error) {
	if t.onRead != nil {
		t.onRead(ctx, path)
	}
	if s, ok := t.files[path]; ok {
		return []byte(s), nil
	}
	switch path {
	case "/huge":
		return nil, &fs.PathError{Op: "read", Path: path, Err: syscall.EFBIG}
	case "/broken":
		return nil, &fs.PathError{Op: "read", Path: path, Err: syscall.EIO}
	case "/unruly":
		return make([]byte, MaxFile+1), nil
	}
	if strings.HasPrefix(path, "/secret") {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.EACCES}
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOENT}
}

func (t tree) Stat(_ context.Context, path string) (int64, bool, error) {
	if s, ok := t.files[path]; ok {
		return int64(len(s)), false, nil
	}
	if _, ok := t.dirs[path]; ok {
		return 0, true, nil
	}
	return 0, false, &fs.PathError{Op: "stat", Path: path, Err: syscall.ENOENT}
}

func (t tree) ReadDir(_ context.Context, path string) ([]string, error) {
	if names, ok := t.dirs[path]; ok {
		return names, nil
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
}

var workspace = tree{
	files: map[string]string{
		"/a":      "run curl here",
		"/b":      "nothing",
		"/bin":    "\xff\xfe\x00curl",
		"/json":   `{"deny": ["rm", "dd"], "n": 3}`,
		"/nested": strings.Repeat("[", 1<<19),
		"/big":    strings.Repeat("a", MaxFile),
		"/empty":  "",

		"/odd/\xff": "one", "/odd/é\xef": "two", "/odd/\uFFFD": "three", "/odd/😀": "four",
	},
	dirs: map[string][]string{"/d": {"y", "x"}, "/odd": {"\xff", "é\xef", "\uFFFD", "😀"}},
}

func input(words ...string) map[string]any {
	return map[string]any{
		"profile": "p",
		"command": map[string]any{"name": words[0], "argv": words[1:], "paths": words[1:], "tool": nil, "walks": false},
		"session": map[string]any{"id": "s", "agent": "a", "cwd": "/"},
		"mounts":  []any{},
	}
}

func load(t *testing.T, engine, source string, opt Options) *Script {
	t.Helper()
	s, err := Load("p", engine, "test", []byte(source), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// ends fails the test when goroutines that it started outlive it.
func ends(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for deadline := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				buf := make([]byte, 1<<16)
				t.Fatalf("%d goroutines before, %d after\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
			}
		}
	})
}

// row is one call of a script. A want that ends in "..." is the beginning.
type row struct {
	name   string
	source string
	hook   Hook // PreCommand when empty
	input  any  // input("cat", "/a") when nil
	want   string
}

func runRows(t *testing.T, engine string, rows []row) { runRowsWith(t, engine, Options{}, rows) }

func runRowsWith(t *testing.T, engine string, opt Options, rows []row) {
	ends(t)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := load(t, engine, r.source, opt)
			if r.hook == "" {
				r.hook = PreCommand
			}
			if r.input == nil {
				r.input = input("cat", "/a")
			}
			a := s.Call(context.Background(), r.hook, r.input, workspace)
			if got := shown(a); !matches(got, r.want) {
				t.Errorf("got %q, want %q", got, r.want)
			}
			for _, c := range a.Reason {
				if c < ' ' {
					t.Errorf("reason %q has control characters", a.Reason)
				}
			}
		})
	}
}

func shown(a Answer) string {
	return strings.TrimSpace([]string{"none", "deny", "ask"}[a.Kind] + " " + a.Reason)
}

func matches(got, want string) bool {
	if head, ok := strings.CutSuffix(want, "..."); ok {
		return strings.HasPrefix(got, head)
	}
	return got == want
}

func TestLoad(t *testing.T) {
	for _, tt := range []struct {
		engine, name string
		source       string
		opt          Options
		want         string
	}{
		{"starlark", "x", "", Options{}, ""},
		{"", "x.star", "", Options{}, ""},
		{"", "x.js", "", Options{}, ""},
		{"quickjs", "x", "", Options{}, ""},
		{"", "x", "", Options{}, "policy script x: runtime is missing"},
		{"", "x.lua", "", Options{}, "policy script x.lua: runtime is missing"},
		{"lua", "x", "", Options{}, "unknown runtime: 'lua' (expected one of ..."},
		{"starlark", "x", strings.Repeat("#", MaxSource+1), Options{}, "policy script x: larger than 1048576 bytes"},
		{"starlark", "x", "", Options{Timeout: -1}, "policy script x: timeout must be at most 10s"},
		{"starlark", "x", "", Options{Timeout: time.Minute}, "policy script x: timeout must be at most 10s"},
		{"starlark", "x", "def (", Options{}, ""}, // refuses at the doors
	} {
		s, err := Load("p", tt.engine, tt.name, []byte(tt.source), tt.opt)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			s.Close()
		}
		if !matches(got, tt.want) {
			t.Errorf("%s %s: got %q, want %q", tt.engine, tt.name, got, tt.want)
		}
	}
}

func TestDefines(t *testing.T) {
	for _, tt := range []struct {
		source string
		want   string
		check  string
	}{
		{"def pre_command(ctx):\n  return None\n", "pre_command", ""},
		{"def pre_vfs(ctx):\n  pass\npre_session = pre_vfs\n", "pre_vfs pre_session", ""},
		{"x = 1", "pre_command pre_vfs pre_session", "profile 'p' policy defines no hook: pre_command, pre_vfs or pre_session"},
		{"def (", "pre_command pre_vfs pre_session", "profile 'p' policy syntax error: ..."},
		{"fail('no')\ndef pre_vfs(ctx):\n  pass", "pre_command pre_vfs pre_session", "profile 'p' policy failed: line 1: fail: no"},
		{"x = read_file('/a')\ndef pre_vfs(ctx):\n  pass", "pre_command pre_vfs pre_session", "profile 'p' policy failed: line 1: /a: No such file or directory"},
	} {
		s := load(t, "starlark", tt.source, Options{})
		for range 2 {
			var got []string
			for _, h := range hooks {
				if s.Defines(h) {
					got = append(got, string(h))
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%q defines %s, want %s", tt.source, got, tt.want)
			}
		}
		check := ""
		if err := s.Check(context.Background()); err != nil {
			check = err.Error()
		}
		if !matches(check, tt.check) {
			t.Errorf("%q: got %q, want %q", tt.source, check, tt.check)
		}
	}
}

// What a program defines only with files is learnt by the first call.
func TestDefinesAfterCall(t *testing.T) {
	s := load(t, "starlark", "x = read_file('/a')\ndef pre_command(ctx):\n  return 'deny'\n", Options{})
	if !s.Defines(PreVFS) {
		t.Error("not known, and not asked")
	}
	if got := shown(s.Call(context.Background(), PreVFS, map[string]any{}, workspace)); got != "none" {
		t.Errorf("got %q", got)
	}
	if s.Defines(PreVFS) || !s.Defines(PreCommand) {
		t.Error("known now")
	}
}

func TestSerial(t *testing.T) {
	ends(t)
	var mu sync.Mutex
	inside := 0
	files := workspace
	files.onRead = func(context.Context, string) {
		mu.Lock()
		inside++
		if inside > 1 {
			t.Error("two evaluations at once")
		}
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		inside--
		mu.Unlock()
	}
	s := load(t, "starlark", "n = []\ndef pre_command(ctx):\n  n.append(1) if False else None\n  return {'deny': read_file('/b')}\n", Options{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if got := shown(s.Call(context.Background(), PreCommand, input("cat"), files)); got != "deny nothing" {
				t.Errorf("got %q", got)
			}
		})
	}
	wg.Wait()
}

// A caller that waits for its turn goes away when its context ends.
func TestTurnEndsWithContext(t *testing.T) {
	ends(t)
	reading, release := make(chan struct{}), make(chan struct{})
	files := workspace
	files.onRead = func(context.Context, string) { close(reading); <-release }
	s := load(t, "starlark", "def pre_command(ctx):\n  return read_file('/b') and None\n", Options{})
	first := make(chan Answer)
	go func() { first <- s.Call(context.Background(), PreCommand, input("cat"), files) }()
	<-reading
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("the caller left"))
	if got := shown(s.Call(ctx, PreCommand, input("cat"), workspace)); got != "deny profile 'p' policy failed: the caller left" {
		t.Errorf("got %q", got)
	}
	if !s.Defines(PreSession) {
		t.Error("a script that runs is not known")
	}
	close(release)
	if got := shown(<-first); got != "none" {
		t.Errorf("got %q", got)
	}
}

// A file that does not come keeps nobody longer than the call may take; the
// evaluations that hang in it are counted.
func TestHangingFiles(t *testing.T) {
	ends(t)
	release := make(chan struct{})
	s := load(t, "starlark", "def pre_command(ctx):\n  return {'deny': read_file('/b')}\n", Options{})
	for i := range maxStuck + 2 {
		ctx, cancel := context.WithCancelCause(context.Background())
		files := workspace
		files.onRead = func(context.Context, string) { cancel(errors.New("the caller left")); <-release }
		want := "deny profile 'p' policy failed: the caller left"
		if i >= maxStuck {
			want = "deny profile 'p' policy failed: 4 evaluations did not end"
		}
		if got := shown(s.Call(ctx, PreCommand, input("cat"), files)); got != want {
			t.Errorf("call %d: got %q, want %q", i, got, want)
		}
		cancel(nil)
	}
	close(release)
	for s.stuck.Load() != 0 {
		time.Sleep(time.Millisecond)
	}
	if got := shown(s.Call(context.Background(), PreCommand, input("cat"), workspace)); got != "deny nothing" {
		t.Errorf("got %q", got)
	}
}

// The guard of the workspace can tell a script's own reads, and a call that they
// bring about has no opinion instead of waiting for itself.
func TestReading(t *testing.T) {
	ends(t)
	var s *Script
	var inner Answer
	files := workspace
	files.onRead = func(ctx context.Context, _ string) {
		if !Reading(ctx) {
			t.Error("a script's own read is not marked")
		}
		s.Defines(PreVFS)
		inner = s.Call(ctx, PreVFS, map[string]any{}, workspace)
	}
	s = load(t, "starlark", "def pre_vfs(ctx):\n  return {'deny': read_file('/b')}\n", Options{})
	if Reading(context.Background()) {
		t.Error("everything is a script's read")
	}
	if got := shown(s.Call(context.Background(), PreVFS, map[string]any{}, files)); got != "deny nothing" {
		t.Errorf("got %q", got)
	}
	if inner.Kind != None {
		t.Errorf("a script's own read was put to it: %v", inner)
	}
}

func TestCancel(t *testing.T) {
	ends(t)
	s := load(t, "starlark", "def pre_command(ctx):\n  read_file('/b')\n  while True:\n    pass\n", Options{})
	ctx, cancel := context.WithCancel(context.Background())
	files := workspace
	files.onRead = func(context.Context, string) { cancel() }
	if got := shown(s.Call(ctx, PreCommand, input("cat"), files)); got != "deny profile 'p' policy failed: context canceled" {
		t.Errorf("got %q", got)
	}
}

func TestClose(t *testing.T) {
	ends(t)
	s := load(t, "starlark", "def pre_command(ctx):\n  read_file('/b')\n  while True:\n    pass\n", Options{})
	files := workspace
	files.onRead = func(context.Context, string) { go s.Close() }
	want := "deny profile 'p' policy failed: the script is closed"
	for range 2 {
		if got := shown(s.Call(context.Background(), PreCommand, input("cat"), files)); got != want {
			t.Errorf("got %q", got)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestBadInput(t *testing.T) {
	s := load(t, "starlark", "def pre_command(ctx):\n  return None\n", Options{})
	for _, tt := range []struct {
		hook  Hook
		input any
		want  string
	}{
		{"pre_lunch", nil, "deny profile 'p' policy failed: unknown hook pre_lunch"},
		{PreCommand, make(chan int), "deny profile 'p' policy failed: cannot encode ctx: ..."},
		{PreCommand, input("cat", "/\xff"), "deny profile 'p' policy failed: ctx has bytes that are not UTF-8"},
		{PreCommand, input("cat", `/\ufffd\\ufffd`, "\uFFFD\\"), "none"},
		{PreCommand, strings.Repeat("x", maxInput), "deny profile 'p' policy failed: ctx is too large"},
	} {
		if got := shown(s.Call(context.Background(), tt.hook, tt.input, workspace)); !matches(got, tt.want) {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// A panic of what serves the files ends in a refusal.
func TestPanic(t *testing.T) {
	s := load(t, "starlark", "def pre_command(ctx):\n  return read_file('/b')\n", Options{})
	files := workspace
	files.onRead = func(context.Context, string) { panic("oops") }
	if got := shown(s.Call(context.Background(), PreCommand, input("cat"), files)); got != "deny profile 'p' policy failed: engine failed: oops" {
		t.Errorf("got %q", got)
	}
}

func TestClean(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain é 日本", "plain é 日本"},
		{"two\nlines\t\x1b[31m", "two lines  [31m"},
		{"\xff\u202ex", "\uFFFD x"},
		{strings.Repeat("é", maxReason), strings.Repeat("é", maxReason/2)},
		{" \n", ""},
	} {
		if got := clean(tt.in); got != tt.want {
			t.Errorf("clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// Every name of a file survives the way through JavaScript.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"", "a/é日😀", "\xff\xef\xbf", "\uFFFD", "\xed\xa0\x80\xed\xb0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got := fileName(jsName(name)); got != name {
			t.Errorf("%q became %q", name, got)
		}
	})
}

// What the encoder of JSON loses is noticed, and nothing else.
func FuzzLossy(f *testing.F) {
	for _, s := range []string{"", `\ufffd`, `\\ufffd\`, "\uFFFD", "\xff", "\\\xff", "\u2028\"\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		data, err := json.Marshal(map[string]any{s: []string{s, "x"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := lossy(data); got == utf8.ValidString(s) {
			t.Errorf("lossy(%s) = %v", data, got)
		}
	})
}

// BenchmarkCall measures a call that has no opinion.
func BenchmarkCall(b *testing.B) {
	for _, bb := range []struct{ engine, source string }{
		{"starlark", def("return None")},
		{"javascript", js("return null")},
		{"python", py("return None")},
	} {
		b.Run(bb.engine, func(b *testing.B) {
			s, err := Load("p", bb.engine, "test", []byte(bb.source), Options{Python: &Python{}})
			if err != nil {
				b.Skip(err)
			}
			defer s.Close()
			for b.Loop() {
				if a := s.Call(context.Background(), PreCommand, input("cat", "/a"), workspace); a.Kind != None {
					b.Fatal(a)
				}
			}
		})
	}
}
