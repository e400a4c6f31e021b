package copying

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"mirage/internal/unixmode"
	"mirage/shell/program/backup"
	"mirage/shell/program/paths"
	"mirage/vfs"
)

// copy deals with one file or directory; it answers false when something went
// wrong, which has been reported.
func (c *Copier) copy(ctx context.Context, it *item, r *Result) bool {
	if ctx.Err() != nil {
		return false
	}
	if err := c.statSource(ctx, it); err != nil {
		c.Inv.Fail(err, "cannot stat %s", c.Inv.Quote(it.src))
		return false
	}
	if it.info.IsDir() && !c.Recursive {
		c.Inv.Errorf("-r not specified; omitting directory %s", c.Inv.Quote(it.src))
		return false
	}
	if it.operand && !c.Move && c.repeated(ctx, it) {
		return true
	}
	if !it.isNew {
		if done, ok := c.existing(ctx, it, r); done {
			return ok
		}
	}
	if it.operand && !c.Move && c.Backup.Method == backup.None && c.throughOwnLink(ctx, it) {
		return false
	}
	if c.Verbose && !c.Move && !it.info.IsDir() {
		c.tell("", it)
	}
	if c.Move {
		if done, ok := c.rename(ctx, it, r); done {
			return ok || !c.restore(ctx, it)
		}
	}
	if done, ok := c.again(ctx, it, r); done {
		return ok || !c.restore(ctx, it)
	}
	if !c.transfer(ctx, it, r) {
		c.restore(ctx, it)
		return false
	}
	if it.operand {
		c.remember(ctx, it)
	}
	return true
}

// restore puts a backup back after a failure; it always answers true.
func (c *Copier) restore(ctx context.Context, it *item) bool {
	if it.saved == "" {
		return true
	}
	if err := c.Inv.FS.Rename(ctx, c.Inv.Path(it.saved), c.Inv.Path(it.dst), 0); err != nil {
		c.Inv.Fail(err, "cannot un-backup %s", c.Inv.Quote(it.dst))
	} else if c.Verbose {
		c.Out.WriteString(c.Inv.Quote(it.saved) + " -> " + c.Inv.Quote(it.dst) + " (unbackup)\n")
	}
	it.saved = ""
	return true
}

// repeated tells whether an operand was there before, in this run.
func (c *Copier) repeated(ctx context.Context, it *item) bool {
	if it.info.IsDir() {
		return false // told once the destination is known
	}
	key := it.src + "\x00" + it.dst
	if c.sources[key] && c.Backup.Method == backup.None {
		c.Inv.Errorf("warning: source file %s specified more than once", c.Inv.Quote(it.src))
		return true
	}
	c.sources[key] = true
	return false
}

// remember notes what an operand became.
func (c *Copier) remember(ctx context.Context, it *item) {
	if real, err := c.Inv.FS.RealPath(ctx, c.Inv.Path(paths.Dir(it.dst))); err == nil {
		c.made[paths.Join(real, paths.Base(it.dst))] = true
	}
}

// justMade tells whether this run made what is at dst.
func (c *Copier) justMade(ctx context.Context, it *item) bool {
	if len(c.made) == 0 {
		return false
	}
	real, err := c.Inv.FS.RealPath(ctx, c.Inv.Path(paths.Dir(it.dst)))
	return err == nil && c.made[paths.Join(real, paths.Base(it.dst))]
}

// throughOwnLink refuses to write through a link that this run made.
func (c *Copier) throughOwnLink(ctx context.Context, it *item) bool {
	if !c.justMade(ctx, it) {
		return false
	}
	info, err := c.Inv.FS.Lstat(ctx, c.Inv.Path(it.dst))
	if err != nil || !info.IsLink() {
		return false
	}
	c.Inv.Errorf("will not copy %s through just-created symlink %s", c.Inv.Quote(it.src), c.Inv.Quote(it.dst))
	return true
}

