package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"gopkg.in/yaml.v3"

	"mirage/internal/doc"
	"mirage/policy"
	"mirage/vfs"
)

// Config is a workspace's parsed configuration. It is immutable.
type Config struct {
	workspaceID    string
	defaultSession string
	defaultAgent   string
	mounts         []mountConfig // sorted by prefix
	profiles       map[string]*policy.Profile
	profile        string // name of the default profile; "" = none
	limits         policy.Limits
	bare           *policy.Profile // of sessions without a profile; nil = no rules
	env            map[string]string

	canonical []byte // JSON with sorted keys; parses to the same Config
	digest    string // hex SHA-256 of canonical
}

// mountConfig is one block of `mounts`.
type mountConfig struct {
	prefix string // absolute, without a trailing slash but for "/"
	kind   string // ram or disk
	mode   vfs.Mode
	root   string // host directory of a disk mount
	limits policy.Limits
}

// WorkspaceID is the configuration's own id for its workspace, "" when it has
// none.
func (c *Config) WorkspaceID() string { return c.workspaceID }

// Digest identifies the configuration: equal configurations, in YAML or JSON
// and however laid out, have equal digests.
func (c *Config) Digest() string { return c.digest }

// The keys of a configuration. Those in later are known but not supported
// yet, so that giving them a value is an error rather than a silent loss.
var (
	configKeys = []string{"mounts", "mode", "read", "write", "command_limits", "deny_patterns", "clis", "runtimes", "profiles", "profile",
		"route_policy", "cache", "index", "store", "console", "env", "secrets",
		"default_session_id", "default_agent_id", "workspace_id", "io"}
	configLater = []string{"clis", "runtimes", "route_policy", "cache", "index", "store", "console", "secrets", "io"}
)

// ParseConfig reads a workspace configuration, YAML or JSON. Unknown keys,
// wrong types and what is not supported yet are errors of kind Invalid.
// Variables of the form ${NAME} have been replaced already.
func ParseConfig(source []byte) (c *Config, err error) {
	defer func() {
		// The YAML decoder is not ours and reads what clients send.
		if p := recover(); p != nil {
			c, err = nil, configInvalid(errors.New("config source cannot be read"))
		}
	}()
	value, err := decode(source)
	if err != nil {
		return nil, configInvalid(err)
	}
	c, err = parseConfig(doc.Node{Value: value})
	if err != nil {
		return nil, configInvalid(err)
	}
	return c, nil
}

// decode reads one document into maps with string keys, lists and scalars.
func decode(source []byte) (any, error) {
	var value any
	// JSON first: it may be indented with tabs, which YAML forbids.
	if trimmed := bytes.TrimSpace(source); len(trimmed) > 0 && trimmed[0] == '{' && json.Unmarshal(trimmed, &value) == nil {
		return value, nil
	}
	value = nil
	dec := yaml.NewDecoder(bytes.NewReader(source))
	switch err := dec.Decode(&value); {
	case err == io.EOF:
		return nil, errors.New("config source is empty")
	case err != nil:
		return nil, fmt.Errorf("config source: %w", err)
	}
	var more any
	if err := dec.Decode(&more); err != io.EOF {
		return nil, errors.New("config source must hold one document")
	}
	return plain(value, "")
}

// plain replaces the decoder's maps by maps with string keys.
func plain(value any, at string) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		for k, item := range v {
			p, err := plain(item, at+"."+k)
			if err != nil {
				return nil, err
			}
			v[k] = p
		}
		return v, nil
	case map[any]any:
		for k := range v {
			if _, ok := k.(string); !ok {
				return nil, doc.Node{Path: trimDot(at)}.Errorf("key must be a string: %v", k)
			}
		}
	case []any:
		for i, item := range v {
			p, err := plain(item, fmt.Sprintf("%s[%d]", at, i))
			if err != nil {
				return nil, err
			}
			v[i] = p
		}
	}
	return value, nil
}

func trimDot(at string) string {
	if at != "" && at[0] == '.' {
		return at[1:]
	}
	return at
}

func parseConfig(n doc.Node) (*Config, error) {
	if _, ok := n.Value.(map[string]any); !ok {
		return nil, fmt.Errorf("config source must be a mapping, got %s", doc.Kind(n.Value))
	}
	if err := n.Map(configKeys...); err != nil {
		return nil, err
	}
	for _, key := range configLater {
		if later := n.At(key); !later.Empty() {
			return nil, later.Unsupported()
		}
	}
	c := &Config{profiles: map[string]*policy.Profile{}, env: map[string]string{}}
	steps := []func(doc.Node) error{
		c.parseNames, parsePolicies, c.parseMounts, c.parseProfiles, c.parseEnv, c.parseLimits,
	}
	for _, step := range steps {
		if err := step(n); err != nil {
			return nil, err
		}
	}
	var err error
	if c.canonical, err = json.Marshal(n.Value); err != nil {
		return nil, fmt.Errorf("config source: %w", err)
	}
	sum := sha256.Sum256(c.canonical)
	c.digest = hex.EncodeToString(sum[:])
	return c, nil
}

