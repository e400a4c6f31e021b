package vfs

import (
	"context"
	"strings"
	"sync"
	"syscall"
)

// lookup says how a name is resolved.
type lookup int

const (
	// follow follows a link in the last component.
	follow lookup = 1 << iota
	// inParent is for calls that act on the entry of a directory (mkdir,
	// unlink, rename): a trailing slash neither follows a link nor fails for
	// what is no directory; the call finds it in spot.slash.
	inParent
	// creating is for O_CREATE: EISDIR when the last component, or that of a
	// link that is followed to it, ends in a slash.
	creating
)

// spotState is what resolution found at the end of a name.
type spotState int

const (
	missing spotState = iota // the parent directory is there, the name is not
	found
	hidden // not looked at: the rules hide it
)

// spot is where a name leads. It gives no access: that is what enter is for.
type spot struct {
	path  string // absolute, without links, "." and ".."
	m     *mount
	place *place // nil when path is no place
	info  Info   // when found
	state spotState
	// synthetic marks a place that its mount's backend does not hold, under
	// a name whose parent it does not hold.
	synthetic, under bool
	slash            bool     // the name ended in a slash
	last             lastPart // what the name ended in
}

// find resolves an absolute name, as path_resolution(7) says.
func (v *View) find(ctx context.Context, name string, how lookup) (spot, error) {
	if ctx.Err() != nil {
		return spot{}, syscall.EINTR
	}
	if err := checkName(name); err != nil {
		return spot{}, err
	}
	r := resolvers.Get().(*resolver)
	defer r.release()
	r.v, r.ctx = v, ctx
	last, slash := classify(name)
	if last != lastName {
		how = how&^inParent | follow // "." and ".." are entries of what comes before
	}
	s, err := r.resolve(name, how)
	if err != nil {
		return spot{}, err
	}
	s.last, s.slash = last, slash
	return s, nil
}

// resolver is one resolution under way. They are reused, since every file
// call needs one.
type resolver struct {
	v   *View
	ctx context.Context
	// While a backend walks: the path it walks to, where in it the backend's
	// name begins, and how much of it has been asked about before.
	m       *mount
	path    string
	base    int
	checked int
	pass    func(i int) error // r.passInner, bound once
}

var resolvers = sync.Pool{New: func() any {
	r := &resolver{}
	r.pass = r.passInner
	return r
}}

func (r *resolver) release() {
	r.v, r.ctx, r.m, r.path = nil, nil, nil, ""
	resolvers.Put(r)
}

// resolve follows links and ".." until the name has come to its end.
func (r *resolver) resolve(name string, how lookup) (spot, error) {
	done, rest := "/", name
	r.checked = 0
	for hops := 0; ; {
		clean, up, tail, dir := run(rest)
		if dir && how&inParent != 0 {
			dir = false
		}
		path := join(done, clean)
		short := path
		long := overlong(path)
		if long >= 0 {
			short = path[:max(long, 1)]
		}
		s, err := r.reach(short)
		if err != nil {
			return spot{}, err
		}
		if long >= 0 && !s.info.IsLink() {
			if err := r.demandDir(s); err != nil {
				return spot{}, err
			}
			return spot{}, syscall.ENAMETOOLONG
		}
		whole := len(s.path) == len(path)
		if whole && dir {
			switch _, slash := classify(rest); {
			case slash && how&creating != 0:
				return spot{}, syscall.EISDIR
			case !slash && s.state == missing:
				return spot{}, syscall.ENOENT // "." of nothing
			}
		}
		if s.state == found && s.info.IsLink() && (!whole || up || dir || how&follow != 0) {
			if hops++; hops > maxLinks {
				return spot{}, syscall.ELOOP
			}
			if err := r.passPath(s.path, s.m); err != nil {
				return spot{}, err
			}
			target, err := followable(s.info.Target)
			if err != nil {
				return spot{}, err
			}
			next := target + path[len(s.path):]
			switch {
			case up:
				next += "/.." + tail
			case strings.HasSuffix(rest, "/"):
				next += "/"
			case dir:
				next += "/." // it was named with a dot at the end
			}
			rest = next
			if target[0] == '/' {
				done, r.checked = "/", 0
			} else {
				done = parentOf(s.path)
				r.checked = len(done)
			}
			continue
		}
		if up {
			if err := r.demandDir(s); err != nil {
				return spot{}, err
			}
			done = parentOf(s.path)
			r.checked = len(done)
			rest = tail
			if rest == "" {
				rest = "/"
			}
			continue
		}
		if dir && s.state == found && !s.info.IsDir() {
			return spot{}, syscall.ENOTDIR
		}
		return s, nil
	}
}

