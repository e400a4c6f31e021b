package policy

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"mirage/internal/doc"
)

func node(t *testing.T, text string) doc.Node {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return doc.Node{Path: "profiles.p", Value: value}
}

func parse(t *testing.T, text string) (*Profile, error) {
	t.Helper()
	return ParseProfile("p", node(t, text))
}

func profile(t *testing.T, text string) *Profile {
	t.Helper()
	p, err := parse(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProfileErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"[]", "profiles.p: must be a mapping, got list"},
		{"{x: 1}", "profiles.p: unknown key 'x'"},
		{"{cwd: data}", "profiles.p.cwd: must be an absolute path: 'data'"},
		{"{cwd: 3}", "profiles.p.cwd: must be a string, got number"},
		{"{env: {A B: x}}", "profiles.p.env: 'A B' is not a variable name"},
		{"{env: {A: 1}}", "profiles.p.env.A: must be a string, got number"},
		{"{mounts: [/x]}", "profiles.p.mounts: mounts must be a mapping of prefix to its settings"},
		{"{mounts: {/x: w}}", "profiles.p.mounts./x: unknown mode 'w'; expected read, write or exec"},
		{"{mounts: {/x: r, x/: rw}}", "profiles.p.mounts: duplicate mount prefix: '/x/'"},
		{"{mounts: {/x/../y: r}}", "profiles.p.mounts: bad mount prefix: '/x/../y'"},
		{"{mounts: {/x: {modes: r}}}", "profiles.p.mounts./x: unknown key 'modes'"},
		{"{mounts: {/x: {commands: {allow: [ls]}}}}", "profiles.p.mounts./x.commands: unknown key 'allow'"},
		{"{mounts: {/b: {commands: {deny: [{paths: [/a]}]}}}}",
			"profiles.p.mounts./b.commands.deny[0].paths[0]: is outside the mount it is written under: '/a' is not below '/b'"},
		{"{mounts: {/b: {paths: {hide: [/a/*]}}}}",
			"profiles.p.mounts./b.paths.hide[0]: is outside the mount it is written under: '/a/*' is not below '/b'"},
		{"{commands: {deny: [{commands: [ls], x: 1}]}}", "profiles.p.commands.deny[0]: rule has unknown field(s): x"},
		{"{commands: {deny: [{reason: r}]}}", "profiles.p.commands.deny[0]: names no command and no path"},
		{"{commands: {deny: [{paths: []}]}}", "profiles.p.commands.deny[0]: names no command and no path"},
		{"{commands: {deny: [{commands: [rm], paths: [/a]}]}}",
			"profiles.p.commands.deny[0]: lists commands beside paths; map each command to its paths instead"},
		{"{commands: {deny: [{commands: {rm: [/a]}, paths: [/a]}]}}",
			"profiles.p.commands.deny[0]: maps each command to its paths, so it takes no paths of its own"},
		{"{commands: {deny: [{commands: {rm: []}}]}}", "profiles.p.commands.deny[0].commands[rm]: must list at least one path"},
		{"{commands: {deny: [{commands: {rm: /a}}]}}", "profiles.p.commands.deny[0].commands[rm]: must be a list of strings"},
		{"{commands: {deny: ['  ']}}", "profiles.p.commands.deny[0]: must name a command"},
		{"{commands: {deny: [{paths: ['']}]}}", "profiles.p.commands.deny[0].paths[0]: must name a path"},
		{"{commands: {deny: [{paths: [x/y]}]}}",
			"profiles.p.commands.deny[0].paths[0]: must be an absolute path or a name pattern: 'x/y' is relative"},
		{"{commands: {allow: ls}}", "profiles.p.commands.allow: must be a list of strings"},
		{"{commands: {allow: [1]}}", "profiles.p.commands.allow: must be a list of strings"},
		{"{commands: {allow: ['']}}", "profiles.p.commands.allow[0]: must name a command"},
		{"{paths: {hide: [{patterns: []}]}}", "profiles.p.paths.hide[0].reason: must be a string, got null"},
		{"{paths: {hide: [{patterns: [], reason: r}]}}", "profiles.p.paths.hide[0]: paths.hide group must list at least one pattern"},
		{"{paths: {hide: [{patterns: [/a], reason: ' '}]}}", "profiles.p.paths.hide[0]: paths.hide group must give a reason"},
		{"{commands: {ask: [1]}}", "profiles.p.commands.ask[0]: must be a command or a rule, got number"},
		{"{commands: {ask: [{reason: r}]}}", "profiles.p.commands.ask[0]: names no command and no path"},
		{"{mounts: {/x: {commands: {allow: [rm]}}}}", "profiles.p.mounts./x.commands: unknown key 'allow'"},
		{"{paths: {show: ['*.x']}}", "profiles.p.paths.show[0]: paths.show entries anchor to a place, so each is absolute: '*.x' is not"},
		{"{paths: {show: {x: read}}}", "profiles.p.paths.show.x: paths.show entries anchor to a place, so each is absolute: 'x' is not"},
		{"{paths: {show: {/a: w}}}", "profiles.p.paths.show./a: unknown mode 'w'; expected read, write or exec"},
		{"{mounts: {/x: {paths: {show: [/y]}}}}", "profiles.p.mounts./x.paths.show[0]: is outside the mount it is written under: '/y' is not below '/x'"},
		{"{vars: {hide: [1]}}", "profiles.p.vars.hide: must be a list of strings"},
		{"{vars: {hide: ['']}}", "profiles.p.vars.hide[0]: must name a variable"},
		{"{vars: {show: [A]}}", "profiles.p.vars: unknown key 'show'"},
		{"{policy: {script: a.py, runtime: monty}}", "profiles.p.policy.script: must be an absolute path: 'a.py'"},
		{"{policy: {script: /a.py}}", "profiles.p.policy: needs script and runtime: 'runtime' is missing"},
		{"{policy: {runtime: monty}}", "profiles.p.policy: needs script and runtime: 'script' is missing"},
		{"{policy: {script: /a.py, runtime: monty, x: 1}}", "profiles.p.policy: unknown key 'x'"},
		{"{processes: {control: workspace}}", "not supported yet: profiles.p.processes.control"},
		{"{processes: {control: all}}", "profiles.p.processes.control: unknown control 'all'; expected none or session"},
		{"{processes: {spawn: 1}}", "profiles.p.processes.spawn: must be true or false"},
		{"{processes: {max: -1}}", "profiles.p.processes.max: must be a whole number that is not negative"},
		{"{processes: {min: 1}}", "profiles.p.processes: unknown key 'min'"},
		{"{command_limits: {cat: {max_lines: -1}}}", "profiles.p.command_limits.cat.max_lines: must be a whole number that is not negative"},
	}
	for _, test := range tests {
		_, err := parse(t, test.text)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\n got %v\nwant %s", test.text, err, test.want)
		}
	}
}

