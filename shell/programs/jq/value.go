package jq

import (
	"maps"
	"slices"
)

// The values of the language are nil, bool, float64, *literal, string, []any
// and *Object. They are shared and never changed once another part can see
// them; what builds a value may change it until then.

// maxDepth is how deep values may be nested where code follows them.
const maxDepth = 10000

// kind orders values of different types.
type kind int

const (
	kindNull kind = iota
	kindFalse
	kindTrue
	kindNumber
	kindString
	kindArray
	kindObject
)

func kindOf(v any) kind {
	switch v := v.(type) {
	case nil:
		return kindNull
	case bool:
		if v {
			return kindTrue
		}
		return kindFalse
	case float64, *literal:
		return kindNumber
	case string:
		return kindString
	case []any:
		return kindArray
	}
	return kindObject
}

// typeName is what `type` answers.
func typeName(v any) string {
	switch kindOf(v) {
	case kindNull:
		return "null"
	case kindFalse, kindTrue:
		return "boolean"
	case kindNumber:
		return "number"
	case kindString:
		return "string"
	case kindArray:
		return "array"
	}
	return "object"
}

func truthy(v any) bool { return v != nil && v != false }

// number answers the value of a number.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case *literal:
		return v.value, true
	}
	return 0, false
}

// Object is an object that keeps its keys in the order of insertion.
type Object struct {
	keys   []string
	values []any
	index  map[string]int // of large objects only
}

// indexFrom is the number of keys from which an index pays.
const indexFrom = 9

func newObject(size int) *Object {
	return &Object{keys: make([]string, 0, size), values: make([]any, 0, size)}
}

func (o *Object) len() int { return len(o.keys) }

func (o *Object) find(key string) int {
	if o.index != nil {
		if i, ok := o.index[key]; ok {
			return i
		}
		return -1
	}
	return slices.Index(o.keys, key)
}

func (o *Object) get(key string) (any, bool) {
	if i := o.find(key); i >= 0 {
		return o.values[i], true
	}
	return nil, false
}

// set changes o, which must not be shared.
func (o *Object) set(key string, v any) {
	if i := o.find(key); i >= 0 {
		o.values[i] = v
		return
	}
	o.keys = append(o.keys, key)
	o.values = append(o.values, v)
	switch n := len(o.keys); {
	case o.index != nil:
		o.index[key] = n - 1
	case n >= indexFrom:
		o.reindex()
	}
}

func (o *Object) reindex() {
	o.index = make(map[string]int, 2*len(o.keys))
	for i, k := range o.keys {
		o.index[k] = i
	}
}

// remove changes o, which must not be shared.
func (o *Object) remove(key string) {
	i := o.find(key)
	if i < 0 {
		return
	}
	o.keys = slices.Delete(o.keys, i, i+1)
	o.values = slices.Delete(o.values, i, i+1)
	o.index = nil
	if len(o.keys) >= indexFrom {
		o.reindex()
	}
}

func (o *Object) clone() *Object {
	c := &Object{
		keys:   append(make([]string, 0, len(o.keys)+1), o.keys...),
		values: append(make([]any, 0, len(o.values)+1), o.values...),
	}
	if o.index != nil {
		c.index = maps.Clone(o.index)
	}
	return c
}

// sorted answers the positions of the keys in their byte order, which is the
// order of their code points too.
func (o *Object) sorted() []int {
	order := make([]int, len(o.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if o.keys[a] < o.keys[b] {
			return -1
		}
		return 1
	})
	return order
}

// same tells whether two values are one and the same, as far as a path is
// concerned: containers by identity, the rest by value.
func same(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
	case *Object:
		y, ok := b.(*Object)
		return ok && x == y
	case float64:
		y, ok := b.(float64)
		return ok && (x == y || x != x && y != y)
	}
	return a == b
}
