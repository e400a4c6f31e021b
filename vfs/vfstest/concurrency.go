package vfstest

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"

	"mirage/vfs"
)

// together runs fn in n goroutines and reports their errors.
func (e *env) together(n int, fn func(i int) error) {
	e.Helper()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = fn(i) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			e.Fatalf("goroutine %d: %v", i, err)
		}
	}
}

// testConcurrentAppend checks that no line of one appender is lost or torn by
// another.
func testConcurrentAppend(e *env) {
	e.write("log", "")
	const writers, lines = 8, 50
	e.together(writers, func(i int) error {
		f, err := e.fs.Open(e.ctx, "log", os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		for j := range lines {
			line := fmt.Sprintf("writer %d line %d %s\n", i, j, strings.Repeat("x", 10*i))
			if _, err := f.WriteAt([]byte(line), 0); err != nil {
				return err
			}
		}
		return nil
	})
	seen := map[string]bool{}
	for line := range strings.Lines(e.read("log")) {
		seen[line] = true
	}
	if len(seen) != writers*lines {
		e.Errorf("the log holds %d different lines, want %d", len(seen), writers*lines)
	}
}

// testConcurrentWriters lets handles write their own parts of one file while
// others read it.
func testConcurrentWriters(e *env) {
	const writers, part, rounds = 4, 100_003, 10
	e.write("f", "")
	shared := e.open("f", os.O_RDWR)
	e.together(writers+2, func(i int) error {
		if i >= writers {
			buf := make([]byte, part)
			for range rounds * 5 {
				if _, err := shared.ReadAt(buf, part/2); err != nil && err.Error() != "EOF" {
					return err
				}
				if _, err := shared.Stat(); err != nil {
					return err
				}
			}
			return nil
		}
		for r := range rounds {
			data := bytes.Repeat([]byte{byte('a' + i + r)}, part/rounds)
			if _, err := shared.WriteAt(data, int64(i*part+r*(part/rounds))); err != nil {
				return err
			}
		}
		return nil
	})
	got := e.read("f")
	for i := range writers {
		for r := range rounds {
			off := i*part + r*(part/rounds)
			if want := byte('a' + i + r); got[off] != want || got[off+part/rounds-1] != want {
				e.Fatalf("part %d of writer %d was lost", r, i)
			}
		}
	}
}

// testConcurrentNames makes and removes the same few names from all sides.
func testConcurrentNames(e *env) {
	e.together(6, func(i int) error {
		for j := range 40 {
			name := fmt.Sprintf("n%d", (i+j)%3)
			f, err := e.fs.Open(e.ctx, name, os.O_WRONLY|os.O_CREATE, 0o644)
			if err != nil {
				return err
			}
			if _, err := f.WriteAt([]byte(name), 0); err != nil {
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
			if err := e.remove(name); err != nil && vfs.Errno(err) != syscall.ENOENT {
				return err
			}
			if _, err := e.fs.ReadDir(e.ctx, "."); err != nil {
				return err
			}
		}
		return nil
	})
	e.wantNames(".")
}

// testConcurrentRename checks that a file that is replaced again and again is
// there and whole at every moment.
func testConcurrentRename(e *env) {
	e.write("f", strings.Repeat("0", 1000))
	e.together(3, func(i int) error {
		for j := range 60 {
			if i == 0 {
				data := strings.Repeat(fmt.Sprint(j%10), 1000)
				f, err := e.fs.Open(e.ctx, "tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
				if err != nil {
					return err
				}
				_, err = f.WriteAt([]byte(data), 0)
				if cerr := f.Close(); err == nil {
					err = cerr
				}
				if err == nil {
					err = e.rename("tmp", "f", 0)
				}
				if err != nil {
					return err
				}
				continue
			}
			f, err := e.fs.Open(e.ctx, "f", os.O_RDONLY, 0)
			if err != nil {
				return err
			}
			buf := make([]byte, 1000)
			n, err := f.ReadAt(buf, 0)
			_ = f.Close()
			if n != 1000 || bytes.Count(buf, buf[:1]) != 1000 {
				return fmt.Errorf("read %d bytes, %v, of one file: %d alike", n, err, bytes.Count(buf, buf[:1]))
			}
		}
		return nil
	})
}
