// Package keys reads who may log in: authorized_keys with OpenSSH's options
// and ours, and the server's host key.
//
// The format and its rules are those of sshd(8), AUTHORIZED_KEYS FILE FORMAT.
// Nothing here is remembered between logins except the parse of a text that
// has not changed.
package keys

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// Key is one accepted line of authorized_keys.
type Key struct {
	PublicKey ssh.PublicKey
	Comment   string
	Line      int // 1 is the first
	Options   Options
}

// Fingerprint is the key's SHA-256 fingerprint as ssh-keygen -l shows it.
func (k Key) Fingerprint() string { return ssh.FingerprintSHA256(k.PublicKey) }

// LineError tells why a line of authorized_keys was refused.
type LineError struct {
	Line int // 1 is the first
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap answers the reason.
func (e *LineError) Unwrap() error { return e.Err }

// AuthorizedKeys is the content of an authorized_keys file. It is immutable.
type AuthorizedKeys struct {
	Keys []Key // in the order of the file
	// Refused tells, for the log, which lines were refused and why. Each is a
	// *LineError.
	Refused []error

	byKey map[string][]int // marshalled key to indexes of Keys
}

// ParseAuthorizedKeys parses the text of an authorized_keys file. A malformed
// line or an unknown option refuses that line only. Lines end with LF or CRLF.
func ParseAuthorizedKeys(text []byte) *AuthorizedKeys {
	a := &AuthorizedKeys{byKey: map[string][]int{}}
	for n := 1; len(text) > 0; n++ {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		key, ok, err := parseLine(line)
		switch {
		case err != nil:
			a.Refused = append(a.Refused, &LineError{Line: n, Err: err})
		case ok:
			key.Line = n
			blob := string(key.PublicKey.Marshal())
			a.byKey[blob] = append(a.byKey[blob], len(a.Keys))
			a.Keys = append(a.Keys, key)
		}
	}
	return a
}

// Find answers the first line that holds pub and lets it log in from addr at
// the time now, as sshd does when a key is listed more than once.
func (a *AuthorizedKeys) Find(pub ssh.PublicKey, addr net.Addr, now time.Time) (Key, bool) {
	for _, i := range a.byKey[string(pub.Marshal())] {
		k := a.Keys[i]
		if k.Options.expired(now) || !k.Options.allowsFrom(addr) {
			continue
		}
		return k, true
	}
	return Key{}, false
}

var (
	errNUL         = errors.New("NUL byte")
	errNoKey       = errors.New("no key")
	errPrivate     = errors.New("not a public key: its public half is the file NAME.pub")
	errNotKey      = errors.New("not a public key, which is a line such as 'ssh-ed25519 AAAA... comment'")
	errCertificate = errors.New("a certificate is not a key")
	errUnclosed    = errors.New("missing end quote")
)

// parseLine parses one line without its LF. ok is false for blank lines and
// comments.
func parseLine(line []byte) (key Key, ok bool, err error) {
	line = bytes.Trim(line, " \t\r")
	if len(line) == 0 || line[0] == '#' {
		return Key{}, false, nil
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return Key{}, false, errNUL
	}
	rest := string(line)
	pub, comment, keyErr := parseKey(rest)
	if keyErr != nil && !errors.Is(keyErr, errNoKey) {
		return Key{}, false, keyErr
	}
	var opts Options
	if keyErr != nil {
		// The line does not start with a type of key, so with options.
		field, tail, err := cutOptions(rest)
		if err != nil {
			return Key{}, false, err
		}
		if opts, err = parseOptions(field); err != nil {
			return Key{}, false, err
		}
		if pub, comment, err = parseKey(tail); err != nil {
			return Key{}, false, err
		}
	}
	return Key{PublicKey: pub, Comment: comment, Options: opts}, true, nil
}

// parseKey parses "type base64 comment". The error is errNoKey when the text
// does not start with a known type.
func parseKey(s string) (pub ssh.PublicKey, comment string, err error) {
	algo, s := cutField(s)
	if !isKeyType(algo) {
		return nil, "", errNoKey
	}
	b64, comment := cutField(s)
	blob, err := base64.StdEncoding.Strict().DecodeString(b64)
	if err != nil || len(blob) == 0 {
		return nil, "", errors.New("malformed base64")
	}
	pub, err = ssh.ParsePublicKey(blob)
	if err != nil {
		return nil, "", errors.New("malformed key")
	}
	if _, isCert := pub.(*ssh.Certificate); isCert {
		return nil, "", errCertificate
	}
	if pub.Type() != algo {
		return nil, "", fmt.Errorf("type mismatch: %s holds a key of type %s", algo, pub.Type())
	}
	return pub, comment, nil
}

// isKeyType reports whether a word names a type of public key that may log
// in. DSA is not among them: OpenSSH has dropped it too.
func isKeyType(word string) bool {
	switch word {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoRSA,
		ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
		ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256:
		return true
	}
	return false
}

// cutField splits off the first word; blanks around the rest are dropped.
func cutField(s string) (field, rest string) {
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.Trim(s[i:], " \t")
}

// cutOptions splits off the options: everything up to the first blank outside
// quotes.
func cutOptions(s string) (options, rest string, err error) {
	quoted := false
	i := 0
	for ; i < len(s) && (quoted || s[i] != ' ' && s[i] != '\t'); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '"':
			i++
		case s[i] == '"':
			quoted = !quoted
		}
	}
	if quoted {
		return "", "", errUnclosed
	}
	return s[:i], strings.Trim(s[i:], " \t"), nil
}
