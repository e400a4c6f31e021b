package programs

import (
	"errors"
	"io"

	"mirage/shell/program/stream"
)

// revertPlain reads pairs of hexadecimal digits with blanks between them. A
// digit next to something else is dropped, and two such bytes in a row behind
// a pair end the line.
func (x *xxdRun) revertPlain(r io.Reader) error {
	const none = -1
	older, old, now := none, none, none // the last digits
	garbage := false                    // the rest of the line is skipped
	return eachBlock(x.ctx, r, x.out, func(p []byte) error {
		for _, c := range p {
			if c == '\n' {
				garbage = false
			}
			if garbage || c == ' ' || c == '\t' || c == '\n' || c == '\r' {
				continue
			}
			older, old = old, now
			if now = digitOf(c); now >= 16 {
				now = none
			}
			switch {
			case old >= 0 && now >= 0:
				x.out.WriteByte(byte(old<<4 | now))
				now = none
			case older < 0 && old < 0 && now < 0:
				garbage = true
			}
		}
		return nil
	})
}

// errSeekBack is the error of a dump whose addresses go back on a stream.
var errSeekBack = errors.New("sorry, cannot seek backwards")

// revert reads a dump: an address, a colon, digits up to two blanks. What the
// addresses leave out is filled with zeros.
func (x *xxdRun) revert(r io.Reader) error {
	lines := stream.NewLines(r, '\n', x.inv.Meter())
	written := int64(0)
	for n := 0; ; n++ {
		if n%256 == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		line, err := lines.Next()
		if err == io.EOF || x.out.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		address, rest := int64(0), line
		for len(rest) > 0 && digitOf(rest[0]) < 16 && address < 1<<58 {
			address, rest = address<<4|int64(digitOf(rest[0])), rest[1:]
		}
		if len(rest) == 0 || rest[0] != ':' || len(rest) == len(line) {
			continue
		}
		if address += x.seek; address < written {
			return errSeekBack
		}
		pad(x.ctx, x.out, 0, address-written)
		written = address
		high, blanks, count := -1, 0, 0
		for _, c := range rest[1:] {
			d := digitOf(c)
			if d >= 16 {
				if blanks++; c != ' ' && c != '\t' || blanks > 1 && count > 0 {
					break
				}
				continue
			}
			if blanks = 0; high < 0 {
				high = d
				continue
			}
			x.out.WriteByte(byte(high<<4 | d))
			high = -1
			written++
			if count++; count == x.columns {
				break
			}
		}
	}
}
