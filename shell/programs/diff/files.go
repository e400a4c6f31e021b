package diff

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"
	"time"

	"mirage/shell/program/stream"
	"mirage/vfs"
)

// pair is two files that are compared.
type pair struct {
	files [2]file
	// inDir is set for files found in two directories.
	inDir bool
	// parent is the pair of directories that they were found in.
	parent *pair
}

// operands compares two operands.
func (c *command) operands(a, b string) int {
	p := &pair{}
	names := [2]string{a, b}
	var errs [2]error
	for i, name := range names {
		f := &p.files[i]
		f.name = name
		if i < len(c.labels) {
			f.label = c.labels[i]
		}
		f.info, errs[i] = c.stat(name)
		f.modTime = f.info.ModTime
	}
	// A file against a directory is compared with the file of its name there.
	for i := range p.files {
		dir, other := &p.files[i], &p.files[1-i]
		if errs[0] != nil || errs[1] != nil || !dir.info.IsDir() || other.info.IsDir() {
			continue
		}
		if other.name == "-" {
			c.errorf("cannot compare '-' to a directory")
			return trouble
		}
		dir.name = join(dir.name, path.Base(other.name))
		dir.info, errs[i] = c.stat(dir.name)
		dir.modTime = dir.info.ModTime
		break
	}
	missing := func(i int) bool { return errors.Is(errs[i], syscall.ENOENT) }
	if c.newFile || c.newFirst {
		for i := range p.files {
			if missing(i) && errs[1-i] == nil && (c.newFile || i == 0) {
				p.files[i].missing(p.files[1-i])
				errs[i] = nil
			}
		}
	}
	status := same
	for i, err := range errs {
		if err != nil {
			status = c.fileError(p.files[i].name, err)
		}
	}
	if status != same {
		return status
	}
	return c.pair(p)
}

// missing makes a file one that is not there, next to other.
func (f *file) missing(other file) {
	f.absent = true
	f.info = vfs.Info{Mode: other.info.Mode & fs.ModeType}
	f.modTime = time.Unix(0, 0)
}

// stat describes an operand; "-" is standard input, and /dev/fd/n may be the
// end of a pipe, which has no name in the tree.
func (c *command) stat(name string) (vfs.Info, error) {
	if name == "-" || c.inv.IsDescriptor(name) {
		return vfs.Info{Size: -1, ModTime: c.inv.Now()}, nil
	}
	if c.noDereference {
		return c.inv.FS.Lstat(c.ctx, c.inv.Path(name))
	}
	return c.inv.FS.Stat(c.ctx, c.inv.Path(name))
}

