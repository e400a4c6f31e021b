package vfs_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"testing"

	"mirage/vfs"
	"mirage/vfs/devfs"
	"mirage/vfs/ram"
)

// observer notes what it is told.
type observer struct{ told []string }

func (o *observer) Changed(_ context.Context, c vfs.Change) {
	text := string(c.Op) + " " + c.Path
	if c.Type != 0 {
		text += " " + c.Type.String()[:1]
	}
	if c.Other != "" {
		text += " " + c.Other
	}
	if c.Caller != nil {
		text += fmt.Sprintf(" by %v", c.Caller)
	}
	if c.Err != nil {
		text += ": " + c.Err.Error()
	}
	o.told = append(o.told, text)
}

func TestObserver(t *testing.T) {
	ctx := context.Background()
	o := &observer{}
	rule := rules{check: func(a vfs.Access) error {
		if a.Path == "/denied" && a.Op != vfs.OpTraverse {
			return syscall.EACCES
		}
		return nil
	}}
	for _, backend := range []string{"whole", "poor"} {
		fsys := vfs.FS(ram.New(ram.Options{}))
		if backend == "poor" {
			fsys = poor{fsys} // the node table holds links and attributes
		}
		ns, err := vfs.NewNamespace([]vfs.Mount{
			{Prefix: "/", FS: fsys, Mode: vfs.Exec},
			{Prefix: "/ro", FS: ram.New(ram.Options{}), Mode: vfs.Read},
			{Prefix: "/dev", FS: devfs.New(devfs.Options{}), Mode: vfs.Write},
		}, vfs.NamespaceOptions{Root: ram.New(ram.Options{})})
		must(t, err)
		v := vfs.NewView(ns, rule).Observed(o)
		open := func(name string, flag int, use func(f vfs.File) error) error {
			f, err := v.Open(ctx, name, flag, 0o644)
			if err != nil {
				return err
			}
			if use != nil {
				err = use(f)
			}
			if cerr := f.Close(); err == nil {
				err = cerr
			}
			return err
		}
		write := func(f vfs.File) error {
			_, err := f.WriteAt([]byte("x"), 0)
			if err == nil {
				_, err = f.WriteAt([]byte("y"), 1)
			}
			return err
		}
		if backend == "whole" {
			must(t, v.WriteFile(ctx, "/denied2", nil, 0o644))
		}
		for _, tc := range []struct {
			name string
			do   func() error
			err  syscall.Errno
			want []string
		}{
			{"mkdir", func() error { return v.For("mkdir").Mkdir(ctx, "/d", 0o755) }, 0, []string{"create /d d by mkdir"}},
			{"mkdir again", func() error { return v.Mkdir(ctx, "/d", 0o755) }, syscall.EEXIST, nil},
			{"mkdir -p", func() error { return v.MkdirAll(ctx, "/d/a/b", 0o755) }, 0, []string{"create /d/a d", "create /d/a/b d"}},
			{"create", func() error { return open("/d/f", os.O_WRONLY|os.O_CREATE, write) }, 0, []string{"create /d/f", "close /d/f"}},
			{"write", func() error { return open("/d/f", os.O_WRONLY, write) }, 0, []string{"write /d/f", "close /d/f"}},
			{"no write", func() error { return open("/d/f", os.O_RDWR, nil) }, 0, nil},
			{"read", func() error { return open("/d/f", os.O_RDONLY, nil) }, 0, nil},
			{"empty", func() error { return open("/d/f", os.O_WRONLY|os.O_TRUNC, write) }, 0, []string{"write /d/f", "close /d/f"}},
			{"truncate", func() error { return v.Truncate(ctx, "/d/f", 7) }, 0, []string{"write /d/f", "close /d/f"}},
			{"missing", func() error { return open("/d/none", os.O_WRONLY, nil) }, syscall.ENOENT, nil},
			{"no parent", func() error { return open("/none/f", os.O_WRONLY|os.O_CREATE, nil) }, syscall.ENOENT, nil},
			{"symlink", func() error { return v.Symlink(ctx, "d/f", "/l") }, 0, []string{"create /l L d/f"}},
			{"write by a link", func() error { return open("/l", os.O_WRONLY, write) }, 0, []string{"write /d/f", "close /d/f"}},
			{"chmod", func() error { return v.SetAttr(ctx, "/d/f", vfs.Attr{UID: new(int)}, true) }, 0, []string{"setattr /d/f"}},
			{"setxattr", func() error { return v.SetXattr(ctx, "/d/f", "user.a", nil, false, false, true) }, 0, []string{"setxattr /d/f"}},
			{"removexattr", func() error { return v.RemoveXattr(ctx, "/d/f", "user.a", true) }, 0, []string{"setxattr /d/f"}},
			{"rename", func() error { return v.Rename(ctx, "/d/f", "/d/g", 0) }, 0, []string{"rename /d/f /d/g"}},
			{"rename to itself", func() error { return v.Rename(ctx, "/d/g", "/d/g", 0) }, 0, nil},
			{"rmdir of a full one", func() error { return v.Rmdir(ctx, "/d") }, syscall.ENOTEMPTY, []string{"remove /d: directory not empty"}},
			{"rmdir", func() error { return v.Rmdir(ctx, "/d/a/b") }, 0, []string{"remove /d/a/b"}},
			{"unlink", func() error { return v.Unlink(ctx, "/l") }, 0, []string{"remove /l"}},
			{"unlink again", func() error { return v.Unlink(ctx, "/l") }, syscall.ENOENT, nil},
			{"rm -r", func() error { return v.RemoveAll(ctx, "/d") }, 0, []string{"removeall /d"}},
			{"denied", func() error { return open("/denied", os.O_WRONLY|os.O_CREATE, nil) }, syscall.EACCES, []string{"create /denied: permission denied"}},
			{"denied file", func() error { return v.WriteFile(ctx, "/denied", nil, 0o644) }, syscall.EACCES, []string{"create /denied: permission denied"}},
			{"denied mkdir", func() error { return v.Mkdir(ctx, "/denied", 0o644) }, syscall.EACCES, []string{"create /denied d: permission denied"}},
			{"read-only", func() error { return v.Mkdir(ctx, "/ro/d", 0o755) }, syscall.EROFS, []string{"create /ro/d d: read-only file system"}},
			{"device", func() error { return open("/dev/null", os.O_WRONLY|os.O_TRUNC, write) }, 0, nil},
		} {
			o.told = nil
			wantErrno(t, backend+": "+tc.name, tc.do(), tc.err)
			if !slices.Equal(o.told, tc.want) {
				t.Errorf("%s: %s: told %q, want %q", backend, tc.name, o.told, tc.want)
			}
		}
		// What only some backends have, or do in one step.
		o.told = nil
		must(t, v.WriteFile(ctx, "/w", []byte("1"), 0o644), v.WriteFile(ctx, "/w", []byte("2"), 0o644))
		got := slices.DeleteFunc(o.told, func(s string) bool { return s == "close /w" })
		if want := []string{"create /w", "write /w"}; !slices.Equal(got, want) {
			t.Errorf("%s: WriteFile: told %q, want %q", backend, got, want)
		}
		o.told = nil
		if err := v.Link(ctx, "/w", "/w2"); err == nil && !slices.Equal(o.told, []string{"create /w2 /w"}) {
			t.Errorf("%s: Link: told %q", backend, o.told)
		}
		f, err := v.Open(ctx, "/w", os.O_RDWR, 0)
		must(t, err)
		o.told = nil
		_, err = vfs.SetFileAttr(f, vfs.Attr{UID: new(int)})
		must(t, err, f.Close())
		if !slices.Equal(o.told, []string{"setattr /w"}) {
			t.Errorf("%s: SetFileAttr: told %q", backend, o.told)
		}
	}
}

