package awk

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// assoc is an associative array. Positive integers have a place of their own,
// for speed and because gawk lists them in order; all other subscripts are in
// a hash table that is gawk's too, so that for (k in a) meets them in its
// order. An array whose first subscript is no integer keeps all in the table.
type assoc struct {
	numbered bool // positive integers are in dense and sparse
	used     bool
	nested   bool       // some elements are arrays
	dense    []*element // subscripts 1, 2, ...
	sparse   map[int64]*element
	buckets  []*element
	size     int // elements in buckets
	count    int
	bytes    int64 // about what the elements hold
}

// element is one entry of an array.
type element struct {
	v    value
	arr  *assoc // of an array of arrays
	key  string
	hash uint32
	next *element // in its bucket
}

// elementBytes is about what an element takes beside its strings.
const elementBytes = 96

// tableSizes are the sizes that a table grows through.
var tableSizes = []int{13, 127, 1021, 8191, 131071, 1048573, 8388593, 16777213, 33554393}

// maxChain is how many elements a bucket holds on average before the table
// grows.
const maxChain = 2

// hashKey is the hash of sdbm, in 32 bits; bytes count as C's signed char.
func hashKey(s string) uint32 {
	h := uint32(0)
	for i := range len(s) {
		h = uint32(int8(s[i])) + h*65599
	}
	return h
}

// subscript is a subscript: an integer or a string.
type subscript struct {
	isInt bool
	n     int64
	s     string
}

// subscript makes a subscript of a value.
func (in *interp) subscript(v value) subscript {
	switch v.k {
	case kindNumber:
		if n := int64(v.n); float64(n) == v.n && n > -1<<53 && n < 1<<53 {
			return subscript{isInt: true, n: n}
		}
		return subscript{s: in.str(v)}
	case kindUnset:
		return subscript{}
	}
	return stringSubscript(v.s)
}

