package vfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
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
		return errnoText{"EPERM", "Operation not permitted", 403, sftpPermissionDenied}
	case syscall.ENOENT:
		return errnoText{"ENOENT", "No such file or directory", 404, sftpNoSuchFile}
	case syscall.EINTR:
		return errnoText{"EINTR", "Interrupted system call", 500, sftpFailure}
	case syscall.EIO:
		return errnoText{"EIO", "Input/output error", 500, sftpFailure}
	case syscall.ENXIO:
		return errnoText{"ENXIO", "No such device or address", 500, sftpFailure}
	case syscall.E2BIG:
		return errnoText{"E2BIG", "Argument list too long", 500, sftpFailure}
	case syscall.ENOEXEC:
		return errnoText{"ENOEXEC", "Exec format error", 500, sftpFailure}
	case syscall.EBADF:
		return errnoText{"EBADF", "Bad file descriptor", 500, sftpFailure}
	case syscall.EAGAIN:
		return errnoText{"EAGAIN", "Resource temporarily unavailable", 500, sftpFailure}
	case syscall.ENOMEM:
		return errnoText{"ENOMEM", "Cannot allocate memory", 500, sftpFailure}
	case syscall.EACCES:
		return errnoText{"EACCES", "Permission denied", 403, sftpPermissionDenied}
	case syscall.EBUSY:
		return errnoText{"EBUSY", "Device or resource busy", 409, sftpFailure}
	case syscall.EEXIST:
		return errnoText{"EEXIST", "File exists", 409, sftpFailure}
	case syscall.EXDEV:
		return errnoText{"EXDEV", "Invalid cross-device link", 400, sftpFailure}
	case syscall.ENODEV:
		return errnoText{"ENODEV", "No such device", 500, sftpFailure}
	case syscall.ENOTDIR:
		return errnoText{"ENOTDIR", "Not a directory", 400, sftpFailure}
	case syscall.EISDIR:
		return errnoText{"EISDIR", "Is a directory", 400, sftpFailure}
	case syscall.EINVAL:
		return errnoText{"EINVAL", "Invalid argument", 400, sftpFailure}
	case syscall.ENFILE:
		return errnoText{"ENFILE", "Too many open files in system", 500, sftpFailure}
	case syscall.EMFILE:
		return errnoText{"EMFILE", "Too many open files", 500, sftpFailure}
	case syscall.ENOTTY:
		return errnoText{"ENOTTY", "Inappropriate ioctl for device", 500, sftpFailure}
	case syscall.ETXTBSY:
		return errnoText{"ETXTBSY", "Text file busy", 500, sftpFailure}
	case syscall.EFBIG:
		return errnoText{"EFBIG", "File too large", 500, sftpFailure}
	case syscall.ENOSPC:
		return errnoText{"ENOSPC", "No space left on device", 500, sftpFailure}
	case syscall.ESPIPE:
		return errnoText{"ESPIPE", "Illegal seek", 500, sftpFailure}
	case syscall.EROFS:
		return errnoText{"EROFS", "Read-only file system", 403, sftpPermissionDenied}
	case syscall.EMLINK:
		return errnoText{"EMLINK", "Too many links", 500, sftpFailure}
	case syscall.EPIPE:
		return errnoText{"EPIPE", "Broken pipe", 500, sftpFailure}
	case syscall.ERANGE:
		return errnoText{"ERANGE", "Numerical result out of range", 500, sftpFailure}
	case syscall.ENAMETOOLONG:
		return errnoText{"ENAMETOOLONG", "File name too long", 400, sftpFailure}
	case syscall.ENOSYS:
		return errnoText{"ENOSYS", "Function not implemented", 500, sftpOpUnsupported}
	case syscall.ENOTEMPTY:
		return errnoText{"ENOTEMPTY", "Directory not empty", 409, sftpFailure}
	case syscall.ELOOP:
		return errnoText{"ELOOP", "Too many levels of symbolic links", 400, sftpFailure}
	case syscall.ENODATA:
		return errnoText{"NO_XATTR", "No data available", 404, sftpFailure}
	case syscall.EOVERFLOW:
		return errnoText{"EOVERFLOW", "Value too large for defined data type", 500, sftpFailure}
	case syscall.ENOTSUP:
		return errnoText{"ENOTSUP", "Operation not supported", 400, sftpOpUnsupported}
	case syscall.ETIMEDOUT:
		return errnoText{"ETIMEDOUT", "Connection timed out", 500, sftpFailure}
	case syscall.ECONNREFUSED:
		return errnoText{"ECONNREFUSED", "Connection refused", 500, sftpFailure}
	case syscall.EHOSTUNREACH:
		return errnoText{"EHOSTUNREACH", "No route to host", 500, sftpFailure}
	case syscall.ESTALE:
		return errnoText{"ESTALE", "Stale file handle", 500, sftpFailure}
	case syscall.EDQUOT:
		return errnoText{"EDQUOT", "Disk quota exceeded", 500, sftpFailure}
	}
	return errnoText{"EIO", "Input/output error", 500, sftpFailure}
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
		return 200
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
