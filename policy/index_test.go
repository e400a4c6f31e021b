package policy

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestIndexAgainstAll draws patterns and paths, and compares what the index
// finds with a try of every pattern.
func TestIndexAgainstAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "b", "ab", "x.key", "é", "k]", "[", "*", "?", "a*", "*b", "*.key", "[ab]", "?[!a]", "*]", "a[b", "*é", "[é]*", ""}
	names := []string{"a", "b", "ab", "aab", "x.key", "é", "bé", "k]", "[", "a[b", ".key", "\xff"}
	draw := func(list []string) string { return list[r.IntN(len(list))] }
	for range 3000 {
		var list []pathPattern
		for range 1 + r.IntN(6) {
			root := "/"
			if r.IntN(3) == 0 {
				root = "/" + draw([]string{"a", "ab", "a/b"})
			}
			text := draw(parts)
			if text == "" {
				text = "*"
			}
			if r.IntN(2) == 0 {
				text = "/" + draw(parts) + "/" + draw(parts)
				root = "/"
			}
			list = append(list, parsePath(text, root))
		}
		x := indexPaths(list)
		for range 10 {
			p := ""
			for range 1 + r.IntN(4) {
				p += "/" + draw(names)
			}
			if r.IntN(20) == 0 {
				p = "/"
			}
			var got, want []int
			x.covering(p, func(e entryRef) { got = append(got, e.rule) })
			slices.Sort(got)
			got = slices.Compact(got)
			for i := range list {
				if list[i].covers(p) {
					want = append(want, i)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%q of %+v: %v, want %v", p, list, got, want)
			}
		}
	}
	var none pathIndex
	none.covering("/a", func(entryRef) { t.Error("an empty index found something") })
	full := indexPaths([]pathPattern{parsePath("*", "/")})
	full.covering("", func(entryRef) { t.Error("no path is covered") })
}
