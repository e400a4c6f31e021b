package vfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"syscall"
)

// errnoText is what the front ends say of one errno.
type errnoText struct {
	name   string // symbolic name, as errno(3) has it
	phrase string // strerror(3) of Linux
	http   int
	sftp   uint32
}

// SFTP status codes of draft-ietf-secsh-filexfer-02, section 7.
const (
	sftpOK               = 0
	sftpEOF              = 1
	sftpNoSuchFile       = 2
	sftpPermissionDenied = 3
	sftpFailure          = 4
	sftpOpUnsupported    = 8
)

// lookupErrno is the one table of errors: every phrase and every status code
// that a front end sends for a failed file operation is read from it.
func lookupErrno(e syscall.Errno) errnoText {
	switch e {
	case syscall.EPERM:
		return errnoText{"EPERM", "Operation not permitted", http.StatusForbidden, sftpPermissionDenied}
	case syscall.ENOENT:
		return errnoText{"ENOENT", "No such file or directory", http.StatusNotFound, sftpNoSuchFile}
	case syscall.EINTR:
		return errnoText{"EINTR", "Interrupted system call", http.StatusInternalServerError, sftpFailure}
	case syscall.EIO:
		return errnoText{"EIO", "Input/output error", http.StatusInternalServerError, sftpFailure}
	case syscall.ENXIO:
		return errnoText{"ENXIO", "No such device or address", http.StatusInternalServerError, sftpFailure}
	case syscall.E2BIG:
		return errnoText{"E2BIG", "Argument list too long", http.StatusInternalServerError, sftpFailure}
	case syscall.ENOEXEC:
		return errnoText{"ENOEXEC", "Exec format error", http.StatusInternalServerError, sftpFailure}
	case syscall.EBADF:
		return errnoText{"EBADF", "Bad file descriptor", http.StatusInternalServerError, sftpFailure}
	case syscall.EAGAIN:
		return errnoText{"EAGAIN", "Resource temporarily unavailable", http.StatusInternalServerError, sftpFailure}
	case syscall.ENOMEM:
		return errnoText{"ENOMEM", "Cannot allocate memory", http.StatusInternalServerError, sftpFailure}
	case syscall.EACCES:
		return errnoText{"EACCES", "Permission denied", http.StatusForbidden, sftpPermissionDenied}
	case syscall.EBUSY:
		return errnoText{"EBUSY", "Device or resource busy", http.StatusConflict, sftpFailure}
	case syscall.EEXIST:
		return errnoText{"EEXIST", "File exists", http.StatusConflict, sftpFailure}
	case syscall.EXDEV:
		return errnoText{"EXDEV", "Invalid cross-device link", http.StatusBadRequest, sftpFailure}
	case syscall.ENODEV:
		return errnoText{"ENODEV", "No such device", http.StatusInternalServerError, sftpFailure}
	case syscall.ENOTDIR:
		return errnoText{"ENOTDIR", "Not a directory", http.StatusBadRequest, sftpFailure}
	case syscall.EISDIR:
		return errnoText{"EISDIR", "Is a directory", http.StatusBadRequest, sftpFailure}
	case syscall.EINVAL:
		return errnoText{"EINVAL", "Invalid argument", http.StatusBadRequest, sftpFailure}
	case syscall.ENFILE:
		return errnoText{"ENFILE", "Too many open files in system", http.StatusInternalServerError, sftpFailure}
	case syscall.EMFILE:
		return errnoText{"EMFILE", "Too many open files", http.StatusInternalServerError, sftpFailure}
	case syscall.ENOTTY:
		return errnoText{"ENOTTY", "Inappropriate ioctl for device", http.StatusInternalServerError, sftpFailure}
	case syscall.ETXTBSY:
		return errnoText{"ETXTBSY", "Text file busy", http.StatusInternalServerError, sftpFailure}
	case syscall.EFBIG:
		return errnoText{"EFBIG", "File too large", http.StatusInternalServerError, sftpFailure}
	case syscall.ENOSPC:
		return errnoText{"ENOSPC", "No space left on device", http.StatusInternalServerError, sftpFailure}
	case syscall.ESPIPE:
		return errnoText{"ESPIPE", "Illegal seek", http.StatusInternalServerError, sftpFailure}
	case syscall.EROFS:
		return errnoText{"EROFS", "Read-only file system", http.StatusForbidden, sftpPermissionDenied}
	case syscall.EMLINK:
		return errnoText{"EMLINK", "Too many links", http.StatusInternalServerError, sftpFailure}
	case syscall.EPIPE:
		return errnoText{"EPIPE", "Broken pipe", http.StatusInternalServerError, sftpFailure}
	case syscall.ERANGE:
		return errnoText{"ERANGE", "Numerical result out of range", http.StatusInternalServerError, sftpFailure}
	case syscall.ENAMETOOLONG:
		return errnoText{"ENAMETOOLONG", "File name too long", http.StatusBadRequest, sftpFailure}
	case syscall.ENOSYS:
		return errnoText{"ENOSYS", "Function not implemented", http.StatusInternalServerError, sftpOpUnsupported}
	case syscall.ENOTEMPTY:
		return errnoText{"ENOTEMPTY", "Directory not empty", http.StatusConflict, sftpFailure}
	case syscall.ELOOP:
		return errnoText{"ELOOP", "Too many levels of symbolic links", http.StatusBadRequest, sftpFailure}
	case syscall.ENODATA:
		return errnoText{"NO_XATTR", "No data available", http.StatusNotFound, sftpFailure}
	case syscall.EOVERFLOW:
		return errnoText{"EOVERFLOW", "Value too large for defined data type", http.StatusInternalServerError, sftpFailure}
	case syscall.ENOTSUP:
		return errnoText{"ENOTSUP", "Operation not supported", http.StatusBadRequest, sftpOpUnsupported}
	case syscall.ETIMEDOUT:
		return errnoText{"ETIMEDOUT", "Connection timed out", http.StatusInternalServerError, sftpFailure}
	case syscall.ECONNREFUSED:
		return errnoText{"ECONNREFUSED", "Connection refused", http.StatusInternalServerError, sftpFailure}
	case syscall.EHOSTUNREACH:
		return errnoText{"EHOSTUNREACH", "No route to host", http.StatusInternalServerError, sftpFailure}
	case syscall.ESTALE:
		return errnoText{"ESTALE", "Stale file handle", http.StatusInternalServerError, sftpFailure}
	case syscall.EDQUOT:
		return errnoText{"EDQUOT", "Disk quota exceeded", http.StatusInternalServerError, sftpFailure}
	}
	return errnoText{"EIO", "Input/output error", http.StatusInternalServerError, sftpFailure}
}

