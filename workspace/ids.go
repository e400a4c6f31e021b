package workspace

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/google/uuid"
)

// maxID is the longest id of a workspace or session in bytes.
const maxID = 128

// ValidID reports whether id can name a workspace or a session:
// [A-Za-z0-9][A-Za-z0-9._-]{0,127}.
func ValidID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for i := range len(id) {
		c := id[i]
		alnum := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !alnum && (i == 0 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return true
}

// checkWorkspaceID refuses malformed and reserved ids.
func checkWorkspaceID(id string) error {
	if !ValidID(id) || id == "console" {
		return errorf(Invalid, "invalid_workspace_id", "invalid workspace id: '%s'", id)
	}
	return nil
}

// newWorkspaceID answers a UUID of version 7 (RFC 9562): it sorts by time.
func newWorkspaceID() string { return uuid.Must(uuid.NewV7()).String() }

// randomID answers prefix and n random hex digits.
func randomID(prefix string, n int) string {
	b := make([]byte, n/2)
	rand.Read(b) // never fails
	return prefix + hex.EncodeToString(b)
}
