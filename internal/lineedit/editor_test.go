package lineedit

import (
	"strings"
	"testing"
)

// session is an editor on a terminal.
type session struct {
	Editor
	term terminal
}

func newSession(width int, history ...string) *session {
	s := &session{term: terminal{width: width}}
	s.History = &History{}
	for _, h := range history {
		s.History.Add(h)
	}
	s.Start("$ ", width)
	s.flush()
	return s
}

func (s *session) flush() { _, _ = s.term.Write(s.Output()) }

// typed feeds keys until the first event.
func (s *session) typed(keys string) Event {
	n, ev := s.Feed([]byte(keys))
	s.flush()
	if ev == None && n != len(keys) {
		panic("bytes left without an event")
	}
	return ev
}

const (
	up, down, right, left = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
	home, end, del        = "\x1b[H", "\x1b[F", "\x1b[3~"
)

func TestEditing(t *testing.T) {
	for _, tc := range []struct {
		name, keys string
		line       string
		event      Event
	}{
		{"plain", "echo hi\r", "echo hi", Accept},
		{"newline accepts too", "echo hi\n", "echo hi", Accept},
		{"backspace", "ab\x7fc\bd\r", "ad", Accept},
		{"backspace on nothing", "\x7f\x7fa\r", "a", Accept},
		{"cursor keys", "ac" + left + "b" + right + "d\r", "abcd", Accept},
		{"application cursor keys", "ac\x1bODb\x1bOCd\r", "abcd", Accept},
		{"ends of the line", "b" + home + "a" + end + "c\x01<\x05>\r", "<abc>", Accept},
		{"rxvt and console ends", "b\x1b[7~a\x1b[8~c\x1b[1~<\x1b[4~>\r", "<abc>", Accept},
		{"delete", "abc\x01" + del + "\r", "bc", Accept},
		{"ctrl-d deletes", "abc\x01\x04\r", "bc", Accept},
		{"ctrl-d on an empty line", "\x04", "", EOF},
		{"ctrl-d at the end does nothing", "abc\x04\r", "abc", Accept},
		{"kill to the end and yank", "one two\x02\x02\x02\x0b\x01\x19\r", "twoone ", Accept},
		{"kill to the start", "one two\x02\x02\x02\x15\r", "two", Accept},
		{"kill a field", "ls /a/b.c  \x17\r", "ls ", Accept},
		{"kills in a row are one", "one two three\x17\x17\x19\r", "one two three", Accept},
		{"kills apart are not", "one two three\x17" + left + "\x17\x19\r", "one two ", Accept},
		{"meta words", "one two\x1bb\x1bb\x1bd\x1bf!\r", " two!", Accept},
		{"meta backspace", "a/b-c\x1b\x7f\r", "a/b-", Accept},
		{"ctrl arrows", "one two\x1b[1;5D<" + home + "\x1b[1;5C>\r", "one> <two", Accept},
		{"transpose at the end", "sl\x14\r", "ls", Accept},
		{"transpose inside", "abc" + left + "\x14\r", "acb", Accept},
		{"ctrl-c", "rm -rf /\x03", "rm -rf /", Interrupt},
		{"quoted insert", "a\x16\x03\x16\tb\r", "a\x03\tb", Accept},
		{"unknown sequences are swallowed", "a\x1b[15~\x1b[1;2P\x1bOPb\x1b[" + strings.Repeat("1;", 80) + "mc\r", "abc", Accept},
		{"control character breaks a sequence", "a\x1b[1\r", "a", Accept},
		{"other control characters", "a\x1a\x11\x13b\x00\r", "ab", Accept},
		{"wide characters", "日本語" + left + "\x7f\r", "日語", Accept},
		{"combining characters", "e\u0301x" + left + "\x7f\r", "x", Accept},
		{"emoji of several runes", "a👩‍👩‍👧b" + left + "\x7f\r", "ab", Accept},
		{"broken UTF-8 is kept", "a\xffb\xe6\x97\r", "a\xffb\xe6\x97", Accept},
		{"paste", "\x1b[200~one\rtwo\x03\tx\x1b[201~!\r", "one\ntwo\x03\tx!", Accept},
		{"paste with line ends of all kinds", "\x1b[200~a\r\nb\nc\rd\x1b[201~\r", "a\nb\nc\nd", Accept},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSession(20)
			if ev := s.typed(tc.keys); ev != tc.event || s.Line() != tc.line {
				t.Errorf("event %v, line %q; want %v, %q", ev, s.Line(), tc.event, tc.line)
			}
			// The same bytes one by one: sequences may be cut anywhere.
			one := newSession(20)
			ev := None
			for i := 0; i < len(tc.keys) && ev == None; i++ {
				ev = one.typed(tc.keys[i : i+1])
			}
			pasting := strings.Contains(tc.keys, "\r\n") // CR and LF apart are two ends
			if !pasting && (ev != tc.event || one.Line() != tc.line) {
				t.Errorf("byte by byte: event %v, line %q; want %v, %q", ev, one.Line(), tc.event, tc.line)
			}
			if len(s.term.unknown) > 0 {
				t.Errorf("sequences that the terminal does not know: %q", s.term.unknown)
			}
		})
	}
}

