package grep

import (
	"bytes"
	"context"
	"strings"

	"mirage/shell/regex"
)

// matcher finds lines and matches in them.
type matcher interface {
	// nextLine finds the first line with a match in a block of whole lines,
	// from pos on, where a line begins. The bounds leave the delimiter out.
	nextLine(block []byte, pos int) (start, end int, ok bool)
	// find finds the first match in a line that begins at or after pos.
	find(line []byte, pos int) (start, end int, ok bool)
	// err tells why nothing is found any more.
	err() error
}

// compile makes the matcher that the options ask for and prints warnings.
func (q *options) compile(ctx context.Context) (matcher, error) {
	switch {
	case len(q.patterns) == 0:
		return nothing{}, nil
	case q.dialect == "P":
		return q.compilePerl(ctx)
	}
	flags := regex.Grep
	if q.dialect == "E" {
		flags |= regex.Extended
	}
	if q.dialect == "F" || plain(q.patterns, flags) {
		flags |= regex.Literal
	}
	if !q.nullData {
		flags |= regex.Lines
	}
	for _, f := range []struct {
		on   bool
		flag regex.Flags
	}{{q.ignoreCase, regex.IgnoreCase}, {q.wholeWord, regex.WholeWord}, {q.wholeLine, regex.WholeLine}, {q.utf8, regex.UTF8}} {
		if f.on {
			flags |= f.flag
		}
	}
	re, err := regex.CompileList(q.patterns, flags)
	if err != nil {
		return nil, err
	}
	q.warnings = re.Warnings()
	return &regexMatcher{m: re.Matcher(ctx), records: q.nullData}, nil
}

// plain tells whether no pattern has a special character, so that they can be
// searched for as strings.
func plain(patterns []string, flags regex.Flags) bool {
	special := `\.[*^$`
	if flags&regex.Extended != 0 {
		special += `+?(){}|`
	}
	for _, p := range patterns {
		if strings.ContainsAny(p, special) {
			return false
		}
	}
	return true
}

// nothing is the matcher of an empty list of patterns.
type nothing struct{}

func (nothing) nextLine([]byte, int) (int, int, bool) { return 0, 0, false }
func (nothing) find([]byte, int) (int, int, bool)     { return 0, 0, false }
func (nothing) err() error                            { return nil }

type regexMatcher struct {
	m       *regex.Matcher
	records bool // lines end in a zero byte
}

func (r *regexMatcher) nextLine(block []byte, pos int) (int, int, bool) {
	if !r.records {
		return r.m.NextLine(block, pos)
	}
	return eachLine(block, pos, 0, r.m.Match)
}

// eachLine is nextLine for what can only look at one line at a time.
func eachLine(block []byte, pos int, delim byte, match func([]byte) bool) (start, end int, ok bool) {
	for pos < len(block) {
		end := len(block)
		if i := bytes.IndexByte(block[pos:], delim); i >= 0 {
			end = pos + i
		}
		if match(block[pos:end]) {
			return pos, end, true
		}
		pos = end + 1
	}
	return 0, 0, false
}

func (r *regexMatcher) find(line []byte, pos int) (int, int, bool) { return r.m.Find(line, pos, 0) }
func (r *regexMatcher) err() error                                 { return r.m.Err() }
