package policy

import (
	"fmt"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"mirage/internal/doc"
)

// manyRules writes a profile of n rules, all of the forms that there are and
// none that speaks of the benchmarks' commands.
func manyRules(n int) string {
	var b strings.Builder
	b.WriteString("commands:\n  deny:\n")
	for i := range n {
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, "    - tool%d\n", i)
		case 1:
			fmt.Fprintf(&b, "    - {reason: r%d, commands: [git verb%d]}\n", i, i)
		case 2:
			fmt.Fprintf(&b, "    - {reason: r%d, commands: {rm: [/srv/d%d]}}\n", i, i)
		case 3:
			fmt.Fprintf(&b, "    - {reason: r%d, paths: [/vault/d%d/x]}\n", i, i)
		case 4:
			fmt.Fprintf(&b, "    - {reason: r%d, paths: ['/vault/d%d/*.key']}\n", i, i)
		}
	}
	return b.String()
}

func document(b *testing.B, text string) doc.Node {
	b.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		b.Fatal(err)
	}
	return doc.Node{Path: "profiles.p", Value: value}
}

// BenchmarkCommand judges one command by as many rules as its name says.
func BenchmarkCommand(b *testing.B) {
	for _, n := range []int{0, 200, 10_000} {
		p, err := ParseProfile("p", document(b, manyRules(n)))
		if err != nil {
			b.Fatal(err)
		}
		for _, line := range []string{"true", "cat /repo/a/b.go", "rm -r /repo/a"} {
			c := Command{Argv: strings.Fields(line), Cwd: "/repo"}
			b.Run(fmt.Sprintf("rules=%d/%s", n, c.Argv[0]), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if a := p.Command(b.Context(), c); a.Outcome != Allow {
						b.Fatalf("%s: %+v", line, a)
					}
				}
			})
		}
	}
}

// BenchmarkLoad reads a parsed document of 10,000 rules.
func BenchmarkLoad(b *testing.B) {
	n := document(b, manyRules(10_000))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseProfile("p", n); err != nil {
			b.Fatal(err)
		}
	}
}
