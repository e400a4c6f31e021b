package progtest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// RequireTools is the variable that turns a missing tool into a failure.
const RequireTools = "MIRAGE_REQUIRE_TOOLS"

// runReal runs a case with the tool of the machine.
func runReal(t *testing.T, name string, c Case) {
	t.Helper()
	tool, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv(RequireTools) != "" {
			t.Errorf("%v, and %s is set", err, RequireTools)
		}
		return
	}
	if changesHost(name, c.argv()) {
		t.Fatalf("the real %s would change this machine; mark the case OursOnly", name)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := makeReal(dir, c.Files); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool)
	cmd.Args = append([]string{name}, c.argv()...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=/usr/bin:/bin", "HOME=" + dir, "LC_ALL=C", "TZ=UTC0"}, c.Env...)
	cmd.Stdin = strings.NewReader(c.Stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, syscall.EPIPE) {
		t.Fatal(err)
	}
	got := Result{Stdout: stdout.String(), Stderr: stderr.String(), Status: cmd.ProcessState.ExitCode()}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		got.Status = 128 + int(ws.Signal())
	}
	got.Stdout = strings.ReplaceAll(got.Stdout, dir, Dir)
	got.Stderr = strings.ReplaceAll(got.Stderr, dir, Dir)
	check(t, tool, got, c, true)
	if c.Tree != nil {
		lines, err := snapshotReal(dir)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, tool+": tree", strings.Join(lines, "\n"), strings.Join(c.Tree, "\n"))
	}
}

// changesHost tells whether a real tool, run as root, would change more than
// the directory of the test: date sets the clock.
func changesHost(name string, args []string) bool {
	if name != "date" {
		return false
	}
	takesNext := false
	for _, a := range args {
		switch {
		case takesNext:
			takesNext = false
		case strings.HasPrefix(a, "--"):
			if strings.HasPrefix(a, "--s") {
				return true
			}
		case strings.HasPrefix(a, "-") && len(a) > 1:
			// The first letter that takes a value ends the bundle.
			i := strings.IndexAny(a[1:], "dfIrs") + 1
			if i > 0 && a[i] == 's' {
				return true
			}
			takesNext = i == len(a)-1 && i > 0 && a[i] != 'I'
		case a != "" && strings.Trim(a, "0123456789.") == "":
			return true
		}
	}
	return false
}
