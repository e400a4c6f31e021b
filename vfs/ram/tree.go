package ram

import (
	"context"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mirage/vfs"
)

// rootIno is the inode number of the root directory.
const rootIno = 1

// dirSize is the size that a directory shows, as on ext4.
const dirSize = 4096

// tree is a whole filesystem at one moment. What it refers to never changes,
// so it is read without locks for as long as anybody likes. Writers copy the
// struct, change the copy by its methods, and publish it.
type tree struct {
	inodes  radix[*inode]
	next    uint64 // the next inode number
	entries int64  // names in all directories
	bytes   int64  // memory of contents, link texts and attributes
	rev     uint64 // counts changes of contents
}

// inode is one file. It never changes once it is in a tree.
type inode struct {
	ino      uint64
	mode     fs.FileMode
	uid, gid int
	nlink    int
	rev      uint64 // of the content
	modified time.Time
	accessed time.Time
	changed  time.Time
	born     time.Time

	content content // of a regular file
	target  string  // of a symbolic link
	dir     *dir    // of a directory
	parent  uint64  // of a directory
	xattrs  map[string][]byte
}

// empty answers a tree that holds nothing but its root.
func empty(o Options) tree {
	root := o.inode(fs.ModeDir|0o755, o.Now())
	root.ino, root.parent, root.nlink = rootIno, rootIno, 2
	t := tree{next: rootIno + 1}
	t.inodes = t.inodes.set(rootIno, root)
	return t
}

// inode answers a new file.
func (o Options) inode(mode fs.FileMode, now time.Time) *inode {
	return &inode{mode: mode, uid: o.UID, gid: o.GID, nlink: 1, modified: now, accessed: now, changed: now, born: now}
}

func (in *inode) isDir() bool     { return in.mode.IsDir() }
func (in *inode) isLink() bool    { return in.mode&fs.ModeSymlink != 0 }
func (in *inode) isRegular() bool { return in.mode.IsRegular() }

// info describes the file under a name.
func (in *inode) info(name string) vfs.Info {
	i := vfs.Info{
		Name: name, Mode: in.mode, UID: in.uid, GID: in.gid, Nlink: in.nlink, Ino: in.ino,
		ModTime: in.modified, AccessTime: in.accessed, ChangeTime: in.changed, BirthTime: in.born,
	}
	switch {
	case in.isDir():
		i.Size, i.Blocks = dirSize, dirSize/512
	case in.isLink():
		i.Size, i.Target = int64(len(in.target)), in.target
	default:
		i.Size, i.Blocks = in.content.size, in.content.pages*(page/512)
		i.Revision = strconv.FormatUint(in.rev, 36)
	}
	return i
}

// walk goes down name without following links; see vfs.Walker.
func (t *tree) walk(name string, pass func(int) error) (in *inode, n int, err error) {
	in = t.inodes.get(rootIno)
	if name == "." {
		return in, 1, nil
	}
	for start := 0; ; {
		end := len(name)
		if i := strings.IndexByte(name[start:], '/'); i >= 0 {
			end = start + i
		}
		child := t.inodes.get(in.dir.get(name[start:end]))
		if child == nil {
			return nil, end, syscall.ENOENT
		}
		in = child
		if end == len(name) || in.isLink() {
			return in, end, nil
		}
		if !in.isDir() {
			return nil, end, syscall.ENOTDIR
		}
		if pass != nil {
			if err := pass(end); err != nil {
				return nil, end, err
			}
		}
		start = end + 1
	}
}

// lookup answers the file of a name; ELOOP when a link is on the way.
func (t *tree) lookup(name string) (*inode, error) {
	in, n, err := t.walk(name, nil)
	if err == nil && n < len(name) {
		return nil, syscall.ELOOP
	}
	return in, err
}

// lookupParent answers the directory that holds name, and its last component.
func (t *tree) lookupParent(name string) (*inode, string, error) {
	if name == "." {
		return nil, "", syscall.EBUSY
	}
	dir, base := ".", name
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		dir, base = name[:i], name[i+1:]
	}
	if len(base) > 255 {
		return nil, "", syscall.ENAMETOOLONG
	}
	in, err := t.lookup(dir)
	switch {
	case err != nil:
		return nil, "", err
	case in.isLink():
		return nil, "", syscall.ELOOP
	case !in.isDir():
		return nil, "", syscall.ENOTDIR
	}
	return in, base, nil
}

// child answers the file of a name in a directory, nil when there is none.
func (t *tree) child(dir *inode, name string) *inode {
	return t.inodes.get(dir.dir.get(name))
}

// edit replaces a file by a changed copy.
func (t *tree) edit(ino uint64, change func(*inode)) {
	c := *t.inodes.get(ino)
	change(&c)
	t.inodes = t.inodes.set(ino, &c)
}

