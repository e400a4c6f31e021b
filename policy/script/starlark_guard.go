package script

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Starlark counts instructions, not memory, and one instruction can ask for any
// amount: "x" * 1000000000. The operations that make something larger than what
// they are given are therefore replaced, in the syntax tree, by calls which know
// the size of the result before it is made. Names with a star cannot be written
// in a script.
//
// What grows in small steps is seen by the watch on the heap (see await).

const (
	maxValue = 16 << 20 // bytes of one value, roughly
	maxMade  = 1 << 30  // bytes of all results of one evaluation
	maxBits  = 1 << 20  // bits of a number
	maxRange = 1<<20 + 1
	maxDepth = 500 // nesting of a value that is made into text
)

const meterKey = "meter"

var errTooLarge = errors.New("the result is too large")

// meter belongs to one evaluation.
type meter struct {
	files    *gate
	made     int64
	fatal    error // what ended the evaluation, when it was no error of the script
	patterns map[string]*regexp.Regexp
}

func meterOf(t *starlark.Thread) *meter { return t.Local(meterKey).(*meter) }

// stops reports whether an error of the gate ends the evaluation.
func (m *meter) stops(err error) bool {
	var f fatal
	return errors.As(err, &f)
}

// note remembers an error that ends the evaluation.
func (m *meter) note(err error) error {
	var f fatal
	if errors.As(err, &f) {
		m.fatal = f.error
	}
	return err
}

// grow allows a result of n bytes.
func (m *meter) grow(n int64) error {
	if n > maxValue {
		return errTooLarge
	}
	if m.made += n; m.made > maxMade {
		return m.note(fatal{errMemory})
	}
	return nil
}

// guardFile replaces the operations in a file.
func guardFile(f *syntax.File) { guardStmts(f.Stmts) }

func guardStmts(list []syntax.Stmt) {
	for i, s := range list {
		list[i] = guardStmt(s)
	}
}

func guardStmt(s syntax.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		return guardAssign(s)
	case *syntax.DefStmt:
		guardParams(s.Params)
		guardStmts(s.Body)
	case *syntax.ExprStmt:
		s.X = guard(s.X)
	case *syntax.IfStmt:
		s.Cond = guard(s.Cond)
		guardStmts(s.True)
		guardStmts(s.False)
	case *syntax.ForStmt:
		s.Vars = guardTarget(s.Vars)
		s.X = guard(s.X)
		guardStmts(s.Body)
	case *syntax.WhileStmt:
		s.Cond = guard(s.Cond)
		guardStmts(s.Body)
	case *syntax.ReturnStmt:
		if s.Result != nil {
			s.Result = guard(s.Result)
		}
	}
	return s
}

// growing are the operators that can make something large.
var growing = map[syntax.Token]string{
	syntax.PLUS: "*add", syntax.STAR: "*mul", syntax.PERCENT: "*mod",
	syntax.PLUS_EQ: "*iadd", syntax.STAR_EQ: "*mul", syntax.PERCENT_EQ: "*mod",
}

// growingMethods are the methods that can.
var growingMethods = map[string]bool{"replace": true, "join": true, "format": true, "extend": true}

func guardAssign(s *syntax.AssignStmt) syntax.Stmt {
	name := growing[s.Op]
	s.LHS, s.RHS = guardTarget(s.LHS), guard(s.RHS)
	if name == "" {
		return s
	}
	lhs := s.LHS
	for {
		paren, ok := lhs.(*syntax.ParenExpr)
		if !ok {
			break
		}
		lhs = paren.X
	}
	switch lhs := lhs.(type) {
	case *syntax.Ident: // x += y is x = add(x, y)
		s.Op = syntax.EQ
		s.RHS = callGuard(name, s.OpPos, &syntax.Ident{NamePos: lhs.NamePos, Name: lhs.Name}, s.RHS)
	case *syntax.IndexExpr: // x[i] += y
		op := &syntax.Literal{Token: syntax.STRING, TokenPos: s.OpPos, Value: name}
		return &syntax.ExprStmt{X: callGuard("*update", s.OpPos, op, lhs.X, lhs.Y, s.RHS)}
	}
	return s
}

