package keys

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"
)

// maxHostKeySize bounds the file of a private key.
const maxHostKeySize = 64 << 10

// HostKey reads the server's private key, or makes an ed25519 one in OpenSSH's
// format (mode 0600, its folder 0700) when the file does not exist. A key that
// others may read, that is encrypted, or that cannot be parsed is an error: a
// server that made itself a new key instead would look like an attacker.
func HostKey(path string) (ssh.Signer, error) {
	signer, err := readHostKey(path)
	if !isMissing(err) {
		return signer, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	text, err := newHostKey()
	if err != nil {
		return nil, err
	}
	// Of two servers that start at once, one makes the key and both use it.
	if err := writeAtomic(path, text, os.Link); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	return readHostKey(path)
}

func newHostKey() ([]byte, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(private, "mirage host key")
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(block), nil
}

func readHostKey(path string) (ssh.Signer, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("host key %s: not a regular file", path)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("host key %s: permissions %04o are too open: it must not be accessible by others",
			path, info.Mode().Perm())
	case info.Size() > maxHostKeySize:
		return nil, fmt.Errorf("host key %s: not a private key: larger than %d bytes", path, maxHostKeySize)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(text)
	var locked *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &locked):
		return nil, fmt.Errorf("host key %s: it is protected by a passphrase", path)
	case err != nil:
		return nil, fmt.Errorf("host key %s: not a private key: %w", path, err)
	}
	return withStrongAlgorithms(signer, path)
}

// withStrongAlgorithms leaves SHA-1 signatures out of an RSA key and refuses
// types that clients no longer accept.
func withStrongAlgorithms(signer ssh.Signer, path string) (ssh.Signer, error) {
	switch signer.PublicKey().Type() {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521:
		return signer, nil
	case ssh.KeyAlgoRSA:
		if algo, ok := signer.(ssh.AlgorithmSigner); ok {
			return ssh.NewSignerWithAlgorithms(algo, []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256})
		}
	}
	return nil, fmt.Errorf("host key %s: keys of type %s are not supported", path, signer.PublicKey().Type())
}