const guarded = `
commands:
  deny:
    - {reason: cache is shared, commands: {rm: ["/build/cache/*"]}}
    - {reason: sealed, paths: ["/keys/*"]}
    - {reason: no pushes, commands: [git push, svn]}
    - wget
mounts:
  /runbook:
    mode: read
    commands:
      deny:
        - {reason: frozen, commands: {rm: ["/runbook/frozen/*"]}}
        - {reason: not here, commands: [mv]}
`

func TestDeny(t *testing.T) {
	p := profile(t, guarded)
	tests := []struct {
		cwd, line       string
		reason, operand string // "" = allowed
		source          string
	}{
		{"/", "rm /build/tmp", "", "", ""},
		{"/", "rm /build/cache/a", "cache is shared", "/build/cache/a", "top"},
		{"/build/cache", "rm a", "cache is shared", "a", "top"},
		{"/build/cache", "rm ../cache/a", "cache is shared", "../cache/a", "top"},
		{"/", "rm -r /build", "cache is shared", "/build", "top"},
		{"/", "rm -r build", "cache is shared", "build", "top"},
		{"/", "rm -r /", "frozen", "/", "mounts./runbook"},
		{"/", "cat /build/cache/a", "", "", ""},
		{"/", "cat /keys/k", "sealed", "/keys/k", "top"},
		{"/", "ls /keys", "", "", ""},
		{"/", "stat /keys/k", "", "", ""},
		{"/", "echo /keys/k", "", "", ""},
		{"/", "cp /keys/k /tmp/o", "sealed", "/keys/k", "top"},
		{"/", "cp /tmp/o /keys/k", "sealed", "/keys/k", "top"},
		{"/", "mv /tmp/o /keys", "sealed", "/keys", "top"},
		{"/", "mv /keys /tmp/o", "sealed", "/keys", "top"},
		{"/", "grep /keys/x /tmp/f", "", "", ""},
		{"/", "grep x /keys/k", "sealed", "/keys/k", "top"},
		{"/", "grep -e x /keys/k", "sealed", "/keys/k", "top"},
		{"/", "sed -n p /keys/k", "sealed", "/keys/k", "top"},
		{"/", "sort --output=/keys/o /tmp/f", "sealed", "/keys/o", "top"},
		{"/", "git push origin", "no pushes", "", "top"},
		{"/", "git pull", "", "", ""},
		{"/", "svn info", "no pushes", "", "top"},
		{"/", "wget x", DefaultReason, "", "top"},
		{"/", "/usr/bin/wget x", DefaultReason, "", "top"},
		{"/usr", "bin/wget x", DefaultReason, "", "top"},
		{"/", "/bin/wget x", DefaultReason, "", "top"},
		{"/", "rm /runbook/frozen/a", "frozen", "/runbook/frozen/a", "mounts./runbook"},
		{"/", "mv /tmp/a /tmp/b", "", "", ""},
		{"/runbook", "mv /tmp/a /tmp/b", "not here", "", "mounts./runbook"},
		{"/", "mv /runbook/a /tmp/b", "not here", "", "mounts./runbook"},
	}
	for _, test := range tests {
		a := p.Command(t.Context(), Command{Argv: fields(test.line), Cwd: test.cwd})
		if (a.Outcome == Deny) != (test.reason != "") || a.Reason != test.reason || a.Operand != test.operand || a.Source != test.source {
			t.Errorf("%s in %s: got %+v, want reason %q, operand %q, source %q",
				test.line, test.cwd, a, test.reason, test.operand, test.source)
		}
		if a.Outcome == Deny && (a.Policy != "PermissionsPolicy" || (a.Scope == ScopeOperand) != (test.operand != "")) {
			t.Errorf("%s: policy %q, scope %q", test.line, a.Policy, a.Scope)
		}
	}
}

