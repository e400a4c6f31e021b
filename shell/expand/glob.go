package expand

import (
	"context"
	"io/fs"
	"slices"
	"sort"
	"strings"

	"mirage/shell/pattern"
	"mirage/vfs"
)

// Glob answers the paths that match a pattern, sorted; nil when none does.
// Relative ones are looked up in the working directory.
func (x *Expander) Glob(ctx context.Context, text string) ([]string, error) {
	g := Globber{
		View: x.View, Dir: x.Dir, Options: *x.Options, UTF8: x.Vars.UTF8(),
		Ignore: x.Vars.Get("GLOBIGNORE"), Limit: x.memory(), compile: x.compiled,
	}
	return g.Glob(ctx, text)
}

// Globber matches patterns against the names in a tree.
type Globber struct {
	View    *vfs.View
	Dir     string // absolute; of relative patterns
	Options Options
	UTF8    bool   // characters are those of UTF-8, else bytes
	Ignore  string // GLOBIGNORE
	Limit   int64  // of the bytes of all paths found; vars.ErrMemory beyond

	compile func(text string, f pattern.Flags) *pattern.Pattern // nil = pattern.Compile
}

// Glob answers the paths that match a pattern, sorted; nil when none does. A
// relative pattern finds relative paths.
func (o Globber) Glob(ctx context.Context, text string) ([]string, error) {
	g := globber{Globber: o, ctx: ctx, flags: o.Options.patternFlags(o.UTF8)}
	if g.compile == nil {
		g.compile = pattern.Compile
	}
	if g.Options.NoCaseGlob {
		g.flags |= pattern.FoldCase
	}
	rest := strings.TrimLeft(text, "/")
	if err := g.walk(text[:len(text)-len(rest)], rest, false); err != nil {
		return nil, err
	}
	out := g.out
	if g.Ignore != "" {
		var err error
		if out, err = g.filter(out); err != nil {
			return nil, err
		}
	}
	sort.Strings(out)
	return out, nil
}

// globber walks the tree for one pattern.
type globber struct {
	Globber
	ctx   context.Context
	flags pattern.Flags
	out   []string
	size  int64
}

func (g *globber) add(path string) error {
	g.size += int64(len(path)) + 16
	if g.size > g.Limit {
		return errMemory()
	}
	g.out = append(g.out, path)
	return nil
}

// absolute answers the name that the view takes.
func (g *globber) absolute(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return strings.TrimSuffix(g.Dir, "/") + "/" + path
}

// maxGlobPath is longer than any path that can be opened (PATH_MAX).
const maxGlobPath = 4096

// walk matches the pattern rest below prefix, which is empty or ends with a
// slash. found says that a part of prefix was itself matched by a pattern.
func (g *globber) walk(prefix, rest string, found bool) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	if len(prefix) > maxGlobPath {
		return nil
	}
	if rest == "" {
		return g.directory(prefix, prefix)
	}
	part, tail, slashes := cutComponent(rest)
	if part == "**" && g.Options.GlobStar {
		return g.globstar(prefix, tail, slashes, found)
	}
	if !pattern.Special(part, g.flags) {
		name := prefix + unescape(part)
		if tail != "" || slashes != "" {
			return g.walk(name+slashes, tail, found)
		}
		if _, err := g.View.Lstat(g.ctx, g.absolute(name)); err != nil {
			return g.ctx.Err()
		}
		return g.add(name)
	}
	entries, err := g.list(prefix)
	if err != nil {
		return err
	}
	flags := g.flags
	if !g.Options.DotGlob && g.Ignore == "" {
		flags |= pattern.Period
	}
	p := g.compile(part, flags)
	if !g.Options.GlobSkipDots {
		entries = append(slices.Clone(entries), vfs.Info{Name: ".", Mode: fs.ModeDir}, vfs.Info{Name: "..", Mode: fs.ModeDir})
	}
	for i := range entries {
		e := &entries[i]
		ok, err := p.Match(g.ctx, e.Name)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if slashes == "" {
			if err := g.add(prefix + e.Name); err != nil {
				return err
			}
			continue
		}
		if !e.IsDir() && !e.IsLink() {
			continue
		}
		if err := g.walk(prefix+e.Name+slashes, tail, true); err != nil {
			return err
		}
	}
	return nil
}

