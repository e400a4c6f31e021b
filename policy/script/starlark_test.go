package script

import (
	"context"
	"strings"
	"testing"
	"time"
)

func def(body string) string { return "def pre_command(ctx):\n  " + body + "\n" }

func TestStarlark(t *testing.T) {
	const failed = "deny profile 'p' policy failed: "
	runRows(t, "starlark", []row{
		{name: "none", source: def("return None"), want: "none"},
		{name: "allow", source: def("return 'allow'"), want: "none"},
		{name: "deny", source: def("return 'deny'"), want: "deny denied by policy"},
		{name: "ask", source: def("return 'ask'"), want: "ask no standing approval"},
		{name: "deny with reason", source: def("return {'deny': 'not ' + ctx['command']['name']}"), want: "deny not cat"},
		{name: "ask with reason", source: def("return {'ask': 'sure?'}"), want: "ask sure?"},
		{name: "empty reason", source: def("return {'ask': ''}"), want: "ask no standing approval"},
		{name: "reason of controls", source: def(`return {'deny': 'a\n\x1b[2J'}`), want: "deny a  [2J"},
		{name: "ask of a variable", hook: PreSession, source: "def pre_session(ctx):\n  return 'ask'\n", want: failed + "pre_session cannot ask"},
		{name: "ask of a file", hook: PreVFS, source: "def pre_vfs(ctx):\n  return 'ask'\n", want: "ask no standing approval"},
		{name: "another hook", hook: PreVFS, source: def("return 'deny'"), want: "none"},

		{name: "no hook", source: "x = 1", want: "deny profile 'p' policy defines no hook: pre_command, pre_vfs or pre_session"},
		{name: "empty", source: "", want: "deny profile 'p' policy defines no hook: pre_command, pre_vfs or pre_session"},
		{name: "syntax", source: "x = 1\ndef (", want: "deny profile 'p' policy syntax error: line 2: ..."},
		{name: "unknown name", source: def("return nobody"), want: "deny profile 'p' policy syntax error: line 2: undefined: nobody"},
		{name: "load", source: "load('x', 'y')\n" + def("return None"), want: "deny profile 'p' policy syntax error: line 1: load is not available"},
		{name: "raises", source: def("return ctx['nothing']"), want: failed + `line 2: key "nothing" not in dict`},
		{name: "fails", source: def("fail('by hand')"), want: failed + "line 2: fail: by hand"},
		{name: "hook is no function", source: "pre_command = 1", want: failed + "pre_command is no function"},
		{name: "wrong arity", source: "def pre_command():\n  return None\n", want: failed + "line 1: function pre_command accepts no arguments (1 given)"},
		{name: "recursion", source: def("return pre_command(ctx)"), want: failed + "line 2: function pre_command called recursively"},

		{name: "number", source: def("return 1"), want: failed + "pre_command returned a value of type int"},
		{name: "true", source: def("return True"), want: failed + "pre_command returned a value of type bool"},
		{name: "other word", source: def("return 'Allow'"), want: failed + `pre_command returned "Allow"`},
		{name: "list", source: def("return ['deny']"), want: failed + "pre_command returned a value of type list"},
		{name: "empty dict", source: def("return {}"), want: failed + "pre_command returned a dict of 0 entries"},
		{name: "both", source: def("return {'deny': 'x', 'ask': 'y'}"), want: failed + "pre_command returned a dict of 2 entries"},
		{name: "allow in a dict", source: def("return {'allow': 'x'}"), want: failed + `pre_command returned a mapping of "allow"`},
		{name: "reason is no text", source: def("return {'deny': None}"), want: failed + "pre_command returned a dict of string to NoneType"},
		{name: "function", source: def("return pre_command"), want: failed + "pre_command returned a value of type function"},

		{name: "reads", source: def("return {'ask': read_file(ctx['command']['paths'][0])}"), want: "ask run curl here"},
		{name: "reads nothing", source: def("return {'ask': read_file('/x')}"), want: failed + "line 2: /x: No such file or directory"},
		{name: "reads with default", source: def("return {'ask': read_file('/x', default='none')}"), want: "ask none"},
		{name: "reads what is refused", source: def("return {'ask': read_file('/secret/x')}"), want: failed + "line 2: /secret/x: Permission denied"},
		{name: "reads bytes", source: def("return 'deny' if 'curl' in read_file('/bin') else None"), want: "deny denied by policy"},
		{name: "relative", source: def("return {'ask': read_file('b')}"), want: "ask nothing"},
		{name: "name with NUL", source: def(`return {'ask': read_file('/a\x00')}`), want: failed + "line 2: /a : Invalid argument"},
		{name: "exists", source: def("return {'ask': str([exists('/a'), exists('/x'), exists('/d'), is_dir('/d'), is_dir('/a'), is_dir('/x')])}"), want: "ask [True, False, True, True, False, False]"},
		{name: "reads too much", source: def("return read_file('/huge', default='')"), want: failed + "/huge: File too large"},
		{name: "reads much more", source: def("return read_file('/unruly', default='')"), want: failed + "/unruly: File too large"},
		{name: "reads what is broken", source: def("return read_file('/broken', default='')"), want: failed + "/broken: Input/output error"},
		{name: "odd names", source: def("return {'ask': ' '.join([read_file('/odd/' + n) for n in list_dir('/odd')])}"), want: "ask two three four one"},
		{name: "lists", source: def("return {'ask': ','.join(list_dir('/d'))}"), want: "ask x,y"},
		{name: "lists no directory", source: def("return {'ask': ','.join(list_dir('/a', default=['-']))}"), want: "ask -"},
		{name: "lists no directory, without default", source: def("list_dir('/a')"), want: failed + "line 2: /a: Not a directory"},
		{name: "reads without end", source: def("\n  while True:\n    exists('/a')"), want: failed + "read too much"},
		{name: "json", source: def("return {'ask': json.decode(read_file('/json'))['deny'][1] + json.encode([1, None])}"), want: "ask dd[1,null]"},
		{name: "no json", source: def("return {'ask': json.decode(read_file('/a'), default='?')}"), want: "ask ?"},
		{name: "deep json", source: def("json.decode(read_file('/nested'), default=None)"), want: failed + "line 2: json.decode: nested deeper than 500"},
		{name: "re", source: def(`return {'ask': re.search(r'(c)(x)?(u..)', read_file('/a'))[3]}`), want: "ask url"},
		{name: "no match", source: def("return re.search('x+', 'abc') and 'deny'"), want: "none"},
		{name: "bad pattern", source: def("re.search('(', '')"), want: failed + "line 2: re.search: error parsing regexp: missing closing ): `(`"},
		{name: "quadratic pattern", source: def("return re.search('(a+)+b', read_file('/big')) and 'deny'"), want: "none"},
		{name: "print", source: def("print('x' * 1000)\n  return None"), want: "none"},
		{name: "input", input: map[string]any{"n": 1 << 60, "f": 1.5, "z": nil, "t": true, "l": []int{1}}, source: def("return {'ask': str(ctx)}"),
			want: `ask {"f": 1.5, "l": [1], "n": 1152921504606846976, "t": True, "z": None}`},
		{name: "nothing of the host", source: def("return {'ask': str(dir())}"), want: failed + "..."},
	})
}

