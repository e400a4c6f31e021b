package workspace

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"

	"mirage/vfs"
)

// historyFile is the file /.bash_history: the lines of the session that reads
// it, each after a comment with its time in Unix seconds, as bash writes them
// with HISTTIMEFORMAT set.
type historyFile struct {
	s     *Session // nil: no session is known, and the file refuses
	since time.Time
}

// For implements vfs.Personal.
func (h historyFile) For(owner any) vfs.FS {
	s, _ := owner.(*Session)
	return historyFile{s, h.since}
}

func (h historyFile) fail(op, name string) error {
	err := syscall.ENOTDIR
	switch {
	case name != ".":
	case h.s == nil:
		err = syscall.EACCES
	default:
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// Stat implements vfs.FS.
func (h historyFile) Stat(_ context.Context, name string) (vfs.Info, error) {
	if err := h.fail("stat", name); err != nil {
		return vfs.Info{}, err
	}
	text, changed := h.text()
	return h.info(len(text), changed), nil
}

// ReadDir implements vfs.FS.
func (h historyFile) ReadDir(_ context.Context, name string) ([]vfs.Info, error) {
	return nil, &fs.PathError{Op: "readdir", Path: name, Err: syscall.ENOTDIR}
}

// Open implements vfs.FS. The file does not change while it is open.
func (h historyFile) Open(_ context.Context, name string, flag int, _ fs.FileMode) (vfs.File, error) {
	if err := h.fail("open", name); err != nil {
		return nil, err
	}
	if flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EROFS}
	}
	text, changed := h.text()
	return openHistory{bytes.NewReader(text), h.info(len(text), changed)}, nil
}

func (h historyFile) info(size int, changed time.Time) vfs.Info {
	return vfs.Info{
		Name: ".", Mode: 0o600, Nlink: 1, Ino: 1, Size: int64(size), Blocks: int64(size+4095) / 4096 * 8,
		ModTime: changed, AccessTime: changed, ChangeTime: changed, BirthTime: h.since,
	}
}

func (h historyFile) text() (text []byte, changed time.Time) {
	changed = h.since
	for _, e := range h.s.History() {
		text = append(text, '#')
		text = strconv.AppendInt(text, e.Time.Unix(), 10)
		text = append(text, '\n')
		text = append(text, e.Command...)
		text = append(text, '\n')
		changed = e.Time
	}
	return text, changed
}

// openHistory is the file as it was when opened.
type openHistory struct {
	*bytes.Reader
	info vfs.Info
}

func (o openHistory) WriteAt([]byte, int64) (int, error) { return 0, syscall.EBADF }
func (o openHistory) Truncate(int64) error               { return syscall.EBADF }
func (o openHistory) Sync() error                        { return nil }
func (o openHistory) Stat() (vfs.Info, error)            { return o.info, nil }
func (o openHistory) Close() error                       { return nil }
