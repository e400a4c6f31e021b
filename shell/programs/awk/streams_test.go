package awk

import (
	"context"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mirage/shell/program"
	"mirage/shell/programs/progtest"
)

// shell stands for sh -c: it knows cat, "echo WORDS" and "exit N" only.
func shell(_ context.Context, inv *program.Invocation) int {
	switch name, rest, _ := strings.Cut(inv.Args[1], " "); name {
	case "cat":
		io.Copy(inv.Stdout, inv.Stdin)
	case "echo":
		if _, err := io.WriteString(inv.Stdout, rest+"\n"); err != nil {
			return program.SIGPIPEStatus
		}
	case "exit":
		return int(rest[0] - '0')
	case "yes":
		for {
			if _, err := io.WriteString(inv.Stdout, "y\n"); err != nil {
				return program.SIGPIPEStatus
			}
		}
	}
	return 0
}

func programs() []*program.Program {
	return append(Programs(), &program.Program{Name: "sh", Run: shell})
}

func TestCommands(t *testing.T) {
	progtest.Run(t, programs(), "awk", []progtest.Case{
		{Args: `'BEGIN { "echo a b" | getline; print $2, NR; "echo c" | getline x; print x, NR }'`, Stdout: "b 0\nc 0\n"},
		{Args: `'BEGIN { while (("echo 1" | getline l) > 0) n++; print n, l }'`, Stdout: "1 1\n"},
		{Args: `'BEGIN { print "x" | "cat"; print close("cat"); print "y" }'`, Stdout: "x\n0\ny\n"},
		{Args: `'BEGIN { print "x" | "cat" } END { print "z" }'`, Stdout: "x\nz\n"},
		{Args: `'BEGIN { print system("exit 3"); print system("echo hi") }'`, Stdout: "3\nhi\n0\n"},
		{Args: `'BEGIN { printf "a"; system("echo b"); print "c" }'`, Stdout: "ab\nc\n"},
		{Args: `'BEGIN { "exit 4" | getline; print close("exit 4"), close("nope") }'`, Stdout: "4 -1\n"},
		{Args: `'BEGIN { "yes" | getline x; print x; close("yes"); "yes" | getline x; print x }'`, Stdout: "y\ny\n"},
		{Args: `-S 'BEGIN { system("echo x") }'`, Stderr: "awk: cmd. line:1: fatal: 'system' function not allowed in sandbox mode\n", Status: 2, AnyStderr: true},
	})
}

func TestOutputs(t *testing.T) {
	in := map[string]string{"t": "a b\nc d\n"}
	progtest.Run(t, programs(), "awk", []progtest.Case{
		{Args: `'{ print $1 > "o"; print $2 >> "p" }' t`, Files: in, Tree: []string{`o -rw-r--r-- "a\nc\n"`, `p -rw-r--r-- "b\nd\n"`, `t -rw-r--r-- "a b\nc d\n"`}},
		{Args: `'{ print > $1 ".txt" }' t`, Files: in, Tree: []string{`a.txt -rw-r--r-- "a b\n"`, `c.txt -rw-r--r-- "c d\n"`, `t -rw-r--r-- "a b\nc d\n"`}},
		{Args: `'{ print > "o"; close("o") }' t`, Files: in, Tree: []string{`o -rw-r--r-- "c d\n"`, `t -rw-r--r-- "a b\nc d\n"`}},
	})
}

