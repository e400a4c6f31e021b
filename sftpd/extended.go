package sftpd

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"syscall"

	"mirage/vfs"
)

// extension is one extended request of OpenSSH's PROTOCOL, section 4.
type extension struct {
	name, version string
	run           func(*server, uint32, *decoder) error
}

// extensions lists what VERSION announces, in OpenSSH's order.
var extensions = []extension{
	{"posix-rename@openssh.com", "1", (*server).posixRename},
	{"statvfs@openssh.com", "2", (*server).statvfs},
	{"fstatvfs@openssh.com", "2", (*server).fstatvfs},
	{"hardlink@openssh.com", "1", (*server).hardlink},
	{"fsync@openssh.com", "1", (*server).fsync},
	{"lsetstat@openssh.com", "1", (*server).lsetstat},
	{"limits@openssh.com", "1", (*server).limits},
	{"expand-path@openssh.com", "1", (*server).expandPath},
	{"copy-data", "1", (*server).copyData},
	{"home-directory", "1", (*server).homeDirectory},
	{"users-groups-by-id@openssh.com", "1", (*server).usersGroups},
}

// versionReply is the answer to INIT.
func versionReply() []byte {
	e := encoder{[]byte{0, 0, 0, 0, typeVersion}}
	e.uint32(version)
	for _, x := range extensions {
		e.string(x.name)
		e.string(x.version)
	}
	return e.finish()
}

func (s *server) extended(id uint32, d *decoder) error {
	name := d.string()
	if d.bad {
		return errMalformed
	}
	for _, x := range extensions {
		if x.name == name {
			return x.run(s, id, d)
		}
	}
	return s.status(id, statusUnsupported, "Operation unsupported")
}

var errInvalidHandle = errors.New("invalid handle")

// open file or directory that an extended request names. The queues are empty
// when extended requests run.
func (s *server) named(d *decoder) (*handle, error) {
	_, h := s.take(d)
	if d.bad {
		return nil, errMalformed
	}
	if h == nil {
		return nil, errInvalidHandle
	}
	return h, nil
}

func (s *server) posixRename(id uint32, d *decoder) error {
	from, to := s.path(d), s.path(d)
	if d.bad {
		return errMalformed
	}
	return s.done(id, s.files.Rename(s.ctx, from, to, 0))
}

func (s *server) hardlink(id uint32, d *decoder) error {
	from, to := s.path(d), s.path(d)
	if d.bad {
		return errMalformed
	}
	return s.done(id, s.files.Link(s.ctx, from, to))
}

func (s *server) fsync(id uint32, d *decoder) error {
	h, err := s.named(d)
	if err != nil {
		return err
	}
	if h.dir {
		return syscall.EINVAL
	}
	return s.done(id, h.file.Sync())
}

func (s *server) lsetstat(id uint32, d *decoder) error {
	name, a := s.path(d), d.attrs()
	if d.bad {
		return errMalformed
	}
	return s.done(id, s.setattr(s.files, name, a, false))
}

func (s *server) limits(id uint32, _ *decoder) error {
	e := newReply(nil, typeExtendedReply, id)
	for _, n := range []uint64{maxPacket, maxData, maxData, maxHandles} {
		e.uint64(n)
	}
	return s.send(e.finish())
}

// expandPath is realpath with "~" for the home. "~user" is another account's
// home, of which nothing is known here.
func (s *server) expandPath(id uint32, d *decoder) error {
	name := d.string()
	if d.bad {
		return errMalformed
	}
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		name = s.Home + "/" + strings.TrimPrefix(name[1:], "/")
	case strings.HasPrefix(name, "~"):
		user, rest, _ := strings.Cut(name[1:], "/")
		if user != s.User {
			return syscall.ENOENT
		}
		name = s.Home + "/" + rest
	case !strings.HasPrefix(name, "/"):
		name = s.Home + "/" + name
	}
	real, err := s.resolve(name)
	if err != nil {
		return err
	}
	return s.sendName(id, real)
}

