// Package pattern matches strings against bash's shell patterns: * ? [...]
// with ranges, classes, equivalence classes, and the extended forms ?(...)
// *(...) +(...) @(...) !(...). A backslash quotes the character after it.
//
// A compiled pattern matches in time polynomial in its own and the subject's
// length, whatever they are, and gives up soon after its context ends.
package pattern

import (
	"context"
	"strings"
	"unicode/utf8"
)

// Flags change how a pattern matches.
type Flags uint8

// The flags.
const (
	Extended Flags = 1 << iota // ?( *( +( @( !(
	FoldCase                   // nocasematch, nocaseglob
	UTF8                       // characters, not bytes
	Period                     // a leading period is matched by a literal one only
)

// Pattern is a compiled pattern. It is safe for concurrent use.
type Pattern struct {
	nodes  []node
	flags  Flags
	groups bool // has an extended form
}

type op uint8

const (
	opLiteral op = iota
	opAny        // ?
	opStar       // *
	opClass      // [...]
	opOne        // @(...)
	opMaybe      // ?(...)
	opMany       // *(...)
	opSome       // +(...)
	opNot        // !(...)
)

type node struct {
	op   op
	solo bool   // of a star: see sequence
	text string // of a literal, in lower case with FoldCase
	set  *class
	alts [][]node
}

// maxDepth bounds the nesting of extended forms; deeper ones match nothing
// but themselves.
const maxDepth = 250

// Compile compiles a pattern. It never fails: what is no valid special form
// matches itself.
func Compile(pattern string, f Flags) *Pattern {
	p := &Pattern{flags: f}
	c := compiler{flags: f}
	c.scan(pattern)
	p.nodes, _ = c.sequence(pattern, 0, 0)
	p.groups = c.groups
	return p
}

type compiler struct {
	flags  Flags
	groups bool
	// opens holds where the parentheses of extended forms stand that are
	// closed.
	opens map[int]bool
	// open is where an unclosed bracket stands; none after it is closed.
	open int
}

// scan finds the parentheses that are closed, in one pass.
func (c *compiler) scan(s string) {
	c.open = len(s)
	var stack []int
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			if _, end := c.class(s, i); end > i {
				i = end - 1
			}
		case '(':
			// Only an extended form nests; a bare parenthesis is text.
			if i > 0 && isGroup(s[i-1]) {
				stack = append(stack, i)
			}
		case ')':
			if n := len(stack); n > 0 {
				if c.opens == nil {
					c.opens = map[int]bool{}
				}
				c.opens[stack[n-1]] = true
				stack = stack[:n-1]
			}
		}
	}
}

// class parses the bracket expression at s[i:]; the end is i when it has none.
func (c *compiler) class(s string, i int) (*class, int) {
	if i > c.open {
		return nil, i
	}
	set, end := parseClass(s, i, c.flags)
	if set == nil {
		c.open = i
	}
	return set, end
}

// sequence compiles s from i on: to the end, or, inside of a group, to the
// '|' or ')' that ends the alternative. It answers the nodes and where it
// stopped.
func (c *compiler) sequence(s string, i, depth int) ([]node, int) {
	var nodes []node
	var lit []byte
	// A star right before an extended form leaves it something to match,
	// unless there is nothing left at all; bash has it so.
	mark := func(o op) {
		if n := len(nodes); n > 0 && nodes[n-1].op == opStar && o != opMaybe && o != opMany {
			nodes[n-1].solo = true
		}
	}
	flush := func() {
		if len(lit) > 0 {
			t := string(lit)
			if c.flags&FoldCase != 0 {
				t = c.fold(t)
			}
			nodes = append(nodes, node{op: opLiteral, text: t})
			lit = lit[:0]
		}
	}
	for i < len(s) {
		ch := s[i]
		if depth > 0 && (ch == '|' || ch == ')') {
			break
		}
		if c.flags&Extended != 0 && i+1 < len(s) && s[i+1] == '(' && isGroup(ch) && depth < maxDepth {
			if n, end, ok := c.group(s, i, depth); ok {
				flush()
				mark(n.op)
				nodes = append(nodes, n)
				i = end
				continue
			}
		}
		switch ch {
		case '\\':
			if i+1 < len(s) {
				i++
			}
			lit = append(lit, s[i])
			i++
		case '?':
			flush()
			nodes = append(nodes, node{op: opAny})
			i++
		case '*':
			flush()
			if n := len(nodes); n == 0 || nodes[n-1].op != opStar {
				nodes = append(nodes, node{op: opStar})
			}
			i++
		case '[':
			if set, end := c.class(s, i); set != nil {
				flush()
				nodes = append(nodes, node{op: opClass, set: set})
				i = end
				continue
			}
			lit = append(lit, ch)
			i++
		default:
			lit = append(lit, ch)
			i++
		}
	}
	flush()
	return nodes, i
}

