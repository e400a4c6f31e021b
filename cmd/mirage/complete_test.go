package main

import (
	"strings"
	"testing"
)

func TestCompletion(t *testing.T) {
	c := newCLI(t)
	c.want(0, ramConfig, "workspace", "create", "-", "--id", "demo")
	c.want(0, ramConfig, "workspace", "create", "-", "--id", "other")
	const files, nothing = ":0\n", ":4\n"
	for _, tc := range []struct{ line, want string }{
		{"workspace get", "demo\nother\n:4\n"},
		{"workspace get demo", nothing},
		{"session delete demo", nothing},
		{"shell -w", "demo\nother\n:4\n"},
		{"vfs read / -w", "demo\nother\n:4\n"},
		{"audit tail --workspace", "demo\nother\n:4\n"},
		{"vfs read -w demo", nothing},
		{"serve", nothing},
		{"keys add", files},
		{"workspace create", files},
		{"policy test", files},
		{"config set port", nothing},
	} {
		out, _ := c.want(0, "", append(append([]string{"__complete"}, strings.Fields(tc.line)...), "")...)
		if out != tc.want {
			t.Errorf("%s: %q, want %q", tc.line, out, tc.want)
		}
	}
	if out, _ := c.want(0, "", "__complete", "config", "get", ""); !strings.Contains(out, "\nssh_port\tSSH port") || strings.Contains(out, "jwt") {
		t.Errorf("settings: %q", out)
	}
	// A server that is not there takes no time and gives no answer.
	c.vars["MIRAGE_URL"] = "http://127.0.0.1:1"
	if out, _ := c.want(0, "", "__complete", "workspace", "get", ""); out != nothing {
		t.Errorf("without a server: %q", out)
	}
}
