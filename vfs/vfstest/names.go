package vfstest

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"mirage/vfs"
)

func testDirectories(e *env) {
	e.mkdirs("d", "d/e", "d/e/f")
	e.want("Mkdir of what is there", e.mkdir("d", 0o755), syscall.EEXIST)
	e.want("Mkdir in nothing", e.mkdir("none/x", 0o755), syscall.ENOENT)
	e.write("d/file", "")
	e.want("Mkdir over a file", e.mkdir("d/file", 0o755), syscall.EEXIST)
	e.want("Mkdir in a file", e.mkdir("d/file/x", 0o755), syscall.ENOTDIR)
	e.wantNames("d", "e", "file")
	e.want("Remove of a full directory", e.remove("d/e"), syscall.ENOTEMPTY)
	e.want("Remove of nothing", e.remove("d/none"), syscall.ENOENT)
	if got := e.stat("d").Nlink; got != 3 && got != 1 {
		e.Errorf("a directory with one subdirectory has %d links, want 3 (or 1 where they are not counted)", got)
	}
	e.ok("Remove", e.remove("d/e/f"))
	e.ok("Remove", e.remove("d/e"))
	e.wantNames("d", "file")
	_, err := e.fs.ReadDir(e.ctx, "d/file")
	e.want("ReadDir of a file", err, syscall.ENOTDIR)
	_, err = e.fs.Stat(e.ctx, "d/file/x")
	e.want("Stat below a file", err, syscall.ENOTDIR)
}

// testNames checks that a name is any bytes but NUL and slash.
func testNames(e *env) {
	names := []string{
		" ", "-", "...", ".hidden", "\"'$`\\", "\n", "*?[", "Ünïcödé", "\xff\xfe", "a b",
		strings.Repeat("n", 255),
	}
	for _, name := range names {
		e.write(name, name)
		e.wantContent(name, name)
	}
	list, err := e.fs.ReadDir(e.ctx, ".")
	e.ok("ReadDir", err)
	if len(list) != len(names) {
		e.Errorf("ReadDir answers %d entries, want %d", len(list), len(names))
	}
	for i := 1; i < len(list); i++ {
		if list[i-1].Name >= list[i].Name {
			e.Errorf("ReadDir answers %q before %q", list[i-1].Name, list[i].Name)
		}
	}
	for _, name := range names {
		e.ok("Remove", e.remove(name))
	}
	_, err = e.fs.Open(e.ctx, strings.Repeat("n", 256), os.O_WRONLY|os.O_CREATE, 0o644)
	e.want("a name of 256 bytes", err, syscall.ENAMETOOLONG)
	e.want("Mkdir of a name of 256 bytes", e.mkdir(strings.Repeat("n", 256), 0o755), syscall.ENAMETOOLONG)
	_, err = e.fs.Open(e.ctx, "a\x00b", os.O_WRONLY|os.O_CREATE, 0o644)
	e.want("a name with NUL", err, syscall.EINVAL)
	if e.view == nil {
		for _, name := range []string{"", "/", "/a", "a/", "a//b", "../a", "a/../b", "./a"} {
			_, err := e.fs.Stat(e.ctx, name)
			e.want(fmt.Sprintf("Stat of the invalid name %q", name), err, syscall.EINVAL)
		}
	}
}

func testRename(e *env) {
	e.mkdirs("d", "d/sub", "empty", "full")
	e.write("full/x", "")
	e.write("f", "f")
	e.write("g", "g")
	for _, c := range []struct {
		from, to string
		errno    syscall.Errno
	}{
		{"none", "x", syscall.ENOENT},
		{"f", "none/x", syscall.ENOENT},
		{"f", "g/x", syscall.ENOTDIR},
		{"g/x", "y", syscall.ENOTDIR},
		{"f", "empty", syscall.EISDIR},
		{"d", "f", syscall.ENOTDIR},
		{"d", "full", syscall.ENOTEMPTY},
		{"d", "d/sub/x", syscall.EINVAL},
		{"d", "d/x", syscall.EINVAL},
		{"d/sub", "d", syscall.ENOTEMPTY},
	} {
		e.want("Rename "+c.from+" to "+c.to, e.rename(c.from, c.to, 0), c.errno)
	}
	ino := e.stat("f").Ino
	e.ok("Rename of a file", e.rename("f", "d/moved", 0))
	e.wantContent("d/moved", "f")
	if got := e.stat("d/moved").Ino; got != ino {
		e.Errorf("a renamed file has inode %d, want %d", got, ino)
	}
	e.ok("Rename over a file", e.rename("g", "d/moved", 0))
	e.wantContent("d/moved", "g")
	e.ok("Rename over an empty directory", e.rename("d", "empty", 0))
	e.wantNames("empty", "moved", "sub")
	e.wantContent("empty/moved", "g")
	e.ok("Rename to itself", e.rename("empty", "empty", 0))
	e.ok("Rename up", e.rename("empty/sub", "sub", 0))
	e.wantNames(".", "empty", "full", "sub")
	e.write("sub/file", "new")
	e.ok("Rename of a directory", e.rename("sub", "full/sub", 0))
	e.wantContent("full/sub/file", "new")
}

func testRenameFlags(e *env) {
	e.mkdirs("d")
	e.write("d/in", "in")
	e.write("f", "f")
	e.write("g", "g")
	e.needs("RenameNoReplace", e.rename("f", "h", vfs.RenameNoReplace))
	e.want("RenameNoReplace over a file", e.rename("h", "g", vfs.RenameNoReplace), syscall.EEXIST)
	e.wantContent("g", "g")
	e.ok("RenameExchange of files", e.rename("h", "g", vfs.RenameExchange))
	e.wantContent("g", "f")
	e.wantContent("h", "g")
	e.ok("RenameExchange with a directory", e.rename("d", "g", vfs.RenameExchange))
	e.wantContent("g/in", "in")
	e.wantContent("d", "f")
	e.want("RenameExchange with nothing", e.rename("d", "none", vfs.RenameExchange), syscall.ENOENT)
	e.want("RenameExchange with an ancestor", e.rename("g", "g/in", vfs.RenameExchange), syscall.EINVAL)
}

// testErrors checks that errors name files as the caller did.
func testErrors(e *env) {
	_, err := e.fs.Open(e.ctx, "none/at/all", os.O_RDONLY, 0)
	e.want("Open", err, syscall.ENOENT)
	want := "none/at/all"
	if e.view != nil {
		want = abs(want)
	}
	if err == nil || !strings.HasSuffix(err.Error(), " "+want+": no such file or directory") {
		e.Errorf("the error reads %q, want the name %q in it and no other", err, want)
	}
}

func testListing(e *env) {
	e.mkdirs("d")
	const n = 700 // more than any batch
	var want []string
	for i := range n {
		name := fmt.Sprintf("file%04d", (i*37)%n)
		e.write("d/"+name, strings.Repeat("x", i%10))
	}
	for i := range n {
		want = append(want, fmt.Sprintf("file%04d", i))
	}
	e.wantNames("d", want...)
	list, err := e.fs.ReadDir(e.ctx, "d")
	e.ok("ReadDir", err)
	for _, got := range list {
		if got.Partial {
			continue
		}
		if stat := e.stat("d/" + got.Name); got != stat {
			e.Fatalf("ReadDir answers %+v, but Stat %+v", got, stat)
		}
	}
	for i := 0; i < n; i += 2 {
		e.ok("Remove", e.remove("d/"+want[i]))
	}
	var odd []string
	for i := 1; i < n; i += 2 {
		odd = append(odd, want[i])
	}
	e.wantNames("d", odd...)
}
