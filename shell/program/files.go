package program

import (
	"context"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"mirage/vfs"
)

// Getenv answers the value of an exported variable, "" when unset.
func (inv *Invocation) Getenv(name string) string {
	v, _ := inv.LookupEnv(name)
	return v
}

// LookupEnv is Getenv that tells unset from empty.
func (inv *Invocation) LookupEnv(name string) (string, bool) {
	for i := len(inv.Env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(inv.Env[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// Path answers an operand as the absolute name that FS takes. It joins and
// nothing more: "..", links and trailing slashes are the tree's to resolve.
// An empty operand stays empty, which every call answers with ENOENT.
func (inv *Invocation) Path(operand string) string {
	if operand == "" || operand[0] == '/' {
		return operand
	}
	if inv.Dir == "/" {
		return "/" + operand
	}
	return inv.Dir + "/" + operand
}

// Open opens an operand for reading in order. "-" is not special here.
// /dev/stdin and /dev/fd/N are the shell's descriptors. A directory opens, and
// its first Read answers EISDIR, as read(2) does.
func (inv *Invocation) Open(ctx context.Context, operand string) (io.ReadCloser, error) {
	if d, ok, err := inv.descriptor(operand); ok {
		if err != nil {
			return nil, err
		}
		return io.NopCloser(d), nil
	}
	f, err := inv.FS.Open(ctx, inv.Path(operand), os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return &Cursor{File: f}, nil
}

// Create opens an operand for writing in order: O_WRONLY|O_CREATE and the
// given flags (os.O_TRUNC, os.O_APPEND, ...), mode 0666 less the umask.
func (inv *Invocation) Create(ctx context.Context, operand string, flag int) (io.WriteCloser, error) {
	if d, ok, err := inv.descriptor(operand); ok {
		if err != nil {
			return nil, err
		}
		return nopWriteCloser{d}, nil
	}
	f, err := inv.FS.Open(ctx, inv.Path(operand), os.O_WRONLY|os.O_CREATE|flag, fs.FileMode(0o666&^inv.Umask))
	if err != nil {
		return nil, err
	}
	return &Cursor{File: f}, nil
}

// descriptor resolves the names of /dev that stand for open descriptors.
func (inv *Invocation) descriptor(operand string) (Descriptor, bool, error) {
	n := -1
	switch name := inv.Path(operand); {
	case name == "/dev/stdin":
		n = 0
	case name == "/dev/stdout":
		n = 1
	case name == "/dev/stderr":
		n = 2
	case strings.HasPrefix(name, "/dev/fd/"):
		i, err := strconv.Atoi(name[len("/dev/fd/"):])
		if err != nil || i < 0 {
			return nil, false, nil
		}
		n = i
	default:
		return nil, false, nil
	}
	if inv.FD != nil {
		if d, ok := inv.FD(n); ok {
			return d, true, nil
		}
	}
	return nil, true, &fs.PathError{Op: "open", Path: operand, Err: syscall.ENOENT}
}

// Cursor reads and writes a vfs.File in order. It is not safe for concurrent
// use.
type Cursor struct {
	File vfs.File
	Off  int64
}

// Read reads at the cursor.
func (c *Cursor) Read(p []byte) (int, error) {
	n, err := c.File.ReadAt(p, c.Off)
	c.Off += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// Write writes at the cursor.
func (c *Cursor) Write(p []byte) (int, error) {
	n, err := c.File.WriteAt(p, c.Off)
	c.Off += int64(n)
	return n, err
}

// Seek moves the cursor.
func (c *Cursor) Seek(off int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		off += c.Off
	case io.SeekEnd:
		info, err := c.File.Stat()
		if err != nil {
			return 0, err
		}
		off += info.Size
	}
	if off < 0 {
		return 0, syscall.EINVAL
	}
	c.Off = off
	return off, nil
}

// Close closes the file.
func (c *Cursor) Close() error { return c.File.Close() }

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }

// OpenOperand is Open for the operands of filters: "-" is standard input.
func (inv *Invocation) OpenOperand(ctx context.Context, operand string) (io.ReadCloser, error) {
	if operand == "-" {
		return io.NopCloser(inv.Stdin), nil
	}
	return inv.Open(ctx, operand)
}

// entrySize is about what an entry of a directory takes in memory.
const entrySize = 300

// ReadDir lists a directory; release must follow when the list is no longer
// needed. It fails with ENOMEM when there is no memory for the list.
func (inv *Invocation) ReadDir(ctx context.Context, operand string) (list []vfs.Info, release func(), err error) {
	list, err = inv.FS.ReadDir(ctx, inv.Path(operand))
	held := inv.Meter()
	if err == nil && !held.Hold(int64(len(list))*entrySize) {
		list, err = nil, &fs.PathError{Op: "readdir", Path: operand, Err: syscall.ENOMEM}
	}
	return list, func() { held.Hold(0) }, err
}
