package keys

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ErrExists is the error of Add for a key that the file holds already.
var ErrExists = errors.New("the key is there already")

// List reads a file as ReadAuthorizedKeys does, and takes a missing one as
// empty.
func List(path string) (*AuthorizedKeys, error) {
	a, err := ReadAuthorizedKeys(path)
	if isMissing(err) {
		return ParseAuthorizedKeys(nil), nil
	}
	return a, err
}

// Add appends one line ("options type base64 comment") to a file, which is
// made with mode 0600, its folder with 0700, when it is missing. The line must
// be one that logs in: what the parser refuses is an error. The file is
// replaced atomically; everything else in it stays byte for byte.
func Add(path, line string) (Key, error) {
	line = strings.TrimSpace(line)
	if strings.Contains(line, "-----BEGIN ") {
		return Key{}, errPrivate
	}
	if strings.ContainsAny(line, "\n\r\x00") {
		return Key{}, errors.New("a key is one line")
	}
	key, ok, err := parseLine([]byte(line))
	if err != nil && !slices.ContainsFunc(strings.Fields(line), isKeyType) {
		return Key{}, errNotKey
	}
	if err != nil {
		return Key{}, err
	}
	if !ok {
		return Key{}, errNoKey
	}
	err = edit(path, func(text []byte) ([]byte, error) {
		a := ParseAuthorizedKeys(text)
		if at := a.byKey[string(key.PublicKey.Marshal())]; len(at) > 0 {
			return nil, fmt.Errorf("line %d: %w", a.Keys[at[0]].Line, ErrExists)
		}
		if len(text) > 0 && text[len(text)-1] != '\n' {
			text = append(text, '\n')
		}
		key.Line = bytes.Count(text, []byte("\n")) + 1
		return append(append(text, line...), '\n'), nil
	})
	return key, err
}

// Remove deletes the lines of the keys for which match answers true, and
// answers those keys. Comments and refused lines stay as they are. The file is
// replaced atomically, and left alone when nothing matches.
func Remove(path string, match func(Key) bool) ([]Key, error) {
	var removed []Key
	err := edit(path, func(text []byte) ([]byte, error) {
		drop := map[int]bool{}
		for _, k := range ParseAuthorizedKeys(text).Keys {
			if match(k) {
				removed = append(removed, k)
				drop[k.Line] = true
			}
		}
		if len(drop) == 0 {
			return nil, nil
		}
		kept := make([]byte, 0, len(text))
		for n, line := range bytes.SplitAfter(text, []byte("\n")) {
			if !drop[n+1] {
				kept = append(kept, line...)
			}
		}
		return kept, nil
	})
	if err != nil {
		return nil, err
	}
	return removed, nil
}

// edit replaces the text of a file with what change makes of it; nil leaves
// it alone. Concurrent edits wait for each other, also between processes.
func edit(path string, change func(text []byte) ([]byte, error)) error {
	// A link stays a link: what it names is replaced.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // and with it the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return &os.PathError{Op: "flock", Path: dir, Err: err}
	}
	text, err := readText(path)
	if err != nil && !isMissing(err) {
		return err
	}
	text, err = change(text)
	if err != nil || text == nil {
		return err
	}
	if len(text) > MaxFileSize {
		return errTooLarge(path)
	}
	return writeAtomic(path, text, os.Rename)
}

// writeAtomic writes a file with mode 0600 beside path, syncs it, and puts it
// in place with the given call (os.Rename replaces, os.Link does not).
func writeAtomic(path string, text []byte, place func(from, to string) error) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".mirage-*") // made with 0600
	if err != nil {
		return err
	}
	defer func() {
		_ = tmp.Close()
		_ = os.Remove(tmp.Name()) // gone already after a rename
	}()
	if _, err := tmp.Write(text); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := place(tmp.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	return dir.Sync()
}
