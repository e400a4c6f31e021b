package vfs_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mirage/vfs"
	"mirage/vfs/ram"
)

// bare is a backend that holds nothing beyond a tree of files: no links, no
// attributes.
type bare struct{ fs *ram.FS }

func (b bare) Open(ctx context.Context, name string, flag int, perm fs.FileMode) (vfs.File, error) {
	f, err := b.fs.Open(ctx, name, flag, perm)
	if err != nil {
		return nil, err
	}
	return struct{ vfs.File }{f}, nil // without SetAttr
}
func (b bare) Stat(ctx context.Context, name string) (vfs.Info, error) { return b.fs.Stat(ctx, name) }
func (b bare) ReadDir(ctx context.Context, name string) ([]vfs.Info, error) {
	list, err := b.fs.ReadDir(ctx, name)
	for i, info := range list {
		list[i] = vfs.Info{Name: info.Name, Mode: info.Mode.Type(), Size: -1, Partial: true}
	}
	return list, err
}
func (b bare) Mkdir(ctx context.Context, name string, perm fs.FileMode) error {
	return b.fs.Mkdir(ctx, name, perm)
}
func (b bare) Remove(ctx context.Context, name string) error     { return b.fs.Remove(ctx, name) }
func (b bare) Rename(ctx context.Context, from, to string) error { return b.fs.Rename(ctx, from, to) }

// memStore is a NodeStore in memory that fails on demand.
type memStore struct {
	mu    sync.Mutex
	nodes map[string]vfs.Node
	err   error
}

func (s *memStore) LoadNodes(fn func(string, vfs.Node) error) error {
	for path, n := range s.nodes {
		if err := fn(path, n); err != nil {
			return err
		}
	}
	return nil
}

func (s *memStore) SaveNodes(_ context.Context, changes []vfs.NodeChange) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	for _, c := range changes {
		if c.Node == nil {
			delete(s.nodes, c.Path)
		} else {
			s.nodes[c.Path] = *c.Node
		}
	}
	return nil
}

func (s *memStore) paths() string { return strings.Join(slices.Sorted(maps.Keys(s.nodes)), " ") }

func overlaid(t testing.TB, backend *ram.FS, o vfs.NamespaceOptions) *vfs.View {
	t.Helper()
	ns, err := vfs.NewNamespace([]vfs.Mount{{Prefix: "/", FS: bare{backend}, Mode: vfs.Write}}, o)
	must(t, err)
	return vfs.NewView(ns, vfs.AllowAll{})
}

// TestNodeTableIsKept builds a table, opens it again from its store, and
// checks what is there.
func TestNodeTableIsKept(t *testing.T) {
	ctx := context.Background()
	store := &memStore{nodes: map[string]vfs.Node{}}
	backend := ram.New(ram.Options{})
	v := overlaid(t, backend, vfs.NamespaceOptions{Nodes: store})
	when := time.Unix(1_000_000_000, 0)
	mode := fs.FileMode(0o600)
	must(t,
		v.MkdirAll(ctx, "/d/sub", 0o755), v.WriteFile(ctx, "/d/sub/f", []byte("x"), 0o644),
		v.Symlink(ctx, "sub/f", "/d/link"),
		v.SetAttr(ctx, "/d/sub/f", vfs.Attr{Mode: &mode, ModTime: &when}, true),
		v.SetXattr(ctx, "/d/sub/f", "user.a", []byte{0, 255}, false, false, true),
		v.Rename(ctx, "/d", "/e", 0),
	)
	if got := store.paths(); got != "/e/link /e/sub/f" {
		t.Errorf("the store holds %s", got)
	}
	v = overlaid(t, backend, vfs.NamespaceOptions{Nodes: store})
	data, err := v.ReadFile(ctx, "/e/link", -1)
	if err != nil || string(data) != "x" {
		t.Errorf("ReadFile = %q, %v", data, err)
	}
	info, err := v.Stat(ctx, "/e/link")
	if err != nil || info.Mode != mode || !info.ModTime.Equal(when) {
		t.Errorf("Stat = %v %v, %v", info.Mode, info.ModTime, err)
	}
	value, err := v.GetXattr(ctx, "/e/sub/f", "user.a", true)
	if err != nil || string(value) != "\x00\xff" {
		t.Errorf("GetXattr = %q, %v", value, err)
	}
	list, err := v.ReadDir(ctx, "/e/sub")
	if err != nil || len(list) != 1 || list[0].Mode != mode || list[0].Size != 1 || list[0].Partial {
		t.Errorf("ReadDir = %+v, %v", list, err)
	}
	// A write voids the times, and keeps the mode.
	must(t, v.WriteFile(ctx, "/e/sub/f", []byte("yy"), 0o644))
	info, err = v.Stat(ctx, "/e/sub/f")
	if err != nil || info.Mode != mode || info.ModTime.Equal(when) {
		t.Errorf("after a write: %v %v, %v", info.Mode, info.ModTime, err)
	}
	must(t, v.RemoveAll(ctx, "/e"))
	if got := store.paths(); got != "" {
		t.Errorf("the store still holds %s", got)
	}
	if _, err := vfs.NewNamespace(nil, vfs.NamespaceOptions{Nodes: &memStore{nodes: map[string]vfs.Node{"bad": {Target: "x"}}}}); err == nil {
		t.Error("a store with a relative path was loaded")
	}
}

