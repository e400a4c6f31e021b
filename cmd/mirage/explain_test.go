package main

import "testing"

func TestShellExplain(t *testing.T) {
	c := newCLI(t)
	const config = ramConfig + `profiles:
  default:
    commands:
      deny:
        - {reason: sealed, paths: ["/keys/*"]}
        - {reason: no deletes, commands: [rm]}
`
	c.want(0, config, "workspace", "create", "-", "--id", "demo")
	for _, tt := range []struct{ line, want string }{
		{"cat /keys/k && date", `cat /keys/k && date  [deny, exit 1: sealed]
  list: cat /keys/k && date
    cat /keys/k  [deny, exit 1: sealed]  top
    date  [allow]
`},
		{"echo $(rm x)\ndate", `echo $(rm x)\ndate  [deny, exit 126: no deletes]
  echo $(rm x)  [allow]
    substitution: $(rm x)
      rm x  [deny, exit 126: no deletes]  top
  date  [allow]
`},
		{"echo )", "echo )  [allow, exit 2]\n  mirage: syntax error near ')'\n"},
		{"", "  [allow, exit 0]\n"},
	} {
		if out, _ := c.want(0, "", "shell", "-w", "demo", "--explain", "-c", tt.line); out != tt.want {
			t.Errorf("%q: got\n%s\nwant\n%s", tt.line, out, tt.want)
		}
	}
	c.want(2, "", "shell", "-w", "demo", "--explain", "--cwd", "/", "-c", "true")
}

func TestCallExplain(t *testing.T) {
	c := newCLI(t)
	c.want(0, ramConfig+"profiles:\n  default:\n    commands:\n      deny:\n        - {reason: sealed, paths: [/keys]}\n", "workspace", "create", "-", "--id", "demo")
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"read /keys  [deny, EACCES: sealed]  top\n", []string{"read", "/keys"}},
		{"read /nosuch  [allow, ENOENT]\n", []string{"read", "/nosuch"}},
		{"rename /a /keys/b  [allow, ENOENT]\n", []string{"rename", "/a", "/keys/b"}},
		{"mkdir /d  [allow]\n", []string{"mkdir", "/d"}},
	} {
		if out, _ := c.want(0, "", append(append([]string{"vfs"}, tt.args...), "-w", "demo", "--explain")...); out != tt.want {
			t.Errorf("%q: got %q, want %q", tt.args, out, tt.want)
		}
	}
}

func TestSessionRules(t *testing.T) {
	c := newCLI(t)
	c.want(0, "mounts:\n  /:\n    vfs: ram\n  /a:\n    vfs: ram\nprofiles:\n  strict:\n    commands:\n      deny: [rm]\n", "workspace", "create", "-", "--id", "demo")
	c.want(0, "", "session", "create", "demo", "--id", "s")
	c.want(0, "", "session", "update", "demo", "s", "--profile", "strict")
	c.want(126, "", "shell", "-w", "demo", "-s", "s", "-c", "rm -f /x")
	c.want(0, "", "session", "update", "demo", "s", "--default-profile")
	c.want(0, "", "shell", "-w", "demo", "-s", "s", "-c", "rm -f /x")
	c.want(2, "", "session", "update", "demo", "s")
	c.want(2, "", "session", "update", "demo", "s", "--profile", "nosuch")
	c.want(0, "", "session", "create", "demo", "--id", "only", "-m", "/a")
	if _, err := c.want(1, "", "shell", "-w", "demo", "-s", "only", "-c", "cat /f"); err != "mirage: session 'only' not allowed to access mount '/'\n" {
		t.Errorf("only: %q", err)
	}
	c.want(2, "", "session", "create", "demo", "-m", "/a", "-m", "/:read")
	c.want(0, "commands:\n  deny: [rm]\n", "session", "create", "demo", "--id", "inline", "--permissions", "-")
	c.want(126, "", "shell", "-w", "demo", "-s", "inline", "-c", "rm -f /x")
}
