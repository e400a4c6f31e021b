package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"mirage/policy"
	"mirage/state"
	"mirage/vfs"
)

// SessionOptions describes a new session.
type SessionOptions struct {
	ID      string // "" = a fresh one, Prefix + 12 hex digits
	Prefix  string // "sess_" when empty; SSH channels use "ssh_"
	Profile string // "" = the default profile
	// Permissions is a profile document as JSON that tightens the profile; nil
	// for none. See policy.Tighten.
	Permissions json.RawMessage
	// Mounts narrows mounts: prefix to read, write, exec, r, rw or rwx.
	Mounts map[string]string
	// Only lists the mounts that the session may use at all; nil = every one.
	Only []string
	// Env seeds exported variables through the session's rules; names that
	// the profile sets win, refused ones are left out.
	Env map[string]string
	// Ephemeral sessions end with their owner and are not kept in the store.
	Ephemeral bool
	Agent     string // agent id recorded for lines that name none: "ssh", ...
}

// maxSessions is the most sessions of one workspace at once.
const maxSessions = 10000

// defaultSessionID names the session of calls that name none, unless the
// configuration says otherwise.
const defaultSessionID = "default"

// NewSession makes a session. A named one is in the store when it returns.
func (w *Workspace) NewSession(ctx context.Context, o SessionOptions) (*Session, error) {
	s, err := w.openSession(ctx, o)
	switch {
	case err != nil:
		w.m.acted(ctx, "session.create", w.id, o.ID, err, nil)
	case o.Ephemeral:
		s.visited(ctx, "open")
	default:
		w.m.acted(ctx, "session.create", w.id, s.id, nil, sessionDetail(o))
	}
	return s, err
}

func (w *Workspace) openSession(ctx context.Context, o SessionOptions) (*Session, error) {
	s, err := w.makeSession(o)
	if err != nil {
		return nil, err
	}
	if o.Ephemeral {
		return s, nil
	}
	err = w.m.store.Update(ctx, state.Synced, func(tx state.Tx) error {
		if w.deleted.Load() {
			return errDeleted
		}
		return s.put(tx)
	})
	if err != nil {
		w.forget(s)
		return nil, storeFailed(err)
	}
	return s, nil
}

// makeSession checks the options and adds the session to the workspace.
func (w *Workspace) makeSession(o SessionOptions) (*Session, error) {
	if o.ID != "" && !ValidID(o.ID) {
		return nil, errorf(Invalid, "invalid_session_id", "invalid session id: '%s'", o.ID)
	}
	rec := sessionRecord{Created: w.m.now(), Profile: o.Profile, Permissions: o.Permissions, Mounts: o.Mounts, Only: o.Only, Env: cleanEnv(o.Env), Agent: o.Agent}
	id := o.ID
	if id == "" {
		prefix := o.Prefix
		if prefix == "" {
			prefix = "sess_"
		}
		id = randomID(prefix, 12)
	}
	b, err := w.boundsOf(id, rec)
	if err != nil {
		return nil, err
	}
	return w.add(newSession(w, id, rec, b, o.Ephemeral))
}

// add makes a session known under its id.
func (w *Workspace) add(s *Session) (*Session, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return nil, workspaceNotFound()
	case w.sessions[s.id] != nil:
		return nil, errorf(Conflict, "session_exists", "session id already exists: '%s'", s.id)
	case len(w.sessions) >= maxSessions:
		return nil, errorf(Conflict, "too_many_sessions", "too many sessions: %d", len(w.sessions))
	}
	w.sessions[s.id] = s
	return s, nil
}

func (w *Workspace) forget(s *Session) {
	w.mu.Lock()
	if w.sessions[s.id] == s {
		delete(w.sessions, s.id)
	}
	w.mu.Unlock()
}

