package expand

import (
	"context"
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/vars"
)

// Assign carries out one assignment: name=v, name+=v, name[i]=v, name=(...),
// name+=(...).
func (x *Expander) Assign(ctx context.Context, a *syntax.Assign) error {
	x.ctx = ctx
	name := a.Name.Value
	if a.Array != nil {
		if a.Index != nil {
			return &Error{Msg: name + "[" + Source(a.Index) + "]: cannot assign list to array member", Severity: Discard, Status: 1}
		}
		items, err := x.items(ctx, a.Array, x.Vars.Kind(name) == vars.Assoc)
		if err != nil {
			return err
		}
		return x.refused(x.assignItems(ctx, name, items, a.Append))
	}
	value, err := x.Value(ctx, a.Value)
	if err != nil {
		return err
	}
	return x.refused(x.assignValue(ctx, a, value))
}

// refused is wrap for an assignment that is a command: under `set -e` a
// variable that cannot be assigned ends the shell.
func (x *Expander) refused(err error) error {
	err = wrap(err)
	var ve *vars.Error
	if e, ok := err.(*Error); ok && errors.As(err, &ve) {
		if on, _ := x.Host.Option("errexit"); on {
			e.Severity = Exit
		}
	}
	return err
}

// assignValue puts an expanded value where a says.
func (x *Expander) assignValue(ctx context.Context, a *syntax.Assign, value string) error {
	name := a.Name.Value
	switch {
	case a.Index != nil:
		if all := allIndex(a.Index); all != 0 && x.Vars.Kind(name) != vars.Assoc {
			return &vars.Error{Name: name + "[" + string(all) + "]", Text: "bad array subscript"}
		}
		at, err := x.subscript(ctx, name, a.Index)
		if err != nil {
			return err
		}
		if at.IsAssoc && at.Key == "" {
			at.Text = Source(a.Index)
		}
		return x.setElement(at, value, a.Append)
	case a.Append:
		return x.Vars.Append(name, value)
	}
	return x.Vars.Set(name, value)
}

// AssignTemp carries out an assignment before a command, into the innermost
// temporary scope. A readonly variable is an error of severity Fail, after
// which the command runs all the same.
func (x *Expander) AssignTemp(ctx context.Context, a *syntax.Assign) error {
	x.ctx = ctx
	if a.Array != nil || a.Index != nil {
		return x.Assign(ctx, a)
	}
	value, err := x.Value(ctx, a.Value)
	if err != nil {
		return err
	}
	if a.Append {
		return asDeclared(x.Vars.AppendTemp(a.Name.Value, value))
	}
	return asDeclared(x.Vars.SetTemp(a.Name.Value, value))
}

// item is one element of name=(...), expanded.
type item struct {
	value string
	key   string            // of an associative array
	index syntax.ArithmExpr // of an indexed one; evaluated when it is assigned
	elem  *syntax.ArrayElem // where it comes from, when it has a subscript
	keyed bool              // the key is known
}

// items expands the elements of a compound assignment.
func (x *Expander) items(ctx context.Context, a *syntax.ArrayExpr, assoc bool) ([]item, error) {
	out := make([]item, 0, len(a.Elems))
	// An associative array takes [key]=value, or keys and values in turn;
	// the first element decides.
	pairs := assoc && len(a.Elems) > 0 && a.Elems[0].Index == nil
	for _, e := range a.Elems {
		switch {
		case e.Index != nil && !pairs:
			value, err := x.Value(ctx, e.Value)
			if err != nil {
				return nil, err
			}
			it := item{value: value, index: e.Index, elem: e}
			if assoc {
				if it.key, err = x.key(ctx, e.Index); err != nil {
					return nil, err
				}
				it.keyed = true
			}
			out = append(out, it)
		case pairs:
			var text string
			var err error
			if e.Value != nil {
				if text, err = x.Literal(ctx, e.Value); err != nil {
					return nil, err
				}
			}
			if e.Index != nil {
				text = "[" + Source(e.Index) + "]=" + text
			}
			if n := len(out); n > 0 && !out[n-1].keyed {
				out[n-1].value, out[n-1].keyed = text, true
			} else {
				out = append(out, item{key: text})
			}
		case assoc:
			// Refused when it is assigned.
			text, err := x.Literal(ctx, e.Value)
			if err != nil {
				return nil, err
			}
			out = append(out, item{value: text})
		default:
			fields, err := x.Fields(ctx, e.Value)
			if err != nil {
				return nil, err
			}
			for _, f := range fields {
				out = append(out, item{value: f})
			}
		}
	}
	if n := len(out); pairs && n > 0 {
		out[n-1].keyed = true
	}
	return out, nil
}

