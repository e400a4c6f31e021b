package vfs

import (
	"context"
	"io/fs"
)

// Change is one change that was made through a View, or that failed, be it
// that the rules refused it. It is told once it is over. What fails before any
// file is found, as a name that leads nowhere does, is no change; neither is
// what goes to a device.
type Change struct {
	// Op is OpCreate, OpWrite, OpClose, OpRemove, OpRemoveAll (a whole tree,
	// told once), OpRename, OpSetAttr or OpSetXattr (set or removed).
	//
	// OpWrite is told at the first write or truncation through a handle, or
	// when a file that is there is opened with O_TRUNC or replaced; OpClose
	// when a handle that has made or written a file is closed.
	Op     Op
	Path   string      // absolute, free of links but for the last component
	Other  string      // OpRename: the new name. OpCreate of a hard link: the file. Of a symbolic link: its text.
	Type   fs.FileMode // of what OpCreate makes: 0, fs.ModeDir or fs.ModeSymlink
	Caller any         // what View.For was given
	Err    error       // nil, or a bare syscall.Errno
}

// Observer is told of changes. It must be safe for concurrent use and quick:
// the call that made the change waits for it.
type Observer interface {
	// Changed tells of a change. ctx is that of the call, or that of Open.
	Changed(ctx context.Context, c Change)
}

// Observed derives a view whose changes o is told of.
func (v *View) Observed(o Observer) *View {
	w := *v
	w.observer = o
	return &w
}

// told tells the observer and answers the error of the change.
func (v *View) told(ctx context.Context, c Change, err error) error {
	if v.observer == nil {
		return err
	}
	c.Caller = v.caller
	if err != nil {
		c.Err = Errno(err)
	}
	v.observer.Changed(ctx, c)
	return err
}

// Meter counts what is written. It must be safe for concurrent use and quick.
type Meter interface {
	// Spend is asked before n bytes are written to a file, and answers nil or
	// the errno that the write is to fail with. Devices are not counted.
	Spend(ctx context.Context, n int64) error
}

// Metered derives a view whose writes m counts.
func (v *View) Metered(m Meter) *View {
	w := *v
	w.meter = m
	return &w
}

// spend asks the meter.
func (v *View) spend(ctx context.Context, n int) error {
	if v.meter == nil || n == 0 {
		return nil
	}
	return v.meter.Spend(ctx, int64(n))
}