// stringSubscript finds the integer that a string writes in its usual form.
func stringSubscript(s string) subscript {
	if n := len(s); n == 0 || n > 15 || s[0] > '9' || s[0] < '1' && (s[0] != '0' || n > 1) && s[0] != '-' {
		return subscript{s: s}
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && (n != 0 || s == "0") && s[len(s)-1] >= '0' && !(s[0] == '-' && s[1] == '0') {
		return subscript{isInt: true, n: n}
	}
	return subscript{s: s}
}

// text is the subscript as the program sees it.
func (k subscript) text() string {
	if k.isInt {
		return formatNumber(float64(k.n), "")
	}
	return k.s
}

// find answers an element, nil when there is none.
func (a *assoc) find(k subscript) *element {
	if k.isInt && a.numbered && k.n > 0 {
		if k.n <= int64(len(a.dense)) {
			return a.dense[k.n-1]
		}
		return a.sparse[k.n]
	}
	if len(a.buckets) == 0 {
		return nil
	}
	s := k.text()
	h := hashKey(s)
	for e := a.buckets[int(h%uint32(len(a.buckets)))]; e != nil; e = e.next {
		if e.hash == h && e.key == s {
			return e
		}
	}
	return nil
}

// at answers an element, making it if need be.
func (in *interp) at(a *assoc, k subscript) *element {
	if e := a.find(k); e != nil {
		return e
	}
	if !a.used {
		a.used, a.numbered = true, k.isInt
	}
	e := &element{}
	a.count++
	if k.isInt && a.numbered && k.n > 0 {
		a.grow(in, elementBytes)
		if k.n == int64(len(a.dense))+1 {
			a.dense = append(a.dense, e)
			return e
		}
		if k.n <= int64(len(a.dense)) {
			a.dense[k.n-1] = e
			return e
		}
		if a.sparse == nil {
			a.sparse = map[int64]*element{}
		}
		a.sparse[k.n] = e
		return e
	}
	// The key must not keep the record alive that it was cut from.
	e.key = string(append([]byte(nil), k.text()...))
	e.hash = hashKey(e.key)
	a.grow(in, elementBytes+int64(len(e.key)))
	a.size++
	if len(a.buckets) == 0 || a.size/len(a.buckets) > maxChain {
		a.rehash()
	}
	b := &a.buckets[int(e.hash%uint32(len(a.buckets)))]
	e.next, *b = *b, e
	return e
}

// rehash grows the table.
func (a *assoc) rehash() {
	for _, size := range tableSizes {
		if size <= len(a.buckets) {
			continue
		}
		grown := make([]*element, size)
		for _, e := range a.buckets {
			for e != nil {
				next := e.next
				b := &grown[int(e.hash%uint32(size))]
				e.next, *b = *b, e
				e = next
			}
		}
		a.buckets = grown
		return
	}
}

// grow accounts for memory.
func (a *assoc) grow(in *interp, bytes int64) {
	a.bytes += bytes
	in.hold(bytes)
}

// set gives an element a value.
func (in *interp) set(a *assoc, e *element, v value) {
	if d := int64(len(v.s)) - int64(len(e.v.s)); d != 0 {
		a.grow(in, d)
	}
	e.v = v
}

// remove deletes an element.
func (in *interp) remove(a *assoc, k subscript) {
	e := a.find(k)
	if e == nil {
		return
	}
	a.count--
	a.grow(in, -elementBytes-int64(len(e.key)+len(e.v.s)))
	in.release(e.arr)
	if k.isInt && a.numbered && k.n > 0 {
		if k.n <= int64(len(a.dense)) {
			a.dense[k.n-1] = nil
		} else {
			delete(a.sparse, k.n)
		}
		return
	}
	a.size--
	b := &a.buckets[int(e.hash%uint32(len(a.buckets)))]
	for *b != e {
		b = &(*b).next
	}
	*b = e.next
}

// clear deletes all elements.
func (in *interp) clear(a *assoc) {
	in.release(a)
	*a = assoc{}
}

// release gives back what an array that is dropped was accounted for.
func (in *interp) release(a *assoc) {
	if a == nil {
		return
	}
	in.hold(-a.bytes)
	if !a.nested {
		return
	}
	for _, k := range a.keys() {
		if e := a.find(k); e != nil && e.arr != nil {
			in.release(e.arr)
		}
	}
}

// keys lists the subscripts in gawk's order: strings by bucket, then zero and
// negative integers among them, then positive integers from the smallest on.
func (a *assoc) keys() []subscript {
	keys := make([]subscript, 0, a.count)
	for _, e := range a.buckets {
		for ; e != nil; e = e.next {
			keys = append(keys, stringSubscript(e.key))
		}
	}
	if a.numbered {
		slices.SortStableFunc(keys, func(x, y subscript) int {
			switch {
			case !x.isInt && !y.isInt:
				return 0
			case !x.isInt:
				return -1
			case !y.isInt:
				return 1
			}
			return cmp.Compare(x.n, y.n)
		})
	}
	for i, e := range a.dense {
		if e != nil {
			keys = append(keys, subscript{isInt: true, n: int64(i + 1)})
		}
	}
	if len(a.sparse) == 0 {
		return keys
	}
	from := len(keys)
	for n := range a.sparse {
		keys = append(keys, subscript{isInt: true, n: n})
	}
	slices.SortFunc(keys[from:], func(x, y subscript) int { return cmp.Compare(x.n, y.n) })
	return keys
}

// hold accounts for bytes that the program keeps.
func (in *interp) hold(bytes int64) {
	in.held += bytes
	if !in.meter.Hold(in.held) {
		in.fatalf("memory exhausted")
	}
}

// largeString is the length from which a string counts while it is made.
const largeString = 64 << 10

// checkString keeps one string within what the run may hold.
func (in *interp) checkString(n int) {
	if n > math.MaxInt32 || n >= largeString && !in.meter.Hold(in.held+int64(n)) {
		in.fatalf("memory exhausted")
	}
}