// TestTimesAreVoidedBehindTheBack checks a write that the namespace did not
// see.
func TestTimesAreVoidedBehindTheBack(t *testing.T) {
	ctx := context.Background()
	now := time.Unix(2_000_000_000, 0)
	backend := ram.New(ram.Options{Now: func() time.Time { return now }})
	v := overlaid(t, backend, vfs.NamespaceOptions{})
	when := time.Unix(1, 0)
	must(t, v.WriteFile(ctx, "/f", nil, 0o644), v.SetAttr(ctx, "/f", vfs.Attr{ModTime: &when}, true))
	if info, _ := v.Stat(ctx, "/f"); !info.ModTime.Equal(when) {
		t.Errorf("the overlay shows %v, want %v", info.ModTime, when)
	}
	now = now.Add(time.Second)
	f, err := backend.Open(ctx, "f", os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteAt([]byte("x"), 0)
	must(t, err, f.Close())
	if info, _ := v.Stat(ctx, "/f"); !info.ModTime.Equal(now) {
		t.Errorf("after a write the overlay shows %v, want %v", info.ModTime, now)
	}
}

func TestNodeStoreFails(t *testing.T) {
	ctx := context.Background()
	store := &memStore{nodes: map[string]vfs.Node{}}
	v := overlaid(t, ram.New(ram.Options{}), vfs.NamespaceOptions{Nodes: store})
	must(t, v.Symlink(ctx, "x", "/kept"))
	store.err = errors.New("disk full")
	wantErrno(t, "Symlink", v.Symlink(ctx, "x", "/lost"), syscall.EIO)
	_, err := v.Lstat(ctx, "/lost")
	wantErrno(t, "Lstat", err, syscall.ENOENT)
	wantErrno(t, "Unlink", v.Unlink(ctx, "/kept"), syscall.EIO)
	_, err = v.Lstat(ctx, "/kept")
	wantErrno(t, "Lstat of what could not be removed", err, 0)
}

func TestNodeTableIsBounded(t *testing.T) {
	ctx := context.Background()
	v := overlaid(t, ram.New(ram.Options{}), vfs.NamespaceOptions{MaxNodeBytes: 10_000})
	made := 0
	var err error
	for err == nil && made < 1000 {
		if err = v.Symlink(ctx, "target", fmt.Sprintf("/link%d", made)); err == nil {
			made++
		}
	}
	wantErrno(t, "Symlink over the limit", err, syscall.ENOSPC)
	if made < 10 || made > 40 {
		t.Errorf("%d links fit into 10,000 bytes", made)
	}
	wantErrno(t, "SetXattr over the limit", v.SetXattr(ctx, "/", "user.a", make([]byte, 9000), false, false, true), syscall.ENOSPC)
	for i := range made {
		must(t, v.Unlink(ctx, fmt.Sprintf("/link%d", i)))
	}
	must(t, v.SetXattr(ctx, "/", "user.a", make([]byte, 9000), false, false, true))
}

// TestNodeTableUnderRace makes, moves and removes links and files by the same
// names from all sides; no name may come to be both.
func TestNodeTableUnderRace(t *testing.T) {
	ctx := context.Background()
	backend := ram.New(ram.Options{})
	v := overlaid(t, backend, vfs.NamespaceOptions{Nodes: &memStore{nodes: map[string]vfs.Node{}}})
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for j := range 200 {
				name, other := fmt.Sprintf("/n%d", (i+j)%3), fmt.Sprintf("/n%d", j%3)
				switch (i + j) % 5 {
				case 0:
					_ = v.Symlink(ctx, "nowhere", name)
				case 1:
					f, err := v.Open(ctx, name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
					if err == nil {
						_ = f.Close()
					}
				case 2:
					_ = v.Rename(ctx, name, other, 0)
				case 3:
					_ = v.Unlink(ctx, name)
				case 4:
					if _, err := v.ReadDir(ctx, "/"); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	for i := range 3 {
		name := fmt.Sprintf("n%d", i)
		info, err := v.Lstat(ctx, "/"+name)
		if err != nil || !info.IsLink() {
			continue
		}
		if _, err := backend.Stat(ctx, name); err == nil {
			t.Errorf("%s is a link of the table and a file of the backend", name)
		}
	}
}

// TestRenameKeepsTheBound moves links under a long name, over and over.
func TestRenameKeepsTheBound(t *testing.T) {
	ctx := context.Background()
	v := overlaid(t, ram.New(ram.Options{}), vfs.NamespaceOptions{MaxNodeBytes: 20_000})
	must(t, v.Mkdir(ctx, "/d", 0o755))
	for i := range 40 {
		must(t, v.Symlink(ctx, "x", fmt.Sprintf("/d/l%d", i)))
	}
	long := "/" + strings.Repeat("n", 250)
	must(t, v.MkdirAll(ctx, long, 0o755))
	wantErrno(t, "Rename", v.Rename(ctx, "/d", long+"/d", 0), syscall.ENOSPC)
	wantErrno(t, "Rename", v.Rename(ctx, "/d", "/e", 0), 0)
	if got := len(strings.Fields(names(t, v, "/e"))); got != 40 {
		t.Errorf("%d links are left of 40", got)
	}
}

// TestRemoveAllOfADeepTree removes a tree whose names no path could hold.
func TestRemoveAllOfADeepTree(t *testing.T) {
	ctx := context.Background()
	v := newView(t)
	part := strings.Repeat("/d", 500)
	must(t, v.MkdirAll(ctx, "/t"+part, 0o755))
	for range 4 {
		must(t, v.MkdirAll(ctx, "/u"+part, 0o755), v.Rename(ctx, "/t", "/u"+part+"/t", 0), v.Rename(ctx, "/u", "/t", 0))
	}
	must(t, v.RemoveAll(ctx, "/t"))
	if got := names(t, v, "/"); got != "" {
		t.Errorf("%s is left", got)
	}
}
