package vfs_test

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"

	"mirage/vfs"
	"mirage/vfs/ram"
)

func ramMount(prefix string, mode vfs.Mode) vfs.Mount {
	return vfs.Mount{Prefix: prefix, FS: ram.New(ram.Options{}), Mode: mode, Kind: "ram"}
}

func TestNamespaceRefusesPrefixes(t *testing.T) {
	for _, c := range []struct {
		prefixes []string
		want     string // "" = accepted
	}{
		{[]string{"/", "/a", "/a/b", "/ab"}, ""},
		{[]string{"/x/"}, ""},
		{[]string{"/x", "/y", "/x/"}, "duplicate mount prefix: '/x/'"},
		{[]string{"/", "/"}, "duplicate mount prefix: '/'"},
		{[]string{"x"}, "mount prefix must be a clean absolute path: 'x'"},
		{[]string{""}, "mount prefix must be a clean absolute path: ''"},
		{[]string{"/a/../b"}, "mount prefix must be a clean absolute path: '/a/../b'"},
		{[]string{"/a//b"}, "mount prefix must be a clean absolute path: '/a//b'"},
		{[]string{"/" + strings.Repeat("n", 256)}, "mount prefix must be a clean absolute path: '/" + strings.Repeat("n", 256) + "'"},
	} {
		var mounts []vfs.Mount
		for _, p := range c.prefixes {
			mounts = append(mounts, ramMount(p, vfs.Write))
		}
		_, err := vfs.NewNamespace(mounts, vfs.NamespaceOptions{})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("NewNamespace(%q): %q, want %q", c.prefixes, got, c.want)
		}
	}
	_, err := vfs.NewNamespace([]vfs.Mount{ramMount("/bin", vfs.Write)}, vfs.NamespaceOptions{Links: map[string]string{"/bin": "usr/bin"}})
	if err == nil {
		t.Error("a reserved link was put over a mount")
	}
}

func names(t testing.TB, v *vfs.View, dir string) string {
	t.Helper()
	list, err := v.ReadDir(context.Background(), dir)
	must(t, err)
	short, err := v.ReadNames(context.Background(), dir)
	must(t, err)
	var out []string
	for i, info := range list {
		if info.Partial || short[i].Name != info.Name || short[i].Mode.Type() != info.Mode.Type() {
			t.Errorf("ReadDir says %+v, ReadNames %+v", info, short[i])
		}
		out = append(out, info.Name)
	}
	return strings.Join(out, " ")
}

