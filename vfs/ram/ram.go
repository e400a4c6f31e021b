// Package ram is a filesystem in memory.
//
// It is a persistent data structure: each change makes a new tree that shares
// all but the changed path with the one before, and publishes it in one step.
// So a reader never waits for a writer, sees every call done entirely or not
// at all, and a snapshot costs nothing.
package ram

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mirage/vfs"
)

// The limits of a filesystem whose options set none.
const (
	DefaultMaxBytes   = 4 << 30
	DefaultMaxEntries = 1 << 20
)

// Options describes a filesystem. The zero value is fit for use.
type Options struct {
	// MaxBytes bounds the memory of file contents, link texts and extended
	// attributes; MaxEntries the names in all directories. 0 is the
	// default, a negative number no limit. ENOSPC beyond them.
	MaxBytes, MaxEntries int64
	// UID and GID own what is created.
	UID, GID int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// FS is a filesystem in memory. It offers every capability of package vfs.
// Access times are those of creation or of SetAttr: reading does not change
// them, as with the mount option noatime.
type FS struct {
	o    Options
	tree atomic.Pointer[tree]

	// mu is held while a new tree is made and published. An openFile's own
	// lock is taken before it.
	mu   sync.Mutex
	open map[uint64]*openFile // inodes with open handles
}

// New makes an empty filesystem.
func New(o Options) *FS {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxEntries == 0 {
		o.MaxEntries = DefaultMaxEntries
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	now := o.Now
	o.Now = func() time.Time { return now().Round(0) } // no monotonic reading
	t := empty(o)
	return newFS(o, &t)
}

func newFS(o Options, t *tree) *FS {
	f := &FS{o: o, open: map[uint64]*openFile{}}
	f.tree.Store(t)
	return f
}

// Snapshot answers a read-only FS of the tree as it is now, in constant time.
func (f *FS) Snapshot(context.Context) (vfs.FS, error) { return snapshot{f.tree.Load(), f.o}, nil }

// Clone answers an independent filesystem with the same options that starts
// with the tree as it is now. It shares memory with f for as long as neither
// changes the same bytes.
func (f *FS) Clone() *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := *f.tree.Load()
	for ino := range f.open {
		if t.inodes.get(ino).nlink == 0 {
			t.drop(ino) // only handles of f reach it
		}
	}
	return newFS(f.o, &t)
}

// update changes the tree: all of what fn does, or, when it fails, nothing.
func (f *FS) update(fn func(t *tree, now time.Time) error) error {
	now := f.o.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.publish(now, fn)
}

// publish is update with the lock held.
func (f *FS) publish(now time.Time, fn func(t *tree, now time.Time) error) error {
	old := f.tree.Load()
	t := *old
	if err := fn(&t, now); err != nil {
		return err
	}
	if f.o.MaxBytes > 0 && t.bytes > f.o.MaxBytes && t.bytes > old.bytes ||
		f.o.MaxEntries > 0 && t.entries > f.o.MaxEntries && t.entries > old.entries {
		return syscall.ENOSPC
	}
	f.tree.Store(&t)
	return nil
}

// release forgets an inode that has lost its last name, unless it is open.
func (f *FS) release(t *tree, ino uint64) {
	if f.open[ino] == nil {
		t.drop(ino)
	}
}

// Stat describes a file without following links.
func (f *FS) Stat(ctx context.Context, name string) (vfs.Info, error) {
	return f.tree.Load().stat(ctx, name)
}

// Walk walks a name; see vfs.Walker.
func (f *FS) Walk(ctx context.Context, name string, pass func(int) error) (vfs.Info, int, error) {
	return f.tree.Load().walkInfo(ctx, name, pass)
}

// ReadDir lists a directory in one consistent state.
func (f *FS) ReadDir(ctx context.Context, name string) ([]vfs.Info, error) {
	return f.tree.Load().readDir(ctx, name)
}

// StatFS reports the limits of the options and what is left of them.
func (f *FS) StatFS(context.Context) (vfs.Usage, error) { return f.tree.Load().usage(f.o), nil }

// GetXattr answers one extended attribute.
func (f *FS) GetXattr(ctx context.Context, name, attr string) ([]byte, error) {
	return f.tree.Load().getXattr(ctx, name, attr)
}

// ListXattr lists extended attributes, sorted.
func (f *FS) ListXattr(ctx context.Context, name string) ([]string, error) {
	return f.tree.Load().listXattr(ctx, name)
}

func (t *tree) listXattr(ctx context.Context, name string) ([]string, error) {
	if err := check(ctx, name); err != nil {
		return nil, fail("listxattr", name, err)
	}
	in, err := t.lookup(name)
	if err != nil {
		return nil, fail("listxattr", name, err)
	}
	return slices.Sorted(maps.Keys(in.xattrs)), nil
}
