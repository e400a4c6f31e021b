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
		{"[daemon]\nport = \"1\n", nil, "config.toml: line 2, column "},
		{"port = 1\n[deamon]\nport = 1\n[daemon]\n", nil, "config.toml: settings stand in the table [daemon]; not in it: deamon, port"},
		{"daemon = 1\n", nil, "settings stand in the table [daemon]; not in it: daemon"},
		{"[daemon]\nssh_port = 0\n", nil, "ssh_port must be between 1 and 65535, got '0' (set by file)"},
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

// Whatever is written to the file must load again: Set and Load refuse alike.
func TestSetRefusesWhatLoadRefuses(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"port", "0", ""},
		{"port", "65535", ""},
		{"port", "65536", "port must be between 0 and 65535, got '65536'"},
		{"port", "-1", "port must be between 0 and 65535, got '-1'"},
		{"port", "99999999999999999999", "port must be between 0 and 65535, got '99999999999999999999'"},
		{"port", "1.5", "port must be a number, got '1.5'"},
		{"ssh_port", "1", ""},
		{"ssh_port", "0", "ssh_port must be between 1 and 65535, got '0'"},
		{"audit_keep", "0", ""},
		{"audit_keep", "-1", "audit_keep must not be negative, got '-1'"},
		{"audit_keep", "99999999999999999999", "audit_keep is out of range: '99999999999999999999'"},
		{"audit", "yes", "audit must be true or false, got 'yes'"},
		{"ask_wait", "-1s", "ask_wait must be a time such as 30s or 5m, got '-1s'"},
		{"url", "https://h", ""},
		{"url", "h:1", "url must be such as http://127.0.0.1:8765, got 'h:1'"},
		{"url", "ftp://h", "url must be such as http://127.0.0.1:8765, got 'ftp://h'"},
		{"url", "http://", "url must be such as http://127.0.0.1:8765, got 'http://'"},
		{"auth_mode", "None", ""},
		{"auth_mode", "x", "MIRAGE_AUTH_MODE must be one of (local, token, none), got 'x'"},
		{"auth_mode", "jwt", "not supported yet: auth_mode jwt"},
		{"socket", "/s", "not supported yet: socket"},
	} {
		getenv := environ(t, "", nil)
		file := filepath.Join(getenv("MIRAGE_HOME"), "config.toml")
		said := ""
		if err := Set(file, c.name, c.value); err != nil {
			said = err.Error()
		}
		if said != c.want {
			t.Errorf("Set %s %s: %q, want %q", c.name, c.value, said, c.want)
		}
		if s, err := Load(getenv); err != nil {
			t.Errorf("Set %s %s left what does not load: %v", c.name, c.value, err)
		} else if got := s.Get(c.name).Set; got != (c.want == "") {
			t.Errorf("Set %s %s: set %v", c.name, c.value, got)
		}
		k, _ := Lookup(c.name)
		_, err := Load(environ(t, "", map[string]string{k.Env(): c.value}))
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want+" (set by env "+k.Env()+")") {
			t.Errorf("%s=%s: %v", k.Env(), c.value, err)
		}
	}
}

func TestKeysTellWhatTheyAre(t *testing.T) {
	for _, k := range Keys {
		if k.Unsupported {
			continue
		}
		if k.Help == "" {
			t.Errorf("%s has no help", k.Name)
		}
		if k.Default != "" && k.Check(k.Default) != nil {
			t.Errorf("%s: its default is refused: %v", k.Name, k.Check(k.Default))
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]int{"": -1, "1": 1, "65535": 65535} {
		s, err := Load(environ(t, "", map[string]string{"MIRAGE_SSH_PORT": text}))
		if err != nil {
			t.Fatal(err)
		}
		n, ok := s.Number("ssh_port")
		if !ok {
			n = -1
		}
		if n != want {
			t.Errorf("%q: %d, want %d", text, n, want)
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
	step(Set(file, "ssh_host", `a"b`), "# mine\n[daemon] # here\nport = 2\nssh_host = \"a\\\"b\"\n\n[other]\nport = 9\n")
	step(Unset(file, "port"), "# mine\n[daemon] # here\nssh_host = \"a\\\"b\"\n\n[other]\nport = 9\n")
	step(Unset(file, "nosuch"), "# mine\n[daemon] # here\nssh_host = \"a\\\"b\"\n\n[other]\nport = 9\n")
	if err := Set(file, "nosuch", "1"); err == nil || !strings.HasPrefix(err.Error(), "unknown config key: 'nosuch'; allowed: url ") {
		t.Errorf("unknown key: %v", err)
	}
	if err := Set(file, "port", "x"); err == nil {
		t.Error("port took a word")
	}
	// What cannot be edited line by line is left as it was.
	whole := "daemon = {port = 1}\n"
	step(os.WriteFile(file, []byte(whole), 0o600), whole)
	if err := Set(file, "ssh_host", "h"); err == nil {
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
