package diff

import (
	"fmt"
	"strconv"
	"strings"

	"mirage/shell/program/getopt"
)

// format is one of the formats of the merged style.
type format struct {
	text string
	set  bool
}

// kindNames are the words of the options, by kind.
var kindNames = [4]string{"unchanged", "old", "new", "changed"}

// setIfdef takes the formats that -D stands for.
func (c *command) setIfdef(p *getopt.Parser, name string) bool {
	name = strings.ReplaceAll(name, "%", "%%")
	for kind, text := range [4]string{
		"%=",
		"#ifndef @\n%<#endif /* ! @ */\n",
		"#ifdef @\n%>#endif /* @ */\n",
		"#ifndef @\n%<#else /* @ */\n%>#endif /* @ */\n",
	} {
		if !c.setGroup(p, kind, strings.ReplaceAll(text, "@", name)) {
			return false
		}
	}
	return true
}

func (c *command) setGroup(p *getopt.Parser, kind int, text string) bool {
	return c.setText(p, &c.groups[kind], text)
}

func (c *command) setText(p *getopt.Parser, f *format, text string) bool {
	if f.set && f.text != text {
		option := "--" + p.Opt.Name
		if p.Opt.Name == "D" {
			option = "--ifdef"
		}
		p.Usage("conflicting %s option value %s", option, c.inv.QuoteArg(text))
		return false
	}
	*f = format{text, true}
	return true
}

// setFormat takes the value of a format option.
func (c *command) setFormat(p *getopt.Parser, option, text string) bool {
	kind, ok := strings.CutSuffix(option, "-group-format")
	for i, name := range kindNames {
		if ok && kind == name {
			return c.setGroup(p, i, text)
		}
		if !ok && option == name+"-line-format" {
			return c.setText(p, &c.lines[i], text)
		}
	}
	for i := range c.lines {
		if !c.setText(p, &c.lines[i], text) {
			return false
		}
	}
	return true
}

// defaultFormats fills in the formats that were not given.
func (c *command) defaultFormats() {
	fill := func(f *format, text string) {
		if !f.set {
			f.text = text
		}
	}
	for i := range c.lines {
		fill(&c.lines[i], "%l\n")
	}
	fill(&c.groups[unchanged], "%=")
	old, added := "%<", "%>"
	if c.groups[both].set {
		old, added = c.groups[both].text, c.groups[both].text
	}
	fill(&c.groups[onlyOld], old)
	fill(&c.groups[onlyNew], added)
	fill(&c.groups[both], c.groups[onlyOld].text+c.groups[onlyNew].text)
}

// group is the lines of both files that one group format is about.
type group struct{ x, endX, y, endY int }

// merged prints the files merged, in the formats.
func (w *writer) merged(changes []change) {
	g := group{}
	for _, ch := range changes {
		kind := w.kind(&w.files, []change{ch})
		if kind == unchanged {
			continue
		}
		w.begin()
		g.endX, g.endY = ch.x, ch.y
		w.common2(g)
		w.group(w.groups[kind].text, 0, kind, group{ch.x, ch.endX(), ch.y, ch.endY()}, 0)
		g.x, g.y = ch.endX(), ch.endY()
	}
	g.endX, g.endY = w.files[0].count(), w.files[1].count()
	w.common2(g)
}

// common2 prints a group of common lines.
func (w *writer) common2(g group) {
	if g.x < g.endX || g.y < g.endY {
		w.group(w.groups[unchanged].text, 0, unchanged, g, 0)
	}
}

// maxNesting bounds conditions within conditions.
const maxNesting = 100

// group prints a group format up to the byte stop (0 for its end), and
// answers what follows that byte. With a kind of -1 it prints nothing.
func (w *writer) group(f string, stop byte, kind int, g group, depth int) string {
	for f != "" {
		c := f[0]
		f = f[1:]
		if c == stop && stop != 0 {
			return f
		}
		if c != '%' || f == "" {
			w.put(kind, string(c))
			continue
		}
		switch f[0] {
		case '%':
			w.put(kind, "%")
			f = f[1:]
		case '(':
			if rest, yes, ok := w.condition(f[1:], g); ok && depth < maxNesting {
				then, otherwise := kind, -1
				if !yes {
					then, otherwise = -1, kind
				}
				f = w.group(rest, ':', then, g, depth+1)
				f = w.group(f, ')', otherwise, g, depth+1)
				continue
			}
			w.put(kind, "%")
		case '<':
			f = f[1:]
			w.linesOf(kind, 0, onlyOld, g.x, g.endX)
		case '=':
			f = f[1:]
			w.linesOf(kind, 0, unchanged, g.x, g.endX)
		case '>':
			f = f[1:]
			w.linesOf(kind, 1, onlyNew, g.y, g.endY)
		default:
			text, rest, ok := w.spec(f, g, -1)
			if !ok {
				w.put(kind, "%")
				continue
			}
			w.put(kind, text)
			f = rest
		}
	}
	return ""
}

