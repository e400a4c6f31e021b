package shell_test

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"mirage/shell"
	"mirage/shell/program"
	"mirage/shell/programs"
	"mirage/vfs"
	"mirage/vfs/binfs"
	"mirage/vfs/devfs"
	"mirage/vfs/ram"
)

// allPrograms is the program table of tests.
var allPrograms = sync.OnceValue(func() map[string]*program.Program {
	m := map[string]*program.Program{}
	for _, p := range programs.All() {
		m[p.Name] = p
	}
	return m
})

// newTree makes an empty tree with the reserved places.
func newTree(t testing.TB) *vfs.View {
	t.Helper()
	names := []string{"bash", "sh"}
	for n := range allPrograms() {
		names = append(names, n)
	}
	ns, err := vfs.NewNamespace([]vfs.Mount{
		{Prefix: "/", FS: ram.New(ram.Options{}), Mode: vfs.Exec},
		{Prefix: "/dev", FS: devfs.New(devfs.Options{}), Mode: vfs.Exec, Unlisted: true},
		{Prefix: "/usr/bin", FS: binfs.New(names, func(string) string { return "#!/bin/sh\n" }, time.Now()), Mode: vfs.Read, Unlisted: true},
		{Prefix: "/tmp", FS: ram.New(ram.Options{}), Mode: vfs.Exec, Unlisted: true},
	}, vfs.NamespaceOptions{Links: map[string]string{"/bin": "usr/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	return vfs.NewView(ns, vfs.AllowAll{})
}

func testConfig(t testing.TB, view *vfs.View) shell.Config {
	return shell.Config{
		View: view, Programs: allPrograms(), User: "user", Hostname: "host",
		Environ:  []string{"PATH=/usr/bin:/bin", "HOME=/home/user", "USER=user"},
		Panicked: func(v any, stack []byte) { t.Errorf("panic: %v\n%s", v, stack) },
	}
}

// newShell makes a shell on a tree.
func newShell(t testing.TB, view *vfs.View) *shell.Shell {
	t.Helper()
	sh := shell.New(testConfig(t, view))
	t.Cleanup(func() { sh.Close() })
	return sh
}

func newShellConfig(_ testing.TB, cfg shell.Config) *shell.Shell { return shell.New(cfg) }

// writeFile makes a file and its directories.
func writeFile(t testing.TB, view *vfs.View, name, data string, mode fs.FileMode) {
	t.Helper()
	ctx := context.Background()
	if err := view.MkdirAll(ctx, path.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := view.WriteFile(ctx, name, []byte(data), mode); err != nil {
		t.Fatal(err)
	}
	if err := view.SetAttr(ctx, name, vfs.Attr{Mode: &mode}, true); err != nil {
		t.Fatal(err)
	}
}

// output is what a line printed and how it ended.
type output struct {
	stdout, stderr string
	result         shell.Result
}

// runLine runs a line with a deadline that no test reaches.
func runLine(sh *shell.Shell, source, stdin string) output {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var out, err bytes.Buffer
	res := sh.Run(ctx, shell.Line{Source: source, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err})
	return output{out.String(), err.String(), res}
}
