package script

import (
	"context"
	_ "embed" // prelude.js
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"mirage/vfs"
)

// init settles how the regular expressions of JavaScript are bounded, before
// anything compiles one. The engine takes a search that is given up for one that
// found nothing, which would be an answer. So none may be given up before the
// evaluation is: not for its stack, which is bounded by the text, and not for
// its time, until every evaluation that it could belong to has timed out.
func init() {
	regexp2.DefaultOptimizationOptions.MaxBacktrackingStackSize = -1
	regexp2.DefaultMatchTimeout = DefaultTimeout + time.Second
}

// Bounds of JavaScript.
const (
	jsMaxText  = 4 << 20 // characters that one function makes
	jsMaxItems = 1<<20 + 1
	jsMaxCalls = 1000   // calls within calls
	maxPattern = 10_000 // characters of a regular expression
)

//go:embed prelude.js
var preludeText string

var prelude = goja.MustCompile("prelude", preludeText, true)

// jsNames are the hooks as JavaScript spells them.
var jsNames = map[Hook]string{PreCommand: "preCommand", PreVFS: "preVfs", PreSession: "preSession"}

// javascript runs ECMAScript (goja), without anything of a host.
type javascript struct {
	program *goja.Program
	err     error // why there is no program
}

func newJavaScript(source []byte) *javascript {
	e := &javascript{}
	tree, err := parser.ParseFile(nil, "policy", string(source), 0, parser.WithDisableSourceMaps)
	if err == nil {
		if n := bigLiteral(reflect.ValueOf(tree.Body)); n != nil {
			line := tree.File.Position(int(n.Idx) - tree.File.Base()).Line
			e.err = syntaxError{fmt.Sprintf("line %d: BigInt is not available", line)}
			return e
		}
		e.program, err = goja.CompileAST(tree, false)
	}
	if err != nil {
		e.err = syntaxError{jsProblem(err)}
	}
	return e
}

// bigLiteral finds a literal of a BigInt in a syntax tree: a few of them can ask
// for a number as large as the memory.
func bigLiteral(v reflect.Value) *ast.NumberLiteral {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if n, ok := v.Interface().(*ast.NumberLiteral); ok {
			if _, big := n.Value.(*big.Int); big {
				return n
			}
			return nil
		}
		if v.Type() == reflect.TypeFor[*file.File]() {
			return nil
		}
		return bigLiteral(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if n := bigLiteral(v.Index(i)); n != nil {
				return n
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				if n := bigLiteral(v.Field(i)); n != nil {
					return n
				}
			}
		}
	}
	return nil
}

// jsProblem words an error of the parser or the compiler.
func jsProblem(err error) string {
	var list parser.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return fmt.Sprintf("line %d: %s", list[0].Position.Line, list[0].Message)
	}
	var bad *goja.CompilerSyntaxError
	if errors.As(err, &bad) && bad.File != nil {
		return fmt.Sprintf("line %d: %s", bad.File.Position(bad.Offset).Line, bad.Message)
	}
	return err.Error()
}

func (e *javascript) close() error { return nil }

func (e *javascript) eval(ctx context.Context, hook Hook, input []byte, files *gate) (v value, defined uint32, err error) {
	if e.err != nil {
		return value{}, 0, e.err
	}
	vm := goja.New()
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			v, err = value{}, jsError(p)
		default:
			panic(fmt.Sprintf("%T", p)) // its text may be another program to run
		}
	}()
	vm.SetMaxCallStackSize(jsMaxCalls)
	vm.SetParserOptions(parser.WithDisableSourceMaps)
	stop := context.AfterFunc(ctx, func() { vm.Interrupt(context.Cause(ctx)) })
	defer stop()

	parse, _ := goja.AssertFunction(vm.GlobalObject().Get("JSON").ToObject(vm).Get("parse"))
	setup, err := vm.RunProgram(prelude)
	if err != nil {
		return value{}, 0, jsError(err)
	}
	run, _ := goja.AssertFunction(setup)
	if _, err := run(goja.Undefined(), vm.ToValue(jsMaxText), vm.ToValue(jsMaxItems), vm.ToValue(maxDepth), vm.ToValue(maxPattern), vm.ToValue(jsonDepth)); err != nil {
		return value{}, 0, jsError(err)
	}
	(&jsFiles{vm, files}).define()

	if _, err := vm.RunProgram(e.program); err != nil {
		return value{}, 0, jsError(err)
	}
	for _, h := range hooks {
		if vm.Get(jsNames[h]) != nil {
			defined |= bit(h)
		}
	}
	if hook == "" || defined&bit(hook) == 0 {
		return value{}, defined, nil
	}
	arg, err := parse(goja.Undefined(), vm.ToValue(string(input)))
	if err != nil {
		return value{}, 0, jsError(err)
	}
	fn, ok := goja.AssertFunction(vm.Get(jsNames[hook]))
	if !ok {
		return value{}, 0, fmt.Errorf("%s is no function", jsNames[hook])
	}
	result, err := fn(goja.Undefined(), arg)
	if err != nil {
		return value{}, 0, jsError(err)
	}
	return jsAnswer(vm, result), defined, nil
}

