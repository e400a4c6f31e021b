package vfs

import (
	"strings"
	"syscall"
)

// Limits of names, as limits(7) of Linux has them.
const (
	maxPath  = 4096 // PATH_MAX, the terminating NUL included
	maxName  = 255  // NAME_MAX
	maxLinks = 40   // links followed in one name, path_resolution(7)
)

// lastPart classifies the last component of a name.
type lastPart int

const (
	lastName   lastPart = iota
	lastDot             // "."
	lastDotDot          // ".."
	lastRoot            // the name is "/"
)

// checkName refuses names that no path resolution accepts.
func checkName(name string) error {
	switch {
	case name == "":
		return syscall.ENOENT
	case len(name) >= maxPath:
		return syscall.ENAMETOOLONG
	case name[0] != '/':
		return syscall.EINVAL // names of a View are absolute
	}
	if strings.IndexByte(name, 0) >= 0 {
		return syscall.EINVAL
	}
	return nil
}

// overlong answers where the directory of the first component above NAME_MAX
// ends, -1 when there is none.
func overlong(path string) int {
	if len(path) <= maxName {
		return -1
	}
	start := 0
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if i-start > maxName+1 {
			return start
		}
		start = i
	}
	return -1
}

// classify looks at the end of a name.
func classify(name string) (last lastPart, slash bool) {
	trimmed := strings.TrimRight(name, "/")
	switch _, base, _ := cutLast(trimmed); {
	case trimmed == "":
		return lastRoot, false
	case base == ".":
		return lastDot, false
	case base == "..":
		return lastDotDot, false
	}
	return lastName, len(trimmed) < len(name)
}

// cutLast splits a path at its last slash: the directory ("" for the root)
// and the base name.
func cutLast(path string) (dir, base string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// parentOf answers the directory of an absolute clean path; "/" is its own.
func parentOf(path string) string {
	if dir, _, _ := cutLast(path); dir != "" {
		return dir
	}
	return "/"
}

// join appends an absolute run of components to a directory.
func join(dir, run string) string {
	switch {
	case run == "":
		return dir
	case dir == "/":
		return run
	}
	return dir + run
}

// run takes components off name up to and including the first "..": clean is
// what comes before it, each component led by a slash, up whether there was a
// "..", rest what follows it. dir reports, at the end of the name, a trailing
// slash or "." that demands a directory.
func run(name string) (clean string, up bool, rest string, dir bool) {
	if isClean(name) {
		return name, false, "", false
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		if name[i] == '/' {
			i++
			continue
		}
		end := i + 1
		for end < len(name) && name[end] != '/' {
			end++
		}
		switch part := name[i:end]; part {
		case ".":
		case "..":
			return b.String(), true, name[end:], false
		default:
			b.WriteByte('/')
			b.WriteString(part)
		}
		i = end
	}
	dir = name == "" || name[len(name)-1] == '/' || name == "." || strings.HasSuffix(name, "/.")
	return b.String(), false, "", dir
}

// isClean reports whether an absolute name has no empty, "." and ".."
// components, so that it can be used as it is.
func isClean(name string) bool {
	if len(name) < 2 || name[0] != '/' {
		return false
	}
	start := 1
	for i := 1; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		switch i - start {
		case 0:
			return false
		case 1:
			if name[start] == '.' {
				return false
			}
		case 2:
			if name[start] == '.' && name[start+1] == '.' {
				return false
			}
		}
		start = i + 1
	}
	return true
}
