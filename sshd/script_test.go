package sshd

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// script gives a shell without a terminal something to read.
func script(t *testing.T, f *fixture, stdin string) (stdout, stderr, end string) {
	t.Helper()
	s := newSession(t, f.dial("demo"))
	var out, errs bytes.Buffer
	s.Stdin, s.Stdout, s.Stderr = strings.NewReader(stdin), &out, &errs
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	end = ending(s.Wait())
	return out.String(), errs.String(), end
}

func TestScript(t *testing.T) {
	long := strings.Repeat("x", maxScriptLine)
	for _, tc := range []struct{ name, stdin, stdout, stderr, end, ran string }{
		{"nothing", "", "", "", "0", ""},
		{"lines", "echo a\necho b\n", "a\nb\n", "", "0", "echo a|echo b"},
		{"last line without end", "echo a\necho b", "a\nb\n", "", "0", "echo a|echo b"},
		{"status of the last", "status 3\nstatus 4\n", "", "", "4", "status 3|status 4"},
		{"blank lines and comments", "\n  \n# one\nstatus 4\n\t\n # two\n", "", "", "4", "status 4"},
		{"exit", "echo a\nexit 5\necho b\n", "a\n", "", "5", "echo a|exit 5"},
		{"stdin is shared", "line\nfor the command\necho b\n", "got <for the command>\nb\n", "", "0", "line|echo b"},
		{"a command takes the rest", "cat\nrest\nof it", "rest\nof it", "", "0", "cat"},
		{"quotes go on", "echo 'a\nb'\nstatus 1", "'a\nb'\n", "", "1", "echo 'a\nb'|status 1"},
		{"backslash goes on", "echo a \\\nb\n", "a \\\nb\n", "", "0", "echo a \\\nb"},
		{"compound command", "if x\nthen y\nfi\n", "", "if: command not found\n", "127", "if x\nthen y\nfi"},
		{"here-document", "echo <<E 'F'\n'a\n# b )\nE\nstatus 2\n", "<<E 'F'\n'a\n# b )\nE\n", "", "2", "echo <<E 'F'\n'a\n# b )\nE|status 2"},
		{"here-document with tabs", "echo <<-'EX'\n\ta\n\tEX\nstatus 2\n", "<<-'EX'\n\ta\n\tEX\n", "", "2", "echo <<-'EX'\n\ta\n\tEX|status 2"},
		{"two here-documents", "echo <<A <<B\n1\nB\nA\n2\nA\nB\nstatus 2\n", "<<A <<B\n1\nB\nA\n2\nA\nB\n", "", "2", "echo <<A <<B\n1\nB\nA\n2\nA\nB|status 2"},
		{"here-document in a loop", "while x <<E\n1\ndone\nE\ndo y\ndone\nstatus 2\n", "", "while: command not found\n", "2", "while x <<E\n1\ndone\nE\ndo y\ndone|status 2"},
		{"shift is no here-document", "((x\n=1<<2\n))\nstatus 2\n", "", "((x\n=1<<2\n)): command not found\n", "2", "((x\n=1<<2\n))|status 2"},
		{"unfinished at the end", "echo 'a\nb", "'a\nb\n", "", "0", "echo 'a\nb"},
		{"carriage returns are text", "echo a\r\n", "a\r\n", "", "0", "echo a\r"},
		{"line of the longest", "#" + long[1:] + "\nstatus 2\n", "", "", "2", "status 2"},
		{"line too long", "#" + long + "\nstatus 2\n", "", "mirage: shell input line too long\n", "1", ""},
		{"statement too long", "echo '\n" + strings.Repeat(long[1:]+"\n", 5), "", "mirage: shell input is too long\n", "1", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFixture(t, "", nil)
			stdout, stderr, end := script(t, f, tc.stdin)
			if stdout != tc.stdout || stderr != tc.stderr || end != tc.end || f.fakes.started() != tc.ran {
				t.Errorf("got %q, %q, %s, ran %q; want %q, %q, %s, ran %q",
					stdout, stderr, end, f.fakes.started(), tc.stdout, tc.stderr, tc.end, tc.ran)
			}
		})
	}
}

// A script is answered line by line, not at its end.
func TestScriptAnswersAtOnce(t *testing.T) {
	f := newFixture(t, "", nil)
	s := newSession(t, f.dial("demo"))
	in, err := s.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		want := fmt.Sprintf("line %d\n", i)
		if _, err := io.WriteString(in, "echo "+want); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want))
		if _, err := io.ReadFull(out, got); err != nil || string(got) != want {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
	_ = in.Close()
	if got := ending(s.Wait()); got != "0" {
		t.Errorf("ended with %s", got)
	}
}

// INT ends the running line of a script, not the script.
func TestScriptInterrupt(t *testing.T) {
	f := newFixture(t, "", nil)
	s := newSession(t, f.dial("demo"))
	in, err := s.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s.Stdout = &out
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "sleep\necho after\n"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the line to start", func() bool { return f.fakes.started() == "sleep" })
	if err := s.Signal("INT"); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	if got := ending(s.Wait()); got != "0" || out.String() != "after\n" {
		t.Errorf("ended with %s, stdout %q", got, out.String())
	}
}

// What a client had begun to say when it was lost does not run.
func TestScriptOfLostClient(t *testing.T) {
	f := newFixture(t, "", nil)
	for range 20 {
		c := f.dial("demo")
		s := newSession(t, c)
		in, err := s.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Shell(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(in, "echo half of a l"); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the session to open", func() bool { return f.fakes.sessions() == 1 })
		_ = c.Close()
		waitFor(t, "the session to close", func() bool { return f.fakes.sessions() == 0 })
	}
	if got := f.fakes.started(); got != "" {
		t.Errorf("ran %q", got)
	}
}
