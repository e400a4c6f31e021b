// Package state keeps every record that must outlive the process, in one
// transactional store.
package state

import (
	"context"
	"errors"
)

// ErrNotFound is what Get answers for a key that is not there.
var ErrNotFound = errors.New("state: not found")

// Bucket names a record type.
type Bucket string

// The record types.
const (
	Owners     Bucket = "owners"     // workspace id -> owner record
	Workspaces Bucket = "workspaces" // id -> config and creation
	Sessions   Bucket = "sessions"   // workspace/session -> shell state
	History    Bucket = "history"    // workspace/session/sequence -> line
	Jobs       Bucket = "jobs"       // job id -> record
	Output     Bucket = "output"     // job id/sequence -> chunk
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
// compared bytewise; values are the caller's encoding (JSON).
type Store interface {
	// Update runs fn in a read-write transaction: all of it happens, or,
	// when fn or the commit fails, nothing.
	Update(ctx context.Context, d Durability, fn func(Tx) error) error
	// View runs fn in a read-only transaction over one consistent state.
	View(ctx context.Context, fn func(Tx) error) error
	Close() error
}

// Tx is a transaction. Slices that it hands out are valid until it ends.
type Tx interface {
	Get(b Bucket, key string) ([]byte, error)
	Put(b Bucket, key string, value []byte) error
	Delete(b Bucket, key string) error
	// Scan calls fn for each key with the prefix in order until fn answers
	// false.
	Scan(b Bucket, prefix string, fn func(key string, value []byte) bool) error
}
