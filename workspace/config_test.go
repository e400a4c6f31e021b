package workspace_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mirage/workspace"
)

func TestConfigErrors(t *testing.T) {
	tests := []struct{ source, want string }{
		{"", "config source is empty"},
		{"[]", "config source must be a mapping, got list"},
		{"hello", "config source must be a mapping, got string"},
		{"null", "config source must be a mapping, got null"},
		{"{}", "mounts: required"},
		{"mounts: {}\n---\nmounts: {}\n", "config source must hold one document"},
		{"{mounts: {}, x: 1}", "unknown key 'x'"},
		{"{mounts: {}, 1: 2}", "key must be a string: 1"},
		{"{mounts: []}", "mounts: must be a mapping, got list"},
		{"{mounts: {/x: ram}}", "mounts./x: must be a mapping, got string"},
		{"{mounts: {/x: {}}}", "mounts./x: vfs: required"},
		{"{mounts: {/x: {vfs: ram, y: 1}}}", "mounts./x: unknown key 'y'"},
		{"{mounts: {/x: {vfs: ram, cache: {}}}}", "mounts./x: unknown key 'cache'"},
		{"{mounts: {/x: {vfs: rom}}}", "mounts./x.vfs: unknown vfs 'rom'"},
		{"{mounts: {/x: {vfs: s3}}}", "not supported yet: vfs s3"},
		{"{mounts: {/x: {vfs: ./my.py:Mine}}}", "not supported yet: vfs ./my.py:Mine"},
		{"{mounts: {/x: {vfs: ram, config: {a: 1}}}}", "mounts./x.config: ram: a: unknown key"},
		{"{mounts: {/x: {vfs: ram, mode: w}}}", "mounts./x.mode: unknown mode 'w'; expected read, write or exec"},
		{"{mounts: {/x: {vfs: ram, mode: 1}}}", "mounts./x.mode: must be a string, got number"},
		{"{mounts: {/x: {vfs: ram, ttl: 5}}}", "not supported yet: mounts./x.ttl"},
		{"{mounts: {/x: {vfs: ram, backend: fuse}}}", "not supported yet: mounts./x.backend"},
		{"{mounts: {/x: {vfs: ram}, x/: {vfs: ram}}}", "mounts: duplicate mount prefix: '/x/'"},
		{"{mounts: {/x/../y: {vfs: ram}}}", "mounts: bad mount prefix: '/x/../y'"},
		{"{mounts: {/dev: {vfs: ram}}}", "mounts: reserved mount prefix: '/dev/'"},
		{"{mounts: {/usr/bin/x: {vfs: ram}}}", "mounts: reserved mount prefix: '/usr/bin/x/'"},
		{"{mounts: {/x: {vfs: disk}}}", "mounts./x.config: disk: root: required"},
		{"{mounts: {/x: {vfs: disk, config: {root: 3}}}}", "mounts./x.config: disk: root must be a string, got number"},
		{"{mounts: {/x: {vfs: disk, config: {root: a/b}}}}", "mounts./x.config: disk: root: must be an absolute path: 'a/b'"},
		{"{mounts: {}, mode: rx}", "mode: unknown mode 'rx'; expected read, write or exec"},
		{"{mounts: {}, clis: {gh: {cli: gh}}}", "not supported yet: clis"},
		{"{mounts: {}, runtimes: [local]}", "not supported yet: runtimes"},
		{"{mounts: {}, route_policy: r.py}", "not supported yet: route_policy"},
		{"{mounts: {}, secrets: {a: {source: env}}}", "not supported yet: secrets"},
		{"{mounts: {}, store: {type: disk}}", "not supported yet: store"},
		{"{mounts: {}, read: fresh}", "not supported yet: read"},
		{"{mounts: {}, write: conditional}", "not supported yet: write"},
		{"{mounts: {}, command_limits: {cat: {max_lines: 1.5}}}", "command_limits.cat.max_lines: must be a whole number that is not negative"},
		{"{mounts: {}, command_limits: {cat: {timeout_seconds: '5'}}}", "command_limits.cat.timeout_seconds: must be a number that is not negative"},
		{"{mounts: {}, command_limits: {cat: {on_exceed: cut}}}", "command_limits.cat.on_exceed: must be truncate or error"},
		{"{mounts: {}, command_limits: {/bin/cat: {}}}", "command_limits: '/bin/cat' is not the name of a command"},
		{"{mounts: {}, command_limits: {exec: {}}}", "command_limits.exec: exec has no output and no end of its own"},
		{"{mounts: {/: {vfs: ram}}, profiles: {p: {budget: {lines_per_minute: x}}}}", "profiles.p.budget.lines_per_minute: must be a whole number that is not negative"},
		{"{mounts: {/: {vfs: ram}}, profiles: {p: {budget: {cpu: 1}}}}", "profiles.p.budget: unknown key 'cpu'"},
		{"{mounts: {/: {vfs: ram, command_limits: {cat: 5}}}}", "mounts./.command_limits.cat: must be a mapping, got number"},
		{"{mounts: {}, command_limits: {cat: {lines: 5}}}", "command_limits.cat: unknown key 'lines'"},
		{"{mounts: {}, command_limits: [cat]}", "command_limits: must be a mapping, got list"},
		{"{mounts: {}, env: {A: 1}}", "env.A: must be a string, got number"},
		{"{mounts: {}, env: {'A-B': x}}", "env: 'A-B' is not a variable name"},
		{"{mounts: {}, env: {A: {from: vault}}}", "not supported yet: env.A.from"},
		{"{mounts: {}, env: {A: {value: x, readonly: true}}}", "not supported yet: env.A.readonly"},
		{"{mounts: {}, env: {A: {}}}", "env.A: an env entry needs 'value' or 'from'"},
		{"{mounts: {}, workspace_id: a/b}", "workspace_id: invalid id: 'a/b'"},
		{"{mounts: {}, profile: x}", "profile: unknown profile 'x'"},
		{"{mounts: {}, profiles: {a: {b: 1}}}", "profiles.a: unknown key 'b'"},
		{"{mounts: {}, profiles: {a: {mounts: {/x: read}}}}", "profiles.a.mounts./x: no mount at '/x/'"},
		{"{mounts: {}, profiles: {a: {processes: {control: workspace}}}}", "not supported yet: profiles.a.processes.control"},
	}
	for _, test := range tests {
		_, err := workspace.ParseConfig([]byte(test.source))
		if err == nil || err.Error() != test.want || kind(err) != workspace.Invalid {
			t.Errorf("%s:\n got %v (%s)\nwant %s", test.source, err, kind(err), test.want)
		}
	}
}

