package regex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// marks replaces the first match in text as sed's s/.../<&|\1|\2>/ does.
func marks(m *Matcher, text string) string {
	loc := m.FindSubmatch(nil, []byte(text), 0, 0)
	if loc == nil {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:loc[0]] + "<" + text[loc[0]:loc[1]])
	for g := 2; g < len(loc); g += 2 {
		b.WriteString("|")
		if loc[g] >= 0 && loc[g+1] >= loc[g] {
			b.WriteString(text[loc[g]:loc[g+1]])
		}
	}
	return b.String() + ">" + text[loc[1]:]
}

var matchTests = []struct {
	flags               Flags
	pattern, text, want string
}{
	{0, "abc", "xabcy", "x<abc>y"},
	{0, "a.c", "abc", "<abc>"},
	{0, "a*", "baa", "<>baa"},
	{0, `a\+`, "baab", "b<aa>b"},
	{0, `a\?b`, "aab", "a<ab>"},
	{0, "a+", "a+aa", "<a+>aa"},
	{0, `a\|b`, "cb", "c<b>"},
	{0, "a|b", "a|b", "<a|b>"},
	{0, "*a", "a*a", "a<*a>"},
	{0, `\(*a\)`, "x*a", "x<*a|*a>"},
	{0, "^*a", "*a", "<*a>"},
	{0, "a^b", "a^b", "<a^b>"},
	{0, "a$b", "a$b", "<a$b>"},
	{0, `\(^a\)b`, "aab", "aab"},
	{0, `\(a$\)`, "aa", "a<a|a>"},
	{0, `a\{2\}`, "aaa", "<aa>a"},
	{0, `a\{,2\}`, "aaa", "<aa>a"},
	{0, `a\{2,\}`, "aaa", "<aaa>"},
	{0, `\(ab\)*c`, "ababc", "<ababc|ab>"},
	{0, `\(.\)\1`, "abccd", "ab<cc|c>d"},
	{0, `\(a*\)b\1`, "aaabaa", "a<aabaa|aa>"},
	{0, `^\(.*\)\1$`, "abcabc", "<abcabc|abc>"},
	{0, `\(a\|ab\)\(c\|bcd\)\1`, "abcdab", "<abcda|a|bcd>b"},
	{0, "[]a]", "x]", "x<]>"},
	{0, "[^]a]", "]ax", "]a<x>"},
	{0, "[a-c]*", "abcd", "<abc>d"},
	{0, "[a-]*", "a-b", "<a->b"},
	{0, "[[:digit:]]*$", "a12", "a<12>"},
	{0, "[[:alpha:][:space:]]*", "a b1", "<a b>1"},
	{0, "[[.-.]a]*", "a-b", "<a->b"},
	{0, "[[=a=]b]*", "abc", "<ab>c"},
	{0, `\.`, "a.b", "a<.>b"},
	{0, `\w*`, "ab_1-", "<ab_1>-"},
	{0, `\W`, "ab-", "ab<->"},
	{0, `\s\S`, "a b", "a< b>"},
	{0, `\bb`, "ab b", "ab <b>"},
	{0, `\Bb`, "ab b", "a<b> b"},
	{0, `\<b.`, "ab bc", "ab <bc>"},
	{0, `.b\>`, "abc ab", "abc <ab>"},
	{0, "\\`a", "aa", "<a>a"},
	{0, `a\'`, "aa", "a<a>"},
	{0, "", "abc", "<>abc"},
	{IgnoreCase, `\(a\)B\1`, "xAbA", "x<AbA|A>"},
	{IgnoreCase, `\(a\)B\1`, "xAba", "x<Aba|A>"},
	{IgnoreCase, "[^a]*", "bAa", "<b>Aa"},
	{IgnoreCase, "[[:upper:]]*", "abA1", "<abA>1"},
	{Extended, "a+b?", "aaab", "<aaab>"},
	{Extended, "(a|ab)(c|bcd)(d*)", "abcd", "<abcd|a|bcd|>"},
	{Extended, "(ab|a)(bcd|c)(d|)", "abcd", "<abcd|ab|c|d>"},
	{Extended, "(aba|a*b)*", "ababa", "<ababa|aba>"},
	{Extended, "((a)|b)*", "ab", "<ab|b|a>"},
	{Extended, "(a*)*", "b", "<|>b"},
	{Extended, "(a*)+", "aa", "<aa|aa>"},
	{Extended, "(.a|.b).*|.*(.a|.b)", "xa", "<xa|xa|>"},
	{Extended, "(.{1,3}){1,3}c", "ba abc b", "<ba abc|b> b"},
	{Extended, "x(a|b*)*y", "xaby", "<xaby|b>"},
	{Extended, "a||b", "ba", "<b>a"},
	{Extended, "()", "a", "<|>a"},
	{Extended, "a^b|c", "a^bc", "a^b<c>"},
	{Extended, "(a)(b)(c)(d)(e)(f)(g)(h)(i)", "abcdefghi", "<abcdefghi|a|b|c|d|e|f|g|h|i>"},
	{Extended, "a{2}{2}", "aaaaa", "<aaaa>a"},
	{Extended, "a**", "aaa", "<aaa>"},
	{Extended, "a{0}b", "ab", "a<b>"},
	{Extended, "(foo|foobar)(bar)?", "foobar", "<foobar|foo|bar>"},
	{Extended, `(\w+) \1`, "the the cat", "<the the|the> cat"},
	{Extended, `(a?)(a?)\2\1`, "aaaa", "<aaaa|a|a>"},
	{Newline, "^b$", "a\nb\nc", "a\n<b>\nc"},
	{Newline, "a.b", "a\nb", "a\nb"},
	{Newline, "a[^x]b", "a\nb", "a\nb"},
	{0, "a.b", "a\nb", "<a\nb>"},
	{UTF8, "^.$", "é", "<é>"},
	{0, "^..$", "é", "<é>"},
	{UTF8, "[^a]b", "éb", "<éb>"},
	{UTF8, "é*", "éé", "<éé>"},
	{UTF8, `\w*`, "aéß-", "<aéß>-"},
	{UTF8, `\bé`, "a éb", "a <éb"[:5] + ">b"},
	{UTF8, `a\b`, "aé a", "aé <a>"},
	{UTF8 | IgnoreCase, "É", "é", "<é>"},
	{UTF8, "a.b", "a\xffb", "a\xffb"},
	{UTF8, "a\xffb", "a\xffb", "<a\xffb>"},
	{UTF8, ".*", "ab\xffc", "<ab>\xffc"},
}

