package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"mirage/accounts"
	"mirage/state"
	"mirage/vfs"
	"mirage/vfs/ram"
)

// description says what a mount is, without its place on the host.
func (m mountConfig) description() string {
	if m.kind == "disk" {
		return "Files kept on the server's disk"
	}
	return "Files in memory, lost when the workspace closes"
}

// checkRoots refuses host directories that are not the caller's to mount: an
// account (a user of the API, not its operator) may mount none at all, and
// nobody the folder that holds the server's own state.
func (m *Manager) checkRoots(c accounts.Caller, cfg *Config) error {
	for _, mount := range cfg.mounts {
		if mount.root == "" {
			continue
		}
		if !c.All {
			return errorf(Refused, "mount_refused", "disk: an account may not mount a directory of the host")
		}
		if m.root != "" && overlap(mount.root, m.root) {
			return errorf(Invalid, "config_invalid", "disk: root: '%s' holds the server's own state", mount.root)
		}
	}
	return nil
}

// overlap reports whether one directory lies in the other.
func overlap(a, b string) bool {
	a, b = real(a), real(b)
	return a == b || strings.HasPrefix(a, strings.TrimSuffix(b, "/")+"/") || strings.HasPrefix(b, strings.TrimSuffix(a, "/")+"/")
}

func real(dir string) string {
	if r, err := filepath.EvalSymlinks(dir); err == nil {
		return r
	}
	return filepath.Clean(dir)
}

// build makes a workspace of its record: backends, namespace, sessions.
func (m *Manager) build(ctx context.Context, id string, rec *workspaceRecord, cfg *Config) (*Workspace, error) {
	w := &Workspace{m: m, id: id, owner: rec.owner, cfg: cfg, created: rec.Created, sessions: map[string]*Session{}}
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	if err := w.mountAll(); err != nil {
		w.cancel(err)
		w.closeBackends()
		return nil, err
	}
	w.free = vfs.NewView(w.ns, vfs.AllowAll{})
	if err := w.loadSessions(ctx); err != nil {
		w.cancel(err)
		w.closeBackends()
		return nil, err
	}
	return w, nil
}

func (w *Workspace) closeBackends() {
	for _, c := range w.closers {
		if err := c.Close(); err != nil {
			w.m.log.Warn("backend does not close", "workspace", w.id, "error", err)
		}
	}
}

// mountAll opens the backends and joins them with the reserved places.
func (w *Workspace) mountAll() error {
	var mounts []vfs.Mount
	tmp := false
	for _, c := range w.cfg.mounts {
		fsys, err := openBackend(c)
		if err != nil {
			return err
		}
		if closer, ok := fsys.(io.Closer); ok {
			w.closers = append(w.closers, closer)
		}
		tmp = tmp || c.prefix == "/tmp"
		mounts = append(mounts, vfs.Mount{Prefix: c.prefix, FS: fsys, Mode: c.mode, Kind: c.kind, Description: c.description()})
	}
	if !tmp {
		mounts = append(mounts, vfs.Mount{Prefix: "/tmp", FS: ram.New(ram.Options{}), Mode: vfs.Exec, Kind: "ram", Unlisted: true})
	}
	ns, err := vfs.NewNamespace(mounts, vfs.NamespaceOptions{
		Root:  ram.New(ram.Options{}),
		Links: map[string]string{"/bin": "usr/bin"},
		Nodes: nodeStore{w},
		Now:   w.m.now,
	})
	if err != nil {
		return errorf(Failed, "workspace_unreadable", "workspace cannot be opened: %s", err)
	}
	w.ns = ns
	return nil
}

func openBackend(c mountConfig) (vfs.FS, error) {
	if c.kind == "ram" {
		return ram.New(ram.Options{}), nil
	}
	return nil, errorf(Invalid, "config_invalid", "not supported yet: vfs %s", c.kind)
}

// nodeStore keeps the node table of a workspace in the state store.
type nodeStore struct{ w *Workspace }

// LoadNodes implements vfs.NodeStore.
func (n nodeStore) LoadNodes(fn func(path string, node vfs.Node) error) error {
	prefix := n.w.id + "/"
	return n.w.m.store.View(context.Background(), func(tx state.Tx) error {
		var failed error
		err := tx.Scan(state.Nodes, prefix, func(key string, value []byte) bool {
			var node vfs.Node
			if failed = unmarshal(value, &node); failed != nil {
				failed = fmt.Errorf("record %s/%s: %w", state.Nodes, key, failed)
				return false
			}
			failed = fn(key[len(prefix)-1:], node)
			return failed == nil
		})
		return errors.Join(err, failed)
	})
}

// SaveNodes implements vfs.NodeStore.
func (n nodeStore) SaveNodes(ctx context.Context, changes []vfs.NodeChange) error {
	return n.w.m.store.Update(ctx, state.Grouped, func(tx state.Tx) error {
		if n.w.deleted.Load() {
			return errDeleted
		}
		for _, c := range changes {
			key := n.w.id + c.Path
			if c.Node == nil {
				if err := tx.Delete(state.Nodes, key); err != nil {
					return err
				}
				continue
			}
			if err := putJSON(tx, state.Nodes, key, c.Node); err != nil {
				return err
			}
		}
		return nil
	})
}
