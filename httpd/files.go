package httpd

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"mirage/client"
	"mirage/internal/unixmode"
	"mirage/vfs"
)

// files runs VFS calls in one session. open looks the session up.
type files struct {
	prefix string
	open   func() (*vfs.View, error)
}

// maxRead is the most that one read or cat answers; bigger files are read in
// pieces with offset and size.
const maxRead = 64 << 20

func (f files) read(ctx context.Context, a readArgs) (any, error) {
	data, err := f.content(ctx, a)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"data_base64": data}, nil
}

func (f files) content(ctx context.Context, a readArgs) ([]byte, error) {
	if a.Offset < 0 || a.Size != nil && *a.Size < 0 {
		return nil, &fs.PathError{Op: "read", Path: a.Path, Err: syscall.EINVAL}
	}
	v, err := f.open()
	if err != nil {
		return nil, err
	}
	h, err := v.Open(ctx, a.Path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	limit := int64(maxRead)
	if a.Size != nil {
		limit = min(limit, *a.Size)
	}
	data, err := io.ReadAll(io.NewSectionReader(h, a.Offset, limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) <= limit:
		return data, nil
	case a.Size != nil && *a.Size <= maxRead:
		return data[:limit], nil
	}
	return nil, &fs.PathError{Op: "read", Path: a.Path, Err: syscall.EFBIG}
}

func (f files) cat(ctx context.Context, a pathArgs) (any, error) {
	data, err := f.content(ctx, readArgs{Path: a.Path})
	if err != nil {
		return nil, err
	}
	s, _ := client.Text(data)
	return map[string]string{"text": s}, nil
}

// writeAt opens a file with the given flags beside O_WRONLY and writes data.
func (f files) writeAt(ctx context.Context, name string, data []byte, off int64, flag int) (any, error) {
	if off < 0 {
		return nil, &fs.PathError{Op: "write", Path: name, Err: syscall.EINVAL}
	}
	v, err := f.open()
	if err != nil {
		return nil, err
	}
	h, err := v.Open(ctx, name, os.O_WRONLY|flag, 0o644)
	if err != nil {
		return nil, err
	}
	if len(data) > 0 {
		_, err = h.WriteAt(data, off)
	}
	return nil, errors.Join(err, h.Close())
}

func (f files) write(ctx context.Context, a dataArgs) (any, error) {
	return f.do(func(v *vfs.View) error { return v.WriteFile(ctx, a.Path, a.Data, 0o644) })
}

func (f files) append(ctx context.Context, a dataArgs) (any, error) {
	return f.writeAt(ctx, a.Path, a.Data, 0, os.O_CREATE|os.O_APPEND)
}

func (f files) pwrite(ctx context.Context, a pwriteArgs) (any, error) {
	return f.writeAt(ctx, a.Path, a.Data, a.Offset, os.O_CREATE)
}

func (f files) create(ctx context.Context, a pathArgs) (any, error) {
	return f.writeAt(ctx, a.Path, nil, 0, os.O_CREATE|os.O_EXCL)
}

func (f files) info(ctx context.Context, a linkArgs) (vfs.Info, error) {
	v, err := f.open()
	if err != nil {
		return vfs.Info{}, err
	}
	if a.Nofollow {
		return v.Lstat(ctx, a.Path)
	}
	return v.Stat(ctx, a.Path)
}

func (f files) stat(ctx context.Context, a linkArgs) (any, error) {
	info, err := f.info(ctx, a)
	if err != nil {
		return nil, err
	}
	return map[string]client.FileStat{"stat": fileStat(info)}, nil
}

func fileStat(i vfs.Info) client.FileStat {
	mode, uid, gid := int(i.Mode.Perm()), i.UID, i.GID
	st := client.FileStat{
		Name: i.Name, Type: "file", Mode: &mode, UID: &uid, GID: &gid, Extra: map[string]any{},
		Modified: iso(i.ModTime), Atime: iso(i.AccessTime), Ctime: iso(i.ChangeTime), Birthtime: iso(i.BirthTime),
	}
	if i.Size >= 0 {
		st.Size = &i.Size
	}
	if i.Revision != "" {
		st.Revision = &i.Revision
	}
	switch {
	case i.IsDir():
		st.Type = "directory"
	case i.IsLink():
		st.Type = "symlink"
		st.Extra["link_target"] = i.Target
	case i.Mode&fs.ModeCharDevice != 0:
		st.Type = "char_device"
		st.Extra["device_numbers"] = []uint64{i.Rdev >> 8, i.Rdev & 0xff}
	}
	return st
}

// iso is a time in ISO 8601, nil when it is not known.
func iso(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format(time.RFC3339Nano)
	return &s
}

func (f files) list(ctx context.Context, name string) ([]vfs.Info, error) {
	v, err := f.open()
	if err != nil {
		return nil, err
	}
	return v.ReadNames(ctx, name)
}

func (f files) readdir(ctx context.Context, a pathArgs) (any, error) {
	list, err := f.list(ctx, a.Path)
	if err != nil {
		return nil, err
	}
	dir := path.Clean(a.Path)
	out := make([]string, 0, len(list))
	for _, i := range list {
		out = append(out, path.Join(dir, i.Name))
	}
	return map[string][]string{"entries": out}, nil
}

func (f files) listFiles(ctx context.Context, a pathArgs) (any, error) {
	list, err := f.list(ctx, a.Path)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(list))
	for _, i := range list {
		if !i.IsDir() {
			out = append(out, i.Name)
		}
	}
	return map[string][]string{"files": out}, nil
}