func (w *writer) put(kind int, s string) {
	if kind >= 0 {
		w.print(s)
	}
}

func (w *writer) linesOf(kind, file, format, from, end int) {
	if kind < 0 {
		return
	}
	i := from
	w.each(file, from, end, func(line []byte) {
		w.lineFormat(w.lines[format].text, line, i)
		i++
	})
}

// lineFormat prints one line in its format.
func (w *writer) lineFormat(f string, line []byte, i int) {
	for f != "" {
		c := f[0]
		f = f[1:]
		if c != '%' || f == "" {
			_ = w.out.WriteByte(c)
			continue
		}
		switch f[0] {
		case '%':
			_ = w.out.WriteByte('%')
			f = f[1:]
		case 'l', 'L':
			text := line
			if f[0] == 'l' && closed(line) {
				text = line[:len(line)-1]
			}
			w.text(text, "")
			f = f[1:]
		default:
			text, rest, ok := w.spec(f, group{}, i)
			if !ok {
				_ = w.out.WriteByte('%')
				continue
			}
			w.print(text)
			f = rest
		}
	}
}

// condition reads "A=B?" and compares.
func (w *writer) condition(f string, g group) (rest string, yes, ok bool) {
	a, f, ok := operand(f, g)
	if !ok || f == "" || f[0] != '=' {
		return "", false, false
	}
	b, f, ok := operand(f[1:], g)
	if !ok || f == "" || f[0] != '?' {
		return "", false, false
	}
	return f[1:], a == b, true
}

func operand(f string, g group) (n int, rest string, ok bool) {
	i := 0
	for i < len(f) && f[i] >= '0' && f[i] <= '9' {
		i++
	}
	if i > 0 {
		n, err := strconv.Atoi(f[:i])
		return n, f[i:], err == nil
	}
	if f == "" {
		return 0, "", false
	}
	n, ok = g.letter(f[0])
	return n, f[1:], ok
}

// letter answers the number that a letter of a group format stands for.
func (g group) letter(c byte) (int, bool) {
	from, end := g.x, g.endX
	if c >= 'A' && c <= 'Z' {
		from, end = g.y, g.endY
		c += 'a' - 'A'
	}
	switch c {
	case 'e':
		return from, true
	case 'f':
		return from + 1, true
	case 'l':
		return end, true
	case 'm':
		return end + 1, true
	case 'n':
		return end - from, true
	}
	return 0, false
}

// maxColumns bounds the width and the precision of a number.
const maxColumns = 4096

// spec reads c'C' or a printf-style number behind a "%". line is the number of
// the line for line formats, -1 in group formats.
func (w *writer) spec(f string, g group, line int) (text, rest string, ok bool) {
	if strings.HasPrefix(f, "c'") {
		end := strings.IndexByte(f[2:], '\'')
		if end == 0 && strings.HasPrefix(f[3:], "'") {
			end = 1
		}
		if end <= 0 {
			return "", "", false
		}
		value, rest := f[2:2+end], f[3+end:]
		if value[0] == '\\' && len(value) > 1 {
			n, err := strconv.ParseUint(value[1:], 8, 8)
			return string([]byte{byte(n)}), rest, err == nil
		}
		return value, rest, len(value) == 1
	}
	i := 0
	span := func(set string) string {
		start := i
		for i < len(f) && strings.IndexByte(set, f[i]) >= 0 {
			i++
		}
		return f[start:i]
	}
	layout := "%" + span("-'0")
	width, precision := span("0123456789"), ""
	if i < len(f) && f[i] == '.' {
		i++
		precision = "." + span("0123456789")
	}
	if i+1 >= len(f) || strings.IndexByte("doxX", f[i]) < 0 {
		return "", "", false
	}
	if n, err := strconv.Atoi("0" + width); err != nil || n > maxColumns {
		return "", "", false
	}
	if n, err := strconv.Atoi("0" + strings.TrimPrefix(precision, ".")); err != nil || n > maxColumns {
		return "", "", false
	}
	verb, c := f[i:i+1], f[i+1]
	n, known := g.letter(c)
	if line >= 0 {
		n, known = line+1, c == 'n'
	}
	if !known {
		return "", "", false
	}
	layout = strings.ReplaceAll(layout, "'", "") + width + precision + verb
	return fmt.Sprintf(layout, n), f[i+2:], true
}
