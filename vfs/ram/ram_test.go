package ram_test

import (
	"testing"

	"mirage/vfs"
	"mirage/vfs/ram"
	"mirage/vfs/vfstest"
)

func TestConformance(t *testing.T) {
	vfstest.Run(t, func(*testing.T) vfs.FS { return ram.New(ram.Options{}) })
}