func callGuard(name string, pos syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: pos, Name: name}, Lparen: pos, Args: args, Rparen: pos}
}

// guardTarget replaces what is computed on the way to a place that is assigned.
func guardTarget(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *syntax.IndexExpr:
		x.X, x.Y = guard(x.X), guard(x.Y)
	case *syntax.DotExpr:
		x.X = guard(x.X)
	case *syntax.ParenExpr:
		x.X = guardTarget(x.X)
	case *syntax.TupleExpr:
		for i := range x.List {
			x.List[i] = guardTarget(x.List[i])
		}
	case *syntax.ListExpr:
		for i := range x.List {
			x.List[i] = guardTarget(x.List[i])
		}
	}
	return x
}

// guardParams replaces the defaults of parameters.
func guardParams(list []syntax.Expr) {
	for _, p := range list {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			b.Y = guard(b.Y)
		}
	}
}

func guardList(list []syntax.Expr) {
	for i, x := range list {
		list[i] = guard(x)
	}
}

func guard(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *syntax.BinaryExpr:
		x.X, x.Y = guard(x.X), guard(x.Y)
		if name := growing[x.Op]; name != "" {
			return callGuard(name, x.OpPos, x.X, x.Y)
		}
	case *syntax.CallExpr:
		x.Fn = guard(x.Fn)
		for i, arg := range x.Args {
			if b, ok := arg.(*syntax.BinaryExpr); ok && b.Op == syntax.EQ { // f(name=value)
				b.Y = guard(b.Y)
			} else {
				x.Args[i] = guard(arg)
			}
		}
	case *syntax.Comprehension:
		x.Body = guard(x.Body)
		for _, c := range x.Clauses {
			switch c := c.(type) {
			case *syntax.ForClause:
				c.Vars, c.X = guardTarget(c.Vars), guard(c.X)
			case *syntax.IfClause:
				c.Cond = guard(c.Cond)
			}
		}
	case *syntax.CondExpr:
		x.Cond, x.True, x.False = guard(x.Cond), guard(x.True), guard(x.False)
	case *syntax.DictEntry:
		x.Key, x.Value = guard(x.Key), guard(x.Value)
	case *syntax.DictExpr:
		guardList(x.List)
	case *syntax.DotExpr:
		x.X = guard(x.X)
		if growingMethods[x.Name.Name] {
			name := &syntax.Literal{Token: syntax.STRING, TokenPos: x.NamePos, Value: x.Name.Name}
			return callGuard("*method", x.Dot, x.X, name)
		}
	case *syntax.IndexExpr:
		x.X, x.Y = guard(x.X), guard(x.Y)
	case *syntax.LambdaExpr:
		guardParams(x.Params)
		x.Body = guard(x.Body)
	case *syntax.ListExpr:
		guardList(x.List)
	case *syntax.ParenExpr:
		x.X = guard(x.X)
	case *syntax.SliceExpr:
		x.X = guard(x.X)
		for _, part := range []*syntax.Expr{&x.Lo, &x.Hi, &x.Step} {
			if *part != nil {
				*part = guard(*part)
			}
		}
	case *syntax.TupleExpr:
		guardList(x.List)
	case *syntax.UnaryExpr:
		if x.X != nil {
			x.X = guard(x.X)
		}
	}
	return x
}

// operators are the functions that stand for operators.
var operators = map[string]func(m *meter, x, y starlark.Value) (starlark.Value, error){
	"*add": add, "*iadd": addInPlace, "*mul": multiply, "*mod": format,
}

// guards are the functions that guardFile calls.
func guards() map[string]builtin {
	all := map[string]builtin{"*update": update, "*method": method}
	for name, fn := range operators {
		all[name] = func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return fn(meterOf(t), args[0], args[1])
		}
	}
	return all
}

func add(m *meter, x, y starlark.Value) (starlark.Value, error) {
	if err := m.grow(size(x) + size(y)); err != nil {
		return nil, err
	}
	return starlark.Binary(syntax.PLUS, x, y)
}