func TestFeedStopsAtEvent(t *testing.T) {
	s := newSession(20)
	n, ev := s.Feed([]byte("one\rtwo\r"))
	if n != 4 || ev != Accept || s.Line() != "one" {
		t.Fatalf("took %d, event %v, line %q", n, ev, s.Line())
	}
}

func TestScreen(t *testing.T) {
	for _, tc := range []struct {
		name, keys string
		want       string
		row, col   int
	}{
		{"empty", "", "$", 0, 2},
		{"short", "echo", "$ echo", 0, 6},
		{"cursor inside", "echo" + left + left, "$ echo", 0, 4},
		{"insert inside", "eho" + left + left + "c", "$ echo", 0, 4},
		{"full row", "12345678", "$ 12345678", 1, 0},
		{"wrapped", "123456789", "$ 12345678\n9", 1, 1},
		{"back over the wrap", "123456789" + left + left, "$ 12345678\n9", 0, 9},
		{"erased over the wrap", "123456789\x7f\x7f", "$ 1234567", 0, 9},
		{"three rows, then home", "123456789012345678901" + home, "$ 12345678\n9012345678\n901", 0, 2},
		{"three rows killed", "123456789012345678901\x15", "$", 0, 2},
		{"wide character does not fit", "1234567日", "$ 1234567\n日", 1, 2},
		{"wide characters", "日本" + left, "$ 日本", 0, 4},
		{"control characters", "\x16\x01b", "$ ^Ab", 0, 5},
		{"tab", "\x16\tb", "$       b", 0, 9},
		{"paste of lines", "\x1b[200~ab\rcd\x1b[201~" + left, "$ ab\ncd", 1, 1},
		{"clear", "abc\x0c", "$ abc", 0, 5},
		{"escapes in text are shown", "\x1b[200~\x1b[2J\x1b[201~", "$ ^[[2J", 0, 7},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSession(10)
			s.typed(tc.keys)
			if got := s.term.text(); got != tc.want || s.term.row != tc.row || s.term.col != tc.col {
				t.Errorf("screen\n%s\ncursor %d,%d; want\n%s\ncursor %d,%d", got, s.term.row, s.term.col, tc.want, tc.row, tc.col)
			}
		})
	}
}

func TestFinishGoesBelowTheLine(t *testing.T) {
	s := newSession(10)
	if ev := s.typed("12345678901" + home + "\r"); ev != Accept {
		t.Fatal(ev)
	}
	if s.term.row != 2 || s.term.col != 0 {
		t.Errorf("cursor %d,%d, want 2,0", s.term.row, s.term.col)
	}
	s = newSession(10)
	s.typed("abc" + home + "\x03")
	if got := s.term.text(); got != "$ abc^C" {
		t.Errorf("screen %q", got)
	}
}

func TestHistoryKeys(t *testing.T) {
	for _, tc := range []struct{ name, keys, want string }{
		{"last", up, "three"},
		{"older", up + up, "two"},
		{"past the oldest", up + up + up + up + up, "one"},
		{"back to the draft", "dra" + up + up + down + down + "ft", "draft"},
		{"past the draft", "x" + down + down, "x"},
		{"edit a copy", up + "!" + up + down, "three"},
		{"emacs keys", "\x10\x10\x0e", "three"},
		{"ends", "d\x1b<", "one"},
		{"ends and back", "d\x1b<\x1b>", "d"},
		{"search", "\x12w", "two"},
		{"search again", "\x12o\x12", "one"},
		{"search, no match", "\x12zzz", ""},
		{"search, erase", "\x12tx\x7f", "three"},
		{"search, give up", "dra\x12two\x07ft", "draft"},
		{"search, go on editing", "\x12two" + end + "!", "two!"},
		{"search, then older", "\x12two\x05" + up, "one"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSession(40, "one", "two", "three")
			s.typed(tc.keys)
			if got := s.Line(); got != tc.want {
				t.Errorf("line %q, want %q", got, tc.want)
			}
		})
	}
}

