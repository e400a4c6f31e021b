package ram

import (
	"slices"
	"strings"
)

// maxNode is how many entries or children a node of a directory holds.
const maxNode = 64

// dirEntry is one name in a directory.
type dirEntry struct {
	name string
	ino  uint64
}

// dir is a persistent directory: a B+ tree by name, whose nodes never change.
// Nodes that have become small are not joined again, only empty ones are
// dropped. The nil dir is empty.
type dir struct {
	low     string     // no name below is smaller
	entries []dirEntry // of a leaf, sorted
	kids    []*dir     // of an interior node, sorted
	size    int        // entries at or below
}

func (d *dir) len() int {
	if d == nil {
		return 0
	}
	return d.size
}

// kid answers the index of the child that name belongs to.
func (d *dir) kid(name string) int {
	i, ok := slices.BinarySearchFunc(d.kids, name, func(k *dir, name string) int {
		return strings.Compare(k.low, name)
	})
	if ok || i == 0 {
		return i
	}
	return i - 1
}

func (d *dir) entry(name string) (int, bool) {
	return slices.BinarySearchFunc(d.entries, name, func(e dirEntry, name string) int {
		return strings.Compare(e.name, name)
	})
}

// get answers the inode number of a name, 0 when there is none.
func (d *dir) get(name string) uint64 {
	if d == nil {
		return 0
	}
	for d.kids != nil {
		d = d.kids[d.kid(name)]
	}
	if i, ok := d.entry(name); ok {
		return d.entries[i].ino
	}
	return 0
}

// put answers the directory with name standing for ino.
func (d *dir) put(name string, ino uint64) *dir {
	if d == nil {
		return leaf([]dirEntry{{name, ino}})
	}
	a, b := d.insert(dirEntry{name, ino})
	if b == nil {
		return a
	}
	return interior([]*dir{a, b})
}

// insert answers the node with e in it, in two halves when it is full.
func (d *dir) insert(e dirEntry) (*dir, *dir) {
	if d.kids == nil {
		i, ok := d.entry(e.name)
		entries := make([]dirEntry, 0, len(d.entries)+1)
		entries = append(append(entries, d.entries[:i]...), e)
		if ok {
			i++
		}
		entries = append(entries, d.entries[i:]...)
		if len(entries) <= maxNode {
			return leaf(entries), nil
		}
		m := splitAt(len(entries), i)
		return leaf(entries[:m:m]), leaf(entries[m:])
	}
	i := d.kid(e.name)
	a, b := d.kids[i].insert(e)
	kids := make([]*dir, 0, len(d.kids)+1)
	kids = append(append(kids, d.kids[:i]...), a)
	if b != nil {
		kids = append(kids, b)
	}
	kids = append(kids, d.kids[i+1:]...)
	if len(kids) <= maxNode {
		return interior(kids), nil
	}
	m := splitAt(len(kids), i)
	return interior(kids[:m:m]), interior(kids[m:])
}

// splitAt answers where a full node of n is split: in the middle, but near the
// end when it filled up there, as it does with names that come in order.
func splitAt(n, at int) int {
	if at >= n-1 {
		return n - 1
	}
	return n / 2
}

func leaf(entries []dirEntry) *dir {
	return &dir{low: entries[0].name, entries: entries, size: len(entries)}
}

func interior(kids []*dir) *dir {
	d := &dir{low: kids[0].low, kids: kids}
	for _, k := range kids {
		d.size += k.size
	}
	return d
}

// remove answers the directory without name.
func (d *dir) remove(name string) *dir {
	d = d.cut(name)
	for d != nil && len(d.kids) == 1 {
		d = d.kids[0]
	}
	return d
}

func (d *dir) cut(name string) *dir {
	if d == nil {
		return nil
	}
	if d.kids == nil {
		i, ok := d.entry(name)
		switch {
		case !ok:
			return d
		case len(d.entries) == 1:
			return nil
		}
		entries := make([]dirEntry, 0, len(d.entries)-1)
		entries = append(append(entries, d.entries[:i]...), d.entries[i+1:]...)
		return leaf(entries)
	}
	i := d.kid(name)
	k := d.kids[i].cut(name)
	if k == nil && len(d.kids) == 1 {
		return nil
	}
	kids := make([]*dir, 0, len(d.kids))
	kids = append(kids, d.kids[:i]...)
	if k != nil {
		kids = append(kids, k)
	}
	return interior(append(kids, d.kids[i+1:]...))
}

// each calls fn for every entry in order until it answers false.
func (d *dir) each(fn func(dirEntry) bool) bool {
	if d == nil {
		return true
	}
	for _, e := range d.entries {
		if !fn(e) {
			return false
		}
	}
	for _, k := range d.kids {
		if !k.each(fn) {
			return false
		}
	}
	return true
}
