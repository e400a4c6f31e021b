package expand

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/vars"
)

// operand is what a parameter expansion works on: one value, or a list.
type operand struct {
	name   string // the parameter: x, 1, @
	at     element
	inside bool // the operand is the element at
	value  string
	set    bool
	isList bool
	star   bool // the list is $* or ${a[*]}
	list   []string
	// glued says that unquoted elements are joined where IFS is empty, by
	// glue; else they stay fields of their own.
	glued bool
	glue  string
}

// label answers the operand as messages show it: x, a[1], $1, $@.
func (o *operand) label() string {
	switch {
	case o.inside:
		return o.name + "[" + o.at.Text + "]"
	case o.isList && o.variable():
		if o.star {
			return o.name + "[*]"
		}
		return o.name + "[@]"
	case o.variable():
		return o.name
	}
	return "$" + o.name
}

// variable reports whether the operand belongs to a variable, not to a
// positional or special parameter.
func (o *operand) variable() bool { return vars.ValidName(o.name) && o.name != "_" }

// param expands a parameter expansion.
func (b *builder) param(pe *syntax.ParamExp, quoted bool) error {
	if isPlainParam(pe) {
		value, set := b.x.Vars.Lookup(pe.Param.Value)
		if !set && b.x.Options.NoUnset {
			return unbound(pe.Param.Value)
		}
		return b.result(value, quoted)
	}
	return b.paramOf(pe, quoted)
}

func (b *builder) paramOf(pe *syntax.ParamExp, quoted bool) error {
	x := b.x
	switch {
	case pe.Names != 0:
		o := operand{isList: true, star: pe.Names == syntax.NamesPrefix, list: x.Vars.Prefixed(pe.Param.Value), glued: true}
		return b.add(o, quoted)
	case pe.Excl && allIndex(pe.Index) != 0 && pe.Exp == nil && pe.Slice == nil && pe.Repl == nil:
		o := operand{isList: true, star: allIndex(pe.Index) == '*', list: x.Vars.Keys(pe.Param.Value), glued: true, glue: " "}
		return b.add(o, quoted)
	case pe.Length:
		n, err := x.length(b.ctx, pe)
		if err != nil {
			return err
		}
		return b.result(strconv.Itoa(n), quoted)
	}
	o, err := x.operand(b.ctx, pe)
	if err != nil {
		return err
	}
	if pe.Exp != nil {
		switch pe.Exp.Op {
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
			syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			return b.substitute(o, pe.Exp, quoted)
		}
	}
	if !o.set && x.Options.NoUnset && !o.isList {
		return unbound(o.label())
	}
	switch {
	case pe.Slice != nil:
		err = x.slice(b.ctx, &o, pe)
	case pe.Repl != nil:
		err = x.replace(b.ctx, &o, pe)
	case pe.Exp != nil && pe.Exp.Op == syntax.OtherParamOps:
		err = x.transform(b.ctx, &o, pe)
		o.glued = false
	case pe.Exp != nil:
		err = x.modify(b.ctx, &o, pe.Exp)
	}
	if err != nil {
		return err
	}
	return b.add(o, quoted)
}

// add adds an operand, however many fields it makes.
func (b *builder) add(o operand, quoted bool) error {
	if !o.isList {
		return b.result(o.value, quoted)
	}
	switch {
	case b.mode != modeFields || quoted && o.star:
		sep := " "
		if o.star {
			sep = b.x.joiner()
		}
		return b.result(strings.Join(o.list, sep), quoted)
	case quoted:
		b.noFields = b.noFields || len(o.list) == 0
		for i, s := range o.list {
			if i > 0 {
				if err := b.finish(); err != nil {
					return err
				}
			}
			b.open = true
			if err := b.quoted(s); err != nil {
				return err
			}
		}
		return nil
	}
	// Unquoted, the elements are split as if IFS's first character stood
	// between them.
	sep := b.x.joiner()
	if sep == "" && o.glued && o.star {
		return b.expanded(strings.Join(o.list, o.glue))
	}
	for i, s := range o.list {
		var err error
		switch {
		case i == 0:
		case sep == "":
			err = b.boundary()
		default:
			kind, _ := b.x.separators().kind(sep, 0)
			if kind == notIFS {
				err = b.boundary()
			} else {
				err = b.delimiter(kind)
			}
		}
		if err != nil {
			return err
		}
		if err := b.expanded(s); err != nil {
			return err
		}
	}
	return nil
}

