package find

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mirage/internal/unixmode"
	"mirage/shell/programs/datetime"
)

// segment is one piece of a -printf format: text, or a directive with its
// flags and width as in "%-10p".
type segment struct {
	text   string
	layout string // "%-10", without the letter
	letter byte   // 0 for text
	time   byte   // behind %A, %B, %C and %T
	stop   bool   // \c: nothing more is printed
}

// maxWidth bounds what one directive prints.
const maxWidth = 4096

func (p *parser) printf(o *outFile, format string) (expr, error) {
	segments, err := p.segments(format)
	if err != nil {
		return nil, err
	}
	p.acts = true
	return testFunc(func(it *item) bool {
		var b strings.Builder
		for _, s := range segments {
			if s.letter == 0 {
				b.WriteString(s.text)
			} else {
				it.directive(&b, s)
			}
			if s.stop {
				break
			}
		}
		if o != nil {
			it.f.write(o, b.String())
		} else {
			it.f.out.WriteString(b.String())
		}
		return true
	}), nil
}

// segments takes a format apart.
func (p *parser) segments(format string) ([]segment, error) {
	var list []segment
	text := func(s string) {
		if n := len(list); n > 0 && list[n-1].letter == 0 && !list[n-1].stop {
			list[n-1].text += s
		} else {
			list = append(list, segment{text: s})
		}
	}
	for len(format) > 0 {
		i := strings.IndexAny(format, `\%`)
		if i < 0 {
			text(format)
			break
		}
		if i > 0 {
			text(format[:i])
			format = format[i:]
		}
		if format[0] == '\\' {
			s, n, stop := p.escape(format)
			text(s)
			format = format[n:]
			if stop {
				list[len(list)-1].stop = true
			}
			continue
		}
		s, n, err := p.directive(format)
		if err != nil {
			return nil, err
		}
		if s.letter == 0 {
			text(s.text)
		} else {
			list = append(list, s)
		}
		format = format[n:]
	}
	return list, nil
}

