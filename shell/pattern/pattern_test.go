package pattern_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mirage/shell/pattern"
)

// matchCases are judged as [[ $s == $p ]] judges them, with extglob, in a
// UTF-8 locale.
var matchCases = []struct {
	pattern, s string
	want       bool
}{
	{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "abc", true}, {"?", "", false}, {"?", "é", true},
	{"??", "é", false}, {"a*c", "abc", true}, {"a*c", "abcd", false}, {"a**c", "ac", true}, {"*a*b*", "xaxb", true},
	{"*.txt", ".txt", true}, {"a?c", "abc", true}, {`a\*c`, "a*c", true}, {`a\*c`, "abc", false}, {`\a`, "a", true},
	{`a\`, `a\`, true}, {"[abc]", "b", true}, {"[abc]", "d", false}, {"[!abc]", "d", true}, {"[^abc]", "a", false},
	{"[a-c]x", "bx", true}, {"[a-c]", "-", false}, {"[a-]", "-", true}, {"[-a]", "-", true}, {"[]]", "]", true},
	{"[!]]", "]", false}, {"[!]]", "a", true}, {"[]-a]", "^", true}, {"[a", "[a", true}, {"[", "[", true},
	{"[]", "[]", true}, {"a[", "a[", true}, {"[z-a]", "m", false}, {`[\]]`, "]", true}, {`[\a-\c]`, "b", true},
	{"[[:alpha:]]", "x", true}, {"[[:alpha:]]", "é", true}, {"[[:alpha:]]", "1", false}, {"[[:digit:]a]", "a", true},
	{"[![:space:]]", " ", false}, {"[[:nope:]]", "n", false}, {"[[:upper:][:digit:]]", "5", true},
	{"[[.a.]]", "a", true}, {"[[=a=]]", "a", true}, {"[[.hyphen.]-z]", "-", true}, {"[[:punct:]]", "!", true},
	{"[é-ü]", "ö", true}, {"[é-ü]", "a", false}, {"[[:xdigit:]]", "F", true}, {"[[:cntrl:]]", "\t", true},
	{"[a/b]", "/", true}, {"a/*", "a/b/c", true}, {"[[:alnum:]_]", "_", true}, {"x[", "x", false},
	{"@(a|b)", "a", true}, {"@(a|b)", "ab", false}, {"@(a|b)c", "bc", true}, {"?(a)b", "b", true}, {"?(a)b", "aab", false},
	{"*(ab)c", "ababc", true}, {"*(ab)", "", true}, {"+(ab)", "", false}, {"+(a|b)", "abba", true},
	{"!(a)", "a", false}, {"!(a)", "", true}, {"!(a)", "aa", true}, {"!(a|b)c", "ac", false}, {"!(a|b)c", "xc", true},
	{"*!(a)", "a", false}, {"*!(a)", "aa", true}, {"*!(a)", "", true}, {"b*!(a)", "ba", false}, {"b*!(a)", "b", true},
	{"*@()", "x", false}, {"*?(x)", "a", true}, {"**(x)", "a", true}, {"?*!(a)", "a", true}, {"*!(a)*", "a", true}, {"a!(b)c", "abc", false}, {"a!(b)c", "axc", true}, {"@(a*|b)c", "axxc", true},
	{"@(a|@(b|c))", "c", true}, {"+(?)", "abc", true}, {"*(*)", "abc", true}, {"!(!(a))", "a", true},
	{"@(a", "@(a", true}, {"@()", "", true}, {"@(|a)", "", true}, {"@([|)]|a)", ")", true}, {`@(\)|a)`, ")", true},
	{"*.@(tar|t?z)", "x.tgz", true}, {"@(*).c", "a.b.c", true}, {"+([0-9])", "123", true}, {"+([0-9])", "12a", false},
	{"!(*.c)", "a.c", false}, {"!(*.c)", "a.h", true}, {"a@(b)?(c)*(d)+(e)!(f)", "abe", true},
}

func TestMatch(t *testing.T) {
	for _, c := range matchCases {
		p := pattern.Compile(c.pattern, pattern.Extended|pattern.UTF8)
		if got, err := p.Match(t.Context(), c.s); got != c.want || err != nil {
			t.Errorf("%q against %q: got %v, %v, want %v", c.s, c.pattern, got, err, c.want)
		}
	}
}

// TestMatchAgainstBash asks bash the same.
func TestMatchAgainstBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
			t.Fatal("bash is required")
		}
		t.Skip("no bash")
	}
	args := []string{"--norc", "-c", `while (($#)); do [[ $2 == $1 ]] && printf 1 || printf 0; shift 2; done`, "bash"}
	for _, c := range matchCases {
		args = append(args, c.pattern, c.s)
	}
	cmd := exec.Command(bash, args...)
	cmd.Env = []string{"LC_ALL=C.UTF-8"}
	out, err := cmd.Output()
	if err != nil || len(out) != len(matchCases) {
		t.Fatalf("%v: %q", err, out)
	}
	for i, c := range matchCases {
		if got := out[i] == '1'; got != c.want {
			t.Errorf("%q against %q: bash says %v, the table %v", c.s, c.pattern, got, c.want)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		flags      pattern.Flags
		want       bool
	}{
		{"@(a)", "@(a)", 0, true},
		{"?", "é", 0, false},
		{"??", "é", 0, true},
		{"ABC*", "abcd", pattern.FoldCase, true},
		{"[A-C]É", "bé", pattern.FoldCase | pattern.UTF8, true},
		{"[[:upper:]]", "a", pattern.FoldCase, true},
		{"*", ".x", pattern.Period, false},
		{"?x", ".x", pattern.Period, false},
		{"[.]x", ".x", pattern.Period, false},
		{".*", ".x", pattern.Period, true},
		{`\.x`, ".x", pattern.Period, true},
		{"@(.x|y)", ".x", pattern.Period | pattern.Extended, true},
		{"!(y)", ".x", pattern.Period | pattern.Extended, false},
		{"*(a).x", ".x", pattern.Period | pattern.Extended, true},
		{"a*", "a.x", pattern.Period, true},
		{"\xff?", "\xff\xfe", pattern.UTF8, true},
	} {
		if got := pattern.Match(c.pattern, c.s, c.flags); got != c.want {
			t.Errorf("%q against %q, flags %b: got %v, want %v", c.s, c.pattern, c.flags, got, c.want)
		}
	}
}

func TestSpecial(t *testing.T) {
	for p, want := range map[string]bool{
		"abc": false, "a*": true, `a\*`: false, "[a": false, "[a]": true, "?": true, "@(a)": true, "@(a": false, "": false,
	} {
		if got := pattern.Special(p, pattern.Extended); got != want {
			t.Errorf("%q: got %v, want %v", p, got, want)
		}
	}
	if pattern.Special("+(a)", 0) {
		t.Error("+(a) is special without Extended")
	}
}

func TestAppendQuoted(t *testing.T) {
	for _, s := range []string{"", "abc", `*?[a]\(x|y)`, "!(a)", "[!-]", "é*"} {
		if q := string(pattern.AppendQuoted(nil, s)); !pattern.Match(q, s, pattern.Extended|pattern.UTF8) || pattern.Special(q, pattern.Extended) {
			t.Errorf("%q does not stand for itself as %q", s, q)
		}
	}
}

// slow finds matches by asking Match about every part of s.
func slow(t *testing.T, p *pattern.Pattern, s string) (prefixes, suffixes []int) {
	t.Helper()
	for i := range len(s) + 1 {
		if ok, _ := p.Match(t.Context(), s[:i]); ok {
			prefixes = append(prefixes, i)
		}
		if ok, _ := p.Match(t.Context(), s[i:]); ok {
			suffixes = append(suffixes, i)
		}
	}
	return prefixes, suffixes
}

// check compares Prefix, Suffix and Find with slow.
func check(t *testing.T, text, s string, f pattern.Flags) {
	t.Helper()
	p := pattern.Compile(text, f)
	prefixes, suffixes := slow(t, p, s)
	compare := func(what string, got int, ok bool, err error, all []int, last bool) {
		t.Helper()
		want := -1
		if len(all) > 0 {
			want = all[0]
			if last {
				want = all[len(all)-1]
			}
		}
		if !ok {
			got = -1
		}
		if got != want || err != nil {
			t.Errorf("%s of %q by %q: got %d, %v, want %d", what, s, text, got, err, want)
		}
	}
	ctx := t.Context()
	n, ok, err := p.Prefix(ctx, s, false)
	compare("shortest prefix", n, ok, err, prefixes, false)
	n, ok, err = p.Prefix(ctx, s, true)
	compare("longest prefix", n, ok, err, prefixes, true)
	n, ok, err = p.Suffix(ctx, s, true)
	compare("longest suffix", n, ok, err, suffixes, false)
	n, ok, err = p.Suffix(ctx, s, false)
	compare("shortest suffix", n, ok, err, suffixes, true)
	start, end, ok, err := p.Find(ctx, s, 0)
	wantStart, wantEnd := -1, -1
	for i := 0; i <= len(s) && wantStart < 0; i++ {
		if all, _ := slow(t, p, s[i:]); len(all) > 0 {
			wantStart, wantEnd = i, i+all[len(all)-1]
		}
	}
	if !ok {
		start, end = -1, -1
	}
	if start != wantStart || end != wantEnd || err != nil {
		t.Errorf("first match of %q in %q: got %d-%d, %v, want %d-%d", text, s, start, end, err, wantStart, wantEnd)
	}
}

func TestParts(t *testing.T) {
	subjects := []string{"", "a", "abcabc", "a.b.tar.gz", "/usr/local/bin", "aaab", "x[y]*z", "ab ab"}
	patterns := []string{
		"", "a", "*", "?", "a*", "*a", "*.*", ".*", "*/", "/*", "[ab]", "[!a]", "b*c", "*b*", "??", "+(a)", "*(ab)", "!(a)",
		"@(a|ab)", "?(a)b", "!(*b)", "a!(b)", "*(a|b)c", `\*`, "[[]*", "*@(b|c)",
	}
	for _, p := range patterns {
		for _, s := range subjects {
			check(t, p, s, pattern.Extended)
		}
	}
}

// impatient is a context that ends when it has been asked a few times.
type impatient struct {
	context.Context
	left int
}

func (c *impatient) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestBounds shows that hostile patterns compile and end, at the latest when
// they are cancelled.
func TestBounds(t *testing.T) {
	long := strings.Repeat("a", 20_000)
	for _, p := range []string{
		strings.Repeat("*a", 500) + "b", strings.Repeat("!(", 200) + "a" + strings.Repeat(")", 200),
		strings.Repeat("*(a|", 200) + strings.Repeat(")", 200), "*(*(*(*(a))))b", "!(!(!(a*)*)*)b", strings.Repeat("[a-", 1000),
		strings.Repeat("@(", 100_000), strings.Repeat("[", 100_000),
	} {
		ctx := &impatient{t.Context(), 20}
		_, err := pattern.Compile(p, pattern.Extended).Match(ctx, long)
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%.20q: %v", p, err)
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, c := range matchCases {
		f.Add(c.pattern, c.s, byte(pattern.Extended|pattern.UTF8))
	}
	f.Fuzz(func(t *testing.T, p, s string, flags byte) {
		if len(p) > 30 || len(s) > 12 {
			return
		}
		fl := pattern.Flags(flags) & (pattern.Extended | pattern.FoldCase)
		for i := range len(s) {
			if s[i] >= 0x80 {
				return // check cuts anywhere
			}
		}
		check(t, p, s, fl)
	})
}

func BenchmarkSimple(b *testing.B) {
	p := pattern.Compile("*.tar.*", 0)
	for b.Loop() {
		_, _ = p.Match(b.Context(), "archive-1.2.3.tar.gz")
	}
}

func BenchmarkSuffix(b *testing.B) {
	p := pattern.Compile(".*", 0)
	for b.Loop() {
		_, _, _ = p.Suffix(b.Context(), "archive-1.2.3.tar.gz", false)
	}
}

func BenchmarkExtended(b *testing.B) {
	p := pattern.Compile("*.@(tar|zip).+([a-z])", pattern.Extended)
	for b.Loop() {
		_, _ = p.Match(b.Context(), "archive-1.2.3.tar.gz")
	}
}
