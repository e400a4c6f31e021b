package workspace

import (
	"context"
	"path"
	"slices"
	"strings"
	"syscall"

	"mirage/vfs"
)

// maxGlob bounds the paths that Glob answers.
const maxGlob = 50_000

// Glob answers every path that the session sees and that matches, sorted. A
// relative pattern starts at the working directory. A component "**" stands
// for any number of directories; names that begin with a dot match only a
// pattern that does.
func (s *Session) Glob(ctx context.Context, pattern string) ([]string, error) {
	if !strings.HasPrefix(pattern, "/") {
		pattern = s.Cwd() + "/" + pattern
	}
	g := globber{ctx: ctx, view: s.View()}
	if err := g.walk("/", strings.FieldsFunc(pattern, func(r rune) bool { return r == '/' })); err != nil {
		return nil, err
	}
	slices.Sort(g.found)
	return slices.Compact(g.found), nil
}

type globber struct {
	ctx   context.Context
	view  *vfs.View
	found []string
}

// walk matches the rest of a pattern below dir.
func (g *globber) walk(dir string, rest []string) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	if len(rest) == 0 {
		if len(g.found) >= maxGlob {
			return &Error{Kind: Invalid, Code: "too_many_matches", Detail: "the pattern matches too many paths"}
		}
		g.found = append(g.found, dir)
		return nil
	}
	head, rest := rest[0], rest[1:]
	if head != "**" && !strings.ContainsAny(head, `*?[\`) {
		name := path.Join(dir, head)
		if _, err := g.view.Lstat(g.ctx, name); err != nil {
			return ignoreMissing(err)
		}
		return g.walk(name, rest)
	}
	list, err := g.view.ReadNames(g.ctx, dir)
	if err != nil {
		return ignoreMissing(err)
	}
	if head == "**" && len(rest) > 0 {
		if err := g.walk(dir, rest); err != nil {
			return err
		}
	}
	for _, i := range list {
		if strings.HasPrefix(i.Name, ".") && !strings.HasPrefix(head, ".") {
			continue
		}
		name := path.Join(dir, i.Name)
		switch {
		case head == "**":
			if i.IsDir() {
				err = g.walk(name, append([]string{"**"}, rest...))
			}
			if err == nil && len(rest) == 0 {
				err = g.walk(name, nil)
			}
		default:
			ok, bad := path.Match(head, i.Name)
			if bad != nil {
				return &Error{Kind: Invalid, Code: "bad_pattern", Detail: "bad pattern: " + head}
			}
			if ok {
				err = g.walk(name, rest)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ignoreMissing drops the errors that say that nothing can match here.
func ignoreMissing(err error) error {
	switch vfs.Errno(err) {
	case syscall.ENOENT, syscall.ENOTDIR, syscall.EACCES, syscall.ELOOP, syscall.ENAMETOOLONG:
		return nil
	}
	return err
}
