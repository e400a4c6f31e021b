package filemode

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"mirage/internal/unixmode"
)

func TestParseErrors(t *testing.T) {
	for _, s := range []string{"", "8", "77777", "u", "u+q", "+r,", ",+r", "u+r,,g+r", "755x", "u=7", "+ur", "a+rwz", "g+u+", "u-"} {
		c, err := Parse(s)
		wantOK := s == "g+u+" || s == "u-"
		if (err == nil) != wantOK {
			t.Errorf("%q: got %v, %v", s, c, err)
		}
	}
}

// TestAgainstChmod applies modes to files and directories with the real chmod.
func TestAgainstChmod(t *testing.T) {
	chmod, err := exec.LookPath("chmod")
	if err != nil {
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") != "" {
			t.Fatal(err)
		}
		t.Skip("no chmod here")
	}
	dir := t.TempDir()
	file, sub := filepath.Join(dir, "f"), filepath.Join(dir, "d")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	modes := []string{"0", "7", "755", "2755", "00755", "07777", "u+x", "+x", "a+X", "go=", "=", "u=g", "o=u,g-w", "+s", "u+s", "=rw", "+t",
		"g+u+o", "a=r,u+w", "o+t", "-w", "+0111", "=0700", "-0222", "ug+s", "a-s", "=X", "u=rX,go=rX", "o=", "+r-x=w", "a=", "g=s", "u=,g=u", "=u"}
	for _, spec := range modes {
		for _, path := range []string{file, sub} {
			for _, start := range []uint32{0o644, 0o755, 0o000, 0o7777, 0o2711} {
				if err := os.Chmod(path, unixmode.FileMode(start)); err != nil {
					t.Fatal(err)
				}
				err := exec.Command(chmod, "--", spec, path).Run()
				info, serr := os.Stat(path)
				if serr != nil {
					t.Fatal(serr)
				}
				want := unixmode.Permissions(info.Mode())
				c, perr := Parse(spec)
				if perr != nil {
					if err == nil {
						t.Errorf("%s: %v, but chmod takes it", spec, perr)
					}
					continue
				}
				if got := c.Apply(start, path == sub, 0o027); got != want {
					t.Errorf("%s on %s %s: got %s, want %s", spec, filepath.Base(path), strconv.FormatUint(uint64(start), 8),
						strconv.FormatUint(uint64(got), 8), strconv.FormatUint(uint64(want), 8))
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("u+rwx,g=u,o-X")
	f.Fuzz(func(t *testing.T, s string) {
		if c, err := Parse(s); err == nil {
			if m := c.Apply(0o644, true, 0o022); m > AllBits {
				t.Errorf("%q: %o", s, m)
			}
		}
	})
}
