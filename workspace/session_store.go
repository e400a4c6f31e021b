package workspace

import (
	"bytes"
	"context"
	"encoding/json"

	"mirage/state"
)

// key is the session's key in the store.
func (s *Session) key() string { return s.w.id + "/" + s.id }

// load reads the session's record.
func (s *Session) load() (rec sessionRecord, err error) {
	err = s.w.m.store.View(context.Background(), func(tx state.Tx) error {
		_, err := getJSON(tx, state.Sessions, s.key(), &rec)
		return err
	})
	if err != nil {
		return rec, storeFailed(err)
	}
	return rec, nil
}

// put writes the session's record as it was made.
func (s *Session) put(tx state.Tx) error {
	var old sessionRecord
	if ok, err := getJSON(tx, state.Sessions, s.key(), &old); ok || err != nil {
		return err // it came back with its workspace
	}
	return putJSON(tx, state.Sessions, s.key(), s.rec)
}

// capture answers the shell's state after a line, nil when the store has it
// already. turn is held.
func (s *Session) capture() (json.RawMessage, error) {
	if s.ephemeral || s.sh == nil {
		return nil, nil
	}
	data, err := json.Marshal(s.sh.State())
	if err != nil || bytes.Equal(data, s.saved) {
		return nil, err
	}
	s.saved = data
	return data, nil
}

// putState writes the session's record with a state. The rest of the record
// is as it is now: a change of profile may have come during the line.
func (s *Session) putState(tx state.Tx, st json.RawMessage) error {
	s.mu.Lock()
	rec := s.rec
	s.mu.Unlock()
	rec.State = st
	return putJSON(tx, state.Sessions, s.key(), rec)
}

// SetProfile puts the session under another profile, "" for the workspace's
// default: its modes, hides and rules are replaced, at once and for what runs
// too; the inline document and the modes that the session was made with, its directory, variables and
// history stay.
func (s *Session) SetProfile(ctx context.Context, name string) error {
	err := s.setProfile(ctx, name)
	s.w.m.acted(ctx, "session.profile", s.w.id, s.id, err, map[string]string{"profile": name})
	return err
}

func (s *Session) setProfile(ctx context.Context, name string) error {
	profile, err := s.w.rulesFor(name, s.permissions())
	if err != nil {
		return err
	}
	old := s.swapProfile(name)
	if !s.ephemeral {
		// What is swapped before, a line that ends meanwhile stores too.
		err := s.w.m.store.Update(ctx, state.Synced, func(tx state.Tx) error {
			var rec sessionRecord
			ok, err := getJSON(tx, state.Sessions, s.key(), &rec)
			if err != nil || !ok {
				return err
			}
			rec.Profile = name
			return putJSON(tx, state.Sessions, s.key(), rec)
		})
		if err != nil {
			s.swapProfile(old)
			return storeFailed(err)
		}
	}
	if s.guard != nil {
		s.guard.set(profile)
	}
	return nil
}

// permissions is the inline document of the session, nil for none.
func (s *Session) permissions() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rec.Permissions
}

func (s *Session) swapProfile(name string) (old string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, s.rec.Profile = s.rec.Profile, name
	return old
}
