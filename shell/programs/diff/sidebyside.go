package diff

// columns are the measures of the side by side style: how wide each half is
// and where the second begins.
type columns struct{ half, second int }

// gutter is the least space between the halves.
const gutter = 3

func (o *options) columns() columns {
	tab := o.tabSize
	if o.expandTabs {
		tab = 1
	}
	second := o.width>>1 + (tab+gutter)>>1 + o.width&(tab+gutter)&1
	second -= second % tab
	half := max(0, min(second-gutter, o.width-second))
	if half == 0 {
		second = o.width
	}
	return columns{half, second}
}

// sideBySide prints both files in two columns.
func (w *writer) sideBySide(changes []change) {
	if w.inDir && len(changes) > 0 {
		w.begin()
	}
	cols := w.columns()
	x, y := 0, 0
	for _, ch := range changes {
		kind := w.kind(&w.files, []change{ch})
		if kind == unchanged {
			continue
		}
		w.begin()
		w.common(cols, x, ch.x, y, ch.y)
		x, y = ch.x, ch.y
		for x < ch.endX() && y < ch.endY() {
			if x%256 == 0 && (w.ctx.Err() != nil || w.out.Err() != nil) {
				return
			}
			w.row(cols, w.files[0].line(x), '|', w.files[1].line(y))
			x++
			y++
		}
		w.each(1, y, ch.endY(), func(line []byte) { w.row(cols, nil, '>', line) })
		w.each(0, x, ch.endX(), func(line []byte) { w.row(cols, line, '<', nil) })
		x, y = ch.endX(), ch.endY()
	}
	w.common(cols, x, w.files[0].count(), y, w.files[1].count())
}

// common prints lines that do not differ, or may.
func (w *writer) common(cols columns, x, endX, y, endY int) {
	if w.suppressCommon {
		return
	}
	for x < endX && y < endY {
		if x%256 == 0 && (w.ctx.Err() != nil || w.out.Err() != nil) {
			return
		}
		if w.leftColumn {
			w.row(cols, w.files[0].line(x), '(', nil)
		} else {
			w.row(cols, w.files[0].line(x), ' ', w.files[1].line(y))
		}
		x++
		y++
	}
	w.each(1, y, endY, func(line []byte) { w.row(cols, nil, ')', line) })
	w.each(0, x, endX, func(line []byte) { w.row(cols, line, '(', nil) })
}

func closed(line []byte) bool { return len(line) > 0 && line[len(line)-1] == '\n' }

// row prints one line of both columns; nil leaves one out.
func (w *writer) row(cols columns, left []byte, mark byte, right []byte) {
	column := 0
	newline := false
	if left != nil {
		newline = closed(left)
		column = w.half(left, 0, cols.half)
	}
	if mark != ' ' {
		column = w.fill(column, (cols.half+cols.second-1)/2) + 1
		if mark == '|' && newline != closed(right) {
			mark = '\\'
			if newline {
				mark = '/'
			}
		}
		_ = w.out.WriteByte(mark)
	}
	if right != nil {
		newline = newline || closed(right)
		if right[0] != '\n' {
			column = w.fill(column, cols.second)
			w.half(right, column, cols.half)
		}
	}
	if newline {
		_ = w.out.WriteByte('\n')
	}
}

// fill moves from one column to another with tabs and spaces.
func (w *writer) fill(from, to int) int {
	if !w.expandTabs {
		for tab := from + w.tabSize - from%w.tabSize; tab <= to; tab += w.tabSize {
			_ = w.out.WriteByte('\t')
			from = tab
		}
	}
	for ; from < to; from++ {
		_ = w.out.WriteByte(' ')
	}
	return max(from, to)
}

// half prints as much of a line as fits, and answers the column it ends at.
func (w *writer) half(line []byte, indent, width int) int {
	in, out := 0, 0
	for _, b := range line {
		switch {
		case b == '\n':
			return out
		case b == '\t':
			spaces := w.tabSize - in%w.tabSize
			if in == out {
				stop := out + spaces
				switch {
				case w.expandTabs:
					for stop = min(stop, width); out < stop; out++ {
						_ = w.out.WriteByte(' ')
					}
				case stop < width:
					out = stop
					_ = w.out.WriteByte('\t')
				}
			}
			in += spaces
		case b == '\r':
			_ = w.out.WriteByte('\r')
			w.fill(0, indent)
			in, out = 0, 0
		case b == '\b':
			if in == 0 {
				continue
			}
			in--
			switch {
			case in >= width:
			case out <= in:
				for ; out < in; out++ {
					_ = w.out.WriteByte(' ')
				}
			default:
				out = in
				_ = w.out.WriteByte('\b')
			}
		case b < ' ' || b == 0x7f:
			if in < width {
				_ = w.out.WriteByte(b)
			}
		case b >= 0x80 && b < 0xc0 && w.utf8():
			// The rest of a character.
			if in <= width && out == in {
				_ = w.out.WriteByte(b)
			}
		default:
			if in < width {
				out = in + 1
				_ = w.out.WriteByte(b)
			}
			in++
		}
	}
	return out
}

func (w *writer) utf8() bool { return w.inv.UTF8() }
