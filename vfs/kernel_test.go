package vfs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mirage/vfs"
	"mirage/vfs/disk"
	"mirage/vfs/ram"
)

// resolveByKernel resolves a name in a directory of the host as if that were
// the root.
func resolveByKernel(root int, name string) (string, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT}
	for {
		fd, err := unix.Openat2(root, name, &how)
		if err == unix.EAGAIN || err == unix.EINTR {
			continue
		}
		if err != nil {
			return "", err
		}
		defer unix.Close(fd)
		return os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	}
}

// FuzzResolve compares how names are resolved with the kernel.
func FuzzResolve(f *testing.F) {
	ctx := context.Background()
	dir, err := filepath.EvalSymlinks(f.TempDir())
	must(f, err)
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	must(f, err)
	f.Cleanup(func() { _ = unix.Close(fd) })
	if _, err := resolveByKernel(fd, "/"); err == unix.ENOSYS || err == unix.EPERM {
		f.Skip("the kernel has no openat2")
	}
	v := newView(f)
	must(f,
		v.MkdirAll(ctx, "/a/b/c", 0o755), v.WriteFile(ctx, "/a/f", nil, 0o644),
		os.MkdirAll(dir+"/a/b/c", 0o755), os.WriteFile(dir+"/a/f", nil, 0o644),
	)
	for name, target := range map[string]string{
		"/r": "a/b", "/s": "/a/b/", "/a/up": "..", "/a/b/l": "../f", "/a/b/c/root": "/", "/loop": "loop/x", "/gone": "a/none",
		"/a/slash": "f/", "/a/dots": "./b/../b/./c", "/chain": "a/up/a/up/a/b/l", "/two": "r/../../a/up",
	} {
		must(f, v.Symlink(ctx, target, name), os.Symlink(target, dir+name))
	}
	deep := "x"
	for i := range 45 {
		must(f, v.Symlink(ctx, deep, fmt.Sprintf("/n%d", i)), os.Symlink(deep, fmt.Sprintf("%s/n%d", dir, i)))
		deep = fmt.Sprintf("n%d", i)
	}
	must(f, v.WriteFile(ctx, "/x", nil, 0o644), os.WriteFile(dir+"/x", nil, 0o644))
	for _, seed := range []string{
		"/", "//", "/.", "/..", "/a/b/../../r/c/", "/s/.", "/s//l", "/a/up/a/up/r", "/a/b/c/root/a/f", "/loop", "/gone", "/gone/", "/a/slash",
		"/a/dots/..", "/chain", "/chain/", "/two/a", "/n39", "/n40", "/n41", "/a/f/", "/a/f/.", "/a/f/..", "/" + strings.Repeat("l", 256),
		strings.Repeat("/a/..", 900), strings.Repeat("/a/up", 41), strings.Repeat("/a/up", 40), "/none/" + strings.Repeat("l", 256), "/r/" + strings.Repeat("l", 256) + "/x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got, err := v.RealPath(ctx, name)
		if name == "" || name[0] != '/' || strings.IndexByte(name, 0) >= 0 {
			if err == nil {
				t.Errorf("RealPath(%q) = %q, want an error", name, got)
			}
			return
		}
		want, kerr := resolveByKernel(fd, name)
		if kerr == nil {
			if want = strings.TrimPrefix(want, dir); want == "" {
				want = "/"
			}
		}
		if vfs.Errno(err) != vfs.Errno(kerr) || got != want {
			t.Errorf("RealPath(%q) = %q, %v; the kernel says %q, %v", name, got, err, want, kerr)
		}
	})
}

// TestAgainstKernel makes the same random calls on a View and on a directory
// of the host, and compares every errno and what is there in the end. The
// names include links, dots and trailing slashes.
func TestAgainstKernel(t *testing.T) {
	for _, c := range []struct {
		name    string
		backend func(t *testing.T) vfs.FS
	}{
		{"ram", func(*testing.T) vfs.FS { return ram.New(ram.Options{}) }},
		{"overlay", func(*testing.T) vfs.FS { return bare{ram.New(ram.Options{})} }},
		{"disk", func(t *testing.T) vfs.FS {
			d, err := disk.New(t.TempDir(), disk.Options{})
			must(t, err)
			t.Cleanup(func() { _ = d.Close() })
			return d
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(25) {
				compareWithKernel(t, c.backend(t), t.TempDir(), seed)
			}
		})
	}
}

