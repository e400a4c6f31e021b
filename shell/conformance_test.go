package shell_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"mirage/vfs"
	"mirage/vfs/devfs"
	"mirage/vfs/ram"
)

// blob is text, or base64 of bytes.
type blob string

func (b *blob) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*b = blob(s)
		return nil
	}
	var x struct {
		Base64 string `json:"base64"`
	}
	if err := json.Unmarshal(data, &x); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(x.Base64)
	*b = blob(raw)
	return err
}

type conformanceCase struct {
	ID     string
	Script blob
	Stdin  blob
	Cwd    string
	Dirs   []string
	Files  map[string]blob
	Links  map[string]string
	Status *int
	Stdout *blob
	Stderr *blob
}

type conformanceSuite struct {
	Suite         string
	Cases         []conformanceCase
	RepoRootFiles map[string]blob `json:"repo_root_files"`
	// Sequence is lines of one session, over Mounts and Files.
	Sequence []conformanceLine
	Mounts   []string
	Files    map[string]blob
}

type conformanceLine struct {
	ID, Line string
	Status   *int
	Stdout   *blob
	Stderr   *blob
	Bash     string `json:"real_bash"`
}

// TestConformance runs a suite of public cases in process and prints what
// failed. MIRAGE_CONFORMANCE names the folder that has conformance/ and
// tools/, MIRAGE_SUITE the suite (oils), MIRAGE_ONLY a pattern of ids.
func TestConformance(t *testing.T) {
	root := os.Getenv("MIRAGE_CONFORMANCE")
	if root == "" {
		t.Skip("MIRAGE_CONFORMANCE is not set")
	}
	name := os.Getenv("MIRAGE_SUITE")
	if name == "" {
		name = "oils"
	}
	data, err := os.ReadFile(filepath.Join(root, "conformance", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var suite conformanceSuite
	if err := json.Unmarshal(data, &suite); err != nil {
		t.Fatal(err)
	}
	helpers := map[string]string{}
	list, err := os.ReadDir(filepath.Join(root, "tools", "helpers"))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range list {
		text, err := os.ReadFile(filepath.Join(root, "tools", "helpers", h.Name()))
		if err != nil {
			t.Fatal(err)
		}
		helpers[h.Name()] = string(text)
	}
	only := regexp.MustCompile(os.Getenv("MIRAGE_ONLY"))
	passed, total := 0, 0
	groups := map[string][2]int{}
	var failures strings.Builder
	var mu sync.Mutex
	var wg sync.WaitGroup
	work := make(chan conformanceCase)
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for c := range work {
				start := time.Now()
				got := suite.run(t, c, helpers)
				if d := time.Since(start); d > 2*time.Second {
					t.Logf("%s took %v", c.ID, d)
				}
				ok := c.passes(got)
				mu.Lock()
				total++
				area, _, _ := strings.Cut(c.ID, ":")
				g := groups[area]
				g[1]++
				if ok {
					passed++
					g[0]++
				} else {
					want := fmt.Sprintf("status %v", deref(c.Status))
					if c.Stdout != nil {
						want += fmt.Sprintf("\nstdout %q", *c.Stdout)
					}
					if c.Stderr != nil {
						want += fmt.Sprintf("\nstderr %q", *c.Stderr)
					}
					fmt.Fprintf(&failures, "--- %s\n%s\nwant %s\ngot status %d\nstdout %q\nstderr %q\n", c.ID, c.Script, want,
						got.result.Status, got.stdout, got.stderr)
				}
				groups[area] = g
				mu.Unlock()
			}
		}()
	}
	for _, c := range suite.Cases {
		if only.MatchString(c.ID) {
			work <- c
		}
	}
	close(work)
	wg.Wait()
	for _, c := range suite.sequence(t) {
		area, _, _ := strings.Cut(c.ID, "_")
		g := groups[area]
		g[1]++
		total++
		if c.failure == "" {
			passed++
			g[0]++
		} else {
			failures.WriteString(c.failure)
		}
		groups[area] = g
	}
	if file := os.Getenv("MIRAGE_FAILURES"); file != "" {
		if err := os.WriteFile(file, []byte(failures.String()), 0o600); err != nil {
			t.Error(err)
		}
	} else if total < 20 {
		t.Log(failures.String())
	}
	var areas []string
	for a, g := range groups {
		if g[0] < g[1] {
			areas = append(areas, a)
		}
	}
	sort.Slice(areas, func(i, j int) bool {
		a, b := groups[areas[i]], groups[areas[j]]
		return a[1]-a[0] > b[1]-b[0]
	})
	for _, a := range areas {
		t.Logf("%-24s %d/%d", a, groups[a][0], groups[a][1])
	}
	t.Logf("%d of %d passed (%.1f %%)", passed, total, 100*float64(passed)/float64(max(total, 1)))
}

