package sed

import (
	"context"
	"fmt"
	"math"

	"mirage/shell/regex"
)

// script is one -e or -f, or the first operand.
type script struct {
	text string
	file string // of -f
}

const eof = -1

// block is a { that waits for its }.
type block struct {
	open  *command
	where string // for the message that it is unmatched
}

// compiler turns scripts into commands. Its reader and its errors follow GNU
// sed's compile.c, because the position of an error is where reading stopped.
type compiler struct {
	ctx      context.Context
	o        *options
	e        *editor
	commands []*command
	blocks   []block // open ones
	labels   map[string]int
	jumps    []*command
	pending  *command // an a, i or c whose text goes on in the next script

	src         string
	pos         int
	file        string
	line        int
	expressions int // -e scripts so far
	scripts     int
}

// inchar reads one byte; eof does not move on.
func (c *compiler) inchar() int {
	if c.pos >= len(c.src) {
		return eof
	}
	ch := c.src[c.pos]
	c.pos++
	if ch == '\n' {
		c.line++
	}
	return int(ch)
}

// savchar takes the last byte back.
func (c *compiler) savchar(ch int) {
	if ch == eof {
		return
	}
	if ch == '\n' {
		c.line--
	}
	c.pos--
}

func isBlank(ch int) bool { return ch == ' ' || ch == '\t' }
func isSpace(ch int) bool { return ch == ' ' || ch >= '\t' && ch <= '\r' }
func isDigit(ch int) bool { return ch >= '0' && ch <= '9' }

// nonblank reads the next byte that is neither a space nor a tab.
func (c *compiler) nonblank() int {
	for {
		if ch := c.inchar(); !isBlank(ch) {
			return ch
		}
	}
}

// bad words an error with its place.
func (c *compiler) bad(text string) error {
	return &scriptError{statusUsage, c.where(c.pos) + text}
}

// where says where an error is, in front of its text.
func (c *compiler) where(pos int) string {
	if c.file != "" {
		return fmt.Sprintf("file %s line %d: ", c.file, c.line)
	}
	return fmt.Sprintf("-e expression #%d, char %d: ", c.expressions, pos)
}

func (c *compiler) add(s script) error {
	c.src, c.pos, c.file, c.line = s.text, 0, s.file, 1
	if s.file == "-" {
		c.file = "-"
	}
	if s.file == "" {
		c.expressions++
	}
	if c.pending != nil {
		cmd := c.pending
		c.pending = nil
		c.readText(cmd)
	}
	c.scripts++
	for {
		more, err := c.command()
		if err != nil || !more {
			return err
		}
	}
}

// end checks what can only be checked when all scripts are read.
func (c *compiler) end() error {
	if len(c.blocks) > 0 {
		return &scriptError{statusUsage, c.blocks[len(c.blocks)-1].where + "unmatched `{'"}
	}
	for _, j := range c.jumps {
		if j.label == "" {
			j.target = len(c.commands)
			continue
		}
		target, ok := c.labels[j.label]
		if !ok {
			return panicf("can't find label for jump to `%s'", j.label)
		}
		j.target = target
	}
	return nil
}

// command reads one command; more is false at the end of the script.
func (c *compiler) command() (more bool, err error) {
	ch := c.inchar()
	for ch == ';' || isSpace(ch) {
		ch = c.inchar()
	}
	if ch == eof {
		return false, nil
	}
	cmd := &command{n: -1}
	if cmd.a1, err = c.address(ch, true); err != nil {
		return false, err
	}
	if cmd.a1 != nil {
		ch = c.nonblank()
		if ch == ',' {
			if cmd.a2, err = c.address(c.nonblank(), false); err != nil {
				return false, err
			}
			if cmd.a2 == nil {
				return false, c.bad("unexpected `,'")
			}
			ch = c.nonblank()
		}
		if cmd.a1.kind == addressLine && cmd.a1.n == 0 {
			if cmd.a2 == nil || cmd.a2.kind != addressRegex || c.o.posix {
				return false, c.bad("invalid usage of line address 0")
			}
			cmd.state = rangeActive
		}
	}
	if ch == '!' {
		cmd.not = true
		ch = c.nonblank()
		if ch == '!' {
			return false, c.bad("multiple `!'s")
		}
	}
	if ch == eof {
		return false, c.bad("missing command")
	}
	if ch == '#' {
		if cmd.a1 != nil {
			return false, c.bad("comments don't accept any addresses")
		}
		c.comment()
		return true, nil
	}
	cmd.name = byte(ch)
	c.commands = append(c.commands, cmd)
	return true, c.arguments(cmd)
}

