package vfs_test

import (
	"context"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"mirage/vfs"
	"mirage/vfs/ram"
)

// probe is a backend that reports every call that reaches it, together with
// the name. It offers every capability.
type probe struct {
	*ram.FS
	touch func(call, name string)
}

func newProbe(t testing.TB, touch func(call, name string)) *probe {
	t.Helper()
	ctx := context.Background()
	p := &probe{FS: ram.New(ram.Options{})}
	must(t,
		p.FS.Mkdir(ctx, "d", 0o755),
		p.FS.Mkdir(ctx, "d/x", 0o755),
		p.FS.Symlink(ctx, "d/x", "link"),
	)
	f, err := p.FS.Open(ctx, "d/x/f", os.O_CREATE|os.O_WRONLY, 0o644)
	must(t, err)
	must(t, f.Close())
	p.touch = touch
	return p
}

func (p *probe) Open(ctx context.Context, name string, flag int, perm fs.FileMode) (vfs.File, error) {
	p.touch("Open", name)
	return p.FS.Open(ctx, name, flag, perm)
}
func (p *probe) Stat(ctx context.Context, name string) (vfs.Info, error) {
	p.touch("Stat", name)
	return p.FS.Stat(ctx, name)
}
func (p *probe) Walk(ctx context.Context, name string, pass func(int) error) (vfs.Info, int, error) {
	info, n, err := p.FS.Walk(ctx, name, func(i int) error {
		if pass == nil {
			return nil
		}
		return pass(i)
	})
	p.touch("Walk", name[:n])
	return info, n, err
}
func (p *probe) ReadDir(ctx context.Context, name string) ([]vfs.Info, error) {
	p.touch("ReadDir", name)
	return p.FS.ReadDir(ctx, name)
}
func (p *probe) Mkdir(ctx context.Context, name string, perm fs.FileMode) error {
	p.touch("Mkdir", name)
	return p.FS.Mkdir(ctx, name, perm)
}
func (p *probe) Remove(ctx context.Context, name string) error {
	p.touch("Remove", name)
	return p.FS.Remove(ctx, name)
}
func (p *probe) Rename(ctx context.Context, a, b string) error {
	p.touch("Rename", a)
	return p.FS.Rename(ctx, a, b)
}
func (p *probe) RenameFlags(ctx context.Context, a, b string, flag vfs.RenameFlag) error {
	p.touch("RenameFlags", a)
	return p.FS.RenameFlags(ctx, a, b, flag)
}
func (p *probe) SetAttr(ctx context.Context, name string, a vfs.Attr) (vfs.Attr, error) {
	p.touch("SetAttr", name)
	return p.FS.SetAttr(ctx, name, a)
}
func (p *probe) Symlink(ctx context.Context, target, name string) error {
	p.touch("Symlink", name)
	return p.FS.Symlink(ctx, target, name)
}
func (p *probe) Link(ctx context.Context, a, b string) error {
	p.touch("Link", a)
	return p.FS.Link(ctx, a, b)
}
func (p *probe) GetXattr(ctx context.Context, name, attr string) ([]byte, error) {
	p.touch("GetXattr", name)
	return p.FS.GetXattr(ctx, name, attr)
}
func (p *probe) ListXattr(ctx context.Context, name string) ([]string, error) {
	p.touch("ListXattr", name)
	return p.FS.ListXattr(ctx, name)
}
func (p *probe) SetXattr(ctx context.Context, name, attr string, value []byte, create, replace bool) error {
	p.touch("SetXattr", name)
	return p.FS.SetXattr(ctx, name, attr, value, create, replace)
}
func (p *probe) RemoveXattr(ctx context.Context, name, attr string) error {
	p.touch("RemoveXattr", name)
	return p.FS.RemoveXattr(ctx, name, attr)
}
func (p *probe) StatFS(ctx context.Context) (vfs.Usage, error) {
	p.touch("StatFS", ".")
	return p.FS.StatFS(ctx)
}
func (p *probe) Snapshot(ctx context.Context) (vfs.FS, error) {
	p.touch("Snapshot", ".")
	return p.FS.Snapshot(ctx)
}

// rules is a Guard made of functions.
type rules struct {
	check  func(a vfs.Access) error
	hidden func(path string) bool
}

func (r rules) Check(_ context.Context, a vfs.Access) error { return r.check(a) }
func (r rules) Hidden(path string) bool                     { return r.hidden != nil && r.hidden(path) }