// followable refuses the links that lead nowhere by design: a backend that
// does not tell the text of a link does not want it followed.
func followable(target string) (string, error) {
	if target == "" {
		return "", syscall.ELOOP
	}
	return target, nil
}

// demandDir is for the directory of another component: it must be one, and it
// must be possible to pass through it.
func (r *resolver) demandDir(s spot) error {
	if err := r.passPath(s.path, s.m); err != nil {
		return err
	}
	switch {
	case s.state != found:
		return syscall.ENOENT
	case !s.info.IsDir():
		return syscall.ENOTDIR
	}
	return nil
}

// passPath asks the guard whether the session may pass through a directory or
// link.
func (r *resolver) passPath(path string, m *mount) error {
	if r.v.free {
		return nil
	}
	return r.v.guard.Check(r.ctx, Access{Op: OpTraverse, Path: path, Mount: m.Prefix, Caller: r.v.caller})
}

// passInner is what a backend asks while it walks.
func (r *resolver) passInner(i int) error {
	end := r.base + i
	if end <= r.checked {
		return nil
	}
	return r.passPath(r.path[:end], r.m)
}

// reach walks a clean absolute path without following links: the spot is that
// of the whole path, or of the first link on the way, with a shorter path.
// The first r.checked bytes of path have been asked about.
func (r *resolver) reach(path string) (spot, error) {
	ns := r.v.ns
	s := spot{path: path, m: ns.root.mount, place: ns.root}
	if r.checked == 0 { // every name starts there, "/" included
		if err := r.passPath("/", s.m); err != nil {
			return s, err
		}
	}
	at := 0 // end of the part of path that places cover
	for at < len(path) && path != "/" {
		part, _ := nextPart(path[at+1:])
		child := s.place.children[part]
		if child == nil {
			break
		}
		at += 1 + len(part)
		s.place = child
		if child.mount != nil {
			s.m = child.mount
		}
		if child.link != "" {
			s.path, s.state, s.info = path[:at], found, child.info(ns)
			return s, nil
		}
		if at < len(path) && at > r.checked {
			if err := r.passPath(path[:at], s.m); err != nil {
				return s, err
			}
		}
	}
	if !r.v.free && r.v.guard.Hidden(path) {
		// What lies on the way has to be asked about all the same: a
		// hidden name in a denied directory is the directory's affair.
		s.state = hidden
		if at < len(path) {
			s.place = nil
		}
		return s, nil
	}
	if at == len(path) || path == "/" {
		return r.reachPlace(s)
	}
	return r.walk(s, at)
}

// reachPlace describes a place itself.
func (r *resolver) reachPlace(s spot) (spot, error) {
	s.state = found
	info, err := r.v.backend(s.m).Stat(r.ctx, s.m.inner(s.path))
	switch {
	case err == nil && (info.IsDir() || s.place.mount != nil && s.m.personal != nil):
		s.info = r.finish(info, &s)
	case s.place.mount != nil && err != nil:
		return s, err
	default:
		s.synthetic = true
		s.info = s.place.info(r.v.ns)
		s.info.Dev = s.m.dev
	}
	return s, nil
}

