package vars

import "slices"

// assoc is an associative array. It is bash's own hash table, chains, growth
// and all, so that listings come in bash's order.
type assoc struct {
	buckets []int32 // index of the first entry + 1; 0 = empty
	entries []entry
	free    int32 // first unused entry + 1, chained by next
	count   int
	size    int64 // bytes held
}

type entry struct {
	key, value string
	hash       uint32
	next       int32 // index + 1
}

// The constants of bash's associative arrays: buckets at first, entries a
// bucket before the table grows, and by what it grows.
const (
	assocBuckets = 1024
	assocLoad    = 2
	assocGrowth  = 4
)

const entrySize = 40

func newAssoc() *assoc {
	return &assoc{buckets: make([]int32, assocBuckets), size: assocBuckets * 4}
}

func (h *assoc) clone() *assoc {
	c := *h
	c.buckets = slices.Clone(h.buckets)
	c.entries = slices.Clone(h.entries)
	return &c
}

// hashString is bash's: FNV-1 over signed characters.
func hashString(s string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h *= 16777619
		h ^= uint32(int32(int8(s[i])))
	}
	return h
}

func (h *assoc) find(key string, hash uint32) *entry {
	for i := h.buckets[hash&uint32(len(h.buckets)-1)]; i != 0; {
		e := &h.entries[i-1]
		if e.hash == hash && e.key == key {
			return e
		}
		i = e.next
	}
	return nil
}

func (h *assoc) get(key string) (string, bool) {
	if e := h.find(key, hashString(key)); e != nil {
		return e.value, true
	}
	return "", false
}

func (h *assoc) set(key, value string) {
	hash := hashString(key)
	if e := h.find(key, hash); e != nil {
		h.size += int64(len(value) - len(e.value))
		e.value = value
		return
	}
	if h.count >= len(h.buckets)*assocLoad {
		h.grow()
	}
	i := h.free
	if i == 0 {
		h.entries = append(h.entries, entry{})
		i = int32(len(h.entries))
	} else {
		h.free = h.entries[i-1].next
	}
	b := &h.buckets[hash&uint32(len(h.buckets)-1)]
	h.entries[i-1] = entry{key: key, value: value, hash: hash, next: *b}
	*b = i
	h.count++
	h.size += entrySize + int64(len(key)+len(value))
}

func (h *assoc) grow() {
	old := h.buckets
	h.buckets = make([]int32, len(old)*assocGrowth)
	h.size += int64(len(h.buckets)-len(old)) * 4
	for _, i := range old {
		for i != 0 {
			e := &h.entries[i-1]
			next := e.next
			b := &h.buckets[e.hash&uint32(len(h.buckets)-1)]
			e.next, *b = *b, i
			i = next
		}
	}
}

func (h *assoc) unset(key string) {
	hash := hashString(key)
	p := &h.buckets[hash&uint32(len(h.buckets)-1)]
	for *p != 0 {
		e := &h.entries[*p-1]
		if e.hash == hash && e.key == key {
			i := *p
			*p = e.next
			h.size -= entrySize + int64(len(e.key)+len(e.value))
			*e = entry{next: h.free}
			h.free = i
			h.count--
			return
		}
		p = &e.next
	}
}

// each calls f for every entry in bash's order until it answers false.
func (h *assoc) each(f func(key, value string) bool) {
	for _, i := range h.buckets {
		for i != 0 {
			e := &h.entries[i-1]
			if !f(e.key, e.value) {
				return
			}
			i = e.next
		}
	}
}
