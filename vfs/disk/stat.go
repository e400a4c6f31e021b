package disk

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mirage/vfs"
)

const statMask = unix.STATX_BASIC_STATS | unix.STATX_BTIME

// statAt describes a file of an open directory, or the descriptor itself with
// AT_EMPTY_PATH.
func (f *FS) statAt(dir int, name string, flag int) (vfs.Info, error) {
	var st unix.Statx_t
	for {
		err := unix.Statx(dir, name, flag, statMask, &st)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return vfs.Info{}, err
		}
		return f.info(name, &st), nil
	}
}

func (f *FS) info(name string, st *unix.Statx_t) vfs.Info {
	i := vfs.Info{
		Name: name, Size: int64(st.Size), Mode: fileMode(st.Mode), UID: f.o.UID, GID: f.o.GID,
		Nlink: int(st.Nlink), Ino: st.Ino, Blocks: int64(st.Blocks),
		ModTime: stamp(st.Mtime), AccessTime: stamp(st.Atime), ChangeTime: stamp(st.Ctime),
	}
	if st.Mask&unix.STATX_BTIME != 0 {
		i.BirthTime = stamp(st.Btime)
	}
	switch {
	case i.IsRegular():
		i.Revision = strconv.FormatUint(st.Ino, 36) + "-" + strconv.FormatUint(st.Size, 36) + "-" +
			strconv.FormatInt(st.Mtime.Sec, 36) + "." + strconv.FormatUint(uint64(st.Mtime.Nsec), 36)
	case i.IsLink():
		i.Size, i.Mode = 0, fs.ModeSymlink|0o777 // its text is the host's affair
	case i.Mode&fs.ModeDevice != 0:
		i.Rdev = uint64(st.Rdev_major)<<8 | uint64(st.Rdev_minor)
	}
	return i
}

func stamp(t unix.StatxTimestamp) time.Time { return time.Unix(t.Sec, int64(t.Nsec)) }

// fileMode translates the type and the permission bits of st_mode. Bits beyond
// 0777 are not the host's to tell.
func fileMode(mode uint16) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	case unix.S_IFIFO:
		m |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		m |= fs.ModeSocket
	case unix.S_IFCHR:
		m |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		m |= fs.ModeDevice
	default:
		m |= fs.ModeIrregular
	}
	return m
}

func sortByName(list []vfs.Info) {
	slices.SortFunc(list, func(a, b vfs.Info) int { return strings.Compare(a.Name, b.Name) })
}

// hostMode answers the bits that a file gets on the host for the mode that it
// is to show, and whether they show it in full.
func hostMode(mode fs.FileMode, dir bool) (bits uint32, full bool) {
	owner := fs.FileMode(0o600)
	if dir {
		owner = 0o700
	}
	host := mode.Perm() | owner
	return uint32(host), host == mode&^fs.ModeType
}