func addInPlace(m *meter, x, y starlark.Value) (starlark.Value, error) {
	list, ok := x.(*starlark.List)
	items, iterable := y.(starlark.Iterable)
	if !ok || !iterable {
		return add(m, x, y)
	}
	return list, extend(m, list, items)
}

func extend(m *meter, list *starlark.List, items starlark.Iterable) error {
	if err := m.longer(list, items); err != nil {
		return err
	}
	var all []starlark.Value
	for v := range starlark.Elements(items) {
		all = append(all, v)
	}
	for _, v := range all {
		if err := list.Append(v); err != nil {
			return err
		}
	}
	return nil
}

// longer allows a list to take in more.
func (m *meter) longer(list, more starlark.Value) error {
	if size(list)+size(more) > maxValue {
		return errTooLarge
	}
	return m.grow(size(more))
}

func multiply(m *meter, x, y starlark.Value) (starlark.Value, error) {
	a, aInt := x.(starlark.Int)
	b, bInt := y.(starlark.Int)
	switch {
	case aInt && bInt:
		if a.BigInt().BitLen()+b.BigInt().BitLen() > maxBits {
			return nil, errTooLarge
		}
	case aInt:
		if err := m.repeat(y, a); err != nil {
			return nil, err
		}
	case bInt:
		if err := m.repeat(x, b); err != nil {
			return nil, err
		}
	}
	return starlark.Binary(syntax.STAR, x, y)
}

// repeat allows v * n.
func (m *meter) repeat(v starlark.Value, n starlark.Int) error {
	count, ok := n.Int64()
	if starlark.Len(v) <= 0 || ok && count <= 1 {
		return nil
	}
	if !ok || count > maxValue || size(v) > maxValue {
		return errTooLarge
	}
	return m.grow(size(v) * count)
}

// format is x % y.
func format(m *meter, x, y starlark.Value) (starlark.Value, error) {
	if s, ok := x.(starlark.String); ok {
		n, err := weigh(y)
		if err != nil {
			return nil, err
		}
		// Only %(name)s can show a value twice.
		times := int64(1)
		if _, ok := y.(*starlark.Dict); ok {
			times = int64(strings.Count(string(s), "%"))
		}
		if err := m.grow(int64(len(s)) + 32*int64(strings.Count(string(s), "%")) + times*n); err != nil {
			return nil, err
		}
	}
	return starlark.Binary(syntax.PERCENT, x, y)
}

// update is x[i] op= y.
func update(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	op, x, i, y := operators[string(args[0].(starlark.String))], args[1], args[2], args[3]
	var old starlark.Value
	var set func(starlark.Value) error
	switch x := x.(type) {
	case *starlark.Dict:
		v, found, err := x.Get(i)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, errors.New("key not in dict")
		}
		old, set = v, func(v starlark.Value) error { return x.SetKey(i, v) }
	case *starlark.List:
		n, err := starlark.AsInt32(i)
		if err != nil {
			return nil, fmt.Errorf("list index: %w", err)
		}
		at := n
		if at < 0 {
			at += x.Len()
		}
		if at < 0 || at >= x.Len() {
			return nil, fmt.Errorf("list index %d out of range [%d:%d]", n, -x.Len(), x.Len()-1)
		}
		old, set = x.Index(at), func(v starlark.Value) error { return x.SetIndex(at, v) }
	default:
		return nil, fmt.Errorf("%s value does not support item assignment", x.Type())
	}
	v, err := op(meterOf(t), old, y)
	if err != nil {
		return nil, err
	}
	return starlark.None, set(v)
}

// method is x.name, for one of growingMethods.
func method(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return attribute(args[0], string(args[1].(starlark.String)))
}

// guardGetattr is getattr(x, name, default=...).
func guardGetattr(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, otherwise starlark.Value
	var name string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &x, &name, &otherwise); err != nil {
		return nil, err
	}
	v, err := attribute(x, name)
	if err != nil && otherwise != nil {
		return otherwise, nil
	}
	return v, err
}

