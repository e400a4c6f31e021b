package jq

import (
	"strings"

	"github.com/itchyny/gojq"
)

// preludeSource defines the builtins that are best said in the language
// itself. Each is compiled when a program first calls it.
const preludeSource = `
def add(f): reduce f as $x (null; . + $x);
def all(f): isempty(.[] | f and empty);
def all: isempty(.[] and empty);
def all(g; f): isempty(g | f and empty);
def any(f): isempty(.[] | f or empty) | not;
def any: isempty(.[] or empty) | not;
def any(g; f): isempty(g | f or empty) | not;
def arrays: select(type == "array");
def booleans: select(type == "boolean");
def iterables: select(type == "array" or type == "object");
def nulls: select(. == null);
def numbers: select(type == "number");
def objects: select(type == "object");
def scalars: select(type != "array" and type != "object");
def strings: select(type == "string");
def values: select(. != null);
def normals: select(isnormal);
def finites: select(isfinite);
def isfinite: type == "number" and (isinfinite | not);
def isvalid(f): try (f | true) catch false;
def capture($re): match($re) | _captures;
def capture($re; $flags): match($re; $flags) | _captures;
def match($re): _match($re; null; false)[];
def match($re; $flags): _match($re; $flags; false)[];
def test($re): _match($re; null; true);
def test($re; $flags): _match($re; $flags; true);
def scan($re): scan($re; null);
def scan($re; $flags): match($re; "g" + $flags) | if (.captures | length) > 0 then [.captures[].string] else .string end;
def split($re; $flags): _split($re; $flags);
def splits($re): splits($re; null);
def splits($re; $flags): _split($re; $flags)[];
def sub($re; f): sub($re; f; "");
def sub($re; f; $flags): . as $text | [match($re; $flags)] as $found |
  if $found == [] then $text else _sub($text; $found; [$found[] | [_captures | f]])[] end;
def gsub($re; f): sub($re; f; "g");
def gsub($re; f; $flags): sub($re; f; $flags + "g");
def ascii: [.] | implode;
def combinations: if length == 0 then [] else .[0][] as $head | (.[1:] | combinations) as $tail | [$head] + $tail end;
def combinations(n): . as $set | [range(n) | $set] | combinations;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def todateiso8601: todate;
def fromdate: fromdateiso8601;
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def debug(f): (f | debug | empty), .;
def from_entries: reduce .[] as $e ({}; . + {($e | _entry_key): ($e | _entry_value)});
def with_entries(f): to_entries | map(f) | from_entries;
def fromstream(f): foreach f as $e ([false, null];
    (if .[0] then [false, null] else . end) |
    if ($e | length) == 2 then
      if $e[0] == [] then [true, $e[1]] else [false, (.[1] | setpath($e[0]; $e[1]))] end
    else [($e[0] | length) == 1, .[1]] end;
  if .[0] then .[1] else empty end);
def tostream: _tostream[];
def truncate_stream(f): . as $depth | null | f | select((.[0] | length) > $depth) | .[0] = .[0][$depth:];
def halt_error: halt_error(5);
def in(f): . as $key | f | has($key);
def inside(f): . as $part | f | contains($part);
def index($s): indices($s) | .[0];
def rindex($s): indices($s) | .[-1:][0];
def inputs: _inputs;
def last: .[-1];
def first: .[0];
def nth($n): .[$n];
def nth($n; f): if $n < 0 then error("nth doesn't support negative indices") else first(skip($n; f)) end;
def map_values(f): .[] |= f;
def del(f): delpaths([path(f)]);
def leaf_paths: paths(scalars);
def paths: path(..) | select(length > 0);
def paths(f): . as $top | paths | select(. as $p | $top | getpath($p) | f);
def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));
def recurse(f; cond): recurse(f | select(cond));
def walk(f): def visit: if type == "object" then .[] |= visit elif type == "array" then map(visit) else . end | f; visit;
def env: $ENV;
def group_by(f): _group_by(map([f]));
def max_by(f): _max_by(map([f]));
def min_by(f): _min_by(map([f]));
def sort_by(f): _sort_by(map([f]));
def unique_by(f): _unique_by(map([f]));
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def INDEX(f): INDEX(.[]; f);
def INDEX(src; f): reduce src as $row ({}; .[$row | f | tostring] = $row);
def JOIN($index; f): [.[] | [., $index[f]]];
def JOIN($index; src; f): src | [., $index[f]];
def JOIN($index; src; f; g): src | [., $index[f]] | g;
`

// preludeDefs parses the prelude: by name and number of parameters.
func preludeDefs() map[string]*gojq.FuncDef {
	tree, err := gojq.Parse(preludeSource + ".")
	if err != nil {
		panic(err) // a test parses it
	}
	defs := make(map[string]*gojq.FuncDef, len(tree.FuncDefs))
	for _, d := range tree.FuncDefs {
		defs[nameOf(d.Name, len(d.Args))] = d
	}
	return defs
}

func nameOf(name string, args int) string { return name + "/" + formatNumber(float64(args)) }

// preludeHas looks whether the prelude defines a name, without parsing it.
func preludeHas(name string) bool {
	plain, _, _ := strings.Cut(name, "/")
	return strings.Contains(preludeSource, "\ndef "+plain+":") || strings.Contains(preludeSource, "\ndef "+plain+"(")
}

// preludeCall compiles the call of a builtin of the prelude.
func (c *compiler) preludeCall(name string, f *gojq.Func) (e expr, ok bool, err error) {
	if !preludeHas(name) {
		return expr{}, false, nil
	}
	if c.defs == nil {
		c.defs = preludeDefs()
	}
	d, ok := c.defs[name]
	if !ok {
		return expr{}, false, nil
	}
	s, ok := c.prelude[name]
	if !ok {
		if s, err = c.preludeFunction(name, d); err != nil {
			return expr{}, false, err
		}
	}
	e, err = c.callFunction(s, f)
	return e, true, err
}

// preludeFunction compiles one definition, outside of all that the program
// defines.
func (c *compiler) preludeFunction(name string, d *gojq.FuncDef) (*scope, error) {
	m := c.mark()
	defer c.release(m)
	c.scope, c.depth = nil, 0
	fn := &function{}
	for _, a := range d.Args {
		fn.params = append(fn.params, strings.HasPrefix(a, "$"))
	}
	s := &scope{name: name, fn: fn}
	c.scope = s
	c.prelude[name] = s
	return s, c.body(d, fn, s)
}
