package sort

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"

	"mirage/shell/program/filever"
)

// record is one line, without its delimiter, and what speeds its comparison
// up: where the first key lies, and a number that orders like the key as far
// as it goes. Equal prefixes say nothing.
type record struct {
	line       []byte
	prefix     uint64
	start, end int
}

// order compares lines. It does not change during a run and is safe for
// concurrent use.
type order struct {
	keys       []*key
	separator  int
	reverse    bool // of the last resort, or of lines without keys
	lastResort bool
	salt       []byte // of -R
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

func (k *key) skipBlanks(line []byte, i int) int {
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	return i
}

// skipFields goes over n fields from i. Between fields is a separator, which
// is gone over as well when past is set or more fields follow.
func (o *order) skipFields(line []byte, i, n int, past bool) int {
	for ; n > 0 && i < len(line); n-- {
		if o.separator == blanks {
			for i < len(line) && isBlank(line[i]) {
				i++
			}
			for i < len(line) && !isBlank(line[i]) {
				i++
			}
			continue
		}
		j := bytes.IndexByte(line[i:], byte(o.separator))
		if j < 0 {
			return len(line)
		}
		i += j
		if past || n > 1 {
			i++
		}
	}
	return i
}

// bounds finds a key in a line.
func (o *order) bounds(k *key, line []byte) (start, end int) {
	if k.startField != wholeLine {
		start = o.skipFields(line, 0, k.startField, true)
	}
	if k.skipStart {
		start = k.skipBlanks(line, start)
	}
	if k.startField != wholeLine {
		start = min(len(line), start+k.startChar)
	}
	switch {
	case k.endField == lineEnd:
		end = len(line)
	case k.endChar == 0:
		end = o.skipFields(line, 0, k.endField+1, false)
	default:
		end = o.skipFields(line, 0, k.endField, true)
		if k.skipEnd {
			end = k.skipBlanks(line, end)
		}
		end = min(len(line), end+k.endChar)
	}
	return start, max(start, end)
}

// record prepares a line.
func (o *order) record(line []byte) record {
	r := record{line: line, end: len(line)}
	if len(o.keys) == 0 {
		r.prefix = textPrefix(line)
		if o.reverse {
			r.prefix = ^r.prefix
		}
		return r
	}
	k := o.keys[0]
	r.start, r.end = o.bounds(k, line)
	text := line[r.start:r.end]
	switch {
	case k.dictionary || k.printable:
	case k.ordering == byNumber:
		r.prefix = numberPrefix(text)
	case k.ordering == byText && k.fold:
		r.prefix = foldPrefix(text)
	case k.ordering == byText:
		r.prefix = textPrefix(text)
	}
	if k.reverse {
		r.prefix = ^r.prefix
	}
	return r
}

func textPrefix(text []byte) uint64 {
	if len(text) >= 8 {
		return binary.BigEndian.Uint64(text)
	}
	var b [8]byte
	copy(b[:], text)
	return binary.BigEndian.Uint64(b[:])
}

func foldPrefix(text []byte) uint64 {
	var b [8]byte
	for i := range min(len(text), 8) {
		b[i] = upper(text[i])
	}
	return binary.BigEndian.Uint64(b[:])
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// compare orders two lines.
func (o *order) compare(a, b *record) int {
	if a.prefix != b.prefix {
		if a.prefix < b.prefix {
			return -1
		}
		return 1
	}
	for i, k := range o.keys {
		startA, endA, startB, endB := a.start, a.end, b.start, b.end
		if i > 0 {
			startA, endA = o.bounds(k, a.line)
			startB, endB = o.bounds(k, b.line)
		}
		d := o.compareKey(k, a.line[startA:endA], b.line[startB:endB])
		if k.reverse {
			d = -d
		}
		if d != 0 {
			return d
		}
	}
	if len(o.keys) > 0 && !o.lastResort {
		return 0
	}
	d := bytes.Compare(a.line, b.line)
	if o.reverse {
		d = -d
	}
	return d
}

func (o *order) compareKey(k *key, a, b []byte) int {
	if k.ordering == byText {
		switch {
		case k.dictionary || k.printable:
			return k.compareSome(a, b)
		case k.fold:
			return compareFold(a, b)
		}
		return bytes.Compare(a, b)
	}
	if k.dictionary || k.printable || k.fold {
		a, b = k.translate(a), k.translate(b)
	}
	switch k.ordering {
	case byNumber:
		return compareNumbers(a, b)
	case byGeneral:
		return compareGeneral(a, b)
	case byHuman:
		return compareHuman(a, b)
	case byMonth:
		return month(a) - month(b)
	case byRandom:
		return o.compareRandom(a, b)
	}
	return filever.Compare(string(a), string(b))
}

// counts tells whether a byte counts under -d or -i.
func (k *key) counts(c byte) bool {
	if k.dictionary {
		return isBlank(c) || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	return !k.printable || ' ' <= c && c <= '~'
}

// translate leaves out the bytes that do not count and folds case.
func (k *key) translate(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for _, c := range s {
		if k.counts(c) {
			if k.fold {
				c = upper(c)
			}
			out = append(out, c)
		}
	}
	return out
}

func (k *key) compareSome(a, b []byte) int {
	i, j := 0, 0
	for {
		for i < len(a) && !k.counts(a[i]) {
			i++
		}
		for j < len(b) && !k.counts(b[j]) {
			j++
		}
		if i == len(a) || j == len(b) {
			return boolInt(i < len(a)) - boolInt(j < len(b))
		}
		x, y := a[i], b[j]
		if k.fold {
			x, y = upper(x), upper(y)
		}
		if x != y {
			return int(x) - int(y)
		}
		i++
		j++
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compareFold(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if x, y := upper(a[i]), upper(b[i]); x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

// month answers 1 to 12, 0 for what is none.
func month(s []byte) int {
	const names = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"
	i := 0
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	if len(s)-i < 3 {
		return 0
	}
	name := [3]byte{upper(s[i]), upper(s[i+1]), upper(s[i+2])}
	for n := 0; n < len(names); n += 3 {
		if string(name[:]) == names[n:n+3] {
			return n/3 + 1
		}
	}
	return 0
}

// compareRandom orders keys by a salted hash, so that equal keys stay
// together.
func (o *order) compareRandom(a, b []byte) int {
	if bytes.Equal(a, b) {
		return 0
	}
	hash := func(s []byte) []byte {
		h := md5.New()
		h.Write(o.salt)
		h.Write(s)
		return h.Sum(nil)
	}
	if d := bytes.Compare(hash(a), hash(b)); d != 0 {
		return d
	}
	return bytes.Compare(a, b)
}
