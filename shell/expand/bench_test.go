package expand_test

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// benchFields measures the expansion of the words of a command.
func benchFields(b *testing.B, setup, words string) {
	b.Helper()
	s := newSession(b)
	s.run(setup)
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(words), "")
	if err != nil {
		b.Fatal(err)
	}
	args := f.Stmts[0].Cmd.(*syntax.CallExpr).Args
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.x.Fields(ctx, args...); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLiteralWords(b *testing.B) { benchFields(b, "", "echo one two three") }
func BenchmarkQuotedParam(b *testing.B)  { benchFields(b, "x='some text'", `echo "$x"`) }
func BenchmarkSplitParam(b *testing.B)   { benchFields(b, "x='some more text'", `echo $x`) }
func BenchmarkMixedWord(b *testing.B)    { benchFields(b, "x=name", `echo "/usr/$x/lib"`) }
func BenchmarkSuffix(b *testing.B)       { benchFields(b, "x=archive.tar.gz", `echo "${x%.*}"`) }
func BenchmarkReplace(b *testing.B)      { benchFields(b, "x='hello world foo'", `echo "${x//o/0}"`) }
func BenchmarkSubstring(b *testing.B)    { benchFields(b, "x='hello world foo'", `echo "${x:3:5}"`) }
func BenchmarkElement(b *testing.B)      { benchFields(b, "a=(1 2 3) i=1", `echo "${a[i]}" "${a[$i]}"`) }
func BenchmarkArithWord(b *testing.B)    { benchFields(b, "x=5", `echo $((x*2+1)) $(($x*2+1))`) }

// BenchmarkArithLoop is one round of for ((i=0; i<n; i++)).
func BenchmarkArithLoop(b *testing.B) {
	s := newSession(b)
	s.run("i=0")
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader("((i<200000)); ((i++))"), "")
	if err != nil {
		b.Fatal(err)
	}
	cond := f.Stmts[0].Cmd.(*syntax.ArithmCmd).X
	post := f.Stmts[1].Cmd.(*syntax.ArithmCmd).X
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.x.Arith(ctx, cond); err != nil {
			b.Fatal(err)
		}
		if _, err := s.x.Arith(ctx, post); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAssign is s+=x and a+=(x).
func BenchmarkAssign(b *testing.B) {
	s := newSession(b)
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader("s+=x a+=($s) t=$u"), "")
	if err != nil {
		b.Fatal(err)
	}
	assigns := f.Stmts[0].Cmd.(*syntax.CallExpr).Assigns
	ctx := b.Context()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%1000 == 0 {
			s.run("s=; a=()")
		}
		for _, a := range assigns {
			if err := s.x.Assign(ctx, a); err != nil {
				b.Fatal(err)
			}
		}
	}
}
