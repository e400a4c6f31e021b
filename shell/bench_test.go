package shell_test

import (
	"context"
	"io"
	"os/exec"
	"testing"
	"time"

	"mirage/shell"
)

// speedCases are the lines of the speed table: what a shell of a session must
// be good at.
var speedCases = []struct{ name, script string }{
	{"for-arith", `for ((i=0;i<200000;i++)); do :; done`},
	{"while-arith", `i=0; while ((i<200000)); do ((i++)); done`},
	{"strings", `s=abcdefghij; for ((i=0;i<20000;i++)); do a=${s#abc}; b=${s%hij}; c=${s/def/x}; d=${s:2:3}; e=${#s}; f=${s^^}; done`},
	{"append", `s=; for ((i=0;i<20000;i++)); do s+=x; done`},
	{"function", `f() { :; }; for ((i=0;i<50000;i++)); do f $i; done`},
	{"subst", `for ((i=0;i<5000;i++)); do x=$(echo $i); done`},
	{"array", `for ((i=0;i<20000;i++)); do a+=($i); done`},
	{"assoc", `declare -A m; for ((i=0;i<5000;i++)); do m[k$i]=$i; done`},
	{"case", `for ((i=0;i<50000;i++)); do case $i in *9) x=1;; [0-4]*) x=2;; *) x=3;; esac; done`},
	{"program", `for ((i=0;i<10000;i++)); do /bin/true; done`},
	{"read", `for ((i=0;i<20000;i++)); do echo line $i; done | while read a b; do x=$b; done`},
}

// BenchmarkSpeed runs the speed table; with -v it tells the ratio to bash.
func BenchmarkSpeed(b *testing.B) {
	for _, c := range speedCases {
		b.Run(c.name, func(b *testing.B) {
			sh := newShell(b, newTree(b))
			start := time.Now()
			for b.Loop() {
				if res := sh.Run(context.Background(), shell.Line{Source: c.script, Stdout: io.Discard, Stderr: io.Discard}); res.Status > 1 {
					b.Fatalf("status %d", res.Status)
				}
			}
			ours := time.Since(start) / time.Duration(max(b.N, 1))
			start = time.Now()
			if exec.Command("bash", "-c", c.script).Run() == nil {
				b.ReportMetric(float64(ours)/float64(time.Since(start)), "x-bash")
			}
		})
	}
}

// BenchmarkLine is a trivial line, end to end.
func BenchmarkLine(b *testing.B) {
	sh := newShell(b, newTree(b))
	for b.Loop() {
		sh.Run(context.Background(), shell.Line{Source: "echo hello", Stdout: io.Discard, Stderr: io.Discard})
	}
}

// BenchmarkNew is the making of a session's shell.
func BenchmarkNew(b *testing.B) {
	cfg := testConfig(b, newTree(b))
	b.ReportAllocs()
	for b.Loop() {
		shell.New(cfg).Close()
	}
}
