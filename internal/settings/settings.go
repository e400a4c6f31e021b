// Package settings reads what configures a server and its CLI: the [daemon]
// table of config.toml and the MIRAGE_ variables of the environment.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// Kind is the type of a setting's value.
type Kind int

// The types of values.
const (
	String Kind = iota
	Number
	Duration // as time.ParseDuration has it, not negative
	Bool     // true or false
)

// Key is one setting: a key of [daemon] and a variable of the environment.
type Key struct {
	Name    string
	Kind    Kind
	Default string // "" = none
	Secret  bool   // masked wherever it is shown
	// Unsupported settings are known, and refused where they are set.
	Unsupported bool
	Help        string
}

// Env is the environment variable of the setting.
func (k Key) Env() string { return "MIRAGE_" + strings.ToUpper(k.Name) }

// Keys lists every setting, in the order in which help shows them.
var Keys = []Key{
	{Name: "url", Default: "http://127.0.0.1:8765", Help: "server that the CLI speaks to"},
	{Name: "auth_mode", Default: "local", Help: "who may use the API: local or token (one bearer token), none (everybody)"},
	{Name: "auth_token", Secret: true, Help: "the bearer token; when unset, the file auth_token in the home folder"},
	{Name: "allowed_hosts", Default: "127.0.0.1,localhost,::1", Help: "Host names that the API answers, comma-separated; * = all"},
	{Name: "port", Kind: Number, Default: "8765", Help: "HTTP port on 127.0.0.1; 0 = a free one"},
	{Name: "ssh_port", Kind: Number, Help: "SSH port; unset = no SSH"},
	{Name: "ssh_host", Default: "127.0.0.1", Help: "address that SSH listens on"},
	{Name: "ssh_host_key_file", Help: "host key; made at the first start (default: ssh/host_ed25519_key in the home folder)"},
	{Name: "ssh_authorized_keys", Help: "authorized_keys file, read at each login (default: ssh/authorized_keys in the home folder)"},
	{Name: "ask_wait", Kind: Duration, Default: "0s", Help: "how long a line waits for the answer to a question before it is refused, such as 30s or 5m"},
	{Name: "ask_webhook", Help: "URL that is sent every question of a rule and its answer (POST, JSON); unset = none"},
	{Name: "ask_webhook_secret", Secret: true, Help: "key of the HMAC-SHA256 in X-Mirage-Signature of what ask_webhook is sent; unset = no signature"},
	{Name: "audit", Kind: Bool, Default: "true", Help: "keep the audit log (audit in the home folder)"},
	{Name: "audit_max_size", Kind: Number, Default: "64", Help: "MiB after which a file of the audit log ends"},
	{Name: "audit_max_age", Kind: Number, Default: "168", Help: "hours after which a file of the audit log ends"},
	{Name: "audit_keep", Kind: Number, Default: "64", Help: "files of the audit log that are kept; 0 = all"},
	{Name: "audit_rate", Kind: Number, Default: "200", Help: "events of files that one session may log in a second, beyond a burst; 0 = any number"},
	{Name: "audit_key_file", Help: "key of the audit log's chain, 16 bytes or more; unset = a chain without a key"},
	{Name: "session_lines_per_minute", Kind: Number, Help: "lines that a session may begin in a minute; unset = any number"},
	{Name: "session_concurrent_lines", Kind: Number, Help: "lines of a session that may run and wait at one time; unset = any number"},
	{Name: "session_written_per_hour", Kind: Number, Help: "bytes that a session may write to files in an hour; unset = any number"},
	{Name: "session_line_seconds", Kind: Number, Help: "seconds that a line of a session may run; unset = any time"},
	{Name: "account_lines_per_minute", Kind: Number, Help: "lines that an account, or a workspace without one, may begin in a minute; unset = any number"},
	{Name: "account_concurrent_lines", Kind: Number, Help: "lines of an account, or a workspace without one, that may run and wait at one time; unset = any number"},
	{Name: "account_written_per_hour", Kind: Number, Help: "bytes that an account, or a workspace without one, may write to files in an hour; unset = any number"},
	{Name: "account_line_seconds", Kind: Number, Help: "seconds that a line of an account, or a workspace without one, may run; unset = any time"},
	{Name: "idle_grace_seconds", Kind: Number, Default: "30", Help: "kept for daemons that the CLI starts; a server of its own never exits when idle"},
	{Name: "socket", Unsupported: true},
	{Name: "jwt_alg", Unsupported: true},
	{Name: "jwt_issuer", Unsupported: true},
	{Name: "jwt_audience", Unsupported: true},
	{Name: "jwt_pubkey_file", Unsupported: true},
	{Name: "jwt_jwks_url", Unsupported: true},
	{Name: "jwt_clock_skew", Kind: Number, Unsupported: true},
	{Name: "jwt_authorized_parties", Unsupported: true},
	{Name: "login_client_id", Unsupported: true},
}

