// Package arith evaluates the arithmetic of bash: the text of $(( )), let,
// subscripts and integer variables, compiled once and run often.
//
// Numbers are 64-bit and wrap around. Messages are bash's.
package arith

import (
	"context"
	"strings"
)

// Env is where an expression finds and puts its variables.
type Env interface {
	// Value answers the text of a variable, "" when it is unset. The error
	// is that of an unset variable under `set -u`.
	Value(name string) (string, error)
	// Set assigns a number to a variable.
	Set(name string, n int64) error
	// Assoc reports whether name is an associative array.
	Assoc(name string) bool
	// Element and SetElement are Value and Set for an element of an array.
	Element(at Element) (string, error)
	SetElement(at Element, n int64) error
	// Expand performs the expansions of a subscript whose text came about
	// at run time.
	Expand(text string) (string, error)
}

// Element is one element of an array.
type Element struct {
	Name    string
	Key     string // of an associative array
	Index   int64  // of an indexed one
	IsAssoc bool
	Text    string // the subscript as written, for messages
}

// Error is an error of an expression, worded as bash words it without the
// shell's prefix: `1/0: division by 0 (error token is "0")`.
type Error struct {
	Expr  string // the expression, without leading blanks
	Text  string // what is wrong
	Token string // the rest of the expression from the token at fault
}

// Error answers the whole message.
func (e *Error) Error() string {
	return e.Expr + ": " + e.Text + ` (error token is "` + e.Token + `")`
}

// Program is a compiled expression.
//
// Its text may hold placeholders, made by Slot, each for a string that is only
// known when the program runs and that stands for a whole operand or for a
// part of a subscript.
type Program struct {
	text string
	root *node
	err  *syntaxError
	// operands lists the slots that stand for operands.
	operands []int
}

type syntaxError struct {
	text string
	at   int // where the token at fault starts
	end  int // where bash's message stops; the end of the text in general
}

// Slot answers the placeholder number i. Texts of programs hold no NUL
// otherwise.
func Slot(i int) string {
	return string([]byte{0, byte(i) | 0x80, byte(i>>7) | 0x80, 0})
}

const slotLen = 4

func slotAt(s string, i int) (n int, ok bool) {
	if i+slotLen > len(s) || s[i] != 0 || s[i+1] < 0x80 || s[i+2] < 0x80 || s[i+3] != 0 {
		return 0, false
	}
	return int(s[i+1]&0x7f) | int(s[i+2]&0x7f)<<7, true
}

// MaxSlots is the most placeholders that a program may have.
const MaxSlots = 1 << 14

// Compile compiles the text of an expression. Errors in it come up when the
// program runs.
func Compile(text string) *Program {
	p := &Program{text: text}
	c := parser{lexer: lexer{src: text}, prog: p}
	p.root, p.err = c.program()
	return p
}

// Literal reports whether the strings that an expansion gave fit the slots of
// the program: those that stand for operands are numbers. Else Substitute must
// make a new text first.
func (p *Program) Literal(slots []string) bool {
	if p.err != nil && len(slots) > 0 {
		return false
	}
	for _, i := range p.operands {
		if _, ok := decimal(slots[i]); !ok {
			return false
		}
	}
	return true
}

// Substitute answers the text of the program with the operand slots replaced
// by their strings, as bash expands before it parses. Slots in subscripts stay,
// so that a key may hold any character.
func (p *Program) Substitute(slots []string) string {
	if p.err != nil {
		return fill(p.text, slots, nil)
	}
	only := make([]bool, len(slots))
	for _, i := range p.operands {
		only[i] = true
	}
	return fill(p.text, slots, only)
}

// fill replaces slots by their strings: those marked in only, or all.
func fill(text string, slots []string, only []bool) string {
	if strings.IndexByte(text, 0) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		n, ok := slotAt(text, i)
		if !ok {
			b.WriteByte(text[i])
			i++
			continue
		}
		switch {
		case n >= len(slots):
		case only != nil && !only[n]:
			b.WriteString(text[i : i+slotLen])
		default:
			b.WriteString(slots[n])
		}
		i += slotLen
	}
	return b.String()
}

// decimal reads a plain decimal number, the common case. Octal numbers and
// what may overflow are left to the parser.
func decimal(s string) (int64, bool) {
	i, neg := 0, false
	if s != "" && s[0] == '-' {
		i, neg = 1, true
	}
	if n := len(s) - i; n == 0 || n > 18 || n > 1 && s[i] == '0' {
		return 0, false
	}
	var v int64
	for ; i < len(s); i++ {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + int64(d)
	}
	if neg {
		v = -v
	}
	return v, true
}

// Machine runs programs in one environment. It is used by one goroutine at a
// time.
type Machine struct {
	Env Env
	// Programs caches the compiled texts of variables; the machine makes it.
	programs map[string]*Program
	depth    int
	steps    int
}

// maxDepth is how deep values may refer to other expressions, as in bash.
const maxDepth = 1024

// maxPrograms bounds the cache of compiled texts.
const maxPrograms = 1024

// maxCached is the longest text that is kept in the cache.
const maxCached = 4096

// Compiled is Compile with the machine's cache.
func (m *Machine) Compiled(text string) *Program {
	if p := m.programs[text]; p != nil {
		return p
	}
	p := Compile(text)
	if len(text) <= maxCached {
		if m.programs == nil || len(m.programs) >= maxPrograms {
			m.programs = make(map[string]*Program)
		}
		m.programs[text] = p
	}
	return p
}

// Text evaluates the text of an expression; blank text is 0.
func (m *Machine) Text(ctx context.Context, text string) (int64, error) {
	if n, ok := decimal(text); ok {
		return n, nil
	}
	text, _, _ = strings.Cut(text, "\x00") // no text of a shell holds a NUL
	return m.Run(ctx, m.Compiled(text), nil)
}

// Run evaluates a program with the strings of its slots.
func (m *Machine) Run(ctx context.Context, p *Program, slots []string) (int64, error) {
	r := run{m: m, ctx: ctx, p: p, slots: slots}
	if p.err != nil {
		return 0, r.failIn(p.text[:p.err.end], p.err.at, p.err.text)
	}
	if p.root == nil {
		return 0, nil
	}
	return r.eval(p.root)
}

// Fill answers the text of a program with its slots replaced by their
// strings.
func (p *Program) Fill(slots []string) string { return fill(p.text, slots, nil) }

// Fill replaces the slots of a text by their strings.
func Fill(text string, slots []string) string { return fill(text, slots, nil) }