func (c *Config) parseNames(n doc.Node) error {
	for _, f := range []struct {
		key  string
		into *string
	}{{"workspace_id", &c.workspaceID}, {"default_session_id", &c.defaultSession}, {"default_agent_id", &c.defaultAgent}} {
		v := n.At(f.key)
		if v.Value == nil {
			continue
		}
		text, err := v.String()
		if err != nil {
			return err
		}
		if !ValidID(text) {
			return v.Errorf("invalid id: '%s'", text)
		}
		*f.into = text
	}
	return nil
}

// parsePolicies accepts the read and write policies that describe what the
// backends of today do; they cache nothing.
func parsePolicies(n doc.Node) error {
	for key, only := range map[string]string{"read": "bounded", "write": "unconditional"} {
		v := n.At(key)
		if v.Value == nil || v.Value == only {
			continue
		}
		if _, err := v.String(); err != nil {
			return err
		}
		return v.Unsupported()
	}
	return nil
}

// parseLimits reads the limits of the commands of every session.
func (c *Config) parseLimits(n doc.Node) (err error) {
	c.limits, err = policy.ParseLimits(n.At("command_limits"))
	return err
}

func (c *Config) parseEnv(n doc.Node) error {
	env := n.At("env")
	if env.Value == nil {
		return nil
	}
	if err := env.Map(); err != nil {
		return err
	}
	for _, name := range env.Keys() {
		v := env.At(name)
		if !policy.ValidName(name) {
			return env.Errorf("'%s' is not a variable name", name)
		}
		if m, ok := v.Value.(map[string]any); ok {
			if err := v.Map("value", "readonly", "export", "from", "ref", "key", "fetch"); err != nil {
				return err
			}
			for _, key := range []string{"from", "ref", "key", "fetch"} {
				if later := v.At(key); later.Value != nil {
					return later.Unsupported()
				}
			}
			if later := v.At("readonly"); later.Value != nil && m["readonly"] != false {
				return later.Unsupported()
			}
			if later := v.At("export"); later.Value != nil && m["export"] != true {
				return later.Unsupported()
			}
			if !v.Has("value") {
				return v.Errorf("an env entry needs 'value' or 'from'")
			}
			v = v.At("value")
		}
		text, err := v.String()
		if err != nil {
			return err
		}
		c.env[name] = text
	}
	return nil
}

func (c *Config) hasMount(prefix string) bool {
	return slices.ContainsFunc(c.mounts, func(m mountConfig) bool { return m.prefix == prefix })
}

// parseProfiles reads the profiles, after the mounts: what a profile says of a
// mount that is not there would never apply.
func (c *Config) parseProfiles(n doc.Node) error {
	profiles := n.At("profiles")
	if profiles.Value != nil {
		if err := profiles.Map(); err != nil {
			return err
		}
	}
	tripwires, err := policy.ParseTripwires(n.At("deny_patterns"))
	if err != nil {
		return err
	}
	c.bare = c.bare.WithTripwires(tripwires)
	for _, name := range profiles.Keys() {
		p, err := policy.ParseProfile(name, profiles.At(name))
		if err != nil {
			return err
		}
		for prefix, at := range p.Mounts() {
			if !c.hasMount(prefix) {
				return at.Errorf("no mount at '%s'", withSlash(prefix))
			}
		}
		c.profiles[name] = p.WithTripwires(tripwires)
	}
	named := n.At("profile")
	if named.Value == nil {
		if c.profiles["default"] != nil {
			c.profile = "default"
		}
		return nil
	}
	name, err := named.String()
	if err != nil {
		return err
	}
	if c.profiles[name] == nil {
		return named.Errorf("unknown profile '%s'", name)
	}
	c.profile = name
	return nil
}

// Profiles lists the profiles by their names.
func (c *Config) Profiles() []*policy.Profile {
	list := make([]*policy.Profile, 0, len(c.profiles))
	for _, name := range slices.Sorted(maps.Keys(c.profiles)) {
		list = append(list, c.profiles[name])
	}
	return list
}

// Canonical is the configuration as JSON with sorted keys, as the store keeps
// it.
func (c *Config) Canonical() []byte { return c.canonical }
