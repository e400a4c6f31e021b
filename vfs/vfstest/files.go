package vfstest

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"syscall"

	"mirage/vfs"
)

func testEmpty(e *env) {
	root := e.stat(".")
	if !root.IsDir() {
		e.Errorf("the root's mode is %v, want a directory", root.Mode)
	}
	e.wantNames(".")
	_, err := e.fs.Stat(e.ctx, "none")
	e.want("Stat of nothing", err, syscall.ENOENT)
	_, err = e.fs.Open(e.ctx, "none", os.O_RDONLY, 0)
	e.want("Open of nothing", err, syscall.ENOENT)
	_, err = e.fs.ReadDir(e.ctx, "none")
	e.want("ReadDir of nothing", err, syscall.ENOENT)
}

func testReadWrite(e *env) {
	e.write("f", "hello, world")
	f := e.open("f", os.O_RDWR)
	for _, c := range []struct {
		off  int64
		size int
		want string
		eof  bool
	}{
		{0, 5, "hello", false},
		{7, 5, "world", false},
		{7, 9, "world", true},
		{12, 4, "", true},
		{99, 4, "", true},
	} {
		buf := make([]byte, c.size)
		n, err := f.ReadAt(buf, c.off)
		if string(buf[:n]) != c.want || (err == io.EOF) != c.eof || err != nil && err != io.EOF {
			e.Errorf("ReadAt(%d bytes, %d) = %q, %v; want %q, EOF %v", c.size, c.off, buf[:n], err, c.want, c.eof)
		}
	}
	_, err := f.WriteAt([]byte("W"), 7)
	e.ok("WriteAt", err)
	e.wantContent("f", "hello, World")
	e.write("f", "short")
	e.wantContent("f", "short")
	if got := e.stat("f").Size; got != 5 {
		e.Errorf("Size = %d, want 5", got)
	}
	if n, err := f.WriteAt(nil, 100); n != 0 || err != nil {
		e.Errorf("WriteAt of nothing = %d, %v", n, err)
	}
	e.wantContent("f", "short")
	e.ok("Sync", f.Sync())
}

