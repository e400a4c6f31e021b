package workspace

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mirage/shell"
	"mirage/state"
	"mirage/vfs"
)

// Session is one shell and one set of rules: all that a front end holds. An
// idle one has no goroutine, and no shell until its first line.
type Session struct {
	w         *Workspace
	id        string
	ephemeral bool
	broken    error // why a stored session cannot be used
	created   time.Time
	agent     string // of the lines that name none

	view  *vfs.View
	guard *guard // nil: nothing can ever restrict the session

	// turn is held by whoever uses the shell: a running line, or a front
	// end between lines.
	turn  turn
	saved []byte // what the store has of the shell's state
	hist  history
	gone  atomic.Bool // deleted; read inside store transactions

	auditRate auditRate
	used      usage
	cpu       cpu

	mu      sync.Mutex
	sh      *shell.Shell // changed with turn held as well
	closed  bool
	rec     sessionRecord // without its state
	cwd     string
	queue   []*Job // waiting lines
	queued  int    // bytes of their text
	running *Job
	idle    chan struct{} // closed when running ends and the queue is empty
}

func newSession(w *Workspace, id string, rec sessionRecord, b bounds, ephemeral bool) *Session {
	s := &Session{w: w, turn: newTurn(), id: id, ephemeral: ephemeral, created: rec.Created, agent: rec.Agent, rec: rec, cwd: "/"}
	if b.profile != nil && b.profile.Cwd != "" {
		s.cwd = b.profile.Cwd
	}
	if b.profile == nil && b.only == nil && len(w.cfg.profiles) == 0 && len(b.modes) == 0 && len(w.m.policies) == 0 {
		s.view = s.viewUnder(nil)
		return s
	}
	s.guard = newGuard(b, func(rule string) bool { return w.asks.stands(s, rule) }, s.hooksFor)
	s.view = s.viewUnder(s.guard)
	return s
}

// ID is the session's id.
func (s *Session) ID() string { return s.id }

// Cwd is the shell's working directory.
func (s *Session) Cwd() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cwd
}

// View is the session's file tree outside any line. Where a rule would have
// somebody asked it refuses; see FileCall for calls that do ask. A change of the
// session's profile takes effect on the next call.
func (s *Session) View() *vfs.View { return s.view }

func (s *Session) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Cancel cancels the running and the queued lines; it answers how many, once
// they have ended or ctx has.
func (s *Session) Cancel(ctx context.Context) int { return s.stop(ctx, errCanceled) }

// stop is Cancel for a cause.
func (s *Session) stop(ctx context.Context, cause error) int {
	n := 0
	jobs := s.pending()
	for _, j := range jobs {
		if j.stop(cause) {
			n++
		}
	}
	for _, j := range jobs {
		j.Wait(ctx)
	}
	return n
}

// pending answers the running line and the queued ones.
func (s *Session) pending() []*Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	jobs := slices.Clone(s.queue)
	if s.running != nil {
		jobs = append(jobs, s.running)
	}
	return jobs
}

// Kill kills the background jobs; it answers how many.
func (s *Session) Kill(ctx context.Context) int {
	if sh := s.live(); sh != nil {
		return sh.KillJobs()
	}
	return 0
}

// live answers the shell if there is one, also while a line runs.
func (s *Session) live() *shell.Shell {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sh
}

// Close ends an ephemeral session: lines canceled, jobs killed, forgotten. Of
// a named one it cancels the lines and kills the jobs; the session stays. Safe
// to call twice.
func (s *Session) Close(ctx context.Context) error {
	if !s.ephemeral {
		s.Cancel(ctx)
		s.Kill(ctx)
		return nil
	}
	err := s.end(ctx, errSessionClosed)
	s.w.forget(s)
	if !s.gone.Swap(true) {
		s.flushAudit(ctx)
		s.visited(ctx, "close")
		s.w.history.Add(-int64(s.hist.len()))
		s.w.asks.forget(s)
	}
	return err
}

// errSessionClosed is why lines end when their session does.
var errSessionClosed = errors.New("session closed")

// end cancels what runs and frees the shell.
func (s *Session) end(ctx context.Context, cause error) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop(ctx, cause)
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	if idle != nil {
		if err := wait(ctx, idle); err != nil {
			return errorf(Failed, "lines_running", "a line of session '%s' did not end", s.id)
		}
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	sh := s.live()
	if sh == nil {
		return nil
	}
	s.mu.Lock()
	s.sh = nil
	s.mu.Unlock()
	sh.KillJobs()
	return sh.Close()
}

// remove ends the session and deletes its state.
func (s *Session) remove(ctx context.Context) error {
	if s.ephemeral {
		return s.Close(ctx)
	}
	endErr := s.end(ctx, errSessionClosed)
	if s.gone.Swap(true) {
		return sessionNotFound() // somebody else has deleted it
	}
	lines := 0
	err := s.w.m.store.Update(context.WithoutCancel(ctx), state.Synced, func(tx state.Tx) (err error) {
		if err := tx.Delete(state.Sessions, s.key()); err != nil {
			return err
		}
		if _, err := deletePrefix(tx, state.Asks, s.key()+"/"); err != nil {
			return err
		}
		lines, err = deletePrefix(tx, state.History, s.key()+"/")
		return err
	})
	s.w.asks.forget(s)
	// Only now may a session of the same id be made.
	s.w.forget(s)
	if err != nil {
		return storeFailed(err)
	}
	s.w.history.Add(-int64(lines))
	return endErr
}
