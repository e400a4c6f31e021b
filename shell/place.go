package shell

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// A place says where a command stands, for policy.Command.Place: the scope,
// which stands for a source text and for the place of the command that has it
// evaluated, and the command's span in that text. The walk before a line and
// the run of it come to the same places, since both take spans of the text as
// it was given, before aliases and before what is rewritten for the parser.

// scopeOf answers the scope of a text that the command at outer evaluates; ""
// is the outer place of a line and of a function that an earlier one defined.
func (e *Executor) scopeOf(outer, source string) string {
	if e.cfg.Judge == nil {
		return ""
	}
	// A loop evaluates the same text at the same place.
	if m := &e.lastScope; m.scope != "" && m.outer == outer && m.source == source {
		return m.scope
	}
	h := sha256.New()
	io.WriteString(h, outer)
	h.Write([]byte{0})
	io.WriteString(h, source)
	scope := hex.EncodeToString(h.Sum(nil)[:16])
	if len(source) <= 512 { // long ones are not to be kept
		e.lastScope.outer, e.lastScope.source, e.lastScope.scope = outer, source, scope
	}
	return scope
}

// placeIn answers the place of a span in a scope.
func placeIn(scope string, from, to int) string {
	var buf [64]byte
	b := append(buf[:0], scope...)
	b = append(b, ':')
	b = strconv.AppendInt(b, int64(from), 10)
	b = append(b, '-')
	b = strconv.AppendInt(b, int64(to), 10)
	return string(b)
}

// stand notes that the shell has come to a command.
func (e *Executor) stand(n syntax.Node) {
	if e.cfg.Judge != nil {
		e.at = [2]uint{n.Pos().Offset(), n.End().Offset()}
	}
}

// where answers the place at which the shell stands.
func (e *Executor) where() string {
	if e.cfg.Judge == nil {
		return ""
	}
	from, to := e.offsets.source(int(e.at[0])), e.offsets.source(int(e.at[1]))
	// A loop comes to one command again and again.
	if m := &e.lastPlace; m.place == "" || m.from != from || m.to != to || m.scope != e.scope {
		m.scope, m.from, m.to, m.place = e.scope, from, to, placeIn(e.scope, from, to)
	}
	return e.lastPlace.place
}

// offsets leads from positions of the syntax tree back to the text as it was
// given. It does not change; nil is the identity.
type offsets struct {
	shift int      // added to every position
	cuts  []splice // aliases, in order
}

// splice is an alias that was replaced: bytes [from, to) of what the parser got
// stand for raw bytes of the text.
type splice struct{ from, to, raw int }

// source answers the offset in the text. What lies inside of what an alias
// stands for counts from where the alias stands, so two commands of one alias
// differ.
func (o *offsets) source(at int) int {
	if o == nil {
		return at
	}
	delta := o.shift
	for _, c := range o.cuts {
		if at < c.to {
			break
		}
		delta += c.raw - (c.to - c.from)
	}
	return at + delta
}
