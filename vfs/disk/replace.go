package disk

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// draftPrefix begins the names in the root that Replace uses for a moment.
// They are no part of the tree; New removes what a killed process left.
const draftPrefix = ".mirage-draft-"

// isDraft reports whether a name of the root is one of Replace's.
func isDraft(name string) bool { return strings.HasPrefix(name, draftPrefix) }

// Replace gives a file new contents in one step: whoever looks, and whatever
// ends the process, finds the old ones or the new ones whole. A file that is
// there keeps its mode, and handles that are open keep the old contents.
// ENOTSUP for a file with several names, which would part, and where the host
// cannot rename between the root and the file's place.
func (f *FS) Replace(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	return f.with(ctx, "replace", name, func(a at) error {
		bits, _ := hostMode(perm, false)
		var before int64
		info, err := f.statAt(a.fd, a.base, unix.AT_SYMLINK_NOFOLLOW)
		switch {
		case err == nil && (!info.IsRegular() || info.Nlink > 1):
			return syscall.ENOTSUP
		case err == nil:
			bits, before = uint32(info.Mode.Perm()), info.Size
		case err != unix.ENOENT:
			return err
		}
		return f.quota.replacing(before, int64(len(data)), func() error {
			draft, err := f.draft(data, bits)
			if err != nil {
				return err
			}
			err = unix.Renameat(f.fd, draft, a.fd, a.base)
			if err != nil {
				_ = unix.Unlinkat(f.fd, draft, 0)
			}
			if err == unix.EXDEV {
				err = syscall.ENOTSUP
			}
			return err
		})
	})
}

// draft writes a new file in the root and answers its name.
func (f *FS) draft(data []byte, bits uint32) (name string, err error) {
	var random [8]byte
	_, _ = rand.Read(random[:])
	name = draftPrefix + hex.EncodeToString(random[:])
	fd, err := f.openAt(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, bits)
	if err != nil {
		return "", err
	}
	file := os.NewFile(uintptr(fd), name)
	_, err = file.Write(data)
	if err == nil {
		err = unix.Fchmod(fd, bits) // the process's umask has no say here
	}
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = unix.Unlinkat(f.fd, name, 0)
	}
	return name, err
}

// removeDrafts removes what a process that was killed amid Replace left.
func removeDrafts(root *os.File) error {
	names, err := root.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if isDraft(name) {
			if err := unix.Unlinkat(int(root.Fd()), name, 0); err != nil && err != unix.ENOENT {
				return err
			}
		}
	}
	_, err = root.Seek(0, 0)
	return err
}
