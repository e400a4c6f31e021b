package vfs

import (
	"io/fs"
	"maps"
	"time"
)

// void reports whether the times of a node are older than the content.
func (n *Node) void(modified time.Time) bool {
	return !n.Observed.Equal(modified)
}

// cover lays a node over what the backend says of the file.
func (n *Node) cover(i *Info, ino uint64) {
	if n.Target != "" {
		*i = Info{Name: i.Name, Mode: fs.ModeSymlink | 0o777, Size: int64(len(n.Target)), Nlink: 1, Ino: ino, Target: n.Target}
	}
	if n.Mode != nil && n.Target == "" {
		i.Mode = i.Mode.Type() | *n.Mode
	}
	if n.UID != nil {
		i.UID = *n.UID
	}
	if n.GID != nil {
		i.GID = *n.GID
	}
	if n.Target == "" && n.void(i.ModTime) {
		return
	}
	if n.AccessTime != nil {
		i.AccessTime = *n.AccessTime
	}
	if n.ModTime != nil {
		i.ModTime = *n.ModTime
		if n.Target != "" {
			i.ChangeTime, i.BirthTime = *n.ModTime, *n.ModTime
		}
	}
}

// merge makes a node hold the fields of rest and forget the other fields of
// attr, which the backend holds.
func (n Node) merge(attr, rest Attr, observed time.Time) Node {
	if attr.Mode != nil {
		n.Mode = rest.Mode
	}
	if attr.UID != nil {
		n.UID = rest.UID
	}
	if attr.GID != nil {
		n.GID = rest.GID
	}
	if n.Target == "" && n.void(observed) {
		n.AccessTime, n.ModTime = nil, nil
	}
	if attr.AccessTime != nil {
		n.AccessTime = rest.AccessTime
	}
	if attr.ModTime != nil {
		n.ModTime = rest.ModTime
	}
	if n.AccessTime != nil || n.ModTime != nil {
		n.Observed = observed
	} else {
		n.Observed = time.Time{}
	}
	return n
}

// withXattr answers the node with one attribute set, or unset when value is
// nil.
func (n Node) withXattr(name string, value []byte) Node {
	n.Xattrs = maps.Clone(n.Xattrs)
	if value == nil {
		delete(n.Xattrs, name)
		return n
	}
	if n.Xattrs == nil {
		n.Xattrs = map[string][]byte{}
	}
	n.Xattrs[name] = value
	return n
}