func TestSearchPrompt(t *testing.T) {
	s := newSession(40, "git status")
	s.typed("\x12stat")
	if got, want := s.term.text(), "(reverse-i-search)`stat': git status"; got != want {
		t.Errorf("screen %q, want %q", got, want)
	}
	s.typed("x")
	if got, want := s.term.text(), "(failed reverse-i-search)`statx': git st\natus"; got != want {
		t.Errorf("screen %q, want %q", got, want)
	}
	if ev := s.typed("\r"); ev != Accept || s.Line() != "git status" || !strings.HasPrefix(s.term.text(), "$ git status") {
		t.Errorf("event %v, line %q, screen %q", ev, s.Line(), s.term.text())
	}
}

func TestHistoryBounds(t *testing.T) {
	h := &History{}
	h.Add("")
	h.Add("a")
	h.Add("a")
	if len(h.entries) != 1 {
		t.Errorf("entries %q", h.entries)
	}
	for i := range 3000 {
		h.Add(strings.Repeat("x", i))
	}
	if len(h.entries) > historyEntries || h.size > historyBytes {
		t.Errorf("%d entries of %d bytes", len(h.entries), h.size)
	}
}

func TestComplete(t *testing.T) {
	words := map[string][]string{
		"cat f": {"file.txt"}, "cat d": {"dir/"}, "ls lon": {"longest", "longer"}, "ls longe": {"longest", "longer"},
		"x 日": {"日本", "日本語"},
	}
	for _, tc := range []struct{ name, keys, line, screen string }{
		{"one", "cat f\t", "cat file.txt ", "$ cat file.txt"},
		{"directory", "cat d\t", "cat dir/", "$ cat dir/"},
		{"inside the line", "cat f > out" + strings.Repeat(left, 6) + "\t", "cat file.txt  > out", "$ cat file.txt  > out"},
		{"common part", "ls lon\t", "ls longe", "$ ls longe"},
		{"list", "ls lon\t\t\t", "ls longe", "$ ls longe\nlongest  longer\n$ ls longe"},
		{"wide", "x 日\t", "x 日本", "$ x 日本"},
		{"none", "nothing\t\t", "nothing", "$ nothing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSession(40)
			s.Complete = func(source string) (int, []string) {
				return strings.LastIndexByte(source, ' ') + 1, words[source]
			}
			for i := range len(tc.keys) {
				s.typed(tc.keys[i : i+1])
			}
			if s.Line() != tc.line || s.term.text() != tc.screen {
				t.Errorf("line %q, screen\n%s\nwant %q,\n%s", s.Line(), s.term.text(), tc.line, tc.screen)
			}
		})
	}
}

func TestResize(t *testing.T) {
	s := newSession(10)
	s.typed("12345678901")
	s.term = terminal{width: 30, row: 1}
	s.Resize(30)
	s.flush()
	if got := s.term.text(); got != "\n$ 12345678901" {
		t.Errorf("screen %q", got)
	}
	for _, width := range []int{1, 0, -5, 2, 1 << 20} {
		s.Resize(width)
		s.typed("日a" + left)
	}
}

func TestPromptCannotSteerTheTerminal(t *testing.T) {
	s := &session{term: terminal{width: 40}}
	s.Start("mirage:/a\x1b]0;owned\x07\n\u009b2J$ ", 40)
	s.flush()
	if got, want := s.term.text(), "mirage:/a\n?2J$"; got != want {
		t.Errorf("screen %q, want %q", got, want)
	}
}

func TestLineIsBounded(t *testing.T) {
	s := newSession(80)
	s.typed("\x1b[200~" + strings.Repeat("x", MaxLine-1) + "\x1b[201~")
	s.typed("y")
	s.typed("z")
	if n := len(s.Line()); n != MaxLine || s.term.bells != 1 {
		t.Errorf("%d bytes, %d bells", n, s.term.bells)
	}
	if ev := s.typed("\x15ok\r"); ev != Accept || s.Line() != "ok" {
		t.Errorf("event %v, line %.10q after Ctrl-U", ev, s.Line())
	}
}
