package copying

import (
	"context"

	"mirage/shell/program"
	"mirage/shell/program/backup"
	"mirage/vfs"
)

// distinct tells whether the destination may be replaced by the source
// although both may be one file. nothing means that there is nothing to do.
func (c *Copier) distinct(ctx context.Context, it *item) (fine, nothing bool) {
	same := c.Inv.SameFile(ctx, it.src, it.info, it.dst, it.old)
	if same && c.HardLink {
		return true, true
	}
	src, old := it.info, it.old
	sameLink := same
	if c.Links == FollowNone {
		if src.IsLink() && old.IsLink() {
			return c.distinctLinks(ctx, it, same)
		}
	} else {
		if !same {
			return true, false
		}
		var err error
		if src, err = c.Inv.FS.Lstat(ctx, c.Inv.Path(it.src)); err != nil {
			return true, false
		}
		if old, err = c.Inv.FS.Lstat(ctx, c.Inv.Path(it.dst)); err != nil {
			return true, false
		}
		sameLink = c.Inv.SameFile(ctx, it.src, src, it.dst, old)
		if src.IsLink() && old.IsLink() && c.RemoveDest {
			return true, false
		}
	}
	if c.Backup.Method != backup.None {
		if sameLink {
			return !c.Inv.SameName(ctx, it.src, it.dst), false
		}
		// Moving the destination aside would leave the source dangling.
		return c.Move || c.Links == FollowNone || !src.IsLink() || old.IsLink(), false
	}
	if c.Move || c.RemoveDest {
		if old.IsLink() {
			return true, false
		}
		if sameLink && old.Nlink > 1 && !c.Inv.SameName(ctx, it.src, it.dst) {
			return !c.Move, false
		}
	}
	if !src.IsLink() && !old.IsLink() && !sameLink {
		return true, false
	}
	if c.Move && it.info.IsLink() && old.Nlink > 1 {
		// A link may replace one of several names of its target.
		if target, err := c.Inv.Canonical(ctx, it.src, program.AllExist, false); err == nil {
			return !c.Inv.SameName(ctx, target, it.dst), false
		}
	}
	if c.SymLink && old.IsLink() {
		return true, false
	}
	if c.Links == FollowNone {
		return c.distinctTargets(ctx, it, src, old)
	}
	return false, false
}

// distinctLinks is distinct for two links that are to stay links.
func (c *Copier) distinctLinks(ctx context.Context, it *item, same bool) (fine, nothing bool) {
	if c.Inv.SameName(ctx, it.src, it.dst) {
		return false, false
	}
	if same && c.Backup.Method == backup.None {
		return !c.Move, true
	}
	return true, false
}

// distinctTargets compares what two files lead to, one of which may be a link
// to the other.
func (c *Copier) distinctTargets(ctx context.Context, it *item, src, old vfs.Info) (fine, nothing bool) {
	var err error
	isLink := old.IsLink()
	if src.IsLink() {
		if src, err = c.Inv.FS.Stat(ctx, c.Inv.Path(it.src)); err != nil {
			return true, false
		}
	}
	if isLink {
		if old, err = c.Inv.FS.Stat(ctx, c.Inv.Path(it.dst)); err != nil {
			return true, false
		}
	}
	if !c.Inv.SameFile(ctx, it.src, src, it.dst, old) {
		return true, false
	}
	return c.HardLink, c.HardLink && !isLink
}
