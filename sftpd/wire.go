package sftpd

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"time"

	"mirage/internal/unixmode"
	"mirage/vfs"
)

// Packet types of draft-ietf-secsh-filexfer-02, section 3.
const (
	typeInit          = 1
	typeVersion       = 2
	typeOpen          = 3
	typeClose         = 4
	typeRead          = 5
	typeWrite         = 6
	typeLstat         = 7
	typeFstat         = 8
	typeSetstat       = 9
	typeFsetstat      = 10
	typeOpendir       = 11
	typeReaddir       = 12
	typeRemove        = 13
	typeMkdir         = 14
	typeRmdir         = 15
	typeRealpath      = 16
	typeStat          = 17
	typeRename        = 18
	typeReadlink      = 19
	typeSymlink       = 20
	typeStatus        = 101
	typeHandle        = 102
	typeData          = 103
	typeName          = 104
	typeAttrs         = 105
	typeExtended      = 200
	typeExtendedReply = 201
)

// Status codes, section 7.
const (
	statusOK          = 0
	statusEOF         = 1
	statusNoSuchFile  = 2
	statusFailure     = 4
	statusBadMessage  = 5
	statusUnsupported = 8
)

// Flags of OPEN, section 6.3.
const (
	openRead   = 1
	openWrite  = 2
	openAppend = 4
	openCreate = 8
	openTrunc  = 16
	openExcl   = 32
)

// Flags of ATTRS, section 5.
const (
	attrSize        = 1
	attrUIDGID      = 2
	attrPermissions = 4
	attrTimes       = 8
	attrExtended    = 1 << 31
)

// Sizes, those of OpenSSH's sftp-common.h.
const (
	maxPacket  = 256 << 10 // of a packet from the client, without its length
	maxData    = maxPacket - 1024
	maxHandles = 1024
	version    = 3
)

var errMalformed = errors.New("malformed packet")

// decoder takes a packet apart. After a fault every further value is zero and
// bad stays set.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint32() uint32 {
	if d.bad || len(d.b) < 4 {
		d.bad = true
		return 0
	}
	v := binary.BigEndian.Uint32(d.b)
	d.b = d.b[4:]
	return v
}

func (d *decoder) uint64() uint64 {
	hi := d.uint32()
	return uint64(hi)<<32 | uint64(d.uint32())
}

// bytes answers a string's bytes, which stay part of the packet.
func (d *decoder) bytes() []byte {
	n := d.uint32()
	if d.bad || uint64(n) > uint64(len(d.b)) {
		d.bad = true
		return nil
	}
	v := d.b[:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) string() string { return string(d.bytes()) }

// attrs is a change of attributes as a client asks for it.
type attrs struct {
	vfs.Attr
	size *uint64
}

func (d *decoder) attrs() (a attrs) {
	flags := d.uint32()
	if flags&attrSize != 0 {
		size := d.uint64()
		a.size = &size
	}
	if flags&attrUIDGID != 0 {
		uid, gid := int(d.uint32()), int(d.uint32())
		a.UID, a.GID = &uid, &gid
	}
	if flags&attrPermissions != 0 {
		mode := unixmode.FileMode(d.uint32())
		a.Mode = &mode
	}
	if flags&attrTimes != 0 {
		atime, mtime := unix(d.uint32()), unix(d.uint32())
		a.AccessTime, a.ModTime = &atime, &mtime
	}
	if flags&attrExtended != 0 {
		for n := d.uint32(); n > 0 && !d.bad; n-- {
			d.bytes()
			d.bytes()
		}
	}
	return a
}

func unix(sec uint32) time.Time { return time.Unix(int64(sec), 0) }

// mode answers the permissions of a file to be made: those asked for, else
// def, less the umask of a login (022).
func (a attrs) mode(def fs.FileMode) fs.FileMode {
	m := def
	if a.Mode != nil {
		m = *a.Mode
	}
	return m &^ 0o022
}

// encoder builds a reply; it starts with room for the length.
type encoder struct{ b []byte }

func newReply(buf []byte, typ byte, id uint32) encoder {
	e := encoder{append(buf[:0], 0, 0, 0, 0, typ)}
	e.uint32(id)
	return e
}

func (e *encoder) uint32(v uint32) { e.b = binary.BigEndian.AppendUint32(e.b, v) }
func (e *encoder) uint64(v uint64) { e.b = binary.BigEndian.AppendUint64(e.b, v) }

func (e *encoder) string(s string) {
	e.uint32(uint32(len(s)))
	e.b = append(e.b, s...)
}

// attrs writes everything that version 3 can say of a file. Sizes that are
// not known read as 0, times are cut to the 32 bits that there are.
func (e *encoder) attrs(i vfs.Info) {
	e.uint32(attrSize | attrUIDGID | attrPermissions | attrTimes)
	e.uint64(uint64(max(i.Size, 0)))
	e.uint32(uint32(i.UID))
	e.uint32(uint32(i.GID))
	e.uint32(unixmode.Of(i.Mode))
	atime := i.AccessTime
	if atime.IsZero() {
		atime = i.ModTime
	}
	e.uint32(seconds(atime))
	e.uint32(seconds(i.ModTime))
}

func seconds(t time.Time) uint32 {
	if t.IsZero() {
		return 0
	}
	return uint32(min(max(t.Unix(), 0), 1<<32-1))
}

// finish fills in the length and answers the packet.
func (e *encoder) finish() []byte {
	binary.BigEndian.PutUint32(e.b, uint32(len(e.b)-4))
	return e.b
}
