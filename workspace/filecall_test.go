package workspace

import (
	"strings"
	"testing"

	"mirage/policy"
	"mirage/vfs"
)

// A grant for a command covers the files that the command uses, and nothing
// else: no redirection, no other command, no file that the shell writes.
func TestFilesOfGrantedCommands(t *testing.T) {
	const denied = ": Permission denied\n"
	for _, tt := range []struct{ line, want string }{
		{"cat k", "echo secret\n0"},
		{"cat k k", "echo secret\necho secret\n0"},
		{"cat link", "cat: link" + denied + "1"}, // no rule saw a reason to ask
		{"cat < k", "k" + denied + "1"},
		{"cat k > w", "w" + denied + "1"},
		{"cat k > k", "k" + denied + "1"},
		{"cat k; head link", "echo secret\nhead: cannot open 'link' for reading" + denied + "1"},
		{"source k", "secret\n0"},
		{"cp k x; cp link y", "cp: cannot open 'link' for reading" + denied + "1"},
		{"grep -r secret d", "grep: d/k" + denied + "d/f:echo secret\n2"},
	} {
		a := newAskTest(t)
		view := a.session("default").View()
		if err := view.Mkdir(t.Context(), "/d", 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"/k", "/w", "/d/f", "/d/k"} {
			if err := view.WriteFile(t.Context(), name, []byte("echo secret\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := view.Symlink(t.Context(), "k", "/link"); err != nil {
			t.Fatal(err)
		}
		// The rule asks about the commands that name such a file, and about
		// the file.
		a.rules.files = map[string][]string{"/k": {"R"}, "/w": {"R"}, "/d/k": {"R"}}
		a.rules.commands = map[string][]string{}
		named := func(c policy.Command) bool {
			for _, w := range c.Argv[1:] {
				if w == "k" || w == "w" {
					return true
				}
			}
			return false
		}
		a.rules.named = named
		for range 3 {
			got := a.run("default", tt.line)
			if got == tt.want {
				break
			}
			if list := a.pending(""); list == "" {
				t.Errorf("%s: got %q, want %q", tt.line, got, tt.want)
				break
			}
			for _, ask := range a.w.asks.list("", false) {
				a.steps("allow " + strings.Join(ask.Argv, " "))
			}
		}
	}
}

// Calls of file tools ask one question at a time; an answer is to one call.
func TestFileCalls(t *testing.T) {
	a := newAskTest(t)
	s := a.session("default")
	for _, name := range []string{"/k", "/l", "/free"} {
		if err := s.View().WriteFile(t.Context(), name, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a.rules.files = map[string][]string{"/k": {"R"}, "/l": {"R"}, "/m": {"R", "S"}}
	call := func(do func(v *vfs.View) error) string {
		c := newFileCall(a.rules, s)
		err := do(c.View())
		c.End()
		text := vfs.ErrnoName(err)
		if r := c.Refusal(); r != nil {
			text += " " + r.Kind + " " + r.Reason
			if (r.AskID != nil) != (r.Kind == "pending") {
				t.Errorf("%+v", r)
			}
		}
		return text
	}
	read := func(names ...string) string {
		return call(func(v *vfs.View) error {
			for _, name := range names {
				if _, err := v.ReadFile(t.Context(), name, -1); err != nil {
					return err
				}
			}
			return nil
		})
	}
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	const refused = "EACCES pending because of R"
	check("no rule", read("/free"), "")
	check("asked", read("/k"), refused)
	check("asked again", read("/k"), refused)
	check("pending", a.pending(""), "/k R")
	a.steps("allow /k")
	check("one call, twice the path", read("/k", "/k"), "")
	check("the next call", read("/k"), refused)
	a.steps("deny /k")
	check("denied", read("/k"), "EACCES deny because of R")
	check("asked anew", read("/k"), refused)
	a.steps("allow /k")
	check("the second path", read("/k", "/l"), refused)
	check("pending", a.pending(""), "/l R")
	a.steps("allow /l")
	check("both", read("/k", "/l"), "")
	check("two rules", call(func(v *vfs.View) error { return v.WriteFile(t.Context(), "/m", nil, 0o644) }), refused)
	a.steps("allow /m")
	check("two rules", call(func(v *vfs.View) error { return v.WriteFile(t.Context(), "/m", nil, 0o644) }), "EACCES pending because of S")
	a.steps("allow /m")
	check("two rules", call(func(v *vfs.View) error { return v.WriteFile(t.Context(), "/m", nil, 0o644) }), "")
	check("for the session", read("/l"), refused)
	a.steps("always /l")
	check("for the session", read("/l", "/k"), "")
	// Nobody is asked while a line runs.
	s.mu.Lock()
	s.running = &Job{}
	s.mu.Unlock()
	a.rules.files["/free"] = []string{"T"}
	check("a line runs", read("/free"), "EACCES")
	s.mu.Lock()
	s.running = nil
	s.mu.Unlock()
	// What was opened stays usable after the call.
	check("pending", read("/free"), "EACCES pending because of T")
	a.steps("allow /free")
	c := newFileCall(a.rules, s)
	f, err := c.View().Open(t.Context(), "/free", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	c.End()
	if n, err := f.ReadAt(make([]byte, 5), 0); n != 5 {
		t.Error(n, err)
	}
	f.Close()
}