func testOpenFlags(e *env) {
	e.write("f", "data")
	e.mkdirs("d")
	for _, c := range []struct {
		name  string
		flag  int
		errno syscall.Errno
	}{
		{"f", os.O_RDONLY, 0},
		{"f", os.O_WRONLY | os.O_CREATE, 0},
		{"f", os.O_WRONLY | os.O_CREATE | os.O_EXCL, syscall.EEXIST},
		{"f", os.O_RDONLY | syscall.O_DIRECTORY, syscall.ENOTDIR},
		{"none", os.O_WRONLY, syscall.ENOENT},
		{"none/f", os.O_WRONLY | os.O_CREATE, syscall.ENOENT},
		{"f/x", os.O_WRONLY | os.O_CREATE, syscall.ENOTDIR},
		{"f/x", os.O_RDONLY, syscall.ENOTDIR},
		{"d", os.O_RDONLY, 0},
		{"d", os.O_RDONLY | syscall.O_DIRECTORY, 0},
		{"d", os.O_WRONLY, syscall.EISDIR},
		{"d", os.O_RDWR, syscall.EISDIR},
		{"d", os.O_RDONLY | os.O_CREATE, syscall.EISDIR},
		{"d", os.O_WRONLY | os.O_CREATE | os.O_EXCL, syscall.EEXIST},
		{".", os.O_RDONLY, 0},
		{".", os.O_WRONLY, syscall.EISDIR},
	} {
		f, err := e.fs.Open(e.ctx, c.name, c.flag, 0o644)
		if c.errno != 0 {
			e.want("Open "+c.name, err, c.errno)
		} else if err != nil {
			e.Errorf("Open(%s, %#x): %v", c.name, c.flag, err)
		}
		if err == nil {
			_ = f.Close()
		}
	}
	e.wantContent("f", "data")
	f := e.open("new", os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	e.wantContent("new", "")
	e.open("f", os.O_WRONLY|os.O_TRUNC)
	e.wantContent("f", "")
	e.write("f", "again")
	r := e.open("f", os.O_RDONLY|os.O_TRUNC) // empties it too, as on Linux
	e.wantContent("f", "")
	_, err := r.WriteAt([]byte("x"), 0)
	e.want("WriteAt on a handle for reading", err, syscall.EBADF)
	e.ok("Close", f.Close())
	e.want("second Close", f.Close(), syscall.EBADF)
	_, err = f.WriteAt([]byte("x"), 0)
	e.want("WriteAt after Close", err, syscall.EBADF)
}

func testGaps(e *env) {
	f := e.open("f", os.O_RDWR|os.O_CREATE)
	for _, off := range []int64{10, 100_000, 70_000, 300_000, 64 << 10} {
		_, err := f.WriteAt([]byte("x"), off)
		e.ok("WriteAt", err)
	}
	want := bytes.Repeat([]byte{0}, 300_001)
	for _, off := range []int{10, 100_000, 70_000, 300_000, 64 << 10} {
		want[off] = 'x'
	}
	if got := e.read("f"); got != string(want) {
		e.Errorf("a file with gaps differs from what was written")
	}
	if info := e.stat("f"); info.Size != 300_001 {
		e.Errorf("Size = %d, want 300001", info.Size)
	}
}

func testTruncate(e *env) {
	data := strings.Repeat("0123456789abcdef", 20_000) // 320,000 bytes
	e.write("f", data)
	f := e.open("f", os.O_RDWR)
	want := data
	for _, size := range []int{200_000, 65_536, 65_537, 65_535, 100, 0, 70_000} {
		e.ok("Truncate", f.Truncate(int64(size)))
		if size < len(want) {
			want = want[:size]
		} else {
			want += strings.Repeat("\x00", size-len(want))
		}
		if got := e.content(f); got != want {
			e.Fatalf("after Truncate(%d) the file holds %d bytes that differ from the %d wanted", size, len(got), len(want))
		}
	}
	_, err := f.WriteAt([]byte("end"), 69_997)
	e.ok("WriteAt", err)
	if got := e.content(f); got != want[:69_997]+"end" {
		e.Errorf("a write after Truncate went wrong")
	}
	e.want("Truncate(-1)", f.Truncate(-1), syscall.EINVAL)
}

func testAppend(e *env) {
	e.write("f", "one\n")
	f := e.open("f", os.O_WRONLY|os.O_APPEND)
	for _, s := range []string{"two\n", "three\n"} {
		n, err := f.WriteAt([]byte(s), 0)
		if n != len(s) || err != nil {
			e.Fatalf("WriteAt = %d, %v", n, err)
		}
	}
	e.wantContent("f", "one\ntwo\nthree\n")
	e.ok("Truncate", f.Truncate(4))
	_, err := f.WriteAt([]byte("2\n"), 1<<30)
	e.ok("WriteAt", err)
	e.wantContent("f", "one\n2\n")
}

func testOpenDirectory(e *env) {
	e.mkdirs("d")
	f := e.open("d", os.O_RDONLY)
	_, err := f.ReadAt(make([]byte, 1), 0)
	e.want("ReadAt of a directory", err, syscall.EISDIR)
	info, err := f.Stat()
	if err != nil || !info.IsDir() || info.Name != "d" {
		e.Errorf("Stat of an open directory = %+v, %v", info, err)
	}
	e.ok("Sync of a directory", f.Sync())
}

func testDirections(e *env) {
	e.write("f", "data")
	r, w := e.open("f", os.O_RDONLY), e.open("f", os.O_WRONLY)
	_, err := r.WriteAt([]byte("x"), 0)
	e.want("WriteAt on a handle for reading", err, syscall.EBADF)
	_, err = w.ReadAt(make([]byte, 1), 0)
	e.want("ReadAt on a handle for writing", err, syscall.EBADF)
	_, err = w.WriteAt([]byte("x"), -1)
	e.want("WriteAt(-1)", err, syscall.EINVAL)
	_, err = r.ReadAt(make([]byte, 1), -1)
	e.want("ReadAt(-1)", err, syscall.EINVAL)
	if err := r.Truncate(0); vfs.Errno(err) != syscall.EBADF && vfs.Errno(err) != syscall.EINVAL {
		e.Errorf("Truncate on a handle for reading: %v", err)
	}
	e.wantContent("f", "data")
}

// testLargeFile writes pieces of many sizes in and out of order.
func testLargeFile(e *env) {
	want := make([]byte, 1<<20)
	for i := range want {
		want[i] = byte(i * 7 / 3)
	}
	for _, size := range []int{4096, 32 << 10, 100_001, 255 << 10} {
		f := e.open("f", os.O_RDWR|os.O_CREATE|os.O_TRUNC)
		var offs []int
		for off := 0; off < len(want); off += size {
			offs = append(offs, off)
		}
		for i := range offs { // swap neighbours, as pipelined writes may arrive
			if i%3 == 1 {
				offs[i-1], offs[i] = offs[i], offs[i-1]
			}
		}
		for _, off := range offs {
			_, err := f.WriteAt(want[off:min(off+size, len(want))], int64(off))
			e.ok("WriteAt", err)
		}
		if e.content(f) != string(want) {
			e.Errorf("a file written in pieces of %d differs", size)
		}
		_, err := f.WriteAt([]byte("!!!"), 500_000)
		e.ok("WriteAt", err)
		got := e.content(f)
		if got[:500_000] != string(want[:500_000]) || got[500_000:500_003] != "!!!" || got[500_003:] != string(want[500_003:]) {
			e.Errorf("overwriting in a file of pieces of %d went wrong", size)
		}
	}
}

func testUnlinkWhileOpen(e *env) {
	e.write("f", "still here")
	f := e.open("f", os.O_RDWR)
	e.ok("Remove", e.remove("f"))
	_, err := e.fs.Stat(e.ctx, "f")
	e.want("Stat after Remove", err, syscall.ENOENT)
	_, err = f.WriteAt([]byte("STILL"), 0)
	e.ok("WriteAt", err)
	if got := e.content(f); got != "STILL here" {
		e.Errorf("an unlinked file holds %q", got)
	}
	if info, err := f.Stat(); err != nil || info.Nlink != 0 {
		e.Errorf("Stat of an unlinked file: Nlink %d, %v; want 0", info.Nlink, err)
	}
	e.write("f", "another")
	e.wantContent("f", "another")
	if got := e.content(f); got != "STILL here" {
		e.Errorf("an unlinked file holds %q after its name was reused", got)
	}
	e.ok("Close", f.Close())
	e.wantContent("f", "another")
}

func testReplaceWhileOpen(e *env) {
	e.write("f", "old")
	e.write("g", "new")
	f := e.open("f", os.O_RDONLY)
	e.ok("Rename", e.rename("g", "f", 0))
	if got := e.content(f); got != "old" {
		e.Errorf("a replaced file holds %q, want its own content", got)
	}
	e.wantContent("f", "new")
}

// testCancel checks that a handle ends with the context it was opened with.
func testCancel(e *env) {
	e.write("f", "data")
	ctx, cancel := context.WithCancel(e.ctx)
	f, err := e.fs.Open(ctx, "f", os.O_RDWR, 0)
	e.ok("Open", err)
	if _, err := f.ReadAt(make([]byte, 4), 0); err != nil {
		e.Errorf("ReadAt before the end of the context: %v", err)
	}
	cancel()
	_, err = f.ReadAt(make([]byte, 4), 0)
	e.want("ReadAt after the end of the context", err, syscall.EINTR)
	_, err = f.WriteAt([]byte("lost"), 0)
	e.want("WriteAt after the end of the context", err, syscall.EINTR)
	e.want("Truncate after the end of the context", f.Truncate(0), syscall.EINTR)
	e.ok("Close after the end of the context", f.Close())
	_, err = e.fs.Stat(ctx, "f")
	e.want("Stat after the end of the context", err, syscall.EINTR)
	_, err = e.fs.ReadDir(ctx, ".")
	e.want("ReadDir after the end of the context", err, syscall.EINTR)
	_, err = e.fs.Open(ctx, "f", os.O_RDONLY, 0)
	e.want("Open after the end of the context", err, syscall.EINTR)
	e.wantContent("f", "data")
}
