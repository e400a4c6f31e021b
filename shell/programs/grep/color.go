package grep

import "strings"

// colors are the SGR parameters of GREP_COLORS.
type colors struct {
	selectedMatch, contextMatch  string // ms, mc
	selectedLine, contextLine    string // sl, cx
	fileName, lineNumber, offset string // fn, ln, bn
	separator                    string // se
	reverse, noErase             bool   // rv, ne
}

// chooseColors decides on colors once all options are read.
func (q *optionParser) chooseColors() int {
	switch q.color {
	case "always", "yes", "force":
	case "auto", "tty", "if-tty":
		if q.inv.Terminal == nil || q.inv.Getenv("TERM") == "" || q.inv.Getenv("TERM") == "dumb" {
			return -1
		}
		if _, _, ok := q.inv.Terminal(1); !ok {
			return -1
		}
	default:
		return -1
	}
	q.options.colors = parseColors(q.inv.Getenv("GREP_COLORS"))
	if v := q.inv.Getenv("GREP_COLOR"); v != "" {
		q.inv.Errorf("warning: GREP_COLOR='%s' is deprecated; use GREP_COLORS='mt=%s'", v, v)
	}
	return -1
}

// parseColors reads GREP_COLORS; it stops at the first thing it does not
// understand, as grep does.
func parseColors(text string) *colors {
	c := &colors{selectedMatch: "01;31", contextMatch: "01;31", fileName: "35", lineNumber: "32", offset: "32", separator: "36"}
	for _, item := range strings.Split(text, ":") {
		name, value, isString := strings.Cut(item, "=")
		if strings.Trim(value, "0123456789;") != "" {
			return c
		}
		if !isString {
			switch name {
			case "rv":
				c.reverse = true
			case "ne":
				c.noErase = true
			}
			continue
		}
		switch name {
		case "mt":
			c.selectedMatch, c.contextMatch = value, value
		case "ms":
			c.selectedMatch = value
		case "mc":
			c.contextMatch = value
		case "sl":
			c.selectedLine = value
		case "cx":
			c.contextLine = value
		case "fn":
			c.fileName = value
		case "ln":
			c.lineNumber = value
		case "bn":
			c.offset = value
		case "se":
			c.separator = value
		}
	}
	return c
}

// start and end are the escape sequences around a colored text.
func (c *colors) start(sgr string) string {
	if c.noErase {
		return "\x1b[" + sgr + "m"
	}
	return "\x1b[" + sgr + "m\x1b[K"
}

func (c *colors) end() string { return c.start("") }
