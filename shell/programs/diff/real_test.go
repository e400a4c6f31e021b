package diff_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mirage/shell/programs"
	"mirage/shell/programs/progtest"
)

// TestAgainstReal compares random texts in every style, and asks the real tool
// about each.
func TestAgainstReal(t *testing.T) {
	tool, err := exec.LookPath("diff")
	if err != nil {
		if os.Getenv(progtest.RequireTools) != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	styles := [][]string{{}, {"-u", "--label=a", "--label=b"}, {"-U1", "--label=a", "--label=b"}, {"-c", "--label=a", "--label=b"}, {"-e"}, {"-n"}, {"-y"}, {"-D", "X"},
		{"-b"}, {"-w", "-U0", "--label=a", "--label=b"}, {"-B", "-U1", "--label=a", "--label=b"}, {"-B"}, {"-i"}, {"-E"}, {"-Z"}, {"-d"}, {"-U2", "-p", "--label=a", "--label=b"},
		{"-bB", "-c", "--label=a", "--label=b"}, {"-t"}, {"-T", "-u", "--label=a", "--label=b"}, {"-y", "-W40", "-t"}, {"-y", "--left-column"}, {"-y", "--suppress-common-lines"},
		{"-Ia"}, {"-u", "-Ia", "--label=a", "--label=b"}, {"-f"}, {"-u", "--suppress-blank-empty", "--label=a", "--label=b"}, {"-c", "--suppress-blank-empty", "--label=a", "--label=b"},
		{"--color=always"}, {"--color=always", "-u", "-p", "--label=a", "--label=b"}, {"--color=always", "-c", "--label=a", "--label=b"}, {"-q"}, {"-s"}, {"--strip-trailing-cr", "-T"},
		{"--old-line-format=-%l|%3dn%c'x'%L", "--new-group-format=<%5df %N%(n=2?yes:no)%>>"}, {"--changed-group-format=%<|%>", "--unchanged-group-format="},
		{"-wy"}, {"-by", "-Ia"}, {"--line-format=%03dn:%l%%%c'\\012'"}, {"--horizon-lines=2"}, {"-u1", "-N", "--label=a", "--label=b", "-F", "b"}}
	dir := t.TempDir()
	w := progtest.NewWorld(t, programs.All())
	for i := range 240 {
		words := []string{"a", "b", "c", "", " ", "a b", "a  b ", "A", "\ta", "b\r", "  a\tb", "xx", "{", "}", "."}
		words = words[:1+rnd.IntN(len(words))]
		base := make([]string, rnd.IntN(1<<(1+i%8)))
		for j := range base {
			base[j] = words[rnd.IntN(len(words))]
			if i%5 == 4 && rnd.IntN(2) == 0 {
				base[j] = fmt.Sprint(rnd.IntN(40))
			}
		}
		text := func() string {
			s := ""
			for _, w := range base {
				switch rnd.IntN(12) {
				case 0:
					w = words[rnd.IntN(len(words))]
				case 1:
					continue
				case 2:
					s += words[rnd.IntN(len(words))] + "\n"
				case 3:
					if i%3 == 0 {
						w = fmt.Sprint(rnd.IntN(99))
					}
				}
				s += w + "\n"
			}
			if len(s) > 0 && rnd.IntN(3) == 0 {
				s = s[:len(s)-1]
			}
			return s
		}
		a, b := text(), text()
		for name, s := range map[string]string{"a": a, "b": b} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		args := append(append([]string{}, styles[i%len(styles)]...), "a", "b")
		cmd := exec.Command(tool, args...)
		cmd.Dir = dir
		cmd.Env = []string{"LC_ALL=C", "TZ=UTC0"}
		want, _ := cmd.Output()
		w.Make(map[string]string{"a": a, "b": b})
		got := w.Run("diff", progtest.Case{Argv: args})
		if got.Stdout != string(want) || got.Status != cmd.ProcessState.ExitCode() {
			t.Errorf("diff %q of\n%q and\n%q: %d %s\ngot\n%s\nwant %d\n%s", args, a, b, got.Status, got.Stderr, got.Stdout, cmd.ProcessState.ExitCode(), want)
		}
	}
}

// FuzzDiff looks for texts and formats that diff does not survive.
func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "b\nc", "%(n=1?%<:%>)%-5.3dN%c'\\012'", byte(0))
	f.Add("a\n\n", "\tb", "%l", byte(3))
	f.Fuzz(func(t *testing.T, a, b, format string, style byte) {
		styles := [][]string{{"--changed-group-format=" + format}, {"--line-format=" + format}, {"-u"}, {"-c", "-B"}, {"-y", "-bt"}, {"-e"}, {"-n", "-w"}, {"-E"}}
		w := progtest.NewWorld(t, programs.All())
		w.Make(map[string]string{"a": a, "b": b})
		got := w.Run("diff", progtest.Case{Argv: append(styles[int(style)%len(styles)], "a", "b")})
		if got.Status > 2 || a == b && got.Status != 0 && got.Stderr == "" {
			t.Errorf("status %d %s", got.Status, got.Stderr)
		}
	})
}

// TestCancel ends a comparison of very different files early.
func TestCancel(t *testing.T) {
	w := progtest.NewWorld(t, programs.All())
	var a, b strings.Builder
	for i := range 200_000 {
		fmt.Fprintln(&a, i*7919%1009)
		fmt.Fprintln(&b, i*104729%997)
	}
	w.Make(map[string]string{"a": a.String(), "b": b.String()})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := w.RunContext(ctx, "diff", progtest.Case{Args: "-d a b"}); got.Stdout != "" {
		t.Errorf("printed %d bytes", len(got.Stdout))
	}
}