func TestConfigAccepts(t *testing.T) {
	for _, source := range []string{
		`{"mounts": {}}`,
		"{\n\t\"mounts\": {\n\t\t\"/\": {\"vfs\": \"ram\"}\n\t}\n}\n",
		`{"mounts": {"/": {"vfs": "ram", "mode": "exec"}}, "command_limits": {"cat": {}, "grep": {}, "rg": null}}`,
		"mode: WRITE\nmounts:\n  /repo: {vfs: ram}\n  /ro/: {vfs: ram, mode: R, config: {}}\n",
		"mounts: {}\nread: bounded\nwrite: unconditional\nclis: {}\nruntimes: []\nsecrets: null\n",
		"mounts: {}\nenv: {A: x, B: {value: y, readonly: false, export: true}}\n",
		"mounts: {}\nprofiles: {default: {commands: {allow: [ls]}}, other: {}}\nprofile: other\n",
		"mounts: {}\ndefault_session_id: main\ndefault_agent_id: agent\nworkspace_id: demo\n",
	} {
		if _, err := workspace.ParseConfig([]byte(source)); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestConfigDigest(t *testing.T) {
	same := []string{
		`{"mounts": {"/": {"vfs": "ram", "mode": "exec"}}, "env": {"A": "1"}}`,
		`{"env": {"A": "1"}, "mounts": {"/": {"mode": "exec", "vfs": "ram"}}}`,
		"env: {A: '1'}\nmounts:\n  /:\n    vfs: ram\n    mode: exec\n",
	}
	first := config(t, same[0]).Digest()
	for _, source := range same[1:] {
		want(t, source, config(t, source).Digest(), first)
	}
	if config(t, ramConfig).Digest() == first {
		t.Error("another config has the same digest")
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(ramConfig))
	f.Add([]byte("mounts:\n  /x: {vfs: disk, config: {root: /a}}\nprofiles: {p: {commands: {deny: [rm]}}}\n"))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("{\"mounts\": {\"\\u0000\": {}}}"))
	f.Fuzz(func(t *testing.T, source []byte) {
		c, err := workspace.ParseConfig(source)
		if err != nil {
			if kind(err) != workspace.Invalid || strings.TrimSpace(err.Error()) == "" {
				t.Errorf("error %v of kind %s", err, kind(err))
			}
			return
		}
		// What is stored of it must read as the same configuration.
		again, err := workspace.ParseConfig(c.Canonical())
		if err != nil || again.Digest() != c.Digest() || !json.Valid(c.Canonical()) {
			t.Errorf("canonical form %s: %v", c.Canonical(), err)
		}
	})
}