// is answers a question about a file; what is missing, or below a file, is a
// no.
func (f files) is(ctx context.Context, key, name string, test func(vfs.Info) bool) (any, error) {
	info, err := f.info(ctx, linkArgs{Path: name})
	switch errno := vfs.Errno(err); {
	case err == nil:
		return map[string]bool{key: test(info)}, nil
	case errno == syscall.ENOENT, errno == syscall.ENOTDIR:
		return map[string]bool{key: false}, nil
	}
	return nil, err
}

func (f files) exists(ctx context.Context, a pathArgs) (any, error) {
	return f.is(ctx, "exists", a.Path, func(vfs.Info) bool { return true })
}

func (f files) isDir(ctx context.Context, a pathArgs) (any, error) {
	return f.is(ctx, "is_dir", a.Path, vfs.Info.IsDir)
}

func (f files) isFile(ctx context.Context, a pathArgs) (any, error) {
	return f.is(ctx, "is_file", a.Path, func(i vfs.Info) bool { return !i.IsDir() })
}

func (f files) mkdir(ctx context.Context, a pathArgs) (any, error) {
	return f.do(func(v *vfs.View) error { return v.Mkdir(ctx, a.Path, 0o755) })
}

func (f files) rmdir(ctx context.Context, a pathArgs) (any, error) {
	return f.do(func(v *vfs.View) error { return v.Rmdir(ctx, a.Path) })
}

func (f files) unlink(ctx context.Context, a pathArgs) (any, error) {
	return f.do(func(v *vfs.View) error { return v.Unlink(ctx, a.Path) })
}

func (f files) rename(ctx context.Context, a renameArgs) (any, error) {
	return f.do(func(v *vfs.View) error { return v.Rename(ctx, a.Src, a.Dst, 0) })
}

func (f files) symlink(ctx context.Context, a symlinkArgs) (any, error) {
	return f.do(func(v *vfs.View) error { return v.Symlink(ctx, a.Target, a.Path) })
}

func (f files) truncate(ctx context.Context, a truncateArgs) (any, error) {
	return f.do(func(v *vfs.View) error { return v.Truncate(ctx, a.Path, a.Length) })
}

// do runs a call that answers nothing.
func (f files) do(call func(*vfs.View) error) (any, error) {
	v, err := f.open()
	if err != nil {
		return nil, err
	}
	return nil, call(v)
}

func (f files) readlink(ctx context.Context, a pathArgs) (any, error) {
	v, err := f.open()
	if err != nil {
		return nil, err
	}
	target, err := v.Readlink(ctx, a.Path)
	if err != nil {
		return nil, err
	}
	return map[string]string{"target": target}, nil
}

func (f files) setattr(ctx context.Context, a setattrArgs) (any, error) {
	attr := vfs.Attr{UID: a.UID.id, GID: a.GID.id}
	if a.Mode != nil {
		if *a.Mode < 0 || *a.Mode > 0o7777 {
			return nil, badRequest("%s: mode must be between 0 and 4095", f.prefix)
		}
		m := unixmode.FileMode(uint32(*a.Mode))
		attr.Mode = &m
	}
	for _, t := range []struct {
		name string
		text *string
		to   **time.Time
	}{{"atime", a.Atime, &attr.AccessTime}, {"mtime", a.Mtime, &attr.ModTime}} {
		if t.text == nil {
			continue
		}
		at, err := parseTime(*t.text)
		if err != nil {
			return nil, badRequest("%s: %s must be an ISO 8601 time, got %q", f.prefix, t.name, *t.text)
		}
		*t.to = &at
	}
	if _, err := f.do(func(v *vfs.View) error { return v.SetAttr(ctx, a.Path, attr, !a.Nofollow) }); err != nil {
		return nil, err
	}
	// What a backend cannot hold, the workspace's node table does.
	return map[string]any{"changed": map[string]any{}}, nil
}

// parseTime reads ISO 8601 with or without a zone (UTC).
func parseTime(s string) (time.Time, error) {
	s = strings.Replace(s, " ", "T", 1)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errors.New("not a time")
}

func (f files) getxattr(ctx context.Context, a xattrArgs) (any, error) {
	v, err := f.open()
	if err != nil {
		return nil, err
	}
	value, err := v.GetXattr(ctx, a.Path, a.Name, !a.Nofollow)
	if err != nil {
		return nil, err
	}
	if value == nil {
		value = []byte{}
	}
	return map[string][]byte{"value_base64": value}, nil
}

func (f files) listxattr(ctx context.Context, a linkArgs) (any, error) {
	v, err := f.open()
	if err != nil {
		return nil, err
	}
	names, err := v.ListXattr(ctx, a.Path, !a.Nofollow)
	if err != nil {
		return nil, err
	}
	if names == nil {
		names = []string{}
	}
	return map[string][]string{"names": names}, nil
}

func (f files) setxattr(ctx context.Context, a setxattrArgs) (any, error) {
	return f.do(func(v *vfs.View) error {
		return v.SetXattr(ctx, a.Path, a.Name, a.Value, a.Create, a.Replace, !a.Nofollow)
	})
}

func (f files) removexattr(ctx context.Context, a xattrArgs) (any, error) {
	return f.do(func(v *vfs.View) error { return v.RemoveXattr(ctx, a.Path, a.Name, !a.Nofollow) })
}
