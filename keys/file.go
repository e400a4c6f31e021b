package keys

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
)

// MaxFileSize is the most bytes that an authorized_keys file may have; a
// larger one is refused whole.
const MaxFileSize = 4 << 20

// ReadAuthorizedKeys reads a file. A malformed line or an unknown option
// refuses that key only; a missing, oversized, irregular or world-writable
// file is an error.
func ReadAuthorizedKeys(path string) (*AuthorizedKeys, error) {
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	return ParseAuthorizedKeys(text), nil
}

// File is an authorized_keys file that is read at every login. It never
// answers from an older text: each Load reads the whole file, and only the
// work of parsing is saved while its bytes stay the same. Safe for concurrent
// use.
type File struct {
	path string

	mu     sync.Mutex // guards the fields below
	text   []byte
	parsed *AuthorizedKeys
}

// NewFile makes a File. Nothing is read yet.
func NewFile(path string) *File { return &File{path: path} }

// Load reads the file. changed tells that the text is not the one that the
// previous Load saw, so that refused lines are logged once.
func (f *File) Load() (keys *AuthorizedKeys, changed bool, err error) {
	text, err := readText(f.path)
	if err != nil {
		return nil, false, err
	}
	f.mu.Lock()
	parsed := f.parsed
	if parsed != nil && !bytes.Equal(text, f.text) {
		parsed = nil
	}
	f.mu.Unlock()
	if parsed != nil {
		return parsed, false, nil
	}
	parsed = ParseAuthorizedKeys(text)
	f.mu.Lock()
	f.text, f.parsed = text, parsed
	f.mu.Unlock()
	return parsed, true, nil
}

// readText reads a file whole, within MaxFileSize.
func readText(path string) ([]byte, error) {
	// O_NONBLOCK keeps a FIFO from holding the login for ever.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", path)
	case info.Mode().Perm()&0o002 != 0:
		return nil, fmt.Errorf("%s: bad permissions %04o: writable by anybody", path, info.Mode().Perm())
	case info.Size() > MaxFileSize:
		return nil, errTooLarge(path)
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	n, err := b.ReadFrom(io.LimitReader(f, MaxFileSize+1))
	if err != nil {
		return nil, err
	}
	if n > MaxFileSize {
		return nil, errTooLarge(path)
	}
	return b.Bytes(), nil
}

func errTooLarge(path string) error {
	return fmt.Errorf("%s: larger than %d bytes", path, MaxFileSize)
}

// isMissing reports that a file is not there, which editing takes as empty.
func isMissing(err error) bool { return errors.Is(err, os.ErrNotExist) }
