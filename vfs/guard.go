package vfs

import "context"

// Op names what a View is about to do with one resolved name.
type Op string

// The operations that a Guard is asked about.
const (
	OpStat      Op = "stat"
	OpReadDir   Op = "readdir"
	OpRead      Op = "read"     // open for reading
	OpWrite     Op = "write"    // open for writing, truncate
	OpCreate    Op = "create"   // a file, directory or link that is not there yet
	OpRemove    Op = "remove"   // unlink, rmdir
	OpRename    Op = "rename"   // the name that a rename takes away; both names of an exchange
	OpRenameTo  Op = "renameto" // the name that a rename makes or replaces
	OpReadlink  Op = "readlink" // the text of a link
	OpSetAttr   Op = "setattr"
	OpGetXattr  Op = "getxattr"
	OpSetXattr  Op = "setxattr"
	OpTraverse  Op = "traverse" // pass through a directory or link
	OpRemoveAll Op = "removeall"
)

// OpClose is told to an Observer only: nobody is asked before a Close.
const OpClose Op = "close"

// Access is one question that a View asks its Guard: may this be done to
// this file? Path is absolute, free of links, "." and "..".
type Access struct {
	Op     Op
	Path   string
	Mount  string // prefix of the mount that serves Path
	Write  bool   // the operation changes something
	Dir    bool   // Path is a directory now; false where that is not known
	Caller any    // what View.For was given; nil for a front end's own calls
	// Other is the second path of a rename or link: the destination when
	// Path is the source and the reverse.
	Other string
}

// Guard decides what a session may do with its files. A View asks it after
// the name is resolved and before the backend is touched. All methods must be
// safe for concurrent use and quick.
type Guard interface {
	// Check answers nil, or the errno that the caller is to see: ENOENT for
	// what is hidden, EACCES for what is denied, EROFS for a write where
	// the mount or the session may only read.
	Check(ctx context.Context, a Access) error
	// Hidden reports whether path is to be left out of listings. A hidden
	// path fails Check with ENOENT as well.
	Hidden(path string) bool
}

// Shifting is a Guard whose answers may change while files are open. What is
// open is asked about again, at its next read or write after a change.
type Shifting interface {
	// Version changes whenever Check may answer otherwise than before.
	Version() uint64
}

// AllowAll is the Guard of a caller without rules.
type AllowAll struct{}

// Check allows everything.
func (AllowAll) Check(context.Context, Access) error { return nil }

// Hidden hides nothing.
func (AllowAll) Hidden(string) bool { return false }
