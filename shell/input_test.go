package shell_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"mirage/shell"
)

// textInput is an Input over a text.
type textInput struct{ bytes.Buffer }

func (in *textInput) ReadContext(_ context.Context, p []byte) (int, error) { return in.Read(p) }
func (in *textInput) Ready() bool                                          { return true }

func (in *textInput) Unread(p []byte) {
	rest := append(bytes.Clone(p), in.Bytes()...)
	in.Reset()
	in.Write(rest)
}

// What a line does not read of its input is there for the next one.
func TestInputIsReadAsFarAsNeeded(t *testing.T) {
	sh := newShell(t, newTree(t))
	in := &textInput{}
	in.WriteString("one\ntwo\nthree\nfour\nfive\n")
	for _, test := range []struct{ source, stdout, rest string }{
		{"echo", "\n", "one\ntwo\nthree\nfour\nfive\n"},
		{`read x; echo "[$x]"`, "[one]\n", "two\nthree\nfour\nfive\n"},
		{`read -n 1 x; echo "[$x]"`, "[t]\n", "wo\nthree\nfour\nfive\n"},
		{`read x; read y; echo "[$x][$y]"`, "[wo][three]\n", "four\nfive\n"},
		{`read -t 0; echo $?`, "0\n", "four\nfive\n"},
		{"cat", "four\nfive\n", ""},
		{"read x; echo $?", "1\n", ""},
	} {
		var out bytes.Buffer
		sh.Run(context.Background(), shell.Line{Source: test.source, Stdin: in, Stdout: &out, Stderr: io.Discard})
		if out.String() != test.stdout || in.String() != test.rest {
			t.Errorf("%s: printed %q, left %q; want %q, %q", test.source, out.String(), in.String(), test.stdout, test.rest)
		}
	}
}

// What one line leaves of an ordinary reader does not reach the next line.
func TestStdinEndsWithItsLine(t *testing.T) {
	sh := newShell(t, newTree(t))
	if got := runLine(sh, "read x; echo $x", "a\nsecret\n"); got.stdout != "a\n" {
		t.Errorf("got %q", got.stdout)
	}
	if got := runLine(sh, "cat", "b\n"); got.stdout != "b\n" {
		t.Errorf("the next line read %q", got.stdout)
	}
}

func TestResultForScripts(t *testing.T) {
	for source, want := range map[string]shell.Result{
		"true":                              {},
		"exit 3":                            {Status: 3, Exited: true},
		"set -e; false; echo no":            {Status: 1, Aborted: true},
		"set -u; echo $nope":                {Status: 127, Aborted: true},
		"(exit 3)":                          {Status: 3},
		"trap 'echo bye' EXIT":              {ExitTrap: true},
		"trap '' EXIT":                      {},
		"trap 'echo bye' EXIT; trap - EXIT": {},
		"trap 'echo bye' EXIT; exit 3":      {Status: 3, Exited: true},
	} {
		if got := runLine(newShell(t, newTree(t)), source, "").result; got != want {
			t.Errorf("%s: %+v, want %+v", source, got, want)
		}
	}
}

// A background job of an interactive session writes to its terminal, also
// when no line runs.
func TestBackgroundOutput(t *testing.T) {
	sh := newShell(t, newTree(t))
	r, w := io.Pipe()
	defer func() { _ = r.Close() }()
	sh.Run(context.Background(), shell.Line{
		Source: "{ sleep 0.1; echo from the background; } & ", Stdout: w, Stderr: io.Discard, Interactive: true,
	})
	const want = "from the background\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
}
