package settings

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// TokenFile is where a server keeps the token that it made.
func (s *Settings) TokenFile() string { return s.Path("auth_token") }

// Token answers the token of the settings or of the token file, "" when there
// is none.
func (s *Settings) Token() (string, error) {
	if t := s.Get("auth_token").Text; t != "" {
		return t, nil
	}
	text, err := os.ReadFile(s.TokenFile())
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// MintToken makes a token of 32 random bytes and keeps it in the token file,
// readable by its owner only. A file that somebody else made meanwhile wins.
func (s *Settings) MintToken() (string, error) {
	var raw [32]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return "", err
	}
	token := base64.RawURLEncoding.EncodeToString(raw[:])
	if err := os.MkdirAll(filepath.Dir(s.TokenFile()), 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(s.TokenFile(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return s.Token()
	}
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(token + "\n")
	return token, errors.Join(err, f.Sync(), f.Close())
}
