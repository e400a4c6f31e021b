package lineedit

import (
	"regexp"
	"strings"
)

// What a prompt may tell a terminal beside its text: colours (SGR of ECMA-48)
// pass, the title of the window (OSC of xterm) is dropped.
var (
	colour = regexp.MustCompile("\x1b\\[[0-9;:]*m")
	title  = regexp.MustCompile("\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)")
)

// Prompt makes the text of a prompt fit for a terminal: colours and newlines
// stay, titles and bells go, every other control character becomes a question
// mark.
func Prompt(text string) string {
	text = strings.ReplaceAll(title.ReplaceAllString(text, ""), "\a", "")
	var b strings.Builder
	eachPart(text, func(part string, isColour bool) {
		if isColour {
			b.WriteString(part)
			return
		}
		for i, line := range strings.Split(part, "\n") {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(sanitize(line))
		}
	})
	return b.String()
}

// prompt writes a prompt; colours take no room.
func (s *screen) prompt(text string) {
	eachPart(text, func(part string, isColour bool) {
		if isColour {
			s.out.WriteString(part)
			return
		}
		s.write([]byte(part), len(part))
	})
}

// eachPart calls fn for the colours of a text and for what stands between them.
func eachPart(text string, fn func(part string, isColour bool)) {
	for text != "" {
		at := colour.FindStringIndex(text)
		if at == nil {
			fn(text, false)
			return
		}
		if at[0] > 0 {
			fn(text[:at[0]], false)
		}
		fn(text[at[0]:at[1]], true)
		text = text[at[1]:]
	}
}
