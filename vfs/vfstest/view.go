package vfstest

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"mirage/vfs"
)

// viewTests need what only a View offers: links and attributes on whatever
// backend.
var viewTests = []struct {
	name string
	fn   func(*env)
}{
	{"Symlinks", testSymlinks},
	{"SymlinkNames", testSymlinkNames},
	{"SymlinkRename", testSymlinkRename},
	{"LinkAttr", testLinkAttr},
	{"Xattrs", testXattrs},
	{"Owners", testOwners},
	{"Overlay", testOverlay},
	{"RemoveAll", testRemoveAll},
	{"WriteFile", testWriteFile},
}

// testWriteFile checks what stays when a file's contents are replaced at once.
func testWriteFile(e *env) {
	v := e.view
	put := func(name, data string, perm fs.FileMode) {
		e.Helper()
		e.ok("WriteFile "+name, v.WriteFile(e.ctx, abs(name), []byte(data), perm))
		e.wantContent(name, data)
	}
	put("f", "first", 0o400)
	if info := e.stat("f"); info.Mode != 0o400 {
		e.Errorf("a file made with 0400 has mode %v", info.Mode)
	}
	e.ok("SetAttr", v.SetAttr(e.ctx, abs("f"), vfs.Attr{Mode: ptr(fs.FileMode(0o751)), UID: ptr(12)}, true))
	e.ok("SetXattr", v.SetXattr(e.ctx, abs("f"), "user.a", []byte("1"), false, false, true))
	put("f", "second, longer", 0o644)
	put("f", "", 0o644)
	put("f", "last", 0o644)
	if info := e.stat("f"); info.Mode != 0o751 || info.UID != 12 || info.Size != 4 {
		e.Errorf("after WriteFile: %v, uid %d, %d bytes; want -rwxr-x--x, 12, 4", info.Mode, info.UID, info.Size)
	}
	if value, err := v.GetXattr(e.ctx, abs("f"), "user.a", true); err != nil || string(value) != "1" {
		e.Errorf("after WriteFile the attribute is %q, %v", value, err)
	}
	if e.link("f", "g") == nil {
		put("f", "by both names", 0o644)
		e.wantContent("g", "by both names")
	}
	e.mkdirs("d")
	e.ok("Symlink", v.Symlink(e.ctx, "d/target", abs("l")))
	for _, data := range []string{"made", "and replaced"} {
		e.ok("WriteFile through a link", v.WriteFile(e.ctx, abs("l"), []byte(data), 0o644))
		e.wantContent("d/target", data)
	}
	if info := e.stat("l"); !info.IsLink() {
		e.Errorf("WriteFile through a link left mode %v", info.Mode)
	}
	e.want("WriteFile of a directory", v.WriteFile(e.ctx, abs("d"), nil, 0o644), syscall.EISDIR)
	e.want("WriteFile in nothing", v.WriteFile(e.ctx, abs("none/f"), nil, 0o644), syscall.ENOENT)
}

