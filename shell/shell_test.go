package shell_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mirage/shell"
	"mirage/shell/program"
)

// stuck are lines that never end by themselves.
var stuck = map[string]string{
	"empty loop":         `while :; do :; done`,
	"arithmetic loop":    `for ((;;)); do ((i++)); done`,
	"nested arithmetic":  `((i = 0)); while ((i < 1000000000000)); do ((i += 1)); done`,
	"recursion":          `f() { f & wait; }; f`,
	"sleep":              `sleep 1000`,
	"endless program":    `yes > /dev/null`,
	"endless pipeline":   `yes | cat | cat > /dev/null`,
	"read from a pipe":   `sleep 1000 | read x`,
	"read from terminal": `read x`,
	"cat terminal":       `cat`,
	"fifo of nobody":     `coproc cat; read x <&${COPROC[0]}`,
	"substitution":       `x=$(yes)`,
	"process subst":      `cat <(sleep 1000)`,
	"wait":               `sleep 1000 & wait`,
	"nested shell":       `bash -c 'while :; do :; done'`,
	"subshells":          `while :; do (:); done`,
	"big expansion":      `x=a; while :; do x=$x$x; x=${x:0:100000}; done`,
	"glob loop":          `while :; do echo * > /dev/null; done`,
	"trap loop":          `trap 'while :; do :; done' EXIT; exit`,
	"select":             `select x in a b; do :; done`,
	"mapfile":            `yes | mapfile`,
	"stuck program":      `deaf`,
	"stopped":            `kill -STOP $$; :`,
	"here-string":        `while read x; do :; done < <(yes)`,
	"deep eval":          `eval 'while :; do eval :; done'`,
}

// neverReader blocks for ever, as a terminal that nobody types at.
type neverReader struct{ stop chan struct{} }

func (n neverReader) Read([]byte) (int, error) {
	<-n.stop
	return 0, io.EOF
}

