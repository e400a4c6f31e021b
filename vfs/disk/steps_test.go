package disk

import (
	"testing"

	"mirage/vfs"
	"mirage/vfs/vfstest"
)

// TestConformanceInSteps is for kernels without openat2(2).
func TestConformanceInSteps(t *testing.T) {
	vfstest.Run(t, func(t *testing.T) vfs.FS {
		f, err := New(t.TempDir(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		f.steps = true
		t.Cleanup(func() { _ = f.Close() })
		return f
	})
}
