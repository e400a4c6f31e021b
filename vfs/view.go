package vfs

import (
	"context"
	"path"
	"syscall"
)

// View is a file tree as one session sees it, and the only form in which a
// front end, a program or a script ever holds files. Names are absolute; they
// are resolved as path_resolution(7) says, links and ".." physically, at most
// 40 links a name. A trailing slash demands a directory.
//
// Every error is a *fs.PathError (*os.LinkError for Rename and Link) with the
// name as it was given and a bare errno; ENOENT for whatever the rules hide.
//
// A View is cheap to derive and safe for concurrent use.
type View struct {
	ns     *Namespace
	guard  Guard
	free   bool // guard is AllowAll: nothing needs to be asked
	caller any
	owner  any

	observer Observer // nil = none
	meter    Meter    // nil = none
}

// RenameFlag changes what Rename does with an existing destination.
type RenameFlag int

// The flags of renameat2(2) that are supported.
const (
	RenameNoReplace RenameFlag = 1 << iota // EEXIST when the destination exists
	RenameExchange                         // swap the two
)

// NewView joins a namespace and the rules of one session.
func NewView(ns *Namespace, g Guard) *View {
	_, free := g.(AllowAll)
	return &View{ns: ns, guard: g, free: free}
}

// For derives the view of one caller, which the Guard gets to see in
// Access.Caller. It is how a rule about `rm` reaches the files that rm opens.
func (v *View) For(caller any) *View {
	w := *v
	w.caller = caller
	return &w
}

// Of derives the view of one session, for the backends that differ from session
// to session; see Personal.
func (v *View) Of(owner any) *View {
	w := *v
	w.owner = owner
	return &w
}

// Stat describes what name leads to, links followed.
func (v *View) Stat(ctx context.Context, name string) (Info, error) {
	return v.stat(ctx, "stat", name, follow)
}

// Lstat describes name itself.
func (v *View) Lstat(ctx context.Context, name string) (Info, error) {
	return v.stat(ctx, "lstat", name, 0)
}

func (v *View) stat(ctx context.Context, op, name string, how lookup) (Info, error) {
	s, err := v.find(ctx, name, how)
	if err == nil {
		_, err = v.enterFound(ctx, &s, OpStat, "")
	}
	if err != nil {
		return Info{}, pathError(op, name, err)
	}
	return s.info, nil
}

// RealPath answers name without links, "." and ".."; every component must
// exist.
func (v *View) RealPath(ctx context.Context, name string) (string, error) {
	s, err := v.find(ctx, name, follow)
	if err == nil {
		_, err = v.enterFound(ctx, &s, OpStat, "")
	}
	if err != nil {
		return "", pathError("realpath", name, err)
	}
	return s.path, nil
}

// StatFS reports the capacity of the mount that holds name.
func (v *View) StatFS(ctx context.Context, name string) (Usage, error) {
	s, err := v.find(ctx, name, follow)
	if err != nil {
		return Usage{}, pathError("statfs", name, err)
	}
	e, err := v.enterFound(ctx, &s, OpStat, "")
	if err != nil {
		return Usage{}, pathError("statfs", name, err)
	}
	u, err := StatFS(ctx, e.fs)
	return u, pathError("statfs", name, err)
}

// Mounts lists the mounts that the session can see, sorted by prefix, the
// reserved ones (unlisted) left out.
func (v *View) Mounts() []MountInfo {
	var out []MountInfo
	for _, m := range v.ns.mounts {
		if !m.Unlisted && !v.guard.Hidden(m.Prefix) {
			out = append(out, m.brief())
		}
	}
	return out
}

// MountOf tells which mount serves name, without following links. The name
// need not exist. The zero MountInfo is for a mount that the session cannot
// see.
func (v *View) MountOf(name string) MountInfo {
	p, m := v.ns.root, v.ns.root.mount
	for rest := path.Clean("/" + name)[1:]; rest != "" && p != nil; {
		var part string
		part, rest = nextPart(rest)
		if p = p.children[part]; p != nil && p.mount != nil {
			m = p.mount
		}
	}
	if v.guard.Hidden(m.Prefix) {
		return MountInfo{}
	}
	return m.brief()
}

// Readlink answers the text of a link; EINVAL for anything else.
func (v *View) Readlink(ctx context.Context, name string) (string, error) {
	s, err := v.find(ctx, name, 0)
	if err == nil {
		_, err = v.enterFound(ctx, &s, OpReadlink, "")
	}
	switch {
	case err != nil:
	case !s.info.IsLink():
		err = syscall.EINVAL
	case s.info.Target == "":
		err = syscall.EACCES // the backend does not tell
	default:
		return s.info.Target, nil
	}
	return "", pathError("readlink", name, err)
}
