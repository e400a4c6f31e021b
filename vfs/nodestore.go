package vfs

import (
	"context"
	"io/fs"
	"time"
)

// Node is what the node table holds of one file: a symbolic link, or the
// attributes that the file's backend cannot hold. A nil field says nothing.
type Node struct {
	Target     string            `json:"target,omitempty"` // text of a link; "" for other files
	Mode       *fs.FileMode      `json:"mode,omitempty"`   // permission, setuid, setgid and sticky bits
	UID        *int              `json:"uid,omitempty"`
	GID        *int              `json:"gid,omitempty"`
	AccessTime *time.Time        `json:"atime,omitempty"`
	ModTime    *time.Time        `json:"mtime,omitempty"`
	Xattrs     map[string][]byte `json:"xattrs,omitempty"`
	// Observed is the time of change that the backend reported when the
	// times above were set. When it reports another, they are void: the
	// content has been written since.
	Observed time.Time `json:"observed,omitzero"`
}

// IsZero reports whether the node says nothing.
func (n Node) IsZero() bool {
	return n.Target == "" && n.Mode == nil && n.UID == nil && n.GID == nil &&
		n.AccessTime == nil && n.ModTime == nil && len(n.Xattrs) == 0
}

// NodeChange puts a node at an absolute path, or deletes the one there when
// Node is nil.
type NodeChange struct {
	Path string
	Node *Node
}

// NodeStore keeps the node table of one namespace. The namespace calls it
// from one goroutine at a time, and never after a read of the table alone.
type NodeStore interface {
	// LoadNodes calls fn for every node, in any order, and ends with fn's
	// error.
	LoadNodes(fn func(path string, n Node) error) error
	// SaveNodes makes all changes, in order, or none.
	SaveNodes(ctx context.Context, changes []NodeChange) error
}
