package expand

import (
	"context"
	"strings"
	"unicode/utf8"

	"mirage/shell/pattern"
)

// mode says what becomes of a word.
type mode uint8

const (
	modeLiteral mode = iota // one string
	modeFields              // any number of fields, split and globbed
	modePattern             // one string whose quoted parts are known
)

// builder collects the text of a word while its parts are expanded, and cuts
// it into fields.
type builder struct {
	x    *Expander
	ctx  context.Context
	mode mode
	// assign marks the value of an assignment: tildes count after colons.
	assign bool
	// inParam is set inside of the word of an unquoted ${x:-word}, whose
	// own text is split too.
	inParam bool
	// noFields is set when a quoted list without elements was expanded.
	noFields bool
	// document is set in a here-document, where double quotes are text.
	document bool

	buf   []byte
	spans []span // what of buf was quoted, as far as that matters
	open  bool   // the field exists, even when buf is empty
	glob  bool   // an unquoted special character has come
	// blank says that white space of IFS ended the last field, so that a
	// delimiter after it belongs to the same one.
	blank  bool
	fields []string
	total  int64 // bytes in fields
}

// span is a quoted range of a field.
type span struct{ start, end int }

// builder takes a builder from the free list. The caller puts it back by
// free.
func (x *Expander) builder(ctx context.Context, m mode) *builder {
	n := len(x.builders)
	if n == 0 {
		return &builder{x: x, ctx: ctx, mode: m}
	}
	b := x.builders[n-1]
	x.builders = x.builders[:n-1]
	b.ctx, b.mode = ctx, m
	return b
}

// maxKept is the largest buffer that the free list keeps.
const maxKept = 64 << 10

func (b *builder) free() {
	x, buf, spans := b.x, b.buf[:0], b.spans[:0]
	if cap(buf) > maxKept {
		buf = nil
	}
	*b = builder{x: x, buf: buf, spans: spans}
	x.builders = append(x.builders, b)
}

// room reports whether n more bytes fit the budget of an expansion.
func (b *builder) room(n int) error {
	if b.total+int64(len(b.buf)+n) > b.x.memory() {
		return errMemory()
	}
	return nil
}

// quoted adds text that was quoted or that an expansion inside of quotes
// gave. Empty text makes no field; that is up to the quotes.
func (b *builder) quoted(s string) error {
	if s == "" {
		return nil
	}
	b.open = true
	if err := b.room(len(s)); err != nil {
		return err
	}
	if b.mode == modePattern || b.mode == modeFields && inPattern(s) {
		start := len(b.buf)
		if n := len(b.spans); n > 0 && b.spans[n-1].end == start {
			b.spans[n-1].end += len(s)
		} else {
			b.spans = append(b.spans, span{start, start + len(s)})
		}
	}
	b.buf = append(b.buf, s...)
	return nil
}

// literal adds unquoted text of the source, which is never split unless it
// belongs to a parameter expansion.
func (b *builder) literal(s string) error {
	if s == "" {
		return nil
	}
	if b.inParam && b.mode == modeFields {
		return b.expanded(s)
	}
	if err := b.room(len(s)); err != nil {
		return err
	}
	b.open = true
	if !b.glob && b.mode == modeFields && special(s) {
		b.glob = true
	}
	b.buf = append(b.buf, s...)
	return nil
}

// expanded adds what an unquoted expansion gave: it is split by IFS.
func (b *builder) expanded(s string) error {
	if s == "" {
		return nil
	}
	if err := b.room(len(s)); err != nil {
		return err
	}
	if b.mode != modeFields {
		b.open = true
		b.buf = append(b.buf, s...)
		return nil
	}
	ifs := b.x.separators()
	start := 0
	for i := 0; i < len(s); {
		if i&0xffff == 0xffff && b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		kind, n := ifs.kind(s, i)
		if kind == notIFS {
			i += n
			continue
		}
		b.piece(s[start:i])
		if err := b.delimiter(kind); err != nil {
			return err
		}
		i += n
		start = i
	}
	b.piece(s[start:])
	return nil
}

// piece adds a part of an expansion without delimiters.
func (b *builder) piece(s string) {
	if s == "" {
		return
	}
	b.open = true
	b.blank = false
	if !b.glob && special(s) {
		b.glob = true
	}
	b.buf = append(b.buf, s...)
}

