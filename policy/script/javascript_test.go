package script

import (
	"context"
	"strings"
	"testing"
	"time"
)

func js(body string) string { return "function preCommand(ctx) {\n" + body + "\n}\n" }

func TestJavaScript(t *testing.T) {
	const failed = "deny profile 'p' policy failed: "
	runRows(t, "javascript", []row{
		{name: "undefined", source: js("return"), want: "none"},
		{name: "null", source: js("return null"), want: "none"},
		{name: "allow", source: js("return 'allow'"), want: "none"},
		{name: "deny", source: js("return 'deny'"), want: "deny denied by policy"},
		{name: "ask", source: js("return 'ask'"), want: "ask no standing approval"},
		{name: "deny with reason", source: js("return {deny: `not ${ctx.command.name}`}"), want: "deny not cat"},
		{name: "ask with reason", source: js("return {ask: 'sure?'}"), want: "ask sure?"},
		{name: "reason of controls", source: js(`return {deny: '\ud800a\n\x1b[2J'}`), want: "deny \uFFFDa  [2J"},
		{name: "ask of a variable", hook: PreSession, source: "const preSession = () => 'ask'", want: failed + "pre_session cannot ask"},
		{name: "ask of a file", hook: PreVFS, source: "var preVfs = () => 'ask'", want: "ask no standing approval"},
		{name: "let", hook: PreVFS, source: "let preVfs = () => 'deny'", want: "deny denied by policy"},
		{name: "another hook", hook: PreVFS, source: js("return 'deny'"), want: "none"},
		{name: "null-prototype", source: js("return Object.assign(Object.create(null), {deny: 'x'})"), want: "deny x"},
		{name: "of a class", source: js("class A { constructor() { this.deny = 'x' } }; return new A"), want: "deny x"},

		{name: "no hook", source: "var x = 1", want: "deny profile 'p' policy defines no hook: pre_command, pre_vfs or pre_session"},
		{name: "empty", source: "", want: "deny profile 'p' policy defines no hook: pre_command, pre_vfs or pre_session"},
		{name: "syntax", source: "var x\nfunction (", want: "deny profile 'p' policy syntax error: line 2: ..."},
		{name: "redeclared", source: "let x\nlet x\n", want: "deny profile 'p' policy syntax error: line 2: ..."},
		{name: "module", source: "export const x = 1", want: "deny profile 'p' policy syntax error: line 1: ..."},
		{name: "source map", source: "var x = 1\n//# sourceMappingURL=file:///etc/passwd", want: "deny profile 'p' policy defines no hook: ..."},
		{name: "big number", source: js("return 1 + 0x10n"), want: "deny profile 'p' policy syntax error: line 2: BigInt is not available"},
		{name: "raises", source: js("ctx.no.thing"), want: failed + "line 2: TypeError: Cannot read property 'thing' of undefined"},
		{name: "throws", source: js("throw new Error('by hand')"), want: failed + "line 2: Error: by hand"},
		{name: "throws text", source: js("throw 'text'"), want: failed + "line 2: text"},
		{name: "throws null", source: js("throw null"), want: failed + "line 2: null"},
		{name: "throws much", source: js("throw 'x'.repeat(1e6)"), want: failed + "line 2: xxx..."},
		{name: "throws what throws", source: js("throw {toString() { throw 1 }}"), want: failed + "line 2: an error that has no text"},
		{name: "throws itself", source: js("class E extends Error { get message() { throw this } }; throw new E()"), want: failed + "line 2: an error that has no text"},
		{name: "throws a symbol", source: js("throw Symbol('x')"), want: failed + "line 2: ..."},
		{name: "shows no memory", source: js(`return '' + JSON.parse('{"toString":1,"valueOf":1}')`), want: failed + "line 2: TypeError: Could not convert"},
		{name: "throws data", source: js(`throw JSON.parse('{"toString":1,"valueOf":1}')`), want: failed + "line 2: an error that has no text"},
		{name: "hook is no function", source: "var preCommand = 1", want: failed + "preCommand is no function"},
		{name: "recursion", source: js("return preCommand(ctx)"), want: failed + "too many calls within calls"},

		{name: "number", source: js("return 1"), want: failed + "pre_command returned a value of type int64"},
		{name: "true", source: js("return true"), want: failed + "pre_command returned a value of type bool"},
		{name: "other word", source: js("return 'Allow'"), want: failed + `pre_command returned "Allow"`},
		{name: "array", source: js("return ['deny']"), want: failed + "pre_command returned an object of class Array"},
		{name: "deep array", source: js("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a"), want: failed + "pre_command returned an object of class Array"},
		{name: "deep reason", source: js("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return {deny: a}"), want: failed + `pre_command returned an object whose "deny" is no string`},
		{name: "empty object", source: js("return {}"), want: failed + "pre_command returned an object of 0 properties"},
		{name: "inherited", source: js("return Object.create({deny: 'x'})"), want: failed + "pre_command returned an object of 0 properties"},
		{name: "both", source: js("return {deny: 'x', ask: 'y'}"), want: failed + "pre_command returned an object of 2 properties"},
		{name: "hidden property", source: js("return Object.defineProperty({deny: 'x'}, 'ask', {value: 'y'})"), want: failed + "pre_command returned an object of 2 properties"},
		{name: "symbol property", source: js("return {deny: 'x', [Symbol('a')]: 1}"), want: failed + "pre_command returned an object of 2 properties"},
		{name: "allow in an object", source: js("return {allow: 'x'}"), want: failed + `pre_command returned a mapping of "allow"`},
		{name: "reason is no text", source: js("return {deny: null}"), want: failed + `pre_command returned an object whose "deny" is no string`},
		{name: "string object", source: js("return new String('deny')"), want: failed + "pre_command returned an object of class String"},
		{name: "promise", source: "async " + js("return 'allow'"), want: failed + "pre_command returned an object of ..."},
		{name: "function", source: js("return preCommand"), want: failed + "pre_command returned an object of class Function"},
		{name: "symbol", source: js("return Symbol('deny')"), want: failed + "pre_command returned a value of type ..."},
		{name: "getter", source: js("return {get deny() { return 'got' }}"), want: "deny got"},
		{name: "getter that throws", source: js("return {get deny() { throw {toString() { throw 1 }} }}"), want: failed + "line 2: an error that has no text"},
		{name: "name of half a pair", source: js("return {'\\ud800': 'x'}"), want: failed + "pre_command returned ..."},

		{name: "reads", source: js("return {ask: readFile(ctx.command.paths[0])}"), want: "ask run curl here"},
		{name: "reads nothing", source: js("return {ask: readFile('/x')}"), want: failed + "line 2: Error: /x: No such file or directory"},
		{name: "catches", source: js("try { readFile('/x') } catch (e) { return {ask: e.code + (e instanceof Error)} }"), want: "ask ENOENTtrue"},
		{name: "catches what is refused", source: js("try { readFile('/secret/x') } catch (e) { return {ask: e.code} }"), want: "ask EACCES"},
		{name: "reads bytes", source: js("return {ask: readFile('/bin')}"), want: "ask \uFFFD curl"},
		{name: "reads too much", source: js("try { readFile('/huge') } catch (e) { }; return null"), want: failed + "/huge: File too large"},
		{name: "reads much more", source: js("try { readFile('/unruly') } finally { return null }"), want: failed + "/unruly: File too large"},
		{name: "reads what is broken", source: js("try { readFile('/broken') } catch (e) { }"), want: failed + "/broken: Input/output error"},
		{name: "odd names", source: js("return {ask: listDir('/odd').map(n => readFile('/odd/' + n)).join(' ')}"), want: "ask two three four one"},
		{name: "no name", source: js("readFile(Symbol('a'))"), want: failed + "line 2: TypeError: ..."},
		{name: "undefined name", source: js("exists()"), want: failed + "line 2: TypeError: a path is needed"},
		{name: "exists", source: js("return {ask: [exists('/a'), exists('/x'), exists('/d'), isDir('/d'), isDir('/a'), isDir('/x')].join()}"), want: "ask true,false,true,true,false,false"},
		{name: "lists", source: js("return {ask: listDir('/d').map(x => x + x).join()}"), want: "ask xx,yy"},
		{name: "lists no directory", source: js("try { listDir('/a') } catch (e) { return {ask: e.code} }"), want: "ask ENOTDIR"},
		{name: "reads without end", source: js("for (;;) try { exists('/a') } catch (e) {}"), want: failed + "read too much"},
		{name: "json", source: js("return {ask: JSON.parse(readFile('/json')).deny[1] + JSON.stringify({a: [1, null]}, null, 1)}"), want: `ask dd{  "a": [   1,   null  ] }`},
		{name: "stringify with a replacer", source: js("return {ask: JSON.stringify({a: 1, b: 2}, ['a']) + JSON.stringify([1], (k, v) => v === 1 ? 2 : v)}"), want: `ask {"a":1}[2]`},
		{name: "parse with a reviver", source: js("return {ask: '' + JSON.parse('[1]', (k, v) => v === 1 ? 2 : v)}"), want: `ask 2`},
		{name: "deep json", source: js("JSON.parse(readFile('/nested'))"), want: failed + "line 2: SyntaxError: the JSON text is too large or nested too deeply"},
		{name: "input", input: map[string]any{"n": 1 << 40, "f": 1.5, "z": nil, "t": true, "__proto__": []int{1}}, source: js("return {ask: JSON.stringify(ctx)}"),
			want: `ask {"__proto__":[1],"f":1.5,"n":1099511627776,"t":true,"z":null}`},
		{name: "nothing of a host", source: js("return {ask: [typeof require, typeof process, typeof setTimeout, typeof fetch, typeof WebAssembly, typeof Proxy, typeof console.log('x')].join()}"),
			want: "ask undefined,undefined,undefined,undefined,undefined,undefined,undefined"},
		{name: "no code of text", source: js("return {ask: [() => eval('1'), () => Function('1'), () => (() => 1).constructor('1'), () => (function* () {}).constructor('1'), () => (async () => 1).constructor('1')].map(f => { try { f() } catch (e) { return e.name } }).join()}"),
			want: "ask EvalError,EvalError,EvalError,EvalError,EvalError"},
		{name: "state", source: "var n = 0\n" + js("n++; Array.prototype.x = 1; return {ask: '' + n}"), want: "ask 1"},
		{name: "modern", source: js("const {name, ...rest} = ctx.command; class A { #x = 1; get y() { return this.#x } }; return {ask: `${name ?? 1} ${rest.none?.x} ${new A().y}`}"), want: "ask cat undefined 1"},
	})
}

