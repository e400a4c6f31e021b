package state

import (
	"slices"
	"strings"
)

// change is one write of a transaction; a nil value deletes.
type change struct {
	bucket Bucket
	key    string
	value  []byte
}

// layer holds acknowledged changes that the database file does not have yet.
// A nil value marks a deleted key.
type layer struct {
	buckets map[Bucket]map[string][]byte
	bytes   int
}

func newLayer() *layer { return &layer{buckets: map[Bucket]map[string][]byte{}} }

// entryOverhead is what a map entry costs beside its bytes, roughly.
const entryOverhead = 64

func (l *layer) set(c change) {
	m := l.buckets[c.bucket]
	if m == nil {
		m = map[string][]byte{}
		l.buckets[c.bucket] = m
	}
	if old, ok := m[c.key]; ok {
		l.bytes -= len(old)
	} else {
		l.bytes += len(c.key) + entryOverhead
	}
	l.bytes += len(c.value)
	m[c.key] = c.value
}

// get answers the value, and whether the layer knows the key at all.
func (l *layer) get(b Bucket, key string) (value []byte, known bool) {
	if l == nil {
		return nil, false
	}
	value, known = l.buckets[b][key]
	return value, known
}

// keys adds the layer's keys with the prefix to dst.
func (l *layer) keys(dst []string, b Bucket, prefix string) []string {
	if l == nil {
		return dst
	}
	for k := range l.buckets[b] {
		if strings.HasPrefix(k, prefix) {
			dst = append(dst, k)
		}
	}
	return dst
}

// layers is a stack of layers, newest first.
type layers [3]*layer

func (s layers) get(b Bucket, key string) (value []byte, known bool) {
	for _, l := range s {
		if value, known = l.get(b, key); known {
			return value, known
		}
	}
	return nil, false
}

// keys answers every key with the prefix that some layer knows, sorted.
func (s layers) keys(b Bucket, prefix string) []string {
	var keys []string
	for _, l := range s {
		keys = l.keys(keys, b, prefix)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
