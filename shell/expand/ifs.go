package expand

// SplitIFS splits a line into at most n fields (all when n < 0) as read
// does; the last one takes the rest. Unless raw is set a backslash quotes the
// character after it and goes.
func (x *Expander) SplitIFS(line string, n int, raw bool) []string {
	s := splitter{ifs: x.separators(), line: line, raw: raw}
	s.skipBlanks()
	var out []string
	for s.i < len(line) && (n < 0 || len(out) < n) {
		if n >= 0 && len(out) == n-1 {
			return append(out, s.rest())
		}
		out = append(out, s.field())
	}
	return out
}

// splitter reads fields off a line.
type splitter struct {
	ifs  *ifsTable
	line string
	i    int
	raw  bool
}

// kind classifies the character at i; one that is quoted separates nothing.
// text is the character without its backslash.
func (s *splitter) kind() (k ifsKind, n int, text string) {
	if !s.raw && s.line[s.i] == '\\' {
		if s.i+1 == len(s.line) {
			return notIFS, 1, ""
		}
		return notIFS, 2, s.line[s.i+1 : s.i+2]
	}
	k, n = s.ifs.kind(s.line, s.i)
	return k, n, s.line[s.i : s.i+n]
}

func (s *splitter) skipBlanks() {
	for s.i < len(s.line) {
		k, n, _ := s.kind()
		if k != ifsBlank {
			return
		}
		s.i += n
	}
}

// field reads a field and the delimiter after it: white space, one other
// character of IFS, white space.
func (s *splitter) field() string {
	start := s.i
	var buf []byte
	plain := true
	for s.i < len(s.line) {
		k, n, text := s.kind()
		if k != notIFS {
			break
		}
		if plain && len(text) != n {
			buf = append(buf, s.line[start:s.i]...)
			plain = false
		}
		if !plain {
			buf = append(buf, text...)
		}
		s.i += n
	}
	out := string(buf)
	if plain {
		out = s.line[start:s.i]
	}
	s.delimiter()
	return out
}

func (s *splitter) delimiter() {
	s.skipBlanks()
	if s.i < len(s.line) {
		if k, n, _ := s.kind(); k == ifsOther {
			s.i += n
			s.skipBlanks()
		}
	}
}

// rest reads what is left as one field: without white space at its end, and,
// if it is one field and a delimiter, without that.
func (s *splitter) rest() string {
	start := s.i
	first := s.field()
	if s.i == len(s.line) {
		return first
	}
	s.i = start
	var buf []byte
	keep := 0 // how much of buf is not white space at the end
	for s.i < len(s.line) {
		k, n, text := s.kind()
		buf = append(buf, text...)
		if k != ifsBlank {
			keep = len(buf)
		}
		s.i += n
	}
	return string(buf[:keep])
}
