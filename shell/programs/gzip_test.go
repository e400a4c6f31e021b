package programs

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"mirage/shell/programs/progtest"
)

func TestGzip(t *testing.T) {
	files := map[string]string{"bad.gz": "no gzip at all", "f": "hello", "d/": "", "x.txt": "x", "l -> f": "", "e.gz": ""}
	progtest.Run(t, All(), "gzip", []progtest.Case{
		{Args: "-d bad.gz", Files: files, Stderr: "\ngzip: bad.gz: not in gzip format\n", Status: 1},
		{Args: "-v f", Files: files, Stderr: "f:\t-140.0% -- replaced with f.gz\n", OursOnly: "its deflate packs five bytes tighter"},
		{Args: "-kv f", Files: files, Stderr: "f:\t-140.0% -- created f.gz\n", OursOnly: "its deflate packs five bytes tighter"},
		{Args: "nope", Stderr: "gzip: nope: No such file or directory\n", Status: 1},
		{Args: "-d nope", Stderr: "gzip: nope.gz: No such file or directory\n", Status: 1},
		{Args: "d", Files: files, Stderr: "gzip: d is a directory -- ignored\n", Status: 2},
		{Args: "-q d", Files: files, Status: 2},
		{Args: "-d x.txt", Files: files, Stderr: "gzip: x.txt: unknown suffix -- ignored\n", Status: 2},
		{Args: "bad.gz", Files: files, Stderr: "gzip: bad.gz already has .gz suffix -- unchanged\n"},
		{Args: "l", Files: files, Stderr: "gzip: l: Too many levels of symbolic links\n", Status: 1},
		{Args: "-dc e.gz", Files: files, Stderr: "\ngzip: e.gz: unexpected end of file\n", Status: 1},
		{Args: "-dcf x.txt", Files: files, Stdout: "x"},
		{Args: "-dc", Stdin: "no gzip", Stderr: "\ngzip: stdin: not in gzip format\n", Status: 1},
		{Args: "-x f", Files: files, Stderr: "gzip: invalid option -- 'x'\nTry `gzip --help' for more information.\n", Status: 1},
	})
}

// What we pack the real gzip unpacks, and the reverse.
func TestGzipRoundTrip(t *testing.T) {
	plain := strings.Repeat("a line that repeats\n", 20_000)
	w := progtest.NewWorld(t, All())
	run := func(name, args, stdin string) string {
		t.Helper()
		var out, err bytes.Buffer
		inv := w.Invocation(progtest.Case{}, strings.NewReader(stdin), &out, &err)
		inv.Name, inv.Args = name, progtest.Words(args)
		for _, p := range All() {
			if p.Name == name {
				if got := p.Run(t.Context(), inv); got != 0 {
					t.Errorf("%s %s: status %d: %s", name, args, got, err.String())
				}
			}
		}
		return out.String()
	}
	w.Make(map[string]string{"f": plain})
	run("gzip", "-9 f", "")
	if got := run("zcat", "f.gz", ""); got != plain {
		t.Errorf("zcat: %d bytes", len(got))
	}
	run("gunzip", "f", "")
	if got, err := w.View.ReadFile(t.Context(), "/w/f", -1); err != nil || string(got) != plain {
		t.Errorf("gunzip: %d bytes, %v", len(got), err)
	}
	packed := run("gzip", "-c", plain)
	if got := run("gzip", "-dc", packed+packed); got != plain+plain {
		t.Errorf("two members: %d bytes", len(got))
	}
	tool, err := exec.LookPath("gzip")
	if err != nil {
		return
	}
	c := exec.Command(tool, "-dc")
	c.Stdin = strings.NewReader(packed)
	if got, err := c.Output(); err != nil || string(got) != plain {
		t.Errorf("the real gzip: %d bytes, %v", len(got), err)
	}
	c = exec.Command(tool, "-c")
	c.Stdin = strings.NewReader(plain)
	theirs, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := run("gzip", "-dc", string(theirs)); got != plain {
		t.Errorf("of the real gzip: %d bytes", len(got))
	}
}
