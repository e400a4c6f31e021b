package lineedit

import (
	"strings"
	"testing"
)

func TestCooked(t *testing.T) {
	long := strings.Repeat("x", 1024)
	for _, tc := range []struct {
		name     string
		controls bool
		keys     string
		line     string
		echo     string
		event    Event
	}{
		{"line", false, "ls\r", "ls", "ls\r\n", Accept},
		{"newline", false, "ls\n", "ls", "ls\r\n", Accept},
		{"erase", false, "lx\x7fs\r", "ls", "lx\b \bs\r\n", Accept},
		{"erase nothing", false, "\x7f\ba\r", "a", "a\r\n", Accept},
		{"erase one character of three bytes", false, "a日\x7fb\r", "ab", "a日\b \b\b \bb\r\n", Accept},
		{"ctrl-u", false, "ab\x15c\r", "c", "ab\b \b\b \bc\r\n", Accept},
		{"sequences are swallowed", false, "a\x1b[A\x1b[1;5C\x1bOPb\x1bxc\r", "abc", "abc\r\n", Accept},
		{"control characters are dropped, TAB is not", false, "a\x01\x0cb\tc\r", "ab\tc", "ab\tc\r\n", Accept},
		{"interrupt", false, "abc\x03", "", "abc^C", Interrupt},
		{"suspend", false, "abc\x1a", "", "abc^Z", Suspend},
		{"quit", false, "abc\x1c", "", "abc^\\", Quit},
		{"ctrl-d on an empty line", false, "\x04", "", "", EOF},
		{"ctrl-d elsewhere", false, "a\x04b\r", "ab", "ab\r\n", Accept},
		{"1024 bytes, then bells", false, long + "yz\r", long, long + "\a\a\r\n", Accept},
		{"for a command: controls are text", true, "a\x1b[A\x01\r", "a\x1b[A\x01", "a^[[A^A\r\n", Accept},
		{"for a command: erase a control", true, "\x01\x7fb\r", "b", "^A\b \b\b \bb\r\n", Accept},
		{"for a command: ctrl-d hands over", true, "ab\x04", "ab", "ab", Accept},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := Cooked{Limit: 1024, Controls: tc.controls}
			echo, ev := "", None
			for i := 0; i < len(tc.keys) && ev == None; i++ {
				var e string
				e, ev = c.Feed(tc.keys[i])
				echo += e
			}
			if line := string(c.Take()); line != tc.line || echo != tc.echo || ev != tc.event {
				t.Errorf("line %.40q, echo %.60q, event %v; want %.40q, %.60q, %v", line, echo, ev, tc.line, tc.echo, tc.event)
			}
		})
	}
}

func TestCookedTakesCRLFAsOneEnd(t *testing.T) {
	c := Cooked{}
	var lines []string
	for _, b := range []byte("a\r\nb\n\nc\r\r") {
		if _, ev := c.Feed(b); ev == Accept {
			lines = append(lines, string(c.Take()))
		}
	}
	if got, want := strings.Join(lines, "|"), "a|b||c|"; got != want {
		t.Errorf("lines %q, want %q", got, want)
	}
}
