package copying_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"mirage/shell/program/stream"
	"mirage/shell/programs/copying"
	"mirage/shell/programs/progtest"
	"mirage/vfs"
	"mirage/vfs/ram"
)

// world is a tree with two more mounts, /a and /b.
func world(t *testing.T) *progtest.World {
	t.Helper()
	mount := func(prefix string) vfs.Mount {
		return vfs.Mount{Prefix: prefix, FS: ram.New(ram.Options{}), Mode: vfs.Exec, Kind: "ram"}
	}
	ns, err := vfs.NewNamespace([]vfs.Mount{mount("/"), mount("/w/a"), mount("/w/b")}, vfs.NamespaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return progtest.NewWorldOn(t, nil, vfs.NewView(ns, vfs.AllowAll{}))
}

func run(t *testing.T, w *progtest.World, o copying.Options, src, dst string) (copying.Result, string, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	inv := w.Invocation(progtest.Case{}, strings.NewReader(""), &stdout, &stderr)
	inv.Name = "x"
	out := stream.Stdout(inv)
	r := copying.New(inv, out, o).Copy(context.Background(), src, dst)
	out.Flush()
	return r, stdout.String(), stderr.String()
}

var move = copying.Options{
	Move: true, Recursive: true, Links: copying.FollowNone, Verbose: true,
	PreserveMode: true, PreserveTimes: true, PreserveOwner: true, PreserveLinks: true, PreserveXattr: true,
}

func TestMoveBetweenMounts(t *testing.T) {
	w := world(t)
	w.Make(map[string]string{"a/d/f @600": "text", "a/d/l -> f": "", "a/x": "1"})
	r, out, errs := run(t, w, move, "a/d", "b/d")
	if !r.OK || r.Renamed || errs != "" {
		t.Errorf("got %+v, %q", r, errs)
	}
	want := "created directory 'b/d'\ncopied 'a/d/f' -> 'b/d/f'\ncopied 'a/d/l' -> 'b/d/l'\n"
	if out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	info, err := w.View.Stat(context.Background(), "/w/b/d/f")
	if err != nil || info.Mode.Perm() != 0o600 || !info.ModTime.Equal(progtest.FileTime) {
		t.Errorf("got %v %v, %v", info.Mode, info.ModTime, err)
	}
	if target, err := w.View.Readlink(context.Background(), "/w/b/d/l"); target != "f" || err != nil {
		t.Errorf("link: %q, %v", target, err)
	}
}

func TestMoveMount(t *testing.T) {
	w := world(t)
	r, _, errs := run(t, w, move, "a", "b/a")
	if r.OK || errs != "x: cannot move 'a' to 'b/a': Device or resource busy\n" {
		t.Errorf("got %+v, %q", r, errs)
	}
	o := move
	o.NoCopy = true
	w.Make(map[string]string{"a/x": "1"})
	if r, _, errs = run(t, w, o, "a/x", "b/x"); r.OK || !strings.Contains(errs, "Invalid cross-device link") {
		t.Errorf("--no-copy: got %+v, %q", r, errs)
	}
}

// TestHoles copies a file that is almost all hole: neither memory nor time may
// grow with its size.
func TestHoles(t *testing.T) {
	w := world(t)
	ctx := context.Background()
	w.Make(map[string]string{"f": "start"})
	const size = 64 << 20
	if err := w.View.Truncate(ctx, "/w/f", size); err != nil {
		t.Fatal(err)
	}
	if r, _, errs := run(t, w, copying.Options{}, "f", "g"); !r.OK {
		t.Fatal(errs)
	}
	info, err := w.View.Stat(ctx, "/w/g")
	if err != nil || info.Size != size || info.Blocks*512 > 1<<20 {
		t.Errorf("got %d bytes in %d blocks, %v", info.Size, info.Blocks, err)
	}
}

func TestCancel(t *testing.T) {
	w := world(t)
	w.Make(map[string]string{"d/a": "", "d/b": ""})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	inv := w.Invocation(progtest.Case{}, strings.NewReader(""), &stdout, &stderr)
	if r := copying.New(inv, stream.Stdout(inv), copying.Options{Recursive: true}).Copy(ctx, "d", "e"); r.OK {
		t.Error("a cancelled copy succeeded")
	}
}

func TestHardLinksStayTogether(t *testing.T) {
	w := world(t)
	ctx := context.Background()
	w.Make(map[string]string{"d/a": "same"})
	if err := w.View.Link(ctx, "/w/d/a", "/w/d/b"); err != nil {
		t.Fatal(err)
	}
	o := copying.Options{Recursive: true, Links: copying.FollowNone, PreserveLinks: true}
	if r, _, errs := run(t, w, o, "d", "e"); !r.OK {
		t.Fatal(errs)
	}
	a, _ := w.View.Stat(ctx, "/w/e/a")
	b, _ := w.View.Stat(ctx, "/w/e/b")
	if a.Ino != b.Ino || a.Nlink != 2 {
		t.Errorf("got inodes %d and %d, %d links", a.Ino, b.Ino, a.Nlink)
	}
}
