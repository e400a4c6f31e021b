package copying

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"mirage/shell/program/paths"
	"mirage/vfs"
)

// blockSize is how much is read and written in one call.
const blockSize = 256 << 10

// holeSize is the unit in which holes are found.
const holeSize = 4096

// copyFile copies a file's contents and attributes.
func (c *Copier) copyFile(ctx context.Context, it *item) bool {
	in, err := c.Inv.FS.Open(ctx, c.Inv.Path(it.src), os.O_RDONLY, 0)
	if err != nil {
		c.Inv.Fail(err, "cannot open %s for reading", c.Inv.Quote(it.src))
		return false
	}
	defer in.Close()
	perm := it.info.Mode.Perm() &^ fs.FileMode(c.Inv.Umask)
	if c.NoPreserveMode {
		perm = 0o666 &^ fs.FileMode(c.Inv.Umask)
	}
	out, ok := c.openDest(ctx, it, perm)
	if !ok {
		return false
	}
	if !c.AttrsOnly {
		ok = c.contents(ctx, it, in, out)
	}
	if err := out.Close(); err != nil && ok {
		c.Inv.Fail(err, "failed to close %s", c.Inv.Quote(it.dst))
		ok = false
	}
	return ok && c.attributes(ctx, it, perm)
}

// openDest opens the destination for writing, in place of what is there.
func (c *Copier) openDest(ctx context.Context, it *item, perm fs.FileMode) (vfs.File, bool) {
	name := c.Inv.Path(it.dst)
	if !it.isNew {
		flag := os.O_WRONLY
		if !c.AttrsOnly {
			flag |= os.O_TRUNC
		}
		out, err := c.Inv.FS.Open(ctx, name, flag, 0)
		switch {
		case err == nil:
			return out, true
		case c.Force && !errors.Is(err, syscall.ENOENT):
			if err := c.Inv.FS.Unlink(ctx, name); err != nil && !errors.Is(err, syscall.ENOENT) {
				c.Inv.Fail(err, "cannot remove %s", c.Inv.Quote(it.dst))
				return nil, false
			}
			if c.Verbose {
				c.Out.WriteString("removed " + c.Inv.Quote(it.dst) + "\n")
			}
			it.isNew = true
		case !errors.Is(err, syscall.ENOENT):
			return nil, c.cannotCreate(it, err)
		}
	}
	out, err := c.Inv.FS.Open(ctx, name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err == nil {
		return out, true
	}
	if errors.Is(err, syscall.EEXIST) && !c.Move {
		if info, lerr := c.Inv.FS.Lstat(ctx, name); lerr == nil && info.IsLink() {
			if _, posix := c.Inv.LookupEnv("POSIXLY_CORRECT"); !posix {
				c.Inv.Errorf("not writing through dangling symlink %s", c.Inv.Quote(it.dst))
				return nil, false
			}
			out, err = c.Inv.FS.Open(ctx, name, os.O_WRONLY|os.O_CREATE, perm)
			if err == nil {
				return out, true
			}
		}
	}
	if errors.Is(err, syscall.EISDIR) && strings.HasSuffix(it.dst, "/") {
		err = syscall.ENOTDIR
	}
	return nil, c.cannotCreate(it, err)
}

func (c *Copier) cannotCreate(it *item, err error) bool {
	c.Inv.Fail(err, "cannot create regular file %s", c.Inv.Quote(it.dst))
	return false
}

// contents copies all bytes in large blocks. Holes stay holes.
func (c *Copier) contents(ctx context.Context, it *item, in, out vfs.File) bool {
	if c.buf == nil {
		c.buf = make([]byte, blockSize)
	}
	holes := c.Sparse == SparseAlways ||
		c.Sparse == SparseAuto && it.info.Blocks >= 0 && it.info.Size > 0 && it.info.Blocks*512 < it.info.Size
	var off int64
	skipped := false
	for {
		if ctx.Err() != nil {
			return false
		}
		n, err := in.ReadAt(c.buf, off)
		if n > 0 {
			wrote, werr := writeBlocks(out, c.buf[:n], off, holes)
			if werr != nil {
				c.Inv.Fail(werr, "error writing %s", c.Inv.Quote(it.dst))
				return false
			}
			skipped = !wrote
			off += int64(n)
		}
		if err == io.EOF || n == 0 && err == nil {
			break
		}
		if err != nil {
			c.Inv.Fail(err, "error reading %s", c.Inv.Quote(it.src))
			return false
		}
	}
	if skipped {
		if err := out.Truncate(off); err != nil {
			c.Inv.Fail(err, "failed to extend %s", c.Inv.Quote(it.dst))
			return false
		}
	}
	return true
}

var zeros [holeSize]byte

// writeBlocks writes p at off; with holes it leaves out aligned blocks of
// zeros. It tells whether the end of p was written.
func writeBlocks(out vfs.File, p []byte, off int64, holes bool) (wroteEnd bool, err error) {
	if !holes {
		_, err := out.WriteAt(p, off)
		return true, err
	}
	for len(p) > 0 {
		n, zero := run(p)
		if !zero {
			if _, err := out.WriteAt(p[:n], off); err != nil {
				return false, err
			}
		}
		wroteEnd = !zero
		p, off = p[n:], off+int64(n)
	}
	return wroteEnd, nil
}

// run measures the blocks at the front of p that are all zero, or all not.
func run(p []byte) (n int, zero bool) {
	for n < len(p) {
		block := p[n:min(n+holeSize, len(p))]
		z := bytes.Equal(block, zeros[:len(block)])
		if n > 0 && z != zero {
			return n, zero
		}
		zero = z
		n += len(block)
	}
	return n, zero
}

// copyLink copies a symbolic link as a link.
func (c *Copier) copyLink(ctx context.Context, it *item) bool {
	text, err := c.Inv.FS.Readlink(ctx, c.Inv.Path(it.src))
	if err != nil {
		c.Inv.Fail(err, "cannot read symbolic link %s", c.Inv.Quote(it.src))
		return false
	}
	name := c.Inv.Path(it.dst)
	err = c.Inv.FS.Symlink(ctx, text, name)
	if errors.Is(err, syscall.EEXIST) {
		old, rerr := c.Inv.FS.Readlink(ctx, name)
		switch {
		case rerr == nil && c.Update != UpdateAll && old == text:
			err = nil
		case c.Force:
			if err = c.Inv.FS.Unlink(ctx, name); err == nil {
				err = c.Inv.FS.Symlink(ctx, text, name)
			}
		}
	}
	if err != nil {
		c.Inv.Fail(err, "cannot create symbolic link %s", c.Inv.Quote(it.dst))
		return false
	}
	return c.attributes(ctx, it, 0)
}

// makeSymlink makes a link to the source, for -s.
func (c *Copier) makeSymlink(ctx context.Context, it *item) bool {
	if !strings.HasPrefix(it.src, "/") && paths.Dir(it.dst) != "." {
		here, err := c.Inv.FS.RealPath(ctx, c.Inv.Path("."))
		there, err2 := c.Inv.FS.RealPath(ctx, c.Inv.Path(paths.Dir(it.dst)))
		if err != nil || err2 != nil || here != there {
			c.Inv.Errorf("%s: can make relative symbolic links only in current directory", c.Inv.QuoteName(it.dst))
			return false
		}
	}
	name := c.Inv.Path(it.dst)
	err := c.Inv.FS.Symlink(ctx, it.src, name)
	if errors.Is(err, syscall.EEXIST) && c.Force {
		if err = c.Inv.FS.Unlink(ctx, name); err == nil {
			err = c.Inv.FS.Symlink(ctx, it.src, name)
		}
	}
	if err != nil {
		c.Inv.Fail(err, "cannot create symbolic link %s to %s", c.Inv.Quote(it.dst), c.Inv.Quote(it.src))
		return false
	}
	return true
}

// link makes dst another name of src, in place of a file when replace is set.
func (c *Copier) link(ctx context.Context, src, dst string, replace bool) error {
	from := c.Inv.Path(src)
	if c.Links == FollowAll {
		if real, err := c.Inv.FS.RealPath(ctx, from); err == nil {
			from = real
		}
	}
	err := c.Inv.FS.Link(ctx, from, c.Inv.Path(dst))
	if replace && errors.Is(err, syscall.EEXIST) {
		if err = c.Inv.FS.Unlink(ctx, c.Inv.Path(dst)); err == nil {
			err = c.Inv.FS.Link(ctx, from, c.Inv.Path(dst))
		}
	}
	return err
}
