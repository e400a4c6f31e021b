package vfs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"mirage/vfs"
	"mirage/vfs/ram"
)

// newView answers a free view of a RAM root and the given mounts.
func newView(t testing.TB, mounts ...vfs.Mount) *vfs.View {
	t.Helper()
	ns, err := vfs.NewNamespace(mounts, vfs.NamespaceOptions{Root: ram.New(ram.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	return vfs.NewView(ns, vfs.AllowAll{})
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func wantErrno(t testing.TB, what string, err error, want syscall.Errno) {
	t.Helper()
	if want == 0 && err == nil {
		return
	}
	var got syscall.Errno
	if !errors.As(err, &got) || got != want {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func TestViewResolvesNames(t *testing.T) {
	ctx := context.Background()
	v := newView(t)
	must(t,
		v.MkdirAll(ctx, "/a/b/c", 0o755),
		v.WriteFile(ctx, "/a/file", []byte("x"), 0o644),
		v.Symlink(ctx, "b/c", "/a/rel"),
		v.Symlink(ctx, "/a/b", "/a/abs"),
		v.Symlink(ctx, "file", "/a/tofile"),
		v.Symlink(ctx, "loop", "/loop"),
		v.Symlink(ctx, "nowhere", "/dangling"),
		v.Symlink(ctx, "b/c/", "/a/slashed"),
		v.Symlink(ctx, "file/", "/a/badslash"),
	)
	for _, c := range []struct {
		name, want string
		errno      syscall.Errno
	}{
		{"/", "/", 0},
		{"//", "/", 0},
		{"/..", "/", 0},
		{"/../../a", "/a", 0},
		{"/a/./b/", "/a/b", 0},
		{"/a//b/.", "/a/b", 0},
		{"/a/rel", "/a/b/c", 0},
		{"/a/rel/..", "/a/b", 0},
		{"/a/rel/../..", "/a", 0},
		{"/a/abs/c/../../file", "/a/file", 0},
		{"/a/slashed", "/a/b/c", 0},
		{"/a/tofile", "/a/file", 0},
		{"/a/file/", "", syscall.ENOTDIR},
		{"/a/file/.", "", syscall.ENOTDIR},
		{"/a/file/..", "", syscall.ENOTDIR},
		{"/a/tofile/", "", syscall.ENOTDIR},
		{"/a/badslash", "", syscall.ENOTDIR},
		{"/a/file/x", "", syscall.ENOTDIR},
		{"/a/none/..", "", syscall.ENOENT},
		{"/a/none/x", "", syscall.ENOENT},
		{"/loop", "", syscall.ELOOP},
		{"/loop/x", "", syscall.ELOOP},
		{"/dangling", "", syscall.ENOENT},
		{"", "", syscall.ENOENT},
		{"a", "", syscall.EINVAL},
		{"/a\x00b", "", syscall.EINVAL},
	} {
		got, err := v.RealPath(ctx, c.name)
		wantErrno(t, "RealPath "+c.name, err, c.errno)
		if got != c.want {
			t.Errorf("RealPath(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestViewFiles(t *testing.T) {
	ctx := context.Background()
	v := newView(t)
	must(t, v.WriteFile(ctx, "/f", []byte("hello"), 0o644), v.Symlink(ctx, "made", "/dangling"))
	must(t, v.WriteFile(ctx, "/dangling", []byte("through"), 0o600))
	got, err := v.ReadFile(ctx, "/made", -1)
	if err != nil || string(got) != "through" {
		t.Errorf("ReadFile = %q, %v", got, err)
	}
	_, err = v.Open(ctx, "/f", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	wantErrno(t, "O_EXCL", err, syscall.EEXIST)
	_, err = v.Open(ctx, "/dangling", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	wantErrno(t, "O_EXCL on a link", err, syscall.EEXIST)
	_, err = v.Open(ctx, "/dangling", os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	wantErrno(t, "O_NOFOLLOW", err, syscall.ELOOP)
	_, err = v.Open(ctx, "/f", os.O_RDONLY|syscall.O_DIRECTORY, 0)
	wantErrno(t, "O_DIRECTORY", err, syscall.ENOTDIR)
	_, err = v.Open(ctx, "/", os.O_WRONLY, 0)
	wantErrno(t, "write a directory", err, syscall.EISDIR)
	_, err = v.Open(ctx, "/new/", os.O_WRONLY|os.O_CREATE, 0)
	wantErrno(t, "create with a slash", err, syscall.EISDIR)
	must(t, v.Rename(ctx, "/f", "/g", 0))
	wantErrno(t, "Unlink gone", v.Unlink(ctx, "/f"), syscall.ENOENT)
	must(t, v.Unlink(ctx, "/g"), v.RemoveAll(ctx, "/made"))
	list, err := v.ReadDir(ctx, "/")
	if err != nil || len(list) != 1 || list[0].Name != "dangling" {
		t.Errorf("ReadDir = %v, %v", list, err)
	}
}

func BenchmarkViewStat(b *testing.B) {
	ctx := context.Background()
	v := newView(b)
	must(b, v.MkdirAll(ctx, "/usr/share/doc", 0o755), v.WriteFile(ctx, "/usr/share/doc/readme", nil, 0o644))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Stat(ctx, "/usr/share/doc/readme"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestReadFileLimit(t *testing.T) {
	ctx := context.Background()
	v := newView(t)
	must(t, v.WriteFile(ctx, "/f", []byte("12345"), 0o644), v.WriteFile(ctx, "/empty", nil, 0o644), v.WriteFile(ctx, "/sparse", nil, 0o644))
	must(t, v.Truncate(ctx, "/sparse", 1<<50))
	for _, c := range []struct {
		name  string
		limit int64
		want  string
		errno syscall.Errno
	}{
		{"/f", -1, "12345", 0},
		{"/f", 5, "12345", 0},
		{"/f", 4, "", syscall.EFBIG},
		{"/f", 0, "", syscall.EFBIG},
		{"/empty", 0, "", 0},
		{"/sparse", -1, "", syscall.EFBIG},
		{"/", -1, "", syscall.EISDIR},
		{"/none", -1, "", syscall.ENOENT},
	} {
		got, err := v.ReadFile(ctx, c.name, c.limit)
		wantErrno(t, "ReadFile "+c.name, err, c.errno)
		if string(got) != c.want {
			t.Errorf("ReadFile(%s, %d) = %q, want %q", c.name, c.limit, got, c.want)
		}
	}
	wantErrno(t, "Truncate(-1)", v.Truncate(ctx, "/f", -1), syscall.EINVAL)
	wantErrno(t, "Truncate of a directory", v.Truncate(ctx, "/", 0), syscall.EISDIR)
}

func TestMkdirAll(t *testing.T) {
	ctx := context.Background()
	v := newView(t)
	must(t, v.WriteFile(ctx, "/f", nil, 0o644), v.Symlink(ctx, "a/b", "/link"), v.Symlink(ctx, "none", "/gone"))
	for _, c := range []struct {
		name  string
		errno syscall.Errno
	}{
		{"/a/b/c", 0},
		{"/a/b/c", 0},
		{"/a//b/./d/", 0},
		{"/link/e", 0},
		{"/a/new/../other", 0},
		{"/f", syscall.ENOTDIR},
		{"/f/x", syscall.ENOTDIR},
		{"/gone", syscall.EEXIST},
		{"/gone/x", syscall.EEXIST},
		{"", syscall.ENOENT},
	} {
		wantErrno(t, "MkdirAll "+c.name, v.MkdirAll(ctx, c.name, 0o755), c.errno)
	}
	if got := names(t, v, "/a/b"); got != "c d e" {
		t.Errorf("/a/b holds %s", got)
	}
	if got := names(t, v, "/a"); got != "b new other" {
		t.Errorf("/a holds %s", got)
	}
}

func BenchmarkViewOpenReadClose(b *testing.B) {
	ctx := context.Background()
	v := newView(b)
	must(b, v.MkdirAll(ctx, "/a/b", 0o755), v.WriteFile(ctx, "/a/b/f", make([]byte, 4096), 0o644))
	buf := make([]byte, 4096)
	b.ReportAllocs()
	for b.Loop() {
		f, err := v.Open(ctx, "/a/b/f", os.O_RDONLY, 0)
		must(b, err)
		_, err = f.ReadAt(buf, 0)
		must(b, err, f.Close())
	}
}

func BenchmarkViewWriteFile4K(b *testing.B) {
	ctx := context.Background()
	v := newView(b)
	data := make([]byte, 4096)
	b.ReportAllocs()
	for b.Loop() {
		must(b, v.WriteFile(ctx, "/f", data, 0o644))
	}
}

func BenchmarkViewReadDir10000(b *testing.B) {
	ctx := context.Background()
	v := newView(b)
	for i := range 10_000 {
		must(b, v.WriteFile(ctx, fmt.Sprintf("/f%05d", i), nil, 0o644))
	}
	b.ReportAllocs()
	for b.Loop() {
		if list, err := v.ReadDir(ctx, "/"); err != nil || len(list) != 10_000 {
			b.Fatal(len(list), err)
		}
	}
}
