package ram

// fanBits is how many bits of an index one level of a radix tree consumes.
const (
	fanBits = 5
	fan     = 1 << fanBits
)

// radix is a persistent array: set answers a new one that shares all but the
// changed path with the old, which stays as it was. The zero value is empty.
// Indexes that were never set give the zero T.
type radix[T any] struct {
	root  *radixNode[T]
	depth int // levels of interior nodes above the leaves
}

// radixNode is an interior node (kids) or a leaf (vals). Both slices are only
// as long as the highest index in use demands, and never change.
type radixNode[T any] struct {
	kids []*radixNode[T]
	vals []T
}

// holds reports whether the tree is deep enough for index i.
func (r radix[T]) holds(i uint64) bool {
	shift := fanBits * (r.depth + 1)
	return shift >= 64 || i>>shift == 0
}

func (r radix[T]) get(i uint64) (v T) {
	n := r.root
	if n == nil || !r.holds(i) {
		return v
	}
	for shift := fanBits * r.depth; shift > 0; shift -= fanBits {
		k := int(i >> shift & (fan - 1))
		if k >= len(n.kids) || n.kids[k] == nil {
			return v
		}
		n = n.kids[k]
	}
	if k := int(i & (fan - 1)); k < len(n.vals) {
		return n.vals[k]
	}
	return v
}

// set answers the array with v at index i.
func (r radix[T]) set(i uint64, v T) radix[T] {
	for r.root != nil && !r.holds(i) {
		r.root = &radixNode[T]{kids: []*radixNode[T]{r.root}}
		r.depth++
	}
	if r.root == nil {
		r.depth = 0
		for !r.holds(i) {
			r.depth++
		}
	}
	r.root = r.root.set(i, v, fanBits*r.depth)
	return r
}

func (n *radixNode[T]) set(i uint64, v T, shift int) *radixNode[T] {
	k := int(i >> shift & (fan - 1))
	c := &radixNode[T]{}
	if shift == 0 {
		var old []T
		if n != nil {
			old = n.vals
		}
		c.vals = make([]T, max(k+1, len(old)))
		copy(c.vals, old)
		c.vals[k] = v
		return c
	}
	var old []*radixNode[T]
	if n != nil {
		old = n.kids
	}
	c.kids = make([]*radixNode[T], max(k+1, len(old)))
	copy(c.kids, old)
	c.kids[k] = c.kids[k].set(i, v, shift-fanBits)
	return c
}

// cut answers the array without the indexes from i on, and calls drop for
// each value that was there, unset ones included.
func (r radix[T]) cut(i uint64, drop func(T)) radix[T] {
	if r.root == nil || !r.holds(i) {
		return r
	}
	r.root = r.root.cut(i, fanBits*r.depth, drop)
	return r
}

func (n *radixNode[T]) cut(i uint64, shift int, drop func(T)) *radixNode[T] {
	if n == nil {
		return nil
	}
	k := int(i >> shift & (fan - 1))
	if shift == 0 {
		if k >= len(n.vals) {
			return n
		}
		for _, v := range n.vals[k:] {
			drop(v)
		}
		if k == 0 {
			return nil
		}
		return &radixNode[T]{vals: n.vals[:k:k]}
	}
	if k >= len(n.kids) {
		return n
	}
	for _, kid := range n.kids[k+1:] {
		kid.cut(0, shift-fanBits, drop)
	}
	kid := n.kids[k].cut(i, shift-fanBits, drop)
	if k == 0 && kid == nil {
		return nil
	}
	kids := append([]*radixNode[T]{}, n.kids[:k+1]...)
	kids[k] = kid
	return &radixNode[T]{kids: kids}
}

// unset answers the array with nothing at index i, and without the nodes that
// held nothing else.
func (r radix[T]) unset(i uint64, isZero func(T) bool) radix[T] {
	if r.root != nil && r.holds(i) {
		r.root = r.root.unset(i, fanBits*r.depth, isZero)
	}
	return r
}

func (n *radixNode[T]) unset(i uint64, shift int, isZero func(T) bool) *radixNode[T] {
	if n == nil {
		return nil
	}
	k := int(i >> shift & (fan - 1))
	if shift == 0 {
		if k >= len(n.vals) {
			return n
		}
		vals := append([]T{}, n.vals...)
		var zero T
		vals[k] = zero
		for len(vals) > 0 && isZero(vals[len(vals)-1]) {
			vals = vals[:len(vals)-1]
		}
		if len(vals) == 0 {
			return nil
		}
		return &radixNode[T]{vals: vals}
	}
	if k >= len(n.kids) || n.kids[k] == nil {
		return n
	}
	kids := append([]*radixNode[T]{}, n.kids...)
	kids[k] = kids[k].unset(i, shift-fanBits, isZero)
	for len(kids) > 0 && kids[len(kids)-1] == nil {
		kids = kids[:len(kids)-1]
	}
	if len(kids) == 0 {
		return nil
	}
	return &radixNode[T]{kids: kids}
}
