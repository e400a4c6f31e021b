package regex

import (
	"bytes"
	"strings"
	"testing"
)

func TestRequiredLiteral(t *testing.T) {
	tests := []struct {
		flags   Flags
		pattern string
		want    literal
	}{
		{0, "needle", literal{text: "needle", whole: true}},
		{0, "a.*needle[0-9]", literal{text: "needle"}},
		{0, "^needle$", literal{text: "needle"}},
		{0, `\(need\)le`, literal{text: "needle"}},
		{0, `ab\{2\}c*de`, literal{text: "ab"}},
		{Extended, "a|b", literal{}},
		{Extended, "xy(a|b)z", literal{text: "xy"}},
		{Extended, "a+bc", literal{text: "bc"}},
		{Extended, "(abc)?d", literal{text: "d"}},
		{IgnoreCase, "Needle", literal{text: "needle", whole: true, fold: true, rare: 3}},
		{IgnoreCase, "12a3", literal{text: "12a3", whole: true, fold: true}},
		{IgnoreCase, "[ab]x-y", literal{text: "x-y", fold: true}},
		{IgnoreCase | UTF8, "ka", literal{text: "a", fold: true}}, // the Kelvin sign is a k
		{UTF8, "é.", literal{text: "é"}},
		{0, "", literal{}},
	}
	for _, tt := range tests {
		re, err := Compile(tt.pattern, tt.flags)
		if err != nil {
			t.Fatal(err)
		}
		got := re.need
		if tt.want.rare == 0 {
			got.rare = 0
		}
		if got != tt.want {
			t.Errorf("%q (%b): got %+v, want %+v", tt.pattern, tt.flags, got, tt.want)
		}
	}
}

func TestFoldedIndex(t *testing.T) {
	filler := strings.Repeat("dD-", foldWindow)
	for _, tt := range []struct{ literal, text string }{
		{"needle", "a NeEdLe b"}, {"needle", "needl"}, {"needle", "NEEDLE"}, {"needle", "xneedl needleneedle"},
		{"d", "xD"}, {"needle", filler + "NEEDLE"}, {"needle", filler + "needle" + filler}, {"12-3", filler + "12-3"},
		{"needle", strings.Repeat("x", foldWindow-4) + "neEDle"}, {"needle", ""}, {"a1", "A1"},
	} {
		re, err := Compile(tt.literal, IgnoreCase)
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.Index(bytes.ToLower([]byte(tt.text)), []byte(tt.literal))
		if got := re.need.index([]byte(tt.text)); got != want {
			t.Errorf("%q in %.40q: got %d, want %d", tt.literal, tt.text, got, want)
		}
	}
}

// TestCommonLiteral searches lines that nearly all hold the required literal,
// so that the search stops looking for it.
func TestCommonLiteral(t *testing.T) {
	re, err := Compile("host[0-9]*7$", Lines|Grep)
	if err != nil {
		t.Fatal(err)
	}
	m := re.Matcher(t.Context())
	text := []byte(strings.Repeat("host1\nhost17\nx\n", 500))
	n := 0
	for pos := 0; ; n++ {
		_, end, ok := m.NextLine(text, pos)
		if !ok {
			break
		}
		pos = end + 1
	}
	if n != 500 || !m.common {
		t.Errorf("got %d lines (common %v), want 500 (true)", n, m.common)
	}
}
