package vars

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Get answers the value of a variable as $name expands: element 0 of an
// array, "" when unset. Namerefs are followed.
func (v *Vars) Get(name string) string {
	s, _ := v.Lookup(name)
	return s
}

// Lookup is Get that tells unset from empty.
func (v *Vars) Lookup(name string) (value string, set bool) {
	va := v.table[name]
	if va == nil {
		return "", false
	}
	if va.attr&Nameref == 0 && va.dyn == dynNone {
		return va.value()
	}
	t, ok := v.deref(name)
	if !ok || t.va == nil {
		return "", false
	}
	if t.element {
		return v.element(t.va, t.sub)
	}
	if t.va.dyn != dynNone {
		return v.dynamicValue(t.va)
	}
	return t.va.value()
}

// target is what a name leads to after namerefs: a variable, which may not
// exist yet, or one of its elements.
type target struct {
	name    string
	va      *variable
	sub     string
	element bool
}

// maxNameref is how many namerefs may lead to one another.
const maxNameref = 8

// deref follows namerefs. ok is false, after a warning, when they go in
// circles.
func (v *Vars) deref(name string) (t target, ok bool) {
	first := name
	for range maxNameref {
		va := v.table[name]
		if va == nil || va.attr&Nameref == 0 || va.str == "" {
			return target{name: name, va: va}, true
		}
		base, sub, indexed, _ := SplitRef(va.str)
		if indexed {
			return target{name: base, va: v.table[base], sub: sub, element: true}, true
		}
		if va.str == name || va.str == first {
			v.warn("warning: " + first + ": circular name reference")
			// A local that refers to its own name means the global one.
			if g := va.global(); va.level > 0 && (g == nil || g.attr&Nameref == 0) {
				return target{name: name, va: g}, true
			}
			return target{}, false
		}
		name = va.str
	}
	v.warn("warning: " + first + ": maximum nameref depth (8) exceeded")
	return target{}, false
}

// global answers the binding of va's name in the global scope.
func (va *variable) global() *variable {
	for va != nil && va.level > 0 {
		va = va.outer
	}
	return va
}

// Resolve follows namerefs from name to the variable that they name in the
// end, which may be unset or an element like "a[1]". It answers name itself
// for anything else. ok is false when the namerefs go in circles.
func (v *Vars) Resolve(name string) (target string, ok bool) {
	va := v.table[name]
	if va == nil || va.attr&Nameref == 0 {
		return name, true
	}
	t, ok := v.deref(name)
	if t.element {
		return t.name + "[" + t.sub + "]", ok
	}
	return t.name, ok
}

// element answers the element of va that a nameref's subscript names.
func (v *Vars) element(va *variable, sub string) (string, bool) {
	if sub == "@" || sub == "*" {
		values := v.elements(va)
		return strings.Join(values, " "), len(values) > 0
	}
	if va.kind == Assoc {
		if va.dyn == dynHost {
			return v.hostElement(va, sub)
		}
		return va.hash.lookup(sub)
	}
	i, err := v.subscript(sub)
	if err != nil {
		return "", false
	}
	return v.index(va, i)
}

func (h *assoc) lookup(key string) (string, bool) {
	if h == nil {
		return "", false
	}
	return h.get(key)
}

// index answers element i of va, which counts from the end when negative.
func (v *Vars) index(va *variable, i int64) (string, bool) {
	switch {
	case va.dyn == dynHost:
		if i < 0 && v.host != nil {
			i += int64(len(v.host.Dynamic(va.name)))
		}
		return v.hostElement(va, strconv.FormatInt(i, 10))
	case va.dyn != dynNone:
		if i == 0 || i == -1 {
			return v.dynamicValue(va)
		}
		return "", false
	case va.kind == Assoc:
		return va.hash.lookup(strconv.FormatInt(i, 10))
	case va.kind == Indexed && va.list != nil:
		if i < 0 {
			i += va.list.last() + 1
		}
		return va.list.get(i)
	}
	if (i == 0 || i == -1) && va.kind == Scalar {
		return va.str, va.set
	}
	return "", false
}

// find answers the variable that name leads to, nil when there is none or
// when it leads to an element.
func (v *Vars) find(name string) *variable {
	va := v.table[name]
	if va == nil || va.attr&Nameref == 0 {
		return va
	}
	t, ok := v.deref(name)
	if !ok || t.element {
		return nil
	}
	return t.va
}

// Index answers one element of an indexed array, or of a scalar as if it were
// one; a negative index counts from the end.
func (v *Vars) Index(name string, i int64) (string, bool) {
	if va := v.find(name); va != nil {
		return v.index(va, i)
	}
	return "", false
}

// Last answers the highest subscript of an indexed array, 0 for a scalar that
// is set, -1 when there is no element.
func (v *Vars) Last(name string) int64 {
	va := v.find(name)
	switch {
	case va == nil:
		return -1
	case va.dyn == dynHost && v.host != nil:
		return int64(len(v.host.Dynamic(va.name))) - 1
	case va.kind == Indexed && va.list != nil:
		return va.list.last()
	case va.kind == Scalar && va.set:
		return 0
	}
	return -1
}

// Key answers one element of an associative array.
func (v *Vars) Key(name, key string) (string, bool) {
	va := v.find(name)
	switch {
	case va == nil:
		return "", false
	case va.dyn == dynHost:
		return v.hostElement(va, key)
	}
	return va.hash.lookup(key)
}

