package programs

import (
	"bytes"
	"context"
	"errors"
	"io"

	"mirage/internal/budget"
	"mirage/shell/program/stream"
)

// joinText is one line, cut into fields.
type joinText struct {
	fields [][]byte
	key    []byte
	size   int64
}

// joinFile is one of the two inputs. seq holds the lines of the current key;
// after its end seq is empty.
type joinFile struct {
	run      *joinRun
	index    int
	name     string
	lines    *stream.Lines
	number   int64
	previous *joinText
	seq      []*joinText
	held     int64 // bytes of seq
	meter    budget.Meter
	blamed   bool // disorder was reported
	ended    bool
}

func (f *joinFile) some() bool { return len(f.seq) > 0 }

// head is the first line of the current key, nil after the end.
func (f *joinFile) head() *joinText {
	if len(f.seq) == 0 {
		return nil
	}
	return f.seq[0]
}

func (f *joinFile) fieldCount() int {
	if len(f.seq) == 0 {
		return 0
	}
	return len(f.seq[0].fields)
}

// read reads one line; io.EOF at the end.
func (f *joinFile) read() (*joinText, error) {
	raw, err := f.lines.Next()
	if err == io.EOF {
		f.ended = true
		return nil, err
	}
	if err != nil {
		f.run.out.Flush()
		if errors.Is(err, stream.ErrMemory) {
			return nil, err
		}
		f.run.inv.FileError(f.name, err)
		return nil, errJoinReported
	}
	f.number++
	raw, _ = stream.Chomp(raw, f.run.end)
	line := f.run.cut(bytes.Clone(raw), f.run.fields[f.index])
	if f.previous != nil && !f.inOrder(line, raw) {
		return nil, errJoinReported
	}
	f.previous = line
	return line, nil
}

// inOrder checks a line against the one before it; false ends the run.
func (f *joinFile) inOrder(line *joinText, raw []byte) bool {
	j := f.run
	if j.order == orderNever || j.order == orderDefault && !j.unpairable || f.blamed || j.compare(f.previous.key, line.key) <= 0 {
		return true
	}
	j.out.Flush()
	j.inv.Errorf("%s:%d: is not sorted: %s", f.name, f.number, raw)
	f.blamed = true
	return j.order != orderAlways
}

// first reads the first line.
func (f *joinFile) first() error { return f.restart() }

// restart drops the lines held and reads the next.
func (f *joinFile) restart() error {
	if f.ended {
		f.seq = nil
		return nil
	}
	line, err := f.read()
	if err == io.EOF {
		f.seq = nil
		return nil
	}
	if err != nil {
		return err
	}
	f.replace(line)
	return nil
}

func (f *joinFile) replace(line *joinText) {
	f.held = 0
	f.seq = f.seq[:0]
	if line != nil {
		f.seq = append(f.seq, line)
		f.held = line.size
	}
}

// group reads on while lines have the key, and answers the first that has not,
// nil at the end.
func (f *joinFile) group(ctx context.Context, key []byte) (*joinText, error) {
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line, err := f.read()
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if f.run.compare(line.key, key) != 0 {
			return line, nil
		}
		f.seq = append(f.seq, line)
		if f.held += line.size; !f.meter.Hold(f.held) {
			return nil, stream.ErrMemory
		}
	}
}

// cut cuts a line into fields.
func (j *joinRun) cut(line []byte, key int) *joinText {
	t := &joinText{}
	switch j.separator {
	case joinLine:
		if len(line) > 0 {
			t.fields = [][]byte{line}
		}
	case joinBlanks:
		t.fields = bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' })
	default:
		if len(line) > 0 {
			t.fields = bytes.Split(line, []byte{byte(j.separator)})
		}
	}
	if key < len(t.fields) {
		t.key = t.fields[key]
	}
	t.size = int64(len(line)) + 64 + 24*int64(len(t.fields))
	return t
}

func (j *joinRun) compare(a, b []byte) int {
	if j.fold {
		return compareFold(a, b)
	}
	return bytes.Compare(a, b)
}

func (j *joinRun) write1(index int, line *joinText) {
	if index == 0 {
		j.write(line, nil)
	} else {
		j.write(nil, line)
	}
}

// write writes one line of output from a pair, of which one may be nil.
func (j *joinRun) write(a, b *joinText) {
	separator := byte(' ')
	switch {
	case j.separator == joinLine:
		separator = '\n'
	case j.separator >= 0:
		separator = byte(j.separator)
	}
	lines := [2]*joinText{a, b}
	keyFile := 0
	if a == nil {
		keyFile = 1
	}
	if j.format != nil {
		for i, o := range j.format {
			if i > 0 {
				j.out.WriteByte(separator)
			}
			if o.file == 0 {
				j.field(lines[keyFile], j.fields[keyFile])
			} else {
				j.field(lines[o.file-1], o.field)
			}
		}
		j.out.WriteByte(j.end)
		return
	}
	j.field(lines[keyFile], j.fields[keyFile])
	for i, line := range lines {
		count := 0
		if line != nil {
			count = len(line.fields)
		}
		if j.auto {
			count = j.autoCount[i]
		}
		for n := range count {
			if n != j.fields[i] {
				j.out.WriteByte(separator)
				j.field(line, n)
			}
		}
	}
	j.out.WriteByte(j.end)
}

func (j *joinRun) field(line *joinText, n int) {
	if line != nil && n < len(line.fields) && len(line.fields[n]) > 0 {
		j.out.Write(line.fields[n])
		return
	}
	j.out.WriteString(j.filler)
}