// allIndex answers '@' or '*' for the subscripts that mean all elements, else
// 0.
func allIndex(e syntax.ArithmExpr) byte {
	w, ok := e.(*syntax.Word)
	if !ok || len(w.Parts) != 1 {
		return 0
	}
	l, ok := w.Parts[0].(*syntax.Lit)
	if ok && (l.Value == "@" || l.Value == "*") {
		return l.Value[0]
	}
	return 0
}

// operand finds what a parameter expansion works on, indirection followed.
func (x *Expander) operand(ctx context.Context, pe *syntax.ParamExp) (operand, error) {
	o, err := x.parameter(ctx, pe.Param.Value, pe.Index)
	if err != nil || !pe.Excl {
		return o, err
	}
	if o.isList {
		o.value, o.set = strings.Join(o.list, " "), len(o.list) > 0
	}
	// Of a nameref the name is what is wanted.
	if info, ok := x.Vars.Info(pe.Param.Value); ok && info.Attr&vars.Nameref != 0 && pe.Index == nil {
		if target, ok := x.Vars.Resolve(pe.Param.Value); ok && target != pe.Param.Value {
			return operand{name: o.name, value: target, set: true}, nil
		}
	}
	if _, exists := x.Vars.Info(o.name); !o.set && exists && !o.isList {
		return operand{}, nil // an array without the element refers to nothing
	}
	if !o.set {
		return o, &Error{Msg: o.label() + ": invalid indirect expansion", Severity: Discard, Status: 1}
	}
	return x.indirect(ctx, o.value)
}

// indirect finds the parameter that a text names.
func (x *Expander) indirect(ctx context.Context, text string) (operand, error) {
	if name, sub, indexed, ok := vars.SplitRef(text); ok {
		if !indexed {
			return x.parameter(ctx, name, nil)
		}
		if sub == "@" || sub == "*" {
			return x.all(name, sub[0]), nil
		}
		if x.depth >= x.maxDepth() {
			return operand{}, errDepth(text)
		}
		x.depth++
		defer func() { x.depth-- }()
		at, err := x.elementOf(ctx, name, sub)
		if err != nil {
			return operand{}, err
		}
		return x.elementOperand(at)
	}
	if len(text) == 1 && strings.Contains("@*#?-$!_", text) || text != "" && strings.Trim(text, "0123456789") == "" {
		return x.parameter(ctx, text, nil)
	}
	return operand{}, &Error{Msg: text + ": invalid variable name", Severity: Discard, Status: 1}
}

// parameter finds a parameter: a variable or an element of one, or a
// positional or special parameter.
func (x *Expander) parameter(ctx context.Context, name string, index syntax.ArithmExpr) (operand, error) {
	switch c := name[0]; {
	case c == '@' || c == '*':
		return operand{name: name, isList: true, star: c == '*', list: x.Params, set: len(x.Params) > 0}, nil
	case c == '#':
		return operand{name: "#", value: strconv.Itoa(len(x.Params)), set: true}, nil
	case '0' <= c && c <= '9':
		o := operand{name: name}
		n, err := strconv.Atoi(name)
		switch {
		case err != nil:
		case n == 0:
			o.value, o.set = x.Name, true
		case n <= len(x.Params):
			o.value, o.set = x.Params[n-1], true
		}
		return o, nil
	case c == '?' || c == '$' || c == '!' || c == '-' || name == "_":
		o := operand{name: name}
		o.value, o.set = x.Host.Special(c)
		return o, nil
	}
	if index == nil {
		// A nameref may lead to a whole array.
		if target, ok := x.Vars.Resolve(name); ok && target != name {
			base, sub, indexed, _ := vars.SplitRef(target)
			if indexed && (sub == "@" || sub == "*") {
				return x.all(base, sub[0]), nil
			}
		}
		o := operand{name: name}
		o.value, o.set = x.Vars.Lookup(name)
		return o, nil
	}
	if all := allIndex(index); all != 0 {
		return x.all(name, all), nil
	}
	at, err := x.subscript(ctx, name, index)
	if err != nil {
		return operand{}, err
	}
	return x.elementOperand(at)
}

