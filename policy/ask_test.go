package policy

import (
	"slices"
	"testing"

	"mirage/vfs"
)

const desk = `
commands:
  deny:
    - {reason: cache is shared, commands: {rm: ["/build/cache/*"]}}
    - {reason: sealed, paths: ["/keys/*"]}
    - shutdown
  ask:
    - {reason: ask ops, commands: {rm: ["/build/*"]}}
    - {reason: release desk, paths: ["/keys/pub/*"]}
    - {reason: looks odd, commands: [dd, "git push"]}
    - {reason: cleaning, commands: [shutdown]}
mounts:
  /runbook:
    commands:
      ask:
        - {reason: tell the owner, commands: [tee]}
`

func TestAsk(t *testing.T) {
	p := profile(t, desk)
	for _, tt := range []struct {
		cwd, line string
		want      Outcome
		reasons   []string // of the answer, or of all questions
	}{
		{"/", "rm /build/tmp", Ask, []string{"ask ops"}},
		{"/", "rm /build/cache/a", Deny, []string{"cache is shared"}},
		{"/", "rm -r /build", Deny, []string{"cache is shared"}},
		{"/", "cat /keys/k", Deny, []string{"sealed"}},
		{"/", "ls /keys", Allow, nil},
		{"/", "stat /keys/k", Allow, nil},
		{"/", "cat /keys/pub/p", Ask, []string{"release desk"}},
		{"/", "cp /keys/k /keys/pub/o", Deny, []string{"sealed"}},
		{"/", "rm /build/x /keys/pub/p", Ask, []string{"release desk", "ask ops"}},
		{"/", "rm /build/x /build/y", Ask, []string{"ask ops"}},
		{"/build", "rm x", Ask, []string{"ask ops"}},
		{"/", "dd if=/a", Ask, []string{"looks odd"}},
		{"/", "git push origin", Ask, []string{"looks odd"}},
		{"/", "git pull", Allow, nil},
		{"/", "shutdown now", Deny, []string{DefaultReason}}, // deny before ask
		{"/", "tee /tmp/x", Allow, nil},
		{"/runbook", "tee /tmp/x", Ask, []string{"tell the owner"}},
		{"/", "tee /runbook/x", Ask, []string{"tell the owner"}},
	} {
		a := p.Command(t.Context(), Command{Argv: fields(tt.line), Cwd: tt.cwd})
		var reasons []string
		for _, q := range a.Asks {
			if q.Rule == "" || q.Policy != rulesPolicy {
				t.Errorf("%s: question %+v", tt.line, q)
			}
			reasons = append(reasons, q.Reason)
		}
		if a.Outcome == Deny {
			reasons = []string{a.Reason}
		}
		if a.Outcome != tt.want || !slices.Equal(reasons, tt.reasons) {
			t.Errorf("%s in %s: got %+v, want %v %q", tt.line, tt.cwd, a, tt.want, tt.reasons)
		}
	}
	for path, want := range map[string]Outcome{"/keys/k": Deny, "/keys/pub/p": Ask, "/keys": Allow, "/build/cache/a": Allow} {
		if a := p.File(nil, path, Itself); a.Outcome != want || (want == Ask) != (len(a.Asks) == 1) {
			t.Errorf("%s: got %+v, want %v", path, a, want)
		}
	}
	if a := p.File(&Command{Argv: fields("rm x")}, "/build/x", Itself); a.Outcome != Ask || a.Reason != "ask ops" {
		t.Errorf("rm reaching /build/x: %+v", a)
	}
	if a := profile(t, "commands: {ask: [rm]}").Command(t.Context(), Command{Argv: fields("rm x")}); a.Reason != DefaultAskReason {
		t.Errorf("no reason: got %+v, want %q", a, DefaultAskReason)
	}
}

// The id of a question is that of the text of its rule, wherever it stands.
func TestRuleIdentity(t *testing.T) {
	ids := map[string]string{}
	for _, text := range []string{
		"{commands: {ask: [rm]}}", "{commands: {ask: [rm, mv]}}", "{commands: {ask: [mv, rm]}}", "{commands: {ask: [{reason: other, commands: [rm]}]}}",
		"{commands: {ask: [{commands: {rm: [/a]}}]}}", "{commands: {ask: [{commands: {rm: [/b]}}]}}", "{commands: {ask: [{commands: {rm: [/a, /b]}}]}}",
	} {
		a := profile(t, text).Command(t.Context(), Command{Argv: fields("rm /a /b")})
		ids[text] = a.Asks[0].Rule
	}
	if ids["{commands: {ask: [rm]}}"] != ids["{commands: {ask: [mv, rm]}}"] {
		t.Error("the place of a rule changes its id")
	}
	seen := map[string]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d ids, want 5: %v", len(seen), ids)
	}
}

