package vfs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"mirage/vfs"
)

func TestErrorTable(t *testing.T) {
	for _, c := range []struct {
		err    error
		name   string
		phrase string
		http   int
		sftp   uint32
	}{
		{nil, "", "Success", 200, 0},
		{io.EOF, "EIO", "Input/output error", 500, 1},
		{syscall.ENOENT, "ENOENT", "No such file or directory", 404, 2},
		{syscall.ENODATA, "NO_XATTR", "No data available", 404, 4},
		{syscall.EACCES, "EACCES", "Permission denied", 403, 3},
		{syscall.EPERM, "EPERM", "Operation not permitted", 403, 3},
		{syscall.EROFS, "EROFS", "Read-only file system", 403, 3},
		{syscall.EEXIST, "EEXIST", "File exists", 409, 4},
		{syscall.ENOTEMPTY, "ENOTEMPTY", "Directory not empty", 409, 4},
		{syscall.EBUSY, "EBUSY", "Device or resource busy", 409, 4},
		{syscall.ENOTDIR, "ENOTDIR", "Not a directory", 400, 4},
		{syscall.EISDIR, "EISDIR", "Is a directory", 400, 4},
		{syscall.EINVAL, "EINVAL", "Invalid argument", 400, 4},
		{syscall.EXDEV, "EXDEV", "Invalid cross-device link", 400, 4},
		{syscall.ELOOP, "ELOOP", "Too many levels of symbolic links", 400, 4},
		{syscall.ENOTSUP, "ENOTSUP", "Operation not supported", 400, 8},
		{syscall.ENAMETOOLONG, "ENAMETOOLONG", "File name too long", 400, 4},
		{syscall.ENOSYS, "ENOSYS", "Function not implemented", 500, 8},
		{syscall.ENOSPC, "ENOSPC", "No space left on device", 500, 4},
		{syscall.EDQUOT, "EDQUOT", "Disk quota exceeded", 500, 4},
		{context.Canceled, "EINTR", "Interrupted system call", 500, 4},
		{context.DeadlineExceeded, "EINTR", "Interrupted system call", 500, 4},
		{fs.ErrNotExist, "ENOENT", "No such file or directory", 404, 2},
		{fs.ErrClosed, "EBADF", "Bad file descriptor", 500, 4},
		{errors.New("anything"), "EIO", "Input/output error", 500, 4},
		{syscall.Errno(9999), "EIO", "Input/output error", 500, 4},
	} {
		wraps := []error{c.err}
		if c.err != nil {
			wraps = append(wraps, fmt.Errorf("while trying: %w", c.err))
			wraps = append(wraps, &fs.PathError{Op: "open", Path: "/f", Err: c.err}, &os.LinkError{Op: "rename", Old: "/a", New: "/b", Err: c.err})
		}
		for _, err := range wraps {
			if got := vfs.ErrnoName(err); got != c.name {
				t.Errorf("ErrnoName(%v) = %q, want %q", err, got, c.name)
			}
			if got := vfs.Phrase(err); got != c.phrase {
				t.Errorf("Phrase(%v) = %q, want %q", err, got, c.phrase)
			}
			if got := vfs.HTTPStatus(err); got != c.http {
				t.Errorf("HTTPStatus(%v) = %d, want %d", err, got, c.http)
			}
			if got := vfs.SFTPStatus(err); got != c.sftp {
				t.Errorf("SFTPStatus(%v) = %d, want %d", err, got, c.sftp)
			}
		}
	}
}

// TestPhrasesAreThoseOfTheSystem compares with the texts of Go's own table,
// which are strerror's in lower case.
func TestPhrasesAreThoseOfTheSystem(t *testing.T) {
	known := 0
	for e := syscall.Errno(1); e < 134; e++ {
		name := vfs.ErrnoName(e)
		if name == "EIO" && e != syscall.EIO {
			continue // not in the table
		}
		known++
		phrase := vfs.Phrase(e)
		if want := e.Error(); !equalFold(phrase, want) {
			t.Errorf("Phrase(%s) = %q, but the system says %q", name, phrase, want)
		}
	}
	if known < 40 {
		t.Errorf("the table knows %d errors", known)
	}
}

func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	return len(a) == 0 || a[1:] == b[1:] && (a[0] == b[0] || a[0]|0x20 == b[0])
}
