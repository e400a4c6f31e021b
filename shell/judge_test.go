package shell_test

import (
	"bytes"
	"context"
	"io"
	"path"
	"strings"
	"testing"
	"time"

	"mirage/policy"
	"mirage/shell"
)

// bans is a Judge that refuses whole lines by command, an operand by name, and
// does not know of some commands.
type bans struct{ deny, absent, operand string }

func (b bans) Command(_ context.Context, c policy.Command) policy.Answer {
	known := func(i int) bool { return c.Unknown == nil || !c.Unknown[i] }
	if len(c.Argv) == 0 || !known(0) {
		return policy.Answer{}
	}
	if path.Base(c.Argv[0]) == b.absent && (c.Kind == policy.KindProgram || c.Kind == policy.KindBuiltin) {
		return policy.Answer{Outcome: policy.Absent}
	}
	if c.Argv[0] == b.deny {
		return policy.Answer{Outcome: policy.Deny, Reason: "banned", Scope: policy.ScopeCommand}
	}
	for i, w := range c.Argv[1:] {
		if known(i+1) && b.operand != "" && w == b.operand {
			return policy.Answer{Outcome: policy.Deny, Reason: "sealed", Scope: policy.ScopeOperand, Operand: w}
		}
	}
	return policy.Answer{}
}

func (b bans) Visible(word string) bool { return word != b.absent }
func (bans) VarHidden(string) bool      { return false }

// A line that has a refused command anywhere does not run at all, wherever the
// command stands in it.
func TestRefusedLineDoesNotBegin(t *testing.T) {
	for _, source := range []string{
		"rm x", "command rm x", "builtin command rm x", "/usr/bin/rm x", "\\rm x", "'r'm x", "if false; then rm x; fi",
		"false && rm x", "for i in; do rm x; done", "f() { rm x; }", "( rm x )", "{ rm x; }", "rm x &", "! rm x", "time rm x", "rm x | cat", "true | rm x",
		"echo $(rm x)", "echo `rm x`", "echo \"$(rm x)\"", "x=$(rm x)", "cat <(rm x)", "a=([$(rm x)]=1)", "echo ${x:-$(rm x)}", "((a[$(rm x)]))", "echo $(( $(rm x) ))",
		"cat <<E\n$(rm x)\nE", "cat <<< $(rm x)", "cat > $(rm x)", "case $(rm x) in *) ;; esac", "case a in $(rm x)) ;; esac", "[[ $(rm x) ]]", "while rm x; do break; done",
		"eval 'rm x'", "eval rm x", "trap 'rm x' EXIT", "bash -c 'rm x'", "sh -c 'echo; rm x'", "bash -ec 'rm x'", "bash <<< 'true'; rm x",
		"env rm x", "env -u B A=1 rm x", "env -i rm x", "timeout 1 rm x", "timeout -s KILL 1 rm x", "xargs rm", "xargs -n 1 -I {} rm {}", "find . -exec rm {} ';'",
		"find . -name x -execdir rm {} +", "env timeout 1 xargs bash -c 'rm x'", "exec rm x", "coproc rm x", "A=1 rm x", "select i in a; do rm x; done", "echo a; echo b; rm x",
	} {
		cfg := testConfig(t, newTree(t))
		cfg.Judge = bans{deny: "rm"}
		sh := shell.New(cfg)
		got := runLine(sh, "echo begun; "+source, "")
		if got.stdout != "" || got.result.Status != 126 || got.result.Refusal == nil || got.stderr != "rm: Permission denied\n" {
			t.Errorf("%s: %+v", source, got)
		}
		sh.Close()
	}
}

// What only the run can tell is refused at the door, and nothing after it runs.
func TestRefusedAtTheDoor(t *testing.T) {
	for _, source := range []string{
		"c=rm; $c x", "env -S 'rm x'", "alias q='rm x'\nshopt -s expand_aliases\nq", "c='rm x'; eval \"$c\"", "c='rm x'; bash -c \"$c\"", "c=rm; env $c x", "c=rm; echo x | xargs $c", "c=rm; \"${c}\" x", "r*", "$(echo rm) x", "c=rm; command $c x",
		"echo 'rm x' > s; . ./s", "echo 'rm x' > s; source s", "c=rm; find / -maxdepth 0 -exec $c {} ';'", "printf 'r%s x' m > s; bash s", "echo cm0geA== | base64 -d | bash",
	} {
		cfg := testConfig(t, newTree(t))
		cfg.Judge = bans{deny: "rm"}
		sh := shell.New(cfg)
		if source == "r*" {
			writeFile(t, cfg.View, "/rm", "", 0o644)
		}
		got := runLine(sh, source, "")
		if !strings.Contains(got.stderr, "rm: Permission denied\n") || got.result.Refusal == nil {
			t.Errorf("%s: %+v", source, got)
		}
		if got := runLine(sh, "echo alive", ""); got.stdout != "alive\n" {
			t.Errorf("%s: afterwards %+v", source, got)
		}
		sh.Close()
	}
}

