package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"mirage/accounts"
	"mirage/state"
	"mirage/vfs"
	"mirage/vfs/binfs"
	"mirage/vfs/devfs"
	"mirage/vfs/disk"
	"mirage/vfs/ram"
)

// description says what a mount is, without its place on the host.
func (m mountConfig) description() string {
	if m.kind == "disk" {
		return "Files kept on the server's disk"
	}
	return "Files in memory, lost when the workspace closes"
}

// checkRoots refuses host directories and scripts that are not the caller's to
// name: an account (a user of the API, not its operator) may mount none at all, and
// nobody the folder that holds the server's own state.
func (m *Manager) checkRoots(c accounts.Caller, cfg *Config) error {
	for _, p := range cfg.profiles {
		if p.Script != nil && !c.All {
			return errorf(Refused, "policy_refused", "policy: an account may not name a script of the host")
		}
	}
	for _, mount := range cfg.mounts {
		if mount.root == "" {
			continue
		}
		if !c.All {
			return errorf(Refused, "mount_refused", "disk: an account may not mount a directory of the host")
		}
		if slices.ContainsFunc(m.reserved, func(dir string) bool { return overlap(mount.root, dir) }) {
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
// existing tells that it was there before, with its disks.
func (m *Manager) build(ctx context.Context, id string, rec *workspaceRecord, cfg *Config, existing bool) (*Workspace, error) {
	w := &Workspace{m: m, id: id, owner: rec.owner, cfg: cfg, created: rec.Created, sessions: map[string]*Session{}, done: make(chan struct{})}
	w.used = m.usageOf(rec.owner, id)
	w.asks = newLedger(w)
	scripts, hooks, err := m.readScripts(cfg, existing)
	if err != nil {
		return nil, err
	}
	w.scripts, w.hooks = scripts, hooks
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	if err := w.mountAll(existing); err != nil {
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
	closeScripts(w.scripts)
	for _, c := range w.closers {
		if err := c.Close(); err != nil {
			w.m.log.Warn("backend does not close", "workspace", w.id, "error", err)
		}
	}
}

// mountAll opens the backends and joins them with the reserved places. A
// workspace that was there before finds its disks where they were.
func (w *Workspace) mountAll(existing bool) error {
	var mounts []vfs.Mount
	tmp := false
	for _, c := range w.cfg.mounts {
		fsys, err := openBackend(c, existing)
		if err != nil {
			return err
		}
		if closer, ok := fsys.(io.Closer); ok {
			w.closers = append(w.closers, closer)
		}
		tmp = tmp || c.prefix == "/tmp"
		mounts = append(mounts, vfs.Mount{Prefix: c.prefix, FS: fsys, Mode: c.mode, Kind: c.kind, Description: c.description()})
	}
	mounts = append(mounts,
		vfs.Mount{Prefix: "/dev", FS: devfs.New(devfs.Options{Now: w.m.now}), Mode: vfs.Write, Kind: "dev", Unlisted: true},
		vfs.Mount{Prefix: "/.bash_history", FS: historyFile{since: w.created}, Mode: vfs.Read, Kind: "history", Unlisted: true},
		vfs.Mount{Prefix: binDir, FS: w.m.bin, Mode: vfs.Read, Kind: "bin", Unlisted: true})
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

func openBackend(c mountConfig, existing bool) (vfs.FS, error) {
	if c.kind == "ram" {
		return ram.New(ram.Options{}), nil
	}
	fsys, err := disk.New(c.root, disk.Options{Existing: existing})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errorf(Invalid, "config_invalid", "disk: root: no such directory: '%s'", c.root)
	case err != nil:
		return nil, errorf(Invalid, "config_invalid", "disk: root: %s", err)
	}
	return fsys, nil
}

// openBin makes the directory of programs, which every workspace shares; what
// a session may see of it its guard decides.
func (m *Manager) openBin() vfs.FS {
	names := []string{"bash", "sh"}
	for name := range m.programs {
		names = append(names, name)
	}
	return binfs.New(names, m.binScript, m.now())
}

// binScript is what a file of /usr/bin holds. The shell runs the program
// itself when it is found there; a copy or a link elsewhere runs the script,
// which leads back to it.
func (m *Manager) binScript(name string) string {
	about := "the shell"
	if p := m.programs[name]; p != nil {
		about = p.Summary
	}
	return "#!" + binDir + "/bash\n# " + name + ": " + about + "\nexec " + binDir + "/" + name + ` "$@"` + "\n"
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
			if failed = json.Unmarshal(value, &node); failed != nil {
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
