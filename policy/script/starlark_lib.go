package script

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"

	starjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// starlarkNames is what a script finds beside Starlark's own names, some of
// which are replaced by bounded ones.
var starlarkNames = func() starlark.StringDict {
	names := starlark.StringDict{}
	add := func(name string, fn builtin) { names[name] = starlark.NewBuiltin(name, fn) }
	add("read_file", starReadFile)
	add("exists", starExists)
	add("is_dir", starIsDir)
	add("list_dir", starListDir)
	add("print", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		return starlark.None, nil
	})
	for _, name := range []string{"str", "repr", "fail", "bytes"} {
		add(name, guardText(starlark.Universe[name].(*starlark.Builtin)))
	}
	add("range", guardRange)
	add("getattr", guardGetattr)
	names["json"] = &starlarkstruct.Module{Name: "json", Members: starlark.StringDict{
		"encode": starlark.NewBuiltin("json.encode", guardText(starjson.Module.Members["encode"].(*starlark.Builtin))),
		"decode": starlark.NewBuiltin("json.decode", starDecode),
	}}
	names["re"] = &starlarkstruct.Module{Name: "re", Members: starlark.StringDict{
		"search": starlark.NewBuiltin("re.search", starSearch),
	}}
	for name, fn := range guards() {
		add(name, fn)
	}
	return names
}()

// starReadFile is read_file(path, default=...): the bytes of a file as a
// string; the default, when one is given, if it cannot be read.
func starReadFile(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var path string
	var otherwise starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "path", &path, "default?", &otherwise); err != nil {
		return nil, err
	}
	m := meterOf(t)
	data, err := m.files.readFile(path)
	switch {
	case err == nil:
		return starlark.String(data), nil
	case otherwise != nil && !m.stops(err):
		return otherwise, nil
	}
	return nil, m.note(fileError(path, err))
}

func starExists(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return starStat(t, b, args, kwargs, func(bool) bool { return true })
}

func starIsDir(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return starStat(t, b, args, kwargs, func(dir bool) bool { return dir })
}

func starStat(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple, is func(dir bool) bool) (starlark.Value, error) {
	var path string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "path", &path); err != nil {
		return nil, err
	}
	m := meterOf(t)
	_, dir, err := m.files.stat(path)
	if err != nil && m.stops(err) {
		return nil, m.note(err)
	}
	return starlark.Bool(err == nil && is(dir)), nil
}

// starListDir is list_dir(path, default=...): the sorted names in a directory.
func starListDir(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var path string
	var otherwise starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "path", &path, "default?", &otherwise); err != nil {
		return nil, err
	}
	m := meterOf(t)
	names, err := m.files.readDir(path)
	if err != nil {
		if otherwise != nil && !m.stops(err) {
			return otherwise, nil
		}
		return nil, m.note(fileError(path, err))
	}
	list := make([]starlark.Value, len(names))
	for i, n := range names {
		list[i] = starlark.String(n)
	}
	return starlark.NewList(list), nil
}

// starDecode is json.decode(text, default=...), for texts that are not nested
// deeper than maxDepth.
func starDecode(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var text string
	var otherwise starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &text, "default?", &otherwise); err != nil {
		return nil, err
	}
	if jsonDepth(text) > maxDepth {
		return nil, fmt.Errorf("json.decode: nested deeper than %d", maxDepth)
	}
	return starjson.Module.Members["decode"].(*starlark.Builtin).CallInternal(t, args, kwargs)
}

// jsonDepth answers how deep a JSON text is nested, or more for what is none.
func jsonDepth(s string) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}

// starSearch is re.search(pattern, text): the groups of the leftmost match of an
// RE2 pattern, the whole match first, or None. It takes time linear in the text.
func starSearch(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var pattern, text string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "pattern", &pattern, "text", &text); err != nil {
		return nil, err
	}
	re, err := meterOf(t).pattern(pattern)
	if err != nil {
		return nil, err
	}
	at := re.FindStringSubmatchIndex(text)
	if at == nil {
		return starlark.None, nil
	}
	groups := make(starlark.Tuple, len(at)/2)
	for i := range groups {
		groups[i] = starlark.None
		if at[2*i] >= 0 {
			groups[i] = starlark.String(text[at[2*i]:at[2*i+1]])
		}
	}
	return groups, nil
}

// pattern compiles a pattern once.
func (m *meter) pattern(text string) (*regexp.Regexp, error) {
	if re := m.patterns[text]; re != nil {
		return re, nil
	}
	if len(text) > maxPattern {
		return nil, errors.New("re.search: the pattern is too long")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("re.search: %w", err)
	}
	if m.patterns == nil || len(m.patterns) >= 100 {
		m.patterns = map[string]*regexp.Regexp{}
	}
	m.patterns[text] = re
	return re, nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return slices.Clip(keys)
}