// existing decides about what is at the destination. done means that the item
// needs nothing more.
func (c *Copier) existing(ctx context.Context, it *item, r *Result) (done, ok bool) {
	noFollow := !it.info.IsRegular() || c.Move || c.SymLink || c.HardLink || c.Backup.Method != backup.None || c.RemoveDest
	stat := c.Inv.FS.Stat
	if noFollow {
		stat = c.Inv.FS.Lstat
	}
	old, err := stat(ctx, c.Inv.Path(it.dst))
	switch {
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.ELOOP) && c.Force:
		it.isNew = true
		return false, false
	case errors.Is(err, syscall.ENOTDIR) && c.Move:
		// The move itself words it.
		it.isNew = true
		return false, false
	case err != nil:
		c.Inv.Fail(err, "cannot stat %s", c.Inv.Quote(it.dst))
		return true, false
	}
	it.old = old
	fine, nothing := c.distinct(ctx, it)
	if !fine {
		c.Inv.Errorf("%s and %s are the same file", c.Inv.Quote(it.src), c.Inv.Quote(it.dst))
		return true, false
	}
	if c.declined(it) {
		r.Renamed = true
		return true, true
	}
	if nothing {
		return true, true
	}
	if !c.compatible(ctx, it) {
		return true, false
	}
	return c.makeRoom(ctx, it)
}

// declined tells whether an existing destination is to stay as it is.
func (c *Copier) declined(it *item) bool {
	if it.info.IsDir() && !c.Move {
		return false
	}
	switch {
	case !it.info.IsDir() && c.Update == UpdateNone:
		return true
	case !it.info.IsDir() && c.Update == UpdateOlder && !olderThan(it.old.ModTime, it.info.ModTime):
		return true
	case c.Overwrite == Never:
		return true
	case c.Overwrite == Ask:
		return !c.ask.Confirm(c.Inv.Name + ": overwrite " + c.Inv.Quote(it.dst) + "? ")
	}
	return false
}

// compatible refuses what cannot replace one another.
func (c *Copier) compatible(ctx context.Context, it *item) bool {
	q := c.Inv.Quote
	backed := c.Move && c.Backup.Method != backup.None
	switch src, old := it.info.IsDir(), it.old.IsDir(); {
	case src && !old && !backed:
		c.Inv.Errorf("cannot overwrite non-directory %s with directory %s", q(it.dst), q(it.src))
		return false
	case !old && it.operand && c.Backup.Method != backup.Numbered && c.justMade(ctx, it):
		c.Inv.Errorf("will not overwrite just-created %s with %s", q(it.dst), q(it.src))
		return false
	case !src && old && !backed:
		c.Inv.Errorf("cannot overwrite directory %s with non-directory", q(it.dst))
		return false
	}
	return true
}

// makeRoom moves the destination aside or removes it, where that is called
// for.
func (c *Copier) makeRoom(ctx context.Context, it *item) (done, ok bool) {
	base := paths.Base(it.src)
	if c.Backup.Method != backup.None && base != "." && base != ".." && (c.Move || !it.old.IsDir()) {
		return c.backUp(ctx, it)
	}
	special := c.Links == FollowNone && !it.info.IsRegular()
	shared := c.PreserveLinks && it.old.Nlink > 1
	if it.old.IsDir() || c.Move || !c.RemoveDest && !special && !shared {
		return false, false
	}
	if err := c.Inv.FS.Unlink(ctx, c.Inv.Path(it.dst)); err != nil && !errors.Is(err, syscall.ENOENT) {
		c.Inv.Fail(err, "cannot remove %s", c.Inv.Quote(it.dst))
		return true, false
	}
	it.isNew = true
	if c.Verbose {
		c.Out.WriteString("removed " + c.Inv.Quote(it.dst) + "\n")
	}
	return false, false
}

