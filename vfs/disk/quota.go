package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// quota counts the bytes of all files. Its methods take a nil quota for none.
type quota struct {
	limit int64

	// mu is held while a file changes its size, so that the count is exact.
	mu   sync.Mutex
	used int64
}

func (q *quota) left() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return max(0, q.limit-q.used)
}

// resize runs fn, which gives the file the size that want answers for its
// present one. EDQUOT when that is too much.
func (q *quota) resize(f *os.File, want func(size int64) int64, fn func() error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	before, err := f.Stat()
	if err != nil {
		return err
	}
	grow := want(before.Size()) - before.Size()
	if grow > 0 && grow > q.limit-q.used {
		return syscall.EDQUOT
	}
	err = fn()
	if after, serr := f.Stat(); serr == nil {
		q.used += after.Size() - before.Size()
	}
	return err
}

// removing runs fn, which removes a file of the given size.
func (q *quota) removing(size int64, fn func() error) error {
	if q == nil {
		return fn()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	err := fn()
	if err == nil {
		q.used -= size
	}
	return err
}

// replacing runs fn, which puts after bytes in the place of before. EDQUOT when
// that is too much.
func (q *quota) replacing(before, after int64, fn func() error) error {
	if q == nil {
		return fn()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if grow := after - before; grow > 0 && grow > q.limit-q.used {
		return syscall.EDQUOT
	}
	err := fn()
	if err == nil {
		q.used += after - before
	}
	return err
}

// writeCounted is WriteAt under a quota.
func (h *file) writeCounted(p []byte, off int64) (n int, err error) {
	err = h.fs.quota.resize(h.file, func(size int64) int64 {
		if h.flag&os.O_APPEND != 0 {
			return size + int64(len(p))
		}
		return max(size, off+int64(len(p)))
	}, func() (err error) {
		n, err = h.write(p, off)
		return err
	})
	return n, err
}

// usage sums the sizes of the files below a directory of the host.
func usage(root string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}
