package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mirage/internal/doc"
	"mirage/policy"
	"mirage/policy/script"
	"mirage/vfs"
)

// Workspace is a tree of mounts and a set of sessions.
type Workspace struct {
	m       *Manager
	id      string
	owner   string // account, "" = none
	cfg     *Config
	created time.Time
	ns      *vfs.Namespace
	closers []io.Closer               // backends
	scripts map[string]*script.Script // of profiles
	hooks   map[string]policy.Hooks   // of the profiles that have a script
	free    *vfs.View                 // of sessions without rules
	used    *usage                    // by its account
	asks    *ledger

	done   chan struct{}   // closed when the workspace begins to end
	ctx    context.Context // of its lines; ends once they have
	cancel context.CancelCauseFunc
	// deleted is read inside store transactions: a line that ends late must
	// not write what a deletion has deleted.
	deleted atomic.Bool
	history atomic.Int64 // recorded lines

	mu       sync.Mutex
	closed   bool
	sessions map[string]*Session
}

// Brief is what a listing says of a workspace.
type Brief struct {
	ID           string
	Mode         string // of the first user mount
	MountCount   int
	SessionCount int
	Created      time.Time
}

// Detail is what Get says of a workspace.
type Detail struct {
	Brief
	Sessions []SessionInfo
	Mounts   []vfs.MountInfo
	History  int // recorded lines
	InFlight int // jobs pending or running
}

// SessionInfo names a session and where it stands.
type SessionInfo struct{ ID, Cwd string }

// ID is the workspace's id.
func (w *Workspace) ID() string { return w.id }

// Brief describes the workspace in a line.
func (w *Workspace) Brief() Brief {
	b := Brief{ID: w.id, Mode: vfs.Read.String(), MountCount: len(w.cfg.mounts), Created: w.created}
	if len(w.cfg.mounts) > 0 {
		b.Mode = w.cfg.mounts[0].mode.String()
	}
	w.mu.Lock()
	b.SessionCount = len(w.sessions)
	w.mu.Unlock()
	return b
}

// Detail describes the workspace. Mounts are those of its configuration, by
// prefix.
func (w *Workspace) Detail() Detail {
	d := Detail{Brief: w.Brief(), Sessions: w.Sessions(), History: int(w.history.Load()), InFlight: w.m.jobs.inFlight(w.id)}
	for _, m := range w.cfg.mounts {
		d.Mounts = append(d.Mounts, vfs.MountInfo{Prefix: m.prefix, Kind: m.kind, Description: m.description(), Mode: m.mode})
	}
	return d
}

// Sessions lists the sessions, oldest first.
func (w *Workspace) Sessions() []SessionInfo {
	list := w.sessionList()
	slices.SortFunc(list, func(a, b *Session) int {
		return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.id, b.id))
	})
	infos := make([]SessionInfo, len(list))
	for i, s := range list {
		infos[i] = SessionInfo{ID: s.id, Cwd: s.Cwd()}
	}
	return infos
}

func (w *Workspace) sessionList() []*Session {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := make([]*Session, 0, len(w.sessions))
	for _, s := range w.sessions {
		list = append(list, s)
	}
	return list
}

// Cancel cancels the running and queued lines of every session and answers
// how many, once they have ended or ctx has.
func (w *Workspace) Cancel(ctx context.Context) int {
	return w.each(func(s *Session) int { return s.Cancel(ctx) })
}

// Kill kills the background jobs (cmd &) of every session.
func (w *Workspace) Kill(ctx context.Context) int {
	return w.each(func(s *Session) int { return s.Kill(ctx) })
}

// each runs fn for every session at once and adds up its answers.
func (w *Workspace) each(fn func(*Session) int) int {
	var wg sync.WaitGroup
	var total atomic.Int64
	for _, s := range w.sessionList() {
		wg.Go(func() { total.Add(int64(fn(s))) })
	}
	wg.Wait()
	return int(total.Load())
}

// Done is closed when the workspace is closed or deleted.
func (w *Workspace) Done() <-chan struct{} { return w.done }

// shut stops the workspace: no new sessions or lines, running ones canceled,
// background jobs killed, backends closed. It answers an error when a line
// had not ended before ctx did.
func (w *Workspace) shut(ctx context.Context, cause error) error {
	if errors.Is(cause, errDeleted) {
		w.deleted.Store(true)
	}
	w.mu.Lock()
	if !w.closed {
		close(w.done)
	}
	w.closed = true
	w.mu.Unlock()
	defer w.cancel(cause)
	var mu sync.Mutex
	var errs []error
	w.each(func(s *Session) int {
		if err := s.end(ctx, cause); err != nil {
			mu.Lock()
			errs = append(errs, err)
			mu.Unlock()
		}
		return 0
	})
	closeScripts(w.scripts)
	for _, c := range w.closers {
		if err := c.Close(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// profile finds the rules of a session: the named profile, or with "" the
// default one; nil when nothing restricts it.
func (w *Workspace) profile(name string) (*policy.Profile, error) {
	if name == "" {
		name = w.cfg.profile
	}
	if name == "" {
		return w.cfg.bare, nil
	}
	p := w.cfg.profiles[name]
	if p == nil {
		return nil, unknownProfile(name)
	}
	return p, nil
}

// Unruled is the file tree without the rules of any session: the operator's,
// never a login's.
func (w *Workspace) Unruled() *vfs.View { return w.free }

// rulesFor answers a profile by its name, tightened by an inline document that
// may be nil.
func (w *Workspace) rulesFor(name string, inline json.RawMessage) (*policy.Profile, error) {
	p, err := w.profile(name)
	if err != nil || inline == nil {
		return p, err
	}
	var value any
	if err := json.Unmarshal(inline, &value); err != nil {
		return nil, errorf(Invalid, "bad_permissions", "permissions: %s", err)
	}
	p, err = policy.Tighten(p, doc.Node{Path: "permissions", Value: value})
	if err != nil {
		return nil, errorf(Refused, "bad_permissions", "%s", err)
	}
	for prefix, at := range p.Mounts() {
		if !w.cfg.hasMount(prefix) {
			return nil, errorf(Refused, "bad_permissions", "%s", at.Errorf("no mount at '%s'", withSlash(prefix)))
		}
	}
	return p, nil
}
