package programs

import (
	"bufio"
	"context"
	"errors"
	"io"

	"mirage/shell/program"
)

// xargsItem is one piece of input.
type xargsItem struct {
	text string
	// lineEnd is set when an input line ends with the item, for -L: a line
	// that ends in a blank goes on in the next.
	lineEnd bool
	// none is set when there is a line's end only, without a text.
	none bool
}

// xargsReader splits the input into items.
type xargsReader struct {
	ctx    context.Context
	inv    *program.Invocation
	in     *bufio.Reader
	o      *xargsOptions
	room   int // longest item
	prev   byte
	warned bool
	eof    bool
	count  int
}

var (
	errXargsLong   = errors.New("argument line too long")
	errXargsSingle = errors.New("unmatched single quote; by default quotes are special to xargs unless you use the -0 option")
	errXargsDouble = errors.New("unmatched double quote; by default quotes are special to xargs unless you use the -0 option")
)

// next answers the next item, or io.EOF.
func (r *xargsReader) next() (xargsItem, error) {
	if r.eof {
		return xargsItem{}, io.EOF
	}
	if r.o.delimited {
		return r.delimited()
	}
	return r.quoted()
}

// getc reads a byte; it looks at the context now and then.
func (r *xargsReader) getc() (byte, error) {
	if r.count++; r.count%256 == 0 {
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
	}
	return r.in.ReadByte()
}

func (r *xargsReader) delimited() (xargsItem, error) {
	var item []byte
	for {
		c, err := r.getc()
		switch {
		case err == io.EOF:
			r.eof = true
			if len(item) == 0 {
				return xargsItem{}, io.EOF
			}
			return xargsItem{text: r.cut(item), lineEnd: true}, nil
		case err != nil:
			return xargsItem{}, err
		case c == r.o.delim:
			return xargsItem{text: r.cut(item), lineEnd: true}, nil
		}
		if len(item) >= r.room {
			return xargsItem{}, errXargsLong
		}
		item = append(item, c)
	}
}

// cut ends an item at its first NUL, which no argument can hold.
func (r *xargsReader) cut(item []byte) string {
	for i, c := range item {
		if c == 0 {
			return string(item[:i])
		}
	}
	return string(item)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isSpace(c byte) bool { return isBlank(c) || c >= '\n' && c <= '\r' }

// quoted reads an item with blanks around, quotes and backslashes.
func (r *xargsReader) quoted() (xargsItem, error) {
	var item []byte
	seen := false // an item has begun, be it with an empty string
	skipping := true
	quote := byte(0)
	for {
		c, err := r.getc()
		if err == io.EOF {
			r.eof = true
			switch {
			case quote != 0:
				return xargsItem{}, xargsUnmatched(quote)
			case !seen:
				return xargsItem{}, io.EOF
			}
			return r.finish(item, true)
		}
		if err != nil {
			return xargsItem{}, err
		}
		prev := r.prev
		r.prev = c
		switch {
		case quote != 0:
			if c == '\n' {
				return xargsItem{}, xargsUnmatched(quote)
			}
			if c == quote {
				quote = 0
				continue
			}
		case c == '\n' && !(skipping && r.o.replacing):
			lineEnd := !isBlank(prev) && prev != '\n' && prev != 0
			if seen {
				return r.finish(item, lineEnd)
			}
			if lineEnd {
				return xargsItem{lineEnd: true, none: true}, nil
			}
			continue
		case skipping && isSpace(c):
			continue
		case isSpace(c) && !r.o.replacing:
			return r.finish(item, false)
		case c == '\\':
			seen, skipping = true, false
			if c, err = r.getc(); err == io.EOF {
				continue // the next read ends the item
			} else if err != nil {
				return xargsItem{}, err
			}
			r.prev = 'x'
		case c == '\'' || c == '"':
			seen, skipping = true, false
			quote = c
			continue
		}
		seen, skipping = true, false
		if c == 0 && !r.warned {
			r.warned = true
			r.inv.Errorf("WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did you mean to use the --null option?")
		}
		if len(item) >= r.room {
			return xargsItem{}, errXargsLong
		}
		item = append(item, c)
	}
}

func xargsUnmatched(quote byte) error {
	if quote == '"' {
		return errXargsDouble
	}
	return errXargsSingle
}

// finish answers an item, unless it is the logical end of the input.
func (r *xargsReader) finish(item []byte, lineEnd bool) (xargsItem, error) {
	text := r.cut(item)
	if r.o.eof != "" && text == r.o.eof {
		r.eof = true
		return xargsItem{}, io.EOF
	}
	return xargsItem{text: text, lineEnd: lineEnd}, nil
}
