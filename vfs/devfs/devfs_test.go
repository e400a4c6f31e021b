package devfs_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"mirage/vfs"
	"mirage/vfs/devfs"
)

func newView(t *testing.T) *vfs.View {
	t.Helper()
	ns, err := vfs.NewNamespace([]vfs.Mount{
		{Prefix: "/dev", FS: devfs.New(devfs.Options{Random: constant{7}}), Mode: vfs.Write, Unlisted: true},
	}, vfs.NamespaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return vfs.NewView(ns, vfs.AllowAll{})
}

// constant reads as one byte again and again.
type constant struct{ b byte }

func (c constant) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = c.b
	}
	return len(p), nil
}

func TestDevices(t *testing.T) {
	ctx := context.Background()
	v := newView(t)
	for _, c := range []struct {
		name         string
		major, minor uint64
		open         syscall.Errno
		read         byte // what it reads as; 0xFF: the end of the file
		write        syscall.Errno
	}{
		{"null", 1, 3, 0, 0xFF, 0},
		{"zero", 1, 5, 0, 0, 0},
		{"full", 1, 7, 0, 0, syscall.ENOSPC},
		{"random", 1, 8, 0, 7, 0},
		{"urandom", 1, 9, 0, 7, 0},
		{"tty", 5, 0, syscall.ENXIO, 0, 0},
		{"stdin", 136, 0, syscall.ENXIO, 0, 0},
	} {
		info, err := v.Stat(ctx, "/dev/"+c.name)
		if err != nil || info.Mode.String() != "Dcrw-rw-rw-" || info.Rdev != c.major<<8|c.minor {
			t.Errorf("%s: %v, device %#x, %v", c.name, info.Mode, info.Rdev, err)
		}
		f, err := v.Open(ctx, "/dev/"+c.name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
		if vfs.Errno(err) != c.open {
			t.Errorf("Open %s: %v, want %v", c.name, err, c.open)
		}
		if err != nil {
			continue
		}
		buf := bytes.Repeat([]byte{9}, 100)
		n, err := f.ReadAt(buf, 1<<40)
		if c.read == 0xFF {
			if n != 0 || err != io.EOF {
				t.Errorf("ReadAt %s = %d, %v; want the end", c.name, n, err)
			}
		} else if err != nil || !bytes.Equal(buf, bytes.Repeat([]byte{c.read}, 100)) {
			t.Errorf("ReadAt %s = % x, %v", c.name, buf, err)
		}
		if _, err := f.WriteAt(buf, 0); vfs.Errno(err) != c.write {
			t.Errorf("WriteAt %s: %v, want %v", c.name, err, c.write)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestDirectory(t *testing.T) {
	ctx := context.Background()
	v := newView(t)
	list, err := v.ReadDir(ctx, "/dev")
	var names string
	for _, i := range list {
		names += i.Name + " "
	}
	if want := "fd full null random stderr stdin stdout tty urandom zero "; err != nil || names != want {
		t.Errorf("ReadDir = %s, %v; want %s", names, err, want)
	}
	when := time.Unix(1, 0)
	for what, c := range map[string]struct {
		err  error
		want syscall.Errno
	}{
		"create":      {v.WriteFile(ctx, "/dev/new", nil, 0o644), syscall.EACCES},
		"mkdir":       {v.Mkdir(ctx, "/dev/new", 0o755), syscall.EACCES},
		"unlink":      {v.Unlink(ctx, "/dev/null"), syscall.EACCES},
		"rename":      {v.Rename(ctx, "/dev/null", "/dev/new", 0), syscall.EACCES},
		"symlink":     {v.Symlink(ctx, "x", "/dev/new"), syscall.EACCES},
		"link":        {v.Link(ctx, "/dev/null", "/dev/new"), syscall.ENOTSUP},
		"chmod":       {v.SetAttr(ctx, "/dev/null", vfs.Attr{UID: new(int)}, true), syscall.EPERM},
		"touch":       {v.SetAttr(ctx, "/dev/null", vfs.Attr{ModTime: &when}, true), 0},
		"setxattr":    {v.SetXattr(ctx, "/dev/null", "user.a", nil, false, false, true), syscall.EPERM},
		"removexattr": {v.RemoveXattr(ctx, "/dev/null", "user.a", true), syscall.EPERM},
		"below":       {v.Mkdir(ctx, "/dev/null/x", 0o755), syscall.ENOTDIR},
		"nothing":     {v.Unlink(ctx, "/dev/none"), syscall.ENOENT},
	} {
		if vfs.Errno(c.err) != c.want {
			t.Errorf("%s: %v, want %v", what, c.err, c.want)
		}
	}
	if info, err := v.Stat(ctx, "/dev/null"); err != nil || !info.ModTime.Equal(when) {
		t.Errorf("after touch: %v, %v", info.ModTime, err)
	}
	if _, err := v.ReadFile(ctx, "/dev/zero", -1); vfs.Errno(err) != syscall.EFBIG {
		t.Errorf("reading all of /dev/zero: %v, want EFBIG", err)
	}
	if data, err := v.ReadFile(ctx, "/dev/null", -1); err != nil || len(data) != 0 {
		t.Errorf("reading /dev/null: %q, %v", data, err)
	}
}
