package vfstest

import (
	"io/fs"
	"os"
	"syscall"
	"testing/fstest"
	"time"

	"mirage/vfs"
)

func ptr[T any](v T) *T { return &v }

// holds skips what a backend leaves to the node table.
func (e *env) holds(what string, rest vfs.Attr, err error) {
	e.Helper()
	e.ok(what, err)
	if !rest.IsZero() {
		e.Skipf("the backend does not hold the %s", what)
	}
}

func testModes(e *env) {
	e.write("f", "")
	e.mkdirs("d")
	if got := e.stat("f").Mode; got.Type() != 0 {
		e.Errorf("the mode of a file is %v", got)
	}
	f, err := e.fs.Open(e.ctx, "exe", os.O_WRONLY|os.O_CREATE, 0o755)
	e.ok("Open", err)
	e.ok("Close", f.Close())
	for name, modes := range map[string][]fs.FileMode{
		"f": {0o600, 0o644, 0o666, 0o755, 0o444, 0o000, 0o755 | fs.ModeSetuid, 0o700 | fs.ModeSticky | fs.ModeSetgid},
		"d": {0o755, 0o700, 0o500, 0o777 | fs.ModeSticky},
	} {
		for _, mode := range modes {
			rest, err := e.setAttr(name, vfs.Attr{Mode: ptr(mode)})
			e.ok("SetAttr", err)
			if rest.Mode != nil {
				continue // the node table's
			}
			if got := e.stat(name).Mode &^ fs.ModeType; got != mode {
				e.Errorf("the mode of %s is %v after setting %v", name, got, mode)
			}
			if e.view != nil { // bits are bookkeeping: whatever they say, files open
				e.ok("Close", e.open("f", os.O_RDWR).Close())
			}
		}
	}
	if e.view == nil {
		return
	}
	for _, perm := range []fs.FileMode{0o644, 0o400, 0o777, 0} {
		name := "made" + perm.String()
		f, err := e.fs.Open(e.ctx, name, os.O_RDWR|os.O_CREATE, perm)
		e.ok("Open", err)
		e.ok("Close", f.Close())
		if got := e.stat(name).Mode; got != perm {
			e.Errorf("a file made with %v has mode %v", perm, got)
		}
		e.ok("Mkdir", e.mkdir("dir"+name, perm))
		if got := e.stat("dir" + name).Mode.Perm(); got != perm {
			e.Errorf("a directory made with %v has mode %v", perm, got)
		}
	}
}

func testTimes(e *env) {
	e.write("f", "x")
	first := e.stat("f").ModTime
	if age := time.Since(first); !first.IsZero() && (age < -time.Hour || age > time.Hour) {
		e.Errorf("a new file was modified %v ago", age)
	}
	atime, mtime := time.Unix(1_000_000_000, 123_456_000), time.Unix(1_234_567_890, 987_654_000)
	rest, err := e.setAttr("f", vfs.Attr{AccessTime: &atime, ModTime: &mtime})
	e.holds("times", rest, err)
	if got := e.stat("f"); !got.ModTime.Equal(mtime) || !got.AccessTime.Equal(atime) {
		e.Errorf("times are %v, %v; want %v, %v", got.AccessTime, got.ModTime, atime, mtime)
	}
	// Setting one leaves the other; the mode leaves both.
	older := time.Unix(-86_400, 0)
	rest, err = e.setAttr("f", vfs.Attr{ModTime: &older})
	e.holds("times", rest, err)
	_, err = e.setAttr("f", vfs.Attr{Mode: ptr(fs.FileMode(0o640))})
	e.ok("SetAttr", err)
	if got := e.stat("f"); !got.ModTime.Equal(older) || !got.AccessTime.Equal(atime) {
		e.Errorf("times are %v, %v; want %v, %v", got.AccessTime, got.ModTime, atime, older)
	}
	// A rename keeps them, a write does not.
	e.ok("Rename", e.rename("f", "g", 0))
	if got := e.stat("g"); !got.ModTime.Equal(older) {
		e.Errorf("a rename changed the time of modification to %v", got.ModTime)
	}
	f := e.open("g", os.O_RDWR)
	if _, err := f.WriteAt([]byte("y"), 0); err != nil {
		e.Fatal(err)
	}
	if got := e.stat("g"); !got.ModTime.After(mtime) {
		e.Errorf("a write left the time of modification at %v", got.ModTime)
	}
	// A handle sets times too, and its Close leaves them alone.
	rest, err = vfs.SetFileAttr(f, vfs.Attr{ModTime: &mtime, AccessTime: &atime})
	e.needs("SetFileAttr", err)
	e.holds("times", rest, err)
	e.ok("Close", f.Close())
	if got := e.stat("g"); !got.ModTime.Equal(mtime) {
		e.Errorf("times set on a handle read %v, want %v", got.ModTime, mtime)
	}
	e.mkdirs("d")
	rest, err = e.setAttr("d", vfs.Attr{ModTime: &mtime})
	e.holds("times", rest, err)
	e.write("d/new", "")
	if got := e.stat("d"); !got.ModTime.After(mtime) {
		e.Errorf("a new entry left the directory's time of modification at %v", got.ModTime)
	}
}