// verdict is how one line of a sequence did.
type verdict struct{ ID, failure string }

// sequence runs the lines of a sequence in one session.
func (s *conformanceSuite) sequence(t *testing.T) []verdict {
	if len(s.Sequence) == 0 {
		return nil
	}
	mounts := []vfs.Mount{{Prefix: "/dev", FS: devfs.New(devfs.Options{}), Mode: vfs.Exec, Unlisted: true},
		{Prefix: "/tmp", FS: ram.New(ram.Options{}), Mode: vfs.Exec, Unlisted: true}}
	for _, m := range s.Mounts {
		mounts = append(mounts, vfs.Mount{Prefix: m, FS: ram.New(ram.Options{}), Mode: vfs.Exec})
	}
	ns, err := vfs.NewNamespace(mounts, vfs.NamespaceOptions{Root: ram.New(ram.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	view := vfs.NewView(ns, vfs.AllowAll{})
	for name, text := range s.Files {
		writeFile(t, view, name, string(text), 0o644)
	}
	sh := newShell(t, view)
	var list []verdict
	for _, c := range s.Sequence {
		got := runLine(sh, c.Line, "")
		if c.Status == nil {
			continue
		}
		v := verdict{ID: c.ID}
		if *c.Status != got.result.Status || c.Stdout != nil && string(*c.Stdout) != got.stdout ||
			c.Stderr != nil && strings.TrimRight(string(*c.Stderr), "\n") != strings.TrimRight(got.stderr, "\n") {
			v.failure = fmt.Sprintf("--- %s [%s]\n%s\nwant %d %q %q\ngot  %d %q %q\n", c.ID, c.Bash, c.Line, *c.Status,
				deref2(c.Stdout), deref2(c.Stderr), got.result.Status, got.stdout, got.stderr)
		}
		list = append(list, v)
	}
	return list
}

func deref2(p *blob) blob {
	if p == nil {
		return ""
	}
	return *p
}

func deref(p *int) any {
	if p == nil {
		return "any"
	}
	return *p
}

func (s *conformanceSuite) run(t *testing.T, c conformanceCase, helpers map[string]string) output {
	view := newTree(t)
	ctx := t.Context()
	work := "/c/w"
	for name, text := range helpers {
		writeFile(t, view, "/b/"+name, text, 0o755)
	}
	for name, text := range s.RepoRootFiles {
		writeFile(t, view, "/r/"+name, string(text), 0o755)
	}
	cwd := path.Join(work, c.Cwd)
	for _, d := range append([]string{cwd, work + "/_tmp"}, c.Dirs...) {
		if !strings.HasPrefix(d, "/") {
			d = work + "/" + d
		}
		if err := view.MkdirAll(ctx, d, 0o755); err != nil {
			t.Error(err)
		}
	}
	for name, text := range c.Files {
		dir := work
		if name == "input" {
			dir = cwd
		}
		writeFile(t, view, dir+"/"+name, string(text), fs.FileMode(0o644))
	}
	for name, target := range c.Links {
		if err := view.Symlink(ctx, target, work+"/"+name); err != nil {
			t.Error(err)
		}
	}
	script := strings.ReplaceAll(string(c.Script), "{WORK}", work)
	cfg := testConfig(t, view)
	cfg.Panicked = func(v any, stack []byte) { t.Logf("%s: panic: %v\n%s", c.ID, v, stack) }
	sh := newShellConfig(t, cfg)
	defer sh.Close()
	if s.Suite == "oils" {
		writeFile(t, view, "/c/script", script, 0o644)
		return runLine(sh, "cd "+cwd+"; export PATH=/b:$PATH TMP="+cwd+" SH=bash LC_ALL=C.UTF-8 REPO_ROOT=/r; bash < /c/script", "")
	}
	writeFile(t, view, "/c/stdin", string(c.Stdin), 0o644)
	quoted := "'" + strings.ReplaceAll(script, "'", `'\''`) + "'"
	return runLine(sh, "cd "+cwd+"; export LC_ALL=C; ( eval "+quoted+" ) < /c/stdin", "")
}

func (c *conformanceCase) passes(got output) bool {
	lossy := func(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
	return (c.Status == nil || *c.Status == got.result.Status) &&
		(c.Stdout == nil || lossy(string(*c.Stdout)) == lossy(got.stdout)) &&
		(c.Stderr == nil || lossy(string(*c.Stderr)) == lossy(got.stderr))
}
