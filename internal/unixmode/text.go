package unixmode

import "io/fs"

// TypeLetter is the first letter of ls -l: "-", "d", "l", "c", "b", "p", "s".
func TypeLetter(m fs.FileMode) byte {
	switch Of(m) & typeMask {
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

// String shows a mode in the ten letters of ls -l, as strmode(3) does.
func String(m fs.FileMode) string {
	return string(TypeLetter(m)) + Letters(Permissions(m))
}

// Letters shows the permission bits of a mode in nine letters: "rwxr-xr-x".
func Letters(bits uint32) string {
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
	special(setUID, 2, 's', 'S')
	special(setGID, 5, 's', 'S')
	special(sticky, 8, 't', 'T')
	return string(text)
}
