package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"time"
)

// Record is an event as the log holds it: one line of JSON.
type Record struct {
	Seq  uint64    `json:"seq"` // from 1, without a gap over all files
	Time time.Time `json:"time"`
	Event
	// Through, of a Pruned record, is the last record that was deleted.
	Through *Position `json:"through,omitempty"`
	Prev    string    `json:"prev"` // Hash of the record before; "" for the first
	Hash    string    `json:"-"`    // last in the line; see seal
}

// Position names a record.
type Position struct {
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
}

func (p Position) String() string { return fmt.Sprintf("%d:%s", p.Seq, p.Hash) }

// maxRecord bounds a line of the log. The longest that is written is well
// below: see maxLineText.
const maxRecord = 1 << 20

// hashField comes before the hash in a line, hashTail is how long it and
// everything after it is, without the newline.
const hashField = `,"hash":"`

var hashTail = len(hashField) + 2*sha256.Size + len(`"}`)

// chain computes hashes: SHA-256, or HMAC-SHA-256 under a key.
type chain struct{ key []byte }

func (c chain) sum(b []byte) string {
	var h hash.Hash
	if len(c.key) > 0 {
		h = hmac.New(sha256.New, c.key)
	} else {
		h = sha256.New()
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// seal encodes a record as a line with its newline and sets its hash: that of
// every byte of the line before `,"hash":"`. The line holds the previous
// record's hash, so each hash covers all of the log before it.
func (c chain) seal(r *Record) ([]byte, error) {
	b, err := encode(r)
	if err != nil {
		return nil, err
	}
	b = b[:len(b)-1] // the closing brace
	r.Hash = c.sum(b)
	b = append(b, hashField...)
	b = append(b, r.Hash...)
	return append(b, "\"}\n"...), nil
}

func encode(r *Record) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

var (
	errNoRecord = errors.New("no audit record")
	errHash     = errors.New("the hash does not fit the record")
)

// parse reads a line, without its newline, and does not check its hash.
func parse(line []byte) (r Record, err error) {
	if len(line) < hashTail || len(line) > maxRecord {
		return r, errNoRecord
	}
	body, tail := line[:len(line)-hashTail], line[len(line)-hashTail:]
	if !bytes.HasPrefix(tail, []byte(hashField)) || !bytes.HasSuffix(tail, []byte(`"}`)) {
		return r, errNoRecord
	}
	if err := json.Unmarshal(append(append([]byte{}, body...), '}'), &r); err != nil {
		return Record{}, errNoRecord
	}
	r.Hash = string(tail[len(hashField) : len(tail)-2])
	return r, nil
}

// open parses a line and checks its hash.
func (c chain) open(line []byte) (Record, error) {
	r, err := parse(line)
	if err == nil && !hmac.Equal([]byte(c.sum(line[:len(line)-hashTail])), []byte(r.Hash)) {
		err = errHash
	}
	return r, err
}
