package grep

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// perlTimeout bounds one search of one line, where PCRE counts steps.
const perlTimeout = 400 * time.Millisecond

// perlStack bounds the stack of one search, in the engine's slots.
const perlStack = 100_000

var (
	errPerlPatterns = errors.New("the -P option only supports a single pattern")
	errPerlLimit    = errors.New("exceeded PCRE's backtracking limit")
)

// perlMatcher is the matcher of -P. Patterns that need no backtracking run on
// the linear engine of package regexp, the others on regexp2, within a time
// limit.
type perlMatcher struct {
	ctx     context.Context
	linear  *regexp.Regexp
	full    *regexp2.Regexp
	keeps   []string // names of the groups that stand for \K
	records bool
	utf8    bool
	failure error
	// prefix is what every match begins with, if that is known.
	prefix []byte

	// text and matches are the last line that was searched from within.
	text    []byte
	matches [][]int
}

func (q *options) compilePerl(ctx context.Context) (matcher, error) {
	if len(q.patterns) > 1 {
		return nil, errPerlPatterns
	}
	pattern, keeps, err := translatePerl(q.patterns[0])
	if err != nil {
		return nil, err
	}
	pattern = strings.TrimPrefix(pattern, "(*UTF8)")
	if !q.utf8 {
		pattern = string(toRunes([]byte(pattern), false))
	}
	if q.wholeLine {
		pattern = `^(?:` + pattern + `)$`
	} else if q.wholeWord {
		pattern = `(?<!\w)(?:` + pattern + `)(?!\w)`
	}
	if q.ignoreCase {
		pattern = `(?i)` + pattern
	}
	m := &perlMatcher{ctx: ctx, keeps: keeps, records: q.nullData, utf8: q.utf8}
	if m.linear, err = regexp.Compile(pattern); err == nil {
		if prefix, _ := m.linear.LiteralPrefix(); isASCII([]byte(prefix)) {
			m.prefix = []byte(prefix)
		}
		return m, nil
	}
	m.full, err = regexp2.Compile(pattern, regexp2.RE2, regexp2.OptionMaxBacktrackingStackSize(perlStack))
	if err != nil {
		return nil, perlError(err)
	}
	m.full.MatchTimeout = perlTimeout
	return m, nil
}

// perlError words an error as PCRE2 does, where it has the same one.
func perlError(err error) error {
	text := err.Error()
	for _, m := range []struct{ have, want string }{
		{"unexpected )", "unmatched closing parenthesis"},
		{"missing closing )", "missing closing parenthesis"},
		{"unterminated [] set", "missing terminating ] for character class"},
		{"repetition operator", "quantifier does not follow a repeatable item"},
		{"illegal \\ at end", `\ at end of pattern`},
		{`\p{X}`, `malformed \P or \p sequence`},
		{"unknown unicode", "unknown property name after \\P or \\p"},
		{"invalid group name", "syntax error in subpattern name (missing terminator?)"},
		{"range in reverse order", "range out of order in character class"},
		{"invalid character class range", "range out of order in character class"},
		{"reference to undefined group", "reference to non-existent subpattern"},
		{"invalid repeat count", "number too big in {} quantifier"},
		{"illegal repeat range", "numbers out of order in {} quantifier"},
		{"unrecognized grouping", "unrecognized character after (? or (?-"},
	} {
		if strings.Contains(text, m.have) {
			return errors.New(m.want)
		}
	}
	return errors.New(strings.TrimPrefix(text, "error parsing regexp: "))
}