// What the guarded operators make is what they make without guards.
func TestStarlarkGuardsKeepMeaning(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"x = 'a' + 'b' * 3 + '%s-%d' % ('c', 4)", "abbbc-4"},
		{"x = 1 + 2 * 3 % 4", "3"},
		{"x = [1]\n  y = x\n  x += [2]\n  x += (3,)\n  x = (x, y)", "([1, 2, 3], [1, 2, 3])"},
		{"x = [1]\n  y = x\n  x = x + [2]\n  x = (x, y)", "([1, 2], [1])"},
		{"x = [1, 'a']\n  x[0] += 4\n  x[-1] *= 2\n  (x[0]) += 1", "[6, \"aa\"]"},
		{"x = {'a': [1]}\n  x['a'] += [2]\n  x['a'] += x['a']", `{"a": [1, 2, 1, 2]}`},
		{"x = [2] * 2 + 2 * [3]\n  x.extend([4])\n  x.extend(x)", "[2, 2, 3, 3, 4, 2, 2, 3, 3, 4]"},
		{"x = '{}-{a}'.format(1, a='b') + 'aXbX'.replace('X', 'yy') + 'aXbX'.replace('X', '', 1)", "1-bayybyyabX"},
		{"x = ','.join([str(i * 2) for i in range(3) if i % 2 == 0])", "0,4"},
		{"x = ','.join('abc'.elems())", "a,b,c"},
		{"f = 'a-b'.replace\n  x = f('-', '+')", "a+b"},
		{"x = getattr('a-b', 'replace')('-', '+') + getattr('', 'nothing', 'd')", "a+bd"},
		{"x = (lambda a, b=1 + 1: a + b)(1) + (5 if 1 + 1 == 2 else 0)", "8"},
		{"def f(*a, **k):\n    return len(a) + len(k)\n  x = f(*[1, 2], **{'z': 1 + 1})", "3"},
		{"x = {'k' + 'k': 1 + 1}\n  x |= {'z': 1}", `{"kk": 2, "z": 1}`},
		{"x = 'abcdef'[1 + 1:2 * 2]", "cd"},
		{"x = -(1 + 1) // 2 - 3", "-4"},
		{"x = [a + b for a, b in [(1, 2)]] + list(reversed([1, 2]))", "[3, 2, 1]"},
		{"x = 0\n  for i, c in enumerate('abc'.elems()):\n    x += i * 10", "30"},
		{"x = repr(b'a' * 2)", `b"aa"`},
		{"x = '%(a)s%(a)s' % {'a': 'z'}", "zz"},
		{"x = 'a' * 0 + 'b' * -1 + '' * 1000000000000", ""},
	} {
		s := load(t, "starlark", def(tt.body+"\n  return {'ask': 'got ' + (x if type(x) == 'string' else str(x))}"), Options{})
		if got, want := shown(s.Call(context.Background(), PreCommand, input("x"), workspace)), strings.TrimSpace("ask got "+tt.want); got != want {
			t.Errorf("%s\n got %q, want %q", tt.body, got, want)
		}
	}
}

