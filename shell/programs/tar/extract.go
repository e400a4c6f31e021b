package tar

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/klauspost/compress/gzip"

	"mirage/internal/unixmode"
	"mirage/shell/pattern"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// read lists or extracts an archive.
func (j *job) read(ctx context.Context) {
	r, err := j.inv.OpenOperand(ctx, j.archive)
	if err != nil {
		j.giveUp(err, j.archive+": Cannot open")
		return
	}
	defer r.Close()
	plain, err := j.decompress(bufio.NewReaderSize(r, stream.BufferSize))
	if err != nil {
		j.damaged(err)
		return
	}
	x := extractor{job: j, found: make([]bool, len(j.operands)), dirs: map[string]*tar.Header{}}
	err = x.members(ctx, tar.NewReader(plain))
	x.finishDirs(ctx)
	switch {
	case ctx.Err() != nil || j.out.Err() != nil:
		return
	case err != nil:
		j.damaged(err)
	}
	for i, o := range j.operands {
		if !x.found[i] {
			j.inv.Errorf("%s: Not found in archive", o.name)
			j.status = max(j.status, 2)
		}
	}
}

// decompress looks at the first bytes, as GNU tar does for files it reads.
func (j *job) decompress(r *bufio.Reader) (io.Reader, error) {
	head, err := r.Peek(3)
	switch {
	case len(head) == 0 && errors.Is(err, io.EOF):
		if j.gzip || j.bzip2 {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, tar.ErrHeader
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(r)
	case bytes.HasPrefix(head, []byte("BZh")):
		return bzip2.NewReader(r), nil
	case j.gzip:
		return nil, gzip.ErrHeader
	}
	return r, nil
}

// damaged reports an archive that cannot be read on.
func (j *job) damaged(err error) {
	switch {
	case errors.Is(err, tar.ErrHeader):
		j.inv.Errorf("This does not look like a tar archive")
	case errors.Is(err, gzip.ErrHeader):
		j.inv.Errorf("gzip: stdin: not in gzip format")
	case errors.Is(err, io.ErrUnexpectedEOF):
		j.inv.Errorf("Unexpected EOF in archive")
		j.inv.Errorf("Error is not recoverable: exiting now")
		j.status = fatal
		return
	default:
		j.inv.Fail(err, "%s: Read error", j.archive)
	}
	j.status = max(j.status, 2)
}

// extractor goes through an archive.
type extractor struct {
	*job
	found []bool
	// dirs get their modes and times at the end: what is put into them would
	// change them.
	dirs  map[string]*tar.Header
	order []string
}

func (x *extractor) members(ctx context.Context, r *tar.Reader) error {
	for ctx.Err() == nil && x.out.Err() == nil {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		dir, wanted := x.wanted(h.Name)
		if !wanted || x.excluded(h.Name) {
			continue
		}
		if x.mode == 't' {
			x.list(x.out, h)
			continue
		}
		if err := x.member(ctx, r, h, dir); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// wanted tells whether a member is among the operands, and which directory it
// goes to.
func (x *extractor) wanted(name string) (dir string, ok bool) {
	if len(x.operands) == 0 {
		return x.dir, true
	}
	name = strings.TrimSuffix(name, "/")
	for i, o := range x.operands {
		want := strings.TrimSuffix(o.name, "/")
		if name == want || strings.HasPrefix(name, want+"/") || x.wildcards && pattern.Match(want, name, 0) {
			x.found[i] = true
			return o.dir, true
		}
	}
	return "", false
}

// member extracts one member. An error is the archive's; what goes wrong with
// the file is reported.
func (x *extractor) member(ctx context.Context, r io.Reader, h *tar.Header, dir string) error {
	name, ok := clean(h.Name)
	if !ok {
		x.inv.Errorf("%s: Member name contains '..'", h.Name)
		x.status = max(x.status, 2)
		return nil
	}
	name = x.relative(name, "member names", &x.stripped)
	if name = strip(name, x.strip); name == "" {
		return nil
	}
	if x.verbose > 0 {
		x.list(x.listTo(), h)
	}
	if x.stdout {
		if h.Typeflag == tar.TypeReg {
			_, readErr, _ := stream.Copy(ctx, x.out, r)
			return readErr
		}
		return nil
	}
	to := join(dir, name)
	var err error
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse:
		return x.file(ctx, r, h, to)
	case tar.TypeDir:
		err = x.makeDir(ctx, h, to)
	case tar.TypeSymlink:
		err = x.place(ctx, to, func(p string) error { return x.inv.FS.Symlink(ctx, h.Linkname, p) })
	case tar.TypeLink:
		target, ok := clean(h.Linkname)
		if !ok {
			x.inv.Errorf("%s: Member name contains '..'", h.Linkname)
			x.status = max(x.status, 2)
			return nil
		}
		target = join(dir, strip(x.relative(target, "hard link targets", &x.strippedLinks), x.strip))
		err = x.place(ctx, to, func(p string) error { return x.inv.FS.Link(ctx, x.inv.Path(target), p) })
		if err != nil {
			x.fail(err, "%s: Cannot hard link to %s", name, x.inv.QuoteArg(h.Linkname))
			return nil
		}
	default:
		x.inv.Errorf("%s: Unknown file type '%c', extracted as normal file", h.Name, h.Typeflag)
		return x.file(ctx, r, h, to)
	}
	if err != nil {
		what := "open"
		switch h.Typeflag {
		case tar.TypeDir:
			what = "mkdir"
		case tar.TypeSymlink:
			what = "create symlink to " + x.inv.QuoteArg(h.Linkname)
		}
		x.fail(err, "%s: Cannot %s", name, what)
	}
	return nil
}

// strip drops n leading components; "" when none is left.
func strip(name string, n int) string {
	for ; n > 0; n-- {
		i := strings.IndexByte(name, '/')
		if i < 0 {
			return ""
		}
		name = strings.TrimLeft(name[i:], "/")
	}
	return name
}

// place makes something at a name, in the place of what is there.
func (x *extractor) place(ctx context.Context, to string, make func(string) error) error {
	p := x.inv.Path(to)
	err := make(p)
	switch vfs.Errno(err) {
	case syscall.ENOENT:
		if perr := x.inv.FS.MkdirAll(ctx, path.Dir(p), fs.FileMode(0o777&^x.inv.Umask)); perr != nil {
			return perr
		}
		return make(p)
	case syscall.EEXIST:
		switch {
		case x.skip:
			return nil
		case x.keep:
			return err
		}
		if rerr := x.inv.FS.Unlink(ctx, p); rerr != nil {
			return err
		}
		return make(p)
	}
	return err
}

// file extracts a regular file. An old one is unlinked first, so that nothing
// is written through a link of it.
func (x *extractor) file(ctx context.Context, r io.Reader, h *tar.Header, to string) error {
	perm := unixmode.FileMode(uint32(h.Mode))
	if !x.permissions {
		perm = unixmode.FileMode(uint32(h.Mode) & 0o777 &^ x.inv.Umask)
	}
	var f vfs.File
	err := x.place(ctx, to, func(p string) (err error) {
		f, err = x.inv.FS.Open(ctx, p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm())
		return err
	})
	if err != nil {
		x.fail(err, "%s: Cannot open", to)
		return nil
	}
	if f == nil {
		return nil // skipped
	}
	_, readErr, writeErr := stream.Copy(ctx, &cursor{f: f}, r)
	attr := vfs.Attr{Mode: &perm}
	if !x.touch {
		attr.ModTime = &h.ModTime
	}
	_, attrErr := vfs.SetFileAttr(f, attr)
	if err := errors.Join(writeErr, attrErr, f.Close()); err != nil && ctx.Err() == nil {
		x.fail(err, "%s: Cannot write", to)
	}
	return readErr
}

// cursor writes a file in order.
type cursor struct {
	f   vfs.File
	off int64
}

func (c *cursor) Write(p []byte) (int, error) {
	n, err := c.f.WriteAt(p, c.off)
	c.off += int64(n)
	return n, err
}

func (x *extractor) makeDir(ctx context.Context, h *tar.Header, to string) error {
	p := x.inv.Path(to)
	err := x.inv.FS.MkdirAll(ctx, p, fs.FileMode(0o777&^x.inv.Umask))
	if err != nil {
		return err
	}
	if _, ok := x.dirs[p]; !ok {
		x.order = append(x.order, p)
	}
	x.dirs[p] = h
	return nil
}

// finishDirs gives the directories their modes and times, the deepest first.
func (x *extractor) finishDirs(ctx context.Context) {
	for i := len(x.order) - 1; i >= 0 && ctx.Err() == nil; i-- {
		h := x.dirs[x.order[i]]
		perm := unixmode.FileMode(uint32(h.Mode))
		if !x.permissions {
			perm = unixmode.FileMode(uint32(h.Mode) & 0o777 &^ x.inv.Umask)
		}
		attr := vfs.Attr{Mode: &perm}
		if !x.touch {
			attr.ModTime = &h.ModTime
		}
		if err := x.inv.FS.SetAttr(ctx, x.order[i], attr, false); err != nil {
			x.fail(err, "%s: Cannot change mode", h.Name)
		}
	}
}

// list writes a member's line, long with -tv and -cvv.
func (j *job) list(w io.Writer, h *tar.Header) {
	name := h.Name
	if j.mode == 't' && j.verbose == 0 || j.mode != 't' && j.verbose < 2 {
		fmt.Fprintln(w, name)
		return
	}
	owner := h.Uname + "/" + h.Gname
	if h.Uname == "" {
		owner = fmt.Sprintf("%d/%d", h.Uid, h.Gid)
	}
	size := fmt.Sprint(h.Size)
	if h.Typeflag == tar.TypeChar || h.Typeflag == tar.TypeBlock {
		size = fmt.Sprintf("%d,%d", h.Devmajor, h.Devminor)
	}
	switch h.Typeflag {
	case tar.TypeSymlink:
		name += " -> " + h.Linkname
	case tar.TypeLink:
		name += " link to " + h.Linkname
	}
	// Owner and size share a column of 19, as GNU tar starts with.
	pad := max(1, 19-len(owner)-len(size))
	fmt.Fprintf(w, "%s %s%*s%s %s %s\n", modeOf(h), owner, pad, "", size, h.ModTime.In(j.zone()).Format("2006-01-02 15:04"), name)
}

func (j *job) zone() *time.Location {
	if j.inv.Location == nil {
		return time.UTC
	}
	return j.inv.Location
}

// modeOf is the column of permissions; a hard link shows as 'h'.
func modeOf(h *tar.Header) string {
	m := unixmode.FileMode(uint32(h.Mode))
	switch h.Typeflag {
	case tar.TypeDir:
		m |= fs.ModeDir
	case tar.TypeSymlink:
		m |= fs.ModeSymlink
	case tar.TypeChar:
		m |= fs.ModeDevice | fs.ModeCharDevice
	case tar.TypeBlock:
		m |= fs.ModeDevice
	case tar.TypeFifo:
		m |= fs.ModeNamedPipe
	}
	s := unixmode.String(m)
	if h.Typeflag == tar.TypeLink {
		s = "h" + s[1:]
	}
	return s
}
