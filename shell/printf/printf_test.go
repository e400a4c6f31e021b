package printf_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"mirage/shell/printf"
)

func format(style printf.Style, args []string) (out, messages string, status int) {
	var b bytes.Buffer
	var warnings strings.Builder
	p := printf.Printer{
		Style: style, UTF8: style == printf.Bash,
		Warn: func(msg string) { warnings.WriteString(msg + "\n") },
	}
	status, _ = p.Format(&b, args[0], args[1:])
	return b.String(), warnings.String(), status
}

func TestBash(t *testing.T) {
	for _, c := range bashCases {
		out, messages, status := format(printf.Bash, c.args)
		if out != c.out || messages != c.errors || status != c.status {
			t.Errorf("printf %q\ngot  %q %q %d\nwant %q %q %d", c.args, out, messages, status, c.out, c.errors, c.status)
		}
	}
}

func TestGNU(t *testing.T) {
	for _, c := range gnuCases {
		out, messages, status := format(printf.GNU, c.args)
		if out != c.out || messages != c.errors || status != c.status {
			t.Errorf("printf %q\ngot  %q %q %d\nwant %q %q %d", c.args, out, messages, status, c.out, c.errors, c.status)
		}
	}
}

// TestAgainstReal runs the tables against the programs that they describe.
func TestAgainstReal(t *testing.T) {
	run := func(env string, name string, args ...string) (out, messages string, status int) {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(name, args...)
		cmd.Env = []string{env, "TZ=UTC"}
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			status = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		return stdout.String(), stderr.String(), status
	}
	prefix := regexp.MustCompile(`(?m)^([^ ]*bash: line 1: |[^ ]*)printf: `)
	check := func(t *testing.T, c printfCase, out, messages string, status int) {
		t.Helper()
		messages = prefix.ReplaceAllString(messages, "")
		if out != c.out || messages != c.errors || status != c.status {
			t.Errorf("printf %q\ngot  %q %q %d\nwant %q %q %d", c.args, out, messages, status, c.out, c.errors, c.status)
		}
	}
	t.Run("bash", func(t *testing.T) {
		path := find(t, "bash", "5.2.")
		for _, c := range bashCases {
			args := append([]string{"--norc", "-c", `printf "$@"`, "bash"}, c.args...)
			out, messages, status := run("LC_ALL=C.UTF-8", path, args...)
			check(t, c, out, messages, status)
		}
	})
	t.Run("coreutils", func(t *testing.T) {
		path := find(t, "printf", "(GNU coreutils) 9.1")
		for _, c := range gnuCases {
			out, messages, status := run("LC_ALL=C", path, c.args...)
			check(t, c, out, messages, status)
		}
	})
}

// find answers a program of a version, or skips the test.
func find(t *testing.T, name, version string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		out, _ := exec.Command(path, "--version").Output()
		if strings.Contains(string(out), version) {
			return path
		}
	}
	if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
		t.Fatalf("%s %s is required", name, version)
	}
	t.Skipf("no %s %s", name, version)
	return ""
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 34, 56, 0, time.UTC)
	p := printf.Printer{
		Now: func() time.Time { return now }, Started: now.Add(-time.Hour),
		Location: time.FixedZone("XYZ", -3600*5/2),
	}
	var b bytes.Buffer
	if _, err := p.Format(&b, "%(%T %z %Z)T|%(%T)T|%(%T)T", []string{"-1", "-2"}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "10:04:56 -0230 XYZ|09:04:56|10:04:56"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteError(t *testing.T) {
	var p printf.Printer
	if _, err := p.Format(failing{}, "%s\n", []string{"a"}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v, want %v", err, os.ErrClosed)
	}
}

// TestWidths shows that no format makes the printer hold much.
func TestWidths(t *testing.T) {
	for _, args := range [][]string{{"%99999999999d", "1"}, {"%*d", "9223372036854775807", "1"}, {"%.99999999f", "1"}, {"%.*s", "99999999", "x"}} {
		out, _, status := format(printf.Bash, args)
		if status != 1 || len(out) > 1<<10 {
			t.Errorf("printf %q: status %d, %d bytes; want a refusal", args, status, len(out))
		}
	}
}

func FuzzFormat(f *testing.F) {
	for _, c := range bashCases {
		f.Add(c.args[0], strings.Join(c.args[1:], "\n"))
	}
	f.Fuzz(func(t *testing.T, layout, args string) {
		for _, style := range []printf.Style{printf.Bash, printf.GNU} {
			format(style, append([]string{layout}, strings.Split(args, "\n")...))
		}
	})
}