func compareWithKernel(t *testing.T, backend vfs.FS, dir string, seed uint64) {
	t.Helper()
	ctx := context.Background()
	ns, err := vfs.NewNamespace([]vfs.Mount{{Prefix: "/m", FS: backend, Mode: vfs.Write}}, vfs.NamespaceOptions{})
	must(t, err)
	v := vfs.NewView(ns, vfs.AllowAll{})
	rnd := rand.New(rand.NewPCG(seed, 1))
	parts := []string{"a", "b", "c"}
	name := func() string {
		s := ""
		for range 1 + rnd.IntN(3) {
			s += "/" + parts[rnd.IntN(len(parts))]
		}
		switch rnd.IntN(12) {
		case 0:
			s += "/"
		case 1:
			s += "/."
		case 2:
			s += "/.."
		case 3:
			s += "/../" + parts[rnd.IntN(len(parts))]
		}
		// Nothing may lead out of the directory, where the two differ.
		if strings.HasPrefix(filepath.Clean("/x"+s), "/x/") {
			return s
		}
		return "/a"
	}
	_, links := backend.(vfs.Linker)
	_, flags := backend.(vfs.FlagRenamer)
	var log []string
	for range 400 {
		n, m := name(), name()
		var what string
		var got, want error
		switch rnd.IntN(9) {
		case 0:
			what = "mkdir " + n
			got, want = v.Mkdir(ctx, "/m"+n, 0o755), unix.Mkdir(dir+n, 0o755)
		case 1:
			what = "unlink " + n
			got, want = v.Unlink(ctx, "/m"+n), unix.Unlink(dir+n)
		case 2:
			what = "rmdir " + n
			got, want = v.Rmdir(ctx, "/m"+n), unix.Rmdir(dir+n)
		case 3, 4:
			what = "rename " + n + " " + m
			got, want = v.Rename(ctx, "/m"+n, "/m"+m, 0), unix.Rename(dir+n, dir+m)
		case 5:
			target := []string{"b", "a/c", "b/../c", "c/", "./b/.", "none"}[rnd.IntN(6)]
			what = "symlink " + target + " " + n
			got, want = v.Symlink(ctx, target, "/m"+n), unix.Symlink(target, dir+n)
		case 6:
			if !links {
				continue
			}
			if _, native := backend.(vfs.Symlinker); !native {
				if info, err := v.Lstat(ctx, "/m"+n); err == nil && info.IsLink() {
					continue // the node table copies it, which a later rename tells
				}
			}
			what = "link " + n + " " + m
			got, want = v.Link(ctx, "/m"+n, "/m"+m), unix.Link(dir+n, dir+m)
		case 7:
			flag := []int{
				os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_CREATE | os.O_EXCL, os.O_RDONLY | syscall.O_DIRECTORY,
				os.O_RDONLY | syscall.O_NOFOLLOW, os.O_RDONLY | os.O_CREATE, os.O_WRONLY | os.O_TRUNC,
			}[rnd.IntN(8)]
			what = fmt.Sprintf("open %s %#x", n, flag)
			f, err := v.Open(ctx, "/m"+n, flag, 0o644)
			if err == nil {
				must(t, f.Close())
			}
			fd, kerr := unix.Open(dir+n, flag|unix.O_CLOEXEC, 0o644)
			if kerr == nil {
				_ = unix.Close(fd)
			}
			got, want = err, kerr
		case 8:
			if !flags {
				continue
			}
			flag := vfs.RenameFlag(1 + rnd.IntN(2))
			what = fmt.Sprintf("renameat2 %s %s %d", n, m, flag)
			got, want = v.Rename(ctx, "/m"+n, "/m"+m, flag), unix.Renameat2(unix.AT_FDCWD, dir+n, unix.AT_FDCWD, dir+m, uint(flag))
		}
		log = append(log, fmt.Sprintf("%s: %v", what, want))
		if vfs.Errno(got) != vfs.Errno(want) {
			t.Fatalf("seed %d: %s: %v, but the kernel says %v\nafter:\n%s", seed, what, got, want, strings.Join(log[max(0, len(log)-40):], "\n")+"\n"+describe(t, v, "/m"))
		}
	}
	ours, theirs := describe(t, v, "/m"), describeHost(t, dir)
	if ours != theirs {
		t.Errorf("seed %d: the trees differ:\n%s\nwant\n%s", seed, ours, theirs)
	}
}

func describe(t *testing.T, v *vfs.View, dir string) string {
	t.Helper()
	list, err := v.ReadDir(context.Background(), dir)
	must(t, err)
	var b strings.Builder
	for _, i := range list {
		fmt.Fprintf(&b, "%s/%s %v %s\n", strings.TrimPrefix(dir, "/m"), i.Name, i.Mode.Type(), i.Target)
		if i.IsDir() {
			b.WriteString(describe(t, v, dir+"/"+i.Name))
		}
	}
	return b.String()
}

func describeHost(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		target, _ := os.Readlink(path)
		fmt.Fprintf(&b, "%s %v %s\n", strings.TrimPrefix(path, root), d.Type(), target)
		return nil
	}))
	return b.String()
}