// derives are the methods that reach no file by themselves.
var derives = map[string]bool{"For": true, "Observed": true, "Metered": true, "Of": true, "IOFS": true, "Mounts": true, "MountOf": true}

// callAll calls every exported method of a View with name for its paths, in
// every combination of flags that an int or bool argument has, and checks the
// error of each.
func callAll(t *testing.T, v *vfs.View, name string, check func(call string, err error)) {
	t.Helper()
	typ := reflect.TypeOf(v)
	called := 0
	for i := range typ.NumMethod() {
		m := typ.Method(i)
		if derives[m.Name] {
			continue
		}
		if n := m.Type.NumOut(); n == 0 || m.Type.Out(n-1) != reflect.TypeFor[error]() {
			t.Errorf("%s answers no error: it needs a place in this test", m.Name)
			continue
		}
		for variant := range 4 {
			args := []reflect.Value{reflect.ValueOf(v)}
			strs := 0
			for j := 1; j < m.Type.NumIn(); j++ {
				args = append(args, argument(t, m.Type.In(j), name, variant, &strs))
			}
			out := m.Func.Call(args)
			err, _ := out[len(out)-1].Interface().(error)
			check(m.Name, err)
			called++
		}
	}
	if called < 80 {
		t.Errorf("only %d calls were made", called)
	}
}

func argument(t *testing.T, typ reflect.Type, name string, variant int, strs *int) reflect.Value {
	t.Helper()
	switch {
	case typ == reflect.TypeFor[context.Context]():
		return reflect.ValueOf(context.Background())
	case typ == reflect.TypeFor[fs.FileMode]():
		return reflect.ValueOf(fs.FileMode(0o644))
	case typ == reflect.TypeFor[vfs.RenameFlag]():
		return reflect.ValueOf(vfs.RenameFlag(variant % 3))
	case typ == reflect.TypeFor[vfs.Attr]():
		return reflect.ValueOf(vfs.Attr{UID: new(int)})
	case typ == reflect.TypeFor[[]byte]():
		return reflect.ValueOf([]byte("x"))
	}
	switch typ.Kind() {
	case reflect.String:
		*strs++
		if *strs == 2 && variant%2 == 1 {
			return reflect.ValueOf(name + "2").Convert(typ)
		}
		return reflect.ValueOf(name).Convert(typ)
	case reflect.Bool:
		return reflect.ValueOf(variant&1 != 0)
	case reflect.Int:
		return reflect.ValueOf([]int{os.O_RDONLY, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_TRUNC, os.O_RDONLY | syscall.O_DIRECTORY}[variant])
	case reflect.Int64:
		return reflect.ValueOf(int64(1))
	}
	t.Fatalf("no argument for %v", typ)
	return reflect.Value{}
}

func guarded(t testing.TB, fsys vfs.FS, g vfs.Guard) *vfs.View {
	t.Helper()
	ns, err := vfs.NewNamespace([]vfs.Mount{{Prefix: "/", FS: fsys, Mode: vfs.Exec}}, vfs.NamespaceOptions{})
	must(t, err)
	return vfs.NewView(ns, g)
}

// TestDenyAllTouchesNothing is the proof of the door: whatever a View can do,
// a guard that refuses everything keeps it from the backend.
func TestDenyAllTouchesNothing(t *testing.T) {
	denyAll := rules{check: func(vfs.Access) error { return syscall.EACCES }}
	for _, name := range []string{"/", "/d", "/d/x/f", "/none", "/none/x", "/link/f", "/d/../link/./f/"} {
		p := newProbe(t, func(call, name string) { t.Errorf("%s(%q) reached the backend", call, name) })
		v := guarded(t, p, denyAll)
		callAll(t, v, name, func(call string, err error) {
			wantErrno(t, call+" "+name, err, syscall.EACCES)
		})
		if _, err := v.IOFS(context.Background()).Open("d"); vfs.Errno(err) != syscall.EACCES {
			t.Errorf("IOFS.Open: %v, want EACCES", err)
		}
		if _, err := v.For("somebody").Stat(context.Background(), name); vfs.Errno(err) != syscall.EACCES {
			t.Errorf("For keeps no rules: %v", err)
		}
	}
}

