package disk_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mirage/vfs"
	"mirage/vfs/disk"
	"mirage/vfs/vfstest"
)

var ctx = context.Background()

func TestConformance(t *testing.T) {
	vfstest.Run(t, func(t *testing.T) vfs.FS { return newDisk(t, t.TempDir(), disk.Options{}) })
}

func TestConformanceWithQuota(t *testing.T) {
	vfstest.Run(t, func(t *testing.T) vfs.FS { return newDisk(t, t.TempDir(), disk.Options{MaxBytes: 1 << 30}) })
}

func newDisk(t testing.TB, root string, o disk.Options) *disk.FS {
	t.Helper()
	d, err := disk.New(root, o)
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func view(t testing.TB, d vfs.FS) *vfs.View {
	t.Helper()
	ns, err := vfs.NewNamespace([]vfs.Mount{{Prefix: "/", FS: d, Mode: vfs.Exec}}, vfs.NamespaceOptions{})
	must(t, err)
	return vfs.NewView(ns, vfs.AllowAll{})
}

// TestHostLinksLeadNowhere puts links of the host into the root that lead out
// of it and that stay inside, and tries every way through them.
func TestHostLinksLeadNowhere(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	must(t,
		os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644),
		os.Mkdir(filepath.Join(root, "in"), 0o755),
		os.WriteFile(filepath.Join(root, "in", "f"), []byte("in"), 0o644),
		os.Symlink(filepath.Join(outside, "secret"), filepath.Join(root, "file")),
		os.Symlink(outside, filepath.Join(root, "dir")),
		os.Symlink("../"+filepath.Base(outside), filepath.Join(root, "up")),
		os.Symlink("in", filepath.Join(root, "inside")),
		os.Symlink(filepath.Join(outside, "new"), filepath.Join(root, "dangling")),
		os.Symlink("/proc/self/root", filepath.Join(root, "magic")),
	)
	v := view(t, newDisk(t, root, disk.Options{}))
	for _, name := range []string{"/file", "/dir", "/up", "/inside", "/dangling", "/magic", "/dir/secret", "/up/secret", "/inside/f", "/magic/etc/passwd", "/dir/new"} {
		link := strings.Count(name, "/") == 1
		for what, err := range map[string]error{
			"ReadFile":  second(v.ReadFile(ctx, name, -1)),
			"WriteFile": v.WriteFile(ctx, name, []byte("x"), 0o644),
			"Stat":      second(v.Stat(ctx, name)),
			"ReadDir":   second(v.ReadDir(ctx, name)),
			"Truncate":  v.Truncate(ctx, name, 0),
			"SetAttr":   v.SetAttr(ctx, name, vfs.Attr{ModTime: new(time.Time)}, true),
			"RealPath":  second(v.RealPath(ctx, name)),
		} {
			if vfs.Errno(err) != syscall.ELOOP {
				t.Errorf("%s %s: %v, want ELOOP", what, name, err)
			}
			if err != nil && (strings.Contains(err.Error(), outside) || strings.Contains(err.Error(), root)) {
				t.Errorf("%s %s: the error names the host: %v", what, name, err)
			}
		}
		info, err := v.Lstat(ctx, name)
		if link && (err != nil || !info.IsLink() || info.Target != "" || info.Size != 0) {
			t.Errorf("Lstat %s = %+v, %v; want a link without a text", name, info, err)
		}
		if !link && vfs.Errno(err) != syscall.ELOOP {
			t.Errorf("Lstat %s: %v, want ELOOP", name, err)
		}
		if link {
			if _, err := v.Readlink(ctx, name); vfs.Errno(err) != syscall.EACCES {
				t.Errorf("Readlink %s: %v, want EACCES", name, err)
			}
			if err := v.Link(ctx, name, "/hard"); vfs.Errno(err) != syscall.EPERM {
				t.Errorf("Link %s: %v, want EPERM", name, err)
			}
		}
	}
	must(t, v.Rename(ctx, "/dir", "/moved", 0), v.Unlink(ctx, "/moved"), v.RemoveAll(ctx, "/up"))
	if data, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(data) != "secret" {
		t.Errorf("the file outside holds %q, %v", data, err)
	}
	if _, err := os.Lstat(filepath.Join(outside, "new")); err == nil {
		t.Error("a file was made outside")
	}
}

func second[T any](_ T, err error) error { return err }