// join appends a name to a directory's.
func join(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// title is how messages call a file.
func (f *file) title() string {
	if f.label != "" {
		return f.label
	}
	return f.name
}

// pair compares two files that are there, or treated as empty.
func (c *command) pair(p *pair) int {
	if c.ctx.Err() != nil {
		return trouble
	}
	a, b := &p.files[0], &p.files[1]
	status := same
	switch {
	case !a.absent && !b.absent && c.silentOnSame() && c.sameFile(a, b):
		// Nothing to look at.
	case a.info.IsDir() && b.info.IsDir():
		if c.style == ifdef {
			c.errorf("-D option not supported with directories")
			return trouble
		}
		if p.inDir && !c.recursive {
			c.print("Common subdirectories: ", a.title(), " and ", b.title(), "\n")
			return same
		}
		return c.directories(p)
	case a.info.IsDir() || b.info.IsDir() || a.info.IsLink() || b.info.IsLink() || p.inDir && (!a.info.IsRegular() || !b.info.IsRegular()):
		if a.info.IsLink() && b.info.IsLink() {
			if a.info.Target != b.info.Target {
				c.print("Symbolic links ", a.title(), " and ", b.title(), " differ\n")
				status = differ
			}
			break
		}
		c.print("File ", a.title(), " is a ", typeName(a.info), " while file ", b.title(), " is a ", typeName(b.info), "\n")
		return differ
	case c.bytesTell() && a.info.IsRegular() && b.info.IsRegular() && a.info.Size >= 0 && b.info.Size >= 0 && a.info.Size != b.info.Size && a.name != "-" && b.name != "-":
		c.print("Files ", a.title(), " and ", b.title(), " differ\n")
		return differ
	default:
		defer c.held.Free()
		for i := range p.files {
			if err := c.read(&p.files[i]); err != nil {
				return c.readError(p.files[i].name, err)
			}
		}
		status = c.texts(p)
	}
	if status == same && c.identical && !a.info.IsDir() {
		c.print("Files ", a.title(), " and ", b.title(), " are identical\n")
	}
	return status
}

// silentOnSame tells whether the style prints nothing of equal files.
func (c *command) silentOnSame() bool { return c.style != sideBySide && c.style != ifdef }

// bytesTell tells whether all that is asked is whether the bytes differ.
func (c *command) bytesTell() bool {
	return c.brief && c.white == noWhite && !c.ignoreCase && !c.ignoreBlank && c.ignore == nil && !c.stripCR && !c.text
}

func (c *command) sameFile(a, b *file) bool {
	if a.name == "-" || b.name == "-" {
		return a.name == b.name
	}
	return c.inv.SameFile(c.ctx, a.name, a.info, b.name, b.info)
}

// typeName is what messages call a kind of file.
func typeName(info vfs.Info) string {
	switch {
	case info.IsRegular() && info.Size == 0:
		return "regular empty file"
	case info.IsRegular():
		return "regular file"
	case info.IsDir():
		return "directory"
	case info.IsLink():
		return "symbolic link"
	case info.Mode&fs.ModeCharDevice != 0:
		return "character special file"
	case info.Mode&fs.ModeDevice != 0:
		return "block special file"
	case info.Mode&fs.ModeNamedPipe != 0:
		return "fifo"
	case info.Mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "weird file"
}

// read reads a file whole.
func (c *command) read(f *file) error {
	switch {
	case f.absent:
		return nil
	case f.name == "-":
		if !c.stdinRead {
			c.stdinRead = true
			c.stdin, c.stdinErr = stream.NewHeld(c.inv).ReadAll(c.ctx, c.inv.Stdin)
		}
		if err := c.held.Add(int64(len(c.stdin))); err != nil {
			return err
		}
		f.data = bytes.Clone(c.stdin)
		return c.stdinErr
	}
	r, err := c.inv.Open(c.ctx, f.name)
	if err != nil {
		return err
	}
	defer r.Close()
	f.data, err = c.held.ReadAll(c.ctx, r)
	return err
}

func (c *command) readError(name string, err error) int {
	if errors.Is(err, stream.ErrMemory) {
		c.errorf("memory exhausted")
		return trouble
	}
	return c.fileError(name, err)
}

// texts compares what two files hold.
func (c *command) texts(p *pair) int {
	f := &p.files
	if c.bytesTell() || !c.text && (f[0].binary() || f[1].binary()) {
		if bytes.Equal(f[0].data, f[1].data) {
			return same
		}
		word := "Binary files "
		if c.brief {
			word = "Files "
		}
		c.print(word, f[0].title(), " and ", f[1].title(), " differ\n")
		return differ
	}
	status := same
	for i := range f {
		if c.stripCR {
			f[i].data = stripCR(f[i].data)
		}
		if err := f[i].split(c.held); err != nil {
			return c.readError(f[i].name, err)
		}
	}
	classes := c.number(f)
	if err := c.compareLines(c.ctx, f, classes); err != nil {
		return trouble
	}
	shift(c.ctx, &f[0], &f[1])
	shift(c.ctx, &f[1], &f[0])
	changes := script(f)
	for i := range f {
		f[i].equivs, f[i].changed = nil, nil
	}
	if c.ignoreBlank || c.ignore != nil {
		for i := range changes {
			changes[i].ignored = c.trivial(f, changes[i])
		}
		for _, hunk := range c.hunks(changes) {
			if c.kind(f, hunk) != unchanged {
				status = differ
				break
			}
		}
	} else if len(changes) > 0 {
		status = differ
	}
	if c.ctx.Err() != nil {
		return trouble
	}
	if c.brief {
		if status == differ {
			c.print("Files ", f[0].title(), " and ", f[1].title(), " differ\n")
		}
	} else if len(changes) > 0 || !c.silentOnSame() {
		w := &writer{command: c, pair: p}
		w.write(changes)
	}
	if !c.robust() {
		for i := range f {
			if f[i].open {
				c.errorf("%s: No newline at end of file\n", f[i].title())
				status = trouble
			}
		}
	}
	return status
}

// print writes pieces of a message.
func (c *command) print(pieces ...string) {
	for _, s := range pieces {
		_, _ = c.out.WriteString(s)
	}
}
