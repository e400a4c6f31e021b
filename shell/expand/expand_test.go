package expand_test

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/expand"
	"mirage/shell/vars"
)

// parseWord parses text as the argument of a command.
func parseWord(t testing.TB, text string) *syntax.Word {
	t.Helper()
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(": "+text), "")
	if err != nil {
		t.Fatal(err)
	}
	return f.Stmts[0].Cmd.(*syntax.CallExpr).Args[1]
}

var splitCases = []struct{ ifs, line string }{
	{" :", "a b c"}, {" :", " a : b"}, {" :", "a::b"}, {" :", `a\ b c`}, {" :", "a b c d  "}, {" :", ":a"}, {" :", "a:"},
	{" :", " a b : "}, {" :", `x\`}, {":", "a:b:"}, {":", "a:b:c:"}, {":", "a:b::"}, {":", ":"}, {":", "::"}, {":", "a"},
	{":", "a:"}, {"", " a b "}, {" \t\n", "  one\ttwo   three  "}, {"x", "axbx"}, {" x", `a\xb x c`}, {":", `a\:b:c`},
	{" ", ""}, {" ", "   "}, {"é", "aébéc"},
}

// TestSplitIFS compares with what read does, for one to three names and an
// array.
func TestSplitIFS(t *testing.T) {
	bash := findBash(t)
	if bash == "" {
		t.Skip("no bash")
	}
	script := `for r in '' -r; do
	IFS=$1 read $r a <<<"$2"; printf '%s\0' "$a"
	IFS=$1 read $r a b <<<"$2"; printf '%s\0' "$a" "$b"
	IFS=$1 read $r a b c <<<"$2"; printf '%s\0' "$a" "$b" "$c"
	IFS=$1 read $r -a d <<<"$2"; printf '%s\0' "${#d[@]}" "${d[@]}"
done`
	for _, c := range splitCases {
		cmd := exec.Command(bash, "--norc", "-c", script, "bash", c.ifs, c.line)
		cmd.Env = []string{"LC_ALL=C.UTF-8"}
		want, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		s := newSession(t)
		if err := s.x.Vars.Set("IFS", c.ifs); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		for _, raw := range []bool{false, true} {
			for n := 1; n <= 3; n++ {
				fields := s.x.SplitIFS(c.line, n, raw)
				for i := range n {
					if i < len(fields) {
						got.WriteString(fields[i])
					}
					got.WriteByte(0)
				}
			}
			fields := s.x.SplitIFS(c.line, -1, raw)
			got.WriteString(string(rune('0'+len(fields))) + "\x00")
			for _, f := range fields {
				got.WriteString(f + "\x00")
			}
			if len(fields) == 0 {
				got.WriteByte(0) // printf prints its format once
				got.Truncate(got.Len() - 1)
			}
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("IFS=%q %q:\ngot  %q\nwant %q", c.ifs, c.line, got.Bytes(), want)
		}
	}
}

func TestDocument(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"cat <<E\na $x \"q\" 'r' \\$x \\\\ \\\" `echo b` $((1+2))\nE", "a 1 \"q\" 'r' $x \\ \\\" b 3\n"},
		{"cat <<E\n${u:-'a'} ${u:-\"b\"} ${u-\\}}\nE", "'a' b }\n"},
		{"cat <<E\na\\\nb *\nE", "ab *\n"},
		{"cat <<-E\n\ta\n\t\t$x\tb\n\tE", "a\n1\tb\n"},
		{"cat <<E\n$@ $* ${a[@]}\nE", "p q r p q r 1 2\n"},
	} {
		f, err := syntax.NewParser().Parse(strings.NewReader(c.script), "")
		if err != nil {
			t.Fatal(err)
		}
		s := newSession(t)
		s.run("x=1; set -- 'p q' r; a=(1 2)")
		r := f.Stmts[0].Redirs[0]
		got, err := s.x.Document(t.Context(), r.Hdoc, r.Op == syntax.DashHdoc)
		if got != c.want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", c.script, got, err, c.want)
		}
	}
}

func TestRedirect(t *testing.T) {
	s := newSession(t)
	s.run("x='a b'; y=f")
	for _, c := range []struct{ word, want, err string }{
		{"$y.txt", "f.txt", ""}, {`"$x"`, "a b", ""}, {"$x", "", "$x: ambiguous redirect"}, {"$none", "", "$none: ambiguous redirect"},
		{"{a,b}", "", "{a,b}: ambiguous redirect"}, {"~/f", "/home/user/f", ""},
	} {
		got, err := s.x.Redirect(t.Context(), parseWord(t, c.word))
		msg := ""
		if err != nil {
			msg = err.Error()
		}
		if got != c.want || msg != c.err {
			t.Errorf("%s: got %q, %q, want %q, %q", c.word, got, msg, c.want, c.err)
		}
	}
}

func TestPrompt(t *testing.T) {
	s := newSession(t)
	s.run(`x='a$b'; PWD=/home/user/src/deep; PROMPT_DIRTRIM=1; export TZ=EST5EDT,M3.2.0,M11.1.0`)
	for in, want := range map[string]string{
		`\u@\h:\w\$ `: "user@host:~/.../deep$ ", `\W \s \v \V`: "deep bash 5.2 5.2.15", `\[\e[1m\]x\[\e[0m\]`: "\x1b[1mx\x1b[0m",
		`$x \$x \\ \101\q`: `a$b $x \ A\q`, `\D{%Y} \t \A \d`: "2001 21:46:40 21:46 Sat Sep 08", `$(echo hi) $((1+2))`: "hi 3",
		`\n\r\a`: "\n\r\a", "plain": "plain",
	} {
		if got, err := s.x.Prompt(t.Context(), in); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", in, got, err, want)
		}
	}
}

func TestAssignTemp(t *testing.T) {
	s := newSession(t)
	s.run("declare -i n=1; declare -r r=1; x=old")
	f, err := syntax.NewParser().Parse(strings.NewReader("x=$x.new x+=er n=2+3 r=2 c"), "")
	if err != nil {
		t.Fatal(err)
	}
	s.x.Vars.PushTemp()
	for _, a := range f.Stmts[0].Cmd.(*syntax.CallExpr).Assigns {
		err := s.x.AssignTemp(t.Context(), a)
		var e *expand.Error
		if refused := a.Name.Value == "r"; refused != (errors.As(err, &e) && e.Severity == expand.Fail) {
			t.Errorf("%s: got %v", a.Name.Value, err)
		}
	}
	env := s.x.Vars.Environ()
	for _, want := range []string{"x=old.newer", "n=5"} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s in %q", want, env)
		}
	}
	s.x.Vars.Pop()
	if got := s.x.Vars.Get("x"); got != "old" {
		t.Errorf("x is %q after the command", got)
	}
}

// TestLimits shows that budgets are kept, with an error that says so.
func TestLimits(t *testing.T) {
	for _, script := range []string{
		"argv {1..100001}", "argv {1..400}{1..400}", "argv {1..9223372036854775807}", "argv {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
		"x=aaaaaaaaaa; x=$x$x$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x$x$x",
		"x=aaaaaaaaaa; x=$x$x$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x$x$x; argv ${x//a/$x}",
	} {
		s := newSession(t)
		s.x.Limits.Memory = 1 << 19
		if got := s.run(script); !strings.Contains(got, "limit exceeded") {
			t.Errorf("%.40s: got %.100q", script, got)
		}
	}
	if got := newSession(t).run("a=({1..100000}); argv ${#a[@]} ${a[-1]}"); got != "2: <100000> <100000>\n" {
		t.Errorf("{1..100000}: got %.100q", got)
	}
}

// TestCancel shows that expansions end with their context.
func TestCancel(t *testing.T) {
	s := newSession(t)
	s.run("a=({1..1000}); x=${a[*]}; x=$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x")
	s.makeFiles([]string{"d/e/f"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{"${x//[0-9]/y}", "${x^^}", "$x$x$x", "${a[@]/1/2}", "{1..1000}{1..10}", "${x##*!(a)b}", "/*/*/*"} {
		if _, err := s.x.Fields(ctx, parseWord(t, text)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", text, err, context.Canceled)
		}
	}
}

func TestSeverity(t *testing.T) {
	for word, want := range map[string]expand.Severity{
		"${u?}": expand.Exit, "$((1/0))": expand.Discard, "${!u}": expand.Discard, "${1:=x}": expand.Discard, "${x:0:-9}": expand.Discard,
	} {
		s := newSession(t)
		s.run("x=abc")
		_, err := s.x.Fields(t.Context(), parseWord(t, word))
		var e *expand.Error
		if !errors.As(err, &e) || e.Severity != want || e.Status != 1 {
			t.Errorf("%s: got %v, want severity %d", word, err, want)
		}
	}
	s := newSession(t)
	if err := s.x.SetRef(t.Context(), "1x", "v"); err == nil || err.Error() != "`1x': not a valid identifier" {
		t.Errorf("got %v", err)
	}
	s.x.Vars.Protect("x")
	if err := s.x.Vars.Set("BASH", "x"); err != nil {
		t.Error(err)
	}
	var ve *vars.Error
	s.run("declare -r y=1")
	if err := s.x.SetRef(t.Context(), "y", "2"); !errors.As(err, &ve) || ve.Text != "readonly variable" {
		t.Errorf("got %v", err)
	}
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{"{a,b{1..3},c}", "${x#*a}${y/a/b}", "$((x+y))", "${a[1+1]}", "~/x", "a{,b", "${x:1:2}", "${!x}", "@(a|b)*"} {
		f.Add(s, "a[b]*?", " :")
	}
	f.Fuzz(func(t *testing.T, text, x, ifs string) {
		if strings.IndexByte(text+x+ifs, 0) >= 0 || len(text) > 100 || len(x) > 100 {
			return
		}
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader("argv "+text), "")
		if err != nil || len(file.Stmts) != 1 {
			return
		}
		c, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
		if !ok || file.Stmts[0].Redirs != nil || hasCommands(c) {
			return
		}
		s := newSession(t)
		s.x.Limits = expand.Limits{Memory: 1 << 16, Words: 1000}
		for name, value := range map[string]string{"x": x, "y": "1", "IFS": ifs} {
			if err := s.x.Vars.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		_, _ = s.x.Fields(t.Context(), c.Args...)
		_, _ = s.x.Prompt(t.Context(), x)
		s.x.SplitIFS(x, 2, false)
	})
}

// hasCommands reports whether a command runs others, which the harness cannot.
func hasCommands(c *syntax.CallExpr) bool {
	found := false
	syntax.Walk(c, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return true
	})
	return found
}
