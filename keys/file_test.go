package keys

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
)

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestReadAuthorizedKeysRefusesFile(t *testing.T) {
	dir := t.TempDir()
	_, line := newKey(t)
	write(t, filepath.Join(dir, "open"), line, 0o666)
	write(t, filepath.Join(dir, "big"), strings.Repeat("#", MaxFileSize+1), 0o600)
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"missing": "no such file", "open": "writable by anybody", "big": "larger than",
		"fifo": "not a regular file", ".": "not a regular file",
	} {
		if _, err := ReadAuthorizedKeys(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
}

// Even a change that keeps size, time and inode is seen at once.
func TestFileIsNeverStale(t *testing.T) {
	path := filepath.Join(t.TempDir(), "authorized_keys")
	first, firstLine := newKey(t)
	second, secondLine := newKey(t)
	write(t, path, firstLine+"\n", 0o600)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f := NewFile(path)
	a, changed, err := f.Load()
	if err != nil || !changed {
		t.Fatalf("changed %v, error %v", changed, err)
	}
	if b, changed, _ := f.Load(); changed || b != a {
		t.Error("the same text was parsed again")
	}
	write(t, path, secondLine+"\n", 0o600)
	if err := os.Chtimes(path, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}
	b, changed, err := f.Load()
	if err != nil || !changed {
		t.Fatalf("changed %v, error %v", changed, err)
	}
	if _, ok := b.Find(first, home, today); ok {
		t.Error("the key that was removed still logs in")
	}
	if _, ok := b.Find(second, home, today); !ok {
		t.Error("the key that was added does not log in")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Load(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v for a file that is gone", err)
	}
}

func TestAddAndRemove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ssh", "authorized_keys")
	if a, err := List(path); err != nil || len(a.Keys) != 0 {
		t.Fatalf("a missing file: %v, %v", a, err)
	}
	first, firstLine := newKey(t)
	_, secondLine := newKey(t)
	if _, err := Add(path, "  no-pty "+firstLine+" one \n"); err != nil {
		t.Fatal(err)
	}
	if _, err := Add(path, firstLine); !errors.Is(err, ErrExists) {
		t.Errorf("the same key again: %v", err)
	}
	for _, bad := range []string{"", "# x", "nonsense", firstLine + "\n" + secondLine, `environment="A=b" ` + secondLine} {
		if _, err := Add(path, bad); err == nil {
			t.Errorf("added %q", bad)
		}
	}
	write(t, path, "# staff\n\nbroken line\nno-pty "+firstLine+" one", 0o600) // no newline at the end
	k, err := Add(path, Option("command", `say "hi"`)+" "+secondLine+" two")
	if err != nil {
		t.Fatal(err)
	}
	if k.Line != 5 || k.Options.Command != `say "hi"` || k.Comment != "two" {
		t.Errorf("added %+v", k)
	}
	removed, err := Remove(path, func(k Key) bool { return k.Fingerprint() == ssh.FingerprintSHA256(first) })
	if err != nil || len(removed) != 1 || removed[0].Comment != "one" {
		t.Fatalf("removed %v, error %v", removed, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "# staff\n\nbroken line\ncommand=\"say \\\"hi\\\"\" " + secondLine + " two\n"; string(text) != want {
		t.Errorf("file:\n%s\nwant:\n%s", text, want)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, want %v", filepath.Base(name), info.Mode().Perm(), want)
		}
	}
	if removed, err := Remove(path, func(Key) bool { return false }); err != nil || removed != nil {
		t.Errorf("removed %v, error %v", removed, err)
	}
}

func TestAddKeepsLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	write(t, target, "# here\n", 0o600)
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	_, line := newKey(t)
	if _, err := Add(link, line); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if text, _ := os.ReadFile(target); string(text) != "# here\n"+line+"\n" {
		t.Errorf("target: %q", text)
	}
}

func TestConcurrentAddsLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "authorized_keys")
	var wg sync.WaitGroup
	for range 20 {
		_, line := newKey(t)
		wg.Go(func() {
			if _, err := Add(path, line); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	a, err := List(path)
	if err != nil || len(a.Keys) != 20 || len(a.Refused) != 0 {
		t.Errorf("%d keys, %v, error %v; want 20", len(a.Keys), a.Refused, err)
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestAddTellsWhatIsNoKey(t *testing.T) {
	_, keyLine := newKey(t)
	path := filepath.Join(t.TempDir(), "authorized_keys")
	for _, tc := range []struct{ line, want string }{
		{"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\n-----END OPENSSH PRIVATE KEY-----\n", errPrivate.Error()},
		{"no-pty -----BEGIN RSA PRIVATE KEY-----", errPrivate.Error()},
		{"hello", errNotKey.Error()},
		{"ssh-dss AAAA", errNotKey.Error()},
		{"a\nb", "a key is one line"},
		{"", errNoKey.Error()},
		{"no-such " + keyLine, `unknown key option "no-such"`},
	} {
		if _, err := Add(path, tc.line); err == nil || err.Error() != tc.want {
			t.Errorf("%q: %v, want %s", tc.line, err, tc.want)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a refused line made the file")
	}
}