func TestAllow(t *testing.T) {
	p := profile(t, "commands: {allow: [ls, cat, svn log], deny: [{commands: {cat: [/x]}}]}")
	tests := []struct {
		c      Command
		want   Outcome
		reason string
	}{
		{Command{Argv: fields("ls -l")}, Allow, ""},
		{Command{Argv: fields("echo hi"), Kind: KindBuiltin}, Absent, ""},
		{Command{Argv: fields("svn info")}, Deny, "svn is not allowed"},
		{Command{Argv: fields("svn log -v")}, Allow, ""},
		{Command{Argv: fields("svn $x"), Unknown: []bool{false, true}}, Allow, ""},
		{Command{Argv: fields("$x ls"), Unknown: []bool{true, false}}, Allow, ""},
		{Command{Argv: fields("myfunc a"), Kind: KindFunction}, Allow, ""},
		{Command{Argv: fields("/x/script.sh"), Kind: KindPath}, Allow, ""},
		{Command{Argv: fields("/usr/bin/rm -r x"), Kind: KindPath}, Absent, ""},
		{Command{Argv: fields("/usr/bin/ls")}, Allow, ""},
		{Command{Argv: fields("cat /x")}, Deny, DefaultReason},
	}
	for _, test := range tests {
		if a := p.Command(t.Context(), test.c); a.Outcome != test.want || a.Reason != test.reason {
			t.Errorf("%q: got %+v, want %v %q", test.c.Argv, a, test.want, test.reason)
		}
	}
	for word, want := range map[string]bool{"ls": true, "svn": true, "rm": false} {
		if got := p.Visible(word); got != want {
			t.Errorf("Visible(%s) = %v, want %v", word, got, want)
		}
	}
	if a := profile(t, "commands: {allow: []}").Command(t.Context(), Command{Argv: []string{"ls"}}); a.Outcome != Absent {
		t.Errorf("empty allow list: got %+v", a)
	}
	if a := (*Profile)(nil).Command(t.Context(), Command{Argv: []string{"ls"}}); a.Outcome != Allow {
		t.Errorf("no profile: got %+v", a)
	}
}

