package workspace

import (
	"context"
	"path"
	"syscall"

	"mirage/policy"
	"mirage/vfs"
)

// binDir holds the programs; what the rules do not allow is not there.
const binDir = "/usr/bin"

// guard puts a session's rules before its files.
type guard struct {
	profile *policy.Profile
	modes   map[string]vfs.Mode // by mount: the weaker of profile and session
}

func newGuard(profile *policy.Profile, modes map[string]vfs.Mode) *guard {
	g := &guard{profile: profile, modes: map[string]vfs.Mode{}}
	for prefix, mode := range modes {
		g.modes[prefix] = mode
	}
	if profile != nil {
		for prefix, mode := range profile.Modes {
			if old, ok := g.modes[prefix]; !ok || mode < old {
				g.modes[prefix] = mode
			}
		}
	}
	return g
}

// Hidden implements vfs.Guard.
func (g *guard) Hidden(p string) bool {
	if g.profile == nil {
		return false
	}
	if dir, name := path.Split(p); dir == binDir+"/" && !g.profile.Visible(name) {
		return true
	}
	return g.profile.Hidden(p)
}

// Check implements vfs.Guard. The order is that of the rules: what is hidden
// does not exist, then the mode of the mount, then the rules of the profile.
func (g *guard) Check(_ context.Context, a vfs.Access) error {
	if g.Hidden(a.Path) {
		return g.hidden(a)
	}
	if a.Write {
		if mode, ok := g.modes[a.Mount]; ok && mode < vfs.Write {
			return syscall.EROFS
		}
	}
	if g.profile == nil {
		return nil
	}
	if a.Op == vfs.OpRename && a.Dir && g.profile.Hides() && g.profile.Reveals(a.Path, a.Other) {
		return syscall.EACCES
	}
	return g.rules(a)
}

// hidden answers for a path that does not exist for the session. A new name
// that would land in a directory it can see is refused rather than missing:
// ENOENT there would make no sense to anybody.
func (g *guard) hidden(a vfs.Access) error {
	makes := a.Op == vfs.OpCreate || a.Op == vfs.OpRenameTo
	if makes && !g.Hidden(path.Dir(a.Path)) {
		return syscall.EACCES
	}
	return syscall.ENOENT
}

// rules asks the path rules of the profile. Looking at metadata is never
// denied: a denied file is listed, it only cannot be used.
func (g *guard) rules(a vfs.Access) error {
	if !g.profile.FileRules() {
		return nil
	}
	tree := false
	switch a.Op {
	case vfs.OpStat, vfs.OpTraverse, vfs.OpReadlink:
		return nil
	case vfs.OpRemove, vfs.OpRemoveAll, vfs.OpRename:
		tree = true
	}
	command, _ := a.Caller.(*policy.Command)
	if g.profile.File(command, a.Path, tree).Outcome != policy.Allow {
		return syscall.EACCES
	}
	return nil
}
