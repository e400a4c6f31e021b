// Package copying copies and moves files and trees for cp and mv, with the
// decisions and the messages of GNU coreutils.
package copying

import (
	"context"
	"time"

	"mirage/shell/program"
	"mirage/shell/program/backup"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// Links says which symbolic links of the source are followed.
type Links int

// The ways to treat links.
const (
	FollowAll      Links = iota // cp's default, -L
	FollowOperands              // -H
	FollowNone                  // -P, -d, -a
)

// Overwrite says what is done about a destination that exists.
type Overwrite int

// The ways to treat an existing destination.
const (
	Always Overwrite = iota // the default, -f
	Ask                     // -i
	Never                   // -n
)

// Update says which existing destinations are left alone because of their age.
type Update int

// The values of --update.
const (
	UpdateAll   Update = iota
	UpdateNone         // every existing one
	UpdateOlder        // those that are not older than the source
)

// Sparse says how holes are made.
type Sparse int

// The values of --sparse.
const (
	SparseAuto Sparse = iota // where the source has some
	SparseAlways
	SparseNever
)

// Options are what cp and mv have in common.
type Options struct {
	Move       bool
	NoCopy     bool // mv fails where renaming does
	Links      Links
	Recursive  bool
	Overwrite  Overwrite
	Update     Update
	Force      bool // remove a destination that cannot be opened
	RemoveDest bool // remove each destination first
	HardLink   bool // link instead of copying
	SymLink    bool
	OneMount   bool
	Verbose    bool
	AttrsOnly  bool // leave the contents out
	Sparse     Sparse
	Backup     backup.Policy

	PreserveMode, PreserveTimes, PreserveOwner, PreserveLinks, PreserveXattr bool
	// NoPreserveMode gives new files the default mode, whatever the
	// source's.
	NoPreserveMode bool
	// RequireXattr makes a failure to keep extended attributes an error.
	RequireXattr bool
}

// Copier does the work of one run. It remembers what it made.
type Copier struct {
	Options
	Inv *program.Invocation
	Out *stream.Writer

	ask     *program.Prompter
	buf     []byte
	made    map[string]bool   // resolved destinations of operands so far
	sources map[string]bool   // operands so far
	copied  map[fileID]string // where a file with several names went
	roots   map[fileID]bool   // the first directory made for each operand
	rooted  bool              // the current operand has one
	dirs    map[fileID]string // source directories that operands named
	top     [2]string         // source and destination of the current operand
}

// fileID is the identity of a file; the name stands in for a number where a
// backend has none.
type fileID struct {
	dev, ino uint64
	name     string
}

// New makes a Copier. Messages about what was done go to out.
func New(inv *program.Invocation, out *stream.Writer, o Options) *Copier {
	return &Copier{
		Options: o, Inv: inv, Out: out, ask: program.NewPrompter(inv),
		made: map[string]bool{}, sources: map[string]bool{}, copied: map[fileID]string{}, roots: map[fileID]bool{}, dirs: map[fileID]string{},
	}
}

// Result tells what came of one operand.
type Result struct {
	OK bool
	// Renamed is set when a move needed no copy, or was declined: the source
	// is not to be removed.
	Renamed bool
	// IntoItself is set when a directory was to go into itself.
	IntoItself bool
}

// item is one file on its way.
type item struct {
	src, dst string
	operand  bool // named on the command line
	isNew    bool // nothing is at dst, by what we know
	info     vfs.Info
	parent   *item // the directory above, of the source
	old      vfs.Info
	saved    string // name of the backup of dst
}

// Copy copies or moves one operand to dst, and all that is below it.
func (c *Copier) Copy(ctx context.Context, src, dst string) Result {
	c.top = [2]string{src, dst}
	c.rooted = false
	var r Result
	r.OK = c.copy(ctx, &item{src: src, dst: dst, operand: true}, &r)
	return r
}

// id identifies a file.
func (c *Copier) id(ctx context.Context, name string, info vfs.Info) fileID {
	if info.Ino != 0 {
		return fileID{dev: info.Dev, ino: info.Ino}
	}
	real, err := c.Inv.FS.RealPath(ctx, c.Inv.Path(name))
	if err != nil {
		real = c.Inv.Path(name)
	}
	return fileID{name: real}
}

// followsLinks tells whether a link at this place stands for its target.
func (c *Copier) followsLinks(it *item) bool {
	return c.Links == FollowAll || c.Links == FollowOperands && it.operand
}

func (c *Copier) statSource(ctx context.Context, it *item) error {
	stat := c.Inv.FS.Lstat
	if c.followsLinks(it) {
		stat = c.Inv.FS.Stat
	}
	var err error
	it.info, err = stat(ctx, c.Inv.Path(it.src))
	return err
}

// tell reports a copy with -v.
func (c *Copier) tell(verb string, it *item) {
	text := verb + c.Inv.Quote(it.src) + " -> " + c.Inv.Quote(it.dst)
	if it.saved != "" {
		text += " (backup: " + c.Inv.Quote(it.saved) + ")"
	}
	c.Out.WriteString(text + "\n")
}

// olderThan compares modification times for --update.
func olderThan(a, b time.Time) bool { return a.Before(b) }
