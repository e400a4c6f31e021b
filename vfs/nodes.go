package vfs

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// DefaultMaxNodeBytes is the memory that the node table of a namespace may
// take unless its options say otherwise.
const DefaultMaxNodeBytes = 64 << 20

// nodeOverhead is roughly what a node takes beside its texts.
const nodeOverhead = 256

// nodeTable holds links and attributes for backends that cannot. It is a tree
// by path, so that a rename moves a whole branch at once.
//
// Lock order: change, then mu. change is held while the store is written, so
// that readers, who take mu alone, do not wait for it.
type nodeTable struct {
	store  NodeStore // may be nil
	max    int64
	filled atomic.Int64 // nodes in the table; what readers look at first

	change sync.Mutex
	bytes  int64  // guarded by change
	ino    uint64 // last inode number given out; guarded by change

	mu   sync.RWMutex
	root *branch
}

// branch is one name in the table. node is nil where only names below it have
// one. A *Node in the tree is never changed, only replaced.
type branch struct {
	node     *Node
	ino      uint64
	children map[string]*branch
}

// inoNode is the first inode number of links in the table.
const inoNode = 1<<62 + 1<<61

func loadNodes(store NodeStore, limit int64) (*nodeTable, error) {
	if limit == 0 {
		limit = DefaultMaxNodeBytes
	}
	t := &nodeTable{store: store, max: limit, root: &branch{}, ino: inoNode}
	if store == nil {
		return t, nil
	}
	err := store.LoadNodes(func(path string, n Node) error {
		if path == "" || path[0] != '/' || n.IsZero() {
			return errors.New("node table: not a node: " + path)
		}
		t.set(path, &n)
		return nil
	})
	return t, err
}

// empty reports that nothing is in the table: the usual case, which costs a
// reader no lock.
func (t *nodeTable) empty() bool { return t.filled.Load() == 0 }

// split answers the components of an absolute clean path one by one.
func nextPart(rest string) (part, tail string) {
	part, tail, _ = strings.Cut(rest, "/")
	return part, tail
}

// find answers the branch of a path, nil when there is none. mu is held.
func (t *nodeTable) find(path string) *branch {
	b := t.root
	for rest := path[1:]; rest != ""; {
		var part string
		part, rest = nextPart(rest)
		if b = b.children[part]; b == nil {
			return nil
		}
	}
	return b
}

