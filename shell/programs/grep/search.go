package grep

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"mirage/internal/budget"
	"mirage/shell/program/stream"
)

// Sizes of the reads: a first one that small files fit in, then larger ones.
const (
	firstRead = 96 << 10
	laterRead = 512 << 10
)

// search goes through one file. Its buffer holds whole lines that are
// searched at once, and before them as many as may be needed as context.
type search struct {
	*grep
	r    io.Reader
	name string
	eol  byte

	buf  []byte
	held budget.Meter // of buf
	base int64        // offset of buf[0] in the file
	eof  bool

	lines      int64 // lines before buf[counted]
	counted    int
	lastOut    int // end of the last line printed, -1 when it is not in buf
	pending    int64
	selected   int64
	left       int64 // lines that may still be selected
	out        bool  // lines are printed
	stopFirst  bool  // one selected line is enough
	binary     bool  // the notice is due if a line is selected
	firstNull  int64 // lines selected before the first zero byte, -1
	badOutput  bool  // a selected line is not text
	zapNulls   bool
	afterMatch int64 // offset after the last selected line
}

// run searches the whole file and answers how many lines are selected.
func (s *search) run() (int64, error) {
	s.left, s.lastOut, s.firstNull = s.maxCount, -1, -1
	s.out = !(s.quiet || s.count || s.listMatching || s.listOthers)
	s.stopFirst = s.quiet || s.listMatching || s.listOthers
	beg := 0 // where the lines begin that were not searched yet
	for {
		if err := s.fill(); err != nil {
			return s.selected, err
		}
		if s.firstNull < 0 && s.eol != 0 && s.options.binary != binaryText && bytes.IndexByte(s.buf[beg:], 0) >= 0 {
			if s.options.binary == binaryWithoutMatch {
				return 0, nil
			}
			if !s.count {
				s.stopFirst, s.out = true, false
			}
			s.firstNull, s.zapNulls = s.selected, true
		}
		if s.zapNulls {
			zap(s.buf[beg:], s.eol)
		}
		lim := beg + bytes.LastIndexByte(s.buf[beg:], s.eol) + 1
		if s.eof && lim < len(s.buf) {
			s.buf = append(s.buf, s.eol)
			lim = len(s.buf)
		}
		if lim > beg {
			s.block(beg, lim)
			if s.pending > 0 {
				s.printPending(lim)
			}
		}
		if err := s.matcher.err(); err != nil {
			return s.selected, err
		}
		if s.eof || s.left == 0 && s.pending == 0 || s.stopFirst && max(0, s.firstNull) < s.selected || s.badOutput || s.grep.out.w.Err() != nil {
			break
		}
		beg = s.keep(lim)
	}
	s.binary = s.badOutput || s.firstNull >= 0 && s.firstNull < s.selected
	return s.selected, nil
}

// fill reads more behind what is in the buffer.
func (s *search) fill() error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	if s.grep.flushOften {
		s.grep.out.w.Flush()
	}
	want := laterRead
	if s.base == 0 && len(s.buf) == 0 {
		want = firstRead
	}
	switch {
	case cap(s.buf) == 0:
		s.buf = s.grep.buffers.forFirst()
	case cap(s.buf)-len(s.buf) <= want/2:
		size := 2*len(s.buf) + want + 1
		if !s.held.Hold(int64(size)) {
			return stream.ErrMemory
		}
		s.buf = s.grep.buffers.grow(s.buf, size)
	}
	// One byte stays free for the newline that the last line may lack.
	free := s.buf[len(s.buf) : cap(s.buf)-1]
	n, err := s.r.Read(free)
	s.buf = s.buf[:len(s.buf)+n]
	if errors.Is(err, io.EOF) {
		s.eof = true
		err = nil
	}
	return err
}

// buffers are what every file of a run is read into: the first read, and what
// comes after it, which for most files is only the end. A file that needs more
// gets a buffer of its own. How much is read at a time decides what is seen of
// a binary file, so a buffer is never larger than was asked for.
type buffers struct{ first, later []byte }

// forFirst answers an empty buffer for the first read of a file.
func (b *buffers) forFirst() []byte {
	if b.first == nil {
		b.first = make([]byte, 0, firstRead+1)
	}
	return b.first
}

// grow moves what is in buf to a buffer of the given capacity.
func (b *buffers) grow(buf []byte, size int) []byte {
	const most = 2*firstRead + laterRead + 1
	if cap(buf) > firstRead+1 || size > most {
		return append(make([]byte, 0, size), buf...)
	}
	if b.later == nil {
		b.later = make([]byte, 0, most)
	}
	return append(b.later[:0:size], buf...)
}