// Errno answers the errno inside an error of this package's interfaces, 0 for
// nil. The end of a context counts as EINTR, the portable errors of io/fs as
// their errno, and what is not an errno at all as EIO.
func Errno(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	// Most errors come straight from a backend: no need to search them.
	if pe, ok := err.(*fs.PathError); ok {
		if e, ok := pe.Err.(syscall.Errno); ok {
			return e
		}
	}
	var e syscall.Errno
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return syscall.EINTR
	case errors.Is(err, fs.ErrNotExist):
		return syscall.ENOENT
	case errors.Is(err, fs.ErrExist):
		return syscall.EEXIST
	case errors.Is(err, fs.ErrPermission):
		return syscall.EACCES
	case errors.Is(err, fs.ErrInvalid):
		return syscall.EINVAL
	case errors.Is(err, fs.ErrClosed), errors.Is(err, io.ErrClosedPipe):
		return syscall.EBADF
	}
	return syscall.EIO
}

// ErrnoName answers the symbolic name of an error ("ENOENT"), as the HTTP API
// reports it: a missing extended attribute is "NO_XATTR". Errors that the
// table does not know are "EIO"; nil is "".
func ErrnoName(err error) string {
	if err == nil {
		return ""
	}
	return lookupErrno(Errno(err)).name
}

// Phrase answers the POSIX text of an error ("No such file or directory"),
// as strerror(3) words it on Linux, without any path. Errors that are not an
// errno give "Input/output error"; nil gives "Success".
func Phrase(err error) string {
	if err == nil {
		return "Success"
	}
	return lookupErrno(Errno(err)).phrase
}

// HTTPStatus answers the status code of a failed file call over HTTP; 200 for
// nil.
func HTTPStatus(err error) int {
	if err == nil {
		return http.StatusOK
	}
	return lookupErrno(Errno(err)).http
}

// SFTPStatus answers the SSH_FX code of draft-ietf-secsh-filexfer-02 for an
// error: SSH_FX_OK for nil, SSH_FX_EOF for io.EOF.
func SFTPStatus(err error) uint32 {
	switch {
	case err == nil:
		return sftpOK
	case errors.Is(err, io.EOF):
		return sftpEOF
	}
	return lookupErrno(Errno(err)).sftp
}

// pathError puts the errno of err under the name that the caller used.
func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: Errno(err)}
}
