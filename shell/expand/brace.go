package expand

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hasBrace reports whether a word may have a brace expansion.
func hasBrace(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			if i := strings.IndexByte(l.Value, '{'); i >= 0 {
				return true
			}
		}
	}
	return false
}

// piece is one character of unquoted text, with its backslash if it has one,
// or one other part of a word.
type piece struct {
	text string
	part syntax.WordPart
}

func (p piece) is(c string) bool { return p.part == nil && p.text == c }

// braces performs brace expansion. Words without a valid one come back as
// they are.
func (x *Expander) braces(ctx context.Context, w *syntax.Word) ([]*syntax.Word, error) {
	var pieces []piece
	for _, p := range w.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok {
			pieces = append(pieces, piece{part: p})
			continue
		}
		for i := 0; i < len(l.Value); i++ {
			n := 1
			if l.Value[i] == '\\' && i+1 < len(l.Value) {
				n = 2
			}
			pieces = append(pieces, piece{text: l.Value[i : i+n]})
			i += n - 1
		}
	}
	e := bracer{ctx: ctx, limit: x.Limits.Words}
	if e.limit <= 0 {
		e.limit = 100_000
	}
	lists, err := e.expand(pieces, 0)
	if err != nil {
		return nil, err
	}
	out := make([]*syntax.Word, len(lists))
	for i, l := range lists {
		out[i] = join(l)
	}
	return out, nil
}

// join makes a word of pieces.
func join(pieces []piece) *syntax.Word {
	w := &syntax.Word{}
	for i := 0; i < len(pieces); {
		if pieces[i].part != nil {
			w.Parts = append(w.Parts, pieces[i].part)
			i++
			continue
		}
		var b strings.Builder
		for ; i < len(pieces) && pieces[i].part == nil; i++ {
			b.WriteString(pieces[i].text)
		}
		w.Parts = append(w.Parts, &syntax.Lit{Value: b.String()})
	}
	return w
}

// bracer expands the braces of one word.
type bracer struct {
	ctx   context.Context
	limit int
	count int // pieces made so far
}

// maxBraceDepth bounds nested braces; deeper ones are text.
const maxBraceDepth = 200

func (e *bracer) tooMany() error {
	return &Error{Msg: "brace expansion: limit exceeded", Severity: Discard, Status: 1}
}

