package regex

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDialects(t *testing.T) {
	tests := []struct {
		flags               Flags
		pattern, text, want string
	}{
		{Grep, "a**", "aab", "<aa>b"},
		{Grep, `x\{1\}\{2\}`, "xx", "<xx>"},
		{Grep, "a\nb", "cb", "c<b>"},
		{Grep | Extended, "*a", "*a", "*<a>"},
		{Grep | Extended, "{1}a", "{1}a", "{1}<a>"},
		{Grep | Extended, "a{1", "a{1", "<a{1>"},
		{Grep | Extended, "a{1,x}", "a{1,x}", "<a{1,x}>"},
		{Grep | Extended, "a)", "a)", "<a)>"},
		{Extended, "a)", "a)", "<a)>"},
		{Awk, "*a", "b*a", "b<*a>"},
		{Awk, "a{x", "a{x", "<a{x>"},
		{Awk, `[\]a]+`, "x]a", "x<]a>"},
		{Awk, `\yb`, "ab b", "ab <b>"},
		{Emacs, `a+\(b\|c\)?`, "aab", "<aab|b>"},
		{Emacs, "a{1}", "a{1}", "<a{1}>"},
		{UTF8, "[é-ü]*", "éüa", "<éü>a"},
		{Literal, "a.*", "aa.*", "a<a.*>"},
		{Literal | IgnoreCase, "aB", "xAb", "x<Ab>"},
		{WholeWord, "ab*", "abbc ab", "abbc <ab>"},
		{WholeWord, "a-*", "a--a", "<a->-a"},
		{WholeLine | Newline, "ab*", "abb\na\nc", "<abb>\na\nc"},
	}
	for _, tt := range tests {
		re, err := Compile(tt.pattern, tt.flags)
		if err != nil {
			t.Errorf("Compile(%q, %b): %v", tt.pattern, tt.flags, err)
			continue
		}
		if got := marks(re.Matcher(context.Background()), tt.text); got != tt.want {
			t.Errorf("%q (%b) on %q: got %q, want %q", tt.pattern, tt.flags, tt.text, got, tt.want)
		}
	}
}

func TestWarnings(t *testing.T) {
	re, err := CompileList([]string{"*a", "(+b)", "{1}c", "d*"}, Grep|Extended)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"* at start of expression", "+ at start of expression", "{...} at start of expression"}
	if got := re.Warnings(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := Compile("[:space:]", Grep); err != ErrClassSyntax {
		t.Errorf("[:space:]: got %v", err)
	}
}

func TestCompileList(t *testing.T) {
	re, err := CompileList([]string{`\(a\)\1`, `\(b\)\1`}, Grep)
	if err != nil {
		t.Fatal(err)
	}
	m := re.Matcher(context.Background())
	for text, want := range map[string]bool{"aa": true, "bb": true, "ab": false} {
		if got := m.Match([]byte(text)); got != want {
			t.Errorf("Match(%q) = %v, want %v", text, got, want)
		}
	}
	words := make([]string, 3000)
	for i := range words {
		words[i] = fmt.Sprintf("word%dend", i)
	}
	re, err = CompileList(words, Literal)
	if err != nil {
		t.Fatal(err)
	}
	m = re.Matcher(context.Background())
	if start, end, ok := m.Find([]byte("a word2999end b"), 0, 0); !ok || start != 2 || end != 13 {
		t.Errorf("got %d %d %v", start, end, ok)
	}
}

func TestFindFrom(t *testing.T) {
	re, _ := Compile(`^a\|\<b`, 0)
	m := re.Matcher(context.Background())
	if _, _, ok := m.Find([]byte("a"), 0, NotBOL); ok {
		t.Error("^ matches in spite of NotBOL")
	}
	if _, _, ok := m.Find([]byte("aa"), 1, 0); ok {
		t.Error("^ matches after the beginning")
	}
	if _, _, ok := m.Find([]byte("ab"), 1, 0); ok {
		t.Error(`\< does not see what stands before`)
	}
}

