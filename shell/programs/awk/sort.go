package awk

import (
	"slices"
	"strings"
)

// entry is an element while an array is being sorted.
type entry struct {
	key  subscript
	text value // the subscript as a value
	elem *element
}

func (in *interp) entries(a *assoc) []entry {
	keys := a.keys()
	list := make([]entry, len(keys))
	for i, k := range keys {
		list[i] = entry{k, input(k.text()), a.find(k)}
	}
	return list
}

// sortedKeys lists an array's subscripts in the order that
// PROCINFO["sorted_in"] asks for.
func (in *interp) sortedKeys(a *assoc) []subscript {
	if in.procinfo == nil {
		return a.keys()
	}
	p := in.arrayOf(in.procinfo)
	if p == nil {
		return a.keys()
	}
	e := p.find(subscript{s: "sorted_in"})
	if e == nil {
		return a.keys()
	}
	list := in.entries(a)
	in.sortEntries(list, in.str(e.v))
	keys := make([]subscript, len(list))
	for i := range list {
		keys[i] = list[i].key
	}
	return keys
}

// sortEntries sorts by one of gawk's named orders, or by a function of the
// program that compares.
func (in *interp) sortEntries(list []entry, how string) {
	compare := in.order(how)
	if compare == nil {
		return
	}
	steps := 0
	slices.SortStableFunc(list, func(x, y entry) int {
		if steps++; steps&255 == 0 {
			in.checkContext()
		}
		return compare(&x, &y)
	})
}

// order answers the comparison of a name; nil for no order.
func (in *interp) order(how string) func(x, y *entry) int {
	if !strings.HasPrefix(how, "@") {
		f, ok := in.prog.byName[how]
		if !ok {
			in.fatalf("sort comparison function `%s' is not defined", how)
		}
		return func(x, y *entry) int { return in.callCompare(f, x, y) }
	}
	var compare func(x, y *entry) int
	name, descending := strings.CutSuffix(how, "_desc")
	name = strings.TrimSuffix(name, "_asc")
	switch name {
	case "@ind_str":
		compare = func(x, y *entry) int { return strings.Compare(x.text.s, y.text.s) }
	case "@ind_num":
		compare = func(x, y *entry) int {
			if d := compareFloat(x.text.num(), y.text.num()); d != 0 {
				return d
			}
			return strings.Compare(x.text.s, y.text.s)
		}
	case "@val_num":
		compare = func(x, y *entry) int {
			if d := nested(x, y); d != 0 {
				return d
			}
			a, b := x.elem.v, y.elem.v
			if d := compareFloat(a.num(), b.num()); d != 0 {
				return d
			}
			return strings.Compare(in.str(a), in.str(b))
		}
	case "@val_str":
		compare = func(x, y *entry) int {
			if d := nested(x, y); d != 0 {
				return d
			}
			return strings.Compare(in.str(x.elem.v), in.str(y.elem.v))
		}
	case "@val_type":
		compare = func(x, y *entry) int { return in.compareType(x, y) }
	default:
		return nil
	}
	if descending {
		return func(x, y *entry) int { return compare(y, x) }
	}
	return compare
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// nested puts arrays behind scalars.
func nested(x, y *entry) int {
	switch a, b := x.elem.arr != nil, y.elem.arr != nil; {
	case a && !b:
		return 1
	case b && !a:
		return -1
	}
	return 0
}

// compareType puts numbers in front of strings, and strings in front of
// arrays.
func (in *interp) compareType(x, y *entry) int {
	if d := nested(x, y); d != 0 {
		return d
	}
	a, b := x.elem.v, y.elem.v
	a.settle()
	b.settle()
	switch {
	case a.k == kindText && b.k != kindText:
		return 1
	case a.k != kindText && b.k == kindText:
		return -1
	case a.k != kindText:
		return compareFloat(a.n, b.n)
	}
	return strings.Compare(a.s, b.s)
}

// callCompare asks a function of the program: its arguments are the two
// subscripts and values.
func (in *interp) callCompare(f *function, x, y *entry) int {
	mark := in.stack
	frame := in.stack.take(max(4, len(f.params)))
	for i := range frame {
		frame[i].param = true
		if i < len(f.params) {
			frame[i].name = f.params[i]
		}
	}
	frame[0].v, frame[2].v = x.text, y.text
	for i, e := range []*entry{x, y} {
		c := &frame[1+2*i]
		if c.arr = e.elem.arr; c.arr == nil {
			c.v = e.elem.v
		} else {
			c.origin = c
		}
	}
	v := in.call(f, frame)
	clear(frame)
	in.stack = mark
	return compareFloat(v.num(), 0)
}

// asort compiles asort and asorti: the values, or subscripts, of an array
// become the elements 1, 2, ... of it or of another one.
func (c *compiler) asort(e *builtinExpr) valueFunc {
	from := c.array(e.args[0])
	to := from
	if len(e.args) > 1 {
		to = c.array(e.args[1])
	}
	bySubscript := e.name == "asorti"
	how := func(*interp) string {
		if bySubscript {
			return "@ind_str_asc"
		}
		return "@val_type_asc"
	}
	if len(e.args) > 2 {
		how = c.str(e.args[2])
	}
	return func(in *interp) value {
		a, b := from(in), to(in)
		list := in.entries(a)
		in.sortEntries(list, how(in))
		fields := make([]value, len(list))
		for i := range list {
			switch {
			case bySubscript:
				fields[i] = text(list[i].text.s)
			case list[i].elem.arr != nil:
				in.fatalf("%s: values that are arrays are not supported", e.name)
			default:
				fields[i] = list[i].elem.v
			}
		}
		in.clear(b)
		in.fill(b, fields)
		return number(float64(len(fields)))
	}
}