func TestCancel(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	deaf := &program.Program{Name: "deaf", Run: func(context.Context, *program.Invocation) int { <-release; return 0 }}
	for name, source := range stuck {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t, newTree(t))
			cfg.Programs = map[string]*program.Program{"deaf": deaf}
			for n, p := range allPrograms() {
				cfg.Programs[n] = p
			}
			sh := shell.New(cfg)
			defer sh.Close()
			ctx, cancel := context.WithCancel(t.Context())
			started := make(chan struct{})
			var once bool
			out := writerFunc(func(p []byte) (int, error) {
				if !once {
					once = true
					close(started)
				}
				return len(p), nil
			})
			done := make(chan shell.Result, 1)
			stop := make(chan struct{})
			defer close(stop)
			go func() {
				done <- sh.Run(ctx, shell.Line{Source: "echo started; " + source, Stdin: neverReader{stop}, Stdout: out, Stderr: io.Discard})
			}()
			<-started
			cancel()
			select {
			case res := <-done:
				if res.Status != 130 {
					t.Errorf("status %d, want 130", res.Status)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("the line goes on after its context ended")
			}
			if got := runLine(sh, "echo alive", ""); got.stdout != "alive\n" {
				t.Errorf("afterwards: %+v", got)
			}
		})
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestBlockedOutput holds that a front end which takes no output cannot keep
// a line that was cancelled.
func TestBlockedOutput(t *testing.T) {
	sh := newShell(t, newTree(t))
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	blocked := make(chan struct{}, 1)
	out := writerFunc(func(p []byte) (int, error) {
		select {
		case blocked <- struct{}{}:
		default:
		}
		<-release
		return len(p), nil
	})
	done := make(chan shell.Result, 1)
	go func() { done <- sh.Run(ctx, shell.Line{Source: "while :; do echo x; done", Stdout: out, Stderr: out}) }()
	<-blocked
	cancel()
	select {
	case res := <-done:
		if res.Status != 130 {
			t.Errorf("status %d, want 130", res.Status)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("blocked")
	}
}

// TestBudgets holds that what goes beyond a budget is an error and the session
// lives.
func TestBudgets(t *testing.T) {
	deep := func(open, close string, n int) string {
		return strings.Repeat(open, n) + "1" + strings.Repeat(close, n)
	}
	tests := []struct{ name, source, want string }{
		{"source", "echo " + strings.Repeat("x", 5<<20), "source: limit exceeded"},
		{"subshells", deep("( ", " )", 100_000), "nesting: limit exceeded"},
		{"parentheses", "echo $((" + deep("(", ")", 200_000) + "))", "nesting: limit exceeded"},
		{"unary", "echo $((" + strings.Repeat("!", 1_000_000) + "1))", "nesting: limit exceeded"},
		{"minus", "echo $((" + strings.Repeat("- ", 20_000) + "1))", "nesting: limit exceeded"},
		{"substitutions", deep("echo $(", ")", 20_000), "nesting: limit exceeded"},
		{"expansions", "echo " + deep("${x:-", "}", 20_000), "nesting: limit exceeded"},
		{"quotes", "echo " + deep(`"$(echo `, `)"`, 20_000), "nesting: limit exceeded"},
		{"and", strings.Repeat("true &&", 20_000) + "true", "nesting: limit exceeded"},
		{"pipes", strings.Repeat("true |", 20_000) + "true", "nesting: limit exceeded"},
		{"sums", "echo $((" + strings.Repeat("1+", 20_000) + "1))", "nesting: limit exceeded"},
		{"powers", "echo $((" + strings.Repeat("1**", 20_000) + "1))", "nesting: limit exceeded"},
		{"ternaries", "echo $((" + strings.Repeat("1?1:", 20_000) + "1))", "nesting: limit exceeded"},
		{"tests", "[[ " + strings.Repeat("( ", 20_000) + "a" + strings.Repeat(" )", 20_000) + " ]]", "nesting: limit exceeded"},
		{"not", "[[ " + strings.Repeat("! ", 20_000) + "a ]]", "nesting: limit exceeded"},
		{"elif", "if x; then x; " + strings.Repeat("elif x; then x; ", 20_000) + "fi", "nesting: limit exceeded"},
		{"blocks", strings.Repeat("{ ", 20_000) + "x; " + strings.Repeat("}; ", 100_000), "nesting: limit exceeded"},
		{"functions", strings.Repeat("f() { ", 20_000) + "x; " + strings.Repeat("}; ", 100_000), "nesting: limit exceeded"},
		{"calls", "f() { f; }; f", "depth: limit exceeded"},
		{"mutual calls", "f() { g; }; g() { f; }; f", "depth: limit exceeded"},
		{"evals", `e='eval "$e"'; eval "$e"`, "depth: limit exceeded"},
		{"sources", "echo '. /tmp/s' > /tmp/s; . /tmp/s", "depth: limit exceeded"},
		{"recursive substitution", "f() { echo $(f); }; f 2>&1 | head -n 1", "depth: limit exceeded"},
		{"recursive shells", "echo 'bash /tmp/b' > /tmp/b; bash /tmp/b", "depth: limit exceeded"},
		{"words", "echo {1..1000000}", "limit exceeded"},
		{"words within words", "echo {1..1000}{1..1000}{1..1000}", "limit exceeded"},
		{"memory", "x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done", "limit exceeded"},
		{"output in memory", "x=$(yes)", "memory: limit exceeded"},
		{"jobs", "for i in {1..400}; do sleep 100 & done", "jobs: limit exceeded"},
		{"descriptors", "while exec {fd}<&0; do :; done 2>&1", "Too many open files"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t, newTree(t))
			cfg.Limits.Memory = 16 << 20
			sh := shell.New(cfg)
			defer sh.Close()
			got := runLine(sh, test.source, "")
			if !strings.Contains(got.stderr+got.stdout, test.want) || got.result.Status == 130 {
				t.Errorf("status %d, stdout %.100q, stderr %.300q; want %q", got.result.Status, got.stdout, got.stderr, test.want)
			}
			if got := runLine(sh, "echo alive", ""); got.stdout != "alive\n" {
				t.Errorf("afterwards: %+v", got)
			}
		})
	}
}

