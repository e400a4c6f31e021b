// Package doc reads decoded YAML or JSON documents strictly: every key is
// expected or refused, and an error names the place in the document.
package doc

import (
	"fmt"
	"slices"
	"strings"
)

// Node is a place in a document: a decoded value (map[string]any, []any,
// string, bool, int, float64, nil) and the path that leads to it.
type Node struct {
	Path  string // "mounts./data.mode"; "" for the root
	Value any
}

// Errorf is an error at the node's place.
func (n Node) Errorf(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if n.Path == "" {
		return fmt.Errorf("%s", text)
	}
	return fmt.Errorf("%s: %s", n.Path, text)
}

// Unsupported is the error for something that is known but not enforced yet.
func (n Node) Unsupported() error { return fmt.Errorf("not supported yet: %s", n.Path) }

// Empty reports whether the node says nothing: absent, null, or an empty list
// or mapping.
func (n Node) Empty() bool {
	switch v := n.Value.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// At is the node of a key, whether the mapping has it or not.
func (n Node) At(key string) Node {
	path := key
	if n.Path != "" {
		path = n.Path + "." + key
	}
	m, _ := n.Value.(map[string]any)
	return Node{Path: path, Value: m[key]}
}

// Has reports whether the node is a mapping that has the key, even as null.
func (n Node) Has(key string) bool {
	m, _ := n.Value.(map[string]any)
	_, ok := m[key]
	return ok
}

// Map checks that the node is a mapping whose keys are all known; no known
// keys means that any key will do.
func (n Node) Map(known ...string) error {
	m, ok := n.Value.(map[string]any)
	if !ok {
		return n.Errorf("must be a mapping, got %s", Kind(n.Value))
	}
	if len(known) == 0 {
		return nil
	}
	for _, key := range sortedKeys(m) {
		if !slices.Contains(known, key) {
			return n.Errorf("unknown key '%s'", key)
		}
	}
	return nil
}

// Keys answers the keys of a mapping, sorted; none for anything else.
func (n Node) Keys() []string {
	m, _ := n.Value.(map[string]any)
	return sortedKeys(m)
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// List answers the items of a list.
func (n Node) List() ([]Node, error) {
	items, ok := n.Value.([]any)
	if !ok {
		return nil, n.Errorf("must be a list, got %s", Kind(n.Value))
	}
	nodes := make([]Node, len(items))
	for i, v := range items {
		nodes[i] = Node{Path: fmt.Sprintf("%s[%d]", n.Path, i), Value: v}
	}
	return nodes, nil
}

// String answers the node's text.
func (n Node) String() (string, error) {
	s, ok := n.Value.(string)
	if !ok {
		return "", n.Errorf("must be a string, got %s", Kind(n.Value))
	}
	if strings.Contains(s, "\x00") {
		return "", n.Errorf("must not hold a NUL byte")
	}
	return s, nil
}

// Kind names the type of a decoded value for messages.
func Kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case int, int64, uint64, float64:
		return "number"
	case []any:
		return "list"
	case map[string]any:
		return "mapping"
	}
	return fmt.Sprintf("%T", v)
}