// escape reads a backslash and what follows it.
func (p *parser) escape(s string) (text string, n int, stop bool) {
	if len(s) < 2 {
		p.f.inv.Errorf("warning: escape `\\' followed by nothing at all")
		return `\`, 1, false
	}
	if i := strings.IndexByte(`abfnrtv\`, s[1]); i >= 0 {
		return "\a\b\f\n\r\t\v\\"[i : i+1], 2, false
	}
	if s[1] == 'c' {
		return "", 2, true
	}
	v := 0
	for n = 1; n < 4 && n < len(s) && s[n] >= '0' && s[n] <= '7'; n++ {
		v = v*8 + int(s[n]-'0')
	}
	if n > 1 {
		return string([]byte{byte(v)}), n, false
	}
	p.f.inv.Errorf("warning: unrecognized escape `\\%c'", s[1])
	return s[:2], 2, false
}

// directive reads a percent sign and what follows it.
func (p *parser) directive(s string) (segment, int, error) {
	i := 1
	for i < len(s) && strings.IndexByte("-+ #0", s[i]) >= 0 {
		i++
	}
	start := i
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	if i == len(s) {
		return segment{}, 0, problem("error: % at end of format string")
	}
	for part := range strings.SplitSeq(s[start:i], ".") {
		if n, err := strconv.Atoi(part); part != "" && (err != nil || n > maxWidth) {
			return segment{}, 0, problemf("error: %s is too wide", p.f.inv.QuoteArg(s[:i]))
		}
	}
	letter := s[i]
	switch {
	case letter == '%':
		return segment{text: "%"}, i + 1, nil
	case strings.IndexByte("abcdDfFgGhHiklmMnpPsStuUyYZ", letter) >= 0:
		return segment{layout: s[:i], letter: letter}, i + 1, nil
	case strings.IndexByte("ABCT", letter) >= 0:
		if i+1 == len(s) {
			p.f.inv.Errorf("warning: format directive `%s' should be followed by another character", s)
			return segment{text: s}, len(s), nil
		}
		return segment{layout: s[:i], letter: letter, time: s[i+1]}, i + 2, nil
	case strings.IndexByte("{[(", letter) >= 0:
		return segment{}, 0, problemf("error: the format directive `%s' is reserved for future use", s[:i+1])
	}
	p.f.inv.Errorf("warning: unrecognized format directive `%s'", s[:i+1])
	return segment{text: s[:i+1]}, i + 1, nil
}

// directive prints one directive for a file.
func (it *item) directive(b *strings.Builder, s segment) {
	info := it.Info
	text := ""
	switch s.letter {
	case 'a', 'c', 't':
		which := s.letter
		if which == 't' {
			which = 'm'
		}
		if t, ok := timeField(info, which); ok {
			t = t.In(it.f.inv.Location)
			text = datetime.Format("%a %b %e %H:%M:%S.", t) + fraction(t) + datetime.Format(" %Y", t)
		}
	case 'A', 'B', 'C', 'T':
		text = it.timeText(s)
	case 'b':
		text = strconv.FormatInt(blocks(info), 10)
	case 'd':
		fmt.Fprintf(b, s.layout+"d", it.Depth)
		return
	case 'D':
		text = strconv.FormatUint(info.Dev, 10)
	case 'f':
		text = it.f.printable(lastName(it.Path))
	case 'F':
		text = it.mountKind()
	case 'g':
		text = it.f.inv.Group(info.GID)
	case 'G':
		text = strconv.Itoa(info.GID)
	case 'h':
		text = it.f.printable(directory(it.Path))
	case 'H':
		text = it.f.printable(it.start)
	case 'i':
		text = strconv.FormatUint(info.Ino, 10)
	case 'k':
		text = strconv.FormatInt((blocks(info)+1)/2, 10)
	case 'l':
		text = it.f.printable(it.target())
	case 'm':
		fmt.Fprintf(b, s.layout+"o", unixmode.Permissions(info.Mode))
		return
	case 'M':
		text = unixmode.String(info.Mode)
	case 'n':
		text = strconv.Itoa(max(info.Nlink, 1))
	case 'p':
		text = it.f.printable(it.Path)
	case 'P':
		text = it.f.printable(strings.TrimLeft(strings.TrimPrefix(it.Path, it.start), "/"))
	case 's':
		text = strconv.FormatInt(max(info.Size, 0), 10)
	case 'S':
		layout := s.layout
		if !strings.Contains(layout, ".") {
			layout += ".6" // what C's %g means
		}
		fmt.Fprintf(b, layout+"g", sparseness(blocks(info), info.Size))
		return
	case 'u':
		text = it.f.inv.Owner(info.UID)
	case 'U':
		text = strconv.Itoa(info.UID)
	case 'y':
		text = string(it.ownType())
	case 'Y':
		text = it.linkType()
	}
	fmt.Fprintf(b, stringLayout(s.layout)+"s", text)
}

// stringLayout leaves out the flags that have no meaning for a string.
func stringLayout(layout string) string {
	flags := strings.TrimLeft(layout[1:], "-+ #0")
	if strings.Contains(layout[:len(layout)-len(flags)], "-") {
		return "%-" + flags
	}
	return "%" + flags
}

func sparseness(blocks, size int64) float64 {
	if size <= 0 {
		if blocks == 0 {
			return 1
		}
		size = 0
	}
	return float64(blocks) * 512 / float64(size)
}

// fraction is a second's fraction with one digit more than a clock has, as
// findutils prints it.
func fraction(t time.Time) string { return fmt.Sprintf("%09d0", t.Nanosecond()) }

// timeText is %Ak and its kind: strftime's conversions, with a fraction where
// seconds are shown.
func (it *item) timeText(s segment) string {
	which := map[byte]byte{'A': 'a', 'B': 'B', 'C': 'c', 'T': 'm'}[s.letter]
	t, ok := timeField(it.Info, which)
	if !ok {
		return ""
	}
	t = t.In(it.f.inv.Location)
	switch s.time {
	case '@':
		return strconv.FormatInt(t.Unix(), 10) + "." + fraction(t)
	case '+':
		return datetime.Format("%Y-%m-%d+%H:%M:%S.", t) + fraction(t)
	case 'S':
		return datetime.Format("%S.", t) + fraction(t)
	case 'T', 'X':
		return datetime.Format("%H:%M:%S.", t) + fraction(t)
	}
	if strings.IndexByte("aAbBcdDeFgGhHIjklmMnprRstuUVwWxyYzZ", s.time) < 0 {
		return "%" + string(s.time)
	}
	return datetime.Format("%"+string(s.time), t)
}

// linkType is the type of what a link leads to: N when there is nothing, L for
// a loop.
func (it *item) linkType() string {
	if !it.Info.IsLink() {
		return string(it.ownType())
	}
	info, err := it.f.inv.FS.Stat(it.f.ctx, it.full())
	switch {
	case err == nil:
		return string(typeOf(info.Mode))
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.ENOTDIR):
		return "N"
	case errors.Is(err, syscall.ELOOP):
		return "L"
	}
	it.f.fileErr(it.Path, err)
	return "?"
}
