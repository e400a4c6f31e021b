package ram_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"mirage/vfs"
	"mirage/vfs/ram"
	"mirage/vfs/vfstest"
)

var ctx = context.Background()

func TestConformance(t *testing.T) {
	vfstest.Run(t, func(*testing.T) vfs.FS { return ram.New(ram.Options{}) })
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func open(t testing.TB, f vfs.FS, name string, flag int) vfs.File {
	t.Helper()
	h, err := f.Open(ctx, name, flag, 0o644)
	must(t, err)
	return h
}

func write(t testing.TB, f vfs.FS, name, data string) {
	t.Helper()
	h := open(t, f, name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	_, err := h.WriteAt([]byte(data), 0)
	must(t, err, h.Close())
}

func read(t testing.TB, f vfs.FS, name string) string {
	t.Helper()
	h := open(t, f, name, os.O_RDONLY)
	data, err := io.ReadAll(io.NewSectionReader(h, 0, 1<<40))
	must(t, err, h.Close())
	return string(data)
}

func TestByteQuota(t *testing.T) {
	f := ram.New(ram.Options{MaxBytes: 100_000})
	h := open(t, f, "f", os.O_RDWR|os.O_CREATE)
	_, err := h.WriteAt(make([]byte, 60_000), 0)
	must(t, err)
	_, err = h.WriteAt(make([]byte, 60_000), 60_000)
	if vfs.Errno(err) != syscall.ENOSPC {
		t.Errorf("WriteAt beyond the quota: %v, want ENOSPC", err)
	}
	if info, _ := h.Stat(); info.Size != 60_000 {
		t.Errorf("a refused write left %d bytes", info.Size)
	}
	// Holes are free, what fills them is not.
	must(t, h.Truncate(1<<40))
	if _, err := h.WriteAt(make([]byte, 60_000), 1<<39); vfs.Errno(err) != syscall.ENOSPC {
		t.Errorf("WriteAt into a hole: %v, want ENOSPC", err)
	}
	if err := f.SetXattr(ctx, "f", "user.big", make([]byte, 60_000), false, false); vfs.Errno(err) != syscall.ENOSPC {
		t.Errorf("SetXattr beyond the quota: %v, want ENOSPC", err)
	}
	u, err := f.StatFS(ctx)
	must(t, err)
	if u.Total != 100_000 || u.Free != 40_000 {
		t.Errorf("StatFS = %+v, want 40,000 of 100,000 free", u)
	}
	// An open file counts until it is closed, and its bytes come back.
	must(t, f.Remove(ctx, "f"))
	if u, _ := f.StatFS(ctx); u.Free != 40_000 {
		t.Errorf("%d bytes are free while the file is open, want 40,000", u.Free)
	}
	must(t, h.Close())
	if u, _ := f.StatFS(ctx); u.Free != 100_000 || u.FilesFree != u.Files {
		t.Errorf("StatFS = %+v after everything was removed", u)
	}
}

// TestQuotaCountsMemory checks that the quota bounds memory, not sizes: no
// way of writing holds many times what is counted.
func TestQuotaCountsMemory(t *testing.T) {
	const limit = 4 << 20
	for name, fill := range map[string]func(h vfs.File, i int64) error{
		"one byte to each chunk": func(h vfs.File, i int64) error { _, err := h.WriteAt([]byte{1}, i<<16); return err },
		"chunks cut short": func(h vfs.File, i int64) error {
			if _, err := h.WriteAt(make([]byte, 64<<10), i<<16); err != nil {
				return err
			}
			return h.Truncate(i<<16 + 1)
		},
		"appended bit by bit": func(h vfs.File, i int64) error { _, err := h.WriteAt(make([]byte, 100), i*100); return err },
	} {
		f := ram.New(ram.Options{MaxBytes: limit})
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		h := open(t, f, "f", os.O_RDWR|os.O_CREATE)
		for i := int64(0); i < 5_000; i++ {
			if err := fill(h, i); err != nil {
				if vfs.Errno(err) != syscall.ENOSPC {
					t.Fatal(err)
				}
				break
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 3*limit/2 {
			t.Errorf("%s: %d KiB in use under a quota of %d KiB", name, used>>10, limit>>10)
		}
		must(t, h.Close())
	}
}

func TestEntryQuota(t *testing.T) {
	f := ram.New(ram.Options{MaxEntries: 3})
	must(t, f.Mkdir(ctx, "d", 0o755), f.Symlink(ctx, "x", "d/l"), f.Link(ctx, "d/l", "d/m"))
	if err := f.Mkdir(ctx, "e", 0o755); vfs.Errno(err) != syscall.ENOSPC {
		t.Errorf("Mkdir beyond the quota: %v, want ENOSPC", err)
	}
	if _, err := f.Open(ctx, "f", os.O_CREATE|os.O_WRONLY, 0o644); vfs.Errno(err) != syscall.ENOSPC {
		t.Errorf("Open beyond the quota: %v, want ENOSPC", err)
	}
	must(t, f.Rename(ctx, "d/m", "m"), f.Remove(ctx, "m"), f.Mkdir(ctx, "e", 0o755))
}

func TestSnapshot(t *testing.T) {
	f := ram.New(ram.Options{})
	must(t, f.Mkdir(ctx, "d", 0o755), f.Symlink(ctx, "d/f", "l"), f.SetXattr(ctx, "d", "user.a", []byte("1"), false, false))
	write(t, f, "d/f", "before")
	s, err := f.Snapshot(ctx)
	must(t, err)
	appender := open(t, f, "d/f", os.O_WRONLY|os.O_APPEND)
	_, err = appender.WriteAt([]byte(" and after"), 0)
	must(t, err, appender.Close())
	write(t, f, "d/new", "")
	must(t, f.Remove(ctx, "l"), f.SetXattr(ctx, "d", "user.a", []byte("2"), false, false))
	if got := read(t, s, "d/f"); got != "before" {
		t.Errorf("the snapshot holds %q", got)
	}
	if list, err := s.ReadDir(ctx, "d"); err != nil || len(list) != 1 {
		t.Errorf("the snapshot lists %v, %v", list, err)
	}
	if info, err := s.Stat(ctx, "l"); err != nil || info.Target != "d/f" {
		t.Errorf("the snapshot's link is %+v, %v", info, err)
	}
	if v, err := vfs.GetXattr(ctx, s, "d", "user.a"); err != nil || string(v) != "1" {
		t.Errorf("the snapshot's attribute is %q, %v", v, err)
	}
	for flag, want := range map[int]syscall.Errno{
		os.O_WRONLY: syscall.EROFS, os.O_RDONLY | os.O_TRUNC: syscall.EROFS, os.O_RDWR | os.O_CREATE | os.O_EXCL: syscall.EEXIST,
	} {
		if _, err := s.Open(ctx, "d/f", flag, 0); vfs.Errno(err) != want {
			t.Errorf("Open(%#x) of a snapshot: %v, want %v", flag, err, want)
		}
	}
	if err := vfs.Mkdir(ctx, s, "x", 0o755); vfs.Errno(err) != syscall.ENOTSUP {
		t.Errorf("Mkdir in a snapshot: %v", err)
	}
	clone, ok := ram.Clone(s)
	if !ok {
		t.Fatal("a snapshot cannot be cloned")
	}
	// Both append to the chunk that they share.
	for i, g := range []*ram.FS{clone, f} {
		h := open(t, g, "d/f", os.O_WRONLY|os.O_APPEND)
		_, err := h.WriteAt([]byte(fmt.Sprint(" by ", i)), 0)
		must(t, err, h.Close())
	}
	if a, b := read(t, clone, "d/f"), read(t, f, "d/f"); a != "before by 0" || b != "before and after by 1" {
		t.Errorf("the clone holds %q, the original %q", a, b)
	}
	if got := read(t, s, "d/f"); got != "before" {
		t.Errorf("the snapshot holds %q after all", got)
	}
}

func TestCloneLeavesOrphans(t *testing.T) {
	f := ram.New(ram.Options{MaxBytes: 1000})
	h := open(t, f, "f", os.O_RDWR|os.O_CREATE)
	_, err := h.WriteAt(make([]byte, 900), 0)
	must(t, err, f.Remove(ctx, "f"))
	if u, _ := f.Clone().StatFS(ctx); u.Free != 1000 {
		t.Errorf("%d bytes are free in a clone that holds nothing", u.Free)
	}
	must(t, h.Close())
}

// TestReaderSeesWholeWrites checks that a write appears at once.
func TestReaderSeesWholeWrites(t *testing.T) {
	f := ram.New(ram.Options{})
	const size = 200_000
	write(t, f, "f", string(make([]byte, size)))
	w, r := open(t, f, "f", os.O_WRONLY), open(t, f, "f", os.O_RDONLY)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for i := range 50 {
			if _, err := w.WriteAt(bytes.Repeat([]byte{byte(i)}, size), 0); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Go(func() {
		buf := make([]byte, size)
		for {
			n, err := r.ReadAt(buf, 0)
			if n != size || bytes.Count(buf, buf[:1]) != size {
				t.Errorf("read %d bytes, %v, %d of them alike", n, err, bytes.Count(buf, buf[:1]))
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	wg.Wait()
}

func TestHugeOffsets(t *testing.T) {
	f := ram.New(ram.Options{})
	h := open(t, f, "f", os.O_RDWR|os.O_CREATE)
	for _, off := range []int64{1 << 62, 1<<63 - 1, 1 << 52} {
		if _, err := h.WriteAt([]byte("x"), off); vfs.Errno(err) != syscall.EFBIG {
			t.Errorf("WriteAt(%d): %v, want EFBIG", off, err)
		}
	}
	if err := h.Truncate(1<<52 + 1); vfs.Errno(err) != syscall.EFBIG {
		t.Errorf("Truncate: %v, want EFBIG", err)
	}
	_, err := h.WriteAt([]byte("end"), 1<<52-3)
	must(t, err)
	buf := make([]byte, 10)
	if n, err := h.ReadAt(buf, 1<<52-5); n != 5 || err != io.EOF || string(buf[:n]) != "\x00\x00end" {
		t.Errorf("ReadAt = %q, %v", buf[:n], err)
	}
	if n, err := h.ReadAt(buf, 1<<62); n != 0 || err != io.EOF {
		t.Errorf("ReadAt far beyond the end = %d, %v", n, err)
	}
	if info, _ := h.Stat(); info.Blocks != 128 {
		t.Errorf("a sparse file takes %d blocks, want the 128 of one chunk", info.Blocks)
	}
	must(t, h.Truncate(0), h.Close())
}

func TestClock(t *testing.T) {
	now := time.Unix(1_700_000_000, 5)
	f := ram.New(ram.Options{Now: func() time.Time { return now }, UID: 3, GID: 4})
	write(t, f, "f", "x")
	info, err := f.Stat(ctx, "f")
	must(t, err)
	if !info.ModTime.Equal(now) || !info.BirthTime.Equal(now) || info.UID != 3 || info.GID != 4 {
		t.Errorf("Stat = %+v", info)
	}
}
