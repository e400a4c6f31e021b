package main

import (
	"os"
	"path/filepath"
	"testing"
)

const policyConfig = `mounts:
  /: {vfs: disk, config: {root: /srv/nowhere}}
  /ro: {vfs: ram, mode: read}
profiles:
  agent:
    cwd: /work
    paths: {hide: [/secret]}
    commands:
      deny:
        - {reason: no deletes, commands: [rm, wget]}
        - {reason: sealed, paths: ["/keys/*"]}
      ask:
        - {reason: ask me, commands: [git push]}
        - rm
`

func TestPolicyLint(t *testing.T) {
	c := newCLI(t)
	const want = `profiles.agent.commands.deny[0]: hole: 'rm' is denied, but unlink, find, mv, truncate can do the same, and so do SFTP and HTTP; deny the paths, or make the mount read-only
profiles.agent.commands.deny[0]: hole: 'wget' is denied, but curl can do the same, and so do SFTP and HTTP; deny the paths, or make the mount read-only
profiles.agent.commands.ask[1]: dead: never matches: profiles.agent.commands.deny[0] speaks first
`
	if out, _ := c.want(1, policyConfig, "policy", "lint", "-"); out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	c.want(0, ramConfig, "policy", "lint", "-")
	c.want(2, "mounts: 1\n", "policy", "lint", "-")
}

func TestPolicyTest(t *testing.T) {
	c := newCLI(t)
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("workspace.yaml", policyConfig)
	good := write("good.yaml", `config: workspace.yaml
files: {/keys/k: secret, /secret/s: "", /d/f: x}
tests:
  - {profile: agent, line: rm x, outcome: deny, rule: no deletes, exit: 126}
  - {profile: agent, line: echo $(rm x), outcome: deny, rule: top}
  - {profile: agent, line: git push origin, outcome: ask, rule: ask me}
  - {profile: agent, line: git pull, outcome: allow}
  - {profile: agent, line: cat k, cwd: /keys, outcome: deny, rule: sealed}
  - {profile: agent, line: cat k, outcome: allow}
  - {profile: agent, call: read, path: /keys/k, outcome: deny, rule: sealed, error: EACCES}
  - {profile: agent, call: read, path: /secret/s, outcome: allow, error: ENOENT}
  - {profile: agent, call: mkdir, path: /ro/d, outcome: deny, error: EROFS}
  - {line: rm x, outcome: allow}
`)
	if out, _ := c.want(0, "", "policy", "test", good); out != "10 tests, 0 failed\n" {
		t.Errorf("got %q", out)
	}
	bad := write("bad.yaml", `config: workspace.yaml
tests:
  - {profile: agent, line: rm x, outcome: ask, rule: other}
  - {profile: agent, call: read, path: /secret, outcome: deny, error: EACCES}
  - {profile: agent, line: date, outcome: allow}
`)
	const want = `FAIL agent: rm x
     outcome deny, want ask; rule 'no deletes' (top), want 'other'
FAIL agent: read /secret
     outcome allow, want deny; error 'ENOENT', want 'EACCES'
3 tests, 2 failed
`
	if out, _ := c.want(1, "", "policy", "test", bad); out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	for _, text := range []string{
		"tests: []\n", "config: nosuch.yaml\n", "config: workspace.yaml\nmore: 1\n", "config: {mounts: 1}\n",
		"config: workspace.yaml\ntests: [{line: a, outcome: maybe}]\n", "config: workspace.yaml\ntests: [{outcome: allow}]\n",
		"config: workspace.yaml\ntests: [{line: a, what: b, outcome: allow}]\n", "config: workspace.yaml\ntests: [{profile: x, line: a, outcome: allow}]\n",
	} {
		c.want(2, "", "policy", "test", write("broken.yaml", text))
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "mirage-policy-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}
