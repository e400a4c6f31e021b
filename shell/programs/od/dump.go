package od

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"mirage/shell/program/stream"
)

// maxWidth bounds the bytes of a line, as three lines are held.
const maxWidth = 8 << 20

// layout settles how many bytes a line has and how wide its fields are.
func (d *dump) layout() {
	common := 1
	for _, f := range d.formats {
		common = max(common, f.size) // sizes are powers of two
	}
	block := uint64(16)
	if d.hasWidth {
		block = d.width
		if block == 0 || block%uint64(common) != 0 {
			d.inv.Errorf("warning: invalid width %d; using %d instead", block, common)
			block = uint64(common)
		}
	}
	d.width = block
	widest := uint64(0)
	for _, f := range d.formats {
		widest = max(widest, block/uint64(f.size)*uint64(f.width+1))
	}
	for i, f := range d.formats {
		d.formats[i].pad = int(widest - block/uint64(f.size)*uint64(f.width))
	}
}

// skipBytes skips what -j says; it answers false where the input is too short.
func (d *dump) skipBytes() bool {
	d.offset = d.skip
	d.input.left = d.skip
	buf := make([]byte, stream.BufferSize)
	for d.input.left > 0 {
		if _, err := d.input.Read(buf); err != nil {
			return false
		}
	}
	return true
}

func (d *dump) address(offset uint64) string {
	text := d.number(offset)
	if d.hasLabel {
		label := d.number(offset - d.skip + d.label)
		if d.radix == 'n' {
			return "(" + fmt.Sprintf("%07o", offset-d.skip+d.label) + ")"
		}
		text += " (" + label + ")"
	}
	return text
}

func (d *dump) number(n uint64) string {
	switch d.radix {
	case 'd':
		return fmt.Sprintf("%07d", n)
	case 'x':
		return fmt.Sprintf("%06x", n)
	case 'n':
		return ""
	}
	return fmt.Sprintf("%07o", n)
}

func (d *dump) dumpBlocks() {
	if d.width > maxWidth {
		d.inv.Errorf("memory exhausted")
		d.input.status = 1
		return
	}
	block, last := make([]byte, d.width+16), make([]byte, d.width)
	known, starred := false, false
	for d.ctx.Err() == nil && d.out.Err() == nil {
		n, err := d.input.Read(block[:d.width])
		if err == io.EOF {
			break
		}
		p := block[:n]
		switch {
		case known && !d.duplicates && n == int(d.width) && bytes.Equal(p, last):
			if !starred {
				d.out.WriteString("*\n")
			}
			starred = true
		default:
			starred = false
			clear(block[n:])
			d.block(block, n)
		}
		known = n == int(d.width)
		copy(last, p)
		d.offset += uint64(n)
	}
	if address := d.address(d.offset); address != "" {
		d.out.WriteString(address + "\n")
	}
}

// block prints the lines of n bytes.
func (d *dump) block(p []byte, n int) {
	prefix := d.address(d.offset)
	for i, f := range d.formats {
		if i == 1 {
			prefix = strings.Repeat(" ", len(prefix))
		}
		d.out.WriteString(prefix)
		fields := int(d.width) / f.size
		blank := (int(d.width) - n) / f.size
		pad := f.pad
		for k := fields; k > blank; k-- {
			next := f.pad * (k - 1) / fields
			text := f.field(p[(fields-k)*f.size:][:f.size], d.big)
			for range pad - next + f.width - len(text) {
				d.out.WriteByte(' ')
			}
			d.out.WriteString(text)
			pad = next
			if k%256 == 0 && d.ctx.Err() != nil {
				return
			}
		}
		if f.trailer {
			for range blank * (f.width + 1) {
				d.out.WriteByte(' ')
			}
			d.out.WriteString("  >")
			for _, c := range p[:n] {
				if c < ' ' || c >= 0x7f {
					c = '.'
				}
				d.out.WriteByte(c)
			}
			d.out.WriteByte('<')
		}
		d.out.WriteByte('\n')
	}
}

// dumpStrings prints the strings that end in a NUL.
func (d *dump) dumpStrings() {
	buf := make([]byte, stream.BufferSize)
	var text []byte
	start := d.offset
	held := d.inv.Meter()
	usable := true // the bytes since start are graphic
	for d.ctx.Err() == nil && d.out.Err() == nil {
		n, err := d.input.Read(buf)
		if err == io.EOF {
			return
		}
		for _, c := range buf[:n] {
			d.offset++
			switch {
			case c == 0:
				if usable && uint64(len(text)) >= d.stringsMin && len(text) > 0 {
					d.printString(start, text)
				}
				text, start, usable = text[:0], d.offset, true
			case c >= ' ' && c < 0x7f:
				if usable {
					text = append(text, c)
				}
			default:
				// What is graphic from here on may be a string of its own.
				text, start = text[:0], d.offset
			}
			if !held.Hold(int64(cap(text))) {
				d.inv.Errorf("%s", stream.ErrMemory)
				d.input.status = 1
				return
			}
		}
	}
}

func (d *dump) printString(start uint64, text []byte) {
	if d.radix != 'n' {
		d.out.WriteString(d.number(start) + " ")
	}
	d.out.Write(text)
	d.out.WriteByte('\n')
}
