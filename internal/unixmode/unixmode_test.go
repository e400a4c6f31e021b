package unixmode

import (
	"io/fs"
	"testing"
)

func TestString(t *testing.T) {
	for _, tc := range []struct {
		mode fs.FileMode
		want string
	}{
		{0o644, "-rw-r--r--"},
		{fs.ModeDir | 0o755, "drwxr-xr-x"},
		{fs.ModeSymlink | 0o777, "lrwxrwxrwx"},
		{fs.ModeDevice | fs.ModeCharDevice | 0o666, "crw-rw-rw-"},
		{fs.ModeNamedPipe, "p---------"},
		{fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky | 0o644, "-rwSr-Sr-T"},
		{fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky | 0o755, "-rwsr-sr-t"},
	} {
		if got := String(tc.mode); got != tc.want {
			t.Errorf("%v: got %s, want %s", tc.mode, got, tc.want)
		}
	}
	for bits := range uint32(0o10000) {
		if got := Permissions(FileMode(bits)); got != bits {
			t.Fatalf("%o became %o", bits, got)
		}
	}
}
