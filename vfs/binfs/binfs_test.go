package binfs_test

import (
	"context"
	"os"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"mirage/vfs"
	"mirage/vfs/binfs"
)

func newFS() *binfs.FS {
	return binfs.New([]string{"ls", "cat", "["}, func(name string) string { return "#!/bin/sh\n# " + name + "\n" }, time.Unix(1e9, 0))
}

func TestReadsAsAnyDirectory(t *testing.T) {
	if err := fstest.TestFS(vfs.IOFS(context.Background(), newFS()), "ls", "cat", "["); err != nil {
		t.Error(err)
	}
}

func TestThroughAView(t *testing.T) {
	ctx := context.Background()
	for _, mode := range []vfs.Mode{vfs.Read, vfs.Exec} {
		ns, err := vfs.NewNamespace([]vfs.Mount{{Prefix: "/usr/bin", FS: newFS(), Mode: mode, Unlisted: true}},
			vfs.NamespaceOptions{Links: map[string]string{"/bin": "usr/bin"}})
		if err != nil {
			t.Fatal(err)
		}
		v := vfs.NewView(ns, vfs.AllowAll{})
		info, err := v.Stat(ctx, "/bin/cat")
		if err != nil || info.Mode != 0o755 || info.Size != int64(len("#!/bin/sh\n# cat\n")) {
			t.Errorf("Stat = %+v, %v", info, err)
		}
		data, err := v.ReadFile(ctx, "/usr/bin/[", -1)
		if err != nil || string(data) != "#!/bin/sh\n# [\n" {
			t.Errorf("ReadFile = %q, %v", data, err)
		}
		want := syscall.EROFS
		if mode == vfs.Exec {
			want = syscall.EACCES
		}
		if err := v.WriteFile(ctx, "/bin/cat", nil, 0o755); vfs.Errno(err) != want {
			t.Errorf("WriteFile on a %v mount: %v, want %v", mode, err, want)
		}
		if err := v.WriteFile(ctx, "/bin/new", nil, 0o755); vfs.Errno(err) != want {
			t.Errorf("creating on a %v mount: %v, want %v", mode, err, want)
		}
		for name, want := range map[string]syscall.Errno{"/bin/none": syscall.ENOENT, "/bin/cat/x": syscall.ENOTDIR} {
			if _, err := v.Open(ctx, name, os.O_RDONLY, 0); vfs.Errno(err) != want {
				t.Errorf("Open %s: %v, want %v", name, err, want)
			}
		}
	}
}