// jsError words what an evaluation threw, with the line where the script was.
// It may call the script, to make text of what it threw.
func jsError(err error) error {
	var interrupted *goja.InterruptedError
	if errors.As(err, &interrupted) {
		if cause, ok := interrupted.Value().(error); ok {
			return cause
		}
		return err
	}
	var overflow *goja.StackOverflowError
	if errors.As(err, &overflow) {
		return errors.New("too many calls within calls")
	}
	var thrown *goja.Exception
	if !errors.As(err, &thrown) {
		return err
	}
	msg := jsText(thrown.Value())
	for _, f := range thrown.Stack() {
		if f.SrcName() == "policy" {
			return fmt.Errorf("line %d: %s", f.Position().Line, msg)
		}
	}
	return errors.New(msg)
}

// jsText answers the text of what was thrown.
func jsText(v goja.Value) (msg string) {
	defer func() {
		if recover() != nil {
			msg = "an error that has no text"
		}
	}()
	msg = cut(v.String(), maxReason)
	msg, _, _ = strings.Cut(msg, "&{") // the engine shows its own memory
	return msg
}

// jsAnswer reads what a hook returned. Reading may call the script.
func jsAnswer(vm *goja.Runtime, v goja.Value) value {
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return value{}
	}
	if s, ok := v.(goja.String); ok {
		return value{kind: text, text: s.String()}
	}
	obj, ok := v.(*goja.Object)
	if !ok {
		return noAnswer("a value of type %v", v.ExportType())
	}
	if obj.ExportType() == reflect.TypeFor[goja.Proxy]() || obj.ClassName() != "Object" {
		return noAnswer("an object of class %s", obj.ClassName())
	}
	names, symbols := obj.GetOwnPropertyNames(), obj.Symbols()
	if len(names) != 1 || len(symbols) != 0 {
		return noAnswer("an object of %d properties", len(names)+len(symbols))
	}
	reason, ok := obj.Get(names[0]).(goja.String)
	if !ok {
		return noAnswer("an object whose %.40q is no string", names[0])
	}
	return value{kind: mapping, key: names[0], text: reason.String()}
}

// jsFiles defines the functions that read the workspace.
type jsFiles struct {
	vm   *goja.Runtime
	gate *gate
}

func (f *jsFiles) define() {
	for name, fn := range map[string]func(path string) goja.Value{
		"readFile": func(path string) goja.Value {
			data, err := f.gate.readFile(path)
			if err != nil {
				return f.throw(path, err)
			}
			return f.vm.ToValue(strings.ToValidUTF8(string(data), "\uFFFD"))
		},
		"listDir": func(path string) goja.Value {
			names, err := f.gate.readDir(path)
			if err != nil {
				return f.throw(path, err)
			}
			list := make([]any, len(names))
			for i, n := range names {
				list[i] = jsName(n)
			}
			return f.vm.NewArray(list...)
		},
		"exists": func(path string) goja.Value { return f.stat(path, func(bool) bool { return true }) },
		"isDir":  func(path string) goja.Value { return f.stat(path, func(dir bool) bool { return dir }) },
	} {
		call := func(c goja.FunctionCall) goja.Value {
			path, ok := c.Argument(0).ToString().(goja.String)
			if !ok {
				panic(f.vm.NewTypeError("a path is needed"))
			}
			return fn(fileName(path))
		}
		if err := f.vm.Set(name, call); err != nil {
			panic(err)
		}
	}
}

// jsName makes a string of the name of a file. A byte that is not UTF-8 becomes
// half a surrogate pair, as Python has it, so that fileName finds the file.
func jsName(name string) goja.String {
	units := make([]uint16, 0, len(name))
	for len(name) > 0 {
		r, n := utf8.DecodeRuneInString(name)
		if r == utf8.RuneError && n == 1 {
			units = append(units, 0xDC00+uint16(name[0]))
		} else {
			units = utf16.AppendRune(units, r)
		}
		name = name[n:]
	}
	return goja.StringFromUTF16(units)
}

// fileName makes the name of a file of a string.
func fileName(s goja.String) string {
	var b strings.Builder
	for i, n := 0, s.Length(); i < n; i++ {
		u := s.CharAt(i)
		r := rune(u)
		switch {
		case i+1 < n && utf16.IsSurrogate(r) && utf16.DecodeRune(r, rune(s.CharAt(i+1))) != utf8.RuneError:
			r = utf16.DecodeRune(r, rune(s.CharAt(i+1)))
			i++
		case u >= 0xDC80 && u <= 0xDCFF:
			b.WriteByte(byte(u - 0xDC00))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (f *jsFiles) stat(path string, is func(dir bool) bool) goja.Value {
	_, dir, err := f.gate.stat(path)
	var end fatal
	if errors.As(err, &end) {
		return f.throw(path, err)
	}
	return f.vm.ToValue(err == nil && is(dir))
}

// throw throws an Error with the name of the errno as its code, or ends the
// evaluation.
func (f *jsFiles) throw(path string, err error) goja.Value {
	var end fatal
	if errors.As(err, &end) {
		f.vm.Interrupt(end.error)
		return goja.Undefined()
	}
	e := f.vm.NewGoError(fileError(path, err))
	ctor := f.vm.Get("Error")
	if plain, err := f.vm.New(ctor, f.vm.ToValue(fileError(path, err).Error())); err == nil {
		e = plain
	}
	_ = e.Set("code", vfs.ErrnoName(err))
	panic(e)
}
