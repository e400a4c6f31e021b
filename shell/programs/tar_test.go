package programs

import (
	"bytes"
	"strings"
	"testing"

	"mirage/shell/programs/progtest"
)

func TestTar(t *testing.T) {
	files := map[string]string{"d/f": "text\n", "d/s/g": "more", "x": ""}
	progtest.Run(t, All(), "tar", []progtest.Case{
		{Args: "cvf a.tar d", Files: files, AnyOrder: true, Stdout: "d/\nd/f\nd/s/\nd/s/g\n"},
		{Args: "-czf a.tgz d x", Files: files},
		{Args: "-c -f a.tar nope x", Files: files, Stderr: "tar: nope: Cannot stat: No such file or directory\ntar: Exiting with failure status due to previous errors\n", Status: 2},
		{Args: "-cf a.tar", Stderr: "tar: Cowardly refusing to create an empty archive\nTry 'tar --help' or 'tar --usage' for more information.\n", Status: 2},
		{Args: "-f a.tar", Stderr: "tar: You must specify one of the '-Acdtrux', '--delete' or '--test-label' options\nTry 'tar --help' or 'tar --usage' for more information.\n", Status: 2},
		{Args: "-xf nope.tar", Stderr: "tar: nope.tar: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now\n", Status: 2},
		{Args: "-tf x2", Files: map[string]string{"x2": strings.Repeat("no archive ", 200)}, Stderr: "tar: This does not look like a tar archive\ntar: Exiting with failure status due to previous errors\n", Status: 2, OursOnly: "GNU tar skips to the next header, and says so"},
	})
}

// tarRun runs one command line in a tree that stays.
func tarRun(t *testing.T, w *progtest.World, args string, status int) (stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	inv := w.Invocation(progtest.Case{}, strings.NewReader(""), &out, &err)
	inv.Name, inv.Args = "tar", progtest.Words(args)
	for _, p := range All() {
		if p.Name == "tar" {
			if got := p.Run(t.Context(), inv); got != status {
				t.Errorf("tar %s: status %d, want %d: %s", args, got, status, err.String())
			}
		}
	}
	return out.String(), err.String()
}

func TestTarRoundTrip(t *testing.T) {
	w := progtest.NewWorld(t, All())
	w.Make(map[string]string{"d/f @600": "text\n", "d/s/g": strings.Repeat("more", 50_000), "d/l -> f": "", "out/": "", "d/e/": ""})
	for _, c := range []struct{ create, extract string }{
		{"cf a.tar d", "xf a.tar -C out"}, {"-czf a.tar d", "-xf a.tar -C out"}, {"caf a.tar.gz d", "xzf a.tar.gz -C out"},
	} {
		tarRun(t, w, c.create, 0)
		tarRun(t, w, c.extract, 0)
		got, err := w.View.ReadFile(t.Context(), "/w/out/d/s/g", -1)
		if err != nil || string(got) != strings.Repeat("more", 50_000) {
			t.Errorf("%s: %d bytes, %v", c.extract, len(got), err)
		}
		if st, err := w.View.Stat(t.Context(), "/w/out/d/l"); err != nil || st.Mode.Perm() != 0o600 {
			t.Errorf("%s: the link leads to %v, %v", c.extract, st.Mode, err)
		}
		if err := w.View.RemoveAll(t.Context(), "/w/out/d"); err != nil {
			t.Fatal(err)
		}
	}
	if out, _ := tarRun(t, w, "tf a.tar d/f d/l", 0); out != "d/f\nd/l\n" {
		t.Errorf("list: %q", out)
	}
	if out, _ := tarRun(t, w, "tvf a.tar d/f d/l", 0); out != "-rw------- root/root         5 2024-01-02 03:04 d/f\nlrwxrwxrwx root/root         0 2024-01-02 03:04 d/l -> f\n" {
		t.Errorf("long list: %q", out)
	}
	if out, _ := tarRun(t, w, "xOf a.tar d/f", 0); out != "text\n" {
		t.Errorf("to stdout: %q", out)
	}
	if _, err := tarRun(t, w, "xf a.tar -C out nope", 2); err != "tar: nope: Not found in archive\ntar: Exiting with failure status due to previous errors\n" {
		t.Errorf("missing member: %q", err)
	}
	tarRun(t, w, "xf a.tar -C out --strip-components=1 --exclude=s", 0)
	if _, err := w.View.Stat(t.Context(), "/w/out/f"); err != nil {
		t.Error(err)
	}
	if _, err := w.View.Stat(t.Context(), "/w/out/s"); err == nil {
		t.Error("an excluded directory was extracted")
	}
	if _, err := tarRun(t, w, "cf b.tar /w/d/f", 0); err != "tar: Removing leading `/' from member names\n" {
		t.Errorf("absolute name: %q", err)
	}
}
