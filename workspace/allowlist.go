package workspace

import (
	"strings"

	"mirage/policy"
	"mirage/vfs"
)

// allowlist bounds a session to some of the workspace's mounts. The reserved
// places (/dev, /usr/bin, /tmp and the like) are always there.
type allowlist struct {
	w       *Workspace
	session string
	mounts  map[string]bool
}

// bounds is what restricts a session.
type bounds struct {
	profile *policy.Profile
	modes   map[string]vfs.Mode // its own, by mount
	only    *allowlist
}

// boundsOf answers the bounds that a session's record speaks of.
func (w *Workspace) boundsOf(id string, rec sessionRecord) (b bounds, err error) {
	if b.profile, err = w.rulesFor(rec.Profile, rec.Permissions); err != nil {
		return b, err
	}
	if b.modes, err = w.narrow(rec.Mounts); err != nil {
		return b, err
	}
	b.only, err = w.allowMounts(id, rec.Only)
	return b, err
}

// allows reports whether a mount may be used.
func (l *allowlist) allows(mount string) bool { return l.mounts[mount] || !l.w.cfg.hasMount(mount) }

// command refuses a command that names a path of another mount.
func (l *allowlist) command(c policy.Command) policy.Answer {
	for _, p := range policy.MayTouch(c) {
		if mount := l.w.free.MountOf(p).Prefix; !l.allows(mount) {
			text := "session '" + l.session + "' not allowed to access mount '" + mount + "'"
			return policy.Answer{
				Outcome: policy.Deny, Reason: text, Message: "mirage: " + text, Scope: policy.ScopeCommand,
			}
		}
	}
	return policy.Answer{}
}

// allowMounts reads the list of a session's mounts; nil is no list.
func (w *Workspace) allowMounts(session string, list []string) (*allowlist, error) {
	if list == nil {
		return nil, nil
	}
	l := &allowlist{w: w, session: session, mounts: map[string]bool{}}
	for _, text := range list {
		prefix, ok := policy.CleanPrefix(strings.TrimSpace(text))
		if !ok || !w.cfg.hasMount(prefix) {
			return nil, errorf(Refused, "unknown_mount", "no mount at '%s'", text)
		}
		l.mounts[prefix] = true
	}
	return l, nil
}
