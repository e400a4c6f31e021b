package vars

import "sort"

// scope is one level of dynamic scoping.
type scope struct {
	temp bool
	// base is the lowest level whose variables count as locals of a function
	// scope: its own, or that of the temporary environment of the call.
	base  int
	names []string // variables that were made here, some perhaps twice
}

func cloneScopes(s []scope) []scope {
	if len(s) == 0 {
		return nil
	}
	c := make([]scope, len(s))
	for i := range s {
		c[i] = s[i]
		n := len(s[i].names)
		c[i].names = s[i].names[:n:n]
	}
	return c
}

// PushFunc opens the scope of a function call. Variables that a temporary
// scope just below set up count as locals of it, as in bash.
func (v *Vars) PushFunc() {
	level := len(v.scopes) + 1
	base := level
	if n := len(v.scopes); n > 0 && v.scopes[n-1].temp {
		base--
	}
	v.scopes = append(v.scopes, scope{base: base})
}

// PushTemp opens a scope for the assignments before a command: SetTemp puts
// variables in it.
func (v *Vars) PushTemp() { v.scopes = append(v.scopes, scope{temp: true}) }

// Pop closes the innermost scope, whatever its kind.
func (v *Vars) Pop() {
	n := len(v.scopes)
	if n == 0 {
		return
	}
	for _, name := range v.scopes[n-1].names {
		va := v.table[name]
		if va == nil || va.level != n {
			continue // unset meanwhile
		}
		v.drop(va)
	}
	v.scopes[n-1] = scope{}
	v.scopes = v.scopes[:n-1]
}

// drop takes the visible binding va away, which uncovers what it hid.
func (v *Vars) drop(va *variable) {
	v.ownTable()
	if va.outer != nil {
		v.table[va.name] = va.outer
	} else {
		delete(v.table, va.name)
	}
	if va.attr&Export != 0 || va.outer != nil && va.outer.attr&Export != 0 {
		v.environValid = false
	}
	if va.owner == v {
		n := va.size()
		if va.seq != v.seq && v.shared() {
			v.orphan += n
		} else {
			v.spend(-n)
		}
	}
	if va.watch {
		v.changed(va)
	}
}

// InFunc reports whether a function scope is open.
func (v *Vars) InFunc() bool { return v.funcLevel() > 0 }

// funcLevel answers the level of the innermost function scope, 0 outside.
func (v *Vars) funcLevel() int {
	for i := len(v.scopes) - 1; i >= 0; i-- {
		if !v.scopes[i].temp {
			return i + 1
		}
	}
	return 0
}

// isLocal reports whether va belongs to the innermost function.
func (v *Vars) isLocal(va *variable) bool {
	level := v.funcLevel()
	return level > 0 && va.level >= v.scopes[level-1].base && va.level <= level
}

