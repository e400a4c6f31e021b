package disk

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReplace(t *testing.T) {
	root := t.TempDir()
	// What a killed process left is gone at the next start.
	stale := filepath.Join(root, draftPrefix+"0123456789abcdef")
	if err := os.WriteFile(stale, []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := New(root, Options{MaxBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("the draft is still there: %v", err)
	}
	ctx := t.Context()
	step := func(name, data string, want error) {
		t.Helper()
		if err := f.Replace(ctx, name, []byte(data), 0o640); !errors.Is(err, want) {
			t.Errorf("replace %s by %q: %v, want %v", name, data, err, want)
		}
		if want == nil {
			if got, _ := os.ReadFile(filepath.Join(root, name)); string(got) != data {
				t.Errorf("%s holds %q, want %q", name, got, data)
			}
		}
	}
	step("a", "123456", nil)
	old, err := f.Open(ctx, "a", os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	step("a", "abcdefgh", nil)
	buf := make([]byte, 6)
	if _, err := old.ReadAt(buf, 0); err != nil || string(buf) != "123456" {
		t.Errorf("an open handle reads %q, %v", buf, err)
	}
	step("b", "123", syscall.EDQUOT)
	step("a", "12345678901", syscall.EDQUOT)
	step("a", "", nil)
	step("b", "1234567890", nil)
	step("nosuch/b", "", syscall.ENOENT)
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	step("link", "x", syscall.ENOTSUP)
	step(draftPrefix+"x", "x", syscall.ENOENT)
	if st, err := os.Stat(filepath.Join(root, "b")); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if err := f.Rename(ctx, "b", draftPrefix+"x"); !errors.Is(err, syscall.EACCES) {
		t.Errorf("rename to a draft: %v, want EACCES", err)
	}
	list, err := f.ReadDir(ctx, ".")
	if err != nil || len(list) != 3 {
		t.Errorf("left over: %v, %v", list, err)
	}
}
