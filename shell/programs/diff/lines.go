package diff

import (
	"bytes"
	"hash/maphash"
	"time"

	"mirage/shell/program/stream"
	"mirage/vfs"
)

// binaryPrefix is how much of a file is looked at for a NUL byte, which makes
// it binary.
const binaryPrefix = 4096

// file is one side of a comparison.
type file struct {
	name    string // as messages show it
	label   string // of --label, "" without
	absent  bool   // treated as empty
	info    vfs.Info
	modTime time.Time

	data   []byte
	starts []int32 // offset of each line, and the end of the last one
	// open is set when the last line has no newline.
	open bool

	// first is the first line of the middle part, which remains when the
	// lines at both ends that the files share are cut off; equivs number its
	// lines: equal lines have equal numbers.
	first  int
	equivs []int32
	// changed marks the lines of the middle that the other file lacks. It
	// has a false in front (index 0) and behind; see marked.
	changed []bool
}

// line answers line i with its newline.
func (f *file) line(i int) []byte { return f.data[f.starts[i]:f.starts[i+1]] }

// count is the number of lines.
func (f *file) count() int { return len(f.starts) - 1 }

// binary tells whether the file looks like one without lines.
func (f *file) binary() bool {
	return bytes.IndexByte(f.data[:min(len(f.data), binaryPrefix)], 0) >= 0
}

// split finds the lines of the data.
func (f *file) split(held *stream.Held) error {
	n := bytes.Count(f.data, []byte("\n"))
	f.open = len(f.data) > 0 && f.data[len(f.data)-1] != '\n'
	if len(f.data) >= 1<<31-1 {
		return stream.ErrMemory
	}
	// A line costs about 50 bytes until the comparison is over.
	if err := held.Add(int64(n) * 50); err != nil {
		return err
	}
	f.starts = make([]int32, 1, n+2)
	for at := 0; at < len(f.data); {
		i := bytes.IndexByte(f.data[at:], '\n')
		if i < 0 {
			at = len(f.data)
		} else {
			at += i + 1
		}
		f.starts = append(f.starts, int32(at))
	}
	return nil
}

// stripCR cuts the carriage return in front of each newline.
func stripCR(data []byte) []byte {
	w := 0
	for i, b := range data {
		if b == '\r' && i+1 < len(data) && data[i+1] == '\n' {
			continue
		}
		data[w] = b
		w++
	}
	return data[:w]
}

// number cuts off the common ends of two files and numbers the lines between
// them by equality. horizon lines of each end are kept.
func (o *options) number(f *[2]file) (classes int) {
	a, b := &f[0], &f[1]
	prefix, suffix := 0, 0
	n := min(a.count(), b.count())
	for prefix < n && bytes.Equal(a.line(prefix), b.line(prefix)) {
		prefix++
	}
	most := n - prefix
	prefix = max(prefix-o.horizon, 0)
	if !o.robust() || a.open == b.open {
		for suffix < most && bytes.Equal(a.line(a.count()-1-suffix), b.line(b.count()-1-suffix)) {
			suffix++
		}
		suffix = max(suffix-o.horizon, 0)
	}
	t := newTable(o, f, prefix)
	for i := range f {
		f[i].first = prefix
		m := f[i].count() - prefix - suffix
		f[i].equivs = make([]int32, m)
		f[i].changed = make([]bool, m+2)
		for j := range m {
			f[i].equivs[j] = t.class(i, prefix+j)
		}
	}
	return len(t.reps)
}

// robust tells whether the style can say that a newline is missing at the
// end.
func (o *options) robust() bool { return o.style != ed && o.style != forwardEd }

// table numbers lines.
type table struct {
	o     *options
	files *[2]file
	seed  maphash.Seed
	slots []int32 // hash table of class+1, open addressing
	reps  []rep   // the first line of each class
	a, b  []byte  // working space
}

type rep struct {
	hash uint64
	file int
	line int32
}

func newTable(o *options, f *[2]file, prefix int) *table {
	size := 16
	for size < 2*(f[0].count()+f[1].count()-2*prefix) {
		size *= 2
	}
	return &table{o: o, files: f, seed: maphash.MakeSeed(), slots: make([]int32, size)}
}

// class answers the number of a line.
func (t *table) class(file, line int) int32 {
	key := t.key(&t.a, file, line)
	h := maphash.Bytes(t.seed, key)
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		slot := t.slots[i]
		if slot == 0 {
			t.reps = append(t.reps, rep{h, file, int32(line)})
			t.slots[i] = int32(len(t.reps))
			return int32(len(t.reps) - 1)
		}
		r := t.reps[slot-1]
		if r.hash == h && bytes.Equal(key, t.key(&t.b, r.file, int(r.line))) {
			return slot - 1
		}
	}
}

// key answers what of a line counts. A missing newline counts too, unless
// space at the end does not or the style cannot tell.
func (t *table) key(buf *[]byte, file, line int) []byte {
	f := &t.files[file]
	text := f.line(line)
	o := t.o
	open := text[len(text)-1] != '\n'
	if !open {
		text = text[:len(text)-1]
	}
	if o.white == noWhite && !o.ignoreCase {
		if !open || !o.robust() {
			return text
		}
		*buf = append(append((*buf)[:0], text...), '\n')
		return *buf
	}
	*buf = o.canonical((*buf)[:0], text)
	if open && o.robust() && o.white < trailingSpace {
		*buf = append(*buf, '\n')
	}
	return *buf
}

// canonical writes a line in the form that all lines equal to it share.
func (o *options) canonical(b, text []byte) []byte {
	column := 0
	for i, c := range text {
		switch {
		case o.white >= spaceChange && isSpace(c):
			if o.white == spaceChange && (i == 0 || !isSpace(text[i-1])) {
				b = append(b, ' ')
			}
			continue
		case o.white&tabExpansion != 0 && o.white < spaceChange && c == '\t':
			for range o.tabSize - column%o.tabSize {
				b = append(b, ' ')
				column++
			}
			continue
		case c == '\b':
			column = max(column-1, 0)
		case c == '\r':
			column = 0
		default:
			column++
		}
		if o.ignoreCase && c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	if o.white >= trailingSpace {
		for len(b) > 0 && isSpace(b[len(b)-1]) {
			b = b[:len(b)-1]
		}
	}
	return b
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
