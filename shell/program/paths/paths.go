// Package paths takes paths apart as GNU programs do. It works on the text
// alone; nothing is resolved.
package paths

import "strings"

// Base is the last name of a path, without trailing slashes; "/" for a path of
// slashes only.
func Base(path string) string {
	trimmed := strings.TrimRight(path, "/")
	if trimmed == "" && path != "" {
		return "/"
	}
	return trimmed[strings.LastIndexByte(trimmed, '/')+1:]
}

// Dir is the path without its last name, as dirname(1) prints it.
func Dir(path string) string {
	trimmed := strings.TrimRight(path, "/")
	i := strings.LastIndexByte(trimmed, '/')
	if i < 0 {
		if trimmed == "" && path != "" {
			return "/"
		}
		return "."
	}
	if parent := strings.TrimRight(trimmed[:i], "/"); parent != "" {
		return parent
	}
	return "/"
}

// Join puts one slash between a directory and a name; the directory otherwise
// stays as it was given.
func Join(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// Below tells whether path is dir or below it, both canonical.
func Below(dir, path string) bool {
	return dir == "/" || path == dir || strings.HasPrefix(path, dir+"/")
}

// Relative leads from a directory to a path, both canonical.
func Relative(from, to string) string {
	a, b := split(from), split(to)
	common := 0
	for common < len(a) && common < len(b) && a[common] == b[common] {
		common++
	}
	var parts []string
	for range a[common:] {
		parts = append(parts, "..")
	}
	parts = append(parts, b[common:]...)
	if len(parts) == 0 {
		return "."
	}
	return strings.Join(parts, "/")
}

func split(path string) []string {
	if path = strings.Trim(path, "/"); path == "" {
		return nil
	}
	return strings.Split(path, "/")
}
