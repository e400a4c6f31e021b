package ls

import (
	"io/fs"
	"slices"
	"strings"

	"mirage/internal/unixmode"
	"mirage/shell/pattern"
	"mirage/shell/program"
	"mirage/shell/program/filemode"
)

// colors is the table of LS_COLORS.
type colors struct {
	left, right string
	end         string // "ec"; made of left, rs and right when not given
	codes       map[string]string
	suffixes    []suffix // the later ones win
	byTarget    bool     // ln=target
}

type suffix struct{ text, code string }

// The colors of a table that says nothing of them.
var defaultCodes = map[string]string{
	"rs": "0", "di": "01;34", "ln": "01;36", "pi": "33", "so": "01;35", "bd": "01;33", "cd": "01;33", "ex": "01;32", "do": "01;35",
	"su": "37;41", "sg": "30;43", "st": "37;44", "ow": "34;42", "tw": "30;42", "ca": "30;41",
}

const knownCodes = " lc rc ec rs no fi di ln pi so bd cd mi or ex do su sg st ow tw ca mh cl "

// knownTerminals are the values of TERM for which the built-in colors are used.
var knownTerminals = []string{
	"Eterm", "alacritty*", "ansi", "*color*", "con[0-9]*x[0-9]*", "cons25", "console", "cygwin", "*direct*", "dtterm", "gnome", "hurd", "jfbterm",
	"konsole", "kterm", "linux", "linux-c", "mlterm", "putty", "rxvt*", "screen*", "st", "terminator", "tmux*", "vt100", "xterm*",
}

// colorless tells whether the environment speaks against colors.
func colorless(inv *program.Invocation) bool {
	if inv.Getenv("LS_COLORS") != "" || inv.Getenv("COLORTERM") != "" {
		return false
	}
	term := inv.Getenv("TERM")
	return !slices.ContainsFunc(knownTerminals, func(p string) bool { return pattern.Match(p, term, 0) })
}

// parseColors reads LS_COLORS; nil when there are to be no colors, or
// when it makes no sense, which has been reported.
func parseColors(inv *program.Invocation) *colors {
	if colorless(inv) {
		return nil
	}
	c := &colors{left: "\x1b[", right: "m", codes: map[string]string{}}
	for k, v := range defaultCodes {
		c.codes[k] = v
	}
	for entry := range strings.SplitSeq(inv.Getenv("LS_COLORS"), ":") {
		if entry == "" {
			continue
		}
		key, value, ok := strings.Cut(entry, "=")
		value, valid := unescapeColor(value)
		switch {
		case ok && valid && strings.HasPrefix(key, "*"):
			text, _ := unescapeColor(key[1:])
			c.suffixes = append(c.suffixes, suffix{text, value})
			continue
		case ok && valid && len(key) == 2 && strings.Contains(knownCodes, " "+key+" "):
			c.set(key, value)
			continue
		case ok && len(key) == 2:
			inv.Errorf("unrecognized prefix: %s", inv.QuoteArg(key))
		}
		inv.Errorf("unparsable value for LS_COLORS environment variable")
		return nil
	}
	return c
}

func (c *colors) set(key, value string) {
	switch key {
	case "lc":
		c.left = value
	case "rc":
		c.right = value
	case "ec":
		c.end = value
	case "ln":
		if value == "target" {
			c.byTarget = true
			return
		}
	}
	c.codes[key] = value
}

// unescapeColor reads the escapes of LS_COLORS: C's, "\e", "\_", "\?" and "^X".
func unescapeColor(s string) (string, bool) {
	if !strings.ContainsAny(s, `\^`) {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '^' && i+1 < len(s):
			i++
			if s[i] == '?' {
				b.WriteByte(127)
			} else {
				b.WriteByte(s[i] & 0x1f)
			}
		case c == '\\' && i+1 < len(s):
			i++
			if j := strings.IndexByte("abefnrtv?_", s[i]); j >= 0 {
				b.WriteByte("\a\b\x1b\f\n\r\t\v\x7f "[j])
				continue
			}
			n, used := 0, 0
			for used < 3 && i+used < len(s) && s[i+used] >= '0' && s[i+used] <= '7' {
				n = n*8 + int(s[i+used]-'0')
				used++
			}
			if used > 0 {
				b.WriteByte(byte(n))
				i += used - 1
			} else {
				b.WriteByte(s[i])
			}
		case c == '\\' || c == '^':
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// reset is the sequence that ends a color.
func (c *colors) reset() string {
	if c.end != "" {
		return c.end
	}
	return c.left + c.codes["rs"] + c.right
}

// has tells whether a kind has a color of its own.
func (c *colors) has(key string) bool {
	v := c.codes[key]
	return v != "" && v != "0" && v != "00"
}

// checksLinks tells whether what links lead to matters.
func (c *colors) checksLinks(long bool) bool {
	return c.has("or") || c.has("ex") && c.byTarget || c.has("mi") && long || c.byTarget
}

// of answers the color of a file, or of the target of a link.
func (c *colors) of(f *file, target bool) (string, bool) {
	mode, name := f.info.Mode, f.name
	missing := false
	switch {
	case target:
		mode, name, missing = f.linkInfo.Mode, f.target, !f.linkOK
		if missing && !c.has("mi") {
			return "", false
		}
	case c.byTarget && f.linkOK:
		mode = f.linkInfo.Mode
	}
	if missing {
		return c.codes["mi"], true
	}
	key := c.kind(mode, f, target)
	if key == "fi" {
		lower := strings.ToLower(name)
		for i := len(c.suffixes) - 1; i >= 0; i-- {
			if strings.HasSuffix(lower, strings.ToLower(c.suffixes[i].text)) {
				return c.suffixes[i].code, true
			}
		}
	}
	if key == "ln" && !f.linkOK && (c.byTarget || c.has("or")) {
		key = "or"
	}
	code, ok := c.codes[key]
	return code, ok
}

func (c *colors) kind(fm fs.FileMode, f *file, target bool) string {
	bits := unixmode.Permissions(fm)
	switch unixmode.TypeLetter(fm) {
	case 'd':
		sticky, writable := bits&filemode.Sticky != 0, bits&0o002 != 0
		switch {
		case sticky && writable && c.has("tw"):
			return "tw"
		case writable && c.has("ow"):
			return "ow"
		case sticky && c.has("st"):
			return "st"
		}
		return "di"
	case 'l':
		return "ln"
	case 'p':
		return "pi"
	case 's':
		return "so"
	case 'b':
		return "bd"
	case 'c':
		return "cd"
	}
	switch {
	case bits&filemode.SetUID != 0 && c.has("su"):
		return "su"
	case bits&filemode.SetGID != 0 && c.has("sg"):
		return "sg"
	case bits&0o111 != 0 && c.has("ex"):
		return "ex"
	case !target && f.info.Nlink > 1 && c.has("mh"):
		return "mh"
	}
	return "fi"
}
