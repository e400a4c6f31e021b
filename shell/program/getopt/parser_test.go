package getopt

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mirage/shell/program"
)

var testSpec = Spec{
	Name:     "demo",
	Synopsis: []string{"[OPTION]... [FILE]...", "-x FILE"},
	Summary:  "Show options.",
	Options: []Option{
		{Short: "a", Long: "all", Help: "everything"},
		{Short: "n", Long: "lines", Arg: Required, Meta: "NUM", Help: "so many"},
		{Long: "color", Arg: Optional, Meta: "WHEN", Help: "in color"},
		{Long: "colour", Name: "color", Arg: Optional, Hidden: true},
		{Short: "i", Long: "in-place", Arg: Optional, Help: "edit"},
		{Long: "alter", Help: "change"},
		{Short: "q", Help: "quiet"},
	},
}

// run shows what a command line parses to: options, operands, status and the
// two streams.
func run(spec *Spec, env []string, args ...string) (shown, stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	inv := &program.Invocation{Name: spec.Name, Args: args, Env: env, Stdout: &out, Stderr: &errs}
	p := spec.Parse(inv)
	var b strings.Builder
	for p.Next() {
		fmt.Fprintf(&b, "%s", p.Opt.Name)
		if p.Opt.HasValue {
			fmt.Fprintf(&b, "=%s", p.Opt.Value)
		}
		b.WriteByte(' ')
	}
	fmt.Fprintf(&b, "%q", p.Operands)
	return b.String(), out.String(), errs.String(), p.Status
}

func TestNext(t *testing.T) {
	const try = "Try 'demo --help' for more information.\n"
	for _, tc := range []struct {
		args   string
		env    string
		order  Order
		want   string
		stderr string
		status int
	}{
		{args: "x -a y -n 3", want: `a n=3 ["x" "y"]`},
		{args: "-an3 x", want: `a n=3 ["x"]`},
		{args: "-n -a", want: `n=-a []`},
		{args: "--lines=4 --lines 5", want: `n=4 n=5 []`},
		{args: "--li 5", want: `n=5 []`},
		{args: "--col=x --colo", want: `color=x color []`},
		{args: "-i -isfx --in=", want: `i i=sfx i= []`},
		{args: "-a -- -q --", want: `a ["-q" "--"]`},
		{args: "- -a", want: `a ["-"]`},
		{args: "x -a", env: "POSIXLY_CORRECT=", want: `["x" "-a"]`},
		{args: "-q x -a", order: RequireOrder, want: `q ["x" "-a"]`},
		{args: "x -a y -- -q", order: InOrder, want: `=x a =y ["-q"]`},
		{args: "-aY -q", want: `a []`, stderr: "demo: invalid option -- 'Y'\n" + try, status: 1},
		{args: "--yy=1", want: `[]`, stderr: "demo: unrecognized option '--yy=1'\n" + try, status: 1},
		{args: "--al=1", want: `[]`, stderr: "demo: option '--al=1' is ambiguous; possibilities: '--all' '--alter'\n" + try, status: 1},
		{args: "--all=1", want: `[]`, stderr: "demo: option '--all' doesn't allow an argument\n" + try, status: 1},
		{args: "--lines", want: `[]`, stderr: "demo: option '--lines' requires an argument\n" + try, status: 1},
		{args: "-an", want: `a []`, stderr: "demo: option requires an argument -- 'n'\n" + try, status: 1},
	} {
		spec := testSpec
		spec.Order = tc.order
		got, _, stderr, status := run(&spec, []string{tc.env}, strings.Fields(tc.args)...)
		if got != tc.want || stderr != tc.stderr || status != tc.status {
			t.Errorf("%s:\ngot  %s %d %s\nwant %s %d %s", tc.args, got, status, stderr, tc.want, tc.status, tc.stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	want := `Usage: demo [OPTION]... [FILE]...
  or:  demo -x FILE
Show options.

  -a, --all                  everything
  -n, --lines=NUM            so many
      --color[=WHEN]         in color
  -i, --in-place[=ARG]       edit
      --alter                change
  -q                         quiet
      --help                 display this help and exit
      --version              output version information and exit
`
	_, out, _, status := run(&testSpec, nil, "-a", "--help", "-Z")
	if out != want || status != 0 {
		t.Errorf("got %d\n%s\nwant 0\n%s", status, out, want)
	}
	_, out, _, _ = run(&testSpec, nil, "--vers")
	if !strings.HasPrefix(out, "demo (mirage) ") {
		t.Errorf("--version: got %q", out)
	}
}

// TestOneOf compares the message about a wrong word with the real ls.
func TestOneOf(t *testing.T) {
	ls, err := exec.LookPath("ls")
	if err != nil {
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") != "" {
			t.Fatal(err)
		}
		t.Skip("no ls here")
	}
	spec := Spec{Name: "ls", Status: 2, Options: []Option{{Long: "time", Arg: Required}}}
	for _, value := range []string{"x", "", "a", "cti", "it's", "a\nb"} {
		cmd := exec.Command(ls, "--time="+value, "-d", "/")
		cmd.Env = []string{"LC_ALL=C"}
		cmd.Args[0] = "ls"
		var want, got bytes.Buffer
		cmd.Stderr = &want
		cmd.Run()
		inv := &program.Invocation{Name: "ls", Args: []string{"--time=" + value}, Stderr: &got}
		p := spec.Parse(inv)
		for p.Next() {
			p.OneOf("atime access use", "ctime status", "birth creation")
		}
		if got.String() != want.String() {
			t.Errorf("%q: got\n%s\nwant\n%s", value, got.String(), want.String())
		}
	}
}

func FuzzNext(f *testing.F) {
	f.Add("-an3 --lines=4 x -- -q")
	f.Add("--=x\x00-\x00--c")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		_, _, stderr, status := run(&testSpec, nil, args...)
		if (status != 0) != (stderr != "") {
			t.Errorf("%q: status %d with message %q", args, status, stderr)
		}
	})
}
