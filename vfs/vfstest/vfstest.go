// Package vfstest is the conformance suite of backends. A backend's whole test
// is one call of Run with a constructor.
//
// The suite runs twice: on the backend itself, where what it does not offer
// is skipped, and through a vfs.View, where the node table fills in for it and
// everything is expected to work.
package vfstest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"mirage/vfs"
)

// Run tests a backend. create answers a new, empty filesystem that can be
// written to; it is called once for every test.
func Run(t *testing.T, create func(t *testing.T) vfs.FS) {
	tests := []struct {
		name string
		fn   func(*env)
	}{
		{"Empty", testEmpty},
		{"ReadWrite", testReadWrite},
		{"OpenFlags", testOpenFlags},
		{"Gaps", testGaps},
		{"Truncate", testTruncate},
		{"Append", testAppend},
		{"OpenDirectory", testOpenDirectory},
		{"Directions", testDirections},
		{"LargeFile", testLargeFile},
		{"UnlinkWhileOpen", testUnlinkWhileOpen},
		{"ReplaceWhileOpen", testReplaceWhileOpen},
		{"Cancel", testCancel},
		{"Directories", testDirectories},
		{"Names", testNames},
		{"Rename", testRename},
		{"RenameFlags", testRenameFlags},
		{"Errors", testErrors},
		{"Listing", testListing},
		{"Modes", testModes},
		{"Times", testTimes},
		{"Revision", testRevision},
		{"HardLinks", testHardLinks},
		{"StatFS", testStatFS},
		{"ConcurrentAppend", testConcurrentAppend},
		{"ConcurrentWriters", testConcurrentWriters},
		{"ConcurrentNames", testConcurrentNames},
		{"ConcurrentRename", testConcurrentRename},
		{"IOFS", testIOFS},
	}
	for _, test := range tests {
		t.Run("backend/"+test.name, func(t *testing.T) {
			test.fn(backendEnv(t, create(t)))
		})
		t.Run("view/"+test.name, func(t *testing.T) {
			test.fn(viewEnv(t, create(t)))
		})
	}
	for _, test := range viewTests {
		t.Run("view/"+test.name, func(t *testing.T) {
			test.fn(viewEnv(t, create(t)))
		})
	}
}

// env is a tree under test: a backend, or a View of one. Names are those of a
// backend.
type env struct {
	*testing.T
	ctx  context.Context
	view *vfs.View // nil for a bare backend

	fs      vfs.FS
	mkdir   func(name string, perm fs.FileMode) error
	remove  func(name string) error
	rename  func(oldname, newname string, flag vfs.RenameFlag) error
	link    func(oldname, newname string) error
	setAttr func(name string, attr vfs.Attr) (rest vfs.Attr, err error)
	statFS  func() (vfs.Usage, error)
}

func backendEnv(t *testing.T, fsys vfs.FS) *env {
	ctx := t.Context()
	return &env{
		T: t, ctx: ctx, fs: fsys,
		mkdir:  func(name string, perm fs.FileMode) error { return vfs.Mkdir(ctx, fsys, name, perm) },
		remove: func(name string) error { return vfs.Remove(ctx, fsys, name) },
		rename: func(oldname, newname string, flag vfs.RenameFlag) error {
			return vfs.Rename(ctx, fsys, oldname, newname, flag)
		},
		link: func(oldname, newname string) error { return vfs.Link(ctx, fsys, oldname, newname) },
		setAttr: func(name string, attr vfs.Attr) (vfs.Attr, error) {
			return vfs.SetAttr(ctx, fsys, name, attr)
		},
		statFS: func() (vfs.Usage, error) { return vfs.StatFS(ctx, fsys) },
	}
}

