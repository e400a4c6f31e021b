package expand

import (
	"context"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/arith"
	"mirage/shell/vars"
)

// element is one element of an array.
type element = arith.Element

// subscript works out name[index] of a parsed word or assignment.
func (x *Expander) subscript(ctx context.Context, name string, index syntax.ArithmExpr) (element, error) {
	at := element{Name: name}
	if target, ok := x.Vars.Resolve(name); ok && vars.ValidName(target) {
		at.Name = target
	}
	if x.Vars.Kind(at.Name) == vars.Assoc {
		key, err := x.key(ctx, index)
		at.IsAssoc, at.Key, at.Text = true, key, key
		return at, err
	}
	n, err := x.arith(ctx, index, 0)
	at.Index = n
	at.Text = strconv.FormatInt(n, 10)
	if _, ok := index.(*syntax.Word); !ok || err != nil {
		return at, err
	}
	return at, nil
}

// key expands the subscript of an associative array: as a word where the
// parser took it for one, else as the text that it is.
func (x *Expander) key(ctx context.Context, index syntax.ArithmExpr) (string, error) {
	if w, ok := index.(*syntax.Word); ok && !hasNakedIndex(w) {
		return x.Literal(ctx, w)
	}
	p := x.program(index, 0)
	slots, err := x.slots(ctx, p)
	if err != nil {
		return "", err
	}
	return p.prog.Fill(slots), nil
}

// hasNakedIndex reports whether a word is name[index] as arithmetic has it.
func hasNakedIndex(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if pe, ok := p.(*syntax.ParamExp); ok && pe.Short && pe.Index != nil {
			return true
		}
	}
	return false
}

// elementOf works out name[sub] of a reference that came as text.
func (x *Expander) elementOf(ctx context.Context, name, sub string) (element, error) {
	at := element{Name: name, Text: sub}
	if target, ok := x.Vars.Resolve(name); ok && vars.ValidName(target) {
		at.Name = target
	}
	text := sub
	var err error
	if strings.ContainsAny(sub, "$`\"\\") || x.Vars.Kind(at.Name) == vars.Assoc && strings.Contains(sub, "'") {
		if text, err = x.expandLoose(ctx, sub); err != nil {
			return at, err
		}
	}
	if x.Vars.Kind(at.Name) == vars.Assoc {
		at.IsAssoc, at.Key = true, text
		return at, nil
	}
	at.Index, err = x.ArithText(ctx, text)
	return at, err
}

// setElement assigns one element.
func (x *Expander) setElement(at element, value string, add bool) error {
	switch {
	case at.IsAssoc && at.Key == "":
		return &vars.Error{Name: at.Name + "[" + at.Text + "]", Text: "bad array subscript"}
	case at.IsAssoc && add:
		return x.Vars.AppendKey(at.Name, at.Key, value)
	case at.IsAssoc:
		return x.Vars.SetKey(at.Name, at.Key, value)
	case add:
		return x.Vars.AppendIndex(at.Name, at.Index, value)
	}
	return x.Vars.SetIndex(at.Name, at.Index, value)
}

// SetRef assigns to a reference as read, printf -v, getopts and wait -p take
// it: a name, or name[sub].
func (x *Expander) SetRef(ctx context.Context, ref, value string) error {
	x.ctx = ctx
	name, sub, indexed, ok := vars.SplitRef(ref)
	switch {
	case !ok:
		return &Error{Msg: "`" + ref + "': not a valid identifier", Severity: Fail, Status: 1}
	case !indexed:
		return asFail(x.Vars.Set(name, value))
	case sub == "@" || sub == "*":
		if x.Vars.Kind(name) != vars.Assoc {
			return &Error{Msg: ref + ": bad array subscript", Severity: Fail, Status: 1}
		}
		return asFail(x.Vars.SetKey(name, sub, value))
	}
	at, err := x.elementOf(ctx, name, sub)
	if err != nil {
		return err
	}
	return asFail(x.setElement(at, value, false))
}

// asFail is wrap for builtins, which only fail themselves.
func asFail(err error) error {
	err = wrap(err)
	if e, ok := err.(*Error); ok && e.Severity == Discard {
		e.Severity = Fail
	}
	return err
}

// GetRef answers the value of a reference; set tells unset from empty.
func (x *Expander) GetRef(ctx context.Context, ref string) (value string, set bool, err error) {
	x.ctx = ctx
	o, err := x.indirect(ctx, ref)
	if err != nil {
		return "", false, err
	}
	if o.isList {
		return strings.Join(o.list, " "), o.set, nil
	}
	return o.value, o.set, nil
}

// UnsetRef unsets a name or name[sub], as unset -v does.
func (x *Expander) UnsetRef(ctx context.Context, ref string) error {
	x.ctx = ctx
	name, sub, indexed, ok := vars.SplitRef(ref)
	if !ok {
		return &Error{Msg: "`" + ref + "': not a valid identifier", Severity: Fail, Status: 1}
	}
	if !indexed {
		return asFail(x.Vars.Unset(name))
	}
	kind := x.Vars.Kind(name)
	if kind == vars.NoKind {
		return nil
	}
	if (sub == "@" || sub == "*") && kind == vars.Indexed {
		return asFail(x.Vars.Clear(name, vars.Indexed))
	}
	at, err := x.elementOf(ctx, name, sub)
	if err != nil {
		return err
	}
	if at.IsAssoc {
		return asFail(x.Vars.UnsetKey(at.Name, at.Key))
	}
	return asFail(x.Vars.UnsetIndex(at.Name, at.Index))
}

// IsSet answers test -v: whether a variable, or element 0 of an array, or the
// named element has a value; name[@] asks for any element.
func (x *Expander) IsSet(ctx context.Context, ref string) (bool, error) {
	x.ctx = ctx
	name, sub, indexed, ok := vars.SplitRef(ref)
	switch {
	case !ok:
		n, err := strconv.Atoi(ref)
		return err == nil && n >= 0 && n <= len(x.Params), nil
	case !indexed:
		_, set := x.Vars.Lookup(name)
		return set, nil
	case (sub == "@" || sub == "*") && x.Vars.Kind(name) != vars.Assoc:
		return x.Vars.Len(name) > 0, nil
	}
	at, err := x.elementOf(ctx, name, sub)
	if err != nil {
		return false, err
	}
	var set bool
	if at.IsAssoc {
		_, set = x.Vars.Key(at.Name, at.Key)
	} else {
		_, set = x.Vars.Index(at.Name, at.Index)
	}
	return set, nil
}
