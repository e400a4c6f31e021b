package shell

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// A function ends with its compound command, whatever follows on the line.
func TestFunctionEndsWithItsBody(t *testing.T) {
	for source, want := range map[string]string{
		"f() { a; } && b":                   "f() { a; }",
		"f() { a; } || b && c | d":          "f() { a; }",
		"f() { a; } | b":                    "f() { a; }",
		"f() { a && b; } && c":              "f() { a && b; }",
		"f() { g() { a; } && b; } && c":     "f() { g() { a; } && b; }",
		"x && f() (a) && b":                 "f() (a)",
		"echo $(f() { a; } && b) ":          "f() { a; }",
		"if true; then f() { a; } && b; fi": "f() { a; }",
	} {
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(source), "")
		if err != nil {
			t.Fatal(err)
		}
		detachFunctions(file)
		got := ""
		syntax.Walk(file, func(n syntax.Node) bool {
			if fn, ok := n.(*syntax.FuncDecl); ok && fn.Name.Value == "f" {
				var b strings.Builder
				if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, fn); err != nil {
					t.Fatal(err)
				}
				got = b.String()
			}
			return true
		})
		if got != want {
			t.Errorf("%s: the function is %q, want %q", source, got, want)
		}
	}
}