// delimiter ends a field at a character of IFS.
func (b *builder) delimiter(kind ifsKind) error {
	if kind == ifsBlank {
		if !b.open {
			return nil
		}
		err := b.finish()
		b.blank = true
		return err
	}
	if b.blank {
		b.blank = false
		return nil
	}
	return b.finish()
}

// boundary ends the field between two elements of an unquoted list, where an
// empty one leaves nothing.
func (b *builder) boundary() error {
	if !b.open {
		return nil
	}
	return b.finish()
}

// finish ends the field and performs pathname expansion on it.
func (b *builder) finish() error {
	var err error
	if b.glob && !b.x.Options.NoGlob {
		err = b.expandPaths()
	} else {
		err = b.emit(string(b.buf))
	}
	b.buf, b.spans = b.buf[:0], b.spans[:0]
	b.open, b.glob, b.blank = false, false, false
	return err
}

func (b *builder) emit(s string) error {
	b.total += int64(len(s)) + 16
	if b.total > b.x.memory() {
		return errMemory()
	}
	b.fields = append(b.fields, s)
	return nil
}

func (b *builder) expandPaths() error {
	flags := b.x.patternFlags() &^ pattern.FoldCase
	p := patternText(b.buf, b.spans)
	if !pattern.Special(p, flags) {
		return b.emit(string(b.buf))
	}
	paths, err := b.x.Glob(b.ctx, p)
	switch {
	case err != nil:
		return err
	case len(paths) > 0:
		for _, p := range paths {
			if err := b.emit(p); err != nil {
				return err
			}
		}
		return nil
	case b.x.Options.FailGlob:
		severity := Discard
		if on, _ := b.x.Host.Option("errexit"); on {
			severity = Exit
		}
		return &Error{Msg: "no match: " + string(b.buf), Severity: severity, Status: 1}
	case b.x.Options.NullGlob:
		return nil
	}
	return b.emit(string(b.buf))
}

// patternText writes a field as a pattern: a backslash before every special
// character that was quoted.
func patternText(buf []byte, spans []span) string {
	if len(spans) == 0 {
		return string(buf)
	}
	out := make([]byte, 0, len(buf)+8)
	at := 0
	for _, s := range spans {
		out = append(out, buf[at:s.start]...)
		out = pattern.AppendQuoted(out, string(buf[s.start:s.end]))
		at = s.end
	}
	return string(append(out, buf[at:]...))
}

// special reports whether s has a character that makes pathname expansion
// worth a look.
func special(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*', '?', '[', '(':
			return true
		}
	}
	return false
}

// inPattern reports whether s has a character that must be quoted to stand
// for itself somewhere in a pattern.
func inPattern(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*', '?', '[', '(', ')', ']', '|', '!', '^', '-', '\\':
			return true
		}
	}
	return false
}

// ifsKind classifies characters for word splitting.
type ifsKind uint8

const (
	notIFS   ifsKind = iota
	ifsBlank         // white space
	ifsOther
)

// ifsTable is IFS, prepared.
type ifsTable struct {
	value string
	valid bool
	table [256]ifsKind
	wide  string // its characters beyond ASCII
}

// kind classifies the character at s[i:].
func (t *ifsTable) kind(s string, i int) (ifsKind, int) {
	c := s[i]
	if c < utf8.RuneSelf || t.wide == "" {
		return t.table[c], 1
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	if strings.Contains(t.wide, s[i:i+n]) {
		return ifsOther, n
	}
	return notIFS, n
}

// separators answers the table of the present IFS.
func (x *Expander) separators() *ifsTable {
	value, set := x.Vars.Lookup("IFS")
	if !set {
		value = " \t\n"
	}
	t := &x.ifs
	if t.valid && t.value == value {
		return t
	}
	*t = ifsTable{value: value, valid: true}
	utf := x.Vars.UTF8()
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == ' ' || c == '\t' || c == '\n':
			t.table[c] = ifsBlank
		case c < utf8.RuneSelf || !utf:
			t.table[c] = ifsOther
		default:
			_, n := utf8.DecodeRuneInString(value[i:])
			t.wide += value[i : i+n]
			i += n - 1
		}
	}
	return t
}

// joiner answers what "$*" puts between elements: the first character of IFS,
// a space when IFS is unset.
func (x *Expander) joiner() string {
	value, set := x.Vars.Lookup("IFS")
	switch {
	case !set:
		return " "
	case value == "":
		return ""
	}
	n := 1
	if x.Vars.UTF8() {
		_, n = utf8.DecodeRuneInString(value)
	}
	return value[:n]
}
