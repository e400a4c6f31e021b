package sshd

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// shellOn starts a shell on a terminal.
func shellOn(t *testing.T, f *fixture, term string) (*ssh.Session, io.WriteCloser, *screen) {
	t.Helper()
	s := newSession(t, f.dial("demo"))
	if err := s.RequestPty(term, 24, 80, nil); err != nil {
		t.Fatal(err)
	}
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
	return s, in, &screen{t: t, r: bufio.NewReader(out)}
}

const prompt = "mirage:/$ "

// step is a part of a dialogue: what is typed, then what must appear.
type step struct{ keys, want string }

func talk(t *testing.T, in io.Writer, s *screen, steps []step) {
	t.Helper()
	for _, st := range steps {
		if _, err := io.WriteString(in, st.keys); err != nil {
			t.Fatal(err)
		}
		if got := s.expect(st.want); !strings.HasSuffix(got, st.want) {
			t.Fatalf("after %q: got %q, want %q", st.keys, got, st.want)
		}
	}
}

func TestInteractive(t *testing.T) {
	for _, tc := range []struct {
		name  string
		steps []step
		end   string
	}{
		{"echo and logout", []step{{"echo hi\r", "hi\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"exit with a status", []step{{"exit 3\r", "logout\r\n"}}, "3"},
		{"status of the last line at the end", []step{{"status 9\r", "status 9"}, {"", prompt}, {"\x04", "logout\r\n"}}, "9"},
		{"newline as enter", []step{{"echo hi\n", "hi\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"editing", []step{{"echo ac\x1b[Db\r", "abc\r\n"}, {"", prompt}, {"exit\r", "logout\r\n"}}, "0"},
		{"history", []step{{"echo one\r", "one\r\n"}, {"", prompt}, {"\x1b[A\x7f\x7f\x7ftwo\r", "two\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"tab", []step{{"echo c\t\r", "completed \r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"secondary prompt", []step{{"echo 'a\r", "> "}, {"b'\r", "'a\r\nb'\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"ctrl-c drops a half-typed line", []step{{"echo bad\x03", "^C\r\n"}, {"", prompt}, {"status?\r", "130\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"ctrl-c drops an unfinished construct", []step{{"echo 'a\r", "> "}, {"\x03", "^C\r\n"}, {"", prompt}, {"echo ok\r", "ok\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"ctrl-d after ctrl-c", []step{{"\x03", "^C\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "130"},
		{"ctrl-d in an unfinished construct", []step{{"echo 'a\r", "> "}, {"\x04", "'a\r\n"}, {"", "logout\r\n"}}, "0"},
		{"ctrl-z means nothing at a prompt", []step{{"\x1aecho hi\r", "hi\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"the prompt follows cd", []step{{"cd /data\r", "mirage:/data$ "}, {"\x04", "logout\r\n"}}, "0"},
		{"stderr is on the screen", []step{{"err oops\r", "oops\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"a refusal says why", []step{{"refuse not for you\r", "policy denied: not for you\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "126"},
		{"blank lines", []step{{"\r", prompt}, {"  \r", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"several lines at once", []step{{"echo a\recho b\r\x04", "a\r\n"}, {"", "b\r\n"}, {"", "logout\r\n"}}, "0"},
		{"paste of lines", []step{{"\x1b[200~echo 'a\rb'\x1b[201~\r", "'a\r\nb'\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"terminal name and size", []step{{"size\r", "xterm 80x24\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFixture(t, "", nil)
			s, in, screen := shellOn(t, f, "xterm")
			screen.expect(prompt)
			talk(t, in, screen, tc.steps)
			if got := ending(s.Wait()); got != tc.end {
				t.Errorf("ended with %s, want %s", got, tc.end)
			}
		})
	}
}

// What is typed while a line runs.
func TestTypingWhileALineRuns(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		steps      []step
		end        string
	}{
		{"ctrl-c", "sleep", []step{{"\x03", "^C\r\n"}, {"", prompt}, {"status?\r", "130\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		// What the line writes until it hears of it may still come.
		{"ctrl-c in a flood", "flood", []step{{"\x03", "^C"}, {"", prompt}, {"\x04", "logout\r\n"}}, "130"},
		{"ctrl-c in a reader", "cat", []step{{"half\x03", "half^C\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "130"},
		{"quit", "sleep", []step{{"\x1c", "^\\"}, {"", prompt}, {"\x04", "logout\r\n"}}, "130"},
		{"no job control", "sleep", []step{{"\x1a", "^Z\r\nmirage: no job control\r\n"}, {"\x03", "^C\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "130"},
		{"lines for a command", "cat", []step{{"one\r", "one\r\none\r\n"}, {"twx\x7fo\r", "two\r\n"}, {"\x04", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"ctrl-d hands over what is typed", "line", []step{{"half\x04", "half"}, {"rest\r", "got <halfrest>\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"ctrl-d ends the input once", "cat -n", []step{{"\x04", "0 bytes\r\n"}, {"", prompt}, {"echo on\r", "on\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"typeahead", "line", []step{{"for it\recho next\rech", "got <for it>\r\n"}, {"", "next\r\n"}, {"o more\r", "more\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
		{"ctrl-c forgets the typeahead", "sleep", []step{{"echo bad\r\x03", "^C\r\n"}, {"", prompt}, {"echo good\r", "good\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}}, "0"},
	} {
		for _, term := range []string{"xterm", "dumb"} {
			t.Run(tc.name+" on "+term, func(t *testing.T) {
				f := newFixture(t, "", nil)
				s, in, screen := shellOn(t, f, term)
				screen.expect(prompt)
				talk(t, in, screen, []step{{tc.line + "\r", "\r\n"}})
				waitFor(t, "the line to start", func() bool { return f.fakes.started() == tc.line })
				talk(t, in, screen, tc.steps)
				if got := ending(s.Wait()); got != tc.end {
					t.Errorf("ended with %s, want %s", got, tc.end)
				}
				if got := f.fakes.started(); strings.Contains(got, "bad") {
					t.Errorf("ran %s", got)
				}
			})
		}
	}
}

// A terminal that cannot move its cursor gets canonical mode.
func TestDumbTerminal(t *testing.T) {
	long := strings.Repeat("x", cookedLine-len("echo "))
	for _, term := range []string{"", "dumb"} {
		t.Run("TERM="+term, func(t *testing.T) {
			f := newFixture(t, "", nil)
			s, in, screen := shellOn(t, f, term)
			if got := screen.expect(prompt); got != prompt {
				t.Errorf("first came %q", got)
			}
			talk(t, in, screen, []step{
				{"echo hx\x7fi\r", "echo hx\b \bi\r\nhi\r\n" + prompt},
				{"\x1b[Aecho\x01 up\r", "echo up\r\nup\r\n" + prompt},
				{"bad\x15echo ok\r", "bad\b \b\b \b\b \becho ok\r\nok\r\n" + prompt},
				{"bad\x03", "bad^C\r\n" + prompt},
				{"status?\r\n", "status?\r\n130\r\n" + prompt},
				{"echo '1\r2'\r", "echo '1\r\n> 2'\r\n'1\r\n2'\r\n" + prompt},
				{"echo " + long + "yy\r", "\a\a\r\n" + long + "\r\n" + prompt},
				{"a\x04\x7f\x04", "a\b \b\r\nlogout\r\n"},
			})
			if got := ending(s.Wait()); got != "0" {
				t.Errorf("ended with %s", got)
			}
		})
	}
}

// The end of the client's input ends the shell once everything has run.
func TestInteractiveEndOfInput(t *testing.T) {
	f := newFixture(t, "", nil)
	s, in, screen := shellOn(t, f, "xterm")
	if _, err := io.WriteString(in, "echo hi\rcat\rto cat\r"); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	screen.expect("hi\r\n")
	screen.expect("to cat\r\n")
	screen.expect("logout\r\n")
	if got := ending(s.Wait()); got != "0" {
		t.Errorf("ended with %s", got)
	}
}

func TestInteractiveSignals(t *testing.T) {
	f := newFixture(t, "", nil)
	s, in, screen := shellOn(t, f, "xterm")
	screen.expect(prompt)
	talk(t, in, screen, []step{{"echo bad", "echo bad"}})
	_ = s.Signal(ssh.SIGTERM) // an interactive shell ignores it
	_ = s.Signal(ssh.SIGINT)
	screen.expect("^C\r\n")
	screen.expect(prompt)
	_ = s.Signal(ssh.SIGHUP)
	if got := ending(s.Wait()); got != "HUP" {
		t.Errorf("ended with %s", got)
	}
}

func TestResizeRedraws(t *testing.T) {
	f := newFixture(t, "", nil)
	s, in, screen := shellOn(t, f, "xterm")
	screen.expect(prompt)
	talk(t, in, screen, []step{{"echo hi", "echo hi"}})
	if err := s.WindowChange(24, 40); err != nil {
		t.Fatal(err)
	}
	screen.expect(prompt + "echo hi")
	talk(t, in, screen, []step{{"\r", "hi\r\n"}, {"size\r", "xterm 40x24\r\n"}, {"", prompt}, {"\x04", "logout\r\n"}})
}

// exec on a terminal: one stream, CR LF, Ctrl-C.
func TestExecOnTerminal(t *testing.T) {
	f := newFixture(t, "", nil)
	c := f.dial("demo")
	for _, tc := range []struct{ command, keys, want, end string }{
		{"both", "", "err 99\r\n", "0"},
		{"sleep", "\x03", "^C", "130"},
		{"cat", "hi\r\x04", "hi\r\nhi\r\n", "0"},
		{"flood", "\x03", "^C", "130"},
	} {
		t.Run(tc.command, func(t *testing.T) {
			s := newSession(t, c)
			if err := s.RequestPty("xterm", 24, 80, nil); err != nil {
				t.Fatal(err)
			}
			in, err := s.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := s.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Start(tc.command); err != nil {
				t.Fatal(err)
			}
			screen := &screen{t: t, r: bufio.NewReader(out)}
			talk(t, in, screen, []step{{tc.keys, tc.want}})
			if got := ending(s.Wait()); got != tc.end {
				t.Errorf("ended with %s, want %s", got, tc.end)
			}
		})
	}
}

func TestPromptOfTheSession(t *testing.T) {
	for _, term := range []string{"dumb", "xterm"} {
		t.Run(term, func(t *testing.T) {
			f := newFixture(t, "", nil)
			f.fakes.prompts = map[string]string{"PS1": "\x1b[32m[demo]\x1b[0m\n\x1b[2J$ ", "PS2": "more> "}
			_, in, screen := shellOn(t, f, term)
			talk(t, in, screen, []step{
				{"", "\x1b[32m[demo]\x1b[0m\r\n?[2J$ "},
				{"echo 'a\r", "more> "},
				{"b'\r", "'a\r\nb'\r\n"},
				{"", "?[2J$ "},
				{"\x04", "logout\r\n"},
			})
		})
	}
}

func TestLongPromptIsCut(t *testing.T) {
	f := newFixture(t, "", nil)
	f.fakes.prompts = map[string]string{"PS1": strings.Repeat("x", 2*maxPrompt)}
	_, in, screen := shellOn(t, f, "dumb")
	screen.expect(strings.Repeat("x", maxPrompt))
	if _, err := io.WriteString(in, "\x04"); err != nil {
		t.Fatal(err)
	}
	if got := screen.expect("logout\r\n"); strings.Contains(got, "x") {
		t.Errorf("more of the prompt: %q", got)
	}
}

func TestPromptWhenTheWorkspaceIsGone(t *testing.T) {
	f := newFixture(t, "", nil)
	_, in, screen := shellOn(t, f, "dumb")
	screen.expect(prompt)
	close(f.fakes.gone["demo"])
	talk(t, in, screen, []step{{"echo hi\r", "mirage: the workspace is gone\r\n"}, {"", "mirage$ "}, {"\x04", "logout\r\n"}})
}