func TestMatch(t *testing.T) {
	for _, tt := range matchTests {
		re, err := Compile(tt.pattern, tt.flags)
		if err != nil {
			t.Errorf("Compile(%q, %b): %v", tt.pattern, tt.flags, err)
			continue
		}
		m := re.Matcher(context.Background())
		if got := marks(m, tt.text); got != tt.want {
			t.Errorf("%q (%b) on %q: got %q, want %q", tt.pattern, tt.flags, tt.text, got, tt.want)
		}
		if got, want := m.Match([]byte(tt.text)), tt.want != tt.text; got != want {
			t.Errorf("%q (%b): Match(%q) = %v, want %v", tt.pattern, tt.flags, tt.text, got, want)
		}
	}
}

// needTool skips the test where a program is missing, unless the tools are
// required.
func needTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// TestMatchConfirm gives the table to the real sed.
func TestMatchConfirm(t *testing.T) {
	needTool(t, "sed")
	for _, tt := range matchTests {
		re, err := Compile(tt.pattern, tt.flags)
		if err != nil {
			t.Fatal(err)
		}
		replacement := "<&"
		for g := 1; g <= re.NumSubexp(); g++ {
			replacement += fmt.Sprintf(`|\%d`, g)
		}
		modifiers := ""
		if tt.flags&IgnoreCase != 0 {
			modifiers += "I"
		}
		args := []string{"-z", "s@" + tt.pattern + "@" + replacement + ">@" + modifiers}
		if tt.flags&Newline != 0 {
			args = []string{"$!{N;N}", "-e", "s@" + tt.pattern + "@" + replacement + ">@M"}
			args = append([]string{"-e"}, args...)
		}
		if tt.pattern == "" {
			continue // it repeats the last one there
		}
		if tt.flags&Extended != 0 {
			args = append([]string{"-E"}, args...)
		}
		if got := sed(t, tt.flags, tt.text, args...); got != tt.want {
			t.Errorf("sed %q on %q: got %q, want %q", args, tt.text, got, tt.want)
		}
	}
}