// Whatever a script asks for, the server lives and the memory is bounded.
func TestStarlarkBombs(t *testing.T) {
	ends(t)
	for _, body := range []string{
		"x = 'x' * 1000000000",
		"x = 1000000000 * 'x'",
		"x = 'x' * (1 << 200)",
		"x = [0] * 1000000000",
		"x = (0,) * 100000000",
		"x = [None]\n  x *= 1 << 30",
		"x = [['a']]\n  x[0] *= 1 << 30",
		"x = list(range(1 << 40))",
		"x = 'x'\n  while True:\n    x += x",
		"x = 'x'\n  while True:\n    x = x + x",
		"x = ['x']\n  while True:\n    x[0] += x[0]",
		"x = {1: 'x'}\n  while True:\n    x[1] += x[1]",
		"x = [1]\n  while True:\n    x += x",
		"x = [1]\n  while True:\n    x.extend(x)",
		"x = [1]\n  while True:\n    x = x + x",
		"x = 'ab'\n  while True:\n    x = '%s%s' % (x, x)",
		"x = {'a': 'ab'}\n  while True:\n    x['a'] = '%(a)s%(a)s' % x",
		"x = 'ab'\n  while True:\n    x = '{0}{0}'.format(x)",
		"x = 'ab'\n  while True:\n    x = x.replace('a', x)",
		"x = 'ab'\n  f = getattr\n  while True:\n    x = f(x, 'replace')('', x)",
		"x = 'ab'\n  while True:\n    x = x.join([x, x])",
		"x = 3\n  while True:\n    x *= x",
		"x = [1]\n  for i in range(100):\n    x = [x, x]\n  str(x)",
		"x = [1]\n  for i in range(100):\n    x = [x, x]\n  json.encode(x)",
		"x = [1]\n  for i in range(100):\n    x = [x, x]\n  fail(x)",
		"x = [1]\n  for i in range(100000):\n    x = [x]\n  repr(x)",
		"x = [1]\n  for i in range(100):\n    x = [x, x]\n  print(x)\n  '%s' % x",
		"x = []\n  x.append(x)\n  x.append(x)\n  str(x)",
		"x = []\n  for i in range(1000000):\n    x.append({i: [i] * 100})",
		"x = []\n  while True:\n    x.append(read_file('/big'))",
		"while True:\n    pass",
	} {
		s := load(t, "starlark", def(body), Options{})
		a := s.Call(context.Background(), PreCommand, input("x"), workspace)
		if a.Kind != Deny {
			t.Errorf("%s\n got %q", body, shown(a))
		}
		t.Logf("%q: %s", body, a.Reason)
		s.Close()
	}
}

// Nothing is kept from one call to the next.
func TestStarlarkState(t *testing.T) {
	s := load(t, "starlark", "n = []\n"+def("n.append(1)\n  return {'ask': str(len(n))}"), Options{})
	for range 2 {
		if got := shown(s.Call(context.Background(), PreCommand, input("x"), workspace)); got != "ask 1" {
			t.Errorf("got %q", got)
		}
	}
}

func TestStarlarkTimeout(t *testing.T) {
	ends(t)
	s := load(t, "starlark", def("\n  while True:\n    pass"), Options{Timeout: time.Millisecond})
	if got := shown(s.Call(context.Background(), PreCommand, input("x"), workspace)); got != "deny profile 'p' policy timed out after 1ms" {
		t.Errorf("got %q", got)
	}
	s = load(t, "starlark", "while True:\n  pass\n"+def("return None"), Options{Timeout: time.Millisecond})
	if !s.Defines(PreCommand) || !s.Defines(PreSession) {
		t.Error("a script that does not end is not asked")
	}
}