func TestMountsAndPlaces(t *testing.T) {
	ctx := context.Background()
	reserved := ramMount("/usr/bin", vfs.Exec)
	reserved.Unlisted = true
	ns, err := vfs.NewNamespace([]vfs.Mount{
		ramMount("/data", vfs.Exec), ramMount("/data/deep/er", vfs.Write), ramMount("/ro", vfs.Read),
		ramMount("/far/away", vfs.Write), reserved,
	}, vfs.NamespaceOptions{Root: ram.New(ram.Options{}), Links: map[string]string{"/bin": "usr/bin"}})
	must(t, err)
	v := vfs.NewView(ns, vfs.AllowAll{})
	must(t,
		v.WriteFile(ctx, "/top", nil, 0o644),
		v.WriteFile(ctx, "/data/file", nil, 0o644),
		v.WriteFile(ctx, "/usr/bin/tool", []byte("tool"), 0o755),
	)
	for dir, want := range map[string]string{
		"/": "data far ro top", "/data": "deep file", "/data/deep": "er", "/far": "away", "/usr": "", "/bin": "tool", "/bin/": "tool",
	} {
		if got := names(t, v, dir); got != want {
			t.Errorf("ReadDir %s = %q, want %q", dir, got, want)
		}
	}
	if data, err := v.ReadFile(ctx, "/bin/tool", -1); err != nil || string(data) != "tool" {
		t.Errorf("ReadFile through the reserved link = %q, %v", data, err)
	}
	if target, err := v.Readlink(ctx, "/bin"); err != nil || target != "usr/bin" {
		t.Errorf("Readlink /bin = %q, %v", target, err)
	}
	devs := map[uint64]string{}
	for _, dir := range []string{"/", "/data", "/data/deep/er", "/ro", "/far/away", "/usr/bin"} {
		info, err := v.Stat(ctx, dir)
		must(t, err)
		if other, ok := devs[info.Dev]; ok {
			t.Errorf("%s and %s share device %d", dir, other, info.Dev)
		}
		devs[info.Dev] = dir
	}
	for what, c := range map[string]struct {
		err  error
		want syscall.Errno
	}{
		"rmdir of a mount":            {v.Rmdir(ctx, "/data"), syscall.EBUSY},
		"rmdir of a mount, slash":     {v.Rmdir(ctx, "/data/"), syscall.EBUSY},
		"rmdir of a place":            {v.Rmdir(ctx, "/far"), syscall.EBUSY},
		"unlink of a mount":           {v.Unlink(ctx, "/data"), syscall.EISDIR},
		"unlink of the reserved link": {v.Unlink(ctx, "/bin"), syscall.EBUSY},
		"remove all of a mount":       {v.RemoveAll(ctx, "/data"), syscall.EBUSY},
		"remove all above a mount":    {v.RemoveAll(ctx, "/data/deep"), syscall.EBUSY},
		"remove all of the root":      {v.RemoveAll(ctx, "/"), syscall.EBUSY},
		"rmdir of the root":           {v.Rmdir(ctx, "/"), syscall.EBUSY},
		"mkdir of a mount":            {v.Mkdir(ctx, "/data", 0o755), syscall.EEXIST},
		"mkdir of a place":            {v.Mkdir(ctx, "/far", 0o755), syscall.EEXIST},
		"mkdir of the reserved link":  {v.Mkdir(ctx, "/bin", 0o755), syscall.EEXIST},
		"mkdir -p of a mount":         {v.MkdirAll(ctx, "/data/deep/er", 0o755), 0},
		"symlink over a mount":        {v.Symlink(ctx, "x", "/data"), syscall.EEXIST},
		"link over a mount":           {v.Link(ctx, "/top", "/data"), syscall.EEXIST},
		"link of a mount":             {v.Link(ctx, "/data", "/x"), syscall.EXDEV},
		"write over a mount":          {v.WriteFile(ctx, "/data", nil, 0o644), syscall.EISDIR},
		"rename of a mount":           {v.Rename(ctx, "/data", "/y", 0), syscall.EBUSY},
		"rename of a place":           {v.Rename(ctx, "/far", "/y", 0), syscall.EBUSY},
		"rename over a mount":         {v.Rename(ctx, "/top", "/data", 0), syscall.EBUSY},
		"rename over the link":        {v.Rename(ctx, "/top", "/bin", 0), syscall.EBUSY},
		"rename between mounts":       {v.Rename(ctx, "/top", "/data/top", 0), syscall.EXDEV},
		"link between mounts":         {v.Link(ctx, "/top", "/data/top"), syscall.EXDEV},
		"write on a read mount":       {v.WriteFile(ctx, "/ro/f", nil, 0o644), syscall.EROFS},
		"mkdir on a read mount":       {v.Mkdir(ctx, "/ro/d", 0o755), syscall.EROFS},
		"mkdir of a read mount":       {v.Mkdir(ctx, "/ro", 0o755), syscall.EEXIST},
		"symlink on a read mount":     {v.Symlink(ctx, "x", "/ro/l"), syscall.EROFS},
		"chmod on a read mount":       {v.SetAttr(ctx, "/ro", vfs.Attr{UID: new(int)}, true), syscall.EROFS},
		"unlink on a read mount":      {v.Unlink(ctx, "/ro/none"), syscall.ENOENT},
		"chown of a place":            {v.SetAttr(ctx, "/far", vfs.Attr{UID: new(int)}, true), syscall.EPERM},
		"chown of the link":           {v.SetAttr(ctx, "/bin", vfs.Attr{UID: new(int)}, false), syscall.EPERM},
	} {
		wantErrno(t, what, c.err, c.want)
	}
	// A name under a place that no backend holds makes its parents.
	must(t, v.WriteFile(ctx, "/far/near", []byte("x"), 0o644), v.MkdirAll(ctx, "/usr/local/lib", 0o755), v.Symlink(ctx, "near", "/far/link"))
	if got := names(t, v, "/far"); got != "away link near" {
		t.Errorf("ReadDir /far = %q", got)
	}
	if got := names(t, v, "/"); got != "data far ro top usr" {
		t.Errorf("ReadDir / = %q", got)
	}
}