// walk walks the backend of a mount. at is the end of the part of the path
// that places cover.
func (r *resolver) walk(s spot, at int) (spot, error) {
	dir := s.place
	s.place = nil
	m := s.m
	r.m, r.path, r.base = m, s.path, len(m.dir)+1
	r.checked = max(r.checked, at)
	limit := len(s.path)
	link := 0
	if m.overlay {
		if link = r.v.ns.nodes.firstLink(s.path, at); link != 0 {
			limit = link
		}
	}
	info, n, err := r.walkBackend(s.path[r.base:limit], link)
	end := r.base + n
	switch {
	case err == nil && link != 0 && end == limit:
		s.path, s.state = s.path[:limit], found
		s.info = r.finish(Info{}, &s)
	case err == nil && info.IsLink() && end <= at:
		// A link of the backend under a place: the place is a directory
		// that holds none of it.
		return r.below(s, dir, at)
	case err == nil:
		s.path, s.state = s.path[:end], found
		s.info = r.finish(info, &s)
	case Errno(err) == syscall.ENOENT, Errno(err) == syscall.ENOTDIR:
		if end <= at {
			return r.below(s, dir, at)
		}
		if Errno(err) == syscall.ENOTDIR || end < len(s.path) {
			return s, err
		}
	default:
		return s, err
	}
	return s, nil
}

// below is for a name under a place that the backend does not hold.
func (r *resolver) below(s spot, dir *place, at int) (spot, error) {
	if dir.mount != nil || strings.IndexByte(s.path[at+1:], '/') >= 0 {
		return s, syscall.ENOENT
	}
	s.under = true
	return s, nil
}

// walkBackend walks a name. link tells that the node table holds a link there,
// which the backend knows nothing of: only its directory is walked.
func (r *resolver) walkBackend(inner string, link int) (Info, int, error) {
	name := inner
	if link != 0 {
		dir, _, ok := cutLast(inner)
		if !ok {
			return Info{}, len(inner), nil
		}
		name = dir
	}
	pass := r.pass
	if r.v.free {
		pass = nil
	}
	var info Info
	var n int
	var err error
	if r.m.walker != nil {
		info, n, err = r.m.walker.Walk(r.ctx, name, pass)
	} else {
		info, n, err = walkByStat(r.ctx, r.v.backend(r.m), name, pass)
	}
	if link == 0 || err != nil || info.IsLink() {
		return info, n, err
	}
	// The directory of a link was walked.
	if !info.IsDir() {
		return info, len(name), syscall.ENOTDIR
	}
	if pass != nil {
		err = pass(len(name))
	}
	return Info{}, len(inner), err
}

// walkByStat is Walk on a backend without links.
func walkByStat(ctx context.Context, fsys FS, name string, pass func(i int) error) (Info, int, error) {
	if pass != nil {
		for i := range len(name) {
			if name[i] == '/' {
				if err := pass(i); err != nil {
					return Info{}, i, err
				}
			}
		}
	}
	info, err := fsys.Stat(ctx, name)
	if dir, _, ok := cutLast(name); ok && errIs(err, syscall.ENOENT) {
		// Which component is missing matters to whoever would make it.
		if parent, perr := fsys.Stat(ctx, dir); perr != nil {
			return Info{}, len(dir), perr
		} else if !parent.IsDir() {
			return Info{}, len(dir), syscall.ENOTDIR
		}
	}
	return info, len(name), err
}

// finish completes the description of what was found at s.path.
func (r *resolver) finish(i Info, s *spot) Info {
	return r.v.ns.dress(i, s.m, s.path)
}

// dress completes what a backend says of the file at an absolute path.
func (ns *Namespace) dress(i Info, m *mount, path string) Info {
	_, i.Name, _ = cutLast(path)
	if i.Name == "" {
		i.Name = "/"
	}
	if m.overlay {
		if n, ino := ns.nodes.get(path); n != nil {
			n.cover(&i, ino)
		}
	}
	i.Dev = m.dev
	return i
}

// errIs reports whether err carries the errno e.
func errIs(err error, e syscall.Errno) bool { return err != nil && Errno(err) == e }