// TestLine is what is particular to a front end's own line.
func TestLine(t *testing.T) {
	tests := []struct {
		source, stdin  string
		stdout, stderr string
		status         int
		exited         bool
		signal         string
	}{
		{source: "echo hi", stdout: "hi\n"},
		{source: "nosuch x", stderr: "nosuch: command not found\n", status: 127},
		{source: "cd /nodir", stderr: "cd: /nodir: No such file or directory\n", status: 1},
		{source: "echo $0", stdout: "bash\n"},
		{source: "echo a; if", stderr: "mirage: syntax error near 'echo a; if'\n", status: 2},
		{source: "echo a )", stderr: "mirage: syntax error near ')'\n", status: 2},
		{source: "echo one\nfi\necho two", stderr: "mirage: syntax error near 'fi'\n", status: 2},
		{source: "[[ a -bogus b ]]; echo after", stderr: "mirage: conditional binary operator expected\n", status: 2},
		{source: "compgen -c", stderr: "mirage: unsupported builtin: compgen\n", status: 2},
		{source: "exec -a x true", stderr: "mirage: unsupported builtin: exec -a\n", status: 2},
		{source: "echo ${x?gone}; echo no", stderr: "bash: x: gone\n", status: 127},
		{source: "set -u; echo $nope\necho no", stderr: "bash: nope: unbound variable\n", status: 127},
		{source: "exit 3; echo no", status: 3, exited: true},
		{source: "(exit 3); echo $?", stdout: "3\n"},
		{source: "kill -TERM $$; echo no", status: 143, signal: "TERM"},
		{source: "trap 'echo caught' TERM; kill -TERM $$; echo yes", stdout: "caught\nyes\n"},
		{source: "bash -c 'nosuch'", stderr: "bash: line 1: nosuch: command not found\n", status: 127},
		{source: "eval 'nosuch'", stderr: "nosuch: command not found\n", status: 127},
		{source: "read x; echo $x; cat", stdin: "one\ntwo\n", stdout: "one\ntwo\n"},
		{source: "cat <<E\nbody\nE\necho after", stdout: "body\nafter\n"},
		{source: "sleep 1000 & kill -KILL %1; wait %1", stderr: "Killed\n", status: 137},
		{source: "sleep 0 & fg", stdout: "sleep 0\n"},
		{source: "echo out; echo err >&2; echo out2", stdout: "out\nout2\n", stderr: "err\n"},
		{source: "", stdout: ""},
		{source: "# only a comment", stdout: ""},
		{source: "ls nofile |& wc -l", stdout: "1\n"},
	}
	for _, test := range tests {
		got := runLine(newShell(t, newTree(t)), test.source, test.stdin)
		got.result.Aborted = false // a matter of scripts; see TestResultForScripts
		want := output{test.stdout, test.stderr, shell.Result{Status: test.status, Exited: test.exited, Signal: test.signal}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q\n got %+v\nwant %+v", test.source, got, want)
		}
	}
}

