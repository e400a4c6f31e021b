package vars

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Set assigns to a scalar, or to element 0 of an array (key "0" of an
// associative one), honouring attributes and namerefs. A new variable is made
// in the global scope.
func (v *Vars) Set(name, value string) error { return v.set(name, value, false) }

// Append is name+=value: text is added to the end, or a number to an integer.
func (v *Vars) Append(name, value string) error { return v.set(name, value, true) }

// plain are the attributes that let a value be stored as it is.
const plain = ReadOnly | Integer | Lower | Upper | Capital | Nameref

func (v *Vars) set(name, value string, add bool) error {
	va := v.table[name]
	if va == nil {
		va = v.create(name)
	} else if va.attr&Nameref != 0 {
		t, ok := v.deref(name)
		switch {
		case !ok:
			return ErrCircular
		case t.element:
			return v.setElement(t, value, add)
		case t.va == nil:
			va = v.createHidden(t.name)
		default:
			va = t.va
		}
		if va.attr&Nameref != 0 && va.attr&ReadOnly == 0 {
			return v.retarget(va, value)
		}
	}
	return v.store(va, value, add)
}

// mayWrite asks the guard about a change; value is nil to unset.
func (v *Vars) mayWrite(name string, value *string) error {
	if v.guard == nil {
		return nil
	}
	return v.guard.MayWrite(name, value)
}

func guardOf(h Host) WriteGuard {
	g, _ := h.(WriteGuard)
	return g
}

// createHidden is create for a global variable whose name a local has taken.
func (v *Vars) createHidden(name string) *variable {
	top := v.table[name]
	if top == nil {
		return v.create(name)
	}
	delete(v.tableForChange(), name)
	va := v.create(name)
	v.table[name] = v.push(top, va)
	return va
}

func (v *Vars) tableForChange() map[string]*variable {
	v.ownTable()
	return v.table
}

// push puts va beneath the chain that starts at top, and answers the top.
func (v *Vars) push(top, va *variable) *variable {
	if o := top; o.owner != v || o.seq != v.seq && v.shared() {
		top = v.copyOf(o)
	}
	if top.outer == nil {
		top.outer = va
	} else {
		top.outer = v.push(top.outer, va)
	}
	return top
}

// retarget makes an empty nameref refer to value.
func (v *Vars) retarget(va *variable, value string) error {
	if _, _, _, ok := SplitRef(value); !ok {
		return &Error{"`" + value + "'", "not a valid identifier"}
	}
	va = v.own(va)
	if err := v.charge(int64(len(value) - len(va.str))); err != nil {
		return err
	}
	va.setText(value)
	va.set = true
	return nil
}

// store assigns to a variable that is no nameref.
func (v *Vars) store(va *variable, value string, add bool) error {
	if va.attr&ReadOnly != 0 {
		return readOnly(va.name)
	}
	if v.guard != nil {
		whole := value
		if add && va.kind == Scalar {
			old, _ := va.value()
			whole = old + value
		}
		if err := v.guard.MayWrite(va.name, &whole); err != nil {
			return err
		}
	}
	if va.dyn != dynNone {
		if add {
			old, _ := v.dynamicValue(va)
			var err error
			if value, err = v.transform(va, old, value, true); err != nil {
				return err
			}
		}
		if va.dyn == dynHost && va.kind != Scalar {
			return v.setDynamic(va, "0", value)
		}
		return v.setDynamic(va, "", value)
	}
	switch va.kind {
	case Indexed:
		return v.storeIndex(va, 0, value, add)
	case Assoc:
		return v.storeKey(va, "0", value, add)
	}
	if add && va.attr&plain == 0 {
		var err error
		if va, err = v.grow(va, value); err != nil {
			return err
		}
	} else {
		if va.attr&plain != 0 {
			var err error
			if value, err = v.transform(va, va.str, value, add); err != nil {
				return err
			}
		}
		va = v.own(va)
		if err := v.charge(int64(len(value) - len(va.str))); err != nil {
			return err
		}
		va.setText(value)
	}
	va.set = true
	if v.AllExport {
		va.attr |= Export
	}
	if va.attr&Export != 0 || va.watch {
		v.changed(va)
	}
	return nil
}

// minGrown is from which length on a text that is appended to is kept with room
// for more.
const minGrown = 128

// grow appends to a scalar in amortised constant time. The text that others
// hold of it stays as it is: a Builder only writes behind what it has given
// out.
func (v *Vars) grow(va *variable, value string) (*variable, error) {
	va = v.own(va)
	if err := v.charge(int64(len(value))); err != nil {
		return va, err
	}
	if len(va.str)+len(value) < minGrown {
		va.str += value
		return va, nil
	}
	if va.grown == nil {
		va.grown = new(strings.Builder)
		va.grown.Grow(2 * (len(va.str) + len(value)))
		va.grown.WriteString(va.str)
	}
	va.grown.WriteString(value)
	va.str = va.grown.String()
	return va, nil
}

// transform works out the text to store where old is there now.
func (v *Vars) transform(va *variable, old, value string, add bool) (string, error) {
	if va.attr&Integer != 0 {
		n, err := v.eval(value)
		if err != nil {
			return "", err
		}
		if add && old != "" {
			m, err := v.eval(old)
			if err != nil {
				return "", err
			}
			n += m
		}
		return strconv.FormatInt(n, 10), nil
	}
	if add {
		if limit := v.budget.Limit(); limit > 0 && int64(len(old)+len(value)) > limit {
			return "", ErrMemory
		}
		value = old + value
	}
	switch {
	case va.attr&Upper != 0:
		value = mapCase(value, v.UTF8(), unicode.ToUpper)
	case va.attr&Lower != 0:
		value = mapCase(value, v.UTF8(), unicode.ToLower)
	case va.attr&Capital != 0:
		value = mapCase(value, v.UTF8(), unicode.ToLower)
		if value != "" {
			n := 1
			if v.UTF8() {
				_, n = utf8.DecodeRuneInString(value)
			}
			value = mapCase(value[:n], v.UTF8(), unicode.ToUpper) + value[n:]
		}
	}
	return value, nil
}

// mapCase maps the letters of s; bytes that are no characters stay.
func mapCase(s string, utf bool, f func(rune) rune) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf || !utf {
			if c < utf8.RuneSelf {
				c = byte(f(rune(c)))
			}
			out = append(out, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			out = append(out, s[i])
		} else {
			out = utf8.AppendRune(out, f(r))
		}
		i += n
	}
	return string(out)
}

