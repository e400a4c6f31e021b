package program

import "strconv"

// UID and GID are the numbers of the session's user, who owns what the
// session creates. There are no other users with a name.
const (
	UID = 0
	GID = 0
)

// Owner names a user number as ls -l shows it.
func (inv *Invocation) Owner(uid int) string {
	if uid == UID && inv.User != "" {
		return inv.User
	}
	return strconv.Itoa(uid)
}

// Group names a group number; the user's own group has the user's name.
func (inv *Invocation) Group(gid int) string {
	if gid == GID && inv.User != "" {
		return inv.User
	}
	return strconv.Itoa(gid)
}

// LookupOwner finds the number of a user's or group's name.
func (inv *Invocation) LookupOwner(name string) (int, bool) {
	if name == inv.User && name != "" {
		return UID, true
	}
	n, err := strconv.ParseUint(name, 10, 31)
	return int(n), err == nil
}
