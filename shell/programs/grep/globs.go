package grep

import (
	"strings"

	"mirage/shell/pattern"
)

// globs are the file patterns of --include, --exclude and --exclude-dir.
type globs struct {
	files []glob
	dirs  []string
}

type glob struct {
	pattern string
	include bool
}

func (g *globs) addFile(pattern string, include bool) {
	g.files = append(g.files, glob{pattern, include})
}

func (g *globs) addDir(pattern string) {
	for len(pattern) > 1 && strings.HasSuffix(pattern, "/") {
		pattern = pattern[:len(pattern)-1]
	}
	g.dirs = append(g.dirs, pattern)
}

// skipFile decides on a file: the last pattern that matches counts; without
// any, the file is out if the first option was --include. An operand matches
// by its name or by a trailing part of it, a file found by its base name.
func (g *globs) skipFile(name string, operand bool) bool {
	if len(g.files) == 0 {
		return false
	}
	skip := g.files[0].include
	for _, f := range g.files {
		if matchName(f.pattern, name, operand) {
			skip = !f.include
		}
	}
	return skip
}

// skipDir decides on a directory.
func (g *globs) skipDir(name string, operand bool) bool {
	if operand {
		for len(name) > 1 && strings.HasSuffix(name, "/") {
			name = name[:len(name)-1]
		}
	}
	for _, p := range g.dirs {
		if matchName(p, name, operand) {
			return true
		}
	}
	return false
}

func matchName(glob, name string, suffixes bool) bool {
	if pattern.Match(glob, name, 0) {
		return true
	}
	if !suffixes {
		return false
	}
	for i := 0; i+1 < len(name); i++ {
		if name[i] == '/' && name[i+1] != '/' && pattern.Match(glob, name[i+1:], 0) {
			return true
		}
	}
	return false
}
