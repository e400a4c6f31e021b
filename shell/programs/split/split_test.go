package split_test

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"mirage/shell/programs"
	"mirage/shell/programs/progtest"
	"mirage/shell/programs/split"
)

func TestSplit(t *testing.T) {
	files := map[string]string{"f": "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n", "g": "a long line here\nb\nc\n\nend", "e": ""}
	progtest.Run(t, programs.All(), "split", []progtest.Case{
		{Args: "-l 4 f", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa -rw-r--r-- "l0\nl1\nl2\nl3\n"`, `xab -rw-r--r-- "l4\nl5\nl6\nl7\n"`, `xac -rw-r--r-- "l8\n"`}},
		{Args: "-b 7 f p.", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `p.aa -rw-r--r-- "l0\nl1\nl"`, `p.ab -rw-r--r-- "2\nl3\nl4"`, `p.ac -rw-r--r-- "\nl5\nl6\n"`, `p.ad -rw-r--r-- "l7\nl8\n"`}},
		{Args: "-C 6 g", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa -rw-r--r-- "a long"`, `xab -rw-r--r-- " line "`, `xac -rw-r--r-- "here\n"`, `xad -rw-r--r-- "b\nc\n\n"`, `xae -rw-r--r-- "end"`}},
		{Args: "-n 3 f", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa -rw-r--r-- "l0\nl1\nl2\n"`, `xab -rw-r--r-- "l3\nl4\nl5\n"`, `xac -rw-r--r-- "l6\nl7\nl8\n"`}},
		{Args: "-n l/3 f", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa -rw-r--r-- "l0\nl1\nl2\n"`, `xab -rw-r--r-- "l3\nl4\nl5\n"`, `xac -rw-r--r-- "l6\nl7\nl8\n"`}},
		{Args: "-n r/2 f", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa -rw-r--r-- "l0\nl2\nl4\nl6\nl8\n"`, `xab -rw-r--r-- "l1\nl3\nl5\nl7\n"`}},
		{Args: "-n 2/3 f", Files: files, Stdout: "l3\nl4\nl5\n", Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-n l/2/3 f", Files: files, Stdout: "l3\nl4\nl5\n", Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-n r/2/3 f", Files: files, Stdout: "l1\nl4\nl7\n", Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-n 5 e", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa -rw-r--r-- ""`, `xab -rw-r--r-- ""`, `xac -rw-r--r-- ""`, `xad -rw-r--r-- ""`, `xae -rw-r--r-- ""`}},
		{Args: "-e -n 5 e", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-n l/9 g", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa -rw-r--r-- "a long line here\n"`, `xab -rw-r--r-- ""`, `xac -rw-r--r-- ""`, `xad -rw-r--r-- ""`, `xae -rw-r--r-- ""`, `xaf -rw-r--r-- ""`, `xag -rw-r--r-- ""`, `xah -rw-r--r-- ""`, `xai -rw-r--r-- "b\nc\n\nend"`}},
		{Args: "-e -n l/9 g", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa -rw-r--r-- "a long line here\n"`, `xab -rw-r--r-- "b\nc\n\nend"`}},
		{Args: "-d -l 3 f", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `x00 -rw-r--r-- "l0\nl1\nl2\n"`, `x01 -rw-r--r-- "l3\nl4\nl5\n"`, `x02 -rw-r--r-- "l6\nl7\nl8\n"`}},
		{Args: "-x -l 3 f", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `x00 -rw-r--r-- "l0\nl1\nl2\n"`, `x01 -rw-r--r-- "l3\nl4\nl5\n"`, `x02 -rw-r--r-- "l6\nl7\nl8\n"`}},
		{Args: "--numeric-suffixes=5 -l 3 f", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `x05 -rw-r--r-- "l0\nl1\nl2\n"`, `x06 -rw-r--r-- "l3\nl4\nl5\n"`, `x07 -rw-r--r-- "l6\nl7\nl8\n"`}},
		{Args: "-a 1 -l 3 f", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xa -rw-r--r-- "l0\nl1\nl2\n"`, `xb -rw-r--r-- "l3\nl4\nl5\n"`, `xc -rw-r--r-- "l6\nl7\nl8\n"`}},
		{Args: "-a 1 -d -b 2 f", Files: files, Stderr: "split: output file suffixes exhausted\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `x0 -rw-r--r-- "l0"`, `x1 -rw-r--r-- "\nl"`, `x2 -rw-r--r-- "1\n"`, `x3 -rw-r--r-- "l2"`, `x4 -rw-r--r-- "\nl"`, `x5 -rw-r--r-- "3\n"`, `x6 -rw-r--r-- "l4"`, `x7 -rw-r--r-- "\nl"`, `x8 -rw-r--r-- "5\n"`, `x9 -rw-r--r-- "l6"`}},
		{Args: "-l 3 --additional-suffix=.txt f", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa.txt -rw-r--r-- "l0\nl1\nl2\n"`, `xab.txt -rw-r--r-- "l3\nl4\nl5\n"`, `xac.txt -rw-r--r-- "l6\nl7\nl8\n"`}},
		{Args: "-t 5 -l 1 f", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5"`, `xab -rw-r--r-- "\nl6\nl7\nl8\n"`}},
		{Args: "-l 4 --verbose f", Files: files, Stdout: "creating file 'xaa'\ncreating file 'xab'\ncreating file 'xac'\n", Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa -rw-r--r-- "l0\nl1\nl2\nl3\n"`, `xab -rw-r--r-- "l4\nl5\nl6\nl7\n"`, `xac -rw-r--r-- "l8\n"`}},
		{Args: "-l 1", Files: files, Stdin: "x\ny", Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa -rw-r--r-- "x\n"`, `xab -rw-r--r-- "y"`}},
		{Args: "e", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-l 0", Files: files, Stderr: "split: invalid number of lines: '0': Numerical result out of range\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-b x", Files: files, Stderr: "split: invalid number of bytes: 'x'\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-l x", Files: files, Stderr: "split: invalid number of lines: 'x'\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-n 0", Files: files, Stderr: "split: invalid number of chunks: '0': Numerical result out of range\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-n x", Files: files, Stderr: "split: invalid number of chunks: 'x'\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-a x", Files: files, Stderr: "split: invalid suffix length: 'x'\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-l 1 -b 1", Files: files, Stderr: "split: cannot split in more than one way\nTry 'split --help' for more information.\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "nope", Files: files, Stderr: "split: cannot open 'nope' for reading: No such file or directory\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "a b c", Files: files, Stderr: "split: extra operand 'c'\nTry 'split --help' for more information.\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-t ab", Files: files, Stderr: "split: multi-character separator 'ab'\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "--additional-suffix=/x f", Files: files, Stderr: "split: invalid suffix '/x', contains directory separator\nTry 'split --help' for more information.\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-n 3/2 f", Files: files, Stderr: "split: invalid chunk number: '3': Numerical result out of range\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-n l/x f", Files: files, Stderr: "split: invalid number of chunks: 'x'\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "-l 2 f f", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `faa -rw-r--r-- "l0\nl1\n"`, `fab -rw-r--r-- "l2\nl3\n"`, `fac -rw-r--r-- "l4\nl5\n"`, `fad -rw-r--r-- "l6\nl7\n"`, `fae -rw-r--r-- "l8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "--numeric-suffixes=x f", Files: files, Stderr: "split: 'x': invalid start value for numerical suffix\nTry 'split --help' for more information.\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`}},
		{Args: "--numeric-suffixes=98 -n 4 f", Files: files, Stderr: "split: output file suffixes exhausted\n", Status: 1, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `x98 -rw-r--r-- "l0\nl1\n"`, `x99 -rw-r--r-- "l2\nl3\n"`}},
		{Args: "-b 1K f", Files: files, Tree: []string{`e -rw-r--r-- ""`, `f -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`, `g -rw-r--r-- "a long line here\nb\nc\n\nend"`, `xaa -rw-r--r-- "l0\nl1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n"`}},
	})
}

// With -u a line is there before the next one comes.
func TestUnbuffered(t *testing.T) {
	w := progtest.NewWorld(t, programs.All())
	in, typed := io.Pipe()
	shown, out := io.Pipe()
	var stderr strings.Builder
	inv := w.Invocation(progtest.Case{}, in, out, &stderr)
	inv.Args = []string{"-u", "-n", "r/1/1"}
	done := make(chan int, 1)
	go func() { done <- split.Program().Run(t.Context(), inv) }()
	lines := bufio.NewScanner(shown)
	for _, line := range []string{"one", "two"} {
		if _, err := io.WriteString(typed, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() || lines.Text() != line {
			t.Fatalf("got %q, want %q", lines.Text(), line)
		}
	}
	typed.Close()
	if status := <-done; status != 0 {
		t.Errorf("status %d, %s", status, stderr.String())
	}
}
