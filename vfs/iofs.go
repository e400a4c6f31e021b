package vfs

import (
	"context"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// IOFS shows a backend as an fs.FS, for code of the standard library that
// takes one. The context governs every call made through it. Links are shown
// as such, and not followed.
func IOFS(ctx context.Context, fsys FS) fs.FS { return &ioFS{ctx, fsys} }

// IOFS shows the tree of the view, with the rules of its session, as an fs.FS.
// Links are followed.
func (v *View) IOFS(ctx context.Context) fs.FS { return &ioFS{ctx, viewFS{v}} }

// viewFS names the files of a view the way a backend does.
type viewFS struct{ v *View }

func absolute(name string) string {
	if name == "." {
		return "/"
	}
	return "/" + name
}

func (f viewFS) Open(ctx context.Context, name string, flag int, perm fs.FileMode) (File, error) {
	return f.v.Open(ctx, absolute(name), flag, perm)
}

func (f viewFS) Stat(ctx context.Context, name string) (Info, error) {
	return f.v.Stat(ctx, absolute(name))
}

func (f viewFS) Lstat(ctx context.Context, name string) (Info, error) {
	return f.v.Lstat(ctx, absolute(name))
}

func (f viewFS) Readlink(ctx context.Context, name string) (string, error) {
	return f.v.Readlink(ctx, absolute(name))
}

func (f viewFS) ReadDir(ctx context.Context, name string) ([]Info, error) {
	return f.v.ReadDir(ctx, absolute(name))
}

type ioFS struct {
	ctx  context.Context
	fsys FS
}

// fsError puts an error under the name that io/fs knows.
func fsError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: Errno(err)}
}

func (f *ioFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file, err := f.fsys.Open(f.ctx, name, os.O_RDONLY, 0)
	if err != nil {
		return nil, fsError("open", name, err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, fsError("open", name, err)
	}
	if info.IsDir() {
		return &ioDir{ioFile: ioFile{file: file, name: name}, fsys: f}, nil
	}
	return &ioFile{file: file, name: name}, nil
}

func (f *ioFS) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	info, err := f.fsys.Stat(f.ctx, name)
	if err != nil {
		return nil, fsError("stat", name, err)
	}
	return fileInfo(info, name), nil
}

func (f *ioFS) Lstat(name string) (fs.FileInfo, error) {
	v, ok := f.fsys.(viewFS)
	if !ok || !fs.ValidPath(name) {
		return f.Stat(name)
	}
	info, err := v.Lstat(f.ctx, name)
	if err != nil {
		return nil, fsError("lstat", name, err)
	}
	return fileInfo(info, name), nil
}

func (f *ioFS) ReadLink(name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	if v, ok := f.fsys.(viewFS); ok {
		target, err := v.Readlink(f.ctx, name)
		return target, fsError("readlink", name, err)
	}
	info, err := f.fsys.Stat(f.ctx, name)
	if err == nil && !info.IsLink() {
		err = syscall.EINVAL
	}
	return info.Target, fsError("readlink", name, err)
}

func (f *ioFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	list, err := f.fsys.ReadDir(f.ctx, name)
	if err != nil {
		return nil, fsError("readdir", name, err)
	}
	out := make([]fs.DirEntry, len(list))
	for i, info := range list {
		out[i] = ioEntry{info: info, fsys: f, path: childOf(name, info.Name)}
	}
	return out, nil
}

// fileInfo names the root as io/fs does.
func fileInfo(info Info, name string) fs.FileInfo {
	if name == "." {
		info.Name = "."
	}
	return ioInfo{info}
}

// ioInfo is an Info as an fs.FileInfo. Its Sys is the Info.
type ioInfo struct{ i Info }

func (i ioInfo) Name() string       { return i.i.Name }
func (i ioInfo) Size() int64        { return max(i.i.Size, 0) }
func (i ioInfo) Mode() fs.FileMode  { return i.i.Mode }
func (i ioInfo) ModTime() time.Time { return i.i.ModTime }
func (i ioInfo) IsDir() bool        { return i.i.IsDir() }
func (i ioInfo) Sys() any           { return i.i }
func (i ioInfo) String() string     { return fs.FormatFileInfo(i) }

type ioEntry struct {
	info Info
	fsys *ioFS
	path string
}

func (e ioEntry) Name() string      { return e.info.Name }
func (e ioEntry) IsDir() bool       { return e.info.IsDir() }
func (e ioEntry) Type() fs.FileMode { return e.info.Mode.Type() }
func (e ioEntry) String() string    { return fs.FormatDirEntry(e) }

func (e ioEntry) Info() (fs.FileInfo, error) {
	if e.info.Partial {
		return e.fsys.Lstat(e.path)
	}
	return ioInfo{e.info}, nil
}

// ioFile reads a File in order.
type ioFile struct {
	file File
	name string
	off  int64
}

func (f *ioFile) Stat() (fs.FileInfo, error) {
	info, err := f.file.Stat()
	if err != nil {
		return nil, fsError("stat", f.name, err)
	}
	return fileInfo(info, f.name), nil
}

func (f *ioFile) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.off)
	f.off += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (f *ioFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.file.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = fsError("read", f.name, err)
	}
	return n, err
}

func (f *ioFile) Seek(off int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		off += f.off
	case io.SeekEnd:
		info, err := f.file.Stat()
		if err != nil {
			return 0, fsError("seek", f.name, err)
		}
		off += info.Size
	}
	if off < 0 {
		return 0, fsError("seek", f.name, syscall.EINVAL)
	}
	f.off = off
	return off, nil
}

func (f *ioFile) Close() error { return fsError("close", f.name, f.file.Close()) }

// ioDir is a directory as an fs.ReadDirFile: listed at its first ReadDir.
type ioDir struct {
	ioFile
	fsys *ioFS
	list []fs.DirEntry
	read bool
}

func (d *ioDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if !d.read {
		list, err := d.fsys.ReadDir(d.name)
		if err != nil {
			return nil, err
		}
		d.list, d.read = list, true
	}
	if n <= 0 {
		list := d.list
		d.list = nil
		return list, nil
	}
	if len(d.list) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.list))
	list := d.list[:n]
	d.list = d.list[n:]
	return list, nil
}