// translatePerl rewrites what PCRE has and the engines have not: \K becomes an
// empty group whose position is asked for, \h \H \N \R \s and \g their
// meanings.
func translatePerl(pattern string) (string, []string, error) {
	var b strings.Builder
	var keeps []string
	inClass, quoted := false, false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case quoted:
			if strings.HasPrefix(pattern[i:], `\E`) {
				quoted = false
			}
			b.WriteByte(c)
		case c == '[' && inClass && i+1 < len(pattern) && pattern[i+1] == ':':
			end := strings.Index(pattern[i:], ":]")
			if end < 0 {
				b.WriteString(`\[`)
				continue
			}
			b.WriteString(pattern[i : i+end+2])
			i += end + 1
		case c == '[' && inClass:
			b.WriteString(`\[`)
		case c == '[':
			inClass = true
			b.WriteByte(c)
			if i+1 < len(pattern) && pattern[i+1] == '^' {
				i++
				b.WriteByte('^')
			}
			if i+1 < len(pattern) && pattern[i+1] == ']' {
				i++
				b.WriteString(`\]`)
			}
		case c == ']':
			inClass = false
			b.WriteByte(c)
		case c == '(' && recursion.MatchString(pattern[i:]) && !inClass:
			return "", nil, errors.New("recursion and subroutine calls are not supported")
		case c == '\\' && i+1 < len(pattern):
			i++
			switch text, n := perlEscape(pattern[i:], inClass, len(keeps)); {
			case n == 0:
				quoted = pattern[i] == 'Q'
				b.WriteString(`\` + pattern[i:i+1])
			default:
				if pattern[i] == 'K' {
					keeps = append(keeps, "keep"+strconv.Itoa(len(keeps)))
				}
				b.WriteString(text)
				i += n - 1
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), keeps, nil
}

// recursion finds what calls a group as a subroutine.
var recursion = regexp.MustCompile(`^\(\?(?:R|[-+]?[0-9]+|&\w+|P>\w+)\)`)

// reference finds the forms of \g.
var reference = regexp.MustCompile(`^g(?:\{([0-9]+|[A-Za-z_]\w*)\}|([0-9]+))`)

// perlEscape rewrites the escape after a backslash; n is how much of s it
// takes, 0 to leave it as it is.
func perlEscape(s string, inClass bool, keeps int) (text string, n int) {
	if m := reference.FindStringSubmatch(s); m != nil && !inClass {
		return `(?:\k<` + m[1] + m[2] + `>)`, len(m[0])
	}
	if inClass {
		switch s[0] {
		case 'h':
			return ` \t`, 1
		case 's':
			return `\t-\r `, 1
		}
		return "", 0
	}
	switch s[0] {
	case 'K':
		return `(?P<keep` + strconv.Itoa(keeps) + `>)`, 1
	case 'h':
		return `[ \t]`, 1
	case 'H':
		return `[^ \t]`, 1
	case 'N':
		return `[^\n]`, 1
	case 'R':
		return `(?:\r\n|[\n-\r])`, 1
	case 's':
		return `[\t-\r ]`, 1
	case 'S':
		return `[^\t-\r ]`, 1
	case 'Z':
		return `\z`, 1
	}
	return "", 0
}

func (m *perlMatcher) err() error { return m.failure }

func (m *perlMatcher) nextLine(block []byte, pos int) (int, int, bool) {
	delim := byte('\n')
	if m.records {
		delim = 0
	}
	lines := 0
	if len(m.prefix) > 0 {
		i := bytes.Index(block[pos:], m.prefix)
		if i < 0 {
			return 0, 0, false
		}
		pos += bytes.LastIndexByte(block[pos:pos+i], delim) + 1
	}
	return eachLine(block, pos, delim, func(line []byte) bool {
		if lines++; lines&255 == 0 && m.ctx.Err() != nil {
			m.failure = m.ctx.Err()
		}
		_, _, ok := m.find(line, 0)
		return ok
	})
}

func (m *perlMatcher) find(line []byte, pos int) (start, end int, ok bool) {
	switch {
	case m.failure != nil:
		return 0, 0, false
	case m.linear != nil:
		return m.findLinear(line, pos)
	}
	return m.findFull(line, pos)
}

// findLinear searches with package regexp. That has no start offset: the
// search for a line's second match finds all of them.
func (m *perlMatcher) findLinear(line []byte, pos int) (start, end int, ok bool) {
	if pos > 0 && m.matches != nil && len(m.text) == len(line) && &m.text[0] == &line[0] {
		return m.after(pos)
	}
	m.matches = nil
	text := line
	expanded := !m.utf8 && !isASCII(line)
	if expanded {
		text = []byte(string(toRunes(line, false)))
	}
	at := func(i int) int {
		if !expanded || i < 0 {
			return i
		}
		return utf8.RuneCount(text[:i])
	}
	if pos == 0 {
		return m.keep(m.linear.FindSubmatchIndex(text), at)
	}
	m.text = line
	for _, loc := range m.linear.FindAllSubmatchIndex(text, -1) {
		if start, end, ok := m.keep(loc, at); ok {
			m.matches = append(m.matches, []int{start, end})
		}
	}
	return m.after(pos)
}

// after answers the first of matches from pos on.
func (m *perlMatcher) after(pos int) (start, end int, ok bool) {
	i := sort.Search(len(m.matches), func(i int) bool { return m.matches[i][0] >= pos })
	if i == len(m.matches) {
		return 0, 0, false
	}
	return m.matches[i][0], m.matches[i][1], true
}

// keep answers the bounds of a match, which \K may have moved.
func (m *perlMatcher) keep(loc []int, at func(int) int) (start, end int, ok bool) {
	if loc == nil {
		return 0, 0, false
	}
	start, end = at(loc[0]), at(loc[1])
	for _, name := range m.keeps {
		if i := m.linear.SubexpIndex(name); i >= 0 && loc[2*i] >= 0 {
			start = at(loc[2*i])
		}
	}
	return start, end, true
}

func (m *perlMatcher) findFull(line []byte, pos int) (start, end int, ok bool) {
	runes := toRunes(line, m.utf8)
	from := pos
	if m.utf8 {
		from = utf8.RuneCount(line[:pos])
	}
	match, err := m.full.FindRunesMatchStartingAt(runes, from)
	if err != nil {
		m.failure = errPerlLimit
		return 0, 0, false
	}
	if match == nil {
		return 0, 0, false
	}
	start, end = match.RuneIndex, match.RuneIndex+match.RuneLength
	for _, name := range m.keeps {
		if g := match.GroupByName(name); g != nil && len(g.Captures) > 0 {
			start = g.RuneIndex
		}
	}
	if m.utf8 {
		start, end = byteOffset(line, start), byteOffset(line, end)
	}
	return start, end, true
}

func isASCII(p []byte) bool {
	for _, c := range p {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// toRunes answers the characters of a text: its bytes, or what UTF-8 says.
func toRunes(p []byte, asUTF8 bool) []rune {
	if asUTF8 {
		return bytes.Runes(p)
	}
	runes := make([]rune, len(p))
	for i, c := range p {
		runes[i] = rune(c)
	}
	return runes
}

// byteOffset answers where character n of a text begins.
func byteOffset(p []byte, n int) int {
	i := 0
	for ; n > 0; n-- {
		_, size := utf8.DecodeRune(p[i:])
		i += size
	}
	return i
}
