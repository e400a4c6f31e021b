package lineedit

import (
	"strings"
	"testing"
)

func TestPrompt(t *testing.T) {
	for _, tc := range []struct{ prompt, want string }{
		{"mirage:/$ ", "mirage:/$ "},
		{"\x1b[01;32mdemo\x1b[0m:\x1b[38;5;4m/\x1b[m$ ", "\x1b[01;32mdemo\x1b[0m:\x1b[38;5;4m/\x1b[m$ "},
		{"a\nb> ", "a\nb> "},
		{"\x1b]0;title\a$ ", "$ "},
		{"\x1b]0;title\x1b\\$ ", "$ "},
		{"\x1b[2Ja\x1b[1;1Hb", "?[2Ja?[1;1Hb"}, // no steering
		{"\x1b]0;no end", "?]0;no end"},
		{"\a\r\tx\x7f\u009b0m", "??x??0m"},
	} {
		if got := Prompt(tc.prompt); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.prompt, got, tc.want)
		}
	}
}

// The cursor of a line behind a coloured prompt is where it is behind the same
// prompt without colours.
func TestPromptColoursTakeNoRoom(t *testing.T) {
	plain, coloured := "demo:/\n12345$ ", "\x1b[01;32mdemo\x1b[0m:\x1b[34m/\x1b[0m\n12345$ "
	for _, keys := range []string{"", "echo", "a long line that wraps", "a long line\x01Z", "ab\x1b[D"} {
		var got [2]terminal
		for i, prompt := range []string{plain, coloured} {
			e := &Editor{}
			got[i].width = 16
			e.Start(prompt, 16)
			e.Feed([]byte(keys))
			_, _ = got[i].Write([]byte(colour.ReplaceAllString(string(e.Output()), "")))
		}
		if got[0].text() != got[1].text() || got[0].row != got[1].row || got[0].col != got[1].col {
			t.Errorf("%q:\n%s\n%d,%d; want\n%s\n%d,%d", keys, got[1].text(), got[1].row, got[1].col, got[0].text(), got[0].row, got[0].col)
		}
	}
	e := &Editor{}
	e.Start(coloured, 80)
	if out := string(e.Output()); !strings.Contains(out, "\x1b[01;32mdemo\x1b[0m:") {
		t.Errorf("no colours: %q", out)
	}
}
