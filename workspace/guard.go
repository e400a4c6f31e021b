package workspace

import (
	"context"
	"path"
	"slices"
	"sync/atomic"
	"syscall"

	"mirage/policy"
	"mirage/vfs"
)

// binDir holds the programs; what the rules do not allow is not there.
const binDir = "/usr/bin"

// guard puts a session's rules before its files and commands. It is the
// policy.Judge of nobody's lines and the vfs.Guard of nobody's calls: it
// answers what the rules say, and asks nobody. A line's is a lineJudge, a
// call's a FileCall. The rules may be replaced at any time.
type guard struct {
	modes map[string]vfs.Mode // the session's own, by mount
	only  *allowlist          // nil: every mount
	rules atomic.Pointer[ruleSet]
	// stands reports whether a rule's question is allowed for the session.
	stands func(rule string) bool
	// coded answers the coded policies beside a profile.
	coded func(*policy.Profile) *hooks
}

// ruleSet is what a guard holds at one time; it does not change.
type ruleSet struct {
	profile *policy.Profile     // nil: no rules
	modes   map[string]vfs.Mode // the session's own, by mount
	modal   bool                // the profile says something of modes
	hooks   *hooks              // nil: no coded policies
	version uint64
	// passed are directories that names led through lately and that are not
	// hidden, each at the place of its length: every name below asks again.
	passed [16]atomic.Pointer[string]
}

func newGuard(b bounds, stands func(rule string) bool, coded func(*policy.Profile) *hooks) *guard {
	g := &guard{modes: b.modes, only: b.only, stands: stands, coded: coded}
	g.set(b.profile)
	return g
}

// set replaces the profile.
func (g *guard) set(profile *policy.Profile) {
	r := &ruleSet{profile: profile, modes: g.modes, modal: profile.Modal(), hooks: g.coded(profile)}
	if old := g.rules.Load(); old != nil {
		r.version = old.version + 1
	}
	g.rules.Store(r)
}

// mode answers what the session may do below a mount: the weaker of its own
// mode and what the profile says of the path. The mount's own mode is not in
// it; a View asks that by itself.
func (g *ruleSet) mode(p, mount string) vfs.Mode {
	mode := vfs.Exec
	if own, ok := g.modes[mount]; ok {
		mode = own
	}
	if g.modal {
		if m, ok := g.profile.ModeAt(p, mount); ok {
			mode = min(mode, m)
		}
	}
	return mode
}

// Command implements policy.Judge.
func (g *guard) Command(ctx context.Context, c policy.Command) policy.Answer {
	if g.only != nil {
		if a := g.only.command(c); a.Outcome != policy.Allow {
			return a
		}
	}
	r := g.rules.Load()
	a := r.profile.Command(ctx, c)
	if r.hooks == nil {
		return a
	}
	return r.hooks.command(ctx, c, a)
}

// Write implements policy.WriteJudge.
func (g *guard) Write(ctx context.Context, name string, value *string) policy.Answer {
	return g.rules.Load().hooks.write(ctx, name, value)
}

// Source implements policy.SourceJudge.
func (g *guard) Source(ctx context.Context, text string) policy.Answer {
	r := g.rules.Load()
	return r.profile.Source(ctx, text).With(r.hooks.line(ctx, text))
}

// Visible implements policy.Judge.
func (g *guard) Visible(word string) bool { return g.rules.Load().profile.Visible(word) }

// VarHidden implements policy.Judge.
func (g *guard) VarHidden(name string) bool { return g.rules.Load().profile.VarHidden(name) }

// Hidden implements vfs.Guard.
func (g *guard) Hidden(p string) bool { return g.rules.Load().hidden(p) }

// Version implements vfs.Shifting.
func (g *guard) Version() uint64 { return g.rules.Load().version }

// Check implements vfs.Guard. What would have to be asked is refused.
func (g *guard) Check(ctx context.Context, a vfs.Access) error {
	answer, err := g.check(ctx, a)
	if err != nil || answer.Outcome == policy.Allow {
		return err
	}
	if answer.Outcome == policy.Ask && !slices.ContainsFunc(questions(answer, callerName(a)), func(q policy.Question) bool { return !g.stands(q.Rule) }) {
		return nil
	}
	return syscall.EACCES
}

// check answers what the rules say of the use of a file: an error where they
// need not say why.
func (g *guard) check(ctx context.Context, a vfs.Access) (policy.Answer, error) {
	if g.only != nil && a.Op != vfs.OpTraverse && !g.only.allows(a.Mount) {
		return policy.Answer{}, syscall.EACCES
	}
	r := g.rules.Load()
	if a.Op == vfs.OpTraverse {
		return policy.Answer{}, r.pass(a)
	}
	answer, err := r.check(a)
	if err != nil || r.hooks == nil {
		return answer, err
	}
	return r.hooks.file(ctx, a, answer), nil
}

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

// check answers a vfs.Access other than a traversal, see pass. The order is that of the rules: what is hidden
// does not exist, then the mode of the mount, then the rules of the profile.
func (g *ruleSet) check(a vfs.Access) (policy.Answer, error) {
	if g.hidden(a.Path) {
		return policy.Answer{}, g.missing(a)
	}
	if a.Write && g.mode(a.Path, a.Mount) < vfs.Write {
		return policy.Answer{}, syscall.EROFS
	}
	if g.profile == nil {
		return policy.Answer{}, nil
	}
	if a.Op == vfs.OpRename && a.Dir && g.profile.Hides() && g.profile.Reveals(a.Path, a.Other) {
		return policy.Answer{}, syscall.EACCES
	}
	return g.file(a), nil
}

// pass answers whether a name may lead through a directory: when it is there.
func (g *ruleSet) pass(a vfs.Access) error {
	slot := &g.passed[len(a.Path)%len(g.passed)]
	if p := slot.Load(); p != nil && *p == a.Path {
		return nil
	}
	if g.hidden(a.Path) {
		return g.missing(a)
	}
	passed := a.Path // and not the whole access, which would have to be allocated each time
	slot.Store(&passed)
	return nil
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

// file judges by the path rules of the profile. Looking at metadata is never
// denied: a denied file is listed, it only cannot be used.
func (g *ruleSet) file(a vfs.Access) policy.Answer {
	if !g.profile.FileRules() {
		return policy.Answer{}
	}
	extent := policy.Itself
	switch a.Op {
	case vfs.OpStat, vfs.OpTraverse, vfs.OpReadlink:
		return policy.Answer{}
	case vfs.OpRemove, vfs.OpRemoveAll:
		extent = policy.Below
	case vfs.OpRename:
		if extent = policy.Below; a.Dir {
			extent = policy.Moved
		}
	}
	command, _ := a.Caller.(*policy.Command)
	return g.profile.File(command, a.Path, extent)
}