func attribute(x starlark.Value, name string) (starlark.Value, error) {
	var v starlark.Value
	if has, ok := x.(starlark.HasAttrs); ok {
		var err error
		if v, err = has.Attr(name); err != nil {
			return nil, err
		}
	}
	if v == nil {
		return nil, fmt.Errorf("%s has no .%s field or method", x.Type(), cut(name, 100))
	}
	fn, ok := v.(*starlark.Builtin)
	if !ok || !growingMethods[name] {
		return v, nil
	}
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := meterOf(t).allow(x, name, args, kwargs); err != nil {
			return nil, err
		}
		return fn.CallInternal(t, args, kwargs)
	}), nil
}

// allow allows a call of one of growingMethods of x. Calls with wrong arguments
// are left to the method.
func (m *meter) allow(x starlark.Value, name string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	switch name {
	case "replace":
		if len(args) < 2 {
			return nil
		}
		s, old, by := size(x), size(args[0]), size(args[1])
		if by > maxValue || s > maxValue {
			return errTooLarge
		}
		return m.grow(s + (s/max(1, old)+1)*by)
	case "join":
		if len(args) != 1 {
			return nil
		}
		items, ok := args[0].(starlark.Iterable)
		if !ok {
			return nil
		}
		n := int64(0)
		for v := range starlark.Elements(items) {
			if n += size(v) + size(x); n > maxValue {
				break
			}
		}
		return m.grow(n)
	case "format":
		n, err := weigh(args)
		for _, kv := range kwargs {
			if err == nil {
				var more int64
				more, err = weigh(kv)
				n += more
			}
		}
		if err != nil {
			return err
		}
		s, _ := starlark.AsString(x)
		return m.grow(int64(len(s)) + int64(strings.Count(s, "{")+1)*n)
	case "extend":
		if len(args) != 1 {
			return nil
		}
		return m.longer(x, args[0])
	}
	return nil
}

// guardText guards a function that makes its arguments into text.
func guardText(fn *starlark.Builtin) builtin {
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		n, err := weigh(args)
		if err != nil {
			return nil, err
		}
		if err := meterOf(t).grow(n); err != nil {
			return nil, err
		}
		return fn.CallInternal(t, args, kwargs)
	}
}

// guardRange refuses ranges that nobody can walk: list(range(1000000000)).
func guardRange(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	v, err := starlark.Universe["range"].(*starlark.Builtin).CallInternal(t, args, kwargs)
	if err == nil && starlark.Len(v) > maxRange {
		return nil, fmt.Errorf("range: more than %d numbers", maxRange)
	}
	return v, err
}

// size answers the bytes that a value takes by itself, without what it refers to.
func size(v starlark.Value) int64 {
	switch v := v.(type) {
	case starlark.String:
		return int64(len(v))
	case starlark.Bytes:
		return int64(len(v))
	}
	if n := starlark.Len(v); n > 0 {
		return 16 * int64(n)
	}
	return 16
}

// weigh bounds the bytes of the text of a value, which can be large even where
// the value is not: a list of one list, many times.
func weigh(v starlark.Value) (int64, error) {
	n := int64(0)
	err := weighInto(v, &n, maxDepth)
	return n, err
}

func weighInto(v starlark.Value, n *int64, depth int) error {
	if depth == 0 {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	var children starlark.Iterable
	switch v := v.(type) {
	case starlark.String:
		*n += 4*int64(len(v)) + 4
	case starlark.Bytes:
		*n += 4*int64(len(v)) + 4
	case starlark.Int:
		*n += int64(v.BigInt().BitLen())/3 + 4
	case *starlark.List:
		children = v
	case starlark.Tuple:
		children = v
	case *starlark.Set:
		children = v
	case *starlark.Dict:
		*n += 4
		for key, x := range starlark.Entries(v) {
			if err := weighInto(key, n, depth-1); err != nil {
				return err
			}
			if err := weighInto(x, n, depth-1); err != nil {
				return err
			}
		}
	default:
		*n += 64
	}
	if *n > maxValue {
		return errTooLarge
	}
	if children != nil {
		*n += 4
		for x := range starlark.Elements(children) {
			if err := weighInto(x, n, depth-1); err != nil {
				return err
			}
		}
	}
	return nil
}
