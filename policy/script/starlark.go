package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// maxSteps bounds the instructions of one evaluation of Starlark.
const maxSteps = 20_000_000

// starlarkEngine runs Starlark (go.starlark.net): Python's syntax, no recursion,
// no exceptions, no way out but the functions that are given to it.
type starlarkEngine struct {
	program *starlark.Program
	err     error // why there is no program
}

func newStarlark(source []byte) *starlarkEngine {
	e := &starlarkEngine{}
	options := &syntax.FileOptions{Set: true, TopLevelControl: true, GlobalReassign: true, While: true}
	file, err := options.Parse("policy", source, 0)
	if err == nil {
		for _, s := range file.Stmts {
			if load, ok := s.(*syntax.LoadStmt); ok {
				err = resolve.Error{Pos: load.Load, Msg: "load is not available"}
			}
		}
	}
	if err == nil {
		guardFile(file)
		e.program, err = starlark.FileProgram(file, starlarkNames.Has)
	}
	if err != nil {
		e.err = syntaxError{starlarkProblem(err)}
	}
	return e
}

// starlarkProblem words an error of the parser or the resolver.
func starlarkProblem(err error) string {
	var list resolve.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		err = list[0]
	}
	var unresolved resolve.Error
	if errors.As(err, &unresolved) {
		return fmt.Sprintf("line %d: %s", unresolved.Pos.Line, unresolved.Msg)
	}
	var bad syntax.Error
	if errors.As(err, &bad) {
		return fmt.Sprintf("line %d: %s", bad.Pos.Line, bad.Msg)
	}
	return err.Error()
}

func (e *starlarkEngine) close() error { return nil }

func (e *starlarkEngine) eval(ctx context.Context, hook Hook, input []byte, files *gate) (value, uint32, error) {
	if e.err != nil {
		return value{}, 0, e.err
	}
	m := &meter{files: files}
	thread := &starlark.Thread{Name: "policy", Print: func(*starlark.Thread, string) {}}
	thread.SetLocal(meterKey, m)
	thread.SetMaxExecutionSteps(maxSteps)
	stop := context.AfterFunc(ctx, func() { thread.Cancel(context.Cause(ctx).Error()) })
	defer stop()

	globals, err := e.program.Init(thread, starlarkNames)
	if err != nil {
		return value{}, 0, m.problem(err)
	}
	defined := uint32(0)
	for _, h := range hooks {
		if globals.Has(string(h)) {
			defined |= bit(h)
		}
	}
	if hook == "" || defined&bit(hook) == 0 {
		return value{}, defined, nil
	}
	arg, err := starlarkInput(input)
	if err != nil {
		return value{}, 0, err
	}
	fn, ok := globals[string(hook)].(starlark.Callable)
	if !ok {
		return value{}, 0, fmt.Errorf("%s is no function", hook)
	}
	result, err := starlark.Call(thread, fn, starlark.Tuple{arg}, nil)
	if err != nil {
		return value{}, 0, m.problem(err)
	}
	return starlarkAnswer(result), defined, nil
}

// problem words an error of an evaluation, with the line where the script was.
func (m *meter) problem(err error) error {
	if m.fatal != nil {
		return m.fatal
	}
	var eval *starlark.EvalError
	if !errors.As(err, &eval) {
		return err
	}
	msg := strings.TrimPrefix(cut(eval.Msg, maxReason), "Starlark computation cancelled: ")
	for i := range eval.CallStack {
		if pos := eval.CallStack.At(i).Pos; pos.Filename() == "policy" && pos.Line > 0 {
			return fmt.Errorf("line %d: %s", pos.Line, msg)
		}
	}
	return errors.New(msg)
}

// starlarkInput makes the hook's argument of JSON: dicts, lists, strings,
// numbers, booleans and None.
func starlarkInput(data []byte) (starlark.Value, error) {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return toStarlark(v)
}

func toStarlark(v any) (starlark.Value, error) {
	switch v := v.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(v), nil
	case string:
		return starlark.String(v), nil
	case json.Number:
		if n, ok := new(big.Int).SetString(v.String(), 10); ok {
			return starlark.MakeBigInt(n), nil
		}
		f, err := v.Float64()
		return starlark.Float(f), err
	case []any:
		list := make([]starlark.Value, len(v))
		for i, x := range v {
			var err error
			if list[i], err = toStarlark(x); err != nil {
				return nil, err
			}
		}
		return starlark.NewList(list), nil
	case map[string]any:
		dict := starlark.NewDict(len(v))
		for _, k := range sortedKeys(v) {
			x, err := toStarlark(v[k])
			if err == nil {
				err = dict.SetKey(starlark.String(k), x)
			}
			if err != nil {
				return nil, err
			}
		}
		return dict, nil
	}
	return nil, fmt.Errorf("cannot show a %T", v)
}

// starlarkAnswer reads what a hook returned.
func starlarkAnswer(v starlark.Value) value {
	switch v := v.(type) {
	case starlark.NoneType:
		return value{}
	case starlark.String:
		return value{kind: text, text: string(v)}
	case *starlark.Dict:
		if v.Len() != 1 {
			return noAnswer("a dict of %d entries", v.Len())
		}
		item := v.Items()[0]
		key, isString := item[0].(starlark.String)
		reason, ok := item[1].(starlark.String)
		if !isString || !ok {
			return noAnswer("a dict of %s to %s", item[0].Type(), item[1].Type())
		}
		return value{kind: mapping, key: string(key), text: string(reason)}
	}
	return noAnswer("a value of type %s", v.Type())
}
