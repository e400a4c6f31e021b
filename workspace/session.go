package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mirage/policy"
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
	turn  sync.Mutex
	saved []byte // what the store has of the shell's state
	hist  history
	gone  atomic.Bool // deleted; read inside store transactions

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

func newSession(w *Workspace, id string, rec sessionRecord, profile *policy.Profile, modes map[string]vfs.Mode, ephemeral bool) *Session {
	s := &Session{w: w, id: id, ephemeral: ephemeral, created: rec.Created, agent: rec.Agent, rec: rec, cwd: "/"}
	if profile != nil && profile.Cwd != "" {
		s.cwd = profile.Cwd
	}
	if len(w.cfg.profiles) == 0 && len(modes) == 0 {
		s.view = w.free.Of(s)
		return s
	}
	s.guard = newGuard(profile, modes)
	s.view = vfs.NewView(w.ns, s.guard).Of(s)
	return s
}

// ID is the session's id.
func (s *Session) ID() string { return s.id }

// Workspace is the workspace of the session.
func (s *Session) Workspace() *Workspace { return s.w }

// Cwd is the shell's working directory.
func (s *Session) Cwd() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cwd
}

// View is the session's file tree for calls outside any line (VFS calls over
// HTTP, SFTP). A change of the session's profile takes effect on the next call.
func (s *Session) View() *vfs.View { return s.view }

// shell brings the shell to life. turn is held.
func (s *Session) shell() (*shell.Shell, error) {
	if s.sh != nil {
		return s.sh, nil
	}
	sh, err := s.newShell()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.sh = sh
	s.mu.Unlock()
	return sh, nil
}

// newShell makes the shell, of a named session as the last line left it.
func (s *Session) newShell() (*shell.Shell, error) {
	cfg := s.config()
	if s.ephemeral {
		return shell.New(cfg), nil
	}
	rec, err := s.load()
	if err != nil {
		return nil, err
	}
	if rec.State == nil {
		return shell.New(cfg), nil
	}
	var st shell.State
	err = json.Unmarshal(rec.State, &st)
	var sh *shell.Shell
	if err == nil {
		sh, err = shell.Restore(cfg, st)
	}
	if err != nil {
		return nil, errorf(Failed, "session_unreadable", "session cannot be restored: %s", err)
	}
	s.saved = rec.State
	return sh, nil
}

// config is what the shell of the session is made with.
func (s *Session) config() shell.Config {
	cfg := shell.Config{
		View:     s.view,
		Programs: s.w.m.programs,
		User:     s.w.user(),
		Hostname: hostname,
		Now:      s.w.m.now,
		Environ:  s.environ(),
		Dir:      s.startDir(),
		History:  s.commands,
		Panicked: s.panicked,
	}
	if s.guard != nil { // a nil Judge is the quick way to say yes
		cfg.Judge = s.guard
	}
	return cfg
}

// panicked logs a panic that the shell has recovered from.
func (s *Session) panicked(v any, stack []byte) {
	s.w.m.log.Error("shell panicked", "workspace", s.w.id, "session", s.id, "panic", v, "stack", string(stack))
}

func (s *Session) startDir() string {
	if p := s.profile(); p != nil && p.Cwd != "" {
		return p.Cwd
	}
	return "/"
}

// profile is the session's profile now, nil for none.
func (s *Session) profile() *policy.Profile {
	if s.guard == nil {
		return nil
	}
	return s.guard.rules.Load().profile
}

// hostname is what every workspace calls its machine.
const hostname = "mirage"

// user is the name that whoami shows.
func (w *Workspace) user() string {
	if w.cfg.defaultAgent != "" {
		return w.cfg.defaultAgent
	}
	return w.id
}

// environ seeds a new shell: the login environment, then the workspace's
// `env`, then the session's, then the profile's, which nobody overrides.
func (s *Session) environ() []string {
	env := map[string]string{
		"HOME":    "/",
		"PATH":    "/usr/bin:/bin",
		"SHELL":   "/bin/bash",
		"USER":    s.w.user(),
		"LOGNAME": s.w.user(),
	}
	maps.Copy(env, s.w.cfg.env)
	maps.Copy(env, s.rec.Env)
	if p := s.profile(); p != nil {
		maps.Copy(env, p.Env)
	}
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// between runs fn with the shell unless a line runs now.
func (s *Session) between(fn func(*shell.Shell)) {
	if s.broken != nil || !s.turn.TryLock() {
		return
	}
	defer s.turn.Unlock()
	if s.isClosed() {
		return
	}
	if sh, err := s.shell(); err == nil {
		fn(sh)
	}
}

func (s *Session) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Getenv reads a shell variable between lines; "" while a line runs.
func (s *Session) Getenv(name string) (value string) {
	s.between(func(sh *shell.Shell) { value = sh.Getenv(name) })
	return value
}

// Incomplete is the shell's, for line editors; false while a line runs.
func (s *Session) Incomplete(source string) (more bool) {
	s.between(func(sh *shell.Shell) { more = sh.Incomplete(source) })
	return more
}

// Complete answers completions; see shell.Shell.Complete. There are none
// while a line runs.
func (s *Session) Complete(ctx context.Context, source string) (start int, words []string) {
	start = len(source)
	s.between(func(sh *shell.Shell) { start, words = sh.Complete(ctx, source) })
	return start, words
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
		s.w.history.Add(-int64(s.hist.len()))
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
		lines, err = deletePrefix(tx, state.History, s.key()+"/")
		return err
	})
	// Only now may a session of the same id be made.
	s.w.forget(s)
	if err != nil {
		return storeFailed(err)
	}
	s.w.history.Add(-int64(lines))
	return endErr
}

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
// too; the modes that the session was made with, its directory, variables and
// history stay.
func (s *Session) SetProfile(ctx context.Context, name string) error {
	profile, err := s.w.profile(name)
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

func (s *Session) swapProfile(name string) (old string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, s.rec.Profile = s.rec.Profile, name
	return old
}
