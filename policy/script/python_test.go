package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mirage/policy/script/worker"
)

// needPython skips a test where workers cannot run: their programs are not
// installed, which MIRAGE_REQUIRE_TOOLS=1 makes a failure, or the kernel refuses
// namespaces to this process, which no installation cures.
func needPython(t *testing.T) Options {
	t.Helper()
	opt := Options{Python: &Python{}}
	s, err := Load("p", "python", "test", nil, opt)
	switch {
	case err == nil:
		s.Close()
		return opt
	case errors.Is(err, worker.ErrMissing):
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if out, refused := namespacesRefused(); !refused {
		t.Fatal(err)
	} else {
		t.Skipf("the kernel refuses namespaces: %s", out)
	}
	return opt
}

// namespacesRefused tries the least confinement, as the user of a worker.
func namespacesRefused() (string, bool) {
	cmd := exec.Command("bwrap", "--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "true")
	cmd.Dir = "/"
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	return fmt.Sprintf("%s%v", out, err), err != nil
}

func py(body string) string {
	return "def pre_command(ctx):\n    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n"
}

// askCurl is the script that the documentation of profiles shows.
const askCurl = `def pre_command(ctx):
    for path in ctx["command"]["paths"]:
        if "curl" in contents(path):
            return {"ask": "approve before a command reads it"}
    return None

def contents(path):
    try:
        return open(path).read()
    except OSError:
        return ""
`

func TestPython(t *testing.T) {
	opt := needPython(t)
	const failed = "deny profile 'p' policy failed: "
	runRowsWith(t, "python", opt, []row{
		{name: "as documented", source: askCurl, want: "ask approve before a command reads it"},
		{name: "as documented, nothing", source: askCurl, input: input("cat", "/b", "/x", "/secret/x"), want: "none"},

		{name: "none", source: py("return None"), want: "none"},
		{name: "allow", source: py("return 'allow'"), want: "none"},
		{name: "deny", source: py("return 'deny'"), want: "deny denied by policy"},
		{name: "ask", source: py("return 'ask'"), want: "ask no standing approval"},
		{name: "deny with reason", source: py("return {'deny': f\"not {ctx['command']['name']}\"}"), want: "deny not cat"},
		{name: "reason of controls", source: py(`return {'deny': '\ud800a\n\x1b[2J'}`), want: "deny \uFFFDa  [2J"},
		{name: "long reason", source: py("return {'deny': 'x' * 10000000}"), want: "deny " + strings.Repeat("x", maxReason)},
		{name: "ask of a variable", hook: PreSession, source: "def pre_session(ctx):\n    return 'ask'\n", want: failed + "pre_session cannot ask"},
		{name: "ask of a file", hook: PreVFS, source: "pre_vfs = lambda ctx: 'ask'", want: "ask no standing approval"},
		{name: "another hook", hook: PreVFS, source: py("return 'deny'"), want: "none"},

		{name: "no hook", source: "x = 1", want: "deny profile 'p' policy defines no hook: pre_command, pre_vfs or pre_session"},
		{name: "empty", source: "", want: "deny profile 'p' policy defines no hook: pre_command, pre_vfs or pre_session"},
		{name: "syntax", source: "x = 1\ndef (", want: "deny profile 'p' policy syntax error: line 2: ..."},
		{name: "no text", source: "\xff", want: "deny profile 'p' policy syntax error: ..."},
		{name: "NUL", source: "x = '\x00'", want: "deny profile 'p' policy syntax error: ..."},
		{name: "nested", source: "x = " + strings.Repeat("(", 10000), want: "deny profile 'p' policy syntax error: ..."},
		{name: "raises", source: py("return ctx['nothing']"), want: failed + "line 2: KeyError: 'nothing'"},
		{name: "raises at the top", source: "1/0", want: failed + "line 1: ZeroDivisionError: division by zero"},
		{name: "raises much", source: py("raise ValueError('x' * 10000000)"), want: failed + "line 2: ValueError: xxx..."},
		{name: "raises what raises", source: "class E(Exception):\n    def __str__(self): raise self\n" + py("raise E()"), want: failed + "line 4: E"},
		{name: "exits", source: py("raise SystemExit(0)"), want: failed + "line 2: SystemExit: 0"},
		{name: "ends", source: py("import os; os._exit(0)"), want: failed + "the worker ended"},
		{name: "is killed", source: py("import ctypes; ctypes.string_at(1)"), want: failed + "..."},
		{name: "hook is no function", source: "pre_command = 1", want: failed + "pre_command is no function"},
		{name: "recursion", source: py("return pre_command(ctx)"), want: failed + "line 2: RecursionError: ..."},

		{name: "number", source: py("return 1"), want: failed + "pre_command returned a value of type int"},
		{name: "true", source: py("return True"), want: failed + "pre_command returned a value of type bool"},
		{name: "other word", source: py("return 'Allow'"), want: failed + `pre_command returned "Allow"`},
		{name: "list", source: py("return ['deny']"), want: failed + "pre_command returned a value of type list"},
		{name: "empty dict", source: py("return {}"), want: failed + "pre_command returned a dict of 0 entries"},
		{name: "both", source: py("return {'deny': 'x', 'ask': 'y'}"), want: failed + "pre_command returned a dict of 2 entries"},
		{name: "allow in a dict", source: py("return {'allow': 'x'}"), want: failed + `pre_command returned a mapping of "allow"`},
		{name: "reason is no text", source: py("return {'deny': None}"), want: failed + "pre_command returned a dict of str to NoneType"},
		{name: "kind of text", source: "class S(str):\n    def __eq__(self, x): return True\n" + py("return S('x')"), want: failed + "pre_command returned a value of type S"},
		{name: "deep list", source: py("a = []\nfor i in range(1000000): a = [a]\nreturn {'deny': a}"), want: failed + "pre_command returned a dict of str to list"},

		{name: "prints", source: py("import sys, os\nprint('x' * 100000)\nprint('{}', file=sys.stderr)\nos.system('echo {}')\nreturn 'deny'"), want: "deny denied by policy"},
		{name: "input", source: py("return {'ask': input()}"), want: failed + "line 2: EOFError: ..."},
		{name: "forged line", source: py("import os\nfor fd in range(3, 32):\n    try: os.write(fd, b'garbage\\n')\n    except OSError: pass"), want: failed + "the worker said what is no answer"},
		{name: "endless line", source: py("import os\nwhile True:\n    for fd in range(3, 32):\n        try: os.write(fd, b'x' * 65536)\n        except OSError: pass"), want: failed + "the worker said too much"},
		{name: "forged question", source: py("import os\nfor fd in range(3, 32):\n    try: os.write(fd, b'{\"op\": \"write\"}\\n')\n    except OSError: pass"), want: failed + "the worker said what is no answer"},
		{name: "forged kind", source: py("import os\nfor fd in range(3, 32):\n    try: os.write(fd, b'{\"defined\": [\"pre_command\"]}\\n')\n    except OSError: pass"), want: failed + "the worker said what is no answer"},

		{name: "reads", source: py("with open(ctx['command']['paths'][0]) as f: return {'ask': f.readline()}"), want: "ask run curl here"},
		{name: "reads bytes", source: py("return {'ask': repr(open('/bin', 'rb').read())}"), want: `ask b'\xff\xfe\x00curl'`},
		{name: "reads bytes as text", source: py("open('/bin').read()"), want: failed + "line 2: UnicodeDecodeError: ..."},
		{name: "reads with errors", source: py("return {'ask': open('/bin', errors='ignore').read()}"), want: "ask curl"},
		{name: "reads with pathlib", source: py("from pathlib import Path\nreturn {'ask': Path('/a').read_text() + str(Path('/x').exists())}"), want: "ask run curl hereFalse"},
		{name: "reads much", source: py("return {'ask': str(len(open('/big').read()))}"), want: "ask 1048576"},
		{name: "reads nothing", source: py("open('/x')"), want: failed + "line 2: FileNotFoundError: [Errno 2] No such file or directory: '/x'"},
		{name: "reads what is refused", source: py("try: open('/secret/x')\nexcept PermissionError as e: return {'ask': e.strerror}"), want: "ask Permission denied"},
		{name: "reads too much", source: py("try: open('/huge')\nexcept BaseException: pass"), want: failed + "/huge: File too large"},
		{name: "reads much more", source: py("try: open('/unruly')\nexcept BaseException: pass"), want: failed + "/unruly: File too large"},
		{name: "reads what is broken", source: py("try: open('/broken')\nfinally: return None"), want: failed + "/broken: Input/output error"},
		{name: "odd names", source: py("import os\nreturn {'ask': ' '.join(open('/odd/' + n).read() for n in os.listdir('/odd')) + repr(os.listdir(b'/odd')[3])}"), want: `ask two three four oneb'\xff'`},
		{name: "name of no kind", source: py("open(1.5)"), want: failed + "line 2: TypeError: ..."},
		{name: "name with NUL", source: py("open('a\\0')"), want: failed + "line 2: OSError: [Errno 22] ..."},
		{name: "writes", source: py("try: open('/a', 'w')\nexcept OSError as e: return {'ask': e.strerror}"), want: "ask Read-only file system"},
		{name: "opens a number", source: py("open(0)"), want: failed + "line 2: OSError: [Errno 9] Bad file descriptor"},
		{name: "exists", source: py("from os.path import exists, getsize, isdir, isfile\nreturn {'ask': str([exists('/a'), exists('/x'), isfile('/a'), isdir('/d'), isdir('/a'), getsize('/b')])}"), want: "ask [True, False, True, True, False, 7]"},
		{name: "lists", source: py("import os\nreturn {'ask': ','.join(os.listdir('/d') + [e.path for e in os.scandir('/d')])}"), want: "ask x,y,/d/x,/d/y"},
		{name: "lists no directory", source: py("import os\nos.listdir('/a')"), want: failed + "line 3: NotADirectoryError: [Errno 20] Not a directory: '/a'"},
		{name: "reads without end", source: py("import os\nwhile True: os.path.exists('/a')"), want: failed + "read too much"},
		{name: "modules", source: py("import re, json, fnmatch, shlex, hashlib, datetime\nreturn {'ask': re.sub('x', 'y', 'axb') + json.dumps([1]) + str(fnmatch.fnmatch('a.env', '*.env'))}"), want: "ask ayb[1]True"},
		{name: "keywords of input", input: map[string]any{"n": 1 << 40, "f": 1.5, "z": nil, "t": true, "l": []int{1}, "u": "é\u2028"}, source: py("return {'ask': str(ctx)}"),
			want: `ask {'f': 1.5, 'l': [1], 'n': 1099511627776, 't': True, 'u': 'é\u2028', 'z': None}`},
	})
}

// A script finds nothing of the host, whatever it calls.
func TestPythonConfinement(t *testing.T) {
	opt := needPython(t)
	ends(t)
	t.Setenv("MIRAGE_TEST_SECRET", "x")
	for _, tt := range []struct{ body, want string }{
		{"return {'ask': str(sorted(k for k in os.environ if k not in ('PWD', 'LC_CTYPE')))}", "ask []"},
		{"return {'ask': str(os.getuid())}", "ask 65534"},
		// posix is what os is made of, and not replaced.
		{"import posix\nreturn {'ask': str(sorted(set(posix.listdir('/')) - {'bin', 'lib', 'lib32', 'lib64'}))}", "ask ['dev', 'usr']"},
		{"import posix\nreturn {'ask': str(posix.listdir('/dev'))}", "ask ['null']"},
		{"import posix\nfor p in '/etc/passwd', '/proc/self', '/home', '/root', '/tmp', '/sys', '/var':\n    try: posix.stat(p)\n    except OSError: continue\n    return {'deny': p}", "none"},
		{"import posix\nfor p in '/x', '/usr/x', '/dev/x', '/bin/x':\n    try: posix.open(p, posix.O_CREAT | posix.O_WRONLY)\n    except OSError: continue\n    return {'deny': p}", "none"},
		{"import socket\ntry:\n    socket.create_connection(('127.0.0.1', 22), 1)\nexcept OSError as e: return {'ask': 'refused'}", "ask refused"},
		{"import socket\ntry:\n    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n    s.connect(('192.0.2.1', 53))\nexcept OSError as e: return {'ask': e.strerror}", "ask Network is unreachable"},
		{"return {'ask': str([p for p in range(2, 1000) if alive(p)])}", "ask [...]"},
		{"try: os.fork()\nexcept BlockingIOError: return {'ask': 'refused'}", "ask refused"},
		{"import resource\ntry: resource.setrlimit(resource.RLIMIT_AS, (-1, -1))\nexcept ValueError as e: return {'ask': 'refused'}", "ask refused"},
		{"x = bytearray(1 << 40)", "deny profile 'p' policy failed: line 10: MemoryError"},
		{"x = 'x'\nwhile True: x += x", "deny profile 'p' policy failed: line 11: MemoryError"},
		{"import os\nos.kill(os.getppid(), 9)\nreturn 'deny'", "..."},
	} {
		s := load(t, "python", "import os\ndef alive(p):\n    try: os.kill(p, 0)\n    except ProcessLookupError: return False\n    except OSError: pass\n    return True\n\n\n"+py(tt.body), opt)
		got := shown(s.Call(context.Background(), PreCommand, input("cat"), workspace))
		if head, tail, ok := strings.Cut(tt.want, "..."); ok {
			if !strings.HasPrefix(got, head) || !strings.HasSuffix(got, tail) {
				t.Errorf("%s\n got %q, want %q", tt.body, got, tt.want)
			}
		} else if got != tt.want {
			t.Errorf("%s\n got %q, want %q", tt.body, got, tt.want)
		}
		s.Close()
	}
}

// A worker that does not answer in time is killed, and the next call has another.
func TestPythonTimeout(t *testing.T) {
	opt := needPython(t)
	ends(t)
	s := load(t, "python", py("while ctx['command']['name'] == 'loop': pass\nreturn 'deny'"), opt)
	for _, tt := range []struct{ name, want string }{
		{"loop", "deny profile 'p' policy timed out after 1s"},
		{"cat", "deny denied by policy"},
		{"loop", "deny profile 'p' policy timed out after 1s"},
		{"cat", "deny denied by policy"},
	} {
		s.timeout = DefaultTimeout
		if tt.name == "loop" {
			s.timeout = time.Second
		}
		if got := shown(s.Call(context.Background(), PreCommand, input(tt.name), workspace)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := shown(s.Call(context.Background(), PreCommand, input("cat"), workspace)); got != "deny profile 'p' policy failed: the script is closed" {
		t.Errorf("got %q", got)
	}
	if s.engine.(*python).idle != nil {
		t.Error("a worker outlives its script")
	}
}

// A worker that ended while nobody needed it is replaced without a refusal.
func TestPythonReplacesWorker(t *testing.T) {
	opt := needPython(t)
	ends(t)
	s := load(t, "python", py("return 'deny'"), opt)
	for range 3 {
		if got := shown(s.Call(context.Background(), PreCommand, input("cat"), workspace)); got != "deny denied by policy" {
			t.Errorf("got %q", got)
		}
		s.engine.(*python).idle.Kill()
	}
}

// One process serves many calls, and no globals pass from one to the next.
func TestPythonKeepsWorker(t *testing.T) {
	opt := needPython(t)
	s := load(t, "python", "n = []\n"+py("n.append(1)\nreturn {'ask': str(len(n))}"), opt)
	if !s.Defines(PreCommand) || s.Defines(PreVFS) {
		t.Error("a probe finds the hooks")
	}
	first := s.engine.(*python).idle
	for range 3 {
		if got := shown(s.Call(context.Background(), PreCommand, input("cat"), workspace)); got != "ask 1" {
			t.Errorf("got %q", got)
		}
	}
	if s.engine.(*python).idle != first || first == nil {
		t.Error("another worker was started")
	}
}

// Close while a worker runs leaves none behind.
func TestPythonClose(t *testing.T) {
	opt := needPython(t)
	ends(t)
	s := load(t, "python", py("open('/b')\nwhile True: pass"), opt)
	files := workspace
	closed := make(chan bool, 1)
	files.onRead = func(context.Context, string) {
		go func() {
			s.Close()
			e := s.engine.(*python)
			e.mu.Lock()
			defer e.mu.Unlock()
			alive := e.idle != nil
			for p := range e.busy {
				alive = alive || p.Send(nil) == nil
			}
			closed <- alive
		}()
	}
	defer func() {
		if <-closed {
			t.Error("a worker outlives its script")
		}
	}()
	if got := shown(s.Call(context.Background(), PreCommand, input("cat"), files)); got != "deny profile 'p' policy failed: the script is closed" {
		t.Errorf("got %q", got)
	}
}

func TestPythonRefused(t *testing.T) {
	if _, err := Load("p", "python", "x", nil, Options{}); err == nil || err.Error() != "policy script x: the runtime python is not switched on" {
		t.Errorf("got %v", err)
	}
	opt := needPython(t)
	opt.Python = &Python{Path: "/nowhere/bin/python3"}
	if _, err := Load("p", "monty", "x", nil, opt); err == nil || !errors.Is(err, worker.ErrMissing) {
		t.Errorf("got %v", err)
	}
	other := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(other, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	opt.Python.Path = other
	if _, err := Load("p", "python", "x", nil, opt); err == nil || !strings.HasSuffix(err.Error(), "lies neither below /usr nor in PREFIX/bin") {
		t.Errorf("got %v", err)
	}
	opt.Python.Path = "/usr/bin/false"
	if _, err := Load("p", "python", "x", nil, opt); err == nil || !strings.HasPrefix(err.Error(), "policy script x: cannot confine a worker: ") {
		t.Errorf("got %v", err)
	}
}
