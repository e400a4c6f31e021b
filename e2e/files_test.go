package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func (s *server) sftp(batch string) result {
	s.t.Helper()
	return s.exec(batch, "sftp", "-q", "-b", "-", "-F", s.path("ssh_config"), "demo")
}

func TestSFTP(t *testing.T) {
	need(t, "sftp")
	s := start(t)
	big := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	if err := os.WriteFile(s.path("big"), []byte(big), 0o640); err != nil {
		t.Fatal(err)
	}
	batch := `mkdir /d
put -p big /d/big
rename /d/big /d/renamed
symlink renamed /d/link
ln /d/renamed /d/hard
get /d/link back
chmod 600 /d/renamed
ls -l /d
df /
rm /d/hard
`
	r := s.sftp(batch)
	if r.status != 0 {
		t.Fatalf("sftp: %v", r)
	}
	back, err := os.ReadFile(s.path("back"))
	if err != nil || string(back) != big {
		t.Errorf("get: %v, %d bytes", err, len(back))
	}
	same(t, "the shell", s.line("", "cd /d; ls; stat -c '%a %s' renamed; readlink link").stdout, "link\nrenamed\n600 1048576\nrenamed\n")
	for _, bad := range []string{"get /nosuch", "rmdir /d", "rename /nosuch /x", "put big /nosuch/x", "cd /nosuch"} {
		if r := s.sftp(bad + "\n"); r.status == 0 {
			t.Errorf("%s: succeeded: %v", bad, r)
		}
	}
}

func TestSCP(t *testing.T) {
	need(t, "scp")
	s := start(t)
	tree := s.path("tree/sub")
	if err := os.MkdirAll(tree, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a": "alpha\n", "empty": "", "b c": "blank\n"} {
		if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cfg := []string{"-q", "-F", s.path("ssh_config")}
	s.must("", "scp", append(cfg, "-r", "-p", s.path("tree"), "demo:/")...)
	same(t, "find", s.line("", "find /tree | sort").stdout, "/tree\n/tree/sub\n/tree/sub/a\n/tree/sub/b c\n/tree/sub/empty\n")
	s.must("", "scp", append(cfg, "-r", "demo:/tree", s.path("copy"))...)
	if out, err := exec.Command("diff", "-r", s.path("tree"), s.path("copy")).CombinedOutput(); err != nil {
		t.Errorf("diff: %v\n%s", err, out)
	}
	s.line("", "echo longer than before > /over")
	s.must("", "scp", append(cfg, filepath.Join(tree, "a"), "demo:/over")...)
	same(t, "overwritten", s.line("", "cat /over").stdout, "alpha\n")
	if r := s.exec("", "scp", append(cfg, "demo:/nosuch", s.home)...); r.status == 0 || !strings.Contains(r.stderr, "No such file") {
		t.Errorf("scp of a missing file: %v", r)
	}
}

func TestSSHFS(t *testing.T) {
	need(t, "sshfs", "fusermount3", "git")
	if _, err := os.Stat("/dev/fuse"); err != nil {
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	s := start(t)
	mnt := s.path("mnt")
	if err := os.Mkdir(mnt, 0o755); err != nil {
		t.Fatal(err)
	}
	s.must("", "sshfs", "-F", s.path("ssh_config"), "demo:/", mnt)
	defer s.exec("", "fusermount3", "-u", "-z", mnt)

	s.must("", "sh", "-c", "mkdir src && echo one > src/1 && echo two > src/2 && cp -r src mnt/dst && mv -f mnt/dst/1 mnt/dst/2")
	same(t, "rename over", s.line("", "ls /dst; cat /dst/2").stdout, "2\none\n")
	s.must("", "sh", "-c", "cd mnt && git init -q repo && cd repo && git config user.email a@b && git config user.name n && echo x > f && git add f && git commit -qm first && git log --format=%s")
	same(t, "git's files", s.line("", "cat /repo/f; ls /repo/.git/HEAD").stdout, "x\n/repo/.git/HEAD\n")
	s.line("", "echo from the shell > /new")
	same(t, "seen through the mount", s.must("", "cat", filepath.Join(mnt, "new")), "from the shell\n")
}

// Every door shows the same files at once.
func TestDoorsAgree(t *testing.T) {
	need(t, "sftp", "scp", "curl")
	s := start(t)
	read := map[string]func(string) string{
		"ssh": func(p string) string { return s.line("", "cat "+p).stdout },
		"sftp": func(p string) string {
			s.sftp("get " + p + " got\n")
			b, _ := os.ReadFile(s.path("got"))
			return string(b)
		},
		"scp": func(p string) string {
			s.must("", "scp", "-q", "-F", s.path("ssh_config"), "demo:"+p, s.path("got"))
			b, _ := os.ReadFile(s.path("got"))
			return string(b)
		},
		"curl": func(p string) string {
			return s.must("", "curl", "-sS", "-H", "Authorization: Bearer "+token, s.url+"/v1/workspaces/demo/vfs/cat", "-d", `{"path": "`+p+`"}`)
		},
	}
	write := map[string]func(string, string){
		"ssh": func(p, text string) { s.line(text, "cat > "+p) },
		"sftp": func(p, text string) {
			_ = os.WriteFile(s.path("put"), []byte(text), 0o644)
			s.sftp("put put " + p + "\n")
		},
		"scp": func(p, text string) {
			_ = os.WriteFile(s.path("put"), []byte(text), 0o644)
			s.must("", "scp", "-q", "-F", s.path("ssh_config"), s.path("put"), "demo:"+p)
		},
		"curl": func(p, text string) {
			s.must("", "curl", "-sS", "-H", "Authorization: Bearer "+token, s.url+"/v1/workspaces/demo/shell",
				"-F", `request={"command": "cat > `+p+`"};type=application/json`, "-F", "stdin="+text)
		},
	}
	for w, put := range write {
		put("/f", "by "+w)
		for r, get := range read {
			if got := get("/f"); !strings.Contains(got, "by "+w) {
				t.Errorf("written by %s, read by %s: %q", w, r, got)
			}
		}
	}
}