func TestUnknownWords(t *testing.T) {
	p := profile(t, guarded)
	tests := []struct {
		argv    []string
		unknown []bool
		cwd     string
		want    Outcome
	}{
		{[]string{"cat", ""}, []bool{false, true}, "/", Allow},
		{[]string{"cat", "", "/keys/k"}, []bool{false, true, false}, "/", Deny},
		{[]string{"git", ""}, []bool{false, true}, "/", Allow},
		{[]string{"svn", ""}, []bool{false, true}, "/", Deny},
		{[]string{"cat", "k"}, nil, "", Allow},      // relative to who knows what
		{[]string{"cat", "/keys/k"}, nil, "", Deny}, // absolute all the same
		{[]string{"grep", "", "/keys/k"}, []bool{false, true, false}, "/", Deny},
	}
	for _, test := range tests {
		a := p.Command(t.Context(), Command{Argv: test.argv, Unknown: test.unknown, Cwd: test.cwd})
		if a.Outcome != test.want {
			t.Errorf("%q in %q: got %+v, want %v", test.argv, test.cwd, a, test.want)
		}
	}
}

func TestFileRules(t *testing.T) {
	p := profile(t, guarded)
	rm := &Command{Argv: fields("rm -r x")}
	cat := &Command{Argv: fields("cat x")}
	tests := []struct {
		c    *Command
		path string
		tree Extent
		want Outcome
	}{
		{nil, "/keys/k", Itself, Deny},
		{nil, "/keys", Itself, Allow},
		{nil, "/keys", Below, Deny},
		{nil, "/build/cache/a", Itself, Allow},
		{rm, "/build/cache/a", Itself, Deny},
		{rm, "/build", Below, Deny},
		{rm, "/build", Itself, Allow},
		{cat, "/build/cache/a", Itself, Allow},
		{cat, "/keys/a/b", Itself, Deny},
	}
	for _, test := range tests {
		if a := p.File(test.c, test.path, test.tree); a.Outcome != test.want {
			t.Errorf("%v %s tree=%v: got %+v, want %v", test.c, test.path, test.tree, a, test.want)
		}
	}
}

func TestHidden(t *testing.T) {
	p := profile(t, `
paths:
  hide:
    - /vault
    - patterns: ["*.env", "/lab/raw/*"]
      reason: not theirs
mounts:
  /repo: {paths: {hide: ["*.key"]}}
`)
	for path, want := range map[string]bool{
		"/vault": true, "/vault/x": true, "/vaults": false, "/": false, "/a/b.env": true, "/a/b.env/c": true,
		"/lab/raw": false, "/lab/raw/x": true, "/repo/d/a.key": true, "/d/a.key": false,
	} {
		if got := p.Hidden(path); got != want {
			t.Errorf("Hidden(%s) = %v, want %v", path, got, want)
		}
	}
}

func TestReveals(t *testing.T) {
	tests := []struct {
		hide, from, to string
		want           bool
	}{
		{"*.env", "/a", "/b", false},
		{"/a/secret", "/a", "/b", true},
		{"/a/secret", "/x", "/b", false},
		{"/a/raw/*", "/a", "/b", true},
		{"/a/raw/*", "/x", "/b", false},
		{"/*/raw", "/a", "/b", true},
	}
	for _, test := range tests {
		p := profile(t, "paths: {hide: ['"+test.hide+"']}")
		if got := p.Reveals(test.from, test.to); got != test.want {
			t.Errorf("hide %s, %s to %s: got %v, want %v", test.hide, test.from, test.to, got, test.want)
		}
	}
	p := profile(t, "paths: {hide: [/a/secret, /b/secret]}")
	if p.Reveals("/a", "/b") {
		t.Error("a place that is hidden too reveals nothing")
	}
}

func fields(line string) []string { return strings.Fields(line) }