// TestBounds gives programs that never end or grow without end.
func TestBounds(t *testing.T) {
	w := progtest.NewWorld(t, programs())
	for _, tt := range []struct{ program, want string }{
		{`BEGIN { while (1) s = s "xxxxxxxxxxxxxxxx" s }`, "memory exhausted"},
		{`BEGIN { s = "x"; while (1) s = s s }`, "memory exhausted"},
		{`BEGIN { while (1) a[i++] = i }`, "memory exhausted"},
		{`BEGIN { while (1) a["k" i++] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxx" }`, "memory exhausted"},
		{`BEGIN { $1000000000 = 1 }`, "memory exhausted"},
		{`BEGIN { NF = 1000000000 }`, "memory exhausted"},
		{`function f() { return f() } BEGIN { f() }`, "function call nesting too deep"},
		{`function f(n) { return 1 + f(n + 1) } BEGIN { print f(0) }`, "function call nesting too deep"},
		{`BEGIN { printf "%1000000000s", "x" > "/dev/null"; gsub(/x/, "yy", s) }`, ""},
	} {
		got := w.Run("awk", progtest.Case{Argv: []string{tt.program}})
		if !strings.Contains(got.Stderr, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.program, got.Stderr, tt.want)
		}
	}
	for _, text := range []string{"BEGIN { for (;;) ; }", "BEGIN { while (1) f() } function f() { }", `BEGIN { for (i = 0; i < 1e9; i++) x = x + 1 }`, "{ for (;;) getline < FILENAME }"} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(20*time.Millisecond, cancel)
		w.RunContext(ctx, "awk", progtest.Case{Argv: []string{text}, Stdin: "x\n"})
	}
}

// TestDeepNesting gives programs that would overflow a recursive parser.
func TestDeepNesting(t *testing.T) {
	w := progtest.NewWorld(t, programs())
	for _, s := range []string{"(", "!", "-", "$", "{", "a[", "2^", "if(1)", "1?"} {
		got := w.Run("awk", progtest.Case{Argv: []string{"BEGIN { x = " + strings.Repeat(s, 1<<16)}})
		if got.Status != 1 {
			t.Errorf("%q: status %d, stderr %.100q", s, got.Status, got.Stderr)
		}
	}
}

// TestOrder checks that for (k in a) goes in gawk's order, for random keys.
func TestOrder(t *testing.T) {
	gawk, err := exec.LookPath("gawk")
	if err != nil {
		t.Skip("no gawk here")
	}
	r := rand.New(rand.NewPCG(1, 2))
	w := progtest.NewWorld(t, programs())
	for n := 1; n < 400; n += 23 {
		var b strings.Builder
		b.WriteString("BEGIN { ")
		for i := range n {
			k := make([]byte, 1+r.IntN(5))
			for i := range k {
				k[i] = "abcxyz"[r.IntN(6)]
			}
			b.WriteString(`a["` + string(k) + `"]; `)
			if i%7 == 6 {
				b.WriteString(`delete a["` + string(k) + `"]; `)
			}
		}
		b.WriteString("for (k in a) print k }")
		want, err := exec.Command(gawk, b.String()).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Run("awk", progtest.Case{Argv: []string{b.String()}}); got.Stdout != string(want) {
			t.Errorf("%d keys: got %q, want %q", n, got.Stdout, want)
		}
	}
}

// FuzzAwk checks that no program makes awk panic or hang.
func FuzzAwk(f *testing.F) {
	for _, s := range []string{
		`{ $3 = $1 $2; print; a[$1]++ } END { for (k in a) print k, a[k] }`,
		`function f(a, b) { return a[b] } BEGIN { x["k"] = 1; print f(x, "k") }`,
		`BEGIN { printf "%5.2f|%c|%-10s\n", 1, "x", "y"; print substr("hello", 2) > "/dev/stdout" }`,
		`/a/, /b/ { gsub(/[a-c]+/, "<&>"); print length, NF } !/x/`,
		`BEGIN { while (("echo x" | getline l) > 0) print l; switch (1) { case 1: break; default: exit } }`,
	} {
		f.Add(s, "a b c\nd e f\n")
	}
	f.Fuzz(func(t *testing.T, text, in string) {
		if len(text) > 300 || len(in) > 300 {
			return
		}
		w := progtest.NewWorld(t, programs())
		ctx, cancel := context.WithCancel(context.Background())
		defer time.AfterFunc(time.Second, cancel).Stop()
		w.RunContext(ctx, "awk", progtest.Case{Argv: []string{text}, Stdin: in})
	})
}
