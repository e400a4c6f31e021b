// Package state keeps every record that must outlive the process, in one
// transactional store.
package state

import (
	"context"
	"errors"
)

// ErrNotFound is what Get answers for a key that is not there.
var ErrNotFound = errors.New("state: not found")

// ErrClosed is what every call answers after Close.
var ErrClosed = errors.New("state: store is closed")

// ErrKey is what Put answers for a key that is empty or longer than MaxKey.
var ErrKey = errors.New("state: key is empty or too long")

// MaxKey is the longest key in bytes.
const MaxKey = 16 << 10

// Bucket names a record type.
type Bucket string

// The record types.
const (
	Owners     Bucket = "owners"     // workspace id -> owner record
	Workspaces Bucket = "workspaces" // id -> config and creation
	Sessions   Bucket = "sessions"   // workspace/session -> shell state
	History    Bucket = "history"    // workspace/session/sequence -> line
	Jobs       Bucket = "jobs"       // job id -> record
	Output     Bucket = "output"     // job id -> chunks
	Nodes      Bucket = "nodes"      // workspace/path -> link, mode, xattrs
	Asks       Bucket = "asks"
	Documents  Bucket = "documents"
	Keys       Bucket = "keys"
	Tokens     Bucket = "tokens"
)

// Durability is when an update is safe against a power cut. Every update is
// safe against kill -9 once it has returned.
type Durability int

// The two promises.
const (
	Grouped Durability = iota // synced to disk within 50 ms
	Synced                    // synced to disk before Update returns
)

// Store is a transactional key-value store over record types. Keys are
// compared bytewise; values are the caller's encoding (JSON). All methods are
// safe for concurrent use, but a transaction function must not call the store
// again: it would wait for itself.
type Store interface {
	// Update runs fn in a read-write transaction: all of it happens, or,
	// when fn or the commit fails, nothing. When it is the sync to disk that
	// fails, the outcome is unknown and the store refuses further updates.
	Update(ctx context.Context, d Durability, fn func(Tx) error) error
	// View runs fn in a read-only transaction over one consistent state,
	// which holds every update that has returned.
	View(ctx context.Context, fn func(Tx) error) error
	// Close syncs what was acknowledged and frees the store.
	Close() error
}

// Tx is a transaction, for one goroutine and until fn returns. Slices that it
// hands out are valid until then, and not to be changed.
type Tx interface {
	// Get answers a value, or ErrNotFound.
	Get(b Bucket, key string) ([]byte, error)
	// Put sets a value, which the store copies. In a View it fails.
	Put(b Bucket, key string, value []byte) error
	// Delete removes a key; one that is not there is no error.
	Delete(b Bucket, key string) error
	// Scan calls fn for each key with the prefix in order until fn answers
	// false. fn may change the bucket; the scan goes over what was there
	// when it began.
	Scan(b Bucket, prefix string, fn func(key string, value []byte) bool) error
}