// Lookup answers a setting by name.
func Lookup(name string) (Key, bool) {
	for _, k := range Keys {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

// Value is a setting's value and where it comes from.
type Value struct {
	Key
	Text   string
	Set    bool   // given by the file or the environment
	Origin string // "env NAME", "file" or "default"
}

// Settings is what was read. It does not change.
type Settings struct {
	Home   string // absolute; nothing need exist in it
	values map[string]Value
}

// Home answers the absolute home folder: $MIRAGE_HOME, else ~/.mirage.
func Home(getenv func(string) string) (string, error) {
	home := getenv("MIRAGE_HOME")
	if home == "" {
		user := getenv("HOME")
		if user == "" {
			return "", errors.New("neither MIRAGE_HOME nor HOME is set: there is no place for settings and state")
		}
		home = filepath.Join(user, ".mirage")
	}
	return filepath.Abs(home)
}

// Load reads config.toml in the home folder, which may be missing, and the
// environment, which wins. Unknown keys, wrong types and unsupported settings
// are errors of one line.
func Load(getenv func(string) string) (*Settings, error) {
	home, err := Home(getenv)
	if err != nil {
		return nil, err
	}
	s := &Settings{Home: home, values: map[string]Value{}}
	file, err := readFile(s.Path("config.toml"))
	if err != nil {
		return nil, err
	}
	for _, k := range Keys {
		v := Value{Key: k, Text: k.Default, Origin: "default"}
		if text, ok := file[k.Name]; ok {
			v.Text, v.Set, v.Origin = text, true, "file"
		}
		// An empty variable counts as unset.
		if text := strings.TrimSpace(getenv(k.Env())); text != "" {
			v.Text, v.Set, v.Origin = text, true, "env "+k.Env()
		}
		if v.Set && k.Unsupported {
			return nil, fmt.Errorf("not supported yet: %s (set by %s)", k.Name, v.Origin)
		}
		if v.Set {
			if err := k.check(v.Text); err != nil {
				return nil, fmt.Errorf("%w (set by %s)", err, v.Origin)
			}
		}
		s.values[k.Name] = v
	}
	return s, nil
}

// check reports what is wrong with the text of a value.
func (k Key) check(text string) error {
	switch k.Kind {
	case Number:
		if _, err := strconv.Atoi(text); err != nil {
			return fmt.Errorf("%s must be a number, got '%s'", k.Name, text)
		}
	case Bool:
		if text != "true" && text != "false" {
			return fmt.Errorf("%s must be true or false, got '%s'", k.Name, text)
		}
	case Duration:
		if d, err := time.ParseDuration(text); err != nil || d < 0 {
			return fmt.Errorf("%s must be a time such as 30s or 5m, got '%s'", k.Name, text)
		}
	}
	return nil
}

// readFile answers the [daemon] table as text by key.
func readFile(name string) (map[string]string, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var doc struct {
		Daemon map[string]any `toml:"daemon"`
	}
	if err := toml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("malformed %s: %w", name, err)
	}
	out := map[string]string{}
	var unknown, wrong []string
	for name, v := range doc.Daemon {
		k, ok := Lookup(name)
		if !ok {
			unknown = append(unknown, name)
			continue
		}
		switch v := v.(type) {
		case string:
			if k.Kind == Number || k.Kind == Bool {
				wrong = append(wrong, name)
			}
			out[name] = v
		case bool:
			if k.Kind != Bool {
				wrong = append(wrong, name)
			}
			out[name] = strconv.FormatBool(v)
		case int64:
			if k.Kind != Number {
				wrong = append(wrong, name)
			}
			out[name] = strconv.FormatInt(v, 10)
		default:
			wrong = append(wrong, name)
		}
	}
	sort.Strings(unknown)
	sort.Strings(wrong)
	switch {
	case len(unknown) > 0:
		return nil, fmt.Errorf("config.toml: the following [daemon] keys don't match any configuration option: %s", strings.Join(unknown, ", "))
	case len(wrong) > 0:
		return nil, fmt.Errorf("config.toml: the following [daemon] keys have the wrong type: %s", strings.Join(wrong, ", "))
	}
	return out, nil
}

// Path joins a name to the home folder.
func (s *Settings) Path(name ...string) string {
	return filepath.Join(append([]string{s.Home}, name...)...)
}

// Get answers a setting; the name must be one of Keys.
func (s *Settings) Get(name string) Value {
	v, ok := s.values[name]
	if !ok {
		panic("settings: no such key: " + name)
	}
	return v
}

// File answers a setting that names a file: "~/" is the user's home, and when
// the setting is unset, def below the home folder.
func (s *Settings) File(name string, getenv func(string) string, def ...string) string {
	v := s.Get(name)
	if !v.Set || v.Text == "" {
		return s.Path(def...)
	}
	if rest, ok := strings.CutPrefix(v.Text, "~/"); ok {
		return filepath.Join(getenv("HOME"), rest)
	}
	return v.Text
}

// Port answers a port setting and whether it is set. min is 0 where a free
// port may be asked for, else 1.
func (s *Settings) Port(name string, min int) (port int, set bool, err error) {
	v := s.Get(name)
	if v.Text == "" {
		return 0, false, nil
	}
	port, err = strconv.Atoi(v.Text)
	if err != nil || port < min || port > 65535 {
		return 0, false, fmt.Errorf("%s must be between %d and 65535, got '%s' (set by %s)", name, min, v.Text, v.Origin)
	}
	return port, true, nil
}

// Duration answers a setting of that kind.
func (s *Settings) Duration(name string) time.Duration {
	d, _ := time.ParseDuration(s.Get(name).Text) // checked by Load
	return d
}

// Count answers a Number that must not be below 0.
func (s *Settings) Count(name string) (int, error) {
	v := s.Get(name)
	n, err := strconv.Atoi(v.Text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s must not be negative, got '%s' (set by %s)", name, v.Text, v.Origin)
	}
	return n, nil
}

// Bool answers a Bool.
func (s *Settings) Bool(name string) bool { return s.Get(name).Text == "true" }

// List splits a comma-separated setting, blanks dropped.
func (s *Settings) List(name string) []string {
	var out []string
	for _, item := range strings.Split(s.Get(name).Text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}