// attach gives an inode another name in a directory.
func (t *tree) attach(dir uint64, name string, in *inode, now time.Time) {
	t.entries++
	t.edit(dir, func(d *inode) {
		d.dir = d.dir.put(name, in.ino)
		d.modified, d.changed = now, now
		if in.isDir() {
			d.nlink++
		}
	})
}

// detach takes a name out of a directory.
func (t *tree) detach(dir uint64, name string, in *inode, now time.Time) {
	t.entries--
	t.edit(dir, func(d *inode) {
		d.dir = d.dir.remove(name)
		d.modified, d.changed = now, now
		if in.isDir() {
			d.nlink--
		}
	})
}

// add puts a new file into the tree.
func (t *tree) add(dir uint64, name string, in *inode, now time.Time) {
	in.ino = t.next
	t.next++
	if in.isDir() {
		in.parent, in.nlink = dir, 2
	}
	t.bytes += in.weight()
	t.inodes = t.inodes.set(in.ino, in)
	t.attach(dir, name, in, now)
}

// weight is what a file counts towards Options.MaxBytes.
func (in *inode) weight() int64 {
	w := in.content.bytes + int64(len(in.target))
	for name, v := range in.xattrs {
		w += int64(len(name) + len(v))
	}
	return w
}

// drop forgets an inode.
func (t *tree) drop(ino uint64) {
	t.bytes -= t.inodes.get(ino).weight()
	t.inodes = t.inodes.unset(ino, func(in *inode) bool { return in == nil })
}

// inside reports whether the directory dir is top or below it.
func (t *tree) inside(dir, top uint64) bool {
	for dir != top {
		if dir == rootIno {
			return false
		}
		dir = t.inodes.get(dir).parent
	}
	return true
}

// list answers the entries of a directory.
func (t *tree) list(ctx context.Context, name string) ([]vfs.Info, error) {
	in, err := t.lookup(name)
	switch {
	case err != nil:
		return nil, err
	case !in.isDir():
		return nil, syscall.ENOTDIR
	}
	list := make([]vfs.Info, 0, in.dir.len())
	whole := in.dir.each(func(e dirEntry) bool {
		list = append(list, t.inodes.get(e.ino).info(e.name))
		return len(list)%256 != 0 || ctx.Err() == nil
	})
	if !whole {
		return nil, syscall.EINTR
	}
	return list, nil
}

// The read half of vfs.FS, for the live tree and for snapshots.

func (t *tree) stat(ctx context.Context, name string) (vfs.Info, error) {
	if err := check(ctx, name); err != nil {
		return vfs.Info{}, fail("stat", name, err)
	}
	in, err := t.lookup(name)
	if err != nil {
		return vfs.Info{}, fail("stat", name, err)
	}
	return in.info(path.Base(name)), nil
}

func (t *tree) walkInfo(ctx context.Context, name string, pass func(int) error) (vfs.Info, int, error) {
	if err := check(ctx, name); err != nil {
		return vfs.Info{}, len(name), fail("walk", name, err)
	}
	in, n, err := t.walk(name, pass)
	if err != nil {
		return vfs.Info{}, n, fail("walk", name, err)
	}
	return in.info(path.Base(name[:n])), n, nil
}

func (t *tree) readDir(ctx context.Context, name string) ([]vfs.Info, error) {
	if err := check(ctx, name); err != nil {
		return nil, fail("readdir", name, err)
	}
	list, err := t.list(ctx, name)
	return list, fail("readdir", name, err)
}

func (t *tree) getXattr(ctx context.Context, name, attr string) ([]byte, error) {
	if err := check(ctx, name); err != nil {
		return nil, fail("getxattr", name, err)
	}
	in, err := t.lookup(name)
	if err != nil {
		return nil, fail("getxattr", name, err)
	}
	value, ok := in.xattrs[attr]
	if !ok {
		return nil, fail("getxattr", name, syscall.ENODATA)
	}
	return append([]byte{}, value...), nil
}

func (t *tree) usage(o Options) vfs.Usage {
	u := vfs.Usage{Total: -1, Free: -1, Avail: -1, Files: -1, FilesFree: -1}
	if o.MaxBytes > 0 {
		u.Total = o.MaxBytes
		u.Free = max(0, o.MaxBytes-t.bytes)
		u.Avail = u.Free
	}
	if o.MaxEntries > 0 {
		u.Files = o.MaxEntries
		u.FilesFree = max(0, o.MaxEntries-t.entries)
	}
	return u
}

// check is the start of every call.
func check(ctx context.Context, name string) error {
	if ctx.Err() != nil {
		return syscall.EINTR
	}
	if !vfs.ValidName(name) {
		return syscall.EINVAL
	}
	return nil
}

func fail(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: vfs.Errno(err)}
}