// narrow reads the modes of a session's mounts.
func (w *Workspace) narrow(mounts map[string]string) (map[string]vfs.Mode, error) {
	if len(mounts) == 0 {
		return nil, nil
	}
	modes := make(map[string]vfs.Mode, len(mounts))
	for key, text := range mounts {
		mode, ok := policy.ParseMode(text)
		if !ok {
			return nil, errorf(Refused, "bad_mode", "unknown mode '%s'; expected read, write or exec", text)
		}
		prefix, ok := policy.CleanPrefix(key)
		if !ok || !w.cfg.hasMount(prefix) {
			return nil, errorf(Refused, "unknown_mount", "no mount at '%s'", key)
		}
		if old, twice := modes[prefix]; twice {
			mode = min(mode, old)
		}
		modes[prefix] = mode
	}
	return modes, nil
}

// cleanEnv leaves out what cannot be a variable.
func cleanEnv(env map[string]string) map[string]string {
	if len(env) == 0 {
		return nil
	}
	clean := maps.Clone(env)
	maps.DeleteFunc(clean, func(name, value string) bool {
		return !policy.ValidName(name) || strings.Contains(value, "\x00")
	})
	return clean
}

// Session answers a session by id; "" is the default session, which exists as
// long as the workspace does.
func (w *Workspace) Session(ctx context.Context, id string) (*Session, error) {
	name := id
	if id == "" {
		name = w.defaultSessionName()
	}
	w.mu.Lock()
	s, closed := w.sessions[name], w.closed
	w.mu.Unlock()
	switch {
	case closed:
		return nil, workspaceNotFound()
	case s != nil:
		return s, s.broken
	case id != "":
		return nil, sessionNotFound()
	}
	s, err := w.NewSession(ctx, SessionOptions{ID: name})
	if kindOf(err) == Conflict { // somebody else made it meanwhile
		return w.Session(ctx, name)
	}
	return s, err
}

func (w *Workspace) defaultSessionName() string {
	if w.cfg.defaultSession != "" {
		return w.cfg.defaultSession
	}
	return defaultSessionID
}

// DeleteSession cancels a session's lines, kills its jobs and forgets it.
func (w *Workspace) DeleteSession(ctx context.Context, id string) error {
	w.mu.Lock()
	s := w.sessions[id]
	w.mu.Unlock()
	if s == nil {
		return sessionNotFound()
	}
	err := s.remove(ctx)
	w.m.acted(ctx, "session.delete", w.id, id, err, nil)
	return err
}

// loadSessions makes the stored sessions known; their shells come to life at
// the first line. The default session is there from the beginning.
func (w *Workspace) loadSessions(ctx context.Context) error {
	prefix := w.id + "/"
	err := w.m.store.View(ctx, func(tx state.Tx) error {
		var failed error
		err := tx.Scan(state.Sessions, prefix, func(key string, value []byte) bool {
			var rec sessionRecord
			if failed = json.Unmarshal(value, &rec); failed != nil {
				failed = fmt.Errorf("record %s/%s: %w", state.Sessions, key, failed)
				return false
			}
			failed = w.restore(key[len(prefix):], rec)
			return failed == nil
		})
		lines := int64(0)
		scanErr := tx.Scan(state.History, prefix, func(string, []byte) bool { lines++; return true })
		w.history.Store(lines)
		return errors.Join(err, failed, scanErr)
	})
	if err != nil {
		return storeFailed(err)
	}
	name := w.defaultSessionName()
	if w.sessions[name] == nil {
		if _, err = w.makeSession(SessionOptions{ID: name}); err != nil {
			return err
		}
	}
	if err := w.m.store.View(ctx, w.asks.load); err != nil {
		return storeFailed(err)
	}
	return nil
}

// restore adds a stored session. One whose profile or mounts the
// configuration no longer has must not come back with fewer rules: it is
// known, but every use of it is refused.
func (w *Workspace) restore(id string, rec sessionRecord) error {
	b, err := w.boundsOf(id, rec)
	s := newSession(w, id, rec, b, false)
	s.broken = err
	if rec.State != nil {
		var st struct {
			Dir string `json:"dir"`
		}
		if err := json.Unmarshal(rec.State, &st); err != nil {
			return fmt.Errorf("record %s/%s: %w", state.Sessions, s.key(), err)
		}
		s.cwd, s.rec.State = st.Dir, nil // the shell reads it when it comes to life
	}
	w.sessions[id] = s
	return nil
}

// defaultSession is the session of calls that name none.
func (w *Workspace) defaultSession() *Session {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sessions[w.defaultSessionName()]
}
