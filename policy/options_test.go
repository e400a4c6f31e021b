package policy

import (
	"slices"
	"testing"
)

func TestFilesOfOptions(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []string // operands first
	}{
		{"sort -o /v/out in", []string{"/w/in", "/v/out"}},
		{"sort -o/v/out in", []string{"/w/in", "/v/out"}},
		{"sort -ro /v/out in", []string{"/w/in", "/v/out"}},
		{"sort -rout in", []string{"/w/in", "/w/ut"}},
		{"sort --output=out in", []string{"/w/in", "/w/out"}},
		{"sort --outp=/v/out", []string{"/v/out"}},
		{"sort --output /v/out in", []string{"/v/out", "/w/in"}},
		{"sort -k 2 -t : in", []string{"/w/in"}},
		{"sort -k2 -- -o", []string{"/w/-o"}},
		{"grep -m 5 pat f", []string{"/w/f"}},
		{"grep -f pats f", []string{"/w/f", "/w/pats"}},
		{"grep -rfpats d", []string{"/w/d", "/w/pats"}},
		{"grep -nepat f", []string{"/w/f"}},
		{"grep -ne pat f", []string{"/w/f"}},
		{"grep --file=pats f", []string{"/w/f", "/w/pats"}},
		{"grep --exclude=/v/k pat f", []string{"/w/f"}},
		{"awk -f prog f", []string{"/w/f", "/w/prog"}},
		{"awk -F : prog f", []string{"/w/f"}},
		{"awk prog -f f", []string{"/w/-f", "/w/f"}},
		{"cp -t /d a b", []string{"/w/a", "/w/b", "/d"}},
		{"mv --target-directory=/d a", []string{"/w/a", "/d"}},
		{"head -n 3 f", []string{"/w/f"}},
		{"diff -X ex a b", []string{"/w/a", "/w/b", "/w/ex"}},
		{"wc --files0-from=/l", []string{"/l"}},
		{"cat --thing=/v/k", []string{"/v/k"}}, // not listed: it could be one
	} {
		if got := Paths(Command{Argv: fields(tt.line), Cwd: "/w"}); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.line, got, tt.want)
		}
	}
}

// The directory that mv moves things to is no tree that it takes along.
func TestTargetDirectory(t *testing.T) {
	p := profile(t, "{commands: {deny: [{paths: [/d/keep/x]}]}}")
	for line, want := range map[string]Outcome{
		"mv -t /d a": Allow, "mv a /d": Allow, "mv -t /d/keep/x a": Deny, "mv -t/d/keep/x a": Deny, "mv -t /e /d": Deny,
	} {
		if a := p.Command(t.Context(), Command{Argv: fields(line), Cwd: "/w"}); a.Outcome != want {
			t.Errorf("%s: got %+v, want %v", line, a, want)
		}
	}
}