// SetIndex assigns one element of an indexed array; a scalar becomes one. A
// negative index counts from the end.
func (v *Vars) SetIndex(name string, i int64, value string) error {
	return v.setIndex(name, i, value, false)
}

// AppendIndex is name[i]+=value.
func (v *Vars) AppendIndex(name string, i int64, value string) error {
	return v.setIndex(name, i, value, true)
}

func (v *Vars) setIndex(name string, i int64, value string, add bool) error {
	va, err := v.writable(name)
	if err != nil {
		return err
	}
	if va.kind == Assoc {
		return v.storeKey(va, strconv.FormatInt(i, 10), value, add)
	}
	return v.storeIndex(va, i, value, add)
}

// SetKey assigns one element of an associative array; a variable that is none
// yet becomes one.
func (v *Vars) SetKey(name, key, value string) error { return v.setKey(name, key, value, false) }

// AppendKey is name[key]+=value.
func (v *Vars) AppendKey(name, key, value string) error { return v.setKey(name, key, value, true) }

func (v *Vars) setKey(name, key, value string, add bool) error {
	va, err := v.writable(name)
	if err != nil {
		return err
	}
	return v.storeKey(va, key, value, add)
}

// writable answers the variable that name leads to, made when needed.
func (v *Vars) writable(name string) (*variable, error) {
	va := v.table[name]
	if va == nil {
		return v.create(name), nil
	}
	if va.attr&Nameref != 0 {
		t, ok := v.deref(name)
		switch {
		case !ok:
			return nil, ErrCircular
		case t.element:
			return nil, &Error{"`" + t.name + "[" + t.sub + "]'", "not a valid identifier"}
		case t.va == nil:
			return v.createHidden(t.name), nil
		case t.va.attr&Nameref != 0:
			// An empty nameref that is used as an array becomes one.
			t.va = v.own(t.va)
			t.va.attr &^= Nameref
		}
		va = t.va
	}
	return va, nil
}

// setElement assigns to the element that a nameref names.
func (v *Vars) setElement(t target, value string, add bool) error {
	va := t.va
	if va == nil {
		va = v.create(t.name)
	}
	if va.kind == Assoc {
		return v.storeKey(va, t.sub, value, add)
	}
	i, err := v.subscript(t.sub)
	if err != nil {
		return err
	}
	return v.storeIndex(va, i, value, add)
}

func (v *Vars) storeIndex(va *variable, i int64, value string, add bool) error {
	if va.attr&ReadOnly != 0 {
		return readOnly(va.name)
	}
	if err := v.mayWrite(va.name, &value); err != nil {
		return err
	}
	if va.dyn != dynNone {
		return v.setDynamic(va, strconv.FormatInt(i, 10), value)
	}
	va = v.own(va)
	v.toIndexed(va)
	if i < 0 {
		if i += va.list.last() + 1; i < 0 {
			return subscriptError(va.name, i-va.list.last()-1)
		}
	}
	if add || va.attr&plain != 0 {
		old := ""
		if add {
			old, _ = va.list.get(i)
		}
		var err error
		if value, err = v.transform(va, old, value, add); err != nil {
			return err
		}
	}
	before := va.list.size
	if err := v.afford(int64(len(value))); err != nil {
		return err
	}
	va.list.set(i, value)
	va.set = true
	v.spend(va.list.size - before)
	if v.AllExport {
		va.attr |= Export
	}
	return nil
}

