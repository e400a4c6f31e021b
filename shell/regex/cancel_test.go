package regex_test

import (
	"context"
	"testing"

	"mirage/shell/regex"
)

// TestCancelBetweenMatches walks over short matches, as s///g, gsub and -o do:
// each of the ways in which a search can end early must notice the context.
func TestCancelBetweenMatches(t *testing.T) {
	for _, pattern := range []string{"a", "ab", "[ab]", "a|b", "", "a*", "(a)", "^", "x*", `\(a\)\1`} {
		re, err := regex.Compile(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		calls := map[string]func(m *regex.Matcher){
			"Match":        func(m *regex.Matcher) { m.Match([]byte("aab")) },
			"Find":         func(m *regex.Matcher) { m.Find([]byte("aab"), 0, 0) },
			"FindSubmatch": func(m *regex.Matcher) { m.FindSubmatch(nil, []byte("aab"), 0, 0) },
		}
		for name, call := range calls {
			ctx, cancel := context.WithCancel(t.Context())
			m := re.Matcher(ctx)
			call(m)
			if m.Err() != nil {
				t.Fatalf("%s %q: %v", name, pattern, m.Err())
			}
			cancel()
			n := 0
			for ; m.Err() == nil && n < 100_000; n++ {
				call(m)
			}
			if n > 2048 {
				t.Errorf("%s %q: cancelled, but %d calls more went on", name, pattern, n)
			}
		}
	}
}
