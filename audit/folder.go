package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// The files of the folder of a log.
const (
	fileSuffix = ".jsonl" // 00000001.jsonl, 00000002.jsonl, ...
	headName   = "head"   // the last record that was synced: seq and hash
	lockName   = "lock"   // held while somebody writes
)

func fileName(n int) string { return fmt.Sprintf("%08d%s", n, fileSuffix) }

// files answers the numbers of a folder's files, oldest first. A folder that
// is not there has none.
func files(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []int
	for _, e := range entries {
		digits, ok := strings.CutSuffix(e.Name(), fileSuffix)
		if n, err := strconv.Atoi(digits); ok && err == nil && n > 0 && fileName(n) == e.Name() {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

// lockFolder takes the folder for one write. Several processes may append to a
// log: the server, and a CLI that changes keys or settings beside it. flag
// opens the lock's file.
func lockFolder(dir string, flag int) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), flag, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return func() { _ = f.Close() }, nil
}

// part is a file of a log and how long it was.
type part struct {
	name string
	size int64
}

// snapshot answers the files of a log as they are between two writes, oldest
// first, and its head. A copy of a log that cannot be locked is taken as it is.
func snapshot(dir string) (list []part, head Position, headErr, err error) {
	if unlock, err := lockFolder(dir, os.O_RDWR); err == nil {
		defer unlock()
	}
	head, headErr = readHead(dir)
	numbers, err := files(dir)
	if err != nil {
		return nil, head, headErr, err
	}
	for _, n := range numbers {
		info, err := os.Stat(filepath.Join(dir, fileName(n)))
		if err != nil {
			return nil, head, headErr, err
		}
		list = append(list, part{fileName(n), info.Size()})
	}
	return list, head, headErr, nil
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// errNoHead tells that a folder has no head, or none that can be read.
var errNoHead = errors.New("the head is missing or damaged")

// readHead answers the position that was last known to be on the disk.
func readHead(dir string) (Position, error) {
	b, err := os.ReadFile(filepath.Join(dir, headName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Position{}, err
	}
	seq, hash, ok := strings.Cut(strings.TrimSuffix(string(b), "\n"), " ")
	n, err := strconv.ParseUint(seq, 10, 64)
	if !ok || err != nil || len(hash) != hashTail-len(hashField)-2 {
		return Position{}, errNoHead
	}
	return Position{n, hash}, nil
}

// writeHead notes a position. The text has one length for all positions, so
// that writing it in place never leaves a mixture of lengths.
func writeHead(dir string, p Position) error {
	f, err := os.OpenFile(filepath.Join(dir, headName), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(fmt.Appendf(nil, "%020d %s\n", p.Seq, p.Hash), 0)
	return errors.Join(err, f.Sync(), f.Close())
}

// tail is the end of a file: its last whole record, and what comes after it.
type tail struct {
	last  Record
	found bool
	torn  []byte // what follows the last whole record
	bare  bool   // the file does not end in a newline
	size  int64
	// marked is the hash of the record that was asked for, "" when it was not
	// met on the way back.
	marked string
}

// readTail finds the last whole record of a file, and the one of a number. It
// looks at no more than the end of the file: what lies before is Verify's.
func (c chain) readTail(name string, mark uint64) (t tail, err error) {
	f, err := os.Open(name)
	if err != nil {
		return t, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return t, err
	}
	start := max(0, info.Size()-4*maxRecord)
	b, err := io.ReadAll(io.NewSectionReader(f, start, info.Size()-start))
	if err != nil {
		return t, err
	}
	t = c.tailOf(b, mark)
	t.size = info.Size()
	return t, nil
}

// tailOf is readTail of the bytes at the end of a file.
func (c chain) tailOf(b []byte, mark uint64) (t tail) {
	t.bare = len(b) > 0 && b[len(b)-1] != '\n'
	t.torn = b
	for end := len(b); end > 0; {
		line := bytes.TrimSuffix(b[:end], []byte("\n"))
		begin := bytes.LastIndexByte(line, '\n') + 1
		r, err := c.open(line[begin:])
		switch {
		case err != nil && t.found:
			return t
		case err != nil:
		case !t.found:
			t.last, t.found, t.torn = r, true, b[end:]
		}
		if err == nil && (r.Seq <= mark || mark == 0) {
			if r.Seq == mark {
				t.marked = r.Hash
			}
			return t
		}
		end = begin
	}
	return t
}

// mend answers after which record a log with this end goes on, and what a
// Recovered record has to say of it, nil when nothing is wrong.
func (t *tail) mend(head Position, headErr error) (at Position, detail map[string]string) {
	at = Position{t.last.Seq, t.last.Hash}
	detail = map[string]string{}
	if len(t.torn) > 0 {
		sum := sha256.Sum256(t.torn)
		detail["reason"] = "a record is torn"
		detail["torn_bytes"] = strconv.Itoa(len(t.torn))
		detail["torn_sha256"] = hex.EncodeToString(sum[:])
	}
	switch {
	case headErr != nil:
		detail["reason"] = headErr.Error()
	case head.Seq > at.Seq:
		detail["reason"] = "records are missing"
		detail["missing"] = fmt.Sprintf("%d-%d", at.Seq+1, head.Seq)
		at.Seq = head.Seq
	case t.marked != "" && t.marked != head.Hash:
		detail["reason"] = fmt.Sprintf("record %d is not the one that the head names", head.Seq)
	}
	if len(detail) == 0 {
		return at, nil
	}
	return at, detail
}
