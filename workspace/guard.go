package workspace

import (
	"context"
	"maps"
	"path"
	"sync/atomic"
	"syscall"

	"mirage/policy"
	"mirage/vfs"
)

// binDir holds the programs; what the rules do not allow is not there.
const binDir = "/usr/bin"

// guard puts a session's rules before its files and commands: it is the
// session's vfs.Guard and policy.Judge. The rules may be replaced at any time.
type guard struct {
	modes map[string]vfs.Mode // the session's own, by mount
	rules atomic.Pointer[ruleSet]
}

// ruleSet is what a guard holds at one time; it does not change.
type ruleSet struct {
	profile *policy.Profile     // nil: no rules
	modes   map[string]vfs.Mode // by mount: the weaker of profile and session
}

func newGuard(profile *policy.Profile, modes map[string]vfs.Mode) *guard {
	g := &guard{modes: modes}
	g.set(profile)
	return g
}

// set replaces the profile.
func (g *guard) set(profile *policy.Profile) {
	r := &ruleSet{profile: profile, modes: g.modes}
	if profile != nil && len(profile.Modes) > 0 {
		r.modes = maps.Clone(profile.Modes)
		for prefix, mode := range g.modes {
			if old, ok := r.modes[prefix]; !ok || mode < old {
				r.modes[prefix] = mode
			}
		}
	}
	g.rules.Store(r)
}

// Command implements policy.Judge.
func (g *guard) Command(ctx context.Context, c policy.Command) policy.Answer {
	return g.rules.Load().profile.Command(ctx, c)
}

// Visible implements policy.Judge.
func (g *guard) Visible(word string) bool { return g.rules.Load().profile.Visible(word) }

// VarHidden implements policy.Judge.
func (g *guard) VarHidden(name string) bool { return g.rules.Load().profile.VarHidden(name) }

// Hidden implements vfs.Guard.
func (g *guard) Hidden(p string) bool { return g.rules.Load().hidden(p) }

// Check implements vfs.Guard.
func (g *guard) Check(_ context.Context, a vfs.Access) error { return g.rules.Load().check(a) }

// hidden reports whether a path does not exist for the session.
func (g *ruleSet) hidden(p string) bool {
	if g.profile == nil {
		return false
	}
	if dir, name := path.Split(p); dir == binDir+"/" && !g.profile.Visible(name) {
		return true
	}
	return g.profile.Hidden(p)
}

// check answers a vfs.Access. The order is that of the rules: what is hidden
// does not exist, then the mode of the mount, then the rules of the profile.
func (g *ruleSet) check(a vfs.Access) error {
	if g.hidden(a.Path) {
		return g.missing(a)
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
	return g.denied(a)
}

// missing answers for a path that does not exist for the session. A new name
// that would land in a directory it can see is refused rather than missing:
// ENOENT there would make no sense to anybody.
func (g *ruleSet) missing(a vfs.Access) error {
	makes := a.Op == vfs.OpCreate || a.Op == vfs.OpRenameTo
	if makes && !g.hidden(path.Dir(a.Path)) {
		return syscall.EACCES
	}
	return syscall.ENOENT
}

// denied asks the path rules of the profile. Looking at metadata is never
// denied: a denied file is listed, it only cannot be used.
func (g *ruleSet) denied(a vfs.Access) error {
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
