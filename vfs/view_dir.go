package vfs

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"syscall"
)

// ReadDir lists a directory, sorted by name in byte order, without "." and
// "..", with every Info complete (never Partial). Hidden entries are absent.
func (v *View) ReadDir(ctx context.Context, name string) ([]Info, error) {
	list, err := v.readDir(ctx, name, true)
	return list, pathError("readdir", name, err)
}

// ReadNames is ReadDir for callers that need only names and types; entries
// may be Partial.
func (v *View) ReadNames(ctx context.Context, name string) ([]Info, error) {
	list, err := v.readDir(ctx, name, false)
	return list, pathError("readdir", name, err)
}

func (v *View) readDir(ctx context.Context, name string, complete bool) ([]Info, error) {
	s, err := v.find(ctx, name, follow)
	if err != nil {
		return nil, err
	}
	e, err := v.enterFound(ctx, &s, OpReadDir, "")
	if err != nil {
		return nil, err
	}
	if !s.info.IsDir() {
		return nil, syscall.ENOTDIR
	}
	var list []Info
	if !s.synthetic {
		if list, err = e.fs.ReadDir(ctx, e.name); err != nil {
			return nil, err
		}
	}
	l := listing{v: v, ctx: ctx, dir: &s, entry: e, complete: complete}
	return l.merge(list)
}

// listing is a directory listing being put together.
type listing struct {
	v        *View
	ctx      context.Context
	dir      *spot
	entry    entry
	complete bool
}

// merge lays the node table, then the places, over what the backend lists,
// and leaves out what is hidden.
func (l *listing) merge(list []Info) ([]Info, error) {
	var nodes map[string]branch
	if l.entry.m.overlay {
		nodes = l.v.ns.nodes.list(l.dir.path)
	}
	var places map[string]*place
	if l.dir.place != nil {
		places = l.dir.place.children
	}
	prefix := strings.TrimSuffix(l.dir.path, "/") + "/"
	out := list[:0] // a backend hands out its own slice of every listing
	for i, info := range list {
		if i%256 == 0 && l.ctx.Err() != nil {
			return nil, syscall.EINTR
		}
		if p := places[info.Name]; p != nil && (p.listed || p.mount != nil || p.link != "") {
			continue
		}
		if !l.v.free && l.v.guard.Hidden(prefix+info.Name) {
			continue
		}
		n, covered := nodes[info.Name]
		if covered && n.node.Target != "" {
			continue
		}
		if info.Partial && l.complete {
			full, err := l.entry.fs.Stat(l.ctx, childOf(l.entry.name, info.Name))
			if errIs(err, syscall.ENOENT) {
				continue // removed meanwhile
			}
			if err != nil {
				return nil, err
			}
			full.Name = info.Name
			info = full
		}
		if covered && !info.Partial {
			n.node.cover(&info, n.ino)
		}
		info.Dev = l.entry.m.dev
		out = append(out, info)
	}
	backend := len(out)
	for name, n := range nodes {
		if n.node.Target == "" || places[name] != nil || !l.v.free && l.v.guard.Hidden(prefix+name) {
			continue
		}
		info := Info{Name: name, Dev: l.entry.m.dev}
		n.node.cover(&info, n.ino)
		out = append(out, info)
	}
	for name, p := range places {
		if !p.listed || !l.v.free && l.v.guard.Hidden(prefix+name) {
			continue
		}
		out = append(out, l.place(p))
	}
	if len(out) > backend {
		slices.SortFunc(out, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	}
	return out, nil
}

// place describes a mount, or a parent of mounts, in the listing of its
// parent. A mount whose backend does not answer is listed all the same.
func (l *listing) place(p *place) Info {
	info := p.info(l.v.ns)
	info.Dev = l.entry.m.dev
	if p.mount == nil || !l.complete {
		info.Partial = !l.complete
		return info
	}
	s := spot{path: p.path, m: p.mount, place: p, state: found}
	e, err := l.v.enter(l.ctx, &s, OpStat, "")
	if err != nil {
		return info
	}
	if root, err := e.fs.Stat(l.ctx, "."); err == nil {
		return l.v.ns.dress(root, p.mount, p.path)
	}
	return info
}

// childOf joins backend names.
func childOf(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// Mkdir makes one directory.
func (v *View) Mkdir(ctx context.Context, name string, perm fs.FileMode) error {
	return pathError("mkdir", name, v.mkdir(ctx, name, perm))
}

func (v *View) mkdir(ctx context.Context, name string, perm fs.FileMode) error {
	s, err := v.find(ctx, name, inParent)
	if err != nil {
		return err
	}
	if s.state == found || s.last != lastName {
		return v.exists(ctx, &s)
	}
	return v.told(ctx, Change{Op: OpCreate, Path: s.path, Type: fs.ModeDir}, v.mkdirAt(ctx, &s, perm))
}

func (v *View) mkdirAt(ctx context.Context, s *spot, perm fs.FileMode) error {
	e, err := v.enter(ctx, s, OpCreate, "")
	if err != nil {
		return err
	}
	if s.under {
		if err := e.ensureParents(ctx); err != nil {
			return err
		}
	}
	perm &= modeBits
	if err := v.make(ctx, e, func() error { return Mkdir(ctx, e.fs, e.name, perm) }); err != nil {
		return err
	}
	return v.keepMode(ctx, e, perm, func() (Info, error) { return e.fs.Stat(ctx, e.name) })
}

// exists is the answer for creating a name that is taken: EEXIST, unless the
// session may not even know of it, or it is missing after all.
func (v *View) exists(ctx context.Context, s *spot) error {
	if _, err := v.enterFound(ctx, s, OpStat, ""); err != nil {
		return err
	}
	return syscall.EEXIST
}

// MkdirAll makes a directory and the parents that are missing. Links on the
// way are followed; ENOTDIR where a component is no directory.
func (v *View) MkdirAll(ctx context.Context, name string, perm fs.FileMode) error {
	info, err := v.Stat(ctx, name)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return pathError("mkdir", name, syscall.ENOTDIR)
	case !errIs(err, syscall.ENOENT) || name == "":
		return pathError("mkdir", name, err)
	}
	for i := 1; i <= len(name); i++ {
		if i < len(name) && (name[i] != '/' || name[i-1] == '/') {
			continue
		}
		dir := name[:i]
		info, err := v.Stat(ctx, dir)
		if err == nil {
			if !info.IsDir() {
				return pathError("mkdir", dir, syscall.ENOTDIR)
			}
			continue
		}
		if !errIs(err, syscall.ENOENT) {
			return pathError("mkdir", dir, err)
		}
		err = v.mkdir(ctx, dir, perm)
		if errIs(err, syscall.EEXIST) {
			// Somebody else was faster, or it is a link to nothing.
			if info, serr := v.Stat(ctx, dir); serr == nil && info.IsDir() {
				continue
			}
		}
		if err != nil {
			return pathError("mkdir", dir, err)
		}
	}
	return nil
}
