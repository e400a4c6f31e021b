package vars

import (
	"slices"
	"sync/atomic"
)

// indexed is an indexed array. While its subscripts lie close together it is
// dense: list[i] is element i, or absent. Else it is a map with its keys
// sorted on demand. Append is O(1) in both forms.
type indexed struct {
	list   []string
	count  int // elements present
	sparse map[int64]string
	max    int64 // highest subscript of the sparse form
	// sorted caches the keys of the sparse form, in order; nil = not known.
	// Atomic, since clones may read one array at once.
	sorted atomic.Pointer[[]int64]
	size   int64 // bytes held
}

// absent marks a hole of the dense form. No value is equal to it, since
// values hold no NUL.
const absent = "\x00"

// maxGap is how far beyond the end an element may be set before the dense
// form is given up.
const maxGap = 1024

// elementSize is the cost of an element beyond its text.
const elementSize = 16

func newIndexed(values []string) *indexed {
	a := &indexed{list: slices.Clone(values), count: len(values)}
	for _, s := range values {
		a.size += elementSize + int64(len(s))
	}
	return a
}

func (a *indexed) clone() *indexed {
	c := &indexed{list: slices.Clone(a.list), count: a.count, max: a.max, size: a.size}
	if a.sparse != nil {
		c.sparse = make(map[int64]string, len(a.sparse))
		for k, v := range a.sparse {
			c.sparse[k] = v
		}
		c.sorted.Store(a.sorted.Load())
	}
	return c
}

// last answers the highest subscript, -1 for an empty array.
func (a *indexed) last() int64 {
	if a.sparse != nil {
		if a.count == 0 {
			return -1
		}
		return a.max
	}
	return int64(len(a.list)) - 1
}

func (a *indexed) get(i int64) (string, bool) {
	if a.sparse != nil {
		s, ok := a.sparse[i]
		return s, ok
	}
	if i < 0 || i >= int64(len(a.list)) || a.list[i] == absent {
		return "", false
	}
	return a.list[i], true
}

// set assigns element i >= 0.
func (a *indexed) set(i int64, s string) {
	if s == absent {
		s = ""
	}
	if a.sparse == nil {
		n := int64(len(a.list))
		switch {
		case i < n:
			if old := a.list[i]; old != absent {
				a.size += int64(len(s) - len(old))
			} else {
				a.count++
				a.size += int64(len(s))
			}
			a.list[i] = s
			return
		case i == n:
			a.list = append(a.list, s)
			a.count++
			a.size += elementSize + int64(len(s))
			return
		case i-n <= maxGap:
			for ; n < i; n++ {
				a.list = append(a.list, absent)
			}
			a.list = append(a.list, s)
			a.count++
			a.size += elementSize*(i-int64(len(a.list))+2) + int64(len(s))
			return
		}
		a.scatter()
	}
	old, had := a.sparse[i]
	a.sparse[i] = s
	if had {
		a.size += int64(len(s) - len(old))
		return
	}
	a.size += 2*elementSize + int64(len(s))
	keys := a.sorted.Load()
	switch {
	case a.count == 0:
		a.max = i
		a.sorted.Store(&[]int64{i})
	case i > a.max:
		a.max = i
		if keys != nil {
			k := append(*keys, i)
			a.sorted.Store(&k)
		}
	default:
		a.sorted.Store(nil)
	}
	a.count++
}

// scatter goes over to the sparse form.
func (a *indexed) scatter() {
	a.sparse = make(map[int64]string, a.count+1)
	keys := make([]int64, 0, a.count+1)
	a.size = 0
	for i, s := range a.list {
		if s != absent {
			a.sparse[int64(i)] = s
			keys = append(keys, int64(i))
			a.max = int64(i)
			a.size += 2*elementSize + int64(len(s))
		}
	}
	a.sorted.Store(&keys)
	a.list = nil
}

func (a *indexed) unset(i int64) {
	if a.sparse != nil {
		s, ok := a.sparse[i]
		if !ok {
			return
		}
		delete(a.sparse, i)
		a.count--
		a.size -= 2*elementSize + int64(len(s))
		if keys := a.keys(); a.count > 0 {
			at, found := slices.BinarySearch(keys, i)
			if found {
				keys = slices.Delete(slices.Clone(keys), at, at+1)
			}
			a.sorted.Store(&keys)
			a.max = keys[len(keys)-1]
		} else {
			a.sorted.Store(nil)
		}
		return
	}
	if i < 0 || i >= int64(len(a.list)) || a.list[i] == absent {
		return
	}
	a.size -= int64(len(a.list[i]))
	a.list[i] = absent
	a.count--
	n := len(a.list)
	for n > 0 && a.list[n-1] == absent {
		n--
	}
	a.size -= elementSize * int64(len(a.list)-n)
	a.list = a.list[:n]
}

// keys answers the sorted subscripts of the sparse form.
func (a *indexed) keys() []int64 {
	if k := a.sorted.Load(); k != nil {
		return *k
	}
	k := make([]int64, 0, len(a.sparse))
	for i := range a.sparse {
		k = append(k, i)
	}
	slices.Sort(k)
	a.sorted.Store(&k)
	return k
}

// each calls f for every element in order until it answers false.
func (a *indexed) each(f func(i int64, s string) bool) {
	if a.sparse != nil {
		for _, i := range a.keys() {
			if !f(i, a.sparse[i]) {
				return
			}
		}
		return
	}
	for i, s := range a.list {
		if s != absent && !f(int64(i), s) {
			return
		}
	}
}
