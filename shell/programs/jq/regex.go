package jq

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// regexNatives are the builtins about regular expressions. They follow
// Oniguruma's Perl syntax: by the regexp package, whose matching takes linear
// time, where it means the same, and else by backtracking, for a bounded time.
func regexNatives() map[string]native {
	return map[string]native{
		"_match/3": matchNative,
		"_split/2": splitRegex,
	}
}

// matchTimeout bounds one search of the backtracking engine.
const matchTimeout = 200 * time.Millisecond

// flags are the modifiers of a match.
type flags struct {
	global, fold, extended, dotAll, longest, notEmpty bool
}

func parseFlags(v any) (f flags, err error) {
	s, ok := v.(string)
	if !ok {
		if v == nil {
			return f, nil
		}
		return f, typeError(v, "is not a string")
	}
	for _, c := range s {
		switch c {
		case 'g':
			f.global = true
		case 'i':
			f.fold = true
		case 'x':
			f.extended = true
		case 's': // ^ and $ match at the ends only, as they do anyway
		case 'p':
			f.dotAll = true
		case 'm':
			f.dotAll = true
		case 'l':
			f.longest = true
		case 'n':
			f.notEmpty = true
		default:
			return f, errorText(s + " is not a valid modifier string")
		}
	}
	return f, nil
}

// pattern finds matches: pairs of byte offsets, the whole first, -1 for a
// group without a match. each answers false to stop.
type pattern interface {
	matches(s string, all bool, each func(loc []int) bool) error
	names() []string // of the groups, "" for a nameless one, the whole first
}

// compilePattern chooses the engine for a pattern and a text.
func compilePattern(source string, f flags, text string) (pattern, error) {
	if !f.extended && linearMeansTheSame(source, text) {
		prefix := ""
		if f.fold {
			prefix += "i"
		}
		if f.dotAll {
			prefix += "s"
		}
		if prefix != "" {
			prefix = "(?" + prefix + ")"
		}
		if re, err := regexp.Compile(prefix + source); err == nil && (!f.global || !emptyBetween(prefix+source)) {
			if f.longest {
				re.Longest()
			}
			return linear{re}, nil
		}
	}
	options := regexp2.None
	if f.fold {
		options |= regexp2.IgnoreCase
	}
	if f.extended {
		options |= regexp2.IgnorePatternWhitespace
	}
	if f.dotAll {
		options |= regexp2.Singleline
	}
	re, err := regexp2.Compile(translate(source), options, regexp2.OptionMaintainCaptureOrder())
	if err != nil {
		return nil, errorText("Regex failure: " + regexComplaint(err.Error()))
	}
	re.MatchTimeout = matchTimeout
	return newBacktracking(re), nil
}

// linearMeansTheSame tells whether package regexp gives a pattern Oniguruma's
// meaning on a text: classes are ASCII there, "$" does not match in front of a
// last newline, and "\h", "\s" differ.
func linearMeansTheSame(source, text string) bool {
	for i := 0; i < len(source); i++ {
		switch source[i] {
		case '\\':
			i++
			if i == len(source) {
				return false
			}
			switch c := source[i]; {
			case strings.IndexByte("wWbBdD", c) >= 0:
				if !ascii(text) {
					return false
				}
			case c == 's' || c == 'S':
				if !ascii(text) || strings.Contains(text, "\v") {
					return false
				}
			case c >= utf8.RuneSelf || 'a' <= c|0x20 && c|0x20 <= 'z' && strings.IndexByte("nrtfvaAz", c) < 0:
				return false
			case '0' <= c && c <= '9':
				return false
			}
		case '$':
			if strings.HasSuffix(text, "\n") {
				return false
			}
		case '[':
			if strings.HasPrefix(source[i:], "[[:") || strings.Contains(source[i:], "&&") {
				return false
			}
		case '(':
			if strings.HasPrefix(source[i:], "(?") && !strings.HasPrefix(source[i:], "(?:") &&
				!strings.HasPrefix(source[i:], "(?i") && !(strings.HasPrefix(source[i:], "(?<") && i+3 < len(source) && source[i+3] != '=' && source[i+3] != '!') {
				return false
			}
		}
	}
	return true
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// translate rewrites what Oniguruma spells differently.
func translate(source string) string {
	if !strings.ContainsAny(source, `\[`) {
		return source
	}
	var b strings.Builder
	class := 0
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case c == '\\' && i+1 < len(source):
			i++
			switch next := source[i]; {
			case next == 'h' && class == 0:
				b.WriteString("[0-9a-fA-F]")
			case next == 'h':
				b.WriteString("0-9a-fA-F")
			case next == 'H' && class == 0:
				b.WriteString("[^0-9a-fA-F]")
			case next == 'R' && class == 0:
				b.WriteString(`(?:\r\n|[\n\v\f\r\x85\u2028\u2029])`)
			case next == 'x' && strings.HasPrefix(source[i:], "x{"):
				end := strings.IndexByte(source[i:], '}')
				if end < 0 {
					b.WriteString(`\x`)
					break
				}
				digits := source[i+2 : i+end]
				if len(digits) > 0 && len(digits) <= 4 {
					b.WriteString(`\u` + strings.Repeat("0", 4-len(digits)) + digits)
				} else {
					b.WriteString(`\x{` + digits + "}")
				}
				i += end
			default:
				b.WriteByte('\\')
				b.WriteByte(next)
			}
			continue
		case c == '[' && class > 0 && strings.HasPrefix(source[i:], "[:"):
			if end := strings.Index(source[i:], ":]"); end > 0 {
				if set, ok := posixClass(source[i+2 : i+end]); ok {
					b.WriteString(set)
					i += end + 1
					continue
				}
			}
		case c == '[' && class == 0:
			class = 1
			b.WriteByte(c)
			if strings.HasPrefix(source[i+1:], "^") {
				b.WriteByte('^')
				i++
			}
			if strings.HasPrefix(source[i+1:], "]") {
				b.WriteString(`\]`)
				i++
			}
			continue
		case c == ']':
			class = 0
		}
		b.WriteByte(c)
	}
	return b.String()
}