func TestShow(t *testing.T) {
	p := profile(t, `
mounts:
  /vault: {mode: read}
  /lab: {paths: {hide: ["*.raw"], show: [/lab/open]}}
paths:
  hide: [/vault, "*.env", /deep/a/b/c]
  show:
    /vault/policies: read
    /vault/drop: write
    /vault/x*: read
    /vault/pub/*.md: read
    /env: write
    /deep/a: read
`)
	for path, hidden := range map[string]bool{
		"/vault": false, "/vault/secret": true, "/vault/policies": false, "/vault/policies/p": false, "/vault/policies.old": true,
		"/vault/xy":  true, // a tie: the hide wins
		"/vault/pub": false, "/vault/pub/a.md": false, "/vault/pub/d/a.md": false, "/vault/pub/a.txt": true,
		"/a.env": true, "/env": false, "/env/b.env": false, "/c/b.env": true, "/env/b.env/x": false,
		"/deep/a": false, "/deep/a/b": false, "/deep/a/b/c": true, "/deep/a/b/c/d": true,
		"/lab/x.raw": true, "/lab/open/x.raw": false, "/lab/open": false, "/x.raw": false,
	} {
		if got := p.Hidden(path); got != hidden {
			t.Errorf("Hidden(%s) = %v, want %v", path, got, hidden)
		}
	}
	for _, tt := range []struct {
		path, mount string
		mode        vfs.Mode
		ok          bool
	}{
		{"/vault/secret", "/vault", vfs.Read, true},
		{"/vault/drop/f", "/vault", vfs.Write, true},
		{"/vault/policies/f", "/vault", vfs.Read, true},
		{"/env/f", "/", vfs.Write, true},
		{"/other", "/", 0, false},
		{"/lab/open/f", "/lab", 0, false},
	} {
		if mode, ok := p.ModeAt(tt.path, tt.mount); mode != tt.mode || ok != tt.ok {
			t.Errorf("ModeAt(%s) = %v, %v, want %v, %v", tt.path, mode, ok, tt.mode, tt.ok)
		}
	}
	if mode, _ := profile(t, "{mounts: {/a: write}, paths: {show: {/a: read}}}").ModeAt("/a/f", "/a"); mode != vfs.Read {
		t.Errorf("equal depth: got %v, want the weaker one", mode)
	}
}

// A directory on the way to what a rule names by wildcards may not be moved
// from there, since the rule would not reach it any more.
func TestMovedFromUnderAPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern, dir string
		want         Outcome
	}{
		{"/build/c*/*", "/build/cache", Deny}, {"/build/c*/*", "/build", Deny}, {"/build/c*/*", "/build/tmp", Allow}, {"/build/c*/*", "/other", Allow},
		{"/*/raw/*", "/data/raw", Deny}, {"/*/raw/*", "/data", Deny}, {"/*/raw/*", "/data/cooked", Allow},
		{"/build/c*", "/build/cache", Deny}, {"/build/c*", "/build", Deny}, {"*.csv", "/data", Allow},
	} {
		p := profile(t, "{commands: {deny: [{paths: ['"+tt.pattern+"']}]}}")
		if a := p.File(nil, tt.dir, Moved); a.Outcome != tt.want {
			t.Errorf("deny %s, moving %s: got %v, want %v", tt.pattern, tt.dir, a.Outcome, tt.want)
		}
	}
}

func TestVarsHide(t *testing.T) {
	p := profile(t, "vars: {hide: [TOKEN, 'AWS_*']}")
	for name, want := range map[string]bool{"TOKEN": true, "TOKENS": false, "AWS_KEY": true, "PATH": false} {
		if got := p.VarHidden(name); got != want {
			t.Errorf("VarHidden(%s) = %v, want %v", name, got, want)
		}
	}
	if (*Profile)(nil).VarHidden("TOKEN") {
		t.Error("no profile hides a variable")
	}
}
