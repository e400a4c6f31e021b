package shell_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// requireTools reports whether a missing tool is a failure.
func requireTools() bool { return os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" }

// realBash runs a script in real bash, in an empty directory.
func realBash(t *testing.T, script string) (stdout, stderr string, status int) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		if requireTools() {
			t.Fatal(err)
		}
		t.Skip("no bash here")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.sh"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "s.sh")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=/home/user", "USER=user"}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// ourBash runs the same script here.
func ourBash(t *testing.T, script string) (stdout, stderr string, status int) {
	t.Helper()
	view := newTree(t)
	writeFile(t, view, "/w/s.sh", script, 0o644)
	cfg := testConfig(t, view)
	cfg.Dir = "/w"
	sh := newShellConfig(t, cfg)
	defer sh.Close()
	o := runLine(sh, "SHLVL=0 bash s.sh", "")
	return o.stdout, o.stderr, o.result.Status
}

// noise is what differs from run to run: process ids.
var noise = regexp.MustCompile(` *\b[0-9]{3,7}\b`)

// TestAgainstBash runs the scripts of testdata/bash here and in real bash.
// They are separated by lines of three hyphens. MIRAGE_ONLY is a pattern of
// those to run.
func TestAgainstBash(t *testing.T) {
	files, err := filepath.Glob("testdata/bash/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	only := regexp.MustCompile(os.Getenv("MIRAGE_ONLY"))
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, script := range strings.Split(string(data), "\n---\n") {
				if !only.MatchString(script) {
					continue
				}
				out, errs, status := ourBash(t, script)
				wantOut, wantErrs, wantStatus := realBash(t, script)
				if out != wantOut || status != wantStatus || noise.ReplaceAllString(errs, "N") != noise.ReplaceAllString(wantErrs, "N") {
					t.Errorf("%s\n got %d %q\n     %q\nwant %d %q\n     %q", script, status, out, errs, wantStatus, wantOut, wantErrs)
				}
			}
		})
	}
}