func testSymlinks(e *env) {
	v := e.view
	e.mkdirs("d", "d/sub")
	e.write("d/f", "data")
	for name, target := range map[string]string{
		"rel": "d/f", "abs": abs("d/f"), "dir": "d", "up": "d/sub/../f", "gone": "d/none",
		"loop": "loop", "ping": "pong", "pong": "ping", "d/sub/out": "../../rel",
	} {
		e.ok("Symlink", v.Symlink(e.ctx, target, abs(name)))
		if got, err := v.Readlink(e.ctx, abs(name)); err != nil || got != target {
			e.Errorf("Readlink %s = %q, %v; want %q", name, got, err, target)
		}
	}
	for _, name := range []string{"rel", "abs", "dir/f", "up", "d/sub/out", "dir/sub/out", "dir/sub/../f"} {
		if got, err := v.ReadFile(e.ctx, abs(name), -1); err != nil || string(got) != "data" {
			e.Errorf("ReadFile %s = %q, %v", name, got, err)
		}
	}
	for name, errno := range map[string]syscall.Errno{
		"gone": syscall.ENOENT, "loop": syscall.ELOOP, "ping": syscall.ELOOP, "loop/x": syscall.ELOOP,
		"rel/x": syscall.ENOTDIR, "rel/": syscall.ENOTDIR, "gone/x": syscall.ENOENT,
	} {
		_, err := v.Stat(e.ctx, abs(name))
		e.want("Stat "+name, err, errno)
	}
	info, err := v.Lstat(e.ctx, abs("rel"))
	if err != nil || info.Mode != fs.ModeSymlink|0o777 || info.Size != 3 || info.Target != "d/f" || info.Name != "rel" {
		e.Errorf("Lstat = %+v, %v", info, err)
	}
	if info, err := v.Lstat(e.ctx, abs("dir/")); err != nil || !info.IsDir() {
		e.Errorf("Lstat with a slash = %+v, %v", info, err)
	}
	e.wantNames("d", "f", "sub")
	e.wantNames(".", "abs", "d", "dir", "gone", "loop", "ping", "pong", "rel", "up")
	for _, info := range listOf(e, ".") {
		if info.IsLink() != (info.Name != "d") {
			e.Errorf("ReadDir shows %s with mode %v", info.Name, info.Mode)
		}
	}
	_, err = v.Readlink(e.ctx, abs("d/f"))
	e.want("Readlink of a file", err, syscall.EINVAL)
	_, err = v.Readlink(e.ctx, abs("none"))
	e.want("Readlink of nothing", err, syscall.ENOENT)
	e.ok("WriteFile through a dangling link", v.WriteFile(e.ctx, abs("gone"), []byte("made"), 0o644))
	e.wantContent("d/none", "made")
	real, err := v.RealPath(e.ctx, abs("dir/sub/out"))
	if err != nil || real != abs("d/f") {
		e.Errorf("RealPath = %q, %v", real, err)
	}
}

func listOf(e *env, dir string) []vfs.Info {
	e.Helper()
	list, err := e.fs.ReadDir(e.ctx, dir)
	e.ok("ReadDir", err)
	return list
}

