package diff

import "strconv"

// around answers the lines of one file that a hunk shows.
func (w *writer) around(file int, hunk []change) (from, end int) {
	first, last := hunk[0], hunk[len(hunk)-1]
	from, end = first.x, last.endX()
	if file == 1 {
		from, end = first.y, last.endY()
	}
	return max(from-w.context, 0), min(end+w.context, w.files[file].count())
}

// contextual prints a hunk with copied context.
func (w *writer) contextual(hunk []change, kind int) {
	x0, x1 := w.around(0, hunk)
	y0, y1 := w.around(1, hunk)
	w.print("***************", w.functionName(x0), "\n")
	side := func(file, from, end int, mark, color string, shown bool) {
		w.paint(lineColor)
		w.print(mark, " ", lineRange(",", from, end), " ", mark[:1], mark[:1], mark[:1], mark[:1])
		w.paint(colorReset)
		w.print("\n")
		if !shown {
			return
		}
		rest := hunk
		i := from
		w.each(file, from, end, func(line []byte) {
			at := func(ch change) (start, stop, others int) {
				if file == 0 {
					return ch.x, ch.endX(), ch.inserted
				}
				return ch.y, ch.endY(), ch.deleted
			}
			for len(rest) > 0 {
				if _, stop, _ := at(rest[0]); stop > i {
					break
				}
				rest = rest[1:]
			}
			flag := " "
			if len(rest) > 0 {
				if start, _, others := at(rest[0]); start <= i {
					flag = "-+"[file : file+1]
					if others > 0 {
						flag = "!"
					}
				}
			}
			w.flagged(flag, line, color)
			i++
		})
	}
	side(0, x0, x1, "***", oldColor, kind&onlyOld != 0)
	side(1, y0, y1, "---", newColor, kind&onlyNew != 0)
}

// unified prints a hunk with unified context.
func (w *writer) unified(hunk []change) {
	x0, x1 := w.around(0, hunk)
	y0, y1 := w.around(1, hunk)
	w.paint(lineColor)
	w.print("@@ -", unifiedRange(x0, x1), " +", unifiedRange(y0, y1), " @@")
	w.paint(colorReset)
	w.print(w.functionName(x0), "\n")
	mark := func(flag, color string) func([]byte) {
		return func(line []byte) {
			if color != "" {
				w.paint(color)
			}
			empty := w.suppressBlankEmpty && line[0] == '\n'
			switch {
			case flag == " " && w.initialTab && !empty:
				w.print("\t")
			case flag == " " && !empty || flag != " ":
				w.print(flag)
				if flag != " " && w.initialTab && !empty {
					w.print("\t")
				}
			}
			w.finish(line, color, "")
		}
	}
	at := x0
	for _, ch := range hunk {
		w.each(0, at, ch.x, mark(" ", ""))
		w.each(0, ch.x, ch.endX(), mark("-", oldColor))
		w.each(1, ch.y, ch.endY(), mark("+", newColor))
		at = ch.endX()
	}
	w.each(0, at, x1, mark(" ", ""))
}

// unifiedRange shows lines as "start,count", or "start" for one.
func unifiedRange(from, end int) string {
	switch n := end - from; n {
	case 0:
		return strconv.Itoa(from) + ",0"
	case 1:
		return strconv.Itoa(end)
	default:
		return strconv.Itoa(from+1) + "," + strconv.Itoa(n)
	}
}

// functionName answers the last line in front of line i that -p or -F looks
// for, as the heads of hunks show it.
func (w *writer) functionName(i int) string {
	if w.function == nil {
		return ""
	}
	for j := i - 1; j >= w.functionAt; j-- {
		if j%256 == 0 && w.ctx.Err() != nil {
			break
		}
		line := w.files[0].line(j)
		if n := len(line); line[n-1] == '\n' {
			line = line[:n-1]
		}
		if w.function.Match(line) {
			w.functionText = line
			break
		}
	}
	w.functionAt = max(w.functionAt, i)
	text := w.functionText
	if text == nil {
		return ""
	}
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	text = text[:min(len(text), 40)]
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return " " + string(text)
}
