package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"mirage/state"
)

// What is kept of a session's history: lines, and bytes of them.
const (
	maxHistory      = 10000
	maxHistoryBytes = 4 << 20
)

// HistoryEntry is one recorded line.
type HistoryEntry struct {
	Time    time.Time
	Command string
}

// history is the recorded lines of a session. What is in memory of a named
// session is in the store as well, or will be when its line ends.
type history struct {
	mu      sync.Mutex
	loaded  bool
	entries []HistoryEntry
	first   uint64 // sequence number of entries[0]
	bytes   int
}

// add records a line and answers how many old ones fell out.
func (h *history) add(e HistoryEntry) (seq uint64, dropped []uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, e)
	h.bytes += len(e.Command)
	seq = h.first + uint64(len(h.entries)) - 1
	n := 0
	for len(h.entries)-n > maxHistory || h.bytes > maxHistoryBytes && len(h.entries)-n > 1 {
		h.bytes -= len(h.entries[n].Command)
		dropped = append(dropped, h.first+uint64(n))
		h.entries[n] = HistoryEntry{}
		n++
	}
	h.entries = h.entries[n:]
	h.first += uint64(n)
	return seq, dropped
}

func (h *history) len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.entries)
}

// History answers the recorded lines of the session, oldest first. It is
// empty when the store cannot be read.
func (s *Session) History() []HistoryEntry {
	if err := s.loadHistory(); err != nil {
		s.w.m.log.Error("history cannot be read", "workspace", s.w.id, "session", s.id, "error", err)
	}
	s.hist.mu.Lock()
	defer s.hist.mu.Unlock()
	return append([]HistoryEntry(nil), s.hist.entries...)
}

// commands answers the recorded lines for the history builtin.
func (s *Session) commands() []string {
	entries := s.History()
	list := make([]string, len(entries))
	for i, e := range entries {
		list[i] = e.Command
	}
	return list
}

// loadHistory reads the stored lines of a named session once.
func (s *Session) loadHistory() error {
	h := &s.hist
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.loaded || s.ephemeral {
		return nil
	}
	prefix := s.key() + "/"
	err := s.w.m.store.View(context.Background(), func(tx state.Tx) error {
		var failed error
		err := tx.Scan(state.History, prefix, func(key string, value []byte) bool {
			var rec historyRecord
			var seq uint64
			if failed = json.Unmarshal(value, &rec); failed == nil {
				_, failed = fmt.Sscanf(key[len(prefix):], "%x", &seq)
			}
			if failed != nil {
				return false
			}
			if len(h.entries) == 0 {
				h.first = seq
			}
			h.entries = append(h.entries, HistoryEntry{time.Unix(0, rec.Time), rec.Command})
			h.bytes += len(rec.Command)
			return true
		})
		return errors.Join(err, failed)
	})
	h.loaded = err == nil
	return err
}

// record adds a line to the history and answers what writes it to the store.
func (s *Session) record(command string) func(state.Tx) error {
	if strings.TrimSpace(command) == "" {
		return nil
	}
	if err := s.loadHistory(); err != nil {
		s.w.m.log.Error("history cannot be read", "workspace", s.w.id, "session", s.id, "error", err)
	}
	now := s.w.m.now()
	seq, dropped := s.hist.add(HistoryEntry{now, command})
	s.w.history.Add(1 - int64(len(dropped)))
	if s.ephemeral {
		return nil
	}
	return func(tx state.Tx) error {
		for _, old := range dropped {
			if err := tx.Delete(state.History, s.historyKey(old)); err != nil {
				return err
			}
		}
		return putJSON(tx, state.History, s.historyKey(seq), historyRecord{now.UnixNano(), command})
	}
}

func (s *Session) historyKey(seq uint64) string { return fmt.Sprintf("%s/%016x", s.key(), seq) }
