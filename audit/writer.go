package audit

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// noHash stands for the hash of no record.
var noHash = strings.Repeat("0", 2*sha256.Size)

// Limits says when a file of the log ends and how many are kept.
type Limits struct {
	MaxSize int64         // bytes after which a new file begins; 0 = 64 MiB
	MaxAge  time.Duration // age of the first record after which one begins; 0 = 7 days
	Keep    int           // files that are kept; 0 = 64, negative = all
}

func (l Limits) withDefaults() Limits {
	if l.MaxSize <= 0 {
		l.MaxSize = 64 << 20
	}
	if l.MaxAge <= 0 {
		l.MaxAge = 7 * 24 * time.Hour
	}
	if l.Keep == 0 {
		l.Keep = 64
	}
	return l
}

// writer appends to a folder. It is used by one goroutine; other processes may
// append between two writes.
type writer struct {
	dir    string
	chain  chain
	limits Limits
	now    func() time.Time

	file  *os.File // nil = to be looked for
	num   int      // of file
	size  int64    // of file, as this writer knows it
	began time.Time
	at    Position // last record
	buf   []byte
	dirty bool // written since the last sync
}

// write appends events, each with the time at which it happened.
func (w *writer) write(events []stamped) error {
	unlock, err := lockFolder(w.dir, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer unlock()
	if err := w.follow(); err != nil {
		w.forget()
		return err
	}
	for _, e := range events {
		if err := w.add(Record{Time: e.at, Event: e.Event}); err != nil {
			w.forget()
			return err
		}
	}
	if err := w.flush(); err != nil {
		w.forget()
		return err
	}
	return nil
}

// stamped is an event with its time.
type stamped struct {
	Event
	at time.Time
}

// add seals a record behind the last one, in a new file when this one is full.
func (w *writer) add(r Record) error {
	size := w.size + int64(len(w.buf))
	if size > 0 && (size >= w.limits.MaxSize || r.Time.Sub(w.began) >= w.limits.MaxAge) {
		if err := w.rotate(); err != nil {
			return err
		}
	}
	return w.seal(r)
}

func (w *writer) seal(r Record) error {
	r.Seq, r.Prev, r.Time = w.at.Seq+1, w.at.Hash, r.Time.UTC().Round(0)
	line, err := w.chain.seal(&r)
	if err != nil {
		return err
	}
	if w.size == 0 && len(w.buf) == 0 {
		w.began = r.Time
	}
	w.buf = append(w.buf, line...)
	w.at = Position{r.Seq, r.Hash}
	return nil
}

// flush hands what is sealed to the operating system.
func (w *writer) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	n, err := w.file.Write(w.buf)
	w.size += int64(n)
	w.buf = w.buf[:0]
	w.dirty = true
	return err
}

// sync brings everything to the disk, then notes how far the log goes.
func (w *writer) sync() error {
	if !w.dirty || w.file == nil {
		return nil
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	unlock, err := lockFolder(w.dir, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer unlock()
	w.dirty = false
	// Another process may have written, and noted, more.
	if head, err := readHead(w.dir); err == nil && head.Seq > w.at.Seq {
		return nil
	}
	return writeHead(w.dir, w.at)
}

// forget closes the file; the next write looks at what the disk has.
func (w *writer) forget() {
	if w.file != nil {
		_ = w.file.Close()
	}
	w.file, w.buf = nil, w.buf[:0]
}

// follow makes sure that the writer stands at the end of the log, which a
// crash, a fault or another process may have moved. The lock is held.
func (w *writer) follow() error {
	list, err := files(w.dir)
	if err != nil {
		return err
	}
	if w.file != nil && len(list) > 0 && list[len(list)-1] == w.num {
		if info, err := os.Stat(w.file.Name()); err == nil && info.Size() == w.size {
			return nil
		}
	}
	w.forget()
	return w.find(list)
}

// find opens the last file and mends the chain: what is damaged stays, and a
// Recovered record after it says what was found.
func (w *writer) find(list []int) error {
	head, headErr := readHead(w.dir)
	if headErr != nil && !errors.Is(headErr, errNoHead) {
		return headErr
	}
	if len(list) == 0 {
		// The head comes first, so that a log without one has lost it.
		if headErr != nil {
			head = Position{Hash: noHash}
			if err := writeHead(w.dir, head); err != nil {
				return err
			}
		}
		if err := w.create(1); err != nil {
			return err
		}
		w.at = Position{}
		if head.Seq > 0 { // somebody took the files away
			w.at = head
			return w.recovered(map[string]string{"reason": "files are missing"})
		}
		return nil
	}
	w.num = list[len(list)-1]
	t, err := w.lastRecord(list, head.Seq)
	if err != nil {
		return err
	}
	name := filepath.Join(w.dir, fileName(w.num))
	if w.file, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return err
	}
	w.size = t.size
	if w.began, err = firstTime(name); err != nil {
		w.began = w.now()
	}
	if t.bare {
		w.buf = append(w.buf, '\n')
	}
	at, detail := t.mend(head, headErr)
	w.at = at
	if detail == nil {
		return nil
	}
	return w.recovered(detail)
}

// lastRecord finds the last whole record of the log and what is torn after it
// in the last file. A crash can leave that file without any.
func (w *writer) lastRecord(list []int, mark uint64) (t tail, err error) {
	for i := len(list) - 1; i >= 0; i-- {
		older, err := w.chain.readTail(filepath.Join(w.dir, fileName(list[i])), mark)
		if err != nil {
			return t, err
		}
		if i == len(list)-1 {
			t = older
		}
		if older.found {
			t.last, t.marked = older.last, older.marked
			break
		}
	}
	return t, nil
}

func (w *writer) recovered(detail map[string]string) error {
	if err := w.seal(Record{Time: w.now(), Event: Event{Kind: Recovered, Detail: detail}}); err != nil {
		return err
	}
	return w.flush()
}

// create begins a file.
func (w *writer) create(n int) error {
	f, err := os.OpenFile(filepath.Join(w.dir, fileName(n)), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	w.file, w.num, w.size = f, n, 0
	return syncFolder(w.dir)
}

// rotate ends the file, begins the next and deletes what is beyond the number
// that is kept. What goes is vouched for first, by a record that is on the disk.
func (w *writer) rotate() error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := errors.Join(w.file.Sync(), w.file.Close()); err != nil {
		return err
	}
	w.file = nil
	if err := w.create(w.num + 1); err != nil {
		return err
	}
	list, err := files(w.dir)
	if err != nil || w.limits.Keep < 0 || len(list) <= w.limits.Keep {
		return err
	}
	gone := list[:len(list)-w.limits.Keep]
	last, err := w.chain.readTail(filepath.Join(w.dir, fileName(gone[len(gone)-1])), 0)
	if err != nil {
		return err
	}
	r := Record{Time: w.now(), Event: Event{Kind: Pruned, Detail: map[string]string{"files": strconv.Itoa(len(gone))}}}
	if last.found {
		r.Through = &Position{last.last.Seq, last.last.Hash}
	}
	if err := w.seal(r); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	for _, n := range gone {
		if err := os.Remove(filepath.Join(w.dir, fileName(n))); err != nil {
			return err
		}
	}
	return nil
}