// expand answers the words that pieces stand for.
func (e *bracer) expand(p []piece, depth int) ([][]piece, error) {
	if depth > maxBraceDepth {
		return [][]piece{p}, nil
	}
	pairs := match(p)
	for i := 0; i < len(p); i++ {
		b := pairs[i]
		if b == nil || b.end < 0 {
			continue
		}
		end, commas := b.end, b.commas
		var middles [][]piece
		if len(commas) > 0 {
			from := i + 1
			for _, c := range append(commas, end) {
				m, err := e.expand(p[from:c:c], depth+1)
				if err != nil {
					return nil, err
				}
				middles = append(middles, m...)
				if len(middles) > e.limit {
					return nil, e.tooMany()
				}
				from = c + 1
			}
		} else {
			seq, ok, err := e.sequence(p[i+1 : end])
			if err != nil {
				return nil, err
			}
			if !ok {
				continue // {a}: text; what is inside may expand still
			}
			middles = seq
			if end+1 < len(p) && holdsBackquote(seq) {
				return nil, badBackquote(p[end+1:])
			}
		}
		rest, err := e.expand(p[end+1:], depth+1)
		if err != nil {
			return nil, err
		}
		if len(middles)*len(rest) > e.limit {
			return nil, e.tooMany()
		}
		out := make([][]piece, 0, len(middles)*len(rest))
		for _, m := range middles {
			for _, r := range rest {
				e.count += i + len(m) + len(r)
				if e.count > 100*e.limit {
					return nil, e.tooMany()
				}
				w := make([]piece, 0, i+len(m)+len(r))
				w = append(append(append(w, p[:i]...), m...), r...)
				out = append(out, w)
			}
			if err := e.ctx.Err(); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return [][]piece{p}, nil
}

// brace is an opening brace: where it is closed (-1 when it is not) and the
// commas between at its own depth.
type brace struct {
	end    int
	commas []int
}

// match pairs the braces of a word.
func match(p []piece) map[int]*brace {
	var open []*brace
	all := map[int]*brace{}
	for i := range p {
		switch {
		case p[i].is("{"):
			b := &brace{end: -1}
			all[i] = b
			open = append(open, b)
		case len(open) == 0:
		case p[i].is("}"):
			open[len(open)-1].end = i
			open = open[:len(open)-1]
		case p[i].is(","):
			b := open[len(open)-1]
			b.commas = append(b.commas, i)
		}
	}
	return all
}

// sequence expands x..y and x..y..step.
func (e *bracer) sequence(p []piece) (words [][]piece, ok bool, err error) {
	var b strings.Builder
	for _, c := range p {
		if c.part != nil {
			return nil, false, nil
		}
		b.WriteString(c.text)
	}
	parts := strings.Split(b.String(), "..")
	if len(parts) < 2 || len(parts) > 3 {
		return nil, false, nil
	}
	step := int64(1)
	if len(parts) == 3 {
		if step, err = strconv.ParseInt(parts[2], 10, 64); err != nil {
			return nil, false, nil
		}
	}
	letters := isLetter(parts[0]) && isLetter(parts[1])
	var lo, hi int64
	if letters {
		lo, hi = int64(parts[0][0]), int64(parts[1][0])
	} else {
		var err1, err2 error
		lo, err1 = strconv.ParseInt(parts[0], 10, 64)
		hi, err2 = strconv.ParseInt(parts[1], 10, 64)
		if err1 != nil || err2 != nil {
			return nil, false, nil
		}
	}
	words, err = e.steps(lo, hi, step, letters, width(parts[0], parts[1]))
	return words, true, err
}

// holdsBackquote reports whether a sequence of characters, such as {z..A},
// passes the backquote.
func holdsBackquote(words [][]piece) bool {
	for _, w := range words {
		if len(w) == 1 && w[0].text == "\\`" {
			return true
		}
	}
	return false
}

// badBackquote is what bash says of the command substitution that it sees
// then.
func badBackquote(rest []piece) error {
	text := ""
	if l, ok := join(rest).Parts[0].(*syntax.Lit); ok {
		text = l.Value
	}
	return &Error{Msg: "bad substitution: no closing \"`\" in `" + text, Severity: Discard, Status: 1}
}

// isLetter reports whether s is one letter.
func isLetter(s string) bool {
	return len(s) == 1 && ('a' <= s[0] && s[0] <= 'z' || 'A' <= s[0] && s[0] <= 'Z')
}

// width answers to how many places the numbers are padded with zeros: as
// many as the longer one has when one of them starts with a zero.
func width(lo, hi string) int {
	if zeroPadded(lo) || zeroPadded(hi) {
		return max(len(lo), len(hi))
	}
	return 0
}

func zeroPadded(s string) bool {
	d := strings.TrimPrefix(s, "-")
	return len(d) > 1 && d[0] == '0'
}

func (e *bracer) steps(lo, hi, step int64, letters bool, pad int) ([][]piece, error) {
	if step < 0 {
		step = -step
	}
	if step <= 0 {
		step = 1
	}
	// Distances of more than 63 bits must not wrap.
	distance := uint64(hi) - uint64(lo)
	if hi < lo {
		distance = uint64(lo) - uint64(hi)
	}
	n := distance / uint64(step)
	if n >= uint64(e.limit) {
		return nil, e.tooMany()
	}
	out := make([][]piece, 0, n+1)
	v := lo
	for i := uint64(0); i <= n; i++ {
		var s string
		switch {
		case letters:
			s = string(rune(v))
			switch s {
			case "\\":
				s = "" // it quotes nothing
			case "`":
				s = "\\`"
			}
		case pad > 0:
			s = fmt.Sprintf("%0*d", pad, v)
		default:
			s = strconv.FormatInt(v, 10)
		}
		out = append(out, []piece{{text: s}})
		if hi < lo {
			v -= step
		} else {
			v += step
		}
	}
	return out, nil
}
