package doc

import (
	"fmt"
	"testing"
)

func TestNode(t *testing.T) {
	root := Node{Value: map[string]any{
		"s": "text", "n": 1, "nul": "a\x00b", "null": nil, "list": []any{"x", 2.5},
		"map": map[string]any{"b": true, "a": []any{}},
	}}
	tests := []struct {
		what      string
		got, want any
	}{
		{"string", second(root.At("s").String()), nil},
		{"not a string", second(root.At("n").String()), "n: must be a string, got number"},
		{"NUL", second(root.At("nul").String()), "nul: must not hold a NUL byte"},
		{"missing", second(root.At("x").String()), "x: must be a string, got null"},
		{"nested", second(root.At("map").At("b").String()), "map.b: must be a string, got boolean"},
		{"keys", root.At("map").Keys(), "[a b]"},
		{"keys of no map", root.At("s").Keys(), "[]"},
		{"known", root.At("map").Map("a", "b"), nil},
		{"unknown", root.At("map").Map("a"), "map: unknown key 'b'"},
		{"any", root.At("map").Map(), nil},
		{"no map", root.At("list").Map("a"), "list: must be a mapping, got list"},
		{"no list", second(root.At("map").List()), "map: must be a list, got mapping"},
		{"has", fmt.Sprint(root.Has("null"), root.Has("x"), root.At("s").Has("x")), "true false false"},
		{"empty", fmt.Sprint(root.At("null").Empty(), root.At("map").At("a").Empty(), root.At("s").Empty()), "true true false"},
		{"at the root", root.Errorf("wrong"), "wrong"},
		{"unsupported", root.At("map").At("a").Unsupported(), "not supported yet: map.a"},
	}
	for _, test := range tests {
		if fmt.Sprint(test.got) != fmt.Sprint(test.want) {
			t.Errorf("%s: got %v, want %v", test.what, test.got, test.want)
		}
	}
	items, err := root.At("list").List()
	if err != nil || len(items) != 2 || items[1].Path != "list[1]" || Kind(items[1].Value) != "number" {
		t.Errorf("items %v, %v", items, err)
	}
}

func second[T any](_ T, err error) error { return err }
