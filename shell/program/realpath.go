package program

import (
	"context"
	"errors"
	"strings"
	"syscall"

	"mirage/vfs"
)

// Existence says how much of a path must exist for Canonical.
type Existence int

// The modes of readlink -e, -f and -m.
const (
	AllExist Existence = iota
	AllButLast
	NoneExist
)

// maxLinks is how many symbolic links one name may lead through.
const maxLinks = 40

// Canonical answers an operand as an absolute name without ".", ".." and,
// unless keepLinks is set, symbolic links.
func (inv *Invocation) Canonical(ctx context.Context, operand string, e Existence, keepLinks bool) (string, error) {
	if operand == "" {
		return "", syscall.ENOENT
	}
	if !keepLinks && e != NoneExist {
		if real, err := inv.FS.RealPath(ctx, inv.Path(operand)); err == nil {
			return real, nil
		}
	}
	c := canonical{ctx: ctx, inv: inv, e: e, keepLinks: keepLinks}
	start := inv.Path(operand)
	if operand[0] != '/' && !keepLinks {
		if dir, err := inv.FS.RealPath(ctx, inv.Dir); err == nil {
			start = strings.TrimSuffix(dir, "/") + "/" + operand
		}
	}
	return c.resolve(start)
}

type canonical struct {
	ctx       context.Context
	inv       *Invocation
	e         Existence
	keepLinks bool
	done      []string
	links     int
}

func (c *canonical) name() string { return "/" + strings.Join(c.done, "/") }

func (c *canonical) resolve(path string) (string, error) {
	rest := path
	for rest != "" {
		if err := c.ctx.Err(); err != nil {
			return "", err
		}
		rest = strings.TrimLeft(rest, "/")
		part, after := rest, ""
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			part, after = rest[:i], rest[i:]
		}
		rest = after
		switch part {
		case "", ".":
			continue
		case "..":
			if len(c.done) > 0 {
				c.done = c.done[:len(c.done)-1]
			}
			continue
		}
		c.done = append(c.done, part)
		if c.e == NoneExist && c.keepLinks {
			continue
		}
		target, err := c.step(rest)
		if err != nil {
			return "", err
		}
		if target == "" {
			continue
		}
		c.done = c.done[:len(c.done)-1]
		if target[0] == '/' {
			c.done = c.done[:0]
		}
		rest = target + rest
	}
	return c.name(), nil
}

// step looks at the last component so far; it answers the text of a link that
// is to be followed.
func (c *canonical) step(rest string) (target string, err error) {
	info, err := c.inv.FS.Lstat(c.ctx, c.name())
	if err == nil && info.IsLink() && !c.keepLinks {
		if c.links++; c.links > maxLinks {
			if c.e == NoneExist {
				return "", nil
			}
			return "", syscall.ELOOP
		}
		return c.inv.FS.Readlink(c.ctx, c.name())
	}
	if c.e == NoneExist {
		return "", nil
	}
	if err == nil {
		err = c.check(info, rest)
	} else if c.keepLinks && rest != "" && !needsDir(rest) {
		return "", nil
	}
	if c.e == AllButLast && errors.Is(err, syscall.ENOENT) && strings.Trim(rest, "/") == "" {
		return "", nil
	}
	return "", err
}

// check tells whether an existing file may stand in front of rest.
func (c *canonical) check(info vfs.Info, rest string) error {
	if rest != "" && !needsDir(rest) {
		return nil // the next component tells
	}
	if info.IsLink() {
		var err error
		if info, err = c.inv.FS.Stat(c.ctx, c.name()); err != nil {
			return err
		}
	}
	if rest != "" && !info.IsDir() {
		return syscall.ENOTDIR
	}
	return nil
}

// needsDir tells whether what follows a name works with a directory only and
// would not fail by itself otherwise: a slash at the end, "." or "..".
func needsDir(rest string) bool {
	for strings.HasPrefix(rest, "/") {
		rest = strings.TrimLeft(rest, "/")
		part, _, more := strings.Cut(rest, "/")
		switch {
		case part == "" || part == "..":
			return true
		case part != ".":
			return false
		case !more:
			return true
		}
		rest = rest[1:]
	}
	return false
}