// keep moves what is still needed to the front of the buffer: leading context
// and the line that is not complete. It answers where the latter begins.
func (s *search) keep(lim int) int {
	from := lim
	for i := int64(0); i < s.before && from > 0 && from != s.lastOut && s.out; i++ {
		from = s.lineStart(from)
	}
	if from != s.lastOut {
		s.lastOut = -1
	} else {
		s.lastOut = 0
	}
	if s.lineNumber {
		s.countLines(from)
	}
	s.counted = 0
	n := copy(s.buf, s.buf[from:])
	s.buf = s.buf[:n]
	s.base += int64(from)
	return lim - from
}

// lineStart answers where the line begins that ends before offset at.
func (s *search) lineStart(at int) int { return bytes.LastIndexByte(s.buf[:at-1], s.eol) + 1 }

// zap turns zero bytes into line ends.
func zap(p []byte, eol byte) {
	for {
		i := bytes.IndexByte(p, 0)
		if i < 0 {
			return
		}
		for ; i < len(p) && p[i] == 0; i++ {
			p[i] = eol
		}
		p = p[i:]
	}
}

// block searches the lines from beg to lim.
func (s *search) block(beg, lim int) {
	text := s.buf[:lim]
	for pos := beg; pos < lim; {
		start, end, ok := s.matcher.nextLine(text, pos)
		if !ok {
			start, end = lim, lim
		} else {
			end++ // the delimiter
		}
		if s.invert {
			if start > pos && !s.selectLines(pos, start) {
				return
			}
		} else if ok && !s.selectLines(start, end) {
			return
		}
		pos = end
	}
}

// selectLines takes the lines from beg to lim as selected; false when that is
// enough.
func (s *search) selectLines(beg, lim int) bool {
	if !s.out {
		n := int64(1)
		if s.invert {
			n = int64(bytes.Count(s.buf[beg:lim], []byte{s.eol}))
		}
		n = min(n, s.left)
		s.selected += n
		s.left -= n
		if s.left == 0 {
			s.afterMatch = s.base + int64(s.lineEnds(beg, n))
		}
	} else if !s.print(beg, lim) {
		return false
	}
	return s.left > 0 && !(s.stopFirst && s.selected > 0)
}

// lineEnds answers the offset after n lines from beg on.
func (s *search) lineEnds(beg int, n int64) int {
	for ; n > 0; n-- {
		beg += bytes.IndexByte(s.buf[beg:], s.eol) + 1
	}
	return beg
}

// print prints selected lines and the context before them.
func (s *search) print(beg, lim int) bool {
	if s.pending > 0 {
		s.printPending(beg)
	}
	from := beg
	floor := max(s.lastOut, 0)
	for i := int64(0); i < s.before && from > floor; i++ {
		from = s.lineStart(from)
	}
	if (s.before >= 0 || s.after >= 0) && s.grep.printed && from != s.lastOut && !s.noSeparator {
		s.grep.out.groupSeparator()
	}
	for from < beg {
		from = s.printLine(from, '-')
	}
	for from < lim && s.left > 0 && !s.badOutput {
		from = s.printLine(from, ':')
		s.selected++
		s.left--
	}
	s.afterMatch = s.base + int64(from)
	s.pending = max(0, s.after)
	s.grep.printed = true
	return !s.badOutput && s.grep.out.w.Err() == nil
}

// printPending prints trailing context up to lim.
func (s *search) printPending(lim int) {
	at := max(s.lastOut, 0)
	for s.pending > 0 && at < lim && !s.badOutput && s.grep.out.w.Err() == nil {
		at = s.printLine(at, '-')
		s.pending--
	}
}

// printLine prints the line that begins at beg and answers where it ends.
func (s *search) printLine(beg int, sep byte) int {
	end := len(s.buf)
	if i := bytes.IndexByte(s.buf[beg:], s.eol); i >= 0 {
		end = beg + i
	}
	line := s.buf[beg:end]
	if s.utf8 && s.options.binary != binaryText && !utf8.Valid(line) {
		s.badOutput = true
		s.lastOut = end + 1
		return end + 1
	}
	number := int64(0)
	if s.lineNumber {
		s.countLines(beg)
		number = s.lines + 1
	}
	s.grep.out.line(s, line, sep, number, s.base+int64(beg))
	s.lastOut = end + 1
	return end + 1
}

// countLines brings the line count up to an offset of the buffer.
func (s *search) countLines(to int) {
	if to > s.counted {
		s.lines += int64(bytes.Count(s.buf[s.counted:to], []byte{s.eol}))
		s.counted = to
	}
}