// testRevision checks that a revision tells contents apart.
func testRevision(e *env) {
	e.write("f", "one")
	first := e.stat("f").Revision
	if first == "" {
		e.Skip("the backend has no revisions")
	}
	if again := e.stat("f").Revision; again != first {
		e.Errorf("the revision went from %q to %q by itself", first, again)
	}
	e.write("f", "three")
	if second := e.stat("f").Revision; second == first {
		e.Errorf("the revision is %q before and after a write", second)
	}
}

func testHardLinks(e *env) {
	e.write("f", "data")
	e.mkdirs("d")
	err := e.link("f", "d/g")
	if vfs.Errno(err) == syscall.ENOTSUP {
		e.Skip("the backend has no hard links")
	}
	e.ok("Link", err)
	a, b := e.stat("f"), e.stat("d/g")
	if a.Nlink != 2 || a.Ino != b.Ino {
		e.Errorf("after Link: %d links, inodes %d and %d", a.Nlink, a.Ino, b.Ino)
	}
	e.want("Link over a file", e.link("f", "d/g"), syscall.EEXIST)
	e.want("Link of nothing", e.link("none", "x"), syscall.ENOENT)
	e.want("Link of a directory", e.link("d", "x"), syscall.EPERM)
	e.want("Link into nothing", e.link("f", "none/x"), syscall.ENOENT)
	// Renaming one name of a file over another does nothing.
	e.ok("Rename", e.rename("f", "d/g", 0))
	e.wantContent("f", "data")
	w := e.open("d/g", os.O_WRONLY)
	_, err = w.WriteAt([]byte("DATA"), 0)
	e.ok("WriteAt", err)
	e.wantContent("f", "DATA")
	e.ok("Remove", e.remove("f"))
	e.wantContent("d/g", "DATA")
	if got := e.stat("d/g").Nlink; got != 1 {
		e.Errorf("after Remove there are %d links, want 1", got)
	}
}

func testStatFS(e *env) {
	u, err := e.statFS()
	e.ok("StatFS", err)
	if u.Total >= 0 && (u.Free < 0 || u.Free > u.Total || u.Avail > u.Free) {
		e.Errorf("StatFS = %+v: the sizes do not fit together", u)
	}
	if u.Files >= 0 && u.FilesFree > u.Files {
		e.Errorf("StatFS = %+v: the files do not fit together", u)
	}
}

// testIOFS runs the standard library's own suite.
func testIOFS(e *env) {
	e.mkdirs("d", "d/e", "empty")
	e.write("top", "top")
	e.write("d/a", "")
	e.write("d/e/deep", "deep")
	if err := fstest.TestFS(vfs.IOFS(e.ctx, e.fs), "top", "d/a", "d/e/deep", "empty"); err != nil {
		e.Error(err)
	}
}