// What the prelude replaces does what it did.
func TestJavaScriptGuardsKeepMeaning(t *testing.T) {
	for _, tt := range []struct{ expr, want string }{
		{"'ab'.repeat(2) + 'x'.padStart(3, '-') + 'x'.padEnd(3)", "abab--xx"},
		{"'aXbX'.replace('X', 'y') + 'aXbX'.replaceAll('X', '$&$&') + 'aXb'.replace(/x/i, m => m + m)", "aybXaXXbXXaXXb"},
		{"'abc'.replace('b', \"[$'$`]\")", "a[ca]c"},
		{"[1, [2, [3]]].flat().length + ',' + [1, [2, [3]]].flat(Infinity === 1).length", "3,2"},
		{"[3, 1, 2].sort().join('-') + [3, 1, 2].sort((a, b) => b - a)", "1-2-33,2,1"},
		{"[1, null, undefined, [2, [3]]].join() + '|' + [,].join() + [1, 2].join('') + [1, 2].join(0) + String([1, [2]]) + Array.prototype.join.call({length: 2, 0: 'a'}, '-')", "1,,,2,3|121021,2a-"},
		{"[1].concat(2, [3, 4]).length + 'a'.concat('b', 1)", "4ab1"},
		{"Array.from({length: 2}, (x, i) => i).join() + Array.from('ab') + Array.from(new Set([1, 1]))", "0,1a,b1"},
		{"Math.max.apply(null, [1, 3]) + Reflect.apply(Math.min, null, [1, 2]) + Math.max(...[1, 9])", "13"},
		{"[...[1, 2].entries()].join('|') + [1, 2].includes(2) + [1, , 2].length", "0,1|1,2true3"},
		{"String.raw`a\\n${1}`", "a\\n1"},
		{"[/a/ instanceof RegExp, new RegExp('a', 'g').test('ba'), RegExp(/b/i).flags, /a/.constructor === RegExp].join()", "true,true,i,false"},
		{"'a1b2'.match(/[a-z]/g).join() + 'x'.match('y') + 'xay'.search('a') + [...'a1b2'.matchAll(/\\d/g)].length", "a,bnull12"},
		{"'a, b,c'.split(/,\\s*/).join('|') + 'abc'.split('').length", "a|b|c3"},
		{"/(?<y>\\d{4})/.exec('in 2024').groups.y + /^(?!.*curl)/.test('a curl') + /(a)\\1/.test('aa')", "2024falsetrue"},
		{"Reflect.construct(Array, [1, 2]).length", "2"},
		{"Number.isInteger(1) && JSON.stringify({a: undefined, b: {toJSON() { return 1 }}})", `{"b":1}`},
	} {
		s := load(t, "js", js("return {ask: 'got ' + ("+tt.expr+")}"), Options{})
		if got, want := shown(s.Call(context.Background(), PreCommand, input("x"), workspace)), "ask got "+tt.want; got != want {
			t.Errorf("%s\n got %q, want %q", tt.expr, got, want)
		}
	}
}

