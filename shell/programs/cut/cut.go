// Package cut is the command cut, after GNU coreutils 9.1. Characters are
// bytes, as there.
package cut

import (
	"bytes"
	"context"
	"io"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

// Programs answers cut.
func Programs() []*program.Program { return []*program.Program{spec.Program(run)} }

var spec = getopt.Spec{
	Name:     "cut",
	Synopsis: []string{"OPTION... [FILE]..."},
	Summary: "Print selected parts of lines from each FILE to standard output.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
	Options: []getopt.Option{
		{Short: "b", Long: "bytes", Arg: getopt.Required, Meta: "LIST", Help: "select only these bytes"},
		{Short: "c", Long: "characters", Arg: getopt.Required, Meta: "LIST", Help: "select only these characters"},
		{Short: "d", Long: "delimiter", Arg: getopt.Required, Meta: "DELIM", Help: "use DELIM instead of TAB for field delimiter"},
		{Short: "f", Long: "fields", Arg: getopt.Required, Meta: "LIST", Help: "select only these fields;  also print any line\nthat contains no delimiter character, unless\nthe -s option is specified"},
		{Short: "n", Help: "(ignored)"},
		{Long: "complement", Help: "complement the set of selected bytes, characters\nor fields"},
		{Short: "s", Long: "only-delimited", Help: "do not print lines not containing delimiters"},
		{Long: "output-delimiter", Arg: getopt.Required, Meta: "STRING", Help: "use STRING as the output delimiter\nthe default is to use the input delimiter"},
		{Short: "z", Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
	},
	Epilog: `Use one, and only one of -b, -c or -f.  Each LIST is made up of one
range, or many ranges separated by commas.  Selected input is written
in the same order that it is read, and is written exactly once.
Each range is one of:

  N     N'th byte, character or field, counted from 1
  N-    from N'th byte, character or field, to end of line
  N-M   from N'th to M'th (included) byte, character or field
  -M    from first to M'th (included) byte, character or field`,
}

// cutter is what is cut out of each line.
type cutter struct {
	ranges        []interval
	fields        bool
	delimiter     byte
	onlyDelimited bool
	between       []byte // output delimiter
	betweenBytes  bool   // it was given, so it also stands between ranges of bytes
	lineEnd       byte
	out           *stream.Writer
}

func run(ctx context.Context, inv *program.Invocation) int {
	c := &cutter{delimiter: '\t', lineEnd: '\n'}
	list, haveList, haveDelimiter, complement := "", false, false, false
	p := spec.Parse(inv)
	for p.Next() {
		switch v := p.Opt.Value; p.Opt.Name {
		case "b", "c", "f":
			if haveList {
				return p.Usage("only one list may be specified")
			}
			list, haveList, c.fields = v, true, p.Opt.Name == "f"
		case "d":
			if len(v) > 1 {
				return p.Usage("the delimiter must be a single character")
			}
			haveDelimiter = true
			c.delimiter = append([]byte(v), 0)[0]
		case "complement":
			complement = true
		case "s":
			c.onlyDelimited = true
		case "output-delimiter":
			c.betweenBytes = true
			if c.between = []byte(v); v == "" {
				c.between = []byte{0}
			}
		case "z":
			c.lineEnd = 0
		}
	}
	switch {
	case p.Stopped:
		return p.Status
	case !haveList:
		return p.Usage("you must specify a list of bytes, characters, or fields")
	case !c.fields && haveDelimiter:
		return p.Usage("an input delimiter may be specified only when operating on fields")
	case !c.fields && c.onlyDelimited:
		return p.Usage("suppressing non-delimited lines makes sense\n\tonly when operating on fields")
	}
	var err error
	if c.ranges, err = parseList(inv, list, c.fields); err != nil {
		return p.Usage("%s", err)
	}
	if complement {
		c.ranges = complementOf(c.ranges)
	}
	if c.between == nil {
		c.between = []byte{c.delimiter}
	}
	c.out = stream.Stdout(inv)
	status := stream.Inputs(ctx, inv, p.Operands, func(_ string, r io.Reader) error {
		return c.file(ctx, stream.NewLines(r, c.lineEnd, inv.Meter()))
	})
	return c.out.Close(inv, status)
}

// file cuts the lines of one file.
func (c *cutter) file(ctx context.Context, lines *stream.Lines) error {
	if c.fields && c.delimiter == c.lineEnd {
		return c.fileOfFields(ctx, lines)
	}
	for n := 0; ; n++ {
		if n&255 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ = stream.Chomp(line, c.lineEnd)
		if c.fields {
			c.lineFields(line)
		} else {
			c.lineBytes(line)
		}
		if c.out.Err() != nil {
			return stream.ErrStop
		}
	}
}

// lineBytes writes the selected bytes of a line.
func (c *cutter) lineBytes(line []byte) {
	first := true
	for _, r := range c.ranges {
		if r.lo > uint64(len(line)) {
			break
		}
		if c.betweenBytes && !first {
			c.out.Write(c.between)
		}
		first = false
		c.out.Write(line[r.lo-1 : min(r.hi, uint64(len(line)))])
	}
	c.out.WriteByte(c.lineEnd)
}

// lineFields writes the selected fields of a line.
func (c *cutter) lineFields(line []byte) {
	i := bytes.IndexByte(line, c.delimiter)
	if i < 0 {
		if !c.onlyDelimited {
			c.out.Write(line)
			c.out.WriteByte(c.lineEnd)
		}
		return
	}
	first := true
	field := uint64(1)
	for rest, ranges := line, c.ranges; len(ranges) > 0; field++ {
		if field > ranges[0].hi {
			if ranges = ranges[1:]; len(ranges) == 0 {
				break
			}
		}
		if ranges[0].lo <= field && ranges[0].hi == unbounded && len(c.between) == 1 && c.between[0] == c.delimiter {
			// The rest is wanted as it is.
			if !first {
				c.out.Write(c.between)
			}
			c.out.Write(rest)
			break
		}
		if i = bytes.IndexByte(rest, c.delimiter); i < 0 {
			i = len(rest)
		}
		if ranges[0].lo <= field {
			if !first {
				c.out.Write(c.between)
			}
			first = false
			c.out.Write(rest[:i])
		}
		if i == len(rest) {
			break
		}
		rest = rest[i+1:]
	}
	c.out.WriteByte(c.lineEnd)
}

// fileOfFields cuts a file whose fields are its lines. A file without any line
// end has no delimiter.
func (c *cutter) fileOfFields(ctx context.Context, lines *stream.Lines) error {
	ranges := c.ranges
	any := false
	for n := uint64(1); ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := lines.Next()
		if err == io.EOF {
			if n > 2 || n == 2 && (any || !c.onlyDelimited) {
				c.out.WriteByte(c.lineEnd)
			}
			return nil
		}
		if err != nil {
			return err
		}
		line, ended := stream.Chomp(line, c.lineEnd)
		if n == 1 && !ended {
			if !c.onlyDelimited {
				c.out.Write(line)
				c.out.WriteByte(c.lineEnd)
			}
			return nil
		}
		ranges = c.field(n, line, ranges, &any)
	}
}

// field writes one field if it is selected, and answers the ranges that are
// left.
func (c *cutter) field(n uint64, text []byte, ranges []interval, any *bool) []interval {
	if len(ranges) > 0 && n > ranges[0].hi {
		ranges = ranges[1:]
	}
	if len(ranges) > 0 && ranges[0].lo <= n {
		if *any {
			c.out.Write(c.between)
		}
		*any = true
		c.out.Write(text)
	}
	return ranges
}
