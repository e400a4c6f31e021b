package tree

import (
	"fmt"
	"io/fs"
	"strings"

	"mirage/internal/unixmode"
)

// attr is one thing that is known of a file, as JSON and XML name it.
type attr struct {
	name, value string
	number      bool
}

// attrs answers what the options want to know of a file.
func (l *lister) attrs(e *entry) []attr {
	list := []attr{{name: "name", value: e.name}}
	if e.info.IsLink() {
		list = append(list, attr{name: "target", value: e.info.Target})
	}
	if l.inode {
		list = append(list, attr{"inode", fmt.Sprint(e.info.Ino), true})
	}
	if l.device {
		list = append(list, attr{"dev", fmt.Sprint(e.info.Dev), true})
	}
	if l.protection {
		list = append(list, attr{name: "mode", value: fmt.Sprintf("%04o", unixmode.Permissions(e.info.Mode)&0o7777)},
			attr{name: "prot", value: unixmode.String(e.info.Mode)})
	}
	if l.owner {
		list = append(list, attr{name: "user", value: l.inv.Owner(e.info.UID)})
	}
	if l.group {
		list = append(list, attr{name: "group", value: l.inv.Group(e.info.GID)})
	}
	if l.size {
		if l.human {
			list = append(list, attr{name: "size", value: strings.TrimSpace(l.sizeField(e.size))})
		} else {
			list = append(list, attr{"size", fmt.Sprint(e.size), true})
		}
	}
	if l.date {
		list = append(list, attr{name: "time", value: l.time(e)})
	}
	return list
}

// kind is the word for a file's type.
func (e *entry) kind() string {
	switch m := e.info.Mode; {
	case m.IsDir():
		return "directory"
	case m&fs.ModeSymlink != 0:
		return "link"
	case m&fs.ModeNamedPipe != 0:
		return "fifo"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeCharDevice != 0:
		return "char"
	case m&fs.ModeDevice != 0:
		return "block"
	}
	return "file"
}

// lineBreak begins a line depth levels in, unless lines are not wanted.
func (l *lister) lineBreak(depth int) {
	if !l.noIndent {
		l.out.WriteString("\n" + strings.Repeat("  ", depth))
	}
}

// jsonPrinter writes an array: one object for each operand, then the counts.
type jsonPrinter struct{ *lister }

func (j *jsonPrinter) begin() { j.out.WriteByte('[') }

func (j *jsonPrinter) enter(e *entry, trail []bool, _ bool) {
	j.lineBreak(len(trail) + 1)
	j.out.WriteString(`{"type":"` + e.kind() + `"`)
	for _, a := range j.attrs(e) {
		j.out.WriteString(`,"` + a.name + `":`)
		if a.number {
			j.out.WriteString(a.value)
		} else {
			j.out.WriteString(jsonString(a.value))
		}
	}
	if e.fault != "" {
		j.out.WriteString(`,"contents":[{"error": ` + jsonString(e.fault) + `}`)
	} else if len(e.entries) > 0 {
		j.out.WriteString(`,"contents":[`)
	}
}

func (j *jsonPrinter) leave(e *entry, trail []bool, last bool) {
	if e.fault != "" || len(e.entries) > 0 {
		if len(e.entries) > 0 {
			j.lineBreak(len(trail) + 1)
		}
		j.out.WriteByte(']')
	}
	j.out.WriteByte('}')
	if !last {
		j.out.WriteByte(',')
	}
}

func (j *jsonPrinter) end() {
	if !j.noReport {
		if !j.noIndent {
			j.out.WriteByte('\n')
		}
		j.out.WriteByte(',')
		j.lineBreak(1)
		fmt.Fprintf(j.out, `{"type":"report","directories":%d`, j.dirs)
		if !j.dirsOnly {
			fmt.Fprintf(j.out, `,"files":%d`, j.files)
		}
		j.out.WriteByte('}')
	}
	j.lineBreak(0)
	j.out.WriteString("]\n")
}

// jsonString quotes a text; bytes that are no UTF-8 stay as they are.
func jsonString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b.WriteString("\\" + string(rune(c)))
		case 8 <= c && c <= 13 && c != 11:
			b.WriteByte('\\')
			b.WriteByte("btn.fr"[c-8])
		case c < ' ':
			fmt.Fprintf(&b, "\\u%04x", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// xmlPrinter writes a tree element.
type xmlPrinter struct{ *lister }

func (x *xmlPrinter) begin() {
	x.out.WriteString(`<?xml version="1.0"`)
	if x.charset != "" {
		x.out.WriteString(` encoding="` + xmlEscape.Replace(x.charset) + `"`)
	}
	x.out.WriteString("?>")
	x.lineBreak(0)
	x.out.WriteString("<tree>")
}

func (x *xmlPrinter) enter(e *entry, trail []bool, _ bool) {
	x.lineBreak(len(trail) + 1)
	x.out.WriteString("<" + e.kind())
	for _, a := range x.attrs(e) {
		x.out.WriteString(" " + a.name + `="` + xmlEscape.Replace(a.value) + `"`)
	}
	x.out.WriteByte('>')
	if e.fault != "" {
		x.out.WriteString("<error>" + xmlEscape.Replace(e.fault) + "</error>")
	}
}

func (x *xmlPrinter) leave(e *entry, trail []bool, _ bool) {
	if len(e.entries) > 0 || len(trail) == 0 {
		x.lineBreak(len(trail) + 1)
	}
	x.out.WriteString("</" + e.kind() + ">")
}

func (x *xmlPrinter) end() {
	if !x.noReport {
		x.lineBreak(1)
		x.out.WriteString("<report>")
		x.lineBreak(2)
		fmt.Fprintf(x.out, "<directories>%d</directories>", x.dirs)
		if !x.dirsOnly {
			x.lineBreak(2)
			fmt.Fprintf(x.out, "<files>%d</files>", x.files)
		}
		x.lineBreak(1)
		x.out.WriteString("</report>")
	}
	x.lineBreak(0)
	x.out.WriteString("</tree>\n")
}

var xmlEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
