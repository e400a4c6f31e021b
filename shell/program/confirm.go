package program

import (
	"bufio"
	"io"
)

// Prompter asks the questions of cp -i, rm -i and their kind.
type Prompter struct {
	inv *Invocation
	in  *bufio.Reader
}

// NewPrompter asks on the standard error of inv and reads its standard input.
func NewPrompter(inv *Invocation) *Prompter { return &Prompter{inv: inv} }

// Confirm writes a question and tells whether the answer begins with "y", as
// the C locale reads it. At the end of the input the answer is no.
func (p *Prompter) Confirm(question string) bool {
	io.WriteString(p.inv.Stderr, question)
	if p.in == nil {
		p.in = bufio.NewReader(p.inv.Stdin)
	}
	var first byte
	for i := 0; ; i++ {
		c, err := p.in.ReadByte()
		if i == 0 && err == nil {
			first = c
		}
		if err != nil || c == '\n' {
			return first == 'y' || first == 'Y'
		}
	}
}
