package vfs

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Mode is what a mount allows. The ladder is cumulative: Exec includes Write,
// Write includes Read.
type Mode int

// The three modes of a mount.
const (
	Read Mode = iota + 1
	Write
	Exec
)

// String answers "read", "write" or "exec".
func (m Mode) String() string {
	switch m {
	case Read:
		return "read"
	case Write:
		return "write"
	case Exec:
		return "exec"
	}
	return "none"
}

// Mount places a backend in a namespace.
type Mount struct {
	Prefix      string // absolute, clean; "/" for the root
	FS          FS
	Mode        Mode
	Kind        string // backend name: ram, disk, ...
	Description string
	// Unlisted keeps the mount's name out of its parent's listing; it works
	// all the same. Reserved places (/dev, /usr/bin, ...) are unlisted.
	Unlisted bool
}

// MountInfo is what may be said of a mount to whoever can see it.
type MountInfo struct {
	Prefix, Kind, Description string
	Mode                      Mode
}

// NamespaceOptions is what a namespace needs beside its mounts.
type NamespaceOptions struct {
	// Root serves "/" when no mount does; it is not listed as a mount. When
	// it is nil too, the root is read-only and holds nothing but mounts.
	Root FS
	// Links are symbolic links that belong to the namespace itself, absolute
	// name to text, such as "/bin" to "usr/bin". They cannot be removed and
	// are not listed.
	Links map[string]string
	// Nodes keeps the node table; nil keeps it in memory only.
	Nodes NodeStore
	// MaxNodeBytes bounds the memory of the node table: 0 is
	// DefaultMaxNodeBytes. Beyond it, making links and attributes answers
	// ENOSPC.
	MaxNodeBytes int64
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Namespace joins mounts into one tree: longest prefix wins, parents of mounts
// that no backend holds are synthetic directories. Its mounts never change.
type Namespace struct {
	root    *place
	mounts  []*mount // sorted by prefix
	nodes   *nodeTable
	now     func() time.Time
	started time.Time
}

// place is a directory of the mount tree: the root of a mount, a parent of
// one, or a link of the namespace itself. Places lie over whatever a backend
// holds by the same name.
type place struct {
	name     string
	path     string // absolute
	mount    *mount // nil for a parent and for a link
	link     string // text; "" unless a link
	listed   bool   // named by the listing of its parent
	children map[string]*place
	ino      uint64
}

// mount is a Mount at work.
type mount struct {
	Mount
	dir      string   // Prefix, but "" for "/"
	walker   Walker   // nil when the backend is none
	personal Personal // nil when the backend is the same for all
	dev      uint64
	overlay  bool // the node table holds what this backend cannot
	hasAttr  bool // the backend holds some attributes itself

	// names keeps the backend and the node table from holding the same name
	// twice. Calls that make or remove a name in the backend alone hold it
	// for reading; those that change both, for writing. Taken before any
	// lock of the table or a backend.
	names sync.RWMutex
}

// inoPlace is the first inode number of places, which backends do not reach.
const inoPlace = 1 << 62

// NewNamespace joins mounts. It fails for a prefix that is not absolute and
// clean or given twice, and when the node table cannot be read.
func NewNamespace(mounts []Mount, o NamespaceOptions) (*Namespace, error) {
	ns := &Namespace{now: o.Now}
	if ns.now == nil {
		ns.now = time.Now
	}
	ns.started = ns.now()
	ns.root = &place{name: "/", path: "/", ino: inoPlace}
	places := uint64(1)
	for _, m := range mounts {
		prefix, err := cleanPrefix(m.Prefix)
		if err != nil {
			return nil, err
		}
		m.Prefix = prefix
		p := ns.root.make(prefix, !m.Unlisted, &places)
		if p.mount != nil {
			return nil, fmt.Errorf("duplicate mount prefix: '%s'", withSlash(prefix))
		}
		p.mount = newMount(m, uint64(len(ns.mounts)+1))
		ns.mounts = append(ns.mounts, p.mount)
	}
	if ns.root.mount == nil {
		m := Mount{Prefix: "/", FS: o.Root, Mode: Exec, Kind: "ram", Unlisted: true}
		if m.FS == nil {
			m.FS, m.Mode, m.Kind = emptyFS{ns.started}, Read, "none"
		}
		ns.root.mount = newMount(m, uint64(len(ns.mounts)+1))
		ns.mounts = append(ns.mounts, ns.root.mount)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Links)) {
		clean, err := cleanPrefix(name)
		if err != nil {
			return nil, err
		}
		p := ns.root.make(clean, false, &places)
		if p.mount != nil || len(p.children) > 0 || o.Links[name] == "" {
			return nil, fmt.Errorf("reserved link cannot be placed: '%s'", clean)
		}
		p.link = o.Links[name]
	}
	slices.SortFunc(ns.mounts, func(a, b *mount) int { return strings.Compare(a.Prefix, b.Prefix) })
	var err error
	ns.nodes, err = loadNodes(o.Nodes, o.MaxNodeBytes)
	return ns, err
}

