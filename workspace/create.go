package workspace

import (
	"context"

	"mirage/accounts"
	"mirage/state"
)

// Create makes a workspace, or answers the live one of the same id and config
// (created is then false). An empty id takes config.workspace_id, else a new
// UUIDv7.
//
// A workspace that was closed opens again with its sessions and history,
// under the new configuration. Two creations of one id and config at once
// wait for each other; with another config, or while the id is being deleted,
// it is taken.
func (m *Manager) Create(ctx context.Context, c accounts.Caller, id string, cfg *Config) (w *Workspace, created bool, err error) {
	if id == "" {
		id = cfg.workspaceID
	}
	if id == "" {
		id = newWorkspaceID()
	}
	if err := checkWorkspaceID(id); err != nil {
		return nil, false, err
	}
	if !c.All && c.Account == "" {
		return nil, false, errorf(Refused, "no_account", "a workspace needs an account")
	}
	if err := m.checkRoots(c, cfg); err != nil {
		return nil, false, err
	}
	for {
		if e := m.reserve(id, cfg.digest); e != nil {
			w, created, err = m.create(ctx, c, id, cfg)
			m.settle(id, e, w, err)
			if created || err != nil {
				m.acted(ctx, "workspace.create", id, "", err, map[string]string{"config_sha256": cfg.digest})
			}
			return w, created, err
		}
		e, known := m.lookup(id)
		same := e.digest == cfg.digest
		switch {
		case !known:
			continue
		case e.phase == deleting, e.phase == opening && !same:
			return nil, false, workspaceExists(id)
		case e.phase == live:
			if !same || !c.Sees(e.w.owner) {
				return nil, false, workspaceExists(id)
			}
			return e.w, false, nil
		}
		if err := wait(ctx, e.ready); err != nil {
			return nil, false, err
		}
	}
}

// create makes or reopens a workspace whose id is reserved.
func (m *Manager) create(ctx context.Context, c accounts.Caller, id string, cfg *Config) (w *Workspace, created bool, err error) {
	if m.isClosed() {
		return nil, false, errorf(Failed, "shutting_down", "%s", errShutDown)
	}
	rec, err := m.load(ctx, id)
	if err != nil {
		return nil, false, err
	}
	switch {
	case rec == nil:
		rec = &workspaceRecord{owner: c.Account, Created: m.now()}
	case !c.Sees(rec.owner), !rec.Closed && rec.Digest != cfg.digest:
		return nil, false, workspaceExists(id)
	case !rec.Closed:
		w, err := m.build(ctx, id, rec, cfg, true)
		return w, false, err
	}
	rec.Closed, rec.Config, rec.Digest = false, cfg.canonical, cfg.digest
	w, err = m.build(ctx, id, rec, cfg, false)
	if err != nil {
		return nil, false, err
	}
	def := w.defaultSession()
	err = m.store.Update(ctx, state.Synced, func(tx state.Tx) error {
		if err := putJSON(tx, state.Owners, id, ownerRecord{Account: rec.owner, Generation: 1}); err != nil {
			return err
		}
		if err := def.put(tx); err != nil {
			return err
		}
		return putJSON(tx, state.Workspaces, id, rec)
	})
	if err != nil {
		w.shut(context.WithoutCancel(ctx), errShutDown)
		return nil, false, storeFailed(err)
	}
	return w, true, nil
}
