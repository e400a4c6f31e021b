package programs

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"mirage/shell/programs/progtest"
)

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
