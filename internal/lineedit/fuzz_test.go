package lineedit

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever is typed, the screen shows the prompt and the line as a terminal
// would that had been given them at once, and the cursor stands where it
// belongs.
func FuzzEditor(f *testing.F) {
	f.Add([]byte("echo hi"+left+left+"x\x17\x19"+up), 10)
	f.Add([]byte("日本語\u0301e\x16\x01"+home+"\x1b[200~a\rb\x1b[201~"), 7)
	f.Add([]byte("\x12t\x12\x7f\x07"+strings.Repeat("w", 40)+"\x14\x1bb\x1bd"), 20)
	f.Fuzz(func(t *testing.T, keys []byte, width int) {
		width = 2 + (width&0xff)%60
		s := newSession(width, "one", "two words", "three\nlines")
		for len(keys) > 0 && !strings.ContainsRune(string(keys[:1]), '\x0c') {
			n := min(len(keys), 3)
			took, ev := s.Feed(keys[:n])
			s.flush()
			if took == 0 {
				t.Fatal("no progress")
			}
			keys = keys[took:]
			if ev != None {
				return
			}
			check(t, s)
		}
	})
}

func check(t *testing.T, s *session) {
	t.Helper()
	if s.buffer.pos < 0 || s.buffer.pos > len(s.buffer.text) {
		t.Fatalf("cursor %d in %d bytes", s.buffer.pos, len(s.buffer.text))
	}
	if len(s.term.unknown) > 0 {
		t.Fatalf("sequences that the terminal does not know: %q", s.term.unknown)
	}
	if !utf8.Valid(s.buffer.text) {
		return // shown as replacement characters, which may join what follows
	}
	prompt := s.prompt
	if s.search != nil {
		prompt = s.search.prompt()
	}
	fresh := terminal{width: s.width}
	var out strings.Builder
	sc := screen{width: s.width, out: &out}
	sc.prompt(prompt)
	at := sc.write(s.buffer.text, s.buffer.pos)
	_, _ = fresh.Write([]byte(out.String()))
	if got, want := s.term.text(), fresh.text(); got != want {
		t.Fatalf("line %q\nscreen\n%q\nwant\n%q", s.buffer.text, got, want)
	}
	if at.col >= s.width {
		at = cell{at.row + 1, 0}
	}
	if s.term.row != at.row || s.term.col != at.col {
		t.Fatalf("line %q at %d: cursor %d,%d, want %v", s.buffer.text, s.buffer.pos, s.term.row, s.term.col, at)
	}
}

func FuzzCooked(f *testing.F) {
	f.Add([]byte("abc\x7f\x15\x1b[A\r\n\x03日\x7f\x04"), true)
	f.Fuzz(func(t *testing.T, in []byte, controls bool) {
		c := Cooked{Limit: 16, Controls: controls}
		for _, b := range in {
			_, ev := c.Feed(b)
			if len(c.line) > c.Limit {
				t.Fatalf("a line of %d bytes", len(c.line))
			}
			if ev == Accept {
				c.Take()
			}
		}
	})
}
