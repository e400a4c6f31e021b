// Package filemode reads the mode arguments of chmod, mkdir and their kind
// and shows modes as ls does.
package filemode

import "io/fs"

// The bits of a mode as Unix numbers them.
const (
	SetUID   = 0o4000
	SetGID   = 0o2000
	Sticky   = 0o1000
	AllBits  = 0o7777
	permBits = 0o777
)

// Unix answers the twelve mode bits.
func Unix(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		bits |= SetUID
	}
	if m&fs.ModeSetgid != 0 {
		bits |= SetGID
	}
	if m&fs.ModeSticky != 0 {
		bits |= Sticky
	}
	return bits
}

// FS is the reverse of Unix.
func FS(bits uint32) fs.FileMode {
	m := fs.FileMode(bits & permBits)
	if bits&SetUID != 0 {
		m |= fs.ModeSetuid
	}
	if bits&SetGID != 0 {
		m |= fs.ModeSetgid
	}
	if bits&Sticky != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// The type bits of st_mode.
const (
	typeFIFO    = 0o010000
	typeChar    = 0o020000
	typeDir     = 0o040000
	typeBlock   = 0o060000
	typeRegular = 0o100000
	typeLink    = 0o120000
	typeSocket  = 0o140000
)

// Raw answers st_mode: the type and the twelve bits, as `stat -c %f` shows it.
func Raw(m fs.FileMode) uint32 {
	bits := Unix(m)
	switch {
	case m&fs.ModeSymlink != 0:
		return bits | typeLink
	case m.IsDir():
		return bits | typeDir
	case m&fs.ModeNamedPipe != 0:
		return bits | typeFIFO
	case m&fs.ModeSocket != 0:
		return bits | typeSocket
	case m&fs.ModeCharDevice != 0:
		return bits | typeChar
	case m&fs.ModeDevice != 0:
		return bits | typeBlock
	}
	return bits | typeRegular
}

// TypeLetter is the first letter of ls -l: "-", "d", "l", "c", "b", "p", "s".
func TypeLetter(m fs.FileMode) byte {
	switch Raw(m) &^ AllBits {
	case typeLink:
		return 'l'
	case typeDir:
		return 'd'
	case typeFIFO:
		return 'p'
	case typeSocket:
		return 's'
	case typeChar:
		return 'c'
	case typeBlock:
		return 'b'
	}
	return '-'
}

// String shows a mode in the ten letters of ls -l.
func String(m fs.FileMode) string {
	return string(TypeLetter(m)) + Permissions(Unix(m))
}

// Permissions shows the bits in nine letters: "rwxr-xr-x".
func Permissions(bits uint32) string {
	text := []byte("rwxrwxrwx")
	for i := range text {
		if bits&(1<<(8-i)) == 0 {
			text[i] = '-'
		}
	}
	special := func(bit uint32, at int, set, unset byte) {
		if bits&bit != 0 {
			if text[at] == 'x' {
				text[at] = set
			} else {
				text[at] = unset
			}
		}
	}
	special(SetUID, 2, 's', 'S')
	special(SetGID, 5, 's', 'S')
	special(Sticky, 8, 't', 'T')
	return string(text)
}

// TypeName is how stat and chmod call a kind of file.
func TypeName(m fs.FileMode, size int64) string {
	switch TypeLetter(m) {
	case 'l':
		return "symbolic link"
	case 'd':
		return "directory"
	case 'p':
		return "fifo"
	case 's':
		return "socket"
	case 'c':
		return "character special file"
	case 'b':
		return "block special file"
	}
	if size == 0 {
		return "regular empty file"
	}
	return "regular file"
}