func TestNextLine(t *testing.T) {
	tests := []struct {
		flags         Flags
		pattern, text string
		want          []string
	}{
		{0, "b", "abc\nx\nb\n", []string{"abc", "b"}},
		{0, "b", "abc\nx\nb", []string{"abc", "b"}},
		{0, "^$", "a\n\nb\n\n", []string{"", ""}},
		{0, "x*", "a\nb\n", []string{"a", "b"}},
		{0, "a.*c", "a\nc\nabc\n", []string{"abc"}},
		{0, "[^x]y", "a\ny\nzy\n", []string{"zy"}},
		{0, `\Wy`, "a\ny\n-y\n", []string{"-y"}},
		{0, `^b`, "ab\nbb\n", []string{"bb"}},
		{0, `b$`, "ab\nbc\nb", []string{"ab", "b"}},
		{0, `\(.\)\1`, "ab\nbb\na\na\n", []string{"bb"}},
		{UTF8, `\bé`, "aé\né\nx é\n", []string{"é", "x é"}},
		{IgnoreCase, "ab", "xAB\naa\n", []string{"xAB"}},
		{WholeLine, "a", "a\naa\na", []string{"a", "a"}},
		{WholeWord, "a", "a\naa\nb a", []string{"a", "b a"}},
		{0, "a", "", nil},
	}
	for _, tt := range tests {
		re, err := Compile(tt.pattern, tt.flags|Lines|Grep)
		if err != nil {
			t.Fatal(err)
		}
		m := re.Matcher(context.Background())
		var got []string
		for pos := 0; ; {
			start, end, ok := m.NextLine([]byte(tt.text), pos)
			if !ok {
				break
			}
			got = append(got, tt.text[start:end])
			pos = end + 1
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q on %q: got %q, want %q", tt.pattern, tt.text, got, tt.want)
		}
	}
}

// TestHostile gives patterns and texts that break other engines.
func TestHostile(t *testing.T) {
	long := strings.Repeat("a", 1<<16)
	tests := []struct {
		flags         Flags
		pattern, text string
		want          bool
	}{
		{Extended, "(a*)*b", long, false},
		{Extended, "(a|a)*b", long, false},
		{Extended, "(a?){1000}b", long[:2000], false},
		{Extended, "((a{1,20}){1,20}){1,20}b", long[:500], false},
		{Extended, "(x+x+)+y", strings.Repeat("x", 1<<15), false},
		{Extended, ".*.*.*.*.*=b", long, false},
		{Extended, "(a|b|ab)*c", strings.Repeat("ab", 1<<14), false},
		{Extended, strings.Repeat("(a?)", 200) + strings.Repeat("a", 200), strings.Repeat("a", 200), true},
		{Extended, strings.Repeat("[ab]?", 12) + "c", strings.Repeat("ab", 5000), false},
	}
	for _, tt := range tests {
		re, err := Compile(tt.pattern, tt.flags)
		if err != nil {
			t.Errorf("Compile(%.40q): %v", tt.pattern, err)
			continue
		}
		m := re.Matcher(context.Background())
		if got := m.FindSubmatch(nil, []byte(tt.text), 0, 0) != nil; got != tt.want || m.Err() != nil {
			t.Errorf("%.40q: got %v (%v), want %v", tt.pattern, got, m.Err(), tt.want)
		}
	}
	for _, pattern := range []string{strings.Repeat("(", 1<<20), "((((a{1000}){1000}){1000}){1000})", strings.Repeat("(", 900) + "a" + strings.Repeat("{2})", 900)} {
		if _, err := Compile(pattern, Extended); err == nil {
			t.Errorf("Compile(%.20q): no error", pattern)
		}
	}
}

func TestBackReferencesAreBounded(t *testing.T) {
	re, err := Compile(`(a*)(a*)(a*)(a*)\1\2\3\4b`, Extended)
	if err != nil {
		t.Fatal(err)
	}
	m := re.Matcher(context.Background())
	m.Find([]byte(strings.Repeat("a", 3000)+"c"+strings.Repeat("a", 3000)+"b"), 0, 0)
	if m.Err() != ErrTooComplex && m.Err() != nil {
		t.Errorf("got %v", m.Err())
	}
	if m.Err() != nil && m.Match([]byte("b")) {
		t.Error("a match after an error")
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	text := []byte(strings.Repeat("ab", 1<<18))
	for _, pattern := range []string{"(a|b)*c", `(a)\1`, "((a|b)*)x"} {
		re, err := Compile(pattern, Extended)
		if err != nil {
			t.Fatal(err)
		}
		m := re.Matcher(ctx)
		if m.FindSubmatch(nil, append(text, 'c'), 0, 0) != nil || m.Err() == nil {
			if !strings.Contains(pattern, "x") {
				t.Errorf("%q: not cancelled: %v", pattern, m.Err())
			}
		}
	}
}
