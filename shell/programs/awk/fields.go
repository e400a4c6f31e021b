package awk

import (
	"math"
	"strconv"
	"strings"
)

// splitMode is which variable says how records split, the one set last.
type splitMode int

const (
	byFS splitMode = iota
	byWidths
	byFpat
)

type fieldSpec struct {
	mode   splitMode
	widths string
	fpat   string
}

// splitter appends the fields of a record to fields.
type splitter func(in *interp, s string, fields []value) []value

// maxFields bounds the fields that an assignment may make.
const maxFields = 1 << 22

// setRecord makes s the record; its fields are cut when they are asked for.
func (in *interp) setRecord(s string) {
	in.record = s
	in.split, in.joined = false, true
}

// splitBefore cuts the record before what says how to changes.
func (in *interp) splitBefore() { in.splitRecord() }

// splitRecord cuts the record into fields, unless it is cut already.
func (in *interp) splitRecord() {
	if in.split {
		return
	}
	if in.splitter == nil {
		in.splitter = in.chooseSplitter()
	}
	in.fields = in.splitter(in, in.record, in.fields[:0])
	in.nf = len(in.fields)
	in.split = true
}

// chooseSplitter makes the splitter that FS, FPAT or FIELDWIDTHS asks for.
func (in *interp) chooseSplitter() splitter {
	switch in.fieldSpec.mode {
	case byWidths:
		return widthSplitter(in, in.fieldSpec.widths)
	case byFpat:
		return patternSplitter(in, in.fieldSpec.fpat)
	}
	s := in.separatorSplitter(in.fs)
	if in.rs == "" && in.fs != " " {
		return newlineSplitter(s)
	}
	return s
}

// separatorSplitter makes the splitter of a separator, as FS and split take
// it.
func (in *interp) separatorSplitter(fs string) splitter {
	switch {
	case fs == " ":
		return splitBlanks
	case fs == "":
		return splitChars
	case fs == "\t" || len(fs) == 1 && fs != "\\" && !(in.ignoreCase && 'a' <= fs[0]|0x20 && fs[0]|0x20 <= 'z'):
		sep := fs[0]
		return func(_ *interp, s string, fields []value) []value { return splitByte(s, sep, fields) }
	case fs == "\\":
		return func(_ *interp, s string, fields []value) []value { return splitByte(s, '\\', fields) }
	}
	return func(in *interp, s string, fields []value) []value { return in.splitRegex(s, fs, fields, nil) }
}

// newlineSplitter lets a newline separate fields beside what s does: records
// are paragraphs.
func newlineSplitter(s splitter) splitter {
	return func(in *interp, rec string, fields []value) []value {
		for {
			line, rest, more := strings.Cut(rec, "\n")
			before := len(fields)
			fields = s(in, line, fields)
			if len(fields) == before {
				if rec == "" {
					return fields
				}
				fields = append(fields, input(""))
			}
			if !more {
				return fields
			}
			if rec = rest; rest == "" {
				return append(fields, input(""))
			}
		}
	}
}

func splitBlanks(_ *interp, s string, fields []value) []value {
	for i := 0; i < len(s); {
		c := s[i]
		if c == ' ' || c == '\t' || c == '\n' {
			i++
			continue
		}
		start := i
		for i++; i < len(s); i++ {
			if c := s[i]; c == ' ' || c == '\t' || c == '\n' {
				break
			}
		}
		fields = append(fields, input(s[start:i]))
	}
	return fields
}

func splitChars(_ *interp, s string, fields []value) []value {
	for i := range len(s) {
		fields = append(fields, input(s[i:i+1]))
	}
	return fields
}

func splitByte(s string, sep byte, fields []value) []value {
	if s == "" {
		return fields
	}
	for {
		i := strings.IndexByte(s, sep)
		if i < 0 {
			return append(fields, input(s))
		}
		fields = append(fields, input(s[:i]))
		s = s[i+1:]
	}
}

// pieces are the fields of a string and what separates them: seps[i] stands
// behind field first+i, or in front of all when that is 0.
type pieces struct {
	fields []value
	seps   []string
	first  int
}

// splitRegex appends the parts of s between the matches of a regular
// expression to fields, and the matches to seps unless that is nil.
func (in *interp) splitRegex(s, re string, fields []value, seps *[]string) []value {
	if s == "" {
		return fields
	}
	m := in.regex(re)
	text := bytesOf(s)
	start := 0
	for pos := 0; pos <= len(s); {
		from, to, ok := m.Find(text, pos, 0)
		if !ok {
			break
		}
		if from == to {
			pos = to + 1 // an empty match separates nothing
			continue
		}
		fields = append(fields, input(s[start:from]))
		if seps != nil {
			*seps = append(*seps, s[from:to])
		}
		start, pos = to, to
	}
	in.checkMatcher(m)
	return append(fields, input(s[start:]))
}