func posixClass(name string) (set string, ok bool) {
	switch strings.TrimPrefix(name, "^") {
	case "alpha":
		set = `\p{L}`
	case "digit":
		set = `\d`
	case "alnum":
		set = `\p{L}\p{N}`
	case "upper":
		set = `\p{Lu}`
	case "lower":
		set = `\p{Ll}`
	case "space":
		set = `\s`
	case "punct":
		set = `\p{P}$+<=>^` + "`" + `|~`
	case "xdigit":
		set = `0-9a-fA-F`
	case "blank":
		set = ` \t`
	case "cntrl":
		set = `\p{Cc}`
	case "word":
		set = `\w`
	case "print":
		set = `\x20-\x7e\u00a0-\uffff`
	case "graph":
		set = `\x21-\x7e\u00a1-\uffff`
	default:
		return "", false
	}
	return set, !strings.HasPrefix(name, "^")
}

// regexComplaint words an error of a pattern as Oniguruma does, where it has a
// text for it.
func regexComplaint(s string) string {
	switch {
	case strings.Contains(s, "missing closing )"), strings.Contains(s, "not enough )"):
		return "end pattern with unmatched parenthesis"
	case strings.Contains(s, "unexpected )"), strings.Contains(s, "too many )"):
		return "unmatched close parenthesis"
	case strings.Contains(s, "missing closing ]"), strings.Contains(s, "unterminated"):
		return "premature end of char-class"
	case strings.Contains(s, "missing argument to repetition"), strings.Contains(s, "nothing"):
		return "target of repeat operator is not specified"
	case strings.Contains(s, "illegal \\ at end"):
		return "end pattern at escape"
	}
	return s
}

// linear is a pattern of package regexp.
type linear struct{ re *regexp.Regexp }

func (p linear) names() []string { return p.re.SubexpNames() }

// matches also finds the empty matches right behind another, which the package
// leaves out and Oniguruma does not.
func (p linear) matches(s string, all bool, each func(loc []int) bool) error {
	if !all {
		if loc := p.re.FindStringSubmatchIndex(s); loc != nil {
			each(loc)
		}
		return nil
	}
	end := -1 // of the last match, if it was not empty
	behind := func(next int) bool {
		if end < 0 || end == next {
			return true
		}
		loc := p.re.FindStringSubmatchIndex(s[end:])
		if loc == nil || loc[0] != 0 || loc[1] != 0 {
			return true
		}
		for i := range loc {
			if loc[i] >= 0 {
				loc[i] += end
			}
		}
		return each(loc)
	}
	canBeEmpty := p.re.MatchString("")
	for _, loc := range p.re.FindAllStringSubmatchIndex(s, -1) {
		if canBeEmpty && !behind(loc[0]) || !each(loc) {
			return nil
		}
		if end = loc[1]; loc[0] == loc[1] {
			end = -1
		}
	}
	if canBeEmpty {
		behind(-1)
	}
	return nil
}

// emptyBetween tells whether a pattern may match the empty string where that
// depends on what is around.
func emptyBetween(source string) bool {
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return true
	}
	return hasAssertion(tree) && canBeEmpty(tree)
}

func hasAssertion(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return slices.ContainsFunc(re.Sub, hasAssertion)
}

func canBeEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	case syntax.OpStar, syntax.OpQuest, syntax.OpEmptyMatch:
		return true
	case syntax.OpRepeat:
		return re.Min == 0 || canBeEmpty(re.Sub[0])
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, canBeEmpty)
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !canBeEmpty(s) })
	}
	return true
}

// backtracking is a pattern of package regexp2, which counts characters.
type backtracking struct {
	re     *regexp2.Regexp
	groups []string
	number []int
	// Of the text that was searched last: the byte offset of each character.
	text    string
	offsets []int
}

func newBacktracking(re *regexp2.Regexp) *backtracking {
	p := &backtracking{re: re}
	for _, n := range re.GetGroupNumbers() {
		name := re.GroupNameFromNumber(n)
		if name != "" && name[0] >= '0' && name[0] <= '9' {
			name = ""
		}
		p.groups = append(p.groups, name)
		p.number = append(p.number, n)
	}
	return p
}