func newMount(m Mount, dev uint64) *mount {
	w := &mount{Mount: m, dev: dev, dir: strings.TrimSuffix(m.Prefix, "/")}
	w.walker, _ = m.FS.(Walker)
	w.personal, _ = m.FS.(Personal)
	_, links := m.FS.(Symlinker)
	_, attrs := m.FS.(Attributer)
	_, xattrs := m.FS.(Xattrer)
	w.hasAttr = attrs
	w.overlay = !links || !attrs || !xattrs
	return w
}

// backend answers the mount's backend as the view sees it.
func (v *View) backend(m *mount) FS {
	if m.personal != nil {
		return m.personal.For(v.owner)
	}
	return m.FS
}

// cleanPrefix takes "/x" and "/x/" alike.
func cleanPrefix(prefix string) (string, error) {
	clean := prefix
	if clean != "/" {
		clean = strings.TrimSuffix(clean, "/")
	}
	if clean == "" || clean[0] != '/' || path.Clean(clean) != clean || checkName(clean) != nil || overlong(clean) >= 0 {
		return "", fmt.Errorf("mount prefix must be a clean absolute path: '%s'", prefix)
	}
	return clean, nil
}

// withSlash writes a prefix the way messages quote mounts.
func withSlash(prefix string) string {
	if prefix == "/" {
		return prefix
	}
	return prefix + "/"
}

// make answers the place at an absolute name, made with its parents. count
// is how many places there are.
func (p *place) make(name string, listed bool, count *uint64) *place {
	if name == "/" {
		return p
	}
	for part := range strings.SplitSeq(name[1:], "/") {
		child := p.children[part]
		if child == nil {
			child = &place{name: part, path: strings.TrimSuffix(p.path, "/") + "/" + part, ino: inoPlace + *count}
			*count++
			if p.children == nil {
				p.children = map[string]*place{}
			}
			p.children[part] = child
		}
		child.listed = child.listed || listed
		p = child
	}
	return p
}

// info describes a parent of mounts that no backend holds, or a link.
func (p *place) info(ns *Namespace) Info {
	i := Info{
		Name: p.name, Mode: fs.ModeDir | 0o755, Nlink: 2 + len(p.children), Ino: p.ino,
		ModTime: ns.started, AccessTime: ns.started, ChangeTime: ns.started, BirthTime: ns.started,
	}
	if p.link != "" {
		i.Mode, i.Nlink, i.Target, i.Size = fs.ModeSymlink|0o777, 1, p.link, int64(len(p.link))
	}
	return i
}

// inner answers the name by which the backend knows an absolute path at or
// below the mount.
func (m *mount) inner(path string) string {
	if len(path) <= len(m.dir)+1 {
		return "."
	}
	return path[len(m.dir)+1:]
}

// brief is what may be told of a mount.
func (m *mount) brief() MountInfo {
	return MountInfo{Prefix: m.Prefix, Kind: m.Kind, Description: m.Description, Mode: m.Mode}
}

// emptyFS is the root of a namespace without one.
type emptyFS struct{ started time.Time }

func (e emptyFS) Open(_ context.Context, name string, flag int, _ fs.FileMode) (File, error) {
	if name != "." {
		return nil, pathError("open", name, syscall.ENOENT)
	}
	return &dirHandle{info: e.root()}, nil
}

func (e emptyFS) Stat(_ context.Context, name string) (Info, error) {
	if name != "." {
		return Info{}, pathError("stat", name, syscall.ENOENT)
	}
	return e.root(), nil
}

func (e emptyFS) ReadDir(_ context.Context, name string) ([]Info, error) {
	if name != "." {
		return nil, pathError("readdir", name, syscall.ENOENT)
	}
	return nil, nil
}

func (e emptyFS) root() Info {
	return Info{Name: ".", Mode: fs.ModeDir | 0o755, Nlink: 2, Ino: inoPlace,
		ModTime: e.started, AccessTime: e.started, ChangeTime: e.started, BirthTime: e.started}
}