// patternSplitter makes fields of the matches of FPAT.
func patternSplitter(_ *interp, re string) splitter {
	return func(in *interp, s string, fields []value) []value {
		return append(fields, in.splitPattern(s, re).fields...)
	}
}

// splitPattern makes fields of what matches.
func (in *interp) splitPattern(s, re string) pieces {
	var p pieces
	m := in.regex(re)
	text := bytesOf(s)
	last := 0
	for pos := 0; pos <= len(s) && s != ""; {
		from, to, ok := m.Find(text, pos, 0)
		if !ok {
			break
		}
		pos = to
		if from == to {
			pos++
			if from == last && len(p.fields) > 0 {
				continue // an empty match right behind a field is none
			}
		}
		p.seps = append(p.seps, s[last:from])
		p.fields = append(p.fields, input(s[from:to]))
		last = to
	}
	in.checkMatcher(m)
	p.seps = append(p.seps, s[last:])
	return p
}

// widthSplitter cuts fields of fixed widths: "3 5:2 *".
func widthSplitter(in *interp, spec string) splitter {
	type width struct{ skip, n int }
	var widths []width
	for i, word := range strings.Fields(spec) {
		w := width{n: -1}
		skip, n, ok := strings.Cut(word, ":")
		if !ok {
			n = skip
			skip = "0"
		}
		var err1, err2 error
		w.skip, err1 = strconv.Atoi(skip)
		if n != "*" {
			w.n, err2 = strconv.Atoi(n)
		}
		if err1 != nil || err2 != nil || w.skip < 0 || n != "*" && w.n <= 0 {
			in.fatalf("invalid FIELDWIDTHS value, for field %d, near `%s'", i+1, word)
		}
		widths = append(widths, w)
	}
	return func(_ *interp, s string, fields []value) []value {
		for _, w := range widths {
			s = s[min(w.skip, len(s)):]
			if s == "" {
				break
			}
			n := len(s)
			if w.n >= 0 {
				n = min(w.n, n)
			}
			fields = append(fields, input(s[:n]))
			s = s[n:]
		}
		return fields
	}
}

// field answers $i.
func (in *interp) field(n float64) value {
	i := in.fieldIndex(n)
	if i == 0 {
		return input(in.wholeRecord())
	}
	in.splitRecord()
	if i > in.nf {
		return text("")
	}
	return in.fields[i-1]
}

func (in *interp) fieldIndex(n float64) int {
	if n < 0 {
		in.fatalf("attempt to access field %s", formatNumber(math.Trunc(n), ""))
	}
	if n > maxFields {
		if n != n || n > math.MaxInt32 {
			return math.MaxInt32
		}
	}
	return int(n)
}

// wholeRecord answers $0, joining the fields when one has changed.
func (in *interp) wholeRecord() string {
	if in.joined {
		return in.record
	}
	var b strings.Builder
	for i := range in.fields[:in.nf] {
		if i > 0 {
			b.WriteString(in.ofs)
		}
		b.WriteString(in.str(in.fields[i]))
		in.checkString(b.Len())
	}
	in.record = b.String()
	in.joined = true
	return in.record
}

// setField assigns to $i.
func (in *interp) setField(n float64, v value) {
	i := in.fieldIndex(n)
	if i == 0 {
		in.setRecord(in.str(v))
		return
	}
	in.splitRecord()
	if i > maxFields {
		in.fatalf("memory exhausted")
	}
	in.resize(max(in.nf, i))
	in.fields[i-1] = v
	in.joined = false
}

// resize sets the number of fields.
func (in *interp) resize(n int) {
	for len(in.fields) < n {
		in.fields = append(in.fields, value{})
	}
	for i := in.nf; i < n; i++ {
		in.fields[i] = text("")
	}
	in.fields = in.fields[:n]
	in.nf = n
}

// setNF assigns to NF.
func (in *interp) setNF(n float64) {
	in.splitRecord()
	if n < 0 {
		in.fatalf("NF set to negative value")
	}
	if n > maxFields {
		in.fatalf("memory exhausted")
	}
	in.resize(int(n))
	in.joined = false
}