func (p *backtracking) names() []string { return p.groups }

func (p *backtracking) index(s string) {
	if p.offsets != nil && p.text == s {
		return
	}
	p.text, p.offsets = s, make([]int, 0, len(s)+1)
	for i := range s {
		p.offsets = append(p.offsets, i)
	}
	p.offsets = append(p.offsets, len(s))
}

func (p *backtracking) matches(s string, all bool, each func(loc []int) bool) error {
	p.index(s)
	for at := 0; at <= len(s); {
		m, err := p.re.FindStringMatchStartingAt(s, at)
		if err != nil {
			return errorText("Regex failure: retry-limit-in-match over")
		}
		if m == nil {
			return nil
		}
		loc := make([]int, 0, 2*len(p.number))
		for _, n := range p.number {
			g := m.GroupByNumber(n)
			if g == nil || len(g.Captures) == 0 {
				loc = append(loc, -1, -1)
				continue
			}
			loc = append(loc, p.offsets[g.RuneIndex], p.offsets[g.RuneIndex+g.RuneLength])
		}
		if !each(loc) || !all {
			return nil
		}
		if at = loc[1]; loc[0] == loc[1] {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += max(n, 1)
		}
	}
	return nil
}

// eachMatch compiles a pattern and finds its matches in a string.
func eachMatch(m *machine, v, re, mode any, global bool, each func(names []string, loc []int) bool) error {
	s, ok := v.(string)
	if !ok {
		return typeError(v, "cannot be matched, as it is not a string")
	}
	if list, isList := re.([]any); isList && len(list) > 0 {
		re = list[0]
		if len(list) > 1 {
			mode = list[1]
		}
	}
	source, ok := re.(string)
	if !ok {
		return typeError(re, "cannot be matched, as it is not a string")
	}
	f, err := parseFlags(mode)
	if err != nil {
		return err
	}
	f.global = f.global || global
	p, err := compilePattern(source, f, s)
	if err != nil {
		return err
	}
	m.grow(2 * len(s))
	names := p.names()
	var stopped error
	err = p.matches(s, f.global, func(loc []int) bool {
		if stopped = m.tick(); stopped != nil {
			return false
		}
		if f.notEmpty && loc[0] == loc[1] {
			return true
		}
		return each(names, loc)
	})
	if stopped != nil {
		return stopped
	}
	return err
}

// matchNative is _match(re; flags; test): whether there is a match, or an
// array of all that are asked for.
func matchNative(m *machine, v any, a []any) (any, error) {
	if a[2] == true {
		found := false
		err := eachMatch(m, v, a[0], a[1], false, func([]string, []int) bool {
			found = true
			return false
		})
		return found, err
	}
	out := []any{}
	s, _ := v.(string)
	// Offsets are told in characters; matches come in order, so counting goes
	// on from the last.
	byteAt, runeAt := 0, 0
	characters := func(i int) float64 {
		if i < byteAt {
			return float64(runeAt - utf8.RuneCountInString(s[i:byteAt]))
		}
		runeAt += utf8.RuneCountInString(s[byteAt:i])
		byteAt = i
		return float64(runeAt)
	}
	err := eachMatch(m, v, a[0], a[1], false, func(names []string, loc []int) bool {
		o := newObject(4)
		o.set("offset", characters(loc[0]))
		o.set("length", float64(utf8.RuneCountInString(s[loc[0]:loc[1]])))
		o.set("string", s[loc[0]:loc[1]])
		captures := []any{}
		for i := 1; i < len(names); i++ {
			c := matchObject(s, loc[2*i], loc[2*i+1], characters)
			c.set("name", nil)
			if names[i] != "" {
				c.set("name", names[i])
			}
			captures = append(captures, c)
		}
		o.set("captures", captures)
		out = append(out, o)
		m.grow(5*sizeMember + 6*sizeMember*len(captures))
		return true
	})
	return out, err
}

func matchObject(s string, start, end int, characters func(int) float64) *Object {
	o := newObject(4)
	if start == end { // in jq's order of keys
		o.set("offset", -1.0)
		o.set("string", nil)
		if start >= 0 {
			o.set("offset", characters(start))
			o.set("string", "")
		}
		o.set("length", 0.0)
		return o
	}
	o.set("offset", characters(start))
	o.set("length", float64(utf8.RuneCountInString(s[start:end])))
	o.set("string", s[start:end])
	return o
}

// splitRegex is split(re; flags).
func splitRegex(m *machine, v any, a []any) (any, error) {
	out := []any{}
	s, _ := v.(string)
	previous := 0
	err := eachMatch(m, v, a[0], a[1], true, func(_ []string, loc []int) bool {
		out = append(out, s[previous:loc[0]])
		m.grow(sizeElement + sizeString)
		previous = loc[1]
		return true
	})
	if err != nil {
		return nil, err
	}
	return append(out, s[previous:]), nil
}