// TestPlacesCoverBackends checks that a mount lies over what the backend above
// it holds by the same name, whatever that is.
func TestPlacesCoverBackends(t *testing.T) {
	ctx := context.Background()
	root := ram.New(ram.Options{})
	free := guarded(t, root, vfs.AllowAll{})
	must(t,
		free.MkdirAll(ctx, "/m/inner", 0o755), free.WriteFile(ctx, "/m/inner/covered", nil, 0o644), free.WriteFile(ctx, "/m/kept", nil, 0o644),
		free.WriteFile(ctx, "/file", nil, 0o644), free.Symlink(ctx, "/m", "/link"),
	)
	ns, err := vfs.NewNamespace([]vfs.Mount{
		{Prefix: "/", FS: root, Mode: vfs.Write}, ramMount("/m/inner", vfs.Write), ramMount("/file/under", vfs.Write), ramMount("/link/under", vfs.Write),
	}, vfs.NamespaceOptions{})
	must(t, err)
	v := vfs.NewView(ns, vfs.AllowAll{})
	for dir, want := range map[string]string{
		"/": "file link m", "/m": "inner kept", "/m/inner": "", "/file": "under", "/link": "under", "/link/under": "",
	} {
		if got := names(t, v, dir); got != want {
			t.Errorf("ReadDir %s = %q, want %q", dir, got, want)
		}
	}
	for _, name := range []string{"/file/x", "/link/x", "/link/kept", "/m/inner/covered"} {
		_, err := v.Stat(ctx, name)
		wantErrno(t, "Stat "+name, err, syscall.ENOENT)
	}
	if info, err := v.Lstat(ctx, "/link"); err != nil || !info.IsDir() {
		t.Errorf("Lstat /link = %v, %v; want a directory", info.Mode, err)
	}
	f, err := v.Open(ctx, "/file", os.O_RDONLY, 0)
	must(t, err)
	_, err = f.ReadAt(make([]byte, 1), 0)
	wantErrno(t, "ReadAt of a place", err, syscall.EISDIR)
	must(t, f.Close())
}

func TestLinksCrossMounts(t *testing.T) {
	ctx := context.Background()
	v := newView(t, ramMount("/a", vfs.Write), ramMount("/b", vfs.Write))
	must(t,
		v.WriteFile(ctx, "/b/f", []byte("b"), 0o644),
		v.Symlink(ctx, "../b/f", "/a/rel"), v.Symlink(ctx, "/b", "/a/abs"), v.Symlink(ctx, "a/abs", "/chain"),
	)
	for _, name := range []string{"/a/rel", "/a/abs/f", "/chain/f", "/chain/../b/f"} {
		if data, err := v.ReadFile(ctx, name, -1); err != nil || string(data) != "b" {
			t.Errorf("ReadFile %s = %q, %v", name, data, err)
		}
	}
}

func TestRootWithoutMount(t *testing.T) {
	ctx := context.Background()
	ns, err := vfs.NewNamespace([]vfs.Mount{ramMount("/m", vfs.Write)}, vfs.NamespaceOptions{})
	must(t, err)
	v := vfs.NewView(ns, vfs.AllowAll{})
	if got := names(t, v, "/"); got != "m" {
		t.Errorf("ReadDir / = %q", got)
	}
	wantErrno(t, "writing to it", v.WriteFile(ctx, "/f", nil, 0o644), syscall.EROFS)
	_, err = v.Stat(ctx, "/f")
	wantErrno(t, "Stat", err, syscall.ENOENT)
}

func TestMountInfo(t *testing.T) {
	hiddenRule := rules{check: func(vfs.Access) error { return nil }, hidden: func(p string) bool { return strings.HasPrefix(p, "/secret") }}
	tmp := ramMount("/tmp", vfs.Exec)
	tmp.Unlisted = true
	ns, err := vfs.NewNamespace([]vfs.Mount{ramMount("/b", vfs.Read), ramMount("/a", vfs.Exec), ramMount("/secret", vfs.Read), tmp},
		vfs.NamespaceOptions{Root: ram.New(ram.Options{})})
	must(t, err)
	v := vfs.NewView(ns, hiddenRule)
	var got []string
	for _, m := range v.Mounts() {
		got = append(got, m.Prefix+"="+m.Mode.String())
	}
	if s := strings.Join(got, " "); s != "/a=exec /b=read" {
		t.Errorf("Mounts = %s", s)
	}
	for name, want := range map[string]string{"/a/x/y": "/a", "/a": "/a", "/ab": "/", "/tmp/../a/.": "/a", "/secret/x": "", "/": "/", "/tmp/x": "/tmp"} {
		if got := v.MountOf(name).Prefix; got != want {
			t.Errorf("MountOf(%s) = %q, want %q", name, got, want)
		}
	}
}
