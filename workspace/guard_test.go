package workspace_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"mirage/policy"
	"mirage/vfs"
	"mirage/workspace"
)

const guardedConfig = `
mode: WRITE
mounts:
  /: {vfs: ram}
  /ro: {vfs: ram, mode: read}
  /repo: {vfs: ram}
profiles:
  guarded:
    cwd: /repo
    env: {WHO: profile}
    mounts:
      /repo: read
    paths:
      hide:
        - /vault
        - patterns: ["*.env", "/lab/raw/*"]
          reason: not theirs
    commands:
      allow: [ls, cat, rm, mv, grep, svn log]
      deny:
        - {reason: sealed, paths: ["/keys/*"]}
        - {reason: cache is shared, commands: {rm: ["/build/cache/*"]}}
  open: {}
`

// guardedSession answers a session under the rules and a free one.
func guardedSession(t *testing.T) (s, free *workspace.Session) {
	t.Helper()
	server := newServer(t)
	w := server.create(operator, "demo", guardedConfig)
	free = session(t, w, "")
	view := free.View()
	for _, dir := range []string{"/vault", "/lab/raw", "/keys", "/build/cache", "/d"} {
		if err := view.MkdirAll(bg, dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"/vault/k", "/lab/raw/a.csv", "/lab/b.csv", "/keys/k", "/build/cache/c", "/build/x", "/d/prod.env", "/d/f", "/repo/r"} {
		if err := view.WriteFile(bg, file, []byte(file), 0o644); err != nil {
			t.Fatal(file, err)
		}
	}
	s, err := w.NewSession(bg, workspace.SessionOptions{ID: "g", Profile: "guarded"})
	if err != nil {
		t.Fatal(err)
	}
	return s, free
}

func names(list []vfs.Info) string {
	var s []string
	for _, i := range list {
		s = append(s, i.Name)
	}
	return strings.Join(s, " ")
}

func TestGuardListings(t *testing.T) {
	s, free := guardedSession(t)
	for dir, test := range map[string]struct{ guarded, free string }{
		"/":        {"build d keys lab repo ro", "build d keys lab repo ro vault"},
		"/d":       {"f", "f prod.env"},
		"/lab":     {"b.csv raw", "b.csv raw"},
		"/lab/raw": {"", "a.csv"},
		"/keys":    {"k", "k"},
	} {
		list, err := s.View().ReadDir(bg, dir)
		want(t, dir, fmt.Sprint(names(list), err), test.guarded+"<nil>")
		list, err = free.View().ReadDir(bg, dir)
		want(t, dir, fmt.Sprint(names(list), err), test.free+"<nil>")
	}
	list, err := s.View().ReadDir(bg, "/usr/bin")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(names(list)) {
		if !strings.Contains(" ls cat rm mv grep svn ", " "+name+" ") {
			t.Errorf("/usr/bin shows %s", name)
		}
	}
	paths, err := s.Glob(bg, "/**/*.env")
	want(t, "glob", fmt.Sprint(paths, err), "[] <nil>")
}

func TestGuardChecks(t *testing.T) {
	s, _ := guardedSession(t)
	rm := &policy.Command{Argv: []string{"rm", "-r", "x"}}
	cat := &policy.Command{Argv: []string{"cat", "x"}}
	type call struct {
		name   string
		caller any
		do     func(v *vfs.View) error
		want   string
	}
	read := func(p string) func(*vfs.View) error {
		return func(v *vfs.View) error { _, err := v.ReadFile(bg, p, -1); return err }
	}
	write := func(p string) func(*vfs.View) error {
		return func(v *vfs.View) error { return v.WriteFile(bg, p, nil, 0o644) }
	}
	stat := func(p string) func(*vfs.View) error {
		return func(v *vfs.View) error { _, err := v.Stat(bg, p); return err }
	}
	rename := func(from, to string) func(*vfs.View) error {
		return func(v *vfs.View) error { return v.Rename(bg, from, to, 0) }
	}
	tests := []call{
		{"hidden file", nil, read("/vault/k"), "ENOENT"},
		{"hidden directory", nil, stat("/vault"), "ENOENT"},
		{"below a hidden one", nil, stat("/vault/missing"), "ENOENT"},
		{"hidden by name", nil, read("/d/prod.env"), "ENOENT"},
		{"making below a hidden directory", nil, write("/vault/new"), "ENOENT"},
		{"making a hidden name in sight", nil, write("/d/new.env"), "EACCES"},
		{"overwriting a hidden name in sight", nil, write("/d/prod.env"), "EACCES"},
		{"making a hidden directory in sight", nil, func(v *vfs.View) error { return v.Mkdir(bg, "/d/x.env", 0o755) }, "EACCES"},
		{"a link by a hidden name", nil, func(v *vfs.View) error { return v.Symlink(bg, "f", "/d/l.env") }, "EACCES"},
		{"a link to what is hidden", nil, func(v *vfs.View) error { return v.Symlink(bg, "/vault/k", "/d/l") }, ""},
		{"through that link", nil, read("/d/l"), "ENOENT"},
		{"removing what is hidden", nil, func(v *vfs.View) error { return v.Unlink(bg, "/d/prod.env") }, "ENOENT"},
		{"renaming what is hidden", nil, rename("/d/prod.env", "/d/y"), "ENOENT"},
		{"renaming to a hidden name", nil, rename("/d/f", "/d/f.env"), "EACCES"},
		{"renaming into a hidden directory", nil, rename("/d/f", "/vault/f"), "ENOENT"},
		{"revealing by rename", nil, rename("/lab", "/lab2"), "EACCES"},
		{"revealing nothing", nil, rename("/lab/b.csv", "/lab/c.csv"), ""},
		{"a name pattern goes along", nil, rename("/d", "/e"), ""},

		{"denied", nil, read("/keys/k"), "EACCES"},
		{"denied to any command", cat, read("/keys/k"), "EACCES"},
		{"looked at", nil, stat("/keys/k"), ""},
		{"writing what is denied", nil, write("/keys/k"), "EACCES"},
		{"making what is denied", nil, write("/keys/new"), "EACCES"},
		{"moving its directory", nil, rename("/keys", "/k2"), "EACCES"},
		{"removing its directory", nil, func(v *vfs.View) error { return v.RemoveAll(bg, "/keys") }, "EACCES"},
		{"denied to rm", rm, func(v *vfs.View) error { return v.Unlink(bg, "/build/cache/c") }, "EACCES"},
		{"and its tree", rm, func(v *vfs.View) error { return v.RemoveAll(bg, "/build") }, "EACCES"},
		{"rm elsewhere", rm, func(v *vfs.View) error { return v.Unlink(bg, "/build/x") }, ""},
		{"others may", cat, read("/build/cache/c"), ""},
		{"a front end too", nil, func(v *vfs.View) error { return v.Unlink(bg, "/build/cache/c") }, ""},

		{"mode of the mount", nil, write("/ro/x"), "EROFS"},
		{"mode of the profile", nil, write("/repo/r"), "EROFS"},
		{"reading it", nil, read("/repo/r"), ""},
		{"hidden before read-only", nil, func(v *vfs.View) error { return v.Unlink(bg, "/repo/a.env") }, "ENOENT"},
		{"not allowed program", nil, stat("/usr/bin/sed"), "ENOENT"},
		{"not allowed program by the other name", nil, stat("/bin/sed"), "ENOENT"},
	}
	for _, test := range tests {
		err := test.do(s.View().For(test.caller))
		got := ""
		if err != nil {
			got = vfs.ErrnoName(err)
			var pe *fs.PathError
			var le *os.LinkError
			if !errors.As(err, &pe) && !errors.As(err, &le) {
				t.Errorf("%s: %T", test.name, err)
			}
		}
		want(t, test.name, got, test.want)
	}
	// A visible parent may be destroyed with what is hidden in it.
	want(t, "rm -r of a parent", s.View().RemoveAll(bg, "/e"), nil)
}

func TestSessionModes(t *testing.T) {
	server := newServer(t)
	w := server.create(operator, "demo", guardedConfig)
	s, err := w.NewSession(bg, workspace.SessionOptions{ID: "m", Profile: "open", Mounts: map[string]string{"/": "r", "ro/": "rwx"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, restarted := range []bool{false, true} {
		if restarted {
			server.restart()
			s = session(t, server.get("demo"), "m")
		}
		for path, errno := range map[string]string{"/x": "EROFS", "/ro/x": "EROFS", "/repo/x": ""} {
			err := s.View().WriteFile(bg, path, nil, 0o644)
			got := ""
			if err != nil {
				got = vfs.ErrnoName(err)
			}
			want(t, path, got, errno)
		}
	}
}

func TestSetProfile(t *testing.T) {
	server := newServer(t)
	w := server.create(operator, "demo", guardedConfig)
	s := session(t, w, "")
	view := s.View()
	if err := view.WriteFile(bg, "/x.env", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	want(t, "unknown", kind(s.SetProfile(bg, "nobody")), workspace.Refused)
	want(t, "set", s.SetProfile(bg, "guarded"), nil)
	_, err := view.Stat(bg, "/x.env")
	want(t, "a view from before", errors.Is(err, fs.ErrNotExist), true)
	server.restart()
	s = session(t, server.get("demo"), "")
	if err := s.View().WriteFile(bg, "/y.env", nil, 0o644); vfs.ErrnoName(err) != "EACCES" {
		t.Errorf("after a restart: got %v", err)
	}
	want(t, "back to the default", s.SetProfile(bg, ""), nil)
	want(t, "write", s.View().WriteFile(bg, "/y.env", nil, 0o644), nil)
}

// What is open is asked about again once the rules have changed.
func TestOpenFilesFollowTheProfile(t *testing.T) {
	server := newServer(t)
	w := server.create(operator, "demo", `{"mounts": {"/": {"vfs": "ram"}}, "profiles": {
		"hides": {"paths": {"hide": ["/f"]}}, "denies": {"commands": {"deny": [{"paths": ["/f"]}]}},
		"reads": {"mounts": {"/": "read"}}, "other": {"paths": {"hide": ["/g"]}}}}`)
	s := session(t, w, "")
	if err := s.View().WriteFile(bg, "/f", []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := s.View().Open(bg, "/f", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, tt := range []struct{ profile, read, write string }{
		{"hides", "ENOENT", "ENOENT"}, {"", "", ""}, {"denies", "EACCES", "EACCES"}, {"reads", "", "EROFS"}, {"other", "", ""}, {"hides", "ENOENT", "ENOENT"},
	} {
		want(t, "set "+tt.profile, s.SetProfile(bg, tt.profile), nil)
		for range 2 {
			_, err := f.ReadAt(make([]byte, 4), 0)
			want(t, tt.profile+": read", vfs.ErrnoName(err), tt.read)
			_, err = f.WriteAt([]byte("more"), 0)
			want(t, tt.profile+": write", vfs.ErrnoName(err), tt.write)
			want(t, tt.profile+": truncate", vfs.ErrnoName(f.Truncate(4)), tt.write)
		}
	}
}

// A session whose profile is gone must not come back without rules.
func TestProfileGone(t *testing.T) {
	server := newServer(t)
	w := server.create(operator, "demo", guardedConfig)
	if _, err := w.NewSession(bg, workspace.SessionOptions{ID: "g", Profile: "guarded"}); err != nil {
		t.Fatal(err)
	}
	if _, err := server.CloseWorkspace(bg, operator, "demo"); err != nil {
		t.Fatal(err)
	}
	w = server.create(operator, "demo", ramConfig)
	_, err := w.Session(bg, "g")
	want(t, "kind", kind(err), workspace.Refused)
	want(t, "text", err, "unknown profile 'guarded'")
	want(t, "deleting it", w.DeleteSession(bg, "g"), nil)
}

func TestDiskMounts(t *testing.T) {
	server := newServer(t)
	root := t.TempDir() + "/files"
	cfg := fmt.Sprintf(`{"mounts": {"/data": {"vfs": "disk", "config": {"root": %q}}}}`, root)
	w := server.create(operator, "demo", cfg)
	view := session(t, w, "").View()
	if err := view.WriteFile(bg, "/data/f", []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := view.Symlink(bg, "f", "/data/l"); err != nil {
		t.Fatal(err)
	}
	want(t, "mounts", w.Detail().Mounts[0].Kind, "disk")
	server.restart()
	view = session(t, server.get("demo"), "").View()
	got, err := view.ReadFile(bg, "/data/l", -1)
	want(t, "through the link", fmt.Sprint(string(got), err), "kept<nil>")

	_, _, err = server.Create(bg, alice, "hers", config(t, cfg))
	want(t, "an account", kind(err), workspace.Refused)
	for _, dir := range []string{server.dir, server.dir + "/x", "/"} {
		_, _, err = server.Create(bg, operator, "state", config(t, fmt.Sprintf(`{"mounts": {"/s": {"vfs": "disk", "config": {"root": %q}}}}`, dir)))
		want(t, dir, kind(err), workspace.Invalid)
	}
	if _, err := server.Delete(bg, operator, "demo"); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadDir(root)
	want(t, "the files stay", fmt.Sprint(len(kept), err), "1 <nil>")

	server.create(operator, "demo", cfg)
	server.stop()
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	server.start()
	_, err = server.Get(bg, operator, "demo")
	want(t, "a disk that is gone", fmt.Sprint(err), "workspace cannot be reopened: disk: root: no such directory: '"+root+"'")
	_, err = os.Stat(root)
	want(t, "is not made again", errors.Is(err, fs.ErrNotExist), true)
	_, err = server.Delete(bg, operator, "demo")
	want(t, "and can be deleted", err, nil)
}

func TestReservedPlaces(t *testing.T) {
	_, _, s := demo(t)
	view := s.View()
	list, err := view.ReadDir(bg, "/")
	want(t, "not listed", fmt.Sprint(len(list), err), "0 <nil>")
	for _, path := range []string{"/dev/null", "/usr/bin/bash", "/bin/sh", "/tmp", "/.bash_history"} {
		if _, err := view.Stat(bg, path); err != nil {
			t.Error(err)
		}
	}
	want(t, "mounts", len(view.Mounts()), 1)
	run(t, s, ": one")
	run(t, s, ": two")
	text, err := view.ReadFile(bg, "/.bash_history", -1)
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) != 5 || lines[1] != ": one" || lines[3] != ": two" || lines[0][0] != '#' {
		t.Errorf("history %q, %v", text, err)
	}
	want(t, "writing it", vfs.ErrnoName(view.WriteFile(bg, "/.bash_history", nil, 0o644)), "EROFS")
	want(t, "removing it", vfs.ErrnoName(view.Unlink(bg, "/.bash_history")), "EBUSY")
	want(t, "writing a program", vfs.ErrnoName(view.WriteFile(bg, "/usr/bin/bash", nil, 0o644)), "EROFS")
}

// The rules for a command bind the files of its redirections.
func TestRedirectionsAreJudged(t *testing.T) {
	server := newServer(t)
	w := server.create(operator, "demo", `{"mounts": {"/": {"vfs": "ram"}}, "profiles": {"guarded": {"commands": {"deny": [
		{"commands": {"cat": ["/vault/*"], "echo": ["/vault/*"]}}, {"paths": ["/sealed/*"]}]}}}}`)
	run(t, session(t, w, ""), "mkdir /vault /sealed; echo text | tee /vault/k /sealed/k")
	s, err := w.NewSession(bg, workspace.SessionOptions{ID: "g", Profile: "guarded"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ line, stdout, stderr string }{
		{"cat < /vault/k", "", "/vault/k: Permission denied\n"},
		{"cat 0< /vault/k", "", "/vault/k: Permission denied\n"},
		{"F=/vault/k; cat < $F", "", "/vault/k: Permission denied\n"},
		{"cd /vault; cat < k", "", "k: Permission denied\n"},
		{"/bin/cat < /vault/k", "", "/vault/k: Permission denied\n"},
		{"echo x > /vault/k", "", "/vault/k: Permission denied\n"},
		{"echo x >> /vault/new", "", "/vault/new: Permission denied\n"},
		{"wc -c < /vault/k", "5\n", ""},
		{"wc -c < /sealed/k", "", "/sealed/k: Permission denied\n"},
		{"{ cat; } < /sealed/k", "", "/sealed/k: Permission denied\n"},
		{"exec 7< /sealed/k", "", "/sealed/k: Permission denied\n"},
		{"read x < /sealed/k", "", "/sealed/k: Permission denied\n"},
		{"> /sealed/k", "", "/sealed/k: Permission denied\n"},
		{"x=$(< /sealed/k)", "", "/sealed/k: Permission denied\n"},
	} {
		res, err := s.Run(bg, workspace.Line{Command: "cd /; " + tt.line})
		if err != nil || string(res.Stdout) != tt.stdout || string(res.Stderr) != tt.stderr || (res.ExitCode == 0) != (tt.stderr == "") {
			t.Errorf("%s: got %d, %q, %q (%v), want %q, %q", tt.line, res.ExitCode, res.Stdout, res.Stderr, err, tt.stdout, tt.stderr)
		}
	}
}
