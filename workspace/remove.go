package workspace

import (
	"context"
	"errors"
	"time"

	"mirage/accounts"
	"mirage/state"
)

var (
	errDeleted = errors.New("the workspace was deleted")
	errClosed  = errors.New("the workspace was closed")
)

// Delete closes a workspace and deletes its state; the files of a disk mount
// stay where they are. Deletions of one id at once are one. A workspace that
// was closed before can be deleted too.
func (m *Manager) Delete(ctx context.Context, c accounts.Caller, id string) (closed time.Time, err error) {
	return m.end(ctx, c, id, deleting)
}

// CloseWorkspace stops a workspace and keeps its state: Create with the same
// id opens it again. Until then it is not found.
func (m *Manager) CloseWorkspace(ctx context.Context, c accounts.Caller, id string) (closed time.Time, err error) {
	return m.end(ctx, c, id, closing)
}

// end takes the id from a live or stored workspace and ends it.
func (m *Manager) end(ctx context.Context, c accounts.Caller, id string, how phase) (time.Time, error) {
	for {
		rec, err := m.load(ctx, id)
		if err != nil {
			return time.Time{}, err
		}
		if rec == nil || !c.Sees(rec.owner) || rec.Closed && how == closing {
			return time.Time{}, workspaceNotFound()
		}
		m.mu.Lock()
		e := m.entries[id]
		switch {
		case e == nil:
			e = &entry{phase: how, ready: make(chan struct{})}
			m.entries[id] = e
		case e.phase == live:
			e.phase, e.ready = how, make(chan struct{})
		default:
			same, ready := e.phase == how, e.ready
			m.mu.Unlock()
			if err := wait(ctx, ready); err != nil {
				return time.Time{}, err
			}
			if same { // what the other ended, this one has ended too
				m.mu.Lock()
				defer m.mu.Unlock()
				return e.ended, e.err
			}
			continue
		}
		w := e.w
		m.mu.Unlock()
		// From here on nothing depends on the caller staying.
		ended, err := m.finish(context.WithoutCancel(ctx), id, w, how)
		m.acted(ctx, "workspace."+how.verb(), id, "", err, nil)
		m.mu.Lock()
		e.ended, e.err = ended, err
		delete(m.entries, id)
		close(e.ready)
		m.mu.Unlock()
		return ended, err
	}
}

// endGrace is how long lines may take to end before their workspace goes
// without them.
const endGrace = 30 * time.Second

// finish stops a workspace (nil when it is only stored) and deletes or closes
// its record. The id is released whatever happens.
func (m *Manager) finish(ctx context.Context, id string, w *Workspace, how phase) (time.Time, error) {
	cause := errClosed
	if how == deleting {
		cause = errDeleted
	}
	var stopErr error
	if w != nil {
		grace, cancel := context.WithTimeout(ctx, endGrace)
		defer cancel()
		stopErr = w.shut(grace, cause)
	}
	err := m.store.Update(ctx, state.Synced, func(tx state.Tx) error {
		if how == deleting {
			return m.deleteState(tx, id)
		}
		rec, err := getWorkspace(tx, id)
		if err != nil || rec == nil {
			return err
		}
		rec.Closed = true
		return putJSON(tx, state.Workspaces, id, rec)
	})
	if how == deleting {
		m.jobs.forget(id)
	}
	switch {
	case err != nil:
		return time.Time{}, errorf(Failed, "delete_failed", "workspace %s failed: %s", how.verb(), err)
	case stopErr != nil:
		return time.Time{}, errorf(Failed, "delete_failed", "workspace %s failed: %s", how.verb(), stopErr)
	}
	return m.now(), nil
}

func (p phase) verb() string {
	if p == deleting {
		return "delete"
	}
	return "close"
}

// deleteState deletes every record of a workspace.
func (m *Manager) deleteState(tx state.Tx, id string) error {
	for _, b := range []state.Bucket{state.Owners, state.Workspaces} {
		if err := tx.Delete(b, id); err != nil {
			return err
		}
	}
	for _, b := range []state.Bucket{state.Sessions, state.History, state.Nodes, state.Asks, state.Documents} {
		if _, err := deletePrefix(tx, b, id+"/"); err != nil {
			return err
		}
	}
	for _, job := range m.jobs.of(id) {
		if err := deleteJob(tx, job); err != nil {
			return err
		}
	}
	return nil
}
