package policy

import (
	"testing"

	"mirage/vfs"
)

func tighten(t *testing.T, base *Profile, text string) (*Profile, error) {
	t.Helper()
	return Tighten(base, node(t, text))
}

func TestTighten(t *testing.T) {
	base := profile(t, `
cwd: /work
env: {A: base, B: base}
mounts: {/repo: write, /ro: read}
paths: {hide: [/vault, "*.env"], show: {/vault/open: read}}
vars: {hide: [TOKEN]}
commands:
  allow: [ls, cat, rm, cp]
  ask: [{commands: {rm: ["/build/*"]}}]
  deny: [{reason: sealed, paths: ["/keys/*"]}]
`)
	p, err := tighten(t, base, `
env: {B: own, C: own}
mounts: {/repo: read, /ro: write}
paths: {hide: [/more]}
vars: {hide: [KEY]}
commands:
  ask: [{paths: ["/keys/pub/*"]}, {reason: twice, commands: [rm]}]
  deny: [{reason: no copies, commands: [cp]}]
`)
	if err != nil {
		t.Fatal(err)
	}
	if p.Cwd != "/work" || p.Env["A"] != "base" || p.Env["B"] != "own" || p.Env["C"] != "own" || base.Env["B"] != "base" {
		t.Errorf("cwd %q, env %v", p.Cwd, p.Env)
	}
	for line, want := range map[string]Outcome{
		"ls /": Allow, "echo": Absent, "cat /keys/k": Deny, "cat /keys/pub/k": Deny, "rm /x": Ask, "rm /build/x": Ask, "cp a b": Deny,
	} {
		if a := p.Command(t.Context(), Command{Argv: fields(line), Cwd: "/"}); a.Outcome != want {
			t.Errorf("%s: got %+v, want %v", line, a, want)
		}
	}
	if a := p.Command(t.Context(), Command{Argv: fields("rm /build/x"), Cwd: "/"}); len(a.Asks) != 2 {
		t.Errorf("two layers ask: %+v", a)
	}
	for path, want := range map[string]bool{"/vault": false, "/vault/x": true, "/vault/open": false, "/more": true, "/a.env": true, "/a": false} {
		if got := p.Hidden(path); got != want {
			t.Errorf("Hidden(%s) = %v, want %v", path, got, want)
		}
	}
	for path, want := range map[string]vfs.Mode{"/repo": vfs.Read, "/ro": vfs.Read} {
		if got, _ := p.ModeAt(path+"/f", path); got != want {
			t.Errorf("ModeAt(%s) = %v, want %v", path, got, want)
		}
	}
	if !p.VarHidden("TOKEN") || !p.VarHidden("KEY") || p.VarHidden("A") || p.Visible("echo") || !p.Visible("ls") {
		t.Error("variables or commands")
	}
	if a := p.File(nil, "/keys/pub/k", Itself); a.Outcome != Deny {
		t.Errorf("file: %+v", a)
	}
	if p, err := tighten(t, nil, "{commands: {deny: [rm]}}"); err != nil || p.Command(t.Context(), Command{Argv: fields("rm x")}).Outcome != Deny {
		t.Errorf("over no profile: %v", err)
	}
}

func TestTightenRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{commands: {allow: [ls]}}":              "profiles.p: inline permissions may add ask and deny rules, not an allow list",
		"{commands: {allow: []}}":                "profiles.p: inline permissions may add ask and deny rules, not an allow list",
		"{paths: {show: [/a]}}":                  "profiles.p: inline permissions may add hides, not show what is hidden",
		"{policy: {script: a.star, runtime: x}}": "profiles.p: inline permissions may not carry a policy",
		"{what: 1}":                              "profiles.p: unknown key 'what'",
	} {
		if _, err := tighten(t, nil, text); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
