// Package tr is the command tr, after GNU coreutils 9.1. Characters are bytes
// in every locale, as there.
package tr

import (
	"context"
	"io"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// Programs answers tr.
func Programs() []*program.Program { return []*program.Program{spec.Program(run)} }

var spec = getopt.Spec{
	Name:     "tr",
	Synopsis: []string{"[OPTION]... STRING1 [STRING2]"},
	Order:    getopt.RequireOrder,
	Summary: "Translate, squeeze, and/or delete characters from standard input,\n" +
		"writing to standard output.  STRING1 and STRING2 specify arrays of\n" +
		"characters ARRAY1 and ARRAY2 that control the action.",
	Options: []getopt.Option{
		{Short: "c", Long: "complement", Help: "use the complement of ARRAY1"},
		{Short: "C", Name: "c", Help: "the same"},
		{Short: "d", Long: "delete", Help: "delete characters in ARRAY1, do not translate"},
		{Short: "s", Long: "squeeze-repeats", Help: "replace each sequence of a repeated character\nthat is listed in the last specified ARRAY,\nwith a single occurrence of that character"},
		{Short: "t", Long: "truncate-set1", Help: "first truncate ARRAY1 to length of ARRAY2"},
	},
	Epilog: `ARRAYs are specified as strings of characters.  Most represent themselves.
Interpreted sequences are:

  \NNN            character with octal value NNN (1 to 3 octal digits)
  \\              backslash
  \a              audible BEL
  \b              backspace
  \f              form feed
  \n              new line
  \r              return
  \t              horizontal tab
  \v              vertical tab
  CHAR1-CHAR2     all characters from CHAR1 to CHAR2 in ascending order
  [CHAR*]         in ARRAY2, copies of CHAR until length of ARRAY1
  [CHAR*REPEAT]   REPEAT copies of CHAR, REPEAT octal if starting with 0
  [:alnum:]       all letters and digits
  [:alpha:]       all letters
  [:blank:]       all horizontal whitespace
  [:cntrl:]       all control characters
  [:digit:]       all digits
  [:graph:]       all printable characters, not including space
  [:lower:]       all lower case letters
  [:print:]       all printable characters, including space
  [:punct:]       all punctuation characters
  [:space:]       all horizontal or vertical whitespace
  [:upper:]       all upper case letters
  [:xdigit:]      all hexadecimal digits
  [=CHAR=]        all characters which are equivalent to CHAR

Translation occurs if -d is not given and both STRING1 and STRING2 appear.
-t may be used only when translating.  ARRAY2 is extended to length of
ARRAY1 by repeating its last character as necessary.  Excess characters
of ARRAY2 are ignored.  Character classes expand in unspecified order;
while translating, [:lower:] and [:upper:] may be used in pairs to
specify case conversion.  Squeezing occurs after translation or deletion.`,
}

type options struct {
	complement, delete, squeeze, truncate bool
}

func run(ctx context.Context, inv *program.Invocation) int {
	var o options
	p := spec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "c":
			o.complement = true
		case "d":
			o.delete = true
		case "s":
			o.squeeze = true
		case "t":
			o.truncate = true
		}
	}
	if p.Stopped {
		return p.Status
	}
	if !o.operands(inv, p) {
		return p.Status
	}
	f, err := o.filter(inv, p.Operands)
	if err != nil {
		inv.Errorf("%s", err)
		return 1
	}
	return f.copy(ctx, inv)
}

// operands checks how many strings there are.
func (o *options) operands(inv *program.Invocation, p *getopt.Parser) bool {
	least, most := 1, 2
	if o.delete == o.squeeze {
		least = 2
	}
	if o.delete && !o.squeeze {
		most = 1
	}
	n := len(p.Operands)
	switch {
	case n == 0:
		p.Missing()
	case n < least && o.squeeze:
		p.Usage("missing operand after %s\nTwo strings must be given when both deleting and squeezing repeats.", inv.QuoteArg(p.Operands[0]))
	case n < least:
		p.Usage("missing operand after %s\nTwo strings must be given when translating.", inv.QuoteArg(p.Operands[0]))
	case n > most && n == 2:
		p.Usage("extra operand %s\nOnly one string may be given when deleting without squeezing repeats.", inv.QuoteArg(p.Operands[1]))
	case n > most:
		p.Extra(p.Operands[most])
	}
	return !p.Stopped
}

// filter is what is done to each byte.
type filter struct {
	remove  [256]bool
	table   [256]byte
	squeeze [256]bool

	removes, squeezes bool
	last              int // byte written last, -1 at first
}

// filter compiles the strings.
func (o *options) filter(inv *program.Invocation, operands []string) (*filter, error) {
	translate := len(operands) == 2 && !o.delete
	s1, err := parse(inv, operands[0])
	if err != nil {
		return nil, err
	}
	var s2 *array
	if len(operands) == 2 {
		if s2, err = parse(inv, operands[1]); err != nil {
			return nil, err
		}
	}
	v := &validator{options: o, translate: translate}
	if err := v.validate(s1, s2); err != nil {
		return nil, err
	}
	f := &filter{removes: o.delete, squeezes: o.squeeze, last: -1}
	for i := range f.table {
		f.table[i] = byte(i)
	}
	set1 := s1.set(o.complement)
	switch {
	case o.delete:
		f.remove = set1
	case translate:
		domain := s1.bytes()
		if o.complement {
			domain = members(set1)
		}
		for i, to := range s2.bytes() {
			if i == len(domain) {
				break
			}
			f.table[domain[i]] = to
		}
	}
	if o.squeeze {
		if s2 != nil {
			f.squeeze = s2.set(false)
		} else {
			f.squeeze = set1
		}
	}
	return f, nil
}

// members lists a set in order.
func members(set [256]bool) []byte {
	var list []byte
	for i, in := range set {
		if in {
			list = append(list, byte(i))
		}
	}
	return list
}

// copy filters standard input to standard output.
func (f *filter) copy(ctx context.Context, inv *program.Invocation) int {
	buf := make([]byte, stream.BufferSize)
	for {
		if ctx.Err() != nil {
			return 1
		}
		n, err := inv.Stdin.Read(buf)
		if out := f.apply(buf[:n]); len(out) > 0 {
			if _, err := inv.Stdout.Write(out); err != nil {
				return inv.WriteError(err)
			}
		}
		if err == io.EOF {
			return 0
		}
		if err != nil {
			inv.Errorf("read error: %s", vfs.Phrase(err))
			return 1
		}
	}
}

// apply filters a block in place.
func (f *filter) apply(p []byte) []byte {
	if !f.removes && !f.squeezes {
		for i, c := range p {
			p[i] = f.table[c]
		}
		return p
	}
	out := p[:0]
	for _, c := range p {
		if f.removes && f.remove[c] {
			continue
		}
		c = f.table[c]
		if f.squeezes && int(c) == f.last && f.squeeze[c] {
			continue
		}
		f.last = int(c)
		out = append(out, c)
	}
	return out
}
