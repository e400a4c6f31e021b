package state

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

// Folder is the embedded Store: a bbolt file with a journal before it.
//
// An update is one append to the journal, handed to the operating system in
// one write, and an entry in a layer in memory; that costs microseconds. Syncs
// are shared by the updates that wait for them. From time to time the layer
// goes into the bbolt file in one transaction and the journal starts anew.
//
// Lock order: syncMu before mu; neither is held while fn of a View runs,
// except mu for reading.
type Folder struct {
	dir  string
	lock *os.File
	db   *bbolt.DB
	opts Options

	syncMu sync.Mutex // one sync at a time; those who wait share the next

	mu     sync.RWMutex
	closed bool
	broken error // set once nothing more can be acknowledged
	seq    uint64
	synced uint64 // everything up to here is on disk
	active *layer
	frozen *layer // being written to the database
	moving bool   // a checkpoint goes on
	jour   *journal
	timer  bool      // a sync is due
	room   sync.Cond // on mu: a checkpoint ended

	journals uint64 // numbers given to journals; one checkpoint at a time
	group    sync.WaitGroup
}

// Options tunes a Folder; the zero value is right for a server.
type Options struct {
	// SyncEvery is how long a Grouped update may wait for its sync; 25 ms
	// when zero, so that the sync itself ends within the promised 50 ms.
	SyncEvery time.Duration
	// Layer is how many bytes of changes go into memory before they move to
	// the database file; 4 MiB when zero.
	Layer int
	// Sync brings a journal to disk; nil is (*os.File).Sync. It is there for
	// tests.
	Sync func(*os.File) error
}

// Open opens the store in a folder, made when it does not exist, with mode
// 0700. One process at a time may have it.
func Open(dir string, o Options) (*Folder, error) {
	if o.SyncEvery == 0 {
		o.SyncEvery = 25 * time.Millisecond
	}
	if o.Layer == 0 {
		o.Layer = 4 << 20
	}
	if o.Sync == nil {
		o.Sync = (*os.File).Sync
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	s := &Folder{dir: dir, lock: lock, opts: o, active: newLayer()}
	s.room.L = &s.mu
	if err := s.open(); err != nil {
		if s.db != nil {
			s.db.Close()
		}
		lock.Close()
		return nil, err
	}
	return s, nil
}

func (s *Folder) open() error {
	db, err := bbolt.Open(filepath.Join(s.dir, databaseName), 0o600, &bbolt.Options{
		// Our own lock came first, so nobody can hold the file.
		Timeout:      time.Second,
		FreelistType: bbolt.FreelistMapType,
	})
	if err != nil {
		return fmt.Errorf("state: %s: %w", filepath.Join(s.dir, databaseName), err)
	}
	s.db = db
	if s.seq, err = recoverFolder(s.dir, db); err != nil {
		return err
	}
	s.synced = s.seq
	s.jour, err = createJournal(s.dir, s.journals)
	return err
}

// Update implements Store.
func (s *Folder) Update(ctx context.Context, d Durability, fn func(Tx) error) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	seq, err := s.update(fn)
	if err != nil || d != Synced || seq == 0 {
		return err
	}
	return s.sync(seq)
}

// update answers the sequence number of the transaction, 0 when it changed
// nothing.
func (s *Folder) update(fn func(Tx) error) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Writers wait when they outrun the database file.
	for s.active.bytes > 4*s.opts.Layer && s.moving && s.broken == nil {
		s.room.Wait()
	}
	if err := s.usable(); err != nil {
		return 0, err
	}
	t := &tx{above: layers{nil, s.active, s.frozen}, db: s.db, write: true}
	err := fn(t)
	t.done()
	if err != nil {
		return 0, err
	}
	if len(t.changes) == 0 {
		return 0, nil
	}
	if err := s.jour.append(s.seq+1, t.changes); err != nil {
		return 0, err
	}
	s.seq++
	for _, c := range t.changes {
		s.active.set(c)
	}
	if !s.timer {
		s.timer = true
		s.group.Add(1)
		time.AfterFunc(s.opts.SyncEvery, s.groupSync)
	}
	if s.active.bytes > s.opts.Layer && !s.moving {
		s.startCheckpoint()
	}
	return s.seq, nil
}

func (s *Folder) usable() error {
	if s.closed {
		return ErrClosed
	}
	return s.broken
}

// View implements Store.
func (s *Folder) View(ctx context.Context, fn func(Tx) error) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return ErrClosed
	}
	t := &tx{above: layers{nil, s.active, s.frozen}, db: s.db}
	defer t.done()
	return fn(t)
}

// Close implements Store.
func (s *Folder) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	seq, broken := s.seq, s.broken
	s.mu.Unlock()
	s.group.Wait()

	err := broken
	if err == nil {
		err = s.sync(seq)
	}
	if err == nil {
		err = s.finish()
	}
	for _, c := range []interface{ Close() error }{s.jour.file, s.db, s.lock} {
		if e := c.Close(); err == nil && e != nil {
			err = fmt.Errorf("state: %w", e)
		}
	}
	return err
}
