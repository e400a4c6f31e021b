package sshd

import (
	"errors"
	"regexp"
	"strings"
)

// maxStatement is the most bytes of one statement; the shell takes no more
// either.
const maxStatement = 4 << 20

// errStatementTooLong is the error of source.add for a longer one.
var errStatementTooLong = errors.New("shell input is too long")

// source gathers the lines of one statement.
type source struct {
	text    strings.Builder
	started bool
	// canEnd tells which lines may end what is unfinished; nil = any.
	canEnd func(line string) bool
}

func (s *source) isEmpty() bool { return !s.started }

// take answers the text and begins anew.
func (s *source) take() string {
	text := s.text.String()
	*s = source{}
	return text
}

// add appends a line, and answers whether the statement goes on after it. After
// an error the text is gone.
//
// incomplete parses the whole text, which for every line of a long statement
// would take time by the square of its length. So it is asked only after lines
// that can end what is unfinished.
func (s *source) add(line string, incomplete func(string) bool) (more bool, err error) {
	if s.text.Len()+len(line) > maxStatement {
		s.take()
		return false, errStatementTooLong
	}
	if s.started {
		s.text.WriteByte('\n')
	}
	s.started = true
	s.text.WriteString(line)
	if s.canEnd != nil && !s.canEnd(line) {
		return true, nil
	}
	s.canEnd = nil
	text := s.text.String()
	if !incomplete(text) {
		return false, nil
	}
	if len(text) >= longStatement {
		s.canEnd = whatEnds(text, incomplete)
	}
	return true, nil
}

// longStatement is from how many bytes on it pays to look closer.
const longStatement = 2 << 10

// misplaced is an error wherever commands are read: text that stays incomplete
// with it ends inside quotes or a here-document.
const misplaced = "\n; ;\n"

// hereDoc finds the delimiters of here-documents, quoted or not. It may find
// more than there are.
var hereDoc = regexp.MustCompile(`<<-?[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([^\s'"\\<>|&;()]+))`)

// closing finds what may end a compound command, or quotes opened in it.
var closing = regexp.MustCompile("[})\\]'\"`]|\\b(?:fi|done|esac)\\b")

// whatEnds answers which lines may complete an incomplete text, nil when it
// cannot tell.
func whatEnds(text string, incomplete func(string) bool) func(line string) bool {
	if !incomplete(text + misplaced) {
		// Commands are read here. If one more does not complete the text,
		// it stands in a compound command, which has an end of its own.
		if incomplete(text + "\n:\n") {
			return closing.MatchString
		}
		return nil
	}
	for _, quote := range []string{"'", `"`} {
		if !incomplete(text + "\n" + quote + misplaced) {
			return func(line string) bool { return strings.Contains(line, quote) }
		}
	}
	ends := map[string]bool{}
	for _, m := range hereDoc.FindAllStringSubmatch(text, -1) {
		ends[m[1]+m[2]+m[3]] = true
	}
	if len(ends) == 0 {
		return nil
	}
	return func(line string) bool { return ends[strings.TrimLeft(line, "\t")] }
}
