package tar

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"

	"mirage/internal/unixmode"
	"mirage/shell/program/stream"
	"mirage/shell/program/walk"
	"mirage/vfs"
)

// record is what archives are padded to: 20 blocks of 512 bytes.
const record = 20 * 512

// padder counts what is written, to fill up the last record.
type padder struct {
	w io.Writer
	n int64
}

func (p *padder) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.n += int64(n)
	return n, err
}

// create writes an archive of the operands.
func (j *job) create(ctx context.Context) {
	file, err := j.openArchive(ctx)
	if err != nil {
		j.giveUp(err, j.archive+": Cannot open")
		return
	}
	buffered := bufio.NewWriterSize(file, stream.BufferSize)
	var to io.Writer = buffered
	var zip *gzip.Writer
	if j.gzip || j.auto && (strings.HasSuffix(j.archive, "gz")) {
		zip = gzip.NewWriter(to)
		to = zip
	}
	pad := &padder{w: to}
	w := tar.NewWriter(pad)
	c := creator{job: j, w: w, links: map[[2]uint64]string{}}
	c.self, _ = j.inv.FS.RealPath(ctx, j.inv.Path(j.archive))
	for _, o := range j.operands {
		if err = c.tree(ctx, o); err != nil {
			break
		}
	}
	if err == nil {
		err = w.Close()
	}
	if rest := pad.n % record; err == nil && rest > 0 {
		_, err = pad.Write(make([]byte, record-rest))
	}
	if zip != nil {
		err = errors.Join(err, zip.Close())
	}
	err = errors.Join(err, buffered.Flush(), file.Close())
	if err != nil && ctx.Err() == nil {
		j.giveUp(err, j.archive+": Cannot write")
	}
}

// creator adds files to an archive.
type creator struct {
	*job
	w     *tar.Writer
	self  string               // the archive, which is not put into itself
	links map[[2]uint64]string // hard links: the first name of a file
}

// tree adds an operand and what is below it. An error is the archive's.
func (c *creator) tree(ctx context.Context, o operand) error {
	options := walk.Options{MaxDepth: -1, OneMount: c.oneMount}
	if c.follow {
		options.Follow = walk.FollowAlways
	}
	if c.noRecursion {
		options.MaxDepth = 0
	}
	top := join(o.dir, o.name)
	for e := range walk.Tree(ctx, c.inv, top, options) {
		name := o.name + strings.TrimPrefix(e.Path, top)
		switch {
		case e.Err != nil && e.Listing:
			c.fail(e.Err, "%s: Cannot open", name)
			continue
		case e.Err != nil && e.Loop == "":
			c.fail(e.Err, "%s: Cannot stat", name)
			continue
		case c.excluded(name):
			e.Skip()
			continue
		}
		if err := c.add(ctx, e, name); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// add writes one member.
func (c *creator) add(ctx context.Context, e *walk.Entry, name string) error {
	info := e.Info
	if info.IsRegular() && c.self != "" {
		if real, err := c.inv.FS.RealPath(ctx, c.inv.Path(e.Path)); err == nil && real == c.self {
			c.inv.Errorf("%s: file is the archive; not dumped", name)
			return nil
		}
	}
	h := &tar.Header{
		Format: tar.FormatGNU, Name: c.relative(name, "member names", &c.stripped), Mode: int64(unixmode.Permissions(info.Mode)),
		Uid: info.UID, Gid: info.GID, Uname: c.inv.Owner(info.UID), Gname: c.inv.Group(info.GID), ModTime: info.ModTime.Truncate(1e9),
	}
	var body io.ReadCloser
	switch {
	case info.IsDir():
		h.Typeflag = tar.TypeDir
		h.Name = strings.TrimSuffix(h.Name, "/") + "/"
	case info.IsLink():
		h.Typeflag, h.Linkname = tar.TypeSymlink, info.Target
	case info.Mode&fs.ModeCharDevice != 0:
		h.Typeflag, h.Devmajor, h.Devminor = tar.TypeChar, int64(info.Rdev>>8), int64(info.Rdev&0xff)
	default:
		h.Typeflag, h.Size = tar.TypeReg, max(info.Size, 0)
		if first := c.linked(info, h.Name); first != "" {
			h.Typeflag, h.Linkname, h.Size = tar.TypeLink, first, 0
			break
		}
		var err error
		if body, err = c.inv.Open(ctx, e.Path); err != nil {
			c.fail(err, "%s: Cannot open", name)
			return nil
		}
		defer body.Close()
	}
	if c.verbose > 0 {
		c.list(c.listTo(), h)
	}
	if err := c.w.WriteHeader(h); err != nil {
		return err
	}
	if body == nil {
		return nil
	}
	return c.copy(ctx, body, h, name)
}

// copy writes a file's contents. What the file lacks of the size it had is
// filled with zeros, since the header has been written.
func (c *creator) copy(ctx context.Context, r io.Reader, h *tar.Header, name string) error {
	n, readErr, writeErr := stream.Copy(ctx, c.w, io.LimitReader(r, h.Size))
	if writeErr != nil {
		return writeErr
	}
	if readErr != nil && ctx.Err() == nil {
		c.fail(readErr, "%s: Read error at byte %d, while reading %d bytes", name, n, h.Size)
	}
	if n < h.Size && ctx.Err() == nil {
		if readErr == nil {
			c.inv.Errorf("%s: File shrank by %d bytes; padding with zeros", name, h.Size-n)
			c.status = max(c.status, 1)
		}
		_, err := io.CopyN(c.w, zeros{}, h.Size-n)
		return err
	}
	return ctx.Err()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// linked answers the name under which a file is in the archive already.
func (c *creator) linked(i vfs.Info, name string) string {
	if i.Nlink < 2 || i.Ino == 0 {
		return ""
	}
	key := [2]uint64{i.Dev, i.Ino}
	if first, ok := c.links[key]; ok {
		return first
	}
	c.links[key] = name
	return ""
}

// clean is a member's name without what would lead elsewhere; false when it
// has "..".
func clean(name string) (string, bool) {
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "", false
		}
	}
	return path.Clean(name), true
}
