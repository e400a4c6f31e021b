package disk

import (
	"context"
	"io/fs"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mirage/vfs"
)

// Mkdir makes a directory.
func (f *FS) Mkdir(ctx context.Context, name string, perm fs.FileMode) error {
	if name == "." {
		return fail("mkdir", name, syscall.EEXIST)
	}
	return f.with(ctx, "mkdir", name, func(a at) error {
		bits, _ := hostMode(perm, true)
		if err := unix.Mkdirat(a.fd, a.base, bits); err != nil {
			return err
		}
		return chmodAt(a, bits) // the process's umask has no say here
	})
}

// chmodAt sets the mode bits of a file or directory, never through a link.
func chmodAt(a at, bits uint32) error {
	fd, err := openStep(a.fd, a.base, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Fchmod(fd, bits)
}

// Remove removes a file, a link or an empty directory.
func (f *FS) Remove(ctx context.Context, name string) error {
	return f.with(ctx, "remove", name, func(a at) error {
		return f.quota.removing(f.size(a), func() error {
			err := unix.Unlinkat(a.fd, a.base, 0)
			if err == unix.EISDIR {
				err = unix.Unlinkat(a.fd, a.base, unix.AT_REMOVEDIR)
			}
			return err
		})
	})
}

// size answers what the file's last name holds, 0 when it has others.
func (f *FS) size(a at) int64 {
	if f.quota == nil {
		return 0
	}
	info, err := f.statAt(a.fd, a.base, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil || !info.IsRegular() || info.Nlink > 1 {
		return 0
	}
	return info.Size
}

// Rename moves a file with the semantics of rename(2).
func (f *FS) Rename(ctx context.Context, oldname, newname string) error {
	return f.RenameFlags(ctx, oldname, newname, 0)
}

// RenameFlags moves a file with the semantics of renameat2(2). ENOTSUP for
// RenameExchange where the host's filesystem cannot.
func (f *FS) RenameFlags(ctx context.Context, oldname, newname string, flag vfs.RenameFlag) error {
	return f.with(ctx, "rename", oldname, func(from at) error {
		if !vfs.ValidName(newname) {
			return syscall.EINVAL
		}
		to, err := f.parent(newname)
		if err != nil {
			return err
		}
		defer to.close()
		switch flag {
		case vfs.RenameExchange:
			err := unix.Renameat2(from.fd, from.base, to.fd, to.base, unix.RENAME_EXCHANGE)
			if err == unix.EINVAL && !f.supports(from, to) {
				err = unix.ENOTSUP
			}
			return err
		case vfs.RenameNoReplace:
			err := unix.Renameat2(from.fd, from.base, to.fd, to.base, unix.RENAME_NOREPLACE)
			if err != unix.EINVAL && err != unix.ENOSYS {
				return err
			}
			// The filesystem does not know the flag: look before.
			if _, err := f.statAt(to.fd, to.base, unix.AT_SYMLINK_NOFOLLOW); err != unix.ENOENT {
				return unix.EEXIST
			}
		}
		return f.quota.removing(f.size(to), func() error {
			return unix.Renameat(from.fd, from.base, to.fd, to.base)
		})
	})
}

// supports tells the two meanings of EINVAL apart: a filesystem without the
// flag, and a directory moved into itself.
func (f *FS) supports(from, to at) bool {
	a, err1 := f.statAt(from.fd, from.base, unix.AT_SYMLINK_NOFOLLOW)
	b, err2 := f.statAt(to.fd, to.base, unix.AT_SYMLINK_NOFOLLOW)
	return err1 == nil && err2 == nil && (a.IsDir() || b.IsDir())
}

// Link makes newname another name of a regular file; EPERM for anything else.
func (f *FS) Link(ctx context.Context, oldname, newname string) error {
	return f.with(ctx, "link", oldname, func(from at) error {
		if !vfs.ValidName(newname) {
			return syscall.EINVAL
		}
		info, err := f.statAt(from.fd, from.base, unix.AT_SYMLINK_NOFOLLOW)
		if err != nil {
			return err
		}
		if !info.IsRegular() {
			return syscall.EPERM
		}
		to, err := f.parent(newname)
		if err != nil {
			return err
		}
		defer to.close()
		return unix.Linkat(from.fd, from.base, to.fd, to.base, 0)
	})
}

// SetAttr changes the mode and the times on the host, and answers the rest.
func (f *FS) SetAttr(ctx context.Context, name string, attr vfs.Attr) (vfs.Attr, error) {
	if err := f.begin(ctx, name); err != nil {
		return vfs.Attr{}, fail("setattr", name, err)
	}
	defer f.end()
	a := at{fd: f.fd, base: "."}
	if name != "." {
		var err error
		if a, err = f.parent(name); err != nil {
			return vfs.Attr{}, fail("setattr", name, err)
		}
		defer a.close()
	}
	info, err := f.statAt(a.fd, a.base, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return vfs.Attr{}, fail("setattr", name, err)
	}
	rest := vfs.Attr{UID: attr.UID, GID: attr.GID}
	if attr.Mode != nil {
		bits, full := hostMode(*attr.Mode, info.IsDir())
		err := error(syscall.EACCES)
		if info.IsRegular() || info.IsDir() {
			err = chmodAt(a, bits)
		}
		if err != nil {
			return vfs.Attr{}, fail("setattr", name, err)
		}
		if !full {
			rest.Mode = attr.Mode
		}
	}
	if ts, ok := timespecs(attr); ok {
		if err := unix.UtimesNanoAt(a.fd, a.base, ts[:], unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return vfs.Attr{}, fail("setattr", name, err)
		}
	}
	return rest, nil
}

// timespecs answers the times of attr as utimensat(2) takes them.
func timespecs(attr vfs.Attr) (ts [2]unix.Timespec, ok bool) {
	for i, t := range [...]*time.Time{attr.AccessTime, attr.ModTime} {
		if t == nil {
			ts[i].Nsec = unix.UTIME_OMIT
			continue
		}
		ts[i].Sec, ts[i].Nsec = t.Unix(), int64(t.Nanosecond())
		ok = true
	}
	return ts, ok
}
