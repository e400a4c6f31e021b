// Package filemode reads the mode arguments of chmod, mkdir and their kind
// and names the kinds of files. internal/unixmode translates modes.
package filemode

import (
	"io/fs"

	"mirage/internal/unixmode"
)

// The bits of a mode as Unix numbers them.
const (
	SetUID   = 0o4000
	SetGID   = 0o2000
	Sticky   = 0o1000
	AllBits  = 0o7777
	permBits = 0o777
)

// TypeName is how stat and chmod call a kind of file.
func TypeName(m fs.FileMode, size int64) string {
	switch unixmode.TypeLetter(m) {
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
