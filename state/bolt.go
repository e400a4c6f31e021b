package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"
)

// tx is a transaction over the layers and, below them, the database file. A
// read-write one collects its changes in a layer of its own.
type tx struct {
	above   layers
	db      *bbolt.DB
	base    *bbolt.Tx // opened at the first read that the layers cannot answer
	write   bool
	changes []change
}

var errReadOnly = errors.New("state: transaction is read-only")

func (t *tx) bucket(b Bucket) (*bbolt.Bucket, error) {
	if t.base == nil {
		base, err := t.db.Begin(false)
		if err != nil {
			return nil, fmt.Errorf("state: %w", err)
		}
		t.base = base
	}
	return t.base.Bucket([]byte(b)), nil
}

func (t *tx) done() {
	if t.base != nil {
		// A read-only transaction has nothing to lose by rolling back.
		_ = t.base.Rollback()
		t.base = nil
	}
}

func (t *tx) Get(b Bucket, key string) ([]byte, error) {
	value, known := t.above.get(b, key)
	if !known {
		bucket, err := t.bucket(b)
		if err != nil {
			return nil, err
		}
		if bucket != nil {
			value = bucket.Get([]byte(key))
		}
	}
	if value == nil {
		return nil, ErrNotFound
	}
	return value, nil
}

func (t *tx) Put(b Bucket, key string, value []byte) error {
	if key == "" || len(key) > MaxKey {
		return ErrKey
	}
	// Never nil, even when empty: nil means deleted.
	return t.change(change{b, key, append([]byte{}, value...)})
}

func (t *tx) Delete(b Bucket, key string) error {
	if key == "" || len(key) > MaxKey {
		return nil
	}
	return t.change(change{b, key, nil})
}

func (t *tx) change(c change) error {
	if !t.write {
		return errReadOnly
	}
	if t.above[0] == nil {
		t.above[0] = newLayer()
	}
	t.above[0].set(c)
	t.changes = append(t.changes, c)
	return nil
}

func (t *tx) Scan(b Bucket, prefix string, fn func(key string, value []byte) bool) error {
	bucket, err := t.bucket(b)
	if err != nil {
		return err
	}
	// fn may write to the transaction's own layer: what is merged is the
	// state at the beginning.
	type entry struct {
		key   string
		value []byte
	}
	var over []entry
	for _, k := range t.above.keys(b, prefix) {
		v, _ := t.above.get(b, k)
		over = append(over, entry{k, v})
	}
	var base func() ([]byte, []byte)
	var k, v []byte
	if bucket != nil {
		c := bucket.Cursor()
		k, v = c.Seek([]byte(prefix))
		base = c.Next
	}
	for {
		if k != nil && !bytes.HasPrefix(k, []byte(prefix)) {
			k = nil
		}
		if k == nil && len(over) == 0 {
			return nil
		}
		order := -1 // base first
		if k == nil {
			order = 1
		} else if len(over) > 0 {
			order = strings.Compare(string(k), over[0].key)
		}
		if order < 0 {
			if !fn(string(k), v) {
				return nil
			}
			k, v = base()
			continue
		}
		e := over[0]
		over = over[1:]
		if order == 0 {
			k, v = base()
		}
		if e.value != nil && !fn(e.key, e.value) {
			return nil
		}
	}
}

// writeLayer brings a layer into the database file in one transaction and
// notes that everything up to seq is in.
func writeLayer(db *bbolt.DB, l *layer, seq uint64) error {
	return db.Update(func(btx *bbolt.Tx) error {
		for name, entries := range l.buckets {
			b, err := btx.CreateBucketIfNotExists([]byte(name))
			if err != nil {
				return err
			}
			for k, v := range entries {
				if v == nil {
					err = b.Delete([]byte(k))
				} else {
					err = b.Put([]byte(k), v)
				}
				if err != nil {
					return err
				}
			}
		}
		return putApplied(btx, seq)
	})
}

// metaBucket holds the store's own records; no Bucket has a NUL in its name.
var (
	metaBucket = []byte("\x00meta")
	appliedKey = []byte("applied")
)

func putApplied(btx *bbolt.Tx, seq uint64) error {
	b, err := btx.CreateBucketIfNotExists(metaBucket)
	if err != nil {
		return err
	}
	return b.Put(appliedKey, fmt.Appendf(nil, "%d", seq))
}

// applied answers the sequence number up to which the file is complete.
func applied(db *bbolt.DB) (seq uint64, err error) {
	err = db.View(func(btx *bbolt.Tx) error {
		b := btx.Bucket(metaBucket)
		if b == nil {
			return nil
		}
		_, err := fmt.Sscanf(string(b.Get(appliedKey)), "%d", &seq)
		return err
	})
	return seq, err
}

func contextError(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