// poor is a backend without links and attributes.
type poor struct{ vfs.FS }

func (p poor) Mkdir(ctx context.Context, name string, perm fs.FileMode) error {
	return vfs.Mkdir(ctx, p.FS, name, perm)
}
func (p poor) Remove(ctx context.Context, name string) error { return vfs.Remove(ctx, p.FS, name) }
func (p poor) Rename(ctx context.Context, a, b string) error {
	return vfs.Rename(ctx, p.FS, a, b, 0)
}

// TestObserverMissesNothing calls whatever a View can do: no call that changes
// something in the backend goes untold.
func TestObserverMissesNothing(t *testing.T) {
	changes := map[string]bool{"Mkdir": true, "Remove": true, "Rename": true, "RenameFlags": true, "SetAttr": true, "Symlink": true,
		"Link": true, "SetXattr": true, "RemoveXattr": true, "Replace": true}
	seen := map[string]bool{}
	for _, name := range []string{"/d", "/d/x", "/d/x/f", "/new", "/link/f"} {
		var changed string
		o := &observer{}
		p := newProbe(t, func(call, _ string) {
			if changes[call] {
				changed = call
				seen[call] = true
			}
		})
		callAll(t, guarded(t, p, vfs.AllowAll{}).Observed(o), name, func(call string, err error) {
			if changed != "" && len(o.told) == 0 {
				t.Errorf("%s(%q) has called %s of the backend and told nobody", call, name, changed)
			}
			changed, o.told = "", nil
		})
	}
	if len(seen) < 5 {
		t.Errorf("only %v were seen", seen)
	}
}

