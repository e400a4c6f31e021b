package regex

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// matchingLines lists the lines of a text that match.
func matchingLines(m *Matcher, text string) []string {
	var lines []string
	for pos := 0; ; {
		start, end, ok := m.NextLine([]byte(text), pos)
		if !ok {
			return lines
		}
		lines = append(lines, text[start:end])
		pos = end + 1
	}
}

// TestStringSet compares sets of strings with the alternation of them.
func TestStringSet(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	word := func(n int) string {
		b := make([]byte, 1+r.IntN(n))
		for i := range b {
			b[i] = "abAB_- "[r.IntN(7)]
		}
		return string(b)
	}
	for _, flags := range []Flags{0, IgnoreCase, WholeWord, WholeLine, WholeLine | IgnoreCase, WholeWord | IgnoreCase, UTF8} {
		for range 20 {
			words := make([]string, minSetSize)
			for i := range words {
				words[i] = word(6) + word(6)
			}
			var text strings.Builder
			for range 200 {
				fmt.Fprintln(&text, word(12))
			}
			set, err := CompileList(words, flags|Literal|Lines|Grep)
			if err != nil || set.set == nil {
				t.Fatalf("%v, %v", set.set, err)
			}
			plain, err := compileList(words, flags|Literal|Lines|Grep)
			if err != nil {
				t.Fatal(err)
			}
			got, want := matchingLines(set.Matcher(t.Context()), text.String()), matchingLines(plain.Matcher(t.Context()), text.String())
			if !slices.Equal(got, want) {
				t.Fatalf("%b: %q: got %q, want %q", flags, words, got, want)
			}
			m, n := set.Matcher(t.Context()), plain.Matcher(t.Context())
			for _, line := range strings.Split(text.String(), "\n") {
				if m.Match([]byte(line)) != n.Match([]byte(line)) {
					t.Fatalf("%b: Match(%q) differs", flags, line)
				}
				s1, e1, ok1 := m.Find([]byte(line), 0, 0)
				s2, e2, ok2 := n.Find([]byte(line), 0, 0)
				if s1 != s2 || e1 != e2 || ok1 != ok2 {
					t.Fatalf("%b: Find(%q): got %d %d %v, want %d %d %v", flags, line, s1, e1, ok1, s2, e2, ok2)
				}
			}
		}
	}
}

func TestStringSetEmpty(t *testing.T) {
	words := make([]string, minSetSize)
	for i := range words {
		words[i] = fmt.Sprint("w", i)
	}
	words[3] = ""
	re, err := CompileList(words, Literal|Lines)
	if err != nil {
		t.Fatal(err)
	}
	if got := matchingLines(re.Matcher(t.Context()), "a\n\nb\n"); !slices.Equal(got, []string{"a", "", "b"}) {
		t.Errorf("got %q", got)
	}
}

// TestClassCost has patterns that repeat large classes many times.
func TestClassCost(t *testing.T) {
	for _, pattern := range []string{`\w{1000}`, `(\w{1,50}){1,50}`, strings.Repeat("[[:alpha:]]", 5000), strings.Repeat("[^é]", 5000)} {
		if re, err := Compile(pattern, Extended|UTF8|IgnoreCase); err == nil && len(re.prog.insts) > maxInsts {
			t.Errorf("%.20q: %d instructions", pattern, len(re.prog.insts))
		}
	}
}