// assignItems stores the elements of a compound assignment.
func (x *Expander) assignItems(ctx context.Context, name string, items []item, add bool) error {
	kind := x.Vars.Kind(name)
	if !add {
		if err := x.Vars.Clear(name, vars.NoKind); err != nil {
			return err
		}
	} else if kind != vars.Assoc {
		// An empty list still makes an array.
		if err := x.Vars.Declare(name, vars.Declaration{Kind: vars.Indexed}); err != nil {
			return err
		}
	}
	if kind == vars.Assoc {
		return x.assignPairs(name, items)
	}
	next := x.Vars.Last(name) + 1
	for i := range items {
		if i&255 == 255 && ctx.Err() != nil {
			return ctx.Err()
		}
		it := &items[i]
		at := next
		if it.index != nil {
			if all := allIndex(it.index); all != 0 {
				x.Host.Warn("[" + string(all) + "]=" + it.value + ": cannot assign to non-numeric index")
				continue
			}
			n, err := x.arith(ctx, it.index, 0)
			if err != nil {
				return err
			}
			if at = n; at < 0 {
				if at += x.Vars.Last(name) + 1; at < 0 {
					x.Host.Warn("[" + Source(it.index) + "]=" + it.value + ": bad array subscript")
					continue
				}
			}
		}
		if err := x.Vars.SetIndex(name, at, it.value); err != nil {
			return err
		}
		next = at + 1
	}
	return nil
}