// A command that the session does not have is missing everywhere, and fails
// alone.
func TestAbsentCommand(t *testing.T) {
	cfg := testConfig(t, newTree(t))
	cfg.Judge = bans{absent: "seq"}
	sh := shell.New(cfg)
	defer sh.Close()
	for source, want := range map[string]string{
		"seq 3; echo $?":          "127\n",
		"env seq 3; echo $?":      "127\n",
		"type seq; echo $?":       "1\n",
		"command -v seq; echo $?": "1\n",
	} {
		if got := runLine(sh, source, ""); got.stdout != want || got.result.Refusal != nil {
			t.Errorf("%s: %+v, want %q", source, got, want)
		}
	}
}

// A refused operand is told in the command's own words.
func TestRefusedOperand(t *testing.T) {
	for source, want := range map[string]struct {
		stderr string
		status int
	}{
		"cat /k":         {"cat: /k: Permission denied\n", 1},
		"rm -f /k":       {"rm: cannot remove '/k': Permission denied\n", 1},
		"mkdir /k":       {"mkdir: cannot create directory '/k': Permission denied\n", 1},
		"echo $(cat /k)": {"cat: /k: Permission denied\n", 1},
	} {
		cfg := testConfig(t, newTree(t))
		cfg.Judge = bans{operand: "/k"}
		sh := shell.New(cfg)
		got := runLine(sh, "echo begun; "+source, "")
		if got.stdout != "" || got.stderr != want.stderr || got.result.Status != want.status || got.result.Refusal == nil {
			t.Errorf("%s: %+v, want %+v", source, got, want)
		}
		sh.Close()
	}
}

// Any text is parsed, measured, judged and run within its budgets.
func FuzzLine(f *testing.F) {
	for _, s := range []string{
		"echo hi", "f() { a; } && b", "cat <<E\n$(x)\nE\n", "((a[0]++)) | cat", "${a[@]:1:2}", "case x in (a|b) ;; esac", "[[ a =~ (b) ]]", "a=([x]=1 [y]=2)",
		"$'\\x41' \"${x:-`y`}\"", "echo {1..3}{a,b}", ">&2 <<<x 2>&1 | while read l; do :; done", "alias a=b; a", "((((", "if if if", "\x00\xff", "trap 'x' EXIT; exit 3",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		cfg := testConfig(t, newTree(t))
		cfg.Judge = bans{deny: "rm", absent: "seq"}
		cfg.Limits = shell.Limits{Memory: 8 << 20, Jobs: 8, Depth: 50}
		sh := shell.New(cfg)
		defer sh.Close()
		sh.Incomplete(source)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		var stderr bytes.Buffer
		res := sh.Run(ctx, shell.Line{Source: source, Stdout: io.Discard, Stderr: &stderr})
		if res.Status < 0 || res.Status > 255 {
			t.Errorf("status %d", res.Status)
		}
		if strings.Contains(stderr.String(), "internal error") {
			t.Errorf("%q: %s", source, stderr.String())
		}
	})
}

// A file that cannot run is told as ever, also where words are not commands:
// a path is no word of the list.
func TestFilesThatCannotRun(t *testing.T) {
	cfg := testConfig(t, newTree(t))
	cfg.Judge = bans{absent: "x"}
	sh := shell.New(cfg)
	defer sh.Close()
	runLine(sh, "echo > /x; mkdir /d", "")
	for _, tt := range []struct {
		line, stderr string
		status       int
	}{
		{"/x", "/x: Permission denied\n", 126},
		{"./x", "./x: Permission denied\n", 126},
		{"/d", "/d: Is a directory\n", 126},
		{"/none", "/none: No such file or directory\n", 127},
		{"x", "x: command not found\n", 127},
	} {
		if got := runLine(sh, tt.line, ""); got.stderr != tt.stderr || got.result.Status != tt.status {
			t.Errorf("%s: got %d, %q, want %d, %q", tt.line, got.result.Status, got.stderr, tt.status, tt.stderr)
		}
	}
}
