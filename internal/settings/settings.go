// Package settings reads what configures a server and its CLI: the [daemon]
// table of config.toml and the MIRAGE_ variables of the environment.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// Kind is the type of a setting's value.
type Kind int

// The types of values.
const (
	String   Kind = iota
	Number        // a whole number in the range of the key
	Duration      // as time.ParseDuration has it, not negative
	Bool          // true or false
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

	min, max int                // of a Number; max 0 = no upper end
	valid    func(string) error // what else a value must be; nil = nothing
}

// Env is the environment variable of the setting.
func (k Key) Env() string { return "MIRAGE_" + strings.ToUpper(k.Name) }

// Keys lists every setting, in the order in which help shows them.
var Keys = []Key{
	{Name: "url", Default: "http://127.0.0.1:8765", valid: validURL, Help: "server that the CLI speaks to"},
	{Name: "auth_mode", Default: "local", valid: validAuthMode, Help: "who may use the API: local or token (one bearer token), none (everybody)"},
	{Name: "auth_token", Secret: true, Help: "the bearer token; when unset, the file auth_token in the home folder"},
	{Name: "allowed_hosts", Default: "127.0.0.1,localhost,::1", Help: "Host names that the API answers, comma-separated; * = all"},
	{Name: "port", Kind: Number, Default: "8765", max: 65535, Help: "HTTP port on 127.0.0.1; 0 = a free one"},
	{Name: "ssh_port", Kind: Number, min: 1, max: 65535, Help: "SSH port; unset = no SSH"},
	{Name: "ssh_host", Default: "127.0.0.1", Help: "address that SSH listens on"},
	{Name: "ssh_host_key_file", Help: "host key; made at the first start (default: ssh/host_ed25519_key in the home folder)"},
	{Name: "ssh_authorized_keys", Help: "authorized_keys file, read at each login (default: ssh/authorized_keys in the home folder)"},
	{Name: "ask_wait", Kind: Duration, Default: "0s", Help: "how long a line waits for the answer to a question before it is refused, such as 30s or 5m"},
	{Name: "ask_webhook", Help: "URL that is sent every question of a rule and its answer (POST, JSON); unset = none"},
	{Name: "ask_webhook_secret", Secret: true, Help: "key of the HMAC-SHA256 in X-Mirage-Signature of what ask_webhook is sent; unset = no signature"},
	{Name: "policy_python", Help: "Python interpreter for policy scripts in Python, which run confined by bubblewrap; unset = such scripts are refused"},
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
	{Name: "session_cpu_seconds_per_hour", Kind: Number, Help: "seconds of processor time that a session may use in an hour; unset = any time"},
	{Name: "account_lines_per_minute", Kind: Number, Help: "lines that an account, or a workspace without one, may begin in a minute; unset = any number"},
	{Name: "account_concurrent_lines", Kind: Number, Help: "lines of an account, or a workspace without one, that may run and wait at one time; unset = any number"},
	{Name: "account_written_per_hour", Kind: Number, Help: "bytes that an account, or a workspace without one, may write to files in an hour; unset = any number"},
	{Name: "account_line_seconds", Kind: Number, Help: "seconds that a line of an account, or a workspace without one, may run; unset = any time"},
	{Name: "account_cpu_seconds_per_hour", Kind: Number, Help: "seconds of processor time that an account, or a workspace without one, may use in an hour; unset = any time"},
	{Name: "session_memory", Kind: Number, Default: "256", min: 8, max: 1 << 20, Help: "MiB that the shells and programs of a session may hold at one time"},
	{Name: "account_memory", Kind: Number, max: 1 << 30, Help: "MiB that all sessions of an account, or of a workspace without one, may hold at one time; unset or 0 = any"},
	{Name: "server_memory", Kind: Number, max: 1 << 30, Help: "MiB that all sessions of the server may hold at one time, beside 4 MiB for each; 0 = any; unset = a quarter of the machine's"},
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
		if v.Set {
			if err := k.Check(v.Text); err != nil {
				return nil, fmt.Errorf("%w (set by %s)", err, v.Origin)
			}
		}
		s.values[k.Name] = v
	}
	return s, nil
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
	var doc map[string]any
	if err := toml.Unmarshal(text, &doc); err != nil {
		return nil, malformed(name, err)
	}
	daemon, ok := doc["daemon"].(map[string]any)
	if ok || doc["daemon"] == nil {
		delete(doc, "daemon")
	}
	if len(doc) > 0 {
		return nil, fmt.Errorf("config.toml: settings stand in the table [daemon]; not in it: %s", strings.Join(slices.Sorted(maps.Keys(doc)), ", "))
	}
	out := map[string]string{}
	var unknown, wrong []string
	for name, v := range daemon {
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
	slices.Sort(unknown)
	slices.Sort(wrong)
	switch {
	case len(unknown) > 0:
		return nil, fmt.Errorf("config.toml: the following [daemon] keys don't match any configuration option: %s", strings.Join(unknown, ", "))
	case len(wrong) > 0:
		return nil, fmt.Errorf("config.toml: the following [daemon] keys have the wrong type: %s", strings.Join(wrong, ", "))
	}
	return out, nil
}

// malformed words a parser's error in one line, with the place where it is.
func malformed(name string, err error) error {
	var at *toml.DecodeError
	if errors.As(err, &at) {
		line, column := at.Position()
		return fmt.Errorf("malformed %s: line %d, column %d: %w", name, line, column, err)
	}
	return fmt.Errorf("malformed %s: %w", name, err)
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

// Number answers a Number and whether there is one: given, or by default.
func (s *Settings) Number(name string) (n int, ok bool) {
	n, err := strconv.Atoi(s.Get(name).Text) // in its range: checked by Load
	return n, err == nil
}

// Duration answers a setting of that kind.
func (s *Settings) Duration(name string) time.Duration {
	d, _ := time.ParseDuration(s.Get(name).Text) // checked by Load
	return d
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
