package shell

import "syscall"

// fdTable is a shell's descriptor table: descriptor n is element n, nil when
// closed. It belongs to one shell and its goroutine; the descriptions in it
// are shared.
type fdTable struct {
	files []*openFile
	limit int
}

func (t *fdTable) get(n int) *openFile {
	if n < 0 || n >= len(t.files) {
		return nil
	}
	return t.files[n]
}

// set installs f, taking over the caller's reference, and answers what was
// there before, whose reference passes to the caller. f may be nil.
func (t *fdTable) set(n int, f *openFile) *openFile {
	for n >= len(t.files) {
		if f == nil {
			return nil
		}
		t.files = append(t.files, nil)
	}
	old := t.files[n]
	t.files[n] = f
	for len(t.files) > 0 && t.files[len(t.files)-1] == nil {
		t.files = t.files[:len(t.files)-1]
	}
	return old
}

// free answers the lowest closed descriptor from n on, EMFILE when the table
// is full.
func (t *fdTable) free(n int) (int, error) {
	for t.get(n) != nil {
		n++
	}
	if n >= t.limit {
		return 0, syscall.EMFILE
	}
	return n, nil
}

// clone copies the table as fork(2) does.
func (t *fdTable) clone() fdTable {
	files := make([]*openFile, len(t.files))
	for i, f := range t.files {
		if f != nil {
			files[i] = f.retain()
		}
	}
	return fdTable{files: files, limit: t.limit}
}

// closeAll closes every descriptor.
func (t *fdTable) closeAll() {
	for i, f := range t.files {
		if f != nil {
			t.files[i] = nil
			f.release()
		}
	}
	t.files = t.files[:0]
}