func (c *Copier) backUp(ctx context.Context, it *item) (done, ok bool) {
	name, err := c.Backup.Name(ctx, c.Inv, it.dst)
	if err == nil && c.Backup.Method != backup.Numbered {
		if info, lerr := c.Inv.FS.Lstat(ctx, c.Inv.Path(name)); lerr == nil && c.Inv.SameFile(ctx, it.src, it.info, name, info) {
			what := "copied"
			if c.Move {
				what = "moved"
			}
			c.Inv.Errorf("backing up %s might destroy source;  %s not %s", c.Inv.Quote(it.dst), c.Inv.Quote(it.src), what)
			return true, false
		}
	}
	if err == nil {
		err = c.Inv.FS.Rename(ctx, c.Inv.Path(it.dst), c.Inv.Path(name), 0)
	}
	if err != nil {
		c.Inv.Fail(err, "cannot backup %s", c.Inv.Quote(it.dst))
		return true, false
	}
	it.saved, it.isNew = name, true
	return false, false
}

// again deals with a file that was copied before: with -d or -a another name
// of it becomes a link, and a directory must not end up in itself.
func (c *Copier) again(ctx context.Context, it *item, r *Result) (done, ok bool) {
	if it.info.IsDir() {
		return c.againDir(ctx, it, r)
	}
	if !c.PreserveLinks || it.info.Nlink < 2 && !(it.operand && c.Links != FollowNone) {
		return false, false
	}
	id := c.id(ctx, it.src, it.info)
	earlier, seen := c.copied[id]
	if !seen {
		c.copied[id] = it.dst
		return false, false
	}
	if err := c.link(ctx, earlier, it.dst, !it.isNew); err != nil {
		c.Inv.Fail(err, "cannot create hard link %s to %s", c.Inv.Quote(it.dst), c.Inv.Quote(earlier))
		return true, false
	}
	return true, true
}

func (c *Copier) againDir(ctx context.Context, it *item, r *Result) (done, ok bool) {
	id := c.id(ctx, it.src, it.info)
	if c.roots[id] {
		c.Inv.Errorf("cannot copy a directory, %s, into itself, %s", c.Inv.Quote(c.top[0]), c.Inv.Quote(c.top[1]))
		r.IntoItself = true
		return true, false
	}
	if !it.operand || c.Move {
		return false, false
	}
	if earlier, seen := c.dirs[id]; seen && earlier == it.dst {
		c.Inv.Errorf("warning: source directory %s specified more than once", c.Inv.Quote(it.src))
		return true, true
	}
	c.dirs[id] = it.dst
	return false, false
}

// transfer makes the destination what the source is.
func (c *Copier) transfer(ctx context.Context, it *item, r *Result) bool {
	switch {
	case it.info.IsDir():
		return c.copyDir(ctx, it, r)
	case c.SymLink:
		return c.makeSymlink(ctx, it)
	case c.HardLink:
		if err := c.link(ctx, it.src, it.dst, !it.isNew && c.Force); err != nil {
			c.Inv.Fail(err, "cannot create hard link %s to %s", c.Inv.Quote(it.dst), c.Inv.Quote(it.src))
			return false
		}
		return true
	case it.info.IsLink():
		return c.copyLink(ctx, it)
	case it.info.IsRegular() || !c.Recursive:
		return c.copyFile(ctx, it)
	}
	c.Inv.Errorf("cannot create special file %s: Operation not supported", c.Inv.Quote(it.dst))
	return false
}