// all answers all elements of an array as an operand.
func (x *Expander) all(name string, all byte) operand {
	list := x.Vars.Elements(name)
	return operand{name: name, isList: true, star: all == '*', list: list, set: len(list) > 0}
}

// elementOperand answers one element of an array as an operand.
func (x *Expander) elementOperand(at element) (operand, error) {
	o := operand{name: at.Name, at: at, inside: true}
	if at.IsAssoc {
		o.value, o.set = x.Vars.Key(at.Name, at.Key)
		return o, nil
	}
	if at.Index < 0 && at.Index+x.Vars.Last(at.Name)+1 < 0 {
		x.Host.Warn(at.Name + ": bad array subscript")
		return o, nil
	}
	o.value, o.set = x.Vars.Index(at.Name, at.Index)
	return o, nil
}

// length answers ${#...}.
func (x *Expander) length(ctx context.Context, pe *syntax.ParamExp) (int, error) {
	o, err := x.parameter(ctx, pe.Param.Value, pe.Index)
	if err != nil {
		return 0, err
	}
	if o.isList {
		return len(o.list), nil
	}
	if !o.set && x.Options.NoUnset {
		return 0, unbound(o.label())
	}
	return x.count(o.value), nil
}

// count answers the number of characters of s in the locale. A byte that is
// no character counts as one.
func (x *Expander) count(s string) int {
	if x.Vars.UTF8() {
		return utf8.RuneCountInString(s)
	}
	return len(s)
}

// substitute carries out ${x-w}, ${x=w}, ${x?w}, ${x+w} and their forms with
// a colon.
func (b *builder) substitute(o operand, e *syntax.Expansion, quoted bool) error {
	x := b.x
	null := !o.set
	switch e.Op {
	case syntax.AlternateUnsetOrNull, syntax.DefaultUnsetOrNull, syntax.ErrorUnsetOrNull, syntax.AssignUnsetOrNull:
		if o.isList {
			null = len(o.list) == 0 || len(o.list) == 1 && o.list[0] == "" ||
				quoted && o.star && strings.Join(o.list, x.joiner()) == ""
		} else {
			null = o.value == ""
		}
	}
	switch e.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if null {
			// Of "${a[@]+w}" nothing is left when a has no elements.
			b.noFields = b.noFields || o.isList && !o.star && len(o.list) == 0
			return nil
		}
		return b.operandWord(e.Word, quoted)
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if null {
			return b.operandWord(e.Word, quoted)
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if null {
			return x.complain(b, o, e)
		}
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if !null {
			break
		}
		if o.isList || !o.variable() {
			return &Error{Msg: o.label() + ": cannot assign in this way", Severity: Discard, Status: 1}
		}
		value, err := x.operandText(b, e.Word, quoted)
		if err != nil {
			return err
		}
		if o.inside {
			err = x.setElement(o.at, value, false)
		} else {
			err = x.Vars.Set(o.name, value)
		}
		if err != nil {
			return wrap(err)
		}
		return b.result(value, quoted)
	}
	return b.add(o, quoted)
}

// short is label without the dollar sign.
func (o *operand) short() string { return strings.TrimPrefix(o.label(), "$") }

// complain makes the error of ${x?word}.
func (x *Expander) complain(b *builder, o operand, e *syntax.Expansion) error {
	msg, err := x.operandText(b, e.Word, false)
	if err != nil {
		return err
	}
	if e.Word == nil || msg == "" {
		msg = "parameter not set"
		if e.Op == syntax.ErrorUnsetOrNull {
			msg = "parameter null or not set"
		}
	}
	return &Error{Msg: o.short() + ": " + msg, Severity: Exit, Status: 1}
}

// operandWord expands the word of ${x-word} in place.
func (b *builder) operandWord(w *syntax.Word, quoted bool) error {
	if w == nil {
		return b.result("", quoted)
	}
	inParam := b.inParam
	b.inParam = true
	err := b.parts(w.Parts, quoted)
	b.inParam = inParam
	return err
}

// operandText expands the word of ${x=word} to one string.
func (x *Expander) operandText(b *builder, w *syntax.Word, quoted bool) (string, error) {
	if w == nil {
		return "", nil
	}
	inner := x.builder(b.ctx, modeLiteral)
	defer inner.free()
	inner.inParam = true
	if err := inner.parts(w.Parts, quoted); err != nil {
		return "", err
	}
	return string(inner.buf), nil
}
