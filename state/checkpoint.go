package state

import (
	"fmt"
	"os"
)

// sync makes everything up to seq safe on disk. Callers that arrive while
// another syncs share the next one.
func (s *Folder) sync(seq uint64) error {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	s.mu.RLock()
	done, upTo, broken := s.synced >= seq, s.seq, s.broken
	file := s.jour.file
	s.mu.RUnlock()
	if done {
		return nil
	}
	if broken != nil {
		return broken
	}
	// A rotation cannot come between: it holds syncMu, and syncs the old
	// journal before it begins the next.
	if err := s.opts.Sync(file); err != nil {
		return s.fail(fmt.Errorf("state: journal: %w", err))
	}
	s.mu.Lock()
	s.synced = max(s.synced, upTo)
	s.mu.Unlock()
	return nil
}

// fail makes the store refuse updates: after a failed sync nobody can know
// what the disk holds.
func (s *Folder) fail(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken = err
	}
	s.room.Broadcast()
	return err
}

// guard turns a panic of a background goroutine into a broken store.
func (s *Folder) guard() {
	if p := recover(); p != nil {
		_ = s.fail(fmt.Errorf("state: internal error: %v", p))
	}
}

// groupSync is the sync that Grouped updates wait for without waiting.
func (s *Folder) groupSync() {
	defer s.group.Done()
	defer s.guard()
	s.mu.Lock()
	s.timer = false
	seq := s.seq
	s.mu.Unlock()
	_ = s.sync(seq) // a failure is kept in s.broken
}

// startCheckpoint moves the active layer into the database file beside further
// updates. s.mu is held.
func (s *Folder) startCheckpoint() {
	s.moving = true
	s.group.Add(1)
	go func() {
		defer s.group.Done()
		defer s.guard()
		if err := s.checkpoint(); err != nil {
			_ = s.fail(err)
		}
	}()
}

func (s *Folder) checkpoint() error {
	old, frozen, seq, err := s.rotate()
	if err != nil {
		return err
	}
	if err := writeLayer(s.db, frozen, seq); err != nil {
		return fmt.Errorf("state: %s: %w", databaseName, err)
	}
	s.mu.Lock()
	s.frozen, s.moving = nil, false
	s.room.Broadcast()
	s.mu.Unlock()
	return old.remove()
}

// rotate freezes the active layer and begins a journal for what follows. The
// old journal is synced before the new one gets its first record, so that
// only the newest journal can ever end in a torn record.
func (s *Folder) rotate() (old *journal, frozen *layer, seq uint64, err error) {
	s.journals++
	next, err := createJournal(s.dir, s.journals)
	if err != nil {
		return nil, nil, 0, err
	}
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	// Most of it goes to disk here, beside updates; the little that came
	// meanwhile, below, while they wait.
	if err := s.opts.Sync(s.jour.file); err != nil {
		return nil, nil, 0, fmt.Errorf("state: journal: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.opts.Sync(s.jour.file); err != nil {
		return nil, nil, 0, fmt.Errorf("state: journal: %w", err)
	}
	s.synced = s.seq
	s.frozen, s.active = s.active, newLayer()
	old, s.jour = s.jour, next
	return old, s.frozen, s.seq, nil
}

// finish moves everything into the database file, at Close.
func (s *Folder) finish() error {
	if len(s.active.buckets) > 0 {
		if err := writeLayer(s.db, s.active, s.seq); err != nil {
			return fmt.Errorf("state: %s: %w", databaseName, err)
		}
	}
	return os.Remove(s.jour.file.Name())
}
