package workspace

import (
	"slices"

	"mirage/policy"
)

// limited reports whether the configuration limits any command, profiles aside.
func (c *Config) limited() bool {
	return len(c.limits) > 0 || slices.ContainsFunc(c.mounts, func(m mountConfig) bool { return len(m.limits) > 0 })
}

// limit answers the limit of a command that is about to run: the first place
// that names it says all of it. The profile comes first, then the mounts that
// the command works on, then the workspace. Of several mounts the tightest
// bounds count.
func (s *Session) limit(c policy.Command) policy.Limit {
	name := policy.CommandName(c)
	return s.profile().Limit(name, func() policy.Limit {
		if l, ok := s.mountLimit(name, c); ok {
			return l
		}
		return s.w.cfg.limits[name]
	})
}

// mountLimit answers what the mounts of a command's paths, or without any that
// of its directory, say of it.
func (s *Session) mountLimit(name string, c policy.Command) (l policy.Limit, found bool) {
	if !slices.ContainsFunc(s.w.cfg.mounts, func(m mountConfig) bool { _, ok := m.limits[name]; return ok }) {
		return l, false
	}
	paths := policy.MayTouch(c)
	if len(paths) == 0 {
		paths = []string{c.Cwd}
	}
	for _, p := range paths {
		m := s.w.cfg.mountOf(p)
		if m == nil {
			continue
		}
		own, ok := m.limits[name]
		switch {
		case !ok:
		case found:
			l = l.Tightest(own)
		default:
			l, found = own, true
		}
	}
	return l, found
}

// mountOf finds the mount of a path, nil when none of the configuration's is.
func (c *Config) mountOf(p string) (best *mountConfig) {
	for i := range c.mounts {
		m := &c.mounts[i]
		if within(p, m.prefix) && (best == nil || len(m.prefix) > len(best.prefix)) {
			best = m
		}
	}
	return best
}

// within reports whether a path is a mount's prefix or below it.
func within(p, prefix string) bool {
	return prefix == "/" || p == prefix || len(p) > len(prefix) && p[:len(prefix)] == prefix && p[len(prefix)] == '/'
}
