package vars

// Scope says where a declaration takes effect.
type Scope uint8

// The scopes of a declaration.
const (
	Nearest Scope = iota // the visible variable, a new one in the global scope (export, readonly)
	Local                // the innermost function scope (local; declare in a function)
	Global               // declare -g
)

// Declaration is a change of a variable's nature, without its value.
type Declaration struct {
	Add, Remove Attr
	Kind        Kind
	Scope       Scope
	Inherit     bool // local -I: value and attributes of the outer one
}

// Declare makes or changes a variable as d says. Errors are worded as bash
// words them ("x: cannot convert associative to indexed array"). ReadOnly is
// not added here but by Protect, since the value comes in between.
//
// For Scope Global where a local hides the variable, call it inside of
// InGlobal.
func (v *Vars) Declare(name string, d Declaration) error {
	va, err := v.declared(name, d)
	if err != nil {
		return err
	}
	if va.attr&ReadOnly != 0 && d.Remove&ReadOnly != 0 {
		return readOnly(va.name)
	}
	if d.Add&Export&^va.attr != 0 && va.set {
		value, _ := v.Lookup(va.name)
		if err := v.mayWrite(va.name, &value); err != nil {
			return err
		}
	}
	switch {
	case d.Kind == Indexed && va.kind == Assoc:
		return &Error{va.name, "cannot convert associative to indexed array"}
	case d.Kind == Assoc && va.kind == Indexed:
		return &Error{va.name, "cannot convert indexed to associative array"}
	}
	if d.Add&Nameref != 0 && va.attr&Nameref == 0 && va.set {
		if _, _, _, ok := SplitRef(va.str); va.kind != Scalar || !ok && va.str != "" {
			return &Error{"`" + va.str + "'", "invalid variable name for name reference"}
		}
	}
	va = v.own(va)
	exported := va.attr & Export
	va.attr = (va.attr | d.Add&^ReadOnly) &^ d.Remove
	if d.Add&(Lower|Upper|Capital) != 0 {
		va.attr = va.attr&^(Lower|Upper|Capital) | oneCase(d.Add)
	}
	if d.Kind != NoKind && d.Kind != Scalar && va.kind != d.Kind {
		va = v.freeze(va)
		if d.Kind == Indexed {
			v.toIndexed(va)
		} else {
			v.toAssoc(va)
		}
	}
	if va.attr&Export != exported {
		v.environValid = false
	}
	return nil
}

// oneCase answers the case attribute of a declaration; contradicting ones
// cancel out.
func oneCase(a Attr) Attr {
	switch a &= Lower | Upper | Capital; a {
	case Lower, Upper, Capital:
		return a
	}
	return 0
}

// declared finds or makes the variable of a declaration.
func (v *Vars) declared(name string, d Declaration) (*variable, error) {
	va := v.table[name]
	if d.Scope == Local {
		if level := v.funcLevel(); level > 0 {
			return v.local(name, level, d)
		}
	}
	if va == nil {
		return v.create(name), nil
	}
	if va.attr&Nameref != 0 && (d.Add|d.Remove)&Nameref == 0 {
		t, ok := v.deref(name)
		switch {
		case !ok || t.element:
			return va, nil
		case t.va == nil:
			return v.createHidden(t.name), nil
		}
		return t.va, nil
	}
	return va, nil
}

// local finds or makes a local of the function at level.
func (v *Vars) local(name string, level int, d Declaration) (*variable, error) {
	old := v.table[name]
	for o := old; o != nil; o = o.outer {
		if o.level == level {
			return o, nil
		}
		if o.level == level-1 && o.level == v.scopes[level-1].base {
			// A variable of the call's temporary environment becomes a
			// local one.
			o = v.own(o)
			v.place(o, level)
			return o, nil
		}
	}
	if old != nil && old.attr&ReadOnly != 0 && old.level == 0 {
		return nil, readOnly(name)
	}
	va := v.bind(name, level)
	if old == nil {
		return va, nil
	}
	va.attr = old.attr & Export
	if d.Inherit || v.LocalInherit || old.level > 0 && v.scopes[old.level-1].temp {
		va.attr, va.kind, va.str, va.set = old.attr&^Nameref, old.kind, old.str, old.set
		if old.list != nil {
			va.list = old.list.clone()
		}
		if old.hash != nil {
			va.hash = old.hash.clone()
		}
		v.spend(va.size() - variableSize - int64(len(name)))
	} else if old.attr&Export != 0 {
		v.environValid = false
	}
	return va, nil
}

// Protect adds ReadOnly to the variable that name leads to.
func (v *Vars) Protect(name string) {
	if va := v.find(name); va != nil {
		v.own(va).attr |= ReadOnly
	}
}

// ProtectNameref adds ReadOnly to the nameref called name: what it refers to
// stays as it is.
func (v *Vars) ProtectNameref(name string) {
	if va := v.table[name]; va != nil {
		v.own(va).attr |= ReadOnly
	}
}

// SetNameref makes the nameref called name refer to target, a name or an
// element, as `declare -n name=target` does.
func (v *Vars) SetNameref(name, target string) error {
	base, _, _, ok := SplitRef(target)
	if !ok {
		return &Error{"`" + target + "'", "invalid variable name for name reference"}
	}
	va := v.visible(name)
	if base == name {
		if va.level == 0 {
			return &Error{name, "nameref variable self references not allowed"}
		}
		v.warn("warning: " + name + ": circular name reference")
	}
	if va.attr&ReadOnly != 0 {
		return readOnly(name)
	}
	if err := v.mayWrite(name, &target); err != nil {
		return err
	}
	if err := v.afford(int64(len(target))); err != nil {
		return err
	}
	v.spend(int64(len(target) - len(va.str)))
	va.attr |= Nameref
	va.setText(target)
	va.set = true
	return nil
}

// SetFor assigns to the variable of a for or select loop: a nameref is made
// to refer to value.
func (v *Vars) SetFor(name, value string) error {
	if va := v.table[name]; va != nil && va.attr&Nameref != 0 {
		return v.SetNameref(name, value)
	}
	return v.Set(name, value)
}

// InGlobal runs f while the locals called name are out of the way, so that
// name means the global variable.
func (v *Vars) InGlobal(name string, f func() error) error {
	top := v.table[name]
	if top == nil || top.level == 0 {
		return f()
	}
	v.ownTable()
	if g := top.global(); g != nil {
		v.table[name] = g
	} else {
		delete(v.table, name)
	}
	err := f()
	// Put the locals back on top of whatever is there now.
	g := v.table[name]
	v.ownTable()
	v.table[name] = v.onto(top, g)
	if g != nil && g.attr&Export != 0 {
		v.environValid = false
	}
	return err
}

// onto answers the chain of locals that starts at top, ending in g.
func (v *Vars) onto(top, g *variable) *variable {
	if top == nil || top.level == 0 {
		return g
	}
	rest := v.onto(top.outer, g)
	if rest == top.outer {
		return top
	}
	if top.owner != v || top.seq != v.seq && v.shared() {
		top = v.copyOf(top)
	}
	top.outer = rest
	return top
}