// testSymlinkNames checks the calls that make names against those of links.
func testSymlinkNames(e *env) {
	v := e.view
	e.mkdirs("d")
	e.write("f", "")
	e.ok("Symlink", v.Symlink(e.ctx, "none", abs("l")))
	e.ok("Symlink", v.Symlink(e.ctx, "d", abs("tod")))
	e.want("Symlink over a link", v.Symlink(e.ctx, "x", abs("l")), syscall.EEXIST)
	e.want("Symlink over a file", v.Symlink(e.ctx, "x", abs("f")), syscall.EEXIST)
	e.want("Symlink without a text", v.Symlink(e.ctx, "", abs("x")), syscall.ENOENT)
	e.want("Symlink in nothing", v.Symlink(e.ctx, "x", abs("none/x")), syscall.ENOENT)
	e.want("Symlink in a file", v.Symlink(e.ctx, "x", abs("f/x")), syscall.ENOTDIR)
	e.want("Mkdir over a link", e.mkdir("l", 0o755), syscall.EEXIST)
	_, err := v.Open(e.ctx, abs("l"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	e.want("O_EXCL over a link", err, syscall.EEXIST)
	e.want("Link over a link", e.link("f", "l"), syscall.EEXIST)
	e.want("Rmdir of a link", v.Rmdir(e.ctx, abs("tod")), syscall.ENOTDIR)
	e.want("Rmdir of a link with a slash", v.Rmdir(e.ctx, abs("tod/")), syscall.ENOTDIR)
	e.ok("Symlink in a directory", v.Symlink(e.ctx, "../f", abs("tod/in")))
	e.want("Rmdir of a directory with a link", v.Rmdir(e.ctx, abs("d")), syscall.ENOTEMPTY)
	e.ok("Unlink", v.Unlink(e.ctx, abs("tod/in")))
	e.ok("Rmdir", v.Rmdir(e.ctx, abs("d")))
	e.ok("Unlink of a link", v.Unlink(e.ctx, abs("l")))
	e.write("l", "a file now")
	e.wantContent("l", "a file now")
	if info := e.stat("l"); !info.IsRegular() {
		e.Errorf("the name of a removed link has mode %v", info.Mode)
	}
}

func testSymlinkRename(e *env) {
	v := e.view
	e.mkdirs("d", "empty", "full")
	e.write("f", "f")
	e.write("full/x", "")
	link := func(name, target string) { e.Helper(); e.ok("Symlink", v.Symlink(e.ctx, target, abs(name))) }
	wantLink := func(name, target string) {
		e.Helper()
		if got, err := v.Readlink(e.ctx, abs(name)); err != nil || got != target {
			e.Errorf("Readlink %s = %q, %v; want %q", name, got, err, target)
		}
	}
	link("l", "f")
	link("d/inner", "../f")
	e.ok("Rename of a link", e.rename("l", "m", 0))
	wantLink("m", "f")
	_, err := v.Lstat(e.ctx, abs("l"))
	e.want("Lstat of the old name", err, syscall.ENOENT)
	e.ok("Rename of a directory with a link", e.rename("d", "e", 0))
	wantLink("e/inner", "../f")
	e.mkdirs("d")
	e.wantNames("d")
	e.want("Rename over a directory with a link", e.rename("d", "e", 0), syscall.ENOTEMPTY)
	e.want("Rename of a link over a directory", e.rename("m", "empty", 0), syscall.EISDIR)
	e.want("Rename of a directory over a link", e.rename("empty", "m", 0), syscall.ENOTDIR)
	e.want("RenameNoReplace over a link", e.rename("f", "m", vfs.RenameNoReplace), syscall.EEXIST)
	e.ok("Rename of a file over a link", e.rename("f", "m", 0))
	e.wantContent("m", "f")
	if info := e.stat("m"); !info.IsRegular() {
		e.Errorf("a file renamed over a link has mode %v", info.Mode)
	}
	link("n", "m")
	e.ok("RenameExchange of a link and a file", e.rename("n", "m", vfs.RenameExchange))
	wantLink("m", "m")
	e.wantContent("n", "f")
	e.ok("Rename of a link over a file", e.rename("m", "n", 0))
	wantLink("n", "m")
	link("o", "other")
	e.ok("RenameExchange of links", e.rename("n", "o", vfs.RenameExchange))
	wantLink("o", "m")
	wantLink("n", "other")
	e.wantNames(".", "d", "e", "empty", "full", "n", "o")
}

func testLinkAttr(e *env) {
	v := e.view
	e.write("f", "")
	e.ok("Symlink", v.Symlink(e.ctx, "f", abs("l")))
	when := time.Unix(1_111_111_111, 0)
	e.ok("SetAttr", v.SetAttr(e.ctx, abs("l"), vfs.Attr{ModTime: &when, UID: ptr(7)}, false))
	if info := e.stat("l"); !info.ModTime.Equal(when) || info.UID != 7 || !info.IsLink() {
		e.Errorf("Lstat of the link = %+v", info)
	}
	if info := e.stat("f"); info.ModTime.Equal(when) || info.UID == 7 {
		e.Errorf("SetAttr without following reached the target: %+v", info)
	}
	e.want("SetAttr of a link's mode", v.SetAttr(e.ctx, abs("l"), vfs.Attr{Mode: ptr(fs.FileMode(0o600))}, false), syscall.ENOTSUP)
	e.ok("SetAttr, followed", v.SetAttr(e.ctx, abs("l"), vfs.Attr{ModTime: &when, Mode: ptr(fs.FileMode(0o600))}, true))
	if info := e.stat("f"); !info.ModTime.Equal(when) || info.Mode != 0o600 {
		e.Errorf("SetAttr did not reach the target: %+v", info)
	}
}

func testXattrs(e *env) {
	v := e.view
	e.write("f", "")
	set := func(name, value string, create, replace bool) error {
		return v.SetXattr(e.ctx, abs("f"), name, []byte(value), create, replace, true)
	}
	e.ok("SetXattr", set("user.b", "two", false, false))
	e.ok("SetXattr", set("user.a", "", true, false))
	e.want("SetXattr create", set("user.a", "x", true, false), syscall.EEXIST)
	e.want("SetXattr replace", set("user.c", "x", false, true), syscall.ENODATA)
	e.ok("SetXattr replace", set("user.b", "2", false, true))
	e.want("SetXattr without a name", set("", "x", false, false), syscall.ERANGE)
	e.want("SetXattr too large", set("user.big", string(make([]byte, 65537)), false, false), syscall.E2BIG)
	names, err := v.ListXattr(e.ctx, abs("f"), true)
	if err != nil || !equal(names, []string{"user.a", "user.b"}) {
		e.Errorf("ListXattr = %q, %v", names, err)
	}
	value, err := v.GetXattr(e.ctx, abs("f"), "user.b", true)
	if err != nil || string(value) != "2" {
		e.Errorf("GetXattr = %q, %v", value, err)
	}
	_, err = v.GetXattr(e.ctx, abs("f"), "user.none", true)
	e.want("GetXattr", err, syscall.ENODATA)
	e.ok("Rename", e.rename("f", "g", 0))
	value, err = v.GetXattr(e.ctx, abs("g"), "user.b", true)
	if err != nil || string(value) != "2" {
		e.Errorf("GetXattr after a rename = %q, %v", value, err)
	}
	e.ok("RemoveXattr", v.RemoveXattr(e.ctx, abs("g"), "user.b", true))
	e.want("RemoveXattr", v.RemoveXattr(e.ctx, abs("g"), "user.b", true), syscall.ENODATA)
	e.ok("Remove", e.remove("g"))
	e.write("g", "")
	if names, err := v.ListXattr(e.ctx, abs("g"), true); err != nil || len(names) != 0 {
		e.Errorf("a new file has the attributes %q of an old one, %v", names, err)
	}
	_, err = v.GetXattr(e.ctx, abs("none"), "user.a", true)
	e.want("GetXattr of nothing", err, syscall.ENOENT)
}

func testOwners(e *env) {
	e.write("f", "")
	e.mkdirs("d")
	for _, name := range []string{"f", "d", "."} {
		e.ok("SetAttr", e.view.SetAttr(e.ctx, abs(name), vfs.Attr{UID: ptr(1000), GID: ptr(100)}, true))
		if info := e.stat(name); info.UID != 1000 || info.GID != 100 {
			e.Errorf("%s belongs to %d:%d, want 1000:100", name, info.UID, info.GID)
		}
	}
	for _, info := range listOf(e, ".") {
		if info.UID != 1000 || info.GID != 100 {
			e.Errorf("ReadDir shows %s with %d:%d, want 1000:100", info.Name, info.UID, info.GID)
		}
	}
	f := e.open("f", os.O_RDWR)
	_, err := vfs.SetFileAttr(f, vfs.Attr{UID: ptr(5)})
	e.ok("SetFileAttr", err)
	if info := e.stat("f"); info.UID != 5 || info.GID != 100 {
		e.Errorf("after SetFileAttr f belongs to %d:%d, want 5:100", info.UID, info.GID)
	}
}

// testOverlay checks that what the node table holds of a file lives and dies
// with its name.
func testOverlay(e *env) {
	e.mkdirs("d")
	e.write("d/f", "")
	mode := fs.FileMode(0o111)
	e.ok("SetAttr", e.view.SetAttr(e.ctx, abs("d/f"), vfs.Attr{Mode: &mode, UID: ptr(9)}, true))
	e.ok("Rename", e.rename("d", "e", 0))
	if info := e.stat("e/f"); info.Mode != mode || info.UID != 9 {
		e.Errorf("after a rename of its directory: %v, uid %d", info.Mode, info.UID)
	}
	e.ok("Remove", e.remove("e/f"))
	e.write("e/f", "")
	if info := e.stat("e/f"); info.Mode != 0o644 || info.UID == 9 {
		e.Errorf("a new file took over %v, uid %d from an old one", info.Mode, info.UID)
	}
	e.ok("SetAttr", e.view.SetAttr(e.ctx, abs("e/f"), vfs.Attr{UID: ptr(9)}, true))
	e.write("e/g", "")
	e.ok("Rename over it", e.rename("e/g", "e/f", 0))
	if info := e.stat("e/f"); info.UID == 9 {
		e.Errorf("a file took over the owner of the one it replaced")
	}
}

func testRemoveAll(e *env) {
	v := e.view
	e.mkdirs("d", "d/a", "d/a/b", "d/c", "keep")
	e.write("d/a/b/f", "")
	e.write("keep/f", "")
	e.ok("Symlink", v.Symlink(e.ctx, "../../keep", abs("d/a/tokeep")))
	e.ok("RemoveAll", v.RemoveAll(e.ctx, abs("d")))
	e.ok("RemoveAll of nothing", v.RemoveAll(e.ctx, abs("d")))
	e.wantNames(".", "keep")
	e.wantNames("keep", "f")
	e.want("RemoveAll of the mount", v.RemoveAll(e.ctx, abs(".")), syscall.EBUSY)
	e.mkdirs("d")
	e.wantNames("d")
}
