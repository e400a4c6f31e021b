package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// environ answers a getenv over a home folder that holds a config.toml.
func environ(t *testing.T, config string, vars map[string]string) func(string) string {
	t.Helper()
	home := t.TempDir()
	if config != "" {
		if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) string {
		if name == "MIRAGE_HOME" {
			return home
		}
		return vars[name]
	}
}

func TestLoadPrecedence(t *testing.T) {
	s, err := Load(environ(t, "[daemon]\nport = 1\nssh_host = \"::1\"\n", map[string]string{"MIRAGE_PORT": " 2 ", "MIRAGE_SSH_HOST": ""}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, origin string }{
		{"port", "2", "env MIRAGE_PORT"}, {"ssh_host", "::1", "file"}, {"auth_mode", "local", "default"}, {"ssh_port", "", "default"},
	} {
		if v := s.Get(c.name); v.Text != c.text || v.Origin != c.origin {
			t.Errorf("%s: %q from %q, want %q from %q", c.name, v.Text, v.Origin, c.text, c.origin)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct {
		config string
		vars   map[string]string
		want   string
	}{
		{"[daemon]\nb = 1\na = 1\n", nil, "config.toml: the following [daemon] keys don't match any configuration option: a, b"},
		{"[daemon]\nport = \"1\"\nurl = 1\n", nil, "config.toml: the following [daemon] keys have the wrong type: port, url"},
		{"[daemon]\nport = true\n", nil, "wrong type: port"},
		{"[daemon\n", nil, "malformed "},
		{"[daemon]\nsocket = \"/x\"\n", nil, "not supported yet: socket (set by file)"},
		{"", map[string]string{"MIRAGE_JWT_ALG": "RS256"}, "not supported yet: jwt_alg (set by env MIRAGE_JWT_ALG)"},
		{"", map[string]string{"MIRAGE_PORT": "x"}, "port must be a number, got 'x' (set by env MIRAGE_PORT)"},
	} {
		_, err := Load(environ(t, c.config, c.vars))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %v: %v, want %q", c.config, c.vars, err, c.want)
		} else if strings.Count(strings.TrimSpace(err.Error()), "\n") > 0 {
			t.Errorf("%q: more than one line: %v", c.config, err)
		}
	}
}

func TestPort(t *testing.T) {
	for text, want := range map[string]int{"": -1, "0": 0, "65535": 65535, "65536": -2, "-1": -2} {
		s, err := Load(environ(t, "", map[string]string{"MIRAGE_SSH_PORT": text}))
		if err != nil {
			t.Fatal(err)
		}
		port, set, err := s.Port("ssh_port", 0)
		switch {
		case err != nil:
			port = -2
		case !set:
			port = -1
		}
		if port != want {
			t.Errorf("%q: %d %v, want %d", text, port, err, want)
		}
	}
}

func TestEditKeepsTheRest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sub", "config.toml")
	step := func(err error, want string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	step(Set(file, "port", "1"), "[daemon]\nport = 1\n")
	step(os.WriteFile(file, []byte("# mine\n[daemon] # here\nport = 1 # old\n\n[other]\nport = 9\n"), 0o600), "# mine\n[daemon] # here\nport = 1 # old\n\n[other]\nport = 9\n")
	step(Set(file, "port", "2"), "# mine\n[daemon] # here\nport = 2\n\n[other]\nport = 9\n")
	step(Set(file, "url", `a"b`), "# mine\n[daemon] # here\nport = 2\nurl = \"a\\\"b\"\n\n[other]\nport = 9\n")
	step(Unset(file, "port"), "# mine\n[daemon] # here\nurl = \"a\\\"b\"\n\n[other]\nport = 9\n")
	step(Unset(file, "nosuch"), "# mine\n[daemon] # here\nurl = \"a\\\"b\"\n\n[other]\nport = 9\n")
	if err := Set(file, "nosuch", "1"); err == nil || !strings.HasPrefix(err.Error(), "unknown config key: 'nosuch'; allowed: url ") {
		t.Errorf("unknown key: %v", err)
	}
	if err := Set(file, "port", "x"); err == nil {
		t.Error("port took a word")
	}
	// What cannot be edited line by line is left as it was.
	whole := "daemon = {port = 1}\n"
	step(os.WriteFile(file, []byte(whole), 0o600), whole)
	if err := Set(file, "url", "u"); err == nil {
		t.Error("an inline table was edited")
	}
	step(nil, whole)
}

func TestMintedTokenIsKept(t *testing.T) {
	s, err := Load(environ(t, "", nil))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Token(); got != "" || err != nil {
		t.Errorf("a token out of nowhere: %q, %v", got, err)
	}
	made, err := s.MintToken()
	if err != nil || len(made) < 40 {
		t.Fatalf("minted %q, %v", made, err)
	}
	if again, err := s.MintToken(); again != made || err != nil {
		t.Errorf("minted again: %q, %v", again, err)
	}
	if st, err := os.Stat(s.TokenFile()); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("token file: %v, %v", st.Mode(), err)
	}
}

func TestBool(t *testing.T) {
	for _, tc := range []struct{ file, env, want, err string }{
		{"", "", "true", ""},
		{"audit = false", "", "false", ""},
		{"audit = false", "true", "true", ""},
		{"audit = 'false'", "", "", "config.toml: the following [daemon] keys have the wrong type: audit"},
		{"audit = 0", "", "", "config.toml: the following [daemon] keys have the wrong type: audit"},
		{"", "yes", "", "audit must be true or false, got 'yes' (set by env MIRAGE_AUDIT)"},
		{"port = true", "", "", "config.toml: the following [daemon] keys have the wrong type: port"},
		{"ask_wait = '5s'", "", "true", ""},
	} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte("[daemon]\n"+tc.file+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(func(n string) string { return map[string]string{"MIRAGE_HOME": home, "MIRAGE_AUDIT": tc.env}[n] })
		switch {
		case tc.err != "":
			if err == nil || err.Error() != tc.err {
				t.Errorf("%q %q: %v, want %s", tc.file, tc.env, err, tc.err)
			}
		case err != nil:
			t.Errorf("%q %q: %v", tc.file, tc.env, err)
		case s.Get("audit").Text != tc.want || s.Bool("audit") != (tc.want == "true"):
			t.Errorf("%q %q: %q", tc.file, tc.env, s.Get("audit").Text)
		}
	}
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := Set(file, "audit", "false"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "[daemon]\naudit = false\n" {
		t.Errorf("%q, %v", text, err)
	}
}
