package disk_test

import (
	"testing"

	"mirage/vfs"
	"mirage/vfs/disk"
	"mirage/vfs/vfstest"
)

func TestConformance(t *testing.T) {
	vfstest.Run(t, func(t *testing.T) vfs.FS { return newDisk(t, t.TempDir(), disk.Options{}) })
}

func TestConformanceWithQuota(t *testing.T) {
	vfstest.Run(t, func(t *testing.T) vfs.FS { return newDisk(t, t.TempDir(), disk.Options{MaxBytes: 1 << 30}) })
}

func newDisk(t *testing.T, root string, o disk.Options) *disk.FS {
	t.Helper()
	d, err := disk.New(root, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}
