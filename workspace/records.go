package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mirage/state"
)

// ownerRecord is the claim on an id. It stays over close and restart.
type ownerRecord struct {
	Account    string `json:"account"`
	Generation int    `json:"generation"`
}

// workspaceRecord is what is kept of a workspace.
type workspaceRecord struct {
	Created time.Time       `json:"created"`
	Config  json.RawMessage `json:"config"`
	Digest  string          `json:"digest"`
	Closed  bool            `json:"closed,omitempty"`

	owner string // of the ownerRecord
}

// sessionRecord is what is kept of a named session.
type sessionRecord struct {
	Created time.Time         `json:"created"`
	Profile string            `json:"profile,omitempty"` // as asked for; "" = the default
	Mounts  map[string]string `json:"mounts,omitempty"`
	// Only lists the mounts that the session may use; null = every one.
	Only []string `json:"only"`
	// Permissions is the inline document that tightens the profile.
	Permissions json.RawMessage   `json:"permissions,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
	Agent       string            `json:"agent,omitempty"`
	// State is a shell.State, absent until a line has run.
	State json.RawMessage `json:"state,omitempty"`
}

// historyRecord is one line of a session's history.
type historyRecord struct {
	Time    int64  `json:"time"` // Unix nanoseconds
	Command string `json:"command"`
}

func putJSON(tx state.Tx, b state.Bucket, key string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.Put(b, key, data)
}

// getJSON reads a record; ok is false when there is none.
func getJSON(tx state.Tx, b state.Bucket, key string, v any) (ok bool, err error) {
	data, err := tx.Get(b, key)
	if errors.Is(err, state.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("record %s/%s: %w", b, key, err)
	}
	return true, nil
}

// getWorkspace reads a workspace with its owner, nil when there is none.
func getWorkspace(tx state.Tx, id string) (*workspaceRecord, error) {
	var rec workspaceRecord
	ok, err := getJSON(tx, state.Workspaces, id, &rec)
	if !ok || err != nil {
		return nil, err
	}
	var owner ownerRecord
	if _, err := getJSON(tx, state.Owners, id, &owner); err != nil {
		return nil, err
	}
	rec.owner = owner.Account
	return &rec, nil
}

// load reads a workspace record; nil when there is none.
func (m *Manager) load(ctx context.Context, id string) (rec *workspaceRecord, err error) {
	if !ValidID(id) {
		return nil, nil
	}
	err = m.store.View(ctx, func(tx state.Tx) error {
		rec, err = getWorkspace(tx, id)
		return err
	})
	if err != nil {
		return nil, storeFailed(err)
	}
	return rec, nil
}

// storedIDs lists every workspace of the store.
func (m *Manager) storedIDs(ctx context.Context) (ids []string, err error) {
	err = m.store.View(ctx, func(tx state.Tx) error {
		return tx.Scan(state.Workspaces, "", func(key string, _ []byte) bool {
			ids = append(ids, key)
			return true
		})
	})
	if err != nil {
		return nil, storeFailed(err)
	}
	return ids, nil
}

// deletePrefix deletes every record whose key has the prefix and answers how
// many there were.
func deletePrefix(tx state.Tx, b state.Bucket, prefix string) (n int, err error) {
	var failed error
	err = tx.Scan(b, prefix, func(key string, _ []byte) bool {
		n++
		failed = tx.Delete(b, key)
		return failed == nil
	})
	return n, errors.Join(err, failed)
}
