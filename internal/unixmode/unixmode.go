// Package unixmode translates between fs.FileMode, the st_mode of POSIX's
// sys/stat.h and the letters of ls -l.
package unixmode

import "io/fs"

// The bits of st_mode, as Linux numbers them.
const (
	typeMask   = 0o170000
	typeFIFO   = 0o010000
	typeChar   = 0o020000
	typeDir    = 0o040000
	typeBlock  = 0o060000
	typeFile   = 0o100000
	typeLink   = 0o120000
	typeSocket = 0o140000

	setUID = 0o4000
	setGID = 0o2000
	sticky = 0o1000
)

// Of answers the st_mode of a mode: type, setuid, setgid, sticky and
// permission bits.
func Of(m fs.FileMode) uint32 {
	bits := Permissions(m)
	switch {
	case m&fs.ModeDir != 0:
		bits |= typeDir
	case m&fs.ModeSymlink != 0:
		bits |= typeLink
	case m&fs.ModeCharDevice != 0:
		bits |= typeChar
	case m&fs.ModeDevice != 0:
		bits |= typeBlock
	case m&fs.ModeNamedPipe != 0:
		bits |= typeFIFO
	case m&fs.ModeSocket != 0:
		bits |= typeSocket
	default:
		bits |= typeFile
	}
	return bits
}

// Permissions is Of without the type bits.
func Permissions(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		bits |= setUID
	}
	if m&fs.ModeSetgid != 0 {
		bits |= setGID
	}
	if m&fs.ModeSticky != 0 {
		bits |= sticky
	}
	return bits
}

// FileMode answers the mode of the low twelve bits of an st_mode; type bits
// are dropped.
func FileMode(bits uint32) fs.FileMode {
	m := fs.FileMode(bits & 0o777)
	if bits&setUID != 0 {
		m |= fs.ModeSetuid
	}
	if bits&setGID != 0 {
		m |= fs.ModeSetgid
	}
	if bits&sticky != 0 {
		m |= fs.ModeSticky
	}
	return m
}