// purse is a Meter with so much to spend.
type purse struct{ left int64 }

func (p *purse) Spend(_ context.Context, n int64) error {
	if p.left < n {
		return syscall.EDQUOT
	}
	p.left -= n
	return nil
}

func TestMeter(t *testing.T) {
	ctx := context.Background()
	for _, backend := range []vfs.FS{ram.New(ram.Options{}), poor{ram.New(ram.Options{})}} {
		p := &purse{left: 10}
		ns, err := vfs.NewNamespace([]vfs.Mount{
			{Prefix: "/", FS: backend, Mode: vfs.Exec}, {Prefix: "/dev", FS: devfs.New(devfs.Options{}), Mode: vfs.Write},
		}, vfs.NamespaceOptions{})
		must(t, err)
		v := vfs.NewView(ns, vfs.AllowAll{}).Metered(p).For("x")
		must(t, v.WriteFile(ctx, "/a", []byte("1234"), 0o644), v.WriteFile(ctx, "/a", []byte("12"), 0o644), v.WriteFile(ctx, "/e", nil, 0o644))
		if p.left != 4 {
			t.Errorf("%d left, want 4", p.left)
		}
		wantErrno(t, "a new file", v.WriteFile(ctx, "/b", []byte("12345"), 0o644), syscall.EDQUOT)
		wantErrno(t, "an old file", v.WriteFile(ctx, "/a", []byte("12345"), 0o644), syscall.EDQUOT)
		f, err := v.Open(ctx, "/a", os.O_RDWR, 0)
		must(t, err)
		n, err := f.WriteAt([]byte("12345"), 0)
		wantErrno(t, "write", err, syscall.EDQUOT)
		if n != 0 {
			t.Errorf("%d bytes were written", n)
		}
		if _, err := f.WriteAt([]byte("1234"), 0); err != nil || p.left != 0 {
			t.Errorf("%v, %d left", err, p.left)
		}
		must(t, f.Truncate(0), f.Close())
		null, err := v.Open(ctx, "/dev/null", os.O_WRONLY, 0)
		must(t, err)
		if _, err := null.WriteAt([]byte("12345"), 0); err != nil {
			t.Errorf("a device: %v", err)
		}
		must(t, null.Close())
	}
}