// get answers the node of a path and the inode number of a link.
func (t *nodeTable) get(path string) (n *Node, ino uint64) {
	if t.empty() {
		return nil, 0
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	b := t.find(path)
	if b == nil {
		return nil, 0
	}
	return b.node, b.ino
}

// isLink reports whether the table holds a link of this name.
func (t *nodeTable) isLink(path string) bool {
	n, _ := t.get(path)
	return n != nil && n.Target != ""
}

// firstLink answers the end of the first component of path, beyond from, that
// is a link in the table; 0 when none is.
func (t *nodeTable) firstLink(path string, from int) (end int) {
	if t.empty() {
		return 0
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	b := t.root
	for i := 1; i < len(path); {
		part, _ := nextPart(path[i:])
		i += len(part)
		if b = b.children[part]; b == nil {
			return 0
		}
		if i > from && b.node != nil && b.node.Target != "" {
			return i
		}
		i++
	}
	return 0
}

// has reports whether the table holds anything at or below path.
func (t *nodeTable) has(path string) bool {
	if t.empty() {
		return false
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.find(path) != nil
}

// list answers the nodes of the names in a directory.
func (t *nodeTable) list(dir string) map[string]branch {
	if t.empty() {
		return nil
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	b := t.find(dir)
	if b == nil {
		return nil
	}
	out := make(map[string]branch, len(b.children))
	for name, c := range b.children {
		if c.node != nil {
			out[name] = branch{node: c.node, ino: c.ino}
		}
	}
	return out
}

// put replaces the node of a path; an empty one is removed.
func (t *nodeTable) put(ctx context.Context, path string, n *Node) error {
	return t.edit(ctx, path, func(Node) (Node, error) { return *n, nil })
}

// edit changes the node of a path in one step. fn gets a copy, whose Xattrs
// it may not change in place.
func (t *nodeTable) edit(ctx context.Context, path string, fn func(Node) (Node, error)) error {
	t.change.Lock()
	defer t.change.Unlock()
	var old Node
	if n, _ := t.get(path); n != nil {
		old = *n
	}
	n, err := fn(old)
	if err != nil {
		return err
	}
	change := NodeChange{Path: path, Node: &n}
	if n.IsZero() {
		if old.IsZero() {
			return nil
		}
		change.Node = nil
	} else if grown := t.bytes + cost(path, &n) - cost(path, &old); grown > t.max && cost(path, &n) > cost(path, &old) {
		return syscall.ENOSPC
	}
	if err := t.save(ctx, change); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set(path, change.Node)
	return nil
}

// save writes changes to the store.
func (t *nodeTable) save(ctx context.Context, changes ...NodeChange) error {
	if t.store == nil || len(changes) == 0 {
		return nil
	}
	if err := t.store.SaveNodes(ctx, changes); err != nil {
		return syscall.EIO
	}
	return nil
}

// set puts a node into the tree, or takes it out when n is nil. Both locks
// are held, or the table is not shared yet.
func (t *nodeTable) set(path string, n *Node) {
	var trail []*branch // from the root to the parent
	b := t.root
	for rest := path[1:]; rest != ""; {
		var part string
		part, rest = nextPart(rest)
		child := b.children[part]
		if child == nil {
			if n == nil {
				return
			}
			child = &branch{}
			if b.children == nil {
				b.children = map[string]*branch{}
			}
			b.children[part] = child
		}
		trail = append(trail, b)
		b = child
	}
	t.account(path, b.node, -1)
	b.node = n
	t.account(path, n, 1)
	if n != nil {
		if b.ino == 0 {
			t.ino++
			b.ino = t.ino
		}
		return
	}
	t.prune(trail, path)
}

// prune takes out the branches on the way to path that hold nothing any more.
func (t *nodeTable) prune(trail []*branch, path string) {
	for i := len(trail) - 1; i >= 0; i-- {
		dir, name, _ := cutLast(path)
		if b := trail[i].children[name]; b != nil && (b.node != nil || len(b.children) > 0) {
			return
		}
		delete(trail[i].children, name)
		path = dir
	}
}

func (t *nodeTable) account(path string, n *Node, sign int64) {
	if n != nil {
		t.bytes += sign * cost(path, n)
		t.filled.Add(sign)
	}
}

// cost is what a node counts towards the budget of the table.
func cost(path string, n *Node) int64 {
	if n.IsZero() {
		return 0
	}
	c := int64(nodeOverhead + len(path) + len(n.Target))
	for name, v := range n.Xattrs {
		c += int64(nodeOverhead + len(name) + len(v))
	}
	return c
}

// collect appends a change for every node at or below a branch.
func collect(changes []NodeChange, b *branch, path string, make func(path string, n *Node) NodeChange) []NodeChange {
	if b == nil {
		return changes
	}
	if b.node != nil {
		changes = append(changes, make(path, b.node))
	}
	for name, c := range b.children {
		changes = collect(changes, c, path+"/"+name, make)
	}
	return changes
}

func dropNode(path string, _ *Node) NodeChange { return NodeChange{Path: path} }
func keepNode(path string, n *Node) NodeChange { return NodeChange{Path: path, Node: n} }

// remove takes out everything at and below path.
func (t *nodeTable) remove(ctx context.Context, path string) error {
	if !t.has(path) {
		return nil
	}
	t.change.Lock()
	defer t.change.Unlock()
	return t.apply(ctx, collect(nil, t.find(path), path, dropNode))
}

// move makes everything at and below oldpath that of newpath, whose own nodes
// are lost.
func (t *nodeTable) move(ctx context.Context, oldpath, newpath string) error {
	if !t.has(oldpath) && !t.has(newpath) {
		return nil
	}
	t.change.Lock()
	defer t.change.Unlock()
	from, to := t.find(oldpath), t.find(newpath)
	changes := collect(nil, to, newpath, dropNode)
	changes = collect(changes, from, oldpath, dropNode)
	return t.apply(ctx, collect(changes, from, newpath, keepNode))
}

// fits answers ENOSPC when the nodes of two paths, moved from one to the other
// in either direction, would take more memory than the table may: their names
// count.
func (t *nodeTable) fits(a, b string) error {
	longer := int64(len(b) - len(a))
	branch := a
	if longer < 0 {
		longer, branch = -longer, b
	}
	t.change.Lock()
	defer t.change.Unlock()
	var n int64
	collect(nil, t.find(branch), branch, func(path string, _ *Node) NodeChange {
		n++
		return NodeChange{}
	})
	if longer*n > t.max-t.bytes {
		return syscall.ENOSPC
	}
	return nil
}

// swap exchanges what is at and below two paths.
func (t *nodeTable) swap(ctx context.Context, a, b string) error {
	if !t.has(a) && !t.has(b) {
		return nil
	}
	t.change.Lock()
	defer t.change.Unlock()
	from, to := t.find(a), t.find(b)
	changes := collect(nil, from, a, dropNode)
	changes = collect(changes, to, b, dropNode)
	changes = collect(changes, from, b, keepNode)
	return t.apply(ctx, collect(changes, to, a, keepNode))
}

// apply makes changes that follow what a backend has done already: the table
// in memory follows it even when the store fails. change is held.
func (t *nodeTable) apply(ctx context.Context, changes []NodeChange) error {
	err := t.save(context.WithoutCancel(ctx), changes...)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range changes {
		t.set(c.Path, c.Node)
	}
	return err
}
