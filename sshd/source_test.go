package sshd

import (
	"strings"
	"testing"
)

// A statement of many lines is not parsed anew for each of them, and ends
// where it would have without that care.
func TestLongStatements(t *testing.T) {
	const lines = 3000
	for name, tc := range map[string]struct{ first, line, last string }{
		"here-document":             {"cat <<END", `"quoted' {line} x) done`, "END"},
		"here-document with tabs":   {"cat <<-'END'", `"quoted' {line} done )`, "\t\tEND"},
		"here-document in a string": {`x="$(cat <<END`, `it's {line`, "END\n)\""},
		"single quotes":             {"cat '", `"quoted" {line} done )`, "'"},
		"double quotes":             {`cat "`, `it's {line} done )`, `"`},
		"loop":                      {"while x; do", "a | b && c <d >e", "done"},
		"function":                  {"f() {", "a | b && c <<<d", "}"},
		"subshell":                  {"(", "a; b &", ")"},
		"case":                      {"case x in\na)", "some command with arguments", "esac"},
		"array":                     {"x=(", "some words of an array", ")"},
	} {
		t.Run(name, func(t *testing.T) {
			parses := 0
			counted := func(s string) bool {
				parses++
				return incomplete(s)
			}
			var src source
			feed := func(text string, want bool) {
				t.Helper()
				all := strings.Split(text, "\n")
				for i, line := range all {
					more, err := src.add(line, counted)
					if last := i == len(all)-1; err != nil || more != (want || !last) {
						t.Fatalf("%q: more %v, error %v", line, more, err)
					}
				}
			}
			feed(tc.first, true)
			for range lines {
				feed(tc.line, true)
			}
			feed(tc.last, false)
			if parses > 300 {
				t.Errorf("parsed %d times", parses)
			}
		})
	}
}

func TestLongPipeline(t *testing.T) {
	var src source
	for range 200 {
		if more, err := src.add("some command with arguments |", incomplete); !more || err != nil {
			t.Fatalf("more %v, error %v", more, err)
		}
	}
	if more, err := src.add("the last one", incomplete); more || err != nil {
		t.Fatalf("more %v, error %v", more, err)
	}
}
