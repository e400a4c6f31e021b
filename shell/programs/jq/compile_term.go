package jq

import (
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

// term compiles a term and its suffixes.
func (c *compiler) term(t *gojq.Term) (expr, error) {
	e, used, err := c.head(t)
	if err != nil {
		return expr{}, err
	}
	for i := used; i < len(t.SuffixList); i++ {
		s := t.SuffixList[i]
		optional := i+1 < len(t.SuffixList) && t.SuffixList[i+1].Optional && !s.Optional
		switch {
		case s.Optional:
			e = expr{node: &tryNode{body: e.node}}
			continue
		case s.Iter:
			e = pipe(e, expr{node: eachNode{optional}})
		default:
			if e, err = c.index(e, s.Index, optional); err != nil {
				return expr{}, err
			}
		}
		if optional {
			i++
		}
	}
	return e, nil
}

// head compiles a term without its suffixes; used counts those that it has
// taken in nevertheless.
func (c *compiler) head(t *gojq.Term) (e expr, used int, err error) {
	switch t.Type {
	case gojq.TermTypeIdentity:
		return identity(), 0, nil
	case gojq.TermTypeRecurse:
		return expr{node: descendNode{}}, 0, nil
	case gojq.TermTypeNull:
		return constant(nil), 0, nil
	case gojq.TermTypeTrue:
		return constant(true), 0, nil
	case gojq.TermTypeFalse:
		return constant(false), 0, nil
	case gojq.TermTypeIndex:
		optional := len(t.SuffixList) > 0 && t.SuffixList[0].Optional
		if optional {
			used = 1
		}
		e, err = c.index(identity(), t.Index, optional)
	case gojq.TermTypeFunc:
		e, err = c.call(t.Func)
	case gojq.TermTypeObject:
		e, err = c.object(t.Object)
	case gojq.TermTypeArray:
		e, err = c.array(t.Array)
	case gojq.TermTypeNumber:
		v, ok := parseNumber(t.Number)
		if !ok {
			return e, 0, unsupported("Invalid numeric literal")
		}
		e = constant(v)
	case gojq.TermTypeUnary:
		if e, err = c.term(t.Unary.Term); err == nil && t.Unary.Op == gojq.OpSub {
			e = pipe(e, applyNative(negate, nil))
		}
	case gojq.TermTypeFormat:
		format, ok := formats[t.Format]
		switch {
		case !ok:
			e = applyNative(func(*machine, any, []any) (any, error) {
				return nil, errorText(t.Format[1:] + " is not a valid format")
			}, nil)
		case t.Str != nil:
			e, err = c.string(t.Str, format)
		default:
			e = applyNative(func(m *machine, v any, _ []any) (any, error) { return format(m, v) }, nil)
		}
	case gojq.TermTypeString:
		e, err = c.string(t.Str, formatText)
	case gojq.TermTypeIf:
		e, err = c.branch(t.If)
	case gojq.TermTypeTry:
		e, err = c.try(t.Try)
	case gojq.TermTypeReduce:
		e, err = c.reduce(t.Reduce)
	case gojq.TermTypeForeach:
		e, err = c.foreach(t.Foreach)
	case gojq.TermTypeLabel:
		e, err = c.label(t.Label)
	case gojq.TermTypeBreak:
		s := c.find("*label-" + t.Break)
		if s == nil {
			return e, 0, undefined("$*label-" + strings.TrimPrefix(t.Break, "$"))
		}
		e = expr{node: &breakNode{c.up(s.slot)}}
	case gojq.TermTypeQuery:
		e, err = c.query(t.Query)
	default:
		err = unsupported("unknown term")
	}
	return e, used, err
}

// index compiles base.name, base["x"], base[e] and base[from:to].
func (c *compiler) index(base expr, ix *gojq.Index, optional bool) (expr, error) {
	switch {
	case ix.Name != "":
		return pipe(base, field(ix.Name, optional)), nil
	case ix.Str != nil:
		key, err := c.string(ix.Str, formatText)
		if err != nil {
			return expr{}, err
		}
		return indexed(base, []expr{key}, optional, func(a []any) any { return a[0] }), nil
	case !ix.IsSlice:
		key, err := c.query(ix.Start)
		if err != nil {
			return expr{}, err
		}
		return indexed(base, []expr{key}, optional, func(a []any) any { return a[0] }), nil
	}
	ends := []expr{constant(nil), constant(nil)}
	for i, q := range []*gojq.Query{ix.Start, ix.End} {
		if q != nil {
			var err error
			if ends[i], err = c.query(q); err != nil {
				return expr{}, err
			}
		}
	}
	return indexed(base, ends, optional, func(a []any) any {
		o := newObject(2)
		o.set("start", a[0])
		o.set("end", a[1])
		return o
	}), nil
}

// indexed evaluates a key on the input, then base, then takes the element.
func indexed(base expr, args []expr, optional bool, key func([]any) any) expr {
	n := &applyNode{args: args, forward: true, apply: func(m *machine, a []any) node {
		m.frame = &indexFrame{link{m.frame}, m.env, key(a), optional}
		m.allocated += 64
		return base.node
	}}
	fns := make([]simple, len(args))
	for i, a := range args {
		if fns[i] = a.fn; a.fn == nil {
			return expr{node: n}
		}
	}
	if base.fn == nil || optional {
		return expr{node: n}
	}
	fn := func(m *machine, e *env, v any) (any, error) {
		values := make([]any, len(fns))
		for i, f := range fns {
			var err error
			if values[i], err = f(m, e, v); err != nil {
				return nil, err
			}
		}
		b, err := base.fn(m, e, v)
		if err != nil {
			return nil, err
		}
		return index(b, key(values))
	}
	return expr{&dualNode{fn, n}, fn}
}

type indexFrame struct {
	link
	env      *env
	key      any
	optional bool
}

func (f *indexFrame) resume(m *machine) node {
	m.frame, m.env = f.to, f.env
	n := fieldNode{f.key, f.optional}
	return n.exec(m)
}

func (f *indexFrame) held(c *counter) {
	c.add(f.key)
	c.env(f.env)
}

// string compiles a string, with format applied to what is interpolated.
func (c *compiler) string(s *gojq.String, format format) (expr, error) {
	if s.Queries == nil {
		return constant(s.Str), nil
	}
	parts := make([]expr, len(s.Queries))
	for i, q := range s.Queries {
		if q.Term != nil && q.Term.Type == gojq.TermTypeString && q.Term.Str.Queries == nil && len(q.Term.SuffixList) == 0 {
			parts[i] = constant(q.Term.Str.Str)
			continue
		}
		e, err := c.query(q)
		if err != nil {
			return expr{}, err
		}
		parts[i] = pipe(e, applyNative(func(m *machine, v any, _ []any) (any, error) { return format(m, v) }, nil))
	}
	return applyNative(func(m *machine, _ any, args []any) (any, error) {
		n := 0
		for _, a := range args {
			n += len(a.(string))
		}
		if err := m.room(n); err != nil {
			return nil, err
		}
		var b strings.Builder
		b.Grow(n)
		for _, a := range args {
			b.WriteString(a.(string))
		}
		return b.String(), nil
	}, parts), nil
}

func (c *compiler) array(a *gojq.Array) (expr, error) {
	if a.Query == nil {
		return simpleExpr(func(*machine, *env, any) (any, error) { return []any{}, nil }), nil
	}
	e, err := c.query(a.Query)
	if err != nil {
		return expr{}, err
	}
	if e.fn == nil {
		return expr{node: &collectNode{e.node}}, nil
	}
	return simpleExpr(func(m *machine, env *env, v any) (any, error) {
		x, err := e.fn(m, env, v)
		if err != nil {
			return nil, err
		}
		m.allocated += 40
		return []any{x}, nil
	}), nil
}

// object compiles {...}: keys and values by turns, the first in the outermost
// loop.
func (c *compiler) object(o *gojq.Object) (expr, error) {
	args := make([]expr, 0, 2*len(o.KeyVals))
	for _, kv := range o.KeyVals {
		key, value, err := c.member(kv)
		if err != nil {
			return expr{}, err
		}
		args = append(args, key, value)
	}
	return applyExpr(func(m *machine, _ any, a []any) (any, error) {
		o := newObject(len(a) / 2)
		for i := 0; i < len(a); i += 2 {
			k, ok := a[i].(string)
			if !ok {
				return nil, errorText("Object keys must be strings")
			}
			o.set(k, a[i+1])
		}
		m.allocated += 64 + sizeMember*int64(len(a)/2)
		return o, nil
	}, args, true), nil
}

func (c *compiler) member(kv *gojq.ObjectKeyVal) (key, value expr, err error) {
	switch {
	case kv.Key == "$__loc__":
		key = constant("__loc__")
		value, err = c.call(&gojq.Func{Name: kv.Key})
		return key, value, err
	case strings.HasPrefix(kv.Key, "$"):
		key = constant(kv.Key[1:])
		value, err = c.call(&gojq.Func{Name: kv.Key})
		return key, value, err
	case kv.Key != "":
		key = constant(kv.Key)
	case kv.KeyString != nil:
		key, err = c.string(kv.KeyString, formatText)
	default:
		key, err = c.query(kv.KeyQuery)
	}
	if err != nil {
		return key, value, err
	}
	if kv.Val != nil {
		value, err = c.query(kv.Val)
		return key, value, err
	}
	return key, indexed(identity(), []expr{key}, false, func(a []any) any { return a[0] }), nil
}

func (c *compiler) branch(t *gojq.If) (expr, error) {
	cond, err := c.query(t.Cond)
	if err != nil {
		return expr{}, err
	}
	yes, err := c.query(t.Then)
	if err != nil {
		return expr{}, err
	}
	no := identity()
	switch {
	case len(t.Elif) > 0:
		if c.nesting++; c.nesting > maxNesting {
			return expr{}, unsupported("expressions are nested too deeply")
		}
		no, err = c.branch(&gojq.If{Cond: t.Elif[0].Cond, Then: t.Elif[0].Then, Elif: t.Elif[1:], Else: t.Else})
		c.nesting--
	case t.Else != nil:
		no, err = c.query(t.Else)
	}
	if err != nil {
		return expr{}, err
	}
	return conditional(cond, yes, no), nil
}

func conditional(cond, yes, no expr) expr {
	if cond.fn == nil {
		return expr{node: &ifNode{cond.node, yes.node, no.node}}
	}
	n := &simpleIfNode{cond.fn, yes.node, no.node}
	if yes.fn == nil || no.fn == nil {
		return expr{node: n}
	}
	fn := func(m *machine, e *env, v any) (any, error) {
		x, err := cond.fn(m, e, v)
		if err != nil {
			return nil, err
		}
		if truthy(x) {
			return yes.fn(m, e, v)
		}
		return no.fn(m, e, v)
	}
	return expr{&dualNode{fn, n}, fn}
}

func (c *compiler) try(t *gojq.Try) (expr, error) {
	body, err := c.query(t.Body)
	if err != nil {
		return expr{}, err
	}
	n := &tryNode{body: body.node}
	if t.Catch != nil {
		handler, err := c.query(t.Catch)
		if err != nil {
			return expr{}, err
		}
		n.handler = handler.node
	}
	return expr{node: n}, nil
}

func (c *compiler) reduce(t *gojq.Reduce) (expr, error) {
	init, err := c.query(t.Start)
	if err != nil {
		return expr{}, err
	}
	source, bind, err := c.loop(t.Query, t.Patterns, func(up func() int) (node, error) {
		update, err := c.query(t.Update)
		return &reduceBody{up(), update.node}, err
	})
	return expr{node: &reduceNode{source, init.node, bind}}, err
}

func (c *compiler) foreach(t *gojq.Foreach) (expr, error) {
	init, err := c.query(t.Start)
	if err != nil {
		return expr{}, err
	}
	source, bind, err := c.loop(t.Query, t.Patterns, func(up func() int) (node, error) {
		update, err := c.query(t.Update)
		if err != nil {
			return nil, err
		}
		extract := identity()
		if t.Extract != nil {
			extract, err = c.query(t.Extract)
		}
		return &foreachBody{up(), update.node, extract.node}, err
	})
	return expr{node: &foreachNode{source, init.node, bind}}, err
}

// loop compiles what reduce and foreach have in common: a variable for the
// state, the source, and the patterns in front of the body.
func (c *compiler) loop(q *gojq.Query, patterns []*gojq.Pattern, body func(up func() int) (node, error)) (source, bind node, err error) {
	m := c.mark()
	defer c.release(m)
	c.variable("")
	slot := c.depth - 1
	s, err := c.query(q)
	if err != nil {
		return nil, nil, err
	}
	bind, err = c.patterns(patterns, func() (node, error) { return body(func() int { return c.up(slot) }) })
	return s.node, bind, err
}

func (c *compiler) label(l *gojq.Label) (expr, error) {
	m := c.mark()
	defer c.release(m)
	c.variable("*label-" + l.Ident)
	body, err := c.query(l.Body)
	return expr{node: &labelNode{body.node}}, err
}

// call compiles a variable or a function call.
func (c *compiler) call(f *gojq.Func) (expr, error) {
	if strings.HasPrefix(f.Name, "$") {
		return c.variableTerm(f.Name)
	}
	name := fmt.Sprintf("%s/%d", f.Name, len(f.Args))
	if s := c.find(name); s != nil {
		if s.param {
			return expr{node: &parameterNode{c.up(s.slot)}}, nil
		}
		return c.callFunction(s, f)
	}
	if special, ok := c.specials[name]; ok {
		return special(c, f.Args)
	}
	if fn, ok := c.natives[name]; ok {
		args, err := c.arguments(f.Args)
		if err != nil {
			return expr{}, err
		}
		return applyNative(fn, args), nil
	}
	if e, ok, err := c.preludeCall(name, f); ok || err != nil {
		return e, err
	}
	return expr{}, undefined(name)
}

func (c *compiler) arguments(list []*gojq.Query) ([]expr, error) {
	args := make([]expr, len(list))
	for i, q := range list {
		var err error
		if args[i], err = c.query(q); err != nil {
			return nil, err
		}
	}
	return args, nil
}

func (c *compiler) variableTerm(name string) (expr, error) {
	if s := c.find(name); s != nil {
		return variable(c.up(s.slot)), nil
	}
	switch name {
	case "$ENV":
		return constant(c.prog.env), nil
	case "$__loc__":
		line := 1
		if len(c.locs) > 0 {
			line, c.locs = c.locs[0], c.locs[1:]
		}
		o := newObject(2)
		o.set("file", "<top-level>")
		o.set("line", float64(line))
		return constant(o), nil
	}
	if v, ok := c.prog.args.get(name[1:]); ok {
		return constant(v), nil
	}
	return expr{}, undefined(name)
}

// callFunction compiles the call of a function of the program.
func (c *compiler) callFunction(s *scope, f *gojq.Func) (expr, error) {
	up := c.depth - s.fn.depth
	if fn := s.simple; fn != nil {
		return expr{&callNode{fn: s.fn, up: up}, func(m *machine, e *env, v any) (any, error) {
			return fn(m, e.up(up), v)
		}}, nil
	}
	n := &callNode{fn: s.fn, up: up}
	params := s.fn.params
	for i, q := range f.Args {
		e, err := c.query(q)
		if err != nil {
			return expr{}, err
		}
		n.args = append(n.args, argument{e, params[i]})
	}
	return expr{node: n}, nil
}
