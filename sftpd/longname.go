package sftpd

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"mirage/vfs"
)

// names gives owners a name, as `ls -l` in the workspace shows it.
type names struct{ user string }

func (n names) of(id int) string {
	if id == 0 && n.user != "" {
		return n.user
	}
	return strconv.Itoa(id)
}

// longname is a line of `ls -l` for one entry, in the columns of OpenSSH's
// ls_file; some clients read it.
func (n names) longname(i vfs.Info, now time.Time) string {
	layout := "Jan _2 15:04"
	if age := now.Sub(i.ModTime); age > 182*24*time.Hour || age < 0 {
		layout = "Jan _2  2006"
	}
	return fmt.Sprintf("%s %4d %-8s %-8s %8d %s %s",
		modeString(i.Mode), max(i.Nlink, 1), n.of(i.UID), n.of(i.GID), max(i.Size, 0), i.ModTime.UTC().Format(layout), i.Name)
}

// modeString is strmode(3) without its trailing blank.
func modeString(m fs.FileMode) string {
	b := []byte("-rwxrwxrwx")
	for i := range 9 {
		if m&(1<<(8-i)) == 0 {
			b[i+1] = '-'
		}
	}
	switch {
	case m.IsDir():
		b[0] = 'd'
	case m&fs.ModeSymlink != 0:
		b[0] = 'l'
	case m&fs.ModeCharDevice != 0:
		b[0] = 'c'
	case m&fs.ModeDevice != 0:
		b[0] = 'b'
	case m&fs.ModeNamedPipe != 0:
		b[0] = 'p'
	case m&fs.ModeSocket != 0:
		b[0] = 's'
	}
	special(b, 3, m&fs.ModeSetuid != 0, "sS")
	special(b, 6, m&fs.ModeSetgid != 0, "sS")
	special(b, 9, m&fs.ModeSticky != 0, "tT")
	return string(b)
}

// special writes a set bit over an execute bit: the first letter where that
// is set, else the second.
func special(b []byte, at int, set bool, letters string) {
	if set {
		b[at] = letters[strings.IndexByte("x-", b[at])]
	}
}