// list reads a directory; one that cannot be read has no entries.
func (g *globber) list(prefix string) ([]vfs.Info, error) {
	dir := prefix
	if dir == "" {
		dir = "."
	}
	entries, err := g.View.ReadNames(g.ctx, g.absolute(dir))
	if err != nil {
		return nil, g.ctx.Err()
	}
	return entries, nil
}

// directory adds a path that ends with a slash, as it is to be shown, if it
// leads to a directory.
func (g *globber) directory(path, shown string) error {
	if path == "" {
		return nil
	}
	info, err := g.View.Stat(g.ctx, g.absolute(path))
	if err != nil || !info.IsDir() {
		return g.ctx.Err()
	}
	return g.add(shown)
}

// globstar matches ** below prefix: every directory when more follows, else
// every file too. Links are not followed.
func (g *globber) globstar(prefix, tail, slashes string, found bool) error {
	for strings.HasPrefix(tail, "**/") {
		tail = tail[3:] // a run of ** is one
	}
	if slashes != "" && tail == "**" {
		return g.globstar(prefix, "", "", found)
	}
	if slashes != "" {
		if prefix != "" || tail != "" {
			if err := g.walk(prefix, tail, found); err != nil {
				return err
			}
		}
	} else if prefix != "" {
		// bash shows a directory that a pattern found without its slash.
		shown := prefix
		if found {
			shown = strings.TrimRight(prefix, "/")
		}
		if err := g.directory(prefix, shown); err != nil {
			return err
		}
	}
	return g.descend(prefix, tail, slashes, 0)
}

// maxGlobDepth bounds the directories that ** goes down.
const maxGlobDepth = 1000

func (g *globber) descend(prefix, tail, slashes string, depth int) error {
	if depth > maxGlobDepth {
		return nil
	}
	entries, err := g.list(prefix)
	if err != nil {
		return err
	}
	for i := range entries {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		e := &entries[i]
		if e.Name[0] == '.' && !g.Options.DotGlob {
			continue
		}
		path := prefix + e.Name
		if slashes == "" {
			if err := g.add(path); err != nil {
				return err
			}
		}
		if !e.IsDir() {
			continue
		}
		if slashes != "" {
			if err := g.walk(path+slashes, tail, true); err != nil {
				return err
			}
		}
		if err := g.descend(path+"/", tail, slashes, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// filter removes what GLOBIGNORE names.
func (g *globber) filter(paths []string) ([]string, error) {
	var ps []*pattern.Pattern
	for _, s := range splitIgnore(g.Ignore) {
		ps = append(ps, g.compile(s, g.flags))
	}
	var out []string
next:
	for _, path := range paths {
		for _, p := range ps {
			ok, err := p.Match(g.ctx, path)
			if err != nil {
				return nil, err
			}
			if ok {
				continue next
			}
		}
		out = append(out, path)
	}
	return out, nil
}

// splitIgnore splits a list of patterns at colons that are not quoted and not
// in brackets.
func splitIgnore(s string) []string {
	var out []string
	start, bracket := 0, false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			bracket = true
		case ']':
			bracket = false
		case ':':
			if !bracket {
				out = append(out, s[start:i])
				start = i + 1
			}
		}
	}
	return append(out, s[start:])
}

// cutComponent cuts the first component off a pattern, with the slashes after
// it. A slash ends it wherever it stands.
func cutComponent(s string) (part, tail, slashes string) {
	i := strings.IndexByte(s, '/')
	if i < 0 {
		return s, "", ""
	}
	j := i
	for j < len(s) && s[j] == '/' {
		j++
	}
	part = s[:i]
	if strings.HasSuffix(part, "\\") && !strings.HasSuffix(part, "\\\\") {
		part = part[:len(part)-1] // an escaped slash is a slash
	}
	return part, s[j:], s[i:j]
}

// unescape removes the backslashes of a pattern without special characters.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}