// TestDenyBelowDirectory lets the session pass through directories and denies
// every operation: names may be resolved, nothing more.
func TestDenyBelowDirectory(t *testing.T) {
	passing := rules{check: func(a vfs.Access) error {
		if a.Op == vfs.OpTraverse {
			return nil
		}
		return syscall.EACCES
	}}
	for _, name := range []string{"/d/x", "/d/x/f", "/link", "/link/f"} {
		p := newProbe(t, func(call, name string) {
			if call != "Walk" && call != "Stat" {
				t.Errorf("%s(%q) reached the backend", call, name)
			}
		})
		callAll(t, guarded(t, p, passing), name, func(call string, err error) {
			switch vfs.Errno(err) {
			case syscall.EACCES, syscall.ENOTDIR, syscall.ENOENT:
			default:
				t.Errorf("%s %s: %v, want EACCES", call, name, err)
			}
		})
	}
}

// TestHidden checks that a hidden name does not exist, by whatever call and
// whatever way it is reached, and that the backend is not even asked for it.
func TestHidden(t *testing.T) {
	hidden := func(path string) bool { return strings.HasPrefix(path, "/d/x") }
	g := rules{hidden: hidden, check: func(a vfs.Access) error {
		if !hidden(a.Path) {
			return nil
		}
		if (a.Op == vfs.OpCreate || a.Op == vfs.OpRenameTo) && !strings.HasPrefix(a.Path, "/d/x/") {
			return syscall.EACCES // a new name in a directory that is visible
		}
		return syscall.ENOENT
	}}
	for _, name := range []string{"/d/x", "/d/x/f", "/d/x/none", "/link", "/link/f", "/d/./x/", "/d/x/../x"} {
		p := newProbe(t, func(call, name string) {
			if hidden("/" + name) {
				t.Errorf("%s(%q) reached the backend", call, name)
			}
		})
		v := guarded(t, p, g)
		callAll(t, v, name, func(call string, err error) {
			if call == "RemoveAll" && err == nil {
				return // nothing there, as far as the session can see
			}
			if strings.HasPrefix(name, "/link") && !strings.HasPrefix(name, "/link/") {
				return // the link itself is visible
			}
			if call == "MkdirAll" && vfs.Errno(err) == syscall.EEXIST {
				return // a link that seems to lead nowhere is in the way
			}
			if vfs.Errno(err) == syscall.EISDIR && strings.HasSuffix(name, "/") {
				return // O_CREATE with a slash at the end, whatever is there
			}
			if e := vfs.Errno(err); e != syscall.ENOENT && e != syscall.EACCES {
				t.Errorf("%s %s: %v, want ENOENT", call, name, err)
			}
		})
		if list, err := v.ReadDir(context.Background(), "/d"); err != nil || len(list) != 0 {
			t.Errorf("ReadDir shows %v, %v", list, err)
		}
	}
}

func TestHiddenCalls(t *testing.T) {
	ctx := context.Background()
	hidden := func(path string) bool { return strings.HasPrefix(path, "/d/secret") }
	g := rules{hidden: hidden, check: func(a vfs.Access) error {
		switch {
		case hidden(a.Path) && (a.Op == vfs.OpCreate || a.Op == vfs.OpRenameTo):
			return syscall.EACCES
		case hidden(a.Path):
			return syscall.ENOENT
		}
		return nil
	}}
	backend := ram.New(ram.Options{})
	free := guarded(t, backend, vfs.AllowAll{})
	v := guarded(t, backend, g)
	must(t,
		free.MkdirAll(ctx, "/d/secret", 0o755), free.WriteFile(ctx, "/d/secret/f", nil, 0o600),
		free.WriteFile(ctx, "/f", nil, 0o644), free.Symlink(ctx, "/d/secret/f", "/way"),
	)
	_, err := v.Stat(ctx, "/d/secret")
	wantErrno(t, "Stat", err, syscall.ENOENT)
	_, err = v.Stat(ctx, "/d/secret/../../f")
	wantErrno(t, "Stat past a hidden directory", err, syscall.ENOENT)
	_, err = v.Stat(ctx, "/way")
	wantErrno(t, "Stat through a link", err, syscall.ENOENT)
	_, err = v.Lstat(ctx, "/way")
	wantErrno(t, "Lstat of a link to it", err, 0)
	wantErrno(t, "Mkdir", v.Mkdir(ctx, "/d/secret", 0o755), syscall.EACCES)
	wantErrno(t, "WriteFile", v.WriteFile(ctx, "/d/secret2", nil, 0o644), syscall.EACCES)
	wantErrno(t, "Rename from", v.Rename(ctx, "/d/secret", "/x", 0), syscall.ENOENT)
	wantErrno(t, "Rename to", v.Rename(ctx, "/f", "/d/secret", 0), syscall.EACCES)
	wantErrno(t, "Link", v.Link(ctx, "/d/secret/f", "/x"), syscall.ENOENT)
	wantErrno(t, "Unlink", v.Unlink(ctx, "/d/secret/f"), syscall.ENOENT)
	wantErrno(t, "RemoveAll of it", v.RemoveAll(ctx, "/d/secret"), syscall.ENOENT)
	_, err = free.Stat(ctx, "/d/secret/f")
	wantErrno(t, "it is still there", err, 0)
	// An empty-looking directory can be removed, with what it hides.
	wantErrno(t, "Rmdir", v.Rmdir(ctx, "/d"), 0)
	_, err = free.Stat(ctx, "/d")
	wantErrno(t, "it is gone", err, syscall.ENOENT)
}

