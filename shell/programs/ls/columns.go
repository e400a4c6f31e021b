package ls

// minColumn is the narrowest column: one letter and two spaces.
const minColumn = 3

// maxWidth bounds the line that columns are computed for, so that a width of
// millions costs no more time than it is worth.
const maxWidth = 16384

// printColumns prints files in as many columns as fit, filled downwards (-C)
// or along the lines (-x).
func (l *lister) printColumns(files, all []*file) {
	w := l.frillWidths(all)
	lengths := make([]int, len(files))
	for i, f := range files {
		lengths[i] = l.length(f, w)
	}
	cols := l.fit(lengths)
	rows := (len(files) + len(cols) - 1) / len(cols)
	at := func(row, col int) int {
		if l.format == across {
			if i := row*len(cols) + col; col < len(cols) {
				return i
			}
			return len(files)
		}
		return row + col*rows
	}
	for row := range rows {
		if l.ctx.Err() != nil || l.out.Err() != nil {
			return
		}
		l.column = 0
		for col := 0; ; col++ {
			i := at(row, col)
			l.printFile(files[i], w)
			next := at(row, col+1)
			if next >= len(files) {
				break
			}
			l.indent(l.column+lengths[i], l.column+cols[col])
			l.column += cols[col]
		}
		l.newline()
	}
}

// fit finds the widths of as many columns as the line holds.
func (l *lister) fit(lengths []int) []int {
	width := min(l.width, maxWidth)
	most := min(len(lengths), max(1, width/minColumn+1))
	best := []int{0}
	for n := most; n > 1; n-- {
		if l.ctx.Err() != nil {
			return best
		}
		if cols := l.try(lengths, n, width); cols != nil {
			return cols
		}
	}
	for _, k := range lengths {
		best[0] = max(best[0], k)
	}
	return best
}

// try computes the widths of n columns; nil when they are too wide together.
func (l *lister) try(lengths []int, n, width int) []int {
	cols := make([]int, n)
	for i := range cols {
		cols[i] = minColumn
	}
	total := n * minColumn
	rows := (len(lengths) + n - 1) / n
	for i, k := range lengths {
		col := i % n
		if l.format != across {
			col = i / rows
		}
		if col != n-1 {
			k += 2
		}
		if k > cols[col] {
			if total += k - cols[col]; total >= width {
				return nil
			}
			cols[col] = k
		}
	}
	if total >= width && n > 1 {
		return nil
	}
	return cols
}

// indent moves from one column of the terminal to another, by tabs where they
// reach.
func (l *lister) indent(from, to int) {
	for from < to {
		if l.tab > 0 && to/l.tab > (from+1)/l.tab {
			l.out.WriteByte('\t')
			from += l.tab - from%l.tab
		} else {
			l.out.WriteByte(' ')
			from++
		}
	}
}

// printSeparated prints files one behind the other, broken at the width.
func (l *lister) printSeparated(files, all []*file, separator string) {
	w := widths{}
	if l.format != commas {
		w = l.frillWidths(all)
	}
	pos := 0
	for i, f := range files {
		n := 0
		if l.width > 0 {
			n = l.length(f, w)
		}
		if i > 0 {
			l.out.WriteString(separator)
			if l.width == 0 || pos+n+2 < l.width {
				pos += 2
				l.out.WriteByte(' ')
			} else {
				pos = 0
				l.newline()
			}
		}
		l.column = pos
		l.printFile(f, w)
		pos += n
	}
	l.newline()
}
