package test_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mirage/shell/test"
	"mirage/vfs"
	"mirage/vfs/ram"
)

// newEnv makes a tree with the files that the table is about.
func newEnv(t testing.TB) *test.Env {
	t.Helper()
	ns, err := vfs.NewNamespace([]vfs.Mount{{Prefix: "/", FS: ram.New(ram.Options{}), Mode: vfs.Exec}}, vfs.NamespaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	view := vfs.NewView(ns, vfs.AllowAll{})
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(view.Mkdir(ctx, "/w", 0o755))
	must(view.WriteFile(ctx, "/w/f", []byte("x"), 0o644))
	must(view.WriteFile(ctx, "/w/empty", nil, 0o644))
	must(view.Mkdir(ctx, "/w/d", 0o755))
	must(view.Symlink(ctx, "f", "/w/l"))
	must(view.Symlink(ctx, "d", "/w/ld"))
	must(view.Symlink(ctx, "nope", "/w/broken"))
	return &test.Env{FS: view, Dir: "/w", IsSet: func(ref string) (bool, error) { return ref == "HOME", nil }}
}

// status answers what the command would exit with, and its message.
func status(ok bool, err error) (int, string) {
	var bad *test.Error
	switch {
	case errors.As(err, &bad):
		return 2, bad.Msg
	case err != nil:
		return -1, err.Error()
	case ok:
		return 0, ""
	}
	return 1, ""
}

func TestEval(t *testing.T) {
	env := newEnv(t)
	for _, c := range evalCases {
		got, msg := status(test.Eval(t.Context(), env, c.args))
		if got != c.status || msg != c.msg {
			t.Errorf("test %q: got %d %q, want %d %q", c.args, got, msg, c.status, c.msg)
		}
	}
}

// TestAgainstBash runs the table with the real builtin.
func TestAgainstBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
			t.Fatal("bash is required")
		}
		t.Skip("no bash")
	}
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(file("f"), []byte("x"), 0o600), os.WriteFile(file("empty"), nil, 0o600), os.Mkdir(file("d"), 0o700),
		os.Symlink("f", file("l")), os.Symlink("d", file("ld")), os.Symlink("nope", file("broken")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range evalCases {
		var stderr bytes.Buffer
		cmd := exec.Command(bash, append([]string{"--norc", "-c", `test "$@"`, "bash"}, c.args...)...)
		cmd.Args[0], cmd.Dir, cmd.Stderr = "bash", dir, &stderr
		cmd.Env = []string{"LC_ALL=C", "HOME=/"}
		got := 0
		var exit *exec.ExitError
		if err := cmd.Run(); errors.As(err, &exit) {
			got = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		msg := strings.TrimPrefix(strings.TrimSuffix(stderr.String(), "\n"), "bash: line 1: test: ")
		if got != c.status || msg != c.msg {
			t.Errorf("test %q: got %d %q, want %d %q", c.args, got, msg, c.status, c.msg)
		}
	}
}

func TestTimes(t *testing.T) {
	env := newEnv(t)
	ctx := t.Context()
	old, now := time.Unix(1000, 0), time.Unix(2000, 0)
	set := func(name string, at time.Time) {
		t.Helper()
		if err := env.FS.SetAttr(ctx, "/w/"+name, vfs.Attr{ModTime: &at, AccessTime: &old}, true); err != nil {
			t.Fatal(err)
		}
	}
	set("f", now)
	set("empty", old)
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"f", "-nt", "empty"}, true},
		{[]string{"empty", "-nt", "f"}, false},
		{[]string{"empty", "-ot", "f"}, true},
		{[]string{"-N", "f"}, true},
	} {
		if got, err := test.Eval(ctx, env, c.args); got != c.want || err != nil {
			t.Errorf("test %q: got %v, %v, want %v", c.args, got, err, c.want)
		}
	}
}

func TestWritable(t *testing.T) {
	ns, err := vfs.NewNamespace([]vfs.Mount{
		{Prefix: "/", FS: ram.New(ram.Options{}), Mode: vfs.Write},
		{Prefix: "/ro", FS: ram.New(ram.Options{}), Mode: vfs.Read},
	}, vfs.NamespaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	env := &test.Env{FS: vfs.NewView(ns, vfs.AllowAll{}), Dir: "/"}
	for name, want := range map[string]bool{"/": true, "/ro": false} {
		if got, err := test.Eval(t.Context(), env, []string{"-w", name}); got != want || err != nil {
			t.Errorf("test -w %s: got %v, %v, want %v", name, got, err, want)
		}
	}
}

// TestLimits shows that neither depth nor length hurt, and that cancelling
// ends a long expression.
func TestLimits(t *testing.T) {
	deep := append(slices.Repeat([]string{"("}, 100_000), "a")
	if code, msg := status(test.Eval(t.Context(), newEnv(t), deep)); code != 2 {
		t.Errorf("deep parentheses: got %d %q, want 2", code, msg)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var long []string
	for range 100_000 {
		long = append(long, "x", "-a")
	}
	if _, err := test.Eval(ctx, newEnv(t), append(long, "x")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v, want %v", err, context.Canceled)
	}
}
