package vfs

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

// Namespace joins mounts into one tree: longest prefix wins, parents of mounts
// that no backend holds are synthetic directories.
type Namespace struct{}