// comment skips a comment; one that begins with n in front of everything is
// -n.
func (c *compiler) comment() {
	ch := c.inchar()
	if ch == 'n' && c.scripts == 1 && c.pos == 2 && c.file != "-" {
		c.o.quiet = true
	}
	for ch != eof && ch != '\n' {
		ch = c.inchar()
	}
}

// address reads an address that begins with ch; nil when there is none.
func (c *compiler) address(ch int, first bool) (_ *address, err error) {
	switch {
	case ch == '/' || ch == '\\':
		if ch == '\\' {
			ch = c.inchar()
		}
		text, ok := c.matchSlash(ch, true)
		if !ok {
			return nil, c.bad("unterminated address regex")
		}
		var flags regex.Flags
		for {
			ch = c.nonblank()
			if ch == 'I' && !c.o.posix {
				flags |= regex.IgnoreCase
				continue
			}
			if ch == 'M' && !c.o.posix {
				flags |= regex.Newline
				continue
			}
			break
		}
		c.savchar(ch)
		if text, err = c.unescapeRegex(text); err != nil {
			return nil, err
		}
		p, err := c.regex(text, flags)
		return &address{kind: addressRegex, pattern: p}, err
	case isDigit(ch):
		a := &address{kind: addressLine, n: c.integer(ch)}
		ch = c.nonblank()
		if ch != '~' || c.o.posix {
			c.savchar(ch)
			return a, nil
		}
		ch = c.nonblank()
		if isDigit(ch) {
			if a.step = c.integer(ch); a.step > 0 {
				a.kind = addressStep
			}
			return a, nil
		}
		c.savchar(ch)
		return a, nil
	case (ch == '+' || ch == '~') && !c.o.posix:
		a := &address{kind: addressPlus}
		if ch == '~' {
			a.kind = addressMultiple
		}
		if next := c.nonblank(); isDigit(next) {
			a.n = c.integer(next)
		} else {
			c.savchar(next)
		}
		if first {
			return nil, c.bad("invalid usage of +N or ~N as first address")
		}
		return a, nil
	case ch == '$':
		return &address{kind: addressLast}, nil
	}
	return nil, nil
}

// integer reads a number that begins with ch.
func (c *compiler) integer(ch int) int64 {
	n := int64(0)
	for isDigit(ch) {
		if n > (math.MaxInt64-9)/10 {
			n = (math.MaxInt64 - 9) / 10
		}
		n = n*10 + int64(ch-'0')
		ch = c.inchar()
	}
	c.savchar(ch)
	return n
}

// endOfCommand demands that nothing but the next command follows.
func (c *compiler) endOfCommand() error {
	switch ch := c.nonblank(); ch {
	case '}', '#':
		c.savchar(ch)
	case eof, '\n', ';':
	default:
		return c.bad("extra characters after command")
	}
	return nil
}

// regex compiles a pattern; an empty one stands for the last one used.
func (c *compiler) regex(text string, flags regex.Flags) (*pattern, error) {
	if text == "" {
		if flags != 0 {
			return nil, c.bad("cannot specify modifiers on empty regexp")
		}
		return &pattern{}, nil
	}
	if c.o.extended {
		flags |= regex.Extended | regex.StrictParens
	}
	if c.o.utf8 {
		flags |= regex.UTF8
	}
	if c.o.delimiter == 0 && flags&regex.Newline != 0 {
		flags = flags&^regex.Newline | regex.NotNewline
	}
	re, err := regex.Compile(text, flags)
	if err != nil {
		return nil, c.bad(err.Error())
	}
	return &pattern{m: re.Matcher(c.ctx)}, nil
}