func isGroup(c byte) bool {
	return c == '?' || c == '*' || c == '+' || c == '@' || c == '!'
}

// group compiles the extended form at s[i:].
func (c *compiler) group(s string, i, depth int) (n node, end int, ok bool) {
	if !c.opens[i+1] {
		return node{}, 0, false
	}
	switch s[i] {
	case '?':
		n.op = opMaybe
	case '*':
		n.op = opMany
	case '+':
		n.op = opSome
	case '@':
		n.op = opOne
	case '!':
		n.op = opNot
	}
	i += 2
	for {
		alt, stop := c.sequence(s, i, depth+1)
		n.alts = append(n.alts, alt)
		if stop >= len(s) {
			return node{}, 0, false
		}
		i = stop + 1
		if s[stop] == ')' {
			c.groups = true
			return n, i, true
		}
	}
}

// fold maps text to the case that FoldCase compares in.
func (c *compiler) fold(s string) string {
	if c.flags&UTF8 != 0 {
		return strings.Map(lower, s)
	}
	return asciiLower(s)
}

func asciiLower(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// char answers the character at s[i:] and its length. A byte that is no
// character counts as one, with a number of its own.
func (p *Pattern) char(s string, i int) (rune, int) {
	c := s[i]
	if c < utf8.RuneSelf || p.flags&UTF8 == 0 {
		return rune(c), 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError && n == 1 {
		return badByte + rune(c), 1
	}
	return r, n
}

// badByte is what the numbers of undecodable bytes start from, beyond
// Unicode.
const badByte = 0x110000

// back answers the length of the character that ends at s[:i].
func (p *Pattern) back(s string, i int) int {
	if s[i-1] < utf8.RuneSelf || p.flags&UTF8 == 0 {
		return 1
	}
	_, n := utf8.DecodeLastRuneInString(s[:i])
	return n
}

// Special reports whether a pattern has an unquoted * ? or [...] (or, with
// Extended, an extended form), so that it is worth matching against a
// directory.
func Special(pattern string, f Flags) bool {
	c := compiler{flags: f}
	c.scan(pattern)
	c.open = len(pattern)
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '*', '?':
			return true
		case '[':
			if _, end := c.class(pattern, i); end > i {
				return true
			}
		case '+', '@', '!':
			if f&Extended != 0 && c.opens[i+1] {
				return true
			}
		}
	}
	return false
}

// AppendQuoted appends s with its special characters escaped, so that it
// matches itself.
func AppendQuoted(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if needsQuote(s[i]) {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return b
}

func needsQuote(c byte) bool {
	switch c {
	case '*', '?', '[', ']', '\\', '(', ')', '|', '!', '^', '-', '+', '@', ':', '.', '=', '/':
		return true
	}
	return false
}

// Match reports whether pattern matches the whole of s. It is for short
// subjects, such as file names; else compile once and give a context.
func Match(pattern, s string, f Flags) bool {
	ok, _ := Compile(pattern, f).Match(context.Background(), s)
	return ok
}