// Elements answers the values of an array in order, or the one of a scalar.
func (v *Vars) Elements(name string) []string {
	if va := v.find(name); va != nil {
		return v.elements(va)
	}
	if s, ok := v.Lookup(name); ok {
		return []string{s}
	}
	return nil
}

func (v *Vars) elements(va *variable) []string {
	switch {
	case va.dyn != dynNone && va.kind == Scalar:
		if s, ok := v.dynamicValue(va); ok {
			return []string{s}
		}
		return nil
	case va.dyn == dynHost:
		if v.host == nil {
			return nil
		}
		values := v.host.Dynamic(va.name)
		if va.kind == Indexed {
			return append([]string(nil), values...)
		}
		out := make([]string, 0, len(values)/2)
		for i := 1; i < len(values); i += 2 {
			out = append(out, values[i])
		}
		return out
	case va.kind == Indexed && va.list != nil:
		out := make([]string, 0, va.list.count)
		va.list.each(func(_ int64, s string) bool { out = append(out, s); return true })
		return out
	case va.kind == Assoc && va.hash != nil:
		out := make([]string, 0, va.hash.count)
		va.hash.each(func(_, s string) bool { out = append(out, s); return true })
		return out
	case va.kind == Scalar && va.set:
		return []string{va.str}
	}
	return nil
}

// Keys answers the subscripts of an array in the order of Elements; "0" of a
// scalar that is set.
func (v *Vars) Keys(name string) []string {
	va := v.find(name)
	switch {
	case va == nil:
		return nil
	case va.dyn == dynHost && va.kind == Assoc:
		if v.host == nil {
			return nil
		}
		var out []string
		for i, s := range v.host.Dynamic(va.name) {
			if i%2 == 0 {
				out = append(out, s)
			}
		}
		return out
	case va.kind == Indexed && va.dyn == dynNone && va.list != nil:
		out := make([]string, 0, va.list.count)
		va.list.each(func(i int64, _ string) bool { out = append(out, strconv.FormatInt(i, 10)); return true })
		return out
	case va.kind == Assoc && va.hash != nil:
		out := make([]string, 0, va.hash.count)
		va.hash.each(func(k, _ string) bool { out = append(out, k); return true })
		return out
	}
	out := make([]string, len(v.elements(va)))
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}

// Len is the number of elements.
func (v *Vars) Len(name string) int {
	va := v.find(name)
	switch {
	case va == nil:
		return 0
	case va.dyn != dynNone:
		return len(v.elements(va))
	case va.kind == Indexed && va.list != nil:
		return va.list.count
	case va.kind == Assoc && va.hash != nil:
		return va.hash.count
	case va.kind == Scalar && va.set:
		return 1
	}
	return 0
}

// Info describes a variable; ok is false when there is none of that name.
// Namerefs are not followed.
func (v *Vars) Info(name string) (info Info, ok bool) {
	va := v.table[name]
	if va == nil {
		return Info{}, false
	}
	set := va.set
	if va.dyn == dynHost && va.kind == Scalar {
		_, set = v.dynamicValue(va)
	}
	return Info{Name: name, Kind: va.kind, Attr: va.attr, Set: set, Local: v.isLocal(va)}, true
}

// Kind answers the kind of the variable that name leads to, NoKind when there
// is none. It is Info for those who ask nothing else.
func (v *Vars) Kind(name string) Kind {
	if va := v.find(name); va != nil {
		return va.kind
	}
	return NoKind
}

// Names lists the variables that exist, sorted, those without a value too.
func (v *Vars) Names() []string {
	out := make([]string, 0, len(v.table))
	for name := range v.table {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// Prefixed lists the set variables whose names start with prefix, sorted, as
// ${!prefix@} does.
func (v *Vars) Prefixed(prefix string) []string {
	var out []string
	for name, va := range v.table {
		if strings.HasPrefix(name, prefix) && va.set {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

// Environ lists the exported variables as NAME=value, sorted by name. The
// slice is cached: it must not be changed.
func (v *Vars) Environ() []string {
	if v.environValid {
		return v.environ
	}
	out := make([]string, 0, 32)
	dynamic := false
	for name, va := range v.table {
		if va.attr&Export == 0 || va.kind != Scalar {
			continue
		}
		value, set := va.str, va.set
		if va.dyn != dynNone {
			value, set = v.dynamicValue(va)
			dynamic = true
		}
		if set {
			out = append(out, name+"="+value)
		}
	}
	sort.Strings(out)
	v.environ, v.environValid = out, !dynamic
	return out
}

// Zone answers the value of TZ that tzset(3) sees in bash: that of an exported
// variable.
func (v *Vars) Zone() string {
	if info, ok := v.Info("TZ"); ok && info.Attr&Export != 0 {
		return v.Get("TZ")
	}
	return ""
}

// UTF8 reports whether LC_ALL, LC_CTYPE or LANG (the first that is not empty)
// names a UTF-8 locale, so that characters count instead of bytes.
func (v *Vars) UTF8() bool {
	if v.utf8Valid {
		return v.utf8
	}
	v.utf8, v.utf8Valid = false, true
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if s := v.Get(name); s != "" {
			s = strings.ToLower(s)
			v.utf8 = strings.HasSuffix(s, "utf-8") || strings.HasSuffix(s, "utf8")
			break
		}
	}
	return v.utf8
}

// subscriptError is the refusal of an index that lies before the array.
func subscriptError(name string, i int64) error {
	return &Error{fmt.Sprintf("%s[%d]", name, i), "bad array subscript"}
}