func (x *Expander) assignPairs(name string, items []item) error {
	for i := range items {
		it := &items[i]
		switch {
		case !it.keyed:
			x.Host.Warn(name + ": '" + it.value + "': must use subscript when assigning associative array")
		case it.key == "":
			x.Host.Warn("[]=" + it.value + ": bad array subscript")
		default:
			if err := x.Vars.SetKey(name, it.key, it.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// Declare carries out one operand of declare, local, export, readonly or
// typeset that the parser has recognised as an assignment or a name.
func (x *Expander) Declare(ctx context.Context, d vars.Declaration, a *syntax.Assign) error {
	x.ctx = ctx
	name := a.Name.Value
	assoc := d.Kind == vars.Assoc || d.Scope != vars.Local && x.Vars.Kind(name) == vars.Assoc || x.localKind(name) == vars.Assoc
	var items []item
	var value string
	var err error
	if a.Array != nil {
		items, err = x.items(ctx, a.Array, assoc)
		if d.Kind == vars.NoKind && !assoc {
			d.Kind = vars.Indexed
		}
	} else if !a.Naked {
		value, err = x.Value(ctx, a.Value)
	}
	if err != nil {
		return err
	}
	if a.Index != nil && d.Kind == vars.NoKind && !assoc {
		d.Kind = vars.Indexed
	}
	return x.declare(d, name, func() error {
		switch {
		case a.Array != nil:
			return x.assignItems(ctx, name, items, a.Append)
		case a.Naked:
			return nil
		case d.Add&vars.Nameref != 0:
			return x.Vars.SetNameref(name, value)
		}
		return x.assignValue(ctx, a, value)
	})
}

// localKind answers the kind of name where it is a local of the running
// function.
func (x *Expander) localKind(name string) vars.Kind {
	if info, ok := x.Vars.Info(name); ok && info.Local {
		return info.Kind
	}
	return vars.NoKind
}

// declare changes a variable's nature, then assigns, then protects it.
func (x *Expander) declare(d vars.Declaration, name string, assign func() error) error {
	do := func() error {
		if err := x.Vars.Declare(name, d); err != nil {
			return err
		}
		if err := assign(); err != nil {
			return err
		}
		switch {
		case d.Add&vars.ReadOnly == 0:
		case d.Add&vars.Nameref != 0:
			x.Vars.ProtectNameref(name)
		default:
			x.Vars.Protect(name)
		}
		return nil
	}
	if d.Scope == vars.Global {
		return asDeclared(x.Vars.InGlobal(name, do))
	}
	return asDeclared(do())
}

// asDeclared gives refusals the severity that they have in a declaration: it
// fails, the command goes on to its next operand.
func asDeclared(err error) error {
	if _, ok := err.(*vars.Error); ok {
		return asFail(err)
	}
	return wrap(err)
}

// DeclareText is Declare for an operand that an expansion brought about:
// name, name=value, name+=value, name[sub]=value, and name=(...) where d asks
// for an array or the variable is one.
func (x *Expander) DeclareText(ctx context.Context, d vars.Declaration, operand string) error {
	x.ctx = ctx
	left, value, assigned := cutAssign(operand)
	add := assigned && strings.HasSuffix(left, "+")
	if add {
		left = left[:len(left)-1]
	}
	name, sub, indexed, ok := vars.SplitRef(left)
	if !ok {
		return &Error{Msg: "`" + operand + "': not a valid identifier", Severity: Fail, Status: 1}
	}
	if indexed && d.Kind == vars.NoKind && x.Vars.Kind(name) != vars.Assoc {
		d.Kind = vars.Indexed
	}
	isArray := d.Kind == vars.Indexed || d.Kind == vars.Assoc ||
		x.Vars.Kind(name) == vars.Indexed || x.Vars.Kind(name) == vars.Assoc
	if assigned && !indexed && isArray && strings.HasPrefix(value, "(") && strings.HasSuffix(value, ")") {
		a, err := x.parseArray(name, value)
		if err != nil {
			return err
		}
		a.Append = add
		return x.Declare(ctx, d, a)
	}
	return x.declare(d, name, func() error {
		switch {
		case !assigned:
			return nil
		case d.Add&vars.Nameref != 0:
			return x.Vars.SetNameref(name, value)
		case indexed && assigned:
			at, err := x.elementOf(ctx, name, sub)
			if err != nil {
				return err
			}
			return x.setElement(at, value, add)
		case add:
			return x.Vars.Append(name, value)
		}
		return x.Vars.Set(name, value)
	})
}

// cutAssign cuts an operand at the equals sign that assigns, which is the
// first one outside of a subscript.
func cutAssign(s string) (left, value string, ok bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[':
			depth++
		case ']':
			depth--
		case '=':
			if depth <= 0 {
				return s[:i], s[i+1:], true
			}
		}
	}
	return s, "", false
}

// parseArray parses the text of a compound assignment.
func (x *Expander) parseArray(name, value string) (*syntax.Assign, error) {
	bad := &Error{Msg: "syntax error near unexpected token `" + value + "'", Severity: Fail, Status: 1}
	if tooDeep(value) {
		return nil, errDepth(value)
	}
	if x.parser == nil {
		x.parser = syntax.NewParser(syntax.Variant(syntax.LangBash))
	}
	f, err := x.parser.Parse(strings.NewReader(name+"="+value), "")
	if err != nil || len(f.Stmts) != 1 {
		return nil, bad
	}
	c, ok := f.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Assigns) != 1 || len(c.Args) != 0 || c.Assigns[0].Array == nil {
		return nil, bad
	}
	return c.Assigns[0], nil
}