// A search that needs a deep stack finds what is there: a search that is given
// up would count as one that found nothing.
func TestJavaScriptDeepSearch(t *testing.T) {
	for _, re := range []string{"/(?:(?=a)a|b)*$/", "/^(?!.*nothing)(a|b)*$/", "/^(?:(a)|b)*\\1$/"} {
		s := load(t, "js", js("return "+re+".test(readFile('/big').slice(0, 2e5)) ? 'deny' : null"), Options{})
		if got := shown(s.Call(context.Background(), PreCommand, input("x"), workspace)); got != "deny denied by policy" {
			t.Errorf("%s: got %q", re, got)
		}
	}
}

// Whatever a script asks for, the server lives and the memory is bounded.
func TestJavaScriptBombs(t *testing.T) {
	ends(t)
	const nested = "let a = [1]; for (let i = 0; i < 100; i++) a = [a, a]; "
	const deep = "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; "
	for _, body := range []string{
		"return 'x'.repeat(2 ** 29)",
		"return 'x'.padEnd(2 ** 29)",
		"return 'x'.padStart(2 ** 29)",
		"let s = 'x'; for (;;) s = s.concat(s, s)",
		"let s = 'x'; for (;;) s = s.replaceAll('x', 'xx' + s)",
		"let s = 'x'.repeat(1e6); return s.replace(/x/g, \"$'\")",
		"let s = 'x'; for (;;) s = [s, s].join(s)",
		"let a = [1]; for (;;) a = a.concat(a)",
		"let a = [1]; for (;;) a.push(...a)",
		"return new Array(1 << 20).fill('x'.repeat(1 << 20)).join('')",
		"return new Array(1 << 20).fill(['x'.repeat(1 << 20)]).join('')",
		"return String(new Array(1 << 20).fill('x'.repeat(1 << 20)))",
		"return JSON.stringify(new Array(1 << 20).fill('x'.repeat(1 << 20)))",
		"return new Array(1e9).fill(1)",
		"return new Array(4294967295).join('x')",
		"return new Array(4294967295).sort()",
		"return Array.from({length: 1e9})",
		"return Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)",
		"return Math.max.apply(null, {length: 1e9})",
		"return Reflect.apply(Math.max, null, {length: 1e9})",
		"return String.raw({raw: {length: 1e9}}, 1)",
		"return BigInt(2) ** BigInt(1e12)",
		"return new ArrayBuffer(2 ** 40)",
		nested + "return JSON.stringify(a)",
		nested + "return String(a)",
		nested + "return {deny: '' + a}",
		deep + "return String(a)",
		deep + "return a.flat(Infinity)",
		deep + "return JSON.stringify(a)",
		"return new RegExp('('.repeat(1e6) + ')'.repeat(1e6))",
		"return 'a'.match('('.repeat(1e6))",
		"return JSON.parse('['.repeat(1e7))",
		"return (function f() { return f() })()",
		"return {get deny() { return this.deny }}.deny",
		"return {get deny() { for (;;) ; }}",
		"throw {toString() { for (;;) ; }}",
		"for (;;) ;",
		"for (;;) try { throw 1 } catch (e) { } finally { continue }",
		"function f() { return Promise.resolve().then(f) }; f()\n}\nfunction preVfs() {",
		"function* g() { for (;;) yield 1 }; return [...g()]",
	} {
		s := load(t, "js", js(body), Options{Timeout: 200 * time.Millisecond})
		a := s.Call(context.Background(), PreCommand, input("x"), workspace)
		if a.Kind != Deny && !strings.Contains(body, "Promise") {
			t.Errorf("%s\n got %q", body, shown(a))
		}
		t.Logf("%q: %s", body, a.Reason)
		s.Close()
	}
}

// What grows step by step is seen by the watch on the heap.
func TestJavaScriptMemory(t *testing.T) {
	ends(t)
	s := load(t, "js", js("const x = 'x'.repeat(1e6), a = []; for (;;) a.push(x + a.length)"), Options{})
	if got := shown(s.Call(context.Background(), PreCommand, input("x"), workspace)); got != "deny profile 'p' policy failed: used too much memory" {
		t.Errorf("got %q", got)
	}
}

// A regular expression that goes astray cannot be interrupted: its evaluation is
// given up, counted, and ends by itself later.
func TestJavaScriptCatastrophe(t *testing.T) {
	ends(t)
	s := load(t, "js", js("return /^(?=(a+)+$)/.test('a'.repeat(40) + '!') ? null : 'deny'"), Options{Timeout: 2 * time.Second})
	if got := shown(s.Call(context.Background(), PreCommand, input("x"), workspace)); got != "deny profile 'p' policy timed out after 2s" {
		t.Errorf("got %q", got)
	}
	if s.stuck.Load() != 1 {
		t.Error("the search ended in time: the test shows nothing")
	}
	for s.stuck.Load() != 0 {
		time.Sleep(10 * time.Millisecond)
	}
}