// toIndexed makes va, which is owned, an indexed array.
func (v *Vars) toIndexed(va *variable) {
	if va.kind == Indexed {
		if va.list == nil {
			va.list = &indexed{}
		}
		return
	}
	va.list, va.kind = &indexed{}, Indexed
	if va.set {
		before := int64(len(va.str))
		va.list.set(0, va.str)
		va.setText("")
		v.spend(va.list.size - before)
	}
	if va.attr&Export != 0 {
		v.environValid = false
	}
}

// toAssoc makes va, which is owned, an associative array.
func (v *Vars) toAssoc(va *variable) {
	if va.kind == Assoc {
		if va.hash == nil {
			va.hash = newAssoc()
			v.spend(va.hash.size)
		}
		return
	}
	va.hash, va.kind = newAssoc(), Assoc
	if va.set {
		va.hash.set("0", va.str)
	}
	v.spend(va.hash.size - int64(len(va.str)))
	va.setText("")
	if va.attr&Export != 0 {
		v.environValid = false
	}
}

func (v *Vars) storeKey(va *variable, key, value string, add bool) error {
	if va.attr&ReadOnly != 0 {
		return readOnly(va.name)
	}
	if err := v.mayWrite(va.name, &value); err != nil {
		return err
	}
	if va.dyn != dynNone {
		return v.setDynamic(va, key, value)
	}
	va = v.own(va)
	v.toAssoc(va)
	if add || va.attr&plain != 0 {
		old := ""
		if add {
			old, _ = va.hash.get(key)
		}
		var err error
		if value, err = v.transform(va, old, value, add); err != nil {
			return err
		}
	}
	before := va.hash.size
	if err := v.afford(int64(len(key) + len(value))); err != nil {
		return err
	}
	va.hash.set(key, value)
	va.set = true
	v.spend(va.hash.size - before)
	if v.AllExport {
		va.attr |= Export
	}
	return nil
}

// afford reports whether n more bytes fit in the budget, taking nothing.
func (v *Vars) afford(n int64) error {
	if !v.budget.Fits(n) {
		return ErrMemory
	}
	return nil
}

// spend takes bytes that afford has promised.
func (v *Vars) spend(n int64) {
	v.budget.Force(n)
	v.held += n
}

// SetElements replaces an indexed array as a whole (read -a, mapfile). The
// attributes stay and apply.
func (v *Vars) SetElements(name string, values []string) error {
	if err := v.Clear(name, Indexed); err != nil {
		return err
	}
	for i, s := range values {
		if err := v.SetIndex(name, int64(i), s); err != nil {
			return err
		}
	}
	return nil
}

// Clear makes name an array of a kind without elements; NoKind means the kind
// that it has, Indexed for a scalar. The attributes stay.
func (v *Vars) Clear(name string, kind Kind) error {
	va, err := v.writable(name)
	if err != nil {
		return err
	}
	if va.attr&ReadOnly != 0 {
		return readOnly(va.name)
	}
	if err := v.mayWrite(va.name, new(string)); err != nil {
		return err
	}
	if va.dyn != dynNone {
		return nil
	}
	va = v.own(va)
	if kind == NoKind {
		if kind = va.kind; kind == Scalar {
			kind = Indexed
		}
	}
	before := va.size()
	va.setText("")
	va.list, va.hash, va.kind, va.set = nil, nil, kind, true
	if kind == Assoc {
		va.hash = newAssoc()
	} else {
		va.list = &indexed{}
	}
	v.spend(va.size() - before)
	v.changed(va)
	return nil
}

// Force is Set that no attribute refuses, for what the shell itself sets
// (PWD, OLDPWD, PPID, SHELLOPTS). The attributes of add are added.
func (v *Vars) Force(name, value string, add Attr) {
	va := v.own(v.visible(name))
	if va.attr&Nameref != 0 {
		va.attr &^= Nameref
	}
	va.dyn = dynNone
	if va.kind != Scalar {
		v.spend(-va.size() + variableSize + int64(len(va.name)))
		va.list, va.hash, va.kind = nil, nil, Scalar
		va.setText("")
	}
	v.spend(int64(len(value) - len(va.str)))
	va.setText(value)
	va.set = true
	va.attr |= add
	v.changed(va)
}