// LocalNames lists the variables of the innermost function scope, sorted.
func (v *Vars) LocalNames() []string {
	var out []string
	for name, va := range v.table {
		if v.isLocal(va) {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

// bind makes a variable without a value in the scope of a level, above the
// bindings of lower levels and beneath those of higher ones.
func (v *Vars) bind(name string, level int) *variable {
	top := v.table[name]
	if top == nil {
		va := v.create(name)
		v.place(va, level)
		return va
	}
	va := &variable{name: name, kind: Scalar, watch: top.watch, owner: v, seq: v.seq}
	v.spend(variableSize + int64(len(name)))
	v.place(va, level)
	if top.level <= level {
		va.outer = top
		v.ownTable()
		v.table[name] = va
		return va
	}
	above := v.own(top)
	for above.outer != nil && above.outer.level > level {
		o := above.outer
		if o.owner != v || o.seq != v.seq && v.shared() {
			o = v.copyOf(o)
			above.outer = o
		}
		above = o
	}
	va.outer, above.outer = above.outer, va
	return va
}

func (v *Vars) place(va *variable, level int) {
	va.level = level
	if level > 0 {
		s := &v.scopes[level-1]
		s.names = append(s.names, va.name)
	}
}

// SetTemp assigns an exported variable of the innermost temporary scope. The
// attributes of the variable that it hides apply.
func (v *Vars) SetTemp(name, value string) error { return v.setTemp(name, value, false) }

// AppendTemp is SetTemp for name+=value.
func (v *Vars) AppendTemp(name, value string) error { return v.setTemp(name, value, true) }

func (v *Vars) setTemp(name, value string, add bool) error {
	level := len(v.scopes)
	old := v.table[name]
	if old != nil && old.attr&Nameref != 0 {
		if t, ok := v.deref(name); ok && !t.element {
			name, old = t.name, v.table[t.name]
		}
	}
	if err := v.mayWrite(name, &value); err != nil {
		return err
	}
	if old != nil {
		if old.attr&ReadOnly != 0 {
			return readOnly(name)
		}
		before := ""
		if add {
			before, _ = v.Lookup(name)
		}
		var err error
		if value, err = v.transform(old, before, value, add); err != nil {
			return err
		}
	}
	if err := v.charge(int64(len(value))); err != nil {
		return err
	}
	va := old
	if va == nil || va.level != level {
		va = v.bind(name, level)
	} else {
		va = v.own(va)
		v.spend(-int64(len(va.str)))
	}
	va.setText(value)
	va.set = true
	va.attr |= Export
	if old != nil {
		va.attr |= old.attr & (Integer | Lower | Upper | Capital)
	}
	v.changed(va)
	return nil
}

// Unset removes a variable: the innermost one, which uncovers an outer one as
// bash does. A local of the running function stays as a local without value.
// Unsetting what is not set is no error. A nameref is followed.
func (v *Vars) Unset(name string) error {
	va := v.table[name]
	if va == nil {
		return nil
	}
	if va.attr&Nameref != 0 {
		t, ok := v.deref(name)
		if !ok || t.va == nil {
			return nil
		}
		if t.element {
			if t.va.kind == Assoc {
				return v.UnsetKey(t.name, t.sub)
			}
			i, err := v.subscript(t.sub)
			if err != nil {
				return err
			}
			return v.UnsetIndex(t.name, i)
		}
		va = v.table[t.name]
	}
	return v.unset(va)
}

// UnsetNameref removes the nameref itself (unset -n).
func (v *Vars) UnsetNameref(name string) error {
	va := v.table[name]
	if va == nil || va.attr&Nameref == 0 {
		return nil
	}
	return v.unset(va)
}

func (v *Vars) unset(va *variable) error {
	if va.attr&ReadOnly != 0 {
		return &Error{va.name, "cannot unset: readonly variable"}
	}
	if err := v.mayWrite(va.name, nil); err != nil {
		return err
	}
	if va.level > 0 && (va.level == v.funcLevel() || v.LocalUnset) {
		va = v.own(va)
		n := va.size()
		exported := va.attr&Export != 0
		va.attr, va.kind, va.set, va.dyn = 0, Scalar, false, dynNone
		va.setText("")
		va.list, va.hash = nil, nil
		v.spend(va.size() - n)
		if exported {
			v.environValid = false
		}
		if va.watch {
			v.changed(va)
		}
		return nil
	}
	v.drop(va)
	return nil
}

// UnsetIndex removes one element of an indexed array; a negative index counts
// from the end.
func (v *Vars) UnsetIndex(name string, i int64) error {
	va := v.find(name)
	switch {
	case va == nil:
		return nil
	case va.attr&ReadOnly != 0:
		return &Error{va.name, "cannot unset: readonly variable"}
	case va.kind == Scalar:
		if i == 0 {
			return v.unset(va)
		}
		return &Error{va.name, "not an array variable"}
	case va.kind != Indexed || va.list == nil || va.dyn != dynNone:
		return nil
	}
	if i < 0 {
		if n := i + va.list.last() + 1; n >= 0 {
			i = n
		} else {
			return subscriptError("", i)
		}
	}
	if err := v.mayWrite(va.name, nil); err != nil {
		return err
	}
	va = v.own(va)
	before := va.list.size
	va.list.unset(i)
	v.spend(va.list.size - before)
	return nil
}

// UnsetKey removes one element of an associative array.
func (v *Vars) UnsetKey(name, key string) error {
	va := v.find(name)
	switch {
	case va == nil:
		return nil
	case va.attr&ReadOnly != 0:
		return &Error{va.name, "cannot unset: readonly variable"}
	case va.dyn == dynHost && v.host != nil:
		return v.host.SetDynamic(va.name, key, nil)
	case va.kind != Assoc || va.hash == nil:
		return nil
	}
	if err := v.mayWrite(va.name, nil); err != nil {
		return err
	}
	va = v.own(va)
	before := va.hash.size
	va.hash.unset(key)
	v.spend(va.hash.size - before)
	return nil
}
