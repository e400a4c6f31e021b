// Package workspace is the manager that every front end talks to: workspaces,
// their sessions, and the jobs that run in them.
//
// Lock order: Session.turn (held while a line runs), lineJudge.turn or
// FileCall.mu, history.mu, then the store's own lock, then Manager.mu,
// Workspace.mu, Session.mu, Job.mu, joblog.mu, jobIndex.mu, lineJudge.mu,
// ledger.mu, askHub.mu. So the store is called with none of the latter held,
// and its transactions may take them.
package workspace

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"mirage/accounts"
	"mirage/audit"
	"mirage/internal/budget"
	"mirage/policy"
	"mirage/policy/script"
	"mirage/shell/program"
	"mirage/shell/programs"
	"mirage/state"
	"mirage/vfs"
)

// Options is what a Manager is made of.
type Options struct {
	Store state.Store
	// Root is the folder for what the manager itself keeps on disk. No disk
	// mount may reach it, nor the Reserved ones, which are others' to keep.
	Root     string
	Reserved []string
	Log      *slog.Logger
	Now      func() time.Time // nil = time.Now
	// AskWait is how long a line waits for the answer to a question before it
	// is refused; 0 = not at all. A line may bring its own.
	AskWait time.Duration
	// Audit takes the events of lines, files, refusals, questions, sessions
	// and workspaces; nil = nobody does. AuditRate bounds the events of files
	// that one session makes in a second; 0 = not at all.
	Audit     audit.Sink
	AuditRate int
	Budgets   Budgets
	// Scripts says how the policy scripts of profiles run, and ReadScript
	// reads one from the host; nil refuses them.
	Scripts    script.Options
	ReadScript func(name string) ([]byte, error)
	// Policies are asked in every session, in order, after the script of its
	// profile.
	Policies []policy.Hooks
}

// Manager owns every workspace of a server. Safe for concurrent use.
type Manager struct {
	store    state.Store
	reserved []string // folders that no disk mount may reach
	log      *slog.Logger
	now      func() time.Time
	programs map[string]*program.Program
	bin      vfs.FS // of /usr/bin
	jobs     *jobIndex
	asked    *askHub
	askWait  time.Duration

	budgets   Budgets
	memory    *budget.Budget // of all sessions
	audit     audit.Sink     // nil = off
	auditRate int
	scripts   script.Options
	readFile  func(name string) ([]byte, error) // of scripts
	policies  []policy.Hooks

	mu      sync.Mutex
	closed  bool
	entries map[string]*entry
	used    map[string]*usage // by account
}

// phase is where the life of a workspace in memory stands.
type phase int

const (
	opening phase = iota
	live
	closing
	deleting
)

// entry is the manager's hold on an id. Its fields are guarded by
// Manager.mu; ready is closed when opening, closing or deleting has ended,
// after the entry has become live or has gone.
type entry struct {
	phase  phase
	digest string // of the configuration; "" while a stored one is read
	w      *Workspace
	ready  chan struct{}
	err    error // of opening, closing or deleting
	ended  time.Time
}

// errShutDown is why lines end when the server does.
var errShutDown = errors.New("server is shutting down")

// Open makes a manager over a store: jobs that a previous process left
// running become failed with "server restarted"; stored workspaces reopen at
// their first use. The store stays the caller's to close, after the manager.
func Open(ctx context.Context, o Options) (*Manager, error) {
	m := &Manager{
		store: o.Store, log: o.Log, now: o.Now, entries: map[string]*entry{}, asked: newAskHub(), askWait: o.AskWait,
		audit: o.Audit, auditRate: o.AuditRate, budgets: o.Budgets, memory: budget.New(o.Budgets.ServerMemory), scripts: o.Scripts, readFile: o.ReadScript, policies: o.Policies, used: map[string]*usage{},
	}
	if o.Root != "" {
		m.reserved = append(m.reserved, o.Root)
	}
	m.reserved = append(m.reserved, o.Reserved...)
	if m.now == nil {
		m.now = time.Now
	}
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	m.programs = map[string]*program.Program{}
	for _, p := range programs.All() {
		m.programs[p.Name] = p
	}
	m.bin = m.openBin()
	var err error
	if m.jobs, err = openJobs(ctx, m.store, m.now); err != nil {
		return nil, storeFailed(err)
	}
	return m, nil
}