// viewEnv mounts the backend below a root, so that prefixes matter.
func viewEnv(t *testing.T, fsys vfs.FS) *env {
	ctx := t.Context()
	ns, err := vfs.NewNamespace([]vfs.Mount{{Prefix: "/mnt/it", FS: fsys, Mode: vfs.Exec}}, vfs.NamespaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	v := vfs.NewView(ns, vfs.AllowAll{})
	return &env{
		T: t, ctx: ctx, view: v, fs: mounted{v},
		mkdir: func(name string, perm fs.FileMode) error { return v.Mkdir(ctx, abs(name), perm) },
		remove: func(name string) error {
			err := v.Unlink(ctx, abs(name))
			if errors.Is(err, syscall.EISDIR) {
				err = v.Rmdir(ctx, abs(name))
			}
			return err
		},
		rename: func(oldname, newname string, flag vfs.RenameFlag) error {
			return v.Rename(ctx, abs(oldname), abs(newname), flag)
		},
		link: func(oldname, newname string) error { return v.Link(ctx, abs(oldname), abs(newname)) },
		setAttr: func(name string, attr vfs.Attr) (vfs.Attr, error) {
			_, err := v.ChangeAttr(ctx, abs(name), attr, false)
			return vfs.Attr{}, err
		},
		statFS: func() (vfs.Usage, error) { return v.StatFS(ctx, abs(".")) },
	}
}

// abs is where viewEnv shows a name of the backend.
func abs(name string) string {
	if name == "." {
		return "/mnt/it"
	}
	return "/mnt/it/" + name
}

// mounted is the read half of a backend, asked through a View.
type mounted struct{ v *vfs.View }

func (m mounted) Open(ctx context.Context, name string, flag int, perm fs.FileMode) (vfs.File, error) {
	// A backend does not follow links.
	return m.v.Open(ctx, abs(name), flag|syscall.O_NOFOLLOW, perm)
}

func (m mounted) Stat(ctx context.Context, name string) (vfs.Info, error) {
	return m.v.Lstat(ctx, abs(name))
}

func (m mounted) ReadDir(ctx context.Context, name string) ([]vfs.Info, error) {
	return m.v.ReadDir(ctx, abs(name))
}

// needs skips the test when the backend does not support a call.
func (e *env) needs(what string, err error) {
	e.Helper()
	if errors.Is(err, syscall.ENOTSUP) && e.view == nil {
		e.Skipf("the backend has no %s", what)
	}
	e.ok(what, err)
}

func (e *env) ok(what string, err error) {
	e.Helper()
	if err != nil {
		e.Fatalf("%s: %v", what, err)
	}
}

// want checks the errno of an error, and that it comes as a path error with a
// bare errno and no more of a path than the caller gave.
func (e *env) want(what string, err error, errno syscall.Errno) {
	e.Helper()
	if vfs.Errno(err) != errno {
		e.Errorf("%s: got %v, want %v", what, err, errno)
		return
	}
	var inner error
	switch err := err.(type) {
	case *fs.PathError:
		inner = err.Err
	case *os.LinkError:
		inner = err.Err
	default:
		e.Errorf("%s: got a %T, want a *fs.PathError", what, err)
		return
	}
	if _, bare := inner.(syscall.Errno); !bare {
		e.Errorf("%s: got %T inside the path error, want a bare errno", what, inner)
	}
}

func (e *env) open(name string, flag int) vfs.File {
	e.Helper()
	f, err := e.fs.Open(e.ctx, name, flag, 0o644)
	e.ok("Open "+name, err)
	e.Cleanup(func() { _ = f.Close() })
	return f
}

func (e *env) write(name, data string) {
	e.Helper()
	f, err := e.fs.Open(e.ctx, name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	e.ok("Open "+name, err)
	_, err = f.WriteAt([]byte(data), 0)
	e.ok("WriteAt "+name, err)
	e.ok("Close "+name, f.Close())
}

func (e *env) read(name string) string {
	e.Helper()
	f, err := e.fs.Open(e.ctx, name, os.O_RDONLY, 0)
	e.ok("Open "+name, err)
	defer f.Close()
	return e.content(f)
}

// content reads an open file to its end.
func (e *env) content(f vfs.File) string {
	e.Helper()
	data, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<40))
	e.ok("ReadAt", err)
	return string(data)
}

func (e *env) wantContent(name, want string) {
	e.Helper()
	if got := e.read(name); got != want {
		e.Errorf("%s holds %.200q, want %.200q", name, got, want)
	}
}

func (e *env) stat(name string) vfs.Info {
	e.Helper()
	info, err := e.fs.Stat(e.ctx, name)
	e.ok("Stat "+name, err)
	return info
}

func (e *env) mkdirs(names ...string) {
	e.Helper()
	for _, name := range names {
		e.ok("Mkdir "+name, e.mkdir(name, 0o755))
	}
}

func (e *env) wantNames(dir string, want ...string) {
	e.Helper()
	list, err := e.fs.ReadDir(e.ctx, dir)
	e.ok("ReadDir "+dir, err)
	got := make([]string, len(list))
	for i, info := range list {
		got[i] = info.Name
	}
	if !equal(got, want) {
		e.Errorf("ReadDir %s = %q, want %q", dir, got, want)
	}
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
