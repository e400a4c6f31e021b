package vfs_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"syscall"
	"testing"

	"mirage/vfs"
)

// greeting is a file that says who reads it.
type greeting struct{ who string }

func (g greeting) For(owner any) vfs.FS {
	who, _ := owner.(string)
	return greeting{who}
}

func (g greeting) info() vfs.Info {
	return vfs.Info{Name: ".", Mode: 0o444, Size: int64(len(g.who)), Nlink: 1}
}

func (g greeting) Stat(_ context.Context, name string) (vfs.Info, error) {
	if name != "." {
		return vfs.Info{}, syscall.ENOTDIR
	}
	return g.info(), nil
}

func (g greeting) ReadDir(context.Context, string) ([]vfs.Info, error) { return nil, syscall.ENOTDIR }

func (g greeting) Open(_ context.Context, name string, _ int, _ fs.FileMode) (vfs.File, error) {
	return openGreeting{g, bytes.NewReader([]byte(g.who))}, nil
}

type openGreeting struct {
	g greeting
	*bytes.Reader
}

func (o openGreeting) WriteAt([]byte, int64) (int, error) { return 0, syscall.EBADF }
func (o openGreeting) Truncate(int64) error               { return syscall.EBADF }
func (o openGreeting) Sync() error                        { return nil }
func (o openGreeting) Stat() (vfs.Info, error)            { return o.g.info(), nil }
func (o openGreeting) Close() error                       { return nil }

var _ io.ReaderAt = openGreeting{}

func TestPersonalFile(t *testing.T) {
	ctx := context.Background()
	ns, err := vfs.NewNamespace([]vfs.Mount{{Prefix: "/.me", FS: greeting{}, Mode: vfs.Read, Unlisted: true}}, vfs.NamespaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	shared := vfs.NewView(ns, vfs.AllowAll{})
	for _, who := range []string{"alice", "bob"} {
		v := shared.Of(who)
		got, err := v.ReadFile(ctx, "/.me", -1)
		if err != nil || string(got) != who {
			t.Errorf("%s reads %q, %v", who, got, err)
		}
		info, err := v.Lstat(ctx, "/.me")
		if err != nil || !info.IsRegular() || info.Size != int64(len(who)) || info.Name != ".me" {
			t.Errorf("%s: got %+v, %v", who, info, err)
		}
		for name, call := range map[string]struct {
			err  error
			want syscall.Errno
		}{
			"write":  {v.WriteFile(ctx, "/.me", []byte("x"), 0o644), syscall.EROFS},
			"unlink": {v.Unlink(ctx, "/.me"), syscall.EBUSY},
			"rename": {v.Rename(ctx, "/.me", "/x", 0), syscall.EBUSY},
			"below":  {second(v.Lstat(ctx, "/.me/x")), syscall.ENOTDIR},
			"slash":  {second(v.Stat(ctx, "/.me/")), syscall.ENOTDIR},
		} {
			if vfs.Errno(call.err) != call.want {
				t.Errorf("%s: got %v, want %v", name, call.err, call.want)
			}
		}
	}
	list, err := shared.ReadDir(ctx, "/")
	if err != nil || len(list) != 0 {
		t.Errorf("listing: got %v, %v", list, err)
	}
}

func second(_ vfs.Info, err error) error { return err }
