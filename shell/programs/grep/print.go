package grep

import (
	"math"
	"strconv"
	"strings"

	"mirage/shell/program/stream"
)

// printer writes lines with what the options put in front of them.
type printer struct {
	options *options
	w       *stream.Writer
	colors  *colors
	width   int // of line numbers and offsets
}

// colored writes text in a color, "" being none.
func (p *printer) colored(text, sgr string) {
	if p.colors == nil || sgr == "" {
		p.w.WriteString(text)
		return
	}
	p.w.WriteString(p.colors.start(sgr))
	p.w.WriteString(text)
	p.w.WriteString(p.colors.end())
}

func (p *printer) fileName(name string) {
	sgr := ""
	if p.colors != nil {
		sgr = p.colors.fileName
	}
	p.colored(name, sgr)
}

func (p *printer) separator(text string) {
	sgr := ""
	if p.colors != nil {
		sgr = p.colors.separator
	}
	p.colored(text, sgr)
}

func (p *printer) groupSeparator() {
	p.separator(p.options.separator)
	p.w.WriteByte('\n')
}

// number writes a line number or an offset, aligned with -T.
func (p *printer) number(n int64, sgr string) {
	text := strconv.FormatInt(n, 10)
	if n := p.width - len(text); n > 0 {
		text = strings.Repeat(" ", n) + text
	}
	p.colored(text, sgr)
}

// align sets the width that -T gives to numbers: that of the largest there can
// be in a file of a size, which is negative when it is not known.
func (p *printer) align(size int64) {
	p.width = 0
	if !p.options.initialTab {
		return
	}
	if size < 0 {
		size = math.MaxInt64
	} else if p.options.lineNumber {
		size++
	}
	p.width = len(strconv.FormatInt(size, 10))
}

// head writes what stands in front of a line or of a match in it.
func (p *printer) head(s *search, sep byte, number, offset int64, empty bool) {
	o := p.options
	mark := string(sep)
	any := false
	if o.withName {
		p.fileName(s.name)
		if o.nullName {
			p.w.WriteByte(0)
		} else {
			p.separator(mark)
		}
		any = true
	}
	var c colors
	if p.colors != nil {
		c = *p.colors
	}
	if o.lineNumber {
		p.number(number, c.lineNumber)
		p.separator(mark)
		any = true
	}
	if o.byteOffset {
		p.number(offset, c.offset)
		p.separator(mark)
		any = true
	}
	if any && o.initialTab && !empty {
		p.w.WriteByte('\t')
	}
}

// line writes one line, which has no delimiter. sep is ':' for a selected
// line and '-' for context.
func (p *printer) line(s *search, line []byte, sep byte, number, offset int64) {
	o := p.options
	switch {
	case o.onlyMatching:
		if (sep == ':') != o.invert {
			p.matches(s, line, sep, number, offset)
		}
		return
	case p.colors != nil:
		p.head(s, sep, number, offset, len(line) == 0)
		p.highlighted(s, line, sep)
	default:
		if o.withName || o.lineNumber || o.byteOffset {
			p.head(s, sep, number, offset, len(line) == 0)
		}
		p.w.Write(line)
	}
	p.w.WriteByte(s.eol)
	p.flush()
}

// matches writes each match that is not empty as a line.
func (p *printer) matches(s *search, line []byte, sep byte, number, offset int64) {
	sgr := ""
	if p.colors != nil {
		sgr = p.matchColor(sep)
	}
	for pos := 0; pos < len(line); {
		start, end, ok := s.matcher.find(line, pos)
		if !ok {
			break
		}
		if start == end {
			pos = end + 1
			continue
		}
		p.head(s, sep, number, offset+int64(start), false)
		p.colored(string(line[start:end]), sgr)
		p.w.WriteByte(s.eol)
		pos = end
	}
	p.flush()
}

func (p *printer) matchColor(sep byte) string {
	if sep == ':' {
		return p.colors.selectedMatch
	}
	return p.colors.contextMatch
}

// highlighted writes a line with its matches in color.
func (p *printer) highlighted(s *search, line []byte, sep byte) {
	o := p.options
	inContext := sep == '-'
	lineColor := p.colors.selectedLine
	if inContext != (p.colors.reverse && o.invert) {
		lineColor = p.colors.contextLine
	}
	pos := 0
	if inContext == o.invert && p.matchColor(sep) != "" {
		for at := 0; at < len(line); {
			start, end, ok := s.matcher.find(line, at)
			if !ok {
				break
			}
			if start == end {
				at = end + 1
				continue
			}
			p.coloredPart(line[pos:start], lineColor)
			p.colored(string(line[start:end]), p.matchColor(sep))
			pos, at = end, end
		}
	}
	p.coloredPart(line[pos:], lineColor)
}

func (p *printer) coloredPart(text []byte, sgr string) {
	if len(text) > 0 {
		p.colored(string(text), sgr)
	}
}

func (p *printer) flush() {
	if p.options.lineBuffered {
		p.w.Flush()
	}
}
