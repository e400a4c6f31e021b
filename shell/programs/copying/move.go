package copying

import (
	"context"
	"errors"
	"syscall"
)

// rename moves in one step. Between mounts it is not done: what is in the way
// is removed, and the file is to be copied.
func (c *Copier) rename(ctx context.Context, it *item, r *Result) (done, ok bool) {
	if !it.operand {
		// Below a directory that is being copied.
		if c.Verbose && !it.info.IsDir() {
			c.tell("copied ", it)
		}
		return false, false
	}
	q := c.Inv.Quote
	err := c.Inv.FS.Rename(ctx, c.Inv.Path(it.src), c.Inv.Path(it.dst), 0)
	switch {
	case err == nil:
		if c.Verbose {
			c.tell("renamed ", it)
		}
		r.Renamed = true
		c.remember(ctx, it)
		return true, true
	case errors.Is(err, syscall.EINVAL):
		c.Inv.Errorf("cannot move %s to a subdirectory of itself, %s", q(c.top[0]), q(c.top[1]))
		r.IntoItself = true
		return true, false
	case !errors.Is(err, syscall.EXDEV):
		c.Inv.Fail(err, "cannot move %s to %s", q(it.src), q(it.dst))
		return true, false
	case c.NoCopy:
		c.Inv.Fail(err, "cannot move %s to %s", q(it.src), q(it.dst))
		return true, false
	}
	if c.Inv.IsMountRoot(ctx, it.src) {
		c.Inv.Fail(syscall.EBUSY, "cannot move %s to %s", q(it.src), q(it.dst))
		return true, false
	}
	if !it.isNew {
		remove := c.Inv.FS.Unlink
		if it.info.IsDir() {
			remove = c.Inv.FS.Rmdir
		}
		if err := remove(ctx, c.Inv.Path(it.dst)); err != nil && !errors.Is(err, syscall.ENOENT) {
			c.Inv.Fail(err, "inter-device move failed: %s to %s; unable to remove target", q(it.src), q(it.dst))
			return true, false
		}
		it.isNew = true
	}
	if c.Verbose && !it.info.IsDir() {
		c.tell("copied ", it)
	}
	return false, false
}
