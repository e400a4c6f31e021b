package sed

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	errNoFile   = "missing filename in r/R/w/W commands"
	errSandbox  = "e/r/w commands disabled in sandbox mode"
	errOneAddr  = "command only uses one address"
	errExpected = "expected \\ after `a', `c' or `i'"
)

// arguments reads what follows a command's name.
func (c *compiler) arguments(cmd *command) error {
	switch cmd.name {
	case '{':
		c.blocks = append(c.blocks, block{cmd, c.where(0)})
		return nil
	case '}':
		return c.closeBlock(cmd)
	case '=', 'd', 'D', 'F', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z':
		return c.endOfCommand()
	case 'a', 'i', 'c':
		return c.textArgument(cmd)
	case 'e':
		return c.execArgument(cmd)
	case ':':
		return c.labelCommand(cmd)
	case 'b', 't', 'T':
		cmd.label = c.readLabel()
		c.jumps = append(c.jumps, cmd)
		return nil
	case 'q', 'Q', 'l', 'L':
		return c.numberArgument(cmd)
	case 'r', 'R', 'w', 'W':
		return c.fileArgument(cmd)
	case 's':
		return c.substitute(cmd)
	case 'y':
		return c.transliterate(cmd)
	case 'v':
		return c.version(cmd)
	}
	return c.bad(fmt.Sprintf("unknown command: `%c'", cmd.name))
}

func (c *compiler) closeBlock(cmd *command) error {
	if len(c.blocks) == 0 {
		return c.bad("unexpected `}'")
	}
	if cmd.a1 != nil {
		return c.bad("} doesn't want any addresses")
	}
	if err := c.endOfCommand(); err != nil {
		return err
	}
	open := c.blocks[len(c.blocks)-1].open
	c.blocks = c.blocks[:len(c.blocks)-1]
	c.commands = c.commands[:len(c.commands)-1] // } does nothing itself
	open.target = len(c.commands)
	return nil
}

func (c *compiler) numberArgument(cmd *command) error {
	if cmd.a2 != nil && (cmd.name == 'q' || cmd.name == 'Q') {
		return c.bad(errOneAddr)
	}
	if cmd.name == 'L' {
		return c.bad("unknown command: `L'")
	}
	ch := c.nonblank()
	if isDigit(ch) && !c.o.posix {
		cmd.n = c.integer(ch)
	} else {
		c.savchar(ch)
	}
	return c.endOfCommand()
}

func (c *compiler) labelCommand(cmd *command) error {
	if cmd.a1 != nil {
		return c.bad(": doesn't want any addresses")
	}
	label := c.readLabel()
	if label == "" {
		return c.bad(`":" lacks a label`)
	}
	c.commands = c.commands[:len(c.commands)-1]
	if _, ok := c.labels[label]; !ok {
		c.labels[label] = len(c.commands)
	}
	return nil
}

// readLabel reads a label up to white space or a semicolon.
func (c *compiler) readLabel() string {
	start := c.nonblank()
	var b strings.Builder
	ch := start
	for ch != eof && !isSpace(ch) && ch != ';' && ch != '}' {
		b.WriteByte(byte(ch))
		ch = c.inchar()
	}
	c.savchar(ch)
	return b.String()
}

// fileName reads a file name: the rest of the line.
func (c *compiler) fileName() string {
	ch := c.nonblank()
	var b strings.Builder
	for ch != eof && ch != '\n' {
		b.WriteByte(byte(ch))
		ch = c.inchar()
	}
	return b.String()
}

func (c *compiler) fileArgument(cmd *command) error {
	if c.o.sandbox {
		return c.bad(errSandbox)
	}
	cmd.file = c.fileName()
	if cmd.file == "" {
		return c.bad(errNoFile)
	}
	var err error
	if cmd.name == 'w' || cmd.name == 'W' {
		cmd.out, err = c.e.openOutput(cmd.file)
	}
	return err
}

// textArgument reads the text of a, i and c in its forms: after a backslash
// and a newline, or on the same line.
func (c *compiler) textArgument(cmd *command) error {
	ch := c.nonblank()
	if ch == eof {
		return c.bad(errExpected)
	}
	if ch != '\\' {
		if c.o.posix {
			return c.bad(errExpected)
		}
		c.savchar(ch)
		c.readText(cmd)
		return nil
	}
	ch = c.inchar()
	if ch == eof {
		c.pending = cmd
		return nil
	}
	if isBlank(ch) {
		// White space after the backslash is dropped in front of a
		// newline, and text otherwise.
		pos := c.pos
		next := c.nonblank()
		if next == '\n' {
			ch = next
		} else {
			c.pos = pos
		}
	}
	if ch != '\n' {
		if c.o.posix {
			return c.bad(errExpected)
		}
		c.savchar(ch)
	}
	c.readText(cmd)
	return nil
}

// readText reads lines up to one that does not end in a backslash.
func (c *compiler) readText(cmd *command) {
	var b strings.Builder
	b.Write(cmd.text)
	for {
		ch := c.inchar()
		if ch == eof || ch == '\n' {
			break
		}
		if ch != '\\' {
			b.WriteByte(byte(ch))
			continue
		}
		ch = c.inchar()
		if ch == eof {
			if c.file == "" {
				c.pending = cmd // the next -e goes on
			}
			break
		}
		if ch == '\n' {
			b.WriteByte('\n')
			continue
		}
		if v, n := escape(c.src[c.pos-1:], true); n > 0 {
			b.Write(v)
			c.pos += n - 1
			continue
		}
		b.WriteByte(byte(ch))
	}
	b.WriteByte('\n')
	cmd.text = []byte(b.String())
}

func (c *compiler) execArgument(cmd *command) error {
	if c.o.sandbox {
		return c.bad(errSandbox)
	}
	cmd.text = []byte(c.fileName())
	return nil
}

// version is v: it demands a version of GNU sed.
func (c *compiler) version(cmd *command) error {
	want := c.readLabel()
	c.commands = c.commands[:len(c.commands)-1]
	have := []int{4, 9}
	for i, s := range strings.SplitN(want, ".", 3) {
		n, err := strconv.Atoi(s)
		if want == "" {
			break
		}
		if i >= len(have) || err == nil && n < have[i] {
			break
		}
		if err != nil || n > have[i] {
			return c.bad("expected newer version of sed")
		}
	}
	return c.endOfCommand()
}