// copyDir makes a directory and copies what is in it.
func (c *Copier) copyDir(ctx context.Context, it *item, r *Result) bool {
	for up := it.parent; up != nil; up = up.parent {
		if c.Inv.SameFile(ctx, up.src, up.info, it.src, it.info) {
			c.Inv.Errorf("cannot copy cyclic symbolic link %s", c.Inv.Quote(it.src))
			return false
		}
	}
	perm := fs.FileMode(0o777 &^ c.Inv.Umask)
	if !c.NoPreserveMode {
		perm &= it.info.Mode.Perm()
	}
	if it.isNew {
		if !c.makeDir(ctx, it, perm) {
			return false
		}
	}
	if c.OneMount && it.parent != nil && it.parent.info.Dev != it.info.Dev {
		return true
	}
	list, release, err := c.Inv.ReadDir(ctx, it.src)
	defer release()
	ok := err == nil
	if err != nil {
		c.Inv.Fail(err, "cannot access %s", c.Inv.Quote(it.src))
	}
	for _, info := range list {
		child := &item{src: paths.Join(it.src, info.Name), dst: paths.Join(it.dst, info.Name), isNew: it.isNew, parent: it}
		ok = c.copy(ctx, child, r) && ok
		if ctx.Err() != nil {
			return false
		}
		if r.IntoItself {
			break // there would be no end
		}
	}
	return c.attributes(ctx, it, perm) && ok
}

func (c *Copier) makeDir(ctx context.Context, it *item, perm fs.FileMode) bool {
	// The owner may write into it until it is full.
	if err := c.Inv.FS.Mkdir(ctx, c.Inv.Path(it.dst), perm|0o700); err != nil {
		c.Inv.Fail(err, "cannot create directory %s", c.Inv.Quote(it.dst))
		return false
	}
	// Whoever meets this directory again as a source copies into itself.
	if info, err := c.Inv.FS.Lstat(ctx, c.Inv.Path(it.dst)); err == nil && !c.rooted {
		c.roots[c.id(ctx, it.dst, info)] = true
		c.rooted = true
	}
	switch {
	case c.Verbose && c.Move:
		c.Out.WriteString("created directory " + c.Inv.Quote(it.dst) + "\n")
	case c.Verbose:
		c.tell("", it)
	}
	return true
}

// attributes gives a copy what is to be kept of its source. A new directory
// without anything to keep gets perm, now that it is full.
func (c *Copier) attributes(ctx context.Context, it *item, perm fs.FileMode) bool {
	attr := vfs.Attr{}
	follow := !it.info.IsLink()
	if c.PreserveTimes {
		atime, mtime := it.info.AccessTime, it.info.ModTime
		if atime.IsZero() {
			atime = mtime
		}
		attr.AccessTime, attr.ModTime = &atime, &mtime
	}
	if c.PreserveOwner {
		attr.UID, attr.GID = &it.info.UID, &it.info.GID
	}
	mode := it.info.Mode
	switch {
	case it.info.IsLink():
	case c.PreserveMode:
		mode = unixmode.FileMode(unixmode.Permissions(mode))
		attr.Mode = &mode
	case it.isNew && it.info.IsDir() && perm|0o700 != perm:
		attr.Mode = &perm
	}
	ok := true
	if attr != (vfs.Attr{}) {
		if err := c.Inv.FS.SetAttr(ctx, c.Inv.Path(it.dst), attr, follow); err != nil {
			text := "preserving permissions for %s"
			if attr.ModTime != nil {
				text = "preserving times for %s"
			}
			c.Inv.Fail(err, text, c.Inv.Quote(it.dst))
			ok = false
		}
	}
	if c.PreserveXattr && !it.info.IsLink() {
		ok = c.xattrs(ctx, it) && ok
	}
	return ok
}

// xattrs copies the extended attributes.
func (c *Copier) xattrs(ctx context.Context, it *item) bool {
	names, err := c.Inv.FS.ListXattr(ctx, c.Inv.Path(it.src), true)
	for _, name := range names {
		var value []byte
		if value, err = c.Inv.FS.GetXattr(ctx, c.Inv.Path(it.src), name, true); err == nil {
			err = c.Inv.FS.SetXattr(ctx, c.Inv.Path(it.dst), name, value, false, false, true)
		}
		if err != nil {
			break
		}
	}
	if err == nil || !c.RequireXattr {
		return true
	}
	c.Inv.Fail(err, "setting attributes for %s", c.Inv.Quote(it.dst))
	return false
}
