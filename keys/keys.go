// Package keys reads who may log in: authorized_keys with OpenSSH's options
// and ours, and the server's host key.
package keys

import (
	"net"
	"time"

	"golang.org/x/crypto/ssh"
)

// Key is one accepted line of authorized_keys.
type Key struct {
	PublicKey ssh.PublicKey
	Comment   string
	Line      int
	Options   Options
}

// Options is what the options of a key grant and restrict.
type Options struct {
	Account    string // mirage-account; "" = none
	HasAccount bool   // the option is there, even malformed
	BadAccount bool   // bare, empty or twice: the key opens nothing
	Profile    string // mirage-profile
	HasProfile bool
	BadProfile bool     // bare, empty or twice
	From       []string // patterns of from=; nil = anywhere
	Command    string   // forced command
	HasCommand bool
	NoPTY      bool
	Expiry     time.Time // zero = never
}

// AuthorizedKeys is a file read whole at one login.
type AuthorizedKeys struct {
	Keys []Key
	// Refused tells, for the log, which lines were refused and why.
	Refused []error
}

// ReadAuthorizedKeys reads a file. A malformed line or an unknown option
// refuses that key only.
func ReadAuthorizedKeys(path string) (*AuthorizedKeys, error) { return &AuthorizedKeys{}, nil }

// ParseAuthorizedKeys parses the text of an authorized_keys file.
func ParseAuthorizedKeys(text []byte) *AuthorizedKeys { return &AuthorizedKeys{} }

// Find answers the key that a client proved to hold, if it may log in from
// addr at the time now.
func (a *AuthorizedKeys) Find(pub ssh.PublicKey, addr net.Addr, now time.Time) (Key, bool) {
	return Key{}, false
}

// HostKey reads an OpenSSH private key, or makes an ed25519 one (mode 0600)
// when the file does not exist. Anything else unreadable is an error.
func HostKey(path string) (ssh.Signer, error) { return nil, nil }