// TestSession holds what stays between two lines and what does not.
func TestSession(t *testing.T) {
	view := newTree(t)
	sh := newShell(t, view)
	steps := []struct{ source, stdout, stderr string }{
		{"cd /tmp; x=1; export y=2; f() { echo f $1; }; set -o pipefail; alias a=b; umask 077", "", ""},
		{"pwd; echo $x $y; f 3; shopt -o pipefail; umask", "/tmp\n1 2\nf 3\npipefail       \ton\n0077\n", ""},
		{"exec 3>/tmp/f; echo to three >&3", "", ""},
		{"exec 3>&-; cat /tmp/f", "to three\n", ""},
		{"false", "", ""},
		{"echo $?", "1\n", ""},
		{"exit 4", "", ""},
		{"echo $x $?", "1 4\n", ""},
		{"exec 1>&2; echo to stderr", "", "to stderr\n"},
		{"echo still; exec 1>/dev/stdin", "", "still\n"},
	}
	for _, s := range steps[:len(steps)-1] {
		got := runLine(sh, s.source, "")
		if got.stdout != s.stdout || got.stderr != s.stderr {
			t.Errorf("%q\n got %q %q\nwant %q %q", s.source, got.stdout, got.stderr, s.stdout, s.stderr)
		}
	}
}

// TestClone holds that a line with a directory or variables of its own leaves
// nothing.
func TestClone(t *testing.T) {
	sh := newShell(t, newTree(t))
	runLine(sh, "x=outer; f() { echo outer; }", "")
	var out bytes.Buffer
	sh.Run(t.Context(), shell.Line{
		Source: "pwd; echo $A $x; x=inner; f() { :; }; cd /; set -e", Stdout: &out, Dir: "/tmp", Env: map[string]string{"A": "env"},
	})
	if got, want := out.String(), "/tmp\nenv outer\n"; got != want {
		t.Errorf("clone: got %q, want %q", got, want)
	}
	if got := runLine(sh, "pwd; echo ${A-unset} $x $-; f", ""); got.stdout != "/\nunset outer hB\nouter\n" {
		t.Errorf("afterwards: %+v", got)
	}
}

func TestState(t *testing.T) {
	view := newTree(t)
	sh := newShell(t, view)
	runLine(sh, `cd /tmp; s='a "b"'; declare -a arr=(1 [5]=five); declare -A m=([k]=v [k2]=v2); export e=1; readonly r=2; declare -i n=3`, "")
	runLine(sh, `f() { echo "f $1"; if true; then echo yes; fi; }; export -f f; alias l='echo x'; set -o pipefail; shopt -s nullglob`, "")
	runLine(sh, `trap 'echo bye' EXIT; set -- p1 "p 2"; umask 027; pushd / >/dev/null; (exit 9)`, "")
	data, err := json.Marshal(sh.State())
	if err != nil {
		t.Fatal(err)
	}
	var st shell.State
	if err := json.Unmarshal(data, &st); err != nil {
		t.Fatal(err)
	}
	again, err := shell.Restore(testConfig(t, view), st)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	const show = `echo $?; pwd; declare -p s arr m e r n; f x; bash -c 'f child'; alias; shopt -o pipefail; shopt nullglob; trap; echo $# "$2"; umask; dirs`
	want, got := runLine(sh, "(exit 9); "+show, ""), runLine(again, show, "")
	if got.stdout != want.stdout || got.stderr != want.stderr {
		t.Errorf("restored\n got %s%s\nwant %s%s", got.stdout, got.stderr, want.stdout, want.stderr)
	}
	if !reflect.DeepEqual(again.State(), sh.State()) {
		a, _ := json.Marshal(again.State())
		b, _ := json.Marshal(sh.State())
		t.Errorf("state\n got %s\nwant %s", a, b)
	}
}

func TestRestoreRefusesForeignFunctions(t *testing.T) {
	for _, source := range []string{"rm -rf /", "f() { :; }; rm x", "if", "g() { :; }"} {
		st := shell.State{Functions: map[string]string{"f": source}}
		if _, err := shell.Restore(testConfig(t, newTree(t)), st); err == nil {
			t.Errorf("%q restored", source)
		}
	}
}

