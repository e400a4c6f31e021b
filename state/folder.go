package state

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"go.etcd.io/bbolt"
)

// The files of a state folder.
const (
	lockName      = "lock"
	databaseName  = "state.db"
	journalPrefix = "journal-"
)

// lockFolder takes the folder for this process. The lock goes with the
// process, however it ends.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("state folder %s is in use by another process", dir)
		}
		return nil, fmt.Errorf("state: lock %s: %w", dir, err)
	}
	return f, nil
}

// journalName names the nth journal of an open store. Names sort by number.
func journalName(n uint64) string { return fmt.Sprintf("%s%020d", journalPrefix, n) }

// journals answers the paths of a folder's journals, oldest first.
func journals(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	var paths []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), journalPrefix) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// createJournal makes a journal and syncs its name.
func createJournal(dir string, n uint64) (*journal, error) {
	f, err := os.OpenFile(filepath.Join(dir, journalName(n)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	if err := syncFolder(dir); err != nil {
		f.Close()
		return nil, err
	}
	return &journal{file: f}, nil
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// recoverFolder brings what the journals hold into the database and removes
// them. Only the newest journal may end in a torn record: older ones were
// synced before the next began.
func recoverFolder(dir string, db *bbolt.DB) (seq uint64, err error) {
	seq, err = applied(db)
	if err != nil {
		return 0, fmt.Errorf("state: %s is damaged: %w", databaseName, err)
	}
	paths, err := journals(dir)
	if err != nil {
		return 0, err
	}
	l := newLayer()
	for i, path := range paths {
		last, err := replay(path, seq, l)
		if errors.Is(err, errTorn) && i == len(paths)-1 {
			err = nil
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		seq = max(seq, last)
	}
	if len(l.buckets) > 0 {
		if err := writeLayer(db, l, seq); err != nil {
			return 0, fmt.Errorf("state: %w", err)
		}
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, fmt.Errorf("state: %w", err)
		}
	}
	return seq, nil
}

// replay adds the records after seq to the layer and answers the last
// sequence number seen.
func replay(path string, seq uint64, l *layer) (last uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		n, changes, err := readRecord(r)
		if err == io.EOF {
			return last, nil
		}
		if err != nil {
			return last, err
		}
		last = n
		if n <= seq {
			continue
		}
		for _, c := range changes {
			l.set(c)
		}
	}
}
