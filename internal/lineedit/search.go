package lineedit

import "strings"

// search is an incremental search backwards through the history (Ctrl-R).
type search struct {
	pattern string
	at      int    // index of the entry found
	failed  bool   // nothing older matches
	saved   string // the line from before the search
}

func (s *search) prompt() string {
	failed := ""
	if s.failed {
		failed = "failed "
	}
	return "(" + failed + "reverse-i-search)`" + sanitize(s.pattern) + "': "
}

func (e *Editor) startSearch() {
	if e.History == nil {
		return
	}
	e.search = &search{at: len(e.History.entries), saved: e.Line()}
	e.dirty = true
}

// searchKey acts on a key during a search. done is false for keys that end
// the search and then act on the line found.
func (e *Editor) searchKey(k key, text []byte) (done bool, ev Event) {
	s := e.search
	e.dirty = true
	switch {
	case k == keyText:
		s.pattern += string(text)
		e.find(s.at)
		return true, None
	case k == keyControl && text[0] == ctrl('R'):
		e.find(s.at - 1)
		return true, None
	case k == keyControl && (text[0] == 0x7f || text[0] == ctrl('H')):
		if len(s.pattern) > 0 {
			b := buffer{text: []byte(s.pattern), pos: len(s.pattern)}
			s.pattern = s.pattern[:b.prev()]
		}
		e.find(len(e.History.entries) - 1)
		return true, None
	case k == keyControl && text[0] == ctrl('G'):
		e.buffer.set(s.saved)
		e.search = nil
		return true, None
	}
	e.search = nil
	if s.at < len(e.History.entries) {
		e.recall = s.at
	}
	return false, None
}

// find looks for the pattern from entry i backwards. Nothing found leaves the
// line as it is.
func (e *Editor) find(i int) {
	s := e.search
	if s.pattern == "" {
		s.at, s.failed = len(e.History.entries), false
		return
	}
	for i = min(i, len(e.History.entries)-1); i >= 0; i-- {
		entry := e.History.entries[i]
		if at := strings.LastIndex(entry, s.pattern); at >= 0 {
			s.at, s.failed = i, false
			e.buffer.set(entry)
			e.buffer.pos = at
			return
		}
	}
	s.failed = true
}