// TestRacingLinks swaps a directory and a link out of the root all the time;
// nothing of what lies outside may ever be read, made or removed.
func TestRacingLinks(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	must(t,
		os.WriteFile(filepath.Join(outside, "f"), []byte("outside"), 0o644),
		os.MkdirAll(filepath.Join(root, "real"), 0o755),
		os.WriteFile(filepath.Join(root, "real", "f"), []byte("inside"), 0o644),
		os.Symlink(outside, filepath.Join(root, "other")),
	)
	d := newDisk(t, root, disk.Options{})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		a, b := filepath.Join(root, "real"), filepath.Join(root, "other")
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
			}
		}
	})
	var once sync.Once
	halt := func() { once.Do(func() { close(stop) }); wg.Wait() }
	t.Cleanup(halt) // before the directories go
	read, refused := 0, 0
	for i := range 3000 {
		f, err := d.Open(ctx, "real/f", os.O_RDONLY, 0)
		switch {
		case err == nil:
			buf := make([]byte, 20)
			n, _ := f.ReadAt(buf, 0)
			if string(buf[:n]) != "inside" {
				t.Fatalf("read %q", buf[:n])
			}
			must(t, f.Close())
			read++
		case vfs.Errno(err) == syscall.ELOOP:
			refused++
		case vfs.Errno(err) == syscall.ENOENT: // under the name it gets below
		default:
			t.Fatal(err)
		}
		name := fmt.Sprintf("real/new%d", i)
		if f, err := d.Open(ctx, name, os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
			must(t, f.Close())
		}
		_ = d.Mkdir(ctx, name+"dir", 0o755)
		_, _ = d.SetAttr(ctx, name, vfs.Attr{ModTime: new(time.Time)})
		_ = d.Remove(ctx, name)
		_ = d.Rename(ctx, "real/f", "real/g")
		_ = d.Rename(ctx, "real/g", "real/f")
	}
	halt()
	if read == 0 || refused == 0 {
		t.Logf("the race was not seen: %d reads, %d refusals", read, refused)
	}
	list, err := os.ReadDir(outside)
	if err != nil || len(list) != 1 || list[0].Name() != "f" {
		t.Errorf("the directory outside holds %v, %v", list, err)
	}
}

// TestSpecialFiles checks that what could block or act on the host is shown
// and not opened.
func TestSpecialFiles(t *testing.T) {
	root := t.TempDir()
	must(t, unix.Mkfifo(filepath.Join(root, "fifo"), 0o644))
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(t, err, unix.Bind(fd, &unix.SockaddrUnix{Name: filepath.Join(root, "sock")}), unix.Close(fd))
	v := view(t, newDisk(t, root, disk.Options{}))
	for name, mode := range map[string]fs.FileMode{"/fifo": fs.ModeNamedPipe, "/sock": fs.ModeSocket} {
		if info, err := v.Stat(ctx, name); err != nil || info.Mode.Type() != mode {
			t.Errorf("Stat %s = %v, %v", name, info.Mode, err)
		}
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_TRUNC} {
			if _, err := v.Open(ctx, name, flag, 0o644); vfs.Errno(err) != syscall.EACCES {
				t.Errorf("Open(%s, %#x): %v, want EACCES", name, flag, err)
			}
		}
		must(t, v.Unlink(ctx, name))
	}
}

// TestHostModes checks that what a workspace calls a file's mode keeps the
// server from nothing, and sets no dangerous bit on the host.
func TestHostModes(t *testing.T) {
	root := t.TempDir()
	v := view(t, newDisk(t, root, disk.Options{UID: 1, GID: 2}))
	must(t, v.WriteFile(ctx, "/f", []byte("x"), 0), v.Mkdir(ctx, "/d", 0))
	for _, mode := range []fs.FileMode{0, 0o777, 0o755 | fs.ModeSetuid | fs.ModeSetgid, fs.ModeSticky | 0o100} {
		must(t, v.SetAttr(ctx, "/f", vfs.Attr{Mode: &mode, UID: new(int)}, true))
		info, err := os.Stat(filepath.Join(root, "f"))
		must(t, err)
		if got := info.Mode(); got&0o600 != 0o600 || got&^fs.ModePerm != 0 {
			t.Errorf("a file of mode %v is %v on the host", mode, got)
		}
		if got, _ := v.Stat(ctx, "/f"); got.Mode != mode || got.UID != 0 || got.GID != 2 {
			t.Errorf("Stat = %v %d:%d, want %v 0:2", got.Mode, got.UID, got.GID, mode)
		}
	}
	must(t, v.WriteFile(ctx, "/d/f", nil, 0o600))
}