// TestAccess pins what a guard gets to see.
func TestAccess(t *testing.T) {
	ctx := context.Background()
	var log []vfs.Access
	g := rules{check: func(a vfs.Access) error {
		if a.Op != vfs.OpTraverse {
			log = append(log, a)
		}
		return nil
	}}
	p := newProbe(t, func(string, string) {})
	v := guarded(t, p, g).For("cp")
	for _, c := range []struct {
		name string
		call func() error
		want []vfs.Access
	}{
		{"stat through a link", func() error { _, err := v.Stat(ctx, "/link/f"); return err },
			[]vfs.Access{{Op: vfs.OpStat, Path: "/d/x/f"}}},
		{"open to read", func() error { _, err := v.Open(ctx, "/d/x/f", os.O_RDONLY, 0); return err },
			[]vfs.Access{{Op: vfs.OpRead, Path: "/d/x/f"}}},
		{"open to write", func() error { _, err := v.Open(ctx, "/d/x/f", os.O_WRONLY|os.O_CREATE, 0); return err },
			[]vfs.Access{{Op: vfs.OpWrite, Path: "/d/x/f", Write: true}}},
		{"open to do both", func() error { _, err := v.Open(ctx, "/d/x/f", os.O_RDWR, 0); return err },
			[]vfs.Access{{Op: vfs.OpRead, Path: "/d/x/f"}, {Op: vfs.OpWrite, Path: "/d/x/f", Write: true}}},
		{"truncate while reading", func() error { _, err := v.Open(ctx, "/d/x/f", os.O_RDONLY|os.O_TRUNC, 0); return err },
			[]vfs.Access{{Op: vfs.OpWrite, Path: "/d/x/f", Write: true}}},
		{"create", func() error { _, err := v.Open(ctx, "/d/new", os.O_WRONLY|os.O_CREATE, 0); return err },
			[]vfs.Access{{Op: vfs.OpCreate, Path: "/d/new", Write: true}}},
		{"rename", func() error { return v.Rename(ctx, "/d/new", "/d/newer", 0) },
			[]vfs.Access{
				{Op: vfs.OpRename, Path: "/d/new", Other: "/d/newer", Write: true},
				{Op: vfs.OpRenameTo, Path: "/d/newer", Other: "/d/new", Write: true},
			}},
		{"link", func() error { return v.Link(ctx, "/d/newer", "/d/again") },
			[]vfs.Access{
				{Op: vfs.OpRead, Path: "/d/newer"},
				{Op: vfs.OpWrite, Path: "/d/newer", Other: "/d/again", Write: true},
				{Op: vfs.OpCreate, Path: "/d/again", Other: "/d/newer", Write: true},
			}},
		{"remove a tree", func() error { return v.RemoveAll(ctx, "/d/x") },
			[]vfs.Access{
				{Op: vfs.OpRemoveAll, Path: "/d/x", Dir: true, Write: true},
				{Op: vfs.OpRemove, Path: "/d/x/f", Write: true},
			}},
	} {
		log = nil
		if err := c.call(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for i := range c.want {
			c.want[i].Mount, c.want[i].Caller = "/", "cp"
		}
		if !reflect.DeepEqual(log, c.want) {
			t.Errorf("%s asks\n  %+v, want\n  %+v", c.name, log, c.want)
		}
	}
}
