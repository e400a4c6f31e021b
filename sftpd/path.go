package sftpd

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"mirage/vfs"
)

// pathRequests lists the requests that name paths, and the extensions.
var pathRequests = map[byte]func(*server, uint32, *decoder) error{
	typeOpen:     (*server).open,
	typeOpendir:  (*server).opendir,
	typeLstat:    (*server).lstat,
	typeStat:     (*server).stat,
	typeSetstat:  (*server).setstat,
	typeRemove:   (*server).remove,
	typeMkdir:    (*server).mkdir,
	typeRmdir:    (*server).rmdir,
	typeRealpath: (*server).realpath,
	typeRename:   (*server).rename,
	typeReadlink: (*server).readlink,
	typeSymlink:  (*server).symlink,
	typeExtended: (*server).extended,
}

func (s *server) sendHandle(id uint32, h *handle) error {
	name, err := s.add(h)
	if err != nil {
		return err
	}
	var room [32]byte
	e := newReply(room[:0], typeHandle, id)
	e.string(name)
	return s.send(e.finish())
}

func (s *server) sendAttrs(id uint32, i vfs.Info) error {
	var room [64]byte
	e := newReply(room[:0], typeAttrs, id)
	e.attrs(i)
	return s.send(e.finish())
}

// sendName answers one name, without attributes, as REALPATH and READLINK do.
func (s *server) sendName(id uint32, name string) error {
	e := newReply(nil, typeName, id)
	e.uint32(1)
	e.string(name)
	e.string(name)
	e.uint32(0)
	return s.send(e.finish())
}

// done answers a request that tells nothing but how it went.
func (s *server) done(id uint32, err error) error {
	if err != nil {
		return err
	}
	return s.ok(id)
}

func (s *server) open(id uint32, d *decoder) error {
	name, pflags, a := s.path(d), d.uint32(), d.attrs()
	if d.bad {
		return errMalformed
	}
	if pflags&(openRead|openWrite) == 0 {
		return syscall.EINVAL
	}
	f, err := s.files.Open(s.ctx, name, openFlags(pflags), a.mode(0o666))
	if err != nil {
		return err
	}
	// open(2) opens directories for reading; as files they are of no use.
	if i, err := f.Stat(); err == nil && i.IsDir() {
		return errors.Join(syscall.EISDIR, f.Close())
	}
	return s.sendHandle(id, &handle{file: f, path: name, writable: pflags&openWrite != 0})
}

func (s *server) opendir(id uint32, d *decoder) error {
	name := s.path(d)
	if d.bad {
		return errMalformed
	}
	list, err := s.files.ReadDir(s.ctx, name)
	if err != nil {
		return err
	}
	entries := make([]vfs.Info, 0, len(list)+2)
	for _, dot := range []string{".", ".."} {
		i, err := s.files.Stat(s.ctx, name+"/"+dot)
		if err != nil {
			// What lies above may be hidden; its place is still ".."
			i = vfs.Info{Mode: fs.ModeDir | 0o755}
		}
		i.Name = dot
		entries = append(entries, i)
	}
	return s.sendHandle(id, &handle{dir: true, path: name, entries: append(entries, list...)})
}

func (s *server) stat(id uint32, d *decoder) error {
	name := s.path(d)
	if d.bad {
		return errMalformed
	}
	i, err := s.files.Stat(s.ctx, name)
	if err != nil {
		return err
	}
	return s.sendAttrs(id, i)
}

func (s *server) lstat(id uint32, d *decoder) error {
	name := s.path(d)
	if d.bad {
		return errMalformed
	}
	i, err := s.files.Lstat(s.ctx, name)
	if err != nil {
		return err
	}
	return s.sendAttrs(id, i)
}

func (s *server) setstat(id uint32, d *decoder) error {
	name, a := s.path(d), d.attrs()
	if d.bad {
		return errMalformed
	}
	return s.done(id, s.setattr(s.files, name, a, true))
}

// setattr changes the attributes of a name, the size first.
func (s *server) setattr(files *vfs.View, name string, a attrs, follow bool) error {
	if a.size != nil {
		if *a.size > 1<<63-1 {
			return syscall.EFBIG
		}
		if !follow {
			return syscall.EINVAL
		}
		if err := files.Truncate(s.ctx, name, int64(*a.size)); err != nil {
			return err
		}
	}
	if a.Attr == (vfs.Attr{}) {
		return nil
	}
	return files.SetAttr(s.ctx, name, a.Attr, follow)
}

func (s *server) remove(id uint32, d *decoder) error {
	name := s.path(d)
	if d.bad {
		return errMalformed
	}
	return s.done(id, s.files.Unlink(s.ctx, name))
}

func (s *server) mkdir(id uint32, d *decoder) error {
	name, a := s.path(d), d.attrs()
	if d.bad {
		return errMalformed
	}
	return s.done(id, s.files.Mkdir(s.ctx, name, a.mode(0o777)))
}

func (s *server) rmdir(id uint32, d *decoder) error {
	name := s.path(d)
	if d.bad {
		return errMalformed
	}
	return s.done(id, s.files.Rmdir(s.ctx, name))
}

func (s *server) realpath(id uint32, d *decoder) error {
	name := s.path(d)
	if d.bad {
		return errMalformed
	}
	real, err := s.resolve(name)
	if err != nil {
		return err
	}
	return s.sendName(id, real)
}

// resolve answers a name without links and dots. As with OpenSSH, the last
// component need not exist.
func (s *server) resolve(name string) (string, error) {
	real, err := s.files.RealPath(s.ctx, name)
	if err == nil || !errors.Is(err, syscall.ENOENT) {
		return real, err
	}
	trimmed := strings.TrimRight(name, "/")
	dir, base := path.Split(trimmed)
	if base == "" || base == "." || base == ".." {
		return "", err
	}
	parent, perr := s.files.RealPath(s.ctx, dir)
	if perr != nil {
		return "", err
	}
	return path.Join(parent, base), nil
}

func (s *server) rename(id uint32, d *decoder) error {
	from, to := s.path(d), s.path(d)
	if d.bad {
		return errMalformed
	}
	return s.done(id, s.files.Rename(s.ctx, from, to, vfs.RenameNoReplace))
}

func (s *server) readlink(id uint32, d *decoder) error {
	name := s.path(d)
	if d.bad {
		return errMalformed
	}
	target, err := s.files.Readlink(s.ctx, name)
	if err != nil {
		return err
	}
	return s.sendName(id, target)
}

// symlink takes its arguments in the order of OpenSSH (target, link), which
// every client follows, not in that of the draft.
func (s *server) symlink(id uint32, d *decoder) error {
	target, name := d.string(), s.path(d)
	if d.bad {
		return errMalformed
	}
	return s.done(id, s.files.Symlink(s.ctx, target, name))
}