func TestIncomplete(t *testing.T) {
	sh := newShell(t, newTree(t))
	for source, want := range map[string]bool{
		"echo": false, "if true": true, "if true; then x; fi": false, "echo 'a": true, `echo "a`: true, "echo a \\": true,
		"cat <<E\nbody": true, "cat <<E\nbody\nE": false, "f() {": true, "(": true, ")": false, "fi": false, "a |": true,
		"a &&": true, "echo $(": true, "for x in a": true, "": false, "case x in": true, "{ a": true, "echo `": true,
	} {
		if got := sh.Incomplete(source); got != want {
			t.Errorf("Incomplete(%q) = %v", source, got)
		}
	}
}

func TestComplete(t *testing.T) {
	view := newTree(t)
	for _, n := range []string{"/data/alpha.txt", "/data/al pha", "/data/sub/x", "/data/.hidden"} {
		writeFile(t, view, n, "x", 0o644)
	}
	writeFile(t, view, "/data/run.sh", "x", 0o755)
	sh := newShell(t, view)
	runLine(sh, "cd /data; myfunc() { :; }; MYVAR=1", "")
	tests := []struct {
		source string
		start  int
		want   []string
	}{
		{"cat al", 4, []string{`al\ pha`, "alpha.txt"}},
		{"cat su", 4, []string{"sub/"}},
		{"cat sub/", 4, []string{"sub/x"}},
		{"cat .", 4, []string{".hidden"}},
		{"cat /data/alp", 4, []string{"/data/alpha.txt"}},
		{"myf", 0, []string{"myfunc"}},
		{"echo x | myf", 9, []string{"myfunc"}},
		{"echo $MYV", 5, []string{"$MYVAR"}},
		{"echo ${MYV", 5, []string{"${MYVAR}"}},
		{"./r", 0, []string{"./run.sh"}},
		{"X=1 myf", 4, []string{"myfunc"}},
		{"cat < alph", 6, []string{"alpha.txt"}},
		{"nosuchthing", 0, nil},
	}
	for _, test := range tests {
		start, words := sh.Complete(t.Context(), test.source)
		if start != test.start || !reflect.DeepEqual(words, test.want) {
			t.Errorf("Complete(%q) = %d %q, want %d %q", test.source, start, words, test.start, test.want)
		}
	}
}

func TestJobsOutliveTheirLine(t *testing.T) {
	view := newTree(t)
	sh := newShell(t, view)
	runLine(sh, "(read x < <(sleep 0.05); echo done > /tmp/f) & sleep 1000 &", "")
	if got := sh.Jobs(); got < 1 {
		t.Errorf("%d jobs", got)
	}
	if got := runLine(sh, "wait %1; cat /tmp/f; jobs", ""); got.stdout != "done\n[2]+  Running                 sleep 1000 &\n" {
		t.Errorf("second line: %+v", got)
	}
	if n := sh.KillJobs(); n != 1 {
		t.Errorf("KillJobs = %d", n)
	}
	if got := sh.Jobs(); got != 0 {
		t.Errorf("%d jobs after KillJobs", got)
	}
	runLine(sh, "sleep 1000 &", "")
	if err := sh.Close(); err != nil {
		t.Error(err)
	}
	if got := sh.Run(t.Context(), shell.Line{Source: "echo x"}); got.Status == 0 {
		t.Errorf("a closed shell ran a line: %+v", got)
	}
}

func TestPanicIsContained(t *testing.T) {
	cfg := testConfig(t, newTree(t))
	var panics atomic.Int32
	cfg.Panicked = func(any, []byte) { panics.Add(1) }
	cfg.Programs = map[string]*program.Program{"boom": {Name: "boom", Run: func(context.Context, *program.Invocation) int { panic("boom") }}}
	sh := shell.New(cfg)
	defer sh.Close()
	got := runLine(sh, "boom; echo $?; boom | boom; echo ${PIPESTATUS[@]}; boom & wait $!; echo $?", "")
	if got.stdout != "1\n1 1\n1\n" || strings.Count(got.stderr, "boom: internal error\n") != 4 {
		t.Errorf("%+v", got)
	}
	if n := panics.Load(); n != 4 {
		t.Errorf("%d panics told", n)
	}
}