func sed(t *testing.T, flags Flags, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("sed", args...)
	cmd.Env = []string{"LC_ALL=C"}
	if flags&UTF8 != 0 {
		cmd.Env = []string{"LC_ALL=C.UTF-8"}
	}
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out)
	}
	return string(out)
}

var errorTests = []struct {
	flags   Flags
	pattern string
	want    error
}{
	{0, "a**", ErrRepeat},
	{0, `\{1\}`, ErrRepeat},
	{0, `a\{1`, ErrBrace},
	{0, `a\{1a\}`, ErrInterval},
	{0, `a\{2,1\}`, ErrInterval},
	{0, `a\{40000\}`, ErrTooBig},
	{0, `\(a`, ErrParen},
	{0, `a\)`, ErrRightParen},
	{0, `\(a\)\2`, ErrBackRef},
	{0, `\(a\)\|\1`, ErrBackRef},
	{0, "[a", ErrBracket},
	{0, "[", ErrPattern},
	{0, "[^", ErrPattern},
	{0, "[]", ErrBracket},
	{0, "[[:alpha", ErrBracket},
	{0, "[[:foo:]]", ErrCharClass},
	{0, "[[.foo.]]", ErrCollate},
	{0, "[b-a]", ErrRange},
	{0, "[[:alpha:]-z]", ErrRange},
	{0, "[a--]", ErrRange},
	{0, `a\`, ErrEscape},
	{Extended | StrictParens, "*a", ErrRepeat},
	{Extended | StrictParens, "a|*b", ErrRepeat},
	{Extended | StrictParens, "(*b)", ErrRepeat},
	{Extended | StrictParens, "^*", ErrRepeat},
	{Extended | StrictParens, "a{x", ErrBrace},
	{Extended | StrictParens, "a{}", ErrInterval},
	{Extended | StrictParens, "a)", ErrRightParen},
	{Extended | StrictParens, "(a", ErrParen},
}

func TestErrors(t *testing.T) {
	for _, tt := range errorTests {
		if _, err := Compile(tt.pattern, tt.flags); !errors.Is(err, tt.want) {
			t.Errorf("Compile(%q, %b): got %v, want %v", tt.pattern, tt.flags, err, tt.want)
		}
	}
}

func TestErrorsConfirm(t *testing.T) {
	needTool(t, "sed")
	for _, tt := range errorTests {
		if strings.HasSuffix(tt.pattern, `\`) || strings.HasPrefix(tt.pattern, "[") && (len(tt.pattern) < 3 || !strings.HasSuffix(tt.pattern, "]")) {
			continue // sed looks for the end of its own command first
		}
		args := []string{"s@" + tt.pattern + "@@"}
		if tt.flags&Extended != 0 {
			args = append([]string{"-E"}, args...)
		}
		if got := sed(t, tt.flags, "a\n", args...); !strings.HasSuffix(got, tt.want.Error()+"\n") {
			t.Errorf("sed %q: got %q, want %q", args, got, tt.want)
		}
	}
}
