package find_test

import (
	"context"
	"strings"
	"testing"

	"mirage/shell/programs"
	"mirage/shell/programs/progtest"
	"mirage/vfs"
	"mirage/vfs/ram"
)

// TestMounts walks through a mount within the tree, and stays out of it with
// -xdev and -prune.
func TestMounts(t *testing.T) {
	mounts := []vfs.Mount{
		{Prefix: "/", FS: ram.New(ram.Options{}), Mode: vfs.Exec, Kind: "ram"},
		{Prefix: "/w/m", FS: ram.New(ram.Options{}), Mode: vfs.Read, Kind: "ram"},
	}
	ns, err := vfs.NewNamespace(mounts, vfs.NamespaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := progtest.NewWorldOn(t, programs.All(), vfs.NewView(ns, vfs.AllowAll{}))
	if err := mounts[1].FS.(*ram.FS).Mkdir(context.Background(), "sub", 0o755); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		".":                          ". ./m ./m/sub",
		". -xdev":                    ". ./m",
		". -name m -prune -o -print": ".",
		". -writable":                ".",
	} {
		got := w.Run("find", progtest.Case{Args: args})
		if g := strings.Join(strings.Fields(got.Stdout), " "); g != want || got.Status != 0 {
			t.Errorf("find %s: got %q, want %q", args, g, want)
		}
	}
}

// TestOrder pins the order of a walk, which the real tool leaves open.
func TestOrder(t *testing.T) {
	files := map[string]string{"a/c/f": "", "a/b": "", "b": ""}
	for args, want := range map[string]string{
		"":                   ". ./a ./a/b ./a/c ./a/c/f ./b",
		"-depth":             "./a/b ./a/c/f ./a/c ./a ./b .",
		"-depth -mindepth 2": "./a/b ./a/c/f ./a/c",
		"a -maxdepth 1":      "a a/b a/c",
	} {
		w := progtest.NewWorld(t, programs.All())
		w.Make(files)
		if got := strings.Join(strings.Fields(w.Run("find", progtest.Case{Args: args}).Stdout), " "); got != want {
			t.Errorf("find %s: got %q, want %q", args, got, want)
		}
	}
}

func TestManyFiles(t *testing.T) {
	w := progtest.NewWorld(t, programs.All())
	files := map[string]string{}
	name := strings.Repeat("n", 200)
	for i := range 1000 {
		files["d/"+name+string(rune('a'+i%26))+strings.Repeat("i", i/26)] = ""
	}
	w.Make(files)
	got := w.Run("find", progtest.Case{Args: "d -type f -exec echo {} +"})
	if lines := strings.Count(got.Stdout, "\n"); lines < 2 || lines > 10 {
		t.Errorf("1000 long names in %d commands", lines)
	}
	if n := len(strings.Fields(got.Stdout)); n != 1000 {
		t.Errorf("%d names, want 1000", n)
	}
}

func TestCancel(t *testing.T) {
	w := progtest.NewWorld(t, programs.All())
	w.Make(map[string]string{"a": "", "b": ""})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := w.RunContext(ctx, "find", progtest.Case{}); strings.Contains(got.Stdout, "a") {
		t.Errorf("a cancelled walk went on: %q", got.Stdout)
	}
}

// FuzzExpression parses and runs arbitrary expressions on a small tree.
func FuzzExpression(f *testing.F) {
	for _, s := range []string{". -name a -o ! -type d", "( -size +1k , -print0 )", "-printf %-5p\\n%Tc", "-exec echo {} +", "-perm /u+x -mtime -1.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		w := progtest.NewWorld(t, programs.All())
		w.Make(map[string]string{"a": "", "d/b": "text", "l -> a": ""})
		argv := strings.Fields(s)
		if len(argv) == 0 {
			return
		}
		// Files that are written to could be found again and again.
		for _, arg := range argv {
			if strings.HasPrefix(arg, "-f") {
				return
			}
		}
		w.Run("find", progtest.Case{Argv: argv})
	})
}