func TestQuota(t *testing.T) {
	root := t.TempDir()
	must(t, os.WriteFile(filepath.Join(root, "old"), make([]byte, 400), 0o644))
	d := newDisk(t, root, disk.Options{MaxBytes: 1000})
	v := view(t, d)
	left := func(want int64) {
		t.Helper()
		if u, err := v.StatFS(ctx, "/"); err != nil || u.Avail != want || u.Total != 1000 {
			t.Errorf("StatFS = %+v, %v; want %d of 1000 left", u, err, want)
		}
	}
	edquot := func(what string, err error) {
		t.Helper()
		if vfs.Errno(err) != syscall.EDQUOT {
			t.Errorf("%s: %v, want EDQUOT", what, err)
		}
	}
	left(600)
	must(t, v.WriteFile(ctx, "/f", make([]byte, 500), 0o644))
	left(100)
	must(t, v.WriteFile(ctx, "/g", nil, 0o644))
	edquot("WriteFile", v.WriteFile(ctx, "/g", make([]byte, 101), 0o644))
	edquot("Truncate", v.Truncate(ctx, "/g", 101))
	f, err := v.Open(ctx, "/f", os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = f.WriteAt(make([]byte, 101), 0)
	edquot("appending", err)
	_, err = f.WriteAt(make([]byte, 60), 0)
	must(t, err, f.Close())
	left(40)
	must(t, v.WriteFile(ctx, "/f", make([]byte, 300), 0o644)) // replaced, so 260 come back
	left(300)
	must(t, v.Link(ctx, "/f", "/h"), v.Unlink(ctx, "/f"))
	left(300)
	must(t, v.Rename(ctx, "/g", "/h", 0))
	left(600)
	must(t, v.Truncate(ctx, "/old", 100), v.Truncate(ctx, "/old", 200))
	left(800)
	must(t, v.Unlink(ctx, "/old"))
	left(1000)
}

func TestStatFSIsTheHosts(t *testing.T) {
	root := t.TempDir()
	var st unix.Statfs_t
	must(t, unix.Statfs(root, &st))
	u, err := newDisk(t, root, disk.Options{}).StatFS(ctx)
	must(t, err)
	if u.Total != int64(st.Blocks)*st.Bsize || u.Files != int64(st.Files) {
		t.Errorf("StatFS = %+v, the host says %+v", u, st)
	}
}

func TestClose(t *testing.T) {
	d, err := disk.New(filepath.Join(t.TempDir(), "made", "on", "demand"), disk.Options{})
	must(t, err)
	f, err := d.Open(ctx, "f", os.O_CREATE|os.O_RDWR, 0o644)
	must(t, err, d.Close())
	if _, err := d.Stat(ctx, "f"); vfs.Errno(err) != syscall.EIO {
		t.Errorf("Stat after Close: %v, want EIO", err)
	}
	if _, err := d.Open(ctx, "f", os.O_RDONLY, 0); vfs.Errno(err) != syscall.EIO {
		t.Errorf("Open after Close: %v, want EIO", err)
	}
	_, err = f.WriteAt([]byte("still"), 0)
	must(t, err, f.Sync(), f.Close())
	if d.Close() == nil {
		t.Error("the second Close succeeds")
	}
}

// TestNoDescriptorsLeak makes every call, failing ones too, and counts.
func TestNoDescriptorsLeak(t *testing.T) {
	root := t.TempDir()
	v := view(t, newDisk(t, root, disk.Options{}))
	use := func() {
		must(t, v.MkdirAll(ctx, "/a/b", 0o755), v.WriteFile(ctx, "/a/b/f", []byte("x"), 0o644))
		f, err := v.Open(ctx, "/a/b/f", os.O_RDWR, 0)
		must(t, err, f.Sync(), f.Close())
		for _, name := range []string{"/a/b/f", "/a/b/none", "/a/b/f/x", "/none/x"} {
			_, _ = v.Stat(ctx, name)
			_, _ = v.ReadDir(ctx, name)
			_, _ = v.ReadFile(ctx, name, -1)
			_ = v.Mkdir(ctx, name, 0o755)
			_ = v.SetAttr(ctx, name, vfs.Attr{ModTime: new(time.Time)}, true)
			_ = v.Rename(ctx, name, "/a/none/x", 0)
			_ = v.Link(ctx, name, "/a/b/f")
			_ = v.Truncate(ctx, name, 1)
		}
		must(t, v.RemoveAll(ctx, "/a"))
	}
	count := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		must(t, err)
		return len(list)
	}
	use()
	before := count()
	for range 20 {
		use()
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors are open, %d before", after, before)
	}
}

func BenchmarkStat(b *testing.B) {
	v := view(b, newDisk(b, b.TempDir(), disk.Options{}))
	must(b, v.MkdirAll(ctx, "/a/b", 0o755), v.WriteFile(ctx, "/a/b/c", nil, 0o644))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Stat(ctx, "/a/b/c"); err != nil {
			b.Fatal(err)
		}
	}
}
