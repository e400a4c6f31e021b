package sftpd

import (
	"fmt"
	"strconv"
	"time"

	"mirage/internal/unixmode"
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
		unixmode.String(i.Mode), max(i.Nlink, 1), n.of(i.UID), n.of(i.GID), max(i.Size, 0), i.ModTime.UTC().Format(layout), i.Name)
}