func (s *server) homeDirectory(id uint32, d *decoder) error {
	user := d.string()
	if d.bad {
		return errMalformed
	}
	if user != "" && user != s.User {
		return syscall.ENOENT
	}
	return s.sendName(id, s.Home)
}

func (s *server) usersGroups(id uint32, d *decoder) error {
	lists := [2]decoder{{b: d.bytes()}, {b: d.bytes()}}
	if d.bad {
		return errMalformed
	}
	e := newReply(nil, typeExtendedReply, id)
	for _, list := range lists {
		var out encoder
		for len(list.b) > 0 {
			n := list.uint32()
			if list.bad {
				return errMalformed
			}
			name := s.names.of(int(n))
			if name == strconv.Itoa(int(n)) {
				name = "" // no name
			}
			out.string(name)
		}
		e.string(string(out.b))
	}
	return s.send(e.finish())
}

func (s *server) statvfs(id uint32, d *decoder) error {
	name := s.path(d)
	if d.bad {
		return errMalformed
	}
	return s.sendUsage(id, name)
}

func (s *server) fstatvfs(id uint32, d *decoder) error {
	h, err := s.named(d)
	if err != nil {
		return err
	}
	return s.sendUsage(id, h.path)
}

// sendUsage answers a statvfs request in blocks of 4 KiB. A figure that the
// backend does not know reads as a large one, so that clients go on.
func (s *server) sendUsage(id uint32, name string) error {
	u, err := s.files.StatFS(s.ctx, name)
	if err != nil {
		return err
	}
	const block, unknown = 4096, 1 << 40
	blocks := func(n int64) uint64 {
		if n < 0 {
			n = unknown
		}
		return uint64(n) / block
	}
	files := func(n int64) uint64 {
		if n < 0 {
			n = unknown / block
		}
		return uint64(n)
	}
	const nameMax = 255
	e := newReply(nil, typeExtendedReply, id)
	for _, n := range []uint64{
		block, block, blocks(u.Total), blocks(u.Free), blocks(u.Avail),
		files(u.Files), files(u.FilesFree), files(u.FilesFree), 0, 0, nameMax,
	} {
		e.uint64(n)
	}
	return s.send(e.finish())
}

// copyData copies between two open files (draft-ietf-secsh-filexfer-extensions
// section 7): length 0 copies to the end of the source.
func (s *server) copyData(id uint32, d *decoder) error {
	from, err := s.named(d)
	if err != nil {
		return err
	}
	off, length := d.uint64(), d.uint64()
	to, err := s.named(d)
	if err != nil {
		return err
	}
	at := d.uint64()
	switch {
	case d.bad:
		return errMalformed
	case from.dir, to.dir, max(off, length, at) > 1<<62:
		return syscall.EINVAL
	case !to.writable:
		return syscall.EBADF
	}
	if length == 0 {
		// To the end as it is now: a copy onto its own source must end.
		i, err := from.file.Stat()
		if err != nil {
			return err
		}
		length = uint64(max(i.Size-int64(off), 0))
	}
	if from.path == to.path && off < at+length && at < off+length {
		return syscall.EINVAL // overlapping ranges of one file
	}
	return s.done(id, s.copyRange(to.file, from.file, int64(at), int64(off), int64(length)))
}

func (s *server) copyRange(to, from vfs.File, at, off, length int64) error {
	buf := getBuffer(maxPacket)
	defer buf.free()
	for length > 0 {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		n, err := readAt(from, buf.b[:min(int64(len(buf.b)), length)], off)
		if n > 0 {
			if _, werr := to.WriteAt(buf.b[:n], at); werr != nil {
				return werr
			}
			at, off, length = at+int64(n), off+int64(n), length-int64(n)
		}
		switch {
		case errors.Is(err, io.EOF), err == nil && n == 0:
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}