// Close cancels what runs, closes every workspace and keeps its state. It
// answers an error when lines had not ended before ctx did.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	var live []*Workspace
	var ids []string
	for id, e := range m.entries {
		ids = append(ids, id)
		if e.w != nil {
			live = append(live, e.w)
		}
	}
	m.mu.Unlock()
	var wg sync.WaitGroup
	errs := make([]error, len(live))
	for i, w := range live {
		wg.Go(func() { errs[i] = w.shut(ctx, errShutDown) })
	}
	wg.Wait()
	m.mu.Lock()
	for _, id := range ids {
		delete(m.entries, id)
	}
	m.mu.Unlock()
	return errors.Join(errs...)
}

// Get answers a workspace that the caller may see, reopening a stored one.
// Missing and foreign workspaces give the same NotFound.
func (m *Manager) Get(ctx context.Context, c accounts.Caller, id string) (*Workspace, error) {
	for {
		e, known := m.lookup(id)
		switch {
		case !known:
			w, err := m.reopen(ctx, c, id)
			if w != nil || err != nil {
				return w, err
			}
		case e.phase == live && c.Sees(e.w.owner):
			return e.w, nil
		case e.phase != opening:
			return nil, workspaceNotFound()
		default:
			if err := wait(ctx, e.ready); err != nil {
				return nil, err
			}
		}
	}
}

// lookup answers what the manager holds of an id now.
func (m *Manager) lookup(id string) (e entry, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.entries[id]; p != nil {
		return *p, true
	}
	return entry{}, false
}

func wait(ctx context.Context, ready <-chan struct{}) error {
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return canceledError(context.Cause(ctx))
	}
}

// reopen opens a stored workspace. It answers nil, nil when somebody else has
// begun to meanwhile.
func (m *Manager) reopen(ctx context.Context, c accounts.Caller, id string) (*Workspace, error) {
	rec, err := m.load(ctx, id)
	if err != nil {
		return nil, err
	}
	if rec == nil || rec.Closed || !c.Sees(rec.owner) {
		return nil, workspaceNotFound()
	}
	e := m.reserve(id, rec.Digest)
	if e == nil {
		return nil, nil
	}
	w, err := m.openStored(ctx, id)
	m.settle(id, e, w, err)
	return w, err
}

// openStored reads the record again, since it may have changed before the id
// was reserved.
func (m *Manager) openStored(ctx context.Context, id string) (*Workspace, error) {
	if m.isClosed() {
		return nil, errorf(Failed, "shutting_down", "%s", errShutDown)
	}
	rec, err := m.load(ctx, id)
	if err != nil {
		return nil, err
	}
	if rec == nil || rec.Closed {
		return nil, workspaceNotFound()
	}
	cfg, err := ParseConfig(rec.Config)
	if err != nil {
		return nil, errorf(Failed, "workspace_unreadable", "workspace cannot be reopened: %s", err)
	}
	w, err := m.build(ctx, id, rec, cfg, true)
	if err != nil {
		m.log.Error("workspace cannot be reopened", "workspace", id, "error", err)
		return nil, errorf(Failed, "workspace_unreadable", "workspace cannot be reopened: %s", err)
	}
	return w, nil
}

func (m *Manager) isClosed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

// reserve takes an id for opening; nil when it is taken.
func (m *Manager) reserve(id, digest string) *entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[id] != nil {
		return nil
	}
	e := &entry{phase: opening, digest: digest, ready: make(chan struct{})}
	m.entries[id] = e
	return e
}

// settle ends an opening: the workspace is live, or the id is free again.
func (m *Manager) settle(id string, e *entry, w *Workspace, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.err = err
	switch {
	case err != nil:
		delete(m.entries, id)
	default:
		e.phase, e.w = live, w
		if m.closed { // Close has not seen it
			go w.shut(context.Background(), errShutDown)
			delete(m.entries, id)
		}
	}
	close(e.ready)
}

// List answers the live and stored workspaces that the caller may see, oldest
// first. A stored one that cannot be reopened is left out, and logged.
func (m *Manager) List(ctx context.Context, c accounts.Caller) ([]*Workspace, error) {
	ids, err := m.storedIDs(ctx)
	if err != nil {
		return nil, err
	}
	var list []*Workspace
	for _, id := range ids {
		w, err := m.Get(ctx, c, id)
		if err != nil {
			if ctx.Err() != nil {
				return nil, canceledError(context.Cause(ctx))
			}
			continue
		}
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b *Workspace) int {
		return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.id, b.id))
	})
	return list, nil
}

// Count answers how many workspaces are live.
func (m *Manager) Count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, e := range m.entries {
		if e.phase == live {
			n++
		}
	}
	return n
}
